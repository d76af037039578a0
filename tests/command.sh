#!/usr/bin/env bash
# The command from outside: exit codes, help, JSON, CSV, sequences, and what it says when something is wrong.
# Uses small meshes that it writes itself, and the real data where it lies beside the project.
set -uo pipefail
PLIANT=${PLIANT:?the command to test}
SOURCE_DIR=${SOURCE_DIR:-$(cd "$(dirname "$0")/.." && pwd)}
DATA=$SOURCE_DIR/../shared/data
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1
failures=0
tests=0

fail() {
  echo "FAILED: $1"
  sed 's/^/  out: /' out | head -5
  sed 's/^/  err: /' err | head -5
  failures=$((failures + 1))
}
# run CODE ARGUMENTS...: the command ends with that code; out and err are kept
run() {
  local want=$1 code=0
  shift
  "$PLIANT" "$@" >out 2>err || code=$?
  tests=$((tests + 1))
  [ $code = "$want" ] || fail "pliant $*: exit code $code instead of $want"
  last="pliant $*"
}
out_has() { grep -qe "$1" out || fail "$last: no '$1' on stdout"; }
err_has() { grep -qe "$1" err || fail "$last: no '$1' on stderr"; }
out_lines() { [ "$(wc -l <out)" = "$1" ] || fail "$last: $(wc -l <out) lines on stdout instead of $1"; }
err_lines() { [ "$(wc -l <err)" = "$1" ] || fail "$last: $(wc -l <err) lines on stderr instead of $1"; }
# refused CODE PATTERN ARGUMENTS...: one line on stderr that begins with pliant: and says why; nothing on stdout
refused() {
  local code=$1 pattern=$2
  shift 2
  run "$code" "$@"
  err_has "$pattern"
  err_lines 1
  grep -q '^pliant: ' err || fail "$last: stderr does not begin with 'pliant: '"
  [ -s out ] && fail "$last: something on stdout"
}
# json PYTHON: every line of out is JSON; `rows` is the list of them, and the expression must be true
json() {
  python3 - "$1" >python.log 2>&1 <<'PY' || { fail "$last: JSON: $1"; head -3 python.log; }
import json, sys
def no_constant(name): raise ValueError(name)
rows = [json.loads(line, parse_constant=no_constant) for line in open("out", encoding="utf-8")]
assert eval(sys.argv[1]), rows[:3]
PY
}

# Two triangles that form a square of side 1 in the plane z = $2, moved by $3 along x, into file $1.
square() {
  printf 'v %s 0 %s\nv %s 0 %s\nv %s 1 %s\nv %s 1 %s\nf 1 2 3\nf 1 3 4\n' \
    "$3" "$2" "$(echo "$3 + 1" | bc -l)" "$2" "$(echo "$3 + 1" | bc -l)" "$2" "$3" "$2" >"$1"
}
command -v bc >/dev/null || square() {
  python3 -c 'import sys; z, x = map(float, sys.argv[1:]); print(f"v {x} 0 {z}\nv {x+1} 0 {z}\nv {x+1} 1 {z}\nv {x} 1 {z}\nf 1 2 3\nf 1 3 4")' "$2" "$3" >"$1"
}
# A standing triangle that cuts the plane z = 0 where x = 0.25.
printf 'v 0.25 0.1 -1\nv 0.25 0.9 -1\nv 0.25 0.5 1\nf 1 2 3\n' >blade.obj
mkdir seq two
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do square "seq/s_$i.obj" 0 "$i.0"; done
for i in 2 9 10; do square "seq/s_$i.obj" 0 0; done # in contact with the blade
for i in 0 1 2; do square "two/t_$i.obj" "0.$i" 0.5; done
square flat.obj 0 0
square far.obj 50 0

# ------------------------------------------------------------------------------------------------- help and version
run 64; err_has '^usage: pliant'
for words in --help -h help 'help help'; do
  # shellcheck disable=SC2086
  run 0 $words; out_has '^usage: pliant'; out_has 'Examples:'; err_lines 0
done
for c in demo info collide bench; do
  run 0 $c --help; out_has "^usage: pliant $c"; out_has '[Ee]xamples:'; err_lines 0; cp out direct
  run 0 help $c; cmp -s out direct || fail "pliant help $c differs from pliant $c --help"
done
run 0 collide --help; for o in json csv first list strategy arity leaf builder cut eager lazy threads limit budget-ms \
  fail-on-contact float check; do out_has "^  --$o"; done
[ "$(wc -L <out)" -le 100 ] || fail "a line of the help is over 100 wide"
run 0 --version; out_has '^pliant [0-9]*\.[0-9]*\.[0-9]*'; out_lines 1
run 0 version; out_has '^pliant [0-9]*\.[0-9]*\.[0-9]*'
if [ -e /dev/full ]; then
  code=0; "$PLIANT" collide --help >/dev/full 2>err || code=$?
  : >out; last="output to a full disk"; [ $code = 2 ] || fail "exit code $code instead of 2"; err_has 'could not be written'
fi

# ----------------------------------------------------------------------------------------------------- usage errors
refused 64 'did you mean collide' colide a b
refused 64 'no command self' self flat.obj
refused 64 'did you mean --json' collide --jsn flat.obj blade.obj
refused 64 'did you mean --strategy' collide --strat hybrid flat.obj blade.obj
refused 64 'did you mean hybrid' collide --strategy hybird flat.obj blade.obj
refused 64 'there are auto, bottom-up' collide flat.obj blade.obj --strategy nonsense
refused 64 'wants a value' collide flat.obj blade.obj --strategy
refused 64 'wants a value' collide --leaf --json flat.obj blade.obj
refused 64 'takes no value' collide --json=1 flat.obj blade.obj
refused 64 'from 1 to 8' collide --leaf 9 flat.obj blade.obj
refused 64 'from 1 to 8' collide --leaf=2x flat.obj blade.obj
refused 64 'there are 2, 4, 8' collide --arity 3 flat.obj blade.obj
refused 64 'a number from 0' collide --budget-ms nan flat.obj blade.obj
refused 64 'not both' collide --json --csv flat.obj blade.obj
refused 64 'one was given' collide flat.obj
refused 64 'none was given' collide
refused 64 'quote patterns' collide seq/s_*.obj blade.obj
refused 64 'one side of --' collide flat.obj --
refused 64 'stands after --' collide flat.obj -- blade.obj --json
refused 64 'no option -j' collide -j flat.obj blade.obj
refused 64 'a mesh file is wanted' info
refused 64 'no file is wanted' demo flat.obj

# ---------------------------------------------------------------------------------------------------- collide: answers
run 0 collide flat.obj blade.obj; out_has '^pairs  *1$\|^pairs  *2$'; out_has '^frames  *1, 1 with contact'; out_has 'still'; err_lines 0
run 0 collide flat.obj blade.obj --json --list
json 'len(rows) == 1 and rows[0]["frame"] == 0 and rows[0]["pairs"] == len(rows[0]["list"]) > 0 and rows[0]["partial"] is False'
json 'all(k in rows[0] for k in ("a", "b", "n_v", "n_p", "n_u", "ms_set", "ms_update", "ms_query"))'
json 'rows[0]["a"] == "flat.obj" and rows[0]["list"] == sorted(rows[0]["list"])'
pairs=$(python3 -c 'import json; print(json.load(open("out"))["pairs"])')
python3 -m json.tool <out >/dev/null 2>&1 || fail "python3 -m json.tool refuses the line"
run 0 collide blade.obj flat.obj --json --list; json "rows[0]['pairs'] == $pairs"
run 0 collide flat.obj far.obj --json; json 'rows[0]["pairs"] == 0 and "list" not in rows[0]'
run 0 collide flat.obj flat.obj --json --list; json 'rows[0]["pairs"] == 4' # the same file is two bodies
run 0 collide flat.obj flat.obj --json --limit 3; json 'rows[0]["pairs"] == 4 and len(rows[0]["list"]) == 3'
run 0 collide flat.obj flat.obj --json --limit 0; json 'rows[0]["pairs"] == 4 and rows[0]["list"] == []'
run 0 collide flat.obj flat.obj --list; out_has '^frame 0: 4 pairs$'; out_has '^  1 1$'
run 0 collide flat.obj flat.obj --first --json; json 'rows[0]["pairs"] == 1'
run 0 collide flat.obj flat.obj --csv; out_lines 2; out_has '^frame,a,b,pairs,partial,n_v,n_p,n_u,ms_set,ms_update,ms_query$'
run 0 collide flat.obj flat.obj --csv --list --check; out_has ',checked,list$'; out_has ',1,0-0 0-1 1-0 1-1$'
cp flat.obj 'odd, "name".obj'
run 0 collide 'odd, "name".obj' blade.obj --csv
python3 -c 'import csv; r = list(csv.DictReader(open("out"))); assert r[0]["a"] == "odd, \"name\".obj" and int(r[0]["pairs"]) > 0' \
  2>/dev/null || fail "CSV with quotes"
run 0 collide 'odd, "name".obj' blade.obj --json; json 'rows[0]["a"] == "odd, \"name\".obj"'
strange=$(printf 'tab\there\377.obj')
if cp flat.obj "$strange" 2>/dev/null; then run 0 collide "$strange" blade.obj --json; json 'rows[0]["a"] == "tab\there\ufffd.obj"'; fi
run 1 collide flat.obj blade.obj --fail-on-contact
run 0 collide flat.obj far.obj --fail-on-contact
for s in auto bottom-up top-down hybrid bergen; do
  for tree in "--arity 2 --leaf 1" "--arity 4 --leaf 3 --builder partition" "--arity 8 --cut centre --eager 0 --lazy 2" \
    "--cut mean --threads 2"; do
    # shellcheck disable=SC2086
    run 0 collide flat.obj blade.obj --strategy $s $tree --check --json; json "rows[0]['pairs'] == $pairs and rows[0]['checked']"
  done
done
run 0 collide flat.obj blade.obj --check; out_has 'agree with the reference'

# -------------------------------------------------------------------------------------------------- collide: sequences
frames='[r["frame"] for r in rows if r["pairs"]] == [1, 8, 9] and len(rows) == 12'
run 0 collide 'seq/s_*.obj' blade.obj --json; json "$frames"; json 'rows[9]["a"].endswith("s_10.obj") and rows[9]["b"] == "blade.obj"'
run 0 collide seq blade.obj --json; json "$frames"
run 0 collide seq/ blade.obj --json; json "$frames"
run 0 collide 'seq/s_%d.obj' blade.obj --json; json "$frames"
run 0 collide --json seq/s_*.obj -- blade.obj; json "$frames" # the shell gives 10 before 2
run 0 collide --json blade.obj -- seq/s_*.obj; json "$frames"
run 0 collide --json -- seq blade.obj; json "$frames"
run 0 collide seq blade.obj --json --check --threads 2 --strategy hybrid; json "$frames"
run 0 collide seq blade.obj; out_has '^frames  *12, 3 with contact; the first is frame 1 (seq/s_2.obj)'; out_has 'pairs  *0 least'
run 0 collide seq blade.obj --csv; out_lines 13
run 1 collide seq blade.obj --fail-on-contact
run 0 collide seq two --json; json 'len(rows) == 3'; err_has 'A has 12 frames and B has 3'; err_lines 1
run 0 collide two seq; out_has 'only the first 3'
run 0 collide two two --json --check; json 'len(rows) == 3 and all(r["pairs"] == 4 for r in rows)'
run 0 collide --json far.obj flat.obj -- blade.obj; json '[r["pairs"] > 0 for r in rows] == [False, True]' # order as given

cp -r seq grown && printf 'v 9 9 9\nf 1 2 5\n' >>grown/s_5.obj
run 2 collide grown blade.obj --json; json 'len(rows) == 4'
err_lines 1; err_has 'grown/s_5.obj: frame 4 has 3 triangles and 5 vertices, frame 0 (grown/s_1.obj) has 2 and 4'
cp -r seq turned && sed -i 's/f 1 3 4/f 1 4 3/' turned/s_3.obj
run 2 collide turned blade.obj; err_lines 1; err_has 'turned/s_3.obj: frame 2 .*triangle 1'
cp -r seq nan && sed -i '2s/.*/v nan 0 0/' nan/s_4.obj
run 2 collide nan blade.obj --json; json 'len(rows) == 3'; err_lines 1; err_has 'nan/s_4.obj:2'
cp -r seq gone && : >gone/s_6.obj
run 2 collide gone blade.obj; err_lines 1; err_has 'gone/s_6.obj'

# ------------------------------------------------------------------------------------------------- precision, bad files
printf 'v 0.1 0 0.3\nv 1.1 0 0\nv 0 1 0\nf 1 2 3\n' >tenth.obj
run 0 collide tenth.obj blade.obj; out_has 'double positions'
run 0 collide tenth.obj blade.obj --float; out_has 'float positions'
printf 'v 1e300 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >huge.obj
refused 2 'huge.obj.*too large for --float' collide huge.obj blade.obj --float
mkdir empty
refused 2 'empty' collide empty blade.obj
refused 2 'absent.obj' collide absent.obj blade.obj
refused 2 'absent.obj' collide flat.obj absent.obj
refused 2 'none_' collide 'none_*.obj' blade.obj
head -n 4 flat.obj >cut.obj # no face is left
refused 2 'cut.obj' collide cut.obj blade.obj
printf 'OFF\n4 2 0\n0 0 0\n1 0 0\n1 1' >cut.off
refused 2 'cut.off' collide cut.off blade.obj
printf 'ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n12345678' >cut.ply
refused 2 'cut.ply' collide cut.ply blade.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 inf 0\nf 1 2 3\n' >infinite.obj
refused 2 'infinite.obj:3' collide infinite.obj blade.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 7\n' >range.obj
refused 2 'range.obj:4' collide range.obj blade.obj
printf 'solid nothing' >nothing.stl
refused 2 'nothing.stl' info nothing.stl
refused 2 'huge.obj' collide "$(printf 'a\nb')huge.obj" blade.obj # one line stays one line

# ------------------------------------------------------------------------------------------------------------------ info
run 0 info flat.obj; out_has '^  triangles  *2$'; out_has 'open'; out_has 'boundary edges  *4 '; out_has 'bytes per triangle'
run 0 info flat.obj --json
json 'rows[0]["triangles"] == 2 and rows[0]["vertices"] == 4 and rows[0]["edges"] == 5 and rows[0]["boundary_edges"] == 4'
json 'rows[0]["closed"] is False and rows[0]["components"] == 1 and rows[0]["frames"] == 1 and rows[0]["positions"] == "float"'
json 'rows[0]["box"] == [[0, 0, 0], [1, 1, 0]] and rows[0]["tree"]["arity"] in (2, 4, 8) and rows[0]["tree"]["leaves"] >= 1'
run 0 info flat.obj --json --arity 2 --leaf 1 --builder partition
json 'rows[0]["tree"]["leaves"] == 2 and rows[0]["tree"]["arity"] == 2 and rows[0]["tree"]["builder"] == "partition"'
run 0 info flat.obj blade.obj tenth.obj --json; json 'len(rows) == 3 and rows[2]["positions"] == "double"'
run 0 info two --json; json 'rows[0]["frames"] == 3 and 0.06 < rows[0]["motion"]["largest_step_most"] < 0.08'
run 0 info two; out_has '3 frames'; out_has 'diagonal per frame'
run 0 info two --json --still; json '"motion" not in rows[0]'
run 2 info flat.obj absent.obj blade.obj --json; json 'len(rows) == 2'; err_lines 1; err_has 'absent.obj'
run 2 info grown; err_lines 1; err_has 'frame 4'

# ------------------------------------------------------------------------------------------------------------------ demo
run 0 demo --steps 5 --triangles 320 --out made/here --json
json 'len(rows) == 1 and [s["step"] for s in rows[0]["steps"]] == [0, 50, 100, 149, 199] and rows[0]["checked_steps"] > 0'
json 'rows[0]["steps"][0]["pairs"] == 0 and rows[0]["steps"][-1]["pairs"] > 0 and len(rows[0]["files"]) == 7'
for f in made/here/step-*.png; do [ "$(head -c 4 "$f" | tail -c 3)" = PNG ] || fail "$f is no PNG"; done
python3 - <<'PY' >python.log 2>&1 || { fail "the page of the demo"; head -3 python.log; }
from html.parser import HTMLParser
import re
text = open("made/here/index.html", encoding="utf-8").read()
void = {"meta", "link", "img", "input", "line", "path", "br"}
class Check(HTMLParser):
    open_tags, outside = [], []
    def handle_starttag(self, tag, attrs):
        if tag not in void: self.open_tags.append(tag)
        self.outside += [v for k, v in attrs if k in ("src", "href") and not v.startswith("data:")]
    def handle_startendtag(self, tag, attrs): pass
    def handle_endtag(self, tag): assert self.open_tags.pop() == tag, tag
check = Check()
check.feed(text)
assert not check.open_tags and not check.outside, (check.open_tags, check.outside)
assert text.count("<svg") == 4 and text.count("data:image/png") == 6
assert not re.search(r"https?://|nan|inf[^o]", re.sub(r"base64,[^\"]*", "", text))
PY
run 0 demo --steps 20 --triangles 80 --out made/plain --no-pictures --threads 2
out_has 'touching pairs'; out_has 'times faster'; out_has 'the same pairs'; out_has 'made/plain/index.html'
[ -z "$(ls made/plain/*.png 2>/dev/null)" ] || fail "pictures in spite of --no-pictures"
refused 2 'flat.obj' demo --out flat.obj/x --steps 2 --triangles 80
refused 2 'flat.obj' demo --out flat.obj --steps 2 --triangles 80
refused 64 'from 2 to 200' demo --steps 1

# ------------------------------------------------------------------------------------------------------------- real data
if [ -d "$DATA/sequences/cactus_deformed" ]; then
  cactus=$DATA/sequences/cactus_deformed
  run 0 info "$cactus" --json; json 'rows[0]["frames"] == 150 and rows[0]["triangles"] == 1236 and rows[0]["closed"]'
  run 0 collide "$cactus" "$cactus/cactus_deformed_60.off" --json --check
  json 'len(rows) == 150 and all(r["checked"] for r in rows) and rows[60]["pairs"] > 1236'
  beetle=$DATA/static/beetle.obj
  run 0 collide "$cactus" "$beetle" --json --check --strategy top-down --arity 4 --list; cp out one
  json 'len(rows) == 150 and any(r["pairs"] for r in rows)'
  run 0 collide "$beetle" "$cactus" --json --check --threads 2 --list
  json '[sorted([b, a] for a, b in r["list"]) for r in rows] == [json.loads(l)["list"] for l in open("one")]'
  rumba=$DATA/sequences/Rumba_Dancing
  run 0 collide "$rumba" "$DATA/static/spot.obj" --json --strategy hybrid; cp out one
  run 0 collide "$rumba" "$DATA/static/spot.obj" --json --strategy bottom-up --threads 2
  json 'len(rows) == 12 and [r["pairs"] for r in rows] == [json.loads(l)["pairs"] for l in open("one")] and rows[0]["pairs"] > 0'
  run 0 collide "$rumba" "$DATA/static/spot.obj" --json --budget-ms 0.001
  json 'any(r["partial"] for r in rows) and all(r["pairs"] <= json.loads(l)["pairs"] for r, l in zip(rows, open("one")))'
  run 0 collide "$DATA/static/fcl_resources/env.obj" "$DATA/static/fcl_resources/rob.obj" --check; out_has 'agree with the reference'
  run 0 info "$DATA"/static/*.obj --json; json 'len(rows) == 8'
  for f in "$DATA"/nasty/trimesh/* "$DATA"/nasty/tinyobjloader/*; do
    "$PLIANT" info "$f" >out 2>err
    code=$?
    tests=$((tests + 1))
    last="pliant info $f"
    [ $code = 0 ] || [ $code = 2 ] || fail "$last: exit code $code"
    [ $code = 0 ] || err_lines 1
  done
else
  echo "the real data is not there: its tests are left out"
fi

echo "$tests runs of the command, $failures failures"
[ $failures = 0 ]

#!/usr/bin/env bash
# The command against files and names that mean harm, or are broken: pipes in place of files, links that lead nowhere or out of a
# scene's folder, escape codes in names, files that assimp breaks down on. Each is one line on stderr, never a wait or a crash.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh"

square a.obj 0 0
square b.obj 0.25 0
mkdir seq
for i in 1 2 3 4 5; do square "seq/s_$i.obj" "$i" 0; done

# within: as refused, but a command that waits is ended after a while, and that is a failure
within() {
  local code=$1 pattern=$2 got=0
  shift 2
  timeout -k 5 60 "$PLIANT" "$@" >out 2>err || got=$?
  tests=$((tests + 1))
  last="pliant $*"
  [ $got = "$code" ] || fail "$last: exit code $got instead of $code"
  err_has "$pattern"
  err_lines 1
}

# ------------------------------------------------------------------------------------------------- what is no regular file
mkfifo pipe pipe.obj pipe.glb pipe.dae
within 2 'pipe: is not a regular file' collide a.obj b.obj --settings pipe
within 2 'pipe: is not a regular file' info a.obj --settings=pipe
within 2 'pipe.obj: is not a regular file' collide a.obj pipe.obj
within 2 'pipe.glb: is not a regular file' collide pipe.glb
within 2 'pipe.dae: is not a regular file' info pipe.dae
within 2 'is a directory' info a.obj --settings seq
within 2 'not a regular file' info a.obj --settings /dev/zero
"$PLIANT" tune seq b.obj --population 2 --generations 1 --out tuned.json >out 2>err
if grep -q 'needs NLopt' err; then
  echo "this build has no NLopt: the logs of tune are left out"
else
  within 2 'pipe: is not a regular file; give another name for the log' tune seq b.obj --resume pipe --population 2 --generations 1
  within 2 'is not a regular file' tune seq b.obj --resume /dev/null --population 2 --generations 1
  mkfifo tuned.json.tmp
  run 0 tune seq b.obj --population 2 --generations 1 --out tuned.json
  run 0 tune seq b.obj --population 2 --generations 2 --resume log --out tuned.json
  run 0 tune seq b.obj --population 2 --generations 2 --resume log --out tuned.json --json
  json 'rows[0]["resumed"] == rows[0]["runs"] > 0'
fi

# ------------------------------------------------------------------------------------------------------- links to nowhere
cp -r seq broken && rm broken/s_3.obj && ln -s gone.obj broken/s_3.obj
for name in broken 'broken/s_*.obj' 'broken/s_%d.obj'; do
  refused 2 'broken/s_3.obj: is a link that leads nowhere' collide "$name" b.obj
  refused 2 'broken/s_3.obj: is a link that leads nowhere' info "$name"
done
cp -r seq first && rm first/s_1.obj && ln -s first/s_1.obj first/s_1.obj # leads to itself
refused 2 'first/s_1.obj: is a link that leads nowhere' collide 'first/s_%d.obj' b.obj
cp -r seq linked && rm linked/s_3.obj && ln -s ../a.obj linked/s_3.obj
run 0 collide linked b.obj --json; json 'len(rows) == 5'
cp -r seq other && ln -s gone.stl other/s_3.stl # of another kind than the frames: it must not be left out unseen
refused 2 'other/s_3.stl: is a link that leads nowhere' collide other b.obj --json

# --------------------------------------------------------------------------------------------------------- names for people
escape=$(printf 'red\033[31m\nnext\r\tc1\302\233_rtl\342\200\256.obj')
plain='red?\[31m?next??c1?_rtl?\.obj'
# no_orders FILE: no control characters but the ends of lines, none beyond ASCII, none that turn the writing
no_orders() {
  python3 - "$1" <<'PY' || fail "$last: control characters in $1"
import sys, unicodedata
text = open(sys.argv[1], encoding="utf-8").read()
sys.exit(any(unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c != "\n" for c in text))
PY
}
if cp a.obj "$escape" 2>/dev/null; then
  mkdir "$escape.d" && cp seq/*.obj "$escape.d"
  for line in collide distance; do
    run 0 $line "$escape" b.obj; no_orders out; no_orders err; out_has "^A  *$plain, still$"
    run 0 $line "$escape.d" b.obj; no_orders out
  done
  run 0 info "$escape" "$escape.d"; no_orders out; out_has "^$plain$"
  run 0 distance a.obj b.obj --plot "$escape.svg"; no_orders out
  run 0 render a.obj --size 8x8 --output "$escape.png"; no_orders out
  run 0 demo --steps 2 --triangles 20 --no-pictures --out "$escape.demo"; no_orders out
  run 0 collide "$escape" b.obj --json; json 'rows[0]["a"] == "red\x1b[31m\nnext\r\tc1\x9b_rtl\u202e.obj"'
  run 0 collide "$escape" b.obj --csv
  python3 -c 'import csv; r = list(csv.DictReader(open("out", newline="", encoding="utf-8"))); assert r[0]["a"].startswith("red\x1b[31m\nnext")' ||
    fail "$last: CSV"
  for line in "collide $escape.gone b.obj" "info $escape.gone" "collide a.obj b.obj --settings $escape.gone" "$escape" \
    "collide a.obj b.obj --$escape" "collide a.obj b.obj --strategy $escape" "render a.obj --output $escape.jpg"; do
    IFS='%' read -r -d '' -a words < <(printf '%s\0' "${line// /%}") # names with newlines stay one word
    "$PLIANT" "${words[@]}" >out 2>err && fail "pliant $line went well"
    tests=$((tests + 1)); last="pliant ${words[*]}"; err_lines 1; no_orders err
  done
fi

# ------------------------------------------------------------------------------------------- an error is the only line
head -c 84 /dev/zero >noted.stl # a note of the reader's: bytes behind the last triangle
python3 - <<'PY'
import struct
t = struct.pack("<12fH", 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0)
open("noted.stl", "wb").write(b"\0" * 80 + struct.pack("<I", 1) + t + b"tail of the file")
PY
run 0 collide noted.stl b.obj; err_lines 1; err_has '^pliant: note: noted.stl'
refused 2 'absent.obj' collide noted.stl absent.obj
refused 2 'absent.obj' render noted.stl absent.obj
cp -r seq late && : >late/s_4.obj
run 2 collide noted.stl late; err_lines 1; err_has 'late/s_4.obj'
run 2 collide seq late; err_lines 1

# -------------------------------------------------------------------------------- files that assimp does not bear, or leaks on
printf 'xof 0303txt 0032\nMesh m { 3; 0;0;0;, 1;0;0;, 0;1;0;; 1; 3;0,1,2;; }\n' >ok.x
run 0 info ok.x
if grep -q 'no assimp' err; then
  echo "this build has no assimp: its files are left out"
else
  ln -s ../ok.x seq/link.x && run 0 info seq/link.x # what the user names may be a link
  printf 'PK\003\004%50s' x >bad.3mf
  printf 'xof 0303txt 0032\nMesh m { 3; 0;0;0;, 1' >bad.x
  printf '; FBX 7.3.0 project file\nFBXHeaderExtension:  { FBXVersion: 7300 }\nObjects:  {\n Geometry: 1, "Geometry::g", ' >bad.fbx
  printf '*3DSMAX_ASCIIEXPORT 200\n*GEOMOBJECT {\n *MESH {\n  *MESH_NUMVERTEX 3\n  *MESH_VERTEX_LIST {\n   *MESH_VERTEX 9 0 0 0\n' >bad.ase
  printf '<COLLADA' >bad.dae
  for f in bad.*; do refused 2 "$f: " info "$f"; done
  for i in 1 2 3 4 5 6 7; do
    for f in bad.fbx bad.ase ok.x; do
      head -c $(($(wc -c <$f) * i / 8)) $f >"cut.${f##*.}"
      code=0; "$PLIANT" info "cut.${f##*.}" >out 2>err || code=$?
      tests=$((tests + 1)); last="pliant info ${f##*.} cut at $i of 8"; { [ $code = 2 ] && err_lines 1; } || [ $code = 0 ] || fail "$last: exit code $code"
    done
  done
fi

# --------------------------------------------------------------------------------------------- a scene that reaches out
mkdir scene
python3 - <<'PY'
import json, struct
data = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
open("outside.bin", "wb").write(data)
open("scene/inside.bin", "wb").write(data)
def scene(path, uri):
    json.dump({"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}, {"mesh": 0}], "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
               "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
               "bufferViews": [{"buffer": 0, "byteLength": 36}], "buffers": [{"byteLength": 36, "uri": uri}]}, open(path, "w"))
scene("scene/in.gltf", "inside.bin")
scene("scene/in_link.gltf", "inside_link.bin")
scene("scene/link.gltf", "link.bin")
scene("scene/folder.gltf", "folder/outside.bin")
scene("scene/up.gltf", "../outside.bin")
scene("top.gltf", "scene/inside.bin")
PY
ln -s inside.bin scene/inside_link.bin
ln -s ../outside.bin scene/link.bin
ln -s .. scene/folder
run 0 info scene/in.gltf
if grep -q jansson err; then
  echo "this build has no jansson: glTF scenes are left out"
else
  for f in scene/in.gltf scene/in_link.gltf top.gltf; do run 0 collide $f --json; json 'rows[0]["pairs"] == 1'; done
  (cd scene && "$PLIANT" info in.gltf >/dev/null) || fail "a scene in the current folder"
  for f in link folder; do
    refused 2 'leads out of the folder of the .gltf; .*--allow-outside' collide scene/$f.gltf
    refused 2 'leads out of the folder of the .gltf' info scene/$f.gltf
    refused 2 'leads out of the folder of the .gltf' render scene/$f.gltf --size 8x8
  done
  refused 2 'outside the folder of the .gltf; .*--allow-outside' distance scene/up.gltf
  for f in link folder up; do
    run 0 collide scene/$f.gltf --json --allow-outside; json 'rows[0]["pairs"] == 1'
    run 0 info scene/$f.gltf --allow-outside
    run 0 distance scene/$f.gltf --allow-outside
    run 0 render scene/$f.gltf --size 8x8 --allow-outside --output x.png
  done
  refused 64 'allow-outside is for a glTF scene' collide a.obj b.obj --allow-outside
fi

# ------------------------------------------------------------------------- pairs without number are counted, not stored
# memory PAIRS MB ARGUMENTS...: the command finds so many pairs in so much memory. Sanitizers have their own memory: left out there
memory() {
  tests=$((tests + 1)); last="pliant collide ${*:3}"
  python3 - "$PLIANT" "$@" >out 2>err <<'PY' || fail "$last: too much memory, or other pairs"
import resource, subprocess, sys
command, pairs, most = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
text = subprocess.run([command, "collide", *sys.argv[4:]], capture_output=True, check=True).stdout.decode()
print(text, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024, "MB")
assert f"pairs     {pairs}\n" in text or f"0,0,{pairs}," in text, "pairs"
assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 1024 * most, "memory"
PY
}
if [ -z "${SANITIZED-}" ]; then
  python3 - <<'PY'
import json
open("heap.obj", "w").write("v 0 0 0\nv 1 0 0\nv 0 1 0\n" + "f 1 2 3\n" * 2500)
scene = json.load(open("top.gltf"))
for n in (900, 1500): # one frame through a scene, one by counting
    scene["nodes"] = [{"mesh": 0}] * n
    json.dump(scene, open(f"heap{n}.gltf", "w"))
PY
  memory 6250000 60 heap.obj heap.obj
  "$PLIANT" info heap900.gltf >out 2>err
  if ! grep -q jansson err; then
    memory 404550 400 heap900.gltf
    memory 1124250 60 heap1500.gltf; out_has '^touching  node 0 and node 1: 1 pair$'; out_has 'and 1124230 more bodies'
    memory 1124250 60 heap1500.gltf --csv; out_has '^0,0,1124250,1124250,0,'
  fi
fi

finish

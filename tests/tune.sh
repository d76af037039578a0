#!/usr/bin/env bash
# `pliant tune`: the same seed finds the same settings, a stopped search is gone on with, settings are read back, wrong lines and
# logs of other searches are refused. Times are not judged.
set -uo pipefail
PLIANT=${PLIANT:?the command to test}
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1
fail() { echo "tune: $*" >&2; [ -s err ] && head -n 3 err >&2; exit 1; }

# A sheet that waves above another, 12 frames of 128 triangles each.
mkdir a b
python3 - <<'PY'
import math
n = 8
for f in range(12):
    for name, z in (("a", 0), ("b", 0.35)):
        with open(f"{name}/{name}_{f:02d}.obj", "w") as o:
            for i in range(n + 1):
                for k in range(n + 1):
                    x, y = i / n, k / n
                    o.write(f"v {x} {y} {z + 0.12 * math.sin(5 * x + 3 * y + (0.4 if name == 'a' else -0.3) * f):.6f}\n")
            for i in range(n):
                for k in range(n):
                    p = i * (n + 1) + k + 1
                    o.write(f"f {p} {p + n + 1} {p + n + 2}\nf {p} {p + n + 2} {p + 1}\n")
PY
tune() { "$PLIANT" tune a b --population 6 --generations 8 "$@" >out 2>err; }

tune --out first.json --json
code=$?
if [ $code = 2 ] && grep -q 'needs NLopt' err; then
  echo "tune: built without NLopt; nothing to test"
  exit 77
fi
[ $code = 0 ] || fail "exit code $code"
[ -s err ] && fail "talks on stderr in a pipe"
python3 - <<'PY' || fail "the JSON is wrong: $(cat out)"
import json
o = json.load(open("out"))
assert isinstance(o["better"], bool) and o["frames"] == 12 and not o["stopped"] and o["resumed"] == 0
assert 1 < o["runs"] <= 49 and o["ratio"] >= 1
assert set(o["settings"]) == {"criterion", "p_max", "k", "gamma"}
for row in ["defaults", "auto"] + ["tuned"] * o["better"]:
    assert o[row]["n_v"] > 0 and o[row]["n_p"] > 0 and o[row]["ms"] > 0
if o["better"]:
    assert o["tuned"]["score_ms"] < o["defaults"]["score_ms"]
PY
settings() { python3 -c 'import json; o = json.load(open("out")); print(o["settings"], o["better"], o["runs"])'; }
first=$(settings)

# Again: the same, and another seed goes another way (its log differs).
tune --out again.json --json --resume log1 || fail "a second time"
[ "$(settings)" = "$first" ] || fail "the same seed found something else: $first, $(settings)"
if [ -f first.json ]; then cmp -s first.json again.json || fail "the saved settings differ"; fi
tune --json --seed 2 --resume log2 || fail "another seed"
cmp -s <(tail -n +2 log1) <(tail -n +2 log2) && fail "another seed, the same search"

# A search that is cut off, even in the middle of a line, ends where the whole one does.
head -c $(($(wc -c <log1) / 2)) log1 >half
tune --json --resume half || fail "going on"
cmp -s half log1 || fail "the search that went on did something else"
[ "$(settings)" = "$first" ] || fail "the search that went on found something else"
python3 -c 'import json; o = json.load(open("out")); assert 0 < o["resumed"] < o["runs"], o' || fail "nothing was resumed"
tune --json --resume log1 || fail "a search that had ended"
python3 -c 'import json; o = json.load(open("out")); assert o["resumed"] == o["runs"], o' || fail "something was played again"
tune --json --resume log1 --generations 10 || fail "a longer search"

# Stopped by the user: the answer so far, and the rest later.
rm -f stopped
"$PLIANT" tune a b --population 30 --generations 100000 --resume stopped --json >out 2>err &
pid=$!
for _ in $(seq 200); do [ -f stopped ] && [ "$(wc -l <stopped)" -gt 5 ] && break; sleep 0.05; done
kill -INT $pid
wait $pid || fail "stopped: exit code $?"
python3 -c 'import json; o = json.load(open("out")); assert o["stopped"] and o["runs"] > 2, o' || fail "stopped: $(cat out)"

# The settings are read back, by the command; options win.
printf '{"builder": "matching", "strategy": "inflate", "volume": "rss", "criterion": "a-and-b", "p_max": 1.25}\n' >own.json
"$PLIANT" collide a b --settings own.json --check >out 2>err || fail "collide with settings"
[ -f first.json ] && { "$PLIANT" collide a b --settings first.json --check >out 2>err || fail "collide with what was found"; }
"$PLIANT" collide a b --settings own.json --strategy bottom-up --volume aabb --check >out 2>err || fail "options that win"

refused() { # CODE PATTERN ARGUMENTS...
  local want=$1 pattern=$2 code=0
  shift 2
  "$PLIANT" "$@" >out 2>err || code=$?
  [ $code = "$want" ] || fail "pliant $*: exit code $code instead of $want"
  grep -qe "$pattern" err || fail "pliant $*: no '$pattern'"
  [ "$(wc -l <err)" = 1 ] || fail "pliant $*: not one line"
}
refused 64 'two meshes are wanted' tune a
refused 64 'plays mesh files' tune scene.glb a
refused 2 'nothing moves' tune a/a_00.obj b/b_00.obj
refused 2 'another search' tune a b --population 6 --generations 8 --seed 3 --resume log1
refused 2 'another search' tune a b --population 6 --generations 8 --resume a/a_00.obj
refused 2 'could not be written' tune a b --population 6 --generations 8 --resume none/log
refused 64 'population' tune a b --population 1
refused 2 'could not be read' collide a b --settings none.json
echo '{"p_max": "much"}' >bad.json
refused 2 'bad.json: settings, line 1: "p_max" wants a number' collide a b --settings bad.json
head -c 9000 /dev/zero >bad.json
refused 2 'no file of settings' collide a b --settings bad.json
"$PLIANT" tune a b --population 6 --generations 3 --only a-and-b --query collide >out 2>err || fail "text: $(cat err)"
grep -q 'runs of 12 frames' out || fail "no text"
"$PLIANT" tune a b --population 6 --generations 2 --measure --by-time --out timed.json >out 2>err || fail "by time: $(cat err)"
exit 0

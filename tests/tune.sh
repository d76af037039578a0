#!/usr/bin/env bash
# `pliant tune`: the same seed finds the same settings, a stopped or killed search is gone on with and loses nothing, settings are
# saved if the clock confirms them and only then, they are read back, wrong lines and logs of other searches are refused. Times are
# not judged: what the clock says is taken as it comes, and what follows from it is tested.
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
cat >verdict.py <<'PY'
import json, os, sys
o, path = json.load(open("out")), sys.argv[1]
assert isinstance(o["better"], bool) and o["frames"] == 12
assert 1 < o["runs"] <= 49 and o["ratio"] >= 1
assert set(o["settings"]) == {"criterion", "p_max", "k", "gamma", "growth"}
assert o["settings"]["growth"] == (sys.argv[2] if len(sys.argv) > 2 else "follow")
assert o["better"] == (o["verdict"] == "better")
found = o["verdict"] != "nothing better scored"
assert found == (o["ratio"] > 1) and found == ("tuned" in o)
for row in ["defaults", "auto"] + ["tuned"] * found:
    assert o[row]["n_v"] > 0 and o[row]["n_p"] > 0 and o[row]["ms"] > 0
if found:
    assert o["tuned"]["score_ms"] < o["defaults"]["score_ms"]
    assert 0 < o["time_ratio_low"] <= o["time_ratio"] <= o["time_ratio_high"]
if o["better"]:
    assert o["time_ratio_low"] > 1
# Saved if and only if confirmed, and nothing is left lying about.
assert os.path.exists(path) == o["better"], (path, o)
assert not os.path.exists(path + ".part") and not os.path.exists(path + ".tmp")
if o["better"]:
    saved = json.load(open(path))
    assert all(saved[k] == o["settings"][k] for k in o["settings"]), saved
PY
judge() { python3 verdict.py "$@" || fail "the JSON is wrong: $(cat out)"; }
judge first.json
settings() { python3 -c 'import json; o = json.load(open("out")); print(o["settings"], o["ratio"], o["runs"])'; }
first=$(settings)

# Again: the same, and another seed goes another way (its log differs).
tune --out again.json --json --resume log1 || fail "a second time"
[ "$(settings)" = "$first" ] || fail "the same seed found something else: $first, $(settings)"
judge again.json
if [ -f first.json ] && [ -f again.json ]; then cmp -s first.json again.json || fail "the saved settings differ"; fi
tune --json --seed 2 --resume log2 || fail "another seed"
cmp -s <(tail -n +2 log1) <(tail -n +2 log2) && fail "another seed, the same search"

# A search that is cut off, even in the middle of a line or just before its end, ends where the whole one does.
whole=$(head -n 9 log1 | wc -c)
cuts=("$whole" $((whole - 1)) $((whole - 2)) $((whole - 9)))
[ -z "${SANITIZED-}" ] || cuts=($((whole - 2)))
for bytes in "${cuts[@]}"; do
  head -c "$bytes" log1 >half
  tune --json --resume half || fail "going on"
  cmp -s half log1 || fail "the search that went on did something else"
  [ "$(settings)" = "$first" ] || fail "the search that went on found something else"
  python3 -c 'import json; o = json.load(open("out")); assert 0 < o["resumed"] < o["runs"], o' || fail "nothing was resumed"
done
tune --json --resume log1 || fail "a search that had ended"
python3 -c 'import json; o = json.load(open("out")); assert o["resumed"] == o["runs"], o' || fail "something was played again"
tune --json --resume log1 --generations 10 || fail "a longer search"

# Volumes grow as they are told to, from the line or a file, through the log and into what is saved.
ways=("--growth stand" "--settings stand.json")
[ -z "${SANITIZED-}" ] || ways=("--settings stand.json")
for way in "${ways[@]}"; do
  printf '{"growth": "stand", "volume": "rss"}\n' >stand.json
  rm -f log3 third.json
  for _ in played resumed; do
    # shellcheck disable=SC2086
    tune --json $way --out third.json --resume log3 || fail "volumes that stand"
    judge third.json stand
    rm -f third.json
  done
done

# Stopped by the user: the answer so far, and the rest later.
rows() { for _ in $(seq 400); do [ -f "$1" ] && [ "$(wc -l <"$1")" -gt "$2" ] && return; sleep 0.05; done; fail "$1 does not grow"; }
best_of() { # LOG: its best line, for all that was played
  python3 - "$1" <<'PY'
import sys
rows = [l.split() for l in open(sys.argv[1]).read().split("\n")[1:] if l.endswith(";")]
best = min(rows, key=lambda r: float(r[4].rstrip(";")))
print(int(best[0]), *map(float, best[1:4]))
PY
}
for signal in INT TERM; do
  "$PLIANT" tune a b --population 30 --generations 100000 --resume stopped$signal --json >out 2>err &
  pid=$!
  rows stopped$signal 20
  kill -$signal $pid
  wait $pid || fail "stopped by $signal: exit code $?"
  python3 -c 'import json; o = json.load(open("out")); assert o["stopped"] and o["runs"] > 2, o' || fail "stopped: $(cat out)"
  python3 - "$(best_of stopped$signal)" <<'PY' || fail "the best was lost: $(cat out)"
import json, sys
o, best = json.load(open("out")), [float(x) for x in sys.argv[1].split()]
assert [o["settings"][k] for k in ("p_max", "k", "gamma")] == best[1:], best
PY
done

# Killed outright: the log has all runs but the last, the best so far stands in OUT.part, and the search goes on from there.
"$PLIANT" tune a b --population 30 --generations 100000 --resume killed --out kept.json --p-max 9 >out 2>err &
pid=$!
rows killed 40
kill -KILL $pid
wait $pid 2>/dev/null
[ -f kept.json ] && fail "saved without confirmation"
python3 - "$(best_of killed)" <<'PY' || fail "kept.json.part is not the best of the log"
import json, sys
part, best = json.load(open("kept.json.part")), [float(x) for x in sys.argv[1].split()]
assert [part[k] for k in ("p_max", "k", "gamma")] == best[1:], (part, best)
PY
played=$(($(wc -l <killed) - 1))
"$PLIANT" tune a b --population 30 --generations 3 --resume killed --out kept.json --p-max 9 --json >out 2>err ||
  fail "going on after a kill: $(cat err)"
python3 -c 'import json, sys; o = json.load(open("out")); n = int(sys.argv[1]); assert n - 1 <= o["resumed"] <= n, o' $played ||
  fail "runs were lost: $played, $(cat out)"

# Other strategies are played first, and what they took is told; frames of --frames; a list of scenes, each counting the same.
tune --json --frames 2..6 || fail "some frames"
python3 - <<'PY' || fail "the JSON of some frames is wrong: $(cat out)"
import json
o = json.load(open("out"))
assert o["frames"] == 5 and o["tried"] == o["planned"] == 48 and o["runs"] <= 49, o
assert len(o["scenes"]) == 1 and o["scenes"][0]["a"] == "a/a_02.obj" and o["scenes"][0]["frames"] == 5
times = o["strategies_ms"]
assert set(times) == {"bottom-up", "top-down", "hybrid", "bergen"} and all(t > 0 for t in times.values()), times
best = min(times, key=times.get)
if "faster" in o: assert o["faster"] == best and times[best] < o["inflate_least_ms"], o
elif times[best] * 1.11 < o["inflate_least_ms"]: raise AssertionError("not said: %s" % o)
PY
"$PLIANT" tune a b --population 6 --generations 2 --volume obb >out 2>err || fail "text with strategies: $(cat err)"
[ "$(grep -c '^The strategy .* takes .* ms a frame here, and every setting of inflate at least about' out)" -le 1 ] || fail "said twice"
grep -q '^12 of 12 runs of 12 frames; [0-9]* different settings' out || fail "not one count: $(cat out)"
printf '# a comment, then two scenes\na b\n\n%s -- "b"   # the same but shorter\n' "'a/a_00.obj' a/a_01.obj a/a_02.obj" >scenes.txt
tune --scenes scenes.txt --json && fail "A and B and a list"
"$PLIANT" tune --scenes scenes.txt --population 6 --generations 8 --json --resume list.log >out 2>err || fail "a list of scenes: $(cat err)"
python3 - <<'PY' || fail "the JSON of a list is wrong: $(cat out)"
import json
o = json.load(open("out"))
assert o["frames"] == 15 and [s["frames"] for s in o["scenes"]] == [12, 3], o
# equal weights: the score is the mean of both scenes' parts of what the defaults cost there
assert abs(1 / o["ratio"] - sum(1 / s["ratio"] for s in o["scenes"]) / 2) < 1e-9, o
PY
"$PLIANT" tune --scenes scenes.txt --population 6 --generations 8 --json --resume list.log >again 2>err || fail "a list again"
python3 - <<'PY' || fail "a list is not resumed: $(cat again)"
import json
a, b = json.load(open("out")), json.load(open("again"))
assert b["resumed"] == b["runs"] == a["runs"] and a["settings"] == b["settings"] and a["ratio"] == b["ratio"]
PY

# On a terminal a bar is drawn once a second has gone by, and wiped.
cat >terminal.py <<'PY'
import os, pty, signal, sys, time
pid, fd = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
seen, stopped = b"", False
begin = time.time()
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    if not data:
        break
    seen += data
    if not stopped and (b"runs #" in seen or b"runs ." in seen) and seen.count(b" of ") > 3 or time.time() - begin > 60:
        if not stopped:
            os.write(fd, b"\x03")  # Ctrl-C, as typed
        stopped = True
assert os.WEXITSTATUS(os.waitpid(pid, 0)[1]) == 0, seen[-300:]
assert b" of 3000000" in seen and b"\r\x1b[K" in seen, seen[:300]
assert b"stopped before the end" in seen, seen[-300:]
PY
python3 terminal.py "$PLIANT" tune a b --population 30 --generations 100000 2>err || fail "no progress on a terminal"

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
refused 64 'name two meshes' tune a
refused 2 'scene.glb: no such file' tune scene.glb a
refused 2 'nothing moves' tune a/a_00.obj b/b_00.obj
refused 2 'another search' tune a b --population 6 --generations 8 --seed 3 --resume log1
refused 2 'another search' tune a b --population 6 --generations 8 --growth stand --resume log1
refused 2 'another search' tune a b --population 6 --generations 8 --resume a/a_00.obj
refused 2 'could not be written' tune a b --population 6 --generations 8 --resume none/log
refused 64 'population' tune a b --population 1
refused 64 'give numbers from 0' tune a b --frames x
refused 2 'there are 12 frames' tune a b --frames 3..20
refused 2 'nothing moves' tune a b --frames 3
refused 64 'not both' tune a b --scenes scenes.txt
refused 2 'none.txt: no such file' tune --scenes none.txt
printf '\n# nothing\n' >none.txt
refused 2 'there is no scene' tune --scenes none.txt
printf 'a b\na b a\n' >odd.txt
refused 2 'odd.txt:2: every line needs A and B' tune --scenes odd.txt
printf 'a "b\n' >odd.txt
refused 2 'odd.txt:1: an unterminated quote' tune --scenes odd.txt
printf 'a b\000\n' >odd.txt
refused 2 'not a list of scenes' tune --scenes odd.txt
printf 'a absent\n' >odd.txt
refused 2 'absent' tune --scenes odd.txt
refused 2 'none.json: no such file' collide a b --settings none.json
echo '{"p_max": "much"}' >bad.json
refused 2 'bad.json: settings, line 1: "p_max" needs a number' collide a b --settings bad.json
head -c 9000 /dev/zero >bad.json
refused 2 'not a file of settings' collide a b --settings bad.json
"$PLIANT" tune a b --population 6 --generations 3 --only a-and-b --query collide >out 2>err || fail "text: $(cat err)"
grep -q 'runs of 12 frames' out || fail "no text"
"$PLIANT" tune a b --population 6 --generations 2 --measure --by-time --out timed.json >out 2>err || fail "by time: $(cat err)"
grep -q 'to within' out || fail "no word on how well costs predict"
grep -Eq 'beat the defaults|defaults are as good|defaults are better|Nothing was found' out || fail "no verdict in words"
"$PLIANT" tune a b --population 6 --generations 2 --measure --json >out 2>err || fail "measured: $(cat err)"
python3 - <<'PY' || fail "the JSON of measured costs is wrong: $(cat out)"
import json
o = json.load(open("out"))
assert all(o["costs_ns"][k] >= 0 for k in ("v", "p", "u", "frame"))
p = o["prediction"]
assert p["runs"] > 3 and 0 <= p["error"] <= p["greatest_error"] and isinstance(p["good"], bool) and p["r2"] <= 1
PY
exit 0

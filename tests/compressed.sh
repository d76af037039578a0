#!/usr/bin/env bash
# glTF compressed with Draco and meshopt: the same positions as the plain file, up to what the format rounds; damaged files give one
# clear line or positions, never a crash. Skipped where the build has neither. Compresses files of its own and, where it lies beside
# the project, real data.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh"
SUPPORT=$SOURCE_DIR/tests/support
export PYTHONDONTWRITEBYTECODE=1
compress() { python3 "$SUPPORT/compress.py" "$@" 2>compress.log || { touch out err; fail "compress $*: $(tail -1 compress.log)"; }; }
kinds=()
encoder=${BUILD_DIR:-$SOURCE_DIR/build/test}/tests/pliant_draco_encode
[ -x "$encoder" ] && kinds+=("draco=$encoder")
if python3 -c 'import ctypes.util, sys; sys.exit(ctypes.util.find_library("meshoptimizer") is None)'; then kinds+=(meshopt); fi
python3 "$SUPPORT/character.py" figure.glb --dip 0.02
"$PLIANT" info figure.glb --json >plain 2>/dev/null
usable=()
positions=${BUILD_DIR:-$SOURCE_DIR/build/test}/tests/pliant_scene_positions
for how in ${kinds[@]+"${kinds[@]}"}; do
  compress figure.glb probe.glb "$how"
  if "$PLIANT" info probe.glb >out 2>err; then usable+=("$how"); else grep -q 'which is not read' err || fail "probe ${how%%=*}"; fi
done
[ ${#usable[@]} -gt 0 ] || exit 77
files=(figure.glb)
if [ -d "$DATA/gltf" ]; then
  for name in CesiumMan RiggedFigure Box; do
    cp "$DATA/gltf/$name/$name.glb" . && files+=("$name.glb")
  done
fi
# Depths and counts of triangles of every finding; meshopt is exact, Draco rounds to 14 bits of the box.
for how in "${usable[@]}"; do
  kind=${how%%=*}
  for file in "${files[@]}"; do
    compress "$file" "$kind-$file" "$how"
    run 0 info "$file" --json
    cp out plain
    run 0 info "$kind-$file" --json
    python3 - "$kind" <<'PY' >python.log 2>&1 || fail "$last: $(tail -1 python.log)"
import json, sys
plain, packed = (json.loads(open(f).readline()) for f in ("plain", "out"))
for a, b in zip(plain["bodies"], packed["bodies"], strict=True):
    assert (a["name"], a["triangles"], a["skinned"]) == (b["name"], b["triangles"], b["skinned"]), (a, b)
    assert sys.argv[1] == "draco" or a["vertices"] == b["vertices"]
PY
    # Positions in three frames: meshopt has the same ones, and Draco one near each of them. Both renumber corners.
    if [ -x "$positions" ]; then
      for f in "$file" "$kind-$file"; do "$positions" "$f" 0 4 3 >"$f.xyz" 2>err || { touch out; fail "positions of $f"; }; done
      python3 - "$kind" "$file" <<'PY' >python.log 2>&1 || { touch out err; fail "positions of $kind-$file: $(tail -1 python.log)"; }
import array, sys
kind, file = sys.argv[1:]
plain, packed = (array.array("d", open(f, "rb").read()) for f in (f"{file}.xyz", f"{kind}-{file}.xyz"))
assert len(plain) == len(packed) > 0 and len(plain) % 9 == 0
size = max(max(plain[k::3]) - min(plain[k::3]) for k in range(3))
step, n, worst = 1e-3 * size, len(plain) // 9, 0
for frame in range(3):
    a, b = ({tuple(x[i:i + 3]) for i in range(frame * 3 * n, (frame + 1) * 3 * n, 3)} for x in (plain, packed))
    for of, to in ((a, b), (b, a)):  # in cells as wide as the tolerance: the nearest is in the same one or a neighbour
        cells = {}
        for p in to: cells.setdefault(tuple(int(c // step) for c in p), []).append(p)
        for p in of - to:
            x, y, z = (int(c // step) for c in p)
            near = [q for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) for q in cells.get((x + i, y + j, z + k), ())]
            worst = max(worst, min((max(abs(s - t) for s, t in zip(p, q)) for q in near), default=size))
print("%.1e" % (worst / size), file=sys.stderr)
assert worst <= (0 if kind == "meshopt" else 1e-3 * size), worst / size
PY
      echo "$kind $file: positions within $(tail -1 python.log) of its size"
    fi
    run 0 check "$file" --json --fps 5 --fail-on none
    cp out plain
    run 0 check "$kind-$file" --json --fps 5 --fail-on none
    python3 - "$kind" <<'PY' >python.log 2>&1 || fail "$last: $(tail -1 python.log)"
import json, sys
plain, packed = (json.loads(open(f).readline()) for f in ("plain", "out"))
deep = lambda row: sorted((f["name"], f["animation"], f["depth"]) for f in row["findings"])
a, b = deep(plain), deep(packed)
if sys.argv[1] == "meshopt":
    strip = lambda rows: [r[2] for r in rows]
    assert strip(a) == strip(b), (a, b)
else:
    worst = [max([f[2] for f in x], default=0) for x in (a, b)]
    assert abs(worst[0] - worst[1]) <= 2e-3 * max(worst[0], 0.1), worst
PY
  done
done
# damaged: one line and code 2, or an answer; never a crash
for how in "${usable[@]}"; do
  kind=${how%%=*}
  refusals=0
  for seed in $(seq 1 40); do
    python3 "$SUPPORT/compress.py" "$kind-figure.glb" damaged.glb "damage=$seed" || fail "damage $seed"
    code=0
    "$PLIANT" info damaged.glb --json >out 2>err || code=$?
    tests=$((tests + 1))
    [ $code = 0 ] || [ $code = 2 ] || fail "$kind damaged with seed $seed: exit code $code"
    if [ $code = 2 ]; then
      refusals=$((refusals + 1))
      [ "$(wc -l <err)" = 1 ] || fail "$kind damaged with seed $seed: not one line on stderr"
    fi
  done
  [ $refusals -gt 5 ] || fail "$kind: only $refusals of 40 damaged files were refused"
done
printf '%s' '{"asset":{"version":"2.0"},"extensionsRequired":["KHR_meshopt_compression"],"meshes":[]}' >khr.gltf
word=info refused 2 'KHR_meshopt_compression, which meshoptimizer 0.18 cannot decode; export it with EXT_meshopt' khr.gltf
finish

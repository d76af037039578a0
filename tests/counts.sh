#!/usr/bin/env bash
# The same question has one answer: self-contacts of files, frame by frame, by the command, by C, by the page's own code, by Python and by
# the module in node, where these are built; and boxes of bodies are those of their vertices, in Python and node. Files that are written here, and animated ones of the real data where it is there.
set -euo pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/..}"
source=$PWD
built=${BUILD_DIR:-$PWD/build/test}
command=${PLIANT:-$built/pliant}
python=${PYTHON:-/usr/bin/python3}
data=$source/../shared/data/gltf
skip() { echo "counts: skipped, as $1" >&2; exit 77; }
[ "${SANITIZED:-}" != 1 ] || skip "the optimised build compares them"
[ -x "$built/tests/pliant_file_counts" ] || skip "pliant_file_counts is not built"
command -v "$python" >/dev/null || skip "there is no $python"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Two triangles with a seam; a third that meets a corner of the first by chance in one frame.
mkdir "$work/meet"
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 5 0 0\nv 6 1 1\nv 6 0 1\nf 1 2 3\nf 4 5 6\nf 7 8 9\n' >"$work/meet/m_0.obj"
sed 's/v 5 0 0/v 0 0 0/; s/v 1 0 0/v 1 0 -0.0/' "$work/meet/m_0.obj" >"$work/meet/m_1.obj"
files=()
for name in Fox CesiumMan RiggedFigure RiggedSimple MorphStressTest AnimatedMorphSphere InterpolationTest BoxAnimated CesiumMilkTruck RecursiveSkeletons; do
  if [ -e "$data/$name/$name.glb" ]; then files+=("$data/$name/$name.glb"); fi
done
[ ${#files[@]} -gt 0 ] || echo "counts: the real data is not here: only files that are written here" >&2

by_command() { # by_command NAME ARGUMENT...: NAME FRAME PAIRS
  local name=$1
  shift
  "$command" self "$@" --json --threads 1 | "$python" -c '
import json, sys
for line in sys.stdin:
    row = json.loads(line)
    print(sys.argv[1], row["frame"], row["pairs"])' "$name"
}
first=$work/meet/m_0.obj
by_command "$first" "$work/meet" >"$work/command"
"$built/tests/pliant_file_counts" -s "$work"/meet/*.obj >"$work/native"
for file in ${files[@]+"${files[@]}"}; do by_command "$file" "$file" >>"$work/command"; done
"$built/tests/pliant_file_counts" ${files[@]+"${files[@]}"} >>"$work/native"
cut -d' ' -f1-3 "$work/native" >"$work/c"
cut -d' ' -f1,2,4 "$work/native" >"$work/page"

compared=(c page)
if [ -e "$built/bindings/python/pliant/_pliant.abi3.so" ]; then
  PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$built/bindings/python "$python" - "$work/meet=$first" ${files[@]+"${files[@]}"} >"$work/python" <<'PY'
import struct
import sys
import pliant


def floats(x, down):
    """The greatest float that is not above x, or the least that is not below it."""
    f, = struct.unpack("f", struct.pack("f", x))
    if f == x or (f < x) == down:
        return f
    bits, = struct.unpack("i", struct.pack("f", f))
    return struct.unpack("f", struct.pack("i", bits + (1 if (f < 0) == down else -1)))[0]


def check_box(body, where):
    x = memoryview(body.positions).tolist()
    got = memoryview(body.box).tolist()
    for k in range(3):
        column = [p[k] for p in x]
        want = floats(min(column), True), floats(max(column), False)
        assert (got[0][k], got[1][k]) == want, f"{where}: the box is {got} along {'xyz'[k]}, the vertices are in {want}"


for argument in sys.argv[1:]:
    path, _, name = argument.partition("=")
    film = pliant.load(path)
    for frame, _ in enumerate(film.play(fps=30)):
        print(name or path, frame, sum(len(body.touching()) for body in film))
        for body in film if frame % 8 == 0 else ():
            check_box(body, f"{path} frame {frame}")
PY
  compared+=(python)
fi
module=$source/build/web/pliant.wasm # of this checkout: web.sh and ./dev web build it
if [ -e "$module" ] && command -v node >/dev/null; then
  node tests/web/file_counts.mjs "$module" -s "$work"/meet/*.obj >"$work/javascript"
  [ ${#files[@]} -eq 0 ] || node tests/web/file_counts.mjs "$module" "${files[@]}" >>"$work/javascript"
  compared+=(javascript)
fi

failed=0
for other in "${compared[@]}"; do
  diff "$work/command" "$work/$other" >"$work/diff" || { echo "counts: command and $other differ:" >&2; head -n 8 "$work/diff" >&2; failed=1; }
done
grep -q "^$first 1 1$" "$work/command" || { echo "counts: corners that meet by chance are no contact" >&2; failed=1; }
echo "counts: $(wc -l <"$work/command") frames of $((${#files[@]} + 1)) files, $(awk '{ s += $3 } END { print s }' "$work/command") contacts; compared: command ${compared[*]}"
exit $failed

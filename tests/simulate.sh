#!/usr/bin/env bash
# `pliant simulate` from outside: scenes, files, output of every kind, checkpoints, and what it says when something is wrong.
set -uo pipefail
# shellcheck source=tests/support/command.sh
. "$(dirname "$0")/support/command.sh" simulate

# Scenes.
run 0 pile --bodies 12 --frames 20 --every 10
out_has 'step  level'
out_has '12 bodies, 5 244 points, 20 steps'
out_lines 5
run 0 trio --points 600 --frames 5 --json
out_lines 5
json 'all(r["step"] == i + 1 and r["ms_detect"] >= 0 and r["within_budget"] for i, r in enumerate(rows))'
run 0 duo --points 400 --frames 60 --json --level 5
json 'max(r["contacts"] for r in rows) > 0 and all(r["level"] == 5 for r in rows)'
json 'all(b["kinetic"] + b["elastic"] + b["potential"] <= 1.001 * (a["kinetic"] + a["elastic"] + a["potential"]) for a, b in zip(rows, rows[1:]))'
for mode in rigid linear quadratic; do
  run 0 duo --points 400 --frames 40 --mode $mode --quiet
  out_lines 2
done
run 0 pile --bodies 20 --frames 30 --budget-ms 1000 --quiet
out_has 'kept in 30 of 30 steps'
run 0 duo --points 400 --frames 3 --csv
out_lines 4
out_has '^step,level,'

# Files.
python3 -c 'print("v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4")' >tetra.obj
run 0 tetra.obj --bodies 3 --frames 90 --level 6 --out t%03d.obj --every 30 --quiet
[ "$(grep -c '^v ' t002.obj)" = 12 ] || fail "t002.obj has not the 12 points of three bodies"
[ "$(grep -c '^f ' t002.obj)" = 12 ] || fail "t002.obj has not the 12 triangles of three bodies"
cmp -s t000.obj t002.obj && fail "nothing moved between t000.obj and t002.obj"
awk '/^v / && $3 < -0.1 { exit 1 }' t002.obj || fail "a body has fallen through the floor"

# Pictures.
run 0 trio --points 600 --frames 2 --out p%d.png --size 64x48 --quiet
if [ ! -s p0.png ] || [ ! -s p1.png ]; then fail "no pictures"; fi

# One animation: its last frame is the mesh that --out of meshes writes.
run 0 duo --points 400 --frames 30 --every 15 --out duo.glb --quiet
run 0 duo --points 400 --frames 30 --every 30 --out d%d.obj --quiet
"$PLIANT" info duo.glb >what.txt 2>&1 || fail "pliant info cannot read duo.glb"
same_animation() { # FILE.glb FILE.obj: the last frame of the animation has the points of the mesh
  python3 - "$@" <<'PY' || fail "$1 is not what $2 is"
import json, struct, sys
data = open(sys.argv[1], "rb").read()
magic, version, size, length, kind = struct.unpack_from("<IIIII", data)
assert magic == 0x46546C67 and version == 2 and size == len(data) and kind == 0x4E4F534A
j = json.loads(data[20:20 + length])
base = 28 + length
def read(index):
    a = j["accessors"][index]; v = j["bufferViews"][a["bufferView"]]
    n = a["count"] * {"SCALAR": 1, "VEC3": 3}[a["type"]]
    return struct.unpack_from("<%d%s" % (n, "f" if a["componentType"] == 5126 else "I"), data, base + v["byteOffset"])
points = []
for node, body in enumerate(j["nodes"]):
    p = j["meshes"][body["mesh"]]["primitives"][0]
    move, bend = (read(j["animations"][0]["samplers"][2 * node + k]["output"]) for k in (0, 1))
    rest, targets = read(p["attributes"]["POSITION"]), [read(t["POSITION"]) for t in p["targets"]]
    w = bend[-len(targets):]
    for i in range(len(rest) // 3):
        points.append([move[-3 + k] + rest[3 * i + k] + sum(w[t] * targets[t][3 * i + k] for t in range(len(w))) for k in range(3)])
wanted = [[float(x) for x in line.split()[1:4]] for line in open(sys.argv[2]) if line.startswith("v ")]
assert len(points) == len(wanted) > 0
assert max(abs(a - b) for p, q in zip(points, wanted) for a, b in zip(p, q)) < 1e-5
PY
}
same_animation duo.glb d0.obj

# A checkpoint goes on to the last bit.
run 0 pile --bodies 10 --frames 100 --checkpoint whole.sim --quiet
run 0 pile --bodies 10 --frames 40 --checkpoint half.sim --quiet
run 0 pile --bodies 10 --frames 60 --resume half.sim --checkpoint again.sim --quiet
cmp -s whole.sim again.sim || fail "100 steps are not 40 and 60"
cmp -s whole.sim half.sim && fail "the checkpoints of 40 and 100 steps are the same"
refused 2 'belongs to another scene' pile --bodies 11 --resume half.sim
head -c 500 half.sim >short.sim
refused 2 'length' pile --bodies 10 --resume short.sim
echo nothing >none.sim
refused 2 'too short' pile --bodies 10 --resume none.sim
refused 2 'No such file' pile --bodies 10 --resume missing.sim

# Several clusters: the same in one animation, in meshes and after a checkpoint, at sphere levels and at level all.
for level in 4 all; do
  run 0 rope --points 200 --clusters 5 --level $level --frames 60 --checkpoint whole.sim --quiet
  run 0 rope --points 200 --clusters 5 --level $level --frames 35 --checkpoint half.sim --quiet
  run 0 rope --points 200 --clusters 5 --level $level --frames 25 --resume half.sim --checkpoint again.sim --quiet
  cmp -s whole.sim again.sim || fail "60 steps of clusters at level $level are not 35 and 25"
done
refused 2 'belongs to another scene' rope --points 200 --clusters 4 --level all --resume half.sim
run 0 duo --points 400 --frames 8 --level 4 --checkpoint four.sim --quiet
refused 2 'level all needs them apart' duo --points 400 --level all --resume four.sim
run 0 rope --points 200 --clusters 3 --mode quadratic --frames 50 --every 50 --out rope.glb --quiet
run 0 rope --points 200 --clusters 3 --mode quadratic --frames 50 --every 50 --out r%d.obj --quiet
same_animation rope.glb r0.obj
refused 64 'clusters' pile --clusters 17
refused 2 'clusters' tetra.obj --clusters 16

# What is wrong with the line.
refused 64 'name a scene (pile, trio, duo, rope) or a mesh file'
refused 64 'did you mean pile' plie
refused 64 'level' pile --level 9
refused 64 'level' pile --level x
refused 64 'needs one number' pile --out picture.png
refused 64 'end in' pile --out picture.gif
refused 64 'pile has --bodies' pile --points 1000
refused 64 '640x480' pile --size 12 --out p%d.png
refused 64 'not both' pile --json --csv
refused 2 'missing.obj' missing.obj
printf 'v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n' >dot.obj
refused 2 'one place' dot.obj

# A video: frames of real time go to ffmpeg, here to a stand-in; by the real one a file comes about that it can read again.
mkdir bin nothing
printf '#!/bin/sh\nprintf "%%s " "$@" >line.txt\ncat >frames.rgb\n' >bin/ffmpeg
chmod +x bin/ffmpeg
old=$PATH
PATH=$WORK/bin:$PATH
run 0 duo --points 200 --frames 8 --every 4 --size 32x24 --video film.mp4 --quiet
[ "$(wc -c <frames.rgb)" = $((2 * 32 * 24 * 3)) ] || fail "$last: ffmpeg got $(wc -c <frames.rgb) bytes"
grep -q -- '-s 32x24 -r 15 .*file:[.]pliant-[0-9a-f]*[.]mp4 $' line.txt || fail "$last: ffmpeg was called with $(cat line.txt)"
[ -e film.mp4 ] || fail "$last: no video"
PATH=$old
if command -v ffmpeg >/dev/null; then
  run 0 duo --points 200 --frames 8 --size 32x24 --video film.mp4 --quiet
  ffmpeg -v error -i film.mp4 -f rawvideo -pix_fmt rgb24 again.rgb || fail "$last: ffmpeg cannot read its video"
  [ "$(wc -c <again.rgb)" = $((8 * 32 * 24 * 3)) ] || fail "$last: the video has $(wc -c <again.rgb) bytes"
fi
env PATH="$WORK/nothing" "$PLIANT" simulate duo --points 200 --frames 2 --video film.mp4 >out 2>err && code=0 || code=$?
last="without ffmpeg"
[ "$code" = 2 ] || fail "without ffmpeg: exit code $code"
err_has 'ffmpeg is not installed'; err_lines 1
run 64 duo --size 33x24 --video film.mp4; err_has 'even'
finish

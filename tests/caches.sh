#!/usr/bin/env bash
# Point caches: PC2, MDD and NPY on a mesh give what the numbered files give that they were made of; broken ones are refused with
# a line; files that only other programs read name the way.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh"
python3 - <<'PY'
import math, struct
tri = [0,2,1, 1,2,3, 0,1,4, 1,5,4, 0,4,2, 2,4,6, 1,3,5, 3,7,5, 2,6,3, 3,6,7, 4,5,6, 5,7,6]
frames = []
for f in range(6):  # two boxes; the second one sinks into the first, and out again
    x = 2 - 1.75 * math.sin(math.pi * f / 5)
    frames.append([(struct.unpack("<f", struct.pack("<f", o + (v & 1)))[0], 3.0 * n + 8 * (v >> 1 & 1), 2.0 * n + 8 * (v >> 2 & 1))
                   for n, o in enumerate((0.0, x)) for v in range(8)])
faces = [tuple(8 * n + t for t in tri[i:i + 3]) for n in range(2) for i in range(0, 36, 3)]
def obj(path, points):
    with open(path, "w") as out:
        for p in points: out.write("v %r %r %r\n" % p)
        for t in faces: out.write("f %d %d %d\n" % tuple(v + 1 for v in t))
for f, points in enumerate(frames): obj(f"seq_{f}.obj", points)
for name in ("a", "b", "c", "d"): obj(f"{name}.obj", frames[3])
flat = [x for points in frames for p in points for x in p]
n, count = len(frames[0]), len(frames)
open("a.pc2", "wb").write(b"POINTCACHE2\0" + struct.pack("<iiffi", 1, n, 0, 1, count) + struct.pack("<%df" % len(flat), *flat))
open("b.mdd", "wb").write(struct.pack(">ii", count, n) + struct.pack(">%df" % count, *range(count)) + struct.pack(">%df" % len(flat), *flat))
def npy(path, code, shape, order="False"):
    head = "{'descr': '<%s', 'fortran_order': %s, 'shape': %s, }" % (code, order, shape)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    open(path, "wb").write(b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<%d%s" % (len(flat), "f" if code == "f4" else "d"), *flat))
npy("c.npy", "f4", f"({count}, {n}, 3)")
npy("d.walk.npy", "f8", f"({count}, {n}, 3)")
npy("a.flat.npy", "f4", f"({count * n}, 3)")
npy("a.turned.npy", "f4", f"({count}, {n}, 3)", "True")
npy("a.many.npy", "f4", f"({count * 2}, {n // 2}, 3)")
data = open("a.pc2", "rb").read()
open("a.short.pc2", "wb").write(data[:-1])
open("a.head.pc2", "wb").write(b"POINTCACHE1\0" + data[12:])
open("a.huge.pc2", "wb").write(data[:16] + b"\xff\xff\xff\x7f" + data[20:])
open("a.nan.pc2", "wb").write(data[:32] + b"\0\0\xc0\x7f" + data[36:])
open("alone.pc2", "wb").write(data)
PY
run 0 self seq_0.obj seq_1.obj seq_2.obj seq_3.obj seq_4.obj seq_5.obj --csv --no-costs
cut -d, -f1,4- out | sed 's/seq_[0-9].obj//g' >want
grep -q ',[1-9]' want || fail "the sequence has no contact"
for cache in a.pc2 b.mdd c.npy d.walk.npy; do
  run 0 self $cache --csv --no-costs
  cut -d, -f1,4- out | sed "s/$cache//g" >got
  cmp -s got want || fail "$last: contacts differ from those of the files"
done
mkdir lib && cp a.obj a.pc2 d.obj d.walk.npy lib && cp a.flat.npy lib/other.npy
run 1 check lib --json
json '[(r["asset"], r["frames"]) for r in rows] == [("lib/a.pc2", 6), ("lib/d.walk.npy", 6)] and all(len([f for f in r["findings"] if f["fails"]]) == 1 for r in rows)'
refused 2 'a.short.pc2: should have 6 frames of 16 points' self a.short.pc2
refused 2 'is no PC2 cache' self a.head.pc2
refused 2 'should have 6 frames of 2147483647 points' self a.huge.pc2
refused 2 'vertex 0 of frame 0 is not a finite number' self a.nan.pc2
refused 2 'alone.pc2: the mesh that it moves is not beside it' self alone.pc2
refused 2 'a.flat.npy: its shape is not (frames, vertices, 3)' self a.flat.npy
refused 2 'is in Fortran order' self a.turned.npy
refused 2 'has 8 points, and its mesh .*a.obj has 16 vertices' self a.many.npy
for name in x.abc x.usd x.usdz x.blend; do
  echo nothing >$name
  refused 2 "$name: is .*which is not read; open it in Blender and export a point cache" self $name
done
cp x.abc lib
run 1 check lib
out_has 'lib/x.abc .*could not be read'
finish

#!/usr/bin/env bash
# What people look at: pages of --report, files of --out, points of contact in JSON.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh"

# A blade that goes down through a square: frames 3 to 7 of 10 touch it.
mkdir seq
for i in 0 1 2 3 4 5 6 7 8 9; do
  python3 -c 'import sys
z = 1.125 - float(sys.argv[1]) / 4
print(f"v 0.25 0.1 {z-0.5}\nv 0.25 0.9 {z-0.5}\nv 0.25 0.5 {z+0.5}\nf 1 2 3")' "$i" >seq/b_"$i".obj
done
square flat.obj 0 0
square 'odd <&> name.obj' 0.5 0

# page FILE PYTHON: the page is whole and needs nothing from outside; the expression about `text` is true
page() {
  tests=$((tests + 1))
  python3 - "$1" "$2" >python.log 2>&1 <<'PY' || { fail "$last: the page $1: $2"; tail -2 python.log; }
from html.parser import HTMLParser
import base64, re, struct, sys
text = open(sys.argv[1], encoding="utf-8").read()
void = {"meta", "link", "img", "input", "line", "path", "br", "rect", "circle"}
class Check(HTMLParser):
    open_tags, outside = [], []
    def handle_starttag(self, tag, attrs):
        if tag not in void: self.open_tags.append(tag)
        self.outside += [v for k, v in attrs if k in ("src", "href") and not v.startswith(("data:", "#"))]
    def handle_startendtag(self, tag, attrs): pass
    def handle_endtag(self, tag): assert self.open_tags.pop() == tag, tag
check = Check()
check.feed(text)
assert not check.open_tags and not check.outside, (check.open_tags, check.outside)
pictures = [base64.b64decode(b) for b in re.findall(r"data:image/png;base64,([^\"]*)", text)]
assert all(p[:4] == b"\x89PNG" and struct.unpack(">II", p[16:24]) == (560, 360) for p in pictures)
bare = re.sub(r"base64,[^\"]*", "", text)
assert not re.search(r"https?://|\bnan\b|\binf\b", bare)
assert eval(sys.argv[2]), bare[-3000:]
PY
}

# ---------------------------------------------------------------------------------------------------------------- reports
run 0 collide seq flat.obj --report r.html; out_has '^report    r.html'
touching=$(grep -o 'frames  *10, [0-9]*' out | grep -o '[0-9]*$')
page r.html "'seq/b_' in bare and '<b>$touching</b><span>of them with contact' in bare and len(pictures) >= 1"
page r.html "bare.count('<tr>') == 2 and 'b_4.obj' in bare and '<svg class=\"strip\"' in bare"
cp r.html again.html; run 0 collide seq flat.obj --report r.html --threads 1; cmp -s r.html again.html || fail "the page depends on threads"
run 0 collide seq flat.obj 'odd <&> name.obj' -r many.html --json
page many.html "'odd &lt;&amp;&gt; name.obj' in bare and bare.count('<tr>') >= 3"
run 0 collide seq flat.obj --frames 0..1 --report none.html; page none.html "len(pictures) == 0 and 'No two bodies touch' in bare"
run 0 distance seq flat.obj --report d.html; page d.html "'least distance' in bare and 'nearest frames' in bare and len(pictures) > 2"
run 2 distance seq absent.obj --report never.html
[ -e never.html ] && fail "a report of a run that failed"
refused 64 'end in .html' collide seq flat.obj --report page.txt
refused 2 'nowhere/r.html: cannot be written: there is no such directory' collide seq flat.obj --report nowhere/r.html
refused 64 'measures nothing' distance seq flat.obj --closer 1 --report r.html

# ------------------------------------------------------------------------------------------------------------------- out
run 0 collide seq flat.obj --out found.ply; out_has '^out       found.ply, [0-9]* triangles$'
run 0 info found.ply --json; json 'rows[0]["triangles"] > 5 and rows[0]["positions"] == "double" and rows[0]["box"][0][2] >= -1.2'
python3 - <<'PY' >python.log 2>&1 || { fail "found.ply"; tail -2 python.log; }
import struct
data = open("found.ply", "rb").read()
head, body = data.split(b"end_header\n", 1)
assert b"comment body 1: flat.obj" in head and b"property int frame" in head
count = int(head.split(b"element face ")[1].split()[0])
faces = [struct.unpack_from("<B3i3B3i", body, 72 * count + 28 * i) for i in range(count)]
assert {f[8] for f in faces} == {0, 1} and {f[7] for f in faces} <= set(range(2, 9)) and len({(f[7], f[8], f[9]) for f in faces}) == count
PY
run 0 collide seq flat.obj -o 'each_%02d.ply'; 
if [ ! -e each_04.ply ] || [ -e each_00.ply ]; then fail "a file for each frame with contact"; fi
run 0 collide seq flat.obj --out found.glb
if "$PLIANT" info found.glb >out 2>err; then
  run 0 info found.glb --json; json 'all(b["name"].startswith("frame ") for b in rows[0]["bodies"]) and len(rows[0]["bodies"]) >= 6'
  json 'len(rows[0]["animations"]) == 1'
  run 0 collide seq flat.obj --frames 3 --out single.glb; run 0 info single.glb --json; json 'rows[0]["animations"] == []'
  run 0 collide seq flat.obj --out 'each_%02d.glb'; run 0 info each_04.glb --json; json 'rows[0]["animations"] == []'
fi
# At the time of a frame its nodes have the scale 1 and all others 0; nodes at rest are those of the first frame with contact.
python3 - found.glb 10 <<'PY' >python.log 2>&1 || { fail "found.glb is no animation"; tail -2 python.log; }
import json, struct, sys
data, frames = open(sys.argv[1], "rb").read(), int(sys.argv[2])
size = struct.unpack_from("<I", data, 12)[0]
scene, blob = json.loads(data[20:20 + size]), data[28 + size:]
assert len(data) == struct.unpack_from("<I", data, 8)[0] and scene["buffers"][0]["byteLength"] == len(blob) - len(blob) % 4
def values(index):
    a = scene["accessors"][index]
    v, n = scene["bufferViews"][a["bufferView"]], {"SCALAR": 1, "VEC3": 3}[a["type"]]
    start = v["byteOffset"] + a.get("byteOffset", 0)
    assert start + 4 * n * a["count"] <= v["byteOffset"] + v["byteLength"]
    flat = struct.unpack_from(f"<{n * a['count']}f", blob, start)
    rows = [flat[n * i:n * i + n] for i in range(a["count"])]
    if "min" in a: assert list(map(min, zip(*rows))) == a["min"] and list(map(max, zip(*rows))) == a["max"]
    return rows
animation, = scene["animations"]
numbers = [int(node["name"].split()[1].strip(":")) for node in scene["nodes"]]
assert all(node.get("scale", [1, 1, 1]) == [float(n == min(numbers))] * 3 for n, node in zip(numbers, scene["nodes"]))
for mesh in scene["meshes"]: values(mesh["primitives"][0]["attributes"]["POSITION"])
assert [c["target"] for c in animation["channels"]] == [{"node": i, "path": "scale"} for i in range(len(numbers))]
ends = set()
for channel, number in zip(animation["channels"], numbers):
    sampler = animation["samplers"][channel["sampler"]]
    times, scales = [t for t, in values(sampler["input"])], values(sampler["output"])
    assert sampler["interpolation"] == "STEP" and times[0] == 0 and all(a < b for a, b in zip(times, times[1:])) and len(times) == len(scales)
    for frame in range(frames):
        at = max(k for k, t in enumerate(times) if t <= frame / 30)
        assert set(scales[at]) == {float(frame == number)}, (number, frame)
PY
run 0 collide seq flat.obj --frames 0 --out empty.ply; out_has 'empty.ply, 0 triangles'; [ -s empty.ply ] || fail "no empty.ply"
run 0 distance seq flat.obj --frames 0 --out near.ply; run 0 info near.ply --json; json 'rows[0]["triangles"] == 2'
refused 64 'end in .ply or .glb' collide seq flat.obj --out x.txt
refused 64 'one number at most' collide seq flat.obj --out 'x_%d_%d.ply'
refused 2 'nowhere/x.ply' collide seq flat.obj --out nowhere/x.ply
[ -d /proc/self ] && refused 2 'its directory takes no new files' collide seq flat.obj --out /proc/x.ply

# ---------------------------------------------------------------------------------------------------------------- points
run 0 collide seq flat.obj --json --list
json 'all(len(r["points"]) == len(r["list"]) for r in rows) and any(r["points"] for r in rows)'
json 'all(abs(p[0] - 0.25) < 1e-12 and abs(p[2]) < 1e-12 and 0.1 <= p[1] <= 0.9 for r in rows for p in r["points"])'
square far.obj 0 9
run 0 collide seq flat.obj far.obj --json --limit 1
json 'all(len(r["points"]) == min(1, r["pairs"]) for r in rows) and any(r["points"] for r in rows)'

# ------------------------------------------------------------------------------------------------- many parts, one moves
python3 "$SOURCE_DIR/tests/support/parts.py" cell.gltf 100 2 8
if "$PLIANT" info cell.gltf >out 2>err; then
  run 0 collide cell.gltf --only-new --report cell.html
  page cell.html "'part 11' in bare and 'are left out' in bare and bare.count('<tr>') < 20 and len(pictures) >= 4"
  page cell.html "all('arm' in row for row in re.findall('<tr><td>.*?</tr>', bare))" # only what changes
fi
finish

#!/usr/bin/env bash
# `pliant check` as a gate: names of bones, units, rules beside an asset, a baseline that survives another export, a run that was
# killed, shards, and what CI reads. A character that support/character.py makes dips its hand into its thigh.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh" check
# shellcheck source-path=SCRIPTDIR source=support/schemas.sh
. "$(dirname "$0")/support/schemas.sh"
SUPPORT=$SOURCE_DIR/tests/support
make() { python3 "$SUPPORT/character.py" "$@"; }
export PYTHONDONTWRITEBYTECODE=1
mkdir -p lib/a
make lib/a/hero.glb
make lib/villain.glb --bones V_
make dipped.glb --dip 0.02
make shuffled.glb --dip 0.02 --shuffle 7

# names, millimetres, depth to 1 %
run 1 dipped.glb --list
out_has 'FAIL new  *LeftHand in LeftUpLeg, 20 mm deep, in frames 28 to 32, worst in frame 30 (Swing, 1 s)'
out_has 'known  *Spine in LeftArm.*rest pose'
out_has '^1 asset, 1 failing finding$'
run 1 dipped.glb --json
json 'len([f for f in rows[0]["findings"] if f["fails"]]) == 1'
json 'abs([f for f in rows[0]["findings"] if f["fails"]][0]["depth_mm"] - 20) < 0.2'
json '[(s["bone"], s["material"], s["mesh"], s["body"], s["parts"]) for f in rows[0]["findings"] if f["fails"] for s in f["sides"]] == [("LeftHand", "Skin", "FigureMesh", "Figure", 5), ("LeftUpLeg", "Skin", "FigureMesh", "Figure", 5)]'
json '[s["material"] for s in rows[0]["findings"][0]["sides"]] == ["Cloth", "Cloth"] and rows[0]["findings"][0]["sides"][0]["primitive"] == 1'
run 0 dipped.glb --depth 21mm
run 1 dipped.glb --depth 1.9cm
run 0 dipped.glb --depth 19cm
run 0 dipped.glb --area 1m2
run 1 dipped.glb --area 1mm2
run 1 dipped.glb --units mm --list
out_has '0.02 mm deep'

# ignored: one finding by its bones, in either order; by materials; a body
run 0 dipped.glb --ignore 'LeftUp*,LeftHand'
out_has 'ignored: 0 bodies and 1 findings$'
run 0 dipped.glb --ignore 'LeftHand,*UpLeg'
run 1 dipped.glb --ignore 'LeftHand,RightUpLeg'
run 0 dipped.glb --ignore 'Skin,Skin'
run 0 dipped.glb --ignore Figure
out_has 'ignored: 1 bodies'

# rules beside an asset
cp dipped.glb ruled.glb
printf '# the hand rests there\n  ignore LeftHand,LeftUpLeg  \nfps 24\nfail-on any\n\ndepth 30mm\n' >ruled.glb.check
run 1 ruled.glb dipped.glb --list
out_has 'ruled.glb  *50  *3  *2 '
out_has 'dipped.glb  *62  *3  *1 '
out_has 'ignored  *LeftHand in LeftUpLeg'
printf 'depth 2 inches\n' >ruled.glb.check
refused 2 'ruled.glb.check, line 1: a rule is' ruled.glb
rm ruled.glb.check

# a baseline: written, compared, updated; another export matches; the dip is the one new region
run 0 lib --baseline accepted.txt
err_has 'note: accepted.txt was written'
run 0 lib --baseline accepted.txt --fail-on growing
run 0 lib --baseline accepted.txt --fail-on new
cp accepted.txt kept.txt
cp dipped.glb lib/a/hero.glb
run 1 lib --baseline accepted.txt --fail-on growing --list
out_has '^2 assets, 1 failing finding$'
out_has 'FAIL new  *LeftHand in LeftUpLeg, 20 mm deep'
out_has 'known .*deep in the baseline'
run 0 lib --baseline accepted.txt --update-baseline
run 0 lib --baseline accepted.txt --fail-on growing
cp shuffled.glb lib/a/hero.glb
run 0 lib --baseline accepted.txt --fail-on growing
make lib/a/hero.glb --dip 0.023
run 1 lib --baseline accepted.txt --fail-on growing
out_has 'LeftHand in LeftUpLeg, 23 mm deep.*; 20 mm deep in the baseline'
run 0 lib --baseline accepted.txt --fail-on new
make lib/a/hero.glb
run 0 lib --baseline accepted.txt --fail-on growing
out_has '1 of the baseline no longer there$'
run 0 lib/a --baseline accepted.txt --update-baseline # the other asset stays
cmp -s accepted.txt kept.txt || fail "$last: an update of one asset changes another"
(cd lib/a && "$PLIANT" check hero.glb --baseline ../../accepted.txt --fail-on growing --json) >out 2>err || fail "from another folder"
json 'rows[0]["in_baseline"]'
echo nonsense >bad.txt
refused 2 'bad.txt: is no baseline' lib --baseline bad.txt
: >bad.txt
refused 2 'bad.txt: is no baseline' lib --baseline bad.txt
sed '1s/1$/2/' accepted.txt >bad.txt
refused 2 'bad.txt: is a baseline of version 2, and this pliant reads version 1' lib --baseline bad.txt
sed '3s/ .*//' accepted.txt >bad.txt
refused 2 'bad.txt, line 3: is damaged' lib --baseline bad.txt
refused 2 'its folder is not there' lib --baseline nowhere/b.txt --json

# what CI reads
make 'lib/a b&<"é".glb' --dip 0.02
echo broken >lib/broken.glb
run 1 lib --junit j.xml --sarif s.sarif --github
out_has '^::error file=lib/a b&<"é".glb,title=LeftHand in LeftUpLeg::LeftHand in LeftUpLeg, 20 mm deep'
out_has '^::error file=lib/broken.glb,title=not checked::.*broken.glb'
if command -v xmllint >/dev/null; then
  xmllint --noout --schema "$SUPPORT/junit.xsd" j.xml >python.log 2>&1 || fail "$last: JUnit: $(head -1 python.log)"
fi
if ! command -v xmllint >/dev/null || ! command -v node >/dev/null || ! get_schemas; then
  echo "skipped: JUnit and SARIF by their published schemas, which need xmllint, node and npm packages"
else
  junit_is_valid j.xml >python.log || fail "$last: JUnit: $(cat python.log)"
  sarif_is_valid s.sarif >python.log || fail "$last: SARIF: $(cat python.log)"
  sed 's/<testcase /<testcase wrong="1" /' j.xml >wrong.xml
  ! junit_is_valid wrong.xml >python.log || fail "the schema of JUnit accepts what it does not know"
  sed 's/"results"/"result"/' s.sarif >wrong.sarif
  ! sarif_is_valid wrong.sarif >python.log || fail "the schema of SARIF accepts what it does not know"
fi
python3 "$SUPPORT/sarif.py" s.sarif 2 >python.log 2>&1 || fail "$last: SARIF: $(tail -1 python.log)"

# resumed: nothing is played twice, a record that was cut off is, and so is a file that changed
rm lib/broken.glb
run 1 lib --json --resume log --threads 1
cp out whole
[ "$(grep -c '^asset' log)" = 3 ] || fail "$last: the log has not three assets"
head -c -30 log >shorter && cp shorter log
run 1 lib --json --resume log --threads 2
cmp -s out whole || fail "$last: resumed, something differs"
[ "$(grep -c '^asset' log)" = 3 ] || fail "$last: after a cut the log has not three assets"
cp log before
run 1 lib --json --resume log
cmp -s log before || fail "$last: an asset was played again"
run 1 lib --json --resume log --fail-on any # another rule, the same records
cmp -s log before || fail "$last: an asset was played again for another rule"
make lib/villain.glb --dip 0.01 --bones V_
run 1 lib --json --resume log
[ "$(grep -c '^asset' log)" = 4 ] || fail "$last: a changed asset was not played again"

# what is no log stays as it is
cp accepted.txt kept.txt
refused 2 'accepted.txt: is no log that pliant check --resume has written' lib --resume accepted.txt
cmp -s accepted.txt kept.txt || fail "$last: the file has changed"
printf 'as' >log # killed in its first word
run 1 lib --json --resume log
[ "$(grep -c '^asset' log)" = 3 ] || fail "$last: the log has not three assets"

# shards: the bytes of the undivided run, and its files
run 1 lib --json --no-costs --junit one.xml
cp out whole
for i in 1 2; do
  "$PLIANT" check lib --json --junit two.xml --shard $i/2 >part-$i 2>err
done
word=merge run 1 part-2 part-1
cmp -s out whole || fail "$last: merged, something differs"
cmp -s one.xml two.xml || fail "$last: the JUnit file of merged parts differs"

# the index: pictures and players of what intersects, the worst first
printf '<title>x</title>\n<!--pliant:files-->\n' >page.html
run 1 lib --index site --page page.html
python3 - <<'PY' >python.log 2>&1 || fail "$last: index: $(tail -1 python.log)"
import json, os, re
page = open("site/index.html", encoding="utf-8").read()
cards = re.findall(r'<section class="asset( fails)?"><h2>([^<]*)</h2>', page)
assert [bool(f) for f, _ in cards] == [True, True, False], cards
assert "a/hero.glb" in [n for _, n in cards] and '<p class="folder">lib/</p>' in page, cards # the folder of all, once
assert "without intersections" not in page
assert "LeftHand in LeftUpLeg, 20 mm deep" in page and page.index("20 mm deep") < page.index("10 mm deep")
for i in (1, 2, 3):
    for name in (f"{i}-whole.png", f"{i}-near.png"):
        assert os.path.getsize("site/" + name) > 1000 and name in page, name
    assert f'data-src="{i}.html"' in page
player = open("site/1.html", encoding="utf-8").read()
given = json.loads(re.search(r'id="pliant-findings" type="application/json">([^<]*)</script>', player)[1])
first = given["findings"][0]
assert first["name"] == "LeftHand in LeftUpLeg" and first["fails"] and first["animation"] == 0 and first["worst"] == 30, first
assert len(given["clips"]) == 1 and len(given["clips"][0]["depth"]) == 61 and max(given["clips"][0]["regions"]) == 2
assert player.count('class="pliant-file"') == 1
PY

# `pliant view` has the places, too: of a scene, and of mesh files that meet
word=view run 0 dipped.glb --out view.html --page page.html
grep -q 'type="application/json">{"metres":1,"findings":\[{"name":"LeftHand in LeftUpLeg","text":"new, 20 mm deep, frames 28 to 32","fails":true' view.html ||
  fail "$last: no places"
grep -q '"regions":\[1,1' view.html || fail "$last: no numbers of places"
word=view run 0 dipped.glb --out view.html --page page.html --no-places
! grep -q pliant-findings view.html || fail "$last: there are places"
printf 'v 0 0 0\nv 2 0 0\nv 0 2 0\nf 1 2 3\n' >flat.obj
printf 'v 0.5 0.5 -1\nv 0.6 0.5 -1\nv 0.5 0.5 1\nf 1 2 3\n' >spike.obj
word=view run 0 flat.obj spike.obj --out view.html --page page.html
grep -q '"findings":\[{"name":"[^"]*\(flat[^"]* spike\|spike[^"]* flat\)' view.html || fail "$last: two files do not meet"

# glTF goes into a page without images, and with its geometry
python3 - <<'PY'
import json, struct
data = open("dipped.glb", "rb").read()
size = struct.unpack("<I", data[12:16])[0]
scene, bin = json.loads(data[20:20 + size]), data[28 + size:]
count = scene["accessors"][0]["count"]
picture, normals = b"\x89PNG" + bytes(4000), b"\1" * 12 * count
for view in scene["bufferViews"]:
    view["byteOffset"] = view.get("byteOffset", 0) + len(picture) # the picture is first, the normals are last
end = len(picture) + len(bin)
scene["bufferViews"] += [{"buffer": 0, "byteLength": len(picture)}, {"buffer": 0, "byteOffset": end, "byteLength": len(normals)}]
scene["accessors"].append({"bufferView": len(scene["bufferViews"]) - 1, "componentType": 5126, "count": count, "type": "VEC3"})
scene["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = len(scene["accessors"]) - 1
scene |= {"images": [{"mimeType": "image/png", "bufferView": len(scene["bufferViews"]) - 2}], "textures": [{"source": 0}]}
scene["buffers"][0]["byteLength"] = end + len(normals)
text = json.dumps(scene).encode()
text += b" " * (-len(text) % 4)
bin = picture + bin + normals
open("painted.glb", "wb").write(struct.pack("<IIIII", 0x46546C67, 2, 28 + len(text) + len(bin), len(text), 0x4E4F534A) + text + struct.pack("<II", len(bin), 0x004E4942) + bin)
PY
inside() { python3 -c 'import base64, re, sys
sys.stdout.buffer.write(base64.b64decode(re.search(r"class=\"pliant-file\"[^>]*>([^<]*)<", open("view.html").read())[1]))' >"$1"; }
run 1 painted.glb --json
sed 's/painted/trimmed/' out >whole
word=view run 0 painted.glb --out view.html --page page.html --exact
inside trimmed.glb
cmp -s painted.glb trimmed.glb || fail "$last: the file inside is another"
word=view run 0 painted.glb --out view.html --page page.html
inside trimmed.glb
[ "$(wc -c <trimmed.glb)" -lt "$(($(wc -c <painted.glb) - 4000))" ] || fail "$last: the picture is inside"
run 1 trimmed.glb --json
cmp -s out whole || fail "$last: a file without its picture has other findings"

# a long sequence goes into a page as whole numbers: a tenth of the size, right to 1/65535 of the box
python3 - <<'PY'
import math
for f in range(12):
    with open(f"wave_{f:02}.obj", "w") as out:
        n = 90
        for i in range(n):
            for j in range(n):
                out.write("v %.6f %.6f %.6f\n" % (i / n, j / n, 0.1 * math.sin(9 * i / n + f / 5) * math.cos(7 * j / n)))
        for i in range(n - 1):
            for j in range(n - 1):
                a = i * n + j + 1
                out.write(f"f {a} {a + n} {a + 1}\nf {a + 1} {a + n} {a + n + 1}\n")
PY
word=view run 0 'wave_*.obj' --out wave.html --page page.html
python3 - <<'PY' >python.log 2>&1 || fail "$last: sequence: $(tail -1 python.log)"
import base64, glob, os, re
page = open("wave.html").read()
size = sum(map(os.path.getsize, glob.glob("wave_*.obj")))
assert 7 * len(page) < size, (len(page), size)
head, text = re.search(r'<script class="pliant-sequence"([^>]*)>([^<]*)</script>', page).groups()
box = [float(x) for x in re.search('data-box="([^"]*)"', head)[1].split()]
names = re.search('data-names="([^"]*)"', head)[1].split("/")
vertices, triangles = (int(re.search(f'data-{k}="([0-9]+)"', head)[1]) for k in ("vertices", "triangles"))
data, at = base64.b64decode(text), 0
def take():
    global at
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128: return -(value + 1) // 2 if value & 1 else value // 2
corners, v = [], 0
for _ in range(3 * triangles): corners.append(v := v + take())
now = [0] * (3 * vertices)
for f, name in enumerate(names):
    for i in range(len(now)): now[i] = take() + (now[i] if f else now[i - 3] if i >= 3 else 0)
    lines = open(name).read().split("\n")
    real = [float(x) for l in lines if l.startswith("v ") for x in l.split()[1:]]
    assert all(abs(box[i % 3] + box[3 + i % 3] * q - x) <= 0.51 * box[3 + i % 3] for i, (q, x) in enumerate(zip(now, real))), name
assert at == len(data) and [c + 1 for c in corners] == [int(x) for l in lines if l.startswith("f ") for x in l.split()[1:]]
PY
word=view run 0 'wave_*.obj' --out exact.html --page page.html --exact
[ "$(grep -c 'class="pliant-file"' exact.html)" = 12 ] || fail "$last: not twelve files as they are"

if [ -d "$DATA/gltf" ]; then
  for name in CesiumMan Fox; do
    mkdir -p real && cp "$DATA/gltf/$name/$name.glb" real/
  done
  run 0 real --baseline real.txt
  for name in CesiumMan Fox; do
    python3 "$SUPPORT/reexport.py" "$DATA/gltf/$name/$name.glb" "real/$name.glb" 11
  done
  run 0 real --baseline real.txt --fail-on growing
  out_has '^2 assets, 0 failing findings$'
fi
finish

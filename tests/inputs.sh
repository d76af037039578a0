#!/usr/bin/env bash
# Which files and frames a command looks at: folders, patterns and several animations. Nothing is left out without a word, and a gate
# (--fail-on-contact) is never green because of it.
# shellcheck source=tests/support/command.sh
. "$(dirname "$0")/support/command.sh"

# flat.obj does not touch itself, cross.obj does. Scenes: a plate of two triangles and a flap that one animation ("Fold") pushes through
# it, the other ("Wait") does not; still.glb has none. All in one node, so that only `self` sees it.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >flat.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.3 0.2 1\nv 0.2 0.3 1\nf 1 2 3\nf 4 5 6\n' >cross.obj
python3 - <<'PY'
import json, struct
def scene(path, animations, name="body"):
    blob, views, accessors = b"", [], []
    def put(rows, kind):
        nonlocal blob
        data = b"".join(struct.pack("<f", x) for row in rows for x in row)
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": len(data)})
        blob += data
        bounds = {"min": [min(c) for c in zip(*rows)], "max": [max(c) for c in zip(*rows)]}
        accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": len(rows), "type": kind, **bounds})
        return len(accessors) - 1
    plate = [(0, 0, 0), (1, 0, 0), (0, 1, 0)]
    flap = [(.2, .2, 1), (.3, .2, 2), (.2, .3, 2)]
    base = put(plate + flap, "VEC3")
    target = put([(0, 0, 0)] * 3 + [(0, 0, -2)] * 3, "VEC3")
    file = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [{"name": name, "mesh": 0}],
            "meshes": [{"primitives": [{"attributes": {"POSITION": base}, "targets": [{"POSITION": target}]}]}]}
    for label, seconds, weights in animations:
        n = len(weights)
        times = put([(seconds * i / (n - 1),) for i in range(n)], "SCALAR")
        values = put([(w,) for w in weights], "SCALAR")
        file.setdefault("animations", []).append({"name": label, "channels": [{"sampler": 0, "target": {"node": 0, "path": "weights"}}],
                                                  "samplers": [{"input": times, "output": values}]})
    file.update(accessors=accessors, bufferViews=views, buffers=[{"byteLength": len(blob)}])
    text = json.dumps(file).encode()
    text += b" " * (-len(text) % 4)
    with open(path, "wb") as f:
        f.write(struct.pack("<4sIIII", b"glTF", 2, 28 + len(text) + len(blob), len(text), 0x4E4F534A) + text)
        f.write(struct.pack("<II", len(blob), 0x004E4942) + blob)
import os
for folder in ("mixed", "scenes", "late"): os.mkdir(folder)
scene("mixed/fold.glb", [("Fold", 1, [0, 1])])
scene("scenes/short.glb", [("Wait", .2, [0, 0.1])], "short")
scene("scenes/long.glb", [("Fold", 1, [0, 0, 0, 1])], "long")
scene("late/both.glb", [("Wait", .5, [0, 0.1]), ("Fold", .5, [0, 1])], "both")
scene("still.glb", [], "still")
scene("evil.glb", [("\x1b[31mWait\x07", .5, [0, 0.1]), ("Fold", .5, [0, 1])], "\x1b]0;owned\x07\u202ename\nforged")
PY
if "$PLIANT" info still.glb 2>&1 | grep -q jansson; then echo "built without jansson"; exit 77; fi
cp flat.obj mixed/

# ------------------------------------------------------------------------------------------------------------ folders
# Once the glb of such a folder was ignored, and the gate green.
for what in mixed mixed/ 'mixed/*'; do
  for line in 'self --fail-on-contact' self 'collide flat.obj' 'distance flat.obj' 'impact flat.obj' 'impact --self' 'bench flat.obj' view info render; do
    # shellcheck disable=SC2086
    run 2 $line "$what"; err_lines 1
    err_has "files of different kinds, such as .* name them, or use a pattern in quotes such as 'mixed/\*.[a-z]*'"
  done
done
run 0 self 'mixed/*.obj' --fail-on-contact; err_lines 0
run 1 self 'mixed/*.glb' --fail-on-contact
run 1 self mixed/* --fail-on-contact # the shell's: each file is an input
# A folder or a pattern of scenes is all of them, in every command that reads scenes.
for what in scenes 'scenes/*.glb' 'scenes/*' 'scenes/[ls]*'; do
  run 1 self "$what" --fail-on-contact; out_has '^bodies    1 of 2 intersects itself$'
  run 0 info "$what" --json; json '[r["name"] for r in rows] == ["scenes/long.glb", "scenes/short.glb"]'
  run 0 collide "$what" --json; json 'len(rows) == 7'; err_has 'A has 31 frames and B has 7: only frames 0 to 6 were checked'
  run 1 self flat.obj "$what" cross.obj --fail-on-contact; out_has '^bodies    2 of 4 intersect themselves$'
done
run 0 collide --json flat.obj -- scenes --translate 0,0,9 -- cross.obj; json 'len(rows) == 7 and all([c["a"] for c in r["contacts"]] == ["flat.obj", "long"] for r in rows)'
printf '<html>\n<!--pliant:files-->\n</html>\n' >page.html
run 0 view 'scenes/*.glb' --page page.html; out_has '2 files inside'
# Folders inside a folder are not read: a gate says so instead of being green, and names the first.
mkdir -p nested/empty nested/.hidden nested/later/deep deep/z/y linked
cp still.glb nested/ && cp still.glb nested/.hidden/ && echo text >nested/empty/notes.txt
run 0 self nested --fail-on-contact; err_lines 0
cp late/both.glb nested/later/deep/B.GLB && cp flat.obj deep/ && cp cross.obj deep/z/y/ && cp flat.obj linked/ && ln -s ../deep/z/y linked/there
for line in 'self nested' 'self deep' 'self linked' 'self flat.obj deep' 'collide still.glb nested' 'distance flat.obj deep' 'impact --self nested late'; do
  # shellcheck disable=SC2086
  run 0 $line; err_has 'note: \(nested: the folder nested/later\|deep: the folder deep/z\|linked: the folder linked/there\) in it has mesh files, too, which are not read'
done
for what in nested deep linked; do
  run 2 self $what --fail-on-contact; err_has "not everything was checked: $what: the folder $what/[a-z]* in it"; err_lines 1
  run 0 self $what --fail-on-contact --allow-unchecked
done
run 1 self deep deep/z/y --fail-on-contact --allow-unchecked
# `check` reads all folders; one that is a link it names, and files that it cannot read as well.
run 0 check linked --allow-unchecked; err_has 'linked/there: a link to a folder is not followed: name it as well'; err_lines 1
run 2 check linked; err_has 'not everything was checked: linked/there'; err_lines 1
mkdir -p foreign/a && cp flat.obj foreign/ && echo nothing >foreign/a/model.lwo
run 2 check foreign --json; json '[r["asset"].split("/")[-1] for r in rows] == ["model.lwo", "flat.obj"]'
refused 2 'no file matches this pattern' self 'nothing/*.glb'
refused 2 'no file is numbered like this pattern' self 'nothing_%d.glb'

# ------------------------------------------------------------------------------------------------------------- frames
# Each body is checked alone, to its own end.
run 0 self scenes/long.glb scenes/short.glb --json --check; err_lines 0
json 'len(rows) == 31 and [b["name"] for b in rows[6]["bodies"]] == ["long", "short"] and [b["name"] for b in rows[7]["bodies"]] == ["long"]'
json '[r["frame"] for r in rows if r["pairs"]] in ([*range(25, 31)], [*range(26, 31)])'
run 0 self scenes/short.glb scenes/long.glb --csv; [ "$(grep -c ',short,' out)" = 7 ] || fail "$last: not 7 rows of the short one"
[ "$(grep -c ',long,' out)" = 31 ] || fail "$last: not 31 rows of the long one"
run 0 self scenes/short.glb scenes/long.glb --report page2.html
run 0 impact --self scenes --json --check; json 'len(rows) == 30 and any(r["time"] is not None for r in rows)'
run 0 self scenes/short.glb scenes/long.glb --frames 10..12 --fail-on-contact --allow-unchecked; err_has 'short.glb has 7 frames: it was not checked'
run 2 self scenes/short.glb scenes/long.glb --frames 10..12 --fail-on-contact; err_has 'not everything was checked: scenes/short.glb'; err_lines 1
# Of bodies against bodies the frames end with the shortest, which a gate does not accept unasked.
mkdir away && for i in 0 1 2; do square "away/a_$i.obj" 5 0; done
mkdir longer && for i in 0 1 2 3; do square "longer/l_$i.obj" 8 0; done
run 0 collide away longer; err_has 'only frames 0 to 2 were checked'
for line in 'collide away longer --fail-on-contact' 'distance away longer --closer 1 --fail-if-closer' 'impact away longer --fail-on-contact'; do
  # shellcheck disable=SC2086
  run 2 $line; err_has 'not everything was checked: A has 3 frames and B has 4'; err_lines 1
  # shellcheck disable=SC2086
  run 0 $line --allow-unchecked; err_has 'only frames 0 to 2'; err_lines 1
  # shellcheck disable=SC2086
  run 0 $line --frames 0..1; err_lines 0
done
# Nor is one body that has nothing to be compared with: of it, a gate would check nothing.
for line in 'collide --fail-on-contact' 'distance --closer 1 --fail-if-closer' 'impact --fail-on-contact'; do
  # shellcheck disable=SC2086
  run 2 $line scenes/long.glb; err_has 'not everything was checked: scenes/long.glb: long is the only body: .*pliant self'; err_lines 1
  # shellcheck disable=SC2086
  run 0 $line scenes/long.glb --allow-unchecked; err_has 'note: .*the only body'; err_lines 1
done
run 1 impact --self scenes/long.glb --fail-on-contact; err_lines 0
# Three files are the frames of one mesh.
square q_0.obj 0 0; square q_1.obj 1 0; square q_2.obj 2 0; square other.obj 3 0
run 0 impact --self q_0.obj q_1.obj q_2.obj --json; json 'len(rows) == 2'
run 0 impact --self q_0.obj q_1.obj q_2.obj other.obj --json; json 'len(rows) == 3 and rows[2]["to"] == "other.obj"'
run 0 impact --self q_?.obj --fail-on-contact

# --------------------------------------------------------------------------------------------------------- animations
run 0 self late --json; json 'len(rows) == 16 and not any(r["pairs"] for r in rows) and "animation" not in rows[0]'
err_has 'late/both.glb: only Wait of its 2 animations is played; --animation all plays every one, one after the other'; err_lines 1
run 2 self late --fail-on-contact; err_has 'not everything was checked: late/both.glb: only Wait'; err_lines 1
run 0 self late --fail-on-contact -a Wait; err_lines 0
run 0 self late --fail-on-contact --allow-unchecked
run 1 self late --fail-on-contact -a all; err_lines 0
run 1 self late --fail-on-contact -a Fold -a Wait
run 0 self late -a Fold -a Wait --json --check; err_lines 0
json '[r["bodies"][0]["animation"] for r in rows] == 16 * ["Fold"] + 16 * ["Wait"] and rows[16]["time"] == 0 and rows[17]["label"] == "Wait, 0.0333333 s"'
json 'rows[5]["pairs"] == 0 and rows[10]["pairs"] == 1 and not any(r["pairs"] for r in rows[16:])'
run 0 self late -a all --csv; out_has '^31,"Fold, 0.5 s",both,'
run 0 self late -a all; out_has '^animation Wait: frames 0 to 15$'; out_has '^          Fold: frames 16 to 31$'; out_has '(Fold, 0.'
run 0 impact --self late -a Fold -a Wait --json --check; json 'len(rows) == 30 and [r["interval"] for r in rows] == [*range(15), *range(16, 31)]'
json 'all(r["from"].split(",")[0] == r["to"].split(",")[0] for r in rows)'
if "$PLIANT" render flat.obj --size 32x24 --out one.png >/dev/null 2>&1; then
  run 0 render late/both.glb --size 32x24 -a Fold -a Wait --out 'f%02d.png'; out_has '^frames    32 of'
  run 0 render late/both.glb --size 32x24 --frames 0 --out one.png; err_has 'only Wait of its 2 animations is played'
fi

# Scenes through assimp are played: a square goes up by 5 in a second, past one that stands.
python3 - <<'PY'
mesh = '''<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="9">0 0 0 1 0 0 0 1 0</float_array>
<technique_common><accessor source="#a" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source><vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate sid="t">0 0 0</translate><instance_geometry url="#g"/></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#s"/></scene>'''
moves = '''<library_animations><animation id="m"><source id="i"><float_array id="ia" count="2">0 1</float_array><technique_common>
<accessor source="#ia" count="2" stride="1"><param name="TIME" type="float"/></accessor></technique_common></source>
<source id="o"><float_array id="oa" count="6">0 0 0 0 0 5</float_array><technique_common><accessor source="#oa" count="2" stride="3">
<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<source id="k"><Name_array id="ka" count="2">LINEAR LINEAR</Name_array><technique_common><accessor source="#ka" count="2" stride="1">
<param name="INTERPOLATION" type="name"/></accessor></technique_common></source><sampler id="sm"><input semantic="INPUT" source="#i"/>
<input semantic="OUTPUT" source="#o"/><input semantic="INTERPOLATION" source="#k"/></sampler><channel source="#sm" target="n/t"/></animation></library_animations>'''
for name, more in (("moves.dae", moves), ("stands.dae", "")):
    open(name, "w").write('<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><up_axis>'
                          'Y_UP</up_axis></asset>' + more + mesh + "</COLLADA>")
PY
if ! "$PLIANT" self stands.dae 2>&1 | grep -q 'no assimp'; then
  run 0 self stands.dae --fail-on-contact; err_has 'read through assimp'; grep -q animation err && fail "$last: an animation that is not there"
  run 0 self moves.dae --fail-on-contact; err_has 'moves.dae: read through assimp in single precision'; err_lines 1
  run 0 info moves.dae; out_has ' n: moves, 1 triangle,'; out_has ': 1 s'
  printf 'v -1 -1 2\nv 3 -1 2\nv -1 3 2\nf 1 2 3\n' >level.obj
  run 0 collide moves.dae level.obj --fps 10 --json
  json '[r["frame"] for r in rows if r["pairs"]] == [4] and len(rows) == 11'
fi

# -------------------------------------------------------------------------------------------------------------- names
# quiet: nothing on stdout or stderr could move a cursor, change colours, forge a line or turn the direction of writing
quiet() {
  LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xe2\x80[\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xc2[\x80-\x9f]' out err && fail "$last: prints control characters"
  grep -q '^forged' out err && fail "$last: a name begins a line"
}
red=$(printf 'e\033[31mred\nforged.obj')
cp cross.obj "$red"
mkdir "$(printf 'dir\033[2J')" && cp cross.obj "$(printf 'dir\033[2J')/c_1.obj" && cp cross.obj "$(printf 'dir\033[2J')/c_2.obj"
for f in "$red" evil.glb "$(printf 'dir\033[2J')"; do
  for line in self 'self --list' 'self --neighbours --list' info 'collide --list cross.obj' 'collide cross.obj flat.obj' 'distance flat.obj' \
    'distance --margin 9 --list flat.obj' 'impact flat.obj' 'impact --self' 'self -a all --list' 'self -a nothing' 'render --size 8x8 --frames 0 --contacts --out x.png' \
    'self --no-such-option' "view --page page.html --out $red.html" 'self --report page3.html' 'self --out found.ply'; do
    # shellcheck disable=SC2086
    "$PLIANT" $line "$f" >out 2>err
    last="pliant $line $f" tests=$((tests + 1))
    quiet
  done
done
run 0 self "$red" --json; json 'rows[0]["bodies"][0]["name"] == "e\x1b[31mred\nforged.obj"' # JSON has names as they are
run 0 self "$(printf 'dir\033[2J')" --json; json 'rows[0]["label"] == "dir\x1b[2J/c_1.obj"'
finish

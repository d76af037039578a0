#!/usr/bin/env bash
# The command from outside: exit codes, help, JSON, CSV, sequences, and what it says when something is wrong.
# Uses small meshes that it writes itself, and the real data where it lies beside the project.
set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh"

# A standing triangle that cuts the plane z = 0 where x = 0.25.
printf 'v 0.25 0.1 -1\nv 0.25 0.9 -1\nv 0.25 0.5 1\nf 1 2 3\n' >blade.obj
mkdir seq two
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do square "seq/s_$i.obj" 0 "$i.0"; done
for i in 2 9 10; do square "seq/s_$i.obj" 0 0; done # in contact with the blade
for i in 0 1 2; do square "two/t_$i.obj" "0.$i" 0.5; done
square flat.obj 0 0
square far.obj 50 0

# ------------------------------------------------------------------------------------------------- help and version
run 64; err_has '^usage: pliant'
for words in --help -h help 'help help'; do
  # shellcheck disable=SC2086
  run 0 $words; out_has '^usage: pliant'; out_has 'Examples:'; err_lines 0
done
for c in demo info collide render bench; do
  run 0 $c --help; out_has "^usage: pliant $c"; out_has '[Ee]xamples:'; err_lines 0; cp out direct
  run 0 help $c; cmp -s out direct || fail "pliant help $c differs from pliant $c --help"
done
run 0 collide --help; for o in json csv first list strategy arity leaf builder cut eager lazy threads limit budget-ms \
  fail-on-contact float check fps animation scene; do out_has "^  --$o"; done
[ "$(wc -L <out)" -le 100 ] || fail "a line of the help is over 100 wide"
run 0 --version; out_has '^pliant [0-9]*\.[0-9]*\.[0-9]*'; out_lines 1
run 0 version; out_has '^pliant [0-9]*\.[0-9]*\.[0-9]*'
if [ -e /dev/full ]; then
  for line in 'collide --help' 'collide blade.obj flat.obj --json' 'distance blade.obj far.obj --csv' 'bench --list'; do
    code=0
    # shellcheck disable=SC2086
    "$PLIANT" $line >/dev/full 2>err || code=$?
    : >out; last="pliant $line to a full disk"; [ $code = 2 ] || fail "exit code $code instead of 2"; err_has 'could not be written'; err_lines 1
  done
fi

# ----------------------------------------------------------------------------------------------------- usage errors
refused 64 'did you mean collide' colide a b
refused 64 'did you mean --json' collide --jsn flat.obj blade.obj
refused 64 'did you mean --strategy' collide --strat hybrid flat.obj blade.obj
refused 64 'did you mean hybrid' collide --strategy hybird flat.obj blade.obj
refused 64 'there are auto, bottom-up' collide flat.obj blade.obj --strategy nonsense
refused 64 'needs a value' collide flat.obj blade.obj --strategy
refused 64 'needs a value' collide --leaf --json flat.obj blade.obj
refused 64 'takes no value' collide --json=1 flat.obj blade.obj
refused 64 'from 1 to 8' collide --leaf 9 flat.obj blade.obj
refused 64 'from 1 to 8' collide --leaf=2x flat.obj blade.obj
refused 64 'there are 2, 4, 8' collide --arity 3 flat.obj blade.obj
refused 64 'a number from 0' collide --budget-ms nan flat.obj blade.obj
refused 64 'not both' collide --json --csv flat.obj blade.obj
refused 64 'one was given' collide flat.obj
refused 64 'none was given' collide
refused 64 'quote patterns' collide seq/s_*.obj blade.obj
refused 64 'one side of --' collide flat.obj --
refused 64 'stands after --' collide flat.obj -- blade.obj --json
refused 64 'no option -z' collide -z flat.obj blade.obj
refused 64 'name a mesh file' info
refused 64 'no file is expected' demo flat.obj

# ---------------------------------------------------------------------------------------------------- collide: answers
run 0 collide flat.obj blade.obj; out_has '^pairs  *1$\|^pairs  *2$'; out_has '^frames  *1, 1 with contact'; out_has 'still'; err_lines 0
run 0 collide flat.obj blade.obj --json --list
json 'len(rows) == 1 and rows[0]["frame"] == 0 and rows[0]["pairs"] == len(rows[0]["list"]) > 0 and rows[0]["partial"] is False'
json 'all(k in rows[0] for k in ("a", "b", "n_v", "n_p", "n_u", "ms_set", "ms_update", "ms_query"))'
json 'rows[0]["a"] == "flat.obj" and rows[0]["list"] == sorted(rows[0]["list"])'
pairs=$(python3 -c 'import json; print(json.load(open("out"))["pairs"])')
python3 -m json.tool <out >/dev/null 2>&1 || fail "python3 -m json.tool refuses the line"
run 0 collide blade.obj flat.obj --json --list; json "rows[0]['pairs'] == $pairs"
run 0 collide flat.obj far.obj --json; json 'rows[0]["pairs"] == 0 and "list" not in rows[0]'
run 0 collide flat.obj flat.obj --json --list; json 'rows[0]["pairs"] == 4' # the same file is two bodies
run 0 collide flat.obj flat.obj --json --limit 3; json 'rows[0]["pairs"] == 4 and len(rows[0]["list"]) == 3'
run 0 collide flat.obj flat.obj --json --limit 0; json 'rows[0]["pairs"] == 4 and rows[0]["list"] == []'
run 0 collide flat.obj flat.obj --list; out_has '^frame 0: 4 pairs$'; out_has '^  1 1$'
run 0 collide flat.obj flat.obj --first --json; json 'rows[0]["pairs"] == 1'
run 0 collide flat.obj flat.obj --csv; out_lines 2; out_has '^frame,a,b,pairs,partial,n_v,n_p,n_u,ms_set,ms_update,ms_query$'
run 0 collide flat.obj flat.obj --csv --list --check; out_has ',checked,list$'; out_has ',1,0-0 0-1 1-0 1-1$'
cp flat.obj 'odd, "name".obj'
run 0 collide 'odd, "name".obj' blade.obj --csv
python3 -c 'import csv; r = list(csv.DictReader(open("out"))); assert r[0]["a"] == "odd, \"name\".obj" and int(r[0]["pairs"]) > 0' \
  2>/dev/null || fail "CSV with quotes"
run 0 collide 'odd, "name".obj' blade.obj --json; json 'rows[0]["a"] == "odd, \"name\".obj"'
strange=$(printf 'tab\there\377.obj')
if cp flat.obj "$strange" 2>/dev/null; then run 0 collide "$strange" blade.obj --json; json 'rows[0]["a"] == "tab\there\ufffd.obj"'; fi
run 1 collide flat.obj blade.obj --fail-on-contact
run 0 collide flat.obj far.obj --fail-on-contact
for s in auto bottom-up top-down hybrid bergen; do
  for tree in "--arity 2 --leaf 1" "--arity 4 --leaf 3 --builder partition" "--arity 8 --cut centre --eager 0 --lazy 2" \
    "--cut mean --threads 2"; do
    # shellcheck disable=SC2086
    run 0 collide flat.obj blade.obj --strategy $s $tree --check --json; json "rows[0]['pairs'] == $pairs and rows[0]['checked']"
  done
done
run 0 collide flat.obj blade.obj --check; out_has 'agree with the reference'

# -------------------------------------------------------------------------------------------------- collide: sequences
frames='[r["frame"] for r in rows if r["pairs"]] == [1, 8, 9] and len(rows) == 12'
run 0 collide 'seq/s_*.obj' blade.obj --json; json "$frames"; json 'rows[9]["a"].endswith("s_10.obj") and rows[9]["b"] == "blade.obj"'
run 0 collide seq blade.obj --json; json "$frames"
run 0 collide seq/ blade.obj --json; json "$frames"
run 0 collide 'seq/s_%d.obj' blade.obj --json; json "$frames"
run 0 collide --json seq/s_*.obj -- blade.obj; json "$frames" # the shell gives 10 before 2
run 0 collide --json blade.obj -- seq/s_*.obj; json "$frames"
run 0 collide --json -- seq blade.obj; json "$frames"
run 0 collide seq blade.obj --json --check --threads 2 --strategy hybrid; json "$frames"
run 0 collide seq blade.obj; out_has '^frames  *12, 3 with contact; the first is frame 1 (seq/s_2.obj)'; out_has 'pairs  *0 least'
run 0 collide seq blade.obj --csv; out_lines 13
run 1 collide seq blade.obj --fail-on-contact
run 0 collide seq two --json; json 'len(rows) == 3'; err_has 'A has 12 frames and B has 3'; err_lines 1
run 0 collide two seq; err_has 'only frames 0 to 2 were checked'; err_lines 1
run 0 collide two two --json --check; json 'len(rows) == 3 and all(r["pairs"] == 4 for r in rows)'
run 0 collide --json far.obj flat.obj -- blade.obj; json '[r["pairs"] > 0 for r in rows] == [False, True]' # order as given

cp -r seq grown && printf 'v 9 9 9\nf 1 2 5\n' >>grown/s_5.obj
run 2 collide grown blade.obj --json; json 'len(rows) == 4'
err_lines 1; err_has 'grown/s_5.obj: frame 4 has 3 triangles and 5 vertices, frame 0 (grown/s_1.obj) has 2 and 4'
cp -r seq turned && sed -i 's/f 1 3 4/f 1 4 3/' turned/s_3.obj
run 2 collide turned blade.obj; err_lines 1; err_has 'turned/s_3.obj: frame 2 .*triangle 1'
cp -r seq nan && sed -i '2s/.*/v nan 0 0/' nan/s_4.obj
run 2 collide nan blade.obj --json; json 'len(rows) == 3'; err_lines 1; err_has 'nan/s_4.obj:2'
cp -r seq gone && : >gone/s_6.obj
run 2 collide gone blade.obj; err_lines 1; err_has 'gone/s_6.obj'

# ------------------------------------------------------------------------------------------------- precision, bad files
printf 'v 0.1 0 0.3\nv 1.1 0 0\nv 0 1 0\nf 1 2 3\n' >tenth.obj
run 0 collide tenth.obj blade.obj; out_has 'double positions'
run 0 collide tenth.obj blade.obj --float; out_has 'float positions'
printf 'v 1e300 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >huge.obj
refused 2 'huge.obj.*too large for --float' collide huge.obj blade.obj --float
mkdir empty
refused 2 'empty' collide empty blade.obj
refused 2 'absent.obj' collide absent.obj blade.obj
refused 2 'absent.obj' collide flat.obj absent.obj
refused 2 'none_' collide 'none_*.obj' blade.obj
head -n 4 flat.obj >cut.obj # no face is left
refused 2 'cut.obj' collide cut.obj blade.obj
printf 'OFF\n4 2 0\n0 0 0\n1 0 0\n1 1' >cut.off
refused 2 'cut.off' collide cut.off blade.obj
printf 'ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n12345678' >cut.ply
refused 2 'cut.ply' collide cut.ply blade.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 inf 0\nf 1 2 3\n' >infinite.obj
refused 2 'infinite.obj:3' collide infinite.obj blade.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 7\n' >range.obj
refused 2 'range.obj:4' collide range.obj blade.obj
printf 'solid nothing' >nothing.stl
refused 2 'nothing.stl' info nothing.stl
refused 2 'huge.obj' collide "$(printf 'a\nb')huge.obj" blade.obj # one line stays one line

# ------------------------------------------------------------------------------------------------------------------ info
run 0 info flat.obj; out_has '^  triangles  *2$'; out_has 'open'; out_has 'boundary edges  *4 '; out_has 'bytes per triangle'
run 0 info flat.obj --json
json 'rows[0]["triangles"] == 2 and rows[0]["vertices"] == 4 and rows[0]["edges"] == 5 and rows[0]["boundary_edges"] == 4'
json 'rows[0]["closed"] is False and rows[0]["components"] == 1 and rows[0]["frames"] == 1 and rows[0]["positions"] == "float"'
json 'rows[0]["box"] == [[0, 0, 0], [1, 1, 0]] and rows[0]["tree"]["arity"] in (2, 4, 8) and rows[0]["tree"]["leaves"] >= 1'
printf 'v 0 0 0\nv 1 0 0\nv 2 0.5 0\nv 0 3 0\np 4\nl 1 2 3\n' >cable.obj
run 0 info cable.obj; out_has '^  segments  *2 '; out_has '^  points  *1 '; err_lines 0
run 0 info cable.obj --json
json 'rows[0]["segments"] == 2 and rows[0]["points"] == 1 and rows[0]["triangles"] == 0 and rows[0]["degenerate_triangles"] == 0'
printf 'ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nend_header\n0.5 0 0\n9 9 9\n0 3 0.5\n' >sand.ply
run 0 info sand.ply --json; json 'rows[0]["points"] == 3 and rows[0]["isolated_vertices"] == 0'
run 0 collide cable.obj sand.ply --json --list; json 'rows[0]["list"] == [[0, 0]] and rows[0]["points"] == [[0.5, 0, 0]]'
run 0 self cable.obj --json; json 'rows[0]["pairs"] == 0'
printf 'v 1.5 0.25 1\np 1\n' >grain.obj
run 0 distance cable.obj grain.obj --json; json 'rows[0]["distance"] == 1 and rows[0]["triangle_a"] == 1'
run 0 info flat.obj --json --arity 2 --leaf 1 --builder partition
json 'rows[0]["tree"]["leaves"] == 2 and rows[0]["tree"]["arity"] == 2 and rows[0]["tree"]["builder"] == "partition"'
run 0 info flat.obj blade.obj tenth.obj --json; json 'len(rows) == 3 and rows[2]["positions"] == "double"'
run 0 info two --json; json 'rows[0]["frames"] == 3 and 0.06 < rows[0]["motion"]["largest_step_most"] < 0.08'
run 0 info two; out_has '3 frames'; out_has 'diagonal per frame'
run 0 info two --json --still; json '"motion" not in rows[0]'
run 2 info flat.obj absent.obj blade.obj --json; json 'len(rows) == 2'; err_lines 1; err_has 'absent.obj'
run 2 info grown; err_lines 1; err_has 'frame 4'

# ----------------------------------------------------------------------------------------------------------- glTF scenes
# A triangle `plate` at z = 0; `blade`, whose node goes down through it in 1 s (cut); `flap`, whose weight takes it down in 1 s
# (flap) or holds it half way (held). All numbers are exact in binary.
python3 - <<'PY'
import base64, json, struct
blob, views, accessors = b"", [], []
def put(rows, kind, bounds=False):
    global blob
    flat = [x for row in rows for x in row]
    views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": 4 * len(flat)})
    blob += struct.pack(f"<{len(flat)}f", *flat)
    accessors.append({"bufferView": len(views) - 1, "componentType": 5126, "count": len(rows), "type": kind})
    if bounds: accessors[-1].update(min=[min(c) for c in zip(*rows)], max=[max(c) for c in zip(*rows)])
    return len(accessors) - 1
plate = put([(0, 0, 0), (1, 0, 0), (0, 1, 0)], "VEC3", True)
blade = put([(0.25, 0.125, -0.25), (0.25, 0.875, -0.25), (0.25, 0.5, 0.25)], "VEC3", True)
flap = put([(0, 0.125, 1), (0, 0.375, 1), (0, 0.25, 2)], "VEC3", True)
down = put([(0, 0, -4)] * 3, "VEC3", True)
times = put([(0,), (1,)], "SCALAR", True)
def animation(name, node, path, output):
    return {"name": name, "channels": [{"sampler": 0, "target": {"node": node, "path": path}}],
            "samplers": [{"input": times, "output": output}]}
animations = [animation("cut", 1, "translation", put([(0, 0, 2), (0, 0, -2)], "VEC3")),
              animation("held", 2, "weights", put([(0.5,), (0.5,)], "SCALAR")),
              animation("flap", 2, "weights", put([(0,), (1,)], "SCALAR"))]
def mesh(positions, **more): return {"primitives": [{"attributes": {"POSITION": positions}, **more}]}
scene = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"name": "whole", "nodes": [0, 1, 2]}, {"name": "less", "nodes": [0, 1]}],
         "nodes": [{"name": "plate", "mesh": 0}, {"name": "blade \"b\", old", "mesh": 1, "translation": [0, 0, 2]},
                   {"name": "flap", "mesh": 2, "translation": [0.5, 0, 0]}],
         "meshes": [mesh(plate), mesh(blade), mesh(flap, targets=[{"POSITION": down}])],
         "animations": animations, "accessors": accessors, "bufferViews": views,
         "buffers": [{"byteLength": len(blob), "uri": "data:application/octet-stream;base64," + base64.b64encode(blob).decode()}]}
json.dump(scene, open("scene.gltf", "w"))
nameless = json.loads(json.dumps(scene))
del nameless["nodes"][0]["name"], nameless["nodes"][2]["name"]
nameless["meshes"][0]["name"] = "slab"
json.dump(nameless, open("nameless.gltf", "w"))
scene["nodes"][2]["weights"] = [0.5]
json.dump(scene, open("bent.gltf", "w"))
del scene["animations"]
json.dump(scene, open("calm.gltf", "w"))
scene["nodes"][0]["skin"] = 0
scene["skins"] = [{"joints": [1]}]
json.dump(scene, open("skinned.gltf", "w"))
del scene["nodes"][0]["skin"]
scene["meshes"][2]["primitives"][0]["targets"] *= 300
scene["nodes"][2]["weights"] = [0.5] * 300
json.dump(scene, open("many.gltf", "w"))
PY
printf 'not json' >broken.gltf
"$PLIANT" info scene.gltf >out 2>err
cp err jansson.err
if grep -q jansson err; then
  echo "built without jansson: the tests of glTF are left out"
  last="glTF without jansson"; err_lines 1
else
  touching='[r["frame"] for r in rows if r["pairs"]]'
  run 0 collide scene.gltf --fps 16 --json --list --check
  err_has 'scene.gltf: only cut of its 3 animations is played; --animation all plays every one'; err_lines 1
  json "len(rows) == 17 and $touching == [7, 8, 9] and all(r['time'] == r['frame'] / 16 and r['checked'] for r in rows)"
  json 'rows[8]["contacts"] == [{"a": "plate", "b": "blade \"b\", old", "pairs": 1, "list": [[0, 0]]}] and rows[6]["contacts"] == []'
  json 'all(k in r for r in rows for k in ("partial", "n_v", "n_p", "n_u", "ms_set", "ms_update", "ms_query"))'
  run 0 collide scene.gltf --json; json "len(rows) == 31 and all(12 < f < 18 for f in $touching) and $touching"
  run 0 collide scene.gltf --json --fps 0.5; json 'len(rows) == 1'
  run 0 collide scene.gltf --json --fps 16 --animation flap --check --threads 2; json "$touching == [4, 5, 6, 7, 8]"
  run 0 collide scene.gltf --json --fps 16 --animation 2; json "$touching == [4, 5, 6, 7, 8]"
  run 0 collide scene.gltf --json --fps 16 --animation held --check; json 'len(rows) == 17 and all(r["pairs"] == 1 for r in rows)'
  # Several animations are played one after the other, each by its name and from its start.
  run 0 collide scene.gltf --json --fps 16 --animation all --check --first --arity 2 --leaf 1; err_lines 0
  json "len(rows) == 51 and $touching == [7, 8, 9, *range(17, 34), *range(38, 43)]"
  json '[r["animation"] for r in rows] == 17 * ["cut"] + 17 * ["held"] + 17 * ["flap"]'
  json 'all(r["time"] == r["frame"] % 17 / 16 for r in rows)'
  run 0 collide scene.gltf --json --fps 16 -a flap -a cut --check; err_lines 0
  json "len(rows) == 34 and $touching == [4, 5, 6, 7, 8, 24, 25, 26] and rows[17]['animation'] == 'cut' and rows[17]['time'] == 0"
  run 0 collide scene.gltf --json --fps 16 -a rest -a 0; json "len(rows) == 18 and $touching == [8, 9, 10] and rows[0]['animation'] == ''"
  run 0 collide scene.gltf --fps 16 -a flap -a cut; out_has '^animation flap: frames 0 to 16$'; out_has '^          cut: frames 17 to 33$'
  out_has 'the first is frame 4 (flap, 0.25 s)'
  run 0 collide scene.gltf --fps 16 -a flap -a cut --list; out_has '^frame 25 (cut, 0.5 s): 1 pair$'
  run 0 distance scene.gltf --json --fps 16 -a flap -a cut --check; json 'rows[17]["animation"] == "cut" and rows[25]["distance"] == 0 and rows[17]["time"] == 0'
  run 0 distance scene.gltf --csv --fps 16 -a flap -a cut; out_has ',animation$'; out_has ',cut$'
  run 0 collide bent.gltf --json --fps 16 --limit 1 --check
  json '[len(r["contacts"]) for r in rows[6:11]] == [1, 2, 2, 2, 1]'
  json 'rows[8]["pairs"] == 2 and [len(c["list"]) for c in rows[8]["contacts"]] == [1, 0]'
  run 0 collide scene.gltf --json --animation rest; json 'len(rows) == 1 and rows[0]["pairs"] == 0'
  run 0 collide bent.gltf --json --animation rest; json 'rows[0]["pairs"] == 1 and rows[0]["contacts"][0]["b"] == "flap"'
  run 0 collide bent.gltf --json --fps 16; json 'len(rows) == 17 and all(r["contacts"][-1]["b"] == "flap" for r in rows)'
  run 0 collide calm.gltf --json; json 'len(rows) == 1 and rows[0]["pairs"] == 1'
  run 0 collide bent.gltf --json --fps 16 --scene less; json "$touching == [7, 8, 9]"
  run 0 collide scene.gltf --fps 16 --animation all --csv --list --check
  out_lines 52; out_has '^frame,time,pairs,body_pairs,partial,n_v,n_p,n_u,ms_set,ms_update,ms_query,checked,list,animation$'
  out_has '^8,0.5,1,1,0,.*,1,0:0-1:0,cut$'; out_has '^42,0.5,1,1,0,.*,1,0:0-2:0,flap$'
  run 0 collide bent.gltf --fps 16 --csv --list --check
  out_lines 18; out_has '^frame,time,pairs,body_pairs,partial,n_v,n_p,n_u,ms_set,ms_update,ms_query,checked,list$'
  out_has '^8,0.5,2,2,0,.*,1,0:0-1:0 0:0-2:0$'; out_has '^0,0,1,1,0,.*,1,0:0-2:0$'
  run 0 collide scene.gltf --fps 16 --list; out_has '^frame 8 (0.5 s): 1 pair$'; out_has '^    0 0$'
  run 0 collide scene.gltf --fps 16 --animation all --check; err_lines 0
  out_has '3 bodies$'; out_has 'blade "b", old: moves, 1 triangle, 3 vertices$'; out_has 'flap: morphs, .*, 1 morph target$'
  out_has '^frames  *51, 25 with contact; the first is frame 7 (cut, 0.4375 s)$'; out_has 'pairs  *0 least'
  out_has '^touching  plate and blade "b", old: in 3 frames, first in frame 7, up to 1 pair$'
  out_has '^  *plate and flap: in 22 frames, first in frame 17, up to 1 pair$'; out_has 'all 51 frames agree with the reference'
  run 1 collide scene.gltf --fail-on-contact
  run 0 collide scene.gltf --animation rest --fail-on-contact
  # Without contact in what was checked, but not everything was.
  python3 -c 'import json; s = json.load(open("scene.gltf")); s["animations"].reverse(); s["animations"][0]["channels"] = []
json.dump(s, open("late.gltf", "w"))'
  run 0 collide late.gltf; err_has 'only flap of its 3 animations is played'; err_lines 1
  run 2 collide late.gltf --fail-on-contact; err_lines 1
  err_has 'not everything was checked: late.gltf: only flap of its 3 animations .*; use --allow-unchecked to accept that'
  run 0 collide late.gltf --fail-on-contact --allow-unchecked; err_lines 1
  run 0 collide late.gltf --fail-on-contact -a flap; err_lines 0
  run 1 collide late.gltf --fail-on-contact -a all
  run 2 distance late.gltf --closer 0 --fail-if-closer; err_lines 1; err_has 'not everything was checked'
  run 0 distance late.gltf --closer 0 --fail-if-closer --allow-unchecked
  run 0 collide bent.gltf --scene less --animation rest --fail-on-contact
  python3 -c 'import json; s = json.load(open("calm.gltf")); s["scene"] = 1; json.dump(s, open("hidden.gltf", "w"))'
  run 2 collide hidden.gltf --fail-on-contact; err_has '1 node with a mesh is only in other scenes, which are not read; --scene'; err_lines 1
  run 0 collide hidden.gltf --fail-on-contact --scene 1
  run 0 info scene.gltf flat.obj; out_has '^  *2  flap: morphs, 1 triangle, 3 vertices, 1 morph target$'; out_has '^  *0  cut: 1 s$'
  out_has '^  2 scenes$'; out_has '^  *0  whole: the bodies above$'; out_has '^  *1  less: choose it with --scene$'; out_has '^  3 animations$'
  run 0 info nameless.gltf --json; json '[b["name"] for b in rows[0]["bodies"]] == ["slab", "blade \"b\", old", "node 2"]'
  run 0 info scene.gltf flat.obj --json
  json 'len(rows) == 2 and [b["name"] for b in rows[0]["bodies"]] == ["plate", "blade \"b\", old", "flap"]'
  json 'rows[0]["scenes"] == ["whole", "less"] and rows[0]["scene"] == 0'
  json '[b["moves"] for b in rows[0]["bodies"]] == [False, True, False] and [a["name"] for a in rows[0]["animations"]] == ["cut", "held", "flap"]'
  run 0 collide skinned.gltf --json --check; json 'len(rows) == 1 and rows[0]["pairs"] == 1'
  err_has 'left out: 3 skinned vertices without weights'; err_lines 1
  refused 2 'many.gltf: flap: .* 1 to 256' collide many.gltf
  refused 2 'absent.glb' collide absent.glb
  refused 2 'broken.gltf' collide broken.gltf
  refused 2 'broken.gltf' info broken.gltf
  refused 2 'no animation walk; there are 3, the first is cut' collide scene.gltf --animation walk
  refused 2 'no animation walk, nor any other' collide calm.gltf --animation walk
  refused 2 'calm.gltf' collide calm.gltf --scene 7
fi
refused 64 'fps is for a glTF scene' collide flat.obj blade.obj --fps 3
refused 64 'animation is for a glTF scene' collide flat.obj blade.obj --animation all
refused 64 'bodies of a glTF scene need auto' collide scene.gltf --strategy hybrid
refused 64 'float is for mesh files' collide scene.gltf --float
refused 64 'a number from' collide scene.gltf --fps 0

# ------------------------------------------------------------------------------------------------------------------ demo
run 0 demo --steps 5 --triangles 320 --out made/here --json
json 'len(rows) == 1 and [s["step"] for s in rows[0]["steps"]] == [0, 50, 100, 149, 199] and rows[0]["checked_steps"] > 0'
json 'rows[0]["steps"][0]["pairs"] == 0 and rows[0]["steps"][-1]["pairs"] > 0 and len(rows[0]["files"]) == 7'
for f in made/here/step-*.png; do [ "$(head -c 4 "$f" | tail -c 3)" = PNG ] || fail "$f is no PNG"; done
python3 - <<'PY' >python.log 2>&1 || { fail "the page of the demo"; head -3 python.log; }
from html.parser import HTMLParser
import re
text = open("made/here/index.html", encoding="utf-8").read()
void = {"meta", "link", "img", "input", "line", "path", "br"}
class Check(HTMLParser):
    open_tags, outside = [], []
    def handle_starttag(self, tag, attrs):
        if tag not in void: self.open_tags.append(tag)
        self.outside += [v for k, v in attrs if k in ("src", "href") and not v.startswith("data:")]
    def handle_startendtag(self, tag, attrs): pass
    def handle_endtag(self, tag): assert self.open_tags.pop() == tag, tag
check = Check()
check.feed(text)
assert not check.open_tags and not check.outside, (check.open_tags, check.outside)
assert text.count("<svg") == 4 and text.count("data:image/png") == 6
assert not re.search(r"https?://|nan|inf[^o]", re.sub(r"base64,[^\"]*", "", text))
PY
run 0 demo --steps 20 --triangles 80 --out made/plain --no-pictures --threads 2
out_has 'touching pairs'; out_has 'times faster'; out_has 'the same pairs'; out_has 'made/plain/index.html'
[ -z "$(ls made/plain/*.png 2>/dev/null)" ] || fail "pictures in spite of --no-pictures"
refused 2 'flat.obj' demo --out flat.obj/x --steps 2 --triangles 80
refused 2 'flat.obj' demo --out flat.obj --steps 2 --triangles 80
refused 64 'from 2 to 200' demo --steps 1

# ------------------------------------------------------------------------------------------------------------- real data
if [ -d "$DATA/sequences/cactus_deformed" ]; then
  cactus=$DATA/sequences/cactus_deformed
  run 0 info "$cactus" --json; json 'rows[0]["frames"] == 150 and rows[0]["triangles"] == 1236 and rows[0]["closed"]'
  if [ -z "${SANITIZED-}" ]; then # the reference takes long
    run 0 collide "$cactus" "$cactus/cactus_deformed_60.off" --json --check
    json 'len(rows) == 150 and all(r["checked"] for r in rows) and rows[60]["pairs"] > 1236'
    beetle=$DATA/static/beetle.obj
    run 0 collide "$cactus" "$beetle" --json --check --strategy top-down --arity 4 --list; cp out one
    json 'len(rows) == 150 and any(r["pairs"] for r in rows)'
    run 0 collide "$beetle" "$cactus" --json --check --threads 2 --list
    json '[sorted([b, a] for a, b in r["list"]) for r in rows] == [json.loads(l)["list"] for l in open("one")]'
  fi
  rumba=$DATA/sequences/Rumba_Dancing
  run 0 collide "$rumba" "$DATA/static/spot.obj" --json --strategy hybrid; cp out one
  run 0 collide "$rumba" "$DATA/static/spot.obj" --json --strategy bottom-up --threads 2
  json 'len(rows) == 12 and [r["pairs"] for r in rows] == [json.loads(l)["pairs"] for l in open("one")] and rows[0]["pairs"] > 0'
  run 0 collide "$rumba" "$DATA/static/spot.obj" --json --budget-ms 0.001
  json 'any(r["partial"] for r in rows) and all(r["pairs"] <= json.loads(l)["pairs"] for r, l in zip(rows, open("one")))'
  run 0 collide "$DATA/static/fcl_resources/env.obj" "$DATA/static/fcl_resources/rob.obj" --check; out_has 'agree with the reference'
  run 0 info "$DATA"/static/*.obj --json; json 'len(rows) == 8'
  for f in "$DATA"/nasty/trimesh/* "$DATA"/nasty/tinyobjloader/*; do
    "$PLIANT" info "$f" >out 2>err
    code=$?
    tests=$((tests + 1))
    last="pliant info $f"
    [ $code = 0 ] || [ $code = 2 ] || fail "$last: exit code $code"
    [ $code = 0 ] || err_lines 1
  done
else
  echo "the real data is not there: its tests are left out"
fi

if [ -d "$DATA/gltf" ] && ! grep -q jansson jansson.err; then
  gltf() { echo "$DATA/gltf/$1/$1.glb"; }
  run 0 collide "$(gltf BoxAnimated)" --fps 2 --json --check; json 'len(rows) == 8 and not any(r["pairs"] for r in rows)'
  run 0 collide "$(gltf AnimatedMorphCube)" --fps 2 --json; json 'len(rows) == 9'; err_has 'the only body'; err_lines 1
  run 0 collide "$(gltf MorphStressTest)" --fps 2 --animation all; out_has '8 morph targets'
  run 0 collide "$(gltf CesiumMilkTruck)" --fps 2 --json --check --list; cp out one
  json 'len(rows) == 3 and all([c["a"] for c in r["contacts"]] == ["Wheels", "Wheels.001"] for r in rows)'
  json 'all(c["b"] == "Cesium_Milk_Truck" and c["pairs"] == len(c["list"]) > 0 for r in rows for c in r["contacts"])'
  run 0 collide "$(gltf CesiumMilkTruck)" --fps 2 --json --list --threads 2 --arity 4 --builder partition
  json '[r["contacts"] for r in rows] == [json.loads(l)["contacts"] for l in open("one")]'
  run 0 collide "$(gltf CesiumMilkTruck)" --fps 2 --json --check --first; json 'all(r["pairs"] == 2 for r in rows)'
  run 0 collide "$(gltf CesiumMilkTruck)" --fps 2 --json --check --budget-ms 0.001; json 'any(r["partial"] for r in rows)'
  run 0 collide "$(gltf InterpolationTest)" --fps 2 --check --json --animation all; json 'len(rows) == 45 and len({r["animation"] for r in rows}) == 9'
  run 0 collide "$(gltf NegativeScaleTest)" --check --json
  json 'len(rows) == 1 and len(rows[0]["contacts"]) == 6 and all(c["a"] == "BackgroundMesh" for c in rows[0]["contacts"])'
  run 0 collide "$(gltf RecursiveSkeletons)" --fps 1 --json --check --list; err_lines 0; cp out one
  json 'len(rows) > 1 and any(r["pairs"] for r in rows) and len({json.dumps(r["contacts"]) for r in rows}) > 1'
  run 0 collide "$(gltf RecursiveSkeletons)" --fps 1 --json --list --threads 2 --arity 2 --builder partition --leaf 3
  json '[r["contacts"] for r in rows] == [json.loads(l)["contacts"] for l in open("one")]'
  if [ -z "${SANITIZED-}" ]; then
    run 0 distance "$(gltf RecursiveSkeletons)" --fps 1 --json --check; json 'len(rows) > 1 and all(r["checked"] for r in rows)'
  fi
  run 0 collide "$(gltf Fox)" --fps 2 --json; err_has 'fox is the only body'
  run 0 info "$(gltf Fox)"; out_has 'fox: moves, skinned, 576 triangles'
  run 0 info "$DATA"/gltf/*/*.gl* --json; json 'len(rows) >= 20 and all(r["bodies"] for r in rows)'
fi

finish

#!/usr/bin/env bash
# `pliant distance` from outside: answers, JSON, CSV, sequences, scenes, plots, exit codes, and what it says when something is
# wrong. Uses small meshes that it writes itself, and the real data where it lies beside the project.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh" distance

square a.obj 0 0
square b.obj 0.25 0
square c.obj 1 1.75
mkdir moving
for i in 0 1 2 3; do square "moving/m_$i.obj" "$((3 - i))" 0; done

# answers
run 0 a.obj b.obj --json
json 'len(rows) == 1 and rows[0]["frame"] == 0 and rows[0]["distance"] == 0.25 and rows[0]["lower"] == 0.25'
json 'rows[0]["triangle_a"] == 0 and rows[0]["triangle_b"] == 0 and not rows[0]["partial"]'
json 'rows[0]["point_b"][2] - rows[0]["point_a"][2] == 0.25 and rows[0]["point_a"][:2] == rows[0]["point_b"][:2]'
run 0 a.obj c.obj --json --check
json 'rows[0]["distance"] == 1.25 and rows[0]["point_a"][0] == 1 and rows[0]["checked"]'
run 0 a.obj b.obj
out_has '^distance  0.25$'
run 0 a.obj a.obj
out_has 'distance  0: they touch'

# sequences
run 0 moving a.obj --json --check
json '[r["distance"] for r in rows] == [3, 2, 1, 0] and [r["frame"] for r in rows] == [0, 1, 2, 3]'
json 'rows[3]["point_a"] == rows[3]["point_b"]'
run 0 moving/m_*.obj -- a.obj
out_has '0 least (frame 3, moving/m_3.obj), 1.5 mean, 3 most (frame 0, moving/m_0.obj)'
run 0 'moving/m_*.obj' a.obj --csv
out_has '^frame,a,b,distance,a_x,a_y,a_z,b_x,b_y,b_z,triangle_a,triangle_b,partial,n_v,n_p,n_u,ms_set,ms_update,ms_query$'
[ "$(wc -l <out)" = 5 ] || fail "$last: not 5 lines"
[ "$(sed -n 3p out | cut -d, -f4)" = 2 ] || fail "$last: distance of frame 1"
for options in '--strategy bottom-up' '--strategy top-down --leaf 1' '--builder partition --arity 2' '--float' '--threads 2'; do
  # shellcheck disable=SC2086
  run 0 moving a.obj --json --check $options
  json '[r["distance"] for r in rows] == [3, 2, 1, 0]'
done

# closer, margin, tolerances, budget
run 0 moving a.obj --closer 1.5 --json --check
json '[r["closer"] for r in rows] == [False, False, True, True] and "distance" not in rows[0]'
run 1 moving a.obj --closer 1.5 --fail-if-closer
out_has 'closer    than 1.5 in 2 frames; the first is frame 2'
run 0 moving/m_0.obj a.obj --closer 1.5 --fail-if-closer
run 0 moving a.obj --closer 1 --csv
[ "$(cut -d, -f4 out | tr '\n' ' ')" = 'closer 0 0 1 1 ' ] || fail "$last: column closer"
run 0 a.obj b.obj --margin 0.25 --json
json 'rows[0]["near"] == 4'
run 0 a.obj b.obj --margin 0.2 --json --list
json 'rows[0]["near"] == 0 and rows[0]["list"] == []'
run 0 a.obj b.obj --margin 0.5 --json --list
json 'rows[0]["list"] == [[0, 0, 0.25], [0, 1, 0.25], [1, 0, 0.25], [1, 1, 0.25]]'
run 0 a.obj b.obj --margin 0.5 --list
out_has '^  1 1 0.25$'
run 0 a.obj b.obj --margin 0.5 --list --csv
out_has ',0-0:0.25 0-1:0.25 1-0:0.25 1-1:0.25$'
run 0 moving a.obj --relative 0.5 --absolute 0.1 --json --check
json 'all(w <= r["distance"] <= 1.5 * w + 0.1 for r, w in zip(rows, [3, 2, 1, 0]))'
run 0 a.obj b.obj --budget-ms 1e-9 --json --check
json 'rows[0]["lower"] <= 0.25'

# plots
run 0 moving a.obj --plot curve.svg
out_has '^plot      curve.svg$'
python3 -c 'import xml.dom.minidom as m; d = m.parse("curve.svg"); assert len(d.getElementsByTagName("path")) > 2' ||
  fail "curve.svg is not what it should be"
if command -v gnuplot >/dev/null; then
  run 0 moving a.obj --plot "it's a curve.png"
  [ "$(head -c 4 "it's a curve.png" | tail -c 3)" = PNG ] || fail "no PNG"
fi
# a name with a newline, a leading bar or quotes is a name, never a line of a script
mkdir plots && (cd plots && cp ../a.obj ../b.obj .)
cd plots || exit 1
newline=$(printf "x'\nsystem 'touch broken-out'\nset output 'y.png")
for name in "$newline" "|touch broken-out;.png" "\`touch broken-out\`.png" "system('touch broken-out').png" "$newline.svg"; do
  if [ "${name%.svg}" = "$name" ] && ! command -v gnuplot >/dev/null; then continue; fi
  run 0 a.obj b.obj --plot "$name"
  [ -e broken-out ] && fail "$last: a command of the name was run"
  [ -s "$name" ] || fail "$last: no such plot"
  [ "$(find . -type f -newer b.obj ! -name out ! -name err -printf . | wc -c)" = 1 ] || fail "$last: other files were left"
  rm -f -- "$name" broken-out
done
cd .. || exit 1
# every distance has a plot, of bounded size and finite numbers: the least double, three more, and nearly the greatest
far() { printf 'v 0 0 %s\nv 1 0 %s\nv 0 1 %s\nf 1 2 3\n' "$2" "$2" "$2" >"$1"; }
far zero.obj 0
for z in 5e-324 2e-323 1e-310 1e-300 3e299 1e300 1.797e308; do
  far extreme.obj $z
  for kind in svg png; do
    if [ $kind = png ] && ! command -v gnuplot >/dev/null; then continue; fi
    last="distance $z --plot extreme.$kind"; tests=$((tests + 1)); code=0
    (ulimit -f 20000 && timeout 60 "$PLIANT" distance extreme.obj zero.obj --plot extreme.$kind >out 2>err) || code=$?
    [ $code = 0 ] || fail "$last: exit code $code"
    [ -s extreme.$kind ] || fail "$last: no plot"
    rm -f "last.$kind" && mv extreme.$kind "last.$kind"
  done
  python3 - <<'PY' || fail "distance $z: the plot has other than finite numbers, or too many marks"
import re, xml.dom.minidom as m
text = open("last.svg").read()
assert m.parseString(text) and not re.search(r"\b(nan|inf)", text.split("</title>")[1], re.I) and text.count("<text") < 30
PY
done
refused 64 'must end in .svg or .png' moving a.obj --plot curve.jpg
refused 2 'no/such/folder' moving a.obj --plot no/such/folder/curve.svg

# wrong lines
refused 64 'two meshes' a.obj
refused 64 'two meshes' 
refused 64 'not both' a.obj b.obj --json --csv
refused 64 'not both' a.obj b.obj --closer 1 --margin 1
refused 64 'needs --closer' a.obj b.obj --fail-if-closer
refused 64 'needs --margin' a.obj b.obj --list
refused 64 'nothing that --plot' a.obj b.obj --closer 1 --plot x.svg
refused 64 'is exact' a.obj b.obj --closer 1 --relative 0.1
refused 64 'margin' a.obj b.obj --margin -1
refused 64 'fps' a.obj b.obj --fps 5
refused 2 'none.obj' a.obj none.obj
run 0 --help
out_has 'pliant distance .*--plot clearance.svg'
out_has 'closer D'

# scenes
scene=$DATA/gltf/BoxAnimated/BoxAnimated.glb
if [ -f "$scene" ]; then
  run 0 "$scene" --fps 4 --json --check
  json 'len(rows) > 3 and all(r["distance"] > 0 and r["a"] != r["b"] for r in rows) and rows[1]["time"] == 0.25'
  run 0 "$scene" --fps 4 --csv
  out_has '^frame,time,a,b,distance'
  run 0 "$scene" --fps 4 --closer 1 --json --check
  json 'any(r["closer"] for r in rows) and not all(r["closer"] for r in rows)'
  run 0 "$scene" --fps 4 --plot scene.svg
  out_has 'least (frame'
  run 0 "$scene" a.obj --fps 4 --json --check; json 'all(r["checked"] for r in rows)'
  refused 64 'margin is for two meshes' "$scene" --margin 1
fi
# normalised integers, positions and deltas of a morph target, are divided in double: 11/32767 is no float
python3 - <<'PY'
import base64, json, struct
pack = lambda rows: b"".join(struct.pack("<4h", *r, 0) for r in rows)
data = pack([(0, 0, 0), (32767, 0, 0), (0, 32767, 0)]) + pack([(0, 0, 11)] * 3)
accessor = lambda view: {"bufferView": view, "componentType": 5122, "normalized": True, "count": 3, "type": "VEC3"}
view = lambda at: {"buffer": 0, "byteOffset": at, "byteLength": 24, "byteStride": 8}
json.dump({"asset": {"version": "2.0"}, "extensionsRequired": ["KHR_mesh_quantization"], "nodes": [{"mesh": 0, "name": "flat"}, {"mesh": 1}],
           "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]},
                      {"primitives": [{"attributes": {"POSITION": 0}, "targets": [{"POSITION": 1}]}], "weights": [1]}],
           "accessors": [accessor(0), accessor(1)], "bufferViews": [view(0), view(24)],
           "buffers": [{"byteLength": 48, "uri": "data:application/octet-stream;base64," + base64.b64encode(data).decode()}]},
          open("small.gltf", "w"))
PY
"$PLIANT" info small.gltf >out 2>err
if ! grep -q jansson err; then
  run 0 small.gltf --json --check
  json 'rows[0]["distance"] == 11 / 32767 and rows[0]["point_b"][2] == 11 / 32767'
fi
if [ -f "$DATA/static/cow.obj" ]; then
  run 0 "$DATA/static/cow.obj" "$DATA/static/suzanne.obj" --json --check
  json 'abs(rows[0]["distance"] - 2.0827) < 1e-4'
fi

finish

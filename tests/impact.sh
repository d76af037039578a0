#!/usr/bin/env bash
# `pliant impact` from outside: answers, JSON, exit codes, and what it says when something is wrong.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh" impact

# A vertex falls through a triangle, and one misses it.
python3 - <<'PY'
def rows(vertex, label):
    face = [(0, 0, 0), (4, 0, 0), (0, 4, 0)] # quarters
    for z in (1, -1):
        for x, y, h in [(*vertex, z)] + face:
            yield f"{x}, 4, {y}, 4, {4 * h}, 4{label}\n"
labelled = list(rows((1, 1), ",1")) + list(rows((3, 3), ",0"))
open("fall_vf.csv", "w").writelines(labelled)
open("plain.csv", "w").writelines(list(rows((1, 1), "")) + list(rows((3, 3), "")))
open("wrong_vf.csv", "w").writelines(labelled[:8] + [line.replace(",0\n", ",1\n") for line in labelled[8:]])
open("short_vf.csv", "w").writelines(labelled[:11])
open("third_vf.csv", "w").writelines(["1,3,0,1,0,1,1\n"] * 8)
open("mixed_vf.csv", "w").writelines(labelled[:7] + ["1,4,1,4,1,4,0\n"])
open("word_vf.csv", "w").write("x,1,0,1,0,1\n")
open("labels.json", "w").write("[true, false]\n")
open("few.json", "w").write("[true]\n")
open("empty_vf.csv", "w").write("\n")
PY
run 0 --queries fall_vf.csv --json
json 'len(rows) == 1 and rows[0]["kind"] == "vertex-face" and rows[0]["queries"] == 2 and rows[0]["contacts"] == 1'
json '[rows[0][k] for k in ("true_positives", "false_positives", "true_negatives", "false_negatives")] == [1, 0, 1, 0]'
json '0 <= rows[0]["us_median"] <= rows[0]["us_p99"] <= rows[0]["us_p999"] <= rows[0]["us_max"]'
run 0 --queries wrong_vf.csv --json
json 'rows[0]["true_positives"] == 1 and rows[0]["false_negatives"] == 1'
run 0 --queries plain.csv --kind vertex-face --json
json 'rows[0]["contacts"] == 1 and "true_positives" not in rows[0]'
run 0 --queries plain.csv --kind edge-edge
out_has '2 edge-edge queries'
run 0 --queries plain.csv --kind vertex-face --labels labels.json
out_has '1 true positives, 0 false positives, 1 true negatives, 0 false negatives'
refused 2 'the path says neither' --queries plain.csv
refused 2 'short_vf.csv:9: the last query has 3 of 8 rows' --queries short_vf.csv
refused 2 'third_vf.csv:1: 1 / 3 is not exactly a double' --queries third_vf.csv
refused 2 'mixed_vf.csv:8: the label 0 is not' --queries mixed_vf.csv
refused 2 "word_vf.csv:1: 'x' stands where a number" --queries word_vf.csv
refused 2 'one for each of the 2 queries' --queries plain.csv --kind vertex-face --labels few.json
refused 2 'no queries' --queries empty_vf.csv
refused 2 'nothing_vf.csv' --queries nothing_vf.csv

# sequences: a square that falls through another one, and back
square ground.obj 0 0
mkdir falling
for i in 0 1 2 3; do square "falling/f_$i.obj" "$((1 - 2 * (i % 2)))" 0.25; done
run 0 falling ground.obj --json --check
json '[r["interval"] for r in rows] == [0, 1, 2] and all(r["time"] == 0.5 and r["checked"] for r in rows)'
json 'all(r["vertex_face"] + r["edge_edge"] > 4 and "list" not in r and r["safe_step"] < 0.5 for r in rows)'
json 'rows[0]["features"]["normal"] == [0, 0, 1] and rows[1]["features"]["normal"] == [0, 0, -1]'
json 'rows[0]["features"]["kind"] == "vertex-face" and rows[0]["features"]["a"]["vertex"] in range(4) and rows[0]["from"].endswith("f_0.obj")'
run 0 falling ground.obj --json --list
json 'all(len(r["list"]) == r["vertex_face"] + r["edge_edge"] and r["list"][0] == r["features"] for r in rows)'
json 'all(x["time"] <= y["time"] for r in rows for x, y in zip(r["list"], r["list"][1:]))'
run 0 falling ground.obj --json --first --check
json 'all(r["time"] == 0.5 and r["vertex_face"] + r["edge_edge"] == 1 for r in rows)'
run 0 falling ground.obj --json --check --budget-ms 1000
json 'all(r["time"] == 0.5 and r["partial"] is False for r in rows)'
refused 64 'budget-ms' falling ground.obj --budget-ms nothing
run 0 falling ground.obj --json --separation 0.5 # its older name
cp out older
run 0 falling ground.obj --json --margin 0.5
json 'rows and all({k: v for k, v in r.items() if not k.startswith("ms")} == {k: v for k, v in o.items() if not k.startswith("ms")} for r, o in zip(rows, [json.loads(line) for line in open("older")]))'
json 'all(0.2495 < r["time"] <= 0.25 for r in rows)'
run 1 falling ground.obj --fail-on-contact
out_has 'frames 0 to 1: first contact at 0.500000000'
out_has 'intervals 3, 3 with contact'
square high.obj 5 0
run 0 falling high.obj --fail-on-contact --json
json 'all(r["time"] is None and r["safe_step"] == 1 and r["vertex_face"] == r["edge_edge"] == 0 for r in rows)'
run 0 falling ground.obj --frames 1..2 --report page.html
out_has 'intervals 1, 1 with contact'
grep -q '<td>1 to 2</td><td>0.500000000</td>' page.html || fail "$last: the page has no row"
grep -q 'data:image/png' page.html || fail "$last: the page has no picture"
out_has '^report    page.html'
run 0 falling high.obj --report none.html
grep -q 'data:image/png' none.html && fail "$last: a picture of no contact"

# A bar turns by 170 degrees past a post, which its straight way misses; then it stands, and goes on without meeting it.
python3 - <<'PY'
import math, os
def bar(name, degrees):
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    points = [(0, 0, -.1), (2, 0, -.1), (0, 0, .1), (2, .05, .1)]
    rows = [f"v {5 + c * x - s * y:.17g} {3 + s * x + c * y:.17g} {z + degrees / 1e5}\n" for x, y, z in points]
    open(name, "w").writelines(rows + ["f 1 2 3\nf 2 4 3\n"])
os.mkdir("bar")
for i, degrees in enumerate((0, 170, 170, 340)): bar(f"bar/b_{i}.obj", degrees)
c, s = math.cos(math.radians(60)), math.sin(math.radians(60))
open("post.obj", "w").write("".join(f"v {5 + r * c} {3 + r * s} {z}\n" for r, z in ((1.9, -1), (1.9, 1), (1.91, 1))) + "f 1 2 3\n")
PY
run 0 bar post.obj --json; json 'len(rows) == 3 and all(r["time"] is None for r in rows)'
run 0 bar post.obj --json --turning
json '58.4 < 170 * rows[0]["time"] < 60 and all(r["time"] is None and r["safe_step"] == 1 for r in rows[1:])'
run 0 bar post.obj --turning --report turning.html; [ -s turning.html ] || fail 'no page of turning bodies'
run 0 bar post.obj --json --turning --first --threads 1; json '58.4 < 170 * rows[0]["time"] < 60'
refused 64 'leave out --turning' bar post.obj --turning --check
refused 64 'end in .html' falling ground.obj --report page.txt
run 0 --self falling --json --check
json 'len(rows) == 3 and all(r["time"] is None for r in rows)'
# a fold that closes: the third triangle comes down on the first; its seam with the second is in two copies of the vertices
python3 - <<'PY'
for i, z in enumerate((1, -1)):
    open(f"fold_{i}.obj", "w").write(
        "v 0 0 0\nv 4 0 0\nv 0 4 0\nv 4 0 2\nv 4 0 0\nv 4 0 2\n" + f"v 1 1 {z}\n" + "f 1 2 3\nf 1 5 4\nf 5 6 7\n")
PY
run 0 --self fold_0.obj fold_1.obj --json --check
json 'len(rows) == 1 and rows[0]["time"] == 0.5 and rows[0]["features"]["a"] == {"body": "fold_0.obj", "vertex": 6}'
run 0 --self fold_0.obj fold_1.obj --json --no-weld --check
json 'rows[0]["time"] == 0'
# vertices that lie together in the first frame only are two
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 2 0 0\nv 2 1 0\nf 1 2 3\nf 4 5 6\n' >part_0.obj
sed '4s/.*/v 1 0 9/;5s/.*/v 2 0 9/;6s/.*/v 2 1 9/' part_0.obj >part_1.obj
run 0 --self part_0.obj part_1.obj --json --check
json 'rows[0]["time"] == 0'
run 0 --self fold_0.obj fold_1.obj --report self.html
grep -q 'data:image/png' self.html || fail "$last: the page has no picture"
refused 2 'nothing moves' ground.obj high.obj
refused 2 'cannot be written' falling ground.obj --report nowhere/page.html
run 64 falling
run 64
err_has '^pliant: '
run 64 --queries fall_vf.csv more
run 0 --help
out_has 'pliant impact'
if [ -d "$DATA/ccd-queries" ]; then
  for file in "$DATA"/ccd-queries/*/*/*.csv; do
    run 0 --queries "$file" --json
    json 'rows[0]["false_positives"] == 0 and rows[0]["false_negatives"] == 0 and rows[0]["contacts"] > 0'
  done
fi
if [ -d "$DATA/sequences" ]; then
  run 0 --self "$DATA/sequences/cactus_deformed" --frames 24..25 --json --check
  json 'rows[0]["vertex_face"] == 13 and rows[0]["edge_edge"] == 51'
  for options in '' '--first'; do
    # shellcheck disable=SC2086
    run 0 --self "$DATA/sequences/cactus_deformed" --frames 24..25 --json --check --budget-ms 0.000001 $options
    json 'rows[0]["partial"] is True and 0 <= rows[0]["safe_step"] < 1 and rows[0]["vertex_face"] + rows[0]["edge_edge"] < 64'
  done
  run 0 --self "$DATA/sequences/cactus_deformed" --frames 24..25 --budget-ms 0.000001
  out_has ' 1 partial: the budget ended them'
  run 0 --self "$DATA/gltf/RiggedSimple/RiggedSimple.glb" --fps 4 --json --check
  json 'len(rows) > 3 and all("time" in r for r in rows)'
  run 0 "$DATA/gltf/BoxAnimated/BoxAnimated.glb" --fps 4 --json --check
  run 0 "$DATA/gltf/BoxAnimated/BoxAnimated.glb" --fps 4 --json --turning
  run 0 --self "$DATA/gltf/RiggedSimple/RiggedSimple.glb" --fps 4 --json --turning
  json 'len(rows) > 3'
fi
finish

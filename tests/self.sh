#!/usr/bin/env bash
# `pliant self` from outside: answers, seams, JSON, CSV, sequences, scenes, exit codes, and what it says when something is wrong. Uses
# small meshes that it writes itself, and the real data where it lies beside the project.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh" self

# a strip of three squares that is folded over by degrees: the last frames go through themselves
strip() { # strip FILE ANGLE
  python3 -c 'import math, sys
a = math.radians(float(sys.argv[1]))
x, z, out = 0.0, 0.0, []
for i in range(4):
    out.append((x, z)); x += math.cos(i * a); z += math.sin(i * a)
for x, z in out: print(f"v {x!r} 0 {z!r}\nv {x!r} 1 {z!r}")
for i in range(3): print(f"f {2*i+1} {2*i+3} {2*i+4}\nf {2*i+1} {2*i+4} {2*i+2}")' "$2" >"$1"
}
mkdir fold
for i in 0 1 2 3; do strip "fold/f_$i.obj" "$((i * 45))"; done
# two squares that meet at a seam with vertices of their own
printf 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 0 0\nv 2 0 0\nv 2 1 0\nv 1 1 0\nf 1 2 3\nf 1 3 4\nf 5 6 7\nf 5 7 8\n' >seam.obj
# a triangle through another; and one folded back onto its neighbour
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.2 0.2 1\nv 0.3 0.2 1\nf 1 2 3\nf 4 5 6\n' >cross.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.1 0.9 0\nf 1 2 3\nf 2 1 4\n' >back.obj

run 0 cross.obj
out_has '^pairs     1$'
run 1 cross.obj --fail-on-contact
run 0 seam.obj --fail-on-contact
out_has '4 triangles, 2 duplicate vertices welded$'
run 1 seam.obj --fail-on-contact --no-weld
out_has '^pairs     '
run 0 back.obj --fail-on-contact
run 1 back.obj --fail-on-contact --neighbours --check
run 0 cross.obj --json --list
json 'len(rows) == 1 and rows[0]["pairs"] == 1 and rows[0]["bodies"][0]["list"] == [[0, 1]]'
run 0 cross.obj --limit 0
out_has '... 1 more'

# corners that meet by chance in one frame are a contact; those that stay together are one vertex, whichever frames are played
mkdir meet
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 5 0 0\nv 6 1 1\nv 6 0 1\nf 1 2 3\nf 4 5 6\nf 7 8 9\n' >meet/m_0.obj
sed 's/v 5 0 0/v 0 0 0/; s/v 1 0 0/v 1 0 -0.0/' meet/m_0.obj >meet/m_1.obj
run 0 meet --json --list --check
json '[r["pairs"] for r in rows] == [0, 1] and rows[1]["bodies"][0]["list"] == [[0, 2]] and rows[0]["bodies"][0]["welded"] == 2'
run 0 meet --frames 1 --json
json 'rows[0]["pairs"] == 1'
run 0 meet/m_1.obj --json # alone it is all that is known
json 'rows[0]["pairs"] == 0 and rows[0]["bodies"][0]["welded"] == 3'

# sequences, in every way of naming them
run 0 fold --json --check
json '[r["frame"] for r in rows] == [0, 1, 2, 3] and rows[0]["pairs"] == 0 and rows[3]["pairs"] > 0'
cp out all
run 0 fold/f_*.obj --json --check
json 'len(rows) == 4'
run 0 fold/f_0.obj fold/f_3.obj --json
json 'len(rows) == 2 and rows[1]["pairs"] > 0'
run 0 'fold/f_*.obj' --frames 2.. --csv --list
out_has '^frame,label,body,triangles,welded,pairs,partial,n_v,n_p,n_u,ms_update,ms_query,list$'
out_lines 3
run 0 --json cross.obj -- seam.obj
json 'len(rows) == 1 and [b["name"] for b in rows[0]["bodies"]] == ["cross.obj", "seam.obj"]'
for options in '--method boxes' '--method cones' '--method hash' '--float' '--threads 2'; do
  # shellcheck disable=SC2086
  run 1 fold --fail-on-contact --check $options
  out_has '^checked   all 4 frames agree with the reference$'
done
# a budget: with time enough the whole answer
run 0 fold --json --check --budget-ms 1000
json 'all(r["partial"] is False and r["bodies"][0]["partial"] is False for r in rows) and rows[3]["pairs"] > 0'
refused 64 'budget-ms' fold --budget-ms -1
run 0 fold --method cones-may-miss
out_has 'pairs may be missing'

# to look at: a page, the triangles
run 0 fold --report fold.html --out fold.ply --json
json 'rows[3]["pairs"] > 0'
python3 - <<'PY' >python.log 2>&1 || { fail "the page or the triangles of fold"; tail -2 python.log; }
import json, re
rows = [json.loads(line) for line in open("out")]
page = re.sub(r"base64,[^\"]*", "", open("fold.html").read())
touching = sum(r["pairs"] > 0 for r in rows)
assert f"<b>{touching}</b><span>of them with contact" in page and page.count("<tr>") == 2 and "<td>fold</td>" in page, page
assert "Pairs of bodies" not in page and "pair of bodies" not in page and "data:image/png" in page
assert "<b>1</b><span>body that touches itself" in page, page
head = open("fold.ply", "rb").read().split(b"end_header")[0]
assert int(head.split(b"element face ")[1].split()[0]) >= 2 * touching
PY
run 0 fold --report again.html --out again.ply --threads 1 --method boxes
out_has '^report    again.html'
cmp -s again.html fold.html || fail "the page depends on threads or on the method"
run 0 fold --frames 0 --report none.html
grep -q 'No body touches itself' none.html || fail "no contact is not said"
run 0 cross.obj --csv --report one.html
refused 64 'end in .html' cross.obj --report page.txt
refused 2 'nowhere/r.html' cross.obj --report nowhere/r.html

# wrong
refused 64 'name a mesh file or a glTF scene'
refused 64 'json or --csv, not both' cross.obj --json --csv
refused 64 'method' cross.obj --method best
refused 64 'glTF scene' cross.obj --fps 30
refused 2 'no such file' nothing.obj
refused 2 'topology\|triangles' fold/f_0.obj -- cross.obj seam.obj
run 0 --help
out_has 'no-weld'

if [ -d "$DATA/static" ]; then
  run 0 "$DATA/static/teapot.obj" --json
  json 'rows[0]["pairs"] == 161 and rows[0]["bodies"][0]["welded"] == 403'
  run 0 "$DATA/sequences/Rumba_Dancing" --frames 11 --json
  json 'rows[0]["pairs"] == 495'
  run 0 "$DATA/static/teapot.obj" --json --check --budget-ms 0.000001
  json 'rows[0]["partial"] is True and rows[0]["bodies"][0]["partial"] is True and rows[0]["pairs"] < 161'
  run 0 "$DATA/static/teapot.obj" --budget-ms 0.000001
  out_has ' 1 partial: the budget ended them'
  run 0 "$DATA/nasty/cgal/non_manifold.off" --json --no-weld
  json 'rows[0]["pairs"] == 4'
  run 0 "$DATA/gltf/CesiumMan/CesiumMan.glb" --fps 4 --json --check
  json 'len(rows) == 9 and all(r["checked"] and r["time"] == r["frame"] / 4 for r in rows)'
  # every skinned model against brute force, and its pictures
  for model in CesiumMan/CesiumMan.glb Fox/Fox.glb RiggedFigure/RiggedFigure.glb RiggedSimple/RiggedSimple.glb \
    RecursiveSkeletons/RecursiveSkeletons.glb SimpleSkin/SimpleSkin.gltf; do
    run 0 "$DATA/gltf/$model" --fps 2 --check --threads 1
    out_has '^checked   all [0-9]* frames agree with the reference$'
  done
  run 0 "$DATA/gltf/CesiumMan/CesiumMan.glb" --fps 1 --report man.html
  grep -q 'data:image/png' man.html || fail "a skinned model has no picture in its report"
fi
finish

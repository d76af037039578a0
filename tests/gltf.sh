#!/usr/bin/env bash
# Skinned glTF models in every command, where the real data is: none is refused, and what takes two meshes takes two models.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh"
[ -d "$DATA/gltf" ] || exit 77
man=$DATA/gltf/CesiumMan/CesiumMan.glb
run 0 info "$man"
grep -q jansson err && exit 77
run 0 info "$man" --scene 0; out_has 'the bodies above'
refused 2 'scene' info "$man" --scene 7
run 0 info "$man" --explain; out_has 'cast, 16384 rays'
run 0 info "$man" "$DATA/gltf/Box/Box.glb" --explain --json
json 'all(len(b["explain"]) == 4 and b["explain"][0]["question"] == "self" for r in rows for b in r["bodies"]) and rows[0]["bodies"][0]["explain"][1]["choice"] != "fixed"'

printf '<html>\n<!--pliant:files-->\n<script>end</script></html>\n' >page.html
for model in CesiumMan/CesiumMan.glb Fox/Fox.glb RiggedFigure/RiggedFigure.glb RiggedSimple/RiggedSimple.glb \
  SimpleSkin/SimpleSkin.gltf RecursiveSkeletons/RecursiveSkeletons.glb; do
  file=$DATA/gltf/$model
  run 0 info "$file"; out_has 'skinned'
  run 0 collide "$file" --fps 1 --frames 0..1 --json; json 'len(rows) >= 1'
  run 0 self "$file" --fps 1 --frames 0..1 --json; json 'len(rows) >= 1 and all(len(r["bodies"]) >= 1 for r in rows)'
  run 0 distance "$file" --fps 1 --frames 0..1 --json; json 'len(rows) >= 1'
  run 0 impact "$file" --fps 1 --frames 0..1 --json; json 'len(rows) >= 1'
  run 0 impact "$file" --self --fps 1 --frames 0..1 --json; json 'len(rows) >= 1'
  run 0 render "$file" --size 32x24 --frames 0 --out picture.png
  [ -s picture.png ] || fail "$last: no picture"
  run 0 view "$file" --page page.html --out view.html
  grep -q "$(basename "$file")" view.html || fail "$last: the page has no model"
  run 0 simulate "$file" --frames 2 --level 2 --quiet; out_has '1 bod'
  run 0 collide "$file" "$man" --fps 1 --frames 0 --json; json 'len(rows) == 1'
  run 0 bench "$file" "$man" --quick --frames 0..2 --json --out bench
  out_has '"frames":3,"checked_frames":[1-3]'
done
err_has 'its 84 bodies are one mesh here'

# moved by their animations, and by options
run 0 bench "$man" "$DATA/gltf/Fox/Fox.glb" --scale 0.01 --quick --frames 5..7 --json --out bench
out_has '"frames":3,"checked_frames":3'
run 0 tune "$DATA/gltf/RiggedSimple/RiggedSimple.glb" "$DATA/gltf/Fox/Fox.glb" --frames 0..2 --population 6 --generations 1
err_has 'of its 3 animations the first is played'
finish

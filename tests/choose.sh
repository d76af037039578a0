#!/usr/bin/env bash
# What a command looks at: several files mixed and moved, groups as bodies, bodies by name, frames by number, gaps in sequences.
set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh"

# box FILE X Y Z: a cube of side 1, its lowest corner at X Y Z
box() {
  python3 -c 'import sys
x, y, z = map(float, sys.argv[1:])
for k in range(8): print("v", x + (k & 1), y + (k >> 1 & 1), z + (k >> 2))
for a, b, c, d in ((1, 3, 4, 2), (5, 6, 8, 7), (1, 2, 6, 5), (3, 7, 8, 4), (1, 5, 7, 3), (2, 4, 8, 6)): print("f", a, b, c, d)' "$2" "$3" "$4" >"$1"
}
box one.obj 0 0 0
box two.obj 0.5 0.5 0.5
box far.obj 10 0 0
names='[[(c["a"], c["b"]) for c in r["contacts"]] for r in rows]'

# ---------------------------------------------------------------------------------------------------------- several files
run 0 collide one.obj two.obj far.obj --json --check; err_lines 0
json "$names == [[('one.obj', 'two.obj')]] and rows[0]['checked'] and 'time' not in rows[0]"
run 0 collide one.obj two.obj far.obj; out_has '3 bodies$'; out_has 'far.obj: still, 12 triangles, 8 vertices'
run 0 collide --json one.obj -- two.obj -- far.obj --translate -9.5,0,0
json "$names == [[('one.obj', 'two.obj'), ('one.obj', 'far.obj'), ('two.obj', 'far.obj')]]"
mkdir other && cp two.obj other/one.obj
run 0 collide one.obj other/one.obj far.obj --json; json "$names == [[('one.obj:one.obj', 'other/one.obj:one.obj')]]"
cp one.obj part_1.obj; cp two.obj part_2.obj; cp far.obj part_3.obj
refused 64 'two frames or two bodies' collide part_1.obj part_2.obj part_3.obj
run 0 collide --json part_1.obj -- part_2.obj -- part_3.obj; json "len(${names}[0]) == 1"
refused 64 'no file on one side' collide one.obj -- -- two.obj

# ------------------------------------------------------------------------------------------------------------- transforms
pairs='rows[0]["pairs"]'
run 0 collide one.obj two.obj --json --list --check; json "$pairs > 0"; cp out plain
run 0 collide one.obj --translate 8,0,0 two.obj --translate 8,0,0 --json --list --check
json 'rows[0]["list"] == json.loads(open("plain").read())["list"]'
run 0 collide one.obj two.obj --translate 5,0,0 --json; json "$pairs == 0"
run 0 collide one.obj two.obj --translate=0.5,0.5,0.5 --json --check; json "$pairs > 0 and rows[0]['a'] == 'one.obj'" # corner on corner
run 0 collide one.obj two.obj --translate 0.5625,0.5,0.5 --json; json "$pairs == 0"
run 0 collide one.obj two.obj --scale 4 --json --check; json "$pairs == 0" # from 2 to 6
run 0 collide one.obj two.obj --scale 4,1,1 --translate -1,0,0 --json --check; json "$pairs > 0"
run 0 collide one.obj two.obj --rotate 0,0,90 --translate 1.5,0,0 --json --check; json "$pairs > 0" # x from -1.5 to -0.5, then 0 to 1
run 0 collide one.obj two.obj --rotate 0,0,90 --json --check; json "$pairs == 0"
run 0 collide one.obj two.obj --rotate 0,0,360 --json --list; json 'rows[0]["list"] == json.loads(open("plain").read())["list"]'
run 0 distance one.obj far.obj --translate -7,0,0 --json --check; json 'rows[0]["distance"] == 2'
run 0 distance one.obj far.obj --scale 0.5 --rotate 0,180,0 --json --check; json 'abs(rows[0]["distance"] - 5) < 1e-12'
refused 64 'before every file' collide --translate 1,0,0 one.obj two.obj
refused 64 'three numbers' collide one.obj two.obj --translate 1,0
refused 64 'three numbers' collide one.obj two.obj --rotate 1,0,x
refused 64 'other than 0' collide one.obj two.obj --scale 0
refused 64 'other than 0' collide one.obj two.obj --scale 1,2
refused 2 'two.obj: vertex 1 leaves the doubles' collide one.obj two.obj --translate 1e308,0,0 --scale 1e308
refused 2 'two.obj.*too large for --float' collide one.obj two.obj --scale 1e300 --float

# ----------------------------------------------------------------------------------------------------------------- groups
{
  printf 'o wall\n'; cat one.obj; printf 'g lid top \\\n\n'
  sed 's/^v \([^ ]*\) /v 1\1 /; s/v 10.0/v 1.0/; s/v 11.0/v 2.0/' one.obj | grep '^v'
  for f in '9 11 12 10' '13 14 16 15' '9 10 14 13' '11 15 16 12'; do echo "f $f"; done
  printf 'g\nf 9 13 15 11\nf 10 12 16 14\no wall\nf 1 2 3\n'
} >parts.obj
run 0 collide parts.obj --split-groups --json --check
json "$names == [[('wall', 'lid top'), ('wall', 'default'), ('lid top', 'default')]]"
run 0 collide parts.obj --split-groups; out_has 'wall: still, 13 triangles, 8 vertices'; out_has 'lid top: still, 8 triangles'
run 0 collide parts.obj far.obj --split-groups --json; json "len(${names}[0]) == 3"; err_has 'far.obj: there are no groups'
run 0 collide parts.obj two.obj; out_has '^A'; out_has '25 triangles'
mkdir grouped; for i in 1 2 3; do sed "s/^v 2.0/v $i.0/" parts.obj >grouped/p_$i.obj; done
run 0 collide grouped --split-groups --json --check; json 'len(rows) == 3 and rows[1]["files"] == ["grouped/p_2.obj"]'
refused 64 'one was given' collide parts.obj
refused 64 'every node' collide x.glb --split-groups

# -------------------------------------------------------------------------------------------------------- frames and gaps
mkdir seq gap rest tens
for i in 1 2 3 4 5 6; do box seq/s_000$i.obj "$i" 0 0; done
cp seq/* gap; rm gap/s_0003.obj gap/s_0004.obj
cp seq/* rest; cp one.obj rest/s_rest.obj
for i in 10 20 30; do box tens/t_$i.obj 0 0 0; done
run 0 collide seq one.obj --json --frames 2..4; json '[r["frame"] for r in rows] == [2, 3, 4] and rows[0]["a"] == "seq/s_0003.obj"'
run 0 collide seq one.obj --json -f 0; json '[r["frame"] for r in rows] == [0] and rows[0]["pairs"] > 0'
run 0 collide seq one.obj --json --frames 4..; json '[r["frame"] for r in rows] == [4, 5]'
run 0 collide seq one.obj --frames ..1; out_has 'frames 0 to 1 of 6 were chosen'; out_has 'most (frame 0, seq/s_0001.obj)'
run 0 distance seq one.obj --frames 3..5 --json --check; json '[r["distance"] for r in rows] == [3, 4, 5]'
run 0 distance seq one.obj; out_has '0 least (frame 0, seq/s_0001.obj)'; out_has '5 most (frame 5, seq/s_0006.obj)'
refused 64 'numbers from 0' collide seq one.obj --frames 4..2
refused 64 'numbers from 0' collide seq one.obj --frames x
refused 2 'there are 6 frames' collide seq one.obj --frames 6
run 0 collide seq one.obj --csv; err_lines 0
for name in gap 'gap/s_*.obj' 'gap/s_%04d.obj'; do
  run 0 collide "$name" one.obj --json; json 'len(rows) == 4'; err_lines 1
  err_has 'gap/s_0003.obj is missing between gap/s_0002.obj and gap/s_0005.obj (2 numbers in all): the frames go on'
  run 0 collide "$name" one.obj --json --gaps stop; json 'len(rows) == 2'; err_has 'the sequence ends there'
  refused 2 's_0003.obj is missing .* --gaps skip' collide "$name" one.obj --gaps refuse
done
run 0 collide --json gap/*.obj -- one.obj; err_has 's_0003.obj is missing'
run 0 collide rest one.obj --json; json 'len(rows) == 7'
err_has 'rest/s_rest.obj does not fit the numbering of rest/s_0001.obj: it is frame 0'; err_lines 1
run 0 collide tens one.obj --json; json 'len(rows) == 3'; err_lines 0
run 0 info gap; err_has 'gap/s_0003.obj is missing'; err_lines 1
run 0 info rest --json; err_has 'rest/s_rest.obj does not fit the numbering'; err_lines 1
run 0 info seq; err_lines 0
run 0 collide --help; out_has 'auto|bottom-up|top-down|hybrid|inflate$' # what files can have, and no more
refused 2 'did you mean seq/s_%04d.obj?' collide 'seq/s_####.obj' one.obj
refused 2 'did you mean seq/s_%04d.obj?' collide 'seq/s_%d.obj' one.obj
refused 2 'did you mean tens/t_%d.obj?' collide 'tens/t_%03d.obj' one.obj
run 0 collide seq gap --json; err_has 'A has 6 frames and B has 4: only frames 0 to 3 were checked'; err_lines 2
run 0 collide seq gap one.obj --json; json 'len(rows) == 4 and len(rows[0]["files"]) == 2'; err_has 'seq has 6 frames and gap has 4'

# ---------------------------------------------------------------------------------------------------------- short options
run 0 collide seq one.obj -j -f 1 -t 2; json 'len(rows) == 1'
run 0 collide seq one.obj -c -f1; out_lines 2
run 0 collide seq one.obj -l -f=0; out_has '^frame 0 (seq/s_0001.obj): '
refused 64 'no option -jc' collide -jc seq one.obj
refused 64 '--threads needs a value' collide seq one.obj -t

# ------------------------------------------------------------------------------------------------------------------ bodies
python3 "$SOURCE_DIR/tests/support/parts.py" cell.gltf 10 2 8
if "$PLIANT" info cell.gltf >out 2>err; then
  run 0 collide cell.gltf --json --frames 0 --check; cp out all
  json 'len(rows[0]["contacts"]) == 20' # a grid of 3 x 3 whose neighbours touch
  run 0 collide cell.gltf --json --frames 0 --body 'part 1' --check
  json "$names == [[('part 1', 'part 2'), ('part 1', 'part 4'), ('part 1', 'part 5')]]"
  run 0 collide cell.gltf --json --frames 0 --body 'part 1,part 2'; json "$names == [[('part 1', 'part 2')]]"
  run 0 collide cell.gltf --json --frames 0 -b 'part 1' -b 'part 9,part 8'; json "len(${names}[0]) == 4"
  run 0 collide cell.gltf --json --frames 0 --ignore 'part 1,part 2' --check
  json "len(${names}[0]) == 19 and ('part 1', 'part 2') not in ${names}[0]"
  run 0 collide cell.gltf --json --frames 0 --ignore 'part 2,part 1'; json "len(${names}[0]) == 19"
  run 0 collide cell.gltf --json --frames 0 --ignore 'part 5'; json "len(${names}[0]) == 12"
  run 0 collide cell.gltf --json --frames 0 --ignore 'part *,part *'; json "$names == [[]]"
  run 0 collide cell.gltf --json --frames 0 --body 'part ?' --ignore 'part 1'; json "len(${names}[0]) == 17"
  refused 2 'no such body; did you mean part 1' collide cell.gltf --body 'prat 1'
  refused 2 'ignore nothing: there is no such body' collide cell.gltf --ignore 'part 1,nothing'

  # ---------------------------------------------------------------------------------------------------------- only new
  run 0 collide cell.gltf --json --only-new --check; err_lines 0; cp out new
  json 'len(rows[0]["at_rest"]) == 20 and all("at_rest" not in r for r in rows[1:]) and rows[0]["contacts"] == []'
  json 'len(rows) == 241 and any(r["pairs"] for r in rows) and all(c["a"] == "arm" for r in rows for c in r["contacts"])'
  run 0 collide cell.gltf --json --ignore 'part *,part *'
  json '[r["contacts"] for r in rows] == [json.loads(l)["contacts"] for l in open("new")]'
  run 0 collide cell.gltf --only-new; out_has '^at rest   20 pairs of bodies touch in frame 0 and are left out$'
  out_has '^touching  arm and part'; out_has 'first is frame 30 (1 s)'
  run 1 collide cell.gltf --only-new --fail-on-contact
  run 0 collide cell.gltf --only-new --fail-on-contact --frames 0..20 # only what touches at rest
  run 1 collide cell.gltf --fail-on-contact --frames 0..20
  run 0 collide cell.gltf --only-new --frames 60..70 --json
  json 'any(c["a"] == "arm" for c in rows[0]["at_rest"])' # the first frame that is played
  run 0 collide seq one.obj --only-new --json; json '[r["pairs"] for r in rows] == [0] * 6 and len(rows[0]["at_rest"]) == 1'
  run 0 distance cell.gltf --json --frames 0..40 --check; json 'all(r["distance"] == 0 for r in rows)'
  run 0 distance cell.gltf --json --only-new --frames 0..40 --check
  json 'rows[0]["a"] == "arm" and rows[0]["distance"] == 0.5 and rows[40]["distance"] == 0'
  run 0 distance cell.gltf --json --body 'arm,part 9' --frames 0 --check; json 'rows[0]["b"] == "part 9" and rows[0]["distance"] > 0'
  run 0 distance cell.gltf --ignore 'part *' --frames 0; out_has 'no pair of bodies is left'

  # ------------------------------------------------------------------------------------------------------- mixed with files
  run 0 collide cell.gltf --translate 0,5,0 one.obj --json --frames 0..3; json 'all(len(r["contacts"]) == 20 for r in rows)'
  run 0 collide cell.gltf one.obj --translate 20,0,0 --scale 0.5 cell.gltf --translate 0,20,0 --frames 0 --json --check
  json 'len(rows[0]["contacts"]) == 40 and rows[0]["contacts"][0]["a"] == "cell.gltf:part 1"'
  run 0 collide cell.gltf seq --fps 4 --json; json 'len(rows) == 6 and rows[5]["time"] == 1.25 and rows[5]["files"] == ["seq/s_0006.obj"]'
  refused 64 'cannot be a frame' collide one.obj cell.gltf -- two.obj
else
  echo "built without jansson: the tests of glTF are left out"
fi

finish

#!/usr/bin/env bash
# `pliant render` from outside: pictures that are the same bytes for every strategy and any number of threads, sequences, glTF, built-in
# scenes, budgets, videos through a stand-in for ffmpeg, and what it says when something is wrong.
set -uo pipefail
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh" render

# picture FILE WIDTH HEIGHT: a PNG of that size that is not of one colour
picture() {
  python3 - "$@" >python.log 2>&1 <<'PY' || { fail "$last: $1 is no picture of $2 x $3"; head -3 python.log; }
import struct, sys, zlib
data = open(sys.argv[1], "rb").read()
assert data[:8] == b"\x89PNG\r\n\x1a\n"
width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
assert (width, height, depth, kind) == (int(sys.argv[2]), int(sys.argv[3]), 8, 2), (width, height, depth, kind)
at, rows = 8, b""
while at < len(data):
    size, name = struct.unpack(">I4s", data[at:at + 8])
    if name == b"IDAT": rows += data[at + 8:at + 8 + size]
    at += 12 + size
rows = zlib.decompress(rows)
assert len(rows) == height * (3 * width + 1) and len(set(rows)) > 5
PY
}

# A pyramid on a square, moved by $2 along x, into file $1.
pyramid() {
  printf 'v %s 0 0\nv %s 0 1\nv %s 0 1\nv %s 0 0\nv %s 0.9 0.5\nf 1 2 5\nf 2 3 5\nf 3 4 5\nf 4 1 5\n' \
    "$2" "$2" "$(($2 + 1))" "$(($2 + 1))" "$2.5" >"$1"
}
pyramid one.obj 0
pyramid far.obj 3
mkdir seq
for i in 0 1 2 9 10; do pyramid "seq/p_$i.obj" "$i"; done
SMALL="--size 64x48"

# ------------------------------------------------------------------------------------------------------------ pictures
# shellcheck disable=SC2086
{
run 0 one.obj; picture render.png 640 480; out_has '^frame 0'; out_has '^scene .*1 body, 4 triangles'; out_has '^rays'; err_lines 0
rm render.png
run 0 one.obj $SMALL --output a.png; picture a.png 64 48
run 0 one.obj far.obj $SMALL --output two.png; picture two.png 64 48; out_has '2 bodies'; cmp -s a.png two.png && fail "two bodies look like one"
run 0 seq/p_*.obj $SMALL; out_has '^frames    5 of'; for i in 0 1 2 3 4; do picture render000$i.png 64 48; done
run 0 'seq/p_*.obj' one.obj $SMALL --output 'b%03d.png' --frames 1..3; out_has '^frames    3 of'; picture b003.png 64 48
[ -e b000.png ] || [ -e b004.png ] && fail "$last: too many pictures"
run 0 seq $SMALL --frames 3.. --orbit 180 --output 'c%d.png'; picture c3.png 64 48; picture c4.png 64 48
run 0 one.obj $SMALL --flat --sky night --ground none --lights 1 --up z --output d.png; picture d.png 64 48
run 0 one.obj $SMALL --no-shadows --no-reflections --json --output e.png; json 'rows[0]["shadow"] == 0 and rows[0]["reflected"] == 0'
run 0 one.obj $SMALL --json --output e.png
json 'len(rows) == 1 and rows[0]["primary"] == 64 * 48 and rows[0]["rays"] == rows[0]["primary"] + rows[0]["shadow"] + rows[0]["reflected"]'
json 'rows[0]["picture"] == "e.png" and rows[0]["hits"] > 100 and rows[0]["bodies"] == 1 and rows[0]["left_out_shadow"] == 0 and rows[0]["rays_per_second"] > 0'
run 0 one.obj $SMALL --samples 3 --subsample 4 --json --output e.png; json 'rows[0]["primary"] == 3 * 16 * 12 and rows[0]["samples"] == 3'
run 0 one.obj $SMALL --camera 2,2,4 --look-at 0.5,0.3,0.5 --lights 3,5,2:-3,4,1 --output f.png; picture f.png 64 48
run 0 one.obj $SMALL --camera 2,2,4 --look-at 0.5,0.3,0.5 --lights 3,5,2 --output g.png; cmp -s f.png g.png && fail "a light less looks the same"

# One camera for all frames of a scene, whatever part is rendered.
run 0 seq $SMALL --out 'all%d.png'; run 0 seq $SMALL --frames 3 -o part.png; cmp -s all3.png part.png || fail "$last: another camera"
run 0 seq $SMALL --orbit 90 --out 'orbit%d.png'; run 0 seq $SMALL --orbit 90 -f 4 -o part.png; cmp -s orbit4.png part.png || fail "$last: another orbit"
cmp -s orbit4.png all4.png && fail "the orbit is not seen in a single frame"

# Touching triangles are red; bodies can be hidden and moved.
run 0 one.obj far.obj $SMALL --json --contacts -o apart.png; json 'rows[0]["pairs"] == 0'
run 0 one.obj one.obj --translate 0.25,0.25,0 $SMALL --json --contacts -o touch.png; json 'rows[0]["pairs"] > 0'
run 0 one.obj one.obj --translate 0.25,0.25,0 $SMALL -o plain.png; cmp -s touch.png plain.png && fail "contacts are not seen"
# A body that touches itself; triangles that only share a corner, or the same corner twice, do not.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0.2 0.2 -1\nv 0.3 0.2 1\nv 0.2 0.3 1\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 4 5 6\nf 7 9 8\n' >fold.obj
run 0 fold.obj $SMALL --json --contacts -o fold.png; json 'rows[0]["pairs"] == 1 and rows[0]["self_pairs"] == 1'
run 0 fold.obj $SMALL --contacts -o fold.png; out_has '1 touching pair, 1 within a body'
run 0 fold.obj one.obj $SMALL --json --contacts -o both.png; json 'rows[0]["self_pairs"] == 1 and rows[0]["pairs"] > 1'
# red FILE: how many pixels of the picture are red, as contact is
red() {
  python3 - "$1" <<'PY'
import struct, sys, zlib
data, at, raw = open(sys.argv[1], "rb").read(), 8, b""
while at < len(data):
    size, kind = struct.unpack_from(">I4s", data, at)
    if kind == b"IHDR": width, height = struct.unpack_from(">II", data, at + 8)
    if kind == b"IDAT": raw += data[at + 8:at + 8 + size]
    at += 12 + size
raw, n, above, count = zlib.decompress(raw), 3 * width, bytearray(3 * width), 0
for y in range(height):
    line, kind = bytearray(raw[y * (n + 1) + 1:(y + 1) * (n + 1)]), raw[y * (n + 1)]
    for i in range(n):
        a, b, c = line[i - 3] if i >= 3 else 0, above[i], above[i - 3] if i >= 3 else 0
        p = a + b - c
        nearest = a if abs(p - a) <= abs(p - b) and abs(p - a) <= abs(p - c) else b if abs(p - b) <= abs(p - c) else c
        line[i] = line[i] + (0, a, b, (a + b) // 2, nearest)[kind] & 255
    count += sum(line[3 * x] > 90 and line[3 * x] > 2 * max(line[3 * x + 1:3 * x + 3]) for x in range(width))
    above = line
print(count)
PY
}
run 0 one.obj $SMALL -o single.png; [ "$(red single.png)" = 0 ] || fail "the first body is as red as contact"
for n in 2 9; do
  bodies=(); for ((i = 0; i < n; ++i)); do bodies+=(one.obj --translate "$((2 * i)),0,0"); done
  run 0 "${bodies[@]}" $SMALL -o many.png; [ "$(red many.png)" = 0 ] || fail "one of $n bodies is as red as contact"
done
[ "$(red apart.png)" = 0 ] || fail "red without contact"
for picture in touch fold both; do [ "$(red $picture.png)" -gt 0 ] || fail "no red in $picture.png"; done
run 0 one.obj far.obj $SMALL --hide 'far*' -o hidden.png; out_has '1 body'
refused 2 'hide nothing: there is no such body' one.obj far.obj $SMALL --hide nothing
refused 2 'nothing to show' one.obj $SMALL --hide '*'

# The same bytes whatever the strategy, the tree and the number of threads.
for scene in s4 cloth s1; do
  run 0 --scene $scene --triangles 1500 --frames 7..9 --size 96x72 --samples 2 --output "right_$scene%d.png"; err_lines 0
  for line in '--strategy bottom-up' '--strategy top-down --threads 1' '--strategy hybrid --leaf 1 --arity 2' \
    '--strategy bergen --threads 3' '--builder partition --threads 1'; do
    run 0 --scene $scene --triangles 1500 --frames 7..9 --size 96x72 --samples 2 --output "other_$scene%d.png" $line
    for i in 7 8 9; do cmp -s "right_$scene$i.png" "other_$scene$i.png" || fail "$last: another picture of frame $i"; done
  done
done
for line in '--threads 1' '--threads 4 --strategy blend' '--leaf 2'; do
  run 0 --scene dolphins --triangles 564 --frames 3 --size 96x72 --output "dolphins.png" $line
  [ -e first.png ] || cp dolphins.png first.png
  cmp -s dolphins.png first.png || fail "$last: another picture"
done
run 0 --scene s2 --triangles 320 --frames 0 $SMALL --output s2.png; picture s2.png 64 48

# A budget leaves out what comes last, says so, and samples coarser.
run 0 --scene s4 --triangles 1500 --frames 0..5 --budget 0.001 --json --output 'h%d.png' --size 320x240
json 'all(r["left_out_shadow"] + r["left_out_reflected"] > 0 for r in rows) and rows[0]["subsample"] == 1 and rows[5]["subsample"] == 16'
json 'all(r["primary"] == -(-320 // r["subsample"]) * -(-240 // r["subsample"]) for r in rows)'
picture h5.png 320 240
run 0 --scene s4 --triangles 1500 --frames 0..1 --budget 0.001 --output 'h%d.png' $SMALL; out_has 'left out'; out_has 'the budget made'
run 0 one.obj $SMALL --budget 100000 --output i.png; cmp -s i.png a.png || fail "$last: a large budget changes the picture"

# ---------------------------------------------------------------------------------------------------------------- glTF
if "$PLIANT" info "$DATA/gltf/BoxAnimated/BoxAnimated.glb" >/dev/null 2>&1; then
  run 0 "$DATA/gltf/BoxAnimated/BoxAnimated.glb" $SMALL --fps 2 --output 'j%d.png'; picture j0.png 64 48; out_has '2 bodies'
  cmp -s j0.png j3.png && fail "the box does not move"
  run 0 "$DATA/gltf/AnimatedMorphCube/AnimatedMorphCube.glb" $SMALL --frames 0..9 --fps 5 --json --output 'k%d.png'; json 'len(rows) == 10'
  cmp -s k0.png k5.png && fail "the cube does not morph"
  run 0 "$DATA/gltf/CesiumMilkTruck/CesiumMilkTruck.glb" $SMALL --animation rest --output l.png; out_has '^frames    1 of'
  refused 2 'there is no animation waltz' "$DATA/gltf/BoxAnimated/BoxAnimated.glb" --animation waltz
  run 0 "$DATA/gltf/CesiumMan/CesiumMan.glb" $SMALL --frames 0..9 --fps 10 --output 'm%d.png'; picture m0.png 64 48
  cmp -s m0.png m5.png && fail "the man does not walk"
  refused 64 'need auto' "$DATA/gltf/BoxAnimated/BoxAnimated.glb" --strategy hybrid
  run 0 "$DATA/gltf/BoxAnimated/BoxAnimated.glb" one.obj --translate 3,0,0 $SMALL --fps 2 --frames 0 --out mixed.png; out_has '3 bodies'
fi

# --------------------------------------------------------------------------------------------------------------- video
mkdir bin nothing
printf '#!/bin/sh\nprintf "%%s " "$@" >line.txt\ncat >frames.rgb\n' >bin/ffmpeg
chmod +x bin/ffmpeg
old=$PATH
PATH=$WORK/bin:$PATH
run 0 'seq/p_*.obj' $SMALL --video film.mp4 --fps 25; out_has 'film.mp4'
[ "$(wc -c <frames.rgb)" = $((5 * 64 * 48 * 3)) ] || fail "$last: ffmpeg got $(wc -c <frames.rgb) bytes"
grep -q -- '-s 64x48 -r 25 .*file:[.]pliant-[0-9a-f]*[.]mp4 $' line.txt || fail "$last: ffmpeg was called with $(cat line.txt)"
[ -e film.mp4 ] || fail "$last: no video"
printf '#!/bin/sh\necho words of its own >&2\nexit 3\n' >bin/ffmpeg
run 2 'seq/p_*.obj' --video film.mp4; err_has 'ffmpeg'; err_lines 1
PATH=$old
env PATH="$WORK/nothing" "$PLIANT" render one.obj --video film.mp4 >out 2>err && code=0 || code=$?
last="without ffmpeg"
[ "$code" = 2 ] || fail "without ffmpeg: exit code $code"
err_has 'ffmpeg is not installed'; err_lines 1

# ---------------------------------------------------------------------------------------------------------- what is wrong
refused 2 'nowhere.json' one.obj --settings nowhere.json
printf '{"leaf_size": 99}' >wrong.json
refused 2 'wrong.json' one.obj --settings wrong.json
refused 64 'name a file, or a built-in scene'
refused 64 'not both' one.obj --scene s4
refused 64 'did you mean cloth' --scene clot
refused 64 '--size 64: ' one.obj --size 64
refused 64 '--size 0x5: ' one.obj --size 0x5
refused 64 '--size 64x48x3: ' one.obj --size 64x48x3
refused 64 '--frames 5..2: ' one.obj --frames 5..2
refused 64 '--frames x: ' one.obj --frames x
refused 64 '--frames -1: ' one.obj --frames=-1
refused 2 'there are 5 frames' seq --frames 3..7 --output 'x%d.png'
refused 2 'there is 1 frame' one.obj --frames 1
refused 64 'three numbers' one.obj --camera 1,2
refused 64 'three numbers' one.obj --look-at 1,2,3,4
refused 64 'three numbers' one.obj --camera 1,2,nan
refused 64 '--lights 7: ' one.obj --lights 7
refused 64 '--lights 1,2,3:4: ' one.obj --lights 1,2,3:4
refused 64 'not both' one.obj --camera 1,2,3 --azimuth 4
refused 64 'the same point' one.obj --camera 1,2,3 --look-at 1,2,3
refused 2 'no camera at' one.obj --camera 1e300,0,0
refused 64 'end in .png' one.obj --output picture.jpg
refused 64 'one number' one.obj --output 'a%sb.png'
refused 64 'one number' one.obj --output 'a%d%d.png'
refused 64 '5 frames and one name' seq --output a.png
refused 64 'even width' one.obj --video a.mp4 --size 65x48
refused 64 'is for built-in scenes' one.obj --triangles 50
refused 64 'is for a glTF scene' one.obj --animation 0
refused 64 'morphing bodies need auto or blend' --scene dolphins --strategy hybrid
refused 64 'morphing bodies need auto or blend' --scene s4 --strategy blend
refused 64 '--samples 0' one.obj --samples 0
refused 64 'did you mean --samples' one.obj --sample 3
refused 64 'there are day, dusk' one.obj --sky pink
refused 2 'nowhere.obj' nowhere.obj
refused 2 'no/such/folder' one.obj --output no/such/folder/a.png $SMALL
printf 'v 0 0 0\nv 1 0 0\nf 1 2 3\n' >broken.obj
refused 2 'broken.obj' broken.obj
cp one.obj seq/p_11.obj
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >seq/p_12.obj
run 2 seq $SMALL --output 'y%d.png'; err_has 'same topology'; err_lines 1
[ -e render.png ] && fail "a refused line has made a picture"
}

finish

#!/usr/bin/env bash
# `pliant check` as a gate: names of bones, units, rules beside an asset, a baseline that survives another export, a run that was
# killed, shards, and what CI reads. A character that support/character.py makes dips its hand into its thigh.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh" check
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
refused 2 'bad.txt, line 1: is no baseline' lib --baseline bad.txt
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

# shards: the bytes of the undivided run, and its files
run 1 lib --json --no-costs --junit one.xml
cp out whole
for i in 1 2; do
  "$PLIANT" check lib --json --junit two.xml --shard $i/2 >part-$i 2>err
done
word=merge run 1 part-2 part-1
cmp -s out whole || fail "$last: merged, something differs"
cmp -s one.xml two.xml || fail "$last: the JUnit file of merged parts differs"

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

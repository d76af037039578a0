#!/usr/bin/env bash
# `pliant check` from outside: rules, units, folders, sequences, JSON, JUnit, SARIF, exit codes, and what could not be read. Uses small
# meshes that it writes itself, and the real data where it lies beside the project.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh" check

# boxes FILE X...: one mesh of plates of thickness 1 at these places along x, each a little higher
boxes() {
  local file=$1
  shift
  python3 -c 'import sys
tri = [0,2,1, 1,2,3, 0,1,4, 1,5,4, 0,4,2, 2,4,6, 1,3,5, 3,7,5, 2,6,3, 3,6,7, 4,5,6, 5,7,6]
for n, x in enumerate(map(float, sys.argv[1:])):
    for v in range(8): print("v", x + (v & 1), 3 * n + 8 * (v >> 1 & 1), 2 * n + 8 * (v >> 2 & 1))
for n in range(len(sys.argv) - 1):
    for i in range(0, 36, 3): print("f", *(8 * n + t + 1 for t in tri[i:i + 3]))' "$@" >"$file"
}
mkdir -p assets/deep assets/clean
boxes assets/clean/apart.obj 0 2
boxes assets/deep/sink_0.obj 0 2      # apart, then 0.25 into each other, then 0.5
boxes assets/deep/sink_1.obj 0 0.75
boxes assets/deep/sink_2.obj 0 0.5
boxes rest_0.obj 0 0.75 4             # a contact at rest that grows, and a new one
boxes rest_1.obj 0 0.5 1.25
echo nothing >assets/notes.txt

run 0 assets/clean
out_has 'apart.obj  *1  *0  *0'
run 1 assets
out_has 'sink_0.obj  *3  *1  *1  part 1 in part 2 of .*sink_0.obj, 0.5 deep, in frames 1 to 2, worst in frame 2 (.*sink_2.obj)'
out_has '^2 assets, 1 failing finding$'
run 0 assets --depth 0.6
run 1 assets --depth 45cm
run 0 assets --fail-on none
run 0 assets --area 100
run 0 assets --ignore '*'
out_has 'sink_0.obj  *3  *0  *0'
run 1 assets --json
json 'len(rows) == 2 and rows[1]["failures"] == 1 and rows[1]["findings"][0]["kind"] == "new" and rows[1]["findings"][0]["depth"] == 0.5'
run 1 rest_0.obj rest_1.obj --list
out_has 'FAIL new  *part'
out_has '     growing  *part.* 0.5 deep.*0.25 deep in the reference pose'
out_has '1 failing finding$'
run 1 rest_0.obj rest_1.obj --fail-on growing
out_has '2 failing findings$'
run 1 assets/deep/sink_1.obj --fail-on any
run 0 assets/deep/sink_1.obj

run 1 assets --junit out.xml --sarif out.sarif
python3 - <<'PY' >python.log 2>&1 || fail "$last: JUnit or SARIF: $(tail -1 python.log)"
import json, xml.etree.ElementTree as tree
suite = tree.parse("out.xml").getroot().find("testsuite")
assert suite.get("tests") == "2" and suite.get("failures") == "1" and suite.get("errors") == "0"
cases = suite.findall("testcase")
assert len(cases) == 2 and "0.5 deep" in cases[1].find("failure").text and cases[0].find("failure") is None
log = json.load(open("out.sarif"))
results = log["runs"][0]["results"]
assert log["version"] == "2.1.0" and len(results) == 1 and results[0]["ruleId"] == "new"
assert results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].endswith("sink_0.obj")
PY

echo 'v 0 0 0' >assets/broken.obj
run 1 assets --junit out.xml
out_has 'broken.obj .*could not be read'
out_has '1 could not be read$'
grep -q '<error type="unreadable" message="[^"]*broken.obj' out.xml || fail "$last: no error in the JUnit file"
run 2 assets/clean assets/broken.obj
err_has 'broken.obj'
run 0 assets/clean assets/broken.obj --allow-unreadable
run 1 assets --allow-unreadable
refused 64 'name a file'
refused 64 '2 inches is no length' assets --depth '2 inches'
refused 64 'is no area' assets --area x
refused 64 'wants --baseline' assets --update-baseline
refused 64 'goes with the table' assets --github --json
refused 2 'no glTF' "$(mkdir empty && echo empty)"
run 2 missing.obj

# what cannot be written is said before anything is played: no table
mkdir locked
printf '<title>x</title>\n<!--pliant:files-->\n' >page.html
cp out.sarif kept
for out in --junit --sarif; do
  refused 2 'nowhere/x: cannot be written: there is no such directory' assets $out nowhere/x
  refused 2 'locked: cannot be written: Is a directory' assets $out locked
done
refused 2 'out.xml: not a directory' assets --index out.xml/site --page page.html
refused 2 'nowhere.html: no such file' assets --index site --page nowhere.html
refused 2 'kept: not a viewer of pliant' assets --index site --page kept
[ ! -e site ] || fail "$last: there is a folder"
run 2 assets/clean --sarif out.sarif --index site --page nowhere.html
cmp -s out.sarif kept || fail "$last: an older file is not as it was"

# the index: a card for what intersects, a line for what does not
run 1 assets --allow-unreadable --index site --page page.html
[ "$(grep -c '<section class="asset' site/index.html)" = 2 ] || fail "$last: not two cards"
grep -q '<summary>1 asset without intersections</summary>' site/index.html || fail "$last: no line for an asset without any"
grep -q '<li>clean/apart.obj, 1 frame</li>' site/index.html || fail "$last: its name is not there"

# named twice, an asset is one
run 1 assets/ ./assets/deep assets//clean/apart.obj .//assets --allow-unreadable
out_has '^assets/deep/sink_0.obj '
out_has '^3 assets, 1 failing finding'

# a folder that may not be read is something that could not be read
chmod 0 locked && mv locked assets/
if [ "$(id -u)" != 0 ]; then
  as_user() { "$@"; }
elif command -v setpriv >/dev/null; then
  chmod 755 . && as_user() { setpriv --reuid=65534 --clear-groups "$@"; }
fi
if declare -f as_user >/dev/null && as_user test -x "$PLIANT"; then
  for more in '' --allow-unreadable; do
    code=0
    as_user "$PLIANT" check assets/clean assets/locked $more >out 2>err || code=$?
    tests=$((tests + 1)) last="check assets/locked $more"
    want=2 && [ -z "$more" ] || want=0
    [ $code = $want ] || fail "$last: exit code $code"
    out_has 'assets/locked .*could not be read'
    out_has '^2 assets, 0 failing findings, 1 could not be read$'
  done
fi
chmod 755 assets/locked && rmdir assets/locked

# names: one column, whatever their lengths; control characters in none of the outputs
long=assets/$(printf 'a%.0s' $(seq 60)).obj
cp assets/clean/apart.obj "$long"
run 1 assets --allow-unreadable
python3 - <<'PY' >python.log 2>&1 || fail "$last: table: $(tail -1 python.log)"
lines = [l for l in open("out").read().split("\n") if l and not l[0].isdigit()]
at = lines[0].index("frames") + 6
assert all(l[at - 1] in "0123456789-s" and l[at] == " " for l in lines), lines
assert not any(l.endswith(" ") for l in lines), lines
PY
rm "$long"
name=$(printf 'deep\033[31m\xe2\x80\xaex_')
for i in 0 1 2; do cp assets/deep/sink_$i.obj "$name$i.obj"; done
run 1 "${name}0.obj" "${name}1.obj" "${name}2.obj" --github
! LC_ALL=C grep -q "$(printf '\033\|\xe2\x80')" out || fail "$last: a control character"

if [ -d "$DATA/gltf" ]; then
  run 1 "$DATA/gltf/Fox" --fps 10
  out_has 'Fox.glb .*(Run, '
  run 0 "$DATA/gltf/Fox" --fps 10 --depth 10
  run 0 "$DATA/gltf/Box" "$DATA/gltf/BoxAnimated" --between
fi
finish

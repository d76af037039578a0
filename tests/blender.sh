#!/usr/bin/env bash
# The add-on for Blender: installed into a fresh profile, run without a window on a file with an armature, shape keys and a cloth, its
# counts beside the command's on the cache that it exports; and a picture of its panel, if there is an Xvfb. Skipped without Blender.
set -uo pipefail
command -v blender >/dev/null || { echo "blender: skipped, as Blender is not installed" >&2; exit 77; }
built=${BUILD_DIR:-build/test}/bindings/python/pliant
[ "${SANITIZED:-}" != 1 ] || { echo "blender: skipped under sanitizers, as Blender is not built with them" >&2; exit 77; }
[ -e "$built/_pliant.abi3.so" ] || { echo "blender: skipped, as the Python module was not built" >&2; exit 77; }
blender -b --python-exit-code 9 --python-expr 'import sys, numpy; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 ||
  { echo "blender: skipped, as its Python is older than 3.11 or has no numpy" >&2; exit 77; }
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh"
tests_of=$SOURCE_DIR/bindings/blender/tests
export BLENDER_USER_CONFIG=$WORK/config BLENDER_USER_SCRIPTS=$WORK/scripts PYTHONDONTWRITEBYTECODE=1

# step WHAT CODE BLENDER-ARGUMENTS...: Blender without a window ends with that code; its own lines stay in blender.log
step() {
  local what=$1 want=$2 code=0
  shift 2
  timeout 300 blender -b "$@" >out 2>err || code=$?
  tests=$((tests + 1))
  last=$what
  [ $code = "$want" ] || { fail "$what: exit code $code instead of $want"; tail -n 20 out err; }
}

python3 "$SOURCE_DIR/bindings/blender/pack.py" "$built" addon.zip >out 2>err || { fail "pack.py"; finish; exit 1; }
cp addon.zip first.zip
python3 "$SOURCE_DIR/bindings/blender/pack.py" "$built" addon.zip
cmp -s addon.zip first.zip || fail "two zips of the same files differ"
step "install" 0 --python-exit-code 1 --python "$tests_of/install.py" -- "$WORK/addon.zip"
step "as an extension" 0 --factory-startup --python-exit-code 1 --python "$tests_of/extension.py" -- "$WORK/addon.zip" "$WORK/extension"
step "the scene" 0 --factory-startup --python-exit-code 1 --python "$tests_of/make_scene.py" -- "$WORK/shot.blend"
step "operators" 0 shot.blend --python-exit-code 1 --python "$tests_of/use.py"

# The gate: a table, JSON, caches, and its exit codes.
step "gate" 1 shot.blend --python-expr "import pliant_contacts; pliant_contacts.gate(json='got.json', cache='cache')"
out_has '^shot.blend: 4 objects, 20 frames'
out_has 'FAIL new .* Arm in Leg, .* mm deep, frames'
grep -vE '^(shot.blend|  |Blender |Read |$)' out >noise
[ -s noise ] && fail "the add-on prints more than its table: $(head -n 1 noise)"
[ -s err ] && fail "something on stderr"
cp out table
step "gate that lets pass" 0 shot.blend --python-expr "import pliant_contacts; pliant_contacts.gate(fail_on='none', end=3)"
step "gate with a depth" 0 shot.blend --python-expr "import pliant_contacts; pliant_contacts.gate('Figure', depth='900mm')"
step "gate with ignored bones" 0 shot.blend --python-expr "import pliant_contacts; pliant_contacts.gate('Figure', ignore='Leg,A*')"
step "gate of nothing" 2 shot.blend --python-expr "import pliant_contacts; pliant_contacts.gate('Nobody')"
err_has '^pliant: there is no object'
step "gate with a wrong depth" 2 shot.blend --python-expr "import pliant_contacts; pliant_contacts.gate(depth='2 miles')"
err_has 'is no length'

# The command on the cache finds the same: every finding, and the pairs of every frame.
"$PLIANT" check cache --json --fail-on none >check.json 2>err || fail "check of the cache"
for name in Ball Blob Cloth Figure; do "$PLIANT" self "cache/$name.pc2" --csv --no-costs >"$name.csv" 2>err || fail "self of the cache of $name"; done
python3 - <<'PY' || fail "Blender and the command differ"
import csv, json
got = json.load(open("got.json"))
want = {r["asset"].split("/")[-1][:-4]: r for r in map(json.loads, open("check.json"))}
assert sorted(want) == got["objects"] == ["Ball", "Blob", "Cloth", "Figure"], sorted(want)
total = pairs = 0
for name, asset in want.items():
    mine = sorted((f["first"] - 1, f["last"] - 1, f["worst"] - 1, f["depth"], f["area"]) for f in got["findings"] if f["sides"][0]["object"] == name)
    theirs = sorted((f["first"], f["last"], f["worst"], f["depth"], f["area"]) for f in asset["findings"])
    assert mine == theirs, (name, mine[:3], theirs[:3])
    total += len(mine)
    rows = list(csv.DictReader(open(f"{name}.csv")))
    counts = [got["frames"][str(f)]["objects"][name] for f in range(1, 21)]
    key = next(k for k in rows[0] if k.startswith("pairs") or k == "contacts")
    assert counts == [int(r[key]) for r in rows], (name, counts, [r[key] for r in rows])
    pairs += sum(counts)
assert total > 5 and pairs > 100, (total, pairs)
print(f"equal: {total} findings and {pairs} pairs in 20 frames of {len(want)} objects")
PY

# FBX and Collada are where Blender has them, and their contacts have the names of bones.
if "$PLIANT" info nothing.fbx 2>&1 | grep -q 'no assimp'; then
  echo "blender: FBX and Collada not compared, as there is no assimp"
else
  step "FBX and Collada" 0 shot.blend --python-exit-code 1 --python "$tests_of/exchange.py" -- "$BUILD_DIR/tests/pliant_scene_positions"
  grep ' of its size' out
  run 1 check figure.fbx --fps 24 --list --depth 10mm
  out_has 'FAIL new .* Arm in Leg, 3[0-9.]* mm deep'
fi

# The panel, in a window. The picture is kept where PLIANT_BLENDER_PICTURE says.
if command -v xvfb-run >/dev/null; then
  LIBGL_ALWAYS_SOFTWARE=1 timeout 300 xvfb-run -a -s "-screen 0 1280x720x24 -nolisten tcp" blender --enable-event-simulate \
    --window-geometry 0 0 1280 720 shot.blend --python "$tests_of/window.py" -- "$WORK/panel.png" >out 2>err
  [ -s panel.png ] || { fail "no picture of the panel"; tail -n 20 out err; }
  out_has '^window: done'
  grep -q '^Traceback' out err && fail "an exception in the window"
  [ -n "${PLIANT_BLENDER_PICTURE:-}" ] && cp panel.png "$PLIANT_BLENDER_PICTURE"
fi
finish

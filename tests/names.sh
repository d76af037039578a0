#!/usr/bin/env bash
# Strategies are named in src/update only, motions in src/motion and by the functions of src/body that create bodies: everybody else asks
# tables and traits. `auto` is the absence of a strategy. Names every wrong line, and shows on planted ones that it finds them.
set -euo pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/..}"

names() { # names LIST FILE: the names of an X-macro list, but AUTO
  awk -v list="#define $1(X)" 'index($0, list) { on = 1 } on { while (match($0, /X\([A-Z_0-9]+,/)) { print substr($0, RSTART + 2, RLENGTH - 3)
    $0 = substr($0, RSTART + RLENGTH) } } on && !/\\$/ { if (++lines > 0 && !/define/) exit }' "$2" | grep -vx AUTO
}
either() { paste -sd'|' -; }
STRATEGIES=$(names STRATEGY_LIST src/core/kinds.h | either)
MOTIONS=$(names MOTION_LIST src/core/kinds.h | either)
case "$STRATEGIES" in *HYBRID*BLEND*) ;; *) echo "no strategies found: is this the project?"; exit 1 ;; esac
case "$MOTIONS" in *FREE*MORPH*) ;; *) echo "no motions found: is this the project?"; exit 1 ;; esac

wrong() { # wrong FOLDER: lines of src/ that name what is not theirs to name
  (cd "$1" && {
    grep -rnE "\b(PL_STRATEGY|pl_inside_strategy)_($STRATEGIES)\b" src --include='*.[ch]' --include='*.inl' | grep -v '^src/update/'
    grep -rnE "\b(PL_MOTION|pl_inside_motion)_($MOTIONS)\b" src --include='*.[ch]' --include='*.inl' | grep -vE '^src/(motion|body)/'
  }) || true
}

found=$(wrong .)
[ -z "$found" ] || { printf 'named outside of its room:\n%s\n' "$found"; exit 1; }

planted=$(mktemp -d)
trap 'rm -rf "$planted"' EXIT
cp -r src "$planted/src"
echo 'static int planted(const pl_body *b) { return b->def.strategy == PL_STRATEGY_HYBRID; }' >>"$planted/src/query/pairs/collide.c"
echo 'static int planted(const pl_body *b) { return b->def.strategy == PL_STRATEGY_BLEND; }' >>"$planted/src/body/body.c"
echo 'static int planted(const pl_body *b) { return b->motion.kind == &pl_inside_motion_MORPH; }' >>"$planted/src/kernels/rays.inl"
for file in query/pairs/collide.c body/body.c kernels/rays.inl; do
  wrong "$planted" | grep -q "^src/$file:" || { echo "a line planted in src/$file was not found"; exit 1; }
done

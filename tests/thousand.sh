#!/usr/bin/env bash
# A library of generated characters with random edits, checked by runs that are killed at random and go on from their log: in the
# end every asset is there once, and all is as in one undisturbed run. ASSETS=1000 is the long form.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh" check
ASSETS=${ASSETS:-60}
export PYTHONDONTWRITEBYTECODE=1
mkdir lib
PYTHONPATH=$SOURCE_DIR/tests/support python3 - "$ASSETS" <<'PY'
import random, sys
from character import build, write
chance = random.Random(1)
for i in range(int(sys.argv[1])):
    dip = chance.choice((0, 0, chance.uniform(0.001, 0.04)))
    write(f"lib/{i:04}.glb", *build(dip, chance.choice((None, i)), chance.choice(("", "Rig_"))))
PY
run 1 lib --json --fps 10 # as one run
sort out >whole
kills=0
RANDOM=7
for _ in $(seq 1 1000); do
  "$PLIANT" check lib --json --fps 10 --resume log >out 2>err &
  pid=$!
  ticks=$((RANDOM % 8 + 1))
  while [ $ticks -gt 0 ] && kill -0 $pid 2>/dev/null; do
    sleep 0.05
    ticks=$((ticks - 1))
  done
  [ $kills -lt 40 ] && kill -9 $pid 2>/dev/null && kills=$((kills + 1))
  code=0
  wait $pid 2>/dev/null || code=$?
  [ "$code" = 137 ] || break
done
tests=$((tests + 1))
last="pliant check lib --resume log, killed $kills times"
[ "$code" = 1 ] || fail "$last: exit code $code"
[ $kills -gt 0 ] || fail "$last: no run was killed"
sort out >resumed
cmp -s whole resumed || fail "$last: differs from one run"
[ "$(wc -l <out)" = "$ASSETS" ] || fail "$last: not $ASSETS lines"
[ "$(grep -c '^end$' log)" = "$ASSETS" ] || fail "$last: $(grep -c '^end$' log) records of $ASSETS assets"
[ -z "$(grep '^asset' log | sort | uniq -d)" ] || fail "$last: an asset is there twice"
echo "$last"
finish

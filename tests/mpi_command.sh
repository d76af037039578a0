#!/usr/bin/env bash
# `pliant collide|self|distance|impact --mpi` under mpirun: the bytes of the command alone, for any number of ranks; what does not go
# together is refused; a command without MPI says what to do. Skipped where MPI is not installed.
set -uo pipefail
command -v python3 >/dev/null || exit 77
RANKS=${BUILD_DIR:?}/pliant-mpi
[ -x "$RANKS" ] || exit 77
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:FILEPATH=//p' "$BUILD_DIR/CMakeCache.txt")
command -v "$mpiexec" >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/mpi.sh
. "$(dirname "$0")/support/mpi.sh"
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh"

python3 "$SOURCE_DIR/tests/support/sheets.py" 5 12 0.2 0.07 3

compared=0
# same RANKS COMMAND...: the command alone, and on so many ranks
same() {
  local ranks=$1 want=0 got=0
  shift
  rm -f page.html found.ply want-*
  "$PLIANT" "$@" --no-costs >want 2>err || want=$?
  for i in page.html found.ply; do [ ! -e $i ] || mv $i want-$i; done
  timeout 120 "$mpiexec" -np "$ranks" "$PLIANT" "$@" --mpi >got 2>err || got=$?
  last="$ranks ranks of pliant $* --mpi"
  [ -s want ] || fail "$last: nothing to compare"
  [ $got = $want ] || fail "$last: code $got instead of $want"
  cmp -s want got || fail "$last: not what one process prints"
  for i in page.html found.ply; do [ ! -e want-$i ] || cmp -s want-$i $i || fail "$last: another $i"; done
  compared=$((compared + 1))
}
all="1 3"
[ -z "${SANITIZED-}" ] || all=3
for n in $all; do
  same "$n" collide a b.obj --json --list --fail-on-contact --report page.html
  same "$n" collide a b.obj c.obj --csv --list --out found.ply
  same "$n" self a --json --list
  same "$n" distance a b.obj --json
  same "$n" impact a b.obj --json --list
  same "$n" impact --self a --json --list
done
same 2 collide a b.obj --csv
same 2 self a --csv --limit 3 --fail-on-contact
same 2 distance a b.obj --csv --margin 0.01 --list
same 2 distance a b.obj --csv --closer 0.1 --fail-if-closer
same 2 distance a b.obj c.obj --json
if [ -d "$DATA/gltf" ] && [ -z "${SANITIZED-}" ]; then
  same 4 collide "$DATA/gltf/CesiumMilkTruck/CesiumMilkTruck.glb" "$DATA/gltf/Fox/Fox.glb" --json --list --frames 0..3
  same 4 self "$DATA/gltf/Fox/Fox.glb" --json --list --frames 0..3
  same 4 impact "$DATA/gltf/CesiumMan/CesiumMan.glb" --self --json --list --frames 0..3
  same 4 distance "$DATA/gltf/CesiumMilkTruck/CesiumMilkTruck.glb" --json --frames 0..3
fi
[ $compared -gt 10 ] || fail "only $compared runs were compared"

# without an MPI job there is one rank
refused 64 'budget' self a --json --mpi --budget-ms 5
refused 64 'shard' self a --json --mpi --shard 1/2
refused 64 'first' collide a b.obj --json --list --mpi --first
refused 64 'ranks ask all' collide a b.obj c.obj --json --mpi --only-new
refused 64 'exact' distance a b.obj --mpi --relative 0.1
refused 64 'share a vertex' self a --mpi --neighbours
refused 64 'first' impact a b.obj --mpi --first
refused 64 'queries' impact --queries a.csv --mpi
refused 2 'no such file' self absent.obj --mpi
# a command that has no pliant-mpi
mkdir alone
cp "$PLIANT" alone/pliant
PATH=/nowhere alone/pliant self a --mpi >out 2>err
[ $? = 2 ] || fail "no pliant-mpi: not an error"
grep -q 'needs the program pliant-mpi' err || fail "no pliant-mpi: the message does not say what to do"
[ "$(wc -l <err)" = 1 ] || fail "no pliant-mpi: more than one line"
finish

#!/usr/bin/env bash
# pliant_mpi under mpirun: every question gives the bytes of the library on one rank, for 1 to 8 ranks; bad input and lack of memory on one
# rank are a status on all; a rank that aborts ends the job. Skipped where MPI is not installed.
set -uo pipefail
DIST=${BUILD_DIR:?}/mpi/pliant_mpi_dist
[ -x "$DIST" ] || exit 77
cache=$BUILD_DIR/CMakeCache.txt
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:FILEPATH=//p' "$cache")
command -v "$mpiexec" >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/mpi.sh
. "$(dirname "$0")/support/mpi.sh"
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failures=0

# play RANKS ARGUMENTS...: rank 0 prints how many ranks there were: a program under the mpirun of another MPI is many worlds of one rank
play() {
  local ranks=$1
  shift
  timeout $limit "$mpiexec" -np "$ranks" "$DIST" "$@" >"$out" 2>&1
  local code=$?
  if [ $code != 0 ] || ! grep -q "^done $ranks: " "$out"; then
    echo "FAILED: $ranks ranks, $*: code $code"
    head -5 "$out"
    failures=$((failures + 1))
  fi
}
frames=4 limit=300 all="1 2 3 4 8"
[ -z "${SANITIZED-}" ] || frames=2 all="3"
[ -z "${PLIANT_SOAK-}" ] || frames=100 limit=3000 all="1 2 3 4 8"
for ranks in $all; do play "$ranks" all $frames; done
data=${SOURCE_DIR:-$(cd "$(dirname "$0")/.." && pwd)}/../shared/data/sequences
cactus=("$data"/cactus_deformed/cactus_deformed_1[0-2].off)
[ -z "${PLIANT_SOAK-}" ] || cactus=("$data"/cactus_deformed/cactus_deformed_{20..119}.off)
if [ -n "${PLIANT_SOAK-}" ]; then # every motion and partition, on all numbers of ranks
  for ranks in $all; do
    for world in balls rigid skin cloth soup; do play "$ranks" product $frames $world; done
    [ ! -d "$data" ] || play "$ranks" cuts 0.005 $frames "${cactus[@]}"
    [ ! -d "$data" ] || play "$ranks" files 0.0005 $frames "$data"/Rumba_Dancing/*.obj
  done
elif [ -z "${SANITIZED-}" ]; then
  play 3 product 2
  [ ! -d "$data" ] || play 4 files 0.0005 2 "$data"/Rumba_Dancing/shell[0-1].obj
  [ ! -d "$data" ] || play 3 cuts 0.005 2 "${cactus[@]}"
else
  play 3 product 2 skin
fi
play 3 fail
# Too little memory for one rank: a status on all, or the end of the job where MPI itself gets none (MPICH).
if [ -z "${SANITIZED-}" ]; then
  timeout 60 "$mpiexec" -np 3 "$DIST" hungry >"$out" 2>&1
  code=$?
  if [ $code = 124 ] || { [ $code = 0 ] && ! grep -q "^done 3: " "$out"; } || grep -q FAILED "$out"; then
    echo "FAILED: a rank with too little memory: code $code"
    head -5 "$out"
    failures=$((failures + 1))
  fi
fi
# ended HOW: the last rank ends so; the job must end, too, without the last line of rank 0. With MPICH a rank that leaves with 0 ends the
# others, and the job's code is 0.
ended() {
  timeout 60 "$mpiexec" -np 3 "$DIST" "$1" >"$out" 2>&1
  local code=$?
  if [ $code = 124 ] || grep -q "^done\|went on" "$out"; then
    echo "FAILED: a rank that ends by $1: code $code"
    head -5 "$out"
    failures=$((failures + 1))
  elif [ $code = 0 ] && [ "$1" != leave ]; then
    echo "FAILED: a rank that ends by $1 is not noticed"
    failures=$((failures + 1))
  fi
}
for how in abort kill exit leave; do ended $how; done
echo "$failures failures"
[ $failures = 0 ]

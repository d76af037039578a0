#!/usr/bin/env bash
# pliant_mpi under mpirun: every question gives the bytes of the library on one rank, for 1 to 8 ranks; bad input and lack of memory on one
# rank are a status on all; a rank that aborts ends the job. Skipped where MPI is not installed.
set -uo pipefail
DIST=${BUILD_DIR:?}/mpi/pliant_mpi_dist
[ -x "$DIST" ] || exit 77
cache=$BUILD_DIR/CMakeCache.txt
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:FILEPATH=//p' "$cache")
command -v "$mpiexec" >/dev/null || exit 77
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failures=0
if [ -n "${SANITIZED-}" ]; then # the MPI libraries leak
  printf 'leak:%s\n' libmpi libmpich libopen-pal libopen-rte libpmix libevent libhwloc libucs libucp libuct libucm mca_ libfabric libpsm libxml2 >"$out.leaks"
  export LSAN_OPTIONS=suppressions=$out.leaks:fast_unwind_on_malloc=0:print_suppressions=0:exitcode=99
  trap 'rm -f "$out" "$out.leaks"' EXIT
fi

# play RANKS ARGUMENTS...: rank 0 prints how many ranks there were: a program under the mpirun of another MPI is many worlds of one rank
play() {
  local ranks=$1
  shift
  timeout 120 "$mpiexec" -np "$ranks" "$DIST" "$@" >"$out" 2>&1
  local code=$?
  if [ $code != 0 ] || ! grep -q "^done $ranks: " "$out"; then
    echo "FAILED: $ranks ranks, $*: code $code"
    head -5 "$out"
    failures=$((failures + 1))
  fi
}
frames=4 all="1 2 3 4 8"
[ -z "${SANITIZED-}" ] || frames=2 all="3"
[ -z "${PLIANT_SOAK-}" ] || frames=100
for ranks in $all; do play "$ranks" all $frames; done
data=${SOURCE_DIR:-$(cd "$(dirname "$0")/.." && pwd)}/../shared/data/sequences
if [ -d "$data" ] && [ -z "${SANITIZED-}" ]; then
  play 4 files 0.0005 "$data"/Rumba_Dancing/shell[0-2].obj
  play 3 files 0.002 "$data"/cactus_deformed/cactus_deformed_1[0-2].off
fi
play 3 fail
if timeout 60 "$mpiexec" -np 3 "$DIST" abort >"$out" 2>&1; then
  echo "FAILED: a rank that aborts is not noticed"
  failures=$((failures + 1))
elif [ $? = 124 ]; then
  echo "FAILED: the job hangs after a rank has aborted"
  failures=$((failures + 1))
fi
echo "$failures failures"
[ $failures = 0 ]

# shellcheck shell=bash
# For tests under mpirun: as root, more ranks than cores, and without what the MPI libraries leak.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
if [ -n "${SANITIZED-}" ]; then
  leaks=$(mktemp)
  printf 'leak:%s\n' libmpi libmpich libopen-pal libopen-rte libpmix libevent libhwloc libucs libucp libuct libucm mca_ libfabric libpsm libxml2 >"$leaks"
  export LSAN_OPTIONS=suppressions=$leaks:fast_unwind_on_malloc=0:print_suppressions=0:exitcode=99
fi

#!/usr/bin/env bash
# pliant_mpi from Python with mpi4py, under mpirun. Skipped where mpi4py and numpy are not there, or MPI is not the one that mpi4py was
# built for. Python is the system's, which has the distribution's mpi4py.
set -uo pipefail
library=${BUILD_DIR:?}/mpi/libpliant_mpi.so
[ -e "$library" ] && [ -z "${SANITIZED-}" ] || exit 77
mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:FILEPATH=//p' "$BUILD_DIR/CMakeCache.txt")
python=${PYTHON:-/usr/bin/python3}
command -v "$mpiexec" >/dev/null && "$python" -c 'import numpy, mpi4py' 2>/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/mpi.sh
. "$(dirname "$0")/support/mpi.sh"
folder=$(cd "$(dirname "$0")/../mpi" && pwd)
built=$(PYTHONPATH=$folder/python "$python" -c 'from mpi4py import MPI; print(MPI.Get_library_version())' 2>/dev/null | tr -d '\0')
case $built in *"Open MPI"*) "$mpiexec" --version | grep -q "Open MPI\|OpenRTE" || exit 77 ;; esac
failures=0
for ranks in 1 2 4; do
  out=$(PLIANT_MPI_LIBRARY=$library PYTHONPATH=$folder/python PYTHONDONTWRITEBYTECODE=1 timeout 120 "$mpiexec" -np $ranks \
    "$python" -m mpi4py "$folder/tests/python.py" 2>&1)
  code=$?
  if [ $code != 0 ] || ! grep -q "^done $ranks: " <<<"$out"; then
    echo "FAILED: $ranks ranks: code $code"
    head -20 <<<"$out"
    failures=$((failures + 1))
  fi
done
echo "$failures failures"
[ $failures = 0 ]

#!/usr/bin/env bash
# The lines and templates of docs/how-to/machines.md, taken from the page and run, as far as packages are installed: GNU parallel, Slurm,
# mpirun as a launcher; readers of our own for Open Job Description and OpenCue. All give the bytes of the undivided run.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh"
# shellcheck source-path=SCRIPTDIR source=support/mpi.sh
. "$SOURCE_DIR/tests/support/mpi.sh"
# shellcheck source-path=SCRIPTDIR source=support/slurm.sh
. "$SOURCE_DIR/tests/support/slurm.sh"
trap 'slurm_stop; rm -rf "$WORK"' EXIT
tried=0
mkdir bin
ln -s "$PLIANT" bin/pliant
[ ! -x "${BUILD_DIR:?}/pliant-mpi" ] || ln -s "$BUILD_DIR/pliant-mpi" bin/pliant-mpi
export PATH=$WORK/bin:$PATH
python3 "$SOURCE_DIR/tests/support/sheets.py" 9 8 0.3 0.05 6
mv a frames
run 0 self frames/ --json --no-costs
mv out whole
run 0 self frames/ --json --list --no-costs
mv out whole-list

# block HEADING N: the N-th piece of code below a heading of the page
block() {
  awk -v h="$1" -v n="$2" '
    /^```/ { fence = !fence; k += on && fence; next }
    !fence && /^#/ { on = $0 == h }
    on && fence && k == n' "$SOURCE_DIR/docs/how-to/machines.md"
}
# equal WHAT [WHOLE]: contacts.json is that of the undivided run
equal() {
  last=$1
  cmp -s "${2-whole}" contacts.json || fail "$1: not the undivided run"
  rm -rf contacts.json part-* parts
  tried=$((tried + 1))
}
# play WHAT SCRIPT: some lines of the page
play() {
  bash -euo pipefail -c "$2" >out 2>err || fail "$1: these lines of the page do not run"
}

play "shards in the background" "$(block '## Divide the frames' 1)"
equal "shards in the background" whole-list

if parallel --version 2>/dev/null | grep -q GNU; then
  lines=$(block '### GNU parallel' 1)
  for which in 1 2; do # here, and on other machines (`:` is this one)
    play "GNU parallel" "$(sed "$((3 - which))d; s/64/5/g; s/node1,node2/:/" <<<"$lines")"
    equal "GNU parallel, line $which"
  done
fi

for mpi in openmpi:OMPI_COMM_WORLD_RANK mpich:PMI_RANK; do
  command -v "mpirun.${mpi%:*}" >/dev/null || continue
  play "mpirun" "$(block '### mpirun or srun as a launcher' 1 | sed "s/mpirun -np 16/mpirun.${mpi%:*} -np 3/; s/OMPI_COMM_WORLD_RANK/${mpi#*:}/")"
  equal "mpirun of ${mpi%:*}"
done

# runner WHAT KIND FILE WORDS...: a template
runner() {
  local what=$1 kind=$2 file=$SOURCE_DIR/docs/how-to/$3
  shift 3
  mkdir parts
  python3 "$SOURCE_DIR/tests/support/farm.py" "$kind" "$file" "$@" 2>err || fail "$what: the template does not run"
  mv parts/contacts.json .
  equal "$what" whole-list
}
! python3 -c 'import yaml' 2>/dev/null || runner "Open Job Description" openjd shard.openjd.yaml Frames=frames/ Parts=parts Shards=3
runner OpenCue opencue shard.opencue.xml FRAMES=frames/ PARTS=parts RANGE=1-4

# task SCRIPT OPTIONS...: a job of Slurm
task() {
  printf '#!/bin/bash\n#SBATCH --output=/dev/null\n%s\n' "$1" >job.sh
  shift
  timeout 120 sbatch --wait "$@" job.sh >out 2>err || fail "sbatch $*: code $?"
}
play_slurm() {
  local lines
  block '### Slurm' 1 | sed 's/64/5/g' >shard.sh
  lines=$(block '### Slurm' 2)
  play "a Slurm array" "$(head -1 <<<"$lines")"
  rm -f part-2
  truncate -s 300 part-4 # as if it were killed
  play "the rest of a Slurm array" "$(tail -n +2 <<<"$lines")"
  equal "a Slurm array of which two parts were missing"
  # shellcheck disable=SC2016
  sed -i 's|"$SLURM_ARRAY_TASK_ID/5"|auto|' shard.sh
  play "a Slurm array, --shard auto" "$(sed '/missing/d' <<<"$lines")"
  equal "a Slurm array, --shard auto"
  # shellcheck disable=SC2016
  task "srun --overcommit sh -c 'pliant self frames/ --json --shard auto > part-\$SLURM_PROCID'" --ntasks=3 --overcommit
  pliant merge part-* >contacts.json 2>err
  equal "srun as a launcher"
  # shellcheck disable=SC2016
  task "srun --overcommit sh -c 'pliant self frames/ --json --shard auto > part-\$SLURM_ARRAY_TASK_ID-\$SLURM_PROCID'" \
    --array=1-2 --ntasks=2 --overcommit
  pliant merge part-* >contacts.json 2>err
  equal "ranks in a Slurm array"
  [ -e bin/pliant-mpi ] && srun --mpi=list 2>&1 | grep -qw pmix && [ -z "${SANITIZED-}" ] || return 0
  task "srun --mpi=pmix --overcommit pliant self frames/ --json --list --mpi > contacts.json" --ntasks=3 --overcommit
  equal "--mpi in Slurm" whole-list
}
! slurm_there || ! slurm_start || play_slurm
[ $tried -gt 0 ] || exit 77
echo "$tried ways"
finish

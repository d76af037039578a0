#!/usr/bin/env bash
# --shard and `pliant merge`: the parts of every command give the bytes of the undivided run, also after shards were killed; parts that
# are missing, incomplete, damaged, foreign or given twice are refused.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh"

python3 "$SOURCE_DIR/tests/support/sheets.py" 10 8 0.3 0.05 7

# divided N OPTIONS...: the undivided run, with its exit code, and the same from N parts in any order
divided() {
  local n=$1 want=0 i
  shift
  rm -rf part-* whole* page.html plot.svg picture*
  "$PLIANT" "$@" --no-costs >whole 2>err || want=$?
  for i in page.html plot.svg; do [ ! -e $i ] || mv $i whole-$i; done
  for i in picture*; do [ ! -e "$i" ] || mv "$i" "whole-$i"; done
  for i in $(seq "$n"); do
    "$PLIANT" "$@" --shard "$i/$n" >"part-$i" 2>err
  done
  # shellcheck disable=SC2046
  run "$want" merge $(find . -name 'part-*' | sort -R)
  last="$n parts of pliant $*"
  [ -s whole ] || fail "$last: nothing to compare"
  cmp -s whole out || fail "$last: not the undivided run"
  for i in whole-*; do
    [ ! -e "$i" ] || cmp -s "$i" "${i#whole-}" || fail "$last: ${i#whole-} is not that of the undivided run"
  done
}
parts="2 3 7"
[ -z "${SANITIZED-}" ] || parts=3
for n in $parts; do
  divided "$n" collide a b.obj --json --list --fail-on-contact
  divided "$n" collide a b.obj --csv --report page.html
  divided "$n" collide a b.obj c.obj --csv --list --only-new --report page.html
  divided "$n" collide a b.obj c.obj --json --only-new --frames 2..8 --out picture%03d.ply
  divided "$n" self a --json --list --report page.html
  divided "$n" self a --csv --fail-on-contact
  divided "$n" distance a b.obj --json --plot plot.svg --report page.html
  divided "$n" distance a b.obj --csv --closer 0.1 --fail-if-closer
  divided "$n" distance a b.obj c.obj --csv --only-new --plot plot.svg
  divided "$n" impact a b.obj --json --list --report page.html
  divided "$n" impact --self a --json --first --frames 3..
  divided "$n" render a b.obj --json --size 32x24 --contacts --out picture%03d.png
  divided "$n" info a b.obj c.obj a/a_9.obj absent.obj a/a_0.obj --json
  divided "$n" info a b.obj c.obj --json --explain --float
done
divided 13 collide a b.obj --csv # more parts than frames

# gate N OPTIONS...: `check` over a folder, with the files that it writes
gate() {
  local n=$1 want=0 i
  shift
  rm -rf part-* whole* junit.xml check.sarif accepted.txt index
  "$PLIANT" check assets "$@" --no-costs >whole 2>err || want=$?
  for i in junit.xml check.sarif accepted.txt index; do [ ! -e $i ] || mv $i whole-$i; done
  for i in $(seq "$n"); do "$PLIANT" check assets "$@" --shard "$i/$n" >"part-$i" 2>err; done
  # shellcheck disable=SC2046
  run "$want" merge $(find . -name 'part-*' | sort -R)
  last="$n parts of pliant check $*"
  cmp -s whole out || fail "$last: not the undivided run"
  for i in junit.xml check.sarif accepted.txt index; do
    [ ! -e whole-$i ] || diff -r whole-$i $i >differs || fail "$last: another $i"
  done
}
mkdir assets
cp a/a_9.obj assets/folded.obj
cp b.obj assets/flat.obj
cp -r a assets/film
cat a/a_8.obj >assets/other.obj
echo 'no mesh' >assets/broken.obj
for n in $parts; do
  gate "$n" --json --fail-on any --junit junit.xml --sarif check.sarif
  gate "$n" --json --baseline accepted.txt --allow-unreadable
done
printf '<title>x</title>\n<!--pliant:files-->\n' >viewer.html
gate 2 --json --fail-on any --index index --page viewer.html
if [ -d "$DATA/gltf" ]; then
  divided 3 collide "$DATA/gltf/CesiumMilkTruck/CesiumMilkTruck.glb" "$DATA/gltf/Fox/Fox.glb" --json --list --frames 0..7 --report page.html
  divided 3 self "$DATA/gltf/Fox/Fox.glb" "$DATA/gltf/CesiumMan/CesiumMan.glb" --json --list --frames 0..7
fi

# which part: from the variables of schedulers
make() { "$PLIANT" collide a b.obj --json --shard "$@"; }
make 2/3 >want
from() { # from WHAT VARIABLE=...: this part by its variables
  local what=$1
  shift
  env "$@" "$PLIANT" collide a b.obj --json --shard auto >got 2>err
  cmp -s want got || fail "--shard auto from $what"
}
from "PLIANT_SHARD" PLIANT_SHARD=2/3
from "a Slurm array" SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=3 SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=2
from "a rank of OpenMPI" OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=3
from "a rank of MPICH" PMI_RANK=1 PMI_SIZE=3
from "a task of srun" SLURM_PROCID=1 SLURM_STEP_NUM_TASKS=3
from "a frame of OpenCue" CUE_IFRAME=11 CUE_RANGE=10-12
make 4/6 >want
from "ranks in an array" SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=4 PMI_RANK=0 PMI_SIZE=3
refused 64 'PLIANT_SHARD' collide a b.obj --json --shard auto
SLURM_ARRAY_TASK_ID=5 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_TASK_MIN=3 SLURM_ARRAY_TASK_MAX=5 refused 64 'gaps' collide a b.obj --json --shard auto
CUE_IFRAME=11 CUE_RANGE=1-20x2 refused 64 'gaps' collide a b.obj --json --shard auto
for wrong in 0/3 4/3 1 1/ /3 1/0 -1/3 1/3x ''; do refused 64 'shard' collide a b.obj --json --shard "$wrong"; done
refused 64 'json or --csv' collide a b.obj --shard 1/2
refused 64 'budget' self a --json --budget-ms 5 --shard 1/2
refused 64 'relative' distance a b.obj --json --relative 0.1 --shard 1/2
refused 64 'first' collide a b.obj --json --list --first --shard 1/2
refused 64 'number into its name' collide a b.obj --json --out found.ply --shard 1/2
for whole in simulate view tune 'bench a b.obj'; do
  # shellcheck disable=SC2086
  refused 64 'there is no option --shard: this command is not divided into parts' $whole --shard 1/2
done
refused 64 'there is no option --mpi: this command is not divided among ranks' check a --mpi
refused 64 'video' render a b.obj --json --video v.mp4 --shard 1/2

# parts that do not fit
rm -f part-*
for i in 1 2 3; do make "$i/3" >"part-$i"; done
"$PLIANT" collide a b.obj --json --no-costs >whole
refused 64 'name the parts' merge
refused 2 '^pliant: part 2 of 3 is missing; run it with --shard 2/3$' merge part-1 part-3
refused 2 'part 1 of 3 is missing, and 1 more' merge part-3
cp part-2 copy
refused 2 'part 2 of 3 is there twice' merge part-1 part-2 part-3 copy
make 1/2 >other
refused 2 'other is part 1 of 2, but part-1 is part 1 of 3' merge part-1 other
"$PLIANT" collide a b.obj --json --float --shard 2/3 >other
refused 2 'other is a part of another run than part-1' merge part-1 other part-3
cp b.obj kept && echo '# longer' >>b.obj && make 2/3 >other && mv kept b.obj
refused 2 'other is a part of another run than part-1' merge part-1 other part-3
refused 2 'whole is not a part' merge part-1 whole part-3
refused 2 'absent cannot be read' merge part-1 absent part-3
: >other
refused 2 'other is empty' merge part-1 other part-3
cat part-2 part-2 >other
refused 2 'goes on after its end: two runs' merge part-1 other part-3
sed 's/"pairs":[0-9]*/"pairs":77/' part-2 >other # a digit more or less, or another one
refused 2 'part 2 of 3) is .*; run it again with --shard 2/3$' merge part-1 other part-3
run 0 merge --missing part-1 other
out_has '^2,3$'
run 0 merge --missing part-3 part-1 part-2
out_lines 0

# cut anywhere, a part is refused
size=$(wc -c <part-2)
for ((at = 1; at < size; at += size / 40 + 1)); do
  head -c "$at" part-2 >other
  refused 2 'other ' merge part-1 other part-3
done
head -c $((size - 1)) part-2 >other
refused 2 'incomplete' merge part-1 other part-3

# shards that are killed and run again, alone, until nothing is missing
"$PLIANT" self a --json --list --no-costs >whole
rm -f part-*
for i in 1 2 3 4 5; do : >"part-$i"; done
todo="1,2,3,4,5" rounds=0
while [ -n "$todo" ] && [ $rounds -lt 60 ]; do
  rounds=$((rounds + 1))
  for i in ${todo//,/ }; do
    "$PLIANT" self a --json --list --shard "$i/5" >"part-$i" 2>/dev/null &
    pid=$!
    if [ $rounds -lt 30 ]; then
      sleep "0.0$((RANDOM % 6))"
      kill -9 $pid 2>/dev/null
    fi
    wait $pid 2>/dev/null
  done
  # before any part has a head there is nothing to say which are missing
  todo=$("$PLIANT" merge --missing part-* 2>/dev/null) || todo="1,2,3,4,5"
done
run 0 merge part-*
cmp -s whole out || fail "shards that were killed: not the undivided run"
finish

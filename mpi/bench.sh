#!/usr/bin/env bash
# mpi/bench.sh BUILD: traffic of each rank and frame, over ranks and triangles. Counts, not times: they do not depend on the machine.
set -euo pipefail
traffic=$1/mpi/pliant_mpi_traffic
csv=out/mpi/traffic.csv
echo "world,question,triangles,ranks,boxes,sent,received,patches,sent_first,work,kb,work_all" >"$csv"
for question in touching near nearest; do
  for world in balls cloth; do
    for triangles in ${TRIANGLES:-20000 80000 320000}; do
      for ranks in ${RANKS:-1 2 4 8}; do
        mpirun.openmpi -np "$ranks" "$traffic" "$world" "$triangles" 3 "$question" >>"$csv"
      done
    done
  done
done
awk -F, 'NR == 1 { printf "%-7s %-9s %10s %5s %10s %12s %12s %8s %12s %10s %8s\n", "world", "question", "triangles", "ranks", "boxes B", "sent B", "first B", "patches", "work", "balance", "MB"; next }
  { printf "%-7s %-9s %10d %5d %10d %12d %12d %8d %12d %10.2f %8.1f\n", $1, $2, $3, $4, $5, $6, $9, $8, $10, $12 ? $10 * $4 / $12 : 1, $11 / 1024 }' "$csv"
echo "the most of any rank, in the third frame; first: bytes of the first frame, with triangles; balance: work of the busiest rank by the mean; $csv"

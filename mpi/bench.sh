#!/usr/bin/env bash
# mpi/bench.sh BUILD: what a frame costs each rank, over ranks and triangles: bytes, work, memory. Counts, not times: they do not depend
# on the machine (memory on the MPI library, a little). Tables, out/mpi/*.csv and out/mpi/*.svg.
set -euo pipefail
traffic=$1/mpi/pliant_mpi_traffic large=$1/mpi/pliant_mpi_large
out=out/mpi
ranks=${RANKS:-1 2 4 8} sizes=${TRIANGLES:-20000 80000 320000} large_sizes=${LARGE:-250000 1000000 4000000} weak=${WEAK:-250000}
run() { mpirun.openmpi -np "$@"; }

echo "world,question,triangles,ranks,boxes,sent,received,patches,sent_first,work,kb,work_all,even,even_sent" >$out/traffic.csv
for question in touching near nearest; do
  for world in balls cloth; do
    for triangles in $sizes; do
      for n in $ranks; do
        line=$(run "$n" "$traffic" $world "$triangles" 3 $question)
        balanced=$(run "$n" "$traffic" $world "$triangles" 3 $question 8)
        echo "$line,$(awk -F, '{ printf "%.2f,%d", $12 ? $10 * $4 / $12 : 1, $6 }' <<<"$balanced")" >>$out/traffic.csv
      done
    done
  done
done
awk -F, 'NR == 1 { printf "%-6s %-9s %10s %5s %9s %10s %11s %8s %10s %7s %11s %11s\n", "world", "question", "triangles", "ranks", "boxes B", "sent B", "first B", "patches", "work", "uneven", "rebalanced", "sent B then"; next }
  { printf "%-6s %-9s %10d %5d %9d %10d %11d %8d %10d %7.2f %11.2f %11d\n", $1, $2, $3, $4, $5, $6, $9, $8, $10, $12 ? $10 * $4 / $12 : 1, $13, $14 }' $out/traffic.csv
echo "the most of any rank, in the third frame; first: bytes of the first frame, with triangles; uneven: work of the busiest rank by the mean,"
echo "and after up to 8 calls of pl_dist_rebalance(); $out/traffic.csv"
echo

# One sheet of which each rank makes its band: the same on more ranks, and as much for each rank
echo "scaling,frame,triangles,ranks,rows,work,work_all,sent,kb,kb_all" >$out/large.csv
for n in $ranks; do
  for triangles in $large_sizes; do
    run "$n" "$large" "$triangles" 2 4 | sed -n 's/^csv,1,/strong,1,/p' >>$out/large.csv
  done
  run "$n" "$large" $((weak * n)) 2 4 | sed -n 's/^csv,1,/weak,1,/p' >>$out/large.csv
done
awk -F, 'NR == 1 { printf "%-7s %10s %5s %8s %12s %12s %11s %11s %14s %10s\n", "scaling", "triangles", "ranks", "rows", "work", "mean", "sent B", "MB a rank", "MB of all", "B/triangle"; next }
  { printf "%-7s %10d %5d %8d %12d %12d %11d %11.1f %14.1f %10.0f\n", $1, $3, $4, $5, $6, $7 / $4, $8, $9 / 1024, $10 / 1024, 1024 * $10 / $3 }' $out/large.csv
echo "work: of the busiest rank, after up to 4 rebalancings; sent: by the rank that sends most, in a frame; MB: peak of the largest rank; $out/large.csv"
command -v gnuplot >/dev/null || exit 0
[[ $ranks == *" "* ]] || exit 0 # a point is no curve
gnuplot <<PLOT
set terminal svg size 1000,520 font "sans,12"
set output "$out/ranks.svg"
set datafile separator ","
set multiplot layout 1,2
set logscale xy 2
set key below
set xlabel "ranks"
set title "bytes sent by the rank that sends most, a frame"
set format y "2^{%L}"
plot for [w in "balls cloth"] for [t in "$sizes"] "< awk -F, '\$1 == \"".w."\" && \$2 == \"touching\" && \$4 > 1 && int(\$3 / ".t." + 0.5) == 1' $out/traffic.csv" using 4:6 with linespoints title w." ".t
set title "peak memory of the largest rank, MB"
plot for [t in "$large_sizes"] "< awk -F, '\$1 == \"strong\" && int(\$3 / ".t." + 0.5) == 1' $out/large.csv" using 4:(\$9 / 1024) with linespoints title t." triangles", "< grep weak $out/large.csv" using 4:(\$9 / 1024) with linespoints title "$weak a rank"
PLOT
echo "$out/ranks.svg"

#!/usr/bin/env bash
# bench/peers/run: refuses to show times when counts differ, and its object has the documented form. Runs no peer: the
# rows are made up here and handed over as the results of an earlier run.
set -euo pipefail
command -v python3 >/dev/null || exit 77
run="$SOURCE_DIR/bench/peers/run"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

rows() { # rows OURS_AT_STEP_199: a results file
  printf 'peer\tvariant\tscene\ttriangles\tthreads\tmetric\tvalue\tunit\tsteps\n'
  row() { printf '%s\t%s\tS1\t40960\t1\t%s\t%s\t%s\t%s\n' "$@"; }
  row oracle grid/double pairs_sum 950 pairs '100:300,199:650'
  row pliant hybrid update 0.1 ms '100:0.1,199:0.1'
  row pliant hybrid collide_all 0.2 ms '100:0.1,199:0.3'
  row pliant hybrid update+collide_first 0.05 ms '100:0.05,199:0.05'
  row pliant hybrid tree_bytes_per_tri 30 B/tri ''
  row pliant hybrid pairs_sum 950 pairs "100:300,199:$1"
  row pliant bottom-up update 0.2 ms '100:0.2,199:0.2'
  row embree rtcCollide/refit update 0.8 ms '100:0.8,199:0.8'
  row embree rtcCollide/refit collide_all 0.5 ms '100:0.4,199:0.6'
  row embree rtcCollide/refit update+collide_first 1 ms '100:1,199:1'
  row embree rtcCollide/refit tree_bytes_per_tri 90 B/tri ''
  row embree rtcCollide/refit pairs_sum 950 pairs '100:300,199:650'
  row fcl OBBRSS/api/refit-bottomup update 0.01 ms '199:0.01'
  row fcl OBBRSS/api/refit-bottomup collide_all 0.01 ms '199:0.01'
  row fcl OBBRSS/api/refit-bottomup pairs_sum 648 pairs '199:648'
}

rows 650 >"$dir/good.tsv"
"$run" --from "$dir/good.tsv" --json S1 >"$dir/good.json"
python3 - "$dir/good.json" <<'P'
import json, sys
r = json.load(open(sys.argv[1]))
def near(key, ours, best, ratio):
    e = r[key]
    for name, wanted in (("ours_ms", ours), ("best_ms", best), ("ratio", ratio)):
        assert abs(e[name] - wanted) < 1e-4, (key, e)
near("S1/40960/1", 0.3, 1.3, 1.3 / 0.3)  # and not the faster row that loses pairs
assert r["S1/40960/1"]["best"] == "embree refit + rtcCollide", r
near("S1/40960/1/first", 0.05, 1, 20)
near("S1/40960/1/refit", 0.2, 0.8, 4)
assert r["memory"]["ours_bytes"] == 30 and r["memory"]["best_bytes"] == 90, r
P
"$run" --from "$dir/good.tsv" S1 >"$dir/good.txt"
grep -q '650 pairs at step 199; ours, the oracle, 1 row of peers agree' "$dir/good.txt"
grep -q 'OBBRSS.*pairs differ' "$dir/good.txt"

for output in '' --json; do
  rows 649 >"$dir/bad.tsv"
  code=0
  "$run" --from "$dir/bad.tsv" $output S1 >"$dir/bad.txt" 2>"$dir/bad.err" || code=$?
  [ "$code" = 1 ] || { echo "wrong counts were accepted: exit code $code"; exit 1; }
  [ ! -s "$dir/bad.txt" ] || { echo "times were shown in spite of wrong counts"; exit 1; }
  grep -q 'step 199: pliant hybrid finds 649 pairs, the oracle 650' "$dir/bad.err"
done

# distances: the same, with a peer that is fast and wrong
distances() { # distances OURS_AT_STEP_99
  row() { printf '%s\t%s\tS5\t1440\t1\t%s\t%s\t%s\t%s\n' "$@"; }
  row oracle bruteforce/double distance_mean 0.45 length '0:0.43,99:0.47'
  row pliant hybrid update 0.01 ms '0:0.01,99:0.01'
  row pliant hybrid distance 0.01 ms '0:0.01,99:0.01'
  row pliant hybrid distance_mean 0.45 length "0:0.43,99:$1"
  row embree rtcPointQuery/refit update 0.1 ms '0:0.1,99:0.1'
  row embree rtcPointQuery/refit distance 0.1 ms '0:0.1,99:0.1'
  row embree rtcPointQuery/refit distance_mean 0.45 length '0:0.430001,99:0.470001'
  row fcl RSS/api/refit-bottomup update 0.001 ms '0:0.001'
  row fcl RSS/api/refit-bottomup distance 0.001 ms '0:0.001'
  row fcl RSS/api/refit-bottomup distance_mean 1.31 length '0:1.31'
}
distances 0.470001 >"$dir/near.tsv"
"$run" --from "$dir/near.tsv" --json S5 >"$dir/near.json"
python3 -c 'import json, sys; e = json.load(open(sys.argv[1]))["S5/1440/1"]; assert abs(e["ratio"] - 10) < 1e-9 and "embree" in e["best"], e' \
  "$dir/near.json"
"$run" --from "$dir/near.tsv" S5 >"$dir/near.txt"
grep -q 'distance 0.47 at step 99; at 2 steps ours, the oracle, 1 row of peers agree' "$dir/near.txt"
grep -q 'RSS.*distances differ' "$dir/near.txt"
distances 0.4701 >"$dir/off.tsv"
code=0
"$run" --from "$dir/off.tsv" S5 >"$dir/off.txt" 2>"$dir/off.err" || code=$?
{ [ "$code" = 1 ] && [ ! -s "$dir/off.txt" ]; } || { echo "a wrong distance was accepted: exit code $code"; exit 1; }
grep -q 'step 99: pliant hybrid says 0.4701, the oracle 0.47' "$dir/off.err"

# rays: no times where a hit cannot be explained, where hits of the timed pictures differ by more, or where nothing was compared
hits() { # hits UNEXPLAINED OURS [CHECK]
  row() { printf '%s\t%s\tS4\t737280\t1\t%s\t%s\t%s\t%s\n' "$@"; }
  row pliant hybrid update+trace_640x480 100 ms '0:100,279:100'
  row pliant hybrid hits_last_640x480 "$2" rays ''
  row embree triangles/refit update 10 ms '0:10,279:10'
  row embree triangles/refit trace_rtcIntersect1_640x480 40 ms '0:40,279:40'
  row embree triangles/refit hits_last_640x480 9000 rays ''
  [ "${3-check}" = check ] || return 0
  row rays embree/refit rays_compared 675062 rays ''
  row rays embree/refit rays_differ 2 rays ''
  row rays embree/refit rays_unexplained "$1" rays ''
}
hits 0 9002 >"$dir/hits.tsv"
"$run" --from "$dir/hits.tsv" --json S4 >"$dir/hits.json"
python3 -c 'import json, sys; e = json.load(open(sys.argv[1]))["S4/737280/1/1x1"]; assert abs(e["ratio"] - 0.5) < 1e-9, e' "$dir/hits.json"
"$run" --from "$dir/hits.tsv" S4 >"$dir/hits.txt"
grep -q 'of 675062 rays compared with Embree, 2 differ, where float cannot tell' "$dir/hits.txt"
no_hits() { # no_hits TEXT UNEXPLAINED OURS [CHECK]
  local text=$1 output
  shift
  for output in '' --json; do
    hits "$@" >"$dir/miss.tsv"
    code=0
    "$run" --from "$dir/miss.tsv" $output S4 >"$dir/miss.txt" 2>"$dir/miss.err" || code=$?
    { [ "$code" = 1 ] && [ ! -s "$dir/miss.txt" ]; } || { echo "times were shown in spite of wrong hits: exit code $code"; exit 1; }
    grep -q "$text" "$dir/miss.err" || { cat "$dir/miss.err"; exit 1; }
  done
}
no_hits '1 of 675062 rays hit something else than in Embree' 1 9000
no_hits '640x480: pliant hybrid hits 9003 times, embree refit of triangles 9000' 0 9003
no_hits "hits were not compared with Embree's" 0 9000 none

code=0
"$run" --from "$dir/good.tsv" S9 2>/dev/null || code=$?
[ "$code" = 64 ]
code=0
"$run" --from "$dir/none.tsv" S1 2>"$dir/none.err" || code=$?
[ "$code" = 2 ] && [ "$(wc -l <"$dir/none.err")" = 1 ]

# S7: every row of ours against the fastest of Bullet, with the speeds at the end.
{
  printf 'peer\tvariant\tscene\ttriangles\tthreads\tmetric\tvalue\tunit\tsteps\n'
  soft() { printf '%s\t%s\tS7\t131100\t1\t%s\t%s\t%s\t\n' "$@"; }
  for row in "pliant level-4 2 0.001" "pliant level-2 1 0.002" "bullet clusters 100 0.6" "bullet vertex-face 300 0.7"; do
    read -r peer variant ms speed <<<"$row"
    soft "$peer" "$variant" step "$ms" ms
    soft "$peer" "$variant" step_mean "$ms" ms
    soft "$peer" "$variant" speed_end "$speed" m/s
  done
} >"$dir/soft.tsv"
"$run" --from "$dir/soft.tsv" --json S7 >"$dir/soft.json"
python3 - "$dir/soft.json" <<'P'
import json, sys
r = json.load(open(sys.argv[1]))
assert abs(r["S7/131100/1"]["ratio"] - 50) < 1e-3 and abs(r["S7/131100/1/level-2"]["ratio"] - 100) < 1e-3, r
assert r["S7/131100/1"]["best"] == "bullet clusters" and r["S7/131100/1"]["ours_speed_end"] == 0.001, r
P
"$run" --from "$dir/soft.tsv" S7 >"$dir/soft.txt"
grep -q 'S7/131100/1: 50.0 times faster than bullet clusters' "$dir/soft.txt"

# S3 on captured meshes: counts that came with the data, and our own boxes beside the peers
captured() { # captured OURS
  printf 'peer\tvariant\tscene\ttriangles\tthreads\tmetric\tvalue\tunit\tsteps\n'
  row() { printf '%s\t%s\tS3\t25472\t1\t%s\t%s\t%s\t%s\n' "$@"; }
  row oracle published pairs_sum 991 pairs '0:496,5:495'
  row pliant cones update 0.1 ms '0:0.1,5:0.1'
  row pliant cones self_all 0.9 ms '0:0.9,5:0.9'
  row pliant cones pairs_sum 991 pairs "0:$1,5:495"
  row pliant boxes update 0.1 ms '0:0.1,5:0.1'
  row pliant boxes self_all 2.9 ms '0:2.9,5:2.9'
  row pliant boxes pairs_sum 991 pairs '0:496,5:495'
  row embree rtcCollide/refit update 1 ms '0:1,5:1'
  row embree rtcCollide/refit self_all 11 ms '0:11,5:11'
  row embree rtcCollide/refit pairs_sum 991 pairs '0:496,5:495'
}
captured 496 >"$dir/dancer.tsv"
"$run" --from "$dir/dancer.tsv" --json S3 >"$dir/dancer.json"
python3 - "$dir/dancer.json" <<'P'
import json, sys
r = json.load(open(sys.argv[1]))
assert abs(r["S3/25472/1"]["ratio"] - 12) < 1e-4 and abs(r["S3/25472/1/boxes"]["ratio"] - 3) < 1e-4, r
P
"$run" --from "$dir/dancer.tsv" S3 >"$dir/dancer.txt"
grep -q 'Rumba, a captured dancer.*495 pairs at step 5; ours, the oracle, 1 row of peers agree' "$dir/dancer.txt"
captured 497 >"$dir/dancer.tsv"
code=0
"$run" --from "$dir/dancer.tsv" S3 >"$dir/dancer.txt" 2>"$dir/dancer.err" || code=$?
{ [ "$code" = 1 ] && grep -q 'step 0: pliant cones finds 497 pairs, the oracle 496' "$dir/dancer.err"; } || { echo "a wrong count of a captured mesh was accepted"; exit 1; }

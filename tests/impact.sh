#!/usr/bin/env bash
# `pliant impact` from outside: answers, JSON, exit codes, and what it says when something is wrong.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh" impact

# A vertex falls through a triangle, and one misses it.
python3 - <<'PY'
def rows(vertex, label):
    face = [(0, 0, 0), (4, 0, 0), (0, 4, 0)] # quarters
    for z in (1, -1):
        for x, y, h in [(*vertex, z)] + face:
            yield f"{x}, 4, {y}, 4, {4 * h}, 4{label}\n"
labelled = list(rows((1, 1), ",1")) + list(rows((3, 3), ",0"))
open("fall_vf.csv", "w").writelines(labelled)
open("plain.csv", "w").writelines(list(rows((1, 1), "")) + list(rows((3, 3), "")))
open("wrong_vf.csv", "w").writelines(labelled[:8] + [line.replace(",0\n", ",1\n") for line in labelled[8:]])
open("short_vf.csv", "w").writelines(labelled[:11])
open("third_vf.csv", "w").writelines(["1,3,0,1,0,1,1\n"] * 8)
open("mixed_vf.csv", "w").writelines(labelled[:7] + ["1,4,1,4,1,4,0\n"])
open("word_vf.csv", "w").write("x,1,0,1,0,1\n")
open("labels.json", "w").write("[true, false]\n")
open("few.json", "w").write("[true]\n")
open("empty_vf.csv", "w").write("\n")
PY
run 0 --queries fall_vf.csv --json
json 'len(rows) == 1 and rows[0]["kind"] == "vertex-face" and rows[0]["queries"] == 2 and rows[0]["contacts"] == 1'
json '[rows[0][k] for k in ("true_positives", "false_positives", "true_negatives", "false_negatives")] == [1, 0, 1, 0]'
json '0 <= rows[0]["us_median"] <= rows[0]["us_p99"] <= rows[0]["us_p999"] <= rows[0]["us_max"]'
run 0 --queries wrong_vf.csv --json
json 'rows[0]["true_positives"] == 1 and rows[0]["false_negatives"] == 1'
run 0 --queries plain.csv --kind vertex-face --json
json 'rows[0]["contacts"] == 1 and "true_positives" not in rows[0]'
run 0 --queries plain.csv --kind edge-edge
out_has '2 edge-edge queries'
run 0 --queries plain.csv --kind vertex-face --labels labels.json
out_has '1 true positives, 0 false positives, 1 true negatives, 0 false negatives'
refused 2 'the path says neither' --queries plain.csv
refused 2 'short_vf.csv:9: the last query has 3 of 8 rows' --queries short_vf.csv
refused 2 'third_vf.csv:1: 1 / 3 is not exactly a double' --queries third_vf.csv
refused 2 'mixed_vf.csv:8: the label 0 is not' --queries mixed_vf.csv
refused 2 "word_vf.csv:1: 'x' stands where a number" --queries word_vf.csv
refused 2 'one for each of the 2 queries' --queries plain.csv --kind vertex-face --labels few.json
refused 2 'no queries' --queries empty_vf.csv
refused 2 'nothing_vf.csv' --queries nothing_vf.csv
run 64
err_has '^pliant: '
run 64 --queries fall_vf.csv more
run 0 --help
out_has 'pliant impact'
if [ -d "$DATA/ccd-queries" ]; then
  for file in "$DATA"/ccd-queries/*/*/*.csv; do
    run 0 --queries "$file" --json
    json 'rows[0]["false_positives"] == 0 and rows[0]["false_negatives"] == 0 and rows[0]["contacts"] > 0'
  done
fi
finish

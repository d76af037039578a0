#!/usr/bin/env bash
# `pliant bench`: every experiment runs, checks itself, prints one valid JSON object with its headline numbers and leaves its files;
# wrong command lines are refused. Times are not judged.
set -euo pipefail
: "${PLIANT:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "bench: $*" >&2; exit 1; }

# experiment NAME "HEADLINE KEYS" ROWS [OPTIONS...]
experiment() {
  local name=$1 keys=$2 rows=$3
  shift 3
  "$PLIANT" bench "$name" --quick --json --out "out/$name" "$@" >"$name.json" 2>"$name.err" || fail "$name: $(cat "$name.err")"
  [ -s "$name.err" ] && fail "$name talks on stderr: $(cat "$name.err")"
  python3 - "$name" "$keys" "$rows" <<'PYTHON'
import csv, json, math, sys
name, keys, rows = sys.argv[1], sys.argv[2].split(), int(sys.argv[3])
answer = json.load(open(name + ".json"))
assert answer == json.load(open(f"out/{name}/{name}.json")), "the file differs from what is printed"
assert answer["experiment"] == name and answer["checked"] is True, answer
for key in keys:
    value = answer["headline"][key]
    assert isinstance(value, (int, float)) and math.isfinite(value), (key, value)
    assert value > 0 or key.startswith("exponent"), (key, value) # a fit over few noisy times may come out flat
assert len(answer["rows"]) == rows, len(answer["rows"])
for kind, least in (("", rows), ("-steps", rows)):
    table = list(csv.DictReader(open(f"out/{name}/{name}{kind}.csv")))
    assert len(table) >= least, (kind, len(table))
    assert all(None not in row and None not in row.values() for row in table), "ragged rows"
steps = list(csv.DictReader(open(f"out/{name}/{name}-steps.csv")))
for row in steps:
    assert float(row["update_ms"]) >= 0 and float(row["query_ms"]) > 0, row
    assert abs(float(row["update_ms"]) + float(row["query_ms"]) - float(row["total_ms"])) < 1e-6 * float(row["total_ms"]) + 1e-9
    if name.startswith("larsson-c"): continue # rays: no blending, and hits instead of pairs
    assert abs(float(row["blend_ms"]) + float(row["total_ms"]) - float(row["step_ms"])) < 1e-6 * float(row["step_ms"]) + 1e-9
    assert (float(row["blend_ms"]) > 0) == (name.startswith("larsson-b") and row["method"] in ("hybrid", "larsson-hybrid")), row # free bodies that morph
assert any(int(row.get("pairs", row.get("hits"))) > 0 for row in steps), "nothing ever touched"

# The headlines again, from the rows and the steps.
def near(a, b):
    assert abs(a - b) < 1e-5 * max(1, abs(b)), (a, b)
def mean(column, **which):
    chosen = [float(r[column]) for r in steps if all(r[k] == v for k, v in which.items())]
    return sum(chosen) / len(chosen)
def exponent(points):
    x, y = [math.log(p[0]) for p in points], [math.log(p[1]) for p in points]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)
head = answer["headline"]
if name == "larsson-a1":
    for query in "all", "first":
        near(head[query], mean("total_ms", method="bergen-2", query=query) / mean("total_ms", method="ours-hybrid", query=query))
    near(head["all_vs_bottom_up"],
         mean("total_ms", method="ours-bottom-up", query="all") / mean("total_ms", method="ours-hybrid", query="all"))
    for query in "all", "first": # the loop's row: its own update, one box for each node of a binary tree, and the query of bergen-2
        row = {r["method"]: r for r in answer["rows"] if r["query"] == query + (" pairs" if query == "all" else " pair")}
        loop, bergen = row["bergen-2-loop"], row["bergen-2"]
        assert loop["n_u"] == 2 * (2 * 1280 - 1) and loop["query_ms"] == bergen["query_ms"] and loop["update_ms"] > 0, loop
        near(loop["total_ms"], loop["update_ms"] + loop["query_ms"])
        near(head[query + "_vs_loop"], loop["total_ms"] / row["ours-hybrid"]["total_ms"])
    rough = answer["variants"] # pairs as in the paper: many more than where smooth surfaces meet along curves
    assert len(rough) == 12 and all(r["pairs"] > 0 for r in rough), rough
    near(head["rough_all"], next(r["faster"] for r in rough if r["query"] == "all pairs" and r["method"] == "ours-hybrid"))
if name == "larsson-a2":
    near(head["exponent"], exponent([(r["triangles"], r["worst_ms"]) for r in answer["rows"] if r["method"] == "ours-hybrid"]))
    pairs = {m: [r["pairs"] for r in answer["rows"] if r["method"] == m] for m in ("ours-hybrid", "ours-hybrid-rough")}
    assert head["exponent_rough_pairs"] > exponent([(1280, pairs["ours-hybrid"][0]), (5120, pairs["ours-hybrid"][1])]), pairs
    assert all(r["pairs"] > 0 for r in answer["variants"]), "the probe touches nothing"
if name == "larsson-a3":
    for group in "spheres", "arms":
        near(head[group], mean("total_ms", method="bergen-2", group=group) / mean("total_ms", method="ours-hybrid", group=group))
if name.startswith("larsson-b"):
    variants = answer["variants"]
    count = 22 if name == "larsson-b1" else 24 # two bodies share no stamps with others
    assert len(variants) == count and len(list(csv.DictReader(open(f"out/{name}/{name}-variants.csv")))) == count
    if name == "larsson-b2":
        stamps, none = (next(r for r in variants if r["variant"] == key) for key in ("stamps", "stamps-none"))
        assert stamps["n_v"] == none["n_v"] and stamps["n_p"] == none["n_p"] and stamps["n_u"] < none["n_u"], (stamps, none)
        near(head["stamps"], none["step_ms"] / stamps["step_ms"])
        variants = [r for r in variants if not r["variant"].startswith("stamps")]
    base = next(r for r in variants if r["query"] == "all pairs" and r["variant"] == "aabb")
    for r in variants:
        assert r["n_v"] > 0 and r["step_ms"] > 0 and r["bytes_per_triangle"] >= base["bytes_per_triangle"], r
        if r["query"] == "all pairs" and not r["variant"].startswith("arity"): # tighter volumes are never tested more often
            assert r["n_v"] <= base["n_v"] and r["n_p"] <= base["n_p"] and r["n_u"] <= base["n_u"], (r, base)
    assert any(c["scene"] == "variants" and c["compared"] == "all pairs" and c["with"].startswith("reference") and
               c["answers"] == 11 * c["steps"] > 0 for c in answer["compared"]), answer["compared"]
    near(head["volume_kdop26"], base["step_ms"] / next(
        r for r in variants if r["query"] == "all pairs" and r["variant"] == "kdop26")["step_ms"])
if name == "larsson-b1":
    steps_outside = [r for r in steps if not 90 <= int(r["step"]) < 270]
    sums = {(q, m): sum(float(r["step_ms"]) for r in steps_outside if r["query"] == q and r["method"] == m)
            for q in ("all", "first") for m in ("hybrid", "morph", "larsson-hybrid", "larsson-morph")}
    near(head["all_outside"], sums["all", "hybrid"] / sums["all", "morph"])
    near(head["all_outside_paper_setting"], sums["all", "larsson-hybrid"] / sums["all", "larsson-morph"])
    near(head["first_paper_setting"], mean("step_ms", method="larsson-hybrid", query="first") /
         mean("step_ms", method="larsson-morph", query="first"))
    near(head["first"], mean("step_ms", method="hybrid", query="first") / mean("step_ms", method="morph", query="first"))
    first = {m: [float(r["step_ms"]) for r in steps if r["query"] == "first" and r["method"] == m] for m in ("hybrid", "morph")}
    near(head["first_worst"], min(h / m for h, m in zip(first["hybrid"], first["morph"])))
if name == "larsson-b2": # quick: the largest size is 2256
    def b2(method, query, group="2256", column="step_ms"):
        return mean(column, method=method, query=query, group=group)
    for query in "all", "first":
        near(head[query + "_36096"], b2("hybrid", query) / b2("morph", query))
        near(head[query + "_36096_paper_setting"], b2("larsson-hybrid", query) / b2("larsson-morph", query))
        near(head[query + "_36096_without_blend"], b2("hybrid", query, column="total_ms") / b2("morph", query))
        near(head["growth_first_paper_setting"], b2("larsson-morph", "first") / b2("larsson-morph", "first", group="564"))
        near(head["growth_" + query], b2("morph", query) / b2("morph", query, group="564"))
if name.startswith("schwartzman"):
    for row in answer["rows"]:
        if row["method"] == "bn":
            near(row["faster"], mean("total_ms", method="hsc", group=row["case"]) / mean("total_ms", method="bn", group=row["case"]))
    for r in answer.get("variants", []): # bounds of normals: sound, and ours prove no less than the published ones
        assert r["unsound"] == 0 and r["published_14"] <= r["exact_14"] and r["sample_14"] <= r["ours_26"] <= r["exact_26"], r
    sound = [r for r in steps if not r["method"].endswith("-published")] # normals alone may miss pairs; nothing else may
    assert len({(r["group"], r["step"], r["pairs"]) for r in sound}) == len(sound) / 4, "methods report different pairs"
    assert len(sound) * 3 == len(steps) * 2
    assert all(row["missed"] == 0 or (row["missed"] > 0 and row["method"].endswith("-published")) for row in answer["rows"])
if name == "larsson-c1":
    for sampling in "1", "5", "10":
        for group, ending in ("paper", ""), ("ours", "_ours"):
            total = {m: mean("total_ms", method=f"{group}-{m}", query=f"{sampling}x{sampling}") for m in ("bottom-up", "hybrid")}
            near(head[f"total_{sampling}{ending}"], total["bottom-up"] / total["hybrid"])
    assert len({(r["step"], r["query"], r["hits"], r["rays"], r["bodies"]) for r in steps}) == len(steps) / 4, "players see different things"
    assert len({r["bodies"] for r in steps}) > 1, "the camera does not move"
if name == "larsson-c2":
    for sampling in "1", "5", "10":
        total = {m: mean("total_ms", method=m, query=f"{sampling}x{sampling}") for m in ("paper-bottom-up", "paper-hybrid", "ours-bottom-up", "grid")}
        near(head[f"total_{sampling}"], total["paper-bottom-up"] / total["paper-hybrid"])
        near(head[f"grid_{sampling}"], total["ours-bottom-up"] / total["grid"])
    assert len({(r["step"], r["query"], r["hits"], r["rays"]) for r in steps}) == len(steps) / 7, "players see different things"
    assert all(float(r["grid"]) == (r["method"] == "grid") for r in steps if r["method"] != "auto"), "another method than asked for"
PYTHON
  [ -s "out/$name/$name.gp" ] || fail "$name: no plot script"
  if command -v gnuplot >/dev/null; then
    [ "$(head -c 4 "out/$name/$name.png" | tail -c 3)" = PNG ] || fail "$name: no plot"
  fi
}
mkdir larsson-a1 # does not hide the experiment of that name
experiment larsson-a1 "all first update all_simple all_hard all_paper_setting first_paper_setting all_vs_bottom_up all_vs_loop first_vs_loop loop_update all_arity_8_over_4 all_arity_8_over_2 rough_all rough_all_paper_setting rough_first" 24
experiment larsson-a2 "exponent exponent_mean exponent_first exponent_paper_sizes exponent_paper_setting exponent_rough exponent_rough_pairs local local_bottom_up" 12
experiment larsson-a3 "spheres arms spheres_paper_setting arms_paper_setting" 8
experiment larsson-b1 "all_outside first first_worst all all_deep all_outside_without_blend first_without_blend all_outside_paper_setting all_deep_paper_setting first_paper_setting volume_sphere volume_kdop14 volume_kdop18 volume_kdop26 inbetweens_1 inbetweens_3 sphere_inbetweens_3 kdop26_inbetweens_3" 8
[ -n "${SANITIZED-}" ] || experiment larsson-b2 "all_36096 first_36096 growth_first growth_all all_36096_without_blend first_36096_without_blend all_36096_paper_setting first_36096_paper_setting growth_first_paper_setting volume_sphere volume_kdop14 volume_kdop18 volume_kdop26 inbetweens_1 inbetweens_3 sphere_inbetweens_3 kdop26_inbetweens_3" 16
experiment larsson-c1 "update total_1 total_5 total_10 best_5 best_10 update_ours total_1_ours total_5_ours total_10_ours picking picking_ours rays_100 amdahl_bottom_up amdahl_hybrid" 18
[ -n "${SANITIZED-}" ] || experiment larsson-c2 "update update_ours total_1 total_5 total_10 grid_1 grid_5 grid_10 auto_1 auto_5 auto_10" 21
# Spheres that touch: its steps are counts, checked by itself.
"$PLIANT" bench spillmann-1 --quick --json --out out/spillmann-1 >spillmann-1.json 2>spillmann-1.err || fail "spillmann-1: $(cat spillmann-1.err)"
python3 - <<'PYTHON'
import csv, json
answer = json.load(open("spillmann-1.json"))
assert answer["checked"] is True and len(answer["rows"]) == 5, answer
steps = list(csv.DictReader(open("out/spillmann-1/spillmann-1-steps.csv")))
sums = [sum(float(row[key]) for row in steps) for key in ("updated", "updated_optimal")]
assert abs(answer["headline"]["extra_updates"] - sums[0] / sums[1]) < 1e-9, sums
assert 1 <= answer["headline"]["extra_updates"] < 1.5 and answer["headline"]["growth"] > 0, answer["headline"]
PYTHON
experiment schwartzman-1 "level2 level3 level4 level4_wave level4_wrinkle level5 level6 level2_published level4_published" 42
[ -n "${SANITIZED-}" ] || experiment schwartzman-2 "walking running walking_nine walking_published walking_nine_published" 18
[ -n "${SANITIZED-}" ] || experiment schwartzman-3 "all all_published" 6

# Distances instead of contacts: columns of its own.
if [ -z "${SANITIZED-}" ]; then # it takes long
"$PLIANT" bench bitar --quick --json --out out/bitar >bitar.json 2>bitar.err || fail "bitar: $(cat bitar.err)"
[ -s bitar.err ] && fail "bitar talks on stderr: $(cat bitar.err)"
python3 - <<'PYTHON'
import csv, json, math
answer = json.load(open("bitar.json"))
assert answer == json.load(open("out/bitar/bitar.json")) and answer["checked"] is True
head, rows = answer["headline"], answer["rows"]
assert len(rows) == 4 * 10, len(rows)
steps = list(csv.DictReader(open("out/bitar/bitar-steps.csv")))
assert all(float(r["distance"]) > 0 and float(r["n_v"]) > 0 for r in steps)
def total(group, method):
    return sum(float(r["total_ms"]) for r in steps if r["group"] == group and r["method"] == method)
own = ["a", "b", "a-and-b", "b-and-c", "a-or-bc", "a-and-b-and-c", "ab-or-bc"]
for key, slow, method, group in (("over_refit_all", "follow", "refit-all", "follow"),
                                 ("over_refit_none", "thesis-size", "refit-none", "follow"),
                                 ("over_refit_all_100x", "100x", "refit-all", "100x"),
                                 ("over_refit_all_stand", "thesis-size", "refit-all", "thesis-size"),
                                 ("over_refit_none_stand", "thesis-size", "refit-none", "thesis-size")):
    wanted = total(slow, method) / min(total(group, m) for m in own)
    assert abs(head[key] - wanted) < 1e-5 * wanted, (key, head[key], wanted)
assert 0 <= head["order_kept"] <= 1
# Volumes that stand and that follow have the same criteria with searched parameters, from the same ranges and with as many runs.
limits = {"p_max": (0.01, 10), "k": (0.005, 1), "gamma": (0.002, 1)}
def searched(growth):
    return {r["criterion"]: {key: r[key] for key in limits if r[key] is not None} for r in rows
            if r["size"] == "thesis" and r["growth"] == growth and r["parameters"] == "searched"}
assert len(searched("stand")) == 10 and {c: set(p) for c, p in searched("stand").items()} == {c: set(p) for c, p in searched("follow").items()}
for found in searched("stand"), searched("follow"):
    assert sum(map(len, found.values())) == 5 + 2 * 4, found
    assert all(limits[key][0] <= value <= limits[key][1] for p in found.values() for key, value in p.items()), found
assert any(note.startswith("Searched: 7 runs for each criterion and growth") for note in answer["notes"]), answer["notes"]
refitted = {r["method"]: 0 for r in steps}
for r in steps:
    refitted[r["method"]] += float(r["n_u"])
assert all(refitted["refit-all"] > refitted[m] for m in own), refitted
PYTHON
[ -s out/bitar/bitar.gp ] || fail "bitar: no plot script"
fi

# A table for people, with the paper's figures; files where they are said to be; several at once in folders of their own.
"$PLIANT" bench larsson-a1 larsson-a2 --quick --steps-stride=66 --reps 1 --out both >text
grep -q "van den Bergen, binary" text || fail "no baseline in the table"
grep -q "paper: 60" text || fail "the paper's figures are not beside ours"
[ -s both/larsson-a1/larsson-a1.csv ] || fail "no files of the first of two experiments"
[ -s both/larsson-a2/larsson-a2.csv ] || fail "no files of the second of two experiments"
(mkdir plain && cd plain && "$PLIANT" bench larsson-a1 --quick --triangles 320 --steps-stride 66 >/dev/null)
[ -s plain/out/bench-quick/larsson-a1/larsson-a1.json ] || fail "the default folder of --quick is out/bench-quick/NAME"

# Without gnuplot the script stays and a sentence says so.
mkdir no-gnuplot
PATH="$work/no-gnuplot" "$PLIANT" bench larsson-a1 --quick --triangles 320 --steps-stride 66 --out bare >text
grep -q "gnuplot is not installed" text || fail "a missing gnuplot is not told"
[ -s bare/larsson-a1.gp ] || fail "the script is gone without gnuplot"

# Files of the user's own: every strategy, checked, as a table, as JSON and as files.
mkdir moves
for f in 0 1 2; do
  printf 'v 0 0 %s\nv 1 0 %s\nv 0 1 0.5\nv 1 1 0.5\nf 1 2 3\nf 2 4 3\n' "-0.$f" "-0.$f" >"moves/sheet_$f.obj"
done
printf 'v -1 -1 0\nv 2 -1 0\nv 0 2 0\nf 1 2 3\n' >floor.obj
"$PLIANT" bench moves floor.obj --reps 3 --out files >text 2>err || fail "files: $(cat err)"
[ ! -s err ] || fail "files: talks on stderr: $(cat err)"
grep -q '^median of 3 rounds; all strategies agree in all frames, and with the reference in 3 of 3$' text || fail "files: $(cat text)"
grep -q 'mean nothing' text && fail "files: times of a whole run mean something"
for query in collide distance; do
  "$PLIANT" bench --json --query $query --frames 1..2 'moves/sheet_*.obj' floor.obj --out "$query" >files.json 2>err || fail "files, $query: $(cat err)"
  python3 - $query <<'PYTHON' || fail "files, $query: wrong JSON: $(cat files.json)"
import csv, json, sys
query = sys.argv[1]
o = json.load(open("files.json"))
assert o == json.load(open(f"{query}/files.json"))
assert o["cpu"] and o["compiler"] and o["version"] and o["query"] == query and o["quick"] is False, o
assert o["frames"] == 2 and o["checked_frames"] == 2 and o["triangles_a"] == 2 and o["triangles_b"] == 1, o
names = [r["strategy"] for r in o["strategies"]]
assert names[0] == "auto" and {"bottom-up", "top-down", "hybrid", "bergen", "inflate"} <= set(names), names
assert all(r["ms"] >= r["ms_least"] > 0 and r["n_v"] >= 0 and r["n_p"] > 0 for r in o["strategies"]), o
assert [r["strategy"] for r in csv.DictReader(open(f"{query}/files.csv"))] == names
plot = open(f"{query}/files.svg").read()
assert plot.startswith("<svg") and all(name in plot for name in names)
PYTHON
done
(cd plain && "$PLIANT" bench ../moves ../floor.obj --quick >../text)
grep -q '^quick: the times mean nothing$' text || fail "files: --quick does not say that its times mean nothing"
[ -s plain/out/bench-quick/files/files.json ] || fail "files: the default folder of --quick is out/bench-quick/files"
[ ! -e plain/out/bench ] || fail "--quick writes among measurements"

# Continuous collision: rows of its own.
"$PLIANT" bench impact --quick --json --out out/impact >impact.json 2>impact.err || fail "impact: $(cat impact.err)"
[ -s impact.err ] && fail "impact talks on stderr: $(cat impact.err)"
python3 - <<'PYTHON'
import json, math
answer = json.load(open("impact.json"))
assert answer["checked"] is True and [r["step"] for r in answer["rows"]] == ["crane", "rod-twist", "cloth-ball", "n-body"]
for key in ("first", "all", "candidates", "two_first", "two_all", "two_candidates"):
    assert math.isfinite(answer["headline"][key]) and answer["headline"][key] > 0, key
for row in answer["rows"]:
    assert row["candidates"] > 0 and row["contacts"] <= row["candidates"] and row["first_n_p"] <= row["candidates"], row
assert answer["rows"][3]["time"] == 0 and 0 < answer["rows"][1]["time"] < 1, "what is in contact at the start"
PYTHON

# How time grows: a row for each question of each input, every one checked before it is timed.
"$PLIANT" bench growth --quick --json --out out/growth >growth.json 2>growth.err || fail "growth: $(cat growth.err)"
[ -s growth.err ] && fail "growth talks on stderr: $(cat growth.err)"
python3 - <<'PYTHON'
import csv, json, math
answer = json.load(open("growth.json"))
rows, head = answer["rows"], answer["headline"]
assert answer == json.load(open("out/growth/growth.json")) and answer["checked"] is True
assert len(rows) == head["inputs"] >= 90 and len({(r["input"], r["question"]) for r in rows}) == len(rows)
assert len({r["question"] for r in rows}) >= 33 and all(r["by"] in ("time", "counts") for r in rows)
free = [r["exponent"] for r in rows if not r["reason"]]
assert math.isfinite(head["worst"]) and abs(head["worst"] - max(free)) < 1e-6 and head["over_goal"] == sum(e > 1.3 for e in free)
assert len(list(csv.DictReader(open("out/growth/growth-steps.csv")))) == 2 * len(rows)
PYTHON

# What margins cost within one body: a row for each size and margin; nothing is near, and the small sheet is the reference's.
"$PLIANT" bench thick --quick --json --out out/thick >thick.json 2>thick.err || fail "thick: $(cat thick.err)"
[ -s thick.err ] && fail "thick talks on stderr: $(cat thick.err)"
python3 - <<'PYTHON'
import json
answer = json.load(open("thick.json"))
rows, head = answer["rows"], answer["headline"]
assert answer == json.load(open("out/thick/thick.json")) and answer["checked"] is True and len(rows) == 3
assert sum(line["values"] for line in answer["compared"]) > 0, answer["compared"]
for key in ("near_over_self", "separation_over_plain"):
    assert abs(head[key] - max(r[key] for r in rows)) < 1e-6 and head[key] > 0, key
PYTHON

# Free steps: never an intersection, and nearly the exact step.
"$PLIANT" bench steps --quick --json --out out/steps >steps.json 2>steps.err || fail "steps: $(cat steps.err)"
[ -s steps.err ] && fail "steps talks on stderr: $(cat steps.err)"
python3 - <<'PYTHON'
import json
answer = json.load(open("steps.json"))
assert answer["checked"] is True and len(answer["rows"]) == 2, answer
assert answer["headline"]["intersections"] == 0 and answer["headline"]["least_share"] > 0.9, answer["headline"]
PYTHON

# A stack of cloth: never an intersection.
"$PLIANT" bench layers --quick --json --out out/layers >layers.json 2>layers.err || fail "layers: $(cat layers.err)"
[ -s layers.err ] && fail "layers talks on stderr: $(cat layers.err)"
python3 - <<'PYTHON'
import json
answer = json.load(open("layers.json"))
row, head = answer["rows"][0], answer["headline"]
assert answer["checked"] is True and row["steps"] == 10 and row["triangles"] == 384, answer
assert head["intersections"] == 0 and 0 < head["contact_share"] < 1, head
assert 0 < row["searches"] and row["checks"] >= 1, row
PYTHON

# Soft bodies: a row for each level, energy that does not grow, and everything finite.
for name in spillmann-2 spillmann-3; do
  "$PLIANT" bench $name --quick --json --out "out/$name" >"$name.json" 2>"$name.err" || fail "$name: $(cat "$name.err")"
  [ -s "$name.err" ] && fail "$name talks on stderr: $(cat "$name.err")"
done
python3 - <<'PYTHON'
import json
two, three = (json.load(open(f"spillmann-{k}.json")) for k in (2, 3))
assert two["checked"] is True and three["checked"] is True
assert [r["level"] for r in two["rows"]] == [2, 3, 4, 5, 6], two["rows"]
for r in two["rows"]:
    assert r["contacts"] > 0 and r["visited"] >= r["contacts"] and 0 <= r["energy_rise"] < 1e-3, r
    assert abs(r["detect_ms"] + r["respond_ms"] + r["deform_ms"] - r["total_ms"]) < 1e-6, r
low, high = two["rows"][0], two["rows"][4]
assert abs(two["headline"]["level6_over_2"] - (high["detect_ms"] + high["respond_ms"]) / (low["detect_ms"] + low["respond_ms"])) < 1e-5
assert abs(two["headline"]["fps_level4"] - 1000 / two["rows"][2]["total_ms"]) < 1e-2
assert 0 <= two["headline"]["budget_kept"] <= 1 + 1e-9
assert three["headline"]["fps"] > 0 and len(three["rows"]) == 2
PYTHON

# Every experiment in the list can be named.
"$PLIANT" bench --list >list
[ "$(grep -c '^[a-z]*-[a-z0-9]* ' list)" -ge 3 ] || fail "--list"
"$PLIANT" bench --help | grep -q -- --steps-stride || fail "--help"

# Flight plans: kinetic trees and separation lists, checked against refits and against the walk in space and time.
for name in zachmann-1 zachmann-2 zachmann-3 zachmann-4; do
  "$PLIANT" bench $name --quick --json --out "out/$name" >$name.json 2>$name.err || fail "$name: $(cat $name.err)"
  [ -s $name.err ] && fail "$name talks on stderr: $(cat $name.err)"
  python3 - $name <<'PYTHON'
import json, math, sys
name = sys.argv[1]
answer = json.load(open(name + ".json"))
assert answer == json.load(open(f"out/{name}/{name}.json")) and answer["checked"] is True
keys = {"zachmann-1": "updates exponent", "zachmann-2": "at_16 at_160 exact_at_160 list_at_16 list_at_160 list_at_160_plain", "zachmann-3": "self", "zachmann-4": "image image_16"}[name]
for key in keys.split():
    assert math.isfinite(answer["headline"][key]) and answer["headline"][key] > 0, (key, answer["headline"][key])
rows = answer["rows"]
if name == "zachmann-1":
    for row in rows:
        assert (row["events"] > 0) == (row["method"] != "refit (bottom-up)" and row["scene"] != "rigid"), row
        assert row["updates"] <= row["events"] * 20 or row["method"] == "refit (bottom-up)", row # a path to the root at most
elif name == "zachmann-4":
    assert all(row["changes"] <= row["events"] + row["pixels"] * row["starts"] for row in rows) and len(rows) == 3
else:
    for row in rows:
        same = [r for r in rows if r["scene"] == row["scene"] and r["triangles"] == row["triangles"]]
        assert len(same) == 5 and all(r["leaf_pairs"] == row["leaf_pairs"] and r["tree_events"] == row["tree_events"] for r in same), row
    assert any(row["contacts"] > 0 for row in rows), "nothing ever touched"
PYTHON
done

# What was compared is listed line by line, the same in JSON, CSV and table; nothing is claimed beyond it.
"$PLIANT" bench callers --quick --json --out out/callers >callers.json 2>callers.err || fail "callers: $(cat callers.err)"
python3 - <<'PYTHON'
import csv, glob, json, os
seen = 0
for path in glob.glob("out/*/*.json"):
    answer, name = json.load(open(path)), os.path.basename(path)[:-5]
    lines = answer["compared"]
    assert any(line["with"].startswith("reference") and line["answers"] > 0 for line in lines), (name, lines)
    assert len({(line["scene"], line["compared"], line["with"]) for line in lines}) == len(lines), (name, lines)
    for line in lines:
        assert line["answers"] > 0 and line["values"] >= 0, (name, line)
        assert line["steps"] is None or 0 < line["steps"] <= line["answers"], (name, line)
    rows = list(csv.DictReader(open(f"out/{name}/{name}-compared.csv")))
    assert [(r["scene"], r["compared"], r["with"], int(r["answers"])) for r in rows] == [
        (line["scene"], line["compared"], line["with"], line["answers"]) for line in lines], name
    seen += 1
assert seen >= 10, seen
PYTHON
"$PLIANT" bench larsson-a1 --quick --out out/text >text
grep -q "all answers checked" text && fail "claims that all answers were checked"
grep -Eq "all pairs +reference +4 +20 +" text || fail "does not say in how many steps pairs were compared: $(cat text)"

# refused CODE TEXT ARGUMENTS...
refused() {
  local code=$1 text=$2 got=0
  shift 2
  "$PLIANT" bench "$@" >stdout 2>stderr || got=$?
  [ "$got" = "$code" ] || fail "$*: exit code $got, not $code"
  [ "$(wc -l <stderr)" = 1 ] || fail "$*: not one line: $(cat stderr)"
  grep -q -- "$text" stderr || fail "$*: says: $(cat stderr)"
  [ ! -s stdout ] || fail "$*: prints on stdout"
}
refused 64 "name an experiment"
refused 64 "there is no experiment larsson-z9" larsson-z9
refused 64 "did you mean larsson-a1" larson-a1
refused 64 "there is no option --fast" larsson-a1 --fast
refused 64 "quick takes no value" larsson-a1 --quick=1
refused 64 "whole number" larsson-a1 --reps 0
refused 64 "whole number" larsson-a1 --reps=3x
refused 64 "out needs a value" larsson-a1 --out
refused 64 "triangles needs a value" larsson-a1 --triangles
refused 64 "two meshes" moves
refused 64 "two meshes" moves floor.obj floor.obj
refused 64 "are for experiments" moves floor.obj --triangles 100
refused 2 "absent.obj" moves absent.obj
touch file
refused 2 "file" larsson-a1 --quick --triangles 320 --steps-stride 66 --out file
refused 2 "two sizes" larsson-a2 --quick --triangles 1000
echo "bench: all good"

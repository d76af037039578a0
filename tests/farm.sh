#!/usr/bin/env bash
# The templates of docs/how-to/machines.md, as far as packages allow: GNU parallel, and a reader of the Open Job Description template that
# runs its steps here. Both give the bytes of the undivided run.
set -uo pipefail
command -v python3 >/dev/null || exit 77
# shellcheck source-path=SCRIPTDIR source=support/command.sh
. "$(dirname "$0")/support/command.sh"
tried=0
mkdir frames bin
ln -s "$PLIANT" bin/pliant
PATH=$WORK/bin:$PATH
for i in 1 2 3 4 5; do square "frames/f_$i.obj" 0.$i 0; done
run 0 self frames/ --json --list --no-costs
mv out whole

if parallel --version 2>/dev/null | grep -q GNU; then
  tried=$((tried + 1))
  parallel -j 2 'pliant self frames/ --json --list --shard {}/4 > part-{}' ::: 1 2 3 4 2>err
  run 0 merge part-1 part-2 part-3 part-4
  cmp -s whole out || fail "GNU parallel: not the undivided run"
fi

cat >runner.py <<'PY'
"""Runs a template of Open Job Description: the steps in order, a task for each number, format strings replaced."""
import re, subprocess, sys, yaml
job = yaml.safe_load(open(sys.argv[1]))
assert job["specificationVersion"] == "jobtemplate-2023-09"
values = {f"Param.{p['name']}": str(p.get("default")) for p in job["parameterDefinitions"]}
values.update(("Param." + word.split("=")[0], word.split("=")[1]) for word in sys.argv[2:])
def fill(text, more={}):
    return re.sub(r"\{\{\s*([\w.]+)\s*\}\}", lambda m: {**values, **more}[m[1]], str(text))
done = set()
for step in job["steps"]:
    assert all(d["dependsOn"] in done for d in step.get("dependencies", []))
    tasks = [{}]
    for p in step.get("parameterSpace", {}).get("taskParameterDefinitions", []):
        first, last = map(int, fill(p["range"]).split("-"))
        tasks = [{**t, "Task.Param." + p["name"]: str(n)} for t in tasks for n in range(first, last + 1)]
    action = step["script"]["actions"]["onRun"]
    for task in reversed(tasks):  # in any order
        subprocess.run([fill(action["command"], task), *(fill(a, task) for a in action["args"])], check=True)
    done.add(step["name"])
PY
if python3 -c 'import yaml' 2>/dev/null; then
  tried=$((tried + 1))
  mkdir parts
  python3 runner.py "$SOURCE_DIR/docs/how-to/shard.openjd.yaml" Frames=frames/ Parts=parts Shards=3 2>err || fail "the template does not run"
  cmp -s whole parts/contacts.json || fail "Open Job Description: not the undivided run"
fi
[ $tried -gt 0 ] || exit 77
finish

#!/usr/bin/env bash
# The rooms of the project: includes point one way only. A file of src/ may include its own room and the ones before it;
# extras/ (io, scenes, sim, trace) know nothing of src/; apps/, bench/ and bindings/ use what every user has, and extras/. Names every
# wrong line. Counts what the public headers have, too.
set -euo pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/..}"

# In the order in which they build on each other; docs/architecture.md tells what each is for.
ROOMS="core math exact mesh motion build bounds space tree grid kernels update body query scene reference ask"

# shellcheck disable=SC2016
find include src extras apps bench bindings -name '*.[ch]' -o -name '*.inl' -o -name '*.[ch]pp' | sort | xargs awk -v rooms="$ROOMS" '
  function wrong(why) { printf "%s:%d: %s: %s\n", FILENAME, FNR, target, why; failed = 1 }
  function room_of(path, parts) { split(path, parts, "/"); return parts[1] }
  function exists(path, line, got) { got = (getline line < path) >= 0; close(path); return got }
  BEGIN { n = split(rooms, list, " "); for (i = 1; i <= n; ++i) rank[list[i]] = i }
  FNR == 1 {
    split(FILENAME, at, "/")
    top = at[1]; here = at[2]
    if (top == "extras") top = at[2]
    if (top == "apps") command = at[3]
    beside = FILENAME; sub(/\/[^\/]*$/, "", beside)
    if (top == "src" && !(here in rank)) { printf "%s: the room %s has no place in the order of tests/rooms.sh\n", FILENAME, here; failed = 1 }
  }
  /^[ \t]*#[ \t]*include[ \t]*"/ {
    target = $0; sub(/^[^"]*"/, "", target); sub(/".*/, "", target)
    to = room_of(target)
    ++seen
    if (target ~ /\.\./) wrong("includes are written from a root, not upwards")
    else if (target ~ /^pliant\//) { if (!exists("include/" target)) wrong("no such public header") }
    else if (top == "include") { if (target ~ /\//) wrong("a public header includes public headers only") }
    else if (top == "src") {
      if (!(to in rank)) wrong("src/ includes src/ and include/pliant only")
      else if (rank[to] > rank[here]) wrong("room " to " comes after room " here)
    }
    else if (exists("src/" target)) wrong("the inside of the library is not for " top "/")
    else if (target ~ /\//) {
      if (top == "sim" && to != top && to != "scenes") wrong("sim/ includes itself, scenes/ and include/pliant only")
      else if (to != top && (top == "io" || top == "scenes" || top == "trace")) wrong(top "/ includes itself and include/pliant only")
      else if (top == "apps" && target == "bench/bench.h") ; # the experiments are a sub-command: this is their door
      else if (top == "bench" && target ~ /^docs\/examples\//) ; # an experiment may play a program of the docs, as users read it
      else if (top == "apps" && exists("apps/pliant/" target)) { # a folder of a sub-command may use itself and common/; others only by name
        if (command == "common" && to != "common") wrong("common/ serves all sub-commands and knows none of them")
      }
      else if (to != "io" && to != "scenes" && to != "sim" && to != "trace" && to != top) wrong(top "/ includes include/pliant, io/, scenes/, sim/, trace/ and its own")
    }
    else if (!exists(beside "/" target)) wrong("no such file beside it")
  }
  END { if (!seen) { print "no includes seen: is this the project?"; failed = 1 }; exit failed }
'

# What a newcomer meets stays small enough to learn: counts of include/pliant/, with their limits.
few() { [ "$2" -le "$3" ] || { echo "include/pliant/ has $2 $1, more than $3" >&2; exit 1; }; }
few "exported functions" "$(cat include/pliant/*.h | grep -c '^PL_API')" 140
few "structs" "$(cat include/pliant/*.h | grep -cE '^(typedef )?struct pl_[a-z_]+ \{')" 60
few "headers" "$(find include/pliant -name '*.h' | wc -l)" 14

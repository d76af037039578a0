# shellcheck shell=bash
# What the scripts that test the command share: a folder of their own, runs of the command, and what is asked of them. Such a script
# begins with `. support/command.sh [WORD]`, the sub-command that all its runs are of, and ends with `finish`. Real data may be
# at $DATA, or not.
word=${1-}
PLIANT=${PLIANT:?the command to test}
SOURCE_DIR=${SOURCE_DIR:-$(cd "$(dirname "$0")/.." && pwd)}
# shellcheck disable=SC2034
DATA=$SOURCE_DIR/../shared/data
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT
cd "$WORK" || exit 1
failures=0
tests=0
last="" # what was run, for the sentences

fail() {
  echo "FAILED: $1"
  sed 's/^/  out: /' out | head -5
  sed 's/^/  err: /' err | head -5
  failures=$((failures + 1))
}
# run CODE ARGUMENTS...: the command ends with that code; out and err are kept
run() {
  local want=$1 code=0
  shift
  "$PLIANT" ${word:+"$word"} "$@" >out 2>err || code=$?
  tests=$((tests + 1))
  last="pliant${word:+ $word} $*"
  [ $code = "$want" ] || fail "$last: exit code $code instead of $want"
}
out_has() { grep -qe "$1" out || fail "$last: no '$1' on stdout"; }
err_has() { grep -qe "$1" err || fail "$last: no '$1' on stderr"; }
out_lines() { [ "$(wc -l <out)" = "$1" ] || fail "$last: $(wc -l <out) lines on stdout instead of $1"; }
err_lines() { [ "$(wc -l <err)" = "$1" ] || fail "$last: $(wc -l <err) lines on stderr instead of $1"; }
# refused CODE PATTERN ARGUMENTS...: one line on stderr that begins with pliant: and says why; nothing on stdout
refused() {
  local code=$1 pattern=$2
  shift 2
  run "$code" "$@"
  err_has "$pattern"
  err_lines 1
  grep -q '^pliant: ' err || fail "$last: stderr does not begin with 'pliant: '"
  [ -s out ] && fail "$last: something on stdout"
}
# json PYTHON: every line of out is JSON; `rows` is the list of them, and the expression must be true
json() {
  python3 - "$1" >python.log 2>&1 <<'PY' || { fail "$last: JSON: $1"; head -3 python.log; }
import json, sys
def no_constant(name): raise ValueError(name)
rows = [json.loads(line, parse_constant=no_constant) for line in open("out", encoding="utf-8")]
assert eval(sys.argv[1]), rows[:3]
PY
}
# square FILE Z X: two triangles that form a square of side 1 in the plane z = Z, moved by X along x
square() {
  python3 -c 'import sys
z, x = map(float, sys.argv[1:])
print(f"v {x} 0 {z}\nv {x+1} 0 {z}\nv {x+1} 1 {z}\nv {x} 1 {z}\nf 1 2 3\nf 1 3 4")' "$2" "$3" >"$1"
}
# finish: the script's last line
finish() {
  echo "$tests runs, $failures failures"
  [ $failures = 0 ]
}

#!/usr/bin/env bash
# Programs compiled against the headers of released versions work with the library of now: each tests/frozen/VERSION has the headers, the
# program and what it printed then. The same program with the headers of now must print the same. Sizes of structs that keep their size
# and numbers of enumerations are compared too.
set -euo pipefail
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"
CC=${CC:-cc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "frozen: $*" >&2; exit 1; }
library=$BUILD_DIR/src/libpliant.a
[ -f "$library" ] || fail "no $library"
flags="-std=c17 -Wall -Wextra -Werror"
grep -q '^PLIANT_SANITIZE:[^=]*=..*' "$BUILD_DIR/CMakeCache.txt" && flags+=" -fsanitize=$(sed -n 's/^PLIANT_SANITIZE:[^=]*=//p' "$BUILD_DIR/CMakeCache.txt")"

# compile HEADERS SOURCE OUT
compile() {
  # shellcheck disable=SC2086
  $CC $flags -I "$1" "$2" -o "$3" "$library" -lpthread -lm || fail "$2 does not compile with $1"
}

# values HEADERS OUT: a program that prints the size of each struct that is no definition, and every enumerator.
# shellcheck disable=SC2028 # escapes are for printf in C
values() {
  local name
  {
    echo '#include <pliant/pliant.h>'
    echo '#include <stdio.h>'
    echo 'int main(void) {'
    for name in pl_positions pl_allocator pl_counters pl_pair pl_near_pair pl_group pl_profile pl_ray pl_hit \
      pl_transform pl_inflate_def; do
      echo "  printf(\"$name %zu\\n\", sizeof($name));"
    done
    grep -hoE '^  PL_[A-Z0-9_]+ = [0-9]+' "$SOURCE_DIR"/tests/frozen/"$3"/pliant/*.h | grep -v '_COUNT =' | sort -u | while read -r name _; do
      echo "  printf(\"$name %d\\n\", (int)$name);"
    done
    echo '  return 0; }'
  } >"$work/values.c"
  compile "$1" "$work/values.c" "$work/values"
  "$work/values" >"$2"
}

seen=0
for frozen in "$SOURCE_DIR"/tests/frozen/*/; do
  [ -d "$frozen/pliant" ] || continue
  name=$(basename "$frozen")
  compile "$frozen" "$frozen/program.c" "$work/then"
  "$work/then" >"$work/out" || { cat "$work/out" >&2; fail "the program of $name failed with the library of now"; }
  diff "$frozen/expected.txt" "$work/out" >&2 || fail "the program of $name prints something else with the library of now"
  values "$frozen" "$work/then.txt" "$name"
  values "$SOURCE_DIR/include" "$work/now.txt" "$name"
  grep -vxFf "$work/now.txt" "$work/then.txt" >&2 && fail "sizes or numbers of $name (above) have changed"
  seen=$((seen + 1))
done
[ $seen -gt 0 ] || { echo "no version is frozen yet: tests/frozen/freeze"; exit 77; }
echo "frozen: $seen version(s) work"

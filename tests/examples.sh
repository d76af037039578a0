#!/usr/bin/env bash
# Every program of docs/examples, compiled strictly against the public headers and the library at hand, and run. NAME.txt beside a program
# is what it prints; without one it must end with 0.
set -euo pipefail
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"
CC=${CC:-cc} CXX=${CXX:-c++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "examples: $*" >&2; exit 1; }
library=$BUILD_DIR/src/libpliant.a
[ -f "$library" ] || fail "no $library"
strict="-O1 -pedantic -Wall -Wextra -Werror -I$SOURCE_DIR/include"
seen=0
for source in "$SOURCE_DIR"/docs/examples/*.c "$SOURCE_DIR"/docs/examples/*.cpp; do
  name=$(basename "$source")
  # shellcheck disable=SC2086
  case $name in
  *.cpp) $CXX -std=c++17 $strict "$source" -o "$work/program" "$library" -lpthread -lm || fail "$name does not compile" ;;
  *) $CC -std=c17 -D_POSIX_C_SOURCE=200809L $strict "$source" -o "$work/program" "$library" -lpthread -lm || fail "$name does not compile" ;;
  esac
  (cd "$work" && ./program >out 2>err) || { cat "$work/err" >&2; fail "$name failed"; }
  expected=${source%.*}.txt
  [ ! -f "$expected" ] || diff "$expected" "$work/out" >&2 || fail "$name prints something else than $(basename "$expected")"
  seen=$((seen + 1))
done
[ $seen -ge 3 ] || fail "docs/examples has lost its programs"
echo "examples: $seen programs"

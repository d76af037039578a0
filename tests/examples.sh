#!/usr/bin/env bash
# Every program of docs/examples, compiled strictly against the public headers and the library at hand, and run. NAME.txt beside a program
# is what it prints; without one it must end with 0. Also the commands of the README's shell example, on files of the names that they use.
# (tests/install.sh runs its C program, bindings/python/tests its Python program.)
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
  [ -z "${SANITIZED-}" ] || break # a program of its own does not have what a sanitized library needs
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
[ -n "${SANITIZED-}" ] || [ $seen -ge 3 ] || fail "docs/examples has lost its programs"

# A cloth that falls through a slanted table between the last two frames, and assets without contact.
command=${PLIANT:?}
mkdir -p "$work/shell/assets"
cd "$work/shell"
for k in 0 1 2 3; do
  z=$((15 - 5 * k))e-1
  printf 'v -1 -1 %s\nv 1 -1 %s\nv 1 1 %s\nv -1 1 %s\nf 1 2 3\nf 1 3 4\n' "$z" "$z" "$z" "$z" >"cloth_$k.obj"
done
printf 'v -2 -2 0.2\nv 2 -2 0.1\nv 0 2 0.3\nf 1 2 3\n' | tee table.obj >assets/table.obj
lines=0
while read -r line; do
  bash -c "pliant() { \"$command\" \"\$@\"; }; $line" >out 2>err || { cat err >&2; fail "README.md: $line"; }
  case $line in
  *--report*) grep -q '<svg' contacts.html || fail "README.md: no report: $line" ;;
  *impact*) grep -q 'frames 2 to 3: first contact at' out || fail "README.md: no contact: $line" ;;
  esac
  lines=$((lines + 1))
done < <(awk '/^## Shell/ { on = 1 } on && /^```/ { if (++fences == 2) exit; next } on && fences' "$SOURCE_DIR/README.md")
[ $lines -ge 4 ] || fail "README.md has lost its shell example"
echo "examples: $seen programs, $lines commands"

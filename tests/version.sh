#!/usr/bin/env bash
# One version everywhere: the header, CMake, the npm package, Python's setup, the README and the newest section of the changelog
# name the same one, and the command prints it.
set -euo pipefail
: "${PLIANT:?}"
cd "${SOURCE_DIR:-$(dirname "$0")/..}"
fail() { echo "version: $*" >&2; exit 1; }
number() { sed -n "s/^#define PL_VERSION_$1 \([0-9]*\)$/\1/p" include/pliant/base.h; }
minor=$(number MAJOR).$(number MINOR) version=$(number MAJOR).$(number MINOR).$(number PATCH)
case $version in [0-9]*.[0-9]*.[0-9]*) ;; *) fail "base.h has no version" ;; esac

# has FILE PATTERN: some line matches, and every line that matches the pattern with another version is an error
has() {
  local others
  grep -qE "${2//@/${version//./\\.}}" "$1" || fail "$1 does not have $version"
  others=$(grep -nE "${2//@/[0-9]+\\.[0-9]+\\.[0-9]+}" "$1" | grep -vF "$version") || return 0
  fail "$1 has another version: $others"
}
has include/pliant/base.h 'Returns "@"'
has CMakeLists.txt "^project.pliant VERSION @ "
has web/package/package.json '"version": "@"'
[ "$(sed -n 's/^## \([0-9.]*\).*/\1/p' CHANGELOG.md | head -1)" = "$version" ] || fail "CHANGELOG.md does not begin with $version"
for page in README.md docs/*.md docs/*/*.md tests/install.sh; do
  others=$(grep -n 'find_package(pliant [0-9]' "$page" | grep -vF "find_package(pliant $minor ") || continue
  fail "$page asks for another version: $others"
done
[ "$("$PLIANT" --version | sed 's/^pliant \([0-9.]*\).*/\1/')" = "$version" ] || fail "pliant --version prints $("$PLIANT" --version)"
python=${PYTHON:-/usr/bin/python3}
if "$python" -c 'import setuptools, wheel' 2>/dev/null; then
  found=$(cd bindings/python && "$python" setup.py --version 2>/dev/null | tail -1) || fail "setup.py does not run"
  [ "$found" = "$version" ] || fail "the Python module has version $found"
fi
echo "version: $version everywhere"

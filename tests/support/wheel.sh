#!/usr/bin/env bash
# wheel.sh WHEEL: whether a wheel keeps what its tag promises, as auditwheel would ask: its module needs no library but those that every Linux
# with a glibc has, uses no symbol that is newer than the tag, and names nothing that is not in the metadata. By binutils, apart from setup.py.
set -euo pipefail
wheel=$1
fail() { echo "wheel: $(basename "$wheel"): $*" >&2; exit 1; }
for program in readelf objdump unzip; do command -v $program >/dev/null || { echo "wheel: not checked, as there is no $program" >&2; exit 0; }; done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unzip -q "$wheel" -d "$work"

promised=$(basename "$wheel" | sed -n 's/.*-manylinux_2_\([0-9]*\)_.*\.whl$/\1/p')
[ -n "$promised" ] || fail "it has no manylinux tag, so nobody can publish it"
grep -q "^Tag: cp311-abi3-manylinux_2_${promised}_" "$work"/*.dist-info/WHEEL || fail "its WHEEL file has another tag than its name"
grep -q '^Requires-Dist: [^;]*$' "$work"/*.dist-info/METADATA && fail "it needs other packages"
modules=$(find "$work" -name '*.so')
[ -n "$modules" ] || fail "it has no module"
for module in $modules; do
  foreign=$(readelf -d "$module" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' |
    grep -vxE 'lib(c|m)\.so\.6|libpthread\.so\.0|libdl\.so\.2|librt\.so\.1|libgcc_s\.so\.1|ld-linux.*\.so\.[0-9]+' || true)
  [ -z "$foreign" ] || fail "it needs ${foreign//$'\n'/ }"
  readelf -d "$module" | grep -qE '\((RPATH|RUNPATH)\)' && fail "it looks for libraries in a folder of the machine that built it"
  newest=$(objdump -T "$module" | sed -n 's/.*(*GLIBC_2\.\([0-9]*\)[.0-9]*)* .*/\1/p' | sort -n | tail -n 1)
  [ "$newest" -le "$promised" ] || fail "it uses symbols of glibc 2.$newest"
  [ "$newest" -eq "$promised" ] || [ "$newest" -lt 17 ] || fail "glibc 2.$newest is enough for it"
  other=$(objdump -T "$module" | grep -oE '\b[A-Z]+_[0-9.]+\b' | grep -vE '^(GLIBC|GCC)_' | sort -u || true)
  [ -z "$other" ] || fail "it uses versions of other libraries: ${other//$'\n'/ }"
done

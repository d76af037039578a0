#!/usr/bin/env bash
# What does not belong into the project's files: absolute paths of one machine, notes of things left to do, package registries.
# Names every line.
set -uo pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/..}" || exit 1

files=$(git ls-files 2>/dev/null) || files=
[ -n "$files" ] || files=$(find . -type f -not -path './build/*' -not -path './out/*' -not -path './web/node_modules/*' -not -path './.git/*' | sed 's,^\./,,')
files=$(printf '%s\n' "$files" | grep -vE '\.(png)$|^tests/words\.sh$')
failed=0

# refuse WHY PATTERN [BUT]: extended patterns; lines that match BUT are fine
refuse() {
  local found
  found=$(printf '%s\n' "$files" | tr '\n' '\0' | xargs -0 grep -nHIE -e "$2" 2>/dev/null | grep -vE -e "${3:-^$}")
  [ -z "$found" ] && return
  printf '%s:\n%s\n' "$1" "$found"
  failed=1
}

[ "$(printf '%s\n' "$files" | wc -l)" -gt 50 ] || { echo "no files seen: is this the project?"; exit 1; }
refuse "a path of one machine" '(^|[^A-Za-z0-9_.$})/])/(work|home|root|Users|mnt|srv|media)/'
refuse "something is left to do" '(^|[^A-Za-z])(TODO|FIXME|HACK|XXX)([^A-Za-z]|$)'
refuse "a registry of packages" '(registry\.|pypi\.|npmjs|crates\.io|rubygems|conan\.io|deb\.debian|archive\.ubuntu|docker\.io|ghcr\.)'
exit $failed

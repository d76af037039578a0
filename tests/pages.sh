#!/usr/bin/env bash
# The pages: every link to a file of the project leads somewhere, and README.md names every page of docs/
set -uo pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/..}" || exit 1
pages=$(find . -name '*.md' -not -path './build/*' -not -path './out/*' -not -path './web/node_modules/*' | sed 's,^\./,,' | sort)
[ -n "$pages" ] || { echo "no pages seen: is this the project?"; exit 1; }
failed=0
for page in $pages; do
  while IFS=: read -r line target; do
    case $target in '' | http://* | https://* | '#'*) continue ;; esac
    [ -e "$(dirname "$page")/${target%%#*}" ] || { echo "$page:$line: leads nowhere: $target"; failed=1; }
  done < <(grep -noE '\]\([^)]+\)' "$page" | sed 's/\](\(.*\))$/\1/')
done
for page in docs/*.md; do
  grep -q "$page" README.md || { echo "README.md does not name $page"; failed=1; }
done
exit $failed

#!/usr/bin/env bash
# The pages: every link to a file of the project, and to a heading of a page, leads somewhere; docs/README.md names every page of docs/
# outside of the notebook, and docs/notes/README.md the others; prose has at most 120 columns.
set -uo pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/..}" || exit 1
pages=$(find . -name '*.md' -not -path './build/*' -not -path './out/*' -not -path './web/node_modules/*' | sed 's,^\./,,' | sort)
[ -n "$pages" ] || { echo "no pages seen: is this the project?"; exit 1; }
failed=0
wrong() { echo "$*"; failed=1; }

# slugs PAGE: the anchors of its headings, as they are made on the web: lower case, words joined by hyphens
slugs() { awk '/^```/ { code = !code } !code && /^#+ /' "$1" | sed 's/^#* //' | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_ -]//g; s/ /-/g'; }

for page in $pages; do
  while IFS=: read -r line target; do
    case $target in '' | http://* | https://*) continue ;; esac
    file=${target%%#*} to=$page
    [ -z "$file" ] || to=$(dirname "$page")/$file
    [ -e "$to" ] || { wrong "$page:$line: leads nowhere: $target"; continue; }
    case $target in *.md'#'* | '#'*) slugs "$to" | grep -qxF -- "${target#*#}" || wrong "$page:$line: no such heading: $target" ;; esac
  done < <(grep -noE '\]\([^)]+\)' "$page" | sed 's/\](\(.*\))$/\1/')
done

# named PAGE...: each is linked from the README of the folder that was given first
named() {
  local index=$1/README.md page
  shift
  for page in "$@"; do
    [ "$page" = "$index" ] || grep -qF "](${page#"$(dirname "$index")"/}" "$index" || wrong "$index does not name $page"
  done
}
# shellcheck disable=SC2046
named docs $(find docs -name '*.md' -not -path 'docs/notes/*' | sort)
# shellcheck disable=SC2046
named docs/notes $(find docs/notes -name '*.md' | sort)

# Prose: no code, no tables, no pictures; a link may be as long as it is.
# shellcheck disable=SC2016,SC2086
wide=$(awk 'FNR == 1 { code = 0 } /^ *```/ { code = !code } !code && !/^ *(\||!\[|<)/ { text = $0; gsub(/\]\([^)]*\)/, "]", text)
  if (length(text) > 120) print FILENAME ":" FNR ": prose over 120 columns" }' $pages)
[ -z "$wide" ] || wrong "$wide"
exit $failed

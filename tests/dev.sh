#!/usr/bin/env bash
# The build functions of ./dev, on a project of two lines: a checkout that was moved is configured from scratch with a note, and
# progress is for terminals only.
set -euo pipefail
. "${SOURCE_DIR:-$(dirname "$0")/..}/tests/support/build.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "dev: $*" >&2; exit 1; }

mkdir "$work/first"
cd "$work/first"
printf 'cmake_minimum_required(VERSION 3.20)\nproject(small NONE)\nadd_custom_target(all_of_it ALL COMMAND echo made)\n' >CMakeLists.txt
configure release 2>err
compile release 2>>err
[ ! -s err ] || { cat err >&2; fail "a build into a pipe is not quiet"; }
configure release 2>err
[ ! -s err ] || { cat err >&2; fail "a second configuration of the same checkout is not quiet"; }

cd ..
mv first second
cd second
touch build/release/left
(configure release && compile release) 2>err || { cat err >&2; fail "a moved checkout does not build"; }
if [ "$(wc -l <err)" != 1 ] || ! grep -q "^note: build/release was made for a checkout at $work/first; " err; then
  cat err >&2
  fail "no note of one line"
fi
[ ! -e build/release/left ] || fail "a moved checkout is not configured from scratch"

cd ..
ln -s second third # the same place under another name is no move
cd third
configure release 2>err
[ ! -s err ] || { cat err >&2; fail "another name of the same checkout counts as a move"; }

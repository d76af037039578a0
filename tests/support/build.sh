# shellcheck shell=bash
# For ./dev and tests/run, from the project's folder: build trees below build/, quiet unless something goes wrong.
JOBS=$(nproc 2>/dev/null || echo 2)

# configure DIR [OPTION...]: CMake for build/DIR, with the preset of that name if CMakePresets.json has one; from scratch if the
# checkout has been moved or copied since. With Ninja where it is installed: it starts fewer processes than make, and links one
# program while it compiles the next.
configure() {
  local dir=build/$1 home generator=() from=(-S . -B "build/$1")
  ! grep -qs "\"name\": \"$1\"" CMakePresets.json || from=(--preset "$1")
  shift
  mkdir -p build
  home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$dir/CMakeCache.txt" 2>/dev/null) || home=
  if [ -n "$home" ] && ! [ "$home" -ef . ]; then
    echo "note: $dir was made for a checkout at $home; configuring it from scratch" >&2
    rm -rf "$dir"
  fi
  [ -e "$dir/CMakeCache.txt" ] || ! command -v ninja >/dev/null || generator=(-G Ninja)
  cmake "${from[@]}" ${generator[@]+"${generator[@]}"} "$@" >"$dir.log" 2>&1 || { cat "$dir.log" >&2; exit 1; }
}

# One line on the terminal: where the build is.
show_progress() {
  local line
  while IFS= read -r line; do
    case $line in \[*\]*) printf '\r\033[K%s' "${line:0:78}" >&2 ;; esac
  done
  printf '\r\033[K' >&2
}

# compile DIR [TARGET...]: all targets if none is named.
compile() {
  local dir=build/$1 targets=() failed=0
  shift
  [ $# -gt 0 ] && targets=(--target "$@")
  if [ -t 2 ]; then
    cmake --build "$dir" -j"$JOBS" "${targets[@]}" 2>&1 | tee "$dir.log" | show_progress || failed=1
  else
    cmake --build "$dir" -j"$JOBS" "${targets[@]}" >"$dir.log" 2>&1 || failed=1
  fi
  [ $failed = 0 ] || { grep -E "error|Error|warning" -A5 "$dir.log" >&2 || tail -n 20 "$dir.log" >&2; exit 1; }
}

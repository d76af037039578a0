#!/usr/bin/env bash
# The library as users get it: installed into a fresh prefix from the build tree at hand, used through CMake and pkg-config, static and
# shared, from C and C++, or as a part of another CMake project; headers that stand alone; no names but pl_*. The programs are the README's example and docs/examples, and
# the pages' snippets must be what is compiled here.
set -euo pipefail
: "${BUILD_DIR:?}" "${SOURCE_DIR:?}"
CC=${CC:-gcc} CXX=${CXX:-g++}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
fail() { echo "install: $*" >&2; exit 1; }
quiet() { "$@" >log 2>&1 || { cat log >&2; fail "failed: $*"; }; }
STRICT="-pedantic -Wall -Wextra -Werror"

quiet cmake --install "$BUILD_DIR" --prefix "$work/first"
mv first prefix # nothing in it may know where it was put
lib=$(dirname "$(find prefix -name 'libpliant.so')")
[ -n "$lib" ] || fail "no shared library"
export LD_LIBRARY_PATH="$work/$lib" PKG_CONFIG_PATH="$work/$lib/pkgconfig"
! grep -rIl "$work/first\|$BUILD_DIR\|$SOURCE_DIR" prefix/include prefix/lib* || fail "an installed file names a place of the build"

# ------------------------------------------------------------------------------------------------- pages and programs --

# blocks FILE LANGUAGE: the fenced blocks of that language, each ended by a line of its own
blocks() { awk -v open="^\`\`\`$2\$" '/^```/ { if (on) print "%%"; on = !on && $0 ~ open; next } on' "$1"; }

blocks "$SOURCE_DIR/README.md" c | sed '/^%%$/d' >readme.c
grep -q 'int main' readme.c || fail "README.md has no complete C program"
blocks "$SOURCE_DIR/README.md" c | grep -c '^%%$' | grep -qx 1 || fail "README.md has more than one C block"
# The block after the program: what it prints.
awk '/^```/ { if (!on) { on = 1; language = $0; next } if (language == "```c") after = 1; else if (after) exit; on = 0; next } on && after' \
  "$SOURCE_DIR/README.md" >readme.out
[ -s readme.out ] || fail "README.md does not show what its program prints"

# Every C block of the tour stands, line by line, in the program.
blocks "$SOURCE_DIR/docs/c-api.md" c | awk -v program="$SOURCE_DIR/docs/examples/tour.c" '
  function bare(s) { gsub(/^[ \t]+|[ \t]+$/, "", s); return s }
  BEGIN { while ((getline line < program) > 0) all = all bare(line) "\n" }
  $0 == "%%" { if (!index("\n" all, "\n" block)) { print "not in docs/examples/tour.c:\n" block; bad = 1 } block = ""; ++seen; next }
  { block = block bare($0) "\n" }
  END { if (seen < 5) { print "docs/c-api.md has lost its snippets"; bad = 1 } exit bad }' >&2 || fail "docs/c-api.md has drifted from its program"
cp "$SOURCE_DIR/docs/examples/tour.c" tour.c

check_readme() { "$@" >out || fail "the README's program failed: $*"; diff readme.out out >&2 || fail "README.md shows another output: $*"; }
check_tour() { "$@" >out 2>err || { cat err >&2; fail "docs/examples/tour.c failed: $*"; }; }

# ---------------------------------------------------------------------------------------------------------- pkg-config --

flags=$(pkg-config --cflags pliant) libs=$(pkg-config --libs pliant) all=$(pkg-config --static --libs pliant)
for name in readme tour; do
  # shellcheck disable=SC2086
  {
    quiet $CC -std=c17 $STRICT $flags $name.c -o $name-c $libs
    quiet $CXX -x c++ -std=c++17 $STRICT $flags $name.c -x none -o $name-cxx $libs
    quiet $CC -std=c17 $flags $name.c -o $name-static ${all/-lpliant/-l:libpliant.a}
  }
  for kind in c cxx static; do check_$name ./$name-$kind; done
done
LD_LIBRARY_PATH='' ./readme-static >/dev/null || fail "the static program needs a shared library"

# --------------------------------------------------------------------------------------------------------------- CMake --

mkdir consumer
cat >consumer/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(consumer C CXX)
find_package(pliant 0.3 REQUIRED)
configure_file(../readme.c readme.cpp COPYONLY)
add_executable(shared ../readme.c)
target_link_libraries(shared pliant::pliant)
add_executable(static ../readme.c)
target_link_libraries(static pliant::static)
add_executable(cxx ${CMAKE_CURRENT_BINARY_DIR}/readme.cpp)
set_target_properties(cxx PROPERTIES CXX_STANDARD 17)
target_link_libraries(cxx pliant::static)
CMAKE
quiet cmake -S consumer -B consumer/build -DCMAKE_PREFIX_PATH="$work/prefix"
quiet cmake --build consumer/build
for kind in shared static cxx; do check_readme consumer/build/$kind; done

# As a part of another project: only the library is built, and nothing of it is installed.
mkdir whole
cat >whole/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.20)
project(whole C)
add_subdirectory(${PLIANT_SOURCE} pliant)
add_executable(shared ../readme.c)
target_link_libraries(shared pliant::pliant)
add_executable(static ../readme.c ../clash.c)
target_link_libraries(static pliant::static)
install(TARGETS shared DESTINATION bin)
CMAKE
# Names that the library has inside, in the program that the static one is linked into.
printf 'void tree_create(void);\nvoid tree_create(void) {}\nvoid fail(void);\nvoid fail(void) {}\n' >clash.c
quiet cmake -S whole -B whole/build -DCMAKE_C_FLAGS=-O0 -DPLIANT_SOURCE="$SOURCE_DIR" -DCMAKE_INSTALL_PREFIX="$work/whole/prefix"
quiet cmake --build whole/build -j"$(nproc 2>/dev/null || echo 2)"
for kind in shared static; do check_readme whole/build/$kind; done
for part in pliant tests io; do
  [ ! -e whole/build/pliant/$part ] || fail "another project builds $part"
done
quiet cmake --install whole/build
[ "$(cd whole/prefix && find . -type f)" = ./bin/shared ] || fail "another project installs files of pliant"

# ------------------------------------------------------------------------------------------------- headers and symbols --

for header in prefix/include/pliant/*.h; do
  name=pliant/$(basename "$header")
  # Twice: the guard must hold.
  printf '#include <%s>\n#include <%s>\nextern int unused;\n' "$name" "$name" >header.c
  # shellcheck disable=SC2086
  quiet $CC -std=c17 $STRICT -Iprefix/include -fsyntax-only header.c
  # shellcheck disable=SC2086
  quiet $CXX -x c++ -std=c++17 $STRICT -Iprefix/include -fsyntax-only header.c
done

printf '#include <pliant/pliant.hpp>\n#include <pliant/pliant.hpp>\nextern int unused;\n' >header.cpp
# shellcheck disable=SC2086
quiet $CXX -std=c++17 $STRICT -Iprefix/include -fsyntax-only header.cpp

names() { nm "$@" --defined-only | awk 'NF == 3 { print $3 }' | sort -u; }
names -D "$lib/libpliant.so" >shared.names
names -g "$lib/libpliant.a" >static.names
for kind in shared static; do
  ! grep -v '^pl_' $kind.names || fail "the $kind library shows names that are not pl_*"
done
# The static one has its internal names too, under their own prefix (src/names.cmake), and hidden from what is linked against the program.
grep -v '^pl_inside_' static.names | diff shared.names - || fail "the libraries show different names"
readelf -sW "$lib/libpliant.a" | awk '$5 == "GLOBAL" && $7 != "UND" && $8 ~ /^pl_inside_/ && $6 != "HIDDEN" { print $8; bad = 1 } END { exit bad }' ||
  fail "internal names of the static library are not hidden"
sed -n 's/^PL_API .*[ *]\(pl_[a-z0-9_]*\)(.*/\1/p' prefix/include/pliant/*.h | sort -u >declared.names
diff declared.names shared.names || fail "declared and defined names differ"

version=$(sed -n 's/^#define PL_VERSION_M[AI][JN]OR \|^#define PL_VERSION_PATCH /./p' prefix/include/pliant/base.h | tr -d '\n')
[ "$(pkg-config --modversion pliant)" = "${version#.}" ] || fail "the headers say version ${version#.}, pkg-config $(pkg-config --modversion pliant)"
prefix/bin/pliant --version | grep -q '^pliant [0-9]' || fail "the installed command does not start"
echo "install: $(wc -l <shared.names) names, $(find prefix/include -name '*.h' | wc -l) headers, README and tour as C and C++"

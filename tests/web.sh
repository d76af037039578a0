#!/usr/bin/env bash
# The module in node and the page in Chromium, where ./dev web has installed what they need; skipped with a note elsewhere.
set -euo pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/..}"
built=${BUILD_DIR:-$PWD/build/test}
skip() { echo "web: skipped, as $1; ./dev web installs it" >&2; exit 77; }

# Sources that the module is made of exist, also where none can be compiled for it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S web -B "$work" -DWASM_OPT=true >"$work/log" 2>&1 || { cat "$work/log" >&2; echo "web: web/CMakeLists.txt cannot be configured" >&2; exit 1; }

for program in node clang wasm-ld wasm-opt gzip; do command -v $program >/dev/null || skip "there is no $program"; done
echo 'int main(void) { return 0; }' | clang --target=wasm32-wasi -x c - -o /dev/null 2>/dev/null || skip "wasi-libc is missing"
for package in esbuild playwright-core; do [ -d web/node_modules/$package ] || skip "web/node_modules has no $package"; done
[ -x "${CHROMIUM:-/usr/bin/chromium}" ] || skip "there is no Chromium"
web/run --here "$built"

#!/usr/bin/env bash
# The Python module of this build: pytest, in a build with sanitizers under them; and packed as a wheel, installed into a fresh
# environment without numpy and without a network. Skipped with a note where Python's headers, numpy or pytest are missing.
set -euo pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/..}"
source=$PWD
python=${PYTHON:-/usr/bin/python3}
built=${BUILD_DIR:-$PWD/build/test}/bindings/python
skip() { echo "python: skipped, as $1" >&2; exit 77; }
fail() { echo "python: $*" >&2; exit 1; }

command -v "$python" >/dev/null || skip "there is no $python"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "$python is older than 3.11"
[ -e "$built/pliant/_pliant.abi3.so" ] || skip "the module was not built: python3-dev is missing"
"$python" -c 'import numpy, pytest' 2>/dev/null || skip "python3-numpy or python3-pytest is missing"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$built MPLCONFIGDIR=$work MPLBACKEND=Agg

if [ "${SANITIZED:-}" = 1 ]; then
  # The interpreter keeps things until its end: what it did not free is no leak of ours. test_lifetime.py counts.
  export ASAN_OPTIONS=detect_leaks=0:exitcode=99 PYTHONMALLOC=malloc
  preload=$(${CC:-cc} -print-file-name=libasan.so)
  LD_PRELOAD=$preload "$python" -X faulthandler -m pytest -q -p no:cacheprovider bindings/python/tests || fail "under sanitizers: exit code $?"
  exit 0
fi

"$python" -X faulthandler -m pytest -q -p no:cacheprovider bindings/python/tests || fail "pytest: exit code $?"

# Other versions of Python that are at hand load the same file.
for other in python3.12 python3.13 python3.14; do
  path=$(command -v $other) || continue
  "$path" -c 1 2>/dev/null || continue
  "$path" bindings/python/tests/test_plain.py || fail "$other cannot use the module"
done

"$python" -c 'import setuptools, wheel, venv, ensurepip' 2>/dev/null || { echo "python: no wheel, as python3-setuptools, -wheel or -venv is missing"; exit 0; }
cp -r bindings/python "$work/package"
cd "$work/package"
rm -rf build ./*.egg-info
mkdir library
cp "$source/CMakeLists.txt" library/
PLIANT_PYTHON_MODULE=$built/pliant/_pliant.abi3.so "$python" setup.py -q bdist_wheel >"$work/log" 2>&1 || { cat "$work/log" >&2; fail "no wheel"; }
wheel=$(echo dist/pliant-*-cp311-abi3-*.whl)
[ -e "$wheel" ] || fail "the wheel is not for every Python from 3.11 on: $(ls dist)"
bash "$source/tests/support/wheel.sh" "$wheel" || fail "the wheel cannot be published"
unset PYTHONPATH
"$python" -m venv "$work/fresh"
"$work/fresh/bin/pip" -q --disable-pip-version-check install --no-index "$PWD/$wheel" || fail "pip cannot install $wheel"
cd "$work"
"$work/fresh/bin/python" "$source/bindings/python/tests/test_plain.py" | grep "without numpy" || fail "the installed module does not work"
"$work/fresh/bin/python" -c 'import os, pliant; d = os.path.dirname(pliant.__file__); assert {"py.typed", "_pliant.pyi", "__init__.pyi"} <= set(os.listdir(d))' ||
  fail "the wheel has no type stubs"

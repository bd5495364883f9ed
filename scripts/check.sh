#!/bin/sh
# Checks what the optimised build can't show: how sources are formatted, what two compilers warn of, and the tests under the
# address, undefined-behaviour and thread sanitizers, and which branches the tests take. Installs what is missing, as
# scripts/test.sh does; CI runs both.
set -eu
# shellcheck source=scripts/setup.sh
. "$(dirname "$0")/setup.sh"

missing=
need clang clang --version
need clang-format clang-format --version
need libclang-rt-dev sh -c 'echo "int LLVMFuzzerTestOneInput(void) { return 0; }" | clang -x c -fsanitize=fuzzer -o /dev/null -'
# shellcheck disable=SC2086 # a list of words
[ -z "$missing" ] || install_packages $missing

say "Formatting"
# Other releases format differently.
if clang-format --version | grep -q 'version 14\.'; then
    git ls-files '*.c' '*.h' '*.hpp' '*.cpp' | grep -v -e device_headers/ -e cmake_modules/editor/ -e tests/corpus/ -e simcuda.h | xargs clang-format --dry-run --Werror
    echo "done"
else
    echo "skipped: the sources are formatted by clang-format 14"
fi

# A preset, how it differs, what to build of it, and the tests to run.
check() {
    preset=$1
    what=$2
    target=$3
    shift 3
    say "$what: building in build/$preset"
    quietly cmake --preset "$preset"
    quietly cmake --build --preset "$preset" --parallel "$jobs" --target "$target"
    [ $# -eq 0 ] || ctest --preset "$preset" --parallel "$jobs" "$@"
}

check clang "Warnings of clang" all
# Among the unit tests are those that give the fuzzing harnesses their files. Two only compile headers, which is the same
# without sanitizers: scripts/test.sh runs them.
check dev "Address and undefined-behaviour sanitizers" all -L '^(unit|cli)$' -E '^unit\.(cxx|headers)$'
check tsan "Thread sanitizer" tests_with_threads -L '^threads$'

say "The harnesses as fuzzing services build them: in build/clusterfuzzlite"
made=$PWD/build/clusterfuzzlite
rm -rf "$made/out"
mkdir -p "$made/src"
ln -sfn "$PWD" "$made/src/cubinet"
quietly env SRC="$made/src" OUT="$made/out" WORK="$made" CC=clang CFLAGS='-O1 -fsanitize=address,fuzzer-no-link' \
    LIB_FUZZING_ENGINE=-fsanitize=fuzzer .clusterfuzzlite/build.sh
for options in "$made"/out/*.options; do
    quietly "${options%.options}" -runs=1 # it starts, with the libraries beside it
done
echo "done"

say "Branches of the library that the unit tests take"
command -v gcovr >/dev/null || install_packages gcovr
scripts/coverage.sh

#!/bin/sh
# Checks what the optimised build can't show: how sources are formatted, what two compilers warn of, and the tests under the
# address, undefined-behaviour and thread sanitizers. Installs what is missing, as scripts/test.sh does; CI runs both.
set -eu
# shellcheck source=scripts/setup.sh
. "$(dirname "$0")/setup.sh"

missing=
need clang clang --version
need clang-format clang-format --version
# shellcheck disable=SC2086 # a list of words
[ -z "$missing" ] || install_packages $missing

say "Formatting"
# Other releases format differently.
if clang-format --version | grep -q 'version 14\.'; then
    git ls-files '*.c' '*.h' | grep -v -e device_headers/ -e cmake_modules/editor/ -e tests/corpus/ -e simcuda.h | xargs clang-format --dry-run --Werror
    echo "done"
else
    echo "skipped: the sources are formatted by clang-format 14"
fi

# A preset, how it differs, and the tests to run.
check() {
    preset=$1
    what=$2
    shift 2
    say "$what: building in build/$preset"
    quietly cmake --preset "$preset"
    quietly cmake --build --preset "$preset" --parallel "$jobs"
    [ $# -eq 0 ] || ctest --preset "$preset" --parallel "$jobs" "$@"
}

check clang "Warnings of clang"
check dev "Address and undefined-behaviour sanitizers" -L '^(unit|cli)$'
check tsan "Thread sanitizer" -L '^threads$'

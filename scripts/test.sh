#!/bin/sh
# Builds Cubinet and runs all its tests except the slowest, which are labelled thorough: they repeat other tests with more
# generators and CMake releases, build Cubinet's packages, or make every call fail in turn. --all runs these too, as CI
# does. On Debian 12 it installs what is missing. Runs from anywhere, as root or with sudo. Tests that need a GPU are
# skipped, and say so, where there is none. Other arguments are ctest's, and choose among all tests.
set -eu
thorough=yes
case ${1-} in
--all) shift ;;
'')
    thorough=
    set -- --label-exclude thorough
    ;;
esac
# shellcheck source=scripts/setup.sh
. "$(dirname "$0")/setup.sh"
# shellcheck source=scripts/test_extras.sh
. scripts/test_extras.sh

say "Building"
quietly cmake --build --preset release --parallel "$jobs"
echo "done"

say "Testing"
# One more than processors: some tests mostly wait.
ctest --preset release --parallel $((jobs + 1)) "$@"

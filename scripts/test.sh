#!/bin/sh
# Builds Cubinet and runs every test, as CI does. On Debian 12 it installs what is missing. Runs from anywhere, as root
# or with sudo. Tests that need a GPU are skipped, and say so, where there is none. Arguments are ctest's.
set -eu
# shellcheck source=scripts/setup.sh
. "$(dirname "$0")/setup.sh"
# shellcheck source=scripts/test_extras.sh
. scripts/test_extras.sh

say "Building"
quietly cmake --build --preset release --parallel "$jobs"
echo "done"

say "Testing"
ctest --preset release --parallel "$jobs" "$@"

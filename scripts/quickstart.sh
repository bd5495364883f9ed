#!/bin/sh
# Builds Cubinet, compiles a sample kernel for ten GPUs into one archive, and shows what is in it. On Debian 12 it
# installs what is missing. Runs from anywhere, as root or with sudo.
set -eu
# shellcheck source=scripts/setup.sh
. "$(dirname "$0")/setup.sh"

say "Building the cubinet command and the library"
quietly cmake --build --preset release --parallel "$jobs" --target cubinet_command cubinet
echo "done: build/release/packager/cubinet"

say "Compiling samples/segmented_sum/segsum.cu for ten GPUs, and the program that uses it"
cmake --build --preset release --parallel "$jobs" --target segmented_sum

cubinet=build/release/packager/cubinet
archive=build/release/samples/segmented_sum/segsum.cubinet
show() {
    printf '\n$ cubinet %s\n' "$*"
    "$cubinet" "$@"
}
say "What is in $archive"
show list "$archive"
show explain "$archive" --device h100 --driver 13.0

# In a container or under WSL the driver is all there is to ask. Where it fails in spite of a GPU, the sample says why.
has_gpu() {
    "$cubinet" explain "$archive" --this-machine >/dev/null 2>&1 || [ -e /dev/nvidiactl ]
}

say "Running the sample"
if has_gpu; then
    build/release/samples/segmented_sum/segmented_sum "$archive"
else
    echo "This machine has no NVIDIA GPU, so the sample's program is built but not run. On one that has:"
    echo "  build/release/samples/segmented_sum/segmented_sum $archive"
fi

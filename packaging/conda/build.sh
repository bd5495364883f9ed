#!/bin/sh
# Builds one output of recipe.yaml, which rattler-build names in PKG_NAME, into PREFIX.
set -eu

case $PKG_NAME in
    libcubinet) packager=OFF components='cubinet_runtime cubinet_dev' ;;
    cubinet) packager=ON components=cubinet_tool ;;
    *) echo "no output has the name $PKG_NAME" >&2 && exit 1 ;;
esac

# shellcheck disable=SC2086 # a list of options
cmake -S "$SRC_DIR" -B "build-$PKG_NAME" -G Ninja ${CMAKE_ARGS:-} -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_PREFIX_PATH="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DCUBINET_BUILD_PACKAGER=$packager -DCUBINET_BUILD_TESTS=OFF -DCUBINET_BUILD_SAMPLES=OFF -DCUBINET_BUILD_BENCHMARKS=OFF \
    -DCUBINET_WITH_CURL=ON -DCUBINET_WITH_LZ4=ON -DCUBINET_WITH_SODIUM=ON
cmake --build "build-$PKG_NAME" --parallel "${CPU_COUNT:-2}"
for component in $components; do
    cmake --install "build-$PKG_NAME" --component "$component"
done

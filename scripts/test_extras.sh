# What some tests need beyond the build, fetched once into build/: the newest CMake, a second toolkit, nginx, and a compiler
# and a library for another processor. Sourced after setup.sh; with `thorough` empty, it leaves out what only tests
# with that label need. Where something can't be had, its tests are skipped, and say so.
# shellcheck shell=sh

fetch_newest_cmake() {
    [ -x build/newest/cmake/data/bin/cmake ] ||
        (fetch_wheels build/newest cmake ninja) >build/last-command.log 2>&1
}

# A second toolkit, of another major release: the last that makes code for GPUs before 7.5.
fetch_other_toolkit() {
    [ -e build/other/nvidia/cuda_nvrtc/lib/libnvrtc.so.12 ] ||
        (fetch_wheels build/other nvidia-nvjitlink-cu12==12.9.86 nvidia-cuda-nvrtc-cu12==12.9.86 \
            nvidia-cuda-runtime-cu12==12.9.79) >build/last-command.log 2>&1
}

# The newest toolkit, with what compiles tile kernels (270 MB): ptxas, tileiras and libnvvm.
fetch_newest_toolkit() {
    [ -e build/newest_cuda/nvidia/cu13/lib/libnvrtc-builtins.so.13.5 ] ||
        (fetch_wheels build/newest_cuda nvidia-cuda-nvrtc==13.5.37 nvidia-nvjitlink==13.5.37 \
            nvidia-cuda-runtime==13.5.37 nvidia-cuda-crt==13.5.37 nvidia-cuda-cccl==13.3.5.0.6 nvidia-cuda-nvcc==13.5.37 \
            nvidia-cuda-tileiras==13.5.37 nvidia-nvvm==13.5.37) >build/last-command.log 2>&1
}

# A compiler whose Tile IR is packed.
fetch_cutile() {
    [ -d build/cutile/cuda/tile ] || (fetch_wheels build/cutile cuda-tile==1.7.0 typing_extensions) >build/last-command.log 2>&1
}

fetch_aarch64() {
    command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null || return
    command -v aarch64-linux-gnu-gcc >/dev/null && [ -e /usr/aarch64-linux-gnu/include/stdio.h ] ||
        (install_packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross) >build/last-command.log 2>&1 || return
    [ -e build/aarch64/usr/include/xxhash.h ] ||
        fetch_packages arm64 build/aarch64 libzstd1 libzstd-dev libxxhash-dev >build/last-command.log 2>&1
}

# The server that the remote cache is tested with, and what makes certificates for it. Installed, Debian's would start to
# serve; so it is only unpacked.
fetch_nginx() {
    command -v openssl >/dev/null || (install_packages openssl) >build/last-command.log 2>&1 || return
    command -v nginx >/dev/null || [ -x build/nginx/usr/sbin/nginx ] || {
        command -v apt-get >/dev/null && command -v dpkg-deb >/dev/null &&
            fetch_packages "$(dpkg --print-architecture)" build/nginx nginx >build/last-command.log 2>&1
    }
}

# Debian without anything that is not essential to it and apt, from the sources that this machine's apt has: packages of
# Cubinet are installed there. With apt's lists, by which it is told what the packages need besides.
fetch_debian() {
    command -v dpkg >/dev/null && [ "$(id -u)" -eq 0 ] || return
    [ -d build/debian/root/var ] || {
        command -v mmdebstrap >/dev/null || (install_packages mmdebstrap) >build/last-command.log 2>&1 || return
        rm -rf build/debian build/debian.part
        mkdir -p build/debian.part/downloads/partial
        set --
        for sources in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
            [ ! -s "$sources" ] || set -- "$@" "$sources"
        done
        mmdebstrap --variant=apt --mode=root --skip=cleanup/apt --dpkgopt='path-exclude=/usr/share/doc/*' \
            --dpkgopt='path-exclude=/usr/share/locale/*' '' build/debian.part/root "$@" >build/last-command.log 2>&1 &&
            mv build/debian.part/root/var/lib/apt/lists build/debian.part/lists &&
            mkdir -p build/debian.part/root/var/lib/apt/lists && mv build/debian.part build/debian
    }
}

# Debian's checker of packages.
fetch_lintian() {
    command -v lintian >/dev/null || (install_packages lintian) >build/last-command.log 2>&1
}

# What builds packages for conda, as a Python package.
fetch_rattler() {
    [ -d build/rattler/rattler_build ] ||
        (fetch_wheels build/rattler py-rattler-build==0.73.0) >build/last-command.log 2>&1
}

# Systems that compile kernels without a GPU, as Python packages: what they leave on disk is packed. NVIDIA's libraries are
# those of the newest toolkit.
fetch_systems() {
    [ -d build/newest_cuda/nvidia ] || return
    [ -e build/systems/nvidia/cu13 ] ||
        (fetch_wheels build/systems numba-cuda==0.30.4 numba==0.68.1 llvmlite==0.50.0 numpy==2.4.6 packaging \
            typing_extensions cuda-core==1.2.2 cuda-bindings==13.5.0 cuda-pathfinder==1.9.0 &&
            ln -s "$PWD/build/newest_cuda/nvidia" build/systems/nvidia) >build/last-command.log 2>&1
}

# What builds wheels.
fetch_wheel_tools() {
    [ -d build/wheel_tools/scikit_build_core ] ||
        (fetch_wheels build/wheel_tools scikit-build-core==1.1.2 pathspec packaging) >build/last-command.log 2>&1
}

# CPack asks it what is a program, for the libraries that a .deb depends on.
fetch_file() {
    command -v file >/dev/null || (install_packages file) >build/last-command.log 2>&1
}

# Checks the types of the Python package, its tests and its samples.
fetch_mypy() {
    [ -d build/mypy/mypy ] ||
        (fetch_wheels build/mypy mypy==2.4.1 mypy_extensions typing_extensions pathspec librt ast_serialize) >build/last-command.log 2>&1
}

# The messages of both compilers are compared where arguments of a launch do not fit.
fetch_clang() {
    command -v clang++ >/dev/null || (install_packages clang) >build/last-command.log 2>&1
}

# Their completions are tested.
fetch_shells() {
    command -v fish >/dev/null && command -v zsh >/dev/null || (install_packages fish zsh) >build/last-command.log 2>&1
}

# The site of the pages and headers is made with it.
fetch_doxygen() {
    command -v doxygen >/dev/null || (install_packages doxygen) >build/last-command.log 2>&1
}

say "What some tests need besides"
mkdir -p build
fetch_file || echo "the file utility could not be had: packages of Cubinet are not tested"
fetch_clang || echo "clang could not be had: its messages about launches are not compared"
fetch_mypy || echo "mypy could not be had: the types of the Python package are not checked"
fetch_doxygen || echo "Doxygen could not be had: the site is not made"
fetch_shells || echo "fish and zsh could not be had: their completions are not tested"
fetch_nginx || echo "nginx could not be had: the remote cache is not tested with it"
fetch_cutile || echo "cuda-tile could not be fetched: what it writes is not packed"
fetch_other_toolkit || echo "CUDA 12's compilers could not be fetched: two toolkits side by side are not tested"
fetch_newest_toolkit || echo "the newest CUDA's compilers could not be fetched: CUDA Tile C++ is not tested"
fetch_systems || echo "numba-cuda and cuda.core could not be had: what they leave on disk is not packed"
if [ -n "$thorough" ]; then
    fetch_lintian || echo "lintian could not be had: the .debs are not checked with it"
    fetch_debian || echo "no minimal Debian could be made: the .debs are not installed in one"
    fetch_rattler || echo "rattler-build could not be had: the recipe for conda is not built"
    fetch_wheel_tools || echo "scikit-build-core could not be had: no wheel of Cubinet is built"
    fetch_newest_cmake || echo "the newest CMake could not be fetched: tests with it are skipped"
    fetch_aarch64 || echo "no compiler and libraries for aarch64 could be had: cross-compiling is not tested"
fi
echo "done"

# What quickstart.sh and test.sh have in common: everything that the build needs, installed if it is missing, and
# Cubinet configured in build/release. Sourced, by a shell with `set -eu`; leaves the shell in the repository.
# shellcheck shell=sh

# Debian packages, each with a command that succeeds if what it brings is there.
requirements() {
    need build-essential  sh -c 'command -v cc && command -v make'
    need cmake            cmake --version
    need ninja-build      ninja --version
    need pkg-config       pkg-config --version
    need libarchive-dev   pkg-config --exists libarchive
    need libzstd-dev      pkg-config --exists libzstd
    need liblz4-dev       pkg-config --exists liblz4
    need zlib1g-dev       pkg-config --exists zlib
    need libxxhash-dev    pkg-config --exists libxxhash
    need libjansson-dev   pkg-config --exists jansson
    need libcurl4-openssl-dev pkg-config --exists libcurl
    need libsodium-dev    pkg-config --exists libsodium
    need libcmocka-dev    pkg-config --exists cmocka
    need python3          python3 --version
    need python3-dev      has_python_headers
    need unzip            unzip -v
}

# NVIDIA's wheels of one CUDA release: compiler, linker, and the headers that kernels include.
toolkit_wheels='
    nvidia-cuda-nvrtc==13.0.88
    nvidia-nvjitlink==13.0.88
    nvidia-cuda-runtime==13.0.96
    nvidia-cuda-crt==13.0.88
    nvidia-cuda-cccl==13.0.85'

# Of the Python that builds run, of 3.11 or later; the package for Python is left out elsewhere.
has_python_headers() {
    python3 -c 'import os, sys, sysconfig
sys.exit(sys.version_info >= (3, 11) and not os.path.exists(sysconfig.get_path("include") + "/Python.h"))'
}

say() { printf '\n== %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# Runs a command, showing its output only if it fails.
quietly() {
    mkdir -p build
    "$@" >build/last-command.log 2>&1 || {
        cat build/last-command.log >&2
        die "this failed: $*"
    }
}

need() {
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}

install_packages() {
    command -v apt-get >/dev/null || die "install what this system calls:$*"
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "run this as root, or as root: apt-get install $*"
        as_root=sudo
    fi
    quietly $as_root apt-get update -qq
    quietly $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@"
}

install_missing() {
    missing=
    requirements
    [ -z "$missing" ] || {
        echo "installing:$missing"
        # shellcheck disable=SC2086 # a list of words
        install_packages $missing
    }
}

# Whether a folder has a CUDA toolkit that makes every architecture of the samples: 12.9 or newer.
is_toolkit() {
    for nvrtc in "$1"/lib*/libnvrtc-builtins.so.12.9* "$1"/lib*/libnvrtc-builtins.so.1[3-9].*; do
        if [ -e "$nvrtc" ] && [ -e "$1/include/cuda_runtime.h" ]; then
            for linker in "$1"/lib*/libnvJitLink.so.*; do
                [ -e "$linker" ] && return 0
            done
        fi
    done
    return 1
}

# Python packages into a folder, without what they depend on.
fetch_wheels() { # the folder, and the packages
    folder=$1
    shift
    python=python3
    $python -m pip --version >/dev/null 2>&1 || python=/usr/bin/python3
    $python -m pip --version >/dev/null 2>&1 || install_packages python3-pip ca-certificates
    rm -rf "$folder.part"
    $python -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps \
        --target "$folder.part" "$@" || return
    rm -rf "$folder"
    mv "$folder.part" "$folder"
}

# What is in packages, by an apt of their own: the system stays as it is.
fetch_packages() { # the architecture, the folder, and the packages
    architecture=$1
    folder=$PWD/$2
    shift 2
    rm -rf "$folder.part"
    mkdir -p "$folder.part/lists/partial" "$folder.part/cache/archives/partial" || return
    cat >"$folder.part/apt.conf" <<END || return
APT::Architecture "$architecture";
APT::Architectures "$architecture";
APT::Sandbox::User "root";
Dir::State::Lists "$folder.part/lists";
Dir::Cache "$folder.part/cache";
END
    (
        cd "$folder.part" && export APT_CONFIG="$PWD/apt.conf" && apt-get update -qq && apt-get download -qq "$@" &&
            for package in *.deb; do dpkg-deb -x "$package" . || exit; done && rm -rf lists cache apt.conf ./*.deb
    ) && rm -rf "$folder" && mv "$folder.part" "$folder"
}

# Sets and exports CUDAToolkit_ROOT and CUDA_HOME: what the environment gives, an installed toolkit, or the wheels,
# which are fetched once.
find_toolkit() {
    CUDAToolkit_ROOT=${CUBINET_TOOLKIT:-${CUDAToolkit_ROOT:-${CUDA_HOME:-${CUDA_PATH:-}}}}
    wheels=$PWD/build/toolkit
    if [ -n "$CUDAToolkit_ROOT" ]; then
        : # as given, whatever it is
    elif [ -z "${CUBINET_IGNORE_SYSTEM_CUDA:-}" ] && is_toolkit /usr/local/cuda; then
        CUDAToolkit_ROOT=/usr/local/cuda
    else
        is_toolkit "$wheels/nvidia/cu13" || {
            echo "no CUDA toolkit in /usr/local/cuda: fetching NVIDIA's wheels into build/toolkit (140 MB)"
            # shellcheck disable=SC2086 # a list of words
            fetch_wheels "$wheels" $toolkit_wheels
        }
        CUDAToolkit_ROOT=$wheels/nvidia/cu13
    fi
    CUDA_HOME=$CUDAToolkit_ROOT # the name that other tools know
    export CUDAToolkit_ROOT CUDA_HOME
    echo "CUDA toolkit: $CUDAToolkit_ROOT"
}

PATH=${PATH:+$PATH:}/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
export PATH
cd "$(dirname "$0")/.." || exit
# shellcheck disable=SC2034 # for those who source this
jobs=$(nproc)

# Builds of the same sources in other folders share objects where ccache is installed.
if command -v ccache >/dev/null && [ -z "${CMAKE_C_COMPILER_LAUNCHER:-}" ]; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
fi

say "What the build needs"
install_missing
find_toolkit

say "Configuring in build/release"
quietly cmake --preset release
echo "done"

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Compiles kernels with other systems and packs what they leave, without a GPU: make.sh CUBINET FOLDER PYTHON. Then, on a
# machine with a GPU, `launch_systems FOLDER` launches them.
#
# PYTHON has numba-cuda[cu13] and cuda-core[cu13], and for more rows numba-cuda-mlir, nvmath-python[cu13-dx] and
# nvidia-cufft. Further rows with, in the environment:
#   COOP     a folder with cuda-cccl 0.7.0, the last release that has cuda.coop, before others on Python's path
#   CLANG    the folder of clang, clang-offload-bundler and clang-offload-packager, of release 17 or later
#   CUDA     clang's --cuda-path
# Systems that are not there are left out, with a line.
set -eu
cubinet=$1
folder=$2
python=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$folder/work
mkdir -p "$work"
libraries=$("$python" -c 'import site; print(site.getsitepackages()[0])')/nvidia/cu13
if [ -d "${PYTHONPATH:-/nowhere}/nvidia/cu13" ]; then
    libraries=$PYTHONPATH/nvidia/cu13
fi

has() {
    "$python" -c "import $1" 2>/dev/null || { echo "$1 is not there"; return 1; }
}

# Functions that were compiled to LTO-IR are linked into a kernel of ours.
link() { # the kernel's source, what it calls, the LTO-IR, and options of the compile
    name=$1
    function=$2
    piece=$3
    shift 3
    "$cubinet" compile "$here/$name.cu" -o "$work/$name.kernel.cubinet" --module "$name" --arch 80 --ltoir \
        --import "$function" --toolkit "$libraries" "$@"
    "$cubinet" pack "$piece" --export "$function" --toolkit "$libraries" -o "$work/$name.piece.cubinet"
    "$cubinet" link "$work/$name.kernel.cubinet" -l "$work/$name.piece.cubinet" -o "$folder/$name.cubinet" --module "$name" \
        --arch 80,90-real --toolkit "$libraries" 2>/dev/null
}

if has numba.cuda; then
    rm -rf "$work/numba"
    "$python" "$here/make_numba.py" "$work/numba"
    "$cubinet" pack "$work/numba/__pycache__" -o "$folder/numba.cubinet"
    link apply mulmod "$work/numba/mulmod.ltoir"
fi
if has cuda.core; then
    rm -rf "$work/core"
    "$python" "$here/make_core.py" "$work/core"
    "$cubinet" pack "$work/core/axpy.pickle" -o "$folder/core.cubinet"
    "$cubinet" pack "$work/core/cache" --name-by kernel -o "$folder/core_cache.cubinet"
fi
if ! ldconfig -p | grep -q libcuda.so.1; then
    cc -shared -fPIC -Wl,-soname,libcuda.so.1 -o "$work/libcuda.so.1" "$here/driver_stub.c"
    export LD_LIBRARY_PATH="$work${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
if has numba_cuda_mlir; then
    rm -rf "$work/mlir"
    "$python" "$here/make_mlir.py" "$work/mlir"
    "$cubinet" pack "$work/mlir/__pycache__" -o "$folder/mlir.cubinet"
fi
if has nvmath.device; then
    "$python" "$here/make_nvmath.py" "$work"
    symbol=$(cat "$work/fft.symbol")
    link fft "$symbol" "$work/fft.ltoir" "-DTRANSFORM=$symbol"
fi
if [ -n "${COOP:-}" ]; then
    PYTHONPATH=$COOP "$python" "$here/make_coop.py" "$work"
    symbol=block_reducefloat__128____cub__BlockReduceAlgorithm__BLOCK_REDUCE_WARP_REDUCTIONS__1__1_Puint8_Rfloat32_Rfloat32
    link sum $symbol "$work/sum.ltoir" "-DBLOCK_SUM=$symbol"
fi
if [ -n "${CLANG:-}" ]; then
    source="-x cuda -nocudainc -nogpulib -O2 --cuda-path=${CUDA:-/usr/local/cuda} $here/saxpy_clang.cu -Wno-unknown-cuda-version"
    for arch in 80 90; do
        # shellcheck disable=SC2086
        "$CLANG/clang" $source --cuda-device-only --offload-arch=sm_$arch -c -o "$work/saxpy.$arch.cubin"
    done
    # shellcheck disable=SC2086
    "$CLANG/clang" $source --cuda-device-only --offload-arch=sm_80 -S -o "$work/saxpy.ptx"
    # shellcheck disable=SC2086
    "$CLANG/clang" $source --offload-arch=sm_80,sm_90 -c -o "$work/saxpy.o"
    "$CLANG/clang-offload-bundler" -type=bc -compress -input=/dev/null -input="$work/saxpy.80.cubin" \
        -input="$work/saxpy.90.cubin" -output="$work/saxpy.bundle" \
        -targets=host-x86_64-unknown-linux-gnu-,openmp-nvptx64-nvidia-cuda--sm_80,openmp-nvptx64-nvidia-cuda--sm_90
    "$CLANG/clang-offload-packager" -o "$work/saxpy.offload" \
        --image="file=$work/saxpy.ptx,triple=nvptx64-nvidia-cuda,arch=sm_80,kind=cuda"
    echo 'int host;' | "$CLANG/clang" -x c -c - -o "$work/host.o"
    objcopy --add-section .llvm.offloading="$work/saxpy.offload" "$work/host.o" "$work/offload.o"
    "$cubinet" pack "$work/saxpy.bundle" -o "$folder/clang_bundle.cubinet"
    "$cubinet" pack "$work/saxpy.o" -o "$folder/clang_object.cubinet"
    "$cubinet" pack saxpy="$work/offload.o" -o "$folder/clang_offload.cubinet"
fi
if [ -e "$libraries/lib/libcufft.so.12" ]; then
    "$cubinet" pack "$libraries/lib/libcufft.so.12" --toolkit "$libraries" -o "$work/cufft.cubinet"
    "$cubinet" list "$work/cufft.cubinet" | tail -n 1
    module=$("$cubinet" list "$work/cufft.cubinet" | sed -n 's/^\(libcufft[^ ]*\).* sm_90$/\1/p' | sed -n 1p)
    "$cubinet" slice "$work/cufft.cubinet" --module "$module" -o "$folder/cufft.cubinet"
fi

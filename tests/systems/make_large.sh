#!/bin/sh
# Has other systems compile kernels, packs what they leave, and compares what is recorded with tests/systems/expected.txt:
# docs/guide/systems.md. No GPU is needed. It fetches some gigabytes of Python packages into build/large_systems, and needs nvcc
# (TileLang), so no other script runs it. build/gpu-systems is a folder with the archives and a program that launches their kernels: run
# run_large.sh there, on a GPU of compute capability 9.0.
#
#     tests/systems/make_large.sh [--bless]
set -eu
cd "$(dirname "$0")/../.."
cubinet=${CUBINET:-$PWD/build/release/packager/cubinet}
library=${CUBINET_LIBRARY:-$PWD/build/release/loader/libcubinet.so.0.1.0}
work=$PWD/build/large_systems
kernels=$PWD/tests/systems/kernels
out=$PWD/build/gpu-systems
dsl=kernel_cutlass

environment() { # the name, and packages
    name=$1
    shift
    [ -x "$work/$name/bin/python" ] || {
        python3 -m venv "$work/$name"
        "$work/$name/bin/pip" install --quiet --disable-pip-version-check "$@" || { rm -rf "${work:?}/$name"; exit 1; }
    }
}

mkdir -p "$work"
environment dsl nvidia-cutlass-dsl==4.8.1 tilelang==0.1.15 warp-lang==1.19.0 triton==3.9.0
environment tile 'cuda-tile==1.7.0' 'nvidia-cuda-tileiras==13.5.*' 'nvidia-cuda-nvcc==13.5.*'
environment jax jax==0.10.2 jax-cuda13-plugin==0.10.2 jax-cuda13-pjrt==0.10.2
rm -rf "$work/made" "$out"
mkdir -p "$work/made" "$out"
export TRITON_CACHE_DIR="$work/made/triton_cache"
for name in triton_aot warp_aot cute_kernels tilelang_kernels; do
    "$work/dsl/bin/python" "$kernels/$name.py" "$work/made/$name"
done
mkdir "$work/made/cutile"
for target in sm_80 sm_90 sm_100; do
    "$work/tile/bin/python" "$kernels/cutile_kernel.py" "$work/made/cutile/vector_add.$target.cubin" $target
done
"$work/jax/bin/python" "$kernels/xla_dump.py" "$work/made/xla"

cd "$work/made"
"$cubinet" pack triton_aot -o "$out/triton_aot.cubinet"
"$cubinet" pack warp_aot -o "$out/warp.cubinet"
"$cubinet" pack xla -o "$out/xla.cubinet"
"$cubinet" pack reverse="$(ls cute_kernels/cute_dsl_cutlass_reverse*.mlir)" --kernel "reverse=${dsl}_reverse_kernel*" -o "$out/cute.cubinet"
"$cubinet" pack cute_kernels/objects/reverse.o --kernel "reverse=${dsl}_reverse_kernel*" -o "$out/cute_object.cubinet"
"$cubinet" pack cute_kernels/objects/add.o --kernel "add=${dsl}_add_kernel*" -o "$out/cute_add.cubinet"
"$cubinet" pack tilelang_kernels -o "$out/tilelang.cubinet"
"$cubinet" pack tilelang_kernels_tma -o "$out/tilelang_tma.cubinet"
"$cubinet" pack cutile --kernel 'vector_add=vector_add_K*' -o "$out/cutile.cubinet"
for archive in "$out"/*.cubinet; do
    basename "$archive" .cubinet
    "$cubinet" inspect "$archive" | awk '/^module/ { print $2 } /^  (sm|compute|tile)_[0-9]/ { print $1 } /LAUNCH$/ { on = 1 } /^$/ { on = 0 } on'
done >"$work/recorded.txt"

cp "$library" "$out/libcubinet.so.0"
cp ../../../samples/common/driver_calls.h ../../../tests/systems/launch_large.c ../../../tests/systems/run_large.sh "$out"
${CC:-cc} -std=c11 -O1 -I ../../../loader/include "$out/launch_large.c" -o "$out/launch" "$out/libcubinet.so.0" -lm
cd ../../..
if [ "${1:-}" = --bless ]; then
    cp "$work/recorded.txt" tests/systems/expected.txt
fi
diff -u tests/systems/expected.txt "$work/recorded.txt"
echo "what is recorded is as expected; on a GPU run $out/run_large.sh"

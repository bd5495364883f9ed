#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What telling addresses of shared memory by each other and assembling as a whole do: kernels of
# shared_addresses.cu as nvcc, NVRTC and Cubinet make them (docs/internals/ptx-cleaning.md).
#
#     bench/shared_addresses.sh prepare BUILD DIR     make the cubins in DIR and print registers: no GPU needed
#     bench/shared_addresses.sh run BUILD DIR         time them on a GPU of compute capability 9.0
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -ne 3 ]; then
    sed -n '3,7s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
build=$2
dir=$3

compile() { # name, options
    name=$1
    shift
    "$build/packager/cubinet" compile "$here/shared_addresses.cu" -o "$dir/$name.cubinet" -std=c++17 \
        --arch 90-real "$@"
    "$build/packager/cubinet" extract "$dir/$name.cubinet" shared_addresses sm_90 -o "$dir/$name.cubin"
}

case $1 in
prepare)
    mkdir -p "$dir"
    cccl=$(dirname "$(command -v nvcc)")/../include/cccl
    nvcc -std=c++17 -arch=sm_90 -cubin -I"$cccl" "$here/shared_addresses.cu" -o "$dir/nvcc.cubin" -Xptxas -v 2>&1 |
        sed -n "s/.*entry function '\(.*\)' for.*/nvcc \1/p; s/.*Used \([0-9]* registers\).*/     \1/p"
    compile nvrtc --keep-shared-addresses --assembler nvjitlink
    compile cubinet --assembler nvjitlink
    compile ptxas --assembler ptxas
    for name in nvrtc cubinet ptxas; do
        echo "$name"
        "$build/packager/cubinet" occupancy "$dir/$name.cubinet" --device sm_90 --block 128
    done
    ;;
run)
    bytes=67108864
    for kernel in scan_float_4:128:2048 scan_double_8:128:8192 scan_int_16:256:16384 sort_unsigned_8:128:4096 \
        sort_double_4:256:8192 reduce_double_8:128:8192 histogram_8:128:1024; do
        name=${kernel%%:*}
        block=${kernel#*:}
        tile=${block#*:} # bytes that a block reads
        "$build/bench/bench_kernels" "$name" "$((bytes / tile))" "${block%:*}" "$bytes" \
            "nvcc=$dir/nvcc.cubin" "NVRTC=$dir/nvrtc.cubin" "Cubinet=$dir/cubinet.cubin" \
            "ptxas=$dir/ptxas.cubin"
    done
    ;;
esac

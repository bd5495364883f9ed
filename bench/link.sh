#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What linking LTO-IR on the user's machine costs and gives (docs/guide/linking.md, docs/internals/benchmarks.md).
#
#     bench/link.sh prepare BUILD DIR     make the contenders in DIR and compare sizes: no GPU needed
#     bench/link.sh run BUILD DIR         time them on a GPU of compute capability 9.0
set -eu

here=$(cd "$(dirname "$0")" && pwd)
if [ $# -ne 3 ]; then
    sed -n '3,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
build=$2
dir=$3
cubinet=$build/packager/cubinet
samples=$here/../samples/fragments
algorithms='columns outer product reduce rows scan stencil zip'
operators='absmax either hypotenuse logaddexp maximum minimum plus times'
targets=75-real,80-real,86-real,89-real,90-real,100-real,120-real

compile() { # output, options
    output=$1
    shift
    "$cubinet" compile "$@" -o "$dir/$output.cubinet" --module "$output"
}

extract() { # archive and module, image
    "$cubinet" extract "$dir/$1.cubinet" "$1" "$2" -o "$dir/$1.cubin"
}

prepare_run_time() {
    compile operator "$samples/operators/either.cu" --arch 75-lto --export combine --export identity
    compile skeleton "$here/link_kernel.cu" --arch 75-lto --import combine --import identity
    compile whole "$here/link_kernel.cu" --arch 90-real -DWHOLE
    compile pointer "$here/link_kernel.cu" --arch 90-real -DPOINTER -rdc=true
    "$cubinet" pack "$dir/skeleton.cubinet" "$dir/operator.cubinet" -o "$dir/pieces.cubinet"
    "$cubinet" link "$dir/pieces.cubinet" -o "$dir/linked.cubinet" --arch 90-real
    compile called_operator "$samples/operators/either.cu" --arch 90-virtual -rdc=true
    compile called_skeleton "$here/link_kernel.cu" --arch 90-virtual -rdc=true
    for piece in operator skeleton; do
        "$cubinet" extract "$dir/called_$piece.cubinet" "called_$piece" compute_90 -o "$dir/called_$piece.ptx"
    done
    "$cubinet" link "$dir/called_skeleton.ptx" "$dir/called_operator.ptx" -o "$dir/called.cubinet" --arch 90-real
    for contender in whole linked called pointer; do
        extract "$contender" sm_90
    done
}

prepare_sizes() {
    mkdir -p "$dir/pieces" "$dir/whole"
    for name in $algorithms; do
        "$cubinet" compile "$samples/algorithms/$name.cu" -o "$dir/pieces/$name.cubinet" --arch 75-lto \
            --import combine --import identity
    done
    for name in $operators; do
        "$cubinet" compile "$samples/operators/$name.cu" -o "$dir/pieces/$name.cubinet" --arch 75-lto \
            --export combine --export identity
    done
    for algorithm in $algorithms; do
        for operator in $operators; do
            "$cubinet" link "$dir/pieces/$algorithm.cubinet" "$dir/pieces/$operator.cubinet" --arch "$targets" \
                -o "$dir/whole/${algorithm}_$operator.cubinet"
        done
    done
    "$cubinet" pack "$dir"/pieces/*.cubinet -o "$dir/16_fragments.cubinet"
    "$cubinet" pack "$dir"/whole/*.cubinet -o "$dir/64_modules.cubinet"
    wc -c "$dir/16_fragments.cubinet" "$dir/64_modules.cubinet" | head -2
}

case $1 in
prepare)
    mkdir -p "$dir"
    prepare_run_time
    prepare_sizes
    ;;
run)
    "$build/bench/bench_kernels" fold 8192 256 67108864 "whole=$dir/whole.cubin" "linked=$dir/linked.cubin" \
        "called=$dir/called.cubin" "pointer=$dir/pointer.cubin"
    rm -rf "$dir/cache"
    "$build/bench/bench_link" "$dir/linked.cubinet" "$dir/pieces.cubinet" skeleton operator fold "$dir/cache"
    ;;
esac

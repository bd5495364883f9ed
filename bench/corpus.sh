#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The corpus's kernels on a GPU: results against the CPU's, and run times of what nvcc makes, of what Cubinet makes, of
# what it makes without ptxas, and of each module in parts (bench/corpus/README.md).
#
#     bench/corpus.sh prepare BUILD DIR [ARCH]     make the contenders in DIR for sm_ARCH, by default 90: needs a
#                                                  toolkit with nvcc, no GPU
#     bench/corpus.sh run BUILD DIR                check and time them: needs a GPU
set -eu

here=$(cd "$(dirname "$0")" && pwd)/corpus
if [ $# -lt 3 ] || [ $# -gt 4 ]; then
    sed -n '3,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
build=$2
dir=$3
arch=${4:-90}

make_archive() { # its name, options
    name=$1
    shift
    "$build/packager/cubinet" build "@$dir/arguments" -o "$dir/$name.cubinet" --arch "$arch-real" "$@"
}

case $1 in
prepare)
    mkdir -p "$dir/nvcc"
    python3 "$here/corpus.py" arguments >"$dir/arguments"
    make_archive cubinet
    make_archive nvjitlink --assembler nvjitlink
    make_archive parts --parts each
    python3 "$here/corpus.py" nvcc "$dir/sources"
    for source in "$dir"/sources/*.cu; do
        basename "$source" .cu
    done | xargs -P "$(nproc)" -I NAME nvcc -cubin -arch="sm_$arch" "$dir/sources/NAME.cu" -o "$dir/nvcc/NAME.cubin"
    ;;
run)
    "$build/bench/corpus/corpus_check" "nvcc=$dir/nvcc" "cubinet=$dir/cubinet.cubinet" "nvjitlink=$dir/nvjitlink.cubinet" \
        "parts=$dir/parts.cubinet"
    ;;
*)
    exec "$0"
    ;;
esac

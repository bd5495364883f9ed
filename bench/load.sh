#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Load time of the sample's module through Cubinet, against nvcc's fatbin and NVRTC's own output (see load.c).
#
#     bench/load.sh prepare BUILD DIR     make the contenders in DIR: needs a toolkit with nvcc, no GPU
#     bench/load.sh run BUILD DIR         time them: needs a GPU
set -eu

here=$(cd "$(dirname "$0")" && pwd)
source=$here/../samples/segmented_sum/segsum.cu
float='segsum<float,int,256,4>'
double='segsum<double,int,128,4>'
kernel=_Z6segsumIfiLi256ELi4EEvPKT_PKT0_PS0_

if [ $# -ne 3 ]; then
    sed -n '3,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
build=$2
dir=$3

compile() {
    "$build/packager/cubinet" compile "$source" --module segmented_sum --kernel "$float" --kernel "$double" \
        -std=c++17 "$@"
}

matrix() { # nvcc's options for the sample's architectures
    for number in 75 80 86 89 90 90a 100 103 120 121; do
        printf -- '-gencode arch=compute_%s,code=sm_%s ' "$number" "$number"
    done
    printf -- '-gencode arch=compute_121,code=compute_121'
}

case $1 in
prepare)
    mkdir -p "$dir"
    words=$(echo "75 80 86 89 90 90a 100 103 120 121" | sed 's/[0-9a]*/&-real/g')
    compile $(for word in $words 121-virtual; do printf -- '--arch %s ' "$word"; done) -o "$dir/lean.cubinet"
    compile --arch 90 -o "$dir/lean90.cubinet"
    compile --arch 90 --keep-globals -o "$dir/whole90.cubinet"
    for name in lean90 whole90; do
        for target in sm_90:cubin compute_90:ptx; do
            "$build/packager/cubinet" extract "$dir/$name.cubinet" segmented_sum "${target%:*}" \
                -o "$dir/$name.${target#*:}"
        done
    done
    "$build/packager/cubinet" extract "$dir/lean.cubinet" segmented_sum sm_90a -o "$dir/lean90a.cubin"
    "$build/packager/cubinet" pack "$dir/lean.cubinet" -o "$dir/zstd.cubinet" --compress zstd:19
    "$build/packager/cubinet" pack "$dir/lean.cubinet" -o "$dir/fast.cubinet" --compress fast
    nvcc -std=c++17 -fatbin $(matrix) "$here/segsum_instances.cu" -o "$dir/default.fatbin"
    nvcc -std=c++17 -fatbin $(matrix) --compress-mode=none "$here/segsum_instances.cu" -o "$dir/none.fatbin"
    nvcc -std=c++17 -fatbin $(matrix) --compress-mode=size "$here/segsum_instances.cu" -o "$dir/size.fatbin"
    nvcc -std=c++17 -cubin -arch=sm_90 "$here/segsum_instances.cu" -o "$dir/nvcc.cubin"
    ;;
run)
    # Too large to be carried: 10,000 modules of ten cubins and PTX each, the sample's among them.
    "$build/bench/bench_scale" make "$dir/lean.cubinet" 10000 0 "$dir/many.cubinet"
    "$build/bench/bench_scale" make "$dir/lean.cubinet" 10000 3 "$dir/many_zstd.cubinet"
    "$build/bench/bench_scale" open "$dir/lean.cubinet" "$dir/many.cubinet" "$dir/zstd.cubinet" "$dir/many_zstd.cubinet"
    "$build/bench/bench_scale" read "$dir/many.cubinet" 16
    "$build/bench/bench_scale" read "$dir/many_zstd.cubinet" 16
    "$build/bench/bench_load" "$dir/lean.cubinet" segmented_sum "$kernel" \
        "out of 10,000 modules=$dir/many.cubinet" \
        "compressed (fast)=$dir/fast.cubinet" \
        "compressed (zstd:19)=$dir/zstd.cubinet" \
        "out of 10,000, compressed (zstd:3)=$dir/many_zstd.cubinet" \
        "the same cubin, driver alone=$dir/lean90a.cubin" \
        "NVRTC's cubin, not cleaned=$dir/whole90.cubin" \
        "nvcc's cubin=$dir/nvcc.cubin" \
        "nvcc's fatbin, not compressed=$dir/none.fatbin" \
        "nvcc's fatbin, default=$dir/default.fatbin" \
        "nvcc's fatbin, compressed for size=$dir/size.fatbin"
    # Apart, since a compiler that runs in between slows what comes after it.
    export CUDA_CACHE_DISABLE=1
    "$build/bench/bench_load" "$dir/lean.cubinet" segmented_sum "$kernel" \
        "cleaned PTX, compiled by the driver=$dir/lean90.ptx" \
        "NVRTC's PTX, likewise=$dir/whole90.ptx"
    ;;
*)
    exec "$0"
    ;;
esac

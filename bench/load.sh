#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Load time of the sample's module through Cubinet, alone in an archive and one of 10,000, against nvcc's fatbins,
# NVRTC's own output and the bare cubin (see load.c), each ready in memory and from its file on.
#
#     bench/load.sh prepare BUILD DIR     make the contenders in DIR: needs a toolkit with nvcc, no GPU
#     bench/load.sh run BUILD DIR         time them: needs a GPU. Archives of 10,000 modules, 1.3 GB, are made in
#                                         DIR if they are not there
set -eu

here=$(cd "$(dirname "$0")" && pwd)
source=$here/../samples/segmented_sum/segsum.cu
float='segsum<float,int,256,4>'
double='segsum<double,int,128,4>'
kernel=_Z6segsumIfiLi256ELi4EEvPKT_PKT0_PS0_

if [ $# -ne 3 ]; then
    sed -n '3,8s/^# \{0,1\}//p' "$0" >&2
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
    [ -f "$dir/many.cubinet" ] || "$build/bench/bench_scale" make "$dir/lean.cubinet" 10000 0 "$dir/many.cubinet"
    [ -f "$dir/many_zstd.cubinet" ] || "$build/bench/bench_scale" make "$dir/lean.cubinet" 10000 3 "$dir/many_zstd.cubinet"
    [ -f "$dir/ten.cubinet" ] || "$build/bench/bench_scale" make "$dir/lean.cubinet" 10 0 "$dir/ten.cubinet"
    "$build/bench/bench_scale" open "$dir/lean.cubinet" "$dir/ten.cubinet" "$dir/many.cubinet" "$dir/zstd.cubinet" \
        "$dir/many_zstd.cubinet"
    "$build/bench/bench_scale" read "$dir/many.cubinet" 16
    "$build/bench/bench_scale" read "$dir/many_zstd.cubinet" 16
    "$build/bench/bench_load" segmented_sum "$kernel" \
        "Cubinet, archive open=ready:$dir/lean.cubinet" \
        "Cubinet, opening it=file:$dir/lean.cubinet" \
        "out of 10,000, archive open=ready:$dir/many.cubinet" \
        "out of 10,000, opening it=file:$dir/many.cubinet" \
        "compressed (fast), archive open=ready:$dir/fast.cubinet" \
        "compressed (zstd:19), archive open=ready:$dir/zstd.cubinet" \
        "compressed (zstd:19), opening it=file:$dir/zstd.cubinet" \
        "10,000, compressed (zstd:3), archive open=ready:$dir/many_zstd.cubinet" \
        "10,000, compressed (zstd:3), opening it=file:$dir/many_zstd.cubinet" \
        "the same cubin, driver alone=ready:$dir/lean90a.cubin" \
        "the same cubin, opening its file=file:$dir/lean90a.cubin" \
        "NVRTC's cubin, not cleaned=ready:$dir/whole90.cubin" \
        "nvcc's cubin=ready:$dir/nvcc.cubin" \
        "nvcc's fatbin, not compressed=ready:$dir/none.fatbin" \
        "nvcc's fatbin, not compressed, opening it=file:$dir/none.fatbin" \
        "nvcc's fatbin, default=ready:$dir/default.fatbin" \
        "nvcc's fatbin, default, opening it=file:$dir/default.fatbin" \
        "nvcc's fatbin, compressed for size=ready:$dir/size.fatbin" \
        "nvcc's fatbin, for size, opening it=file:$dir/size.fatbin"
    # With nothing else in between, so that caches are as warm for one as for the other.
    for form in ready file; do
        "$build/bench/bench_load" segmented_sum "$kernel" \
            "two contenders: the same cubin=$form:$dir/lean90a.cubin" \
            "Cubinet, out of 10,000=$form:$dir/many.cubinet"
    done
    # Apart, since a compiler that runs in between slows what comes after it.
    export CUDA_CACHE_DISABLE=1
    "$build/bench/bench_load" segmented_sum "$kernel" \
        "Cubinet, archive open=ready:$dir/lean.cubinet" \
        "cleaned PTX, compiled by the driver=ready:$dir/lean90.ptx" \
        "NVRTC's PTX, likewise=ready:$dir/whole90.ptx"
    ;;
*)
    exec "$0"
    ;;
esac

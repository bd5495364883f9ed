#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes the fatbins and objects in this folder from kernel.cu, with the nvcc of CUDA 13.0; no GPU is needed. Those
# with Tile IR make_tileir.py makes.
set -eu
cd "$(dirname "$0")"

images='-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=sm_90a
    -gencode arch=compute_100f,code=sm_100f -gencode arch=compute_90,code=compute_90'
# shellcheck disable=SC2086 # a list of words
make() { # output, options
    output=$1
    shift
    nvcc $images "$@" kernel.cu -o "$output"
}
make plain.fatbin -fatbin --compress-mode=none
make size.fatbin -fatbin --compress-mode=size   # zstd
make speed.fatbin -fatbin --compress-mode=speed # LZ4, of PTX alone
make object.o -c --compress-mode=size
make relocatable.o -dc --compress-mode=size
nvcc -fatbin -gencode arch=compute_80,code=lto_80 kernel.cu -o ltoir.fatbin
nvcc -optix-ir -arch=compute_80 kernel.cu -o kernel.optixir
nvcc -optix-ir -arch=compute_90 kernel.cu -o kernel_90.optixir
# The fatbins of a program: of two sources, and of nothing, which nvcc linked.
sed 's/scale/shift/; s/\*=/+=/' kernel.cu > shift.cu
nvcc -arch=sm_80 --compress-mode=size --shared -Xcompiler -fPIC kernel.cu shift.cu -o program.so
objcopy -O binary --only-section=.nv_fatbin program.so program.fatbin
rm shift.cu program.so
# As a lean build makes them: nothing but the device code's sections.
for object in object.o relocatable.o; do
    objcopy --only-section=.nv_fatbin --only-section=__nv_relfatbin "$object"
done
# A kernel, and the function that it calls: as LTO-IR, as machine code, and as both.
for name in apply op; do
    nvcc -dc -gencode arch=compute_80,code=lto_80 $name.cu -o "${name}_lto.o"
    nvcc -dc -gencode arch=compute_80,code=sm_80 $name.cu -o "${name}_sass.o"
    nvcc -dc -gencode arch=compute_80,code=[lto_80,sm_80] $name.cu -o "${name}_both.o"
    for object in "${name}_lto.o" "${name}_sass.o" "${name}_both.o"; do
        objcopy --only-section=__nv_relfatbin --only-section=.nvFatBinSegment "$object"
    done
done

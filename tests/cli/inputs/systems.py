#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what other systems leave on disk, around images that are given: usage systems.py WHAT FOLDER IMAGE...

WHAT is "triton" (a cache folder of Triton's, release 3.4 and later), "warp" (a folder of wp.compile_aot_module), "cupy" (a
kernel cache), "compute" (a blob of cuda.compute's serialize()) or "inductor" (an AOTInductor package), "bundle" and "offload"
(LLVM's containers).
"""
import hashlib
import json
import pathlib
import struct
import sys
import zipfile

TTIR = """#loc = loc("kernels.py":5:1)
module {
  tt.func public @add_kernel(%x_ptr: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x_ptr"(#loc)), %out_ptr: \
!tt.ptr<f32> loc("out_ptr"(#loc)), %n: i32 loc("n"(#loc))) attributes {noinline = false} {
    tt.return loc(#loc)
  } loc(#loc)
} loc(#loc)
"""
WARP = """#define WP_TILE_BLOCK_DIM 256
extern "C" __global__ void axpy_27692f12_cuda_kernel_forward(
    wp::launch_bounds_t<1> dim,
    wp::float32 var_a,
    wp::array_t<wp::float32> var_x)
{
}
"""


def write(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data if isinstance(data, bytes) else data.encode())


def triton(folder, images):
    """A folder for each image, which Triton names by a digest of source and options."""
    for image in images:
        data = pathlib.Path(image).read_bytes()
        inside = folder / hashlib.sha256(image.encode()).hexdigest()[:26].upper()
        meta = {"hash": hashlib.sha256(data).hexdigest(), "target": {"backend": "cuda", "arch": 80, "warp_size": 32},
                "num_warps": 4, "num_ctas": 2, "num_stages": 3, "warp_size": 32, "maxnreg": None,
                "launch_cooperative_grid": False, "triton_version": "3.9.0", "tensordesc_meta": [], "shared": 4096,
                "global_scratch_size": 256, "global_scratch_align": 128, "profile_scratch_size": 0,
                "profile_scratch_align": 1, "name": "add_kernel"}
        write(inside / "add_kernel.json", json.dumps(meta))
        write(inside / "__grp__add_kernel.json", json.dumps({"child_paths": {"add_kernel.json": "add_kernel.json"}}))
        write(inside / "add_kernel.cubin", data)
        write(inside / "add_kernel.ttir", TTIR)
        write(inside / "add_kernel.ptx", "not read, since there is a cubin")


def warp(folder, images):
    for image in images:
        name = pathlib.Path(image).name.split(".")[1]
        write(folder / f"wp___main___ec18cf6.{name}.cubin", pathlib.Path(image).read_bytes())
    write(folder / "wp___main___ec18cf6.cu", WARP)
    write(folder / "wp___main___ec18cf6.meta", json.dumps({"axpy_27692f12_cuda_kernel_forward_smem_bytes": 3072}))


def cupy(folder, images):
    """The last byte of a cubin is left off, and its digest stands before it."""
    for image in images:
        data = pathlib.Path(image).read_bytes()[:-1]
        write(folder / (hashlib.sha1(data).hexdigest() + ".cubin"), hashlib.sha1(data).hexdigest().encode() + data)


def compute(folder, images):
    text = lambda value: struct.pack("<Q", len(value)) + value
    blob = b"CCCLPYS1" + text(b"1.2.0") + text(b"_Reduce") + struct.pack("<I", len(images))
    for number, image in enumerate(images):
        blob += struct.pack("<I", 80 + 10 * number) + text(b"header" + pathlib.Path(image).read_bytes() + b"name")
    write(folder / "reduce.alg", blob)


def inductor(folder, images):
    """Stored, not compressed, as PyTorch writes it."""
    code = """    if (kernels_.add_kernel_0 == nullptr) {
        kernels_.add_kernel_0 = loadKernel("/tmp/x/abc.cubin", "add_kernel", 256, cubin_dir_); }
    CUdeviceptr global_scratch_scratch_5 = 0;
    CUdeviceptr profile_scratch_scratch_6 = 0;
    launchKernel(kernels_.other, grid_0, grid_1, grid_2, 8, 0, kernel_args_, stream_);
    launchKernel(kernels_.add_kernel_0, grid_0, grid_1, grid_2, 2, 256, kernel_args_, stream_);
"""
    with zipfile.ZipFile(folder / "model.pt2", "w") as package:
        for number, image in enumerate(images):
            package.write(image, f"model/data/aotinductor/model/c{number}.cubin")
        package.writestr("model/data/aotinductor/model/w.wrapper.cpp", code)


def bundle(folder, images):
    triples = [b"host-x86_64-unknown-linux-gnu-"] + [b"cuda-nvptx64-nvidia-cuda--sm_80"] * len(images)
    parts = [b"host code"] + [pathlib.Path(image).read_bytes() for image in images]
    at = 32 + sum(24 + len(triple) for triple in triples)
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(parts))
    for triple, part in zip(triples, parts):
        head += struct.pack("<QQQ", at, len(part), len(triple)) + triple
        at += len(part)
    write(folder / "kernels.bundle", head + b"".join(parts))


def offload(folder, images):
    data = b""
    for image in images:
        part = pathlib.Path(image).read_bytes()
        strings = b"triple\0nvptx64-nvidia-cuda\0"
        at = 32 + 40 + 16 + len(strings)
        binary = b"\x10\xff\x10\xad" + struct.pack("<IQQQ", 1, at + len(part), 32, 40)
        binary += struct.pack("<HHIQQQQ", 3, 1, 0, 72, 1, at, len(part)) + struct.pack("<QQ", 88, 95) + strings + part
        data += binary + b"\0" * (-len(binary) % 8)
    write(folder / "kernels.offload", data)


if __name__ == "__main__":
    globals()[sys.argv[1]](pathlib.Path(sys.argv[2]), sys.argv[3:])

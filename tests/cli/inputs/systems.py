#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what other systems leave on disk, around images that are given: usage systems.py WHAT FOLDER IMAGE...

WHAT is "triton" (a cache folder of Triton's, release 3.4 and later), "warp" (a folder of wp.compile_aot_module), "cupy" (a
kernel cache), "compute" (a blob of cuda.compute's serialize()), "inductor" (an AOTInductor package), "numba" (numba-cuda's
cache), "closures" (the same, of functions around which values differ), "core" (pickles of cuda.core's ObjectCode, and its program cache), "aot" (the C of Triton's ahead-of-time compiler),
"tilelang" (its cache), "cute" (what CUTLASS's DSL keeps), "xla" (a dump of XLA's, from PTX), or "bundle", "compressed" and
"offload" (LLVM's containers). The texts are those of the releases in docs/guide/systems.md, shortened.
"""
import hashlib
import json
import pathlib
import pickle
import struct
import sys
import types
import zipfile
import zlib

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


AOT = """#define CUBIN_NAME add_kernel_caba951e_0d1d2d_cubin
unsigned char CUBIN_NAME[%d] = { %s };
    int shared = 4096;
    CUDA_CHECK(cuModuleGetFunction(&add_kernel_caba951e_0d1d2d_func, add_kernel_caba951e_0d1d2d_mod, "add_kernel"));
CUresult add_kernel_caba951e_0d1d2d(CUstream stream, CUdeviceptr x_ptr, CUdeviceptr out_ptr, int32_t n) {
    void *args[5] = { &x_ptr, &out_ptr, &n, &global_scratch, &profile_scratch };
      return cuLaunchKernel(add_kernel_caba951e_0d1d2d_func, gX, gY, gZ, 4 * 32, 1, 1, 4096, stream, args, NULL);
}
"""
TILELANG_DEVICE = """extern "C" __global__ void add_kernel(const float* __restrict__ A, half_t* C, int n, __grid_constant__ const CUtensorMap D, \
fp8_e4_t* E);
extern "C" __global__ void __launch_bounds__(128, 1) add_kernel(const float* __restrict__ A, half_t* C, int n) {
  extern __shared__ __align__(1024) uchar buf_dyn_shmem[];
}
"""
XLA = """000: kCommandBuffer [source | sink]
    001: kCustomKernel [source       | next=002 (1)] first grid: [2, 2, 1] threads: [128, 1, 1]  shared_memory: 4096 bytes
    002: kCustomKernel [prev=001 (1) | next=003 (1)] second grid: [8, 1, 1] threads: [32, 2, 1]  shared_memory: 0 bytes
    003: kCustomKernel [prev=002 (1) | next=004 (1)] third grid: [8, 1, 1] threads: [32, 1, 1]  shared_memory: 0 bytes
    004: kCustomKernel [prev=003 (1) | sink        ] third grid: [8, 1, 1] threads: [64, 1, 1]  shared_memory: 0 bytes
"""
CUTE = """!memref_smem_i8 = !cute.memref<i8, smem, align<16>, "100:1">
!memref_smem_i8_1 = !cute.memref<i8, smem, align<1024>, "512:1">
    cuda.kernel @add_kernel(%arg0: !memref_gmem_f32) attributes {cutlass_launch_facts = {cooperative_launch = true, \
exact_block_dim = array<i64: 128, 2, 1>, schema_version = 1 : i64}} {
      %smem = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8
      %smem_22 = cute.memref.alloca() {smem.partition_id = 1 : i32} : !memref_smem_i8_1
    %2 = cute.kernel_smem_size @kernels::@add_kernel : i64
"""


def aot(folder, images):
    for image in images:
        data = pathlib.Path(image).read_bytes()
        write(folder / "add_kernel.caba951e_0d1d2d.c", AOT % (len(data), ", ".join(f"0x{byte:02x}" for byte in data)))


def tilelang(folder, images):
    """A folder for each image; the arguments of its launch are put into an array one by one."""
    for image in images:
        data = pathlib.Path(image).read_bytes()
        key = hashlib.sha256(image.encode()).hexdigest()
        inside = folder / "linux-x86_64" / "kernels" / key
        values = {5: 2, 6: 128, 7: 1, 8: 1, 9: 4096}
        host = "".join(f"  (((TVMFFIAny*)stack_ffi_any)[{at}].v_int64) = ((int64_t){value});\n" for at, value in values.items())
        host = "  if (TVMFFIFunctionCall(__tvm_set_device_packed, (TVMFFIAny*) stack_ffi_any, 2, &result) != 0) {\n" + host
        write(inside / "host_kernel.cu", host + "  if (TVMFFIFunctionCall(add_kernel_packed, (TVMFFIAny*) stack_ffi_any, 10, &r) != 0) {\n")
        write(inside / "device_kernel.cu", TILELANG_DEVICE)
        write(inside / "executable.so", b"a library" * 100 + data)
        write(folder / "cuda-binaries" / key / "kernel.cubin", data)


def cute(folder, images):
    for image in images:
        write(folder / "cutlass_add_1.sm_80.cubin", pathlib.Path(image).read_bytes())
    write(folder / "cute_dsl_cutlass_add_1.mlir", CUTE)


def xla(folder, images):
    for number, image in enumerate(images):
        write(folder / f"module_0007.jit_f.{2 * number + 1}.ptx", pathlib.Path(image).read_bytes())
    write(folder / "module_0007.jit_f.thunk_sequence.txt", XLA)


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


def module(name, **members):
    """A module of Python's that pickles refer to by name."""
    for end in [at for at, letter in enumerate(name + ".") if letter == "."]:
        sys.modules[name[:end]] = types.ModuleType(name[:end])
    for key, value in members.items():
        value.__module__ = name
        setattr(sys.modules[name], key, value)


class ObjectCode:
    """cuda.core's: made again by a function of the class."""

    def __init__(self, *state):
        self.state = state

    @staticmethod
    def _reduce_helper(*state):
        return ObjectCode(*state)

    def __reduce__(self):
        return ObjectCode._reduce_helper, self.state


class Signature:
    def __init__(self, *state):
        self.state = state

    def __getstate__(self):
        return self.state


class NumbaType:
    """A type of numba's, which is made again by a function of its arguments."""

    def __init__(self, **state):
        self.state = state

    def __reduce__(self):
        return _type_reconstructor, (_reconstructor, (NumbaType, object, None), self.state)


def _type_reconstructor(*arguments):
    return arguments


def _reconstructor(*arguments):
    return arguments


def custom_rebuild(states):
    return states


class CustomPickled:
    def __init__(self, states):
        self.states = states

    def __reduce__(self):
        return custom_rebuild, ((CustomPickled, self.states),)


def core(folder, images):
    """The first image with a name, the others in a list and in the cache."""
    module("cuda.core._module", ObjectCode=ObjectCode)
    mapping = {"tools::add<float>": b"add_kernel"}
    codes = [ObjectCode(pathlib.Path(image).read_bytes(), "cubin", "", mapping) for image in images]
    codes[0].state = codes[0].state[:2] + ("src/add.cu", mapping)
    write(folder / "first.pkl", pickle.dumps(codes[0]))
    write(folder / "all.pickle", pickle.dumps(codes, protocol=5))
    write(folder / "path.pkl", pickle.dumps(ObjectCode("kernels.cubin", "cubin", "", {})))
    write(folder / "other.pkl", pickle.dumps({"nothing": [1, 2.5, -3, 1 << 80, (), set("a")]}, protocol=2))
    for image in images:
        data = pathlib.Path(image).read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        write(folder / "cache" / "entries" / digest[:2] / digest[2:], data)


def index(folder, name, closures):
    """What numba lists of a function's files: the digest of the values around it for each."""
    files = {("signature", count, ("code", digest)): f"{name}.{count + 1}.nbc" for count, digest in enumerate(closures)}
    write(folder / f"{name}.nbi", pickle.dumps("0.68.1") + pickle.dumps(((1.5, 9), files)))


def closures(folder, images):
    """A function that a place makes of different values."""
    numba(folder, images)
    index(folder, "pkg.kernels.add-7.py311", [f"{count}0123456789abcdef" for count, image in enumerate(images)])


def numba(folder, images):
    """A file for each signature and GPU; the second image is of the same signature as the first, a third of another."""
    module("cuda.core._module", ObjectCode=ObjectCode)
    module("numba.core.typing.templates", Signature=Signature)
    module("numba.core.types.abstract", _type_reconstructor=_type_reconstructor, NumbaType=NumbaType)
    module("numba.cuda.serialize", custom_rebuild=custom_rebuild, CustomPickled=CustomPickled)
    number = NumbaType(name="int32", bitwidth=32)
    for count, image in enumerate(images):
        real = NumbaType(name="float32" if count < 2 else "uint64")
        array = NumbaType(dtype=real, ndim=1, layout="C", name=f"array({real.state['name']}, 1d, C)")
        ir = 'declare void @add_kernel(i32)\ndefine void @"add_kernel"(%s)\n{\n}\n' % ", ".join(
            ['i8* %"x.0"', "float* nonnull align 4 %out", 'i32 %"n"', 'double %"z.0"', 'i8* %"y"'])
        library = {"codegen": None, "name": "add", "entry_name": "add_kernel", "llvm_strs": [ir],
                   "cubin_cache": {(8, count, ""): ObjectCode(pathlib.Path(image).read_bytes(), "cubin", "", {})}}
        kernel = {"cooperative": count == 0, "name": "add_kernel",
                  "signature": Signature(None, (array, array, number), None, None),
                  "codelibrary": CustomPickled(library), "debug": False}
        write(folder / f"pkg.kernels.add-7.py311.{count + 1}.nbc", pickle.dumps(kernel, protocol=4))
    result = {"signature_args": (array,), "cubin": pathlib.Path(images[0]).read_bytes(), "func_name": "add_kernel"}
    write(folder / "pkg.mlir.sub-3.py311.1.nbc", pickle.dumps(result, protocol=4))
    index(folder, "pkg.kernels.add-7.py311", ["e3b0c44298fc1c14"] * len(images))
    index(folder, "pkg.mlir.sub-3.py311", ["e3b0c44298fc1c14"])
    write(folder / "pkg.kernels.host-9.py311.1.nbc", pickle.dumps({"library": b"\x7fELF of the processor"}))


def zstd(data):
    """A frame of zstd's whose blocks are stored as they are."""
    most = 1 << 16
    frame = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(data))
    for start in range(0, len(data), most):
        part = data[start : start + most]
        frame += struct.pack("<I", len(part) << 3 | (start + most >= len(data)))[:3] + part
    return frame


def compressed(folder, images):
    """Bundles of each version, made of bundle()'s."""
    bundle(folder, images)
    data = (folder / "kernels.bundle").read_bytes()
    packed = [zlib.compress(data), zstd(data)]
    digest = hashlib.md5(data).digest()[:8]
    for method, content in enumerate(packed):
        sizes = {1: struct.pack("<I", len(data)), 2: struct.pack("<II", 24 + len(content), len(data)),
                 3: struct.pack("<QQ", 32 + len(content), len(data))}
        for version, size in sizes.items():
            head = b"CCOB" + struct.pack("<HH", version, method) + size + digest
            write(folder / f"v{version}m{method}.bundle", head + content)


def bundle(folder, images):
    triples = [b"host-x86_64-unknown-linux-gnu-"] + [b"cuda-nvptx64-nvidia-cuda--sm_80"] * len(images)
    parts = [b"host code"] + [pathlib.Path(image).read_bytes() for image in images]
    at = 32 + sum(24 + len(triple) for triple in triples)
    head = b"__CLANG_OFFLOAD_BUNDLE__" + struct.pack("<Q", len(parts))
    for triple, part in zip(triples, parts):
        head += struct.pack("<QQQ", at, len(part), len(triple)) + triple
        at += len(part)
    write(folder / "kernels.bundle", head + b"".join(parts))


def offload_binary(version, parts):
    """Of version 1 with one image, of 2 with several, of 3 compressed."""
    head, strings = (40 if version == 3 else 32), b"triple\0nvptx64-nvidia-cuda\0"
    string = 16 if version == 1 else 24
    at = head + len(parts) * (40 + string)
    image = at + len(strings)
    entries = maps = b""
    for number, part in enumerate(parts):
        entries += struct.pack("<HHIQQQQ", 3, 1, 0, head + len(parts) * 40 + number * string, 1, image, len(part))
        maps += struct.pack("<QQQ", at, at + 7, 19)[:string]
        image += len(part)
    body = entries + maps + strings + b"".join(parts)
    packed = zlib.compress(body) if version == 3 else body
    binary = b"\x10\xff\x10\xad" + struct.pack("<IQQQ", version, head + len(packed), head, len(parts) if version > 1 else 40)
    binary += (struct.pack("<Q", head + len(body)) if version == 3 else b"") + packed
    return binary + b"\0" * (-len(binary) % 8)


def offload(folder, images):
    parts = [pathlib.Path(image).read_bytes() for image in images]
    write(folder / "kernels.offload", b"".join(offload_binary(1, [part]) for part in parts))
    write(folder / "v2.offload", offload_binary(2, parts))
    write(folder / "v3.offload", offload_binary(3, parts))
    write(folder / "v4.offload", offload_binary(4, parts))
    write(folder / "bitcode.offload", offload_binary(1, [b"BC\xc0\xde and more"]))


if __name__ == "__main__":
    globals()[sys.argv[1]](pathlib.Path(sys.argv[2]), sys.argv[3:])

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the standard headers with NVRTC: each alone, all together, with CUDA's own in both orders, in every dialect.

    test_compile.py COMMAND DEVICE_HEADERS TOOLKIT
"""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

COMMAND, DEVICE_HEADERS, TOOLKIT = sys.argv[1:4]
del sys.argv[1:4]
STANDARD = pathlib.Path(DEVICE_HEADERS) / "standard"
FIRST_DIALECT = {"concepts": 20, "optional": 17, "span": 17, "variant": 17}
DIALECTS = (14, 17, 20)
# What sources of their own may define, and what collides with libcu++'s inclusion of cuda_fp16.h.
USERS_OWN = """
struct half { float x; };
__device__ half operator+(half a, half b) { return {a.x + b.x}; }
__device__ float3 operator+(float3 a, float3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ float3 operator*(float3 a, float b) { return {a.x * b, a.y * b, a.z * b}; }
extern "C" __global__ void scale(float3 *v, half *h) { v[0] = v[1] + v[2] * 3.0f; h[0] = h[1] + h[2]; }
"""
KERNEL = 'extern "C" __global__ void k(unsigned *p) { auto [a, b] = std::make_pair(p[0], 1u); p[1] = std::max(a, b); }\n'
CUDAS = ("cooperative_groups.h", "cooperative_groups/reduce.h", "cub/block/block_reduce.cuh", "cub/cub.cuh",
         "cuda.h", "cuda/barrier", "cuda/std/array", "cuda/std/cmath", "cuda/std/complex", "cuda/std/cstdint", "cuda/std/limits", "cuda/std/tuple",
         "cuda_bf16.h", "cuda_fp16.h", "cuda_fp8.h", "cuda_runtime.h", "curand_kernel.h", "mma.h", "nv/target")
THRUST = ("adjacent_difference", "advance", "binary_search", "complex", "copy", "count", "device_ptr", "device_reference",
          "distance", "equal", "execution_policy", "extrema", "fill", "find", "for_each", "functional", "gather", "generate",
          "inner_product", "iterator/constant_iterator", "iterator/counting_iterator", "iterator/discard_iterator",
          "iterator/permutation_iterator", "iterator/reverse_iterator", "iterator/transform_iterator",
          "iterator/transform_output_iterator", "iterator/zip_iterator", "logical", "memory", "merge", "mismatch", "pair",
          "partition", "random", "reduce", "remove", "replace", "reverse", "scan", "scatter", "sequence", "set_operations",
          "shuffle", "sort", "swap", "tabulate", "transform", "transform_reduce", "transform_scan", "tuple",
          "uninitialized_copy", "uninitialized_fill", "unique", "zip_function")
SORT = "__global__ void k(int *p) { thrust::sort(thrust::seq, p, p + 9); p[0] = std::max(p[1], p[2]); }\n"
CUB = """#include <cub/cub.cuh>
extern "C" __global__ void k(int *p)
{
    using Load = cub::BlockLoad<int, 128, 4, cub::BLOCK_LOAD_TRANSPOSE>;
    using Sort = cub::BlockRadixSort<int, 128, 4>;
    using Sum = cub::WarpReduce<int>;
    __shared__ union { Load::TempStorage load; Sort::TempStorage sort; Sum::TempStorage sum; } shared;
    int items[4];
    Load(shared.load).Load(p, items);
    __syncthreads();
    Sort(shared.sort).Sort(items);
    __syncthreads();
    p[threadIdx.x] = Sum(shared.sum).Sum(items[0]);
}
"""

DIALECT = """
#define SWAP(a, b) { __typeof__(a) t = a; a = b; b = t; }
__extension__ typedef unsigned long long wide;
namespace own { enum { FP_NAN, FP_INFINITE, FP_ZERO, FP_SUBNORMAL, FP_NORMAL }; }
static_assert(own::FP_ZERO == 2 && FP_NORMAL == 4, "");
static_assert(__builtin_popcount(7) == 3 && __builtin_clz(1) == 31 && __builtin_ctzll(8) == 3 && __builtin_ffs(8) == 4, "");
static_assert(__builtin_clzl(1) == 63 && __builtin_parityll(7) == 1 && __builtin_offsetof(int4, y) == 4, "");
__global__ void k(int32_t *p, std::enable_if_t<std::is_same<int, int>::value, float> *f, cudaStreamCallback_t c)
{
    cudaGridDependencySynchronize();
    SWAP(p[1], p[2]);
    __builtin_memcpy(p, p + 2, 4);
    p[3] = __builtin_popcount(p[0]) + __builtin_clz(p[0]) + __builtin_ffs(p[0]) + __builtin_bswap32(p[0]) + sizeof(wide);
    f[0] = __builtin_sqrtf(f[1]) + __builtin_inff() + __builtin_fmaxf(f[2], f[3]);
    __asm__ __volatile__("membar.gl;" ::: "memory");
    cudaTriggerProgrammaticLaunchCompletion();
}
"""


def headers(dialect):
    return sorted(path.name for path in STANDARD.iterdir()
                  if path.is_file() and FIRST_DIALECT.get(path.name, 0) <= dialect)


def includes(names):
    return "".join(f"#include <{name}>\n" for name in names)


def has_header(name):
    return any(True for _ in pathlib.Path(TOOLKIT).rglob(f"include/{name}")) or any(
        True for _ in pathlib.Path(TOOLKIT).rglob(f"include/cccl/{name}"))


def compile_source(text, dialect, *options):
    """What the command prints: nothing, if all is well."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "source.cu"
        source.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [COMMAND, "compile", source, "-o", f"{source}.cubinet", "--toolkit", TOOLKIT, "--arch", "90-virtual",
             f"-std=c++{dialect}", *options],
            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, check=False)
    return done.stdout if done.stdout or done.returncode == 0 else f"exit status {done.returncode}"


class Compile(unittest.TestCase):
    def expect_silence(self, cases):
        """cases: name, text, dialect"""
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            printed = list(pool.map(lambda case: compile_source(case[1], case[2]), cases))
        self.assertEqual([(case[0], case[2], text) for case, text in zip(cases, printed) if text], [])

    def test_each_alone(self):
        self.expect_silence([(name, includes([name]) + USERS_OWN, FIRST_DIALECT.get(name, 14)) for name in headers(20)])

    def test_all_together(self):
        self.expect_silence([("all", includes(headers(dialect)) + USERS_OWN, dialect) for dialect in DIALECTS])

    def test_with_cudas_own(self):
        self.assertTrue(has_header("cuda_fp16.h"))
        cudas = includes([name for name in CUDAS if has_header(name)])
        standard = includes(headers(17))
        self.expect_silence([("CUDA's last", standard + cudas + KERNEL, 17), ("CUDA's first", cudas + standard + KERNEL, 17)])

    @unittest.skipUnless(has_header("cub/cub.cuh"), "no CUB")
    def test_all_of_cub_for_device_code(self):
        self.expect_silence([("CUB", CUB, dialect) for dialect in (17, 20)])

    @unittest.skipUnless(has_header("cub/device/dispatch/kernels/radix_sort.cuh"), "no kernels of CUB by themselves")
    def test_kernels_of_cub_by_their_names(self):
        hub = "cub::detail::reduce::policy_hub<float, int, cuda::std::plus<float>>::Policy1000"
        kernels = ["cub::detail::EmptyKernel<void>",
                   f"cub::detail::reduce::DeviceReduceSingleTileKernel<{hub}, float *, float *, int, cuda::std::plus<float>, "
                   "float, float, cuda::std::identity>"]
        options = [word for kernel in kernels for word in ("--kernel", kernel)]
        self.assertEqual(compile_source("#include <cub/device/device_reduce.cuh>\n", 17, *options), "")

    @unittest.skipUnless(has_header("thrust/sort.h"), "no Thrust")
    def test_thrust(self):
        thrust = includes([f"thrust/{name}.h" for name in THRUST])
        standard = includes(headers(17))
        self.expect_silence([("Thrust's last", standard + thrust + SORT, 17), ("Thrust's first", thrust + standard + SORT, 17),
                             ("in C++20", thrust + SORT.replace("std::max", "thrust::max"), 20)])

    @unittest.skipUnless(has_header("thrust/complex.h"), "no Thrust")
    def test_thrusts_version_first(self):
        self.expect_silence([("version", "#include <thrust/version.h>\n" + includes(["thrust/sort.h"]) + SORT, 17)])

    @unittest.skipUnless(has_header("thrust/sort.h"), "no Thrust")
    def test_thrusts_streams_are_not_the_sources(self):
        text = "#include <thrust/complex.h>\n#include <sstream>\n"
        self.assertIn('source.cu:2:19: fatal error: cannot open source file "sstream"',
                      compile_source(text, 17, "--std-headers=strict"))

    @unittest.skipUnless(has_header("thrust/complex.h"), "no Thrust")
    def test_host_types_with_cudas_own(self):
        hosts = includes(["stdexcept", "iostream", "sstream", "fstream", "memory", "thread", "cublas_v2.h", "thrust/device_vector.h",
                          "cub/device/device_reduce.cuh"])
        cudas = includes(["thrust/complex.h", "thrust/sort.h", "cub/cub.cuh", "cuda/std/tuple", "cuda/barrier"])
        use = "struct E : std::runtime_error {}; struct S { std::ofstream o; std::ostringstream t; thrust::device_vector<int> v; };\n" + KERNEL
        self.expect_silence([("CUDA's last", hosts + cudas + use, 17), ("CUDA's first", cudas + hosts + use, 17)])

    def test_gccs_dialect_and_names_without_an_include(self):
        self.assertEqual(compile_source(DIALECT, 17), "")

    def test_libcudacxx_in_cxx20(self):
        for text in (includes(headers(20)) + includes(["cuda/std/optional"]), includes(["cuda/std/optional"]) + includes(headers(20))):
            self.assertEqual(compile_source(text + KERNEL, 20), "")

    def test_users_header_comes_first(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "vector").write_text("#define OWN 1\n", encoding="utf-8")
            (pathlib.Path(folder) / "cstdint").write_text("#define OWN_TOO 1\n", encoding="utf-8")
            text = "#include <vector>\n#include <cstdint>\n#if !OWN || !OWN_TOO\n#error not mine\n#endif\n" + USERS_OWN
            self.assertEqual(compile_source(text, 17, "-I", folder), "")
            self.assertEqual(compile_source(text, 17, "-I", folder, "--std-headers=strict"), "")


if __name__ == "__main__":
    unittest.main()

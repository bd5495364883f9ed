# SPDX-License-Identifier: Apache-2.0
"""Kernels of CUTLASS's DSL, as objects and as what the DSL keeps: usage cute_kernels.py FOLDER"""
import os
import sys

os.environ.update(CUTE_DSL_ARCH="sm_90a", CUTE_DSL_KEEP_IR="1")
os.makedirs(sys.argv[1], exist_ok=True)
os.chdir(sys.argv[1])  # where the DSL writes

import cuda.bindings.driver as cuda  # noqa: E402
import cutlass  # noqa: E402
import cutlass.cute as cute  # noqa: E402
import cutlass.memory  # noqa: E402
from cutlass.cute.runtime import make_fake_compact_tensor, make_fake_stream  # noqa: E402


@cute.kernel
def add_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, n: cutlass.Int32):
    tid, _, _ = cute.arch.thread_idx()
    bid, _, _ = cute.arch.block_idx()
    dim, _, _ = cute.arch.block_dim()
    i = bid * dim + tid
    if i < n:
        c[i] = a[i] + b[i]


@cute.jit
def add(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor, n: cutlass.Int32, stream: cuda.CUstream):
    add_kernel(a, b, c, n).launch(grid=[(n + 255) // 256, 1, 1], block=[256, 1, 1], stream=stream)


@cute.kernel
def reverse_kernel(a: cute.Tensor, c: cute.Tensor):
    tid, _, _ = cute.arch.thread_idx()
    bid, _, _ = cute.arch.block_idx()
    memory = cutlass.memory.SmemAllocator()
    ones = memory.allocate_tensor(cutlass.Int8, cute.make_layout(100), 16)
    values = memory.allocate_tensor(cutlass.Float32, cute.make_layout(128), 1024)
    ones[tid % 100] = cutlass.Int8(1)
    values[tid] = a[bid * 128 + tid]
    cute.arch.sync_threads()
    c[bid * 128 + tid] = values[127 - tid] + cutlass.Float32(ones[(tid + 1) % 100])


@cute.jit
def reverse(a: cute.Tensor, c: cute.Tensor, stream: cuda.CUstream):
    reverse_kernel(a, c).launch(grid=[cute.size(a) // 128, 1, 1], block=[128, 1, 1], stream=stream)


def export(function, *arguments):
    compiled = cute.compile(function, *arguments, make_fake_stream(), options="--keep-cubin --keep-ptx")
    os.makedirs("objects", exist_ok=True)
    name = function.__name__
    compiled.export_to_c(file_path="objects", file_name=name, function_prefix=name)


if __name__ == "__main__":
    n = cute.sym_int()
    x, y, z = (make_fake_compact_tensor(cutlass.Float32, (n,)) for _ in range(3))
    export(add, x, y, z, cutlass.Int32(0))
    export(reverse, x, y)

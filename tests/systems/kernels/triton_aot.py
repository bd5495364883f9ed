# SPDX-License-Identifier: Apache-2.0
"""Triton's ahead-of-time compiler on a machine without a GPU: usage triton_aot.py FOLDER"""
import pathlib
import sys

import triton
from triton.backends.nvidia import driver as nvidia
from triton.tools import compile as ahead

GPU_TARGET = triton.backends.compiler.GPUTarget


class Driver:
    """What the compiler asks a driver for, beyond a GPU."""

    def get_current_target(self):
        return GPU_TARGET("cuda", 90, 32)

    def map_python_to_cpp_type(self, name):
        return nvidia.ty_to_cpp(name)


def compile_kernel(folder, name, signature, grid):
    sys.argv = ["compile", str(pathlib.Path(__file__).with_name("triton_kernels.py")), "-n", name, "-t", "cuda:90:32", "-w", "4",
                "-s", signature, "-g", grid, "-o", str(folder / name)]  # fmt: skip
    ahead.main()


if __name__ == "__main__":
    triton.runtime.driver.set_active(Driver())
    # --target gives text where numbers are compared.
    triton.backends.compiler.GPUTarget = lambda backend, arch, size: GPU_TARGET(backend, int(arch), int(size))
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    compile_kernel(out, "add_kernel", "*fp32:16, *fp32:16, *fp32:16, i32, 1024", "(n+1023)/1024, 1, 1")
    compile_kernel(out, "matmul", "*fp16:16, *fp16:16, *fp32:16, i32:16, 64", "1, 1, 1")

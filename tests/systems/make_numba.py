#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills numba-cuda's cache as @cuda.jit(cache=True) does, without a GPU, and compiles a device function: usage
make_numba.py FOLDER. What is patched is which GPU is there, and nothing of what is compiled or written."""
import os
import pathlib
import shutil
import sys

folder = pathlib.Path(sys.argv[1]).resolve()
folder.mkdir(parents=True, exist_ok=True)
shutil.copy(pathlib.Path(__file__).with_name("numba_kernels.py"), folder)
os.environ.pop("NUMBA_CACHE_DIR", None)
sys.path.insert(0, str(folder))
import numba_kernels as kernels  # noqa: E402
from numba import cuda, float32, types  # noqa: E402
from numba.cuda import codegen, dispatcher  # noqa: E402


def fill(function, signature, *capabilities):
    for capability in capabilities:
        with_suffix = (*capability, "a" if capability >= (9, 0) else "")
        device = type("Device", (), {"compute_capability": capability, "id": 0})
        dispatcher.get_current_device = lambda device=device: device
        codegen.CUDACodeLibrary._ensure_cc = lambda self, cc, name=with_suffix: name if cc is None else cc
        type(function.targetctx.codegen()).magic_tuple = lambda self, cc=capability: ((13, 0), cc)
        kernel = dispatcher._Kernel(function.py_func, signature, **function.targetoptions)
        kernel._codelibrary.get_cubin()
        function._cache.save_overload(signature, kernel)


def mulmod(a, b):
    return a * b + float32(0.5) * a


vector, doubles = types.float32[::1], types.float64[::1]
fill(kernels.saxpy, (types.float32, vector, vector), (8, 0), (9, 0))
fill(kernels.saxpy, (types.float64, doubles, doubles), (9, 0))
fill(kernels.transpose, (types.Array(types.float32, 2, "A"), types.Array(types.float32, 2, "C")), (8, 0), (9, 0))
fill(kernels.block_sum, (vector, vector, types.boolean, types.complex64), (8, 0), (9, 0))
code, _ = cuda.compile(mulmod, float32(float32, float32), device=True, abi="c", cc=(8, 0), output="ltoir",
                       abi_info={"abi_name": "mulmod"})  # fmt: skip
(folder / "mulmod.ltoir").write_bytes(code)

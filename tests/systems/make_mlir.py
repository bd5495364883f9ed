#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fills numba-cuda-mlir's cache as @cuda.jit(cache=True) does, without a GPU: usage make_mlir.py FOLDER."""
import pathlib
import shutil
import sys

folder = pathlib.Path(sys.argv[1]).resolve()
folder.mkdir(parents=True, exist_ok=True)
shutil.copy(pathlib.Path(__file__).with_name("mlir_kernels.py"), folder)
sys.path.insert(0, str(folder))
import mlir_kernels as kernels  # noqa: E402
from numba_cuda_mlir import tools  # noqa: E402
from numba_cuda_mlir.numba_cuda import types  # noqa: E402

tools.get_gpu_compute_capability = lambda kind=None: (9, 0) if kind is tuple else "90"
kernels.saxpy.compile((types.float32, types.float32[::1], types.float32[::1]))

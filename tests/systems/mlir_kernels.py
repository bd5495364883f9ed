# SPDX-License-Identifier: Apache-2.0
"""A kernel whose cache numba-cuda-mlir keeps."""

from numba_cuda_mlir import cuda


@cuda.jit(cache=True)
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]

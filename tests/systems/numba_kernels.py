# SPDX-License-Identifier: Apache-2.0
"""Kernels whose cache numba-cuda keeps: scalars and arrays, two dimensions, dynamic shared memory and a complex number."""

from numba import cuda, float32

@cuda.jit(cache=True)
def saxpy(a, x, y):
    i = cuda.grid(1)
    if i < x.size:
        y[i] += a * x[i]

@cuda.jit(cache=True)
def transpose(out, src):
    tile = cuda.shared.array((16, 17), float32)
    x, y = cuda.grid(2)
    tx, ty = cuda.threadIdx.x, cuda.threadIdx.y
    if x < src.shape[1] and y < src.shape[0]:
        tile[ty, tx] = src[y, x]
    cuda.syncthreads()
    if x < src.shape[1] and y < src.shape[0]:
        out[x, y] = tile[ty, tx]

@cuda.jit(cache=True)
def block_sum(src, out, flag, z):
    s = cuda.shared.array(0, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = src[i] if i < src.size else float32(0)
    cuda.syncthreads()
    k = cuda.blockDim.x // 2
    while k > 0:
        if t < k:
            s[t] += s[t + k]
        cuda.syncthreads()
        k //= 2
    if t == 0 and flag:
        out[cuda.blockIdx.x] = s[0] + z.real

# SPDX-License-Identifier: Apache-2.0
"""Kernels of TileLang in its cache, with and without TMA: usage tilelang_kernels.py FOLDER"""
import os
import sys

os.environ["TILELANG_CACHE_DIR"] = os.path.abspath(sys.argv[1])

import tilelang  # noqa: E402
import tilelang.language as T  # noqa: E402


def matmul(M, N, K, BM, BN, BK, dtype="float16", acc="float32"):
    @T.prim_func
    def gemm(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), C: T.Tensor((M, N), acc)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=128) as (bx, by):
            A_s = T.alloc_shared((BM, BK), dtype)
            B_s = T.alloc_shared((BK, BN), dtype)
            C_l = T.alloc_fragment((BM, BN), acc)
            T.clear(C_l)
            for ko in T.Pipelined(T.ceildiv(K, BK), num_stages=3):
                T.copy(A[by * BM, ko * BK], A_s)
                T.copy(B[ko * BK, bx * BN], B_s)
                T.gemm(A_s, B_s, C_l)
            T.copy(C_l, C[by * BM, bx * BN])
    return gemm

n = T.dynamic("n")

@T.prim_func
def add(A: T.Tensor((n,), "float32"), B: T.Tensor((n,), "float32"), C: T.Tensor((n,), "float32")):
    with T.Kernel(T.ceildiv(n, 256), threads=256) as bx:
        for i in T.Parallel(256):
            C[bx * 256 + i] = A[bx * 256 + i] + B[bx * 256 + i]


POINTERS = {"tl.disable_tma_lower": True, "tl.disable_warp_specialized": True}

if __name__ == "__main__":
    target = {"kind": "cuda", "arch": "sm_90a"}
    for function in (matmul(256, 256, 256, 128, 128, 32), add):
        tilelang.compile(function, target=target, execution_backend="tvm_ffi", pass_configs=POINTERS)
    os.environ["TILELANG_CACHE_DIR"] = os.path.abspath(sys.argv[1]) + "_tma"
    tilelang.compile(matmul(256, 256, 256, 128, 128, 32), target=target, execution_backend="tvm_ffi")

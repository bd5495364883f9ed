#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles with cuda.core, and leaves pickles of ObjectCode and a program cache: usage make_core.py FOLDER."""
import pathlib
import pickle
import sys

from cuda.core import Program, ProgramOptions
from cuda.core.utils import FileStreamProgramCache

SOURCE = """
template <class T> __global__ void axpy(T a, const T *x, T *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
namespace tools {
template <int N> __global__ void swap(float *y)
{
    extern __shared__ float s[];
    s[threadIdx.x] = N * y[threadIdx.x];
    __syncthreads();
    y[threadIdx.x] = s[threadIdx.x ^ 1];
}
}
"""
PLAIN = 'extern "C" __global__ void twice(float *x) { x[threadIdx.x] *= 2; }'

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
cache = FileStreamProgramCache(folder / "cache")
codes = []
for arch in ("sm_80", "sm_90"):
    program = Program(SOURCE, "c++", ProgramOptions(arch=arch, std="c++17", name="axpy.cu"))
    codes.append(program.compile("cubin", name_expressions=("axpy<float>", "axpy<double>", "tools::swap<7>")))
    Program(PLAIN, "c++", ProgramOptions(arch=arch)).compile("cubin", cache=cache)
(folder / "axpy.pickle").write_bytes(pickle.dumps(codes))

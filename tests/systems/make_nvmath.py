#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes cuFFTDx's LTO-IR of a transform of 32 complex numbers by 4 threads, and a header with its name: usage
make_nvmath.py FOLDER."""
import pathlib
import sys

import numpy
from nvmath.device import FFT, CodeType, ComputeCapability
from nvmath.device.cufftdx import compile_fft_execute

folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
capability = ComputeCapability(8, 0)
fft = FFT(fft_type="c2c", size=32, precision=numpy.float32, direction="forward", elements_per_thread=8, ffts_per_block=1,
          sm=capability, execution="Block")  # fmt: skip
code, symbol = compile_fft_execute(fft, code_type=CodeType("lto", capability))
assert (fft.block_dim.x, fft.storage_size, fft.stride, fft.shared_memory_size) == (4, 8, 4, 256), "fft.cu knows others"
(folder / "fft.ltoir").write_bytes(code.data)
(folder / "fft.symbol").write_text(symbol)

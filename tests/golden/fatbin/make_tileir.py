#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes tileir.fatbin and tileir_compressed.fatbin from ../tileir, with the nvFatbin of CUDA 13.5, whose path is the
argument: nvcc of CUDA 13.0, which made the others (make.sh), knows no Tile IR."""
import ctypes
import pathlib
import sys

HERE = pathlib.Path(__file__).parent
nvfatbin = ctypes.CDLL(sys.argv[1])


def call(function, *arguments):
    result = getattr(nvfatbin, function)(*arguments)
    if result:
        sys.exit(f"{function}: {result}")


def make(output, version, option):
    code = (HERE.parent / "tileir" / f"scale_{version}.tileirbc").read_bytes()
    handle = ctypes.c_void_p()
    options = (ctypes.c_char_p * 3)(b"-64", b"-host=linux", option)
    size = ctypes.c_size_t()
    call("nvFatbinCreate", ctypes.byref(handle), options, ctypes.c_size_t(3))
    call("nvFatbinAddTileIR", handle, code, ctypes.c_size_t(len(code)), b"scale", b"")
    call("nvFatbinSize", handle, ctypes.byref(size))
    fatbin = ctypes.create_string_buffer(size.value)
    call("nvFatbinGet", handle, fatbin)
    (HERE / output).write_bytes(fatbin.raw)


make("tileir.fatbin", "13.1", b"-compress=false")
make("tileir_compressed.fatbin", "13.3", b"-compress-mode=size")

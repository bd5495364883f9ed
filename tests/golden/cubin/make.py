#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the cubins in this folder from kernels.cu; no GPU is needed.

make.py LIBNVRTC_12_4 LIBNVRTC_12_9 LIBNVRTC_13_0 LIBNVJITLINK_13_0

The paths are those of libnvrtc.so.12 (two), libnvrtc.so.13 and libnvJitLink.so.13, from toolkits or from the wheels
nvidia-cuda-nvrtc-cu12, nvidia-cuda-nvrtc and nvidia-nvjitlink. ptxas's own numbers are printed for comparison
with the expectations in tests/unit/image/test_cubin.c.
"""

import ctypes
import pathlib
import sys

# File, version of NVRTC, architecture, kernels.
CUBINS = [
    ("sm_80_cuda12.4", (12, 4), "sm_80", ["SPILLS"]),
    ("sm_60_cuda12.9", (12, 9), "sm_60", ["EMPTY", "SHAPES", "STACK"]),
    ("sm_90a_cuda12.9", (12, 9), "sm_90a", ["CLUSTERS"]),
    ("sm_100a_cuda12.9", (12, 9), "sm_100a", ["EMPTY"]),
    ("sm_75_cuda13.0", (13, 0), "sm_75", ["EMPTY", "SHAPES", "STACK"]),
    ("sm_80_cuda13.0", (13, 0), "sm_80", ["SPILLS"]),
    ("sm_90_cuda13.0", (13, 0), "sm_90", ["SHAPES"]),
    ("sm_90a_cuda13.0", (13, 0), "sm_90a", ["CLUSTERS"]),
    ("sm_100f_cuda13.0", (13, 0), "sm_100f", ["SHAPES"]),
    ("sm_120_cuda13.0", (13, 0), "sm_120", ["STACK"]),
]

PTX = 2  # nvJitLinkInputType


def check(result, what):
    if result != 0:
        sys.exit(f"{what}: result {result}")


def output(function, handle):
    """The bytes that a pair of functions FUNCTIONSize and FUNCTION gives."""
    size = ctypes.c_size_t()
    library, name, size_name = function
    check(getattr(library, size_name)(handle, ctypes.byref(size)), size_name)
    data = ctypes.create_string_buffer(size.value)
    check(getattr(library, name)(handle, data), name)
    return data.raw


def compile_program(nvrtc, source, options, kind):
    program = ctypes.c_void_p()
    check(nvrtc.nvrtcCreateProgram(ctypes.byref(program), source, b"kernels.cu", 0, None, None), "create")
    array = (ctypes.c_char_p * len(options))(*[option.encode() for option in options])
    result = nvrtc.nvrtcCompileProgram(program, len(options), array)
    log = output((nvrtc, "nvrtcGetProgramLog", "nvrtcGetProgramLogSize"), program)
    print(log.rstrip(b"\0").decode())
    check(result, "compile")
    return output((nvrtc, f"nvrtcGet{kind}", f"nvrtcGet{kind}Size"), program)


def assemble(nvjitlink, ptx, arch):
    options = (ctypes.c_char_p * 1)(f"-arch={arch}".encode())
    handle = ctypes.c_void_p()
    check(nvjitlink.nvJitLinkCreate(ctypes.byref(handle), 1, options), "create")
    check(nvjitlink.nvJitLinkAddData(handle, PTX, ptx, ctypes.c_size_t(len(ptx)), b"kernels.ptx"), "add")
    check(nvjitlink.nvJitLinkComplete(handle), "complete")
    return output((nvjitlink, "nvJitLinkGetLinkedCubin", "nvJitLinkGetLinkedCubinSize"), handle)


def load_nvrtc(path):
    library = ctypes.CDLL(path)
    major, minor = ctypes.c_int(), ctypes.c_int()
    check(library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)), "version")
    return (major.value, minor.value), library


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    folder = pathlib.Path(__file__).parent
    source = (folder / "kernels.cu").read_bytes()
    nvrtc = dict(load_nvrtc(path) for path in sys.argv[1:4])
    for name, version, arch, kernels in CUBINS:
        print(f"== {name}")
        options = [f"-arch={arch}", "--ptxas-options=-v"] + [f"-D{kernel}" for kernel in kernels]
        cubin = compile_program(nvrtc[version], source, options, "CUBIN")
        (folder / f"{name}.cubin").write_bytes(cubin)
    ptx = compile_program(nvrtc[13, 0], source, ["-arch=compute_90", "-DSTACK"], "PTX")
    cubin = assemble(ctypes.CDLL(sys.argv[4]), ptx.rstrip(b"\0"), "sm_90")
    (folder / "sm_90_nvjitlink13.0.cubin").write_bytes(cubin)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Links what nvcc makes to be linked, as its users have it: objects, fatbins and libraries with LTO-IR, machine code, PTX
or several of them, in every combination. Skipped (77) without nvcc.

    nvcc_lto.py CUBINET [TOOLKIT]
"""

import itertools
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
SOURCES = {
    "apply": 'extern "C" __device__ float op(float x);\n'
             'extern "C" __global__ void apply(float *values) { values[0] = op(values[0]); }\n',
    "op": 'extern "C" __device__ float op(float x) { return 2 * x; }\n',
}
CODES = ["lto_80", "sm_80", "[lto_80,sm_80]", "[lto_80,compute_80]"]


def find_nvcc(toolkit):
    nvcc = pathlib.Path(toolkit, "bin", "nvcc") if toolkit else None
    return str(nvcc) if nvcc and nvcc.exists() else shutil.which("nvcc")


def make_inputs(nvcc, folder):
    """The forms of each source, by its name and its code."""
    inputs = {}
    for (name, text), (number, code) in itertools.product(SOURCES.items(), enumerate(CODES)):
        source, stem = folder / f"{name}.cu", folder / f"{name}_{number}"
        source.write_text(text)
        compile_it = [nvcc, "-dc", "-gencode", f"arch=compute_80,code={code}", str(source)]
        subprocess.run([*compile_it, "-o", f"{stem}.o"], check=True)
        subprocess.run([*compile_it, "-fatbin", "-o", f"{stem}.fatbin"], check=True)
        subprocess.run([nvcc, "-lib", f"{stem}.o", "-o", f"{stem}.a"], check=True)
        inputs[name, code] = [f"{stem}.o", f"{stem}.fatbin", f"{stem}.a"]
    return inputs


def link(command, toolkit, pieces, output):
    arguments = [command, "link", *pieces, "-o", output, "--arch", "80-real,86-real"]
    done = subprocess.run(arguments + (["--toolkit", toolkit] if toolkit else []), capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.strip()


def combinations(inputs):
    """Every code with every code, the kernel's object with each form of the function."""
    for kernel_code, op_code in itertools.product(CODES, CODES):
        for op in inputs["op", op_code]:
            yield kernel_code, op_code, [inputs["apply", kernel_code][0], op]


def main():
    command, toolkit = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    nvcc = find_nvcc(toolkit)
    if not nvcc:
        print("skipped: it needs nvcc")
        return SKIPPED
    failed = 0
    count = 0
    with tempfile.TemporaryDirectory(prefix="cubinet-") as name:
        folder = pathlib.Path(name)
        for kernel_code, op_code, pieces in combinations(make_inputs(nvcc, folder)):
            status, message = link(command, toolkit, pieces, str(folder / "linked.cubinet"))
            count += 1
            if status:
                failed += 1
                print(f"{kernel_code} with {op_code} in {pathlib.Path(pieces[1]).suffix}: {message}")
    print(f"{count} links, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

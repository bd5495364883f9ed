#!/usr/bin/env python3
"""Writes expected.json: the kernels that nvcc makes of each source here, with their parameters and registers.

Run it where nvcc is: expect.py --cubinet build/release/packager/cubinet [--nvcc nvcc] [FILE.cu …]

A source says what it needs in comments among its first lines:
  // options: ARGUMENT …     options for nvcc and for cubinet (default: -std=c++17)
  // optional: REGEX REASON  kernels that may be missing, found by their mangled names
A source with a main checks its results and exits with 0 if they are right: "runs".
"""

import argparse
import json
import pathlib
import re
import shlex
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MAIN = r"\bmain\s*\(|\bmain\n|\bMAIN\b|\bRUN_ALL_TESTS\b|\bGLUE\(ma, in\)"


def directives(source, word):
    head = source.read_text().splitlines()[:6]
    return [line.split(":", 1)[1].strip() for line in head if line.startswith(f"// {word}:")]


def options_of(source):
    options = [word for line in directives(source, "options") for word in shlex.split(line)]
    return options if any(word.startswith("-std=") for word in options) else ["-std=c++17", *options]


def has_main(source):
    return bool(re.search(MAIN, re.sub(r"//.*", "", source.read_text())))


def demangled(names):
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    return dict(zip(names, text.splitlines()))


def kernels_of(cubinet, archive):
    """The kernels of an archive's sm_90 image, in the order of their names."""
    text = subprocess.run([cubinet, "inspect", "--json", archive], capture_output=True, text=True, check=True).stdout
    image = next(i for i in json.loads(text)["modules"][0]["images"] if i["target"] == "sm_90")
    return sorted(({"name": k["kernel"], "params": [p["size"] for p in k["params"]], "registers": k["registers"],
                    "shared": k["static_shared_bytes"]} for k in image["kernels"]), key=lambda k: k["name"])


def expectation(source, nvcc, cubinet, folder):
    cubin, archive = folder / "expected.cubin", folder / "expected.cubinet"
    options = options_of(source)
    subprocess.run([nvcc, "-cubin", "-arch=sm_90", f"-I{HERE / 'include'}", *options, str(source), "-o", cubin], check=True,
                   stderr=subprocess.DEVNULL)
    subprocess.run([cubinet, "pack", cubin, "-o", archive], check=True)
    kernels = kernels_of(cubinet, archive)
    readable = demangled([k["name"] for k in kernels])
    for kernel in kernels:
        kernel["expression"] = readable[kernel["name"]]
        for line in directives(source, "optional"):
            pattern, reason = line.split(" ", 1)
            if re.search(pattern, kernel["name"]):
                kernel["optional"] = reason
    return {"options": options, "runs": has_main(source), "kernels": kernels}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--cubinet", required=True, type=pathlib.Path)
    parser.add_argument("files", nargs="*", help="sources to look at again (default: all)")
    arguments = parser.parse_args()
    written = HERE / "expected.json"
    expected = json.loads(written.read_text()) if arguments.files else {"files": {}}
    version = subprocess.run([arguments.nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    expected["nvcc"] = re.search(r"V([0-9.]+)", version).group(1)
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted(HERE.glob("*.cu")):
            if not arguments.files or source.name in arguments.files:
                print(source.name, flush=True)
                expected["files"][source.name] = expectation(source, arguments.nvcc, arguments.cubinet.resolve(),
                                                             pathlib.Path(folder))
    expected["files"] = dict(sorted(expected["files"].items()))
    written.write_text(json.dumps(expected, indent=1) + "\n")


if __name__ == "__main__":
    main()

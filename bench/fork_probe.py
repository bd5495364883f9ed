#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CPU seconds of the corpus over CCCL with headers parsed once, by a fork and precompiled; read
docs/internals/shared-prefix.md.

    fork_probe.py BUILD DIR [--rounds N] [--arch 80]

PTX for one virtual architecture, made in alternation by four contenders:
    alone     a process for each source, which calls NVRTC and parses what the source includes
    included  the same with the headers that two or more sources include before each source
    pch       `cubinet compile --pch`, of the same headers
    fork      one process that parses them, and a fork of it for each source
Prints a table of medians, and whether the PTX of `included` and `fork` is the same but for the unit's name."""
import argparse
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "builds"))
import contenders  # noqa: E402
import measure  # noqa: E402

TOOLKIT = pathlib.Path(os.environ.get("CUDAToolkit_ROOT", "/usr/local/cuda"))
UNIT = re.compile(r"\d+_(?:INTERNAL_|GLOBAL__N_)_?0{8}_\d+_\w+?_cu_(?:[0-9a-f]{8}(?:_\d+)?|_Z3mixy)")


def sources(modules):
    words = []
    for module in modules:
        words.append(module["source"])
        for name in module["expressions"]:
            words += ["--kernel", name]
    return words


def options(arch):
    folders = [TOOLKIT / "include", TOOLKIT / "include/cccl"]
    return [f"-arch=compute_{arch}", "-std=c++17", "-device-int128", "-D_CCCL_META_UNROLL_LIMIT=10", "-no-cache",
            "-frandom-seed=probe", *(f"-I{folder}" for folder in folders)]


def run_probe(arguments, mode, folder, headers, modules):
    """CPU seconds by name."""
    folder.mkdir(parents=True, exist_ok=True)
    library = TOOLKIT / "lib/libnvrtc.so"
    command = [str(arguments.build / "bench/bench_fork_probe"), mode, str(library), str(folder),
               *options(arguments.arch), *(f"-include={header}" for header in headers), "--", *sources(modules)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    rows = [json.loads(line) for line in told.splitlines()]
    return {pathlib.Path(row["name"]).stem: row["user"] + row["system"] for row in rows}


def run_pch(arguments, folder, headers, modules):
    folder.mkdir(parents=True, exist_ok=True)
    cubinet = str(arguments.build / "packager/cubinet")
    target = ["--gencode", f"arch=compute_{arguments.arch},code=compute_{arguments.arch}"]
    environment = contenders.clean_environment()
    for made in folder.iterdir():
        made.unlink()
    file = str(folder / "headers.pch")
    used = {"prefix": measure.timed([cubinet, "pch", *(f"<{header}>" for header in headers), "-o", file, *target],
                                    environment)[1]}
    includes = [word for header in headers for word in ("-include", header)]
    for module in modules:
        kernels = [word for name in module["expressions"] for word in ("--kernel", name)]
        command = [cubinet, "compile", module["source"], "-o", str(folder / f"{module['module']}.o"), *target,
                   *includes, "--pch", file, *kernels]
        used[module["module"]] = measure.timed(command, environment)[1]
    return used


def show(samples, modules):
    names = list(samples[0])
    medians = {name: {key: statistics.median(sample[name][key] for sample in samples) for key in samples[0][name]}
               for name in names}
    print("| | " + " | ".join(names) + " |\n| --- |" + " ---: |" * len(names))
    for row in ["prefix", *(module["module"] for module in modules)]:
        cells = [f"{medians[name][row]:.2f}" if row in medians[name] else "" for name in names]
        print(f"| `{row}` | " + " | ".join(cells) + " |")
    print("| all | " + " | ".join(f"{sum(medians[name].values()):.2f}" for name in names) + " |")


def compare(folder, modules):
    for module in modules:
        texts = [(folder / mode / f"{module['module']}.ptx").read_text() for mode in ("included", "fork")]
        if UNIT.sub("unit", texts[0]) != UNIT.sub("unit", texts[1]):
            print(f"{module['module']}: the PTX differs")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--arch", default="80")
    arguments = parser.parse_args()
    modules = contenders.modules("headers")
    headers = [header.strip("<>") for header in contenders.included("headers")]
    samples = []
    for _ in range(arguments.rounds):
        samples.append({
            "alone": run_probe(arguments, "separate", arguments.folder / "alone", [], modules),
            "included": run_probe(arguments, "separate", arguments.folder / "included", headers, modules),
            "pch": run_pch(arguments, arguments.folder / "pch", headers, modules),
            "fork": run_probe(arguments, "fork", arguments.folder / "fork", headers, modules),
        })
    show(samples, modules)
    compare(arguments.folder, modules)


if __name__ == "__main__":
    main()

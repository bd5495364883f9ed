#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every call that can fail does so in turn, in every subcommand: `command_faults.py CASES FAULTS COMMAND MAKE_ARCHIVE
GOLDEN INPUTS SIMDRIVER COMPILER`.

CASES is a list of commands below, FAULTS is command_faults.c's program, COMMAND `cubinet`, MAKE_ARCHIVE that of
tests/cli, GOLDEN the folder of golden files, INPUTS that of tests/cli's, SIMDRIVER the simulated driver, and COMPILER a
compiler of C.
"""

import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77  # the exit status that CTest takes for "skipped"
WORKERS = 2

SOURCE = """
extern "C" __global__ void scale(float *x, float factor) { x[threadIdx.x] *= factor; }
__device__ float coefficient;
template <class T, int N> __global__ void sum(T *x) {
    __shared__ T part[N];
    part[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[0] = part[N - 1] + coefficient;
}
template __global__ void sum<float, 64>(float *);
"""
PIECE = "__device__ float twice(float x) { return 2 * x; }\n"
CALLER = """
__device__ float twice(float x);
extern "C" __global__ void apply(float *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
"""

# Commands that work with archives that are there.
ARCHIVES = [
    "list a.cubinet",
    "list all.cubinet --json",
    "inspect all.cubinet",
    "inspect a.cubinet --json",
    "inspect a.cubinet --sbom",
    "inspect a.cubinet --sbom=cyclonedx",
    "verify all.cubinet",
    "verify a.cubinet --json",
    "verify signed.cubinet --public-key plain.pub",
    "explain a.cubinet --device 8.0",
    "explain a.cubinet --device 8.0 --json",
    "requirements all.cubinet",
    "--most 200 requirements all.cubinet --json",
    "occupancy a.cubinet --device 8.0 --svg o.svg",
    "--most 200 occupancy a.cubinet --device 8.0 --json",
    "diff a.cubinet b.cubinet",
    "diff a.cubinet b.cubinet --json",
    "--most 200 diff a.cubinet b.cubinet --html o.html",
    "--most 200 report a.cubinet -o o.html",
    "header a.cubinet -o o.h",
    "extract a.cubinet shapes sm_80 -o o.cubin",
    "export a.cubinet shapes --fatbin -o o.fatbin",
    "pack a.cubinet c.cubinet -o o.cubinet --archive-version 1.2",
    "pack a.cubinet c.cubinet -o o.cubinet --compress zstd:3 -t 1",
    "pack program.fatbin -o o.cubinet",
    "--most 100 pack numba -o o.cubinet",
    "--most 100 pack xla -o o.cubinet",
    "slice all.cubinet --device 8.0 -o o.cubinet",
    "remove all.cubinet shapes -o o.cubinet",
    "replace all.cubinet a.cubinet -o o.cubinet",
    "sign a.cubinet --key plain.key",
    "--random keygen -W -o made",
    "--memory-only which . shapes", # archives that cannot be read are left out, with a warning
    "--memory-only --fails which a.cubinet:missing shape",
    "--loaded-only ninja k.cu -o x.cubinet --file o.ninja",
    "help list",
    "help --man compile",
    "--most 20 help --completions zsh",
    "@arguments",
    "--most 150 inspect tuned.cubinet",
    "--most 150 inspect tuned.cubinet --json",
    "--most 150 explain tuned.cubinet --device h100",
    "--most 150 explain tuned.cubinet --device h100 --json",
    "--most 150 diff tuned.cubinet untuned.cubinet",
    "--most 150 report tuned.cubinet -o o.html",
    "--most 300 pack untuned.cubinet --tuning tuning.json -o o.cubinet",
    "--most 300 replace tuned.cubinet untuned.cubinet -o o.cubinet",
    "slim fatbins.so --arch 8.0 -o o.so",
    "slim fatbins.so --arch 9.0 --cut --json -o o.so",
    "--most 100 slim fatbins.so --dry-run",
    "--most 100 slim fatbins.so --arch 8.0 --dry-run --json",
]

# Commands that measure, on the simulated driver. Tuning runs the driver in a child process, where a fault fails a
# measurement.
TUNE = [
    "--loaded-only --most 300 tune tune.cubinet tune.json -o o.cubinet --export o.json",
    "--loaded-only --random --most 100 tune tune.cubinet tune.json -o o.cubinet --json",
    "--loaded-only --most 100 tune made.cubinet tune.json --check --json",
]

# Commands that work with a cache that is there; "cache" is its folder. Counters that can't be read count from zero.
CACHE = [
    "--memory-only cache stats --dir cache",
    "--memory-only cache stats --dir cache --json",
    "cache verify --dir cache",
    "cache trim --dir cache",
    "cache clear --dir cache",
    "--loaded-only --most 12 compile k.cu -o o.cubinet --arch 80-virtual --cache cache -MD -MF o.d",
    "--loaded-only --most 100 cache why k.cu --arch 80-virtual --cache cache",
    "--loaded-only --most 100 cache why k.cu --arch 75-virtual --cache cache",
    "--loaded-only --most 100 cache why h.h --arch 80-virtual --cache cache",
]

# Commands that run the compiler, which take long: some of the faults, and some of those inside of NVIDIA's libraries.
COMPILE = [
    "--loaded-only --most 10 compile k.cu -o o.cubinet --arch 80 --no-cache -MD -MF o.d",
    "--loaded-only --most 10 compile k.cu -o o.cubinet --arch 80-virtual --cache cache --provenance sources",
    "--most 10 compile k.cu -o o.cubinet --arch 80 --no-cache",
    "--loaded-only --random --most 10 compile k.cu -o o.cubinet --arch 80-virtual --no-cache --json",
    "--loaded-only --most 4 --random pch h.h -o o.pch --arch 80",
    "--loaded-only --most 10 build k.cu -o o.cubinet --arch 80",
    "--most 100 profile trace",
    "--most 100 profile trace --json",
]
LINK = [
    "--loaded-only --most 15 link caller.cubinet piece.cubinet -o o.cubinet --arch 80",
    "--most 15 link caller.cubinet piece.cubinet -o o.cubinet --arch 80",
    "--loaded-only --most 30 link @pieces -o o.cubinet --arch 80 -MD -MF o.d",
]
CASES = {"archives": ARCHIVES, "tune": TUNE, "cache": CACHE, "compile": COMPILE, "link": LINK}


def cubinet(folder, *arguments, **environment):
    done = subprocess.run([COMMAND, *arguments], cwd=folder, check=False, capture_output=True,
                          env={**ENVIRONMENT, **environment})  # fmt: skip
    return done.returncode == 0


def prepare_tuned(folder):
    """An archive with tuning records, the records, and the archive without them."""
    shutil.copy(GOLDEN / "archive" / "format_1.6.cubinet", folder / "tuned.cubinet")
    described = subprocess.run([COMMAND, "inspect", "tuned.cubinet", "--json"], cwd=folder, check=True, capture_output=True)
    (folder / "tuning.json").write_bytes(described.stdout)
    for target in ("saxpy", "other"):
        subprocess.run([COMMAND, "extract", "tuned.cubinet", target, "compute_80", "-o", f"{target}.ptx"], cwd=folder, check=True)
    subprocess.run([COMMAND, "pack", "saxpy.ptx", "other.ptx", "-o", "untuned.cubinet"], cwd=folder, check=True)


def prepare_systems(folder):
    """What numba and XLA leave."""
    images = {
        "numba": [GOLDEN / "cubin" / f"sm_{arch}_cuda13.0.cubin" for arch in (80, 90)],
        "xla": [INPUTS / "parts" / f"{name}.ptx" for name in ("add", "scan")],
    }
    for system, files in images.items():
        subprocess.run([sys.executable, INPUTS / "systems.py", system, folder / system, *files], cwd=folder, check=True)


def prepare_slim(folder):
    """A library with fatbins of both ways to compress them, and with zeros that --cut cuts out."""
    cubins = GOLDEN / "cubin"
    text = ['.section .nv_fatbin, "a"']
    for name, files in (("lz4", ["sm_80_cuda12.4"]), ("zstd", ["sm_80_cuda13.0", "sm_90_cuda13.0"])):
        arguments = [cubins / f"{file}.cubin" for file in files]
        subprocess.run([MAKE_ARCHIVE, f"{name}.cubinet", "m", *arguments], cwd=folder, check=True)
        subprocess.run([COMMAND, "export", f"{name}.cubinet", "m", "--fatbin", "--plain", "-o", f"{name}.fatbin"], cwd=folder, check=True)
        text.append(f'.balign 8\n.incbin "{name}.fatbin"\n.zero 32768')
    library = ["-shared", "-nostdlib", "-x", "assembler", "-", "-o", "fatbins.so"]
    subprocess.run([COMPILER, *library], cwd=folder, check=True, input="\n".join(text) + "\n", text=True)


def prepare_tune(folder):
    """An archive, a description with few measurements, and the archive with a tuning record."""
    description = json.loads((INPUTS / "tune.json").read_text())
    description["sets"][0].update(extents=[1000], candidates={"block": [64, 128]}, restrictions=["threads <= 1024"])
    (folder / "tune.json").write_text(json.dumps(description))
    subprocess.run([MAKE_ARCHIVE, "tune.cubinet", "m", INPUTS / "tune.ptx"], cwd=folder, check=True)
    ENVIRONMENT.update(CUBINET_LIBCUDA=SIMDRIVER, SIMCUDA_TIMES="best=128;block=0.5", SOURCE_DATE_EPOCH="1764201600")
    subprocess.run([COMMAND, "tune", "tune.cubinet", "tune.json", "-o", "made.cubinet"],
                   cwd=folder, check=True, env=ENVIRONMENT, stdout=subprocess.DEVNULL)  # fmt: skip


def prepare_archives(folder):
    for name in ("plain.key", "plain.pub"):
        shutil.copy(GOLDEN / "keys" / name, folder)
    shutil.copy(GOLDEN / "fatbin" / "program.fatbin", folder)
    (folder / "k.cu").write_text(SOURCE)
    (folder / "arguments").write_text("list 'a.cubinet'\n")
    cubins = GOLDEN / "cubin"
    made = [
        (MAKE_ARCHIVE, "a.cubinet", "shapes", cubins / "sm_80_cuda13.0.cubin", cubins / "sm_90_cuda13.0.cubin"),
        (MAKE_ARCHIVE, "b.cubinet", "shapes", cubins / "sm_80_cuda12.4.cubin"),
        (MAKE_ARCHIVE, "c.cubinet", "other", cubins / "sm_75_cuda13.0.cubin"),
        (COMMAND, "pack", "a.cubinet", "c.cubinet", "--compress", "zstd:3", "-o", "all.cubinet"),
        (COMMAND, "sign", "a.cubinet", "--key", "plain.key", "-o", "signed.cubinet"),
    ]
    for arguments in made:
        subprocess.run(arguments, cwd=folder, check=True)
    prepare_tuned(folder)
    prepare_slim(folder)
    prepare_systems(folder)


def prepare_sources(folder):
    """False: there is no CUDA toolkit."""
    (folder / "pieces").write_text("caller.cubinet piece.cubinet\n")
    for name, text in (("k.cu", SOURCE), ("piece.cu", PIECE), ("caller.cu", CALLER), ("h.h", "#pragma once\n" + PIECE)):
        (folder / name).write_text(text)
    fragment = ["--fragment", "--arch", "80-lto"]
    return (
        cubinet(folder, "compile", "k.cu", "-o", "k.cubinet", "--arch", "80-virtual", "--cache", "cache", CUBINET_TRACE="trace")
        and cubinet(folder, "compile", "piece.cu", "-o", "piece.cubinet", *fragment, "--no-cache")
        and cubinet(folder, "compile", "caller.cu", "-o", "caller.cubinet", *fragment, "--no-cache")
    )


def run(folder, number, command):
    """What failed with it, and how many faults there were."""
    options = command.split()
    work = folder / f"work{number}"
    done = subprocess.run([FAULTS, folder / "in", work, *options], stdin=subprocess.DEVNULL, check=False,
                          capture_output=True, text=True, errors="backslashreplace", env=ENVIRONMENT)  # fmt: skip
    shutil.rmtree(work, ignore_errors=True)
    return done.returncode, (done.stdout + done.stderr).strip()


def main():
    with tempfile.TemporaryDirectory(prefix="cubinet-test-") as name:
        folder = pathlib.Path(name)
        (folder / "in").mkdir()
        if CHOSEN == "archives":
            prepare_archives(folder / "in")
        elif CHOSEN == "tune":
            prepare_tune(folder / "in")
        elif not prepare_sources(folder / "in"):
            print("skipped: there is no CUDA toolkit")
            return SKIPPED
        commands = CASES[CHOSEN]
        with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            results = list(pool.map(lambda pair: run(folder, *pair), enumerate(commands)))
    for command, (status, text) in zip(commands, results):
        print(f"{'FAILED' if status else 'passed'} {command}: {text}")
    return 1 if any(status for status, _ in results) else 0


if __name__ == "__main__":
    CHOSEN, FAULTS, COMMAND, MAKE_ARCHIVE = sys.argv[1:5]
    GOLDEN, INPUTS = map(pathlib.Path, sys.argv[5:7])
    SIMDRIVER, COMPILER = sys.argv[7:9]
    ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("CUBINET_")}
    ENVIRONMENT["NINJA"] = "true"  # builds are planned, and no more
    sys.exit(main())

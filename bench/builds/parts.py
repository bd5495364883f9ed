#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The measurements of bench/build.sh, each a part that can be run alone."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

import contenders
from contenders import clean_environment
from measure import Results, rotated, timed
import table

HERE = pathlib.Path(__file__).resolve().parent
NOTHING_ROUNDS = 15  # a build with nothing to do takes milliseconds


class Bench:
    def __init__(self, build, folder, rounds):
        self.build = build.resolve()
        self.cubinet = self.build / "packager/cubinet"
        self.folder = folder.resolve()
        self.rounds = rounds
        self.folder.mkdir(parents=True, exist_ok=True)
        self.sources = self.folder / "sources"
        contenders.write_sources(self.sources)
        self.results = Results(self.folder / "results.json")

    def nvcc(self, part, half, name="nvcc", mode="-c", **more):
        return contenders.nvcc_contender(name, self.folder / part / half / name, self.sources, half, mode, **more)

    def own(self, part, half, name="cubinet", **more):
        return contenders.cubinet_contender(name, self.folder / part / half / name, self.sources, half, self.cubinet, **more)

    def ninja(self, contender, *arguments, **environment):
        return timed(contender.command(*arguments), clean_environment(**contender.environment, **environment))


def measure_cold(bench, half):
    """Builds from nothing, in alternation."""
    compared = [bench.nvcc("cold", half), bench.nvcc("cold", half, "nvcc-fatbin", "-fatbin"), bench.own("cold", half)]
    if half == "headers" and contenders.has_option(bench.cubinet, "ninja", "pch"):
        headers = [word for header in contenders.included(half) for word in ("--pch", header)]
        compared.append(bench.own("cold", half, "cubinet-pch", more=headers))
    for number in range(bench.rounds):
        for contender in rotated(compared, number):
            contender.forget()
            bench.results.add("cold", half, contender.name, bench.ninja(contender))


def nvrtc_command(bench, module, folder):
    """The library and the options that `cubinet compile` calls NVRTC with for PTX of one architecture."""
    compile_command = own_compile(bench, module, folder)
    told = subprocess.run([*compile_command, "--verbose"], env=clean_environment(), check=True, capture_output=True,
                          text=True).stderr
    options = next(line for line in told.splitlines() if line.startswith("nvrtc ")).split()[1:]
    kernels = folder / f"{module['module']}.kernels"
    kernels.write_text("".join(f"{name}\n" for name in module["expressions"]))
    return [str(bench.build / "bench/bench_nvrtc_bare"), str(find_nvrtc()), module["source"],
            str(folder / f"{module['module']}.ptx"), str(kernels), *options]


def own_compile(bench, module, folder):
    names = [word for name in module["expressions"] for word in ("--kernel", name)]
    return [str(bench.cubinet), "compile", module["source"], "-o", str(folder / f"{module['module']}.cubinet"), *names,
            "--gencode", "arch=compute_80,code=compute_80"]


def find_nvrtc():
    """nvcc's own NVRTC, which `cubinet compile` finds too."""
    root = pathlib.Path(shutil.which("nvcc")).resolve().parent.parent
    return next(root.glob("lib64/libnvrtc.so.[0-9]*"))


def measure_overhead(bench):
    """`cubinet compile` to PTX over a program that does nothing but the compile, one after the other."""
    folder = bench.folder / "overhead"
    folder.mkdir(exist_ok=True)
    for half in contenders.halves():
        for module in contenders.modules(half):
            commands = {"bare": nvrtc_command(bench, module, folder), "cubinet": own_compile(bench, module, folder)}
            for number in range(bench.rounds):
                for name in rotated(list(commands), number):
                    sample = timed(commands[name], clean_environment(CUBINET_TOOLKIT=str(find_nvrtc().parent.parent)))
                    bench.results.add("overhead", f"{half}/{module['module']}", name, sample)


def measure_warm(bench, part, half, contender):
    """A build that fills the cache, then builds after `ninja -t clean`."""
    contender.forget()
    bench.results.add(part, half, f"{contender.name} filling", bench.ninja(contender))
    for _ in range(bench.rounds):
        bench.ninja(contender, "-t", "clean")
        bench.results.add(part, half, f"{contender.name} warm", bench.ninja(contender))


def measure_cache(bench):
    """The cache of compiles against ccache around nvcc."""
    folder = bench.folder / "caches"
    shutil.rmtree(folder, ignore_errors=True)
    for half in contenders.halves():
        own = {"CUBINET_CACHE_DIR": str(folder / f"cubinet-{half}")}
        measure_warm(bench, "cache", half, bench.own("cache", half, environment=own))
        if shutil.which("ccache"):
            other = {"CCACHE_DIR": str(folder / f"ccache-{half}")}
            measure_warm(bench, "cache", half, bench.nvcc("cache", half, "ccache", launcher=["ccache"], environment=other))


def measure_remote(bench):
    """The same cache, but on nginx on this machine's loopback; nothing is kept locally."""
    sys.path.insert(0, str(HERE.parent.parent / "tests/remote"))
    import servers  # pylint: disable=import-outside-toplevel,import-error
    if not servers.find_nginx():
        print("remote: left out, there is no nginx")
        return
    folder = bench.folder / "nginx"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    nginx = servers.Nginx(str(folder), server="client_max_body_size 0;")
    try:
        for half in contenders.halves():
            environment = {"CUBINET_REMOTE_CACHE": nginx.url, "CUBINET_CACHE_DIR": ""}
            measure_warm(bench, "remote", half, bench.own("remote", half, environment=environment))
    finally:
        nginx.stop()


def edit(header):
    """Changes what is in a header, though nothing that is compiled."""
    header.write_text(header.read_text() + "// Edited.\n")


def measure_again(bench):
    """Builds after nothing has changed, after a header of the project was touched, and after it was edited."""
    header = bench.sources / contenders.SHARED_HEADER
    for half in contenders.halves():
        compared = [bench.nvcc("again", half), bench.own("again", half)]
        for contender in compared:
            bench.ninja(contender)
        for number in range(NOTHING_ROUNDS):
            for contender in rotated(compared, number):
                bench.results.add("nothing", half, contender.name, bench.ninja(contender))
        for part, change in (("touched", pathlib.Path.touch), ("edited", edit)):
            for number in range(bench.rounds):
                change(header)
                for contender in rotated(compared, number):
                    bench.results.add(part, half, contender.name, bench.ninja(contender))


def measure_giant(bench):
    """Its own script: one module with megabytes of PTX on one core and on two."""
    script = HERE.parent / "giant.sh"
    if not script.exists():
        print("giant: left out, there is no giant.sh")
        return
    subprocess.run([str(script), str(bench.build), str(bench.folder / "giant")], env=clean_environment(), check=True)


PARTS = {
    "headers": lambda bench: measure_cold(bench, "headers"),
    "plain": lambda bench: measure_cold(bench, "plain"),
    "overhead": measure_overhead,
    "cache": measure_cache,
    "remote": measure_remote,
    "again": measure_again,
    "giant": measure_giant,
}


def main():
    parser = argparse.ArgumentParser(prog="bench/build.sh")
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD", help="a build tree of Cubinet")
    parser.add_argument("folder", type=pathlib.Path, metavar="DIR", help="where to build, and to keep results.json")
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join([*PARTS, "table"]) + "; by default all")
    parser.add_argument("--rounds", type=int, default=3, help="by default 3; those of earlier runs count as well")
    arguments = parser.parse_intermixed_args()
    for part in arguments.parts:
        if part not in PARTS and part != "table":
            parser.error(f"there is no part {part}")
    bench = Bench(arguments.build, arguments.folder, arguments.rounds)
    for part in arguments.parts or PARTS:
        if part != "table":
            PARTS[part](bench)
    print(table.markdown(bench.results))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""What is compared: folders with a build.ninja each, over the same sources and the same architectures."""
import collections
import itertools
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "corpus"))
import corpus  # noqa: E402

# Virtual architectures, and the real ones that are made from each; PTX of the last.
MATRIX = {"75": ["75"], "80": ["80", "86", "89"], "90": ["90"], "100": ["100"], "120": ["120"]}
HALVES = {"headers": "cccl", "plain": "none"}
# A header of the project's own, which some sources of each half include.
SHARED_HEADER = "shared.h"
SHARERS = ("fft", "scan", "gauss", "sobel")


def gencodes():
    """`cubinet`'s --gencode, one for each virtual architecture."""
    last = list(MATRIX)[-1]
    for virtual, reals in MATRIX.items():
        codes = [f"sm_{real}" for real in reals] + ([f"compute_{virtual}"] if virtual == last else [])
        yield f"arch=compute_{virtual},code=[{','.join(codes)}]"


def nvcc_gencodes():
    last = list(MATRIX)[-1]
    pairs = [(virtual, f"sm_{real}") for virtual, reals in MATRIX.items() for real in reals]
    pairs.append((last, f"compute_{last}"))
    return list(itertools.chain(*(("-gencode", f"arch=compute_{virtual},code={code}") for virtual, code in pairs)))


def modules(half):
    """Those of the corpus; $MODULES, names with spaces between, for a trial with a few."""
    chosen = os.environ.get("MODULES", "").split()
    return [module for module in corpus.modules(HALVES[half]) if not chosen or module["module"] in chosen]


def halves():
    """Those of which there are modules."""
    return [half for half in HALVES if modules(half)]


def write_sources(folder):
    """Copies of the corpus, some of which include a header that a build may touch; in nvcc/ with their instances."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SHARED_HEADER).write_text("// What several sources share.\n")
    for module in corpus.modules():
        include = f'#include "{SHARED_HEADER}"\n' if module["module"] in SHARERS else ""
        (folder / f"{module['module']}.cu").write_text(include + pathlib.Path(module["source"]).read_text())
    nvcc = folder / "nvcc"
    nvcc.mkdir(exist_ok=True)
    for module in corpus.modules():
        addresses = "".join(f"    (const void *){name},\n" for name in module["expressions"])
        (nvcc / f"{module['module']}.cu").write_text(
            f'#include "../{module["module"]}.cu"\n\nextern const void *const kernels[] = {{\n{addresses}}};\n')


def included(half):
    """The headers that two or more of a half's sources include, as they name them: what is worth being precompiled."""
    lines = itertools.chain(*(pathlib.Path(module["source"]).read_text().splitlines() for module in modules(half)))
    counts = collections.Counter(line.split()[1] for line in lines if line.startswith("#include <"))
    return [header for header, count in counts.items() if count > 1]


class Contender:
    """A folder with a build.ninja. `environment` is what Ninja runs with beyond this process's own."""

    def __init__(self, name, folder, environment=None):
        self.name = name
        self.folder = folder
        self.environment = environment or {}

    def forget(self):
        """Removes everything that was built, and what Ninja knows of it."""
        for entry in self.folder.iterdir():
            if entry.name == "build.ninja":
                continue
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()

    def command(self, *arguments):
        return ["ninja", "-C", str(self.folder), "-j2", *arguments]


def words(arguments):
    return " ".join(shlex.quote(argument) for argument in arguments).replace("$", "$$")


def nvcc_contender(name, folder, sources, half, mode, launcher=(), environment=None):
    """One edge for each source, as CMake writes them."""
    folder.mkdir(parents=True, exist_ok=True)
    suffix = {"-c": "o", "-fatbin": "fatbin"}[mode]
    command = words([*launcher, "nvcc", mode, *nvcc_gencodes()])
    lines = [f"rule nvcc\n  command = {command} $in -o $out -MD -MF $out.d\n  depfile = $out.d\n  deps = gcc\n"]
    for module in modules(half):
        lines.append(f"build {module['module']}.{suffix}: nvcc {sources}/nvcc/{module['module']}.cu\n")
    (folder / "build.ninja").write_text("".join(lines))
    return Contender(name, folder, environment)


def cubinet_contender(name, folder, sources, half, cubinet, more=(), environment=None):
    """What `cubinet ninja` writes: one edge for each source and virtual architecture, and one that packs."""
    folder.mkdir(parents=True, exist_ok=True)
    arguments = [str(cubinet), "ninja", "-o", "kernels.cubinet", "--build-dir", "objects", "--file", "build.ninja", *more]
    arguments += itertools.chain(*(("--gencode", gencode) for gencode in gencodes()))
    for module in modules(half):
        arguments.append(f"{sources}/{module['module']}.cu")
        arguments += itertools.chain(*(("--kernel", name) for name in module["expressions"]))
    subprocess.run(arguments, cwd=folder, check=True)
    return Contender(name, folder, environment)


def has_option(cubinet, command, option):
    told = subprocess.run([cubinet, command, "--help"], capture_output=True, text=True, check=False).stdout
    return f"--{option}" in told.replace(",", " ").split()


def clean_environment(**more):
    """This process's environment without caches and settings that would change what is measured."""
    dropped = ("CUBINET_", "CCACHE_", "NVCC_", "XDG_CACHE_HOME")
    return {name: value for name, value in os.environ.items() if not name.startswith(dropped)} | more

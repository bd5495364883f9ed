#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Bytes of an archive, its index and zip records included, against nvcc's fatbins of the same kernels for the same
architectures: of the corpus, and of the sample's module.

    size.py BUILD DIR       needs a toolkit with nvcc, and no GPU; what nvcc made is kept in DIR
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "corpus"))
import corpus  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
REAL = ("75", "80", "86", "89", "90", "100", "120")
VIRTUAL = "120"
SAMPLE = HERE.parent / "samples" / "segmented_sum" / "segsum.cu"
SAMPLE_KERNELS = ("segsum<float,int,256,4>", "segsum<double,int,128,4>")
MODES = ("default", "size")


def run(*command):
    subprocess.run([str(word) for word in command], check=True)


def nvcc(source, out, mode):
    """nvcc's fatbin of a source, made once."""
    if out.exists():
        return out.stat().st_size
    words = []
    for number in REAL:
        words += ["-gencode", f"arch=compute_{number},code=sm_{number}"]
    words += ["-gencode", f"arch=compute_{VIRTUAL},code=compute_{VIRTUAL}"]
    part = out.with_suffix(".part")
    run("nvcc", "-std=c++17", "-fatbin", *words, f"--compress-mode={mode}", source, "-o", part)
    part.rename(out)
    return out.stat().st_size


def nvcc_total(folder, sources, mode):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return sum(pool.map(lambda source: nvcc(source, folder / f"{source.stem}.{mode}.fatbin", mode), sources))


def make_archive(build, out, arguments):
    """What `cubinet build` makes, not compressed, made once."""
    if not out.exists():
        words = [f"--arch={number}-real" for number in REAL] + [f"--arch={VIRTUAL}-virtual"]
        run(build / "packager" / "cubinet", "build", *arguments, "-o", out, "-std=c++17", *words)


def packed(build, archive, how):
    out = archive.with_suffix(f".{how.replace(':', '')}.cubinet")
    run(build / "packager" / "cubinet", "pack", archive, "-o", out, "--compress", how)
    return out.stat().st_size


def report(name, build, archive, fatbins):
    print(f"{name:12} {'bytes':>12} {'ratio':>7}")
    best = fatbins["size"]
    for mode, size in fatbins.items():
        print(f"  nvcc -fatbin --compress-mode={mode:10} {size:12,} {size / best:7.3f}")
    for how in ("none", "fast", "zstd:9", "zstd:19"):
        size = packed(build, archive, how)
        print(f"  cubinet pack --compress {how:15} {size:12,} {size / best:7.3f}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    build, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    folder.mkdir(parents=True, exist_ok=True)

    arguments = folder / "arguments"
    arguments.write_text(corpus.arguments())
    corpus.write_for_nvcc(folder / "sources")
    sources = sorted((folder / "sources").glob("*.cu"))
    make_archive(build, folder / "corpus.cubinet", [f"@{arguments}"])
    report("corpus", build, folder / "corpus.cubinet", {mode: nvcc_total(folder, sources, mode) for mode in MODES})

    words = [SAMPLE]
    for kernel in SAMPLE_KERNELS:
        words += ["--kernel", kernel]
    make_archive(build, folder / "sample.cubinet", words)
    source = HERE / "segsum_instances.cu"
    report("the sample", build, folder / "sample.cubinet",
           {mode: nvcc_total(folder, [source], mode) for mode in MODES})


if __name__ == "__main__":
    main()

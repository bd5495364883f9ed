#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What cubinet slim makes of wheels: bench/slim_wheels.py CUBINET GPUS FOLDER WHEEL...

Unpacks each wheel, slims every library in it for the GPUs, with --cut and without, and prints a row of a table: bytes
of device code, of the installed wheel (its files' sizes, and what they take on the disk) and of the wheel itself, packed
again by zip's usual method. The slimmed wheels stay in FOLDER.
"""
import os
import shutil
import subprocess
import sys
import zipfile


def libraries(folder):
    for root, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(root, name)
            if ".so" in name and not os.path.islink(path):
                with open(path, "rb") as file:
                    if b".nv_fatbin\0" in file.read()[-(1 << 20) :] or has_fatbins(path):
                        yield path


def has_fatbins(path):
    sections = subprocess.run(["readelf", "-SW", path], capture_output=True, text=True).stdout
    return " .nv_fatbin " in sections


def sizes(folder):
    files = [os.lstat(os.path.join(root, name)) for root, _, names in os.walk(folder) for name in names]
    return sum(file.st_size for file in files), sum(file.st_blocks * 512 for file in files)


def pack(folder, path):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for root, _, names in os.walk(folder):
            for name in sorted(names):
                full = os.path.join(root, name)
                archive.write(full, os.path.relpath(full, folder))
    return os.path.getsize(path)


def megabytes(size):
    return f"{size / 1e6:.1f}"


def slim(cubinet, gpus, source, folder, how):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder, symlinks=True)
    before = after = 0
    for path in libraries(source):
        target = os.path.join(folder, os.path.relpath(path, source))
        done = subprocess.run([cubinet, "slim", path, "--arch", gpus, "-o", target, "--json", "--top", "0", *how],
                              capture_output=True, text=True)
        if done.returncode:
            print(done.stderr.strip(), file=sys.stderr)
            continue
        import json

        said = json.loads(done.stdout)
        before += said["fatbin_bytes"]
        after += said["fatbin_bytes_after"]
    return before, after


def main():
    cubinet, gpus, base, *wheels = sys.argv[1:]
    print("| wheel | device code, MB | installed, MB | on disk, MB | installed with --cut, MB | wheel, MB | with --cut, MB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for wheel in wheels:
        name = "-".join(os.path.basename(wheel).split("-")[:2])
        source = os.path.join(base, name)
        shutil.rmtree(source, ignore_errors=True)
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(source)
        whole, _ = sizes(source)
        before, after = slim(cubinet, gpus, source, source + ".slim", [])
        _, disk = sizes(source + ".slim")
        packed = pack(source + ".slim", source + ".slim.zip")
        slim(cubinet, gpus, source, source + ".cut", ["--cut"])
        cut, _ = sizes(source + ".cut")
        cut_packed = pack(source + ".cut", source + ".cut.zip")
        old = pack(source, source + ".zip")
        print(f"| {name} | {megabytes(before)} → {megabytes(after)} | {megabytes(whole)} | {megabytes(disk)} | "
              f"{megabytes(cut)} | {megabytes(old)} → {megabytes(packed)} | {megabytes(cut_packed)} |", flush=True)
        os.unlink(source + ".zip")


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records runs of the samples, slices their archives to what was used, and uses the same again from the slices.

    bench/used.py BUILD DIR               needs a GPU, and a build with the samples
    bench/used.py BUILD DIR --rehearse    on the simulated driver, where the samples don't run: a kernel of each module
                                          is used in their place

Prints the bytes of each archive before and after, in DIR, and how many of the recorded kernels and images the slice
lacks. Fails if it lacks one.
"""

import json
import os
import pathlib
import subprocess
import sys

# The program in samples/, its archive there, and whether it takes the archive's path.
SAMPLES = [
    ("first_program/first_c", "first_program/first_archive.cubinet", False),
    ("saxpy/saxpy", "saxpy/saxpy_archive.cubinet", False),
    ("segmented_sum/segmented_sum", "segmented_sum/segsum.cubinet", True),
    ("fragments/fragments", "fragments/fragments_archive.cubinet", True),
    ("plugin_epilogue/plugin_epilogue", "plugin_epilogue/product_archive.cubinet", False),
    ("plugin_epilogue/plugin_epilogue", "plugin_epilogue/epilogues_archive.cubinet", False),
]


def run(command, env, **more):
    return subprocess.run([str(word) for word in command], env=env, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def kernels_of(build, archive, env):
    """A kernel of each module that runs alone."""
    modules = json.loads(run([build / "packager/cubinet", "inspect", archive, "--json"], env))["modules"]
    return [(module["module"], module["kernels"][0]["name"]) for module in modules
            if module["kernels"] and any(image["target"].startswith(("sm_", "compute_")) for image in module["images"])]


def record_run(build, program, archive, takes_path, record, env, rehearse):
    record.unlink(missing_ok=True)
    env = dict(env, CUBINET_RECORD=str(record))
    if rehearse:
        used = [word for pair in kernels_of(build, archive, env) for word in pair]
        if used:
            run([build / "bench/bench_used", "use", archive, *used], env)
    else:
        run([program, *([archive] if takes_path else [])], env)


def recorded(record, modules):
    """What the record has of these modules: pairs for bench_used."""
    entries = [json.loads(line) for line in record.read_text().splitlines()] if record.exists() else []
    pairs = []
    for entry in entries:
        if entry["module"] not in modules or "archive_digest" not in entry:
            continue
        pair = (entry["module"], "@" + entry["image"] if entry["use"] == "linked" else entry.get("kernel"))
        if pair[1] and pair not in pairs:
            pairs.append(pair)
    return pairs


def main():
    if len(sys.argv) not in (3, 4) or sys.argv[3:] not in ([], ["--rehearse"]):
        sys.exit(__doc__)
    build, folder, rehearse = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]), len(sys.argv) == 4
    folder.mkdir(parents=True, exist_ok=True)
    env = {name: value for name, value in os.environ.items() if name != "CUBINET_RECORD"}
    if rehearse:
        env.update(CUBINET_LIBCUDA=str(build / "tests/simdriver/libsimcuda.so"), SIMCUDA_DEVICES="9.0")
    cubinet = build / "packager/cubinet"
    missed = 0
    print(f"{'archive':28}{'before':>10}{'after':>10}{'used':>7}{'missed':>8}")
    for program, path, takes_path in SAMPLES:
        archive = build / "samples" / path
        record, after = folder / (archive.stem + ".record"), folder / archive.name
        record_run(build, build / "samples" / program, archive, takes_path, record, env, rehearse)
        modules = {module["module"] for module in json.loads(run([cubinet, "list", archive, "--json"], env))["modules"]}
        pairs = recorded(record, modules)
        if not pairs:
            print(f"{archive.name:28}{archive.stat().st_size:10}{'-':>10}{0:7}")
            continue
        run([cubinet, "slice", archive, "--used", record, "-o", after], env)
        run([cubinet, "verify", after], env)
        replay = subprocess.run([build / "bench/bench_used", "use", after, *(word for pair in pairs for word in pair)],
                                env=env, stdout=subprocess.PIPE, text=True, check=False)
        missed += replay.returncode != 0
        if takes_path and not rehearse:
            run([build / "samples" / program, after], env)
        count = replay.stdout.strip().split("\n")[-1].split()
        print(f"{archive.name:28}{archive.stat().st_size:10}{after.stat().st_size:10}{count[0]:>7}{count[2]:>8}")
        if replay.returncode:
            print(replay.stdout)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()

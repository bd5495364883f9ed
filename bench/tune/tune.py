#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How good tuned launches are: tunes the kernels of kernels.cu, and times what is suggested for extents between the tuned
ones against all candidates there.

    tune.py BUILD --compile kernels.cubinet [--arch 90-real]     where there is a CUDA toolkit
    tune.py BUILD --archive kernels.cubinet                      where there is a GPU
    tune.py BUILD --archive kernels.cubinet --quick              a third of the extents

BUILD is a build folder, or one with the command `cubinet` in it. --only NAME,NAME splits the work; --json FILE writes all
that was measured. The last lines are the geometric means over all kernels and held-out extents: the time of what is
suggested, and of what is launched without tuning, over the best of all candidates.

What is suggested follows from the records by the rule of docs/reference/tuning-records.md."""

import argparse
import ctypes
import json
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import kernels

HERE = pathlib.Path(__file__).resolve().parent


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--archive", type=pathlib.Path)
    parser.add_argument("--compile", type=pathlib.Path, metavar="ARCHIVE")
    parser.add_argument("--arch", default="90-real")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--warm", action="store_true", help="with warm caches")
    parser.add_argument("--only", default="", help="names of sets, with commas between them")
    parser.add_argument("--rounds", type=int, default=12, help="of the held-out extents' candidates")
    parser.add_argument("--skip-second", action="store_true", help="do not tune a second time")
    parser.add_argument("--rivals", type=pathlib.Path, help="librivals.so of rivals.cu: compare with CUB and cuBLAS")
    parser.add_argument("--json", type=pathlib.Path)
    return parser.parse_args()


def find_command(build):
    for path in (build / "packager" / "cubinet", build / "cubinet"):
        if path.exists():
            return str(path.resolve())
    return sys.exit(f"{build} has no command cubinet")


def compile_archive(command, archive, arch):
    options = [word for kernel in kernels.kernels() for word in ("--kernel", kernel)]
    subprocess.run([command, "compile", HERE / "kernels.cu", "-o", archive, "--arch", arch, *options], check=True)


def measure(command, archive, description, folder, name, options):
    """What `cubinet tune --json` says: the outcome for each set and extent, by both."""
    path = folder / f"{name}.json"
    path.write_text(json.dumps(description))
    start = time.time()
    done = subprocess.run([command, "tune", archive, path, "-o", folder / f"{name}.cubinet", "--json", *options],
                          stdout=subprocess.PIPE, check=False)
    if not done.stdout:
        sys.exit(f"cubinet tune ended with status {done.returncode}")
    measured = json.loads(done.stdout)["measured"]
    print(f"{name}: {len(measured)} measurements in {time.time() - start:.0f} s", flush=True)
    for one in measured:
        if "error" in one:
            print(f"  {one['set']} {one['extent']}: {one['error']}")
        for trial in one.get("trials", []):
            if trial["state"] not in ("timed", "refused"):
                print(f"  {one['set']} {one['extent']}: {key(trial)}: {trial['state']}: {trial.get('reason')}")
    return {(one["set"], tuple(one["extent"])): one for one in measured if "error" not in one}


def key(trial):
    """A configuration, whatever the extent."""
    return tuple(str(trial[name]) for name in
                 ("kernel", "block", "grid_rule", "grid_value", "grid_limit", "cluster", "dynamic_shared_bytes"))


def length(side):
    """The binary logarithm, with a straight line between powers of two."""
    whole = side.bit_length() - 1
    return whole + side / (1 << whole) - 1


def nearest(records, extent):
    """The record for an extent; None outside of what was tuned."""
    inside = (any(all(a <= b for a, b in zip(tuned, extent)) for tuned in records) and
              any(all(a >= b for a, b in zip(tuned, extent)) for tuned in records))
    if not inside:
        return None
    return records[min(sorted(records), key=lambda tuned: sum(abs(length(a) - length(b))
                                                             for a, b in zip(tuned, extent)))]


def suggested(record, held):
    """The trial of the held-out extent that the record leads to; without one, the default."""
    timed = {key(trial): trial for trial in reversed(held["trials"]) if trial["state"] == "timed"}
    if record is None or (record["has_default"] and record["chosen"] == 0):
        return held["trials"][0]
    return timed.get(key(record["trials"][record["chosen"]]))


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


def compare(tuned, held):
    """For each held-out extent: the times of what is suggested and of the default over the best."""
    rows = []
    for (name, extent), outcome in sorted(held.items()):
        records = {at: one for (of, at), one in tuned.items() if of == name}
        trial = suggested(nearest(records, extent), outcome)
        times = [one["time_ns"] for one in outcome["trials"] if one["state"] == "timed"]
        default = outcome["trials"][0] if outcome["has_default"] else None
        if trial is None or default is None or trial["state"] != "timed":
            print(f"  {name} {extent}: what is suggested has no time")
            continue
        noise = trial["noise_ns"] + default["noise_ns"]
        rows.append({"set": name, "extent": extent, "suggested": trial["time_ns"] / min(times),
                     "untuned": default["time_ns"] / min(times), "candidates": len(times), "best_ns": min(times),
                     "is_slower": trial["time_ns"] - default["time_ns"] > noise + 0.01 * default["time_ns"]})
    return rows


def agree(first, second):
    """The share of records of which two tunings have the same choice, or choices that the second can't tell apart."""
    same = 0
    alike = 0
    for at, one in first.items():
        other = second.get(at)
        if other is None:
            continue
        trials = {key(trial): trial for trial in other["trials"]}
        mine = trials.get(key(one["trials"][one["chosen"]]), {})
        chosen = other["trials"][other["chosen"]]
        is_same = key(one["trials"][one["chosen"]]) == key(chosen)
        near = mine.get("state") == "timed" and abs(mine["time_ns"] - chosen["time_ns"]) <= (
            mine["noise_ns"] + chosen["noise_ns"] + 0.01 * chosen["time_ns"])
        same += is_same
        alike += is_same or near
        if not is_same and not near:
            print(f"  {at}: the second tuning chooses another: {key(chosen)} for {key(one['trials'][one['chosen']])}, "
                  f"{chosen['time_ns']:.0f} ns for {mine.get('time_ns', 0):.0f} ns")
    return same / len(first), alike / len(first)


def print_rows(rows):
    print(f"{'set':12} {'held-out extents':>16} {'candidates':>10} {'suggested/best':>20} {'untuned/best':>20}")
    for name in dict.fromkeys(row["set"] for row in rows):
        some = [row for row in rows if row["set"] == name]
        texts = [f"{mean([row[what] for row in some]):.3f}, worst {max(row[what] for row in some):.3f}"
                 for what in ("suggested", "untuned")]
        print(f"{name:12} {len(some):16} {max(row['candidates'] for row in some):10} {texts[0]:>20} {texts[1]:>20}")


def print_rivals(path, tuned, rounds):
    """The tuned reduction, scan and product of matrices against the libraries' own. A library's scan is of one row."""
    library = ctypes.CDLL(str(path.resolve()))
    for name, function, size in (("sum", "rivals_sum", lambda e: e[0]), ("scan", "rivals_scan", lambda e: e[0] * e[1]),
                                 ("matmul", "rivals_matmul", lambda e: e[0])):
        call = getattr(library, function)
        call.restype = ctypes.c_double
        ratios = []
        for (of, extent), one in sorted(tuned.items()):
            theirs = call(ctypes.c_uint(size(extent)), ctypes.c_int(rounds)) if of == name else -1
            if theirs > 0:
                ours = one["trials"][one["chosen"]]["time_ns"]
                ratios.append(ours / theirs)
                print(f"{name} {extent}: {ours / 1000:.2f} us, {'cuBLAS' if name == 'matmul' else 'CUB'} "
                      f"{theirs / 1000:.2f} us, ratio {ours / theirs:.3f}")
        if ratios:
            print(f"{name}: {mean(ratios):.3f} of the library's time, as a geometric mean of {len(ratios)} extents")


def main():
    arguments = parse_arguments()
    command = find_command(arguments.build)
    if arguments.compile:
        compile_archive(command, arguments.compile, arguments.arch)
        return
    if not arguments.archive:
        sys.exit("--archive or --compile is needed")
    wanted = [name for name in arguments.only.split(",") if name]
    how = ["--warm"] if arguments.warm else []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        train = kernels.described(False, arguments.quick, wanted)
        tuned = measure(command, arguments.archive, train, folder, "tuned", how)
        again = {} if arguments.skip_second else measure(command, arguments.archive, train, folder, "tuned_again",
                                                         how + ["--seed", "2"])
        held = measure(command, arguments.archive, kernels.described(True, arguments.quick, wanted), folder, "held_out",
                       how + ["--all", "--rounds", str(arguments.rounds)])
    rows = compare(tuned, held)
    print_rows(rows)
    slower = [row for row in rows if row["is_slower"]]
    for row in slower:
        print(f"slower than untuned: {row['set']} {row['extent']}: {row['suggested']:.3f} for {row['untuned']:.3f}")
    for what in ("suggested", "untuned"):
        values = [row[what] for row in rows]
        print(f"{what} over best: geometric mean {mean(values):.4f}, worst {max(values):.3f} "
              f"({len(rows)} extents of {len({row['set'] for row in rows})} kernels)")
    print(f"slower than untuned beyond noise: {len(slower)}")
    if again:
        same, alike = agree(tuned, again)
        print(f"two tunings: {same:.1%} the same choice, {alike:.1%} the same or not to be told apart")
    if arguments.rivals:
        print_rivals(arguments.rivals, tuned, 20)
    if arguments.json:
        arguments.json.write_text(json.dumps({"rows": rows, "tuned": list(tuned.values()), "held": list(held.values())}))


if __name__ == "__main__":
    main()

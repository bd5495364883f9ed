#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How long `cubinet compile` takes for a source that includes one standard header, over one that includes nothing.

    bench/std_headers.py COMMAND [ROUNDS]

Each round compiles every source once, starting with another one; the ratio is that of the medians. The last column is
libcu++'s header of the same name, if the toolkit has it.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

HEADERS = ("cstdint", "cmath", "limits", "type_traits", "utility", "tuple", "array", "algorithm", "functional", "optional",
           "variant", "span", "complex", "chrono", "atomic", "numeric", "memory")
KERNEL = 'extern "C" __global__ void k(int *p) { *p = 1; }\n'


def compile_once(command, folder, name, text):
    """Seconds of CPU time, or None where the toolkit has no such header."""
    source = pathlib.Path(folder) / f"{name.replace('/', '_')}.cu"
    source.write_text(text, encoding="utf-8")
    process = subprocess.Popen([command, "compile", "--no-cache", source, "-o", f"{source}.cubinet", "--arch", "90-virtual"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, state, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(state)
    return used.ru_utime + used.ru_stime if process.returncode == 0 else None


def main():
    command = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 11
    names = ["nothing"] + [f"{folder}{header}" for header in HEADERS for folder in ("", "cuda/std/")]
    times = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            for place in range(len(names)):
                name = names[(place + number) % len(names)]
                include = "" if name == "nothing" else f"#include <{name}>\n"
                times[name].append(compile_once(command, folder, name, include + KERNEL))
    base = statistics.median(times["nothing"])
    print(f"nothing: {1000 * base:.0f} ms")
    for header in HEADERS:
        ratios = [statistics.median(times[name]) / base if None not in times[name] else None
                  for name in (header, f"cuda/std/{header}")]
        print(f"| `<{header}>` | " + " | ".join(f"{ratio:.2f}" if ratio else "" for ratio in ratios) + " |")


if __name__ == "__main__":
    main()

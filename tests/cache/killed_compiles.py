#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles that use one cache at the same time, and are killed at any moment.

Whatever is killed: the next compile makes or finds the right archive, no one waits for the dead, and nothing that is
in the cache is damaged. And of many that want the same at once, one compiles.
"""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
SOURCE = """#include "a.h"
extern "C" __global__ void k(int *p) { *p = A + %d; }
"""


def start(command, base, number, name):
    arguments = ["compile", f"k{number}.cu", "--arch", "80-virtual", "-MD", "-o", f"{name}.cubinet",
                 "--cache", str(base / "cache")]
    return subprocess.Popen([command, *arguments], cwd=base, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def finish(process):
    messages = process.communicate()[1].decode()
    if process.returncode != 0 or messages:
        sys.exit(f"a compile ended with {process.returncode}: {messages}")


def counts(command, base):
    done = subprocess.run([command, "cache", "stats", "--json", "--dir", base / "cache"], capture_output=True, check=True)
    return json.loads(done.stdout)["compiles"]


def kill_some(command, base, chance):
    for round_number in range(12):
        running = [start(command, base, number % 3, f"killed{number}") for number in range(6)]
        for process in running:
            time.sleep(chance.random() * 0.02)
            process.send_signal(signal.SIGKILL)
        for process in running:
            process.wait()
            process.stderr.close()
        (base / "a.h").write_text(f"#define A {round_number % 5}\n")
        os.utime(base / "a.h", (1000000000 + round_number, 1000000000 + round_number))


def check_right(command, base):
    """What comes out is what comes out of an empty cache."""
    for number in range(3):
        for name in ("first", "second"):
            finish(start(command, base, number, f"{name}{number}"))
        plain = [command, "compile", f"k{number}.cu", "--arch", "80-virtual", "--no-cache", "-o", "plain.cubinet"]
        subprocess.run(plain, cwd=base, check=True)
        expected = (base / "plain.cubinet").read_bytes()
        for name in ("first", "second"):
            if (base / f"{name}{number}.cubinet").read_bytes() != expected:
                sys.exit(f"{name}{number}.cubinet is not what a compile without the cache makes")
    subprocess.run([command, "cache", "verify", "--dir", base / "cache"], check=True, stdout=subprocess.DEVNULL)


def check_one_compiles(command, base):
    (base / "k9.cu").write_text(SOURCE % 9)
    time.sleep(0.05)
    before = counts(command, base)
    for process in [start(command, base, 9, f"same{number}") for number in range(8)]:
        finish(process)
    after = counts(command, base)
    made, found = after["made"] - before["made"], after["found"] - before["found"]
    if made != 1 or found != 7:
        sys.exit(f"of 8 compiles of the same at once, {made} compiled and {found} found it")


def main():
    command = os.path.abspath(sys.argv[1])
    chance = random.Random(1)
    with tempfile.TemporaryDirectory() as folder:
        base = pathlib.Path(folder)
        (base / "a.h").write_text("#define A 1\n")
        for number in range(3):
            (base / f"k{number}.cu").write_text(SOURCE % number)
        probe = subprocess.run([command, "compile", "k0.cu", "--arch", "80-virtual", "-o", "probe.cubinet", "--no-cache"],
                               cwd=base, capture_output=True, check=False)
        if probe.returncode != 0:
            print("no CUDA toolkit:", probe.stderr.decode())
            return SKIPPED
        kill_some(command, base, chance)
        check_right(command, base)
        check_one_compiles(command, base)
    return 0


if __name__ == "__main__":
    sys.exit(main())

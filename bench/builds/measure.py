# SPDX-License-Identifier: Apache-2.0
"""Times commands and keeps what was timed, so that parts can be run one after another and again."""
import datetime
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import sys
import time


class CommandFailed(Exception):
    pass


def timed(command, environment, folder=None):
    """Seconds of wall clock, and of CPU of the command and all that it started."""
    start = time.perf_counter()
    process = subprocess.Popen(command, env=environment, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = process.stdout.read()
    _, state, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(state)
    if process.returncode != 0:
        raise CommandFailed(" ".join(command[:6]) + ": " + output.decode(errors="replace")[-2000:])
    return wall, used.ru_utime + used.ru_stime


def first_line(command, pattern):
    try:
        told = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return None
    found = re.search(pattern, told)
    return found.group(1) if found else None


def processor():
    found = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return found.group(1) if found else platform.machine()


def machine():
    return {
        "processor": processor(),
        "processors used": len(os.sched_getaffinity(0)),
        "date": datetime.date.today().isoformat(),
        "modules": os.environ.get("MODULES", "all"),
        "nvcc": first_line(["nvcc", "--version"], r"V([\d.]+)"),
        "ninja": first_line(["ninja", "--version"], r"(\S+)"),
        "ccache": first_line(["ccache", "--version"], r"version (\S+)"),
    }


class Results:
    """A JSON file: the machine, and for each part, subject and contender the samples, each [wall, CPU] in seconds."""

    def __init__(self, path):
        self.path = path
        self.data = {"machine": machine(), "load": [], "samples": {}}
        if path.exists():
            kept = json.loads(path.read_text())
            if kept["machine"] != self.data["machine"]:
                sys.exit(f"{path} is of another machine, day or choice of modules: remove it, or use another folder")
            self.data = kept
        self.data["load"].append(os.getloadavg()[0])

    def add(self, part, subject, contender, sample):
        subjects = self.data["samples"].setdefault(part, {})
        subjects.setdefault(subject, {}).setdefault(contender, []).append(sample)
        self.path.write_text(json.dumps(self.data, indent=1) + "\n")
        print(f"{part} {subject} {contender}: {sample[0]:.3f} s, CPU {sample[1]:.3f} s", flush=True)

    def median(self, part, subject, contender, what):
        """what: 0 for the wall clock, 1 for CPU. None if there is no sample."""
        samples = self.data["samples"].get(part, {}).get(subject, {}).get(contender)
        return statistics.median(sample[what] for sample in samples) if samples else None

    def count(self, part, subject, contender):
        return len(self.data["samples"].get(part, {}).get(subject, {}).get(contender, ()))


def rotated(items, number):
    """The items starting with another one each round, so that none always runs after the same other one."""
    start = number % len(items)
    return items[start:] + items[:start]

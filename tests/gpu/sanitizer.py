#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""compute-sanitizer finds no errors in programs that use the library: sanitizer.py PROGRAM[=ARGUMENT]…

It reports every error of the driver as one of the program's, so the library must not provoke any. The first program is
run with PTX alone, too. Exits with 77 without a GPU or compute-sanitizer.
"""

import os
import shutil
import subprocess
import sys

SKIPPED = 77
NO_GPU = ("no GPU can be used here", "finds no GPU")


def run(command, **environment):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                          env={**os.environ, **environment})  # fmt: skip
    return done.returncode, done.stdout


def main():
    sanitizer = shutil.which("compute-sanitizer", path=os.environ["PATH"] + ":/usr/local/cuda/bin")
    programs = [argument.split("=", 1) for argument in sys.argv[1:]]
    if not sanitizer:
        print("skipped: there is no compute-sanitizer")
        return SKIPPED
    if any(text in run(programs[0])[1] for text in NO_GPU):
        print("skipped: there is no GPU")
        return SKIPPED
    failed = 0
    for program, environment in [(programs[0], {"CUBINET_FORCE_PTX": "1"}), *((program, {}) for program in programs)]:
        status, output = run([sanitizer, "--error-exitcode", "99", *program], **environment)
        if status or "ERROR SUMMARY: 0 errors" not in output:
            print(*program, environment, f"exits with {status}:\n{output}")
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What PTX and machine code show of the dynamic shared memory of accesses.cu's kernels: accesses.py CUBINET COMPILED PACKED.

COMPILED has records of the PTX, PACKED of the same machine code alone.
"""
import json
import subprocess
import sys


def taking(cubinet, archive):
    """By image, its kernels, and those that are recorded as taking dynamic shared memory."""
    text = subprocess.run([cubinet, "inspect", archive, "--json"], check=True, capture_output=True, text=True).stdout
    found = {}
    for module in json.loads(text)["modules"]:
        for image in module["images"]:
            kernels = {kernel["kernel"]: (kernel["launch"] or {}).get("takes_dynamic_shared", False)
                       for kernel in image["kernels"]}
            found[image["target"]] = set(kernels), {name for name, takes in kernels.items() if takes}
    return found


def compare(cubinet, archive, prefixes):
    """The number of wrong kernels, which it prints; the prefixes of those that take it."""
    wrong = 0
    for target, (kernels, takes) in taking(cubinet, archive).items():
        expected = {name for name in kernels if name.startswith(prefixes)}
        for name in sorted(takes ^ expected):
            print(f"{archive}: {target}: {name} is {'' if name in takes else 'not '}recorded as taking dynamic shared memory")
        wrong += len(takes ^ expected)
        print(f"{target}: {len(kernels)} kernels, {len(takes)} take dynamic shared memory")
    return wrong


def main():
    cubinet, compiled, packed = sys.argv[1:]
    sys.exit(bool(compare(cubinet, compiled, ("dynamic_", "hidden_")) + compare(cubinet, packed, ("dynamic_",))))


main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints PTX with a kernel of each mangled name in a file (- is standard input) that has its demangled form in
the next line."""

import re
import sys

SIZES = {"int": "u32", "unsigned int": "u32", "float": "f32", "double": "f64", "bool": "u8", "char": "u8",
         "unsigned char": "u8", "short": "u16", "unsigned short": "u16", "long": "u64", "unsigned long": "u64",
         "long long": "u64", "unsigned long long": "u64"}


def split(text):
    """The types of a list, which may have lists in them."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "<([{") - (character in ">)]}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def parameters_of(name):
    """What is in the last parentheses that are in no others."""
    depth = 0
    for position in range(len(name) - 1, -1, -1):
        depth += (name[position] == ")") - (name[position] == "(")
        if depth == 0:
            return split(name[position + 1:-1])
    return []


def declare(number, kind):
    if kind.endswith("*"):
        return f".param .u64 p{number}"
    return f".param .{SIZES[kind]} p{number}" if kind in SIZES else f".param .align 8 .b8 p{number}[24]"


lines = (sys.stdin if sys.argv[1] == "-" else open(sys.argv[1], encoding="utf-8")).read().splitlines()
names = {mangled: name for mangled, name in zip(lines[::2], lines[1::2])
         if re.fullmatch(r"_Z\w+", mangled) and name.endswith(")")}
print(".version 8.0\n.target sm_80\n.address_size 64")
for count, (mangled, name) in enumerate(names.items()):
    parameters = [declare(f"{count}_{i}", kind) for i, kind in enumerate(parameters_of(name))]
    print(f".visible .entry {mangled}({', '.join(parameters)})\n{{\n    ret;\n}}")

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads corpus.json, and makes of it what compilers and the checker take.

    corpus.py arguments [cccl|none]     sources and kernels for `cubinet build @FILE`, of one half or both
    corpus.py nvcc DIR                  writes DIR/MODULE.cu for nvcc, which has every kernel instantiated
    corpus.py launches FILE             writes the rows of corpus_launches.h: LAUNCH(module, kernel, grid, block)
"""
import itertools
import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def as_list(value):
    return value if isinstance(value, list) else [value]


def rows(values):
    """The combinations of an entry's "for", each a dict."""
    for group in as_list(values):
        columns = [as_list(group[name]) for name in group]
        for row in itertools.product(*columns):
            yield dict(zip(group, row))


def expressions(entries):
    """The name expressions that a module's "kernels" stand for, as INSTANTIATE of cubinet_add_module() reads them."""
    found = []
    for entry in entries:
        for row in rows(entry.get("for", {})):
            for expression in as_list(entry["kernels"]):
                for name, value in row.items():
                    expression = expression.replace(f"@{name}@", str(value))
                if expression not in found:
                    found.append(expression)
    return found


def modules(half=None):
    """Every module: a dict with module, source, headers, expressions and launches."""
    for module in json.loads((HERE / "corpus.json").read_text()):
        if half in (None, module["headers"]):
            yield {
                **module,
                "source": str(HERE / "kernels" / f"{module['module']}.cu"),
                "expressions": expressions(module["kernels"]),
            }


def quoted(word):
    return '"' + word.replace("\\", "\\\\").replace('"', '\\"') + '"'


def arguments(half=None):
    lines = []
    for module in modules(half):
        words = [quoted(module["source"])] + [f"--kernel {quoted(name)}" for name in module["expressions"]]
        lines.append(" ".join(words) + "\n")
    return "".join(lines)


def write_for_nvcc(folder):
    """A host program would launch the kernels; here their addresses are taken, which instantiates them as well."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for module in modules():
        addresses = "".join(f"    (const void *){name},\n" for name in module["expressions"])
        text = f'#include "{module["source"]}"\n\nextern const void *const kernels[] = {{\n{addresses}}};\n'
        path = folder / f"{module['module']}.cu"
        if not path.exists() or path.read_text() != text:
            path.write_text(text)


def write_launches(path):
    lines = []
    for module in modules():
        for launch in module["launches"]:
            if launch["kernel"] not in module["expressions"]:
                sys.exit(f"corpus.json: {module['module']} launches {launch['kernel']}, which is not among its kernels")
            grid, block = ((launch[size] + [1, 1])[:3] for size in ("grid", "block"))
            numbers = ", ".join(str(number) for number in grid + block)
            lines.append(f'LAUNCH({module["module"]}, "{launch["kernel"]}", {numbers})\n')
    pathlib.Path(path).write_text("".join(lines))


def main():
    commands = {
        "arguments": lambda *half: print(arguments(*half), end=""),
        "nvcc": write_for_nvcc,
        "launches": write_launches,
    }
    if len(sys.argv) < 2 or sys.argv[1] not in commands:
        sys.exit(__doc__)
    commands[sys.argv[1]](*sys.argv[2:])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compiles the sources here with cubinet and compares their kernels with those of nvcc, as expected.json has them.

    compare.py --cubinet build/release/packager/cubinet [--toolkit DIR] [--named] [FILE.cu …]

A file is right if cubinet makes every kernel that nvcc makes, by the same name, with parameters of the same sizes
and with registers within 5 % of nvcc's. No kernel is named, unless --named is there: then templates' instances are.
Kernels that nvcc does not make are told; --exact makes them a difference. It exits with 1 where a file differs that has no
line `// differs: REASON`, or has one and differs no more; `// unnamed: REASON` is such a line where no kernel is named.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from expect import HERE, kernels_of


def common_name(name):
    """The name without what compilers put into the names of anonymous namespaces and of what a file keeps to itself."""
    found = re.search(r"(\d+)(_GLOBAL__N_|_INTERNAL_)", name)
    if not found:
        return name
    end = found.end(1) + int(found.group(1))
    return f"{name[:found.start()]}{found.group(2)}{common_name(name[end:])}"


def name_expression(demangled, with_parameters=False):
    """void n::k<float, 8>(float*) is named n::k<float, 8>, and n::k<float, 8>(float*) where there are others."""
    depth, start = 0, 0
    text = re.sub(r"\(anonymous namespace\)::|\b_INTERNAL_\w+::", "", demangled)
    for at, letter in enumerate(text):
        if letter == "(" and depth == 0:
            return text[start:] if with_parameters else text[start:at]
        if letter == " " and depth == 0:
            start = at + 1
        depth += (letter in "<([{") - (letter in ">)]}")
    return text


def instances(demangled, with_parameters):
    """The expressions of the templates' instances among kernels."""
    return sorted({name_expression(text, with_parameters) for text in demangled if name_expression(text).endswith(">")})


def allocated(registers):
    return (registers + 7) // 8 * 8


def differences(expected, made):
    """What keeps the kernels made from being those expected."""
    found = {common_name(k["name"]): k for k in made}
    for want in expected:
        got = found.get(common_name(want["name"]))
        if not got:
            if "optional" not in want:
                yield f"missing: {want['expression']}"
        elif got["params"] != want["params"]:
            yield f"parameters {got['params']}, not {want['params']}: {want['expression']}"
        elif got["registers"] > 1.05 * want["registers"] and allocated(got["registers"]) > allocated(want["registers"]):
            yield f"{got['registers']} registers for {want['registers']}: {want['expression']}"


def compile_source(arguments, name, entry, archive):
    wanted = [k["expression"] for k in entry["kernels"] if "optional" not in k]
    with_parameters = "\n// named: with parameters\n" in (HERE / name).read_text(errors="replace")
    kernels = [word for expression in instances(wanted, with_parameters) for word in ("--kernel", expression)]
    command = [arguments.cubinet, "compile", HERE / name, "-o", archive, "--arch", "90-real", f"-I{HERE / 'include'}", "-w",
               *entry["options"], *(kernels if arguments.named else []), *arguments.option]
    if arguments.toolkit:
        command += ["--toolkit", arguments.toolkit]
    return subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)


def first_error(text):
    lines = [line for line in text.splitlines() if "error" in line] or text.splitlines() or ["no message"]
    return lines[0].replace(f"{HERE}/", "")


def look_at(arguments, name, entry, folder):
    """The row of a file: kernels made as expected, kernels that are more, and what differs."""
    archive = folder / "made.cubinet"
    done = compile_source(arguments, name, entry, archive)
    if done.returncode:
        return 0, 0, [first_error(done.stderr)]
    made = kernels_of(arguments.cubinet, archive)
    wanted = {common_name(k["name"]) for k in entry["kernels"]}
    common = sum(common_name(k["name"]) in wanted for k in made)
    more = [f"not nvcc's: {k['name']}" for k in made if common_name(k["name"]) not in wanted]
    return common, len(more), [*differences(entry["kernels"], made), *(more if arguments.exact else [])]


def known_difference(name, named):
    """Why a file differs, from its line `// differs: REASON`, or `// unnamed: REASON` where no kernel is named."""
    word = "differs" if named else "differs|unnamed"
    found = re.search(rf"^// (?:{word}): (.*)$", (HERE / name).read_text(errors="replace"), re.MULTILINE)
    return found and found.group(1)


def report(rows):
    print(f"{'file':28} {'nvcc':>4} {'made':>4} {'more':>4}  differences")
    for name, count, common, more, wrong in rows:
        print(f"{name:28} {count:4} {common:4} {more:4}  {'; '.join(wrong[:3])[:200] or 'same'}")
    right = sum(not row[4] for row in rows)
    print(f"{right} of {len(rows)} files have nvcc's kernels: {sum(r[2] for r in rows)} of {sum(r[1] for r in rows)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cubinet", required=True, type=pathlib.Path)
    parser.add_argument("--toolkit")
    parser.add_argument("--named", action="store_true", help="name the templates' instances")
    parser.add_argument("--exact", action="store_true", help="kernels that nvcc does not make are a difference")
    parser.add_argument("--option", action="append", default=[], help="another option of cubinet compile")
    parser.add_argument("files", nargs="*", help="default: all of expected.json")
    arguments = parser.parse_args()
    arguments.cubinet = arguments.cubinet.resolve()
    expected = json.loads((HERE / "expected.json").read_text())["files"]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in arguments.files or expected:
            entry = expected[name]
            rows.append((name, len(entry["kernels"]), *look_at(arguments, name, entry, pathlib.Path(folder))))
    report(rows)
    unexpected = [row[0] for row in rows if bool(row[4]) != bool(known_difference(row[0], False))]
    if arguments.named:  # naming makes what could not be told
        unexpected = [row[0] for row in rows if row[4] and not known_difference(row[0], True)]
    print(f"not as expected: {', '.join(unexpected) or 'none'}")
    sys.exit(bool(unexpected))


if __name__ == "__main__":
    main()

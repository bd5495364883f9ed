#!/usr/bin/env python3
"""Compiles sources of public projects, as they are, with nvcc and with cubinet, and counts those with nvcc's kernels.

    bench/public.py --cubinet COMMAND --root FOLDER [--named] [--at-most N] [--nvcc nvcc] [--jobs N] [--verbose] [PROJECT[/FILE] …]

FOLDER has the projects of bench/public.json, unpacked, each in a folder of its name. What nvcc makes is kept in
FOLDER/nvcc.json. Without --named, cubinet is told no kernel, and those of CUB and Thrust, which these pick where host code
runs, may be missing; with it, it is told the instances of templates that nvcc makes, and none may.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests/corpus/mixed"))

from compare import common_name, name_expression  # noqa: E402 (found by the line above)
from expect import demangled  # noqa: E402

OPTIONAL = re.compile("_ZN(2ls)?(3cub|6thrust)")  # one project has CUB in a namespace of its own
LIMIT = 900  # seconds that a compile may take
FAST = "--Ofast-compile=max"  # what the code is like is not looked at here


def run(command, folder=None):
    try:
        return subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LIMIT, check=False, cwd=folder)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 124, "", f"error: not done in {LIMIT} s")


def spread(paths, limit):
    """As many of the paths as that, at equal distances."""
    return paths if not limit or len(paths) <= limit else [paths[index * len(paths) // limit] for index in range(limit)]


def sources(arguments):
    """Each project's sources with their options: (name, file, options)."""
    for name, project in json.loads((ROOT / "bench/public.json").read_text()).items():
        folder = arguments.root / name
        if not folder.is_dir():
            continue
        left_out = {path for pattern in project.get("not", []) for path in folder.glob(pattern)}
        options = [word.replace("%P", str(folder)).replace("%R", str(arguments.root)) for word in project["options"]]
        paths = sorted({path for pattern in project["files"] for path in folder.glob(pattern)} - left_out)
        for path in spread(paths, arguments.at_most):
            label = f"{name}/{path.relative_to(folder)}"
            if not arguments.only or any(label.startswith(only) for only in arguments.only):
                yield label, path, options


def kernels_in(cubinet, archive):
    text = run([cubinet, "inspect", "--json", archive]).stdout
    modules = json.loads(text)["modules"]
    return sorted({k["kernel"] for module in modules for image in module["images"] for k in image["kernels"]})


def of_nvcc(arguments, path, options, folder):
    """The kernels that nvcc makes, by their mangled names, or its first error."""
    ptx, archive = folder / "nvcc.ptx", folder / "nvcc.cubinet"
    done = run([arguments.nvcc, "-ptx", "-arch=sm_90", FAST, *options, str(path), "-o", ptx], path.parent)
    if done.returncode:
        return {"error": first_error(done.stderr)}
    packed = run([arguments.cubinet, "pack", ptx, "-o", archive])
    return {"kernels": kernels_in(arguments.cubinet, archive) if packed.returncode == 0 else []}


def first_error(text):
    lines = [line for line in text.splitlines() if "error" in line] or text.splitlines() or ["no message"]
    return lines[0]


def of_cubinet(arguments, path, options, wanted, folder):
    """The kernels that cubinet makes. Instances are named with their parameters: others of that name may be declared."""
    archive = folder / "made.cubinet"
    instances = [text for text in demangled(wanted).values() if name_expression(text).endswith(">")] if arguments.named else []
    names = sorted({name_expression(text, with_parameters=True) for text in instances})
    named = [word for name in names for word in ("--kernel", name)]
    # A command line for nvcc says what its host code needs, too.
    done = run([arguments.cubinet, "compile", path, "-o", archive, "--arch", "90-virtual", FAST, "-w", "--drop-host-options", *options,
                *named, *arguments.option], path.parent)
    if done.returncode:
        return [], first_error(done.stderr)
    return kernels_in(arguments.cubinet, archive), None


def cause(message):
    """An error without the names and the places in it."""
    text = re.sub(r"^.*?error:? ", "", message)
    return re.sub(r'"[^"]*"|\'[^\']*\'|`[^`]*`', '"…"', text)[:100]


def look_at(arguments, verdicts, lock, label, path, options):
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if label not in verdicts:
            verdict = of_nvcc(arguments, path, options, folder)
            with lock:
                verdicts[label] = verdict
                (arguments.root / "nvcc.json").write_text(json.dumps(verdicts, indent=0))
        wanted = verdicts[label].get("kernels")
        if not wanted:
            return label, wanted, 0, None
        made, error = of_cubinet(arguments, path, options, wanted, folder)
    made = {common_name(name) for name in made}
    missing = [name for name in wanted if common_name(name) not in made and (arguments.named or not OPTIONAL.match(name))]
    if not error and missing:
        error = f"missing {len(missing)} of {len(wanted)} kernels: {demangled(missing[:1])[missing[0]]}"
    return label, wanted, len(wanted) - len(missing), error


def report(rows):
    projects = collections.defaultdict(list)
    for row in rows:
        projects[row[0].split("/")[0]].append(row)
    print(f"{'project':28} {'files':>5} {'right':>5} {'compile':>7} {'kernels':>8} {'made':>6}")
    for name, ours in [*projects.items(), ("all", rows)]:
        compiled = sum(not error or error.startswith("missing") for *_, error in ours)
        print(f"{name:28} {len(ours):5} {sum(not row[3] for row in ours):5} {compiled:7} "
              f"{sum(len(row[1]) for row in ours):8} {sum(row[2] for row in ours):6}")
    causes = collections.Counter(cause(row[3]) for row in rows if row[3] and not row[3].startswith("missing"))
    for text, count in causes.most_common():
        print(f"{count:5}  {text}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cubinet", required=True, type=pathlib.Path)
    parser.add_argument("--root", required=True, type=pathlib.Path)
    parser.add_argument("--nvcc", default="nvcc")
    parser.add_argument("--named", action="store_true")
    parser.add_argument("--at-most", type=int, metavar="N", help="N files of each project, spread evenly over their names")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--option", action="append", default=[], help="another option of cubinet compile")
    parser.add_argument("--verbose", action="store_true", help="tell each file as it is done")
    parser.add_argument("only", nargs="*")
    arguments = parser.parse_args()
    arguments.cubinet, arguments.root = arguments.cubinet.resolve(), arguments.root.resolve()
    kept = arguments.root / "nvcc.json"
    verdicts, lock = json.loads(kept.read_text()) if kept.exists() else {}, threading.Lock()
    rows = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for row in pool.map(lambda source: look_at(arguments, verdicts, lock, *source), sources(arguments)):
            if arguments.verbose:
                print(f"{row[0]}: {verdicts[row[0]].get('error', 'no kernel') if not row[1] else row[3] or 'right'}", flush=True)
            if row[1]:
                rows.append(row)
    report(rows)


if __name__ == "__main__":
    main()

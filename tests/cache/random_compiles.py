#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles from the cache are those that would have been made.

A small tree of sources and headers is altered at random, again and again: headers are edited, added, removed,
shadowed by others of the same name, replaced by links and folders, given old times; options come and go; kernels are
assembled together and apart; the whole tree is copied elsewhere; earlier states come back. After each step the same compile runs with the cache and without
one, and everything that shows must be equal: the archive, the depfile, the record, what is printed, the exit status.

The steps come from --seed, so that a failure can be repeated; its last steps are printed. They are shared out to trees that
are altered side by side, each by a seed of its own.
"""

import argparse
import collections
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
FOLDERS = ("src", "first", "second", "second/deep", "third")
NAMES = ("a.h", "b.h", "c.h", "part.h")
BODIES = (
    "#define {upper} {number}\n",
    "#define {upper} ({number} + 0)\n",
    "#pragma once\n#define {upper} {number}\n",
    "#include <part.h>\n#define {upper} (PART + {number})\n",
    "#if __has_include(<c.h>)\n#define {upper} {number}\n#else\n#define {upper} 7\n#endif\n",
    "#define {upper} (int)sizeof(__FILE__)\n",
    "#define {upper} (__CUDA_ARCH__ / 10 + {number})\n",
    "#ifdef EXTRA\n#include <c.h>\n#endif\n#define {upper} {number}\n",
)
RARE_BODIES = (
    "#error {number}\n",
    "#define {upper} ((int)sizeof(__TIME__) - 9 + {number})\n",
    "#define {upper} {number}\nstatic __device__ int {lower}_unused() {{ int unused; return 1; }}\n",
)
SOURCE = """#include "a.h"
#include <b.h>
#if __has_include("c.h")
#include "c.h"
#endif
extern "C" __global__ void k(int *p) {{ *p = A + B + {number}; {warning} }}
extern "C" __global__ void l(int *p) {{ *p = A; }}
template <int N> __global__ void t(int *p) {{ *p = N * A; }}
"""
OPTION_CHOICES = (
    ("--arch", ("80-real", "80-real", "90", "80-virtual", "75-virtual", "80-lto")),
    ("--parts", (None, "each", "each", "none")),
    ("-D", (None, "EXTRA", "EXTRA=2", "A_UNUSED=1")),
    ("--kernel", (None, "t<1>", "t<2>")),
    ("-lineinfo", (None, "")),
    ("-w", (None, None, "")),
    ("-MP", (None, "")),
    ("--write-if-different", (None, "")),
    ("--keep-globals", (None, None, "")),
    ("--module", (None, "other")),
    ("--file-prefix-map", (None, None, "{root}=/src")),
    ("-include", (None, None, None, "c.h")),
)


def parse_arguments():
    parser = argparse.ArgumentParser(description="Compares compiles from the cache with others.")
    parser.add_argument("command", help="the cubinet command")
    parser.add_argument("--steps", type=int, default=int(os.environ.get("CUBINET_TEST_STEPS", "500")), help="of all trees")
    parser.add_argument("--trees", type=int, default=2)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("CUBINET_TEST_SEED", "1")))
    return parser.parse_args()


class Tree:
    """The sources and the options, and how they are altered."""

    def __init__(self, root, chance):
        self.root = root
        self.chance = chance
        self.options = {"--arch": "80-real"}
        self.includes = ["first", "second", "third"]
        self.log = collections.deque(maxlen=12)
        for folder in FOLDERS:
            (root / folder).mkdir(parents=True)
        self.write_source()
        for name in NAMES:
            self.write(self.root / "third" / name, BODIES[0])
        self.write(self.root / "src" / "a.h", BODIES[0])

    def body(self, name, body):
        stem = name.split(".")[0]
        return body.format(upper=stem.upper(), lower=stem, number=self.chance.randint(1, 4))

    def write(self, path, body):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.is_symlink():
            path.unlink()
        path.write_text(self.body(path.name, body))

    def write_source(self):
        warning = self.chance.choice(("", "", "int unused;"))
        text = SOURCE.format(number=self.chance.randint(1, 3), warning=warning)
        (self.root / "src" / "k.cu").write_text(text)

    def any_path(self):
        return self.root / self.chance.choice(FOLDERS) / self.chance.choice(NAMES)

    def files(self):
        return [path for folder in FOLDERS for path in sorted((self.root / folder).iterdir())
                if path.suffix == ".h" and path.is_file() and not path.is_symlink()]

    def any_file(self):
        files = self.files()
        return self.chance.choice(files) if files else None

    def remove(self, path):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.exists() or path.is_symlink():
            path.unlink()

    def step(self):
        what = self.chance.choices(
            (self.edit, self.add, self.take_away, self.edit_source, self.change_option, self.change_includes,
             self.edit_and_hide, self.link, self.make_folder, self.replace, self.spoil, self.touch, self.nothing),
            (20, 15, 10, 6, 14, 8, 8, 4, 2, 4, 3, 4, 6))[0]
        self.log.append(f"{what.__name__}: {what()}")

    def edit(self):
        path = self.any_file()
        if path:
            self.write(path, self.chance.choice(BODIES))
        return path

    def add(self):
        path = self.any_path()
        self.write(path, self.chance.choice(BODIES))
        return path

    def take_away(self):
        path = self.any_path()
        self.remove(path)
        return path

    def edit_source(self):
        self.write_source()

    def change_option(self):
        name, values = self.chance.choice(OPTION_CHOICES)
        value = self.chance.choice(values)
        if value is None and name != "--arch":
            self.options.pop(name, None)
        else:
            self.options[name] = value
        return f"{name} {value}"

    def change_includes(self):
        folders = list(FOLDERS[1:])
        self.chance.shuffle(folders)
        self.includes = folders[: self.chance.randint(1, len(folders))]
        return self.includes

    def edit_and_hide(self):
        """An edit that keeps the size and the time, as one may within a step of a coarse clock."""
        path = self.any_file()
        if path:
            about = path.stat()
            text = path.read_text()
            digit = self.chance.choice("123456")
            path.write_text("".join(digit if c.isdigit() else c for c in text))
            os.utime(path, ns=(about.st_atime_ns, about.st_mtime_ns))
        return path

    def link(self):
        path = self.any_path()
        target = self.any_file()
        if target and path != target:
            self.remove(path)
            path.symlink_to(target)
        return f"{path} -> {target}"

    def make_folder(self):
        path = self.any_path()
        self.remove(path)
        path.mkdir()
        return path

    def replace(self):
        """Another file by the same name, written elsewhere and renamed: with an older time, perhaps."""
        path = self.any_path()
        other = self.root / "written"
        other.write_text(self.body(path.name, self.chance.choice(BODIES)))
        os.utime(other, (1000000000, 1000000000))
        if path.is_dir():
            self.remove(path)
        os.rename(other, path)
        return path

    def spoil(self):
        path = self.any_path()
        self.write(path, self.chance.choice(RARE_BODIES))
        return path

    def touch(self):
        path = self.any_file()
        if path:
            os.utime(path, (self.chance.randint(1, 1500000000),) * 2)
        return path

    def nothing(self):
        pass

    def mend(self):
        """Most of what goes wrong is that a header is not found; little is learnt until it is found again."""
        self.includes = list(self.includes) + ["third"] * ("third" not in self.includes)
        self.options.pop("-include", None)
        for name in ("a.h", "b.h", "c.h", "part.h"):
            self.write(self.root / "third" / name, BODIES[0])
        for path in self.files():
            if path.read_text().startswith("#error") or "__TIME__" in path.read_text():
                self.write(path, BODIES[0])
        self.log.append("mend")

    def arguments(self):
        result = ["src/k.cu"] + [f"-I{folder}" for folder in self.includes]
        for name, value in self.options.items():
            value = value.format(root=self.root)
            result += [name, value] if value and name != "-D" else [name + value]
        return result

    def state(self):
        """The tree's contents and the options, to come back to."""
        copy = tempfile.mkdtemp(dir=self.root.parent)
        shutil.copytree(self.root, copy, symlinks=True, dirs_exist_ok=True)
        return copy, dict(self.options), list(self.includes)

    def restore(self, state):
        copy, self.options, self.includes = state[0], dict(state[1]), list(state[2])
        for folder in FOLDERS:
            shutil.rmtree(self.root / folder, ignore_errors=True)
        for folder in ("src", "first", "second", "third"):
            shutil.copytree(pathlib.Path(copy) / folder, self.root / folder, symlinks=True)
        self.log.append(f"restore {copy}")


def compile_once(command, tree_root, arguments, out, cache):
    """Everything that a compile shows. The output has one name, whatever its folder, so that it can be compared."""
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir()
    where = ["-o", f"{out}/k.cubinet", "-MD", "-MF", f"{out}/k.d", "-MT", "k.cubinet"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CUBINET_")}
    done = subprocess.run([command, "compile", *arguments, *where, *cache], cwd=tree_root, env=environment,
                          capture_output=True, text=True, check=False)
    shown = {"exit status": done.returncode, "output": done.stdout, "messages": done.stderr.replace(str(out), "OUT")}
    for name in ("k.cubinet", "k.d", "k.cubinet.inputs"):
        path = out / name
        shown[name] = path.read_bytes() if path.exists() else None
    return shown


def differences(cached, plain):
    names = [name for name in plain if cached[name] != plain[name]]
    # The record holds the command line; what matters is that there is one where there can be, and what it lists.
    if "k.cubinet.inputs" in names:
        records = [shown["k.cubinet.inputs"] for shown in (cached, plain)]
        if None in records or lines_of_record(records[0]) == lines_of_record(records[1]):
            names.remove("k.cubinet.inputs")
    return names


def lines_of_record(record):
    return [line for line in record.split(b"\n") if not line.startswith((b"cubinet-inputs", b"key "))]


def summary(shown):
    if isinstance(shown, bytes) and shown.startswith(b"PK"):
        return f"{len(shown)} bytes, SHA-1 {hashlib.sha1(shown).hexdigest()}"
    return shown.decode(errors="replace") if isinstance(shown, bytes) else shown


def counts(command, cache):
    done = subprocess.run([command, "cache", "stats", "--json", "--dir", cache], capture_output=True, check=True)
    told = json.loads(done.stdout)
    return told["compiles"], told["code"]


def move_now_and_then(tree, base, number, chance):
    """Copies the tree to another place: what was made in one is found in the other."""
    if chance.random() < 0.05:
        other = base / f"copy{number}" / "tree"
        shutil.copytree(tree.root, other, symlinks=True)
        tree.root = other
        tree.log.append(f"move to {other}")


class Difference(Exception):
    """What was wrong at a step, for people."""


def compare(command, tree, base, pool):
    """Compiles with the cache and without; the latter's result."""
    arguments = tree.arguments()
    time.sleep(0.005)  # a file that is as young as the compile is taken for one that is being written
    cached, plain = pool.map(
        lambda job: compile_once(command, tree.root, arguments, *job),
        [(base / "cached", ["--cache", str(base / "cache")]), (base / "plain", ["--no-cache"])])
    wrong = differences(cached, plain)
    if wrong:
        raise Difference("\n".join(
            [f"not the same: {', '.join(wrong)}", f"arguments: {' '.join(arguments)}", *tree.log] +
            [f"--- {name}, cached:\n{summary(cached[name])}\n--- without:\n{summary(plain[name])}" for name in wrong]))
    return plain


def alter(tree, states, is_bad, chance):
    if states and chance.random() < 0.25:
        tree.restore(chance.choice(states))
    elif is_bad and chance.random() < 0.5:
        tree.mend()
    else:
        tree.step()


def run_tree(command, seed, steps, base):
    """All steps of one tree; what the cache counted."""
    chance = random.Random(seed)
    tree = Tree(base / "tree", chance)
    states = []
    failed = 0
    is_bad = False
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for number in range(steps):
            alter(tree, states, is_bad, chance)
            move_now_and_then(tree, base, number, chance)
            if not is_bad and chance.random() < 0.15:
                states.append(tree.state())
            try:
                plain = compare(command, tree, base, pool)
            except Difference as difference:
                raise Difference(f"--seed {seed} --steps {steps} --trees 1, at step {number}: {difference}") from None
            failed += plain["exit status"] != 0
            is_bad = plain["k.cubinet.inputs"] is None  # it failed, or tells the time
    found, code = counts(command, base / "cache")
    told = (f"seed {seed}, {steps} steps: {found['found']} found, {found['made']} made, {found['failed']} failed, "
            f"{found['not_kept']} not kept; code: {code['found']} found, {code['assembled']} assembled")
    if found["found"] < steps // 10 or found["made"] < steps // 10:
        raise Difference(f"{told}: that is too few found or made to have shown anything")
    if code["found"] < steps // 50 or code["assembled"] < steps // 50:
        raise Difference(f"{told}: that is too little code found or assembled to have shown anything")
    if failed != found["failed"]:
        raise Difference(f"{told}: {failed} failed without the cache")
    return told


def run(options, base):
    """Each tree in a folder and a thread of its own; whether all went well."""
    steps = options.steps // options.trees
    with concurrent.futures.ThreadPoolExecutor(options.trees) as pool:
        trees = []
        for seed in range(options.seed, options.seed + options.trees):
            folder = base / str(seed)
            folder.mkdir()
            trees.append(pool.submit(run_tree, options.command, seed, steps, folder))
        for tree in trees:
            error = tree.exception()
            if error and not isinstance(error, Difference):
                raise error
            print(error or tree.result())
    return all(tree.exception() is None for tree in trees)


def main():
    options = parse_arguments()
    options.command = os.path.abspath(options.command)
    with tempfile.TemporaryDirectory() as base:
        probe = pathlib.Path(base) / "probe.cu"
        probe.write_text('extern "C" __global__ void probe() {}\n')
        done = subprocess.run([options.command, "compile", probe, "-o", f"{base}/probe.cubinet", "--arch", "80-virtual"],
                              capture_output=True, check=False)
        if done.returncode != 0:
            print("no CUDA toolkit:", done.stderr.decode())
            return SKIPPED
        return 0 if run(options, pathlib.Path(base).resolve()) else 1


if __name__ == "__main__":
    sys.exit(main())

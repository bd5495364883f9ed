# SPDX-License-Identifier: Apache-2.0
"""Builds of Cubinet inside tests take the objects of the build under test, where that compiled the same source with the same
command: they configure, link and install as ever, and compile only what differs. take_object.c, their compiler launcher, reads
the table of objects that is written here."""

import json
import os
import subprocess

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TAKE_OBJECT = os.environ["CUBINET_TAKE_OBJECT"]


def ask_ninja(build, tool):
    """By the Ninja that built there: another version would discard its log."""
    with open(os.path.join(build, "CMakeCache.txt"), encoding="utf-8") as file:
        ninja = file.read().partition("\nCMAKE_MAKE_PROGRAM:FILEPATH=")[2].partition("\n")[0]
    return subprocess.check_output([ninja, "-C", build, "-t", tool], text=True)


def fresh_objects(build):
    """By Ninja's list: an object a paragraph, then its sources and headers."""
    times = {}

    def time_of(path):
        if path not in times:
            times[path] = os.stat(path).st_mtime if os.path.exists(path) else float("inf")
        return times[path]

    fresh = set()
    for paragraph in ask_ninja(build, "deps").split("\n\n"):
        lines = [line.strip() for line in paragraph.split("\n")]
        made, _, status = lines[0].partition(":")
        path = os.path.join(build, made)
        if made.startswith(("loader/", "packager/", "python/")) and "VALID" in status and os.path.exists(path):
            if all(time_of(os.path.join(build, line)) <= os.stat(path).st_mtime for line in lines[1:]):
                fresh.add(made)
    return fresh


def without_launcher(command):
    compilers = [i for i, word in enumerate(command) if word.startswith("/") and not word.endswith("ccache")]
    return command[compilers[0]:] if compilers else command


def write_table(build, table):
    """Lists the objects of a build folder of Ninja's that are newer than what they were compiled from."""
    commands = []
    if os.path.exists(os.path.join(build, "build.ninja")):
        fresh = fresh_objects(build)
        commands = [" ".join(without_launcher(entry["command"].split(" "))) for entry in json.loads(ask_ninja(build, "compdb"))
                    if entry["output"] in fresh and '"' not in entry["command"]]  # fmt: skip
    keys = subprocess.run([TAKE_OBJECT, "--keys", SOURCE], input="\n".join(commands), text=True, check=True, stdout=subprocess.PIPE)
    lines = keys.stdout.splitlines()
    with open(table, "w", encoding="utf-8") as file:
        file.write(f"{SOURCE}\n")
        for key, made in zip(lines[0::2], lines[1::2]):
            file.write(f"\n{key}\n{os.path.join(build, made)}\n")


def environment(folder):
    """What a build of Cubinet needs in its environment to take objects; the table is in a folder of the test's."""
    table = os.path.join(folder, "objects.txt")
    write_table(os.environ["CUBINET_BUILD"], table)
    return {"CMAKE_C_COMPILER_LAUNCHER": f"{TAKE_OBJECT};{table}"}

# SPDX-License-Identifier: Apache-2.0
"""Builds of Cubinet inside tests take the objects of the build under test, where that compiled the same source with the same
command: they configure, link and install as ever, and compile only what differs.

Run as a compiler launcher, hundreds of times, for which it imports little: objects.py TABLE COMPILER ARGUMENT..."""

import os
import sys

SCRIPT = os.path.abspath(__file__)
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(SCRIPT)))


def real_path(path, copy=os.environ.get("CUBINET_TEST_SOURCE")):
    """A file of a copy of the source is that of the source."""
    path = os.path.realpath(path)
    if copy and path.startswith(f"{os.path.realpath(copy)}/"):
        path = SOURCE + path[len(os.path.realpath(copy)):]
    return path


def compile_key(command):
    """What a compile depends on: its arguments without the paths of what it writes; and the object and the depfile."""
    key, written = [os.path.realpath(command[0])], {}
    arguments = iter(command[1:])
    for argument in arguments:
        if argument in ("-o", "-MF", "-MT"):
            written[argument] = next(arguments)
        elif "/walls/room_" in argument:  # the build folder's links to headers of the source
            key.append("-I" + argument[argument.rindex("/walls/room_"):])
        elif argument[:3] == "-I/":
            key.append("-I" + real_path(argument[2:]))
        elif argument[:1] == "/":
            key.append(real_path(argument))
        elif argument not in ("-MD", "-c"):
            key.append(argument)
    return "\t".join(key), written.get("-o"), written.get("-MF")


def ask_ninja(build, tool):
    """By the Ninja that built there: another version would discard its log."""
    import subprocess

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
        if made.startswith(("loader/", "packager/")) and "VALID" in status and os.path.exists(path):
            if all(time_of(os.path.join(build, line)) <= os.stat(path).st_mtime for line in lines[1:]):
                fresh.add(made)
    return fresh


def without_launcher(command):
    compilers = [i for i, word in enumerate(command) if word.startswith("/") and not word.endswith("ccache")]
    return command[compilers[0]:] if compilers else command


def write_table(build, table):
    """Lists the objects of a build folder of Ninja's that are newer than what they were compiled from."""
    import json

    lines = []
    if os.path.exists(os.path.join(build, "build.ninja")):
        fresh = fresh_objects(build)
        for entry in json.loads(ask_ninja(build, "compdb")):
            words = entry["command"].split(" ")
            if entry["output"] in fresh and '"' not in entry["command"]:
                key, made, _ = compile_key(without_launcher(words))
                lines.append(f"\n{key}\n{os.path.join(build, made)}\n")
    with open(table, "w", encoding="utf-8") as file:
        file.write("".join(lines))


def environment(folder):
    """What a build of Cubinet needs in its environment to take objects; the table is in a folder of the test's."""
    table = os.path.join(folder, "objects.txt")
    write_table(os.environ["CUBINET_BUILD"], table)
    return {"CMAKE_C_COMPILER_LAUNCHER": ";".join([os.path.realpath(sys.executable), "-ISE", SCRIPT, table])}


def main():
    command = sys.argv[2:]
    key, made, depfile = compile_key(command)
    with open(sys.argv[1], encoding="utf-8") as file:
        known = file.read().partition(f"\n{key}\n")[2].partition("\n")[0]
    if not made or not os.path.exists(known):
        os.execv(command[0], command)
    with open(known, "rb") as source, open(made, "wb") as target:
        target.write(source.read())
    if depfile:
        with open(depfile, "w", encoding="utf-8") as file:
            file.write(f"{made}: {command[-1]}\n")


if __name__ == "__main__":
    main()

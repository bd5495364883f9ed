# SPDX-License-Identifier: Apache-2.0
"""Builds of Cubinet inside tests take the objects of the build under test, where that compiled the same source with the same
command: they configure, link and install as ever, and compile only what differs.

Run as a compiler launcher: objects.py TABLE COMPILER ARGUMENT..."""

import json
import os
import subprocess
import sys

SCRIPT = os.path.abspath(__file__)


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
            key.append("-I" + os.path.realpath(argument[2:]))
        elif argument[:1] == "/":
            key.append(os.path.realpath(argument))
        elif argument not in ("-MD", "-c"):
            key.append(argument)
    return "\0".join(key), written.get("-o"), written.get("-MF")


def fresh_objects(build):
    """By Ninja's list: an object a paragraph, then its sources and headers."""
    times = {}

    def time_of(path):
        if path not in times:
            times[path] = os.stat(path).st_mtime if os.path.exists(path) else float("inf")
        return times[path]

    fresh = set()
    for paragraph in subprocess.check_output(["ninja", "-C", build, "-t", "deps"], text=True).split("\n\n"):
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
    objects = {}
    if os.path.exists(os.path.join(build, "build.ninja")):
        fresh = fresh_objects(build)
        for entry in json.loads(subprocess.check_output(["ninja", "-C", build, "-t", "compdb"])):
            words = entry["command"].split(" ")
            if entry["output"] in fresh and '"' not in entry["command"]:
                key, made, _ = compile_key(without_launcher(words))
                objects[key] = os.path.join(build, made)
    with open(table, "w", encoding="utf-8") as file:
        json.dump(objects, file)


def environment(folder):
    """What a build of Cubinet needs in its environment to take objects; the table is in a folder of the test's."""
    table = os.path.join(folder, "objects.json")
    write_table(os.environ["CUBINET_BUILD"], table)
    return {"CMAKE_C_COMPILER_LAUNCHER": ";".join([os.path.realpath(sys.executable), "-ISE", SCRIPT, table])}


def main():
    command = sys.argv[2:]
    key, made, depfile = compile_key(command)
    with open(sys.argv[1], encoding="utf-8") as file:
        known = json.load(file).get(key)
    if not known or not made or not os.path.exists(known):
        os.execv(command[0], command)
    with open(known, "rb") as source, open(made, "wb") as target:
        target.write(source.read())
    if depfile:
        with open(depfile, "w", encoding="utf-8") as file:
            file.write(f"{made}: {command[-1]}\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Checks the walls between rooms: usage check_walls.py NM ROOMS CC SOURCE INTERPOSED

ROOMS has a line a room, as scripts/rooms.cmake writes it. What a room's objects need must be defined in the room itself, in a
room that it uses, or outside the project. The public interface, cubinet_*, is for every room of the packager, and the
functions of libc that are INTERPOSED are for all. Inside a room calls point one way, too: no objects need each other in a
circle. Each room must have a README.md, and see the headers of the rooms that it uses and no others: one include that points
up is tried with CC.
"""
import graphlib
import pathlib
import subprocess
import sys
import tempfile

# Files that may call each other in a circle: a preprocessor expands macros to read a directive, and reads directives between
# the arguments of a macro.
RECURSIVE = [{"cxx_unit.c.o", "cxx_condition.c.o", "cxx_expand.c.o"}]


def symbols(nm, objects, kind):
    shown = subprocess.run([nm, "-A", "--no-sort", "-g", kind, *objects], check=True, capture_output=True, text=True).stdout
    return [(line.split(":")[0], line.split()[-1]) for line in shown.splitlines()]


def circle(nm, objects, interposed):
    """Objects that need each other in a circle, each with what the next one needs of it; none if calls point one way."""
    home = {symbol: file for file, symbol in symbols(nm, objects, "--defined-only")}
    needs = {file: {} for file in objects}
    for file, symbol in symbols(nm, objects, "--undefined-only"):
        pair = {pathlib.Path(file).name, pathlib.Path(home.get(symbol, file)).name}
        if symbol in home and symbol not in interposed and not any(pair <= files for files in RECURSIVE):
            needs[file].setdefault(home[symbol], symbol)
    try:
        graphlib.TopologicalSorter(needs).prepare()
    except graphlib.CycleError as error:
        files = error.args[1]
        return [f"{pathlib.Path(upper).name} needs {needs[upper][lower]} of {pathlib.Path(lower).name}"
                for lower, upper in zip(files, files[1:])]
    return []


def main():
    nm, rooms_file, compiler, source, interposed = sys.argv[1:]
    interposed = set(interposed.split(";"))
    rooms = {}
    for line in pathlib.Path(rooms_file).read_text().splitlines():
        name, uses, objects = line.split("|")
        rooms[name] = (uses.split(), objects.split(";"))
    problems = []
    defined = {}
    for name, (_, objects) in rooms.items():
        for _, symbol in symbols(nm, objects, "--defined-only"):
            defined[symbol] = name
    for name, (uses, objects) in rooms.items():
        for file, symbol in symbols(nm, objects, "--undefined-only"):
            home = defined.get(symbol, name)
            public = symbol.startswith("cubinet_") and home.startswith("loader/") and not name.startswith("loader/")
            if home != name and home not in uses and not public and symbol not in interposed:
                problems.append(f"{file} uses {symbol} of the room {home}, which {name} does not list")
        problems += [f"a circle in {name}: {', '.join(found)}" for found in [circle(nm, objects, interposed)] if found]
    for name in rooms:
        folder = pathlib.Path(source, name if name.startswith("loader/") else f"packager/{name}")
        if not (folder / "README.md").is_file():
            problems.append(f"{folder} has no README.md")
    problems += wrong_includes(compiler, rooms, pathlib.Path(rooms_file).parent, pathlib.Path(source))
    print("\n".join(problems) or f"{len(rooms)} rooms, {len(defined)} symbols: every arrow points down")
    return 1 if problems or len(rooms) < 10 or not defined else 0


def wrong_includes(compiler, rooms, walls, source):
    """An include of each room's headers from each room: compiles exactly where the arrow is listed."""
    problems = []
    for name, (uses, _) in rooms.items():
        folder = walls / "".join(c if c.isalnum() else "_" for c in f"room_{name}")
        for other in rooms:
            home = source / (other if other.startswith("loader/") else f"packager/{other}")
            header = next(iter(sorted(home.glob("*.h"))), None)
            if header is None:
                continue
            found = (folder / other / header.name).is_file()
            if found != (other == name or other in uses):
                problems.append(f"{name} {'sees' if found else 'does not see'} {other}/{header.name}")
    with tempfile.TemporaryDirectory() as scratch:
        lowest, highest = next(iter(rooms)), list(rooms)[-1]
        home = source / (highest if highest.startswith("loader/") else f"packager/{highest}")
        header = sorted(home.glob("*.h"))[0].name
        wrong = pathlib.Path(scratch, "wrong.c")
        wrong.write_text(f'#include "{highest}/{header}"\n')
        lowest_walls = walls / "".join(c if c.isalnum() else "_" for c in f"room_{lowest}")
        tried = subprocess.run([compiler, f"-I{lowest_walls}", f"-I{source}/loader/include", "-fsyntax-only", wrong],
                               capture_output=True, text=True)
        if tried.returncode == 0 or "No such file" not in tried.stderr:
            problems.append(f"{lowest} can include {highest}/{header}: {tried.stderr}")
    return problems


sys.exit(main())

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the sources of the corpus with two commands and compares the archives byte by byte.

    tests/corpus/same_archives.py OLD NEW [FILE.cu …]

It prints the sources that only one of them compiles or whose archives differ, and exits with 1 if one that OLD compiles is
among them. A fix of what was wrong before may be, too: read the list.
"""

import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "mixed"))

from expect import options_of  # noqa: E402 (found by the line above)


def archive_of(command, source, folder):
    """The bytes of the archive, or None if it does not compile."""
    made = pathlib.Path(folder) / "made.cubinet"
    made.unlink(missing_ok=True)
    options = [f"-I{HERE / 'mixed/include'}", *options_of(source)]
    subprocess.run([command, "compile", source, "-o", made, "--arch", "90-virtual", "-w", "--drop-host-options", *options],
                   capture_output=True, check=False, cwd=source.parent)
    return made.read_bytes() if made.exists() else None


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    old, new = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    sources = [pathlib.Path(word).resolve() for word in sys.argv[3:]] or sorted(HERE.rglob("*.cu"))
    worse = same = 0
    with tempfile.TemporaryDirectory() as folder:
        for source in sources:
            before, after = archive_of(old, source, folder), archive_of(new, source, folder)
            same += before is not None and before == after
            if before != after:
                worse += before is not None
                print(f"{source.relative_to(HERE)}: " + ("compiles now" if before is None else "is refused now" if after is None
                                                         else "differs"))
    print(f"{same} archives are the same, {worse} are not")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())

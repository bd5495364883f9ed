#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the command-line tests in cases/*.test.

A case is text with command lines in it, indented by two spaces and with what they print below them:

      $ cubinet list missing.cubinet
      cubinet: error: 'missing.cubinet' cannot be opened: No such file or directory
      [1]

"> " continues a command line, "[N]" is an exit status other than 0. Standard output and error come together.
Blank lines of output are not compared. A line "needs: NAME" skips the case, saying so, where there is no such
program ("cuda": no CUDA toolkit; "cuda-12": not the one that scripts/test_extras.sh fetches, in $CUDA_12; "pch": a build
with the thread sanitizer, whose memory lies where NVRTC would have to be for precompiled headers).

Each case runs in an empty folder of its own, with $INPUTS naming inputs/, $CUBINS, $FATBINS, $TILEIR and $KEYS the golden
cubins, fatbins, Tile IR and keys,
`cubinet` the command and `make_archive` the tool that files ready-made images.

With --bless, what was printed is written into the case instead of compared.
"""

import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SKIPPED = 77  # the exit status that CTest takes for "skipped"


def parse_arguments():
    parser = argparse.ArgumentParser(description="Runs the command-line tests.")
    parser.add_argument("--bless", action="store_true", help="accept what the command prints now")
    parser.add_argument("--build", type=pathlib.Path, help="build folder; by default the newest in build/")
    parser.add_argument("cases", nargs="*", type=pathlib.Path, help="by default all in cases/")
    return parser.parse_args()


def newest_build():
    commands = sorted(ROOT.glob("build*/**/packager/cubinet"), key=lambda path: path.stat().st_mtime)
    if not commands:
        sys.exit("no build of cubinet in build/: give one with --build")
    return commands[-1].parent.parent


def environment(build):
    tools = [str(build / "packager"), str(build / "tests" / "cli")]
    result = {name: value for name, value in os.environ.items()
              if not name.startswith(("CUBINET_", "SIMCUDA_")) and name != "SOURCE_DATE_EPOCH"}
    result.update(
        PATH=os.pathsep.join(tools + [os.environ.get("PATH", "")]),
        INPUTS=str(HERE / "inputs"),
        CUBINS=str(ROOT / "tests" / "golden" / "cubin"),
        KEYS=str(ROOT / "tests" / "golden" / "keys"),
        FATBINS=str(ROOT / "tests" / "golden" / "fatbin"),
        TILEIR=str(ROOT / "tests" / "golden" / "tileir"),
        CUDA_12=str(ROOT / "build" / "other"),
        CUDA_NEWEST=str(ROOT / "build" / "newest_cuda" / "nvidia" / "cu13"),
        BUILD=str(build),
        LC_ALL="C",
        TZ="UTC0",
    )
    return result


def has_toolkit(env):
    """Whether `cubinet compile` finds one, which only it can say."""
    with tempfile.TemporaryDirectory() as folder:
        source = pathlib.Path(folder) / "probe.cu"
        source.write_text('extern "C" __global__ void probe() {}\n')
        command = ["cubinet", "compile", str(source), "-o", str(source) + ".cubinet", "--arch", "80-virtual"]
        return subprocess.run(command, env=env, capture_output=True, check=False).returncode == 0


def missing_need(lines, env):
    for line in lines:
        found = re.match(r"needs: (\S+)$", line)
        if not found:
            continue
        need = found.group(1)
        if need == "cuda" and not has_toolkit(env):
            return "a CUDA toolkit"
        if need == "cuda-12" and not pathlib.Path(env["CUDA_12"], "nvidia/cuda_nvrtc/lib/libnvrtc.so.12").exists():
            return "NVRTC of CUDA 12 in build/other"
        if need == "cuda-newest" and not pathlib.Path(env["CUDA_NEWEST"], "lib/libnvrtc.so.13").exists():
            return "the newest CUDA's compilers in build/newest_cuda"
        if need == "pch" and "CUBINET_SANITIZE:STRING=thread" in pathlib.Path(env["BUILD"], "CMakeCache.txt").read_text():
            return "a build without the thread sanitizer"
        if not need.startswith("cuda") and need != "pch" and not shutil.which(need, path=env["PATH"]):
            return need
    return None


def run_command(command, folder, env):
    done = subprocess.run(["sh", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    text = done.stdout.decode("utf-8", "backslashreplace")
    # What differs from one build or machine to another.
    for path, name in ((folder, "$FOLDER"), (env["INPUTS"], "$INPUTS"), (env["BUILD"], "$BUILD")):
        text = text.replace(str(path), name)
    text = re.sub(r"^(Made \S+ in )[\d.]+ s: (.*?images?), [\d.]+ [KM]?B", r"\1N s: \2, SIZE", text, flags=re.MULTILINE)
    text = re.sub(r"\bcubinet \d+\.\d+\.\d+", "cubinet VERSION", text)
    output = [line for line in text.splitlines() if line.strip()]
    if done.returncode != 0:
        output.append(f"[{done.returncode}]")
    return output


def perform(lines, folder, env):
    """The case as it would read if all that is printed were right."""
    result = []
    position = 0
    while position < len(lines):
        line = lines[position]
        position += 1
        if not line.startswith("  "):
            result.append(line)
            continue
        result.append(line)
        if not line.startswith("  $ "):
            sys.exit(f"no command line above {line!r}")
        command = line[4:]
        while position < len(lines) and lines[position].startswith("  > "):
            result.append(lines[position])
            command += "\n" + lines[position][4:]
            position += 1
        while position < len(lines) and lines[position].startswith("  ") and lines[position][2:4] != "$ ":
            position += 1  # what was expected
        result += ["  " + printed for printed in run_command(command, folder, env)]
    return result


def run_case(case, env, bless):
    """The case's outcome: "passed", "failed", "blessed", or "skipped"."""
    lines = case.read_text(encoding="utf-8").splitlines()
    need = missing_need(lines, env)
    if need:
        print(f"skipped {case.stem}: it needs {need}")
        return "skipped"
    with tempfile.TemporaryDirectory(prefix="cubinet-") as folder:
        result = perform(lines, pathlib.Path(folder).resolve(), env)
    if result == lines:
        print(f"passed  {case.stem}")
        return "passed"
    if bless:
        case.write_text("\n".join(result) + "\n", encoding="utf-8")
        print(f"blessed {case.stem}")
        return "blessed"
    print(f"FAILED  {case.stem}")
    print("\n".join(difflib.unified_diff(lines, result, "expected", "printed", lineterm="")))
    return "failed"


def main():
    arguments = parse_arguments()
    build = (arguments.build or newest_build()).resolve()
    env = environment(build)
    cases = arguments.cases or sorted((HERE / "cases").glob("*.test"))
    outcomes = [run_case(case, env, arguments.bless) for case in cases]
    if "failed" in outcomes:
        return 1
    return SKIPPED if all(outcome == "skipped" for outcome in outcomes) else 0


if __name__ == "__main__":
    sys.exit(main())

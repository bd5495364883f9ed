#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Walks nvcc's options: each is in the table of docs/guide/from-nvcc.md, and `cubinet compile` does with it what the table
says, however it is spelled. Where there is an nvcc, its own --help is compared with the list kept here.

Usage: nvcc_options.py CUBINET [TOOLKIT]
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "from-nvcc.md"
SKIPPED = 77

# nvcc's long name, its short name ("" if both are the same), and a value that nvcc takes (None: it takes none).
OPTIONS = """
cuda - None
cubin - None
fatbin - None
ptx - None
optix-ir - None
ltoir - None
preprocess E None
generate-dependencies M None
generate-nonsystem-dependencies MM None
generate-dependencies-with-compile MD None
generate-nonsystem-dependencies-with-compile MMD None
dependency-output MF k.d
generate-dependency-targets MP None
compile c None
device-c dc None
device-w dw None
device-link dlink None
link - None
lib - None
run - None
output-file o k.out
pre-include include k.h
objdir-as-tempdir objtemp None
library l cudadevrt
define-macro D X=1,Y
undefine-macro U X
include-path I .,folder
system-include isystem .,folder
library-path L .
output-directory odir folder
compiler-bindir ccbin g++
allow-unsupported-compiler - None
archiver-binary arbin ar
cudart - shared
cudadevrt - static
libdevice-directory ldir .
target-directory target-dir sbsa-linux
use-local-env - None
force-cl-env-setup - None
profile pg None
debug g None
device-debug G None
generate-line-info lineinfo None
optimization-info opt-info inline
optimize O 2
Ofast-compile Ofc min
dopt - on
dlink-time-opt dlto None
lto - None
gen-opt-lto - None
ftemplate-backtrace-limit - 10
ftemplate-depth - 100
no-exceptions noeh None
shared - None
x - cu
std - c++17
no-host-device-initializer-list nohdinitlist None
no-host-device-move-forward nohdmoveforward None
expt-relaxed-constexpr - None
extended-lambda - None
expt-extended-lambda - None
machine m 64
m64 - None
compiler-options Xcompiler -fPIC,-Wall
linker-options Xlinker -s
archive-options Xarchive -v
ptxas-options Xptxas -O3,-dlcm=ca
nvlink-options Xnvlink -v
static-global-template-stub - true
device-entity-has-hidden-visibility - true
forward-unknown-to-host-compiler - None
forward-unknown-to-host-linker - None
forward-unknown-opts - None
dont-use-profile noprof None
dryrun - None
verbose v None
threads t 4
split-compile - 2
split-compile-extended - 2
fdevice-syntax-only - None
fdevice-time-trace - trace.json
keep - None
keep-dir - folder
save-temps - None
clean-targets clean None
time - time.csv
run-args - a
input-drive-prefix idp /
dependency-drive-prefix ddp /
drive-prefix dp /
dependency-target-name MT target
no-align-double - None
no-device-link nodlink None
gpu-architecture arch sm_80
gpu-code code sm_80
generate-code gencode arch=compute_80,code=sm_80
relocatable-device-code rdc true
entries e k
maxrregcount - 32
use_fast_math - None
ftz - true
prec-div - true
prec-sqrt - true
fmad - false
extra-device-vectorization - None
default-stream - per-thread
disable-warnings w None
keep-device-functions - None
source-in-ptx src-in-ptx None
restrict - None
Wreorder - None
Wdefault-stream-launch - None
Wmissing-launch-bounds - None
Wext-lambda-captures-this - None
Wno-deprecated-declarations - None
Wno-deprecated-gpu-targets - None
Werror - reorder,cross-execution-space-call
resource-usage res-usage None
extensible-whole-program ewp None
no-compress - None
qpp-config - 8.3,gcc_ntox86_64
compile-as-tools-patch astoolspatch None
list-gpu-code code-ls None
list-gpu-arch arch-ls None
display-error-number err-no None
no-display-error-number no-err-no None
diag-error - 177
diag-suppress - 177
diag-warn - 177
host-linker-script hls use-lcs
augment-host-linker-script aug-hls None
relocatable-link r None
brief-diagnostics brief-diag true
jump-table-density jtd 50
relocatable-ptx reloc-ptx None
device-stack-protector - true
compress-mode - size
frandom-seed - 42
sanitize - memcheck
jobserver - None
help h None
version V None
options-file optf more.txt
"""

# What else the command line needs for the option to mean something.
CONTEXT = {
    "dependency-output": ["-arch=sm_80", "-MD"],
    "dependency-target-name": ["-arch=sm_80", "-MD"],
    "generate-dependency-targets": ["-arch=sm_80", "-MD"],
    "gpu-code": ["-arch=compute_80"],
    "gpu-architecture": [],
    "generate-code": [],
}

# Of what a toolkit of CUDA 12 may not take, and says so.
NEWER = {"Ofast-compile", "jump-table-density", "device-stack-protector", "fdevice-time-trace", "time"}


def read_options():
    rows = [line.split(" ", 2) for line in OPTIONS.split("\n") if line]
    return {name: ("" if short == "-" else short, None if value == "None" else value)
            for name, short, value in rows}


def read_table():
    """What docs/guide/from-nvcc.md says of each option: its short name and what becomes of it."""
    pattern = r"^\| `--(\S+)`(?:, `-(\S+)`)? \| (same|other|none|warning|error) \|"
    return {name: (short, fate) for name, short, fate in re.findall(pattern, DOCUMENT.read_text(), re.MULTILINE)}


def nvcc_options(toolkit):
    """The options of the toolkit's nvcc, or None."""
    nvcc = pathlib.Path(toolkit, "bin", "nvcc") if toolkit else None
    nvcc = str(nvcc) if nvcc and nvcc.exists() else shutil.which("nvcc")
    if not nvcc:
        return None
    text = subprocess.run([nvcc, "--help"], capture_output=True, text=True, check=True).stdout
    return {name: "" if short in (name, "-" + name) else short
            for name, short in re.findall(r"^--(\S+).*?\(?-(\S+?)\)? *$", text, re.MULTILINE)}


def spellings(name, short, value):
    """The option in every way that nvcc takes it."""
    names = [f"--{name}", f"-{name}"] + ([f"-{short}", f"--{short}"] if len(short) > 1 else [f"-{short}"] * len(short))
    if value is None:
        return [[text] for text in names]
    return [form for text in names for form in ([f"{text}={value}"], [text, value])]


class Compiles:
    """Runs of `cubinet compile` on a small kernel, each option in a folder of its own."""

    def __init__(self, command, toolkit):
        self.command = [command, "compile"] + (["--toolkit", toolkit] if toolkit else [])

    def run(self, name, option):
        with tempfile.TemporaryDirectory(prefix="cubinet-") as scratch:
            folder = pathlib.Path(scratch)
            (folder / "folder").mkdir()
            (folder / "k.cu").write_text('extern "C" __global__ void k(float *x) { *x = 1; }\n')
            (folder / "k.h").write_text("")
            (folder / "more.txt").write_text("-DX=1 -DY=2\n")
            arguments = self.command + ["k.cu"] + CONTEXT.get(name, ["-arch=sm_80"]) + option
            return subprocess.run(arguments, cwd=folder, capture_output=True, text=True, check=False)

    def outcome(self, name, option):
        done = self.run(name, option)
        if done.returncode == 0:
            return "warning" if "warning: without effect" in done.stderr else "taken"
        refused = "unknown option" not in done.stderr and "cubinet: error:" in done.stderr
        if refused and name in NEWER and "unrecognized option" in done.stderr:
            return "taken"
        return "error" if refused and done.returncode == 2 else "failed: " + done.stderr


def check_lists(options, table, nvcc):
    problems = []
    for name, (short, _) in options.items():
        if table.get(name, (None,))[0] != short:
            problems.append(f"--{name}, -{short}: not so in the table of {DOCUMENT.name}")
    for name in table.keys() - options.keys():
        problems.append(f"--{name}: in the table, but no option of nvcc's")
    for name, short in (nvcc or {}).items():
        if name not in options or options[name][0] != short:
            problems.append(f"--{name}, -{short}: in nvcc's help, but not in the list of this test")
    return problems


def check_fates(options, table, compiles):
    problems = []
    for name, (short, value) in options.items():
        fate = table[name][1]
        expected = fate if fate in ("warning", "error") else "taken"
        # The ways to spell it go into one command line, unless it ends the command.
        ways = spellings(name, short, value)
        runs = ways if expected == "error" else [sum(ways, [])]
        for run in runs:
            outcome = compiles.outcome(name, run)
            if outcome != expected:
                problems.append(f"{' '.join(run)}: {outcome}; the table says {fate}")
    return problems


def main():
    command, toolkit = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else None
    compiles = Compiles(command, toolkit)
    if compiles.run("", []).returncode != 0:
        print("skipped: there is no CUDA toolkit")
        return SKIPPED
    options, table, nvcc = read_options(), read_table(), nvcc_options(toolkit)
    problems = check_lists(options, table, nvcc)
    if not problems:
        problems = check_fates(options, table, compiles)
    print("\n".join(problems))
    print(f"{len(options)} options; {'no nvcc to compare with' if nvcc is None else 'compared with nvcc'}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

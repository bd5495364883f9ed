#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that nvcc links, slimmed for this machine's GPU, run as before: slim.py CUBINET [ARCH].

Each is built with another compression, the static or the dynamic CUDA runtime, device code that is linked or not, and as
a shared library, and slimmed with the layout kept, with --cut, and with PTX alone left. Exits with 77 without a GPU or
nvcc.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GENCODE = [word for number in (75, 80, 86, 90, 100, 120) for word in ("-gencode", f"arch=compute_{number},code=sm_{number}")]
PTX = ["-gencode", "arch=compute_75,code=compute_75"]
BUILDS = {
    "raw": ["--compress-mode=none"],
    "speed": ["--compress-mode=speed"],
    "size": ["--compress-mode=size"],
    "dynamic": ["--cudart=shared", "--compress-mode=none"],
    "linked": ["-rdc=true", "-DRELOCATABLE"],
    "library": ["--compress-mode=none", "-Xcompiler=-fPIC", "-DLIBRARY"],
}


def run(command, **options):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)


def must(command, **options):
    done = run(command, **options)
    if done.returncode:
        sys.exit(f"programs: {' '.join(map(str, command))}: {done.stdout}{done.stderr}")
    return done.stdout


def build(nvcc, folder, name, options):
    """The file to slim, and the command that runs it."""
    sources = [HERE / "slim.cu", HERE / "slim_other.cu"]
    target = folder / name
    common = [nvcc, *GENCODE, *PTX, *options]
    if name != "library":
        must([*common, *sources, "-o", target])
        return target, target
    library = folder / "libslim.so"
    must([*common, "-Dmain=run_all", "-shared", *sources, "-o", library])
    caller = folder / "caller.cpp"
    caller.write_text("int run_all(); int main() { return run_all(); }\n")
    must([nvcc, caller, f"-L{folder}", "-lslim", "-o", target, f"-Xlinker=-rpath,{folder}"])
    return library, target


def check(cubinet, environment, name, file, program, how):
    original = file.with_suffix(".whole")
    shutil.copy2(file, original)
    must([*cubinet, "slim", file, *how, "-o", file])
    done = run([program], env=environment)
    saved = os.stat(original).st_size - os.stat(file).st_size
    print(f"{name} {' '.join(how)}: {done.stdout.strip()}{done.stderr.strip()}, {saved} bytes less in the file", flush=True)
    shutil.copy2(original, file)
    return done.stdout.strip() == "right" and done.returncode == 0


def main():
    cubinet = sys.argv[1].split()
    arch = sys.argv[2] if len(sys.argv) > 2 else "native"
    nvcc = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    if not shutil.which(nvcc) or run([*cubinet, "slim", "/dev/null", "--arch", arch, "--dry-run"]).returncode == 2:
        print("skipped: no nvcc, or no GPU")
        sys.exit(77)
    right = True
    root = pathlib.Path(nvcc).resolve().parent.parent
    environment = dict(os.environ, LD_LIBRARY_PATH=f"{root}/lib64:{root}/lib")
    with tempfile.TemporaryDirectory() as folder:
        for name, options in BUILDS.items():
            file, program = build(nvcc, pathlib.Path(folder), name, options)
            for how in (["--arch", arch], ["--arch", arch, "--cut"], ["--arch", arch, "--no-compress", "--cut"]):
                right = check(cubinet, environment, name, file, program, how) and right
            if name != "linked":  # 8.7 gets PTX alone
                right = check(cubinet, environment, name, file, program, ["--arch", "8.7"]) and right
    print("programs: all right" if right else "programs: failed")
    sys.exit(not right)


main()

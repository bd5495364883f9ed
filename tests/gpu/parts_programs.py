#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs do the same in parts as in one.

Each program has many kernels that share functions, constants, variables, tables of functions, objects with virtual
functions, strings and static variables at random. It is compiled with --parts each and with --parts none, as machine
code and as PTX; all kernels run in turn, twice, and what they write and what is in the variables must be equal.

Programs come from --seed. Without a GPU (or with --compile-only) only what can be told from the archives is compared:
kernels, variables, and that the driver would get each kernel once.
"""
import argparse
import json
import pathlib
import random
import subprocess
import sys
import tempfile

SKIPPED = 77

PRELUDE = """\
struct Shape { __device__ virtual int area(int x) const = 0; };
"""


class Program:
    """The text of one program."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.kernels = []
        self.text = PRELUDE
        self.variables = [self.variable(i) for i in range(self.chance.randint(0, 4))]
        self.constants = [self.constant(i) for i in range(self.chance.randint(0, 3))]
        self.functions = []
        for number in range(self.chance.randint(1, 7)):
            self.functions.append(self.function(number))
        self.tables = [self.table(i) for i in range(self.chance.randint(0, 2))]
        self.shapes = [self.shape(i) for i in range(self.chance.randint(0, 3))]
        for number in range(self.chance.randint(2, 9)):
            self.kernel(number)

    def number(self):
        return self.chance.randint(1, 99)

    def variable(self, number):
        linkage = self.chance.choice(("", "", "static "))
        self.text += f"{linkage}__device__ int v{number}[4] = {{{self.number()}, {self.number()}}};\n"
        return f"v{number}"

    def constant(self, number):
        self.text += f"__constant__ int c{number}[4] = {{{self.number()}, {self.number()}, {self.number()}, 4}};\n"
        return f"c{number}"

    def function(self, number):
        inlining = self.chance.choice(("__noinline__ ", "__noinline__ ", "__forceinline__ "))
        body = "".join(self.statement(number) for _ in range(self.chance.randint(1, 4)))
        self.text += f"__device__ {inlining}int f{number}(int x)\n{{\n{body}    return x;\n}}\n"
        return f"f{number}"

    def table(self, number):
        members = ", ".join(self.chance.choice(self.functions) for _ in range(4))
        self.text += f"__device__ int (*const t{number}[4])(int) = {{{members}}};\n"
        return f"t{number}"

    def shape(self, number):
        self.text += (f"struct Shape{number} : Shape {{ __device__ int area(int x) const override "
                      f"{{ return {self.chance.choice(self.functions)}(x) + {self.number()}; }} }};\n")
        return f"Shape{number}"

    def statement(self, functions=None):
        """Something that changes x; of functions, those before a number may be called."""
        choices = ["arithmetic", "branch", "loop", "lookup", "statics", "text", "sine"]
        choices += ["variable"] * bool(self.variables) + ["constant"] * bool(self.constants)
        callable_functions = self.functions[:functions]
        choices += ["call", "call"] * bool(callable_functions)
        if functions is None:
            choices += ["table"] * bool(self.tables) + ["virtual"] * (len(self.shapes) > 1)
        what = self.chance.choice(choices)
        n = self.number()
        if what == "variable":
            name, index = self.chance.choice(self.variables), self.chance.randint(0, 3)
            return self.chance.choice((f"    atomicAdd(&{name}[{index}], x & 7);\n", f"    x += {name}[{index}] * 0 + {n};\n",
                                       f"    x ^= (int)(&{name}[{index}] - {name});\n"))
        if what == "constant":
            return f"    x += {self.chance.choice(self.constants)}[x & 3];\n"
        if what == "call":
            return f"    x = {self.chance.choice(callable_functions)}(x + {n});\n"
        if what == "table":
            return f"    x = {self.chance.choice(self.tables)}[(x ^ {n}) & 3](x);\n"
        if what == "virtual":
            a, b = self.chance.sample(self.shapes, 2)
            return f"    {{ {a} a; {b} b; const Shape *s = x & 1 ? (const Shape *)&a : &b; x = s->area(x); }}\n"
        if what == "statics":
            return f"    {{ static const int lut[8] = {{{n}, 2, 3, {n + 1}, 5, 6, 7, 8}}; x += lut[x & 7]; }}\n"
        if what == "text":
            return f"    {{ const char *s = \"text {n % 5}\"; x += s[x & 3]; if (x == 1234567891) {{ printf(\"%s %d\\n\", s, x); }} }}\n"
        return {
            "arithmetic": f"    x = x * {n} + {n};\n",
            "branch": f"    if (x & {n}) {{ x -= {n}; }} else {{ x ^= {n}; }}\n",
            "loop": f"    for (int i = 0; i < (x & 3) + 1; i++) {{ x = x * 3 + i; }}\n",
            "lookup": f"    switch (x & 7) {{ case 0: x += {n}; break; case 1: x = {n} - x; break; case 2: x *= 5; break; "
                      f"case 3: x >>= 1; break; case 4: x ^= {n}; break; default: x++; }}\n",
            "sine": f"    x += (int)(sinf((float)(x & 1023) * 100.0f + {n}.0f) * 100.0f);\n",
        }[what]

    def kernel(self, number):
        shared = self.chance.random() < 0.3
        body = "".join(self.statement() for _ in range(self.chance.randint(1, 6)))
        before = "    extern __shared__ int shared[];\n    shared[threadIdx.x] = x;\n    __syncthreads();\n    x += shared[threadIdx.x ^ 1];\n"
        self.text += (f'extern "C" __global__ void k{number}(int *out, const int *in)\n{{\n    int x = in[threadIdx.x];\n'
                      f"{before if shared else ''}{body}    out[threadIdx.x] += x;\n}}\n")
        self.kernels.append(f"k{number}")


def parse_arguments():
    parser = argparse.ArgumentParser(description="Compares programs in parts with whole ones.")
    parser.add_argument("command", help="the cubinet command")
    parser.add_argument("runner", help="test_gpu_parts_programs")
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--arch", default="75-real,80,90-real,100-real,120")
    parser.add_argument("--compile-only", action="store_true")
    return parser.parse_args()


def compile_program(options, source, parts, arch):
    archive = source.with_name(f"{source.stem}.{parts}.{arch.split(',')[0]}.cubinet")
    done = subprocess.run([options.command, "compile", source, "-o", archive, "--module", "m", "--arch", arch, "--parts", parts,
                           "-w", "-v", "--no-cache", "--keep-globals"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{source}, --parts {parts}: {done.stderr}")
    return archive, " parts\n" in done.stderr


def contents(options, archive):
    done = subprocess.run([options.command, "inspect", archive, "--json"], capture_output=True, text=True, check=True)
    module = json.loads(done.stdout)["modules"][0]
    names = {key: sorted(item["name"] for item in module[key]) for key in ("kernels", "globals")}
    # Names of functions for messages are the compiler's own; in parts they are told apart from variables.
    names["globals"] = [name for name in names["globals"] if not name.startswith("__unnamed_")]
    return names


def run(options, archive):
    return subprocess.run([options.runner, archive], capture_output=True, text=True, check=False)


def compare(options, source, arch):
    """Whether the program has parts; ends the test if they differ from the whole."""
    whole, _ = compile_program(options, source, "none", arch)
    parts, has_parts = compile_program(options, source, "each", arch)
    if contents(options, whole) != contents(options, parts):
        raise SystemExit(f"{source}: other kernels or variables: {contents(options, whole)}, {contents(options, parts)}")
    if not options.compile_only:
        results = [run(options, archive) for archive in (whole, parts)]
        if any(result.returncode == SKIPPED for result in results):
            print(results[0].stdout + results[0].stderr)
            sys.exit(SKIPPED)
        if any(result.returncode for result in results) or results[0].stdout != results[1].stdout:
            raise SystemExit(f"{source}, {arch}: not the same:\n{source.read_text()}" + "".join(
                f"--- {result.returncode}\n{result.stdout}{result.stderr}" for result in results))
    return has_parts


def main():
    options = parse_arguments()
    with_parts = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(options.seed, options.seed + options.programs):
            source = pathlib.Path(folder) / f"program{seed}.cu"
            source.write_text(Program(seed).text)
            for arch in (options.arch, "75-virtual"):
                with_parts += compare(options, source, arch)
    print(f"{options.programs} programs, {with_parts} of {2 * options.programs} archives in parts: all the same")
    return 0 if with_parts > options.programs / 2 else 1


if __name__ == "__main__":
    sys.exit(main())

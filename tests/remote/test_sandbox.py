#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cubinet compile` where only its inputs and the libraries of the system are: as a remote worker runs it, without a server."""
import os
import shutil
import subprocess
import sys

import bazel
import client

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "execution"))
import grid  # noqa: E402
import sandbox  # noqa: E402

COMMAND = os.environ["CUBINET_COMMAND"]
OPTIONS = ["--toolkit", "cuda", "--gencode", "arch=compute_80,code=[sm_80,sm_86,compute_80]", "--kernel", "saxpy<float>"]


class SandboxTest(client.RemoteTest):
    def setUp(self):
        super().setUp()
        self.toolkit = os.path.realpath(os.environ["CUBINET_TOOLKIT_ROOT"])
        self.installed = os.path.join(self.folder, "installed")
        os.makedirs(os.path.join(self.installed, "bin"))
        shutil.copy(COMMAND, os.path.join(self.installed, "bin/cubinet"))
        headers = os.path.join(bazel.SAMPLE, "../../packager/device_headers")
        shutil.copytree(headers, os.path.join(self.installed, "share/cubinet/device_headers"))
        self.image = os.path.join(self.folder, "image")
        sandbox.make_image(self.image, grid.programs(self.installed))
        self.project = os.path.join(self.folder, "project")
        os.mkdir(self.project)
        shutil.copy(os.path.join(bazel.SAMPLE, "saxpy.cu"), self.project)
        self.count = 0

    def run_there(self, *arguments):
        """Runs a command with folders of inputs. Returns the finished process, and the file `out/made`, or None."""
        self.count += 1
        root = sandbox.Sandbox(os.path.join(self.folder, "root%d" % self.count), self.image)
        for name, source in (("cuda", self.toolkit), ("cubinet", self.installed), ("project", self.project)):
            os.makedirs(os.path.join(root.root, "in", name))
            root.bind(source, os.path.join("in", name))
        os.mkdir(os.path.join(root.root, "in/out"))
        root.make_writable("in/out")
        process = root.run(arguments, "in", {})
        made = os.path.join(root.root, "in/out/made")
        data = None
        if os.path.exists(made):
            with open(made, "rb") as file:
                data = file.read()
        root.remove()
        return process, data

    def compile_there(self):
        return self.run_there("cubinet/bin/cubinet", "compile", "project/saxpy.cu", "-o", "out/made", *OPTIONS)

    def test_a_compile(self):
        process, data = self.compile_there()
        self.assertNotEqual(process.returncode, 0)
        self.assertIn(b"saxpy.cuh", process.stderr)
        self.assertIsNone(data)

        shutil.copy(os.path.join(bazel.SAMPLE, "saxpy.cuh"), self.project)
        process, data = self.compile_there()
        self.assertEqual(process.returncode, 0, process.stderr)
        os.symlink(self.toolkit, os.path.join(self.folder, "cuda"))
        subprocess.run([COMMAND, "compile", "project/saxpy.cu", "-o", "made", *OPTIONS], cwd=self.folder, check=True)
        with open(os.path.join(self.folder, "made"), "rb") as file:
            self.assertEqual(file.read(), data)

    def test_files_of_this_machine_are_not_there(self):
        header = os.path.abspath(os.path.join(bazel.SAMPLE, "saxpy.cuh"))
        with open(os.path.join(self.project, "saxpy.cu"), "w") as file:
            file.write('#include "%s"\ntemplate <typename T> __global__ void saxpy(T *x) { *x = multiply_add(*x, *x, *x); }\n'
                       % header)
        os.symlink(self.toolkit, os.path.join(self.folder, "cuda"))
        subprocess.run([COMMAND, "compile", "project/saxpy.cu", "-o", "made", *OPTIONS], cwd=self.folder, check=True)
        process, data = self.compile_there()
        self.assertNotEqual(process.returncode, 0)
        self.assertIn(header.encode(), process.stderr)
        self.assertIsNone(data)

    def test_inputs_are_only_read(self):
        shutil.copy(os.path.join(bazel.SAMPLE, "saxpy.cuh"), self.project)
        process, _ = self.run_there("cubinet/bin/cubinet", "compile", "project/saxpy.cu", "-o", "project/made", *OPTIONS)
        self.assertNotEqual(process.returncode, 0)
        self.assertEqual(sorted(os.listdir(self.project)), ["saxpy.cu", "saxpy.cuh"])


if __name__ == "__main__":
    if not sandbox.is_possible():
        print("skipped: this needs root, and namespaces")
        sys.exit(77)
    client.main()

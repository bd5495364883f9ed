# SPDX-License-Identifier: Apache-2.0
"""LAUNCHES: files that say how kernels are launched."""

import json
import subprocess

import project

LAUNCHES = {"launches": [{"kernel": "scale", "block": [64]}]}


class Launches(project.Project):
    def setUp(self):
        super().setUp()
        self.write("scale.cu", project.KERNEL)
        self.cmake_lists(
            "cubinet_add_archive(kernels MODULE scale SOURCES scale.cu ARCHITECTURES 80-virtual LAUNCHES scale.json)\n"
        )

    def recorded(self):
        command = [project.os.environ["CUBINET_COMMAND"], "inspect", "--json", str(self.built("kernels.cubinet"))]
        printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        return json.loads(printed)["modules"][0]["images"][0]["kernels"][0]["launch"]["block"]

    def test_a_file_that_changes_packs_again(self):
        self.write("scale.json", json.dumps(LAUNCHES))
        self.build()
        self.assertEqual(self.recorded(), [64, 1, 1])
        self.assertEqual(self.build(), [])
        self.write("scale.json", json.dumps(LAUNCHES).replace("64", "32, 4"))
        self.assertEqual([run.subcommand for run in self.build() if run.subcommand == "compile"], [])
        self.assertEqual(self.recorded(), [32, 4, 1])

    def test_a_kernel_that_is_not_there(self):
        self.write("scale.json", json.dumps(LAUNCHES).replace("scale", "scael"))
        self.assertEqual(self.configure().returncode, 0)
        result = self.run_cmake("--build", self.build_folder)
        self.assertNotEqual(result.returncode, 0, result.stdout)
        self.assertIn("no kernel of the inputs is called 'scael'", result.stdout)


if __name__ == "__main__":
    project.main()

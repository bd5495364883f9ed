# SPDX-License-Identifier: Apache-2.0
"""OCCUPANCY_AT_LEAST: builds that stop when a kernel leaves too much of a GPU idle."""

import project

# With 48000 bytes for 256 threads a multiprocessor holds 3 blocks on sm_80, 4 on sm_90.
KERNEL = """
extern "C" __global__ void __launch_bounds__(256) tile(float *data)
{
    __shared__ float values[FLOATS];
    values[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = values[FLOATS - 1 - threadIdx.x];
}
"""


class Occupancy(project.Project):
    def setUp(self):
        super().setUp()
        self.write("tile.cu", KERNEL)

    def archive(self, floats, least, extra=""):
        self.cmake_lists(
            "cubinet_add_archive(kernels MODULE tile SOURCES tile.cu ARCHITECTURES 80-real 90 90-virtual\n"
            f"  COMPILE_DEFINITIONS FLOATS={floats} OCCUPANCY_AT_LEAST {least})\n{extra}"
        )

    def checks(self):
        return len([run for run in self.build() if run.subcommand == "occupancy"])

    def expect_failure(self, *pieces):
        if not (self.build_folder / "CMakeCache.txt").exists():
            self.assertEqual(self.configure().returncode, 0)
        result = self.run_cmake("--build", self.build_folder)
        self.assertNotEqual(result.returncode, 0, result.stdout)
        for piece in pieces:
            self.assertIn(piece, result.stdout)

    def test_enough(self):
        self.archive(1024, 1)
        self.assertEqual(self.checks(), 2)
        self.assertTrue(self.built("kernels.cubinet").exists())
        self.assertEqual(self.build(), [])

    def test_too_little(self):
        self.archive(12000, 0.5)
        message = ("kernel 'tile' of module 'tile' has an occupancy of 0.375 on sm_80", "limited by shared memory")
        self.expect_failure(*message)
        self.assertFalse(self.built("kernels.cubinet").exists())
        self.expect_failure(*message)  # still, though the compile is done

    def test_launches(self):
        self.write("tile.cu", KERNEL.replace("__shared__ float values[FLOATS]", "extern __shared__ float values[]"))
        self.archive(1024, "0.5 LAUNCHES launch.json")
        launch = '{"launches": [{"kernel": "tile", "dynamic_shared_bytes": %d}]}'
        self.write("launch.json", launch % 4096)
        self.assertEqual(self.checks(), 2)
        self.write("launch.json", launch % 48000)
        self.expect_failure("kernel 'tile' of module 'tile' has an occupancy of 0.375 on sm_80")

    def test_another_fraction_checks_again(self):
        self.archive(12000, 0.25)
        self.assertEqual(self.checks(), 2)
        self.archive(12000, 0.5)
        self.expect_failure("on sm_80")

    def test_a_module_of_its_own(self):
        self.archive(
            1024, 1,
            "cubinet_add_module(kernels lax SOURCES tile.cu COMPILE_DEFINITIONS FLOATS=12000 OCCUPANCY_AT_LEAST .3)\n"
            "cubinet_add_module(kernels ptx SOURCES tile.cu COMPILE_DEFINITIONS FLOATS=12000 ARCHITECTURES 80-virtual)\n",
        )  # fmt: skip
        self.assertEqual(self.checks(), 4)


if __name__ == "__main__":
    project.main()

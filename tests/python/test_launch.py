# SPDX-License-Identifier: Apache-2.0
"""Configurations, streams, launch records, occupancy and suggestions."""

import unittest
from ctypes import c_uint32, c_uint64
from typing import Any

import cubinet
from simulated import ARCHIVES, Stream, driver, last_launch, load, reset


class TestLaunch(unittest.TestCase):
    def setUp(self) -> None:
        reset()
        self.module = load()
        self.nothing = self.module.kernel("nothing")

    def tearDown(self) -> None:
        del self.nothing
        self.module.close()

    def test_reads_grid_block_and_cluster(self) -> None:
        grids: list[Any] = [7, (7,), (7, 2), [7, 2, 3]]
        for grid, expected in zip(grids, [(7, 1, 1), (7, 1, 1), (7, 2, 1), (7, 2, 3)]):
            self.nothing.launch(grid, grid)
            launch = last_launch()
            self.assertEqual((tuple(launch.grid), tuple(launch.block)), (expected, expected))
        self.nothing.launch(4, 32, cluster=(2, 1))
        self.assertEqual(tuple(last_launch().cluster), (2, 1, 1))
        self.nothing.launch(4, 32, cooperative=True)
        self.assertTrue(last_launch().cooperative)

    def test_refuses_other_configurations(self) -> None:
        for grid in ((), (1, 1, 1, 1)):
            with self.assertRaisesRegex(cubinet.InvalidArgumentError, "grid has . dimensions; 1 to 3 are possible"):
                self.nothing.launch(grid, 1)
        for side in (-1, 2**32, 2**80):
            with self.assertRaisesRegex(cubinet.InvalidArgumentError, "is not a number from 0 to 4294967295"):
                self.nothing.launch(1, side)
        with self.assertRaisesRegex(cubinet.InvalidArgumentError, "the x dimension of the grid is 0"):
            self.nothing.launch(0, 1)
        with self.assertRaisesRegex(cubinet.LimitError, "at most 1024 threads"):
            self.nothing.launch(1, 1025)
        for arguments, keywords in [((1,), {}), ((1, 1, (), None), {}), ((1, 1), {"streams": None})]:
            with self.assertRaises(TypeError):
                self.nothing.launch(*arguments, **keywords)  # type: ignore[arg-type]
        with self.assertRaises(TypeError):
            self.nothing.launch(1.5, 1)  # type: ignore[arg-type]

    def test_takes_streams(self) -> None:
        class Property:
            __cuda_stream__ = (0, 0x60)

        class Torch:
            cuda_stream = 0x70

        for stream, address in [(None, None), (0x40, 0x40), (Stream(0x50), 0x50), (Property(), 0x60), (Torch(), 0x70)]:
            self.nothing.launch(1, 1, (), stream=stream)
            self.assertEqual(last_launch().stream, address)
        for other in ("stream", 1.5, object()):
            with self.assertRaisesRegex(cubinet.InvalidArgumentError, "is not a stream"):
                self.nothing.launch(1, 1, stream=other)

    def test_dynamic_shared_memory_is_said_or_refused(self) -> None:
        reverse = self.module.kernel("reverse")
        with self.assertRaisesRegex(cubinet.InvalidArgumentError, "dynamic shared memory"):
            reverse.launch(1, 256, (None, 4))
        reverse.launch(1, 256, (None, 4), shared=100000)
        self.assertEqual(last_launch().dynamic_shared_bytes, 100000)
        self.assertEqual(driver.simdriver_dynamic_shared(b"reverse", 0), 100000)
        reverse.launch(1, 256, (None, 4), shared=0)
        self.assertEqual(last_launch().dynamic_shared_bytes, 0)

    def test_launch_records_supply_what_is_left_out(self) -> None:
        module = load("recorded", ARCHIVES / "gpu" / "with_launches.cubinet")
        program = module.kernel("program")
        parameters = program.parameters
        assert parameters
        self.assertEqual([p.is_hidden for p in parameters], [False, False, True, True])
        self.assertEqual([h.kind for h in program.launch_record.hidden], ["scratch", "profile"])
        program.launch(3, None, (0x100, 2))
        launch = last_launch()
        self.assertEqual((tuple(launch.grid), tuple(launch.block)), ((6, 1, 1), (128, 1, 1)))
        self.assertEqual((launch.dynamic_shared_bytes, launch.arg_count), (65536, 4))
        self.assertEqual(launch.argument(1, c_uint32), 2)
        self.assertEqual(launch.argument(2, c_uint64) % 1024, 0)
        program.launch(3, 64, (0x100, 2, 0x4000, None), shared=8, use_record=False)
        self.assertEqual(tuple(last_launch().grid), (3, 1, 1))
        with self.assertRaisesRegex(cubinet.LaunchArgumentsError, "takes 2 arguments, or 4 with those that its launch"):
            program.launch(3, None, (0x100,))
        plane = module.kernel("plane")
        plane.launch(None, None, (0x100,), extent=(30, 70))
        self.assertEqual(tuple(last_launch().grid), (33, 1, 1))

    def test_occupancy_and_suggestions(self) -> None:
        saxpy = self.module.kernel("saxpy")
        occupancy = saxpy.occupancy(256)
        self.assertEqual((occupancy.blocks, occupancy.occupancy), (8, 1.0))
        suggestion = saxpy.suggest(1_000_000)
        self.assertEqual(suggestion.block, (256, 1, 1))
        self.assertEqual(suggestion.grid, (3907, 1, 1))
        self.assertEqual(suggestion.rounds, (1, 1, 1))
        saxpy.launch(suggestion.grid, suggestion.block, (1.0, None, None, 1), shared=suggestion.shared)
        reverse = self.module.kernel("reverse")
        asked = []

        def shared(threads: int) -> int:
            asked.append(threads)
            return 4 * threads

        suggestion = reverse.suggest(1000, shared=shared)
        self.assertEqual(suggestion.shared, 4 * suggestion.block[0])
        self.assertIn(suggestion.block[0], asked)
        with self.assertRaisesRegex(cubinet.InvalidArgumentError, "dynamic shared memory"):
            reverse.occupancy(256)
        self.assertGreater(reverse.available_dynamic_shared(2, 256), 48 << 10)
        self.assertGreater(saxpy.max_active_clusters(256, cluster=2), 0)
        saxpy.prefer_shared(50)
        with self.assertRaises(cubinet.InvalidArgumentError):
            saxpy.prefer_shared(101)
        with self.assertRaises(cubinet.LimitError):
            saxpy.occupancy(2048)

    def test_passes_on_what_functions_raise(self) -> None:
        def shared(threads: int) -> int:
            raise ZeroDivisionError(f"for {threads}")

        def odd(threads: int) -> Any:
            return "many"

        for function, expected in ((shared, ZeroDivisionError), (odd, TypeError)):
            with self.assertRaises(expected):
                self.module.kernel("reverse").suggest(1000, shared=function)

    def test_driver_errors_have_their_number(self) -> None:
        driver.simdriver_fail(b"cuLaunchKernelEx", 1, 719, False)
        with self.assertRaises(cubinet.ContextDeadError) as caught:
            self.nothing.launch(1, 1)
        self.assertEqual(caught.exception.driver_result, 719)
        self.assertIn("launching kernel 'nothing'", str(caught.exception))
        driver.simdriver_fail_none()


if __name__ == "__main__":
    unittest.main()

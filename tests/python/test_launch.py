# SPDX-License-Identifier: Apache-2.0
"""Configurations, streams, launch records, occupancy and suggestions."""

import unittest
from ctypes import c_int32, c_uint32, c_uint64
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
        for wrong in ((), (0,), (0, 1, 2), 5, [0, 1]):
            with self.assertRaisesRegex(cubinet.InvalidArgumentError, r"__cuda_stream__ is not \(version, address\)"):
                self.nothing.launch(1, 1, stream=type("Wrong", (), {"__cuda_stream__": wrong})())
        for other in ("stream", 1.5, object()):
            with self.assertRaisesRegex(cubinet.InvalidArgumentError, "is not a stream"):
                self.nothing.launch(1, 1, stream=other)

    def test_gives_attributes(self) -> None:
        self.nothing.launch(4, 32, attributes=None)
        self.assertEqual(last_launch().attribute_count, 0)
        attributes = cubinet.LaunchAttributes(
            priority=-2, programmatic_event=0x70, trigger_at_start=True, completion_event=0x80,
            cluster_scheduling="balanced", memory_domain="remote", memory_domain_map=(0, 1), preferred_cluster=4,
        )  # fmt: skip
        self.nothing.launch(4, 32, cluster=2, attributes=attributes, programmatic=True, without_wait=True)
        launch = last_launch()
        self.assertEqual(launch.attribute_count, 9)
        self.assertEqual(launch.attribute(8, c_int32), -2)
        self.assertEqual(launch.attribute(7, c_uint64), 0x70)
        self.assertEqual(launch.attribute(12, c_uint64), 0x80)
        self.assertEqual(launch.attribute(5, c_uint32), 2)
        self.assertEqual(launch.attribute(10, c_uint32), 1)
        self.assertEqual(launch.attribute(11, c_uint32), 4)
        self.assertEqual(launch.attribute(6, c_uint32), 1)

    def test_refuses_attributes(self) -> None:
        with self.assertRaisesRegex(cubinet.InvalidArgumentError, "never waits for the kernel before it"):
            self.nothing.launch(1, 1, programmatic=True)
        for wrong in ({"cluster_scheduling": "fast"}, {"memory_domain": 5}, {"preferred_cluster": 2}):
            with self.assertRaises(cubinet.InvalidArgumentError):
                self.nothing.launch(1, 1, attributes=cubinet.LaunchAttributes(**wrong))
        for priority in (-(2**31) - 1, 2**31, 2**32 + 1, -(2**80)):
            with self.assertRaisesRegex(
                cubinet.InvalidArgumentError, "is not a number from -2147483648 to 2147483647"
            ):
                self.nothing.launch(1, 1, attributes=cubinet.LaunchAttributes(priority=priority))
        for other in (5, "priority"):
            with self.assertRaises(AttributeError):
                self.nothing.launch(1, 1, attributes=other)
        with self.assertRaises(TypeError):
            self.nothing.launch(1, 1, attributes=cubinet.LaunchAttributes(priority="high"))  # type: ignore[arg-type]

    def test_adds_and_updates_nodes(self) -> None:
        graph = driver.simdriver_create_graph()
        first = self.nothing.add_node(graph, (), 4, 32)
        attributes = cubinet.LaunchAttributes(device_updatable=True, priority=1)
        second, device_node = self.nothing.add_node(graph, [first], 5, 32, (), attributes=attributes)
        self.assertTrue(device_node)
        self.assertEqual(driver.simdriver_node_count(graph), 2)
        graph_exec = driver.simdriver_instantiate(graph)
        self.assertIsNone(self.nothing.update_node(second, 6, 32))
        self.assertIsNone(self.nothing.update_exec_node(graph_exec, second, 7, 32, ()))
        self.assertEqual(driver.simdriver_launch_graph(graph_exec), 2)
        self.assertEqual(last_launch().grid[0], 7)
        with self.assertRaisesRegex(cubinet.InvalidArgumentError, "graph is NULL"):
            self.nothing.add_node(0, (), 1, 1)
        with self.assertRaisesRegex(cubinet.InvalidArgumentError, "node is NULL"):
            self.nothing.update_node(0, 1, 1)
        wrong: list[Any] = [
            (self.nothing.add_node, (graph, (), 1)), (self.nothing.add_node, (graph, 5, 1, 1)),
            (self.nothing.add_node, ("graph", (), 1, 1)), (self.nothing.update_node, (1, 1)),
            (self.nothing.update_exec_node, (1, 1, 1)), (self.nothing.update_exec_node, (None, 1, 1, 1)),
        ]  # fmt: skip
        for method, arguments in wrong:
            with self.assertRaises((TypeError, ValueError)):
                method(*arguments)

    def test_captures(self) -> None:
        driver.simdriver_begin_capture(0x55)
        node = self.nothing.launch(
            1, 1, stream=0x55, attributes=cubinet.LaunchAttributes(device_updatable=True)
        )
        self.assertEqual(driver.simdriver_node_count(driver.simdriver_end_capture()), 1)
        self.assertTrue(node)

    def test_launches_each(self) -> None:
        with cubinet.open(ARCHIVES / "python" / "kernels.cubinet") as archive:
            other = archive.modules["kernels"].load(1)
        kernels = [self.nothing, other.kernel("nothing")]
        cubinet.launch_each([(kernels[0], None), (kernels[1], 0x60)], 3, 32)
        launch = last_launch()
        self.assertEqual((launch.device, launch.stream, launch.grid[0]), (1, 0x60, 3))
        reverse = self.module.kernel("reverse")
        cubinet.launch_each([(reverse, 0x50, (0x1000, 4)), (reverse, 0x60)], 1, 64, (0x2000, 4), shared=1024)
        self.assertEqual(last_launch().argument(0, c_uint64), 0x2000)
        with self.assertRaisesRegex(cubinet.LimitError, "launch 1 .of 2, from 0., on device 1"):
            cubinet.launch_each([(kernels[0], None), (kernels[1], None)], 4, 32, cluster=2)
        for wrong in ([kernels[0]], [(kernels[0],)], [(5, None)]):
            with self.assertRaisesRegex(cubinet.InvalidArgumentError, "is not .kernel, stream."):
                cubinet.launch_each(wrong, 1, 1)
        with self.assertRaises(TypeError):
            cubinet.launch_each([], 1)  # type: ignore[call-arg]
        cubinet.launch_each((), 1, 1)
        other.close()

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

    def test_refuses_numbers_that_do_not_fit(self) -> None:
        saxpy = self.module.kernel("saxpy")
        for number in (-1, 2**32, 2**32 + 64, 2**64 + 64):
            for ask in (
                lambda: saxpy.available_dynamic_shared(number, 32),
                lambda: saxpy.available_dynamic_shared(1, number),
                lambda: saxpy.suggest(1000, max_block=number),
                lambda: saxpy.suggest(1000, elements_per_thread=number),
                lambda: saxpy.suggest(1000, shared=number),
                lambda: self.module.tuned("saxpy", 1000, max_block=number),
            ):
                with self.assertRaisesRegex(cubinet.InvalidArgumentError, f"{number} is not a number from 0 to {2**32 - 1}"):
                    ask()
        for number in (-2, 101, 2**32 + 50, 2**70):
            with self.assertRaisesRegex(cubinet.InvalidArgumentError, f"percent: {number} is not a number from -1 to 100"):
                saxpy.prefer_shared(number)

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

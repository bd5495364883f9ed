# SPDX-License-Identifier: Apache-2.0
"""Loading, and when modules are unloaded."""

import ctypes
import gc
import os
import subprocess
import sys
import threading
import time
import unittest
from collections.abc import Callable

import cubinet
from simulated import ARCHIVES, KERNELS, driver, last_launch, load, reset


def live() -> int:
    gc.collect()
    libraries: int = driver.simdriver_live_libraries()
    return libraries


class TestModule(unittest.TestCase):
    def setUp(self) -> None:
        reset()

    def tearDown(self) -> None:
        driver.simdriver_fail_none()
        driver.simdriver_fail_waits(0)
        self.assertEqual(live(), 0)
        self.assertEqual(driver.simdriver_retained_contexts(), 0)
        self.assertEqual(driver.simdriver_last_misuse(), b"")

    def test_loads_the_best_image(self) -> None:
        with load() as module:
            self.assertEqual(module.image.target, "sm_90")
            self.assertEqual(module.device, 0)
            self.assertNotEqual(module.context, 0)
            self.assertNotEqual(module.library, 0)
            self.assertNotEqual(module.kernel("saxpy").handle, 0)
            self.assertNotEqual(module.library, 0)
            self.assertEqual(module.kernel("saxpy").library, module.library)
        with cubinet.open(KERNELS) as archive:
            with archive.modules["kernels"].load(only="sm_90") as module:
                self.assertEqual(module.image.target, "sm_90")
            with archive.modules["kernels"].load(force_ptx=True) as module:
                self.assertEqual(module.image.target, "compute_80")
            with archive.load() as module:
                self.assertEqual(module.image.target, "sm_90")
            with self.assertRaises(cubinet.NoImageError) as caught:
                archive.modules["kernels"].load(only="sm_80")
            self.assertIn("sm_90", str(caught.exception))

    def test_takes_devices_of_other_libraries(self) -> None:
        class Core:
            device_id = 1

        class Torch:
            type = "cuda"
            index = 2

        class Numba:
            id = 1

        module = cubinet.open(KERNELS).modules["kernels"]
        for device, number in [(2, 2), (Core(), 1), (Torch(), 2), (Numba(), 1), (None, 0)]:
            with module.load(device) as loaded:
                self.assertEqual(loaded.device, number)
        for bad in (-1, "cuda", 1.5):
            with self.assertRaises(cubinet.InvalidArgumentError):
                module.load(bad)
        with self.assertRaises(cubinet.DriverError):
            module.load(3)
        self.assertEqual(cubinet.device_count(), 3)
        self.assertEqual(cubinet.device_profile(2).compute, (8, 6))
        with self.assertRaises(OverflowError):
            cubinet.device_profile(2**32 + 2)
        self.assertEqual(cubinet.driver_version(), 13000)

    def test_takes_the_current_context(self) -> None:
        driver.simdriver_create_context.restype = ctypes.c_void_p
        context = ctypes.c_void_p(driver.simdriver_create_context(1))
        driver.cuCtxPushCurrent_v2(context)
        try:
            with cubinet.open(KERNELS).load() as module:
                self.assertEqual((module.device, module.context), (1, context.value))
                module.kernel("nothing").launch(1, 1)
                self.assertEqual(last_launch().context, context.value)
        finally:
            driver.cuCtxPopCurrent_v2(ctypes.byref(ctypes.c_void_p()))
            driver.simdriver_destroy_context(context)

    def test_unloads_when_nothing_refers_to_it(self) -> None:
        kernel = load().kernel("nothing")
        self.assertEqual(live(), 1)
        kernel.launch(1, 1)
        before = driver.simdriver_waits()
        del kernel
        self.assertEqual(live(), 0)
        self.assertEqual(driver.simdriver_waits(), before + 1)

    def test_waits_only_for_what_was_used(self) -> None:
        """Whoever has a handle or an address may have launched with it."""
        archive = cubinet.open(ARCHIVES / "gpu" / "kernels.cubinet").modules["kernels"]
        name = archive.kernels[0].name
        cases: list[tuple[Callable[[cubinet.Module], object], int]] = [
            (lambda module: module.image, 0),
            (lambda module: module.kernel(name).resources, 0),
            (lambda module: module.library, 1),
            (lambda module: module.kernel(name).library, 1),
            (lambda module: module.kernel(name).handle, 1),
            (lambda module: module.find_global("bias"), 1),
        ]
        for uses, waits in cases:
            before = driver.simdriver_waits()
            module = archive.load(0)
            uses(module)
            module.close()
            self.assertEqual(driver.simdriver_waits(), before + waits)

    def test_stays_loaded_where_it_can_not_wait(self) -> None:
        module = load()
        library = module.library
        module.kernel("nothing").launch(1, 1)
        driver.simdriver_fail_waits(900)  # CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
        module.close()
        self.assertEqual(live(), 1)
        driver.cuLibraryUnload(ctypes.c_void_p(library))
        driver.cuDevicePrimaryCtxRelease_v2(0)

    def test_closed_modules_say_so(self) -> None:
        module = load()
        kernel = module.kernel("nothing")
        module.close()
        module.close()
        self.assertEqual(live(), 0)
        self.assertTrue(module.closed)
        for call in (
            lambda: kernel.launch(1, 1),
            lambda: kernel.name,
            lambda: kernel.resources,
            lambda: kernel.suggest(1),
            lambda: kernel.occupancy(1),
            lambda: module.kernel("nothing"),
            lambda: module.image,
            lambda: module.context,
            lambda: module.find_global("table"),
        ):
            with self.assertRaisesRegex(cubinet.InvalidArgumentError, "the module is closed"):
                call()

    def test_finds_globals(self) -> None:
        with load("kernels", ARCHIVES / "gpu" / "kernels.cubinet") as module:
            address, size = module.find_global("table")
            self.assertEqual(size, 1024)
            self.assertNotEqual(address, 0)
            with self.assertRaises(cubinet.NotFoundError):
                module.find_global("tables")

    def test_finds_kernels_by_any_name(self) -> None:
        with load() as module:
            for name in ("all<int>", "all< int >", "all"):
                self.assertEqual(module.kernel(name).expression, "all<int>")
            self.assertTrue(module["all"].name.startswith("_Z3all"))
            with self.assertRaisesRegex(cubinet.NotFoundError, "^module 'kernels' has no kernel 'sax'; the nearest"):
                module.kernel("sax")

    def test_survives_closing_while_it_launches(self) -> None:
        """A module is unloaded once the calls under way are through."""
        driver.simdriver_delay(b"cuLaunchKernelEx", 50000)
        module = load()
        kernel = module.kernel("nothing")
        thread = threading.Thread(target=lambda: kernel.launch(1, 1))
        thread.start()
        time.sleep(0.01)
        module.close()
        thread.join()
        driver.simdriver_delay(b"cuLaunchKernelEx", 0)
        self.assertEqual(live(), 0)

    def test_gives_up_the_lock(self) -> None:
        """Other threads run while one loads or launches."""

        def steps_during(call: "object") -> int:
            count = 0
            done = threading.Event()

            def work() -> None:
                call()  # type: ignore[operator]
                done.set()

            thread = threading.Thread(target=work)
            thread.start()
            while not done.is_set():
                time.sleep(0.001)
                count += 1
            thread.join()
            return count

        driver.simdriver_delay(b"cuLibraryLoadData", 60000)
        modules = []
        self.assertGreater(steps_during(lambda: modules.append(load())), 10)
        driver.simdriver_delay(b"cuLibraryLoadData", 0)
        driver.simdriver_delay(b"cuLaunchKernelEx", 60000)
        self.assertGreater(steps_during(lambda: modules[0].kernel("nothing").launch(1, 1)), 10)
        driver.simdriver_delay(b"cuLaunchKernelEx", 0)
        modules.clear()

    def test_threads_load_and_launch_at_once(self) -> None:
        failures = []

        def work() -> None:
            try:
                for _ in range(20):
                    with load() as module:
                        module.kernel("saxpy").launch(1, 32, (1.0, 0x100, 0x200, 4))
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(failures, [])

    @unittest.skipIf("asan" in os.environ.get("LD_PRELOAD", ""), "the address sanitizer keeps what was freed")
    def test_leaks_no_memory(self) -> None:
        def resident() -> int:
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

        def work(times: int) -> None:
            for _ in range(times):
                with load() as module:
                    kernel = module.kernel("saxpy")
                    kernel.launch(1, 1, (1.0, None, None, 1))
                    kernel.parameters, kernel.resources, kernel.launch_record, module.image
                    try:
                        kernel.launch(1, 1, (1.0, "x", None, 1))
                    except cubinet.Error:
                        pass

        work(300)
        gc.collect()
        before = resident()
        work(1000)
        gc.collect()
        self.assertLess(resident() - before, 2 << 20)

    def test_ends_with_the_interpreter(self) -> None:
        script = (
            "import cubinet, sys\n"
            "module = cubinet.open(sys.argv[1]).load()\n"
            "kernel = module['nothing']\n"
            "kernel.launch(1, 1)\n"
            "kernel.itself = kernel\n"
        )
        done = subprocess.run([sys.executable, "-c", script, KERNELS], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()

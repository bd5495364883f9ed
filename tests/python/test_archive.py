# SPDX-License-Identifier: Apache-2.0
"""Archives: reading them needs no driver."""

import gc
import os
import subprocess
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path

import cubinet
from simulated import ARCHIVES, KERNELS


class TestArchive(unittest.TestCase):
    def test_lists_modules_images_and_kernels(self) -> None:
        with cubinet.open(KERNELS) as archive:
            self.assertEqual(list(archive.modules), ["kernels"])
            self.assertEqual(len(archive.modules), 1)
            self.assertIn("kernels", archive.modules)
            self.assertNotIn("others", archive.modules)
            self.assertIsNone(archive.modules.get("others"))
            module = archive.modules["kernels"]
            self.assertEqual([image.target for image in module.images], ["sm_80", "sm_90", "compute_80"])
            self.assertIn("saxpy", [kernel.expression for kernel in module.kernels])
            self.assertEqual(archive.size, KERNELS.stat().st_size)
            self.assertTrue(archive.producer.startswith("cubinet "))
            self.assertFalse(archive.is_trusted)

    def test_tells_resources_and_launch_records(self) -> None:
        kernel = cubinet.open(KERNELS).modules["kernels"].kernel("reverse")
        resources = kernel.resources("sm_90")
        self.assertEqual(resources.max_block, (256, 1, 1))
        self.assertIsNone(resources.required_block)
        self.assertEqual(resources.params, ((0, 8), (8, 4)))
        self.assertIsNone(kernel.resources("compute_80").registers)
        record = kernel.launch_record("sm_90")
        self.assertTrue(record.takes_dynamic_shared)
        self.assertIsNone(record.dynamic_shared_bytes)
        self.assertEqual(record.names, (("values", "int *"), ("n", "unsigned")))
        with self.assertRaisesRegex(cubinet.NotFoundError, "no image for 'sm_75'; there are sm_80, sm_90"):
            kernel.resources("sm_75")

    def test_reads_images(self) -> None:
        module = cubinet.open(KERNELS).modules["kernels"]
        self.assertEqual(module.read_image("sm_90")[:4], b"\x7fELF")
        self.assertIn(b".visible .entry saxpy", module.read_image("compute_80"))

    def test_refuses_numbers_that_do_not_fit(self) -> None:
        module = cubinet.open(KERNELS).modules["kernels"]
        for number in (-1, 2**32, 2**32 + 13000):
            questions: tuple[Callable[[], object], ...] = (
                lambda: module.read_part("sm_90", number),
                lambda: module.explain(compute=cubinet.Profile((9, 0), driver=number)),
                lambda: module.explain(compute=cubinet.Profile((9, 0), nvjitlink=number)),
            )
            for ask in questions:
                with self.assertRaisesRegex(cubinet.InvalidArgumentError, f"{number} is not a number from 0 to {2**32 - 1}"):
                    ask()
        for number in (-1, 2**64, 2**64 + 5):
            openers: tuple[Callable[[], object], ...] = (
                lambda: cubinet.open(KERNELS, max_image_bytes=number),
                lambda: cubinet.open_memory(KERNELS.read_bytes(), max_image_bytes=number),
            )
            for open_archive in openers:
                with self.assertRaisesRegex(cubinet.InvalidArgumentError, f"{number} is not a number from 0 to {2**64 - 1}"):
                    open_archive()
        cubinet.open(KERNELS, max_image_bytes=2**64 - 1).close()
        with self.assertRaises(TypeError):
            cubinet.open(KERNELS, max_image_bytes=1.5)  # type: ignore[arg-type]

    def test_tells_globals(self) -> None:
        module = cubinet.open(ARCHIVES / "gpu" / "kernels.cubinet").modules["kernels"]
        self.assertEqual({g.expression: g.bytes for g in module.globals}, {"bias": 4, "table": 1024})

    def test_opens_memory_and_keeps_it(self) -> None:
        data = bytearray(KERNELS.read_bytes())
        archive = cubinet.open_memory(data)
        with self.assertRaises(BufferError):
            data.append(0)
        self.assertEqual(list(archive.modules), ["kernels"])
        archive.close()
        data.append(0)

    def test_explains_without_a_driver(self) -> None:
        module = cubinet.open(KERNELS).modules["kernels"]
        explained = module.explain(compute="8.9")
        assert explained.best
        self.assertEqual(explained.best.target, "sm_80")
        self.assertEqual([v.match for v in explained.verdicts], ["same-major", "jit", ""])
        self.assertIn("sm_90 needs compute capability 9.0", str(explained))
        self.assertIsNone(module.explain(compute=(7, 5)).best)
        explained = module.explain(compute=cubinet.Profile((9, 0)), force_ptx=True)
        assert explained.best
        self.assertEqual(explained.best.target, "compute_80")
        with self.assertRaisesRegex(cubinet.InvalidArgumentError, "write it as '9.0'"):
            module.explain(compute="ninety")

    def test_closed_archives_say_so(self) -> None:
        archive = cubinet.open(KERNELS)
        module = archive.modules["kernels"]
        archive.close()
        archive.close()
        self.assertTrue(archive.closed)
        for call in (lambda: list(archive.modules), lambda: module.images, lambda: module.load()):
            with self.assertRaisesRegex(cubinet.InvalidArgumentError, "the archive is closed"):
                call()

    def test_gives_descriptors_back_on_deletion(self) -> None:
        def descriptors() -> int:
            gc.collect()
            return len(os.listdir("/proc/self/fd"))

        before = descriptors()
        archives = [cubinet.open(KERNELS) for _ in range(8)]
        self.assertGreaterEqual(descriptors(), before + 8)
        del archives
        self.assertEqual(descriptors(), before)

    def test_errors_have_status_and_message(self) -> None:
        with self.assertRaises(cubinet.FileError) as caught:
            cubinet.open("/nonexistent/kernels.cubinet")
        self.assertIsInstance(caught.exception, OSError)
        self.assertEqual(caught.exception.status, "CUBINET_ERROR_IO")
        self.assertIn("/nonexistent/kernels.cubinet", str(caught.exception))
        with tempfile.TemporaryDirectory() as folder:
            damaged = Path(folder, "damaged.cubinet")
            damaged.write_bytes(KERNELS.read_bytes()[:5000])
            with self.assertRaises(cubinet.ArchiveError):
                cubinet.open(damaged)
        with self.assertRaises(cubinet.VersionError):
            cubinet.open(KERNELS, require_version=">= 2")
        with self.assertRaises(cubinet.NotTrustedError):
            cubinet.open(KERNELS, public_keys=[])
        with self.assertRaises(cubinet.NotFoundError) as missing:
            cubinet.open(KERNELS).modules["kernel"]
        self.assertIn("the nearest is 'kernels'", str(missing.exception))
        self.assertIsInstance(missing.exception, KeyError)
        with self.assertRaises(cubinet.ArchiveError):
            cubinet.open_memory(b"no archive")

    def test_works_without_a_driver(self) -> None:
        script = (
            "import cubinet, sys\n"
            "module = cubinet.open(sys.argv[1]).modules['kernels']\n"
            "print(module.explain(compute='9.0').best.target)\n"
            "try:\n"
            "    module.load()\n"
            "except cubinet.DriverError as error:\n"
            "    print(error.status)\n"
        )
        environment = dict(os.environ, CUBINET_LIBCUDA="/nonexistent/libcuda.so.1")
        done = subprocess.run(
            [sys.executable, "-c", script, KERNELS], env=environment, capture_output=True, text=True, check=True
        )
        self.assertEqual(done.stdout, "sm_90\nCUBINET_ERROR_NO_DRIVER\n")

    def test_objects_are_made_by_calls_alone(self) -> None:
        with self.assertRaises(TypeError):
            cubinet.Archive()  # type: ignore[call-arg]
        with self.assertRaises(TypeError):
            cubinet.Kernel(1, "saxpy")  # type: ignore[arg-type]

    def test_everything_has_a_docstring(self) -> None:
        for name in cubinet.__all__:
            thing = getattr(cubinet, name)
            if name != "__version__":
                self.assertTrue(thing.__doc__, name)
            if isinstance(thing, type) and not issubclass(thing, BaseException):
                for member in vars(thing):
                    if not member.startswith("_") and callable(getattr(thing, member)):
                        self.assertTrue(getattr(thing, member).__doc__, f"{name}.{member}")


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: Apache-2.0
"""What is given for parameters, as the driver sees it, and what is refused."""

import array
import ctypes
import struct
import unittest
from ctypes import c_double, c_float, c_int, c_int8, c_int16, c_int64, c_uint, c_uint8, c_uint16, c_uint32, c_uint64
from typing import Any

import cubinet
from simulated import Array, DlpackArray, Tensor, capsule, last_launch, load, reset

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment, unused-ignore]

# out, flag, i8, u8, i16, u16, i32, u32, i64, u64, f16, bf16, f32, f64, both, last
OUT, FLAG, I8, U8, I16, U16, I32, U32, I64, U64, F16, BF16, F32, F64, BOTH, LAST = range(16)
TYPES: list[Any] = [
    c_uint64, ctypes.c_bool, c_int8, c_uint8, c_int16, c_uint16, c_int, c_uint, c_int64, c_uint64, c_uint16, c_uint16,
    c_float, c_double, c_uint64, c_int,
]  # fmt: skip


class Both(ctypes.Structure):
    _fields_ = [("first", c_float), ("second", c_int)]


class Byte(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("value", c_uint8)]


class Color(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("red", c_uint8), ("green", c_uint8), ("blue", c_uint8)]


class Both64(ctypes.Union):
    _fields_ = [("both", Both), ("whole", c_uint64)]


def one_of(member: Any) -> ctypes.Union:
    """A union of one member, whose buffer ctypes calls bytes."""
    return type("Union", (ctypes.Union,), {"_fields_": [("member", type(member))]})(member)  # type: ignore[no-any-return]


def packed(member: Any) -> ctypes.Structure:
    """A packed structure of one member."""
    fields = {"_pack_": 1, "_fields_": [("member", type(member))]}
    return type("Packed", (ctypes.Structure,), fields)(member)  # type: ignore[no-any-return]


class TestArguments(unittest.TestCase):
    def setUp(self) -> None:
        reset()
        self.module = load()
        self.all = self.module.kernel("all<int>")
        self.saxpy = self.module.kernel("saxpy")
        self.good: list[Any] = [None, True, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, Both(1, 2), 1]

    def tearDown(self) -> None:
        del self.all, self.saxpy
        self.module.close()

    def seen(self, index: int, value: Any) -> Any:
        """What the driver was given for one parameter."""
        values = list(self.good)
        values[index] = value
        self.all.launch(1, 1, tuple(values))
        return last_launch().argument(index, TYPES[index])

    def refused(self, index: int, value: Any, message: str) -> None:
        with self.assertRaisesRegex(cubinet.LaunchArgumentsError, message):
            self.seen(index, value)

    def test_takes_buffers_of_cuda_core(self) -> None:
        class Buffer:
            def __init__(self, address: int, on_device: bool) -> None:
                self.address = address
                self.on_device = on_device

            @property
            def handle(self) -> int:
                return self.address

            @property
            def is_device_accessible(self) -> bool:
                return self.on_device

            @property
            def memory_resource(self) -> None:
                return None

        self.assertEqual(self.seen(OUT, Buffer(0x7F0000001000, True)), 0x7F0000001000)
        self.refused(OUT, Buffer(0x1000, False), "memory of the CPU")

    def test_knows_parameters_of_mangled_names(self) -> None:
        parameters = self.all.parameters
        assert parameters
        self.assertEqual(parameters[0].type, "double*")
        self.assertEqual([p.type for p in parameters[10:12]], ["__half", "__nv_bfloat16"])
        self.assertEqual([p.size for p in parameters], [ctypes.sizeof(t) for t in TYPES])

    def test_knows_names_of_recorded_parameters(self) -> None:
        parameters = self.saxpy.parameters
        assert parameters
        self.assertEqual(
            [(p.name, p.type) for p in parameters],
            [("a", "float"), ("x", "const float *"), ("y", "float *"), ("n", "unsigned")],
        )

    def test_takes_ints(self) -> None:
        for index, least, most in [
            (I8, -128, 127), (U8, 0, 255), (I16, -(2**15), 2**15 - 1), (U16, 0, 2**16 - 1), (I32, -(2**31), 2**31 - 1),
            (U32, 0, 2**32 - 1), (I64, -(2**63), 2**63 - 1), (U64, 0, 2**64 - 1), (LAST, -(2**31), 2**31 - 1),
        ]:  # fmt: skip
            self.assertEqual(self.seen(index, least), least)
            self.assertEqual(self.seen(index, most), most)
            self.refused(index, least - 1, "out of range|more than 64 bits")
            self.refused(index, most + 1, "out of range|more than 64 bits")
        self.assertIs(self.seen(FLAG, False), False)
        self.refused(FLAG, 2, "argument 1 .* is 2, which is out of range; the parameter is 'bool'")

    def test_takes_floats(self) -> None:
        self.assertEqual(self.seen(F32, 1.5), 1.5)
        self.assertEqual(self.seen(F64, 0.1), 0.1)
        self.assertEqual(self.seen(F32, 3), 3.0)
        for value in (0.0, -0.0, 1.0, 0.1, 65504.0, 65519.9, 6e-8, 2**-24, 2**-25, 1.0009765625, 2049.0, -3.7):
            self.assertEqual(self.seen(F16, value), struct.unpack("H", struct.pack("e", value))[0], value)
        self.assertEqual(self.seen(F16, 65520.0), 0x7C00)
        self.assertEqual(self.seen(F16, -1e300), 0xFC00)
        self.assertEqual(self.seen(F16, float("nan")) & 0x7E00, 0x7E00)
        self.assertEqual(self.seen(BF16, 1.0), 0x3F80)
        self.assertEqual(self.seen(BF16, 1.00390625), 0x3F80)  # half way: to even
        self.assertEqual(self.seen(BF16, 1.01171875), 0x3F82)
        self.assertEqual(self.seen(BF16, float("inf")), 0x7F80)
        self.assertEqual(self.seen(BF16, float("nan")) & 0x7FC0, 0x7FC0)
        self.refused(I32, 2.0, "is 2.0, which is not an integer; the parameter is 'int'")
        self.refused(OUT, 2.0, "is 2.0, where an array or an address is needed")

    def test_rounds_once(self) -> None:
        """To the nearest of the parameter's type, not of one between."""
        for value, bits in [
            (1 + 2**-8 + 2**-40, 0x3F81), (-1 - 2**-8 - 2**-40, 0xBF81), (1 + 2**-8 - 2**-40, 0x3F80),
            (2**60 + 2**52 + 1, 0x5D81), (2**60 + 2**52, 0x5D80), (-(2**60) - 2**52 - 1, 0xDD81),
            (2**63 + 2**55 + 1, 0x5F01), (2.0**-133, 1), (2.0**-134, 0), (2.0**-134 * (1 + 2**-40), 1),
            (3.4e38, 0x7F80), (3.39e38, 0x7F7F), (1e300, 0x7F80), (float("-inf"), 0xFF80), (-0.0, 0x8000),
        ]:  # fmt: skip
            self.assertEqual(self.seen(BF16, value), bits, value)
        for value, rounded in [
            (2**60 + 2**36 + 1, 2**60 + 2**37), (2**60 + 2**36, 2**60), (-(2**60) - 2**36 - 1, -(2**60) - 2**37),
            (2**63 + 2**39 + 1, 2**63 + 2**40), (2**64 - 1, 2**64), (-(2**63), -(2**63)), (2**53 + 1, 2**53),
        ]:  # fmt: skip
            self.assertEqual(self.seen(F32, value), rounded, value)
        self.assertEqual(self.seen(F64, 2**53 + 1), 2**53)
        self.assertEqual(self.seen(F64, 2**60 + 2**7 + 1), 2**60 + 2**8)
        self.assertEqual(self.seen(F16, 2**64 - 1), 0x7C00)

    def test_takes_numbers_of_ctypes(self) -> None:
        self.assertEqual(self.seen(I32, c_int(-5)), -5)
        self.assertEqual(self.seen(I32, c_int64(-5)), -5)
        self.assertEqual(self.seen(U8, c_int64(5)), 5)
        self.assertEqual(self.seen(F32, c_float(0.5)), 0.5)
        self.assertEqual(self.seen(F64, c_float(0.5)), 0.5)
        self.assertEqual(self.seen(OUT, ctypes.c_void_p(0x1234)), 0x1234)
        self.assertEqual(self.seen(OUT, ctypes.c_void_p()), 0)
        self.refused(F32, c_double(0.5), "would lose precision; the parameter is 'float'")
        self.refused(U8, c_int(256), "out of range")
        self.refused(I32, c_float(1), "not an integer")

    @unittest.skipUnless(numpy, "no NumPy")
    def test_takes_numbers_of_numpy(self) -> None:
        self.assertEqual(self.seen(I32, numpy.int64(-7)), -7)
        self.assertEqual(self.seen(F32, numpy.float32(0.1)), numpy.float32(0.1))
        self.assertEqual(self.seen(F16, numpy.float16(0.1)), numpy.float16(0.1).view(numpy.uint16))
        self.assertEqual(self.seen(F64, numpy.float64(0.1)), 0.1)
        self.assertIs(self.seen(FLAG, numpy.bool_(True)), True)
        self.assertEqual(self.seen(U64, numpy.array(2**64 - 1, numpy.uint64)), 2**64 - 1)
        self.refused(F32, numpy.float64(0.1), "would lose precision")
        self.refused(OUT, numpy.zeros(4), "an array in the memory of the CPU, which has to be copied")
        self.refused(F32, numpy.zeros(1, numpy.float32), "an array in the memory of the CPU")
        record = numpy.zeros((), [("first", "f4"), ("second", "i4")])
        record["second"] = 7
        self.assertEqual(self.seen(BOTH, record), 7 << 32)
        self.assertEqual(self.seen(BOTH, record[()]), 7 << 32)

    def test_takes_structures_and_bytes(self) -> None:
        self.assertEqual(self.seen(BOTH, Both(0, 9)), 9 << 32)
        self.assertEqual(self.seen(BOTH, struct.pack("fi", 0, 9)), 9 << 32)
        self.assertEqual(self.seen(BOTH, bytearray(struct.pack("fi", 0, 9))), 9 << 32)
        self.refused(BOTH, b"1234", "is 4 bytes, where 8 are needed; the parameter is 'numbers'")
        self.refused(BOTH, 9, "is 9, where a structure of 8 bytes is needed")
        self.refused(BOTH, 0.5, "is 0.5, where a structure of 8 bytes is needed")
        self.refused(BOTH, None, "is an array, where a value of 8 bytes is needed")
        self.refused(BOTH, array.array("d", [1]), "an array in the memory of the CPU")

    def test_takes_unions_and_packed_structures(self) -> None:
        """ctypes gives the format of a byte for both."""
        structures = self.module.kernel("structures")

        def launched(*values: Any) -> list[bytes]:
            structures.launch(1, 1, (*values, None))
            launch = last_launch()
            return [bytes(launch.args[i])[: launch.arg_sizes[i]] for i in range(3)]

        both = Both(1.5, 9)
        for byte in (Byte(7), one_of(c_uint8(7)), b"\7"):
            for whole in (both, Both64(both=both), packed(both)):
                self.assertEqual(launched(byte, Color(1, 2, 3), whole), [b"\7", b"\1\2\3", bytes(both)])
        self.assertEqual(self.seen(BOTH, Both64(whole=9 << 32)), 9 << 32)
        self.assertEqual(self.seen(BOTH, memoryview(Both64(whole=9 << 32))), 9 << 32)
        with self.assertRaisesRegex(cubinet.LaunchArgumentsError, "argument 1 .* is 1 bytes, where 3 are needed"):
            launched(Byte(7), Byte(7), both)

    def test_refuses_unions_and_packed_structures_for_numbers(self) -> None:
        cases: list[tuple[int, ctypes._SimpleCData[Any]]] = [
            (FLAG, ctypes.c_bool(True)), (U8, c_uint8(1)), (U16, c_uint16(1)), (I32, c_int(1)), (I64, c_int64(1)),
            (F16, c_uint16(1)), (F32, c_float(1.5)), (F64, c_double(1.5)), (OUT, ctypes.c_void_p(0x1000)),
        ]  # fmt: skip
        for index, member in cases:
            for value in (one_of(member), packed(member)):
                self.refused(index, value, "is a structure, or a number of another byte order")
            if ctypes.sizeof(member) > 1:
                self.refused(index, memoryview(one_of(member)), "is a structure")

    def test_takes_arrays(self) -> None:
        self.assertEqual(self.seen(OUT, Array("<f8", 0x7000)), 0x7000)
        self.assertEqual(self.seen(OUT, 0x8000), 0x8000)
        self.assertEqual(self.seen(OUT, None), 0)
        for versioned in (False, True):
            tensor = DlpackArray(2, 64, versioned=versioned)
            self.assertEqual(self.seen(OUT, tensor), 0x2010)
            self.assertEqual(tensor.streams, [-1])
        self.assertEqual(self.seen(OUT, DlpackArray(2, 64, device_type=13)), 0x2010)
        self.assertEqual(self.seen(OUT, DlpackArray(0, 8)), 0x2010)  # bytes
        self.refused(OUT, Array("<f4"), "is an array of float32; the parameter is 'double\\*'")
        self.refused(OUT, DlpackArray(2, 32), "is an array of float32")
        self.refused(OUT, DlpackArray(2, 64, device_type=1), "an array in the memory of the CPU")
        self.refused(OUT, DlpackArray(2, 64, device_type=10), "not on a CUDA device")
        self.refused(OUT, DlpackArray(2, 64, device_id=1), "an array on device 1, which device 0 may not reach .copy it")
        self.assertEqual(self.seen(OUT, DlpackArray(2, 64, device_type=13, device_id=1)), 0x2010)  # managed
        self.refused(F32, Array("<f4"), "is an array, where a value of 4 bytes is needed; the parameter is 'float'")
        self.refused(U64, Array("<f4"), "is an array, where a value of 8 bytes is needed")

    def test_takes_arrays_by_exchange_functions(self) -> None:
        calls = []
        function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))

        def to_tensor(value: Any, out: Any) -> int:
            calls.append(value)
            out[0] = Tensor(0x9000, 2, 0, 1, 2, 64, 1, None, None, 8)
            return 0

        class Exchange(ctypes.Structure):
            _fields_ = [
                ("major", ctypes.c_uint32),
                ("minor", ctypes.c_uint32),
                ("previous", ctypes.c_void_p),
                ("allocate", ctypes.c_void_p),
                ("to_managed", ctypes.c_void_p),
                ("from_managed", ctypes.c_void_p),
                ("to_tensor", function),
                ("current_stream", ctypes.c_void_p),
            ]

        exchange = Exchange(1, 3, None, None, None, None, function(to_tensor), None)
        fast = type("Fast", (), {"__dlpack_c_exchange_api__": capsule(exchange, b"dlpack_exchange_api")})
        value = fast()
        self.assertEqual(self.seen(OUT, value), 0x9008)
        self.assertEqual(self.seen(OUT, value), 0x9008)
        self.assertEqual(calls, [value, value])

    def test_compares_elements(self) -> None:
        """y of saxpy is float; values of reverse are int."""
        self.saxpy.launch(1, 1, (1.0, Array("<f4"), DlpackArray(2, 32), 1))
        with self.assertRaisesRegex(
            cubinet.LaunchArgumentsError,
            r"kernel 'saxpy': argument 1 \(from 0\), 'x', is an array of int32; the parameter is 'const float \*'",
        ):
            self.saxpy.launch(1, 1, (1.0, Array("<i4"), None, 1))
        reverse = self.module.kernel("reverse")
        reverse.launch(1, 1, (Array("<u4"), 1), shared=4)
        for typestr in ("<f4", "<i8", "|b1"):
            with self.assertRaisesRegex(cubinet.LaunchArgumentsError, "'values', is an array of"):
                reverse.launch(1, 1, (Array(typestr), 1), shared=4)

    def test_takes_addresses_of_other_objects(self) -> None:
        class Pointer:
            def __int__(self) -> int:
                return 0x4000

        class Number:
            def __index__(self) -> int:
                return 5

        self.assertEqual(self.seen(OUT, Pointer()), 0x4000)
        self.assertEqual(self.seen(I32, Number()), 5)
        self.refused(I32, Pointer(), "is a Pointer, which is not a number, array or address")
        self.refused(OUT, "text", "is a str, which is not a number")
        self.refused(OUT, [1], "is a list")

    def test_passes_on_what_objects_raise(self) -> None:
        class Broken:
            def __dlpack__(self, stream: Any = None) -> Any:
                raise RuntimeError("gone")

            def __dlpack_device__(self) -> tuple[int, int]:
                return (2, 0)

        with self.assertRaisesRegex(RuntimeError, "^gone$"):
            self.seen(OUT, Broken())
        odd = DlpackArray(2, 64)
        odd.name = b"other"
        self.refused(OUT, odd, "an object whose __dlpack__\\(\\) returned no capsule")
        bad = Array("<f8")
        del bad.__cuda_array_interface__["typestr"]
        self.refused(OUT, bad, "__cuda_array_interface__ lacks 'data' or 'typestr'")


    def test_counts_arguments(self) -> None:
        with self.assertRaisesRegex(cubinet.LaunchArgumentsError, "kernel 'saxpy' takes 4 arguments; 3 were given"):
            self.saxpy.launch(1, 1, (1.0, None, None))
        self.saxpy.launch(1, 1, [1.0, None, None, 1])
        self.module.kernel("nothing").launch(1, 1)
        with self.assertRaises(TypeError):
            self.saxpy.launch(1, 1, 5)  # type: ignore[arg-type]

    def test_takes_more_than_the_stack_has(self) -> None:
        values = array.array("f", range(500))
        self.module.kernel("sum_of").launch(1, 1, (values.tobytes(), None))
        self.assertEqual(last_launch().arg_sizes[0], 2000)

    def test_lists_may_change_meanwhile(self) -> None:
        values: list[Any] = []

        class Clearing(DlpackArray):
            def __dlpack__(self, stream: Any = None) -> Any:
                values.clear()
                return super().__dlpack__(stream)

        values += [1.0, Clearing(2, 32), None, 1]
        self.saxpy.launch(1, 1, values)
        self.assertEqual(last_launch().argument(3, c_uint32), 1)


if __name__ == "__main__":
    unittest.main()

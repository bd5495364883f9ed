# SPDX-License-Identifier: Apache-2.0
"""A kernel of cuTile, as bytecode, and as a cubin where tileiras is there: usage cutile_kernel.py FILE [ARCHITECTURE]"""
import sys
import cuda.tile as ct
from cuda.tile.compilation import ArrayConstraint, CallingConvention, ConstantConstraint, KernelSignature, export_kernel


@ct.kernel
def vector_add(a, b, c, size: ct.Constant[int]):
    i = ct.bid(0)
    x = ct.load(a, index=(i,), shape=(size,))
    y = ct.load(b, index=(i,), shape=(size,))
    ct.store(c, index=(i,), tile=x + y)


def array():
    return ArrayConstraint(ct.float32, 1, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(),
                           may_alias_internally=False, stride_constant=(1,), base_addr_divisible_by=16)


signature = KernelSignature([array(), array(), array(), ConstantConstraint(256)], CallingConvention.cutile_python_v1())
if len(sys.argv) > 2:
    export_kernel(vector_add, [signature], sys.argv[1], gpu_code=sys.argv[2], output_format="cubin")
else:  # of a version that is said, no tileiras is asked
    export_kernel(vector_add, [signature], sys.argv[1], gpu_code="sm_100", output_format="tileir_bytecode", bytecode_version="13.1")

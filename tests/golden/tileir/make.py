# SPDX-License-Identifier: Apache-2.0
"""Writes scale_13.1.tileirbc to scale_13.5.tileirbc, with cuTile 1.7.0 (package cuda-tile) and, in PATH, tileiras 13.5, which
makes scale_sm_90.cubin of the third: tileiras --gpu-name sm_90 scale_13.3.tileirbc -o scale_sm_90.cubin

Two kernels in one module, with hints for the compiler. As cuTile has it, 13.5 is for development only: what it
writes is what tileiras 13.5 reads. Debug information has the folder's name: these were made in /src.
"""
import cuda.tile as ct
import cuda.tile._compile
from cuda.tile.compilation import (ArrayConstraint, CallingConvention, KernelSignature, ScalarConstraint,
                                   export_kernel)

cuda.tile._compile.dev_features_enabled = lambda: True
SIZE = 16


@ct.kernel(num_ctas=2, occupancy=4)
def scale(values, factor):
    place = ct.bid(0)
    tile = ct.load(values, index=(place,), shape=(SIZE,))
    ct.store(values, index=(place,), tile=tile * factor)


def signature(dtype, name):
    array = ArrayConstraint(dtype, 1, index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(),
                            may_alias_internally=False)
    return KernelSignature([array, ScalarConstraint(dtype)], symbol=name,
                           calling_convention=CallingConvention.cutile_python_v1())


for version in "13.1", "13.2", "13.3", "13.4", "13.5":
    export_kernel(scale, [signature(ct.float32, "scale_f32"), signature(ct.float64, "scale_f64")],
                  f"scale_{version}.tileirbc", gpu_code="sm_100", output_format="tileir_bytecode",
                  bytecode_version=version)

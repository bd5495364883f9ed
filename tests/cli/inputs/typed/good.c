/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"
#include "typed.h"

#include "kernels.h" /* again */
int launch(cubinet_module *module, cubinet_launch_config *config, CUdeviceptr out, float *x);
int launch(cubinet_module *module, cubinet_launch_config *config, CUdeviceptr out, float *x)
{
    cubinet_kernel *kernels[KERNELS_SHAPES_KERNEL_COUNT];
    for (int i = 0; i < KERNELS_SHAPES_KERNEL_COUNT; i++) {
        cubinet_module_find_kernel(module, kernels_shapes_kernels[i], &kernels[i]);
    }
    config->block[0] = KERNELS_SHAPES_SHAPES_FLOAT_MAX_THREADS;
    kernels_shapes_shapes_float(kernels[KERNELS_SHAPES_SHAPES_FLOAT_ID], config, (char)1, 2.0, (short)3, out);
    return typed_demo_scale(kernels[0], config, x, 2.f, 3 + 4);
}
#if KERNELS_SHAPES_SHAPES_FLOAT_PARAM_1_BYTES != 8 || KERNELS_SHAPES_TABLE_BYTES != 20
#error "numbers are for the preprocessor, too"
#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "typed.h"
cubinet_status launch(cubinet_module *module, const cubinet_launch_config &config, float *x,
                      const int *offsets);
cubinet_status launch(cubinet_module *module, const cubinet_launch_config &config, float *x,
                      const int *offsets)
{
    typed_demo::scale scale;
    typed_demo::segsum<float, int, 256, 4> segsum;
    if (cubinet_status status = scale.bind(module))
        return status;
    if (cubinet_status status = segsum.bind(module))
        return status;
    scale(config, x, 2.f, 3);
    return segsum(config, x, offsets, x);
}

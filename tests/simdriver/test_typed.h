/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts in C and in C++ share. Anything that is not as expected fails the test. */
#ifndef TEST_TYPED_H
#define TEST_TYPED_H

#include <cubinet/cubinet.h>

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* `Params` of the kernels' source */
struct typed_params {
    float scale;
    int count;
    long long total;
};

/* Expects that the last launch was of a kernel with these values. */
struct typed_value {
    const void *bytes;
    size_t size;
};
void typed_expect(const char *kernel, const struct typed_value *values, unsigned int count);

static inline void typed_expect_scale(const float *x, float f, int n)
{
    const struct typed_value values[] = {{&x, sizeof(x)}, {&f, sizeof(f)}, {&n, sizeof(n)}};
    typed_expect("_Z5scalePffi", values, 3);
}

static inline void typed_expect_mixed(const float *x, double d, bool b, struct typed_params params,
                                      unsigned long long wide, const struct typed_params *out)
{
    const struct typed_value values[] = {{&x, sizeof(x)},       {&d, sizeof(d)},
                                         {&b, sizeof(b)},       {&params, sizeof(params)},
                                         {&wide, sizeof(wide)}, {&out, sizeof(out)}};
    typed_expect("_ZN2ns5mixedEPKfdb6ParamsyPS2_", values, 6);
}

static inline void typed_expect_segsum(const float *x, const int *offsets, const float *sums)
{
    const struct typed_value values[] = {{&x, sizeof(x)}, {&offsets, sizeof(offsets)}, {&sums, sizeof(sums)}};
    typed_expect("_Z6segsumIfiLi256ELi4EEvPKT_PKT0_PS0_", values, 3);
}

static inline void typed_expect_saxpy(float a, CUdeviceptr x, const float *y, unsigned int n)
{
    const struct typed_value values[] = {{&a, sizeof(a)}, {&x, sizeof(x)}, {&y, sizeof(y)}, {&n, sizeof(n)}};
    typed_expect("saxpy", values, 4);
}

/* In C++, by the header's functions, and by its function objects. */
void typed_launch_functions(cubinet_module *module, const cubinet_launch_config *config);
void typed_launch_objects(cubinet_module *module, const cubinet_launch_config *config);
void typed_launch_unbound(const cubinet_launch_config *config);

#ifdef __cplusplus
}
#endif
#endif

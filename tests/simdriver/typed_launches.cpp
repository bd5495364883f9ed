/* SPDX-License-Identifier: Apache-2.0 */
#include "test_typed.h"

#include "typed.h"

#include <cstdio>
#include <cstdlib>
#include <type_traits>

namespace
{

void check(cubinet_status status)
{
    if (status) {
        std::fprintf(stderr, "%s\n", cubinet_error_message());
        std::abort();
    }
}

const struct typed_params params = {2.5f, 4, 1LL << 40};
enum small : unsigned char { TWO = 2 };
float data[4];
const int offsets[] = {1};

} // namespace

void typed_launch_functions(cubinet_module *module, const cubinet_launch_config *config)
{
    cubinet_kernel *scale = nullptr;
    cubinet_kernel *mixed = nullptr;
    cubinet_kernel *saxpy = nullptr;
    check(cubinet_module_find_kernel(module, TYPED_DEMO_SCALE, &scale));
    check(cubinet_module_find_kernel(module, TYPED_DEMO_NS_MIXED, &mixed));
    check(cubinet_module_find_kernel(module, TYPED_DEMO_SAXPY, &saxpy));
    check(typed_demo_scale(scale, config, data, 2.f, TWO));
    typed_expect_scale(data, 2.f, 2);
    typed_params out = params;
    check(typed_demo_ns_mixed(mixed, config, nullptr, 0.5f, true, params, 9u, &out));
    typed_expect_mixed(nullptr, 0.5, true, params, 9, &out);
    check(typed_demo_saxpy(saxpy, config, 3.f, CUdeviceptr{0x2000}, data, 4u));
    typed_expect_saxpy(3.f, 0x2000, data, 4);
}

void typed_launch_objects(cubinet_module *module, const cubinet_launch_config *config)
{
    typed_demo::scale scale;
    check(scale.bind(module));
    check(scale(*config, data + 2, 1.5f, short{8}));
    typed_expect_scale(data + 2, 1.5f, 8);

    typed_demo::ns::mixed mixed;
    check(mixed.bind(module));
    typed_params out = params;
    check(mixed(*config, data, 0.25, false, typed_params{1, 2, 3}, ~0ull, &out));
    typed_expect_mixed(data, 0.25, false, typed_params{1, 2, 3}, ~0ull, &out);

    cubinet_kernel *kernel = nullptr;
    check(cubinet_module_find_kernel(module, "segsum<float,int,256,4>", &kernel));
    const typed_demo::segsum<float, int, 256, 4> segsum{kernel};
    check(segsum(*config, data, offsets, data));
    typed_expect_segsum(data, offsets, data);
    check(segsum.get() == kernel ? CUBINET_OK : CUBINET_ERROR_NOT_FOUND);

    typed_demo::nothing nothing;
    check(nothing.bind(module));
    check(nothing(*config));
    typed_expect(nothing.name(), nullptr, 0);
}

void typed_launch_unbound(const cubinet_launch_config *config)
{
    const typed_demo::scale scale;
    if (scale(*config, data, 1.f, 1) != CUBINET_ERROR_INVALID_ARGUMENT || scale.get()) {
        std::abort();
    }
}

/* What fits, as the interface says it does. */
using typed_demo::scale;
template <class... Arguments>
constexpr bool fits = std::is_invocable_v<const scale &, const cubinet_launch_config &, Arguments...>;
static_assert(fits<float *, float, int>);
static_assert(fits<std::nullptr_t, float, short> && fits<float *, float, bool> &&
              fits<float *, float, small>);
static_assert(!fits<float *, int, float> && !fits<float *, float, float> && !fits<float *, double, int>);
static_assert(!fits<float *, float, unsigned> && !fits<float *, float, long> &&
              !fits<const float *, float, int>);
static_assert(!fits<int *, float, int> && !fits<void *, float, int> && !fits<CUdeviceptr, float, int>);
static_assert(!fits<float *, float> && !fits<float *, float, int, int>);
static_assert(!std::is_invocable_v<const typed_demo::ns::mixed &, const cubinet_launch_config &, float *,
                                   double, bool, double, unsigned long long, typed_params *>);
static_assert(!std::is_invocable_v<const typed_demo::ns::mixed &, const cubinet_launch_config &, float *,
                                   double, bool, typed_params, unsigned long long, float *>);

/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels.h"
#include <cstdio>
#include <cubinet/cubinet.hpp>

int main()
try {
    const auto archive = cubinet::archive::open_memory(kernels, kernels_size);
    const auto driver = cubinet::driver::open();
    const auto module = cubinet::module::load(driver, archive, "squares", 0);
    module.find_kernel("squares").launch({1, 64}, nullptr, 0.5f);

    const auto use_context = driver.proc_address<int(CUcontext)>("cuCtxSetCurrent");
    const auto copy = driver.proc_address<int(void *, CUdeviceptr, size_t)>("cuMemcpyDtoH");
    float values[64];
    if (use_context(module.context()) || copy(values, module.find_global("values").address, sizeof(values))) {
        return 1;
    }
    std::printf("0.5 * 8 * 8 = %g\n", values[8]);
    return values[8] == 32 ? 0 : 1;
} catch (const cubinet::error &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels into streams. */
#include "loader/core/support/error.h"
#include "loader/driver/errors.h"
#include "loader/driver/launch_arguments.h"
#include "loader/driver/launch_config.h"

static cubinet_status submit(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                             const struct cbn_params *params)
{
    const struct cbn_driver_table *cu = &kernel->module->driver->cu;
    CUfunction function = NULL;
    cubinet_status status = cbn_launch_ready(kernel, launch, params, &function);
    if (status) {
        return status;
    }
    struct cbn_driver_launch driver_launch;
    cbn_driver_launch_fill(kernel, launch, &driver_launch);
    cbn_cu_result result = cu->cuLaunchKernelEx(&driver_launch.config, function, params->values, NULL);
    if (result != CBN_CU_SUCCESS) {
        return cbn_driver_failed(cu, result, "launching kernel '%s'", cbn_kernel_expression(kernel));
    }
    if (launch->more && launch->more->out_device_node) {
        *launch->more->out_device_node = cbn_driver_launch_device_node(&driver_launch);
    }
    return CUBINET_OK;
}

/* With the memory that hidden parameters are given, as long as the launch runs. */
static cubinet_status submit_with_memory(const cubinet_kernel *kernel, const struct cbn_launch *launch,
                                         const struct cbn_params *params, void *unused)
{
    (void)unused;
    cubinet_status status = cbn_hidden_allocate(kernel, launch, params->hidden, params->hidden_count);
    if (!status) {
        status = submit(kernel, launch, params);
    }
    if (!status) {
        return cbn_hidden_free(kernel, launch, params->hidden, params->hidden_count);
    }
    struct cbn_kept_error kept = cbn_error_keep(); /* the first failure counts */
    cbn_hidden_free(kernel, launch, params->hidden, params->hidden_count);
    cbn_error_put_back(&kept);
    return status;
}

cubinet_status cubinet_kernel_launch(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                     const cubinet_arg *args, size_t arg_count)
{
    return cbn_launch_prepare("cubinet_kernel_launch", kernel, config, args, arg_count, submit_with_memory,
                              NULL);
}

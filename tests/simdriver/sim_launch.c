/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel attributes and launches. */
#include "sim.h"
#include "sim_compute.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { PORTABLE_CLUSTER = 8, LARGEST_CLUSTER = 16 };

static uint32_t known_or_zero(uint32_t number)
{
    return number == CUBINET_UNKNOWN ? 0 : number;
}

static cbn_cu_result need_kernel(CUkernel kernel, CUdevice device, const char *call)
{
    if (!sim_find_kernel(kernel)) {
        return sim_misuse(CBN_CU_INVALID_HANDLE, "%s of a kernel that is gone", call);
    }
    if (device < 0 || device >= sim.device_count) {
        return CBN_CU_INVALID_DEVICE;
    }
    return kernel->library->verdicts[device];
}

cbn_cu_result sim_cuKernelGetAttribute(int *value, unsigned int attribute, CUkernel kernel, CUdevice device)
{
    cbn_cu_result result = need_kernel(kernel, device, "cuKernelGetAttribute");
    if (result != CBN_CU_SUCCESS) {
        return result;
    }
    const cubinet_kernel_resources *resources = &kernel->contents->resources;
    switch (attribute) {
    case CBN_CU_FUNC_SHARED_SIZE_BYTES:
        *value = (int)known_or_zero(resources->static_shared_bytes);
        return CBN_CU_SUCCESS;
    case CBN_CU_FUNC_NUM_REGS:
        *value = (int)known_or_zero(resources->registers);
        return CBN_CU_SUCCESS;
    case CBN_CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES:
        *value = kernel->dynamic_shared[device];
        return CBN_CU_SUCCESS;
    case CBN_CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT:
        *value = kernel->carve_outs[device] - 1;
        return CBN_CU_SUCCESS;
    default:
        return CBN_CU_INVALID_VALUE;
    }
}

cbn_cu_result sim_cuKernelSetAttribute(unsigned int attribute, int value, CUkernel kernel, CUdevice device)
{
    cbn_cu_result result = need_kernel(kernel, device, "cuKernelSetAttribute");
    if (result != CBN_CU_SUCCESS) {
        return result;
    }
    int fixed = (int)known_or_zero(kernel->contents->resources.static_shared_bytes);
    int limit = sim.devices[device].attributes[CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN];
    if (attribute == CBN_CU_FUNC_MAX_DYNAMIC_SHARED_SIZE_BYTES && value >= 0 && fixed + value <= limit) {
        sim.lowered += value < kernel->dynamic_shared[device];
        kernel->dynamic_shared[device] = value;
        return CBN_CU_SUCCESS;
    }
    if (attribute == CBN_CU_FUNC_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
        kernel->large_clusters[device] = value;
        return CBN_CU_SUCCESS;
    }
    if (attribute == CBN_CU_FUNC_PREFERRED_SHARED_MEMORY_CARVEOUT && value >= -1 && value <= 100) {
        kernel->carve_outs[device] = value + 1;
        return CBN_CU_SUCCESS;
    }
    return CBN_CU_INVALID_VALUE;
}

int simdriver_dynamic_shared(const char *kernel, int device)
{
    int bytes = -1;
    sim_lock();
    for (const struct CUlib_st *library = sim.libraries; library; library = library->next) {
        for (size_t i = 0; i < library->contents.kernel_count; i++) {
            if (strcmp(library->contents.kernels[i].name, kernel) == 0) {
                bytes = library->kernels[i].dynamic_shared[device];
            }
        }
    }
    sim_unlock();
    return bytes;
}

unsigned int simdriver_lowered(void)
{
    sim_lock();
    unsigned int count = sim.lowered;
    sim_unlock();
    return count;
}

static cbn_cu_result check_sizes(const struct CUkern_st *kernel, const struct simdriver_launch *launch)
{
    const int *attributes = sim.devices[launch->device].attributes;
    for (int i = 0; i < 3; i++) {
        if (launch->grid[i] < 1 || launch->block[i] < 1 ||
            launch->grid[i] > (unsigned int)attributes[CBN_CU_DEVICE_MAX_GRID_DIM_X + i] ||
            launch->block[i] > (unsigned int)attributes[CBN_CU_DEVICE_MAX_BLOCK_DIM_X + i]) {
            return CBN_CU_INVALID_VALUE;
        }
    }
    uint32_t limit = kernel->contents->resources.max_threads_per_block;
    if (limit == CUBINET_UNKNOWN) {
        limit = (uint32_t)attributes[CBN_CU_DEVICE_MAX_THREADS_PER_BLOCK];
    }
    return launch->block[0] * launch->block[1] * launch->block[2] > limit ? CBN_CU_INVALID_VALUE
                                                                          : CBN_CU_SUCCESS;
}

static cbn_cu_result check_shared(const struct CUkern_st *kernel, const struct simdriver_launch *launch)
{
    uint32_t fixed = known_or_zero(kernel->contents->resources.static_shared_bytes);
    uint32_t normal =
        (uint32_t)sim.devices[launch->device].attributes[CBN_CU_DEVICE_MAX_SHARED_MEMORY_PER_BLOCK];
    bool fits = fixed + launch->dynamic_shared_bytes <= normal ||
                launch->dynamic_shared_bytes <= (uint32_t)kernel->dynamic_shared[launch->device];
    return fits ? CBN_CU_SUCCESS : CBN_CU_INVALID_VALUE;
}

cbn_cu_result sim_check_cluster(const struct CUkern_st *kernel, const struct simdriver_launch *launch)
{
    const uint32_t *required = kernel->contents->resources.required_cluster;
    bool is_required = known_or_zero(required[0]) > 0;
    if (!launch->cluster[0] && !is_required) {
        return CBN_CU_SUCCESS;
    }
    unsigned int blocks = 1;
    for (int i = 0; i < 3; i++) {
        unsigned int side = is_required ? required[i] : launch->cluster[i];
        side = side ? side : 1;
        if ((launch->cluster[0] && launch->cluster[i] != side) || launch->grid[i] % side) {
            return CBN_CU_INVALID_CLUSTER_SIZE;
        }
        blocks *= side;
    }
    unsigned int limit = kernel->large_clusters[launch->device] ? LARGEST_CLUSTER : PORTABLE_CLUSTER;
    bool fits = sim.devices[launch->device].attributes[CBN_CU_DEVICE_CLUSTER_LAUNCH] && blocks <= limit;
    return fits ? CBN_CU_SUCCESS : CBN_CU_INVALID_CLUSTER_SIZE;
}

static cbn_cu_result check_attribute(const cbn_cu_launch_attribute *attribute,
                                     const struct simdriver_launch *launch)
{
    const cbn_cu_launch_value *value = &attribute->value;
    switch (attribute->id) {
    case CBN_CU_LAUNCH_PROGRAMMATIC_EVENT:
        return value->programmatic_event.event ? CBN_CU_SUCCESS : CBN_CU_INVALID_VALUE;
    case CBN_CU_LAUNCH_LAUNCH_COMPLETION_EVENT:
        return value->completion_event.event ? CBN_CU_SUCCESS : CBN_CU_INVALID_VALUE;
    case CBN_CU_LAUNCH_DEVICE_UPDATABLE_KERNEL_NODE: /* of graphs only */
        return sim_capture_of(launch->stream) ? CBN_CU_SUCCESS : CBN_CU_INVALID_VALUE;
    default:
        return attribute->id != 3 && attribute->id <= CBN_CU_LAUNCH_NVLINK_UTIL_CENTRIC_SCHEDULING
                   ? CBN_CU_SUCCESS
                   : sim_misuse(CBN_CU_INVALID_VALUE, "unknown launch attribute %u", attribute->id);
    }
}

static cbn_cu_result read_attribute(cbn_cu_launch_attribute *attribute, struct simdriver_launch *launch)
{
    cbn_cu_result result = check_attribute(attribute, launch);
    if (result != CBN_CU_SUCCESS || launch->attribute_count == SIMDRIVER_MAX_LAUNCH_ATTRIBUTES) {
        return result != CBN_CU_SUCCESS ? result : CBN_CU_INVALID_VALUE;
    }
    if (attribute->id == CBN_CU_LAUNCH_COOPERATIVE) {
        launch->cooperative = attribute->value.cooperative != 0;
    } else if (attribute->id == CBN_CU_LAUNCH_CLUSTER_DIMENSION) {
        launch->cluster[0] = attribute->value.cluster.x;
        launch->cluster[1] = attribute->value.cluster.y;
        launch->cluster[2] = attribute->value.cluster.z;
    } else if (attribute->id == CBN_CU_LAUNCH_DEVICE_UPDATABLE_KERNEL_NODE) {
        attribute->value.device_updatable.node = (CUgraphDeviceNode)(uintptr_t)(0x1000 + ++sim.device_nodes);
    }
    struct simdriver_attribute *noted = &launch->attributes[launch->attribute_count++];
    noted->id = attribute->id;
    memcpy(noted->value, &attribute->value, sizeof(noted->value));
    return CBN_CU_SUCCESS;
}

static cbn_cu_result read_attributes(const cbn_cu_launch_config *config, struct simdriver_launch *launch)
{
    cbn_cu_result result = CBN_CU_SUCCESS;
    for (unsigned int i = 0; result == CBN_CU_SUCCESS && i < config->attribute_count; i++) {
        result = read_attribute(&config->attributes[i], launch);
    }
    return result;
}

const unsigned char *simdriver_attribute_of(const struct simdriver_launch *launch, unsigned int id)
{
    for (unsigned int i = 0; i < launch->attribute_count; i++) {
        if (launch->attributes[i].id == id) {
            return launch->attributes[i].value;
        }
    }
    return NULL;
}

/* Reads exactly as many arguments, and of each as many bytes, as the kernel has: a caller that gave less is
 * caught by the address sanitizer. */
static cbn_cu_result copy_arguments(const struct CUkern_st *kernel, void **params,
                                    struct simdriver_launch *launch)
{
    const cubinet_kernel_resources *resources = &kernel->contents->resources;
    launch->arg_count = known_or_zero(resources->param_count);
    if (launch->arg_count > SIMDRIVER_MAX_ARGS || (launch->arg_count && !params)) {
        return sim_misuse(CBN_CU_INVALID_VALUE, "a launch without its %u arguments", launch->arg_count);
    }
    for (uint32_t i = 0; i < launch->arg_count; i++) {
        if (!params[i]) {
            return sim_misuse(CBN_CU_INVALID_VALUE, "argument %u of a launch is NULL", i);
        }
        uint32_t size = resources->params[i].size;
        launch->arg_sizes[i] = size;
        memcpy(launch->args[i], params[i], size < SIMDRIVER_ARG_SIZE ? size : SIMDRIVER_ARG_SIZE);
    }
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_read_launch(const cbn_cu_launch_config *config, CUfunction function, void **params,
                              struct simdriver_launch *launch)
{
    struct CUctx_st *context = function->context;
    *launch = (struct simdriver_launch){
        .context = context,
        .device = context->device,
        .stream = config->stream,
        .grid = {config->grid_x, config->grid_y, config->grid_z},
        .block = {config->block_x, config->block_y, config->block_z},
        .dynamic_shared_bytes = config->dynamic_shared_bytes,
    };
    snprintf(launch->kernel, sizeof(launch->kernel), "%s", function->kernel->contents->name);
    cbn_cu_result result = read_attributes(config, launch);
    if (result == CBN_CU_SUCCESS) {
        result = check_sizes(function->kernel, launch);
    }
    if (result == CBN_CU_SUCCESS) {
        result = check_shared(function->kernel, launch);
    }
    if (result == CBN_CU_SUCCESS) {
        result = sim_check_cluster(function->kernel, launch);
    }
    return result == CBN_CU_SUCCESS ? copy_arguments(function->kernel, params, launch) : result;
}

cbn_cu_result sim_cuLaunchKernelEx(const cbn_cu_launch_config *config, CUfunction function, void **params,
                                   void **extra)
{
    struct CUctx_st *context = NULL;
    cbn_cu_result result = sim_need_context(&context);
    if (result != CBN_CU_SUCCESS || extra) {
        return result != CBN_CU_SUCCESS ? result : CBN_CU_INVALID_VALUE;
    }
    if (!sim_find_function(function)) {
        return sim_misuse(CBN_CU_INVALID_HANDLE, "launch of a function that is gone");
    }
    if (function->context != context) {
        return sim_misuse(CBN_CU_INVALID_HANDLE, "launch of a function of another context");
    }
    static struct simdriver_launch launch; /* large; the lock is held */
    result = sim_read_launch(config, function, params, &launch);
    if (result == CBN_CU_SUCCESS && sim_capture_of(config->stream)) {
        return sim_capture_launch(sim_capture_of(config->stream), function, &launch);
    }
    if (result == CBN_CU_SUCCESS) {
        sim.launch = launch;
        sim_compute_launch(&launch);
    }
    return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: the primary one of each device, ones that tests make, and the stack of each thread. */
#include "sim.h"

#include <stdlib.h>

enum { STACK_SIZE = 32 };

static _Thread_local struct {
    unsigned int epoch;
    int depth;
    struct CUctx_st *contexts[STACK_SIZE];
} stack;

/* The thread's stack is empty after a reset. */
static void refresh_stack(void)
{
    if (stack.epoch != sim.epoch) {
        stack.epoch = sim.epoch;
        stack.depth = 0;
    }
}

struct CUctx_st *sim_current_context(void)
{
    refresh_stack();
    return stack.depth ? stack.contexts[stack.depth - 1] : NULL;
}

static bool is_context(CUcontext context)
{
    for (int i = 0; i < sim.device_count; i++) {
        if (context == &sim.devices[i].primary) {
            return true;
        }
    }
    for (const struct CUctx_st *created = sim.created; created; created = created->next) {
        if (context == created) {
            return true;
        }
    }
    return false;
}

cbn_cu_result sim_need_context(struct CUctx_st **out_context)
{
    struct CUctx_st *context = sim_current_context();
    if (!context) {
        return CBN_CU_INVALID_CONTEXT;
    }
    if (!context->retained) {
        return sim_misuse(CBN_CU_CONTEXT_IS_DESTROYED, "a context that is destroyed is current");
    }
    *out_context = context;
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    if (device < 0 || device >= sim.device_count) {
        return CBN_CU_INVALID_DEVICE;
    }
    sim.devices[device].primary.retained++;
    *context = &sim.devices[device].primary;
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuDevicePrimaryCtxRelease(CUdevice device)
{
    if (device < 0 || device >= sim.device_count) {
        return CBN_CU_INVALID_DEVICE;
    }
    struct CUctx_st *primary = &sim.devices[device].primary;
    if (!primary->retained) {
        return sim_misuse(CBN_CU_INVALID_CONTEXT, "the primary context of device %d released once too often",
                          device);
    }
    primary->retained--;
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuCtxGetCurrent(CUcontext *context)
{
    *context = sim_current_context();
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuCtxPushCurrent(CUcontext context)
{
    refresh_stack();
    if (!is_context(context) || stack.depth == STACK_SIZE) {
        return sim_misuse(CBN_CU_INVALID_CONTEXT, "pushed something that is not a context");
    }
    stack.contexts[stack.depth++] = context;
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuCtxPopCurrent(CUcontext *context)
{
    refresh_stack();
    if (!stack.depth) {
        return CBN_CU_INVALID_CONTEXT;
    }
    *context = stack.contexts[--stack.depth];
    return CBN_CU_SUCCESS;
}

cbn_cu_result sim_cuCtxGetDevice(CUdevice *device)
{
    struct CUctx_st *context = NULL;
    cbn_cu_result result = sim_need_context(&context);
    if (result == CBN_CU_SUCCESS) {
        *device = context->device;
    }
    return result;
}

cbn_cu_result sim_cuCtxGetDevResource(CUcontext context, cbn_cu_resource *resource, unsigned int type)
{
    if (!is_context(context) || !context->retained) {
        return sim_misuse(CBN_CU_INVALID_CONTEXT, "the resources of something that is not a context");
    }
    if (type != CBN_CU_RESOURCE_SM) {
        return CBN_CU_INVALID_VALUE;
    }
    int all = sim.devices[context->device].attributes[CBN_CU_DEVICE_MULTIPROCESSOR_COUNT];
    resource->type = type;
    resource->value.multiprocessors = context->multiprocessors ? context->multiprocessors : (unsigned int)all;
    return CBN_CU_SUCCESS;
}

CUcontext simdriver_create_context(int device)
{
    return simdriver_create_green_context(device, 0);
}

CUcontext simdriver_create_green_context(int device, unsigned int multiprocessors)
{
    struct CUctx_st *context = calloc(1, sizeof(*context));
    if (!context) {
        abort();
    }
    *context = (struct CUctx_st){.device = device, .retained = 1, .multiprocessors = multiprocessors};
    sim_lock();
    context->next = sim.created;
    sim.created = context;
    sim_unlock();
    return context;
}

void simdriver_destroy_context(CUcontext context)
{
    context->retained = 0; /* its memory stays until the reset, so that later uses are noticed */
}

static void created_free(void)
{
    while (sim.created) {
        struct CUctx_st *next = sim.created->next;
        free(sim.created);
        sim.created = next;
    }
}

void sim_free_objects(void)
{
    sim_free_graphs();
    while (sim.libraries) {
        struct CUlib_st *next = sim.libraries->next;
        sim_library_free(sim.libraries);
        sim.libraries = next;
    }
    created_free();
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/load_image.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/tileir.h"
#include "loader/core/support/error.h"
#include "loader/driver/check_code.h"
#include "loader/driver/check_params.h"
#include "loader/driver/errors.h"
#include "loader/link/dynamic_shared.h"
#include "loader/link/read_cubin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A driver call that an image can fail at. */
struct step {
    const char *call;
    const char *kernel; /* the one it was made for, or NULL */
    cbn_cu_result result;
};

/* Reads what the archive records of every kernel in that image, and forgets those of one that was tried
 * before. */
static cubinet_status record_kernels(struct cubinet_module *module, uint32_t image)
{
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        struct cubinet_kernel *kernel = &module->kernels[i];
        atomic_init(&kernel->state->handle, NULL);
        atomic_init(&kernel->state->function, NULL);
        atomic_init(&kernel->state->params_checked, false);
        kernel->uses_dynamic_shared = false;
        kernel->is_recorded = cbn_archive_image_has_kernel(module->archive, module->index, image, i);
        if (!kernel->is_recorded) {
            continue;
        }
        kernel->resources = (cubinet_kernel_resources){.size = sizeof(kernel->resources)};
        kernel->launch = (cubinet_launch_record){.size = sizeof(kernel->launch)};
        cubinet_status status =
            cubinet_archive_get_resources(module->archive, module->index, image, i, &kernel->resources);
        if (!status) {
            status =
                cubinet_archive_get_launch_record(module->archive, module->index, image, i, &kernel->launch);
        }
        if (status) {
            return status;
        }
        kernel->uses_dynamic_shared = (kernel->launch.flags & CUBINET_RECORD_TAKES_DYNAMIC_SHARED) != 0;
        atomic_init(&kernel->state->static_shared, kernel->resources.static_shared_bytes);
    }
    return CUBINET_OK;
}

/* The kernel of a lowered name, which is not NUL-terminated; NULL if the module has none. They are in order.
 */
static struct cubinet_kernel *find_kernel(struct cubinet_module *module, const char *name, size_t size)
{
    uint32_t first = 0;
    for (uint32_t count = module->kernel_count; count > 0; count /= 2) {
        struct cubinet_kernel *middle = &module->kernels[first + count / 2];
        const char *found = cbn_kernel_name(middle);
        int order = strncmp(found, name, size);
        if (order == 0 && found[size] == '\0') {
            return middle;
        }
        if (order < 0) {
            first += count / 2 + 1;
            count--;
        }
    }
    return NULL;
}

static void note_dynamic_shared(void *user, const char *name, size_t size)
{
    struct cubinet_kernel *kernel = find_kernel(user, name, size);
    if (kernel) {
        kernel->uses_dynamic_shared = true;
    }
}

/* What the code shows of its kernels beyond their record. Nothing else than this has the code at hand. */
static cubinet_status look_at_code(struct cubinet_module *module, const cubinet_image_info *info,
                                   const void *code)
{
    struct cbn_elf elf;
    cubinet_status status = cbn_check_code(module->archive, module->index, info, code, &elf);
    if (status) {
        return status;
    }
    if (info->target.kind == CUBINET_IMAGE_CUBIN) {
        cbn_dynamic_shared_of_cubin(&elf, cbn_cubin_number(code, (size_t)info->raw_size), note_dynamic_shared,
                                    module);
        return cbn_check_params_of_cubin(module, code, (size_t)info->raw_size);
    }
    if (info->target.kind == CUBINET_IMAGE_PTX) {
        cbn_dynamic_shared_of_ptx(code, strlen(code), note_dynamic_shared, module);
    }
    return CUBINET_OK;
}

static struct step load_library(struct cubinet_module *module, const void *data)
{
    struct cbn_device_code *code = module->code;
    unsigned int options[] = {CBN_CU_JIT_ERROR_LOG_BUFFER, CBN_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {code->jit_log, (void *)(size_t)CBN_JIT_LOG_SIZE};
    unsigned int count = code->jit_log ? 2 : 0;
    cbn_cu_result result =
        module->driver->cu.cuLibraryLoadData(&code->library, data, options, values, count, NULL, NULL, 0);
    return (struct step){.call = "cuLibraryLoadData", .result = result};
}

static struct step get_kernel(const struct cubinet_kernel *kernel)
{
    return (struct step){
        .call = "cuLibraryGetKernel",
        .kernel = cbn_kernel_name(kernel),
        .result = cbn_kernel_look_up(kernel),
    };
}

static struct step get_function(struct cubinet_kernel *kernel)
{
    CUfunction function = NULL;
    struct step step = {
        .call = "cuKernelGetFunction",
        .kernel = cbn_kernel_name(kernel),
        .result = kernel->module->driver->cu.cuKernelGetFunction(&function, cbn_kernel_handle(kernel)),
    };
    if (step.result == CBN_CU_SUCCESS) {
        atomic_store(&kernel->state->function, function);
    }
    return step;
}

/* The first kernel from number `from` on that is recorded for the image; NULL if there is none. */
static struct cubinet_kernel *next_recorded(const struct cubinet_module *module, uint32_t from)
{
    for (uint32_t i = from; i < module->kernel_count; i++) {
        if (module->kernels[i].is_recorded) {
            return &module->kernels[i];
        }
    }
    return NULL;
}

/* One kernel's function proves that the code as a whole is loadable in the module's context. */
static struct step get_first_function(struct cubinet_module *module)
{
    struct cubinet_kernel *kernel = next_recorded(module, 0);
    struct step step = {.result = CBN_CU_SUCCESS};
    if (kernel) {
        step = get_kernel(kernel);
    }
    return kernel && step.result == CBN_CU_SUCCESS ? get_function(kernel) : step;
}

/* How far the driver is asked for more than it needs to take the code. */
enum proof {
    PROOF_ONE_KERNEL, /* it knows a kernel */
    PROOF_FUNCTION,   /* it knows all of them, and has made the code ready to run */
};

/* cuLibraryLoadData() alone proves nothing: it accepts code of other architectures. The first kernel is what
 * it does not find in those. Its function, which takes the driver longer than all the rest, proves more than
 * has to be proved where archive and code agree that the code is for this very architecture, and the driver's
 * release knows what the toolkit made. */
static enum proof needed_proof(const struct cubinet_module *module, const cubinet_image_info *info,
                               const void *code)
{
    int compute = 10 * module->device->compute_major + module->device->compute_minor;
    bool is_exact = info->target.kind == CUBINET_IMAGE_CUBIN && info->target.number == compute &&
                    cbn_cubin_number(code, (size_t)info->raw_size) == compute;
    bool is_known = info->toolkit > 0 && info->toolkit <= (uint32_t)module->driver->version;
    return is_exact && is_known && !module->driver->forces_jit ? PROOF_ONE_KERNEL : PROOF_FUNCTION;
}

static struct step get_kernels(struct cubinet_module *module, enum proof proof)
{
    struct cubinet_kernel *kernel = next_recorded(module, 0);
    struct step step = {.result = CBN_CU_SUCCESS};
    while (kernel && step.result == CBN_CU_SUCCESS) {
        step = get_kernel(kernel);
        kernel = proof == PROOF_ONE_KERNEL ? NULL : next_recorded(module, kernel->index + 1);
    }
    return step;
}

/* Up to the first call that fails, or through all of them. */
static struct step load_data(struct cubinet_module *module, const void *data, enum proof proof)
{
    struct step step = load_library(module, data);
    if (step.result == CBN_CU_SUCCESS) {
        step = get_kernels(module, proof);
    }
    if (step.result == CBN_CU_SUCCESS && proof == PROOF_FUNCTION) {
        step = get_first_function(module);
    }
    return step;
}

/* 0 for a result that says nothing against this image, so that trying another would only hide the trouble. */
static bool is_refusal(cbn_cu_result result)
{
    switch (result) {
    case CBN_CU_NOT_INITIALIZED:
    case CBN_CU_DEINITIALIZED:
    case CBN_CU_INVALID_CONTEXT:
        return false;
    default:
        break;
    }
    switch (cbn_result_status(result)) {
    case CUBINET_ERROR_DEVICE_MEMORY:
    case CUBINET_ERROR_CONTEXT_DEAD:
    case CUBINET_ERROR_NO_DEVICE:
        return false;
    default:
        return true;
    }
}

/* Each line of the JIT's log on a line of its own, indented. */
static void print_log(FILE *file, const char *log)
{
    while (log && *log) {
        size_t length = strcspn(log, "\r\n");
        if (length > 0) {
            fprintf(file, "\n    %.*s", (int)length, log);
        }
        log += length;
        log += strspn(log, "\r\n");
    }
}

/* NULL if memory is out. */
static char *describe_refusal(const struct cubinet_module *module, const struct step *step)
{
    const struct cbn_driver_table *cu = &module->driver->cu;
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file) {
        return NULL;
    }
    struct cbn_result_text words = cbn_result_describe(cu, step->result);
    fprintf(file, "%s%s%s%s failed: %s", step->call, step->kernel ? " of '" : "",
            step->kernel ? step->kernel : "", step->kernel ? "'" : "", words.text);
    unsigned int count = 0;
    if (module->code->library && step->result == CBN_CU_NOT_FOUND && cu->cuLibraryGetKernelCount &&
        cu->cuLibraryGetKernelCount(&count, module->code->library) == CBN_CU_SUCCESS) {
        fprintf(file, "; the driver sees %u kernels in this image", count);
    }
    print_log(file, module->code->jit_log);
    if (fclose(file)) {
        free(text);
        text = NULL;
    }
    return text;
}

/* What a failed step means. The module has no code afterwards. */
static enum cbn_attempt give_up(struct cubinet_module *module, const struct step *step,
                                struct cbn_refusal *out_refusal, cubinet_status *out_status)
{
    enum cbn_attempt attempt = CBN_ATTEMPT_FAILED;
    if (is_refusal(step->result)) {
        *out_refusal = (struct cbn_refusal){step->result, describe_refusal(module, step)};
        attempt = CBN_ATTEMPT_REFUSED;
    } else {
        *out_status = cbn_driver_failed(&module->driver->cu, step->result, "%s on device %d (%s)", step->call,
                                        module->device->handle, module->device->name);
    }
    cbn_image_unload(module);
    return attempt;
}

/* What the steps came to. */
static enum cbn_attempt conclude(struct cubinet_module *module, uint32_t image, const struct step *step,
                                 struct cbn_refusal *out_refusal, cubinet_status *out_status)
{
    if (step->result != CBN_CU_SUCCESS) {
        return give_up(module, step, out_refusal, out_status);
    }
    module->image = image;
    return CBN_ATTEMPT_LOADED;
}

/* Whether its kernels are tile kernels. */
static bool has_tile_kernels(const struct cubinet_module *module, const cubinet_image_info *info)
{
    return info->target.kind == CUBINET_IMAGE_TILEIR ||
           (info->target.kind == CUBINET_IMAGE_CUBIN &&
            cbn_archive_has_global(module->archive, module->index, CBN_TILE_LAUNCH_DATA));
}

enum cbn_attempt cbn_image_try(struct cubinet_module *module, uint32_t image, const cubinet_image_info *info,
                               bool make_ready, struct cbn_refusal *out_refusal, cubinet_status *out_status)
{
    /* The driver is told no size: text ends with a NUL. */
    bool is_text = info->target.kind != CUBINET_IMAGE_CUBIN;
    struct cbn_image_bytes code = {0};
    *out_status = record_kernels(module, image);
    if (!*out_status) {
        *out_status = cbn_archive_take_image(module->archive, module->index, image, is_text, &code);
    }
    if (!*out_status) {
        *out_status = look_at_code(module, info, code.data);
    }
    if (!*out_status) {
        module->code = cbn_device_code_new(is_text);
        *out_status = module->code ? CUBINET_OK : cbn_error_memory();
    }
    if (*out_status) {
        free(code.owned);
        return CBN_ATTEMPT_FAILED;
    }
    module->is_tiles = has_tile_kernels(module, info);
    module->is_tileir = info->target.kind == CUBINET_IMAGE_TILEIR;
    enum proof proof = make_ready ? PROOF_FUNCTION : needed_proof(module, info, code.data);
    struct step step = load_data(module, code.data, proof);
    free(code.owned); /* the driver has its own copy */
    return conclude(module, image, &step, out_refusal, out_status);
}

enum cbn_attempt cbn_image_share(struct cubinet_module *module, const struct cubinet_module *other,
                                 struct cbn_refusal *out_refusal, cubinet_status *out_status)
{
    *out_status = record_kernels(module, other->image);
    if (*out_status) {
        return CBN_ATTEMPT_FAILED;
    }
    module->code = cbn_device_code_share(other->code);
    module->is_tiles = other->is_tiles;
    module->is_tileir = other->is_tileir;
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        module->kernels[i].uses_dynamic_shared = other->kernels[i].uses_dynamic_shared;
        atomic_store(&module->kernels[i].state->handle, cbn_kernel_handle(&other->kernels[i]));
    }
    struct step step = get_first_function(module);
    return conclude(module, other->image, &step, out_refusal, out_status);
}

cbn_cu_result cbn_image_unload(struct cubinet_module *module)
{
    struct cbn_device_code *code = module->code;
    module->code = NULL;
    return cbn_device_code_release(&module->driver->cu, code);
}

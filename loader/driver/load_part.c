/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/load_part.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text_stream.h"
#include "loader/driver/errors.h"
#include "loader/driver/look_at_code.h"
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

static struct step load_library(const struct cubinet_module *module, struct cbn_part *part, const void *data)
{
    unsigned int options[] = {CBN_CU_JIT_ERROR_LOG_BUFFER, CBN_CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    void *values[] = {part->jit_log, (void *)(size_t)CBN_JIT_LOG_SIZE};
    unsigned int count = part->jit_log ? 2 : 0;
    cbn_cu_result result =
        module->driver->cu.cuLibraryLoadData(&part->library, data, options, values, count, NULL, NULL, 0);
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

/* The part's first kernel from number `from` on; NULL if there is none. */
static struct cubinet_kernel *next_of_part(const struct cubinet_module *module, uint32_t part, uint32_t from)
{
    for (uint32_t i = from; i < module->kernel_count; i++) {
        if (module->kernels[i].is_recorded && module->kernels[i].record.part == part) {
            return &module->kernels[i];
        }
    }
    return NULL;
}

/* One kernel's function proves that the code as a whole is loadable in the module's context. */
static struct step get_first_function(struct cubinet_module *module, uint32_t part)
{
    struct cubinet_kernel *kernel = next_of_part(module, part, 0);
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

bool cbn_image_is_sure(const struct cubinet_module *module, const cubinet_image_info *info)
{
    int compute = 10 * module->device->compute_major + module->device->compute_minor;
    bool is_exact = info->target.kind == CUBINET_IMAGE_CUBIN && info->target.number == compute;
    bool is_known = info->toolkit > 0 && info->toolkit <= (uint32_t)module->driver->version;
    return is_exact && is_known && !module->driver->forces_jit;
}

/* cuLibraryLoadData() alone proves nothing: it accepts code of other architectures. The first kernel is what
 * it does not find in those. Its function, which takes the driver longer than all the rest, proves more than
 * has to be proved where archive and code agree that the code is for this very architecture, and the driver's
 * release knows what the toolkit made. */
static enum proof needed_proof(const struct cubinet_module *module, const cubinet_image_info *info,
                               const void *code)
{
    return cbn_image_is_sure(module, info) &&
                   cbn_cubin_number(code, (size_t)info->raw_size) == info->target.number
               ? PROOF_ONE_KERNEL
               : PROOF_FUNCTION;
}

static struct step get_kernels(struct cubinet_module *module, uint32_t part, enum proof proof)
{
    struct cubinet_kernel *kernel = next_of_part(module, part, 0);
    struct step step = {.result = CBN_CU_SUCCESS};
    while (kernel && step.result == CBN_CU_SUCCESS) {
        step = get_kernel(kernel);
        kernel = proof == PROOF_ONE_KERNEL ? NULL : next_of_part(module, part, kernel->index + 1);
    }
    return step;
}

/* Up to the first call that fails, or through all of them. */
static struct step load_data(struct cubinet_module *module, uint32_t part, const void *data, enum proof proof)
{
    struct step step = load_library(module, &module->code->parts[part], data);
    if (step.result == CBN_CU_SUCCESS) {
        step = get_kernels(module, part, proof);
    }
    if (step.result == CBN_CU_SUCCESS && proof == PROOF_FUNCTION) {
        step = get_first_function(module, part);
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
static char *describe_refusal(const struct cubinet_module *module, uint32_t number, const struct step *step)
{
    const struct cbn_driver_table *cu = &module->driver->cu;
    const struct cbn_part *part = &module->code->parts[number];
    struct cbn_text_stream stream;
    FILE *file = cbn_text_stream_open(&stream);
    if (!file) {
        return NULL;
    }
    struct cbn_result_text words = cbn_result_describe(cu, step->result);
    if (module->code->part_count > 1) {
        fprintf(file, "part %u: ", (unsigned)number);
    }
    fprintf(file, "%s%s%s%s failed: %s", step->call, step->kernel ? " of '" : "",
            step->kernel ? step->kernel : "", step->kernel ? "'" : "", words.text);
    unsigned int count = 0;
    if (part->library && step->result == CBN_CU_NOT_FOUND && cu->cuLibraryGetKernelCount &&
        cu->cuLibraryGetKernelCount(&count, part->library) == CBN_CU_SUCCESS) {
        fprintf(file, "; the driver sees %u kernels in this image", count);
    }
    print_log(file, part->jit_log);
    return cbn_text_stream_close(&stream);
}

/* What the steps came to. */
static enum cbn_attempt conclude(const struct cubinet_module *module, uint32_t part, const struct step *step,
                                 struct cbn_refusal *out_refusal, cubinet_status *out_status)
{
    if (step->result == CBN_CU_SUCCESS) {
        return CBN_ATTEMPT_LOADED;
    }
    if (is_refusal(step->result)) {
        *out_refusal = (struct cbn_refusal){step->result, describe_refusal(module, part, step)};
        return CBN_ATTEMPT_REFUSED;
    }
    *out_status = cbn_driver_failed(&module->driver->cu, step->result, "%s on device %d (%s)", step->call,
                                    module->device->handle, module->device->name);
    return CBN_ATTEMPT_FAILED;
}

/* The bytes of a part that is this thread's, which frees those that are owned. */
static cubinet_status take_code(const struct cubinet_module *module, uint32_t number, bool as_text,
                                struct cbn_image_bytes *out_code)
{
    const struct cbn_part *part = &module->code->parts[number];
    if (part->kept.data) {
        *out_code = (struct cbn_image_bytes){.data = part->kept.data, .size = part->kept.size};
        return CUBINET_OK;
    }
    return part->is_lost ? cbn_error_memory()
                         : cbn_archive_take_part(module->archive, module->index, module->image, number,
                                                 as_text, out_code);
}

static cubinet_status make_log(struct cbn_part *part)
{
    part->jit_log = calloc(1, CBN_JIT_LOG_SIZE);
    return part->jit_log ? CUBINET_OK : cbn_error_memory();
}

/* Loads a part that is this thread's. What came of it has to be dropped on failure. */
static enum cbn_attempt load_part(struct cubinet_module *module, uint32_t number, bool make_ready,
                                  struct cbn_refusal *out_refusal, cubinet_status *out_status)
{
    cubinet_image_info info = {.size = sizeof(info)};
    struct cbn_image_bytes code = {0};
    *out_status = cubinet_archive_get_image(module->archive, module->index, module->image, &info);
    /* The driver is told no size: text ends with a NUL. */
    bool is_text = info.target.kind != CUBINET_IMAGE_CUBIN;
    if (!*out_status) {
        *out_status = take_code(module, number, is_text, &code);
        info.raw_size = code.size;
    }
    if (!*out_status) {
        *out_status = cbn_look_at_code(module, number, &info, code.data);
    }
    if (!*out_status && is_text) {
        *out_status = make_log(&module->code->parts[number]);
    }
    if (*out_status) {
        free(code.owned);
        return CBN_ATTEMPT_FAILED;
    }
    enum proof proof = make_ready ? PROOF_FUNCTION : needed_proof(module, &info, code.data);
    struct step step = load_data(module, number, code.data, proof);
    free(code.owned); /* the driver has its own copy */
    return conclude(module, number, &step, out_refusal, out_status);
}

/* Kernels that were found in a library which is gone have to be found again. */
static void forget_kernels(struct cubinet_module *module, uint32_t part)
{
    struct cubinet_kernel *kernel = next_of_part(module, part, 0);
    for (; kernel; kernel = next_of_part(module, part, kernel->index + 1)) {
        atomic_store(&kernel->state->handle, NULL);
        atomic_store(&kernel->state->function, NULL);
    }
}

static void log_part(const struct cubinet_module *module, uint32_t part)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    cubinet_image_info image = {.size = sizeof(image)};
    cubinet_module_info described = {.size = sizeof(described)};
    if (!module->driver->log || module->code->part_count == 1) {
        return;
    }
    /* Both were read before, and can't fail. */
    cubinet_archive_get_image(module->archive, module->index, module->image, &image);
    cubinet_archive_get_module(module->archive, module->index, &described);
    cbn_driver_log(module->driver, CUBINET_LOG_INFO, "module '%s': loaded part %u of %s on device %d (%s)",
                   described.name, (unsigned)part, cubinet_target_name(image.target, target),
                   module->device->handle, module->device->name);
}

enum cbn_attempt cbn_part_load(struct cubinet_module *module, uint32_t number, bool make_ready,
                               struct cbn_refusal *out_refusal, cubinet_status *out_status)
{
    struct cbn_device_code *code = module->code;
    if (!cbn_part_begin(code, number)) {
        return CBN_ATTEMPT_LOADED;
    }
    enum cbn_attempt attempt = load_part(module, number, make_ready, out_refusal, out_status);
    if (attempt == CBN_ATTEMPT_LOADED) {
        log_part(module, number);
    } else {
        forget_kernels(module, number);
        cbn_part_drop(&module->driver->cu, &code->parts[number]);
    }
    cbn_part_end(code, number, attempt == CBN_ATTEMPT_LOADED);
    return attempt;
}

enum cbn_attempt cbn_part_prove(struct cubinet_module *module, uint32_t part, struct cbn_refusal *out_refusal,
                                cubinet_status *out_status)
{
    struct step step = get_first_function(module, part);
    return conclude(module, part, &step, out_refusal, out_status);
}

void cbn_part_keep(struct cubinet_module *module, uint32_t number)
{
    struct cbn_device_code *code = module->code;
    struct cbn_part *part = &code->parts[number];
    if (!cbn_part_begin(code, number)) {
        return;
    }
    if (!part->kept.data) {
        part->is_lost = cbn_archive_take_part(module->archive, module->index, module->image, number, true,
                                              &part->kept) != CUBINET_OK;
    }
    cbn_part_end(code, number, false);
}

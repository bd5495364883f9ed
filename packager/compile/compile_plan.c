/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_plan.h"

#include "loader/core/support/error.h"
#include "process/trace.h"

#include <cubinet/driver.h>

#include <stdlib.h>

cubinet_status compile_plan_ask_native(int *out_numbers, size_t capacity, size_t *out_count)
{
    static const char advice[] = "--arch native needs a GPU and its driver in this machine; write the "
                                 "architectures, such as --arch 80,90";
    cubinet_driver *driver = NULL;
    cubinet_status status = cubinet_driver_open(NULL, &driver);
    if (status == CUBINET_ERROR_NO_DRIVER || status == CUBINET_ERROR_NO_DEVICE) {
        return cbn_error(status, "%s", advice);
    }
    if (status) {
        return cbn_error_context(status, "%s", advice);
    }
    int devices = cubinet_driver_get_device_count(driver);
    size_t count = 0;
    for (int device = 0; !status && device < devices && count < capacity; device++) {
        cubinet_device_profile profile = {.size = sizeof(profile)};
        status = cubinet_driver_get_profile(driver, device, &profile);
        out_numbers[count++] = 10 * profile.compute_major + profile.compute_minor;
    }
    cubinet_driver_close(driver);
    if (!status && count == 0) {
        status = cbn_error(CUBINET_ERROR_NO_DEVICE, "%s", advice);
    }
    *out_count = count;
    return status;
}

/* A fragment has nothing that runs alone. */
static cubinet_status check_fragment(const struct arch_plan *plan)
{
    for (size_t i = 0; i < plan->virtual_count; i++) {
        for (size_t j = 0; j < plan->virtuals[i].output_count; j++) {
            cubinet_target output = plan->virtuals[i].outputs[j];
            if (output.kind != CUBINET_IMAGE_LTOIR) {
                char name[CUBINET_TARGET_NAME_SIZE];
                const char suffix[] = {(char)output.suffix, '\0'};
                return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                                 "a fragment is only LTO-IR, but you asked for %s; write --arch %d%s-lto",
                                 cubinet_target_name(output, name), output.number, suffix);
            }
        }
    }
    return CUBINET_OK;
}

cubinet_status compile_plan_make(const struct compile_plan_request *request,
                                 const struct arch_supported *supported, struct arch_plan *plan)
{
    cubinet_status status = CUBINET_OK;
    if (request->code && request->archs->count != 1) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '-code' needs one '-arch=compute_…'");
    }
    for (size_t i = 0; !status && i < request->gencodes->count; i++) {
        status = arch_add_gencode(plan, request->gencodes->items[i]);
    }
    for (size_t i = 0; !status && i < request->archs->count; i++) {
        const char *words = request->archs->items[i];
        status = request->code ? arch_add_code(plan, words, request->code)
                               : arch_add_words(plan, words, supported, compile_plan_ask_native);
    }
    if (!status && request->only) {
        status = arch_keep_only(plan, request->only);
    }
    if (!status && request->fragment) {
        status = check_fragment(plan);
    }
    return status ? status : arch_check(plan, supported);
}

void compile_plan_trace(const char *module, const struct arch_plan *plan)
{
    char *targets = trace_is_on() ? arch_plan_text(plan) : NULL;
    trace_subject(module, targets);
    free(targets);
}

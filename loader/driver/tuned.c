/* SPDX-License-Identifier: Apache-2.0 */
/* Choosing among kernels that do one thing by what was measured. */
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"
#include "loader/driver/find_kernel.h"
#include "loader/driver/record.h"
#include "loader/driver/tuned_choice.h"

#include <string.h>

enum {
    KNOWN_FLAGS = CUBINET_LAUNCH_COOPERATIVE | CUBINET_LAUNCH_NO_DYNAMIC_SHARED | CUBINET_SUGGEST_NO_TUNING
};

/* What is wanted, and what was found. */
struct request {
    struct cubinet_module *module;
    const char *what;
    uint64_t extent[3]; /* at least 1 each */
    cubinet_suggest_options options;
    struct cbn_tuned_choice choice;
    cubinet_kernel *kernel;
    cubinet_launch_config config;
};

/* One of a set's kernels: the default, or the first that is there. */
static cubinet_status find_default(struct cubinet_module *module, const cubinet_tuning *set,
                                   cubinet_kernel **out_kernel)
{
    cubinet_status status = cbn_module_find_kernel(module, set->default_kernel, out_kernel);
    struct cbn_kept_error kept = cbn_error_keep(); /* that the default is not there says more than the last */
    bool is_found = status != CUBINET_ERROR_NOT_FOUND;
    for (uint32_t i = 0; !is_found && i < set->instance_count; i++) {
        is_found = !cbn_module_find_kernel(module, set->instances[i], out_kernel);
        status = is_found ? CUBINET_OK : status;
    }
    cbn_error_put_back(&kept);
    return status;
}

/* A record of a set, whichever image the module has. */
static bool read_set(const struct cubinet_module *module, const char *what, cubinet_tuning *out_set)
{
    uint32_t count = 0;
    bool is_found = false;
    cubinet_archive_get_tuning_count(module->archive, module->index, &count); /* the module was checked */
    for (uint32_t i = 0; !is_found && i < count; i++) {
        *out_set = (cubinet_tuning){.size = sizeof(*out_set)};
        cubinet_archive_get_tuning(module->archive, module->index, i, out_set);
        is_found = strcmp(out_set->what, what) == 0;
    }
    return is_found;
}

/* Has the module settle for its image, as it does for the first kernel that it hands out. */
static cubinet_status settle(struct cubinet_module *module, const char *what)
{
    cubinet_tuning set;
    cubinet_kernel *kernel;
    if (atomic_load_explicit(&module->is_settled, memory_order_acquire)) {
        return CUBINET_OK;
    }
    pthread_mutex_lock(&module->mutex);
    bool is_set = read_set(module, what, &set);
    pthread_mutex_unlock(&module->mutex);
    return is_set ? find_default(module, &set, &kernel) : cbn_module_find_kernel(module, what, &kernel);
}

/* The kernel and configuration of the choice. */
static cubinet_status take_choice(struct request *request)
{
    const struct cbn_tuned_record *record = request->choice.record;
    request->kernel = &request->module->kernels[record->kernel];
    cubinet_status status = CUBINET_OK;
    if (!cbn_kernel_handle(request->kernel)) {
        status = cbn_module_find_kernel(request->module, record->tuning.kernel, &request->kernel);
    }
    if (!status) {
        cbn_tuned_config(request->kernel, &request->choice, request->extent, &request->config);
    }
    return status;
}

static cubinet_status suggest(struct request *request)
{
    cubinet_suggest_options options = request->options;
    options.flags |= CUBINET_SUGGEST_NO_TUNING;
    request->config = (cubinet_launch_config){.size = sizeof(request->config)};
    return cubinet_kernel_suggest_launch(request->kernel, request->extent, &options, &request->config, NULL);
}

static cubinet_status choose_in_set(struct request *request, const struct cbn_tuned_index *index,
                                    const struct cbn_tuned_set *set)
{
    cbn_tuned_choose(request->module, index, &set->group, request->extent, &request->options,
                     &request->choice);
    if (cbn_tuned_is_used(&request->choice)) {
        return take_choice(request);
    }
    cubinet_status status = find_default(request->module, &set->any, &request->kernel);
    return status ? status : suggest(request);
}

/* A kernel that was not tuned by itself may have been chosen in a set. */
static cubinet_status choose_for_kernel(struct request *request)
{
    cubinet_status status = cbn_module_find_kernel(request->module, request->what, &request->kernel);
    if (!status) {
        status = cbn_tuned_choose_for(request->kernel, request->extent, &request->options, &request->choice);
    }
    if (status) {
        return status;
    }
    if (cbn_tuned_is_used(&request->choice)) {
        cbn_tuned_config(request->kernel, &request->choice, request->extent, &request->config);
        return CUBINET_OK;
    }
    return suggest(request);
}

static cubinet_status choose(struct request *request)
{
    const struct cbn_tuned_index *index = NULL;
    cubinet_status status = settle(request->module, request->what);
    if (!status) {
        status = cbn_tuned_index_get(request->module, &index);
    }
    if (status) {
        return status;
    }
    const struct cbn_tuned_set *set = cbn_tuned_index_find(index, request->what);
    return set ? choose_in_set(request, index, set) : choose_for_kernel(request);
}

static uint32_t source_of(const struct cbn_tuned_choice *choice)
{
    if (!cbn_tuned_is_used(choice)) {
        return CUBINET_TUNED_NONE;
    }
    return choice->is_exact ? CUBINET_TUNED_EXACT : CUBINET_TUNED_NEAREST;
}

static void describe(const struct cbn_tuned_choice *choice, cubinet_tuned_info *out_info)
{
    *out_info = (cubinet_tuned_info){.size = sizeof(*out_info),
                                     .reason = (uint32_t)choice->reason,
                                     .source = source_of(choice),
                                     .tuning = CUBINET_UNKNOWN};
    if (choice->record) {
        const cubinet_tuning *tuning = &choice->record->tuning;
        out_info->tuning = choice->record->number;
        for (int i = 0; i < 3; i++) {
            out_info->extent[i] = tuning->extent[i];
        }
        out_info->time_ns = tuning->time_ns;
        out_info->noise_ns = tuning->noise_ns;
        out_info->untuned_time_ns = tuning->untuned_time_ns;
        out_info->untuned_noise_ns = tuning->untuned_noise_ns;
    }
}

static cubinet_status read_request(cubinet_module *module, const char *what, const uint64_t extent[3],
                                   const cubinet_suggest_options *options, struct request *request)
{
    if (!module || !what || !extent) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_module_get_tuned: %s is NULL",
                         !module ? "module"
                         : !what ? "what"
                                 : "extent");
    }
    request->module = module;
    request->what = what;
    for (int i = 0; i < 3; i++) {
        request->extent[i] = extent[i] ? extent[i] : 1;
    }
    cubinet_status status =
        cbn_sized_read(options, "cubinet_suggest_options", &request->options, sizeof(request->options));
    return status ? status
                  : cbn_flags_check("cubinet_suggest_options", request->options.flags, KNOWN_FLAGS,
                                    request->options.reserved);
}

cubinet_status cubinet_module_get_tuned(cubinet_module *module, const char *what, const uint64_t extent[3],
                                        const cubinet_suggest_options *options, cubinet_kernel **out_kernel,
                                        cubinet_launch_config *out_config, cubinet_tuned_info *out_info)
{
    struct request request; /* which is filled in as it is needed: this is called often */
    cubinet_tuned_info info;
    cubinet_status status = read_request(module, what, extent, options, &request);
    if (!status && !out_kernel) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "cubinet_module_get_tuned: out_kernel is NULL");
    }
    if (!status && out_info) {
        status = cbn_sized_check(out_info, "cubinet_tuned_info");
    }
    if (!status) {
        struct cbn_kept_error kept = cbn_error_keep();
        status = cbn_error_settle(&kept, choose(&request));
    }
    if (!status) {
        status =
            cbn_sized_write(out_config, "cubinet_launch_config", &request.config, sizeof(request.config));
    }
    if (status) {
        return status;
    }
    *out_kernel = request.kernel;
    cbn_record_kernel(request.kernel, CBN_KERNEL_FOUND);
    if (out_info) {
        describe(&request.choice, &info);
        status = cbn_sized_write(out_info, "cubinet_tuned_info", &info, sizeof(info));
    }
    return status;
}

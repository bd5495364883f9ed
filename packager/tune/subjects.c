/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/subjects.h"

#include "loader/core/support/error.h"

#include <cubinet/tuning.h>

#include <stdlib.h>
#include <string.h>

static cubinet_status choose_module(const cubinet_archive *archive, const char *path, struct tune_set *set)
{
    cubinet_module_info info = {.size = sizeof(info)};
    uint32_t count = cubinet_archive_get_module_count(archive);
    if (set->module) {
        return CUBINET_OK;
    }
    if (count != 1) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "set '%s': \"module\" is needed, as '%s' has %u modules", set->name, path, count);
    }
    cubinet_status status = cubinet_archive_get_module(archive, 0, &info);
    if (!status) {
        set->module = strdup(info.name);
        status = set->module ? CUBINET_OK : cbn_error_memory();
    }
    return status;
}

static cubinet_status find_kernels(const cubinet_archive *archive, const struct tune_set *set)
{
    uint32_t module = 0;
    uint32_t kernel = 0;
    cubinet_status status = cubinet_archive_find_module(archive, set->module, &module);
    for (size_t i = 0; !status && i < set->instance_count; i++) {
        status = cubinet_archive_find_kernel(archive, module, set->instances[i].kernel, &kernel);
    }
    return status ? cbn_error_context(status, "set '%s'", set->name) : CUBINET_OK;
}

cubinet_status subjects_check(const cubinet_archive *archive, const char *path,
                              struct tune_description *description)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < description->set_count; i++) {
        struct tune_set *set = &description->sets[i];
        status = choose_module(archive, path, set);
        status = status ? status : find_kernels(archive, set);
        for (size_t j = 0; !status && j < i; j++) {
            const struct tune_set *other = &description->sets[j];
            if (strcmp(other->name, set->name) == 0 && strcmp(other->module, set->module) == 0) {
                status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                                   "$.sets[%zu].name: found \"%s\", which $.sets[%zu] has; another name is "
                                   "needed",
                                   i, set->name, j);
            }
        }
    }
    return status;
}

const char *subject_kernel(const cubinet_archive *archive, const struct tune_set *set, size_t instance)
{
    uint32_t module = 0;
    uint32_t kernel = 0;
    cubinet_kernel_info info = {.size = sizeof(info)};
    bool found = !cubinet_archive_find_module(archive, set->module, &module) &&
                 !cubinet_archive_find_kernel(archive, module, set->instances[instance].kernel, &kernel) &&
                 !cubinet_archive_get_kernel(archive, module, kernel, &info);
    return found ? info.name : NULL;
}

const char *subject_name(const cubinet_archive *archive, const struct tune_set *set)
{
    bool is_kernel = set->instance_count == 1 && strcmp(set->name, set->instances[0].kernel) == 0;
    const char *kernel = is_kernel ? subject_kernel(archive, set, 0) : NULL;
    return kernel ? kernel : set->name;
}

bool subject_is_current(const cubinet_archive *archive, const struct tune_set *set,
                        const struct outcome *outcome)
{
    uint32_t module = 0;
    uint32_t kernel = 0;
    uint32_t part = 0;
    uint8_t digest[16];
    cubinet_target target;
    cubinet_image_info image = {.size = sizeof(image)};
    size_t instance = outcome->trials[outcome->chosen].candidate.instance;
    if (cubinet_archive_find_module(archive, set->module, &module) ||
        cubinet_target_parse(outcome->target, &target) ||
        cubinet_archive_find_kernel(archive, module, outcome->kernels.items[instance], &kernel)) {
        return false;
    }
    for (uint32_t i = 0; !cubinet_archive_get_image(archive, module, i, &image); i++) {
        if (cubinet_target_compare(image.target, target) == 0) {
            return !cubinet_archive_find_part(archive, module, i, kernel, &part) &&
                   !cubinet_archive_get_code_digest(archive, module, i, part, digest) &&
                   memcmp(digest, outcome->digest, sizeof(digest)) == 0;
        }
    }
    return false;
}

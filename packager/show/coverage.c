/* SPDX-License-Identifier: Apache-2.0 */
#include "show/coverage.h"

#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>

cubinet_status ranking_make(const struct listing_module *module, const cubinet_device_profile *device,
                            const cubinet_policy *policy, struct ranking *out_ranking)
{
    struct ranking ranking = {.verdicts = calloc(module->image_count + 1, sizeof(*ranking.verdicts))};
    if (!ranking.verdicts) {
        return cbn_error_memory();
    }
    ranking.candidates =
        cubinet_images_rank(module->images, module->image_count, device, policy, ranking.verdicts);
    *out_ranking = ranking;
    return CUBINET_OK;
}

void ranking_free(struct ranking *ranking)
{
    free(ranking->verdicts);
    *ranking = (struct ranking){0};
}

cubinet_device_profile coverage_device(const struct listing_module *module, int compute)
{
    cubinet_device_profile device = {
        .size = sizeof(device),
        .compute_major = compute / 10,
        .compute_minor = compute % 10,
        .flags = cubinet_compute_is_tegra(compute / 10, compute % 10) ? CUBINET_DEVICE_TEGRA : 0,
    };
    for (uint32_t i = 0; i < module->image_count; i++) {
        if (module->images[i].link_floor > device.nvjitlink_version) {
            device.nvjitlink_version = module->images[i].link_floor;
        }
    }
    return device;
}

static void write_word(const cubinet_target *target, char word[COVERAGE_WORD_SIZE])
{
    const char *prefix = target->kind == CUBINET_IMAGE_PTX      ? "ptx"
                         : target->kind == CUBINET_IMAGE_LTOIR  ? "lto"
                         : target->kind == CUBINET_IMAGE_TILEIR ? "tile"
                                                                : "";
    char suffix[] = {(char)target->suffix, '\0'};
    snprintf(word, COVERAGE_WORD_SIZE, "%s%d%s", prefix, target->number, suffix);
}

cubinet_status coverage_word(const struct listing_module *module, int compute, char word[COVERAGE_WORD_SIZE])
{
    cubinet_device_profile device = coverage_device(module, compute);
    struct ranking ranking = {0};
    cubinet_status status = ranking_make(module, &device, NULL, &ranking);
    if (status) {
        return status;
    }
    if (ranking.candidates > 0) {
        write_word(&module->images[ranking.verdicts[0].image].target, word);
    } else {
        snprintf(word, COVERAGE_WORD_SIZE, "-");
    }
    ranking_free(&ranking);
    return CUBINET_OK;
}

cubinet_status coverage_of_future(const struct listing_module *module, bool *out_covered)
{
    cubinet_device_profile device = coverage_device(module, COVERAGE_FUTURE_COMPUTE);
    struct ranking ranking = {0};
    cubinet_status status = ranking_make(module, &device, NULL, &ranking);
    if (status) {
        return status;
    }
    *out_covered = ranking.candidates > 0;
    ranking_free(&ranking);
    return CUBINET_OK;
}

const char *coverage_match_name(cubinet_match match)
{
    switch (match) {
    case CUBINET_MATCH_ARCH_SPECIFIC:
        return "arch-specific";
    case CUBINET_MATCH_FAMILY_SPECIFIC:
        return "family-specific";
    case CUBINET_MATCH_EXACT:
        return "exact";
    case CUBINET_MATCH_SAME_MAJOR:
        return "same-major";
    case CUBINET_MATCH_LINK:
        return "link";
    case CUBINET_MATCH_TILE:
        return "tile";
    case CUBINET_MATCH_JIT:
        return "jit";
    case CUBINET_MATCH_OPTIX:
        return "optix";
    case CUBINET_MATCH_NONE:
        break;
    }
    return "none";
}

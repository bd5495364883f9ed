/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/link_choice.h"

#include "loader/core/support/error.h"
#include "loader/core/support/text_stream.h"

#include <cubinet/select.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What speaks against an nvJitLink, which is checked when it is known which one links, or against loading the
 * image without a link. */
enum {
    LINKER_REASONS = CUBINET_REASON_NO_LINKER | CUBINET_REASON_LINKER_TOO_OLD | CUBINET_REASON_LINKER_MAJOR |
                     CUBINET_REASON_LINKER_FINISHED | CUBINET_REASON_DRIVER_TOO_OLD | CUBINET_REASON_UNLINKED,
};

static cubinet_device_profile profile_of(cubinet_target target)
{
    return (cubinet_device_profile){
        .size = sizeof(cubinet_device_profile),
        .compute_major = target.number / 10,
        .compute_minor = target.number % 10,
        .flags = cubinet_compute_is_tegra(target.number / 10, target.number % 10) ? CUBINET_DEVICE_TEGRA : 0,
    };
}

static cubinet_verdict judge(const cubinet_image_info *image, const cubinet_device_profile *profile)
{
    cubinet_verdict verdict;
    cubinet_images_rank(image, 1, profile, NULL, &verdict);
    verdict.reasons &= ~(uint32_t)LINKER_REASONS;
    return verdict;
}

/* A cubin without a record of what it needs and defines was linked already; so were parts. */
static bool is_finished(const cubinet_image_info *image)
{
    return image->part_count > 1 ||
           (image->target.kind == CUBINET_IMAGE_CUBIN && !(image->flags & CUBINET_IMAGE_IS_PIECE));
}

static bool is_for_nvjitlink(const cubinet_image_info *image)
{
    return image->target.kind != CUBINET_IMAGE_TILEIR && image->target.kind != CUBINET_IMAGE_OPTIXIR;
}

bool cbn_image_links_for(const cubinet_image_info *image, cubinet_target target)
{
    cubinet_device_profile profile = profile_of(target);
    return is_for_nvjitlink(image) && judge(image, &profile).reasons == 0;
}

void cbn_link_describe(const cubinet_image_info *image, cubinet_target target, char *text, size_t capacity)
{
    cubinet_device_profile profile = profile_of(target);
    cubinet_verdict verdict = judge(image, &profile);
    if (!is_for_nvjitlink(image)) {
        snprintf(text, capacity, "nvJitLink does not link it");
    } else if (verdict.reasons) {
        cubinet_verdict_describe(&verdict, image, &profile, NULL, text, capacity);
    } else if (image->part_count > 1) {
        snprintf(text, capacity, "it consists of %u parts, which are not linked",
                 (unsigned)image->part_count);
    } else {
        snprintf(text, capacity, "it is finished: it does not say what it defines and needs");
    }
}

/* Larger is better. */
static int rank(const cubinet_image_info *image)
{
    int kind = image->target.kind == CUBINET_IMAGE_LTOIR ? 2 : image->target.kind == CUBINET_IMAGE_PTX;
    int suffix = image->target.suffix == 'a' ? 2 : image->target.suffix == 'f';
    return (kind * 3 + suffix) * 10000 + image->target.number;
}

bool cbn_link_find_image(const cubinet_archive *archive, uint32_t module, cubinet_target target,
                         uint32_t *out_image)
{
    cubinet_module_info about = {.size = sizeof(about)};
    int best = -1;
    if (cubinet_archive_get_module(archive, module, &about)) {
        return false;
    }
    for (uint32_t i = 0; i < about.image_count; i++) {
        cubinet_image_info image = {.size = sizeof(image)};
        if (!cubinet_archive_get_image(archive, module, i, &image) && !is_finished(&image) &&
            cbn_image_links_for(&image, target) && rank(&image) > best) {
            best = rank(&image);
            *out_image = i;
        }
    }
    return best >= 0;
}

static void print_reason(FILE *file, const cubinet_image_info *image, cubinet_target target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    char reason[512];
    cbn_link_describe(image, target, reason, sizeof(reason));
    cubinet_target_name(image->target, name);
    bool is_named = strncmp(reason, name, strlen(name)) == 0;
    fprintf(file, "\n  %s%s%s", is_named ? "" : name, is_named ? "" : ": ", reason);
}

static cubinet_status no_image(const cubinet_archive *archive, uint32_t module, cubinet_target target)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_module_info about = {.size = sizeof(about)};
    cubinet_status status = cubinet_archive_get_module(archive, module, &about);
    if (status) {
        return status;
    }
    struct cbn_text_stream stream;
    FILE *file = cbn_text_stream_open(&stream);
    for (uint32_t i = 0; file && i < about.image_count; i++) {
        cubinet_image_info image = {.size = sizeof(image)};
        if (!cubinet_archive_get_image(archive, module, i, &image)) {
            print_reason(file, &image, target);
        }
    }
    char *list = file ? cbn_text_stream_close(&stream) : NULL;
    if (!list) {
        return cbn_error_memory();
    }
    status = cbn_error(CUBINET_ERROR_NO_IMAGE, "no image of module '%s' can be linked for %s:%s", about.name,
                       cubinet_target_name(target, name), list);
    free(list);
    return status;
}

cubinet_status cbn_link_choose_image(const cubinet_archive *archive, uint32_t module, cubinet_target target,
                                     uint32_t *out_image)
{
    cubinet_module_info about = {.size = sizeof(about)};
    cubinet_status status = cubinet_archive_get_module(archive, module, &about);
    if (status) {
        return status;
    }
    return cbn_link_find_image(archive, module, target, out_image) ? CUBINET_OK
                                                                   : no_image(archive, module, target);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Selection among a module's images, for programs that don't load them. */
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/select/policy.h"
#include "loader/core/select/remedy.h"
#include "loader/core/select/select.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"
#include "loader/core/support/text_stream.h"

#include <stdlib.h>

/* A module's images and what selection says of them. */
struct choice {
    const cubinet_device_profile *device;
    const cubinet_policy *policy;
    const char *module;
    uint32_t count;
    cubinet_image_info *images;
    cubinet_verdict *verdicts;
};

static void choice_free(struct choice *choice)
{
    free(choice->images);
    free(choice->verdicts);
}

static cubinet_status choice_read(struct choice *choice, const cubinet_archive *archive, uint32_t module)
{
    cubinet_module_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_module(archive, module, &info);
    if (status) {
        return status;
    }
    choice->module = info.name;
    choice->count = info.image_count;
    choice->images = calloc(info.image_count, sizeof(*choice->images));
    choice->verdicts = calloc(info.image_count, sizeof(*choice->verdicts));
    if (!choice->images || !choice->verdicts) {
        return cbn_error_memory();
    }
    return cbn_archive_get_images(archive, module, choice->images);
}

static cubinet_status no_image(const struct choice *choice, const cubinet_archive *archive)
{
    struct cbn_text_stream stream;
    FILE *file = cbn_text_stream_open(&stream);
    if (!file) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < choice->count; i++) {
        const cubinet_verdict *verdict = &choice->verdicts[i];
        cbn_verdict_print(file, verdict, &choice->images[verdict->image], choice->device, choice->policy);
    }
    cbn_remedy_print(file, choice->verdicts, choice->images, choice->count, choice->device);
    char *list = cbn_text_stream_close(&stream);
    if (!list) {
        return cbn_error_memory();
    }
    cubinet_status status = cbn_error(
        CUBINET_ERROR_NO_IMAGE, "no image of module '%s' in %s is for compute capability %d.%d%s:%s",
        choice->module, cbn_archive_name(archive), choice->device->compute_major,
        choice->device->compute_minor, choice->policy->kind ? " and of the requested kind" : "", list);
    free(list);
    return status;
}

cubinet_status cubinet_archive_select_image(const cubinet_archive *archive, uint32_t module,
                                            const cubinet_device_profile *device,
                                            const cubinet_policy *policy, uint32_t *out_image)
{
    cubinet_device_profile known_device;
    cubinet_policy known_policy;
    if (!archive || !device || !out_image) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "the archive, the device's profile or the place for the image is NULL");
    }
    cubinet_status status =
        cbn_sized_read(device, "cubinet_device_profile", &known_device, sizeof(known_device));
    if (!status) {
        status = cbn_flags_check("cubinet_device_profile", known_device.flags, CUBINET_DEVICE_TEGRA,
                                 known_device.reserved);
    }
    if (!status) {
        status = cbn_policy_read(policy, &known_policy);
    }
    if (status) {
        return status;
    }
    struct choice choice = {.device = &known_device, .policy = &known_policy};
    status = choice_read(&choice, archive, module);
    if (!status) {
        size_t candidates =
            cubinet_images_rank(choice.images, choice.count, &known_device, &known_policy, choice.verdicts);
        status = candidates ? CUBINET_OK : no_image(&choice, archive);
    }
    if (!status) {
        *out_image = choice.verdicts[0].image;
    }
    choice_free(&choice);
    return status;
}

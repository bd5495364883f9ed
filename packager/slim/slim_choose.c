/* SPDX-License-Identifier: Apache-2.0 */
#include "slim/slim_plan.h"

#include "image/fatbin.h"
#include "loader/core/support/error.h"
#include "loader/link/read_cubin.h"

#include <cubinet/archive.h>

#include <stdlib.h>
#include <string.h>

enum { BEYOND_ALL = 99 /* major compute capabilities that exist */ };

static bool is_same(cubinet_target a, cubinet_target b)
{
    return a.kind == b.kind && a.number == b.number && a.suffix == b.suffix;
}

/* Kinds that the CUDA runtime chooses from; the others it passes over, and so does this. */
static bool is_chosen_from(const struct slim_image *image)
{
    cubinet_image_kind kind = image->entry.target.kind;
    return kind == CUBINET_IMAGE_CUBIN || kind == CUBINET_IMAGE_PTX;
}

/* Whether machine code that somebody gets can be read, and is finished. */
static enum slim_fate check_cubin(const struct slim_image *image, cubinet_status *out_status)
{
    unsigned char *data = NULL;
    size_t size = 0;
    if (image->entry.target.kind != CUBINET_IMAGE_CUBIN) {
        return SLIM_CHOSEN;
    }
    cubinet_status status = fatbin_unpack(&image->entry, &data, &size);
    if (status) {
        *out_status = status == CUBINET_ERROR_OUT_OF_MEMORY ? status : CUBINET_OK;
        return SLIM_NOT_READ;
    }
    enum slim_fate fate = cbn_cubin_number(data, size) != 0         ? SLIM_CHOSEN
                          : cbn_relocatable_number(data, size) != 0 ? SLIM_RELOCATABLE
                                                                    : SLIM_NOT_READ;
    free(data);
    return fate;
}

/* Marks images of the same target: one of them is loaded, and which one nobody says. */
static enum slim_fate mark(struct slim_image *images, size_t count, size_t best, cubinet_status *out_status)
{
    enum slim_fate fate = SLIM_CHOSEN;
    for (size_t i = 0; i < count && fate == SLIM_CHOSEN && !*out_status; i++) {
        if (!images[i].stays && is_same(images[i].entry.target, images[best].entry.target)) {
            fate = check_cubin(&images[i], out_status);
            images[i].stays = true;
        }
    }
    return fate;
}

/* A fatbin's images as selection sees them. */
struct candidates {
    cubinet_image_info *infos;
    cubinet_verdict *verdicts;
    size_t *images;
    size_t count;
};

static bool gather(const struct slim_image *images, size_t count, struct candidates *out)
{
    *out = (struct candidates){
        .infos = calloc(count + 1, sizeof(*out->infos)),
        .verdicts = calloc(count + 1, sizeof(*out->verdicts)),
        .images = calloc(count + 1, sizeof(*out->images)),
    };
    for (size_t i = 0; out->infos && out->verdicts && out->images && i < count; i++) {
        if (is_chosen_from(&images[i])) {
            out->images[out->count] = i;
            out->infos[out->count++] =
                (cubinet_image_info){.size = sizeof(*out->infos), .target = images[i].entry.target};
        }
    }
    return out->infos && out->verdicts && out->images;
}

static void candidates_free(struct candidates *candidates)
{
    free(candidates->infos);
    free(candidates->verdicts);
    free(candidates->images);
}

/* Marks what a device gets, if it gets anything. */
static bool mark_best(struct slim_image *images, size_t count, const cubinet_device_profile *device,
                      const struct candidates *from, enum slim_fate *fate, cubinet_status *out_status)
{
    if (cubinet_images_rank(from->infos, from->count, device, NULL, from->verdicts) == 0) {
        return false;
    }
    *fate = mark(images, count, from->images[from->verdicts[0].image], out_status);
    return true;
}

/* Marks what the devices get. */
static enum slim_fate mark_all(struct slim_image *images, size_t count, const struct slim_wish *wish,
                               const struct candidates *from, bool *gets, cubinet_status *out_status)
{
    const cubinet_device_profile future = {.size = sizeof(future), .compute_major = BEYOND_ALL};
    enum slim_fate fate = SLIM_FOR_NOBODY;
    for (size_t i = 0; i < wish->device_count && fate <= SLIM_FOR_NOBODY && !*out_status; i++) {
        gets[i] = mark_best(images, count, &wish->devices[i], from, &fate, out_status);
    }
    if (wish->keeps_ptx && fate == SLIM_CHOSEN && !*out_status) {
        mark_best(images, count, &future, from, &fate, out_status);
    }
    return fate;
}

cubinet_status slim_choose(struct slim_file *file, struct slim_fatbin *fatbin, const struct slim_wish *wish,
                           bool *gets)
{
    struct candidates candidates;
    cubinet_status status = CUBINET_OK;
    memset(gets, 0, wish->device_count * sizeof(*gets));
    if (fatbin->fate != SLIM_UNCHOSEN || wish->device_count == 0 || fatbin->image_count == 0) {
        return CUBINET_OK;
    }
    struct slim_image *images = file->images + fatbin->first_image;
    if (!gather(images, fatbin->image_count, &candidates)) {
        status = cbn_error_memory();
    }
    for (size_t i = 0; i < fatbin->image_count; i++) {
        images[i].stays = !is_chosen_from(&images[i]);
    }
    if (!status) {
        fatbin->fate = mark_all(images, fatbin->image_count, wish, &candidates, gets, &status);
    }
    candidates_free(&candidates);
    for (size_t i = 0; i < fatbin->image_count; i++) {
        images[i].stays = images[i].stays || fatbin->fate != SLIM_CHOSEN;
    }
    return status;
}

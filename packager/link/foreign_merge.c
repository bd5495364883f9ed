/* SPDX-License-Identifier: Apache-2.0 */
#include "link/foreign_merge.h"

#include "loader/core/support/error.h"
#include "ptx/cleaning/ptx_merge.h"

#include <stdlib.h>
#include <string.h>

/* The end of the images that have the name and target of that at `start`. */
static size_t end_of(const struct foreign_list *list, size_t start)
{
    size_t end = start + 1;
    while (end < list->count && strcmp(list->items[start].name, list->items[end].name) == 0 &&
           cubinet_target_compare(list->items[start].target, list->items[end].target) == 0) {
        end++;
    }
    return end;
}

static bool is_equal(const struct foreign_image *left, const struct foreign_image *right)
{
    return left->size == right->size && memcmp(left->data, right->data, left->size) == 0;
}

/* Whether there are different ones, all of which may be parts of a module. Equal ones are filed once. */
static bool is_mergeable(const struct foreign_image *images, size_t count)
{
    bool differs = false;
    for (size_t i = 0; i < count; i++) {
        if (!images[i].is_part || images[i].target.kind != CUBINET_IMAGE_PTX ||
            images[i].contents.symbols.count > 0) {
            return false;
        }
        differs = differs || !is_equal(&images[0], &images[i]);
    }
    return differs;
}

/* Those that differ from all before them; the caller frees it. */
static struct ptx_piece *pieces_of(const struct foreign_image *images, size_t count, size_t *out_count)
{
    struct ptx_piece *pieces = calloc(count, sizeof(*pieces));
    *out_count = 0;
    for (size_t i = 0; pieces && i < count; i++) {
        bool is_new = true;
        for (size_t j = 0; is_new && j < i; j++) {
            is_new = !is_equal(&images[j], &images[i]);
        }
        if (is_new) {
            pieces[(*out_count)++] =
                (struct ptx_piece){(const char *)images[i].data, images[i].size, images[i].origin};
        }
    }
    return pieces;
}

static cubinet_status merge_texts(const struct foreign_image *images, size_t count, char **out_text,
                                  size_t *out_size, char **out_reason)
{
    size_t piece_count = 0;
    struct ptx_piece *pieces = pieces_of(images, count, &piece_count);
    *out_text = NULL;
    *out_reason = NULL;
    cubinet_status status =
        pieces ? ptx_merge(pieces, piece_count, out_text, out_size, out_reason) : cbn_error_memory();
    free(pieces);
    return status;
}

/* Puts the text and the contents of all into the first. The others are freed. */
static cubinet_status take_over(struct foreign_image *images, size_t count, char *text, size_t size)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 1; !status && i < count; i++) {
        bool is_twice = images[i].contents.kernel_count > 0 &&
                        contents_has_kernel(&images[0].contents, images[i].contents.kernels[0].name);
        status = is_twice ? CUBINET_OK : contents_move(&images[0].contents, &images[i].contents);
    }
    for (size_t i = 1; i < count; i++) {
        foreign_image_free(&images[i]);
    }
    free(images[0].data);
    images[0].data = (unsigned char *)text;
    images[0].size = size;
    return status;
}

static cubinet_status merge_run(struct foreign_list *list, size_t start, size_t end)
{
    struct foreign_image *images = &list->items[start];
    size_t count = end - start;
    char *text = NULL;
    char *reason = NULL;
    size_t size = 0;
    if (!is_mergeable(images, count)) {
        return CUBINET_OK;
    }
    cubinet_status status = merge_texts(images, count, &text, &size, &reason);
    free(reason);
    if (status || !text) {
        return status;
    }
    status = take_over(images, count, text, size);
    memmove(images + 1, images + count, (list->count - end) * sizeof(*images));
    list->count -= count - 1;
    return status;
}

cubinet_status foreign_merge(struct foreign_list *list)
{
    cubinet_status status = CUBINET_OK;
    for (size_t start = 0; !status && start < list->count; start++) {
        status = merge_run(list, start, end_of(list, start));
    }
    return status;
}

/* Why the two could not be merged; NULL if memory is out. */
static char *reason_of(const struct foreign_image *images)
{
    char *text;
    char *reason;
    size_t size;
    if (images[0].target.kind != CUBINET_IMAGE_PTX || images[1].target.kind != CUBINET_IMAGE_PTX) {
        return strdup("a module has one image for a target, and only PTX is merged");
    }
    if (images[0].contents.symbols.count || images[1].contents.symbols.count) {
        return strdup("they were compiled to be linked: link them with `cubinet link`");
    }
    if (merge_texts(images, 2, &text, &size, &reason)) {
        return NULL;
    }
    free(text);
    return reason ? reason : strdup("they are not said to be parts of one module");
}

/* How to keep them apart. */
static const char *advice(const struct foreign_image *left, const struct foreign_image *right)
{
    if (left->is_named || right->is_named) {
        return ". Without a name for the module each file becomes a module";
    }
    return strcmp(left->origin, right->origin) != 0
               ? ". `--name-by path` makes each file a module, and NAME=FILE names one"
               : "";
}

cubinet_status foreign_merge_refuse(const struct foreign_image *left, const struct foreign_image *right)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    const struct foreign_image images[] = {*left, *right};
    char *reason = reason_of(images);
    cubinet_status status =
        !reason ? cbn_error_memory()
                : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                            "module '%s' has two different images for %s: one from '%s', one from '%s'; %s%s",
                            left->name, cubinet_target_name(left->target, name), left->origin, right->origin,
                            reason, advice(left, right));
    free(reason);
    return status;
}

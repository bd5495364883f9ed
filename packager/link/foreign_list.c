/* SPDX-License-Identifier: Apache-2.0 */
#include "link/foreign_list.h"

#include "base/array.h"
#include "base/path.h"
#include "link/foreign_merge.h"
#include "loader/core/select/target.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

cubinet_status foreign_name_by_option(const char *text, enum foreign_name_by *out_by)
{
    static const char *const words[] = {"name", "file", "path", "kernel"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(text, words[i]) == 0) {
            *out_by = (enum foreign_name_by)i;
            return CUBINET_OK;
        }
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "modules are named by name, file, path or kernel, and not by '%s'", text);
}

/* How much of "gemm.sm_90.cubin" is the name. The version of a library is part of it. */
static size_t name_size(const char *name)
{
    size_t size = path_is_versioned(name) ? strlen(name) : path_stem_size(name);
    const char *dot = memrchr(name, '.', size);
    char word[CUBINET_TARGET_NAME_SIZE];
    cubinet_target target;
    size_t word_size = dot ? size - (size_t)(dot + 1 - name) : 0;
    if (dot && dot > name && word_size < sizeof(word)) {
        memcpy(word, dot + 1, word_size);
        word[word_size] = '\0';
        return cbn_target_read(word, &target) ? (size_t)(dot - name) : size;
    }
    return size;
}

char *foreign_file_name(const char *path)
{
    const char *name = path_name(path);
    return strndup(name, name_size(name));
}

char *foreign_path_name(const char *path)
{
    while (strncmp(path, "./", 2) == 0 || path[0] == '/') {
        path += path[0] == '/' ? 1 : 2;
    }
    const char *name = path_name(path);
    return strndup(path, (size_t)(name - path) + name_size(name));
}

cubinet_status foreign_list_add(struct foreign_list *list, struct foreign_image *image)
{
    struct foreign_image *items = array_grow(list->items, list->count, sizeof(*items));
    if (!items) {
        foreign_image_free(image);
        return cbn_error_memory();
    }
    list->items = items;
    items[list->count++] = *image;
    *image = (struct foreign_image){0};
    return CUBINET_OK;
}

void foreign_list_free(struct foreign_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        foreign_image_free(&list->items[i]);
    }
    free(list->items);
    *list = (struct foreign_list){0};
}

static int compare(const void *a, const void *b)
{
    const struct foreign_image *left = a;
    const struct foreign_image *right = b;
    int order = strcmp(left->name, right->name);
    order = order ? order : cubinet_target_compare(left->target, right->target);
    return order ? order : strcmp(left->origin, right->origin);
}

static void sort(struct foreign_list *list)
{
    if (list->count > 1) {
        qsort(list->items, list->count, sizeof(*list->items), compare);
    }
}

static bool contradict(const struct foreign_image *left, const struct foreign_image *right)
{
    bool is_other = left->identity && right->identity && left->longer && right->longer &&
                    strcmp(left->identity, right->identity) != 0;
    return is_other || (cubinet_target_compare(left->target, right->target) == 0 &&
                        (left->size != right->size || memcmp(left->data, right->data, left->size) != 0));
}

/* Gives images that share a name and contradict each other, and those beside them, their longer names. */
static void name_longer(struct foreign_list *list)
{
    size_t end;
    for (size_t start = 0; start < list->count; start = end) {
        bool is_clash = false;
        for (end = start + 1;
             end < list->count && strcmp(list->items[start].name, list->items[end].name) == 0; end++) {
            is_clash |= contradict(&list->items[end - 1], &list->items[end]);
        }
        for (size_t i = start; is_clash && i < end; i++) {
            if (list->items[i].longer) {
                free(list->items[i].name);
                list->items[i].name = list->items[i].longer;
                list->items[i].longer = NULL;
            }
        }
    }
}

static cubinet_status file_image(struct foreign_image *image, struct draft *draft)
{
    struct draft_image *filed = NULL;
    struct draft_module *module = draft_module(draft, image->name);
    unsigned char *data = image->data;
    if (!module) {
        return cbn_error_memory();
    }
    image->data = NULL;
    cubinet_status status =
        draft_add_image(module, image->target, data, image->size, &image->contents, image->origin, &filed);
    if (!status && image->target.kind == CUBINET_IMAGE_LTOIR) {
        filed->link_floor = image->link_floor;
    }
    return status;
}

static cubinet_status check(const struct foreign_list *list)
{
    for (size_t i = 1; i < list->count; i++) {
        const struct foreign_image *left = &list->items[i - 1];
        if (strcmp(left->name, list->items[i].name) == 0 && contradict(left, &list->items[i])) {
            return foreign_merge_refuse(left, &list->items[i]);
        }
    }
    return CUBINET_OK;
}

cubinet_status foreign_list_file(struct foreign_list *list, struct draft *draft)
{
    sort(list);
    cubinet_status status = foreign_merge(list);
    name_longer(list);
    sort(list);
    if (!status) {
        status = check(list);
    }
    for (size_t i = 0; !status && i < list->count; i++) {
        status = file_image(&list->items[i], draft);
    }
    foreign_list_free(list);
    return status;
}

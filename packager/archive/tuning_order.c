/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/tuning_order.h"

#include "loader/core/archive/digest.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

struct code_digest {
    bool is_known;
    struct cbn_digest digest;
};

cubinet_status code_digests_start(const struct draft_module *module, struct code_digests *out_digests)
{
    *out_digests = (struct code_digests){module, calloc(module->image_count + 1, sizeof(struct code_digest))};
    return out_digests->rows ? CUBINET_OK : cbn_error_memory();
}

void code_digests_end(struct code_digests *digests)
{
    free(digests->rows);
}

static const struct cbn_digest *digest_of(struct code_digests *digests, size_t row)
{
    struct code_digest *kept = &digests->rows[row];
    if (!kept->is_known) {
        const struct draft_image *image = &digests->module->images[row];
        *kept = (struct code_digest){true, cbn_digest(image->data, image->size)};
    }
    return &kept->digest;
}

uint32_t code_digests_find(struct code_digests *digests, const cubinet_tuning *tuning)
{
    const struct draft_module *module = digests->module;
    for (size_t i = 0; i < module->image_count; i++) {
        if (cubinet_target_compare(module->images[i].target, tuning->target) == 0 &&
            draft_image_has(&module->images[i], tuning->kernel) &&
            memcmp(digest_of(digests, i)->bytes, tuning->digest, sizeof(tuning->digest)) == 0) {
            return (uint32_t)i;
        }
    }
    return UINT32_MAX;
}

static int compare(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

int tuning_compare_gpus(const cubinet_tuning *a, const cubinet_tuning *b)
{
    int order = strcmp(a->gpu, b->gpu);
    if (!order) {
        order = compare(a->compute, b->compute);
    }
    return order ? order : compare(a->multiprocessor_count, b->multiprocessor_count);
}

int tuning_compare_keys(const cubinet_tuning *a, const cubinet_tuning *b)
{
    int order = strcmp(a->what, b->what);
    if (!order) {
        order = tuning_compare_gpus(a, b);
    }
    if (!order) {
        order = cubinet_target_compare(a->target, b->target);
    }
    for (int i = 0; !order && i < 3; i++) {
        order = compare(a->extent[i], b->extent[i]);
    }
    return order;
}

bool tuning_is_later(const cubinet_tuning *a, const cubinet_tuning *b)
{
    return a->date != b->date ? a->date > b->date : a->time_ns < b->time_ns;
}

/* By key; then the one that is to be listed comes first. */
static int compare_ordered(const void *a, const void *b)
{
    const struct ordered_tuning *left = a;
    const struct ordered_tuning *right = b;
    const cubinet_tuning *first = &left->tuning->known;
    const cubinet_tuning *second = &right->tuning->known;
    int order = tuning_compare_keys(first, second);
    if (!order) {
        order = (left->row == UINT32_MAX) - (right->row == UINT32_MAX);
    }
    if (!order) {
        order = compare(second->date, first->date);
    }
    if (!order) {
        order = compare(first->time_ns, second->time_ns);
    }
    return order ? order : memcmp(first->digest, second->digest, sizeof(first->digest));
}

cubinet_status tuning_order(const struct draft_module *module, struct ordered_tuning **out_list,
                            size_t *out_count)
{
    const struct draft_tunings *tunings = &module->tunings;
    struct code_digests digests;
    struct ordered_tuning *list = calloc(tunings->count + 1, sizeof(*list));
    cubinet_status status = list ? code_digests_start(module, &digests) : cbn_error_memory();
    if (status) {
        free(list);
        return status;
    }
    for (size_t i = 0; i < tunings->count; i++) {
        list[i] = (struct ordered_tuning){tunings->items[i],
                                          code_digests_find(&digests, &tunings->items[i]->known)};
    }
    code_digests_end(&digests);
    qsort(list, tunings->count, sizeof(*list), compare_ordered);
    size_t count = 0;
    for (size_t i = 0; i < tunings->count; i++) {
        if (count == 0 || tuning_compare_keys(&list[count - 1].tuning->known, &list[i].tuning->known) != 0) {
            list[count++] = list[i];
        }
    }
    *out_list = list;
    *out_count = count;
    return CUBINET_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "image/launch_record.h"

#include "base/array.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static const char *const hidden_kinds[] = {
    [CUBINET_HIDDEN_SCRATCH] = "scratch",
    [CUBINET_HIDDEN_PROFILE] = "profile",
    [CUBINET_HIDDEN_LAUNCH_BOUNDS] = "launch-bounds",
};

enum { HIDDEN_KINDS = sizeof(hidden_kinds) / sizeof(hidden_kinds[0]) };

uint32_t hidden_param_bytes(const cubinet_hidden_param *hidden)
{
    if (hidden->kind == CUBINET_HIDDEN_LAUNCH_BOUNDS) {
        uint32_t dimensions = hidden->dimensions;
        return dimensions < 1 || dimensions > 4 ? 0 : dimensions > 2 ? 32 : 24;
    }
    return hidden_kind_name(hidden->kind) ? 8 : 0;
}

const char *hidden_kind_name(uint32_t kind)
{
    return kind < HIDDEN_KINDS ? hidden_kinds[kind] : NULL;
}

void launch_record_free_names(struct launch_record *record)
{
    for (uint32_t i = 0; i < record->known.param_name_count; i++) {
        free((char *)record->names[i].name);
        free((char *)record->names[i].type);
    }
    free(record->names);
    record->names = NULL;
    record->known.param_names = NULL;
    record->known.param_name_count = 0;
}

static void free_hidden(struct launch_record *record)
{
    free(record->hidden);
    record->hidden = NULL;
    record->known.hidden = NULL;
    record->known.hidden_count = 0;
}

void launch_record_free(struct launch_record *record)
{
    launch_record_free_names(record);
    free_hidden(record);
    *record = (struct launch_record)LAUNCH_RECORD_EMPTY;
}

static bool is_given(const uint32_t sides[3])
{
    return sides[0] || sides[1] || sides[2];
}

bool launch_record_is_empty(const struct launch_record *record)
{
    const cubinet_launch_record *known = &record->known;
    return !known->flags && known->dynamic_shared_bytes == CUBINET_UNKNOWN && !is_given(known->block) &&
           !is_given(known->grid_factor) && !is_given(known->cluster) && !known->hidden_count &&
           !known->param_name_count;
}

cubinet_status launch_record_add_hidden(struct launch_record *record, const cubinet_hidden_param *hidden)
{
    cubinet_hidden_param *list =
        array_grow(record->hidden, record->known.hidden_count, sizeof(*record->hidden));
    if (!list) {
        return cbn_error_memory();
    }
    record->hidden = list;
    record->known.hidden = list;
    uint32_t place = record->known.hidden_count;
    while (place > 0 && list[place - 1].param >= hidden->param) {
        place--;
    }
    if (place < record->known.hidden_count && list[place].param == hidden->param) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "parameter %u is listed as hidden twice",
                         hidden->param);
    }
    memmove(&list[place + 1], &list[place], (record->known.hidden_count - place) * sizeof(*list));
    list[place] = *hidden;
    record->known.hidden_count++;
    return CUBINET_OK;
}

cubinet_status launch_record_add_name(struct launch_record *record, const char *name, const char *type)
{
    cubinet_param_name *list =
        array_grow(record->names, record->known.param_name_count, sizeof(*record->names));
    char *name_copy = strdup(name ? name : "");
    char *type_copy = strdup(type ? type : "");
    if (list) {
        record->names = list;
        record->known.param_names = list;
    }
    if (!list || !name_copy || !type_copy) {
        free(name_copy);
        free(type_copy);
        return cbn_error_memory();
    }
    list[record->known.param_name_count++] = (cubinet_param_name){name_copy, type_copy};
    return CUBINET_OK;
}

static cubinet_status copy_hidden(struct launch_record *record, const cubinet_launch_record *from)
{
    cubinet_status status = CUBINET_OK;
    free_hidden(record);
    for (uint32_t i = 0; !status && i < from->hidden_count; i++) {
        status = launch_record_add_hidden(record, &from->hidden[i]);
    }
    return status;
}

static cubinet_status copy_names(struct launch_record *record, const cubinet_launch_record *from)
{
    cubinet_status status = CUBINET_OK;
    launch_record_free_names(record);
    for (uint32_t i = 0; !status && i < from->param_name_count; i++) {
        status = launch_record_add_name(record, from->param_names[i].name, from->param_names[i].type);
    }
    return status;
}

static cubinet_status override(struct launch_record *record, const cubinet_launch_record *given)
{
    cubinet_launch_record *known = &record->known;
    cubinet_status status = CUBINET_OK;
    known->flags |= given->flags;
    if (given->dynamic_shared_bytes != CUBINET_UNKNOWN) {
        known->dynamic_shared_bytes = given->dynamic_shared_bytes;
        known->flags |= given->dynamic_shared_bytes ? CUBINET_RECORD_TAKES_DYNAMIC_SHARED : 0U;
    }
    if (is_given(given->block)) {
        memcpy(known->block, given->block, sizeof(known->block));
    }
    if (is_given(given->grid_factor)) {
        memcpy(known->grid_factor, given->grid_factor, sizeof(known->grid_factor));
    }
    if (is_given(given->cluster)) {
        memcpy(known->cluster, given->cluster, sizeof(known->cluster));
    }
    if (given->hidden_count) {
        status = copy_hidden(record, given);
    }
    if (!status && given->param_name_count) {
        status = copy_names(record, given);
    }
    return status;
}

cubinet_status launch_record_override(struct launch_record *record, const struct launch_record *given)
{
    return override(record, &given->known);
}

cubinet_status launch_record_copy(const struct launch_record *record, struct launch_record *out_record)
{
    *out_record = (struct launch_record)LAUNCH_RECORD_EMPTY;
    return override(out_record, &record->known);
}

cubinet_status launch_record_read(const cubinet_archive *archive, uint32_t module, uint32_t image,
                                  uint32_t kernel, struct launch_record *out_record)
{
    cubinet_launch_record read = {.size = sizeof(read)};
    *out_record = (struct launch_record)LAUNCH_RECORD_EMPTY;
    cubinet_status status = cubinet_archive_get_launch_record(archive, module, image, kernel, &read);
    return status ? status : override(out_record, &read);
}

static bool sides_differ(const uint32_t a[3], const uint32_t b[3])
{
    return is_given(a) && is_given(b) && memcmp(a, b, 3 * sizeof(*a)) != 0;
}

static bool hidden_differ(const cubinet_launch_record *a, const cubinet_launch_record *b)
{
    return a->hidden_count && b->hidden_count &&
           (a->hidden_count != b->hidden_count ||
            memcmp(a->hidden, b->hidden, a->hidden_count * sizeof(*a->hidden)) != 0);
}

bool launch_record_names_differ(const cubinet_launch_record *a, const cubinet_launch_record *b)
{
    if (!a->param_name_count || !b->param_name_count) {
        return false;
    }
    bool differ = a->param_name_count != b->param_name_count;
    for (uint32_t i = 0; !differ && i < a->param_name_count; i++) {
        differ = strcmp(a->param_names[i].name, b->param_names[i].name) != 0 ||
                 strcmp(a->param_names[i].type, b->param_names[i].type) != 0;
    }
    return differ;
}

/* What both know, and not the same of it; NULL: nothing. */
static const char *contradiction(const cubinet_launch_record *a, const cubinet_launch_record *b)
{
    bool both_bytes =
        a->dynamic_shared_bytes != CUBINET_UNKNOWN && b->dynamic_shared_bytes != CUBINET_UNKNOWN;
    return both_bytes && a->dynamic_shared_bytes != b->dynamic_shared_bytes ? "bytes of dynamic shared memory"
           : sides_differ(a->block, b->block)                               ? "blocks"
           : sides_differ(a->grid_factor, b->grid_factor)                   ? "factors of the grid"
           : sides_differ(a->cluster, b->cluster)                           ? "clusters"
           : hidden_differ(a, b)                                            ? "hidden parameters"
                                                                            : NULL;
}

cubinet_status launch_record_settle(struct launch_record *record, const struct launch_record *other)
{
    const char *what = contradiction(&record->known, &other->known);
    if (what) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "two records of how it is launched have different %s; leave one of the inputs out",
                         what);
    }
    cubinet_launch_record taken = other->known;
    taken.param_name_count = record->known.param_name_count ? 0 : taken.param_name_count;
    return override(record, &taken);
}

static cubinet_status check_hidden(const cubinet_hidden_param *hidden,
                                   const cubinet_kernel_resources *resources)
{
    uint32_t bytes = hidden_param_bytes(hidden);
    if (resources->param_count == CUBINET_UNKNOWN) {
        return CUBINET_OK;
    }
    if (hidden->param >= resources->param_count) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "parameter %u, listed as hidden, is not there: it has %u parameters, from 0",
                         hidden->param, resources->param_count);
    }
    if (resources->params[hidden->param].size != bytes) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "parameter %u, listed as hidden, has %u bytes; '%s' takes %u", hidden->param,
                         resources->params[hidden->param].size, hidden_kind_name(hidden->kind), bytes);
    }
    return CUBINET_OK;
}

cubinet_status launch_record_fits(const struct launch_record *record,
                                  const cubinet_kernel_resources *resources)
{
    const cubinet_launch_record *known = &record->known;
    for (uint32_t i = 0; i < known->hidden_count; i++) {
        cubinet_status status = check_hidden(&known->hidden[i], resources);
        if (status) {
            return status;
        }
    }
    if (resources->param_count != CUBINET_UNKNOWN && known->param_name_count &&
        known->param_name_count != resources->param_count) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "names of %u parameters are given; it has %u",
                         known->param_name_count, resources->param_count);
    }
    return CUBINET_OK;
}

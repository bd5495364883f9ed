/* SPDX-License-Identifier: Apache-2.0 */
/* The rules for launch records: docs/reference/format.md, "launches", "hidden parameters" and "parameter
 * names". */
#include "loader/core/archive/block.h"
#include "loader/core/support/error.h"

#include <stdlib.h>

/* What the next row's lists start with: those of all rows follow each other. */
struct next {
    uint32_t resource;
    uint32_t hidden;
    uint32_t name;
};

static cubinet_status row_error(const char *table, uint32_t row, const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "%s %u: %s", table, (unsigned)row, what);
}

/* Each of the kernel's parameters at most once. */
static cubinet_status check_hidden(const struct cbn_block *block, uint32_t first, uint32_t count,
                                   uint32_t param_count)
{
    uint32_t next = 0;
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t param = cbn_get32(cbn_row(&block->hidden_params, i) + CBN_HIDDEN_PARAM);
        if (param < next || param >= param_count) {
            return row_error("hidden parameter", i, "out of order, or of a parameter that is not there");
        }
        next = param + 1;
    }
    return CUBINET_OK;
}

static cubinet_status check_lists(const struct cbn_block *block, uint32_t number, struct next *io_next)
{
    const unsigned char *row = cbn_row(&block->launches, number);
    const unsigned char *resources = cbn_row(&block->resources, cbn_get32(row + CBN_LAUNCH_RESOURCE));
    uint32_t param_count = cbn_get16(resources + CBN_RESOURCE_PARAM_COUNT);
    uint32_t hidden = cbn_get16(row + CBN_LAUNCH_HIDDEN_COUNT);
    uint32_t names = cbn_get16(row + CBN_LAUNCH_NAME_COUNT);
    if (cbn_get32(row + CBN_LAUNCH_FIRST_HIDDEN) != (hidden ? io_next->hidden : 0) ||
        hidden > block->hidden_params.count - io_next->hidden) {
        return row_error("launch", number, "hidden parameters that are not there");
    }
    if (cbn_get32(row + CBN_LAUNCH_FIRST_NAME) != (names ? io_next->name : 0) ||
        names > block->param_names.count - io_next->name) {
        return row_error("launch", number, "names of parameters that are not there");
    }
    if (names && names != param_count) {
        return row_error("launch", number, "names that are not one for each parameter");
    }
    cubinet_status status = check_hidden(block, io_next->hidden, hidden, param_count);
    io_next->hidden += hidden;
    io_next->name += names;
    return status;
}

static cubinet_status check_rows(const struct cbn_block *block, struct next *io_next)
{
    for (uint32_t i = 0; i < block->launches.count; i++) {
        uint32_t resource = cbn_get32(cbn_row(&block->launches, i) + CBN_LAUNCH_RESOURCE);
        if (resource < io_next->resource || resource >= block->resources.count) {
            return row_error("launch", i, "out of order, or of resources that are not there");
        }
        io_next->resource = resource + 1;
        cubinet_status status = check_lists(block, i, io_next);
        if (status) {
            return status;
        }
    }
    return CUBINET_OK;
}

static cubinet_status check_names(const struct cbn_block *block)
{
    uint64_t room = cbn_string_room(block->size);
    for (uint32_t i = 0; i < block->param_names.count; i++) {
        const unsigned char *row = cbn_row(&block->param_names, i);
        if (!cbn_take_name(&block->strings, cbn_get32(row + CBN_PARAM_NAME_NAME), &room) ||
            !cbn_take_name(&block->strings, cbn_get32(row + CBN_PARAM_NAME_TYPE), &room)) {
            return row_error("name of a parameter", i, "missing or malformed name or type");
        }
    }
    return CUBINET_OK;
}

cubinet_status cbn_block_check_launches(const struct cbn_block *block)
{
    struct next next = {0};
    cubinet_status status = check_rows(block, &next);
    if (status) {
        return status;
    }
    if (next.hidden != block->hidden_params.count) {
        return row_error("hidden parameter", next.hidden, "it belongs to no kernel");
    }
    if (next.name != block->param_names.count) {
        return row_error("name of a parameter", next.name, "it belongs to no kernel");
    }
    return check_names(block);
}

cubinet_status cbn_block_convert_launches(struct cbn_block *block)
{
    uint32_t hidden = block->hidden_params.count;
    uint32_t names = block->param_names.count;
    block->hidden_list = hidden ? calloc(hidden, sizeof(*block->hidden_list)) : NULL;
    block->name_list = names ? calloc(names, sizeof(*block->name_list)) : NULL;
    if ((hidden && !block->hidden_list) || (names && !block->name_list)) {
        return cbn_error_memory();
    }
    for (uint32_t i = 0; i < hidden; i++) {
        const unsigned char *row = cbn_row(&block->hidden_params, i);
        block->hidden_list[i] = (cubinet_hidden_param){
            .param = cbn_get32(row + CBN_HIDDEN_PARAM),
            .kind = cbn_get32(row + CBN_HIDDEN_KIND),
            .bytes_per_block = cbn_get64(row + CBN_HIDDEN_BLOCK_BYTES),
            .alignment = cbn_get32(row + CBN_HIDDEN_ALIGNMENT),
            .dimensions = cbn_get32(row + CBN_HIDDEN_DIMENSIONS),
        };
    }
    for (uint32_t i = 0; i < names; i++) {
        const unsigned char *row = cbn_row(&block->param_names, i);
        block->name_list[i] = (cubinet_param_name){
            .name = cbn_string_at(&block->strings, row + CBN_PARAM_NAME_NAME),
            .type = cbn_string_at(&block->strings, row + CBN_PARAM_NAME_TYPE),
        };
    }
    return CUBINET_OK;
}

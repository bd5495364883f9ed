/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/check_launches.h"

#include "image/launch_record.h"

#include <stdio.h>

enum {
    FIRST_FLAGS = CBN_LAUNCH_TAKES_SHARED | CBN_LAUNCH_COOPERATIVE,
    DEPENDENCY_FLAGS = CBN_LAUNCH_WAITS | CBN_LAUNCH_TRIGGERS,
};

/* The row that is looked at, and whose it is. */
struct subject {
    const struct cbn_block *block;
    const unsigned char *row;
    const unsigned char *resources;
    uint32_t flags; /* that rows of this version have */
    struct problems *problems;
    char where[192]; /* for messages */
};

static void check_row(const struct subject *subject)
{
    uint32_t flags = cbn_get32(subject->row + CBN_LAUNCH_FLAGS);
    uint32_t bytes = cbn_get32(subject->row + CBN_LAUNCH_DYNAMIC_SHARED);
    if (flags & ~subject->flags) {
        problems_add(subject->problems, "%s: the index records flags 0x%x of its launch, of which 0x%x exist",
                     subject->where, flags, subject->flags);
    }
    if (bytes != 0 && bytes != CUBINET_UNKNOWN && !(flags & CBN_LAUNCH_TAKES_SHARED)) {
        problems_add(subject->problems,
                     "%s: the index records %u bytes of dynamic shared memory, and not that it takes some",
                     subject->where, bytes);
    }
    if (cbn_get32(subject->row + CBN_LAUNCH_ZERO)) {
        problems_add(subject->problems, "%s: a reserved member of its launch is set", subject->where);
    }
}

static void check_sides(const struct subject *subject, const char *what, size_t offset)
{
    uint32_t x = cbn_get32(subject->row + offset);
    uint32_t y = cbn_get32(subject->row + offset + 4);
    uint32_t z = cbn_get32(subject->row + offset + 8);
    if (x == 0 && (y || z)) {
        problems_add(subject->problems, "%s: the index records a %s of %u × %u × %u", subject->where, what, x,
                     y, z);
    }
}

/* Bytes of a parameter; 0 if they are not known. */
static uint32_t param_bytes(const struct subject *subject, uint32_t param)
{
    if (cbn_get16(subject->resources + CBN_RESOURCE_PARAM_COUNT) == CBN_PARAM_COUNT_UNKNOWN) {
        return 0;
    }
    return subject->block->param_list[cbn_get32(subject->resources + CBN_RESOURCE_FIRST_PARAM) + param].size;
}

static void check_hidden(const struct subject *subject, const cubinet_hidden_param *hidden)
{
    const char *where = subject->where;
    bool is_bounds = hidden->kind == CUBINET_HIDDEN_LAUNCH_BOUNDS;
    if (!hidden_kind_name(hidden->kind)) {
        problems_add(subject->problems, "%s: hidden parameter %u is of kind %u, which does not exist", where,
                     hidden->param, hidden->kind);
        return;
    }
    if (is_bounds && (hidden->bytes_per_block || hidden->alignment)) {
        problems_add(subject->problems,
                     "%s: hidden parameter %u takes launch bounds, and the index records memory for it",
                     where, hidden->param);
    }
    if (hidden->alignment & (hidden->alignment - 1)) {
        problems_add(subject->problems,
                     "%s: hidden parameter %u has an alignment of %u, which is not a power of two", where,
                     hidden->param, hidden->alignment);
    }
    uint32_t given = hidden_param_bytes(hidden);
    uint32_t bytes = param_bytes(subject, hidden->param);
    if (is_bounds ? given == 0 : hidden->dimensions != 0) {
        problems_add(subject->problems, "%s: hidden parameter %u has %u dimensions", where, hidden->param,
                     hidden->dimensions);
    } else if (bytes && bytes != given) {
        problems_add(subject->problems, "%s: hidden parameter %u has %u bytes, and is given %u", where,
                     hidden->param, bytes, given);
    }
}

void check_launches(const struct cbn_block *block, const struct listing_module *module, unsigned minor,
                    struct problems *problems)
{
    const uint32_t flags = FIRST_FLAGS | (minor >= CBN_FORMAT_DEPENDENCY ? DEPENDENCY_FLAGS : 0);
    struct subject subject = {.block = block, .flags = flags, .problems = problems};
    for (uint32_t i = 0; i < block->launches.count; i++) {
        char target[CUBINET_TARGET_NAME_SIZE];
        subject.row = cbn_row(&block->launches, i);
        subject.resources = cbn_row(&block->resources, cbn_get32(subject.row + CBN_LAUNCH_RESOURCE));
        uint32_t image = cbn_block_row_image(block, cbn_get32(subject.resources + CBN_RESOURCE_IMAGE));
        snprintf(subject.where, sizeof(subject.where), "module '%.48s', %s: kernel '%.64s'", module->name,
                 cubinet_target_name(module->images[image].target, target),
                 module->kernels[cbn_get32(subject.resources + CBN_RESOURCE_KERNEL)].name);
        check_row(&subject);
        check_sides(&subject, "block", CBN_LAUNCH_BLOCK);
        check_sides(&subject, "factor of the grid", CBN_LAUNCH_GRID_FACTOR);
        check_sides(&subject, "cluster", CBN_LAUNCH_CLUSTER);
        uint32_t first = cbn_get32(subject.row + CBN_LAUNCH_FIRST_HIDDEN);
        for (uint32_t j = 0; j < cbn_get16(subject.row + CBN_LAUNCH_HIDDEN_COUNT); j++) {
            check_hidden(&subject, &block->hidden_list[first + j]);
        }
    }
}

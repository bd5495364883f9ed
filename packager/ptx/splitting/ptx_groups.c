/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/splitting/ptx_groups.h"

#include <stdlib.h>
#include <string.h>

/* Disjoint sets of units. One more element than there are units stands for all functions whose addresses are
 * known: who calls through an address may call any of them. */
struct sets {
    const struct ptx_units *units;
    size_t *parents;
    struct cbn_ptx_token joint;
};

static size_t root_of(struct sets *sets, size_t element)
{
    size_t *parents = sets->parents;
    while (parents[element] != element) {
        parents[element] = parents[parents[element]];
        element = parents[element];
    }
    return element;
}

static void join(struct sets *sets, size_t a, size_t b)
{
    sets->parents[root_of(sets, a)] = root_of(sets, b);
}

size_t ptx_groups_mark(const struct ptx_units *units, size_t unit, size_t value, size_t *mark,
                       size_t *reached)
{
    size_t count = 0;
    if (mark[unit] != value) {
        mark[unit] = value;
        reached[count++] = unit;
    }
    for (size_t i = 0; i < count; i++) {
        size_t row = units->items[reached[i]].last_reference;
        for (; row != PTX_NO_REFERENCE; row = units->references[row].previous) {
            size_t next = units->references[row].unit;
            if (mark[next] != value) {
                mark[next] = value;
                reached[count++] = next;
            }
        }
    }
    return count;
}

static bool is_member(const struct ptx_unit *unit)
{
    return unit->kind == PTX_UNIT_KERNEL || unit->has_state;
}

/* Joins a kernel or variable with all that it reaches and that there may be only one of. */
static void join_reached(struct sets *sets, size_t unit, size_t *mark, size_t *reached)
{
    const struct ptx_units *units = sets->units;
    size_t count = ptx_groups_mark(units, unit, unit, mark, reached);
    for (size_t i = 0; i < count; i++) {
        const struct ptx_unit *found = &units->items[reached[i]];
        if (is_member(found)) {
            join(sets, unit, reached[i]);
        }
        if (found->is_indirect) {
            join(sets, unit, units->count);
        }
    }
}

static int compare_names(struct cbn_ptx_token a, struct cbn_ptx_token b)
{
    int order = memcmp(a.text, b.text, a.size < b.size ? a.size : b.size);
    return order != 0 ? order : (a.size > b.size) - (a.size < b.size);
}

static bool has_smaller_name(const struct ptx_units *units, size_t a, size_t b)
{
    return compare_names(units->items[a].statement.name, units->items[b].statement.name) < 0;
}

struct ordered {
    struct cbn_ptx_token name;
    struct ptx_group group;
};

static int compare_groups(const void *a, const void *b)
{
    return compare_names(((const struct ordered *)a)->name, ((const struct ordered *)b)->name);
}

/* Puts the groups in order. False if memory is out. */
static bool sort_groups(const struct ptx_units *units, struct ptx_groups *groups)
{
    struct ordered *all = calloc(groups->count + 1, sizeof(*all));
    for (size_t i = 0; all && i < groups->count; i++) {
        all[i] =
            (struct ordered){units->items[groups->items[i].first_kernel].statement.name, groups->items[i]};
    }
    if (all) {
        qsort(all, groups->count, sizeof(*all), compare_groups);
    }
    for (size_t i = 0; all && i < groups->count; i++) {
        groups->items[i] = all[i].group;
    }
    free(all);
    return all != NULL;
}

/* Makes a group for each set with a kernel. numbers[root]: the group's and 1 */
static void make_groups(struct sets *sets, size_t *numbers, struct ptx_groups *groups)
{
    const struct ptx_units *units = sets->units;
    for (size_t i = 0; i < units->count; i++) {
        if (units->items[i].kind != PTX_UNIT_KERNEL) {
            continue;
        }
        size_t root = root_of(sets, i);
        if (numbers[root] == 0) {
            groups->items[groups->count++] = (struct ptx_group){.first_kernel = i};
            numbers[root] = groups->count;
        }
        struct ptx_group *group = &groups->items[numbers[root] - 1];
        if (has_smaller_name(units, i, group->first_kernel)) {
            group->first_kernel = i;
        }
    }
}

static size_t first_group(const struct ptx_units *units, const struct ptx_groups *groups)
{
    size_t first = 0;
    for (size_t i = 1; i < groups->count; i++) {
        if (has_smaller_name(units, groups->items[i].first_kernel, groups->items[first].first_kernel)) {
            first = i;
        }
    }
    return first;
}

/* Hands out the members; `rows` has room for all units. */
static void fill_groups(struct sets *sets, const size_t *numbers, struct ptx_groups *groups, size_t *rows)
{
    const struct ptx_units *units = sets->units;
    size_t first = first_group(units, groups);
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < units->count; i++) {
            size_t number = numbers[root_of(sets, i)];
            struct ptx_group *group = &groups->items[number ? number - 1 : first];
            if (!is_member(&units->items[i])) {
                continue;
            }
            if (pass == 1) {
                group->members[group->member_count] = i;
            }
            group->member_count++;
        }
        for (size_t i = 0; pass == 0 && i < groups->count; i++) {
            groups->items[i].members = rows;
            rows += groups->items[i].member_count;
            groups->items[i].member_count = 0;
        }
    }
}

/* A name that several kernels have in common, to tell people why they stay together. */
static struct cbn_ptx_token find_joint(const struct ptx_units *units)
{
    struct cbn_ptx_declarator declarator;
    for (size_t i = 0; i < units->count; i++) {
        if (units->items[i].kind == PTX_UNIT_VARIABLE && units->items[i].has_state) {
            struct cbn_ptx_declarators declarators = cbn_ptx_declarators_in(units->items[i].statement.rest);
            if (cbn_ptx_next_declarator(&declarators, &declarator)) {
                return declarator.name;
            }
        }
    }
    return (struct cbn_ptx_token){0};
}

struct ptx_groups ptx_groups_make(const struct ptx_units *units)
{
    size_t count = units->count + 1;
    struct ptx_groups groups = {.failed = true};
    struct sets sets = {.units = units, .parents = calloc(count, sizeof(size_t))};
    size_t *mark = calloc(count, sizeof(*mark));
    size_t *reached = calloc(count, sizeof(*reached));
    groups.items = calloc(count, sizeof(*groups.items));
    groups.rows = calloc(count, sizeof(*groups.rows));
    if (sets.parents && mark && reached && groups.items && groups.rows) {
        for (size_t i = 0; i < count; i++) {
            sets.parents[i] = i;
            mark[i] = SIZE_MAX;
        }
        for (size_t i = 0; i < units->count; i++) {
            if (is_member(&units->items[i])) {
                join_reached(&sets, i, mark, reached);
            }
        }
        memset(mark, 0, count * sizeof(*mark));
        make_groups(&sets, mark, &groups);
        if (groups.count > 0) {
            fill_groups(&sets, mark, &groups, groups.rows);
        }
        groups.joint = find_joint(units);
        groups.failed = !sort_groups(units, &groups);
    }
    free(sets.parents);
    free(mark);
    free(reached);
    return groups;
}

void ptx_groups_free(struct ptx_groups *groups)
{
    free(groups->items);
    free(groups->rows);
    *groups = (struct ptx_groups){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/param_count.h"

#include "loader/core/archive/digest.h"
#include "loader/link/nv_info.h"
#include "loader/link/ptx_statement.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_of(const char *name, size_t size)
{
    struct cbn_digest digest = cbn_digest(name, size);
    return cbn_get32(digest.bytes);
}

static bool add(struct cbn_param_counts *counts, const char *name, size_t size, uint32_t params)
{
    enum { FIRST_CAPACITY = 16 };
    if (counts->count == counts->capacity) {
        size_t capacity = counts->capacity ? 2 * counts->capacity : FIRST_CAPACITY;
        struct cbn_param_count *rows = reallocarray(counts->rows, capacity, sizeof(*rows));
        if (!rows) {
            return false;
        }
        counts->rows = rows;
        counts->capacity = capacity;
    }
    counts->rows[counts->count++] = (struct cbn_param_count){hash_of(name, size), params};
    return true;
}

void cbn_param_counts_free(struct cbn_param_counts *counts)
{
    free(counts->rows);
    *counts = (struct cbn_param_counts){0};
}

/* Lists of one name, and of others that have its hash, are added up. */
uint32_t cbn_params_at_most(const struct cbn_param_counts *counts, const char *name)
{
    uint32_t hash = hash_of(name, strlen(name));
    uint64_t most = 0;
    bool is_found = false;
    for (size_t i = 0; i < counts->count; i++) {
        if (counts->rows[i].name == hash) {
            most += counts->rows[i].params;
            is_found = true;
        }
    }
    return is_found && most < UINT32_MAX ? (uint32_t)most : UINT32_MAX;
}

static bool finish(struct cbn_param_counts *counts, bool is_whole)
{
    if (!is_whole) {
        cbn_param_counts_free(counts);
    }
    return is_whole;
}

static const char info_prefix[] = ".nv.info.";
static const char code_prefix[] = ".text.";

/* The kernel in a section's name, or "". */
static const char *kernel_in(const char *name, const char *prefix, size_t prefix_size)
{
    return strncmp(name, prefix, prefix_size - 1) == 0 ? name + prefix_size - 1 : "";
}

/* Parameters have numbers. Should two have the same, or some be left out, the larger number counts. `left` is
 * how many bytes may be read: lists in a damaged file may overlap. */
static uint32_t count_in(const struct cbn_elf_section *section, uint64_t *left)
{
    struct cbn_nv_info_reader reader = {.bytes = section->bytes, .size = section->bytes ? section->size : 0};
    struct cbn_nv_info_record record;
    struct cbn_nv_info_param param;
    uint32_t count = 0;
    uint32_t end = 0;
    int more = 0;
    if (section->size > *left) {
        return UINT32_MAX;
    }
    *left -= section->size;
    while ((more = cbn_nv_info_next(&reader, &record)) > 0) {
        if (cbn_nv_info_param(&record, &param)) {
            count++;
            end = param.ordinal >= end ? param.ordinal + 1 : end;
        }
    }
    return more < 0 ? UINT32_MAX : count > end ? count : end;
}

/* A list names its kernel, and is linked to the kernel's code. Should the two differ, it counts for both. */
static bool add_list(const struct cbn_elf *elf, const struct cbn_elf_section *list, uint64_t *left,
                     struct cbn_param_counts *counts)
{
    struct cbn_elf_section code;
    bool is_linked = cbn_elf_section(elf, list->info, &code) == CUBINET_OK;
    const char *named = kernel_in(list->name, info_prefix, sizeof(info_prefix));
    const char *linked = is_linked ? kernel_in(code.name, code_prefix, sizeof(code_prefix)) : "";
    uint32_t params = count_in(list, left);
    return add(counts, named, strlen(named), params) &&
           (strcmp(named, linked) == 0 || add(counts, linked, strlen(linked), params));
}

bool cbn_param_counts_of_cubin(const struct cbn_elf *elf, struct cbn_param_counts *out_counts)
{
    uint64_t left = elf->file.size;
    bool is_whole = true;
    *out_counts = (struct cbn_param_counts){0};
    for (size_t i = 1; i < elf->file.section_count && is_whole; i++) {
        struct cbn_elf_section section;
        if (!cbn_elf_section(elf, i, &section) && section.type == CBN_SECTION_NV_INFO) {
            is_whole = add_list(elf, &section, &left, out_counts);
        }
    }
    return finish(out_counts, is_whole);
}

static uint32_t count_of(struct cbn_ptx_lexer parameters)
{
    struct cbn_ptx_declarators declarators = cbn_ptx_declarators_in(parameters);
    struct cbn_ptx_declarator declarator;
    uint32_t count = 0;
    bool is_plain = true;
    while (cbn_ptx_next_declarator(&declarators, &declarator)) {
        is_plain = is_plain && !declarator.many_names;
        count++;
    }
    return is_plain && !declarators.damaged ? count : UINT32_MAX;
}

bool cbn_param_counts_of_ptx(const char *ptx, size_t size, struct cbn_param_counts *out_counts)
{
    struct cbn_ptx_lexer text = {ptx, ptx + size};
    struct cbn_ptx_statement statement = cbn_ptx_next_statement(&text);
    bool is_whole = true;
    *out_counts = (struct cbn_param_counts){0};
    while (is_whole && statement.kind != CBN_PTX_STATEMENT_END &&
           statement.kind != CBN_PTX_STATEMENT_DAMAGED) {
        if (statement.has_body && cbn_ptx_token_is(statement.directive, ".entry")) {
            is_whole =
                add(out_counts, statement.name.text, statement.name.size, count_of(statement.parameters));
        }
        statement = cbn_ptx_next_statement(&text);
    }
    return finish(out_counts, is_whole);
}

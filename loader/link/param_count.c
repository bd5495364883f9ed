/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/param_count.h"

#include "loader/link/nv_info.h"
#include "loader/link/ptx_statement.h"

#include <string.h>

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
void cbn_param_counts_of_cubin(const struct cbn_elf *elf, cbn_param_count_fn *found, void *user)
{
    uint64_t left = elf->file.size;
    for (size_t i = 1; i < elf->file.section_count; i++) {
        struct cbn_elf_section section;
        struct cbn_elf_section code;
        if (cbn_elf_section(elf, i, &section) || section.type != CBN_SECTION_NV_INFO) {
            continue;
        }
        bool is_linked = cbn_elf_section(elf, section.info, &code) == CUBINET_OK;
        const char *named = kernel_in(section.name, info_prefix, sizeof(info_prefix));
        const char *linked = is_linked ? kernel_in(code.name, code_prefix, sizeof(code_prefix)) : "";
        uint32_t count = count_in(&section, &left);
        found(user, named, strlen(named), count);
        if (strcmp(named, linked) != 0) {
            found(user, linked, strlen(linked), count);
        }
    }
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

void cbn_param_counts_of_ptx(const char *ptx, size_t size, cbn_param_count_fn *found, void *user)
{
    struct cbn_ptx_lexer text = {ptx, ptx + size};
    struct cbn_ptx_statement statement = cbn_ptx_next_statement(&text);
    while (statement.kind != CBN_PTX_STATEMENT_END && statement.kind != CBN_PTX_STATEMENT_DAMAGED) {
        if (statement.has_body && cbn_ptx_token_is(statement.directive, ".entry")) {
            found(user, statement.name.text, statement.name.size, count_of(statement.parameters));
        }
        statement = cbn_ptx_next_statement(&text);
    }
}

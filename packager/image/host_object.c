/* SPDX-License-Identifier: Apache-2.0 */
#include "image/host_object.h"

#include "loader/core/archive/elf_file.h"
#include "loader/core/support/error.h"

#include <string.h>

static cubinet_status damaged(const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "it is not an object with device code: %s", what);
}

static bool is_named(const struct cbn_elf_section *section, const char *name)
{
    return section->name && strcmp(section->name, name) == 0;
}

cubinet_status host_object_find(const void *data, size_t size, struct host_fatbins *out_fatbins)
{
    struct cbn_elf_file elf;
    struct cbn_elf_section section;
    struct host_fatbins relocatable = {.is_relocatable = false};
    if (!cbn_elf_file_open(&elf, data, size)) {
        return damaged("it is cut off, or no little-endian 64-bit ELF file");
    }
    if (!elf.section_names.text) {
        return damaged("its sections have no names");
    }
    for (size_t i = 1; cbn_elf_file_section(&elf, i, &section); i++) {
        if (section.is_outside) {
            return damaged("it is cut off");
        }
        if (is_named(&section, ".nv_fatbin") && section.bytes) {
            *out_fatbins = (struct host_fatbins){section.bytes, (size_t)section.size, false};
            return CUBINET_OK;
        }
        if (is_named(&section, "__nv_relfatbin") && section.bytes) {
            relocatable = (struct host_fatbins){section.bytes, (size_t)section.size, true};
        }
    }
    if (!relocatable.is_relocatable) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "there is no device code in it (no section .nv_fatbin)");
    }
    *out_fatbins = relocatable;
    return CUBINET_OK;
}

bool host_object_next_offload(const void *data, size_t size, size_t *number, const unsigned char **out_bytes,
                              size_t *out_size)
{
    static const char name[] = ".llvm.offloading"; /* and .llvm.offloading.relocatable */
    struct cbn_elf_file elf;
    struct cbn_elf_section section;
    if (!cbn_elf_file_open(&elf, data, size) || !elf.section_names.text) {
        return false;
    }
    while (cbn_elf_file_section(&elf, ++*number, &section)) {
        if (!section.is_outside && section.bytes && section.size > 0 && section.name &&
            strncmp(section.name, name, sizeof(name) - 1) == 0) {
            *out_bytes = section.bytes;
            *out_size = (size_t)section.size;
            return true;
        }
    }
    return false;
}

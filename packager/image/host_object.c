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
    struct host_fatbins found = {.bytes = NULL};
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
            found = found.bytes ? found : (struct host_fatbins){.bytes = section.bytes, .size = section.size};
            found.is_split = found.bytes != section.bytes;
        }
        if (is_named(&section, "__nv_relfatbin") && section.bytes) {
            relocatable =
                (struct host_fatbins){.bytes = section.bytes, .size = section.size, .is_relocatable = true};
        }
    }
    if (found.bytes) {
        *out_fatbins = found;
        return CUBINET_OK;
    }
    if (!relocatable.is_relocatable) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "there is no device code in it (no section .nv_fatbin)");
    }
    *out_fatbins = relocatable;
    return CUBINET_OK;
}

static bool has_prefix(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Offload binaries are in ".llvm.offloading" and ".llvm.offloading.relocatable"; clang-offload-bundler makes
 * a section of each image in an object, whose name ends with the triple. */
static bool is_offload(const struct cbn_elf_section *section)
{
    return has_prefix(section->name, ".llvm.offloading") ||
           (has_prefix(section->name, "__CLANG_OFFLOAD_BUNDLE__") && strstr(section->name, "-nvptx"));
}

bool host_object_next_offload(const void *data, size_t size, size_t *number, const unsigned char **out_bytes,
                              size_t *out_size)
{
    struct cbn_elf_file elf;
    struct cbn_elf_section section;
    if (!cbn_elf_file_open(&elf, data, size) || !elf.section_names.text) {
        return false;
    }
    while (cbn_elf_file_section(&elf, ++*number, &section)) {
        if (!section.is_outside && section.bytes && section.size > 0 && section.name &&
            is_offload(&section)) {
            *out_bytes = section.bytes;
            *out_size = (size_t)section.size;
            return true;
        }
    }
    return false;
}

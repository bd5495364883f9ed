/* SPDX-License-Identifier: Apache-2.0 */
#include "host_object.h"

#include "error.h"

#include <elf.h>
#include <stdint.h>
#include <string.h>

struct object {
    const unsigned char *bytes;
    size_t size;
    Elf64_Ehdr header;
    size_t sections;
};

static cubinet_status damaged(const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "it is no object with device code: %s", what);
}

static bool is_inside(const struct object *object, uint64_t offset, uint64_t size)
{
    return offset <= object->size && size <= object->size - offset;
}

static bool read_section(const struct object *object, size_t number, Elf64_Shdr *out_section)
{
    uint64_t place = (uint64_t)number * sizeof(*out_section);
    if (object->header.e_shoff > object->size ||
        !is_inside(object, object->header.e_shoff + place, sizeof(*out_section))) {
        return false;
    }
    memcpy(out_section, object->bytes + object->header.e_shoff + place, sizeof(*out_section));
    return out_section->sh_type == SHT_NOBITS ||
           is_inside(object, out_section->sh_offset, out_section->sh_size);
}

static cubinet_status open_object(const void *data, size_t size, struct object *object)
{
    *object = (struct object){.bytes = data, .size = size};
    if (size < sizeof(object->header)) {
        return damaged("it is cut off");
    }
    memcpy(&object->header, data, sizeof(object->header));
    const unsigned char *ident = object->header.e_ident;
    if (ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB ||
        object->header.e_shentsize != sizeof(Elf64_Shdr)) {
        return damaged("it is no little-endian 64-bit ELF file with sections");
    }
    Elf64_Shdr first;
    object->sections = object->header.e_shnum;
    if (object->sections == 0 && read_section(object, 0, &first)) {
        object->sections = (size_t)first.sh_size; /* there are too many for the header */
    }
    return CUBINET_OK;
}

static bool is_named(const struct object *object, const Elf64_Shdr *names, const Elf64_Shdr *section,
                     const char *name)
{
    size_t size = strlen(name) + 1;
    return section->sh_name < names->sh_size && size <= names->sh_size - section->sh_name &&
           memcmp(object->bytes + names->sh_offset + section->sh_name, name, size) == 0;
}

cubinet_status host_object_find(const void *data, size_t size, struct host_fatbins *out_fatbins)
{
    struct object object;
    Elf64_Shdr names;
    bool is_relocatable = false;
    cubinet_status status = open_object(data, size, &object);
    if (status != CUBINET_OK) {
        return status;
    }
    if (!read_section(&object, object.header.e_shstrndx, &names) || names.sh_type != SHT_STRTAB) {
        return damaged("its sections have no names");
    }
    for (size_t i = 1; i < object.sections; i++) {
        Elf64_Shdr section;
        if (!read_section(&object, i, &section)) {
            return damaged("it is cut off");
        }
        if (is_named(&object, &names, &section, ".nv_fatbin") && section.sh_type != SHT_NOBITS) {
            *out_fatbins =
                (struct host_fatbins){object.bytes + section.sh_offset, (size_t)section.sh_size, false};
            return CUBINET_OK;
        }
        is_relocatable |= is_named(&object, &names, &section, "__nv_relfatbin");
    }
    if (!is_relocatable) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "there is no device code in it (no section .nv_fatbin)");
    }
    *out_fatbins = (struct host_fatbins){.is_relocatable = true};
    return CUBINET_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "cubin_elf.h"

#include "error.h"

#include <limits.h>
#include <string.h>

static cubinet_status damaged(const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "not a cubin: %s", what);
}

static cubinet_status check_ident(const unsigned char *ident, size_t size)
{
    if (size < EI_NIDENT || memcmp(ident, ELFMAG, SELFMAG) != 0) {
        return damaged("it is not an ELF file");
    }
    if (ident[EI_CLASS] != ELFCLASS64) {
        return damaged("it is a 32-bit ELF file, and cubins of CUDA 12 and later are 64-bit");
    }
    if (ident[EI_DATA] != ELFDATA2LSB) {
        return damaged("it is a big-endian ELF file");
    }
    return CUBINET_OK;
}

static cubinet_status check_header(const GElf_Ehdr *header)
{
    if (header->e_machine != EM_CUDA) {
        return cbn_error(CUBINET_ERROR_DAMAGED,
                         "not a cubin: the ELF file is for machine %u, and CUDA's is %u", header->e_machine,
                         EM_CUDA);
    }
    if (header->e_type == ET_REL) {
        return damaged("it is a relocatable object (-rdc), which must be linked first");
    }
    if (header->e_type != ET_EXEC) {
        return cbn_error(CUBINET_ERROR_DAMAGED, "not a cubin: its ELF type is %u, and an executable's is %u",
                         header->e_type, ET_EXEC);
    }
    return CUBINET_OK;
}

static cubinet_status read_strings(const struct cubin_elf *cubin, size_t number,
                                   struct cubin_strings *out_strings)
{
    Elf_Data *data = elf_rawdata(elf_getscn(cubin->elf, number), NULL);
    if (!data || data->d_size == 0 || !data->d_buf || ((const char *)data->d_buf)[data->d_size - 1] != '\0') {
        return damaged("a string table is missing or cut off");
    }
    *out_strings = (struct cubin_strings){.text = data->d_buf, .size = data->d_size};
    return CUBINET_OK;
}

static cubinet_status read_symbols(struct cubin_elf *cubin, Elf_Scn *section, const GElf_Shdr *header)
{
    if (cubin->symbols) {
        return damaged("it has two symbol tables");
    }
    cubin->symbols = elf_getdata(section, NULL);
    size_t entry = gelf_fsize(cubin->elf, ELF_T_SYM, 1, EV_CURRENT);
    if (!cubin->symbols || header->sh_entsize != entry) {
        return damaged("its symbol table is cut off or has entries of another size");
    }
    cubin->symbol_count = cubin->symbols->d_size / entry;
    if (cubin->symbol_count > INT_MAX) {
        return damaged("it has too many symbols");
    }
    return read_strings(cubin, header->sh_link, &cubin->symbol_names);
}

static cubinet_status find_symbols(struct cubin_elf *cubin)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(cubin->elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header)) {
            return damaged("its section table is cut off");
        }
        if (header.sh_type == SHT_SYMTAB_SHNDX) {
            cubin->symbol_sections = elf_getdata(section, NULL);
        }
        if (header.sh_type == SHT_SYMTAB) {
            cubinet_status status = read_symbols(cubin, section, &header);
            if (status) {
                return status;
            }
        }
    }
    return CUBINET_OK;
}

static cubinet_status open_elf(struct cubin_elf *cubin, const void *data, size_t size)
{
    elf_version(EV_CURRENT);
    /* libelf takes a pointer that is not const, and only reads through it. */
    cubin->elf = elf_memory((char *)(uintptr_t)data, size);
    if (!cubin->elf || elf_kind(cubin->elf) != ELF_K_ELF || !gelf_getehdr(cubin->elf, &cubin->header)) {
        return damaged("its ELF header is cut off");
    }
    return CUBINET_OK;
}

cubinet_status cubin_elf_open(struct cubin_elf *cubin, const void *data, size_t size)
{
    *cubin = (struct cubin_elf){0};
    cubinet_status status = check_ident(data, size);
    if (!status) {
        status = open_elf(cubin, data, size);
    }
    if (!status) {
        status = check_header(&cubin->header);
    }
    if (status) {
        return status;
    }
    size_t names;
    if (elf_getshdrnum(cubin->elf, &cubin->section_count) || elf_getshdrstrndx(cubin->elf, &names) ||
        cubin->section_count > size / sizeof(Elf64_Shdr)) {
        return damaged("its section table is cut off");
    }
    status = read_strings(cubin, names, &cubin->section_names);
    return status ? status : find_symbols(cubin);
}

void cubin_elf_close(struct cubin_elf *cubin)
{
    elf_end(cubin->elf);
    *cubin = (struct cubin_elf){0};
}

static const char *string_at(const struct cubin_strings *strings, uint64_t offset)
{
    return offset < strings->size ? strings->text + offset : NULL;
}

cubinet_status cubin_elf_section(const struct cubin_elf *cubin, size_t number,
                                 struct cubin_section *out_section)
{
    Elf_Scn *section = elf_getscn(cubin->elf, number);
    GElf_Shdr header;
    if (!section || !gelf_getshdr(section, &header)) {
        return damaged("its section table is cut off");
    }
    struct cubin_section result = {
        .name = string_at(&cubin->section_names, header.sh_name),
        .type = header.sh_type,
        .info = header.sh_info,
        .size = header.sh_size,
    };
    if (header.sh_type != SHT_NOBITS && header.sh_size > 0) {
        Elf_Data *data = elf_rawdata(section, NULL);
        result.bytes = data && data->d_size == header.sh_size ? data->d_buf : NULL;
        if (!result.bytes) {
            return damaged("a section lies outside the file");
        }
    }
    if (!result.name) {
        return damaged("a section's name lies outside its string table");
    }
    *out_section = result;
    return CUBINET_OK;
}

cubinet_status cubin_elf_symbol(const struct cubin_elf *cubin, size_t number, struct cubin_symbol *out_symbol)
{
    GElf_Sym symbol;
    Elf32_Word extended = 0;
    if (!gelf_getsymshndx(cubin->symbols, cubin->symbol_sections, (int)number, &symbol, &extended)) {
        return damaged("its symbol table is cut off");
    }
    struct cubin_symbol result = {
        .name = string_at(&cubin->symbol_names, symbol.st_name),
        .type = GELF_ST_TYPE(symbol.st_info),
        .binding = GELF_ST_BIND(symbol.st_info),
        .other = symbol.st_other,
        .section = symbol.st_shndx == SHN_XINDEX ? extended : symbol.st_shndx,
        .size = symbol.st_size,
    };
    if (result.section >= cubin->section_count) {
        result.section = SHN_UNDEF; /* absolute and common symbols lie in no section */
    }
    if (!result.name) {
        return damaged("a symbol's name lies outside its string table");
    }
    *out_symbol = result;
    return CUBINET_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "slim_elf.h"

#include "unit.h"

#include <string.h>

static const char names[] = "\0.text\0.nv_fatbin\0.rodata\0.data\0.comment\0.shstrtab";

static Elf64_Word name_of(const char *name)
{
    for (size_t i = 1; i < sizeof(names); i++) {
        if (strcmp(names + i, name) == 0) {
            return (Elf64_Word)i;
        }
    }
    fail();
    return 0;
}

static void pad(struct buffer *out, size_t alignment)
{
    while (out->size % alignment != 0) {
        buffer_append(out, "", 1);
    }
}

/* Appends a section's bytes, and notes where they are. */
static void append(struct buffer *out, Elf64_Shdr *section, const char *name, Elf64_Xword flags,
                   const void *bytes, size_t size)
{
    pad(out, 8);
    *section = (Elf64_Shdr){.sh_name = name_of(name),
                            .sh_type = SHT_PROGBITS,
                            .sh_flags = flags,
                            .sh_addr = flags ? out->size : 0,
                            .sh_offset = out->size,
                            .sh_size = size,
                            .sh_addralign = 8};
    buffer_append(out, bytes, size);
}

void slim_elf_make(const void *fatbins, size_t size, struct buffer *out)
{
    Elf64_Shdr sections[SLIM_ELF_SECTIONS] = {{0}};
    Elf64_Phdr segments[SLIM_ELF_SEGMENTS] = {{0}};
    Elf64_Ehdr header = {.e_type = ET_DYN,
                         .e_machine = EM_X86_64,
                         .e_version = EV_CURRENT,
                         .e_phoff = sizeof(header),
                         .e_ehsize = sizeof(header),
                         .e_phentsize = sizeof(segments[0]),
                         .e_phnum = SLIM_ELF_SEGMENTS,
                         .e_shentsize = sizeof(sections[0]),
                         .e_shnum = SLIM_ELF_SECTIONS,
                         .e_shstrndx = SLIM_ELF_SECTIONS - 1};
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    *out = (struct buffer){0};
    buffer_append(out, &header, sizeof(header));
    buffer_append(out, segments, sizeof(segments));
    append(out, &sections[1], ".text", SHF_ALLOC | SHF_EXECINSTR, "text of the program", 20);
    append(out, &sections[SLIM_ELF_FATBINS], ".nv_fatbin", SHF_ALLOC, fatbins, size);
    append(out, &sections[3], ".rodata", SHF_ALLOC, "what follows", 13);
    size_t end = out->size;
    pad(out, SLIM_ELF_PAGE);
    size_t data = out->size;
    append(out, &sections[4], ".data", SHF_ALLOC | SHF_WRITE, "data of the program", 20);
    append(out, &sections[5], ".comment", 0, "not loaded", 11);
    append(out, &sections[6], ".shstrtab", 0, names, sizeof(names));
    sections[6].sh_type = SHT_STRTAB;
    pad(out, 8);
    header.e_shoff = out->size;
    buffer_append(out, sections, sizeof(sections));
    segments[SLIM_ELF_PHDR] = (Elf64_Phdr){.p_type = PT_PHDR,
                                           .p_flags = PF_R,
                                           .p_offset = sizeof(header),
                                           .p_vaddr = sizeof(header),
                                           .p_paddr = sizeof(header),
                                           .p_filesz = sizeof(segments),
                                           .p_memsz = sizeof(segments),
                                           .p_align = 8};
    segments[SLIM_ELF_READ] = (Elf64_Phdr){
        .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_filesz = end, .p_memsz = end, .p_align = 1 << 21};
    segments[SLIM_ELF_WRITE] = (Elf64_Phdr){.p_type = PT_LOAD,
                                            .p_flags = PF_R | PF_W,
                                            .p_offset = data,
                                            .p_vaddr = data,
                                            .p_paddr = data,
                                            .p_filesz = 20,
                                            .p_memsz = 100,
                                            .p_align = SLIM_ELF_PAGE};
    segments[SLIM_ELF_NOTE] =
        (Elf64_Phdr){.p_type = PT_NOTE, .p_offset = sections[3].sh_offset, .p_align = 4};
    assert_false(out->failed);
    memcpy(out->data, &header, sizeof(header));
    memcpy(out->data + sizeof(header), segments, sizeof(segments));
}

Elf64_Ehdr *slim_elf_header(struct buffer *elf)
{
    return (Elf64_Ehdr *)(void *)elf->data;
}

Elf64_Phdr *slim_elf_segment(struct buffer *elf, int number)
{
    return (Elf64_Phdr *)(void *)(elf->data + slim_elf_header(elf)->e_phoff) + number;
}

Elf64_Shdr *slim_elf_section(struct buffer *elf, int number)
{
    return (Elf64_Shdr *)(void *)(elf->data + slim_elf_header(elf)->e_shoff) + number;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/cubin_globals.h"

#include <string.h>

/* A mangled name, as far as it is read. */
struct reading {
    const char *at;
    const char *end;
};

static char next_character(const struct reading *reading)
{
    return reading->at < reading->end ? *reading->at : '\0';
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* Whether the name goes on with a namespace of CUDA's libraries, whose variables are their own. */
static bool is_librarys(const struct reading *reading)
{
    static const char *const names[] = {"4cuda",     "3cub",      "6thrust",  "4cute",        "7cutlass",
                                        "8commondx", "8cublasdx", "7cufftdx", "10cusolverdx", "6nvcuda"};
    size_t left = (size_t)(reading->end - reading->at);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t size = strlen(names[i]);
        if (size < left && memcmp(reading->at, names[i], size) == 0) {
            return true;
        }
    }
    return false;
}

/* "5scale" */
static void skip_source_name(struct reading *reading)
{
    size_t size = 0;
    while (is_digit(next_character(reading)) && size < (size_t)(reading->end - reading->at)) {
        size = size * 10 + (size_t)(*reading->at++ - '0');
    }
    size_t left = (size_t)(reading->end - reading->at);
    reading->at += size < left ? size : left;
}

/* "St", "S_" or "S1_" */
static void skip_substitution(struct reading *reading)
{
    reading->at++;
    bool is_number = next_character(reading) == '_' || is_digit(next_character(reading)) ||
                     (next_character(reading) >= 'A' && next_character(reading) <= 'Z');
    while (is_number && reading->at < reading->end && *reading->at != '_') {
        reading->at++;
    }
    reading->at += reading->at < reading->end;
}

bool cbn_is_by_the_way(const char *name, size_t name_size)
{
    struct reading reading = {name + 2, name + name_size};
    if (name_size < 3 || name[0] != '_' || name[1] != 'Z') {
        return false;
    }
    if (*reading.at == 'Z') {
        return true;
    }
    if (*reading.at == 'N') {
        reading.at++;
        if (is_librarys(&reading)) {
            return true;
        }
    }
    for (;;) {
        char character = next_character(&reading);
        if (is_digit(character)) {
            skip_source_name(&reading);
        } else if (character == 'S') {
            skip_substitution(&reading);
        } else if (character == 'N' || character == 'L') {
            reading.at++;
        } else {
            return character == 'I';
        }
    }
}

bool cbn_is_member(const char *name, size_t name_size)
{
    struct reading reading = {name + 3, name + name_size};
    if (!cbn_is_by_the_way(name, name_size)) {
        return false;
    }
    /* "EE" ends the arguments of a template, and with them the name of its instance. */
    return name[2] == 'Z' || (name[2] == 'N' && (is_librarys(&reading) || name[name_size - 2] != 'E'));
}

/* The number of a relocation's symbol: both kinds start alike. */
static uint64_t symbol_of(const unsigned char *relocation)
{
    Elf64_Rel read;
    memcpy(&read, relocation, sizeof(read));
    return ELF64_R_SYM(read.r_info);
}

void cbn_mark_used(const struct cbn_elf *elf, bool *used)
{
    struct cbn_elf_section section;
    for (size_t i = 1; cbn_elf_file_section(&elf->file, i, &section); i++) {
        size_t row = section.type == SHT_RELA ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
        if ((section.type != SHT_RELA && section.type != SHT_REL) || !section.bytes) {
            continue;
        }
        for (uint64_t at = 0; section.size - at >= row; at += row) {
            uint64_t symbol = symbol_of(section.bytes + at);
            if (symbol < elf->symbol_count) {
                used[symbol] = true;
            }
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver makes of an image. The rules are written here a second time, not taken from
 * loader/core/select/select.c, so that tests can find the two to differ. */
#include "sim.h"

#include "image/cubin.h"
#include "image/tileir_read.h"
#include "loader/core/archive/tileir.h"
#include "ptx/reading/ptx.h"

#include <elf.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* The driver is not told the size of an image: an ELF file tells it itself. 0 if it does not. */
static size_t elf_size(const unsigned char *code)
{
    Elf64_Ehdr header;
    if (memcmp(code, ELFMAG, SELFMAG) != 0 || code[EI_CLASS] != ELFCLASS64) {
        return 0;
    }
    memcpy(&header, code, sizeof(header));
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > UINT32_MAX) {
        return 0;
    }
    uint64_t size = header.e_shoff + (uint64_t)header.e_shnum * sizeof(Elf64_Shdr);
    for (unsigned int i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, code + header.e_shoff + i * sizeof(section), sizeof(section));
        if (section.sh_type != SHT_NOBITS && section.sh_offset + section.sh_size > size) {
            size = section.sh_offset + section.sh_size;
        }
    }
    uint64_t programs = header.e_phoff + (uint64_t)header.e_phnum * header.e_phentsize;
    return programs > size ? programs : size;
}

/* Integrated parts that run only their own cubins; 8.8 keeps apart too. */
static int cubin_group(int capability)
{
    switch (capability) {
    case 53:
    case 62:
    case 72:
    case 87:
    case 88:
    case 101:
    case 110:
        return capability;
    default:
        return 0;
    }
}

static bool in_family(int number, int capability)
{
    static const int families[][5] = {
        {100, 100, 103, 107, 0}, {103, 103, 107, 0, 0}, {107, 107, 0, 0, 0},
        {110, 110, 0, 0, 0},     {120, 120, 121, 0, 0}, {121, 121, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        for (int member = 1; families[i][0] == number && families[i][member]; member++) {
            if (families[i][member] == capability) {
                return true;
            }
        }
    }
    return false;
}

static cbn_cu_result judge_cubin(const struct contents *contents, int capability)
{
    int number = contents->target.number;
    if ((int)contents->toolkit / 1000 > sim.version / 1000) {
        return CBN_CU_NO_BINARY_FOR_GPU;
    }
    bool runs = false;
    switch (contents->target.suffix) {
    case 'a':
        runs = number == capability;
        break;
    case 'f':
        runs = in_family(number, capability);
        break;
    default:
        runs = number / 10 == capability / 10 && number <= capability &&
               cubin_group(number) == cubin_group(capability);
        break;
    }
    return runs ? CBN_CU_SUCCESS : CBN_CU_NO_BINARY_FOR_GPU;
}

/* The newest PTX ISA that a driver of that CUDA release knows, 10 × major + minor. */
static uint32_t newest_isa(int version)
{
    static const uint32_t of_12[] = {80, 81, 82, 83, 84, 85, 85, 86, 87, 88};
    int minor = version % 1000 / 10;
    if (version / 1000 == 12) {
        return of_12[minor < 9 ? minor : 9];
    }
    return (uint32_t)(90 + 10 * (version / 1000 - 13) + minor);
}

static cbn_cu_result judge_ptx(const struct contents *contents, int capability, char *log, size_t log_size)
{
    int number = contents->target.number;
    if (contents->ptx_isa > newest_isa(sim.version)) {
        snprintf(
            log, log_size,
            "ptxas application ptx input, line 1; fatal   : Unsupported .version %u.%u; current version is "
            "'%u.%u'\n",
            contents->ptx_isa / 10, contents->ptx_isa % 10, newest_isa(sim.version) / 10,
            newest_isa(sim.version) % 10);
        return CBN_CU_UNSUPPORTED_PTX_VERSION;
    }
    bool runs = contents->target.suffix == 'a'   ? number == capability
                : contents->target.suffix == 'f' ? in_family(number, capability)
                                                 : number <= capability;
    if (!runs) {
        snprintf(
            log, log_size,
            "ptxas fatal   : SM version specified by .target is higher than default SM version assumed\n");
        return CBN_CU_INVALID_PTX;
    }
    return CBN_CU_SUCCESS;
}

/* Drivers have a compiler of Tile IR since 13.1, for 8.x since 13.2, for 9.0 since 13.3, for 10.7 since 13.4.
 */
static int first_tile_driver(int capability)
{
    switch (capability) {
    case 107:
        return 13040;
    case 90:
        return 13030;
    case 101: /* what CUDA 12 called 11.0 */
        return INT_MAX;
    default:
        return capability < 80 ? INT_MAX : capability < 90 ? 13020 : 13010;
    }
}

static cbn_cu_result judge_tile(const struct contents *contents, int capability, char *log, size_t log_size)
{
    int number = contents->target.number;
    if (1000 * (number / 10) + 10 * (number % 10) > sim.version) {
        snprintf(log, log_size, "error: unsupported Tile version %d.%d.0\n", number / 10, number % 10);
        return CBN_CU_INVALID_IMAGE;
    }
    return sim.version >= first_tile_driver(capability) ? CBN_CU_SUCCESS : CBN_CU_NO_BINARY_FOR_GPU;
}

static bool looks_like_ptx(const char *text)
{
    /* PTX starts with comments and white space before `.version`. */
    return strstr(text, ".version") != NULL && strstr(text, ".target") != NULL;
}

static void refuse_everywhere(struct CUlib_st *library, cbn_cu_result result)
{
    for (int i = 0; i < sim.device_count; i++) {
        library->verdicts[i] = result;
    }
}

static cbn_cu_result judge_for(const struct contents *contents, int capability, char *log, size_t log_size)
{
    switch (contents->target.kind) {
    case CUBINET_IMAGE_PTX:
        return judge_ptx(contents, capability, log, log_size);
    case CUBINET_IMAGE_TILEIR:
        return judge_tile(contents, capability, log, log_size);
    default:
        return judge_cubin(contents, capability);
    }
}

static void judge(struct CUlib_st *library, char *log, size_t log_size)
{
    for (int i = 0; i < sim.device_count; i++) {
        int capability = 10 * sim.devices[i].major + sim.devices[i].minor;
        library->verdicts[i] = judge_for(&library->contents, capability, log, log_size);
        library->runs_somewhere |= library->verdicts[i] == CBN_CU_SUCCESS;
    }
}

/* The size is in the bytecode: up to the largest that a test has, reading stops at its end marker. */
static void read_tileir(const void *code, struct CUlib_st *library, char *log, size_t log_size)
{
    struct cbn_tileir tileir;
    if (cbn_tileir_open(code, UINT32_MAX, &tileir) || tileir_read(code, tileir.size, &library->contents)) {
        snprintf(log, log_size, "error: input does not correspond to Tile IR bytecode\n");
        refuse_everywhere(library, CBN_CU_INVALID_IMAGE);
    } else {
        judge(library, log, log_size);
    }
}

cbn_cu_result sim_image_read(const void *code, struct CUlib_st *library, char *log, size_t log_size)
{
    if (memcmp(code, ELFMAG, SELFMAG) == 0) {
        size_t size = elf_size(code);
        if (!size || cubin_read(code, size, &library->contents)) {
            return CBN_CU_INVALID_IMAGE;
        }
        judge(library, log, log_size);
    } else if (sim.version >= 13010 && strncmp(code, "\x7fTileIR", 8) == 0) {
        read_tileir(code, library, log, log_size);
    } else if (looks_like_ptx(code)) {
        if (ptx_read(code, strlen(code), &library->contents)) {
            snprintf(log, log_size, "ptxas fatal   : Ptx assembly aborted due to errors\n");
            refuse_everywhere(library, CBN_CU_INVALID_PTX);
        } else {
            judge(library, log, log_size);
        }
    } else {
        snprintf(log, log_size, "error   : Binary format for key='0', ident='' is not recognized\n");
        refuse_everywhere(library, CBN_CU_INVALID_IMAGE);
    }
    return CBN_CU_SUCCESS;
}

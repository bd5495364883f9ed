/* SPDX-License-Identifier: Apache-2.0 */
#include "cubin.h"

#include "cubin_elf.h"
#include "cubin_note.h"
#include "error.h"
#include "nv_info.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
    /* EI_OSABI, and where its version of the ABI has the architecture in e_flags. */
    OSABI_V1 = 51, /* CUDA 12, for what is older than sm_100 */
    V1_SM_SHIFT = 0,
    V1_ARCH_SPECIFIC = 0x800,
    OSABI_V2 = 65,
    V2_SM_SHIFT = 8,
    V2_ARCH_SPECIFIC = 0x8, /* CUDA 12; later it is in .nv.compat */
    SM_MASK = 0xff,

    SECTION_NV_INFO = SHT_LOPROC,
    SYMBOL_IS_ENTRY = 0x10, /* in st_other */

    FIRST_SM_WITH_RESERVED_SHARED = 90,
    RESERVED_SHARED = 1024, /* the system's, at the start of each block's shared memory */

    REGISTER_LIMIT = 255,
    THREAD_LIMIT = 1024,
    WARP_SIZE = 32,
};

/* A cubin being read. */
struct reading {
    struct cubin_elf elf;
    struct contents contents;
    /* By number of a section or symbol, the number of the kernel + 1, or 0. */
    uint32_t *kernel_of_section;
    uint32_t *kernel_of_symbol;
    uint32_t constant_bytes;
    size_t name_bytes_left; /* names that overlap could otherwise take memory far beyond the file's size */
};

static cubinet_status damaged(const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "damaged cubin: %s", what);
}

static uint32_t toolkit_version(unsigned tens)
{
    return tens / 10 * 1000 + tens % 10 * 10;
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

static cubinet_status read_header(struct reading *reading)
{
    const GElf_Ehdr *header = &reading->elf.header;
    struct contents *contents = &reading->contents;
    unsigned abi = header->e_ident[EI_OSABI];
    if (abi != OSABI_V1 && abi != OSABI_V2) {
        return cbn_error(CUBINET_ERROR_DAMAGED,
                         "not a cubin of CUDA 12 or 13: its ELF OS ABI is %u, and theirs is %u or %u", abi,
                         OSABI_V1, OSABI_V2);
    }
    bool is_v1 = abi == OSABI_V1;
    unsigned shift = is_v1 ? V1_SM_SHIFT : V2_SM_SHIFT;
    unsigned specific = is_v1 ? V1_ARCH_SPECIFIC : V2_ARCH_SPECIFIC;
    contents->target = (cubinet_target){
        .kind = CUBINET_IMAGE_CUBIN,
        .number = (int)(header->e_flags >> shift & SM_MASK),
        .suffix = header->e_flags & specific ? 'a' : 0,
    };
    if (contents->target.number < 10) {
        return damaged("its ELF flags name no architecture");
    }
    if (is_v1) {
        contents->toolkit = toolkit_version(header->e_version);
    }
    return CUBINET_OK;
}

/* Finding kernels and globals among the symbols. */

static cubinet_status take_name(struct reading *reading, const char *name, size_t *out_size)
{
    size_t size = strnlen(name, reading->name_bytes_left + 1);
    if (size > reading->name_bytes_left) {
        return damaged("the names of its symbols overlap");
    }
    if (size == 0) {
        return damaged("a kernel or variable has no name");
    }
    reading->name_bytes_left -= size;
    *out_size = size;
    return CUBINET_OK;
}

static cubinet_status add_kernel(struct reading *reading, const struct cubin_symbol *symbol, size_t number)
{
    size_t name_size = 0;
    cubinet_status status = take_name(reading, symbol->name, &name_size);
    if (status) {
        return status;
    }
    if (reading->kernel_of_section[symbol->section]) {
        return damaged("two kernels are in one section");
    }
    struct contents_kernel *kernel = contents_add_kernel(&reading->contents, symbol->name, name_size);
    if (!kernel) {
        return cbn_error_memory();
    }
    kernel->resources.static_shared_bytes = 0; /* no section, no static shared memory */
    reading->kernel_of_section[symbol->section] = (uint32_t)reading->contents.kernel_count;
    reading->kernel_of_symbol[number] = (uint32_t)reading->contents.kernel_count;
    return CUBINET_OK;
}

static cubinet_status add_global(struct reading *reading, const struct cubin_symbol *symbol)
{
    struct cubin_section section;
    cubinet_status status = cubin_elf_section(&reading->elf, symbol->section, &section);
    if (status) {
        return status;
    }
    bool is_constant = strcmp(section.name, ".nv.constant3") == 0;
    if (!is_constant && strcmp(section.name, ".nv.global") != 0 &&
        strcmp(section.name, ".nv.global.init") != 0) {
        return CUBINET_OK;
    }
    size_t name_size = 0;
    status = take_name(reading, symbol->name, &name_size);
    if (status || contents_is_compilers_own(symbol->name, name_size)) {
        return status;
    }
    struct contents_global *global = contents_add_global(&reading->contents, symbol->name, name_size);
    if (!global) {
        return cbn_error_memory();
    }
    global->bytes = symbol->size;
    global->is_constant = is_constant;
    return CUBINET_OK;
}

static cubinet_status read_symbols(struct reading *reading)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < reading->elf.symbol_count && !status; i++) {
        struct cubin_symbol symbol;
        status = cubin_elf_symbol(&reading->elf, i, &symbol);
        if (status || symbol.section == SHN_UNDEF) {
            continue;
        }
        if (symbol.type == STT_FUNC && symbol.other & SYMBOL_IS_ENTRY) {
            status = add_kernel(reading, &symbol, i);
        } else if (symbol.type == STT_OBJECT) {
            status = add_global(reading, &symbol);
        }
    }
    return status;
}

/* Reading what is recorded of the kernels. */

static struct contents_kernel *kernel_at(struct reading *reading, const uint32_t *kernels, size_t count,
                                         size_t number)
{
    uint32_t kernel = number < count ? kernels[number] : 0;
    return kernel ? &reading->contents.kernels[kernel - 1] : NULL;
}

/* What to do with one record; `kernel` is the one whose section it is in, or NULL. */
typedef cubinet_status record_fn(struct reading *reading, struct contents_kernel *kernel,
                                 const struct nv_info_record *record);

static cubinet_status for_each_record(struct reading *reading, struct contents_kernel *kernel,
                                      const struct cubin_section *section, record_fn *function)
{
    struct nv_info_reader reader = {.bytes = section->bytes, .size = section->bytes ? section->size : 0};
    struct nv_info_record record;
    cubinet_status status = CUBINET_OK;
    int more = 0;
    while (!status && (more = nv_info_next(&reader, &record)) > 0) {
        status = function(reading, kernel, &record);
    }
    return more < 0 ? damaged("a list of attributes is cut off") : status;
}

/* .nv.info has records about kernels and about the device functions that they call, by symbol. */
static cubinet_status read_symbol_record(struct reading *reading, struct contents_kernel *none,
                                         const struct nv_info_record *record)
{
    (void)none;
    struct contents_kernel *kernel =
        kernel_at(reading, reading->kernel_of_symbol, reading->elf.symbol_count, nv_info_word(record, 0));
    if (!kernel) {
        return CUBINET_OK;
    }
    uint32_t value = nv_info_word(record, 1);
    cubinet_kernel_resources *resources = &kernel->resources;
    if (record->code == NV_INFO_REGCOUNT) {
        if (value > REGISTER_LIMIT) {
            return damaged("a kernel has more registers than there are");
        }
        resources->registers = value;
    } else if (record->code == NV_INFO_MIN_STACK_SIZE) {
        resources->local_bytes = value == NV_INFO_STACK_UNKNOWN ? 0 : value; /* as the driver has it */
    }
    return CUBINET_OK;
}

static cubinet_status count_param(struct reading *reading, struct contents_kernel *kernel,
                                  const struct nv_info_record *record)
{
    (void)reading;
    struct nv_info_param param;
    if (nv_info_param(record, &param) && !contents_add_param(kernel)) {
        return cbn_error_memory();
    }
    return CUBINET_OK;
}

/* Parameters are recorded in any order, and their numbers must be 0 to the count of them. */
static cubinet_status read_param(struct contents_kernel *kernel, const struct nv_info_record *record)
{
    struct nv_info_param param;
    if (!nv_info_param(record, &param)) {
        return damaged("the record of a kernel's parameter is cut off");
    }
    if (param.ordinal >= kernel->resources.param_count || kernel->params[param.ordinal].size != 0) {
        return damaged("a kernel's parameters are not numbered one after another");
    }
    kernel->params[param.ordinal] = (cubinet_param){.offset = param.offset, .size = param.size};
    return CUBINET_OK;
}

static void read_extent(const struct nv_info_record *record, uint32_t extent[3])
{
    for (size_t i = 0; i < 3; i++) {
        extent[i] = nv_info_word(record, i);
    }
}

static cubinet_status read_kernel_record(struct reading *reading, struct contents_kernel *kernel,
                                         const struct nv_info_record *record)
{
    cubinet_kernel_resources *resources = &kernel->resources;
    uint32_t toolkit;
    switch (record->code) {
    case NV_INFO_KPARAM_INFO:
    case NV_INFO_KPARAM_INFO_V2:
        return read_param(kernel, record);
    case NV_INFO_CBANK_PARAM_SIZE:
        resources->param_bytes = record->value;
        break;
    case NV_INFO_MAX_THREADS:
        read_extent(record, resources->max_block);
        break;
    case NV_INFO_REQNTID:
        read_extent(record, resources->required_block);
        break;
    case NV_INFO_CTA_PER_CLUSTER:
        read_extent(record, resources->required_cluster);
        break;
    case NV_INFO_MAX_CLUSTER_RANK:
        resources->max_cluster_blocks = nv_info_word(record, 0);
        break;
    case NV_INFO_CUDA_API_VERSION:
        toolkit = toolkit_version(nv_info_word(record, 0));
        if (toolkit > reading->contents.toolkit) {
            reading->contents.toolkit = toolkit; /* the newest of those whose code was linked */
        }
        break;
    default:
        break;
    }
    return CUBINET_OK;
}

static cubinet_status read_kernel_info(struct reading *reading, const struct cubin_section *section)
{
    struct contents_kernel *kernel =
        kernel_at(reading, reading->kernel_of_section, reading->elf.section_count, section->info);
    if (!kernel) {
        return CUBINET_OK; /* a device function's */
    }
    cubinet_status status = for_each_record(reading, kernel, section, count_param);
    return status ? status : for_each_record(reading, kernel, section, read_kernel_record);
}

static cubinet_status read_shared(struct reading *reading, const struct cubin_section *section)
{
    struct contents_kernel *kernel =
        kernel_at(reading, reading->kernel_of_section, reading->elf.section_count, section->info);
    if (!kernel) {
        return CUBINET_OK;
    }
    int number = reading->contents.target.number;
    uint64_t reserved = number >= FIRST_SM_WITH_RESERVED_SHARED ? RESERVED_SHARED : 0;
    if (section->size < reserved || section->size - reserved >= CUBINET_UNKNOWN) {
        return damaged("a kernel's shared memory has an impossible size");
    }
    kernel->resources.static_shared_bytes = (uint32_t)(section->size - reserved);
    return CUBINET_OK;
}

/* Reading what is recorded of the whole. */

static cubinet_status read_compat_record(struct reading *reading, struct contents_kernel *none,
                                         const struct nv_info_record *record)
{
    (void)none;
    if (record->code == NV_COMPAT_ARCH_SPECIFIC && record->value == 1) {
        reading->contents.target.suffix = 'a';
    }
    return CUBINET_OK;
}

static cubinet_status read_notes(struct reading *reading, const struct cubin_section *section)
{
    struct contents *contents = &reading->contents;
    char family[CUBINET_TARGET_NAME_SIZE];
    cubinet_target target = {.kind = CUBINET_IMAGE_CUBIN, .number = contents->target.number, .suffix = 'f'};
    cubinet_target_name(target, family);
    struct cubin_note_reader reader = {.bytes = section->bytes, .size = section->bytes ? section->size : 0};
    struct cubin_note note;
    int more;
    while ((more = cubin_note_next(&reader, &note)) > 0) {
        uint32_t toolkit = toolkit_version(cubin_note_toolkit(&note));
        if (toolkit > contents->toolkit) {
            contents->toolkit = toolkit;
        }
        if (contents->target.suffix == 0 && cubin_note_has_arch(&note, family)) {
            contents->target.suffix = 'f';
        }
    }
    return more < 0 ? damaged("a note is cut off") : CUBINET_OK;
}

static cubinet_status read_section(struct reading *reading, const struct cubin_section *section)
{
    if (section->type == SECTION_NV_INFO) {
        return strcmp(section->name, ".nv.info") == 0
                   ? for_each_record(reading, NULL, section, read_symbol_record)
                   : read_kernel_info(reading, section);
    }
    if (section->type == SHT_NOTE) {
        return read_notes(reading, section);
    }
    if (strcmp(section->name, ".nv.compat") == 0) {
        return for_each_record(reading, NULL, section, read_compat_record);
    }
    if (strcmp(section->name, ".nv.constant3") == 0) {
        if (section->size >= CUBINET_UNKNOWN) {
            return damaged("its constant memory has an impossible size");
        }
        reading->constant_bytes = (uint32_t)section->size;
    }
    return starts_with(section->name, ".nv.shared.") ? read_shared(reading, section) : CUBINET_OK;
}

static cubinet_status read_sections(struct reading *reading)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 1; i < reading->elf.section_count && !status; i++) {
        struct cubin_section section;
        status = cubin_elf_section(&reading->elf, i, &section);
        if (!status) {
            status = read_section(reading, &section);
        }
    }
    return status;
}

/* Working out the rest. */

/* Registers of a block, and the parts of a multiprocessor that warps are spread over: the CUDA C++
 * Programming Guide's table of technical specifications, and cudaOccSubPartitionsPerMultiprocessor() in
 * cuda_occupancy.h. */
static uint32_t registers_per_block(int number)
{
    return number == 53 || number == 62 ? 32 * 1024 : 64 * 1024;
}

static uint32_t partitions(int number)
{
    return number == 60 ? 2 : 4;
}

/* The driver's MAX_THREADS_PER_BLOCK: the launch bounds' product (.reqntid does not count), and no more warps
 * than the registers of a block allow, by cudaOccMaxBlocksPerSMRegsLimit() in cuda_occupancy.h: a warp takes
 * registers in units of 256, and a block's warps count as a multiple of the partitions. */
static uint32_t max_threads(const cubinet_kernel_resources *resources, int number)
{
    enum { REGISTER_UNIT = 256 };
    if (resources->registers == CUBINET_UNKNOWN) {
        return CUBINET_UNKNOWN;
    }
    uint64_t threads = THREAD_LIMIT;
    if (resources->registers > 0) {
        uint32_t of_warp =
            (resources->registers * WARP_SIZE + REGISTER_UNIT - 1) / REGISTER_UNIT * REGISTER_UNIT;
        uint32_t warps = registers_per_block(number) / of_warp;
        warps -= warps % partitions(number);
        threads = warps * WARP_SIZE < THREAD_LIMIT ? warps * WARP_SIZE : THREAD_LIMIT;
    }
    for (size_t i = 0; i < 3; i++) {
        if (resources->max_block[i] > THREAD_LIMIT) {
            return (uint32_t)threads;
        }
    }
    uint64_t bound = (uint64_t)resources->max_block[0] * resources->max_block[1] * resources->max_block[2];
    return (uint32_t)(bound > 0 && bound < threads ? bound : threads);
}

static cubinet_status check_params(const struct contents_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->resources.param_count; i++) {
        const cubinet_param *param = &kernel->params[i];
        if (param->offset + param->size > kernel->resources.param_bytes) {
            return damaged("a kernel's parameter lies outside its parameter buffer");
        }
    }
    return CUBINET_OK;
}

static cubinet_status finish_kernel(struct reading *reading, struct contents_kernel *kernel)
{
    cubinet_kernel_resources *resources = &kernel->resources;
    resources->constant_bytes = reading->constant_bytes; /* the driver's number is the module's */
    resources->max_threads_per_block = max_threads(resources, reading->contents.target.number);
    if (resources->max_block[0] || resources->required_block[0]) {
        resources->min_blocks = CUBINET_UNKNOWN;
    }
    return check_params(kernel);
}

static cubinet_status finish(struct reading *reading)
{
    struct contents *contents = &reading->contents;
    contents_sort(contents);
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < contents->kernel_count && !status; i++) {
        if (i > 0 && strcmp(contents->kernels[i - 1].name, contents->kernels[i].name) == 0) {
            return damaged("two kernels have one name");
        }
        status = finish_kernel(reading, &contents->kernels[i]);
    }
    return status;
}

static cubinet_status read_elf(struct reading *reading)
{
    cubinet_status status = read_header(reading);
    if (status) {
        return status;
    }
    reading->kernel_of_section = calloc(reading->elf.section_count + 1, sizeof(uint32_t));
    reading->kernel_of_symbol = calloc(reading->elf.symbol_count + 1, sizeof(uint32_t));
    if (!reading->kernel_of_section || !reading->kernel_of_symbol) {
        return cbn_error_memory();
    }
    status = read_symbols(reading);
    if (!status) {
        status = read_sections(reading);
    }
    return status ? status : finish(reading);
}

cubinet_status cubin_read(const void *data, size_t size, struct contents *out_contents)
{
    struct reading reading = {.name_bytes_left = size};
    cubinet_status status = cubin_elf_open(&reading.elf, data, size);
    if (!status) {
        status = read_elf(&reading);
    }
    if (!status) {
        *out_contents = reading.contents;
    } else {
        contents_free(&reading.contents);
    }
    free(reading.kernel_of_section);
    free(reading.kernel_of_symbol);
    cubin_elf_close(&reading.elf);
    return status;
}

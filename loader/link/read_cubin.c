/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/read_cubin.h"

#include "loader/core/support/error.h"
#include "loader/core/support/text.h"
#include "loader/link/cubin_globals.h"
#include "loader/link/cubin_note.h"
#include "loader/link/device_elf.h"
#include "loader/link/nv_info.h"
#include "loader/link/spills.h"

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

    SYMBOL_IS_ENTRY = 0x10,   /* in st_other */
    SYMBOL_IS_MANAGED = 0x04, /* in st_other */

    /* In sh_flags of a kernel's code, where its attributes do not tell the barriers. */
    BARRIERS_SHIFT = 20,
    BARRIERS_MASK = 0x7f,

    FIRST_SM_WITH_RESERVED_SHARED = 90,
    RESERVED_SHARED = 1024, /* the system's, at the start of each block's shared memory */

    REGISTER_LIMIT = 255,
    BARRIER_LIMIT = 16,
    THREAD_LIMIT = 1024,
    WARP_SIZE = 32,

    ANNOTATING_TOOLKIT = 12060, /* the first that notes spills */
};

/* A cubin being read. */
struct reading {
    struct cbn_elf elf;
    struct cbn_cubin cubin;
    /* By number of a section or symbol, the number of the kernel + 1, or 0. */
    uint32_t *kernel_of_section;
    uint32_t *kernel_of_symbol;
    bool *used;                  /* by number of a symbol, whether a relocation is about it */
    struct cbn_elf_section code; /* of the kernel whose attributes are being read */
    uint32_t constant_bytes;
    size_t name_bytes_left; /* names that overlap could otherwise take memory far beyond the file's size */
};

static cubinet_status damaged(const char *what)
{
    return cbn_error(CUBINET_ERROR_DAMAGED, "damaged cubin: %s", what);
}

/* 0, which is "unknown", for what is not a release. */
static uint32_t toolkit_version(unsigned tens)
{
    return tens >= 10 && tens < 10000 ? tens / 10 * 1000 + tens % 10 * 10 : 0;
}

static bool is_known_abi(unsigned abi)
{
    return abi == OSABI_V1 || abi == OSABI_V2;
}

static int header_number(const Elf64_Ehdr *header)
{
    unsigned shift = header->e_ident[EI_OSABI] == OSABI_V1 ? V1_SM_SHIFT : V2_SM_SHIFT;
    return (int)(header->e_flags >> shift & SM_MASK);
}

/* 0 for anything else than device code, finished or not. */
static int number_of(const void *data, size_t size, bool is_finished)
{
    Elf64_Ehdr header;
    bool is_code = cbn_elf_header(data, size, &header) && (header.e_type != ET_REL) == is_finished &&
                   is_known_abi(header.e_ident[EI_OSABI]);
    return is_code ? header_number(&header) : 0;
}

int cbn_cubin_number(const void *data, size_t size)
{
    return number_of(data, size, true);
}

int cbn_relocatable_number(const void *data, size_t size)
{
    return number_of(data, size, false);
}

static cubinet_status read_header(struct reading *reading)
{
    const Elf64_Ehdr *header = &reading->elf.file.header;
    struct cbn_cubin *cubin = &reading->cubin;
    unsigned abi = header->e_ident[EI_OSABI];
    if (header->e_type == ET_REL) {
        return cbn_error(CUBINET_ERROR_DAMAGED,
                         "not a cubin: it is a relocatable object (-rdc), which must be linked first");
    }
    if (!is_known_abi(abi)) {
        return cbn_error(CUBINET_ERROR_DAMAGED,
                         "not a cubin of CUDA 12 or 13: its ELF OS ABI is %u, and theirs is %u or %u", abi,
                         OSABI_V1, OSABI_V2);
    }
    bool is_v1 = abi == OSABI_V1;
    unsigned specific = is_v1 ? V1_ARCH_SPECIFIC : V2_ARCH_SPECIFIC;
    cubin->target = (cubinet_target){
        .kind = CUBINET_IMAGE_CUBIN,
        .number = header_number(header),
        .suffix = header->e_flags & specific ? 'a' : 0,
    };
    if (cubin->target.number < 10) {
        return damaged("its ELF flags name no architecture");
    }
    if (is_v1) {
        cubin->toolkit = toolkit_version(header->e_version);
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

/* Whether a kernel or variable came with libcudadevrt: it does not belong to the module's interface. */
static bool is_device_runtimes(const char *name)
{
    static const char *const starts[] = {"cudartError", "__CNPRT_VERSION_NUMBER__"};
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        if (cbn_starts_with(name, starts[i])) {
            return true;
        }
    }
    return cbn_starts_with(name, "__nv_static_") && strstr(name, "_cuda_device_runtime_cu_");
}

static cubinet_status add_kernel(struct reading *reading, const struct cbn_elf_symbol *symbol, size_t number)
{
    size_t name_size = 0;
    cubinet_status status = take_name(reading, symbol->name, &name_size);
    if (status || is_device_runtimes(symbol->name)) {
        return status;
    }
    if (reading->kernel_of_section[symbol->section]) {
        return damaged("two kernels are in one section");
    }
    struct cbn_cubin_kernel *kernel = &reading->cubin.kernels[reading->cubin.kernel_count++];
    *kernel = (struct cbn_cubin_kernel){
        .name = symbol->name,
        .resources =
            {
                .size = sizeof(kernel->resources),
                .registers = CUBINET_UNKNOWN,
                .static_shared_bytes = 0, /* no section, no static shared memory */
                .local_bytes = CUBINET_UNKNOWN,
                .constant_bytes = CUBINET_UNKNOWN,
                .max_threads_per_block = CUBINET_UNKNOWN,
                .spill_store_bytes = CUBINET_UNKNOWN,
                .spill_load_bytes = CUBINET_UNKNOWN,
            },
    };
    reading->kernel_of_section[symbol->section] = (uint32_t)reading->cubin.kernel_count;
    reading->kernel_of_symbol[number] = (uint32_t)reading->cubin.kernel_count;
    return CUBINET_OK;
}

/* Whether a variable does not belong to the module's interface. Code refers to constants without relocations.
 */
static bool is_left_out(const char *name, size_t name_size, bool may_be_used)
{
    return cbn_is_compilers_own(name, name_size) || is_device_runtimes(name) ||
           (!may_be_used && cbn_is_by_the_way(name, name_size));
}

static cubinet_status add_global(struct reading *reading, const struct cbn_elf_symbol *symbol, size_t number)
{
    struct cbn_elf_section section;
    cubinet_status status = cbn_elf_section(&reading->elf, symbol->section, &section);
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
    if (status || is_left_out(symbol->name, name_size, is_constant || reading->used[number]) ||
        (symbol->binding == STB_WEAK && cbn_is_member(symbol->name, name_size))) {
        return status;
    }
    reading->cubin.globals[reading->cubin.global_count++] = (struct cbn_cubin_global){
        .name = symbol->name,
        .bytes = symbol->size,
        .is_constant = is_constant,
        .is_managed = (symbol->other & SYMBOL_IS_MANAGED) != 0,
    };
    return CUBINET_OK;
}

static bool is_kernel(const struct cbn_elf_symbol *symbol)
{
    return symbol->section != SHN_UNDEF && symbol->type == STT_FUNC && symbol->other & SYMBOL_IS_ENTRY;
}

static bool is_variable(const struct cbn_elf_symbol *symbol)
{
    return symbol->section != SHN_UNDEF && symbol->type == STT_OBJECT;
}

/* Memory for as many kernels and globals as there can be. */
static cubinet_status make_room(struct reading *reading)
{
    size_t kernels = 0;
    size_t globals = 0;
    for (size_t i = 0; i < reading->elf.symbol_count; i++) {
        struct cbn_elf_symbol symbol;
        cubinet_status status = cbn_elf_symbol(&reading->elf, i, &symbol);
        if (status) {
            return status;
        }
        kernels += is_kernel(&symbol);
        globals += is_variable(&symbol);
    }
    reading->cubin.kernels = calloc(kernels + 1, sizeof(*reading->cubin.kernels));
    reading->cubin.globals = calloc(globals + 1, sizeof(*reading->cubin.globals));
    return reading->cubin.kernels && reading->cubin.globals ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status read_symbols(struct reading *reading)
{
    cubinet_status status = make_room(reading);
    for (size_t i = 0; i < reading->elf.symbol_count && !status; i++) {
        struct cbn_elf_symbol symbol;
        status = cbn_elf_symbol(&reading->elf, i, &symbol);
        if (!status && is_kernel(&symbol)) {
            status = add_kernel(reading, &symbol, i);
        } else if (!status && is_variable(&symbol)) {
            status = add_global(reading, &symbol, i);
        }
    }
    return status;
}

/* Reading what is recorded of the kernels. */

static struct cbn_cubin_kernel *kernel_at(struct reading *reading, const uint32_t *kernels, size_t count,
                                          size_t number)
{
    uint32_t kernel = number < count ? kernels[number] : 0;
    return kernel ? &reading->cubin.kernels[kernel - 1] : NULL;
}

/* What to do with one record; `kernel` is the one whose section it is in, or NULL. */
typedef cubinet_status record_fn(struct reading *reading, struct cbn_cubin_kernel *kernel,
                                 const struct cbn_nv_info_record *record);

static cubinet_status for_each_record(struct reading *reading, struct cbn_cubin_kernel *kernel,
                                      const struct cbn_elf_section *section, record_fn *function)
{
    struct cbn_nv_info_reader reader = {.bytes = section->bytes, .size = section->bytes ? section->size : 0};
    struct cbn_nv_info_record record;
    cubinet_status status = CUBINET_OK;
    int more = 0;
    while (!status && (more = cbn_nv_info_next(&reader, &record)) > 0) {
        status = function(reading, kernel, &record);
    }
    return more < 0 ? damaged("a list of attributes is cut off") : status;
}

static void set_spills(cubinet_kernel_resources *resources, struct cbn_spills spills)
{
    resources->spill_store_bytes = spills.store_bytes;
    resources->spill_load_bytes = spills.load_bytes;
}

/* .nv.info has records about kernels and about the device functions that they call, by symbol. */
static cubinet_status read_symbol_record(struct reading *reading, struct cbn_cubin_kernel *none,
                                         const struct cbn_nv_info_record *record)
{
    (void)none;
    struct cbn_cubin_kernel *kernel =
        kernel_at(reading, reading->kernel_of_symbol, reading->elf.symbol_count, cbn_nv_info_word(record, 0));
    if (!kernel) {
        return CUBINET_OK;
    }
    uint32_t value = cbn_nv_info_word(record, 1);
    cubinet_kernel_resources *resources = &kernel->resources;
    if (record->code == CBN_NV_INFO_REGCOUNT) {
        if (value > REGISTER_LIMIT) {
            return damaged("a kernel has more registers than there are");
        }
        resources->registers = value;
    } else if (record->code == CBN_NV_INFO_MIN_STACK_SIZE) {
        resources->local_bytes = value == CBN_NV_INFO_STACK_UNKNOWN ? 0 : value; /* as the driver has it */
        if (value == 0) { /* there is nowhere to spill to */
            set_spills(resources, (struct cbn_spills){0});
        }
    }
    return CUBINET_OK;
}

/* A kernel may have several of these records. */
static cubinet_status read_annotations(const struct reading *reading, cubinet_kernel_resources *resources,
                                       const struct cbn_nv_info_record *record)
{
    struct cbn_spills spills = {0};
    if (!cbn_spills_are_readable(reading->cubin.target.number)) {
        return CUBINET_OK;
    }
    if (resources->spill_store_bytes != CUBINET_UNKNOWN) {
        spills = (struct cbn_spills){resources->spill_store_bytes, resources->spill_load_bytes};
    }
    if (!cbn_spills_add(record, reading->code.bytes, reading->code.size, &spills)) {
        return damaged("a note about a kernel's code is of an instruction that is not there");
    }
    set_spills(resources, spills);
    return CUBINET_OK;
}

static cubinet_status set_barriers(cubinet_kernel_resources *resources, uint32_t barriers)
{
    if (barriers > BARRIER_LIMIT) {
        return damaged("a kernel has more barriers than there are");
    }
    resources->barriers = barriers;
    return CUBINET_OK;
}

static cubinet_status count_param(struct reading *reading, struct cbn_cubin_kernel *kernel,
                                  const struct cbn_nv_info_record *record)
{
    (void)reading;
    struct cbn_nv_info_param param;
    kernel->resources.param_count += cbn_nv_info_param(record, &param) != 0;
    return CUBINET_OK;
}

/* Parameters are recorded in any order, and their numbers must be 0 to the count of them. */
static cubinet_status read_param(struct cbn_cubin_kernel *kernel, const struct cbn_nv_info_record *record)
{
    struct cbn_nv_info_param param;
    if (!cbn_nv_info_param(record, &param)) {
        return damaged("the record of a kernel's parameter is cut off");
    }
    if (param.ordinal >= kernel->resources.param_count || kernel->params[param.ordinal].size != 0) {
        return damaged("a kernel's parameters are not numbered one after another");
    }
    kernel->params[param.ordinal] = (cubinet_param){.offset = param.offset, .size = param.size};
    return CUBINET_OK;
}

static void read_extent(const struct cbn_nv_info_record *record, uint32_t extent[3])
{
    for (size_t i = 0; i < 3; i++) {
        extent[i] = cbn_nv_info_word(record, i);
    }
}

static cubinet_status read_kernel_record(struct reading *reading, struct cbn_cubin_kernel *kernel,
                                         const struct cbn_nv_info_record *record)
{
    cubinet_kernel_resources *resources = &kernel->resources;
    switch (record->code) {
    case CBN_NV_INFO_KPARAM_INFO:
    case CBN_NV_INFO_KPARAM_INFO_V2:
        return read_param(kernel, record);
    case CBN_NV_INFO_CBANK_PARAM_SIZE:
        resources->param_bytes = record->value;
        break;
    case CBN_NV_INFO_MAX_THREADS:
        read_extent(record, resources->max_block);
        break;
    case CBN_NV_INFO_REQNTID:
        read_extent(record, resources->required_block);
        break;
    case CBN_NV_INFO_CTA_PER_CLUSTER:
        read_extent(record, resources->required_cluster);
        break;
    case CBN_NV_INFO_MAX_CLUSTER_RANK:
        resources->max_cluster_blocks = cbn_nv_info_word(record, 0);
        break;
    case CBN_NV_INFO_CUDA_API_VERSION:
        kernel->toolkit = toolkit_version(cbn_nv_info_word(record, 0));
        if (kernel->toolkit > reading->cubin.toolkit) {
            reading->cubin.toolkit = kernel->toolkit; /* the newest of those whose code was linked */
        }
        break;
    case CBN_NV_INFO_NUM_BARRIERS:
        return set_barriers(resources, record->value);
    case CBN_NV_INFO_ANNOTATIONS:
        return read_annotations(reading, resources, record);
    default:
        break;
    }
    return CUBINET_OK;
}

static cubinet_status read_kernel_info(struct reading *reading, const struct cbn_elf_section *section)
{
    struct cbn_cubin_kernel *kernel =
        kernel_at(reading, reading->kernel_of_section, reading->elf.file.section_count, section->info);
    if (!kernel) {
        return CUBINET_OK; /* a device function's */
    }
    cubinet_status status = kernel->params ? damaged("a kernel has two lists of attributes")
                                           : for_each_record(reading, kernel, section, count_param);
    if (!status && kernel->resources.param_count > 0) {
        kernel->params = calloc(kernel->resources.param_count, sizeof(*kernel->params));
        kernel->resources.params = kernel->params;
        status = kernel->params ? CUBINET_OK : cbn_error_memory();
    }
    if (!status) {
        status = cbn_elf_section(&reading->elf, section->info, &reading->code);
    }
    if (!status) {
        status = set_barriers(&kernel->resources,
                              (uint32_t)(reading->code.flags >> BARRIERS_SHIFT) & BARRIERS_MASK);
    }
    return status ? status : for_each_record(reading, kernel, section, read_kernel_record);
}

uint32_t cbn_reserved_shared(int number)
{
    return number >= FIRST_SM_WITH_RESERVED_SHARED ? RESERVED_SHARED : 0;
}

static cubinet_status read_shared(struct reading *reading, const struct cbn_elf_section *section)
{
    struct cbn_cubin_kernel *kernel =
        kernel_at(reading, reading->kernel_of_section, reading->elf.file.section_count, section->info);
    if (!kernel) {
        return CUBINET_OK;
    }
    uint64_t reserved = section->size > 0 ? cbn_reserved_shared(reading->cubin.target.number) : 0;
    if (section->size < reserved || section->size - reserved >= CUBINET_UNKNOWN) {
        return damaged("a kernel's shared memory has an impossible size");
    }
    kernel->resources.static_shared_bytes = (uint32_t)(section->size - reserved);
    return CUBINET_OK;
}

/* Reading what is recorded of the whole. */

static cubinet_status read_compat_record(struct reading *reading, struct cbn_cubin_kernel *none,
                                         const struct cbn_nv_info_record *record)
{
    (void)none;
    if (record->code == CBN_NV_COMPAT_ARCH_SPECIFIC && record->value == 1) {
        reading->cubin.target.suffix = 'a';
    }
    return CUBINET_OK;
}

static cubinet_status read_notes(struct reading *reading, const struct cbn_elf_section *section)
{
    struct cbn_cubin *cubin = &reading->cubin;
    char family[CUBINET_TARGET_NAME_SIZE];
    cubinet_target target = {.kind = CUBINET_IMAGE_CUBIN, .number = cubin->target.number, .suffix = 'f'};
    cubinet_target_name(target, family);
    struct cbn_cubin_note_reader reader = {.bytes = section->bytes,
                                           .size = section->bytes ? section->size : 0};
    struct cbn_cubin_note note;
    int more;
    while ((more = cbn_cubin_note_next(&reader, &note)) > 0) {
        uint32_t toolkit = toolkit_version(cbn_cubin_note_toolkit(&note));
        if (toolkit > cubin->toolkit) {
            cubin->toolkit = toolkit;
        }
        if (cubin->target.suffix == 0 && cbn_cubin_note_has_arch(&note, family)) {
            cubin->target.suffix = 'f';
        }
    }
    return more < 0 ? damaged("a note is cut off") : CUBINET_OK;
}

static cubinet_status read_section(struct reading *reading, const struct cbn_elf_section *section)
{
    if (section->type == CBN_SECTION_NV_INFO) {
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
    return cbn_starts_with(section->name, ".nv.shared.") ? read_shared(reading, section) : CUBINET_OK;
}

static cubinet_status read_sections(struct reading *reading)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 1; i < reading->elf.file.section_count && !status; i++) {
        struct cbn_elf_section section;
        status = cbn_elf_section(&reading->elf, i, &section);
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

static cubinet_status check_params(const struct cbn_cubin_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->resources.param_count; i++) {
        const cubinet_param *param = &kernel->params[i];
        if (param->offset + param->size > kernel->resources.param_bytes) {
            return damaged("a kernel's parameter lies outside its parameter buffer");
        }
    }
    return CUBINET_OK;
}

static cubinet_status finish_kernel(struct reading *reading, struct cbn_cubin_kernel *kernel)
{
    cubinet_kernel_resources *resources = &kernel->resources;
    resources->constant_bytes = reading->constant_bytes; /* the driver's number is the module's */
    resources->max_threads_per_block = max_threads(resources, reading->cubin.target.number);
    if (resources->max_block[0] || resources->required_block[0]) {
        resources->min_blocks = CUBINET_UNKNOWN;
    }
    if (resources->spill_store_bytes == CUBINET_UNKNOWN && kernel->toolkit >= ANNOTATING_TOOLKIT &&
        cbn_spills_are_readable(reading->cubin.target.number)) {
        set_spills(resources, (struct cbn_spills){0}); /* it would have been noted */
    }
    return check_params(kernel);
}

static int compare_kernels(const void *a, const void *b)
{
    const struct cbn_cubin_kernel *left = a;
    const struct cbn_cubin_kernel *right = b;
    return strcmp(left->name, right->name);
}

static int compare_globals(const void *a, const void *b)
{
    const struct cbn_cubin_global *left = a;
    const struct cbn_cubin_global *right = b;
    return strcmp(left->name, right->name);
}

static cubinet_status finish(struct reading *reading)
{
    struct cbn_cubin *cubin = &reading->cubin;
    qsort(cubin->kernels, cubin->kernel_count, sizeof(*cubin->kernels), compare_kernels);
    qsort(cubin->globals, cubin->global_count, sizeof(*cubin->globals), compare_globals);
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < cubin->kernel_count && !status; i++) {
        if (i > 0 && strcmp(cubin->kernels[i - 1].name, cubin->kernels[i].name) == 0) {
            return damaged("two kernels have one name");
        }
        status = finish_kernel(reading, &cubin->kernels[i]);
    }
    return status;
}

static cubinet_status read_elf(struct reading *reading)
{
    cubinet_status status = read_header(reading);
    if (status) {
        return status;
    }
    reading->kernel_of_section = calloc(reading->elf.file.section_count + 1, sizeof(uint32_t));
    reading->kernel_of_symbol = calloc(reading->elf.symbol_count + 1, sizeof(uint32_t));
    reading->used = calloc(reading->elf.symbol_count + 1, sizeof(*reading->used));
    if (!reading->kernel_of_section || !reading->kernel_of_symbol || !reading->used) {
        return cbn_error_memory();
    }
    cbn_mark_used(&reading->elf, reading->used);
    status = read_symbols(reading);
    if (!status) {
        status = read_sections(reading);
    }
    return status ? status : finish(reading);
}

cubinet_status cbn_cubin_read(const void *data, size_t size, struct cbn_cubin *out_cubin)
{
    struct reading reading = {.name_bytes_left = size};
    cubinet_status status = cbn_elf_open(&reading.elf, data, size);
    if (!status) {
        status = read_elf(&reading);
    }
    if (!status) {
        *out_cubin = reading.cubin;
    } else {
        cbn_cubin_free(&reading.cubin);
    }
    free(reading.kernel_of_section);
    free(reading.kernel_of_symbol);
    free(reading.used);
    return status;
}

void cbn_cubin_free(struct cbn_cubin *cubin)
{
    for (size_t i = 0; i < cubin->kernel_count; i++) {
        free(cubin->kernels[i].params);
    }
    free(cubin->kernels);
    free(cubin->globals);
    *cubin = (struct cbn_cubin){0};
}

static bool starts_with_bytes(const char *name, size_t name_size, const char *start)
{
    size_t size = strlen(start);
    return name_size >= size && memcmp(name, start, size) == 0;
}

bool cbn_is_compilers_own(const char *name, size_t name_size)
{
    static const char *const starts[] = {
        "$",
        ".",
        "__nv_",
        "_ZTV",
        "_ZTI",
        "_ZTS",          /* of all of NVIDIA's compilers */
        "_$_",           /* of NVVM's, in other systems: "_$_str" */
        "__cudart_",     /* tables of sinf() and its like: "__cudart_i2opi_f" */
        "_ZN08NumbaEnv", /* what numba's Python code refers to */
    };
    for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
        if (starts_with_bytes(name, name_size, starts[i])) {
            return true;
        }
    }
    static const char unnamed[] = "_INTERNAL_";
    return memmem(name, name_size, unnamed, sizeof(unnamed) - 1) != NULL;
}

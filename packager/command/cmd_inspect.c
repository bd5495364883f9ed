/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "archive/listing.h"
#include "archive/part_lists.h"
#include "base/text_table.h"
#include "image/symbol_list.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/trust.h"
#include "loader/core/support/error.h"
#include "show/inspect_json.h"
#include "show/launch_show.h"
#include "show/sbom.h"
#include "show/shown_archive.h"
#include "show/tuning_show.h"

#include <stdlib.h>
#include <string.h>

static void print_signers(const struct shown_archive *shown)
{
    const cubinet_archive_info *info = &shown->listing.archive;
    for (uint32_t i = 0; i < info->signature_count; i++) {
        unsigned char id[CBN_KEY_ID_SIZE];
        char text[CBN_KEY_ID_TEXT_SIZE];
        cubinet_archive_get_signer(shown->archive, i, id); /* there are so many */
        printf("  signed with the key %s%s\n", cbn_key_id_text(id, text),
               info->flags & CUBINET_ARCHIVE_TRUSTED ? "" : " (not checked: see --public-key)");
    }
}

static void print_properties(const struct shown_archive *shown)
{
    for (uint32_t i = 0; i < shown->listing.archive.property_count; i++) {
        const char *key = "";
        const char *value = "";
        cubinet_archive_get_property(shown->archive, i, &key, &value); /* there are so many */
        printf("  %s = %s\n", key, value);
    }
}

static void print_archive(const struct shown_archive *shown)
{
    const cubinet_archive_info *info = &shown->listing.archive;
    char size[SIZE_TEXT_SIZE];
    printf("%s\n", shown->path);
    if (info->archive_version[0]) {
        printf("  archive version %s\n", info->archive_version);
    }
    if (info->abi[0]) {
        printf("  ABI tag %s\n", info->abi);
    }
    print_properties(shown);
    printf("  format %u.%u, written by %s\n", info->format_major, info->format_minor, info->producer);
    printf("  %s, %u bytes of it index\n", size_text(info->archive_size, size), info->index_size);
    print_signers(shown);
}

static void append_params(struct buffer *text, const cubinet_kernel_resources *resources)
{
    for (uint32_t i = 0; i < resources->param_count; i++) {
        buffer_printf(text, "%s%u:%u", i ? " " : "", resources->params[i].offset, resources->params[i].size);
    }
    buffer_printf(text, "%s(%u bytes)", resources->param_count ? " " : "none ", resources->param_bytes);
}

static bool is_equal(const cubinet_kernel_resources *a, const cubinet_kernel_resources *b)
{
    return a->param_count == b->param_count && a->param_bytes == b->param_bytes &&
           (a->params == b->params || memcmp(a->params, b->params, a->param_count * sizeof(*a->params)) == 0);
}

/* What an image tells of a kernel's parameters; CUBINET_UNKNOWN of them if it does not. */
static cubinet_status read_params(const struct shown_archive *shown, const struct listing_module *module,
                                  uint32_t image, uint32_t kernel, cubinet_kernel_resources *out_resources)
{
    bool held;
    *out_resources = (cubinet_kernel_resources){.param_count = CUBINET_UNKNOWN};
    return listing_resources(shown->archive, module, image, kernel, out_resources, &held);
}

/* A kernel's parameters, by the first image that tells them. Those of a source are the same in all images,
 * and other systems may compile another function for each architecture. */
static cubinet_status find_params(const struct shown_archive *shown, const struct listing_module *module,
                                  uint32_t kernel, cubinet_kernel_resources *out_first, bool *out_differ)
{
    cubinet_status status = CUBINET_OK;
    out_first->param_count = CUBINET_UNKNOWN;
    *out_differ = false;
    for (uint32_t i = 0; !status && i < module->image_count; i++) {
        cubinet_kernel_resources resources;
        status = read_params(shown, module, i, kernel, &resources);
        if (status || resources.param_count == CUBINET_UNKNOWN) {
            continue;
        }
        if (out_first->param_count == CUBINET_UNKNOWN) {
            *out_first = resources;
        }
        *out_differ |= !is_equal(out_first, &resources);
    }
    return status;
}

static cubinet_status add_params(struct text_table *table, const cubinet_kernel_resources *resources)
{
    struct buffer text = {0};
    append_params(&text, resources);
    bool failed = text.failed;
    if (!failed) {
        text_table_add(table, "%s", text.data);
    }
    buffer_free(&text);
    return failed ? cbn_error_memory() : CUBINET_OK;
}

static cubinet_status add_kernel(struct text_table *table, const struct shown_archive *shown,
                                 const struct listing_module *module, uint32_t kernel, bool *out_differ)
{
    cubinet_kernel_resources resources;
    text_table_add(table, "%s", module->kernel_names[kernel]);
    text_table_add(table, "%s", module->kernels[kernel].name);
    cubinet_status status = find_params(shown, module, kernel, &resources, out_differ);
    if (status || (!*out_differ && resources.param_count != CUBINET_UNKNOWN)) {
        return status ? status : add_params(table, &resources);
    }
    text_table_add(table, "%s", *out_differ ? "different ones in its images" : "unknown");
    return CUBINET_OK;
}

/* Says of each kernel whether its parameters differ between images. */
static cubinet_status print_kernels(const struct shown_archive *shown, const struct listing_module *module,
                                    bool *out_differ)
{
    struct text_table table = {.alignment = "lll"};
    text_table_add(&table, "KERNEL");
    text_table_add(&table, "NAME IN THE IMAGE");
    text_table_add(&table, "PARAMETERS, OFFSET:SIZE");
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < module->kernel_count; i++) {
        status = add_kernel(&table, shown, module, i, &out_differ[i]);
    }
    if (status) {
        buffer_free(&table.cells);
        return status;
    }
    return text_table_print(&table, 2, stdout);
}

/* Parameters of the kernels that have others in other images. */
static cubinet_status print_image_params(const struct shown_archive *shown,
                                         const struct listing_module *module, uint32_t image,
                                         const bool *differ)
{
    struct text_table table = {.alignment = "ll"};
    cubinet_status status = CUBINET_OK;
    text_table_add(&table, "KERNEL");
    text_table_add(&table, "PARAMETERS, OFFSET:SIZE");
    size_t heading_count = table.cell_count;
    for (uint32_t i = 0; !status && i < module->kernel_count; i++) {
        cubinet_kernel_resources resources = {.param_count = CUBINET_UNKNOWN};
        if (differ[i]) {
            status = read_params(shown, module, image, i, &resources);
        }
        if (!status && resources.param_count != CUBINET_UNKNOWN) {
            text_table_add(&table, "%s", module->kernel_names[i]);
            status = add_params(&table, &resources);
        }
    }
    if (status || table.cell_count == heading_count) {
        buffer_free(&table.cells);
        return status;
    }
    return text_table_print(&table, 4, stdout);
}

static cubinet_status print_globals(const struct listing_module *module)
{
    struct text_table table = {.alignment = "llrl"};
    text_table_add(&table, "GLOBAL");
    text_table_add(&table, "NAME IN THE IMAGE");
    text_table_add(&table, "BYTES");
    text_table_add(&table, "%s", "");
    for (uint32_t i = 0; i < module->global_count; i++) {
        const cubinet_global_info *global = &module->globals[i];
        text_table_add(&table, "%s", module->global_names[i]);
        text_table_add(&table, "%s", global->name);
        if (global->bytes) {
            text_table_add(&table, "%llu", (unsigned long long)global->bytes);
        } else {
            text_table_add(&table, "unknown");
        }
        text_table_add(&table, "%s",
                       global->flags & CUBINET_GLOBAL_CONSTANT  ? "constant"
                       : global->flags & CUBINET_GLOBAL_MANAGED ? "managed"
                                                                : "");
    }
    return text_table_print(&table, 2, stdout);
}

/* ", 1200 as zstd after sm_90 of a (23000 bytes decompressed)"; nothing of an image that is stored as it is.
 */
static void print_storage(const struct listing_module *module, const cubinet_part_info *part,
                          const struct image_storage *storage)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    char number[16] = "";
    if (part->encoding == CUBINET_ENCODING_RAW) {
        return;
    }
    printf(", %llu as zstd", (unsigned long long)part->stored_size);
    if (storage->has_base) {
        bool is_inside = strcmp(storage->base_module, module->name) == 0;
        if (storage->base_is_part) {
            snprintf(number, sizeof(number), ".%u", storage->base_part);
        }
        printf(" after %s%s%s%s (%llu bytes decompressed)", cubinet_target_name(storage->base_target, name),
               number, is_inside ? "" : " of ", is_inside ? "" : storage->base_module,
               (unsigned long long)storage->decompressed_size);
    }
}

static void print_digest(const char *what, const uint8_t *bytes, size_t size)
{
    printf("    %s ", what);
    for (size_t i = 0; i < size; i++) {
        printf("%02x", bytes[i]);
    }
    putchar('\n');
}

/* What the image was compiled from, if that is recorded. Images of one module are mostly made alike.
 * previous: of the image before, and then of this one */
static cubinet_status print_origin(const struct shown_archive *shown, const struct listing_module *module,
                                   uint32_t image, cubinet_origin *previous)
{
    cubinet_origin origin = {.size = sizeof(origin)};
    cubinet_status status = cubinet_archive_get_origin(shown->archive, module->number, image, &origin);
    if (status) {
        return status == CUBINET_ERROR_NOT_FOUND ? CUBINET_OK : status;
    }
    if (memcmp(&origin, previous, sizeof(origin)) == 0) {
        puts("    made from the same source in the same way");
        return CUBINET_OK;
    }
    *previous = origin;
    printf("    made from %s by %s", origin.source, origin.compiler);
    for (const char *at = origin.options; *at;) {
        size_t size = strcspn(at, "\n");
        printf(" %.*s", (int)size, at);
        at += size + (at[size] != '\0');
    }
    putchar('\n');
    if (origin.flags & CUBINET_ORIGIN_HAS_DIGESTS) {
        print_digest("SHA-256 of the source", origin.source_sha256, sizeof(origin.source_sha256));
        print_digest("SHA-256 of all inputs", origin.inputs_sha256, sizeof(origin.inputs_sha256));
    }
    return CUBINET_OK;
}

/* Where and how a part is stored, or the image that is the only one. */
static cubinet_status print_stored(const struct shown_archive *shown, const struct listing_module *module,
                                   uint32_t image, uint32_t part, cubinet_part_info *out_part)
{
    struct image_storage storage;
    out_part->size = sizeof(*out_part);
    cubinet_status status = cubinet_archive_get_part(shown->archive, module->number, image, part, out_part);
    if (!status) {
        status = image_storage_read(shown->archive, module->number, image, part, &storage);
    }
    if (status) {
        return status;
    }
    printf("  %llu bytes", (unsigned long long)out_part->raw_size);
    print_storage(module, out_part, &storage);
    printf(", at %llu", (unsigned long long)out_part->offset);
    return CUBINET_OK;
}

/* The parts of an image, each with its kernels. */
static cubinet_status print_parts(const struct shown_archive *shown, const struct listing_module *module,
                                  uint32_t image)
{
    struct part_lists kernels = {0};
    cubinet_status status = part_lists_kernels(shown->archive, module, image, &kernels);
    for (uint32_t i = 0; !status && i < module->images[image].part_count; i++) {
        cubinet_part_info part;
        printf("    part %u", i);
        status = print_stored(shown, module, image, i, &part);
        if (status) {
            putchar('\n');
            break;
        }
        printf(", %u kernel%s\n", part.kernel_count, part.kernel_count == 1 ? "" : "s");
        for (uint32_t j = kernels.starts[i]; j < kernels.starts[i + 1]; j++) {
            printf("      %s\n", module->kernel_names[kernels.items[j]]);
        }
    }
    part_lists_free(&kernels);
    return status;
}

static cubinet_status print_image(const struct shown_archive *shown, const struct listing_module *module,
                                  const cubinet_image_info *image)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    char release[RELEASE_TEXT_SIZE];
    uint32_t number = (uint32_t)(image - module->images);
    cubinet_status status = CUBINET_OK;
    printf("\n  %s", cubinet_target_name(image->target, name));
    if (image->part_count > 1) {
        printf("  %llu bytes in %u parts", (unsigned long long)image->raw_size, image->part_count);
    } else {
        cubinet_part_info part;
        status = print_stored(shown, module, number, 0, &part);
    }
    if (status) {
        putchar('\n');
        return status;
    }
    if (image->toolkit) {
        printf(", CUDA %s", release_text(image->toolkit, release));
    }
    if (image->ptx_isa) {
        printf(", PTX ISA %u.%u", image->ptx_isa / 10, image->ptx_isa % 10);
    }
    if (image->link_floor) {
        printf(", linked by nvJitLink %s or later", release_text(image->link_floor, release));
    }
    putchar('\n');
    print_digest("digest", image->digest, sizeof(image->digest));
    return image->part_count > 1 ? print_parts(shown, module, number) : CUBINET_OK;
}

static void add_number(struct text_table *table, uint32_t number)
{
    if (number == CUBINET_UNKNOWN) {
        text_table_add(table, "?");
    } else {
        text_table_add(table, "%u", number);
    }
}

/* Bytes of stores and of loads. */
static void add_spills(struct text_table *table, const cubinet_kernel_resources *resources)
{
    if (resources->spill_store_bytes == CUBINET_UNKNOWN) {
        text_table_add(table, "?");
    } else if (resources->spill_store_bytes == 0 && resources->spill_load_bytes == 0) {
        text_table_add(table, "0");
    } else {
        text_table_add(table, "%u + %u", resources->spill_store_bytes, resources->spill_load_bytes);
    }
}

static void append_block(struct buffer *text, const char *what, const uint32_t block[3])
{
    if (block[0] == 0 || block[0] == CUBINET_UNKNOWN) {
        return;
    }
    buffer_printf(text, "%s%s %u", text->size ? ", " : "", what, block[0]);
    if (block[1] > 1 || block[2] > 1) {
        buffer_printf(text, "x%u", block[1]);
    }
    if (block[2] > 1) {
        buffer_printf(text, "x%u", block[2]);
    }
}

static void append_count(struct buffer *text, const char *what, uint32_t count)
{
    if (count != 0 && count != CUBINET_UNKNOWN) {
        buffer_printf(text, "%s%s %u", text->size ? ", " : "", what, count);
    }
}

/* What the source said of launches: __launch_bounds__, __block_size__, __cluster_dims__. */
static void add_bounds(struct text_table *table, const cubinet_kernel_resources *resources)
{
    struct buffer text = {0};
    append_block(&text, "block at most", resources->max_block);
    append_block(&text, "block of", resources->required_block);
    append_count(&text, "blocks on a multiprocessor at least", resources->min_blocks);
    append_block(&text, "cluster of", resources->required_cluster);
    append_count(&text, "cluster at most", resources->max_cluster_blocks);
    text_table_add(table, "%s", text.size ? text.data : "");
    table->cells.failed = table->cells.failed || text.failed;
    buffer_free(&text);
}

static cubinet_status add_kernel_of_image(struct text_table *table, const struct shown_archive *shown,
                                          const struct listing_module *module, uint32_t image,
                                          uint32_t kernel)
{
    cubinet_kernel_resources resources;
    bool held;
    cubinet_status status = listing_resources(shown->archive, module, image, kernel, &resources, &held);
    if (status || !held) {
        return status;
    }
    text_table_add(table, "%s", module->kernel_names[kernel]);
    add_number(table, resources.registers);
    add_number(table, resources.static_shared_bytes);
    add_number(table, resources.local_bytes);
    add_spills(table, &resources);
    add_number(table, resources.constant_bytes);
    add_number(table, resources.barriers);
    add_number(table, resources.max_threads_per_block);
    add_bounds(table, &resources);
    return CUBINET_OK;
}

static cubinet_status print_image_kernels(const struct shown_archive *shown,
                                          const struct listing_module *module, uint32_t image)
{
    static const char *const headings[] = {"KERNEL",   "REGISTERS", "SHARED",  "LOCAL",        "SPILLS",
                                           "CONSTANT", "BARRIERS",  "THREADS", "LAUNCH BOUNDS"};
    struct text_table table = {.alignment = "lrrrrrrrl"};
    for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
        text_table_add(&table, "%s", headings[i]);
    }
    size_t heading_count = table.cell_count;
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < module->kernel_count; i++) {
        status = add_kernel_of_image(&table, shown, module, image, i);
    }
    if (status || table.cell_count == heading_count) {
        buffer_free(&table.cells);
        return status;
    }
    return text_table_print(&table, 4, stdout);
}

/* What other images have to do with this one. */
static cubinet_status print_image_symbols(const struct shown_archive *shown,
                                          const struct listing_module *module, uint32_t image)
{
    struct symbol_list list = {0};
    cubinet_status status =
        symbol_list_read(shown->archive, module->number, image, &module->images[image], &list);
    if (status || list.count == 0) {
        symbol_list_free(&list);
        return status;
    }
    struct text_table table = {.alignment = "llll"};
    text_table_add(&table, "%s", "");
    text_table_add(&table, "SYMBOL");
    text_table_add(&table, "NAME IN THE IMAGE");
    text_table_add(&table, "TYPE");
    for (size_t i = 0; i < list.count; i++) {
        const struct symbol *symbol = &list.items[i];
        text_table_add(&table, "%s%s%s", symbol->is_defined ? "defines" : "needs",
                       symbol->is_weak ? " weak" : "", symbol->is_variable ? " variable" : "");
        text_table_add(&table, "%s", symbol->expression ? symbol->expression : symbol->name);
        text_table_add(&table, "%s", symbol->name);
        text_table_add(&table, "%s", symbol->type ? symbol->type : "?");
    }
    symbol_list_free(&list);
    return text_table_print(&table, 4, stdout);
}

static cubinet_status print_images(const struct shown_archive *shown, const struct listing_module *module,
                                   const bool *differ)
{
    cubinet_origin origin = {0};
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < module->image_count; i++) {
        status = print_image(shown, module, &module->images[i]);
        if (!status) {
            status = print_origin(shown, module, i, &origin);
        }
        if (!status) {
            status = print_image_kernels(shown, module, i);
        }
        if (!status) {
            status = print_image_params(shown, module, i, differ);
        }
        if (!status) {
            status = launch_print(shown, module, i);
        }
        if (!status) {
            status = print_image_symbols(shown, module, i);
        }
    }
    return status;
}

static cubinet_status print_module(const struct shown_archive *shown, const struct listing_module *module)
{
    bool *differ = calloc((size_t)module->kernel_count + 1, sizeof(*differ));
    cubinet_status status = differ ? CUBINET_OK : cbn_error_memory();
    printf("\nmodule %s\n", module->name);
    if (!status && module->kernel_count) {
        status = print_kernels(shown, module, differ);
    }
    if (!status && module->global_count) {
        putchar('\n');
        status = print_globals(module);
    }
    if (!status) {
        status = print_images(shown, module, differ);
    }
    free(differ);
    return status ? status : tuning_print(shown, module);
}

static cubinet_status print(const struct shown_archive *shown)
{
    print_archive(shown);
    cubinet_status status = CUBINET_OK;
    for (uint32_t i = 0; !status && i < shown->listing.module_count; i++) {
        status = print_module(shown, &shown->listing.modules[i]);
    }
    return status;
}

static const struct option options[] = {
    {SHOWN_SBOM, "sbom", 0, "FORM",
     "print a software bill of materials: spdx (2.3, the\ndefault) or cyclonedx (1.5), both JSON", true},
    SHOWN_OPTIONS,
};

static const struct shown_command shown_command = {
    .name = "inspect",
    .takes_module = true,
    .help =
        {
            .usage = "inspect ARCHIVE [MODULE] [OPTIONS]",
            .about = "Shows everything that an archive records about its modules, or about one: kernels with "
                     "their\nparameters, globals, images, and the resources of each kernel in each image. "
                     "'?' means unknown;\nsizes are in bytes.",
            .example = "cubinet inspect kernels.cubinet segmented_sum",
            .options = options,
        },
    .print = print,
    .print_json = inspect_print_json,
    .print_sbom = sbom_print,
};

static int run(int argc, char **argv)
{
    return shown_command_run(&shown_command, argc, argv);
}

const struct command cmd_inspect = {"inspect", "show everything that an archive records", run};

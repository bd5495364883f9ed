/* SPDX-License-Identifier: Apache-2.0 */
/* Writes docs/reference/format.md's tables for one module with one image. */
#include "loader/link/linked_archive.h"

#include "loader/core/archive/digest.h"
#include "loader/core/archive/format.h"
#include "loader/core/archive/resource_row.h"
#include "loader/core/archive/table_layout.h"
#include "loader/core/support/error.h"

#include <cubinet/version.h>

#include <stdlib.h>
#include <string.h>

enum {
    OLDEST_READER_MAJOR = 1,
    OLDEST_READER_MINOR = 0,
    CUBIN_ALIGNMENT = 16,
    MOST_INDEX = 1 << 30,
};

enum root_table { ROOT_STRINGS, ROOT_ARCHIVE, ROOT_MODULES, ROOT_TABLES };
enum block_table { STRINGS, IMAGES, KERNELS, RESOURCES, PARAMS, GLOBALS, BLOCK_TABLES };

/* A table set in the making. */
struct set {
    unsigned char *bytes;
    struct cbn_table_area *areas;
    size_t string_end; /* what is used of the string table, which comes first */
};

static size_t align(size_t offset, size_t to)
{
    return (offset + to - 1) / to * to;
}

static unsigned char *row_at(const struct set *set, size_t table, size_t row)
{
    return set->bytes + set->areas[table].offset + row * set->areas[table].stride;
}

static size_t string_size(const char *text)
{
    return text && *text ? strlen(text) + 1 : 0;
}

/* The offset of a string, which is added; 0 for NULL and "". */
static uint32_t put_string(struct set *set, const char *text)
{
    size_t size = string_size(text);
    if (size == 0) {
        return 0;
    }
    size_t offset = set->string_end;
    memcpy(row_at(set, STRINGS, offset), text, size);
    set->string_end += size;
    return (uint32_t)offset;
}

/* Two variables that are local to what was linked may have one name, and an archive has it once: the host
 * can't tell them apart by it. */
static bool is_repeated(const struct cbn_cubin *cubin, size_t global)
{
    return global > 0 && strcmp(cubin->globals[global - 1].name, cubin->globals[global].name) == 0;
}

static size_t count_globals(const struct cbn_cubin *cubin)
{
    size_t count = 0;
    for (size_t i = 0; i < cubin->global_count; i++) {
        count += !is_repeated(cubin, i);
    }
    return count;
}

/* What of a kernel's parameters a row can tell. */
static bool params_fit(const cubinet_kernel_resources *resources)
{
    return resources->param_count < CBN_PARAM_COUNT_UNKNOWN && resources->param_bytes <= UINT16_MAX;
}

static size_t count_params(const struct cbn_cubin *cubin)
{
    size_t count = 0;
    for (size_t i = 0; i < cubin->kernel_count; i++) {
        const cubinet_kernel_resources *resources = &cubin->kernels[i].resources;
        count += params_fit(resources) ? resources->param_count : 0;
    }
    return count;
}

static size_t count_string_bytes(const struct cbn_linked *linked)
{
    size_t size = 1; /* the empty string */
    for (size_t i = 0; i < linked->cubin->kernel_count; i++) {
        const char *name = linked->cubin->kernels[i].name;
        size += string_size(name) + string_size(linked->find_expression(linked->user, name, true));
    }
    for (size_t i = 0; i < linked->cubin->global_count; i++) {
        const char *name = linked->cubin->globals[i].name;
        size += string_size(name) + string_size(linked->find_expression(linked->user, name, false));
    }
    return size;
}

static void put_image(const struct set *set, const struct cbn_linked *linked, size_t offset)
{
    struct cbn_digest digest = cbn_digest(linked->data, linked->size);
    unsigned char *row = row_at(set, IMAGES, 0);
    row[CBN_IMAGE_KIND] = CUBINET_IMAGE_CUBIN;
    row[CBN_IMAGE_SUFFIX] = (unsigned char)linked->target.suffix;
    cbn_put16(row + CBN_IMAGE_NUMBER, (uint16_t)linked->target.number);
    row[CBN_IMAGE_ENCODING] = CUBINET_ENCODING_RAW;
    cbn_put32(row + CBN_IMAGE_TOOLKIT, linked->cubin->toolkit);
    cbn_put64(row + CBN_IMAGE_OFFSET, offset);
    cbn_put64(row + CBN_IMAGE_STORED_SIZE, linked->size);
    cbn_put64(row + CBN_IMAGE_RAW_SIZE, linked->size);
    memcpy(row + CBN_IMAGE_DIGEST, digest.bytes, CBN_DIGEST_SIZE);
}

/* Returns how many parameters were written from row `first_param` on. */
static size_t put_params(const struct set *set, unsigned char *row, const struct cbn_cubin_kernel *kernel,
                         size_t first_param)
{
    const cubinet_kernel_resources *resources = &kernel->resources;
    if (!params_fit(resources)) {
        cbn_put16(row + CBN_RESOURCE_PARAM_COUNT, CBN_PARAM_COUNT_UNKNOWN);
        return 0;
    }
    for (uint32_t i = 0; i < resources->param_count; i++) {
        unsigned char *param = row_at(set, PARAMS, first_param + i);
        cbn_put32(param + CBN_PARAM_OFFSET, kernel->params[i].offset);
        cbn_put32(param + CBN_PARAM_BYTES, kernel->params[i].size);
    }
    cbn_put32(row + CBN_RESOURCE_FIRST_PARAM, (uint32_t)first_param);
    cbn_put16(row + CBN_RESOURCE_PARAM_COUNT, (uint16_t)resources->param_count);
    cbn_put16(row + CBN_RESOURCE_PARAM_BYTES, (uint16_t)resources->param_bytes);
    return resources->param_count;
}

static void put_kernels(struct set *set, const struct cbn_linked *linked)
{
    size_t params = 0;
    for (size_t i = 0; i < linked->cubin->kernel_count; i++) {
        const struct cbn_cubin_kernel *kernel = &linked->cubin->kernels[i];
        unsigned char *row = row_at(set, KERNELS, i);
        cbn_put32(row + CBN_KERNEL_NAME, put_string(set, kernel->name));
        cbn_put32(row + CBN_KERNEL_EXPRESSION,
                  put_string(set, linked->find_expression(linked->user, kernel->name, true)));
        unsigned char *resources = row_at(set, RESOURCES, i);
        cbn_put32(resources + CBN_RESOURCE_KERNEL, (uint32_t)i);
        cbn_resource_row_put(resources, &kernel->resources);
        params += put_params(set, resources, kernel, params);
    }
}

static void put_globals(struct set *set, const struct cbn_linked *linked)
{
    size_t next = 0;
    for (size_t i = 0; i < linked->cubin->global_count; i++) {
        if (is_repeated(linked->cubin, i)) {
            continue;
        }
        const struct cbn_cubin_global *global = &linked->cubin->globals[i];
        unsigned char *row = row_at(set, GLOBALS, next++);
        cbn_put32(row + CBN_GLOBAL_NAME, put_string(set, global->name));
        cbn_put32(row + CBN_GLOBAL_EXPRESSION,
                  put_string(set, linked->find_expression(linked->user, global->name, false)));
        cbn_put64(row + CBN_GLOBAL_BYTES, global->bytes);
        cbn_put32(row + CBN_GLOBAL_FLAGS, (global->is_constant ? CBN_GLOBAL_CONSTANT : 0) |
                                              (global->is_managed ? CBN_GLOBAL_MANAGED : 0));
    }
}

static void put_zip_header(unsigned char *archive)
{
    static const unsigned char start[] = {'P', 'K', 3, 4};
    memcpy(archive, start, sizeof(start));
    cbn_put16(archive + CBN_ZIP_NAME_SIZE, sizeof(CBN_INDEX_ENTRY) - 1);
    memcpy(archive + CBN_ZIP_NAME, CBN_INDEX_ENTRY, sizeof(CBN_INDEX_ENTRY) - 1);
}

/* Where everything lies, from the start of the archive. */
struct plan {
    size_t index;
    size_t block;
    size_t block_size;
    size_t root_size;
    size_t cubin;
    size_t size;
};

static void put_root(struct set *root, const struct cbn_linked *linked, const struct plan *plan,
                     const unsigned char *block)
{
    cbn_put32(row_at(root, ROOT_ARCHIVE, 0) + CBN_ARCHIVE_PRODUCER,
              put_string(root, "cubinet " CUBINET_VERSION_STRING));
    unsigned char *module = row_at(root, ROOT_MODULES, 0);
    struct cbn_digest digest = cbn_digest(block, plan->block_size);
    cbn_put32(module + CBN_MODULE_NAME, put_string(root, linked->module));
    cbn_put32(module + CBN_MODULE_BLOCK_OFFSET, (uint32_t)(plan->block - plan->index));
    cbn_put32(module + CBN_MODULE_BLOCK_SIZE, (uint32_t)plan->block_size);
    memcpy(module + CBN_MODULE_DIGEST, digest.bytes, CBN_DIGEST_SIZE);
}

/* Last: the digest covers the rest of the root. */
static void put_header(unsigned char *root, const struct plan *plan)
{
    memcpy(root, CBN_MAGIC, CBN_MAGIC_SIZE);
    cbn_put16(root + CBN_HEADER_FORMAT_MAJOR, CBN_FORMAT_MAJOR);
    cbn_put16(root + CBN_HEADER_FORMAT_MINOR, CBN_FORMAT_MINOR_LINKED);
    cbn_put16(root + CBN_HEADER_READER_MAJOR, OLDEST_READER_MAJOR);
    cbn_put16(root + CBN_HEADER_READER_MINOR, OLDEST_READER_MINOR);
    cbn_put64(root + CBN_HEADER_ARCHIVE_SIZE, plan->size);
    cbn_put32(root + CBN_HEADER_INDEX_SIZE, (uint32_t)(plan->block + plan->block_size - plan->index));
    cbn_put32(root + CBN_HEADER_ROOT_SIZE, (uint32_t)plan->root_size);
    struct cbn_digest digest = cbn_digest_two(root, CBN_HEADER_ROOT_DIGEST, root + CBN_HEADER_SIZE,
                                              plan->root_size - CBN_HEADER_SIZE);
    memcpy(root + CBN_HEADER_ROOT_DIGEST, digest.bytes, CBN_DIGEST_SIZE);
}

static struct plan make_plan(const struct cbn_linked *linked, struct cbn_table_area *root,
                             struct cbn_table_area *block)
{
    struct plan plan = {.index = CBN_ZIP_NAME + sizeof(CBN_INDEX_ENTRY) - 1};
    plan.root_size = cbn_table_layout(root, ROOT_TABLES, CBN_HEADER_SIZE);
    plan.block = plan.index + align(plan.root_size, CBN_TABLE_ALIGNMENT);
    plan.block_size = cbn_table_layout(block, BLOCK_TABLES, 0);
    plan.cubin = align(plan.block + plan.block_size, CUBIN_ALIGNMENT);
    plan.size = plan.cubin + linked->size;
    return plan;
}

cubinet_status cbn_linked_archive_make(const struct cbn_linked *linked, void **out_data, size_t *out_size)
{
    const struct cbn_cubin *cubin = linked->cubin;
    size_t root_strings = 1 + sizeof("cubinet " CUBINET_VERSION_STRING) + strlen(linked->module) + 1;
    struct cbn_table_area root[ROOT_TABLES] = {
        [ROOT_STRINGS] = {CBN_TABLE_STRINGS, 1, root_strings, 0},
        [ROOT_ARCHIVE] = {CBN_TABLE_ARCHIVE, CBN_ARCHIVE_SIZE, 1, 0},
        [ROOT_MODULES] = {CBN_TABLE_MODULES, CBN_MODULE_SIZE, 1, 0},
    };
    struct cbn_table_area block[BLOCK_TABLES] = {
        [STRINGS] = {CBN_TABLE_STRINGS, 1, count_string_bytes(linked), 0},
        [IMAGES] = {CBN_TABLE_IMAGES, CBN_IMAGE_SIZE, 1, 0},
        [KERNELS] = {CBN_TABLE_KERNELS, CBN_KERNEL_SIZE, cubin->kernel_count, 0},
        [RESOURCES] = {CBN_TABLE_RESOURCES, CBN_RESOURCE_SIZE, cubin->kernel_count, 0},
        [PARAMS] = {CBN_TABLE_PARAMS, CBN_PARAM_SIZE, count_params(cubin), 0},
        [GLOBALS] = {CBN_TABLE_GLOBALS, CBN_GLOBAL_SIZE, count_globals(cubin), 0},
    };
    struct plan plan = make_plan(linked, root, block);
    if (plan.cubin > MOST_INDEX) {
        return cbn_error(CUBINET_ERROR_LIMIT, "the names of the linked kernels take more than 1 GiB");
    }
    unsigned char *archive = calloc(1, plan.size);
    if (!archive) {
        return cbn_error_memory();
    }
    struct set root_set = {archive + plan.index, root, 1};
    struct set block_set = {archive + plan.block, block, 1};
    put_zip_header(archive);
    cbn_table_directory_put(block_set.bytes, block, BLOCK_TABLES);
    put_image(&block_set, linked, plan.cubin);
    put_kernels(&block_set, linked);
    put_globals(&block_set, linked);
    cbn_table_directory_put(root_set.bytes + CBN_HEADER_SIZE, root, ROOT_TABLES);
    put_root(&root_set, linked, &plan, block_set.bytes);
    put_header(root_set.bytes, &plan);
    memcpy(archive + plan.cubin, linked->data, linked->size);
    *out_data = archive;
    *out_size = plan.size;
    return CUBINET_OK;
}

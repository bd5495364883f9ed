/* SPDX-License-Identifier: Apache-2.0 */
#include "slim/slim_targets.h"

#include "base/array.h"
#include "image/fatbin.h"
#include "loader/core/support/error.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static const char code_prefix[] = ".text.";

/* The kernels so far, as a tree of their own allocations. */
struct tree {
    void *root;
    size_t count;
};

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct slim_kernel *)a)->name, ((const struct slim_kernel *)b)->name);
}

static void kernel_free(void *kernel)
{
    free(((struct slim_kernel *)kernel)->name);
    free(kernel);
}

static struct slim_kernel *find(struct tree *tree, const char *name)
{
    struct slim_kernel *added = calloc(1, sizeof(*added));
    if (added) {
        added->name = strdup(name);
    }
    if (!added || !added->name) {
        free(added);
        return NULL;
    }
    struct slim_kernel **found = tsearch(added, &tree->root, by_name);
    if (!found || *found != added) {
        kernel_free(added);
    } else {
        tree->count++;
    }
    return found ? *found : NULL;
}

/* The kernel whose code a section is, or that it belongs to by its number of another section; NULL: none. */
static const char *owner(const struct cbn_elf_file *elf, const struct cbn_elf_section *section)
{
    struct cbn_elf_section code;
    size_t prefix = strlen(code_prefix);
    if (section->name && strncmp(section->name, code_prefix, prefix) == 0) {
        return section->name + prefix;
    }
    bool belongs = cbn_elf_file_section(elf, section->info, &code) && code.name &&
                   strncmp(code.name, code_prefix, prefix) == 0 && section->type != SHT_SYMTAB;
    return belongs ? code.name + prefix : NULL;
}

static uint64_t share(uint64_t part, uint64_t whole, uint64_t of)
{
    return whole > 0 ? (uint64_t)((double)part / (double)whole * (double)of) : 0;
}

static cubinet_status add_sections(struct tree *tree, const struct slim_image *image,
                                   const unsigned char *data, size_t size)
{
    struct cbn_elf_file elf;
    struct cbn_elf_section section;
    uint64_t stay = !image->stays ? 0 : image->packed ? image->packed_size : image->entry.size;
    if (!cbn_elf_file_open(&elf, data, size)) {
        return CUBINET_OK;
    }
    for (size_t i = 1; cbn_elf_file_section(&elf, i, &section); i++) {
        const char *name = section.bytes ? owner(&elf, &section) : NULL;
        struct slim_kernel *kernel = name ? find(tree, name) : NULL;
        if (name && !kernel) {
            return cbn_error_memory();
        }
        if (kernel) {
            bool is_code = strncmp(section.name ? section.name : "", code_prefix, strlen(code_prefix)) == 0;
            kernel->images += is_code;
            kernel->bytes += share(section.size, size, image->entry.size);
            kernel->stay_bytes += share(section.size, size, stay);
        }
    }
    return CUBINET_OK;
}

static cubinet_status add_image(struct tree *tree, const struct slim_image *image)
{
    unsigned char *data = NULL;
    size_t size = 0;
    if (image->entry.target.kind != CUBINET_IMAGE_CUBIN) {
        return CUBINET_OK;
    }
    cubinet_status status = fatbin_unpack(&image->entry, &data, &size);
    if (status) {
        return status == CUBINET_ERROR_OUT_OF_MEMORY ? status : CUBINET_OK;
    }
    status = add_sections(tree, image, data, size);
    free(data);
    return status;
}

static int by_bytes(const void *a, const void *b)
{
    const struct slim_kernel *left = a;
    const struct slim_kernel *right = b;
    int order = (left->bytes < right->bytes) - (left->bytes > right->bytes);
    return order ? order : strcmp(left->name, right->name);
}

/* Moves the tree's kernels into an array that has room for them. */
static void take_all(struct tree *tree, struct slim_kernels *kernels)
{
    while (tree->root) {
        struct slim_kernel *kernel = *(struct slim_kernel **)tree->root;
        kernels->items[kernels->count++] = *kernel;
        tdelete(kernel, &tree->root, by_name);
        free(kernel);
    }
    if (kernels->count > 0) {
        qsort(kernels->items, kernels->count, sizeof(*kernels->items), by_bytes);
    }
}

cubinet_status slim_kernels_find(const struct slim_plan *plan, struct slim_kernels *out_kernels)
{
    struct tree tree = {.root = NULL};
    struct slim_kernels kernels = {.items = NULL};
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < plan->file.image_count; i++) {
        status = add_image(&tree, &plan->file.images[i]);
    }
    if (!status) {
        kernels.items = calloc(tree.count + 1, sizeof(*kernels.items));
        status = kernels.items ? CUBINET_OK : cbn_error_memory();
    }
    if (status) {
        tdestroy(tree.root, kernel_free);
        return status;
    }
    take_all(&tree, &kernels);
    *out_kernels = kernels;
    return CUBINET_OK;
}

void slim_kernels_free(struct slim_kernels *kernels)
{
    for (size_t i = 0; i < kernels->count; i++) {
        free(kernels->items[i].name);
    }
    free(kernels->items);
    *kernels = (struct slim_kernels){0};
}

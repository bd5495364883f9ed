/* SPDX-License-Identifier: Apache-2.0 */
/* Images of parts: which parts make one. */
#include "archive/draft_put.h"

#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

static const char *first_kernel(const struct contents *contents)
{
    const char *first = NULL;
    for (size_t i = 0; i < contents->kernel_count; i++) {
        const char *name = contents->kernels[i].name;
        first = !first || strcmp(name, first) < 0 ? name : first;
    }
    return first ? first : "";
}

static int compare_parts(const void *a, const void *b)
{
    const struct draft_bytes *left = a;
    const struct draft_bytes *right = b;
    return strcmp(first_kernel(left->contents), first_kernel(right->contents));
}

static cubinet_status check_part(const struct contents *part, const struct contents *first)
{
    if (part->kernel_count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "one of them has no kernel");
    }
    if (part->symbols.count > symbol_list_defined(&part->symbols)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the part with '%s' has to be linked first",
                         first_kernel(part));
    }
    if (part->toolkit != first->toolkit || part->ptx_isa != first->ptx_isa) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "those with '%s' and '%s' are of different toolkits or versions of PTX",
                         first_kernel(first), first_kernel(part));
    }
    return CUBINET_OK;
}

/* Names of all parts, each with what is for messages: "kernel" or "global". */
struct name {
    const char *text;
    const char *what;
};

static int compare_names(const void *a, const void *b)
{
    const struct name *left = a;
    const struct name *right = b;
    int order = strcmp(left->what, right->what);
    return order ? order : strcmp(left->text, right->text);
}

static size_t count_names(const struct draft_part *parts, size_t count)
{
    size_t names = 0;
    for (size_t i = 0; i < count; i++) {
        names += parts[i].contents->kernel_count + parts[i].contents->global_count;
    }
    return names;
}

static void list_names(const struct draft_part *parts, size_t count, struct name *names)
{
    for (size_t i = 0; i < count; i++) {
        const struct contents *contents = parts[i].contents;
        for (size_t j = 0; j < contents->kernel_count; j++) {
            *names++ = (struct name){contents->kernels[j].name, "kernel"};
        }
        for (size_t j = 0; j < contents->global_count; j++) {
            *names++ = (struct name){contents->globals[j].name, "global"};
        }
    }
}

static cubinet_status check_names(const struct draft_part *parts, size_t count)
{
    size_t name_count = count_names(parts, count);
    struct name *names = calloc(name_count + 1, sizeof(*names));
    if (!names) {
        return cbn_error_memory();
    }
    list_names(parts, count, names);
    qsort(names, name_count, sizeof(*names), compare_names);
    cubinet_status status = CUBINET_OK;
    for (size_t i = 1; !status && i < name_count; i++) {
        if (compare_names(&names[i - 1], &names[i]) == 0) {
            status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "two have the %s '%s'", names[i].what,
                               names[i].text);
        }
    }
    free(names);
    return status;
}

static cubinet_status check_parts(cubinet_target target, const struct draft_part *parts, size_t count)
{
    if (target.kind != CUBINET_IMAGE_CUBIN && target.kind != CUBINET_IMAGE_PTX) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "only cubins and PTX can be parts");
    }
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = check_part(parts[i].contents, parts[0].contents);
    }
    return status ? status : check_names(parts, count);
}

static void let_go(const struct draft_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(parts[i].data);
    }
}

cubinet_status draft_add_parts(struct draft_module *module, cubinet_target target,
                               const struct draft_part *parts, size_t count, const char *origin,
                               struct draft_image **out_first)
{
    cubinet_status status = count > 1 ? check_parts(target, parts, count) : CUBINET_OK;
    struct draft_bytes *bytes = status ? NULL : calloc(count, sizeof(*bytes));
    if (!bytes) {
        char name[CUBINET_TARGET_NAME_SIZE];
        let_go(parts, count);
        return !status ? cbn_error_memory()
                       : cbn_error_context(status, "module '%s': the parts of %s from '%s'", module->name,
                                           cubinet_target_name(target, name), origin);
    }
    for (size_t i = 0; i < count; i++) {
        bytes[i] = (struct draft_bytes){.data = parts[i].data,
                                        .owned = parts[i].data,
                                        .size = parts[i].size,
                                        .contents = parts[i].contents};
    }
    if (count > 1) {
        qsort(bytes, count, sizeof(*bytes), compare_parts);
    }
    status = draft_put(module, target, bytes, count, origin, out_first);
    free(bytes);
    return status;
}

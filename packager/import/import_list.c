/* SPDX-License-Identifier: Apache-2.0 */
#include "import/import_list.h"

#include "base/array.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

void import_item_free(struct import_item *item)
{
    for (size_t i = 0; i < item->kernel_count; i++) {
        free(item->kernels[i].name);
        free(item->kernels[i].expression);
        launch_record_free(&item->kernels[i].record);
    }
    free(item->kernels);
    free(item->data);
    free(item->path);
    free(item->name);
    free(item->variant);
    free(item->identity);
    *item = (struct import_item){0};
}

void import_list_free(struct import_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        import_item_free(&list->items[i]);
    }
    free(list->items);
    cbn_text_list_free(&list->notes);
    import_beside_free(&list->beside);
    *list = (struct import_list){0};
}

struct import_item *import_list_add(struct import_list *list, const char *path)
{
    char *copy = strdup(path);
    struct import_item *items = copy ? array_grow(list->items, list->count, sizeof(*items)) : NULL;
    if (!items) {
        free(copy);
        return NULL;
    }
    list->items = items;
    items[list->count] = (struct import_item){.path = copy};
    return &items[list->count++];
}

struct import_kernel *import_item_kernel(struct import_item *item, const char *name)
{
    char *copy = strdup(name);
    struct import_kernel *kernels =
        copy ? array_grow(item->kernels, item->kernel_count, sizeof(*kernels)) : NULL;
    if (!kernels) {
        free(copy);
        return NULL;
    }
    item->kernels = kernels;
    kernels[item->kernel_count] = (struct import_kernel){.name = copy, .record = LAUNCH_RECORD_EMPTY};
    return &kernels[item->kernel_count++];
}

cubinet_status import_item_take(struct import_item *item, const void *data, size_t size)
{
    char *copy = malloc(size > 0 ? size : 1);
    if (!copy) {
        return cbn_error_memory();
    }
    memcpy(copy, data, size);
    item->data = copy;
    item->size = size;
    return CUBINET_OK;
}

static int compare(const void *left, const void *right)
{
    return strcmp(((const struct import_kernel *)left)->name, ((const struct import_kernel *)right)->name);
}

static int compare_name(const void *key, const void *element)
{
    return strcmp(key, ((const struct import_kernel *)element)->name);
}

void import_item_sort(struct import_item *item)
{
    if (item->kernel_count > 1) {
        qsort(item->kernels, item->kernel_count, sizeof(*item->kernels), compare);
    }
    item->is_sorted = true;
}

const struct import_kernel *import_item_find(const struct import_item *item, const char *name)
{
    size_t place;
    if (item->is_sorted) {
        return array_find(item->kernels, item->kernel_count, sizeof(*item->kernels), name, compare_name,
                          &place)
                   ? &item->kernels[place]
                   : NULL;
    }
    for (size_t i = 0; i < item->kernel_count; i++) {
        if (strcmp(item->kernels[i].name, name) == 0) {
            return &item->kernels[i];
        }
    }
    return NULL;
}

/* Names are for all parameters or none: those that the system adds have none. */
static cubinet_status name_trailing(const struct import_kernel *kernel, uint32_t params,
                                    struct launch_record *record)
{
    static const char *const names[] = {"", "scratch", "profile"};
    cubinet_status status = CUBINET_OK;
    if (kernel->record.known.param_name_count + kernel->trailing_count != params) {
        launch_record_free_names(record);
        return CUBINET_OK;
    }
    for (size_t i = 0; !status && i < kernel->trailing_count; i++) {
        uint32_t kind = kernel->trailing[i].kind;
        bool is_named = kind < sizeof(names) / sizeof(names[0]);
        status = launch_record_add_name(record, is_named ? names[kind] : "", "void *");
    }
    return status;
}

static cubinet_status add_bounds(const struct import_kernel *kernel,
                                 const cubinet_kernel_resources *resources, struct launch_record *record)
{
    const cubinet_hidden_param hidden = {.kind = CUBINET_HIDDEN_LAUNCH_BOUNDS, .dimensions = kernel->bounds};
    bool fits = resources->param_count > 0 && resources->params[0].size == hidden_param_bytes(&hidden);
    return kernel->bounds && fits ? launch_record_add_hidden(record, &hidden) : CUBINET_OK;
}

cubinet_status import_kernel_record(const struct import_kernel *kernel,
                                    const cubinet_kernel_resources *resources,
                                    struct launch_record *out_record)
{
    cubinet_status status = launch_record_copy(&kernel->record, out_record);
    uint32_t params = resources->param_count;
    if (status || params == CUBINET_UNKNOWN || params < kernel->trailing_count) {
        return status;
    }
    status = add_bounds(kernel, resources, out_record);
    if (!status && kernel->record.known.param_name_count > 0) {
        status = name_trailing(kernel, params, out_record);
    }
    for (size_t i = 0; !status && i < kernel->trailing_count; i++) {
        cubinet_hidden_param hidden = kernel->trailing[i];
        hidden.param = params - (uint32_t)(kernel->trailing_count - i);
        status = launch_record_add_hidden(out_record, &hidden);
    }
    if (status) {
        launch_record_free(out_record);
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "image/fatbin_modules.h"

#include "image/cubin.h"
#include "image/fatbin.h"
#include "loader/core/support/error.h"

#include <stdbool.h>
#include <stdlib.h>

/* Whether a kernel or variable is in an image. Images that are not cubins always have content;
 * whoever files one that can't be read says why. */
static cubinet_status has_content(const struct cbn_fatbin_entry *entry, bool *out_has)
{
    struct contents contents = {0};
    unsigned char *data = NULL;
    size_t size = 0;
    *out_has = true;
    if (entry->target.kind != CUBINET_IMAGE_CUBIN) {
        return CUBINET_OK;
    }
    cubinet_status status = fatbin_unpack(entry, &data, &size);
    if (!status) {
        status = cubin_read(data, size, &contents);
    }
    if (!status) {
        *out_has = contents.kernel_count > 0 || contents.global_count > 0;
    }
    contents_free(&contents);
    free(data);
    return status == CUBINET_ERROR_OUT_OF_MEMORY ? status : CUBINET_OK;
}

static cubinet_status add_container(struct fatbin_modules *modules)
{
    size_t *numbers = reallocarray(modules->numbers, modules->container_count + 1, sizeof(*numbers));
    if (!numbers) {
        return cbn_error_memory();
    }
    modules->numbers = numbers;
    modules->numbers[modules->container_count++] = 0;
    return CUBINET_OK;
}

static cubinet_status find(const void *data, size_t size, struct fatbin_modules *modules)
{
    struct fatbin_reader reader = {.bytes = data, .size = size};
    struct cbn_fatbin_entry entry;
    bool found = true;
    cubinet_status status = CUBINET_OK;
    while (!status && !(status = fatbin_next(&reader, &found, &entry)) && found) {
        while (!status && modules->container_count < reader.containers) {
            status = add_container(modules);
        }
        size_t *number = !status ? &modules->numbers[modules->container_count - 1] : NULL;
        bool has = false;
        if (number && *number == 0) {
            status = has_content(&entry, &has);
        }
        if (has) {
            *number = ++modules->count;
        }
    }
    return status;
}

cubinet_status fatbin_modules_find(const void *data, size_t size, struct fatbin_modules *out_modules)
{
    struct fatbin_modules modules = {0};
    cubinet_status status = find(data, size, &modules);
    if (status) {
        fatbin_modules_free(&modules);
        return status;
    }
    for (size_t i = 0; modules.count == 0 && i < modules.container_count; i++) {
        modules.numbers[i] = 1;
    }
    modules.count += modules.count == 0;
    *out_modules = modules;
    return CUBINET_OK;
}

void fatbin_modules_free(struct fatbin_modules *modules)
{
    free(modules->numbers);
    *modules = (struct fatbin_modules){0};
}

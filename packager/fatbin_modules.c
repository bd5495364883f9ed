/* SPDX-License-Identifier: Apache-2.0 */
#include "fatbin_modules.h"

#include "cubin.h"
#include "error.h"
#include "fatbin.h"

#include <stdbool.h>
#include <stdlib.h>

/* Whether a kernel or variable is in an image. Those that are no cubins are never made of nothing; who files
 * one that can't be read says why. */
static bool has_content(const struct fatbin_entry *entry)
{
    struct contents contents = {0};
    unsigned char *data = NULL;
    size_t size = 0;
    bool is_read = entry->target.kind == CUBINET_IMAGE_CUBIN &&
                   fatbin_unpack(entry, &data, &size) == CUBINET_OK &&
                   cubin_read(data, size, &contents) == CUBINET_OK;
    bool has = !is_read || contents.kernel_count > 0 || contents.global_count > 0;
    contents_free(&contents);
    free(data);
    return has;
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
    struct fatbin_entry entry;
    bool found = true;
    cubinet_status status = CUBINET_OK;
    while (status == CUBINET_OK && (status = fatbin_next(&reader, &found, &entry)) == CUBINET_OK && found) {
        while (status == CUBINET_OK && modules->container_count < reader.containers) {
            status = add_container(modules);
        }
        size_t *number = status == CUBINET_OK ? &modules->numbers[modules->container_count - 1] : NULL;
        if (number && *number == 0 && has_content(&entry)) {
            *number = ++modules->count;
        }
    }
    return status;
}

cubinet_status fatbin_modules_find(const void *data, size_t size, struct fatbin_modules *out_modules)
{
    struct fatbin_modules modules = {0};
    cubinet_status status = find(data, size, &modules);
    if (status != CUBINET_OK) {
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

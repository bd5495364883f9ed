/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/check_globals.h"

#include <stdlib.h>
#include <string.h>

static int compare_name(const void *name, const void *global)
{
    return strcmp(name, ((const cubinet_global_info *)global)->name);
}

static const cubinet_global_info *find_recorded(const struct listing_module *module, const char *name)
{
    return module->global_count == 0
               ? NULL
               : bsearch(name, module->globals, module->global_count, sizeof(*module->globals), compare_name);
}

static const char *memory_of(int is_constant, int is_managed)
{
    return is_constant ? "constant memory" : is_managed ? "managed memory" : "global memory";
}

void check_globals(const struct listing_module *module, uint32_t image, const struct contents *contents,
                   struct global_sizes *sizes, struct problems *problems)
{
    cubinet_target target = module->images[image].target;
    for (size_t i = 0; i < contents->global_count; i++) {
        const struct contents_global *read = &contents->globals[i];
        const cubinet_global_info *recorded = find_recorded(module, read->name);
        if (!recorded) {
            continue;
        }
        uint32_t number = (uint32_t)(recorded - module->globals);
        global_sizes_add(sizes, (struct global_sighting){number, target.number, read->bytes});
        bool is_constant = recorded->flags & CUBINET_GLOBAL_CONSTANT;
        bool is_managed = recorded->flags & CUBINET_GLOBAL_MANAGED;
        if (is_constant != read->is_constant || is_managed != read->is_managed) {
            char name[CUBINET_TARGET_NAME_SIZE];
            problems_add(problems, "module '%.48s', %s: global '%s': the index records %s, the image has %s",
                         module->name, cubinet_target_name(target, name), read->name,
                         memory_of(is_constant, is_managed), memory_of(read->is_constant, read->is_managed));
        }
    }
}

void check_global_sizes(const struct listing_module *module, struct global_sizes *sizes,
                        struct problems *problems)
{
    problems->lines.failed = problems->lines.failed || sizes->failed;
    global_sizes_sort(sizes);
    for (uint32_t i = 0; i < module->global_count; i++) {
        const cubinet_global_info *recorded = &module->globals[i];
        uint64_t bytes = global_sizes_settle(sizes, i, recorded->bytes, module->images, module->image_count);
        if (bytes != recorded->bytes) {
            problems_add(
                problems, "module '%s': global '%s': the index records %llu bytes, the images have %llu",
                module->name, recorded->name, (unsigned long long)recorded->bytes, (unsigned long long)bytes);
        }
    }
}

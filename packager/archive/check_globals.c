/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/check_globals.h"

#include <stdlib.h>
#include <string.h>

static int compare_name(const void *name, const void *global)
{
    return strcmp(name, ((const cubinet_global_info *)global)->name);
}

const cubinet_global_info *find_recorded_global(const struct listing_module *module, const char *name)
{
    return module->global_count == 0
               ? NULL
               : bsearch(name, module->globals, module->global_count, sizeof(*module->globals), compare_name);
}

static const char *memory_of(uint32_t flags)
{
    static const char *const texts[] = {"global memory", "constant memory", "managed memory",
                                        "constant and managed memory"};
    return texts[flags & (CUBINET_GLOBAL_CONSTANT | CUBINET_GLOBAL_MANAGED)];
}

void check_globals(const struct listing_module *module, uint32_t image, const struct contents *contents,
                   struct global_sizes *sizes)
{
    cubinet_target target = module->images[image].target;
    for (size_t i = 0; i < contents->global_count; i++) {
        const struct contents_global *read = &contents->globals[i];
        const cubinet_global_info *recorded = find_recorded_global(module, read->name);
        if (!recorded) {
            continue;
        }
        uint32_t number = (uint32_t)(recorded - module->globals);
        global_sizes_add(
            sizes, (struct global_sighting){number, target.number, read->bytes, contents_global_flags(read)});
    }
}

void check_global_sizes(const struct listing_module *module, struct global_sizes *sizes,
                        struct problems *problems)
{
    problems->lines.failed = problems->lines.failed || sizes->failed;
    global_sizes_sort(sizes);
    for (uint32_t i = 0; i < module->global_count; i++) {
        const cubinet_global_info *recorded = &module->globals[i];
        const struct global_facts facts =
            global_sizes_settle(sizes, i, (struct global_facts){recorded->bytes, recorded->flags},
                                module->images, module->image_count);
        if (facts.bytes != recorded->bytes) {
            problems_add(problems,
                         "module '%s': global '%s': the index records %llu bytes, the images have %llu",
                         module->name, recorded->name, (unsigned long long)recorded->bytes,
                         (unsigned long long)facts.bytes);
        }
        if (facts.flags != recorded->flags) {
            problems_add(problems, "module '%s': global '%s': the index records %s, the images have %s",
                         module->name, recorded->name, memory_of(recorded->flags), memory_of(facts.flags));
        }
    }
}

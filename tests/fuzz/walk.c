/* SPDX-License-Identifier: Apache-2.0 */
#include "walk.h"

#include <cubinet/launch_record.h>
#include <cubinet/tuning.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Larger images are not read: their memory would be all that the fuzzer spends its time on. */
enum { LARGEST_IMAGE = 1 << 20 };

/* What every string of an archive is put through, so that its bytes are read. */
static size_t total_length;

static void use(const char *text)
{
    total_length += strlen(text);
}

static void expect(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* Whether a name can be asked for as it is. White space and '&' before an expression don't count, and no
 * compiler starts a name with them. */
static int can_be_asked_for(const char *name)
{
    return !strchr(" \t\n\v\f\r&", name[0]);
}

static void walk_symbols(const cubinet_archive *archive, uint32_t module, uint32_t image,
                         const cubinet_image_info *info)
{
    uint64_t count = (uint64_t)info->defined_count + info->needed_count;
    cubinet_symbol_info symbol = {.size = sizeof(symbol)};
    for (uint32_t i = 0; i < count; i++) {
        expect(cubinet_archive_get_symbol(archive, module, image, i, &symbol) == CUBINET_OK,
               "a symbol that is counted is not there");
        expect(!!(symbol.flags & CUBINET_SYMBOL_DEFINED) == (i < info->defined_count),
               "symbols are out of order");
        use(symbol.name);
        use(symbol.expression);
        use(symbol.type);
    }
}

static void read_part(const cubinet_archive *archive, uint32_t module, uint32_t image, uint32_t part)
{
    cubinet_part_info info = {.size = sizeof(info)};
    expect(cubinet_archive_get_part(archive, module, image, part, &info) == CUBINET_OK,
           "a part that is counted is not there");
    if (info.raw_size > LARGEST_IMAGE) {
        return;
    }
    size_t size = (size_t)info.raw_size;
    unsigned char *bytes = malloc(size > 0 ? size : 1);
    if (bytes && cubinet_archive_read_part(archive, module, image, part, bytes, size) == CUBINET_OK) {
        for (size_t i = 0; i < size; i++) {
            total_length += bytes[i];
        }
    }
    free(bytes);
}

/* An image need not say where it comes from. */
static void walk_origin(const cubinet_archive *archive, uint32_t module, uint32_t image)
{
    cubinet_origin origin = {.size = sizeof(origin)};
    if (cubinet_archive_get_origin(archive, module, image, &origin) == CUBINET_OK) {
        use(origin.source);
        use(origin.options);
        use(origin.compiler);
        total_length += origin.source_sha256[0];
    }
}

static void walk_images(const cubinet_archive *archive, uint32_t module, uint32_t count)
{
    cubinet_image_info image = {.size = sizeof(image)};
    for (uint32_t i = 0; i < count; i++) {
        char name[CUBINET_TARGET_NAME_SIZE];
        expect(cubinet_archive_get_image(archive, module, i, &image) == CUBINET_OK,
               "an image that is counted is not there");
        use(cubinet_target_name(image.target, name));
        walk_symbols(archive, module, i, &image);
        walk_origin(archive, module, i);
        for (uint32_t part = 0; part < image.part_count; part++) {
            read_part(archive, module, i, part);
        }
    }
}

static void walk_launch(const cubinet_archive *archive, uint32_t module, uint32_t image, uint32_t kernel)
{
    cubinet_launch_record record = {.size = sizeof(record)};
    if (cubinet_archive_get_launch_record(archive, module, image, kernel, &record) != CUBINET_OK) {
        return;
    }
    for (uint32_t i = 0; i < record.hidden_count; i++) {
        total_length += record.hidden[i].param;
    }
    for (uint32_t i = 0; i < record.param_name_count; i++) {
        use(record.param_names[i].name);
        use(record.param_names[i].type);
    }
}

static void walk_resources(const cubinet_archive *archive, uint32_t module, uint32_t images, uint32_t kernel)
{
    for (uint32_t i = 0; i < images; i++) {
        cubinet_kernel_resources resources = {.size = sizeof(resources)};
        walk_launch(archive, module, i, kernel);
        if (cubinet_archive_get_resources(archive, module, i, kernel, &resources) == CUBINET_OK &&
            resources.param_count != CUBINET_UNKNOWN) {
            for (uint32_t j = 0; j < resources.param_count; j++) {
                total_length += resources.params[j].size;
            }
        }
    }
}

static void walk_kernels(const cubinet_archive *archive, uint32_t module, const cubinet_module_info *info)
{
    cubinet_kernel_info kernel = {.size = sizeof(kernel)};
    for (uint32_t i = 0; i < info->kernel_count; i++) {
        uint32_t found = UINT32_MAX;
        expect(cubinet_archive_get_kernel(archive, module, i, &kernel) == CUBINET_OK,
               "a kernel that is counted is not there");
        use(kernel.expression);
        expect(cubinet_archive_find_kernel(archive, module, kernel.name, &found) == CUBINET_OK ||
                   !can_be_asked_for(kernel.name),
               "a kernel is not found by its name");
        walk_resources(archive, module, info->image_count, i);
    }
}

static void walk_globals(const cubinet_archive *archive, uint32_t module, uint32_t count)
{
    cubinet_global_info global = {.size = sizeof(global)};
    for (uint32_t i = 0; i < count; i++) {
        uint32_t found = UINT32_MAX;
        expect(cubinet_archive_get_global(archive, module, i, &global) == CUBINET_OK,
               "a global that is counted is not there");
        use(global.expression);
        expect(cubinet_archive_find_global(archive, module, global.name, &found) == CUBINET_OK ||
                   !can_be_asked_for(global.name),
               "a global is not found by its name");
    }
}

static void walk_tunings(const cubinet_archive *archive, uint32_t module)
{
    uint32_t count = 0;
    uint32_t grid[3];
    expect(cubinet_archive_get_tuning_count(archive, module, &count) == CUBINET_OK,
           "tuning records are not counted");
    for (uint32_t i = 0; i < count; i++) {
        cubinet_tuning tuning = {.size = sizeof(tuning)};
        expect(cubinet_archive_get_tuning(archive, module, i, &tuning) == CUBINET_OK,
               "a tuning record that is counted is not there");
        use(tuning.what);
        use(tuning.kernel);
        use(tuning.gpu);
        total_length += cubinet_tuning_get_grid(&tuning, tuning.extent, grid) == CUBINET_OK ? grid[0] : 0;
        for (uint32_t j = 0; i == 0 && j < tuning.instance_count; j++) {
            use(tuning.instances[j]);
        }
    }
}

static void walk_properties(const cubinet_archive *archive, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *key = NULL;
        const char *value = NULL;
        const char *found = NULL;
        expect(cubinet_archive_get_property(archive, i, &key, &value) == CUBINET_OK,
               "a property that is counted is not there");
        expect(cubinet_archive_find_property(archive, key, &found) == CUBINET_OK && found == value,
               "a property is not found by its key");
        use(value);
    }
}

void walk(const cubinet_archive *archive)
{
    cubinet_archive_info info = {.size = sizeof(info)};
    expect(cubinet_archive_get_info(archive, &info) == CUBINET_OK, "an archive does not describe itself");
    use(info.archive_version);
    use(info.producer);
    walk_properties(archive, info.property_count);
    for (uint32_t i = 0; i < cubinet_archive_get_module_count(archive); i++) {
        cubinet_module_info module = {.size = sizeof(module)};
        uint32_t found = UINT32_MAX;
        if (cubinet_archive_get_module(archive, i, &module) != CUBINET_OK) {
            continue; /* its block is damaged, which the others don't feel */
        }
        expect(cubinet_archive_find_module(archive, module.name, &found) == CUBINET_OK && found == i,
               "a module is not found by its name");
        walk_images(archive, i, module.image_count);
        walk_kernels(archive, i, &module);
        walk_globals(archive, i, module.global_count);
        walk_tunings(archive, i);
    }
}

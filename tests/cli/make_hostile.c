/* SPDX-License-Identifier: Apache-2.0 */
/* Makes archives that no honest writer does, with all digests right.
 *
 *     make_hostile OUT name TEXT
 *         TEXT names everything in it
 *     make_hostile OUT blocks COUNT SIZE
 *         COUNT modules, the index of each SIZE bytes that compress to nearly nothing
 *     make_hostile OUT params COUNT SIZE
 *         a kernel with COUNT parameters whose name has SIZE bytes, in a compressed block
 *     make_hostile OUT images COUNT SIZE
 *         a module with COUNT images of SIZE bytes, which compress to nearly nothing
 *     make_hostile OUT told COUNT IMAGES PARAMS
 *         COUNT modules in compressed blocks, each a kernel with PARAMS parameters in IMAGES images */
#include "../unit/archive_builder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *need(void *memory)
{
    if (!memory) {
        abort();
    }
    return memory;
}

static char *repeat(size_t count)
{
    char *text = need(calloc(1, count + 1));
    return memset(text, 'a', count);
}

static const struct build_image image = {.kind = 2, .number = 75, .isa_or_floor = 80, .text = "//\n"};

/* A module with one of everything. */
static struct build_module module_of(const struct build_named *named, const struct build_named *global,
                                     const struct build_symbol *symbol, const struct build_resource *resource)
{
    static const struct build_piece piece = {.defined = 1};
    return (struct build_module){.name = named->name,
                                 .images = &image,
                                 .image_count = 1,
                                 .kernels = named,
                                 .kernel_count = 1,
                                 .resources = resource,
                                 .resource_count = 1,
                                 .globals = global,
                                 .global_count = 1,
                                 .pieces = &piece,
                                 .piece_count = 1,
                                 .symbols = symbol,
                                 .symbol_count = 1};
}

static struct built make_name(const char *text)
{
    const struct build_named named = {.name = text, .expression = text};
    const struct build_named global = {.name = text, .expression = "&table"};
    const struct build_symbol symbol = {.name = text, .expression = text, .type = text};
    const struct build_resource resource = {0};
    const struct build_module module = module_of(&named, &global, &symbol, &resource);
    return build(
        &(struct build_archive){.version = text, .producer = text, .modules = &module, .module_count = 1});
}

static struct built pack(const struct build_module *modules, size_t count)
{
    return build(&(struct build_archive){
        .producer = "", .modules = modules, .module_count = count, .is_1_2 = true, .packs_blocks = true});
}

static struct built make_blocks(size_t count, size_t size)
{
    char *expression = repeat(size);
    const struct build_named named = {.name = "kernel", .expression = expression};
    struct build_module *modules = need(calloc(count, sizeof(*modules)));
    char(*names)[32] = need(calloc(count, sizeof(*names)));
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof(names[i]), "module%06zu", i);
        modules[i] = (struct build_module){
            .name = names[i], .images = &image, .image_count = 1, .kernels = &named, .kernel_count = 1};
    }
    struct built built = pack(modules, count);
    free(names);
    free(modules);
    free(expression);
    return built;
}

static struct built make_params(size_t count, size_t size)
{
    char *name = repeat(size);
    struct build_param *params = need(calloc(count, sizeof(*params)));
    const struct build_named named = {.name = name};
    const struct build_resource resource = {.param_count = (uint16_t)count};
    const struct build_module module = {.name = "m",
                                        .images = &image,
                                        .image_count = 1,
                                        .kernels = &named,
                                        .kernel_count = 1,
                                        .resources = &resource,
                                        .resource_count = 1,
                                        .params = params,
                                        .param_count = count};
    struct built built = pack(&module, 1);
    free(params);
    free(name);
    return built;
}

static struct build_image *make_images(size_t count)
{
    struct build_image *images = need(calloc(count, sizeof(*images)));
    for (size_t i = 0; i < count; i++) {
        images[i] = image;
        images[i].number = (uint16_t)(10 + i);
    }
    return images;
}

static struct built make_large_images(size_t count, size_t size)
{
    char *text = repeat(size);
    struct build_image *images = make_images(count);
    for (size_t i = 0; i < count; i++) {
        images[i].text = text;
        images[i].compress = 1;
    }
    const struct build_module module = {.name = "m", .images = images, .image_count = count};
    struct built built = pack(&module, 1);
    free(images);
    free(text);
    return built;
}

static struct built make_told(size_t count, size_t image_count, size_t param_count)
{
    const struct build_named named = {.name = "kernel"};
    struct build_image *images = make_images(image_count);
    struct build_param *params = need(calloc(param_count, sizeof(*params)));
    struct build_resource *resources = need(calloc(image_count, sizeof(*resources)));
    struct build_module *modules = need(calloc(count, sizeof(*modules)));
    char(*names)[32] = need(calloc(count, sizeof(*names)));
    for (size_t i = 0; i < image_count; i++) {
        resources[i] = (struct build_resource){.image = (uint32_t)i, .param_count = (uint16_t)param_count};
    }
    for (size_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof(names[i]), "module%06zu", i);
        modules[i] = (struct build_module){.name = names[i],
                                           .images = images,
                                           .image_count = image_count,
                                           .kernels = &named,
                                           .kernel_count = 1,
                                           .resources = resources,
                                           .resource_count = image_count,
                                           .params = params,
                                           .param_count = param_count};
    }
    struct built built = pack(modules, count);
    free(names);
    free(modules);
    free(resources);
    free(params);
    free(images);
    return built;
}

static struct built make(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[2], "name") == 0) {
        return make_name(argv[3]);
    }
    if (argc == 5 && strcmp(argv[2], "blocks") == 0) {
        return make_blocks(strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
    }
    if (argc == 5 && strcmp(argv[2], "params") == 0) {
        return make_params(strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
    }
    if (argc == 5 && strcmp(argv[2], "images") == 0) {
        return make_large_images(strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10));
    }
    if (argc == 6 && strcmp(argv[2], "told") == 0) {
        return make_told(strtoul(argv[3], NULL, 10), strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10));
    }
    fputs("usage: make_hostile OUT name TEXT | blocks COUNT SIZE | params COUNT SIZE | images COUNT SIZE | "
          "told COUNT IMAGES "
          "PARAMS\n",
          stderr);
    exit(2);
}

int main(int argc, char **argv)
{
    struct built built = make(argc, argv);
    FILE *file = need(fopen(argv[1], "wb"));
    if (fwrite(built.bytes, 1, built.size, file) != built.size || fclose(file) != 0) {
        abort();
    }
    built_free(&built);
    return EXIT_SUCCESS;
}

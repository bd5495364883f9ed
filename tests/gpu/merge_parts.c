/* SPDX-License-Identifier: Apache-2.0 */
/* Files the images of several archives, which have the same targets, as the parts of one module's images.
 *
 *     merge_parts OUT MODULE ARCHIVE...
 *
 * Each archive has one module, of cubins and PTX. */
#include "archive/archive_writer.h"
#include "archive/stored_image.h"
#include "image/cubin.h"
#include "ptx/reading/ptx.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_PARTS = 64 };

static void check(cubinet_status status)
{
    if (status) {
        fprintf(stderr, "merge_parts: %s\n", cubinet_error_message());
        exit(EXIT_FAILURE);
    }
}

/* Image number `image` of each archive is a part. */
static void merge(struct draft_module *module, cubinet_archive *const *archives, size_t count, uint32_t image)
{
    struct draft_part parts[MOST_PARTS] = {0};
    struct contents contents[MOST_PARTS] = {0};
    cubinet_image_info info = {.size = sizeof(info)};
    for (size_t i = 0; i < count; i++) {
        struct draft_part *part = &parts[i];
        check(cubinet_archive_get_image(archives[i], 0, image, &info));
        check(image_read(archives[i], 0, image, &part->data, &part->size));
        check(info.target.kind == CUBINET_IMAGE_PTX
                  ? ptx_read((const char *)part->data, part->size, &contents[i])
                  : cubin_read(part->data, part->size, &contents[i]));
        part->contents = &contents[i];
    }
    check(draft_add_parts(module, info.target, parts, count, "parts", NULL));
    for (size_t i = 0; i < count; i++) {
        contents_free(&contents[i]);
    }
}

int main(int argc, char **argv)
{
    cubinet_archive *archives[MOST_PARTS];
    cubinet_module_info info = {.size = sizeof(info)};
    struct draft draft = {0};
    size_t count = (size_t)argc - 3;
    if (argc < 4 || count > MOST_PARTS) {
        fputs("usage: merge_parts OUT MODULE ARCHIVE...\n", stderr);
        return 2;
    }
    struct draft_module *module = draft_module(&draft, argv[2]);
    for (size_t i = 0; i < count; i++) {
        check(cubinet_archive_open(argv[i + 3], NULL, &archives[i]));
    }
    check(cubinet_archive_get_module(archives[0], 0, &info));
    for (uint32_t image = 0; module && image < info.image_count; image++) {
        merge(module, archives, count, image);
    }
    check(archive_write_file(&draft, &(struct archive_writer_options){0}, argv[1]));
    for (size_t i = 0; i < count; i++) {
        cubinet_archive_close(archives[i]);
    }
    draft_free(&draft);
    return EXIT_SUCCESS;
}

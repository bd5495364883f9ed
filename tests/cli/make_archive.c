/* SPDX-License-Identifier: Apache-2.0 */
/* Files ready-made images as an archive, so that tests of the command need no CUDA toolkit.
 *
 *     make_archive OUT MODULE FILE[+FILE]...[=TARGET]... [NAME==EXPRESSION]...
 *
 * FILE+FILE are the parts of one image.
 * FILE is a .cubin or .ptx, or anything else, which then needs a TARGET and tells nothing of itself. TARGET
 * is by default what the image says. NAME==EXPRESSION gives a kernel or global the expression it was asked
 * for by. */
#include "archive/archive_writer.h"
#include "base/file.h"
#include "image/cubin.h"
#include "ptx/reading/ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void die(void)
{
    fprintf(stderr, "make_archive: %s\n", cubinet_error_message());
    exit(EXIT_FAILURE);
}

static void check(cubinet_status status)
{
    if (status) {
        die();
    }
}

static bool ends_with(const char *text, const char *end)
{
    size_t size = strlen(text);
    return size >= strlen(end) && strcmp(text + size - strlen(end), end) == 0;
}

static void read_file(const char *path, struct contents *contents, struct draft_part *part)
{
    char *data;
    check(file_read(path, &data, &part->size));
    part->data = (unsigned char *)data;
    part->contents = contents;
    if (ends_with(path, ".cubin")) {
        check(cubin_read(data, part->size, contents));
    } else if (ends_with(path, ".ptx")) {
        check(ptx_read(data, part->size, contents));
    }
}

/* `paths`: one, or those of parts with '+' between them */
static void add_files(struct draft_module *module, char *paths, const char *target_name)
{
    enum { MOST = 8 };
    struct contents contents[MOST];
    struct draft_part parts[MOST];
    size_t count = 0;
    memset(contents, 0, sizeof(contents));
    for (char *path = strtok(paths, "+"); path && count < MOST; path = strtok(NULL, "+")) {
        read_file(path, &contents[count], &parts[count]);
        count++;
    }
    cubinet_target target = contents[0].target;
    if (target_name) {
        check(cubinet_target_parse(target_name, &target));
    }
    struct draft_image *image;
    check(draft_add_parts(module, target, parts, count, paths, &image));
    if (target.kind == CUBINET_IMAGE_LTOIR) {
        image->toolkit = 13000;
        image->link_floor = 13000;
    }
    for (size_t i = 0; i < count; i++) {
        contents_free(&contents[i]);
    }
}

static void add_expression(struct draft_module *module, const char *name, const char *expression)
{
    for (size_t i = 0; i < module->global_count; i++) {
        if (strcmp(module->globals[i].name, name) == 0) {
            check(draft_add_global(module, name, expression, 0, 0));
            return;
        }
    }
    check(draft_add_kernel(module, name, expression));
}

static void add_argument(struct draft_module *module, char *argument)
{
    char *equals = strchr(argument, '=');
    if (equals && equals[1] == '=') {
        *equals = '\0';
        add_expression(module, argument, equals + 2);
        return;
    }
    if (equals) {
        *equals = '\0';
    }
    add_files(module, argument, equals ? equals + 1 : NULL);
}

int main(int argc, char **argv)
{
    struct draft draft = {0};
    if (argc < 3) {
        fputs("usage: make_archive OUT MODULE FILE[+FILE]...[=TARGET]... [NAME==EXPRESSION]...\n", stderr);
        return 2;
    }
    struct draft_module *module = draft_module(&draft, argv[2]);
    for (int i = 3; module && i < argc; i++) {
        add_argument(module, argv[i]);
    }
    check(archive_write_file(&draft, &(struct archive_writer_options){0}, argv[1]));
    draft_free(&draft);
    return EXIT_SUCCESS;
}

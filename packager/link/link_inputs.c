/* SPDX-License-Identifier: Apache-2.0 */
#include "link/link_inputs.h"

#include "base/file.h"
#include "image/cubin.h"
#include "image/fatbin.h"
#include "image/nvvm_container.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/elf_file.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool starts_with(const struct link_input *input, const void *start, size_t size)
{
    return input->size >= size && memcmp(input->data, start, size) == 0;
}

static bool is_archive(const struct link_input *input)
{
    return starts_with(input, "PK\3\4", 4);
}

/* PTX starts with comments and .version. */
static bool is_ptx(const struct link_input *input)
{
    static const char version[] = ".version";
    const char *found = memmem(input->data, input->size, version, sizeof(version) - 1);
    return found && !memchr(input->data, '\0', (size_t)(found - input->data));
}

/* False if the bytes are nothing that can be linked. */
static bool recognise(struct link_input *input)
{
    static const char library[] = "!<arch>\n";
    if (nvvm_container_is(input->data, input->size)) {
        input->kind = CUBINET_PIECE_LTOIR;
    } else if (cbn_fatbin_is(input->data, input->size)) {
        input->kind = CUBINET_PIECE_FATBIN;
    } else if (starts_with(input, library, sizeof(library) - 1)) {
        input->kind = CUBINET_PIECE_LIBRARY;
    } else if (cbn_is_elf(input->data, input->size) && input->size >= sizeof(Elf64_Ehdr)) {
        input->kind = cubin_is(input->data, input->size) ? CUBINET_PIECE_CUBIN : CUBINET_PIECE_OBJECT;
    } else if (is_ptx(input)) {
        input->kind = CUBINET_PIECE_PTX;
    } else {
        return false;
    }
    return true;
}

static cubinet_status open_archive(const char *path, const char *module, struct link_input *input)
{
    /* There may be more than a process can have descriptors. */
    cubinet_status status = cbn_archive_open_mapped(path, NULL, &input->archive);
    if (status) {
        return status;
    }
    if (module) {
        input->module_count = 1;
        return cubinet_archive_find_module(input->archive, module, &input->first_module);
    }
    input->module_count = cubinet_archive_get_module_count(input->archive);
    if (input->module_count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "'%s' has no module", path);
    }
    return CUBINET_OK;
}

/* Cuts "ARCHIVE:MODULE" at the last ':' with an existing file's path before it. Returns the module, or NULL
 * if there is no such file. */
static const char *cut_module(char *path)
{
    char *colon = strrchr(path, ':');
    for (; colon; colon = memrchr(path, ':', (size_t)(colon - path))) {
        *colon = '\0';
        if (access(path, F_OK) == 0) {
            return colon + 1;
        }
        *colon = ':';
    }
    return NULL;
}

static cubinet_status open_module(const char *text, struct link_input *input)
{
    char *path = strdup(text);
    if (!path) {
        return cbn_error_memory();
    }
    const char *module = cut_module(path);
    if (module) {
        input->file = path;
        return open_archive(path, module, input);
    }
    free(path);
    return cubinet_archive_open(text, NULL, &input->archive); /* which says what is wrong with it */
}

static cubinet_status open_input(const char *text, bool archives_alone, struct link_input *input)
{
    input->path = text;
    if (access(text, F_OK) != 0) {
        return open_module(text, input);
    }
    input->file = strdup(text);
    if (!input->file) {
        return cbn_error_memory();
    }
    if (archives_alone) {
        return open_archive(text, NULL, input);
    }
    cubinet_status status = file_read(text, &input->data, &input->size);
    if (status || !is_archive(input)) {
        if (!status && !recognise(input)) {
            status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                               "'%s' can't be linked: it is neither an archive nor LTO-IR, PTX, a "
                               "cubin, a fatbin, an object or a static library",
                               text);
        }
        return status;
    }
    free(input->data);
    input->data = NULL;
    return open_archive(text, NULL, input);
}

cubinet_status link_inputs_open(const struct cbn_text_list *paths, bool archives_alone,
                                struct link_inputs *inputs)
{
    inputs->items = calloc(paths->count + 1, sizeof(*inputs->items));
    cubinet_status status = inputs->items ? CUBINET_OK : cbn_error_memory();
    for (size_t i = 0; !status && i < paths->count; i++) {
        inputs->count++;
        status = open_input(paths->items[i], archives_alone, &inputs->items[i]);
    }
    return status;
}

static cubinet_status add_file(const char *text, struct cbn_text_list *files)
{
    char *path = strdup(text);
    if (!path) {
        return cbn_error_memory();
    }
    if (access(path, F_OK) != 0) {
        cut_module(path);
    }
    cubinet_status status = cbn_text_list_add(files, path);
    free(path);
    return status;
}

cubinet_status link_inputs_files(const struct cbn_text_list *paths, struct cbn_text_list *files)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < paths->count; i++) {
        status = add_file(paths->items[i], files);
    }
    return status;
}

void link_inputs_free(struct link_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        cubinet_archive_close(inputs->items[i].archive);
        free(inputs->items[i].data);
        free(inputs->items[i].file);
    }
    free(inputs->items);
    *inputs = (struct link_inputs){0};
}

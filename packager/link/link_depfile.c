/* SPDX-License-Identifier: Apache-2.0 */
#include "link/link_depfile.h"

#include "base/depfile.h"
#include "base/path.h"
#include "base/response_file.h"
#include "loader/core/support/error.h"
#include "toolkit/toolkit_release.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static cubinet_status add_inputs(const struct link_inputs *inputs, struct cbn_text_list *paths)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < inputs->count; i++) {
        status = cbn_text_list_add_once(paths, inputs->items[i].file);
    }
    return status;
}

/* A temporary file is gone by now, and a folder's time says nothing. What can't be told is an input. */
static bool is_input(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 ? S_ISREG(about.st_mode) : errno != ENOENT && errno != ENOTDIR;
}

static cubinet_status add_opened(const struct opened_files *opened, struct cbn_text_list *paths)
{
    static const char nvjitlink[] = "libnvJitLink.so.";
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < opened->opened_count; i++) {
        const char *path = opened->opened[i];
        if (!is_input(path)) {
            continue;
        }
        status = cbn_text_list_add_once(paths, path);
        if (!status && strncmp(path_name(path), nvjitlink, strlen(nvjitlink)) == 0) {
            status = toolkit_release_add(path, paths);
        }
    }
    return status;
}

static cubinet_status list_paths(const struct link_depfile *depfile, struct cbn_text_list *paths)
{
    cubinet_status status = add_inputs(depfile->pieces, paths);
    if (!status) {
        status = add_inputs(depfile->libraries, paths);
    }
    if (!status) {
        status = add_opened(depfile->opened, paths);
    }
    return status ? status : arguments_add_files(paths);
}

/* Spells all of them so that a depfile can hold them. */
static cubinet_status make_writable(const struct link_arguments *arguments, struct cbn_text_list *paths)
{
    char *folder = getcwd(NULL, 0);
    char *links = NULL;
    if (!folder) {
        return cbn_error(CUBINET_ERROR_IO, "cannot tell the working folder: %s", strerror(errno));
    }
    if (asprintf(&links, "%s.links", arguments->output) < 0) {
        free(folder);
        return cbn_error_memory();
    }
    cubinet_status status = depfile_make_writable(paths, folder, links);
    free(folder);
    free(links);
    return status;
}

cubinet_status link_depfile_write(const struct link_depfile *depfile)
{
    const struct link_arguments *arguments = depfile->arguments;
    struct cbn_text_list paths = {0};
    cubinet_status status = list_paths(depfile, &paths);
    if (!status) {
        status = make_writable(arguments, &paths);
    }
    if (!status) {
        const struct depfile rule = {
            .target = arguments->target,
            .paths = (const char *const *)paths.items,
            .path_count = paths.count,
            .phony = arguments->phony,
        };
        status = depfile_write(&rule, arguments->depfile);
    }
    cbn_text_list_free(&paths);
    return status;
}

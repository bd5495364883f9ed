/* SPDX-License-Identifier: Apache-2.0 */
/* Other spellings for paths that no depfile can hold. */
#include "base/depfile.h"

#include "base/buffer.h"
#include "loader/core/support/error.h"
#include "loader/core/support/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The length of the folders that two absolute paths have in common, up to a slash or the end of one. */
static size_t common_folders(const char *path, const char *folder)
{
    size_t common = 0;
    for (size_t i = 0; path[i] == folder[i] || !path[i] || !folder[i]; i++) {
        bool path_ends = path[i] == '/' || path[i] == '\0';
        bool folder_ends = folder[i] == '/' || folder[i] == '\0';
        common = path_ends && folder_ends ? i : common;
        if (!path[i] || !folder[i]) {
            break;
        }
    }
    return common;
}

/* An absolute path as seen from the folder; NULL if memory is out. */
static char *relative_to(const char *path, const char *folder)
{
    struct buffer text = {0};
    size_t common = common_folders(path, folder);
    for (const char *up = folder + common; *up; up += strcspn(up, "/")) {
        up += strspn(up, "/");
        buffer_puts(&text, *up == '\0' ? "" : text.size ? "/.." : "..");
    }
    const char *down = path + common + strspn(path + common, "/");
    buffer_printf(&text, "%s%s", text.size && *down ? "/" : "", down);
    buffer_puts(&text, text.size ? "" : ".");
    return buffer_take(&text);
}

enum { LINK_DIGEST_BYTES = 16 };

/* A link to the path, named by the path's digest; NULL if memory is out. */
static char *link_name(const char *path, const char *link_folder)
{
    struct buffer text = {0};
    struct cbn_sha256 digest = cbn_sha256(path, strlen(path));
    buffer_printf(&text, "%s/", link_folder);
    for (size_t i = 0; i < LINK_DIGEST_BYTES; i++) {
        buffer_printf(&text, "%02x", digest.bytes[i]);
    }
    return buffer_take(&text);
}

/* Makes a link, or leaves one that is right alone. */
static cubinet_status make_link(const char *name, const char *path, const char *folder,
                                const char *link_folder)
{
    char *target = NULL;
    char there[4096];
    if (asprintf(&target, "%s%s%s", path[0] == '/' ? "" : folder, path[0] == '/' ? "" : "/", path) < 0) {
        return cbn_error_memory();
    }
    ssize_t size = readlink(name, there, sizeof(there));
    bool is_right = size == (ssize_t)strlen(target) && memcmp(there, target, (size_t)size) == 0;
    cubinet_status status = CUBINET_OK;
    if (!is_right && ((mkdir(link_folder, 0777) != 0 && errno != EEXIST) ||
                      (unlink(name) != 0 && errno != ENOENT) || symlink(target, name) != 0)) {
        status = cbn_error(CUBINET_ERROR_IO, "cannot make the link '%s': %s", name, strerror(errno));
    }
    free(target);
    return status;
}

/* Another spelling, which the caller frees; NULL if there is none that can be written. */
static cubinet_status spell_otherwise(const char *path, const char *folder, const char *link_folder,
                                      char **out_path)
{
    char *other = path[0] == '/' ? relative_to(path, folder) : NULL;
    if (other && depfile_can_write(other)) {
        *out_path = other;
        return CUBINET_OK;
    }
    free(other);
    *out_path = NULL;
    if (!depfile_can_write(link_folder)) {
        return CUBINET_OK;
    }
    char *name = link_name(path, link_folder);
    cubinet_status status = name ? make_link(name, path, folder, link_folder) : cbn_error_memory();
    if (status) {
        free(name);
        return status;
    }
    *out_path = name;
    return CUBINET_OK;
}

cubinet_status depfile_make_writable(struct cbn_text_list *paths, const char *folder, const char *link_folder)
{
    for (size_t i = 0; i < paths->count; i++) {
        char *other = NULL;
        if (depfile_can_write(paths->items[i])) {
            continue;
        }
        cubinet_status status = spell_otherwise(paths->items[i], folder, link_folder, &other);
        if (status) {
            return status;
        }
        if (other) {
            free(paths->items[i]);
            paths->items[i] = other;
        }
    }
    return CUBINET_OK;
}

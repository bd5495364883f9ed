/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/archive_inside.h"

#include "base/file.h"
#include "loader/core/archive/elf_file.h"

#include <cubinet/archive.h>

#include <stdio.h>

static bool is_elf(const char *path)
{
    char start[SELFMAG];
    FILE *file;
    if (file_open(path, &file)) {
        return false;
    }
    bool is = cbn_is_elf(start, fread(start, 1, sizeof(start), file));
    fclose(file);
    return is;
}

bool archive_inside(const char *path)
{
    cubinet_archive *archive = NULL;
    if (!is_elf(path)) {
        return false;
    }
    cubinet_status status = cubinet_archive_open(path, NULL, &archive);
    cubinet_archive_close(archive);
    return status != CUBINET_ERROR_NOT_ARCHIVE;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/archive_inside.h"

#include "base/file.h"

#include <cubinet/archive.h>

#include <elf.h>
#include <stdio.h>
#include <string.h>

static bool is_elf(const char *path)
{
    char start[SELFMAG];
    FILE *file;
    if (file_open(path, &file)) {
        return false;
    }
    bool is = fread(start, 1, sizeof(start), file) == sizeof(start) && memcmp(start, ELFMAG, SELFMAG) == 0;
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

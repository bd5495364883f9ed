/* SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OPEN = 16 };

static char folder[64];
static int outside = -1; /* where it was called */

static _Noreturn void fail(const char *name)
{
    perror(name);
    abort();
}

void scratch_open(void)
{
    const char *base = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
    outside = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    snprintf(folder, sizeof(folder), "%s/cubinet-fuzz-XXXXXX", base);
    if (outside < 0 || !mkdtemp(folder) || chdir(folder) != 0) {
        fail(folder);
    }
}

void scratch_write(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(name, "wbe");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        fail(name);
    }
}

void *scratch_read(const char *name, size_t *out_size)
{
    struct stat about;
    FILE *file = fopen(name, "rbe");
    if (!file || fstat(fileno(file), &about) != 0) {
        fail(name);
    }
    *out_size = (size_t)about.st_size;
    void *data = malloc(*out_size + 1);
    if (!data || fread(data, 1, *out_size, file) != *out_size) {
        fail(name);
    }
    fclose(file);
    return data;
}

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *place)
{
    (void)about;
    (void)type;
    (void)place;
    return remove(path);
}

/* Nearly all that is there are files: looking at each first would take longer than removing it. */
static void empty(void)
{
    DIR *here = opendir(".");
    if (!here) {
        fail(folder);
    }
    for (const struct dirent *entry; (entry = readdir(here)) != NULL;) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && unlink(name) != 0 &&
            nftw(name, remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS) != 0) {
            fail(name);
        }
    }
    closedir(here);
}

void scratch_close(void)
{
    empty();
    if (fchdir(outside) != 0 || rmdir(folder) != 0) {
        fail(folder);
    }
    close(outside);
}

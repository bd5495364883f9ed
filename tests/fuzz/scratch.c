/* SPDX-License-Identifier: Apache-2.0 */
#include "scratch.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_OPEN = 16 };

static char parent[64];
static pid_t owner; /* not a child of its */

static int remove_one(const char *path, const struct stat *about, int type, struct FTW *place)
{
    (void)about;
    (void)type;
    return place->level > 0 ? remove(path) : 0;
}

static void remove_all(void)
{
    if (getpid() == owner) {
        nftw(parent, remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
        rmdir(parent);
    }
}

void scratch_open(void)
{
    snprintf(parent, sizeof(parent), "%s/cubinet-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(parent) || chdir(parent) != 0 || mkdir("work", 0700) != 0 || chdir("work") != 0) {
        perror(parent);
        abort();
    }
    owner = getpid();
    atexit(remove_all);
}

void scratch_write(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(name, "wbe");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
        perror(name);
        abort();
    }
}

void scratch_empty(void)
{
    if (nftw(".", remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS) != 0) {
        perror("removing what a command wrote");
        abort();
    }
}

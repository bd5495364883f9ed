/* SPDX-License-Identifier: Apache-2.0 */
#include "base/temporary_folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* A folder that others could have made beforehand is not used: it would have to be theirs. */
void temporary_folder_open(struct cbn_cache_folder *out_folder)
{
    const char *base = secure_getenv("TMPDIR");
    char *path = NULL;
    char *problem = NULL;
    *out_folder = (struct cbn_cache_folder){.fd = -1};
    if (asprintf(&path, "%s/cubinet-%ju", base && base[0] == '/' ? base : "/tmp", (uintmax_t)geteuid()) < 0) {
        return;
    }
    if (cbn_cache_folder_open(path, CBN_CACHE_FOLDER_CREATE, out_folder, &problem)) {
        free(problem);
    }
    free(path);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* These are definitions of the functions that fortified headers define in line. */
#undef _FORTIFY_SOURCE
#include "interpose/hidden_files.h"

#include "interpose/hidden_headers.h"
#include "interpose/working_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <sys/stat.h>

#define EXPORTED __attribute__((visibility("default")))

static atomic_int hiding; /* threads that do */

void hidden_files_hide(bool hide)
{
    atomic_fetch_add(&hiding, hide ? 1 : -1);
}

/* By fstatat(), which is none of the functions below in any C library. */
static int look_up(const char *path, struct stat *about)
{
    if (atomic_load(&hiding) > 0 || hidden_headers_hides(path)) {
        errno = ENOENT;
        return -1;
    }
    return fstatat(AT_FDCWD, working_folder_path(path), about, 0);
}

/* What programs built for glibc before 2.33 call for stat(); the version says nothing on 64-bit systems. */
EXPORTED int __xstat(int version, const char *path, struct stat *about);
EXPORTED int __xstat(int version, const char *path, struct stat *about)
{
    (void)version;
    return look_up(path, about);
}

EXPORTED int stat(const char *restrict path, struct stat *restrict about)
{
    return look_up(path, about);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Reading directories, where a result must not come from a part of one. */
#ifndef CBN_DIRECTORY_H
#define CBN_DIRECTORY_H

#include <dirent.h>
#include <errno.h>

/* The next entry. NULL with errno 0 after the last one, and with the error where it can't be read. */
static inline const struct dirent *cbn_next_entry(DIR *directory)
{
    errno = 0;
    return readdir(directory);
}

#endif

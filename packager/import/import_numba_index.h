/* SPDX-License-Identifier: Apache-2.0 */
/* numba's index of a function's files in a cache, "kernels.saxpy-4.py311.nbi". numba leaves older files where
 * they are: only the index says which are of the newest source. */
#ifndef IMPORT_NUMBA_INDEX_H
#define IMPORT_NUMBA_INDEX_H

#include <cubinet/status.h>

enum numba_state {
    NUMBA_LISTED,
    NUMBA_UNLISTED, /* left over from an earlier source or release */
    NUMBA_OUTDATED, /* the source that lies beside the folder has changed since */
    NUMBA_NO_INDEX  /* it is not there, or of another form */
};

enum { NUMBA_CLOSURE_SIZE = 8 };

/* What the index says of a file. */
struct numba_entry {
    enum numba_state state;
    char *index;  /* its path */
    char *source; /* where the source would be */
    /* Where functions of one place differ in the values around them: the start of a digest of these. */
    char closure[NUMBA_CLOSURE_SIZE + 1];
};

/* Looks a file up, "kernels.saxpy-4.py311.1.nbc". The caller frees the entry after success.
 * CUBINET_ERROR_IO for an index that can't be read. */
cubinet_status import_numba_index_find(const char *path, struct numba_entry *out_entry);

void numba_entry_free(struct numba_entry *entry);

#endif

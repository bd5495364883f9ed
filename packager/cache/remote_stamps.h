/* SPDX-License-Identifier: Apache-2.0 */
/* What the processes of a build tell each other of trouble with a remote cache, so that hundreds of them warn
 * once, and do not each wait for a server that is down: files whose times say when there was trouble last. */
#ifndef REMOTE_STAMPS_H
#define REMOTE_STAMPS_H

#include "loader/cache/cache_folder.h"

#include <stdbool.h>

enum remote_stamp {
    REMOTE_STAMP_FIND,    /* nothing can be read */
    REMOTE_STAMP_STORE,   /* nothing can be written */
    REMOTE_STAMP_DAMAGED, /* what is read is wrong */
    REMOTE_STAMP_LARGE,   /* something is too large to be written */
    REMOTE_STAMPS,
};

enum {
    REMOTE_REST_SECONDS = 30,  /* for which a server that is down is left alone */
    REMOTE_NEWS_SECONDS = 120, /* without trouble, after which trouble is news */
};

struct remote_stamps {
    struct cbn_cache_folder folder; /* fd -1: there is none, so each process is for itself */
    char prefix[32];                /* of the files' names: one server's */
    bool noted[REMOTE_STAMPS];      /* this process had the trouble */
    bool tries[REMOTE_STAMPS];      /* this process looks whether there still is trouble */
};

/* Opens the stamps of the server at `url` in a cache's folder, or where that is "" in one of the user's among
 * the system's temporary files. */
void remote_stamps_open(const char *directory, const char *url, struct remote_stamps *out_stamps);
void remote_stamps_close(struct remote_stamps *stamps);

/* Whether there was trouble so lately that the server is to be left alone. After a while one process is told
 * no, and tries while the others still rest. */
bool remote_stamps_rest(struct remote_stamps *stamps, enum remote_stamp stamp);

/* Notes trouble; whether it is news. */
bool remote_stamps_note(struct remote_stamps *stamps, enum remote_stamp stamp);

/* Notes that there is no trouble any more. */
void remote_stamps_clear(struct remote_stamps *stamps, enum remote_stamp stamp);

#endif

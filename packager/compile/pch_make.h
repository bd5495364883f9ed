/* SPDX-License-Identifier: Apache-2.0 */
/* Making a precompiled header: having NVRTC write its data, and the record of it. */
#ifndef PCH_MAKE_H
#define PCH_MAKE_H

#include "base/file_lock.h"
#include "compile/pch_record.h"
#include "loader/core/support/text_list.h"
#include "toolkit/nvrtc.h"

/* The suffix of the data's file. */
#define PCH_DATA_SUFFIX ".data"

/* What is added to it while it is written. */
#define PCH_TEMPORARY_SUFFIX ".tmp"

/* The suffix of the file whose lock says that the record is being made. */
#define PCH_LOCK_SUFFIX ".lock"

struct pch_job {
    const struct nvrtc *nvrtc;
    const struct cbn_text_list *options; /* of the compile, with the headers as -include= */
    const char *pretended_folder;        /* what NVRTC takes for the working folder */
    const char *data;                    /* the file to write */
};

/* Compiles nothing but the headers. `out_result` has NVRTC's log, in any case; the caller frees it.
 * On success the record has its data, or a reason why there is none: then the file is empty.
 * CUBINET_ERROR_COMPILE: the headers or an option were refused. */
cubinet_status pch_make(const struct pch_job *job, struct pch_record *record,
                        struct nvrtc_result *out_result);

/* Removes what a process that was killed left of the data. For who has the record's lock. */
void pch_remove_left(const char *data);

/* Makes an empty file of data, and gives the record the reason. */
cubinet_status pch_make_none(const char *data, const char *reason, struct pch_record *record);

/* The record's file, which this process makes: others that would make it wait. The lock is that of a file of
 * its own, which is removed at the end. So the record appears when it is whole, and not before: a process
 * that is killed leaves nothing that a build tool would take for it. */
struct pch_file {
    const char *path;
    char *lock_path;
    int descriptor; /* of the lock's file */
    enum file_lock_result lock;
};
cubinet_status pch_file_lock(const char *path, struct pch_file *out_file);
cubinet_status pch_file_write(const struct pch_file *file, const char *text);
cubinet_status pch_file_touch(const struct pch_file *file);
void pch_file_unlock(struct pch_file *file);

#endif

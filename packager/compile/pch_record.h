/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a precompiled header. `cubinet pch -o FILE` makes two files: FILE, this record, as text,
 * and FILE.data, which is NVRTC's and holds its data structures as they lay in memory. NVRTC checks little of
 * what it reads there, so the record tells what it was made of and by what, and identifies the data. */
#ifndef PCH_RECORD_H
#define PCH_RECORD_H

#include "compile/inputs.h"
#include "loader/core/archive/digest.h"
#include "loader/core/support/text_list.h"

#include <stdbool.h>

/* What a precompiled header depends on except files: it fits a compile that is the same in all of it.
 */
struct pch_setting {
    struct cbn_text_list options; /* of NVRTC, as far as they concern headers */
    char *folder;                 /* the working folder: relative paths start there */
    struct cbn_sha256 nvrtc;      /* which file the library is */
};

/* Which file the data is. A file with another identity is compared by its digest. */
struct pch_data {
    struct cbn_digest digest; /* finds damage */
    long long size;
    long long time; /* nanoseconds since 1970 */
    unsigned long long inode;
};

struct pch_record {
    struct pch_setting setting;
    bool default_device;          /* made with -default-device beside that: the headers are refused without */
    char *reason;                 /* why nothing was precompiled; NULL: there is data */
    struct pch_data data;         /* if there is any */
    unsigned long long library;   /* where NVRTC lay */
    unsigned long long heap_size; /* bytes that NVRTC set aside */
    struct inputs inputs;         /* the headers, and the places where one was looked for in vain */
    char *messages;               /* NVRTC's log: what it said of the headers */
};

/* Fills a setting; the caller frees it. */
cubinet_status pch_setting_make(const struct cbn_text_list *options, const char *folder,
                                const char *nvrtc_path, struct pch_setting *out_setting);
void pch_setting_free(struct pch_setting *setting);

/* The record as text, which the caller frees. */
cubinet_status pch_record_text(const struct pch_record *record, char **out_text);

/* Reads a record. If it can't be relied on (there is none, it is damaged, an input is not what it was) the
 * result is false, and `why` is told. */
bool pch_record_read(const char *path, struct pch_record *out_record, struct buffer *why);
void pch_record_free(struct pch_record *record);

/* Whether a record is of the same setting; if not, `why` is told the first difference. One made with
 * -default-device because its headers need that fits with the option and without: the compile turns out to
 * need it as well. */
bool pch_record_fits(const struct pch_record *record, const struct pch_setting *setting, struct buffer *why);

/* Tells which file the data at a path is; and whether it is the one that was recorded. */
cubinet_status pch_data_identify(const char *path, struct pch_data *out_data);
bool pch_data_is(const char *path, const struct pch_data *data);

#endif

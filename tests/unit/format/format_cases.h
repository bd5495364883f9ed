/* SPDX-License-Identifier: Apache-2.0 */
/* Archives that break docs/reference/format.md, each one sentence of it. */
#ifndef FORMAT_CASES_H
#define FORMAT_CASES_H

#include "format_bases.h"

#include <stdbool.h>

/* A number that is put into an archive. */
struct format_change {
    enum { NOWHERE, IN_ROW, IN_ENTRY, IN_SET, IN_FILE, BEFORE_END } where;
    int set;        /* the root, a page or a module */
    uint16_t table; /* of the row, or of the entry in the directory */
    size_t row;
    size_t offset; /* in the row, entry, set or file, or before the file's end */
    size_t width;
    uint64_t value;
};

/* The digests that are made right after that: those of all parts from here up, and the zip file's. */
enum format_seal { FROM_IMAGES, FROM_BLOCKS, FROM_ROOT, FROM_ZIP, NONE };

struct format_case {
    const char *quote;   /* of the sentence */
    const char *message; /* a part of what `cubinet verify` says; NULL: the archive is still sound */
    enum format_base base;
    struct format_change changes[3];
    void (*alter)(struct built *built);
    enum format_seal seal;
    void (*after)(struct built *built); /* once the digests are right */
    bool with_key;                      /* it is opened with the public key */
};

/* The cases of a part of the page. */
struct format_cases {
    const struct format_case *cases;
    size_t count;
};

extern const struct format_cases format_zip_cases;
extern const struct format_cases format_index_cases;
extern const struct format_cases format_set_cases;
extern const struct format_cases format_root_cases;
extern const struct format_cases format_block_cases;
extern const struct format_cases format_resource_cases;
extern const struct format_cases format_launch_cases;
extern const struct format_cases format_part_cases;
extern const struct format_cases format_piece_cases;
extern const struct format_cases format_signature_cases;
extern const struct format_cases format_tuning_cases;

/* All cases are numbered from 0 on; NULL: there is no such number. */
const struct format_case *format_case_at(size_t number);

/* Words of the sentences that no archive can break: what they say follows from others, is of readers or
 * writers, or is shown elsewhere. */
extern const char *const format_explained[];
extern const size_t format_explained_count;

#endif

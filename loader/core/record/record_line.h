/* SPDX-License-Identifier: Apache-2.0 */
/* An entry of a record of use, and the line of JSON that it is in the file. docs/reference/record.md */
#ifndef CBN_RECORD_LINE_H
#define CBN_RECORD_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Every member but `use` may be NULL: not said. Text of a file may have any bytes but NUL. */
struct cbn_record_entry {
    const char *use;     /* CBN_RECORD_MODULE … */
    const char *archive; /* its path, as the program opened it */
    const char
        *archive_digest; /* of its index; NULL: the module was linked from pieces, and is in no archive */
    const char *archive_version; /* as `cubinet pack --archive-version` gave it */
    const char *module;
    const char *image; /* the target's name */
    const char *image_digest;
    const char *kernel;  /* lowered name */
    const char *global;  /* lowered name */
    const char *device;  /* the GPU's name */
    const char *compute; /* its compute capability: 9.0 */
    const char *driver;  /* the CUDA release that its driver supports: 13.0 */
    const char *time;    /* when it was used first: 2026-11-25T14:30:00Z */
};

/* What an entry says. */
#define CBN_RECORD_MODULE "module" /* the image was loaded */
#define CBN_RECORD_LINKED "linked" /* the image was linked with others, and the result loaded */
#define CBN_RECORD_FOUND  "found"  /* the kernel was looked up */
#define CBN_RECORD_KERNEL                                                                                    \
    "kernel" /* the kernel was launched, or its function or handle given to the program */
#define CBN_RECORD_GLOBAL "global" /* the variable was looked up */

enum { CBN_RECORD_VERSION = 1 };

/* The entry as a line, with the line feed: the caller frees it. `*out_key_size` is the size of what is before
 * the time, by which uses that differ in time alone are known to be the same. NULL if memory is out. */
char *cbn_record_print(const struct cbn_record_entry *entry, size_t *out_size, size_t *out_key_size);

/* That size of a line of a file; 0 if there is no time in it. */
size_t cbn_record_key_size(const char *line, size_t size);

/* What a line is. */
enum cbn_record_line {
    CBN_LINE_ENTRY,
    CBN_LINE_DAMAGED, /* not an entry, or cut off */
    CBN_LINE_NEWER,   /* of a later version of the record */
};

/* Reads a line, which ends with a NUL in place of its line feed; its strings are unescaped where they are,
 * and the entry points to them. */
enum cbn_record_line cbn_record_scan(char *line, struct cbn_record_entry *out_entry);

#endif

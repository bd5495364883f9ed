/* SPDX-License-Identifier: Apache-2.0 */
/* A zip file's directory, as other zip tools see it: libarchive takes names and sizes from the headers before
 * the entries instead, and would not notice that the directory says something else. */
#ifndef ZIP_DIRECTORY_H
#define ZIP_DIRECTORY_H

#include <cubinet/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct zip_directory {
    const unsigned char *file;
    size_t file_size;
    uint64_t next;        /* offset of the next entry */
    uint64_t end;         /* of the directory */
    uint64_t left;        /* entries */
    uint64_t end_records; /* offset of the end record, or of the first of several */
    bool has_tail;        /* there is something between or after the end records, a comment most likely */
};

struct zip_entry {
    const char *name; /* not NUL-terminated */
    size_t name_size;
    unsigned method;
    uint64_t stored_size;
    uint64_t size;
    uint64_t data;  /* offset of its stored bytes */
    uint64_t local; /* offset of the header before them */
    uint32_t time;
    bool is_repeated; /* by that header: name, method, time, checksum and sizes */
    bool has_more;    /* comments, or extra fields that are not zip64's */
};

/* Finds the directory of a zip file in memory. CUBINET_ERROR_DAMAGED if there is none, with a message that
 * says what is wrong but not with which file. */
cubinet_status zip_directory_open(const void *file, size_t size, struct zip_directory *out_directory);

/* The next entry while `directory->left` is not 0. CUBINET_ERROR_DAMAGED if it does not lie in the file. */
cubinet_status zip_directory_next(struct zip_directory *directory, struct zip_entry *out_entry);

#endif

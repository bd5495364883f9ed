/* SPDX-License-Identifier: Apache-2.0 */
/* The name of an image in an archive's zip directory: docs/reference/format.md, "A zip file". */
#ifndef ENTRY_NAME_H
#define ENTRY_NAME_H

#include "base/buffer.h"

#include <cubinet/archive.h>

/* Bytes of the longest name, without its NUL: what tools and file systems take. */
enum { ENTRY_NAME_MAX = 4000 };

/* A part among those of its image; of an image that does not consist of parts, the first of 1. */
struct entry_part {
    uint32_t number;
    uint32_t count;
};

/* "MODULE/TARGET.EXT", or of one of several parts "MODULE/TARGET.N.EXT". out_name: which the caller frees.
 * CUBINET_ERROR_LIMIT if the module's name makes it longer than ENTRY_NAME_MAX. */
cubinet_status entry_name(const char *module, cubinet_target target, struct entry_part part,
                          cubinet_encoding encoding, char **out_name);

/* MODULE alone, for a folder, whose name may have NAME_MAX bytes: a longer one is cut, and '~' and a digest
 * follow, as in no other module's. The caller frees it. */
cubinet_status entry_name_folder(const char *module, char **out_name);

/* "MODULE/images.zst": of the entry that a module's compressed images share where the index is compressed
 * too. */
cubinet_status entry_name_packed(const char *module, char **out_name);

/* Appends the part before the slash. */
void entry_name_module(struct buffer *buffer, const char *module);

#endif

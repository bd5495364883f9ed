/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what a server gave for a key is what an entry of its kind holds. Whoever may write to the server
 * chooses the bytes, so they are parsed before anything is made of them: nothing else gets into a folder or
 * an output, and a few bytes can't become gigabytes. */
#ifndef REMOTE_ENTRY_H
#define REMOTE_ENTRY_H

#include <stddef.h>

/* Bytes that an entry may become when it is unpacked. */
#define REMOTE_ENTRY_MOST ((size_t)256 * 1024 * 1024)

/* What is wrong with what an entry of that kind holds; NULL: nothing. Of kinds that are not known here
 * nothing is. */
const char *remote_entry_problem(const char *kind, const void *payload, size_t size);

#endif

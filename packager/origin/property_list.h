/* SPDX-License-Identifier: Apache-2.0 */
/* What a project says of its archive: keys and values (docs/guide/provenance.md). Among them `license`, the
 * SPDX expression of its licence. */
#ifndef PROPERTY_LIST_H
#define PROPERTY_LIST_H

#include <cubinet/archive.h>

#include <stddef.h>

#define PROPERTY_LICENSE "license"

struct property {
    char *key;
    char *value;  /* "": there is none, whatever archives say */
    char *origin; /* the archive that has it; NULL: the user gave it */
};

struct property_list {
    struct property *items; /* in byte order of keys */
    size_t count;
};

/* Takes "KEY=VALUE" from the user, in place of what was there for the key. */
cubinet_status property_list_set(struct property_list *list, const char *text);

/* Takes the licence from the user: CUBINET_ERROR_INVALID_ARGUMENT if it is no SPDX expression. */
cubinet_status property_list_set_license(struct property_list *list, const char *expression);

/* Takes all of the other list. */
cubinet_status property_list_add(struct property_list *list, const struct property_list *other);

/* Keeps the archive's own, where the user gave none. `origin` is its path. Two archives that disagree are
 * CUBINET_ERROR_INVALID_ARGUMENT. */
cubinet_status property_list_keep(struct property_list *list, const cubinet_archive *archive,
                                  const char *origin);

void property_list_free(struct property_list *list);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A software bill of materials (SBOM) of an archive: the images in it, what they were made from, and by what.
 * The same archive gives the same list: its time is that of zip entries, and what has to be unique comes from
 * its digest. */
#ifndef SBOM_H
#define SBOM_H

#include "loader/core/support/sha256.h"
#include "show/shown_archive.h"

#include <jansson.h>
#include <stddef.h>

#define SBOM_SPDX      "spdx"
#define SBOM_CYCLONEDX "cyclonedx"

enum { SBOM_NONE = -1, SBOM_UUID_SIZE = 37, SBOM_TIME_SIZE = 24 };

struct sbom_source {
    const char *name;
    bool has_digest;
    struct cbn_sha256 digest; /* zeros if it has none */
};

struct sbom_tool {
    const char *name;
    char *version;
};

struct sbom_image {
    char *name; /* "scan/sm_90.cubin" */
    struct cbn_sha256 digest;
    long source;           /* which of the sources; SBOM_NONE: it is not known */
    long compiler;         /* which of the tools */
    long toolkit;          /* which of the tools */
    cubinet_origin origin; /* if the source is known */
};

struct sbom_property {
    const char *key;
    const char *value;
};

struct sbom {
    const struct shown_archive *shown;
    const char *name; /* of the archive's file */
    struct cbn_sha256 digest;
    char uuid[SBOM_UUID_SIZE];
    char time[SBOM_TIME_SIZE];
    const char *license; /* NULL: it is not said */
    struct sbom_image *images;
    size_t image_count;
    struct sbom_source *sources;
    size_t source_count;
    struct sbom_tool *tools;
    size_t tool_count;
    json_t *places; /* which source or tool it is, by all that is known of it: there may be many thousands */
    struct sbom_property *properties; /* all but the licence */
    size_t property_count;
};

/* Whether there is such a form; CUBINET_ERROR_INVALID_ARGUMENT if not. */
cubinet_status sbom_check_form(const char *form);

/* Prints the list in a form. */
cubinet_status sbom_print(const struct shown_archive *shown, const char *form);

/* The documents, which json_output_print() takes. */
json_t *sbom_spdx(const struct sbom *sbom);
json_t *sbom_cyclonedx(const struct sbom *sbom);

#endif

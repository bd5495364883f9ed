/* SPDX-License-Identifier: Apache-2.0 */
/* Archives that `cubinet slice --used` made: what was left out of them, and the archive that has it. What the
 * slice did stands in properties (docs/reference/record.md). */
#ifndef CBN_REST_H
#define CBN_REST_H

#include <cubinet/archive.h>

#include <stdbool.h>

#define CBN_PROPERTY_USED     "cubinet.used"     /* the date of the record */
#define CBN_PROPERTY_LEFT_OUT "cubinet.left-out" /* JSON array of the modules of which nothing stayed */
#define CBN_PROPERTY_REST     "cubinet.rest"     /* identity and file name of the rest */
#define CBN_PROPERTY_REST_OF  "cubinet.rest-of"  /* in the rest: that identity */

/* The value of a property, or NULL, without an error. */
const char *cbn_archive_property(const cubinet_archive *archive, const char *key);

/* Whether something was left out of the archive because it was not used. */
bool cbn_archive_is_sliced(const cubinet_archive *archive);

/* Whether all of the module was. */
bool cbn_archive_left_out(const cubinet_archive *archive, const char *module);

/* The archive of what was left out, or NULL if none is named: the one of the catalog, or the file of that
 * name beside the archive, opened with what the archive was opened with. It belongs to the archive. Any
 * thread may ask. A failure says which file was looked for. */
cubinet_status cbn_archive_rest(const cubinet_archive *archive, const cubinet_archive **out_rest);

/* Gives an archive the rest that a catalog found, if it is its own and it has none yet; before any other
 * thread uses the archive. */
void cbn_archive_offer_rest(cubinet_archive *archive, const cubinet_archive *rest);

/* CUBINET_ERROR_NOT_FOUND: something is not there because it was left out. */
cubinet_status cbn_archive_was_left_out(const cubinet_archive *archive, const char *what, const char *name);

#endif

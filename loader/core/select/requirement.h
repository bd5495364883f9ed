/* SPDX-License-Identifier: Apache-2.0 */
/* Versions of archives, and what a program requires of them: ">= 1.4, < 2". */
#ifndef CBN_REQUIREMENT_H
#define CBN_REQUIREMENT_H

#include <cubinet/status.h>

/* CUBINET_OK if the version meets every term of the requirement. Terms are separated by commas; each is >=,
 * >,
 * <=, <, == or != and a version, which is numbers separated by dots, perhaps with a suffix after '-'
 * (1.4.0-rc1, which comes before 1.4.0; suffixes are compared as text). Numbers that are left out are 0.
 *
 * CUBINET_ERROR_INVALID_ARGUMENT if the requirement is none; CUBINET_ERROR_OTHER_VERSION if the version does
 * not meet it or is not a version. The message starts with `name`, the archive's. */
cubinet_status cbn_requirement_check(const char *requirement, const char *name, const char *version);

/* Less than, equal to or greater than 0, as version `a` comes before `b`, is the same or comes after it. What
 * is not a version ("" or "nightly") comes before all versions, and equals others of its kind. */
int cbn_version_compare(const char *a, const char *b);

#endif

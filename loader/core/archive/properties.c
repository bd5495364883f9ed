/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive's makers said of it: keys and values. */
#include "loader/core/archive/opened.h"
#include "loader/core/archive/rest.h"
#include "loader/core/support/error.h"

#include <string.h>

static const char *text(const cubinet_archive *archive, uint32_t property, uint32_t member)
{
    return cbn_string_at(&archive->strings, cbn_row(&archive->properties, property) + member);
}

cubinet_status cubinet_archive_get_property(const cubinet_archive *archive, uint32_t property,
                                            const char **out_key, const char **out_value)
{
    if (!archive || !out_key || !out_value) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "the archive, or the place for the key or the value, is NULL");
    }
    if (property >= archive->properties.count) {
        return cbn_error(CUBINET_ERROR_NOT_FOUND,
                         "%s has %u properties, numbered from 0: there is no number %u", archive->name,
                         (unsigned)archive->properties.count, (unsigned)property);
    }
    *out_key = text(archive, property, CBN_PROPERTY_KEY);
    *out_value = text(archive, property, CBN_PROPERTY_VALUE);
    return CUBINET_OK;
}

const char *cbn_archive_property(const cubinet_archive *archive, const char *key)
{
    for (uint32_t i = 0; i < archive->properties.count; i++) {
        if (strcmp(text(archive, i, CBN_PROPERTY_KEY), key) == 0) {
            return text(archive, i, CBN_PROPERTY_VALUE);
        }
    }
    return NULL;
}

cubinet_status cubinet_archive_find_property(const cubinet_archive *archive, const char *key,
                                             const char **out_value)
{
    if (!archive || !key || !out_value) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "the archive, the key or the place for the value is NULL");
    }
    const char *value = cbn_archive_property(archive, key);
    if (value) {
        *out_value = value;
        return CUBINET_OK;
    }
    return cbn_error(CUBINET_ERROR_NOT_FOUND, "%s has no property '%s'", archive->name, key);
}

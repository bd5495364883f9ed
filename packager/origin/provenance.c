/* SPDX-License-Identifier: Apache-2.0 */
#include "origin/provenance.h"

#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

bool provenance_is_known(const struct provenance *provenance)
{
    return provenance->source != NULL;
}

int provenance_compare(const struct provenance *a, const struct provenance *b)
{
    int order = strcmp(a->source, b->source);
    order = order ? order : strcmp(a->options, b->options);
    order = order ? order : strcmp(a->compiler, b->compiler);
    order = order ? order : memcmp(a->source_sha256, b->source_sha256, sizeof(a->source_sha256));
    return order ? order : memcmp(a->inputs_sha256, b->inputs_sha256, sizeof(a->inputs_sha256));
}

static cubinet_status make(const char *source, const char *options, const char *compiler,
                           struct provenance *out_made)
{
    struct provenance made = {strdup(source), strdup(options), strdup(compiler), {0}, {0}};
    if (!made.source || !made.options || !made.compiler) {
        provenance_free(&made);
        return cbn_error_memory();
    }
    *out_made = made;
    return CUBINET_OK;
}

cubinet_status provenance_copy(const struct provenance *from, struct provenance *out_copy)
{
    cubinet_status status = make(from->source, from->options, from->compiler, out_copy);
    if (!status) {
        memcpy(out_copy->source_sha256, from->source_sha256, sizeof(from->source_sha256));
        memcpy(out_copy->inputs_sha256, from->inputs_sha256, sizeof(from->inputs_sha256));
    }
    return status;
}

cubinet_status provenance_read(const cubinet_archive *archive, uint32_t module, uint32_t image,
                               struct provenance *out_provenance)
{
    cubinet_origin origin = {.size = sizeof(origin)};
    cubinet_status status = cubinet_archive_get_origin(archive, module, image, &origin);
    if (status == CUBINET_ERROR_NOT_FOUND) {
        *out_provenance = (struct provenance){0};
        return CUBINET_OK;
    }
    if (!status) {
        status = make(origin.source, origin.options, origin.compiler, out_provenance);
    }
    if (!status) {
        memcpy(out_provenance->source_sha256, origin.source_sha256, sizeof(origin.source_sha256));
        memcpy(out_provenance->inputs_sha256, origin.inputs_sha256, sizeof(origin.inputs_sha256));
    }
    return status;
}

static bool has_digests(const struct provenance *provenance)
{
    static const unsigned char unknown[CBN_SHA256_SIZE];
    return memcmp(provenance->source_sha256, unknown, sizeof(unknown)) != 0;
}

/* Whether one is to be recorded rather than the other: the one that says more, or else the first in order. */
static bool comes_first(const struct provenance *a, const struct provenance *b)
{
    if (!provenance_is_known(a) || !provenance_is_known(b)) {
        return provenance_is_known(a);
    }
    return has_digests(a) != has_digests(b) ? has_digests(a) : provenance_compare(a, b) < 0;
}

void provenance_settle(struct provenance *provenance, struct provenance *other)
{
    if (comes_first(other, provenance)) {
        struct provenance replaced = *provenance;
        *provenance = *other;
        *other = replaced;
    }
    provenance_free(other);
}

void provenance_free(struct provenance *provenance)
{
    free(provenance->source);
    free(provenance->options);
    free(provenance->compiler);
    *provenance = (struct provenance){0};
}

cubinet_status provenance_detail_read(const char *word, enum provenance_detail *out_detail)
{
    static const char *const words[] = {
        [PROVENANCE_OPTIONS] = "options", [PROVENANCE_NONE] = "none", [PROVENANCE_SOURCES] = "sources"};
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (strcmp(word, words[i]) == 0) {
            *out_detail = (enum provenance_detail)i;
            return CUBINET_OK;
        }
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "'%s' is not something that --provenance records: none, options or sources", word);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/core/support/nearest.h"

#include <ctype.h>
#include <string.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int same(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* Levenshtein's distance, with one row of his table; case does not count. */
static size_t edits(const char *a, size_t a_size, const char *b, size_t b_size)
{
    size_t row[CBN_NEAREST_MAX + 1];
    for (size_t j = 0; j <= b_size; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a_size; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t replaced = diagonal + !same(a[i - 1], b[j - 1]);
            diagonal = row[j];
            row[j] = least(replaced, least(row[j], row[j - 1]) + 1);
        }
    }
    return row[b_size];
}

void cbn_nearest_start(struct cbn_nearest *nearest, const char *wanted, size_t wanted_size)
{
    nearest->wanted = wanted;
    nearest->wanted_size = least(wanted_size, CBN_NEAREST_MAX);
    nearest->name = NULL;
    nearest->distance = (size_t)-1;
}

void cbn_nearest_offer(struct cbn_nearest *nearest, const char *name)
{
    size_t size = strlen(name);
    size_t compared = least(size, CBN_NEAREST_MAX);
    size_t distance = edits(nearest->wanted, nearest->wanted_size, name, compared);
    /* What was cut off, or left off, is a smaller difference than another name: "segsum" for "segsum<float>".
     */
    if (distance > 2 && compared > 0 && nearest->wanted_size > 0 &&
        strncmp(nearest->wanted, name, least(nearest->wanted_size, compared)) == 0) {
        distance = 2;
    }
    if (distance < nearest->distance) {
        nearest->distance = distance;
        nearest->name = name;
    }
}

const char *cbn_nearest_found(const struct cbn_nearest *nearest)
{
    if (!nearest->name) {
        return NULL;
    }
    size_t longer = strlen(nearest->name);
    longer = longer > nearest->wanted_size ? longer : nearest->wanted_size;
    return nearest->distance <= longer / 2 ? nearest->name : NULL;
}

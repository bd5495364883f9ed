/* SPDX-License-Identifier: Apache-2.0 */
/* Changes that cases of several tables make. */
#include "format_changes.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

void insert_bytes(struct built *built, size_t place, size_t size)
{
    built->bytes = realloc(built->bytes, built->size + size);
    assert_non_null(built->bytes);
    memmove(built->bytes + place + size, built->bytes + place, built->size - place);
    memset(built->bytes + place, 0, size);
    built->size += size;
}

unsigned char *row_of(const struct built *built, int set, uint16_t table, size_t row)
{
    return built->bytes + built_row(built, set, table, row);
}

unsigned char *stored_bytes(const struct built *built, int module, size_t image)
{
    return built->bytes + get(row_of(built, module, 0x8020, image) + 16, 8);
}

char *find_text(const struct built *built, int set, const char *text)
{
    char *strings = (char *)row_of(built, set, 0x8001, 0);
    char *found =
        memmem(strings, get(built->bytes + built_entry(built, set, 0x8001) + 8, 4), text, strlen(text));
    assert_non_null(found);
    return found;
}

void swap_bytes(unsigned char *a, unsigned char *b, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

void spoil_block_digest(struct built *built)
{
    row_of(built, ROOT, 0x8011, CODE)[16] ^= 1;
}

void spoil_page_digest(struct built *built)
{
    row_of(built, ROOT, 0x8012, 0)[16] ^= 1;
}

void spoil_image_digest(struct built *built)
{
    row_of(built, CODE, 0x8020, 0)[40] ^= 1;
}

void leave_out_row(struct built *built, int set, uint16_t table)
{
    unsigned char *entry = built->bytes + built_entry(built, set, table);
    put(entry + 8, 4, get(entry + 8, 4) - 1);
}

void write_no_licence(struct built *built)
{
    find_text(built, ROOT, "Apache-2.0")[4] = ' ';
}

void lengthen_index(struct built *built)
{
    unsigned char *size = built->bytes + built->index + 24;
    put(size, 4, get(size, 4) + 8);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text_table.h"

#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

void text_table_add(struct text_table *table, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    buffer_vprintf(&table->cells, format, args);
    va_end(args);
    buffer_append(&table->cells, "", 1);
    table->cell_count++;
}

/* Characters, as far as they are all one column wide: bytes that don't continue a UTF-8 character. */
static size_t width(const char *text)
{
    size_t count = 0;
    for (; *text; text++) {
        count += (*text & 0xc0) != 0x80;
    }
    return count;
}

static void measure(const struct text_table *table, size_t columns, size_t *widths)
{
    const char *cell = table->cells.data;
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t wide = width(cell);
        if (wide > widths[i % columns]) {
            widths[i % columns] = wide;
        }
        cell += strlen(cell) + 1;
    }
}

static void print_rows(const struct text_table *table, size_t columns, const size_t *widths, int indent,
                       FILE *file)
{
    const char *cell = table->cells.data;
    size_t spaces = 0; /* printed when a cell with text follows: no line ends with spaces */
    for (size_t i = 0; i < table->cell_count; i++) {
        size_t column = i % columns;
        bool right = table->alignment[column] == 'r';
        size_t padding = widths[column] - width(cell);
        spaces += (column == 0 ? (size_t)indent : 2) + (right ? padding : 0);
        if (*cell) {
            fprintf(file, "%*s%s", (int)spaces, "", cell);
            spaces = 0;
        }
        spaces += right ? 0 : padding;
        if (column + 1 == columns) {
            fputc('\n', file);
            spaces = 0;
        }
        cell += strlen(cell) + 1;
    }
}

cubinet_status text_table_print(struct text_table *table, int indent, FILE *file)
{
    size_t columns = strlen(table->alignment);
    size_t *widths = table->cells.failed ? NULL : calloc(columns, sizeof(*widths));
    cubinet_status status = widths ? CUBINET_OK : cbn_error_memory();
    if (!status) {
        measure(table, columns, widths);
        print_rows(table, columns, widths, indent, file);
    }
    free(widths);
    buffer_free(&table->cells);
    table->cell_count = 0;
    return status;
}

const char *size_text(unsigned long long bytes, char text[SIZE_TEXT_SIZE])
{
    static const char units[][3] = {"KB", "MB", "GB", "TB"};
    if (bytes < 1000) {
        snprintf(text, SIZE_TEXT_SIZE, "%llu B", bytes);
        return text;
    }
    double value = (double)bytes / 1000;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        value /= 1000;
        unit++;
    }
    int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(text, SIZE_TEXT_SIZE, "%.*f %s", decimals, value, units[unit]);
    return text;
}

bool is_release(uint32_t number)
{
    return number >= 1000 && number % 10 == 0 && number < 1000 * 1000;
}

const char *release_text(uint32_t release, char text[RELEASE_TEXT_SIZE])
{
    if (release == 0) {
        snprintf(text, RELEASE_TEXT_SIZE, "unknown");
    } else {
        snprintf(text, RELEASE_TEXT_SIZE, "%u.%u", release / 1000, release % 1000 / 10);
    }
    return text;
}

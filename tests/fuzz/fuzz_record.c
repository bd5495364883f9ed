/* SPDX-License-Identifier: Apache-2.0 */
/* A record of use. What is read of it is read again as it is written. */
#include "harness.h"
#include "loader/core/record/record_file.h"

static int is_equal(const char *text, const char *other)
{
    return text && other ? strcmp(text, other) == 0 : text == other;
}

/* Texts that are not UTF-8 are written as what they would be in Latin-1, so it takes writing them once. */
static void write_again(const struct cbn_record_entry *entry, int times)
{
    size_t size = 0;
    size_t key_size = 0;
    struct cbn_record record = {0};
    char *line = cbn_record_print(entry, &size, &key_size);
    if (!line || key_size > size || (entry->time != NULL) != (key_size > 0) ||
        cbn_record_add(&record, harness_text(line, size), size, "a record") || record.count != 1 ||
        record.damaged) {
        abort();
    }
    if (times > 0) {
        write_again(&record.entries[0], times - 1);
    } else if (!is_equal(entry->module, record.entries[0].module) ||
               !is_equal(entry->kernel, record.entries[0].kernel) ||
               !is_equal(entry->time, record.entries[0].time)) {
        abort();
    }
    free(line);
    cbn_record_free(&record);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cbn_record record = {0};
    cbn_record_add(&record, harness_text(data, size), size, "a record");
    for (size_t i = 0; i < record.count && i < 16; i++) {
        write_again(&record.entries[i], 1);
    }
    cbn_record_free(&record);
    return 0;
}

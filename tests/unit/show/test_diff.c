/* SPDX-License-Identifier: Apache-2.0 */
/* Comparing archives whose parts are large. */
#include "archive/archive_writer.h"
#include "ptx/reading/ptx.h"
#include "show/diff.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KERNELS = 4000, SIZE = 20 << 20 };

static const char head[] = ".version 8.0\n.target sm_90\n.address_size 64\n";

/* PTX of that size, with so many kernels and that character at its end. */
static struct draft_part make_part(const char *prefix, size_t kernels, size_t size, char end,
                                   struct contents *contents)
{
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, '\n', size);
    text[size] = '\0';
    size_t used = (size_t)snprintf(text, size, "%s", head);
    for (size_t i = 0; i < kernels; i++) {
        used +=
            (size_t)snprintf(text + used, size - used, ".visible .entry %s%04zu()\n{\nret;\n}\n", prefix, i);
    }
    text[used] = '\n';
    text[size - 1] = end;
    assert_int_equal(ptx_read(text, size, contents), CUBINET_OK);
    return (struct draft_part){(unsigned char *)text, size, contents};
}

static void write(const char *path, char end)
{
    struct draft draft = {0};
    struct contents contents[2] = {0};
    const struct draft_part parts[] = {make_part("a", KERNELS, SIZE, end, &contents[0]),
                                       make_part("b", 1, 1000, '\n', &contents[1])};
    assert_int_equal(draft_add_parts(draft_module(&draft, "m"), contents[0].target, parts, 2, "a test", NULL),
                     CUBINET_OK);
    assert_int_equal(archive_write_file(&draft, &(struct archive_writer_options){.zstd_level = 1}, path),
                     CUBINET_OK);
    draft_free(&draft);
    contents_free(&contents[0]);
    contents_free(&contents[1]);
}

/* Reading a part again for each of its kernels would take minutes. */
static void parts_are_compared_once(void **state)
{
    (void)state;
    const char *paths[] = {"cubinet-test-before.cubinet", "cubinet-test-after.cubinet"};
    struct shown_archive shown[2];
    struct diff diff;
    size_t kernels = 0;
    for (int i = 0; i < 2; i++) {
        write(paths[i], i ? ' ' : '\t');
        assert_int_equal(shown_archive_open(paths[i], NULL, &shown[i]), CUBINET_OK);
    }
    assert_int_equal(diff_archives(&shown[0], &shown[1], 0, &diff), CUBINET_OK);
    for (size_t i = 0; i < diff.count; i++) {
        bool is_of_kernel = strcmp(diff.items[i].what, "code") == 0 && diff.items[i].name;
        kernels += is_of_kernel;
        assert_true(!is_of_kernel || diff.items[i].name[0] == 'a');
    }
    assert_int_equal(kernels, KERNELS);
    diff_free(&diff);
    for (int i = 0; i < 2; i++) {
        shown_archive_close(&shown[i]);
        remove(paths[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_compared_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Text in archives: wherever an archive has some, bytes that would control a terminal or are not UTF-8 are
 * refused on reading, with all digests right, and on writing. */
#include "../fuzz/seal.h"
#include "archive/archive_writer.h"
#include "unit.h"

#include <cubinet/archive.h>
#include <cubinet/version.h>

#include <stdlib.h>
#include <string.h>

/* A draft with a text of its own in every place that has one. */
static struct draft make_draft(void)
{
    static const struct symbol symbol = {
        .name = "place-symbol", .expression = "place-symbol-expression", .type = "place-type"};
    struct draft draft = {.archive_version = strdup("place-version"), .abi = strdup("place-abi")};
    struct draft_module *module = draft_module(&draft, "place-module");
    struct contents contents = {.toolkit = 12090};
    contents_add_kernel(&contents, "place-kernel", strlen("place-kernel"));
    contents_add_global(&contents, "place-global", strlen("place-global"));
    assert_int_equal(symbol_list_add(&contents.symbols, &symbol), CUBINET_OK);
    contents.symbols.is_recorded = true;
    struct draft_image *image;
    assert_int_equal(draft_add_image(module, (cubinet_target){CUBINET_IMAGE_LTOIR, 75, 0},
                                     (unsigned char *)strdup("image"), 5, &contents, "test", &image),
                     CUBINET_OK);
    contents_free(&contents);
    image->provenance = (struct provenance){.source = strdup("place-source"),
                                            .options = strdup("place-options"),
                                            .compiler = strdup("place-nvrtc")};
    assert_int_equal(draft_add_kernel(module, "place-kernel", "place-kernel-expression"), CUBINET_OK);
    assert_int_equal(draft_add_global(module, "place-global", "place-global-expression", 4, 0), CUBINET_OK);
    assert_int_equal(property_list_set(&draft.properties, "place-key=place-value"), CUBINET_OK);
    return draft;
}

/* With their NUL, since some begin as others do. The producer is the writer's own. */
static const char *const places[] = {
    "place-version",
    ("cubinet " CUBINET_VERSION_STRING),
    "place-abi",
    "place-key",
    "place-value",
    "place-module",
    "place-kernel",
    "place-global",
    "place-symbol",
    "place-kernel-expression",
    "place-global-expression",
    "place-symbol-expression",
    "place-type",
    "place-source",
    "place-options",
    "place-nvrtc",
};

static cubinet_status read_all(const void *bytes, size_t size)
{
    cubinet_archive *archive = NULL;
    cubinet_status status = cubinet_archive_open_memory(bytes, size, NULL, &archive);
    if (!status) {
        cubinet_module_info module = {.size = sizeof(module)};
        status = cubinet_archive_get_module(archive, 0, &module);
    }
    cubinet_archive_close(archive);
    return status;
}

/* What reading says when the last characters of the text in a place are others. */
static cubinet_status read_with(const char *place, const char *text)
{
    struct draft draft = make_draft();
    char *bytes = NULL;
    size_t size = 0;
    assert_int_equal(archive_make(&draft, &bytes, &size), CUBINET_OK);
    draft_free(&draft);
    char *found = memmem(bytes, size, place, strlen(place) + 1);
    assert_non_null(found);
    assert_int_equal(found[-1], '\0');
    memcpy(found + strlen(place) - strlen(text), text, strlen(text));
    seal((unsigned char *)bytes, size);
    cubinet_status status = read_all(bytes, size);
    free(bytes);
    return status;
}

static const char *const bad_texts[] = {
    "\x1b[2J", /* clears a terminal */
    "\a",
    "\t",
    "\r",
    "\x7f",
    "\xc2\x9b"
    "1m", /* U+009B, which starts what ESC [ does */
    "\x9b"
    "1m",               /* the same as a byte, which is not UTF-8 */
    "\xe2\x80\xa8",     /* U+2028 */
    "\xe2\x80\xae",     /* U+202E turns the direction round */
    "\xe2\x81\xa6",     /* U+2066 */
    "\xc0\xaf",         /* overlong */
    "\xed\xa0\x80",     /* a surrogate */
    "\xf4\x90\x80\x80", /* beyond Unicode */
    "\xc3",             /* cut off */
};

static const char *const good_texts[] = {
    "~",       "\xc3\xa9", "\xc2\xa0", "\xe2\x82\xac", "\xe2\x80\xaf", "\xe2\x81\xaa", "\xf0\x9f\x98\x80",
    "\xd7\xa9"};

static void expect(const char *place, const char *text, cubinet_status expected)
{
    cubinet_status status = read_with(place, text);
    if (status != expected) {
        fail_msg("%s with %s: %s", place, text, status ? cubinet_error_message() : "taken");
    }
}

static void reads_no_bad_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        for (size_t j = 0; j < COUNT(bad_texts); j++) {
            expect(places[i], bad_texts[j], CUBINET_ERROR_DAMAGED);
        }
        for (size_t j = 0; j < COUNT(good_texts); j++) {
            expect(places[i], good_texts[j], CUBINET_OK);
        }
    }
}

/* Options are one on each line, and nothing else has lines. */
static void reads_lines_in_options_alone(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(places); i++) {
        bool has_lines = strcmp(places[i], "place-options") == 0;
        expect(places[i], "\nb", has_lines ? CUBINET_OK : CUBINET_ERROR_DAMAGED);
    }
}

/* A name may not begin with the second byte of a character, though the string table is UTF-8. */
static void reads_no_half_character(void **state)
{
    (void)state;
    struct draft draft = make_draft();
    char *bytes = NULL;
    size_t size = 0;
    assert_int_equal(archive_make(&draft, &bytes, &size), CUBINET_OK);
    draft_free(&draft);
    char *name = memmem(bytes, size, "place-kernel", sizeof("place-kernel"));
    assert_non_null(name);
    memcpy(name, "\xc3\xa9", 2);
    seal((unsigned char *)bytes, size);
    assert_int_equal(read_all(bytes, size), CUBINET_OK);
    /* The row of the only kernel: the offsets of its name, which is the block's first string, and of its
     * expression. */
    static const unsigned char row[] = {1, 0, 0, 0, 1 + sizeof("place-kernel"), 0, 0, 0};
    char *found = memmem(name, size - (size_t)(name - bytes), row, sizeof(row));
    assert_non_null(found);
    *found = 2;
    seal((unsigned char *)bytes, size);
    assert_int_equal(read_all(bytes, size), CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "name"));
    free(bytes);
}

static void replace(char **text, const char *with)
{
    free(*text);
    *text = strdup(with);
}

/* Images that others made may have any names. */
static void writes_no_bad_text(void **state)
{
    (void)state;
    for (size_t place = 0; place < 9; place++) {
        for (size_t i = 0; i < COUNT(bad_texts); i++) {
            struct draft draft = make_draft();
            struct draft_module *module = draft.modules;
            struct symbol *symbol = module->images->symbols.items;
            char **texts[] = {&module->name,
                              &module->kernels->name,
                              &module->kernels->expression,
                              &module->globals->name,
                              &module->globals->expression,
                              &symbol->name,
                              &symbol->expression,
                              &symbol->type,
                              &draft.abi};
            replace(texts[place], bad_texts[i]);
            char *bytes = NULL;
            size_t size = 0;
            assert_int_equal(archive_make(&draft, &bytes, &size), CUBINET_ERROR_INVALID_ARGUMENT);
            for (const char *at = cubinet_error_message(); *at; at++) {
                assert_in_range(*at, ' ', '~');
            }
            draft_free(&draft);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_no_bad_text),
        cmocka_unit_test(reads_lines_in_options_alone),
        cmocka_unit_test(reads_no_half_character),
        cmocka_unit_test(writes_no_bad_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

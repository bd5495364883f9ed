/* SPDX-License-Identifier: Apache-2.0 */
/* docs/reference/format.md, sentence by sentence: each that says how an archive is made is broken by an
 * archive whose digests are right, and `cubinet verify` has to say what is wrong. A sentence that nobody
 * breaks or explains fails the test, so that the page, the cases (tests/unit/format) and the checks stay
 * together. */
#include "archive/check_archive.h"
#include "base/file.h"
#include "format/format_cases.h"
#include "loader/core/archive/digest.h"
#include "memory_file.h"
#include "seal.h"
#include "show/shown_archive.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Making digests right. */

static void seal_root(struct built *built)
{
    unsigned char *root = built->bytes + built->index;
    struct cbn_digest digest = cbn_digest_two(root, 32, root + 48, get(root + 28, 4) - 48);
    memcpy(root + 32, digest.bytes, sizeof(digest.bytes));
}

static void seal_from(struct built *built, enum format_seal from)
{
    if (from == FROM_IMAGES) {
        seal(built->bytes, built->size);
    } else if (from == FROM_BLOCKS) {
        built_seal(built);
    } else if (from == FROM_ROOT) {
        seal_root(built);
    }
    if (from <= FROM_ZIP) {
        built_seal_zip(built);
    }
}

/* Breaking an archive. */

static void change(struct built *built, const struct format_change *change)
{
    size_t place = change->offset;
    switch (change->where) {
    case NOWHERE:
        return;
    case IN_ROW:
        place += built_row(built, change->set, change->table, change->row);
        break;
    case IN_ENTRY:
        place += built_entry(built, change->set, change->table);
        break;
    case IN_SET:
        place += built_set(built, change->set);
        break;
    case IN_FILE:
        break;
    case BEFORE_END:
        place = built->size - change->offset;
        break;
    }
    put(built->bytes + place, change->width, change->value);
}

static struct built make(const struct format_case *one)
{
    struct built built = format_base(one->base);
    for (size_t i = 0; i < COUNT(one->changes); i++) {
        change(&built, &one->changes[i]);
    }
    if (one->alter) {
        one->alter(&built);
    }
    seal_from(&built, one->seal);
    if (one->after) {
        one->after(&built);
    }
    return built;
}

/* What `cubinet verify` finds: lines, or what the library says of an archive that it does not open. */
static struct problems verify(const struct built *built, bool with_key)
{
    struct problems problems = {0};
    struct shown_archive shown;
    struct cbn_text_list keys = {0};
    if (with_key) {
        assert_int_equal(cbn_text_list_add(&keys, format_public_key()), CUBINET_OK);
    }
    const char *path = memory_file(built->bytes, built->size);
    if (shown_archive_open_trusting(path, NULL, with_key ? &keys : NULL, &shown)) {
        problems_add(&problems, "%s", cubinet_error_message());
    } else {
        assert_int_equal(check_archive(shown.archive, &shown.listing, 0, &problems), CUBINET_OK);
        shown_archive_close(&shown);
    }
    cbn_text_list_free(&keys);
    return problems;
}

static bool is_said(const struct problems *problems, const char *message)
{
    for (const char *line = NULL; (line = problems_next(problems, line));) {
        if (strstr(line, message)) {
            return true;
        }
    }
    return false;
}

static bool run_case(const struct format_case *one)
{
    struct built built = make(one);
    struct problems problems = verify(&built, one->with_key);
    bool passes = one->message ? is_said(&problems, one->message) : problems.count == 0;
    if (!passes) {
        print_error("\"%s\"\n  wanted: %s\n", one->quote, one->message ? one->message : "nothing");
        for (const char *line = NULL; (line = problems_next(&problems, line));) {
            print_error("  said:   %s\n", line);
        }
    }
    problems_free(&problems);
    built_free(&built);
    return passes;
}

static void verify_finds_what_breaks_a_sentence(void **state)
{
    (void)state;
    size_t failed = 0;
    const struct format_case *one;
    for (size_t i = 0; (one = format_case_at(i)); i++) {
        failed += !run_case(one);
    }
    assert_int_equal(failed, 0);
}

static void bases_are_sound(void **state)
{
    (void)state;
    for (int base = PLAIN; base < BASES; base++) {
        const struct format_case untouched = {
            .quote = "a base", .base = (enum format_base)base, .seal = NONE};
        assert_true(run_case(&untouched));
    }
}

/* Walking the page. */

/* The page's sentences, each with its NUL. White space is one space. */
struct page {
    char *text;
    size_t size;
};

static void put_byte(struct page *page, char byte)
{
    char last = page->size > 0 ? page->text[page->size - 1] : '\0';
    if (!(byte == ' ' && (last == ' ' || last == '\0')) && !(byte == '\0' && last == '\0')) {
        page->text[page->size++] = byte;
    }
}

/* Headings, pictures and the rules below the heads of tables say nothing. */
static bool is_silent(const char *line)
{
    return line[0] == '#' || strncmp(line, "![", 2) == 0 ||
           (line[0] == '|' && strspn(line, "|-: ") == strcspn(line, "\n"));
}

/* A row of a table is one sentence, and an empty line ends one. In text a full stop or semicolon with a space
 * or the line's end after it does. */
static void add_line(struct page *page, const char *line, size_t size)
{
    bool is_row = line[0] == '|';
    if (is_row || size == 0) {
        put_byte(page, '\0');
    }
    for (size_t i = 0; i < size; i++) {
        put_byte(page, line[i]);
        bool is_end = (line[i] == '.' || line[i] == ';') && (i + 1 == size || line[i + 1] == ' ');
        if (is_end && !is_row) {
            put_byte(page, '\0');
        }
    }
    put_byte(page, is_row ? '\0' : ' ');
}

static struct page read_page(void)
{
    char *text;
    size_t size;
    assert_int_equal(file_read(FORMAT_PAGE, &text, &size), CUBINET_OK);
    struct page page = {.text = calloc(size + 2, 1)};
    assert_non_null(page.text);
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        if (!is_silent(line)) {
            add_line(&page, line, length);
        }
        line += length + (line[length] == '\n');
    }
    put_byte(&page, '\0');
    free(text);
    return page;
}

static bool is_in_page(const struct page *page, const char *quote)
{
    for (const char *sentence = page->text; sentence < page->text + page->size;
         sentence += strlen(sentence) + 1) {
        if (strstr(sentence, quote)) {
            return true;
        }
    }
    return false;
}

static bool is_known(const char *sentence)
{
    const struct format_case *one;
    for (size_t i = 0; (one = format_case_at(i)); i++) {
        if (strstr(sentence, one->quote)) {
            return true;
        }
    }
    for (size_t i = 0; i < format_explained_count; i++) {
        if (strstr(sentence, format_explained[i])) {
            return true;
        }
    }
    return false;
}

static void every_sentence_has_a_case(void **state)
{
    (void)state;
    struct page page = read_page();
    size_t unknown = 0;
    for (const char *sentence = page.text; sentence < page.text + page.size;
         sentence += strlen(sentence) + 1) {
        if (!is_known(sentence)) {
            print_error("no case breaks, and nothing explains: %s\n", sentence);
            unknown++;
        }
    }
    assert_int_equal(unknown, 0);
    free(page.text);
}

static size_t is_strange(const struct page *page, const char *quote)
{
    if (is_in_page(page, quote)) {
        return 0;
    }
    print_error("the page does not say: %s\n", quote);
    return 1;
}

static void every_case_quotes_the_page(void **state)
{
    (void)state;
    struct page page = read_page();
    size_t strange = 0;
    const struct format_case *one;
    for (size_t i = 0; (one = format_case_at(i)); i++) {
        strange += is_strange(&page, one->quote);
    }
    for (size_t i = 0; i < format_explained_count; i++) {
        strange += is_strange(&page, format_explained[i]);
    }
    assert_int_equal(strange, 0);
    free(page.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bases_are_sound),
        cmocka_unit_test(verify_finds_what_breaks_a_sentence),
        cmocka_unit_test(every_sentence_has_a_case),
        cmocka_unit_test(every_case_quotes_the_page),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

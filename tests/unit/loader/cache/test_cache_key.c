/* SPDX-License-Identifier: Apache-2.0 */
/* Keys: different fields are different keys. The linker's --wrap makes realloc fail. */
#include "loader/cache/cache_entry.h"
#include "loader/cache/cache_key.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

/* Compilers make a malloc() of a realloc() of nothing. */
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_realloc(void *memory, size_t size);
void *__wrap_realloc(void *memory, size_t size);

static bool out_of_memory;

void *__wrap_malloc(size_t size)
{
    return out_of_memory ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return out_of_memory ? NULL : __real_realloc(memory, size);
}

/* One field of a key: its type, name and value. */
struct field {
    char type;
    const char *name;
    const char *value; /* of a number: its digits */
};

static struct cbn_cache_key key_of(const char *kind, const struct field *fields, size_t count)
{
    struct cbn_cache_key key;
    cbn_cache_key_start(&key, kind);
    for (size_t i = 0; i < count; i++) {
        const struct field *field = &fields[i];
        if (field->type == 'b') {
            cbn_cache_key_add_bytes(&key, field->name, field->value, strlen(field->value));
        } else if (field->type == 't') {
            cbn_cache_key_add_text(&key, field->name, field->value);
        } else if (field->type == 'n') {
            cbn_cache_key_add_u64(&key, field->name, strtoull(field->value, NULL, 10));
        }
    }
    assert_int_equal(cbn_cache_key_finish(&key), CUBINET_OK);
    return key;
}

static void fields_that_differ_are_keys_that_differ(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        struct field fields[3];
    } cases[] = {
        {"link", {{0}}},
        {"compile", {{0}}},
        {"link", {{'t', "arch", "sm_90"}}},
        {"link", {{'t', "arch", "sm_90a"}}},
        {"link", {{'b', "arch", "sm_90"}}},
        {"link", {{'t', "archs", "m_90"}}},
        {"link", {{'t', "arc", "hsm_90"}}},
        {"link", {{'t', "arch", ""}}},
        {"link", {{'t', "arch", NULL}}},
        {"link", {{'b', "arch", ""}}},
        {"link", {{'t', "arch", "sm_90"}, {'t', "arch", ""}}},
        {"link", {{'t', "arch", ""}, {'t', "arch", "sm_90"}}},
        {"link", {{'t', "option", "-a"}, {'t', "option", "-b"}}},
        {"link", {{'t', "option", "-b"}, {'t', "option", "-a"}}},
        {"link", {{'t', "option", "-a-b"}}},
        {"link", {{'n', "option", "1"}}},
        {"link", {{'n', "option", "256"}}},
        {"link", {{'b', "option", "\1"}}},
    };
    struct cbn_cache_key keys[COUNT(cases)];
    for (size_t i = 0; i < COUNT(cases); i++) {
        keys[i] = key_of(cases[i].kind, cases[i].fields, COUNT(cases[i].fields));
        for (size_t j = 0; j < i; j++) {
            assert_false(cbn_cache_key_equal(&keys[i], &keys[j]));
            assert_memory_not_equal(keys[i].digest.bytes, keys[j].digest.bytes, sizeof(keys[i].digest.bytes));
        }
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct cbn_cache_key again = key_of(cases[i].kind, cases[i].fields, COUNT(cases[i].fields));
        assert_true(cbn_cache_key_equal(&keys[i], &again));
        assert_memory_equal(keys[i].digest.bytes, again.digest.bytes, sizeof(again.digest.bytes));
        cbn_cache_key_free(&again);
        cbn_cache_key_free(&keys[i]);
    }
}

/* docs/reference/cache.md promises these bytes to other readers. */
static void bytes_are_those_that_are_documented(void **state)
{
    (void)state;
    static const unsigned char expected[] =
        "\3\15\0\0\0\0\0\0\0entry version\10\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
        "\2\4\0\0\0\0\0\0\0kind\4\0\0\0\0\0\0\0link"
        "\2\4\0\0\0\0\0\0\0arch\6\0\0\0\0\0\0\0sm_90a"
        "\1\5\0\0\0\0\0\0\0piece\2\0\0\0\0\0\0\0\xca\xfe"
        "\4\4\0\0\0\0\0\0\0name\0\0\0\0\0\0\0\0";
    static const struct field fields[] = {
        {'t', "arch", "sm_90a"}, {'b', "piece", "\xca\xfe"}, {'t', "name", NULL}};
    struct cbn_cache_key key = key_of("link", fields, COUNT(fields));
    assert_int_equal(key.size, sizeof(expected) - 1);
    assert_memory_equal(key.bytes, expected, sizeof(expected) - 1);
    char name[CBN_CACHE_NAME_SIZE];
    assert_string_equal(cbn_cache_entry_name(&key, name), "fe6350c0d17936e3b5687d730c276cdf.link");
    cbn_cache_key_free(&key);
}

/* Likewise of a whole entry: what comes before the payload, and that it is read again. */
static void entries_are_those_that_are_documented(void **state)
{
    (void)state;
    static const unsigned char expected[] =
        "\x89"
        "CBNC\r\n\x1a"
        "\xb5\xf1\xa2\xf9\x77\xf0\x72\x99\x0e\xc3\x06\xc8\xff\x32\x33\xf8"
        "\1\0\0\0\x3f\0\0\0\7\0\0\0\0\0\0\0"
        "\3\15\0\0\0\0\0\0\0entry version\10\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
        "\2\4\0\0\0\0\0\0\0kind\4\0\0\0\0\0\0\0link"
        "\0\0\0\0\0\0\0\0\0"
        "payload";
    enum { HEAD = sizeof(expected) - sizeof("payload") };
    struct cbn_cache_key key = key_of("link", NULL, 0);
    size_t size = 0;
    unsigned char *head = cbn_cache_entry_head(&key, "payload", 7, &size);
    assert_non_null(head);
    assert_int_equal(size, HEAD);
    assert_memory_equal(head, expected, HEAD);
    struct cbn_cache_entry entry;
    assert_null(cbn_cache_entry_read(expected, sizeof(expected) - 1, &entry));
    assert_int_equal(entry.key_size, key.size);
    assert_memory_equal(entry.key, key.bytes, key.size);
    assert_int_equal(entry.payload_size, 7);
    assert_memory_equal(entry.payload, "payload", 7);
    free(head);
    cbn_cache_key_free(&key);
}

static void holds_long_fields(void **state)
{
    (void)state;
    static char option[100000];
    memset(option, 'o', sizeof(option) - 1);
    struct cbn_cache_key key;
    cbn_cache_key_start(&key, "link");
    for (int i = 0; i < 10; i++) {
        cbn_cache_key_add_text(&key, "option", option);
    }
    assert_int_equal(cbn_cache_key_finish(&key), CUBINET_OK);
    assert_true(key.size > 10 * (sizeof(option) - 1));
    cbn_cache_key_free(&key);
}

static void says_that_memory_is_short(void **state)
{
    (void)state;
    struct cbn_cache_key key;
    out_of_memory = true;
    cbn_cache_key_start(&key, "link");
    out_of_memory = false;
    cbn_cache_key_add_text(&key, "arch", "sm_90"); /* a key without its first field must not be finished */
    assert_int_equal(cbn_cache_key_finish(&key), CUBINET_ERROR_OUT_OF_MEMORY);
    cbn_cache_key_free(&key);
}

static void knows_names_of_entries(void **state)
{
    (void)state;
    assert_true(cbn_cache_entry_named("0123456789abcdef0123456789abcdef.link"));
    assert_true(cbn_cache_entry_named("0123456789abcdef0123456789abcdef.a-kind-of-15-ch"));
    static const char *const others[] = {
        "lock",
        "tmp-0123456789abcdef",
        "0123456789abcdef0123456789abcdef",
        "0123456789abcdef0123456789abcdef.",
        "0123456789abcdef0123456789abcdef.Link",
        "0123456789abcdef0123456789abcdef.link.old",
        "0123456789abcdef0123456789abcdef.a-kind-of-16-cha",
        "0123456789ABCDEF0123456789abcdef.link",
        "0123456789abcdef0123456789abcde.link",
        "",
    };
    for (size_t i = 0; i < COUNT(others); i++) {
        assert_false(cbn_cache_entry_named(others[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_that_differ_are_keys_that_differ),
        cmocka_unit_test(bytes_are_those_that_are_documented),
        cmocka_unit_test(entries_are_those_that_are_documented),
        cmocka_unit_test(holds_long_fields),
        cmocka_unit_test(says_that_memory_is_short),
        cmocka_unit_test(knows_names_of_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

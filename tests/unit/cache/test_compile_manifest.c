/* SPDX-License-Identifier: Apache-2.0 */
/* Manifests of compiles: what is written is read, few sets are kept, and damage is none. */
#include "base/packed_bytes.h"
#include "cache/compile_manifest.h"
#include "compile/compile_result.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The inputs of a compile: the source, `shared` headers that others have as well, one of its own, a folder
 * and a path at which nothing was. */
static struct inputs inputs_of(int number, int shared)
{
    struct inputs inputs = {.certain = true};
    char path[64];
    assert_non_null(inputs_add(&inputs, INPUT_FILE, "k.cu"));
    assert_non_null(inputs_add(&inputs, INPUT_FOLDER, "inc"));
    for (int i = 0; i < shared; i++) {
        snprintf(path, sizeof(path), "inc/header%03d.h", i);
        struct input *input = inputs_add(&inputs, i % 2 ? INPUT_TOOLKIT : INPUT_FILE, path);
        assert_non_null(input);
        input->digest = cbn_sha256(path, strlen(path));
    }
    struct input *own = inputs_add(&inputs, INPUT_FILE, "own.h");
    assert_non_null(own);
    own->digest = cbn_sha256(&number, sizeof(number));
    snprintf(path, sizeof(path), "missing%d.h", number);
    assert_non_null(inputs_add(&inputs, INPUT_MISSING, path));
    return inputs;
}

static bool is_set(const struct compile_manifest *manifest, size_t set, const struct inputs *inputs)
{
    struct inputs found;
    assert_true(set < manifest->set_count);
    assert_true(compile_manifest_inputs(manifest, &manifest->sets[set], &found));
    bool same = found.count == inputs->count;
    for (size_t i = 0; same && i < found.count; i++) {
        const struct input *a = &found.items[i];
        const struct input *b = &inputs->items[i];
        same = a->kind == b->kind && strcmp(a->path, b->path) == 0 &&
               memcmp(a->digest.bytes, b->digest.bytes, sizeof(a->digest.bytes)) == 0;
    }
    inputs_free(&found);
    return same;
}

/* Adds a set to a manifest, which is replaced, as a compile does. */
static void add(struct compile_manifest *manifest, const struct inputs *inputs)
{
    struct buffer bytes = {0};
    compile_manifest_write(manifest, inputs, &bytes);
    assert_false(bytes.failed);
    compile_manifest_free(manifest);
    assert_true(compile_manifest_read(bytes.data, bytes.size, manifest));
    buffer_free(&bytes);
}

static void the_newest_sets_are_kept(void **state)
{
    (void)state;
    struct compile_manifest manifest = {0};
    for (int i = 0; i < 40; i++) {
        struct inputs inputs = inputs_of(i, 5);
        add(&manifest, &inputs);
        assert_true(is_set(&manifest, 0, &inputs));
        inputs_free(&inputs);
    }
    assert_int_equal(manifest.set_count, 32);
    for (int i = 0; i < 32; i++) {
        struct inputs inputs = inputs_of(39 - i, 5);
        assert_true(is_set(&manifest, (size_t)i, &inputs));
        inputs_free(&inputs);
    }
    /* What they share is there once: the source, 5 headers and the folder, and 2 of each one's own. */
    assert_int_equal(manifest.item_count, 7 + 2 * 32);
    compile_manifest_free(&manifest);
}

static void a_set_that_is_there_becomes_the_newest(void **state)
{
    (void)state;
    struct compile_manifest manifest = {0};
    struct inputs first = inputs_of(1, 2);
    struct inputs second = inputs_of(2, 0);
    add(&manifest, &first);
    add(&manifest, &second);
    add(&manifest, &first);
    assert_int_equal(manifest.set_count, 2);
    assert_true(is_set(&manifest, 0, &first));
    assert_true(is_set(&manifest, 1, &second));
    inputs_free(&first);
    inputs_free(&second);
    compile_manifest_free(&manifest);
}

/* Of large sets fewer are kept, and always the newest. */
static void large_manifests_are_bounded(void **state)
{
    (void)state;
    struct compile_manifest manifest = {0};
    for (int i = 0; i < 8; i++) {
        struct inputs inputs = {.certain = true};
        for (int j = 0; j < 30000; j++) {
            char path[64];
            snprintf(path, sizeof(path), "a/folder/%d/of/many/header%05d.h", i, j);
            assert_non_null(inputs_add(&inputs, INPUT_FILE, path));
        }
        add(&manifest, &inputs);
        assert_true(is_set(&manifest, 0, &inputs));
        inputs_free(&inputs);
    }
    assert_true(manifest.set_count < 8);
    compile_manifest_free(&manifest);
}

/* Every byte of what was packed, altered in several ways and cut off: read or refused, nothing else. */
static void damage_is_none_or_harmless(void **state)
{
    (void)state;
    struct inputs inputs = inputs_of(1, 3);
    struct buffer packed = {0};
    char *bytes = NULL;
    size_t size = 0;
    compile_manifest_write(NULL, &inputs, &packed);
    assert_true(packed_bytes_read(packed.data, packed.size, 1 << 20, &bytes, &size));
    for (size_t i = 0; i < size; i++) {
        static const unsigned char alterations[] = {0x01, 0x80, 0xff};
        for (size_t j = 0; j < COUNT(alterations); j++) {
            struct buffer altered = {0};
            struct compile_manifest manifest;
            bytes[i] = (char)(bytes[i] ^ (char)alterations[j]);
            packed_bytes_add(&altered, bytes, j == 0 ? i : size);
            if (compile_manifest_read(altered.data, altered.size, &manifest)) {
                compile_manifest_free(&manifest);
            }
            bytes[i] = (char)(bytes[i] ^ (char)alterations[j]);
            buffer_free(&altered);
        }
    }
    free(bytes);
    buffer_free(&packed);
    inputs_free(&inputs);
}

static void results_are_read_as_they_were_written(void **state)
{
    (void)state;
    static const char archive[] = "PK\0\1archive";
    const struct compile_result result = {archive, sizeof(archive), "k.cu:1: warning: w\n"};
    struct buffer packed = {0};
    struct compile_result read;
    char *bytes = NULL;
    compile_result_write(&result, &packed);
    assert_true(compile_result_read(packed.data, packed.size, COMPILE_RESULT_MOST, &bytes, &read));
    assert_int_equal(read.archive_size, sizeof(archive));
    assert_memory_equal(read.archive, archive, sizeof(archive));
    assert_string_equal(read.messages, result.messages);
    free(bytes);
    for (size_t i = 0; i < packed.size; i++) {
        assert_false(compile_result_read(packed.data, i, COMPILE_RESULT_MOST, &bytes, &read));
    }
    buffer_free(&packed);
    packed_bytes_add(&packed, "\1\0\0\0\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff", 16);
    assert_false(compile_result_read(packed.data, packed.size, COMPILE_RESULT_MOST, &bytes, &read));
    buffer_free(&packed);
}

/* A frame that promises more than is allowed is not unpacked. */
static void unpacking_is_bounded(void **state)
{
    (void)state;
    static const char zeros[100000];
    struct buffer packed = {0};
    char *bytes = NULL;
    size_t size = 0;
    packed_bytes_add(&packed, zeros, sizeof(zeros));
    assert_false(packed_bytes_read(packed.data, packed.size, sizeof(zeros) - 1, &bytes, &size));
    assert_true(packed_bytes_read(packed.data, packed.size, sizeof(zeros), &bytes, &size));
    assert_int_equal(size, sizeof(zeros));
    free(bytes);
    buffer_free(&packed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_sets_are_kept),
        cmocka_unit_test(a_set_that_is_there_becomes_the_newest),
        cmocka_unit_test(large_manifests_are_bounded),
        cmocka_unit_test(damage_is_none_or_harmless),
        cmocka_unit_test(results_are_read_as_they_were_written),
        cmocka_unit_test(unpacking_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What an archive says of where it comes from: written, read by programs, and altered. */
#include "archive/archive_writer.h"
#include "loader/core/archive/format.h"
#include "seal.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <stdlib.h>
#include <string.h>

struct bytes {
    char *data;
    size_t size;
};

static void add_image(struct draft *draft, const char *name, int number)
{
    static const char text[] = "code, code, code and more code";
    struct draft_module *module = draft_module(draft, name);
    unsigned char *data = (unsigned char *)strdup(text);
    const cubinet_target target = {.kind = CUBINET_IMAGE_CUBIN, .number = number};
    assert_non_null(module);
    assert_non_null(data);
    assert_int_equal(draft_add_image(module, target, data, strlen(text), NULL, "a test", NULL), CUBINET_OK);
}

static struct bytes make(struct draft *draft)
{
    struct bytes bytes = {0};
    assert_int_equal(archive_make(draft, &bytes.data, &bytes.size), CUBINET_OK);
    draft_free(draft);
    return bytes;
}

static struct bytes make_with_properties(void)
{
    struct draft draft = {0};
    add_image(&draft, "scan", 80);
    assert_int_equal(property_list_set(&draft.properties, "url=here"), CUBINET_OK);
    assert_int_equal(property_list_set(&draft.properties, "author=a=b"), CUBINET_OK);
    assert_int_equal(property_list_set(&draft.properties, "gone="), CUBINET_OK);
    assert_int_equal(property_list_set_license(&draft.properties, "MIT"), CUBINET_OK);
    return make(&draft);
}

static cubinet_archive *open_bytes(const struct bytes *bytes)
{
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_memory(bytes->data, bytes->size, NULL, &archive), CUBINET_OK);
    return archive;
}

static void properties_come_back(void **state)
{
    (void)state;
    static const char *const expected[][2] = {{"author", "a=b"}, {"license", "MIT"}, {"url", "here"}};
    struct bytes bytes = make_with_properties();
    cubinet_archive *archive = open_bytes(&bytes);
    cubinet_archive_info info = {.size = sizeof(info)};
    const char *key = "untouched";
    const char *value = "untouched";
    assert_int_equal(cubinet_archive_get_info(archive, &info), CUBINET_OK);
    assert_int_equal(info.property_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(cubinet_archive_get_property(archive, i, &key, &value), CUBINET_OK);
        assert_string_equal(key, expected[i][0]);
        assert_string_equal(value, expected[i][1]);
        assert_int_equal(cubinet_archive_find_property(archive, expected[i][0], &value), CUBINET_OK);
        assert_string_equal(value, expected[i][1]);
    }
    cubinet_archive_close(archive);
    free(bytes.data);
}

static void what_is_not_there_is_said(void **state)
{
    (void)state;
    struct bytes bytes = make_with_properties();
    cubinet_archive *archive = open_bytes(&bytes);
    const char *key = "untouched";
    const char *value = "untouched";
    assert_int_equal(cubinet_archive_get_property(archive, 3, &key, &value), CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(cubinet_error_message(),
                        "the archive in memory has 3 properties, numbered from 0: there is no number 3");
    assert_int_equal(cubinet_archive_find_property(archive, "gone", &value), CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(cubinet_error_message(), "the archive in memory has no property 'gone'");
    assert_int_equal(cubinet_archive_find_property(archive, NULL, &value), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_archive_get_property(NULL, 0, &key, &value), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_string_equal(key, "untouched");
    assert_string_equal(value, "untouched");
    cubinet_archive_close(archive);
    free(bytes.data);
}

/* Makes one byte of a text in the archive another, and the digests right again. */
static cubinet_status open_altered(struct bytes *bytes, const char *text, char byte)
{
    char *at = memmem(bytes->data, bytes->size, text, strlen(text));
    cubinet_archive *archive = NULL;
    assert_non_null(at);
    *at = byte;
    seal((unsigned char *)bytes->data, bytes->size);
    cubinet_status status = cubinet_archive_open_memory(bytes->data, bytes->size, NULL, &archive);
    cubinet_archive_close(archive);
    return status;
}

static void keys_are_in_order(void **state)
{
    (void)state;
    struct bytes bytes = make_with_properties();
    assert_int_equal(open_altered(&bytes, "author", 'z'), CUBINET_ERROR_DAMAGED);
    assert_string_equal(cubinet_error_message(),
                        "the archive in memory is damaged: property number 1 is malformed or misplaced");
    free(bytes.data);
    bytes = make_with_properties();
    assert_int_equal(open_altered(&bytes, "author", '\0'), CUBINET_ERROR_DAMAGED);
    free(bytes.data);
    bytes = make_with_properties();
    assert_int_equal(open_altered(&bytes, "here", 't'), CUBINET_OK);
    free(bytes.data);
}

/* Three images, of which the first and the last were made alike. */
static struct bytes make_with_origins(void)
{
    static const char *const options[] = {"--std=c++17\n--fmad=false", NULL, "--std=c++17\n--fmad=false"};
    struct draft draft = {0};
    for (int i = 0; i < 3; i++) {
        add_image(&draft, "scan", 70 + 10 * i);
    }
    for (size_t i = 0; i < 3; i++) {
        struct provenance *provenance = &draft.modules[0].images[i].provenance;
        if (options[i]) {
            *provenance =
                (struct provenance){strdup("scan.cu"), strdup(options[i]), strdup("NVRTC 1.2.3"), {1}, {2}};
        }
    }
    return make(&draft);
}

static void origins_come_back(void **state)
{
    (void)state;
    struct bytes bytes = make_with_origins();
    cubinet_archive *archive = open_bytes(&bytes);
    cubinet_origin origin = {.size = sizeof(origin)};
    cubinet_origin last = {.size = sizeof(last)};
    assert_int_equal(cubinet_archive_get_origin(archive, 0, 0, &origin), CUBINET_OK);
    assert_string_equal(origin.source, "scan.cu");
    assert_string_equal(origin.options, "--std=c++17\n--fmad=false");
    assert_string_equal(origin.compiler, "NVRTC 1.2.3");
    assert_int_equal(origin.source_sha256[0], 1);
    assert_int_equal(origin.inputs_sha256[0], 2);
    assert_int_equal(cubinet_archive_get_origin(archive, 0, 2, &last), CUBINET_OK);
    assert_ptr_equal(last.source, origin.source); /* of one row */
    assert_int_equal(cubinet_archive_get_origin(archive, 0, 1, &last), CUBINET_ERROR_NOT_FOUND);
    assert_string_equal(cubinet_error_message(),
                        "module 'scan': it is not recorded where image number 1 comes from");
    assert_int_equal(cubinet_archive_get_origin(archive, 0, 3, &last), CUBINET_ERROR_NOT_FOUND);
    assert_int_equal(cubinet_archive_get_origin(archive, 1, 0, &last), CUBINET_ERROR_NOT_FOUND);
    cubinet_archive_close(archive);
    free(bytes.data);
}

/* The rows of the two images' origins, and what they are made to say. */
static void origins_are_checked(void **state)
{
    (void)state;
    static const char rows[] = {0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0};
    static const size_t places[] = {0, 4, 8, 12};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        struct bytes bytes = make_with_origins();
        char *at = memmem(bytes.data, bytes.size, rows, sizeof(rows));
        cubinet_archive *archive = NULL;
        cubinet_module_info info = {.size = sizeof(info)};
        assert_non_null(at);
        at[places[i]] = 3;
        seal((unsigned char *)bytes.data, bytes.size);
        assert_int_equal(cubinet_archive_open_memory(bytes.data, bytes.size, NULL, &archive), CUBINET_OK);
        assert_int_equal(cubinet_archive_get_module(archive, 0, &info), CUBINET_ERROR_DAMAGED);
        cubinet_archive_close(archive);
        free(bytes.data);
    }
}

static void every_source_is_checked(void **state)
{
    (void)state;
    enum { SOURCES = 3, SHA256 = CBN_SOURCE_INPUTS_DIGEST - CBN_SOURCE_DIGEST };
    for (unsigned char i = 1; i <= SOURCES; i++) {
        struct draft draft = {0};
        for (int j = 0; j < SOURCES; j++) {
            add_image(&draft, "scan", 70 + 10 * j);
        }
        for (unsigned char j = 1; j <= SOURCES; j++) {
            draft.modules[0].images[j - 1].provenance =
                (struct provenance){strdup("scan.cu"), strdup(""), strdup("NVRTC 1.2.3"), {j}, {2}};
        }
        struct bytes bytes = make(&draft);
        const unsigned char digest[SHA256 + 1] = {i, [SHA256] = 2};
        char *at = memmem(bytes.data, bytes.size, digest, sizeof(digest));
        cubinet_archive *archive = NULL;
        cubinet_module_info info = {.size = sizeof(info)};
        assert_non_null(at);
        at[CBN_SOURCE_COMPILER - CBN_SOURCE_DIGEST + 3] = 1; /* far past the strings */
        seal((unsigned char *)bytes.data, bytes.size);
        assert_int_equal(cubinet_archive_open_memory(bytes.data, bytes.size, NULL, &archive), CUBINET_OK);
        assert_int_equal(cubinet_archive_get_module(archive, 0, &info), CUBINET_ERROR_DAMAGED);
        assert_non_null(strstr(cubinet_error_message(), "missing or malformed name, options or compiler"));
        cubinet_archive_close(archive);
        free(bytes.data);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(properties_come_back), cmocka_unit_test(what_is_not_there_is_said),
        cmocka_unit_test(keys_are_in_order),    cmocka_unit_test(origins_come_back),
        cmocka_unit_test(origins_are_checked),  cmocka_unit_test(every_source_is_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

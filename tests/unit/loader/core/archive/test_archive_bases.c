/* SPDX-License-Identifier: Apache-2.0 */
/* What version 1.2 of the format added: images that were compressed after another, and compressed blocks. */
#include "archive_builder.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CODE                                                                                                 \
    "S2R R0, SR_CTAID.X ; S2R R3, SR_TID.X ; IMAD R0, R0, c[0x0][0x0], R3 ; ISETP.GE.AND P0, PT, R0, "       \
    "c[0x0][0x178], PT ; @P0 EXIT ; MOV R7, 0x4 ; IMAD.WIDE R2, R0, R7, c[0x0][0x160] ; LDG.E R2, [R2] ; "

enum { FIRST, SECOND };
enum { RAW_BASE, FRAME_BASE, OF_RAW, OF_FRAME };

static const struct build_image first_images[] = {
    {.kind = 1, .number = 80, .text = CODE "FADD R9, R2, R5"},
    {.kind = 1, .number = 86, .compress = 1, .text = CODE CODE "FMUL R9, R2, R5"},
    {.kind = 1, .number = 89, .compress = 2, .text = CODE "FADD R9, R2, R6", .base = &first_images[RAW_BASE]},
    {.kind = 1,
     .number = 90,
     .compress = 2,
     .text = CODE CODE "FMUL R8, R2, R5",
     .base = &first_images[FRAME_BASE],
     .base_row = FRAME_BASE},
};

static const struct build_image second_images[] = {
    {.kind = 1,
     .number = 90,
     .compress = 2,
     .text = CODE CODE "FMUL R8, R2, R7",
     .base = &first_images[FRAME_BASE],
     .base_module = FIRST,
     .base_row = FRAME_BASE},
};

static const struct build_module modules[] = {
    {.name = "first", .images = first_images, .image_count = COUNT(first_images)},
    {.name = "second", .images = second_images, .image_count = COUNT(second_images)},
};

static const struct build_archive based = {
    .producer = "a test", .modules = modules, .module_count = COUNT(modules), .is_1_2 = true};

static struct build_archive packed(void)
{
    struct build_archive archive = based;
    archive.packs_blocks = true;
    return archive;
}

static cubinet_archive *open_built(const struct built *built)
{
    cubinet_archive *archive = NULL;
    if (cubinet_archive_open_memory(built->bytes, built->size, NULL, &archive)) {
        fail_msg("%s", cubinet_error_message());
    }
    return archive;
}

static void check_image(const cubinet_archive *archive, uint32_t module, uint32_t row)
{
    const struct build_image *expected = &modules[module].images[row];
    cubinet_image_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_archive_get_image(archive, module, row, &info), CUBINET_OK);
    assert_int_equal(info.encoding, expected->compress);
    assert_int_equal(info.base_module, expected->base ? expected->base_module : CUBINET_UNKNOWN);
    assert_int_equal(info.base_image, expected->base ? expected->base_row : CUBINET_UNKNOWN);
    char text[1000] = "";
    assert_int_equal(cubinet_archive_read_image(archive, module, row, text, sizeof(text) - 1), CUBINET_OK);
    assert_string_equal(text, expected->text);
}

static void check_images(const cubinet_archive *archive)
{
    for (uint32_t i = 0; i < COUNT(modules); i++) {
        for (uint32_t j = 0; j < modules[i].image_count; j++) {
            check_image(archive, i, j);
        }
    }
}

static void check_reads(const struct build_archive *what)
{
    struct built built = build(what);
    cubinet_archive *archive = open_built(&built);
    check_images(archive);
    cubinet_archive_close(archive);
    built_free(&built);
}

static void reads_images_after_their_bases(void **state)
{
    (void)state;
    check_reads(&based);
}

static void reads_compressed_blocks(void **state)
{
    (void)state;
    struct build_archive archive = packed();
    check_reads(&archive);
    archive.wider = 8; /* as in a newer minor version */
    check_reads(&archive);
}

/* The status of reading an image of an archive that was changed, and sealed again. */
static cubinet_status read_changed(struct built *built, uint32_t module, uint32_t row)
{
    built_seal(built);
    cubinet_archive *archive = open_built(built);
    char text[1000];
    cubinet_status status = cubinet_archive_read_image(archive, module, row, text, sizeof(text));
    cubinet_archive_close(archive);
    return status;
}

static void refuses_bases_that_are_none(void **state)
{
    (void)state;
    static const struct {
        uint32_t module;
        uint32_t row;
        const char *message;
    } wrong[] = {
        {FIRST, 9, "from an image that is not there"},
        {9, 0, "from an image that is not there"},
        {CUBINET_UNKNOWN, CUBINET_UNKNOWN, "from an image that is not there"},
        {FIRST, OF_RAW, "that was made from another itself"},
        {FIRST, OF_FRAME, "that was made from another itself"}, /* its own base */
        {SECOND, 0, "that was made from another itself"},
        {FIRST, RAW_BASE, "sm_90 of module 'first'"}, /* a base, but not the one that it was made from */
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct built built = build(&based);
        unsigned char *row = built.bytes + built_row(&built, FIRST, 0x8020, OF_FRAME);
        put(row + 56, 4, wrong[i].module);
        put(row + 60, 4, wrong[i].row);
        assert_int_equal(read_changed(&built, FIRST, OF_FRAME), CUBINET_ERROR_DAMAGED);
        if (!strstr(cubinet_error_message(), wrong[i].message)) {
            fail_msg("%s", cubinet_error_message());
        }
        built_free(&built);
    }
}

static void refuses_a_base_that_is_damaged(void **state)
{
    (void)state;
    struct built built = build(&based);
    size_t place = get(built.bytes + built_row(&built, FIRST, 0x8020, FRAME_BASE) + 16, 8);
    built.bytes[place + 20] ^= 1;
    assert_int_equal(read_changed(&built, SECOND, 0), CUBINET_ERROR_DAMAGED);
    assert_non_null(
        strstr(cubinet_error_message(), "sm_86 of module 'first': its bytes do not have the digest"));
    built_free(&built);
}

static void keeps_to_a_programs_limit_with_bases(void **state)
{
    (void)state;
    struct built built = build(&based);
    cubinet_archive *archive = NULL;
    size_t small = strlen(second_images[0].text) - 1;
    cubinet_archive_options options = {.size = sizeof(options), .max_image_size = small};
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, &options, &archive), CUBINET_OK);
    char text[1000];
    assert_int_equal(cubinet_archive_read_image(archive, FIRST, OF_RAW, text, sizeof(text)), CUBINET_OK);
    assert_int_equal(cubinet_archive_read_image(archive, SECOND, 0, text, sizeof(text)), CUBINET_ERROR_LIMIT);
    cubinet_archive_close(archive);
    built_free(&built);
}

/* Of a base that is above the limit, where the image itself is not. */
static void keeps_to_a_limit_for_the_base(void **state)
{
    (void)state;
    static const struct build_image images[] = {
        {.kind = 1, .number = 80, .compress = 1, .text = CODE CODE CODE},
        {.kind = 1, .number = 90, .compress = 2, .text = CODE, .base = &images[0]},
    };
    static const struct build_module module = {.name = "m", .images = images, .image_count = 2};
    static const struct build_archive what = {.modules = &module, .module_count = 1, .is_1_2 = true};
    struct built built = build(&what);
    cubinet_archive *archive = NULL;
    cubinet_archive_options options = {.size = sizeof(options), .max_image_size = 2 * strlen(CODE)};
    assert_int_equal(cubinet_archive_open_memory(built.bytes, built.size, &options, &archive), CUBINET_OK);
    char text[1000];
    assert_int_equal(cubinet_archive_read_image(archive, 0, 1, text, sizeof(text)), CUBINET_ERROR_LIMIT);
    assert_non_null(strstr(cubinet_error_message(), "sm_80 of module 'm'"));
    cubinet_archive_close(archive);
    built_free(&built);
}

static void refuses_blocks_of_another_size(void **state)
{
    (void)state;
    static const struct {
        uint32_t raw_size;
        cubinet_status status;
        const char *message;
    } wrong[] = {
        {0, CUBINET_ERROR_DAMAGED, "module 'first'"},
        {1, CUBINET_ERROR_DAMAGED, "another size than the index says"},
        {UINT32_MAX, CUBINET_ERROR_LIMIT, "the index of module 'first'"},
    };
    struct build_archive what = packed();
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct built built = build(&what);
        put(built.bytes + built_row(&built, BUILT_ROOT, 0x8011, FIRST) + 12, 4, wrong[i].raw_size);
        assert_int_equal(read_changed(&built, FIRST, RAW_BASE), wrong[i].status);
        assert_non_null(strstr(cubinet_error_message(), wrong[i].message));
        built_free(&built);
    }
}

/* Which are compressed after the first one. */
static void refuses_blocks_whose_first_is_damaged(void **state)
{
    (void)state;
    struct build_archive what = packed();
    struct built built = build(&what);
    built.bytes[built_set(&built, FIRST) + 20] ^= 1;
    cubinet_archive *archive = open_built(&built);
    char text[1000];
    assert_int_equal(cubinet_archive_read_image(archive, SECOND, 0, text, sizeof(text)),
                     CUBINET_ERROR_DAMAGED);
    assert_non_null(strstr(cubinet_error_message(), "module 'first'"));
    cubinet_archive_close(archive);
    built_free(&built);
}

/* Whatever a frame's bytes become, sealed or not, reading ends in an error or in an archive that holds. */
static void survives_every_changed_byte(void **state)
{
    (void)state;
    struct build_archive what = packed();
    struct built built = build(&what);
    size_t directory = get(built.bytes + built.size - 6, 4);
    for (size_t place = built.index; place < directory; place++) {
        for (int sealed = 0; sealed < 2; sealed++) {
            struct built changed = built;
            changed.bytes = malloc(built.size);
            memcpy(changed.bytes, built.bytes, built.size);
            changed.bytes[place] ^= 0x11;
            if (sealed) {
                built_seal(&changed);
            }
            cubinet_archive *archive = NULL;
            char text[1000];
            if (cubinet_archive_open_memory(changed.bytes, changed.size, NULL, &archive) == CUBINET_OK) {
                cubinet_archive_read_image(archive, FIRST, OF_FRAME, text, sizeof(text));
                cubinet_archive_read_image(archive, SECOND, 0, text, sizeof(text));
            }
            cubinet_archive_close(archive);
            free(changed.bytes);
        }
    }
    built_free(&built);
}

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t *lock);
int __real_pthread_rwlock_wrlock(pthread_rwlock_t *lock);
int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t *lock);

/* The linker's --wrap puts the functions below in the place of those that take locks. */
static int locks;

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    locks++;
    return __real_pthread_mutex_lock(mutex);
}

int __wrap_pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    locks++;
    return __real_pthread_rwlock_rdlock(lock);
}

int __wrap_pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    locks++;
    return __real_pthread_rwlock_wrlock(lock);
}

/* So threads that read never wait for each other. */
static void reading_takes_no_lock(void **state)
{
    (void)state;
    struct build_archive what = packed();
    struct built built = build(&what);
    cubinet_archive *archive = open_built(&built);
    locks = 0;
    char text[1000];
    assert_int_equal(cubinet_archive_read_image(archive, FIRST, OF_FRAME, text, sizeof(text)), CUBINET_OK);
    assert_int_equal(cubinet_archive_read_image(archive, SECOND, 0, text, sizeof(text)), CUBINET_OK);
    assert_int_equal(locks, 0);
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    assert_int_equal(locks, 1); /* they are counted */
    pthread_mutex_unlock(&mutex);
    cubinet_archive_close(archive);
    built_free(&built);
}

static void *read_many_times(void *archive)
{
    for (int i = 0; i < 200; i++) {
        check_images(archive);
    }
    return NULL;
}

/* They share the memory that zstd works with, and must not meet in it. */
static void threads_decompress_at_the_same_time(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    struct build_archive what = packed();
    struct built built = build(&what);
    cubinet_archive *archive = open_built(&built);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, read_many_times, archive), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    cubinet_archive_close(archive);
    built_free(&built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_images_after_their_bases),
        cmocka_unit_test(reads_compressed_blocks),
        cmocka_unit_test(refuses_bases_that_are_none),
        cmocka_unit_test(refuses_a_base_that_is_damaged),
        cmocka_unit_test(keeps_to_a_programs_limit_with_bases),
        cmocka_unit_test(keeps_to_a_limit_for_the_base),
        cmocka_unit_test(refuses_blocks_of_another_size),
        cmocka_unit_test(refuses_blocks_whose_first_is_damaged),
        cmocka_unit_test(survives_every_changed_byte),
        cmocka_unit_test(reading_takes_no_lock),
        cmocka_unit_test(threads_decompress_at_the_same_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Archives in files that can't be read as they should be: each read fails in turn, or is interrupted, or
 * brings less than was asked for; the system does not tell of them, or does not map them. */
#include "archive_sample.h"
#include "loader/core/archive/cbn_archive.h"
#include "loader/core/archive/opened.h"
#include "loader/core/archive/storage.h"
#include "memory_file.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Calls of this program, and so of the library in it, go through here (see CMakeLists.txt). */
ssize_t __real_pread(int file, void *out, size_t size, off_t offset);
ssize_t __wrap_pread(int file, void *out, size_t size, off_t offset);
int __real_fstat(int file, struct stat *about);
int __wrap_fstat(int file, struct stat *about);
void *__real_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset);

static atomic_int reads;  /* since the last reset */
static int failing;       /* the number of the one that fails; 0: none */
static bool is_disturbed; /* every other one is interrupted, and the others bring a byte or two */
static int ending;        /* the number of the one that finds the end of the file; 0: none */

ssize_t __wrap_pread(int file, void *out, size_t size, off_t offset)
{
    int number = atomic_fetch_add(&reads, 1) + 1;
    if (number == failing) {
        errno = EIO;
        return -1;
    }
    if (number == ending) {
        errno = EINTR; /* of an earlier call, which says nothing */
        return 0;
    }
    if (is_disturbed && number % 2) {
        errno = EINTR;
        return -1;
    }
    return __real_pread(file, out, is_disturbed && size > 2 ? 2 : size, offset);
}

static bool is_unknown;                 /* the system does not tell of files */
static bool is_unmapped;                /* nor does it map them */
static const struct cbn_storage *rival; /* somebody else maps this one just before; NULL: nobody does */

int __wrap_fstat(int file, struct stat *about)
{
    errno = EIO;
    return is_unknown ? -1 : __real_fstat(file, about);
}

void *__wrap_mmap(void *address, size_t size, int protection, int flags, int file, off_t offset)
{
    const struct cbn_storage *mapped = rival;
    if (mapped) {
        const unsigned char *bytes = NULL;
        rival = NULL;
        assert_int_equal(cbn_storage_map(mapped, &bytes), CUBINET_OK);
    }
    errno = ENOMEM;
    return is_unmapped ? MAP_FAILED : __real_mmap(address, size, protection, flags, file, offset);
}

/* An archive with modules in pages. */
static const struct build_archive paged_archive = {.producer = "a test",
                                                   .modules = sample_modules,
                                                   .module_count = COUNT(sample_modules),
                                                   .page_modules = 1};

static cubinet_status open_and_read(const char *path, char *text, size_t capacity)
{
    cubinet_archive *archive = NULL;
    memset(text, 0, capacity);
    atomic_store(&reads, 0);
    cubinet_status status = cubinet_archive_open(path, NULL, &archive);
    if (!status) {
        status = cubinet_archive_read_image(archive, SAMPLE_SEGSUM, 0, text, capacity - 1);
    }
    cubinet_archive_close(archive);
    return status;
}

static void each_read_of(struct built built, int count)
{
    const char *path = memory_file(built.bytes, built.size);
    char expected[100];
    char text[1000];
    snprintf(expected, sizeof(expected), "'%s': its file cannot be read: %s", path, strerror(EIO));
    int failed = 0;
    cubinet_status status = CUBINET_ERROR_IO;
    for (failing = 1; status; failing++) {
        status = open_and_read(path, text, sizeof(text));
        if (status) {
            assert_int_equal(status, CUBINET_ERROR_IO);
            assert_string_equal(cubinet_error_message(), expected);
            failed++;
        }
    }
    failing = 0;
    assert_int_equal(failed, count);
    assert_string_equal(text, sample_modules[SAMPLE_SEGSUM].images[0].text);
    built_free(&built);
}

static void each_read_fails(void **state)
{
    (void)state;
    each_read_of(build_large(&sample_archive), 3); /* the root, a block, an image */
    each_read_of(build_large(&paged_archive), 4);  /* a page as well */
    each_read_of(build(&sample_archive), 1);       /* all at once */
}

/* Where a program has its sections, and whether an archive is among them. */
static void each_read_of_a_program_fails(void **state)
{
    (void)state;
    cubinet_archive *archive = NULL;
    cubinet_status status = CUBINET_ERROR_IO;
    int free_before = dup(0);
    close(free_before);
    for (failing = 1; status == CUBINET_ERROR_IO; failing++) {
        atomic_store(&reads, 0);
        status = cubinet_archive_open("/proc/self/exe", NULL, &archive);
    }
    assert_true(failing > 3);
    failing = 0;
    assert_int_equal(status, CUBINET_ERROR_NOT_ARCHIVE);
    int lowest = dup(0);
    close(lowest);
    assert_int_equal(lowest, free_before); /* nothing stays open */
}

/* The file is as long as it was, and yet a read finds its end: somebody shortened it for a moment. */
static void a_read_ends_early(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    char text[1000];
    ending = 1;
    assert_int_equal(open_and_read(memory_file(built.bytes, built.size), text, sizeof(text)),
                     CUBINET_ERROR_IO);
    ending = 0;
    assert_non_null(strstr(cubinet_error_message(), "its file got shorter while it was read"));
    built_free(&built);
}

static void reads_come_in_pieces(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    char text[1000];
    is_disturbed = true;
    assert_int_equal(open_and_read(memory_file(built.bytes, built.size), text, sizeof(text)), CUBINET_OK);
    is_disturbed = false;
    assert_true(atomic_load(&reads) > 1000);
    assert_string_equal(text, sample_modules[SAMPLE_SEGSUM].images[0].text);
    built_free(&built);
}

/* The index may start anywhere in what is read first, across its end, or after it. */
static void the_index_may_start_anywhere(void **state)
{
    (void)state;
    enum { AROUND = 100, FAR = 60000 };
    struct build_archive moved = sample_archive;
    char text[1000];
    for (int extra = CBN_START_SIZE - AROUND; extra <= CBN_START_SIZE + AROUND; extra++) {
        moved.extra = (uint16_t)(extra < CBN_START_SIZE + AROUND ? extra : FAR);
        struct built built = build(&moved);
        assert_int_equal(open_and_read(memory_file(built.bytes, built.size), text, sizeof(text)), CUBINET_OK);
        assert_string_equal(text, sample_modules[SAMPLE_SEGSUM].images[0].text);
        built_free(&built);
    }
}

static void a_root_may_be_large(void **state)
{
    (void)state;
    enum { MODULES = 60, NAME_SIZE = 1000 };
    struct build_module modules[MODULES];
    static char names[MODULES][NAME_SIZE + 1];
    cubinet_archive *archive = NULL;
    for (int i = 0; i < MODULES; i++) {
        snprintf(names[i], sizeof(names[i]), "%0*d", NAME_SIZE, i);
        modules[i] = sample_modules[SAMPLE_AXPY];
        modules[i].name = names[i];
    }
    const struct build_archive large = {.modules = modules, .module_count = MODULES};
    struct built built = build(&large);
    assert_int_equal(cubinet_archive_open(memory_file(built.bytes, built.size), NULL, &archive), CUBINET_OK);
    assert_true(archive->root_size > (uint32_t)MODULES * NAME_SIZE);
    uint32_t module = 0;
    assert_int_equal(cubinet_archive_find_module(archive, names[MODULES - 1], &module), CUBINET_OK);
    assert_int_equal(module, MODULES - 1);
    cubinet_archive_close(archive);
    built_free(&built);
}

/* An archive whose only image has so many bytes. The caller frees the image. */
static struct built build_image(size_t size)
{
    char *text = malloc(size + 1);
    memset(text, 'c', size);
    text[size] = '\0';
    struct build_image image = {.kind = 1, .number = 80, .text = text};
    struct build_module module = {.name = "m", .images = &image, .image_count = 1};
    const struct build_archive archive = {.modules = &module, .module_count = 1};
    struct built built = build(&archive);
    free(text);
    return built;
}

static cubinet_archive *open_image(size_t size)
{
    cubinet_archive *archive = NULL;
    struct built built = build_image(size);
    assert_int_equal(cubinet_archive_open(memory_file(built.bytes, built.size), NULL, &archive), CUBINET_OK);
    built_free(&built);
    return archive;
}

static void small_images_are_copied_and_large_ones_mapped(void **state)
{
    (void)state;
    for (size_t size = CBN_COPIED_MAX - 1; size <= CBN_COPIED_MAX + 1; size++) {
        cubinet_archive *archive = open_image(size);
        struct cbn_image_bytes bytes = {0};
        assert_int_equal(cbn_archive_take_image(archive, 0, 0, false, &bytes), CUBINET_OK);
        assert_int_equal(bytes.size, size);
        assert_int_equal(((const char *)bytes.data)[size - 1], 'c');
        assert_int_equal(bytes.owned != NULL, size <= CBN_COPIED_MAX);
        assert_int_equal(atomic_load(&archive->storage.bytes) != NULL, size > CBN_COPIED_MAX);
        free(bytes.owned);
        cubinet_archive_close(archive);
    }
}

static cubinet_status take_image(const cubinet_archive *archive)
{
    struct cbn_image_bytes bytes = {0};
    cubinet_status status = cbn_archive_take_image(archive, 0, 0, false, &bytes);
    assert_int_equal(bytes.data != NULL, status == CUBINET_OK);
    free(bytes.owned);
    return status;
}

static void the_system_does_not_tell_of_the_file(void **state)
{
    (void)state;
    struct built built = build(&sample_archive);
    const char *path = memory_file(built.bytes, built.size);
    char expected[100];
    cubinet_archive *archive = NULL;
    is_unknown = true;
    assert_int_equal(cubinet_archive_open(path, NULL, &archive), CUBINET_ERROR_IO);
    is_unknown = false;
    snprintf(expected, sizeof(expected), "'%s' cannot be opened: %s", path, strerror(EIO));
    assert_string_equal(cubinet_error_message(), expected);
    built_free(&built);

    archive = open_image(CBN_COPIED_MAX + 1);
    is_unknown = true;
    assert_int_equal(take_image(archive), CUBINET_ERROR_IO);
    is_unknown = false;
    assert_non_null(strstr(cubinet_error_message(), "its file cannot be looked at: "));
    assert_int_equal(take_image(archive), CUBINET_OK);
    cubinet_archive_close(archive);
}

static void the_system_does_not_map_the_file(void **state)
{
    (void)state;
    cubinet_archive *archive = open_image(CBN_COPIED_MAX + 1);
    is_unmapped = true;
    assert_int_equal(take_image(archive), CUBINET_ERROR_IO);
    assert_non_null(strstr(cubinet_error_message(), "its file cannot be mapped: "));
    is_unmapped = false;
    assert_int_equal(take_image(archive), CUBINET_OK);
    cubinet_archive_close(archive);

    struct built built = build_large(&sample_archive);
    const char *path = memory_file(built.bytes, built.size);
    archive = NULL;
    is_unmapped = true;
    assert_int_equal(cbn_archive_open_mapped(path, NULL, &archive), CUBINET_ERROR_IO);
    is_unmapped = false;
    assert_null(archive);
    assert_int_equal(cbn_archive_open_mapped(path, NULL, &archive), CUBINET_OK);
    assert_int_equal(archive->storage.file, -1);
    assert_true(cbn_storage_is_file(&archive->storage));
    assert_int_equal(take_image(archive), CUBINET_OK);
    cubinet_archive_close(archive);
    built_free(&built);
}

/* How often memory_file() is mapped. */
static int count_mappings(void)
{
    char line[1000];
    int count = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof(line), maps)) {
        count += strstr(line, "memfd:file") != NULL;
    }
    fclose(maps);
    return count;
}

static void another_thread_maps_the_file_first(void **state)
{
    (void)state;
    cubinet_archive *archive = open_image(CBN_COPIED_MAX + 1);
    int mappings = count_mappings();
    rival = &archive->storage;
    assert_int_equal(take_image(archive), CUBINET_OK);
    assert_null(rival);
    const unsigned char *bytes = NULL;
    assert_int_equal(cbn_storage_map(&archive->storage, &bytes), CUBINET_OK);
    assert_ptr_equal(bytes, atomic_load(&archive->storage.bytes));
    assert_int_equal(count_mappings(), mappings + 1);
    cubinet_archive_close(archive);
}

static void no_bytes_can_be_taken(void **state)
{
    (void)state;
    cubinet_archive *archive = open_image(CBN_START_SIZE);
    struct cbn_taken taken = {0};
    assert_int_equal(cbn_storage_take(&archive->storage, 0, 0, true, &taken), CUBINET_OK);
    assert_non_null(taken.bytes);
    free(taken.owned);
    cubinet_archive_close(archive);
}

/* A program that has closed its standard input. Neither file is so small that it is read whole. */
static void the_descriptor_may_be_0(void **state)
{
    (void)state;
    struct built built = build_large(&sample_archive);
    const char *path = memory_file(built.bytes, built.size);
    char text[1000];
    int input = dup(0);
    close(0);
    cubinet_status status = open_and_read(path, text, sizeof(text));
    dup2(input, 0);
    close(input);
    assert_int_equal(status, CUBINET_OK);
    assert_string_equal(text, sample_modules[SAMPLE_SEGSUM].images[0].text);
    built_free(&built);
}

static void a_storage_may_have_descriptor_0(void **state)
{
    (void)state;
    struct cbn_storage storage = {.size = 0};
    struct cbn_taken taken = {0};
    const unsigned char *bytes = NULL;
    const char *path = memory_file("bytes", 5);
    int input = dup(0);
    close(0);
    cubinet_status opened = cbn_storage_open(path, &storage);
    int flags = fcntl(0, F_GETFD);
    bool is_file = cbn_storage_is_file(&storage);
    cubinet_status was_taken = cbn_storage_take(&storage, 0, 5, false, &taken);
    bool was_mapped = atomic_load(&storage.bytes) != NULL;
    cubinet_status mapped = cbn_storage_map(&storage, &bytes);
    cbn_storage_close(&storage);
    bool is_closed = fcntl(0, F_GETFD) < 0;
    dup2(input, 0);
    close(input);
    assert_int_equal(opened, CUBINET_OK);
    assert_int_equal(flags, FD_CLOEXEC);
    assert_true(is_file);
    assert_int_equal(was_taken, CUBINET_OK);
    assert_non_null(taken.owned); /* a copy, as it is small */
    assert_memory_equal(taken.bytes, "bytes", 5);
    assert_false(was_mapped);
    assert_int_equal(mapped, CUBINET_OK);
    assert_true(is_closed);
    free(taken.owned);
}

static void what_is_refused_stays_not_open(void **state)
{
    (void)state;
    struct cbn_storage storage;
    int next = dup(0);
    close(next);
    assert_int_equal(cbn_storage_open("/", &storage), CUBINET_ERROR_IO);
    int now = dup(0);
    close(now);
    assert_int_equal(now, next);
}

static bool is_mapped(const void *address)
{
    char line[1000];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (!found && fgets(line, sizeof(line), maps)) {
        char *end = NULL;
        uintptr_t first = strtoul(line, &end, 16);
        found = (uintptr_t)address >= first && (uintptr_t)address < strtoul(end + 1, NULL, 16);
    }
    fclose(maps);
    return found;
}

/* Of an archive inside a program the mapping starts before its bytes. */
static void the_whole_mapping_goes(void **state)
{
    (void)state;
    enum { PAGE = 4096 };
    static const unsigned char zeros[3 * PAGE];
    struct cbn_storage storage = {.start = PAGE, .size = 2 * PAGE};
    const unsigned char *bytes = NULL;
    storage.file = open(memory_file(zeros, sizeof(zeros)), O_RDONLY | O_CLOEXEC);
    assert_int_equal(cbn_storage_leave_file(&storage), CUBINET_OK);
    assert_int_equal(cbn_storage_map(&storage, &bytes), CUBINET_OK);
    assert_true(is_mapped(bytes - PAGE) && is_mapped(bytes + 2 * PAGE - 1));
    cbn_storage_close(&storage);
    assert_false(is_mapped(bytes - PAGE) || is_mapped(bytes) || is_mapped(bytes + PAGE));
}

/* What was read whole when it was opened stays as it was, whatever becomes of the file, and needs no
 * descriptor. */
static void a_small_file_is_read_once(void **state)
{
    (void)state;
    char path[] = "/tmp/cubinet-storage-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    for (size_t size = 1; size < 2 * CBN_START_SIZE; size += 50) {
        struct built built = build_image(size);
        cubinet_archive *archive = NULL;
        assert_int_equal(pwrite(file, built.bytes, built.size, 0), built.size);
        assert_int_equal(ftruncate(file, (off_t)built.size), 0);
        assert_int_equal(cubinet_archive_open(path, NULL, &archive), CUBINET_OK);
        assert_int_equal(ftruncate(file, 0), 0);
        bool is_small = built.size <= CBN_START_SIZE;
        assert_int_equal(archive->storage.file >= 0, !is_small);
        assert_int_equal(take_image(archive), is_small ? CUBINET_OK : CUBINET_ERROR_IO);
        const void *lent = NULL;
        assert_int_equal(cbn_archive_lend_part(archive, 0, 0, 0, &lent),
                         is_small ? CUBINET_OK : CUBINET_ERROR_IO);
        cbn_archive_retain(archive);
        cubinet_archive_close(archive);
        assert_true(!is_small || ((const char *)lent)[size - 1] == 'c');
        cbn_archive_release(archive);
        built_free(&built);
    }
    close(file);
    unlink(path);
}

/* A file of the size of what is read first is read whole, and one that is larger by a byte is not. */
static void the_start_is_all_or_not(void **state)
{
    (void)state;
    struct built built = build_image(CBN_START_SIZE / 2);
    size_t other = built.size - CBN_START_SIZE / 2;
    built_free(&built);
    for (size_t more = 0; more <= 1; more++) {
        cubinet_archive *archive = open_image(CBN_START_SIZE - other + more);
        assert_int_equal(archive->storage.size, CBN_START_SIZE + more);
        assert_int_equal(archive->storage.kept == NULL, more);
        assert_int_equal(take_image(archive), CUBINET_OK);
        cubinet_archive_close(archive);
    }
}

/* What somebody retains beyond the close keeps its mapping, and no descriptor. */
static void nothing_is_read_after_the_close(void **state)
{
    (void)state;
    cubinet_archive *small = open_image(CBN_START_SIZE);
    cubinet_archive *large = open_image(CBN_COPIED_MAX + 1);
    const void *lent = NULL;
    struct cbn_image_bytes bytes = {0};
    int file = small->storage.file;
    assert_int_equal(cbn_archive_lend_part(large, 0, 0, 0, &lent), CUBINET_OK);
    cbn_archive_retain(small);
    cbn_archive_retain(large);
    cubinet_archive_close(small);
    cubinet_archive_close(large);
    assert_int_equal(fcntl(file, F_GETFD), -1);
    assert_int_equal(((const char *)lent)[CBN_COPIED_MAX], 'c');
    assert_int_equal(cbn_archive_take_image(small, 0, 0, true, &bytes), CUBINET_ERROR_IO);
    assert_non_null(strstr(cubinet_error_message(), "its file was closed"));
    char byte = 0;
    assert_int_equal(cbn_storage_read(&small->storage, 0, sizeof(byte), &byte), CUBINET_ERROR_IO);
    cbn_archive_release(small);
    cbn_archive_release(large);
}

enum { THREADS = 8, ROUNDS = 50 };

struct user {
    pthread_t thread;
    const cubinet_archive *archive;
    pthread_barrier_t *start;
    struct cbn_image_bytes bytes;
    cubinet_status status;
};

static void *take_at_once(void *data)
{
    struct user *user = data;
    pthread_barrier_wait(user->start);
    user->status = cbn_archive_take_image(user->archive, 0, 0, false, &user->bytes);
    return NULL;
}

static void threads_share_one_mapping(void **state)
{
    (void)state;
    pthread_barrier_t start;
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int round = 0; round < ROUNDS; round++) {
        struct user users[THREADS];
        cubinet_archive *archive = open_image(2 * CBN_COPIED_MAX);
        for (int i = 0; i < THREADS; i++) {
            users[i] = (struct user){.archive = archive, .start = &start};
            assert_int_equal(pthread_create(&users[i].thread, NULL, take_at_once, &users[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(pthread_join(users[i].thread, NULL), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            assert_int_equal(users[i].status, CUBINET_OK);
            assert_null(users[i].bytes.owned);
            assert_ptr_equal(users[i].bytes.data, users[0].bytes.data);
        }
        cubinet_archive_close(archive);
    }
    pthread_barrier_destroy(&start);
}

/* Bytes that are let go when the archive is freed are there as long as anyone holds it. */
static void only_the_callers_bytes_go_at_the_close(void **state)
{
    (void)state;
    static const unsigned char bytes[1];
    struct cbn_storage storage = {.bytes = bytes, .size = sizeof(bytes), .file = -1};
    assert_true(cbn_storage_is_callers(&storage));
    storage.let_go = free;
    assert_false(cbn_storage_is_callers(&storage));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_read_fails),
        cmocka_unit_test(each_read_of_a_program_fails),
        cmocka_unit_test(a_read_ends_early),
        cmocka_unit_test(reads_come_in_pieces),
        cmocka_unit_test(the_index_may_start_anywhere),
        cmocka_unit_test(a_root_may_be_large),
        cmocka_unit_test(small_images_are_copied_and_large_ones_mapped),
        cmocka_unit_test(the_system_does_not_tell_of_the_file),
        cmocka_unit_test(the_system_does_not_map_the_file),
        cmocka_unit_test(another_thread_maps_the_file_first),
        cmocka_unit_test(no_bytes_can_be_taken),
        cmocka_unit_test(the_descriptor_may_be_0),
        cmocka_unit_test(a_storage_may_have_descriptor_0),
        cmocka_unit_test(what_is_refused_stays_not_open),
        cmocka_unit_test(the_whole_mapping_goes),
        cmocka_unit_test(a_small_file_is_read_once),
        cmocka_unit_test(the_start_is_all_or_not),
        cmocka_unit_test(nothing_is_read_after_the_close),
        cmocka_unit_test(threads_share_one_mapping),
        cmocka_unit_test(only_the_callers_bytes_go_at_the_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Tuning records in a draft, and as an archive has them. */
#include "archive/archive_writer.h"
#include "archive/draft_keep.h"
#include "loader/core/archive/digest.h"
#include "ptx/reading/ptx.h"
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#define HEAD(target)                                                                                         \
    "// Cuda compilation tools, release 13.0, V13.0.88\n.version 9.0\n.target " target "\n.address_size "    \
    "64\n"
#define KERNEL(name) ".visible .entry " name "(.param .u64 a) { ret; }\n"

static const char whole_ptx[] = HEAD("sm_80") KERNEL("add") KERNEL("scan");
static const char other_ptx[] = HEAD("sm_90") KERNEL("add") KERNEL("scan") KERNEL("sort");
static const char add_ptx[] = HEAD("sm_80") KERNEL("add");
static const char scan_ptx[] = HEAD("sm_80") KERNEL("scan");

static void add_image(struct draft_module *module, const char *text)
{
    struct contents contents = {0};
    assert_int_equal(ptx_read(text, strlen(text), &contents), CUBINET_OK);
    assert_int_equal(draft_add_image(module, contents.target, (unsigned char *)strdup(text), strlen(text),
                                     &contents, "a test", NULL),
                     CUBINET_OK);
    contents_free(&contents);
}

static void add_parts(struct draft_module *module)
{
    static const char *const texts[] = {add_ptx, scan_ptx};
    struct contents contents[2];
    struct draft_part parts[2];
    memset(contents, 0, sizeof(contents));
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(ptx_read(texts[i], strlen(texts[i]), &contents[i]), CUBINET_OK);
        parts[i] = (struct draft_part){(unsigned char *)strdup(texts[i]), strlen(texts[i]), &contents[i]};
    }
    assert_int_equal(draft_add_parts(module, contents[0].target, parts, 2, "a test", NULL), CUBINET_OK);
    contents_free(&contents[0]);
    contents_free(&contents[1]);
}

/* A record of a kernel in PTX for sm_80. */
static cubinet_tuning record_of(const char *text, const char *what, const char *kernel, uint64_t date)
{
    struct cbn_digest digest = cbn_digest(text, strlen(text));
    cubinet_tuning tuning = {.size = sizeof(tuning),
                             .what = what,
                             .kernel = kernel,
                             .default_kernel = kernel,
                             .flags = CUBINET_TUNING_CHECKED,
                             .gpu = "NVIDIA H100",
                             .compute = 90,
                             .multiprocessor_count = 132,
                             .extent = {4096, 2, 1},
                             .target = {CUBINET_IMAGE_PTX, 80, 0},
                             .block = {128, 2, 1},
                             .cluster = {2, 1, 1},
                             .grid_rule = CUBINET_GRID_PER_THREAD,
                             .grid_value = {4, 1, 1},
                             .grid_limit = {64, 0, 0},
                             .dynamic_shared_bytes = 512,
                             .time_ns = 900,
                             .noise_ns = 4,
                             .untuned_time_ns = 1200,
                             .untuned_noise_ns = 6,
                             .candidate_count = 30,
                             .measurement_count = 64,
                             .date = date,
                             .driver_version = 13000,
                             .toolkit = 12080,
                             .sm_clock_mhz = 1980,
                             .memory_clock_mhz = 2619};
    memcpy(tuning.digest, digest.bytes, sizeof(tuning.digest));
    return tuning;
}

static void put(struct draft_module *module, const cubinet_tuning *tuning)
{
    assert_int_equal(draft_put_tuning(module, tuning), CUBINET_OK);
}

/* The archive of a draft, which is freed, and its bytes. */
struct filed {
    char *bytes;
    cubinet_archive *archive;
};

static struct filed file(struct draft *draft)
{
    struct filed filed = {0};
    size_t size;
    assert_int_equal(archive_make(draft, &filed.bytes, &size), CUBINET_OK);
    assert_int_equal(cubinet_archive_open_memory(filed.bytes, size, NULL, &filed.archive), CUBINET_OK);
    draft_free(draft);
    return filed;
}

static void filed_free(struct filed *filed)
{
    cubinet_archive_close(filed->archive);
    free(filed->bytes);
}

static uint32_t count_of(const struct filed *filed)
{
    uint32_t count = 77;
    assert_int_equal(cubinet_archive_get_tuning_count(filed->archive, 0, &count), CUBINET_OK);
    return count;
}

static cubinet_tuning read(const struct filed *filed, uint32_t number)
{
    cubinet_tuning tuning = {.size = sizeof(tuning)};
    assert_int_equal(cubinet_archive_get_tuning(filed->archive, 0, number, &tuning), CUBINET_OK);
    return tuning;
}

static void test_files_all_of_a_record(void **state)
{
    (void)state;
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    add_image(module, whole_ptx);
    cubinet_tuning record = record_of(whole_ptx, "both", "scan", 1700000000);
    const char *instances[] = {"sum", "add"};
    record.default_kernel = "add";
    record.instances = instances;
    record.instance_count = 2;
    put(module, &record);
    struct filed filed = file(&draft);
    assert_int_equal(count_of(&filed), 1);
    cubinet_tuning found = read(&filed, 0);
    assert_string_equal(found.what, "both");
    assert_string_equal(found.kernel, "scan");
    assert_string_equal(found.default_kernel, "add");
    assert_string_equal(found.gpu, "NVIDIA H100");
    assert_int_equal(found.instance_count, 3);
    assert_string_equal(found.instances[0], "add");
    assert_string_equal(found.instances[1], "scan");
    assert_string_equal(found.instances[2], "sum");
    assert_int_equal(found.image, 0);
    assert_int_equal(found.part, 0);
    record.what = found.what; /* the rest is numbers */
    record.kernel = found.kernel;
    record.default_kernel = found.default_kernel;
    record.gpu = found.gpu;
    record.instances = found.instances;
    record.instance_count = found.instance_count;
    assert_memory_equal(&record, &found, offsetof(cubinet_tuning, dynamic_shared_bytes) + 4);
    assert_memory_equal(&record.time_ns, &found.time_ns, sizeof(record) - offsetof(cubinet_tuning, time_ns));
    filed_free(&filed);
}

/* Whatever the order in which they are put. */
static void test_the_later_record_stays(void **state)
{
    (void)state;
    for (int order = 0; order < 2; order++) {
        struct draft draft = {0};
        struct draft_module *module = draft_module(&draft, "m");
        add_image(module, whole_ptx);
        cubinet_tuning records[] = {record_of(whole_ptx, "both", "add", 100),
                                    record_of(whole_ptx, "both", "scan", 200),
                                    record_of(whole_ptx, "both", "add", 200)};
        records[2].time_ns = 800;
        records[2].default_kernel = "scan";
        for (int i = 0; i < 3; i++) {
            put(module, &records[order ? 2 - i : i]);
        }
        assert_int_equal(module->tunings.count, 1);
        struct filed filed = file(&draft);
        assert_int_equal(count_of(&filed), 1);
        assert_string_equal(read(&filed, 0).kernel, "add");
        assert_int_equal(read(&filed, 0).time_ns, 800);
        assert_string_equal(read(&filed, 0).default_kernel, "scan");
        filed_free(&filed);
    }
}

/* One that is void gives way, however late it is; of two that are, the later stays. */
static void test_a_void_record_gives_way(void **state)
{
    (void)state;
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    add_image(module, whole_ptx);
    cubinet_tuning record = record_of(whole_ptx, "add", "add", 100);
    cubinet_tuning of_other = record_of(other_ptx, "add", "add", 300);
    put(module, &of_other);
    put(module, &record);
    cubinet_tuning first = record_of(other_ptx, "scan", "scan", 100);
    cubinet_tuning second = record_of(add_ptx, "scan", "scan", 200);
    put(module, &second);
    put(module, &first);
    assert_int_equal(module->tunings.count, 4);
    struct filed filed = file(&draft);
    assert_int_equal(count_of(&filed), 2);
    assert_int_equal(read(&filed, 0).date, 100);
    assert_int_equal(read(&filed, 0).image, 0);
    assert_int_equal(read(&filed, 1).date, 200);
    assert_int_equal(read(&filed, 1).image, CUBINET_UNKNOWN);
    assert_int_equal(read(&filed, 1).part, CUBINET_UNKNOWN);
    filed_free(&filed);
}

/* By what was tuned, GPU, target, extent. */
static void test_records_are_in_order(void **state)
{
    (void)state;
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    add_image(module, whole_ptx);
    add_image(module, other_ptx);
    cubinet_tuning last = record_of(whole_ptx, "scan", "scan", 1);
    put(module, &last);
    for (uint32_t i = 0; i < 7; i++) { /* the last of them first */
        cubinet_tuning record = record_of(i == 2 ? other_ptx : whole_ptx, "add", "add", 1);
        record.gpu = i == 0 ? "NVIDIA H200" : "NVIDIA H100";
        record.multiprocessor_count = i == 1 ? 144 : 132;
        record.target.number = i == 2 ? 90 : 80;
        record.extent[2] = i == 3 ? 2 : 1;
        record.extent[0] = i == 4 ? 5000 : 4096;
        record.compute = i == 5 ? 80 : 90;
        record.candidate_count = 10 - i;
        put(module, &record);
    }
    struct filed filed = file(&draft);
    static const uint32_t candidates[] = {5, 4, 7, 6, 8, 9, 10, 30};
    assert_int_equal(count_of(&filed), COUNT(candidates));
    for (uint32_t i = 0; i < COUNT(candidates); i++) {
        assert_int_equal(read(&filed, i).candidate_count, candidates[i]);
    }
    filed_free(&filed);
}

static void test_a_valid_record_is_of_an_image(void **state)
{
    (void)state;
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    add_image(module, whole_ptx);
    cubinet_tuning record = record_of(whole_ptx, "add", "add", 1);
    cubinet_tuning wrong[] = {record_of(other_ptx, "add", "add", 1), record, record, record};
    wrong[1].target.number = 90;
    wrong[2].kernel = "sort";
    wrong[3].time_ns = 0;
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(draft_put_valid_tuning(module, &wrong[i]), CUBINET_ERROR_NOT_FOUND);
        assert_non_null(strstr(cubinet_error_message(), "is of another image for compute_"));
    }
    assert_int_equal(draft_put_valid_tuning(module, &wrong[3]), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(module->tunings.count, 0);
    assert_int_equal(draft_put_valid_tuning(module, &record), CUBINET_OK);
    assert_int_equal(module->tunings.count, 1);
    draft_free(&draft);
}

/* In parts, it is of the one that has the kernel. */
static void test_parts_have_records(void **state)
{
    (void)state;
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    add_image(module, HEAD("sm_75") KERNEL("other")); /* which comes first */
    add_parts(module);
    cubinet_tuning add = record_of(add_ptx, "add", "add", 1);
    cubinet_tuning scan = record_of(scan_ptx, "scan", "scan", 1);
    put(module, &add);
    put(module, &scan);
    struct filed filed = file(&draft);
    assert_int_equal(read(&filed, 0).image, 1);
    assert_int_equal(read(&filed, 0).part, 0);
    assert_int_equal(read(&filed, 1).image, 1);
    assert_int_equal(read(&filed, 1).part, 1);
    uint8_t digest[16];
    assert_int_equal(cubinet_archive_get_code_digest(filed.archive, 0, 1, 1, digest), CUBINET_OK);
    assert_memory_equal(digest, scan.digest, sizeof(digest));
    struct draft again = {0};
    assert_int_equal(draft_add_archive(&again, filed.archive, "a test"), CUBINET_OK);
    static const bool kept[] = {true, false};
    draft_keep_parts(&again.modules[0], 1, kept);
    assert_int_equal(again.modules[0].tunings.count, 1);
    assert_string_equal(again.modules[0].tunings.items[0]->kernel, "add");
    draft_free(&again);
    filed_free(&filed);
}

/* Of chosen images, what is true of them. */
/* "The default stays" is said of the default of its time. */
static void test_another_default_does_not_stay(void **state)
{
    (void)state;
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    add_image(module, whole_ptx);
    cubinet_tuning record = record_of(whole_ptx, "set", "add", 1);
    record.flags |= CUBINET_TUNING_DEFAULT;
    record.untuned_time_ns = record.time_ns;
    record.untuned_noise_ns = record.noise_ns;
    put(module, &record);
    record = record_of(whole_ptx, "set", "scan", 2);
    record.extent[0] = 8192;
    put(module, &record);
    struct filed filed = file(&draft);
    cubinet_tuning found = {.size = sizeof(found)};
    assert_int_equal(cubinet_archive_get_tuning(filed.archive, 0, 0, &found), CUBINET_OK);
    assert_int_equal(found.extent[0], 4096);
    assert_string_equal(found.kernel, "add");
    assert_string_equal(found.default_kernel, "scan");
    assert_int_equal(found.flags & CUBINET_TUNING_DEFAULT, 0);
    struct draft again = {0};
    assert_int_equal(draft_add_archive(&again, filed.archive, "a test"), CUBINET_OK);
    assert_int_equal(again.modules[0].tunings.count, 2);
    draft_free(&again);
    filed_free(&filed);
}

static void test_images_bring_their_records(void **state)
{
    (void)state;
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    add_image(module, whole_ptx);
    add_image(module, other_ptx);
    cubinet_tuning record = record_of(whole_ptx, "add", "add", 1);
    put(module, &record);
    record = record_of(other_ptx, "sort", "sort", 1);
    record.target.number = 90;
    put(module, &record);
    record.digest[0] ^= 1;
    record.extent[0] = 5;
    put(module, &record);
    struct filed filed = file(&draft);
    static const bool wanted[] = {false, true};
    struct draft some = {0};
    assert_int_equal(draft_add_archive_images(&some, filed.archive, 0, wanted, "a test"), CUBINET_OK);
    assert_int_equal(some.modules[0].tunings.count, 1);
    assert_string_equal(some.modules[0].tunings.items[0]->what, "sort");
    struct draft all = {0};
    assert_int_equal(draft_add_archive(&all, filed.archive, "a test"), CUBINET_OK);
    assert_int_equal(all.modules[0].tunings.count, 3);
    draft_drop_tunings(&all.modules[0], "sort");
    assert_int_equal(all.modules[0].tunings.count, 1);
    draft_drop_tunings(&all.modules[0], NULL);
    assert_int_equal(all.modules[0].tunings.count, 0);
    draft_free(&all);
    draft_free(&some);
    filed_free(&filed);
}

/* A member, and what is wrong with it. */
static void refuse(const cubinet_tuning *tuning, const char *message)
{
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "m");
    assert_int_equal(draft_put_tuning(module, tuning), CUBINET_ERROR_INVALID_ARGUMENT);
    if (!strstr(cubinet_error_message(), message)) {
        fail_msg("'%s' is not in: %s", message, cubinet_error_message());
    }
    assert_int_equal(module->tunings.count, 0);
    draft_free(&draft);
}

#define REFUSE(member, value, message)                                                                       \
    do {                                                                                                     \
        cubinet_tuning changed = record_of(whole_ptx, "add", "add", 1);                                      \
        changed.member = value;                                                                              \
        refuse(&changed, message);                                                                           \
    } while (0)

static void test_refuses_what_no_record_says(void **state)
{
    (void)state;
    char name[300];
    memset(name, 'x', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    const char *instances[] = {NULL};
    cubinet_tuning lacks = record_of(whole_ptx, "add", "add", 1);
    lacks.instances = instances;
    lacks.instance_count = 1;
    refuse(&lacks, "a tuning record lacks an instance's name");
    REFUSE(what, NULL, "lacks the name of what was tuned");
    REFUSE(what, "", "the name of what was tuned");
    REFUSE(what, "a\nb", "the name of what was tuned");
    REFUSE(kernel, NULL, "lacks a kernel's name");
    REFUSE(default_kernel, NULL, "lacks the default kernel's name");
    REFUSE(gpu, NULL, "lacks a GPU's name");
    REFUSE(gpu, name, "a GPU's name of more than 255 bytes");
    REFUSE(multiprocessor_count, 0, "must be at least 1");
    REFUSE(candidate_count, 0, "must be at least 1");
    REFUSE(time_ns, 0, "must be at least 1");
    REFUSE(block[1], 0, "must be at least 1");
    REFUSE(extent[2], 0, "must be at least 1");
    REFUSE(extent[1], UINT64_MAX, "2^63 or more");
    REFUSE(noise_ns, UINT64_MAX, "2^63 or more");
    REFUSE(compute, 9, "a compute capability");
    REFUSE(compute, 10000, "a compute capability");
    REFUSE(target.kind, 9, "a target that no image has");
    REFUSE(target.number, 9, "a target that no image has");
    REFUSE(target.suffix, 'x', "a target that no image has");
    REFUSE(grid_rule, 5, "a rule for the grid");
    REFUSE(flags, 16, "flags that do not exist");
    REFUSE(cluster[0], 0, "a cluster without x");
    REFUSE(flags, CUBINET_TUNING_DEFAULT, "the default's flag");
    REFUSE(driver_version, 0, "a driver of version 0");
    REFUSE(toolkit, 13, "a toolkit of version 13");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files_all_of_a_record),
        cmocka_unit_test(test_the_later_record_stays),
        cmocka_unit_test(test_a_void_record_gives_way),
        cmocka_unit_test(test_records_are_in_order),
        cmocka_unit_test(test_a_valid_record_is_of_an_image),
        cmocka_unit_test(test_parts_have_records),
        cmocka_unit_test(test_another_default_does_not_stay),
        cmocka_unit_test(test_images_bring_their_records),
        cmocka_unit_test(test_refuses_what_no_record_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Recording what is used, on the simulated driver: what is an entry and what is not, by threads and
 * processes, and that nothing of it fails the program. */
#include "machine.h"
#include "simcuda.h"
#include "unit.h"

#include "loader/core/record/record_file.h"

#include <cubinet/preload.h>

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 8, PROCESSES = 6, PATH_SIZE = 64 };

static char folder[] = "/tmp/test_record_XXXXXX";
static char path[PATH_SIZE];
static char logged[2048];

static void keep_log(void *user, cubinet_log_level level, const char *message)
{
    (void)user;
    if (level == CUBINET_LOG_WARNING) {
        size_t used = strlen(logged);
        snprintf(logged + used, sizeof(logged) - used, "%s\n", message);
    }
}

static int set_up(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/test_record_XXXXXX");
    logged[0] = '\0';
    unsetenv("CUBINET_RECORD");
    return mkdtemp(folder) ? snprintf(path, sizeof(path), "%s/used", folder) < 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    char command[PATH_SIZE + 16];
    unsetenv("CUBINET_RECORD");
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return system(command);
}

/* A driver that records there. NULL: as the environment says. */
static cubinet_driver *start(const char *record)
{
    simdriver_reset();
    assert_true(simdriver_set_devices("9.0"));
    setenv("CUBINET_NVJITLINK", "/nonexistent/libnvJitLink.so.13", 0);
    const cubinet_driver_options options = {
        .size = sizeof(options), .library = SIMCUDA_PATH, .log = keep_log, .record = record};
    cubinet_driver *driver = NULL;
    assert_int_equal(cubinet_driver_open(&options, &driver), CUBINET_OK);
    return driver;
}

static cubinet_status launch(cubinet_kernel *kernel)
{
    CUdeviceptr address = 0;
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    const cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {32}};
    return cubinet_kernel_launch(kernel, &config, args, COUNT(args));
}

/* Looks up two kernels and launches one. */
static void use_demo(cubinet_driver *driver, const cubinet_archive *archive)
{
    cubinet_module *module = machine_load(driver, archive, 0);
    machine_kernel(module, "scale<float>");
    assert_int_equal(launch(machine_kernel(module, "tile")), CUBINET_OK);
    assert_int_equal(launch(machine_kernel(module, "tile")), CUBINET_OK);
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
}

static struct cbn_record read_record(const char *file)
{
    struct cbn_record record = {0};
    assert_int_equal(cbn_record_read(file, &record), CUBINET_OK);
    assert_int_equal(record.damaged, 0);
    return record;
}

/* What the entries say, one word each: "kernel:tile". */
static void expect_uses(const char *file, const char *expected)
{
    struct cbn_record record = read_record(file);
    char text[2048] = "";
    for (size_t i = 0; i < record.count; i++) {
        const struct cbn_record_entry *entry = &record.entries[i];
        size_t used = strlen(text);
        const char *what = entry->kernel ? entry->kernel : entry->global ? entry->global : entry->image;
        snprintf(text + used, sizeof(text) - used, "%s%s:%s", used ? " " : "", entry->use, what);
    }
    assert_string_equal(text, expected);
    cbn_record_free(&record);
}

#define SCALE "scale"
static const char demo_uses[] = "module:sm_90 found:" SCALE " found:tile kernel:tile";

static void test_what_is_used_is_recorded_once(void **state)
{
    (void)state;
    cubinet_driver *driver = start(path);
    cubinet_archive *archive = NULL;
    char file[PATH_SIZE + 16];
    snprintf(file, sizeof(file), "%s/demo.cubinet", folder);
    machine_archive_file("sm_80 sm_90 compute_80", "1.4", file);
    assert_int_equal(cubinet_archive_open(file, NULL, &archive), CUBINET_OK);
    use_demo(driver, archive);
    use_demo(driver, archive);
    expect_uses(path, demo_uses);
    struct cbn_record record = read_record(path);
    for (size_t i = 0; i < record.count; i++) {
        const struct cbn_record_entry *entry = &record.entries[i];
        assert_string_equal(entry->archive, file);
        assert_string_equal(entry->archive_version, "1.4");
        assert_int_equal(strlen(entry->archive_digest), 32);
        assert_string_equal(entry->module, DEMO);
        assert_string_equal(entry->image, "sm_90");
        assert_int_equal(strlen(entry->image_digest), 32);
        assert_string_equal(entry->compute, "9.0");
        assert_string_equal(entry->driver, "13.0");
        assert_true(strlen(entry->device) > 0);
        assert_int_equal(strlen(entry->time), strlen("2026-11-25T14:30:00Z"));
    }
    cbn_record_free(&record);
    cubinet_archive_close(archive);
    machine_stop(driver);
    assert_string_equal(logged, "");
}

static void test_handles_functions_and_globals_are_uses(void **state)
{
    (void)state;
    cubinet_driver *driver = start(path);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    cubinet_module *module = machine_load(driver, archive, 0);
    CUfunction function = NULL;
    CUdeviceptr address = 0;
    assert_int_equal(cubinet_kernel_get_function(machine_kernel(module, "tile"), &function), CUBINET_OK);
    assert_non_null(cubinet_kernel_get_handle(machine_kernel(module, "scale<float>")));
    assert_int_equal(cubinet_module_find_global(module, "table", &address, NULL), CUBINET_OK);
    assert_int_equal(cubinet_module_find_global(module, "nothing", &address, NULL), CUBINET_ERROR_NOT_FOUND);
    cubinet_kernel *kernel = NULL;
    assert_int_equal(cubinet_module_find_kernel(module, "nothing", &kernel), CUBINET_ERROR_NOT_FOUND);
    expect_uses(path, "module:sm_90 found:tile kernel:tile found:" SCALE " kernel:" SCALE " global:table");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_the_environment_names_the_file(void **state)
{
    (void)state;
    cubinet_archive *archive = machine_archive("sm_90", 0);
    cubinet_driver *driver = start(NULL);
    use_demo(driver, archive);
    machine_stop(driver);
    assert_int_not_equal(access(path, F_OK), 0);

    setenv("CUBINET_RECORD", path, 1);
    driver = start(""); /* the program's word is the last */
    use_demo(driver, archive);
    machine_stop(driver);
    assert_int_not_equal(access(path, F_OK), 0);

    driver = start(NULL);
    use_demo(driver, archive);
    machine_stop(driver);
    expect_uses(path, demo_uses);
    cubinet_archive_close(archive);
}

static void test_later_runs_add_what_is_new(void **state)
{
    (void)state;
    cubinet_archive *archive = machine_archive("sm_90", 0);
    for (int run = 0; run < 3; run++) {
        cubinet_driver *driver = start(path);
        use_demo(driver, archive);
        machine_stop(driver);
        expect_uses(path, demo_uses);
    }
    cubinet_driver *driver = start(path);
    cubinet_module *module = machine_load(driver, archive, 0);
    assert_non_null(cubinet_kernel_get_handle(machine_kernel(module, "clustered")));
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    machine_stop(driver);
    struct cbn_record record = read_record(path);
    assert_int_equal(record.count, 6);
    cbn_record_free(&record);
    cubinet_archive_close(archive);
}

static void test_a_line_that_was_cut_off_is_ended(void **state)
{
    (void)state;
    cubinet_archive *archive = machine_archive("sm_90", 0);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"cubinet_record\":1,\"use\":\"ker", file);
    fclose(file);
    cubinet_driver *driver = start(path);
    use_demo(driver, archive);
    machine_stop(driver);
    cubinet_archive_close(archive);
    struct cbn_record record = {0};
    assert_int_equal(cbn_record_read(path, &record), CUBINET_OK);
    assert_int_equal(record.damaged, 1);
    assert_int_equal(record.count, 4);
    cbn_record_free(&record);
}

static void test_the_process_has_a_file_of_its_own(void **state)
{
    (void)state;
    char pattern[PATH_SIZE + 16];
    char file[PATH_SIZE + 32];
    snprintf(pattern, sizeof(pattern), "%s/%%p-%%q-%%p%%", folder);
    snprintf(file, sizeof(file), "%s/%ld-%%q-%ld%%", folder, (long)getpid(), (long)getpid());
    cubinet_archive *archive = machine_archive("sm_90", 0);
    cubinet_driver *driver = start(pattern);
    use_demo(driver, archive);
    machine_stop(driver);
    expect_uses(file, demo_uses);
    cubinet_archive_close(archive);
}

/* A folder, a place that does not exist, a pipe that nobody reads. */
static void test_a_file_that_cannot_be_written_is_only_logged(void **state)
{
    (void)state;
    char places[3][PATH_SIZE + 16];
    cubinet_archive *archive = machine_archive("sm_90", 0);
    snprintf(places[0], sizeof(places[0]), "%s", folder);
    snprintf(places[1], sizeof(places[1]), "%s/no/such/folder", folder);
    snprintf(places[2], sizeof(places[2]), "%s/pipe", folder);
    assert_int_equal(mkfifo(places[2], 0600), 0);
    for (size_t i = 0; i < COUNT(places); i++) {
        logged[0] = '\0';
        cubinet_driver *driver = start(places[i]);
        use_demo(driver, archive);
        machine_stop(driver);
        assert_non_null(strstr(logged, "use is not recorded in"));
        assert_non_null(strstr(logged, places[i]));
    }
    cubinet_archive_close(archive);
}

static void test_a_full_disk_is_logged_once(void **state)
{
    (void)state;
    cubinet_archive *archive = machine_archive("sm_90", 0);
    cubinet_driver *driver = start(path);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {.rlim_cur = 700, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    use_demo(driver, archive);
    use_demo(driver, archive);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    machine_stop(driver);
    char *first = strstr(logged, "nothing more is recorded");
    assert_non_null(first);
    assert_null(strstr(first + 1, "nothing more is recorded"));
    struct cbn_record record = {0};
    assert_int_equal(cbn_record_read(path, &record), CUBINET_OK);
    assert_true(record.count > 0 && record.count < 4);
    assert_int_equal(record.damaged, 1);
    cbn_record_free(&record);
    cubinet_archive_close(archive);
}

struct shared {
    cubinet_module *module;
    int failures[THREADS];
    pthread_barrier_t start;
};
static struct shared shared;

static void *use_together(void *user)
{
    int *failures = user;
    cubinet_kernel *kernel = NULL;
    pthread_barrier_wait(&shared.start);
    for (int i = 0; i < 20; i++) {
        *failures += cubinet_module_find_kernel(shared.module, "tile", &kernel) != CUBINET_OK;
        *failures += launch(kernel) != CUBINET_OK;
        *failures += cubinet_module_find_kernel(shared.module, "scale<float>", &kernel) != CUBINET_OK;
    }
    return NULL;
}

static void test_threads_record_each_use_once(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    cubinet_driver *driver = start(path);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    memset(shared.failures, 0, sizeof(shared.failures));
    shared.module = machine_load(driver, archive, 0);
    pthread_barrier_init(&shared.start, NULL, THREADS);
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, use_together, &shared.failures[i]), 0);
    }
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(shared.failures[i], 0);
    }
    pthread_barrier_destroy(&shared.start);
    struct cbn_record record = read_record(path);
    assert_int_equal(record.count, 4);
    cbn_record_free(&record);
    assert_int_equal(cubinet_module_unload(shared.module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* CUDA itself works in no process that was forked from one that uses it: such a process must not touch what
 * another thread of its parent may have locked. */
static void test_a_forked_process_leaves_its_parents_record_alone(void **state)
{
    (void)state;
    cubinet_driver *driver = start(path);
    cubinet_archive *archive = machine_archive("sm_90", 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        use_demo(driver, archive);
        _exit(0);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    expect_uses(path, "");
    use_demo(driver, archive);
    expect_uses(path, demo_uses);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void run_process(const char *module)
{
    const struct machine_module modules[] = {{.name = module, .images = "sm_90"}};
    cubinet_driver *driver = start(path);
    cubinet_archive *archive = machine_modules(modules, 1);
    cubinet_module *loaded = NULL;
    bool ok = cubinet_module_load(driver, archive, module, 0, NULL, &loaded) == CUBINET_OK &&
              launch(machine_kernel(loaded, "tile")) == CUBINET_OK;
    _exit(ok ? 0 : 1);
}

static void test_processes_share_a_file(void **state)
{
    (void)state;
    pid_t children[PROCESSES];
    char names[PROCESSES][16];
    for (size_t i = 0; i < PROCESSES; i++) {
        snprintf(names[i], sizeof(names[i]), "module%zu", i);
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            run_process(names[i]);
        }
    }
    for (size_t i = 0; i < PROCESSES; i++) {
        int status = -1;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
    struct cbn_record record = read_record(path);
    assert_int_equal(record.count, 3 * PROCESSES);
    for (size_t i = 0; i < PROCESSES; i++) {
        size_t found = 0;
        for (size_t j = 0; j < record.count; j++) {
            found += strcmp(record.entries[j].module, names[i]) == 0;
        }
        assert_int_equal(found, 3);
    }
    cbn_record_free(&record);
}

/* Modules of two archives: "first" and "second", used in that order, each with one kernel launched. */
static const struct machine_module two[] = {
    {.name = "afterwards", .images = "sm_90"},
    {.name = "before", .images = "compute_80"},
    {.name = "never", .images = "sm_90"},
};

static void record_two(cubinet_archive *archive)
{
    cubinet_driver *driver = start(path);
    static const char *const order[] = {"before", "afterwards"};
    for (size_t i = 0; i < COUNT(order); i++) {
        cubinet_module *module = NULL;
        assert_int_equal(cubinet_module_load(driver, archive, order[i], 0, NULL, &module), CUBINET_OK);
        machine_kernel(module, "scale<float>");
        assert_int_equal(launch(machine_kernel(module, "tile")), CUBINET_OK);
        assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    }
    machine_stop(driver);
}

static cubinet_preload_result result_of(const cubinet_preload *preloaded, size_t index)
{
    cubinet_preload_result result = {.size = sizeof(result)};
    assert_int_equal(cubinet_preload_get_result(preloaded, index, &result), CUBINET_OK);
    return result;
}

static int hear_order(void *user, const cubinet_preload_result *result, size_t done, size_t total)
{
    char *names = user;
    (void)done;
    (void)total;
    strcat(strcat(names, result->name), " ");
    return 0;
}

static void test_what_was_recorded_is_preloaded(void **state)
{
    (void)state;
    cubinet_archive *archive = machine_modules(two, COUNT(two));
    record_two(archive);
    char other[PATH_SIZE + 8];
    char names[256] = "";
    snprintf(other, sizeof(other), "%s2", path);
    cubinet_driver *driver = start(other);
    const cubinet_archive *const archives[] = {archive};
    const cubinet_preload_options options = {
        .size = sizeof(options), .threads = 1, .progress = hear_order, .progress_user = names};
    cubinet_preload *preloaded = NULL;
    assert_int_equal(cubinet_preload_recorded(driver, 0, archives, 1, path, &options, &preloaded),
                     CUBINET_OK);
    assert_string_equal(names, "before afterwards ");
    assert_int_equal(cubinet_preload_get_result_count(preloaded), 2);
    assert_string_equal(result_of(preloaded, 0).name, "before");
    cubinet_module *module = result_of(preloaded, 1).module;
    const unsigned int functions = simdriver_calls("cuKernelGetFunction");
    assert_int_equal(launch(machine_kernel(module, "tile")), CUBINET_OK); /* nothing was left to it */
    assert_int_equal(simdriver_calls("cuKernelGetFunction"), functions);
    /* That it was loaded beforehand is not a use. */
    expect_uses(other, "found:tile kernel:tile");
    assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_what_is_not_there_any_more_is_passed_over(void **state)
{
    (void)state;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    static const char *const entries[] = {
        "\"module\",\"module\":\"gone\",\"archive_digest\":\"00\"",
        "\"kernel\",\"module\":\"before\",\"kernel\":\"gone\",\"archive_digest\":\"00\"",
        "\"kernel\",\"module\":\"before\",\"kernel\":\"tile\",\"archive_digest\":\"00\"",
        "\"found\",\"module\":\"never\",\"kernel\":\"tile\",\"archive_digest\":\"00\"",
        "\"linked\",\"module\":\"afterwards\",\"archive_digest\":\"00\"",
        "\"module\",\"module\":\"afterwards\"",
    };
    for (size_t i = 0; i < COUNT(entries); i++) {
        fprintf(file, "{\"cubinet_record\":1,\"use\":%s}\n", entries[i]);
    }
    fclose(file);
    cubinet_archive *archive = machine_modules(two, COUNT(two));
    cubinet_driver *driver = start("");
    const cubinet_archive *const archives[] = {archive};
    cubinet_preload *preloaded = NULL;
    assert_int_equal(cubinet_preload_recorded(driver, 0, archives, 1, path, NULL, &preloaded), CUBINET_OK);
    assert_int_equal(cubinet_preload_get_result_count(preloaded), 1);
    assert_string_equal(result_of(preloaded, 0).name, "before");
    assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);

    assert_int_equal(cubinet_preload_recorded(driver, 0, NULL, 0, path, NULL, &preloaded), CUBINET_OK);
    assert_int_equal(cubinet_preload_get_result_count(preloaded), 0);
    assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
    preloaded = NULL;
    assert_int_equal(cubinet_preload_recorded(driver, 0, archives, 1, folder, NULL, &preloaded),
                     CUBINET_ERROR_IO);
    assert_int_equal(cubinet_preload_recorded(driver, 0, archives, 1, "/no/record", NULL, &preloaded),
                     CUBINET_ERROR_IO);
    assert_int_equal(cubinet_preload_recorded(driver, 0, NULL, 1, path, NULL, &preloaded),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_preload_recorded(driver, 7, archives, 1, path, NULL, &preloaded),
                     CUBINET_ERROR_NO_DEVICE);
    assert_null(preloaded);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_the_very_archive_comes_before_others(void **state)
{
    (void)state;
    cubinet_archive *archive = machine_modules(two, COUNT(two));
    cubinet_archive *other = machine_modules(two, 2);
    record_two(archive);
    cubinet_driver *driver = start("");
    const cubinet_archive *const archives[] = {other, archive};
    cubinet_preload *preloaded = NULL;
    assert_int_equal(cubinet_preload_recorded(driver, 0, archives, 2, path, NULL, &preloaded), CUBINET_OK);
    assert_int_equal(cubinet_preload_get_result_count(preloaded), 2);
    assert_ptr_equal(result_of(preloaded, 0).archive, archive);
    assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);
    assert_int_equal(cubinet_preload_recorded(driver, 0, archives, 1, path, NULL, &preloaded), CUBINET_OK);
    assert_ptr_equal(result_of(preloaded, 0).archive, other);
    assert_int_equal(cubinet_preload_destroy(preloaded), CUBINET_OK);

    /* Every call that fails leaves nothing loaded. */
    static const char *const calls[] = {"cuLibraryLoadData", "cuLibraryGetKernel", "cuKernelGetFunction"};
    for (size_t i = 0; i < COUNT(calls); i++) {
        simdriver_fail(calls[i], 2, CBN_CU_OUT_OF_MEMORY, false);
        assert_int_equal(cubinet_preload_recorded(driver, 0, archives, 2, path, NULL, &preloaded),
                         CUBINET_ERROR_DEVICE_MEMORY);
        assert_int_equal(simdriver_live_libraries(), 0);
    }
    cubinet_archive_close(archive);
    cubinet_archive_close(other);
    machine_stop(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_what_is_used_is_recorded_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_handles_functions_and_globals_are_uses, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_environment_names_the_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_later_runs_add_what_is_new, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_line_that_was_cut_off_is_ended, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_process_has_a_file_of_its_own, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_file_that_cannot_be_written_is_only_logged, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_full_disk_is_logged_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_threads_record_each_use_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_forked_process_leaves_its_parents_record_alone, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_processes_share_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_was_recorded_is_preloaded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_not_there_any_more_is_passed_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_very_archive_comes_before_others, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

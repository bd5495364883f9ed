/* SPDX-License-Identifier: Apache-2.0 */
/* A plugin that has the static library inside, and links: closed, it leaves no file or folder open. */
#include "cache_fixture.h"
#include "unit.h"

#include <cubinet/status.h>

#include <dirent.h>
#include <dlfcn.h>
#include <stdlib.h>

enum { CYCLES = 20 };

static size_t open_files(void)
{
    size_t count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder)) {
        count++;
    }
    closedir(folder);
    return count;
}

/* How many files are open before the plugin is closed. */
static size_t load_and_link(void)
{
    cubinet_status (*link)(const char *, const char *) = NULL;
    void *plugin = dlopen(PLUGIN_PATH, RTLD_NOW);
    assert_non_null(plugin);
    *(void **)&link = dlsym(plugin, "plugin_link");
    assert_non_null(link);
    assert_int_equal(link(SIMCUDA_PATH, FAKE_NVJITLINK_PATH), CUBINET_ERROR_LINK); /* it makes nothing */
    size_t count = open_files();
    assert_int_equal(dlclose(plugin), 0);
    assert_null(dlopen(PLUGIN_PATH, RTLD_NOW | RTLD_NOLOAD));
    return count;
}

static void closes_its_cache(void **state)
{
    assert_int_equal(setenv("CUBINET_CACHE_DIR", *state, 1), 0);
    load_and_link(); /* NVIDIA's libraries stay */
    size_t before = open_files();
    for (int i = 0; i < CYCLES; i++) {
        assert_true(load_and_link() > before);
        assert_int_equal(open_files(), before);
    }
}

/* What is known of an nvJitLink is never freed: links of any thread may use it. */
__attribute__((visibility("default"))) const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "detect_leaks=0";
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(closes_its_cache, folder_create, folder_remove)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

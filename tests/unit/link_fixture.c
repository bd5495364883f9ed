/* SPDX-License-Identifier: Apache-2.0 */
#include "link_fixture.h"

#include "unit.h"

#include "archive/archive_writer.h"
#include "archive/draft.h"
#include "ptx/reading/ptx.h"
#include "toolkit/nvrtc.h"
#include "toolkit/toolkit.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct toolkit toolkit;
static struct nvrtc nvrtc;
static void *fake;

const struct made_module apply_module = {
    .name = "apply",
    .source = APPLY_SOURCE,
    .kernel = APPLY_KERNEL,
    .expression = "apply<float>",
    .symbols = {{.name = "op", .type = "b32(b32)", .is_needed = true}},
};
const struct made_module twice_module = {
    .name = "twice",
    .source = TWICE_SOURCE,
    .symbols = {{.name = "op", .type = "b32(b32)"}},
};
const struct made_module half_module = {
    .name = "half",
    .source = HALF_SOURCE,
    .symbols = {{.name = "op", .type = "b32(b32)"}},
};

/* nvJitLink loses a few bytes of its own at some options. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libnvJitLink\n";
}

/* The thread sanitizer does not see how its threads go about with each other. */
__attribute__((visibility("default"))) const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "race:libnvJitLink\n";
}

int link_tools_open(void **state)
{
    (void)state;
    if (toolkit_find(NULL, NULL, &toolkit) || !toolkit.nvjitlink) {
        print_error("these tests need a toolkit: %s\n", cubinet_error_message());
        return -1;
    }
    const struct cbn_library_search search = {.what = "NVRTC", .path = toolkit.nvrtc, .stays = true};
    fake = dlopen(FAKE_NVJITLINK_PATH, RTLD_NOW | RTLD_LOCAL);
    return nvrtc_open(&search, &nvrtc) || !fake ? -1 : 0;
}

int link_tools_close(void **state)
{
    (void)state;
    nvrtc_close(&nvrtc);
    toolkit_free(&toolkit);
    dlclose(fake);
    return 0;
}

const char *real_nvjitlink(void)
{
    return toolkit.nvjitlink;
}

bool library_is_open(const char *path)
{
    void *handle = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    if (handle) {
        dlclose(handle);
    }
    return handle != NULL;
}

void expect_ok(cubinet_status status)
{
    if (status) {
        print_error("%s\n", cubinet_error_message());
    }
    assert_int_equal(status, CUBINET_OK);
}

void expect_in(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        print_error("'%s' is not in: %s\n", part, text);
        fail();
    }
}

static struct compiled compile(const char *source, const char *architecture, bool lto)
{
    char arch[32];
    snprintf(arch, sizeof(arch), "-arch=compute_%s", architecture);
    const char *options[] = {arch, "-rdc=true", "-no-source-include", "-dlto"};
    const struct nvrtc_job job = {
        .source = source,
        .name = "piece.cu",
        .options = options,
        .option_count = lto ? 4 : 3,
        .makes = lto ? CUBINET_IMAGE_LTOIR : 0,
    };
    struct nvrtc_result result = {0};
    if (nvrtc_compile(&nvrtc, &job, &result)) {
        print_error("%s\n%s\n", cubinet_error_message(), result.log);
        fail();
    }
    struct compiled compiled = {.data = malloc(result.size + 1), .size = result.size + !lto};
    assert_non_null(compiled.data);
    memcpy(compiled.data, result.image, result.size);
    ((char *)compiled.data)[result.size] = '\0';
    nvrtc_result_free(&result);
    return compiled;
}

struct compiled compile_ltoir(const char *source, const char *architecture)
{
    return compile(source, architecture, true);
}

struct compiled compile_ptx(const char *source, const char *architecture)
{
    return compile(source, architecture, false);
}

/* A function of NVRTC that the command does not call, as a pointer of any type. */
static void find_in_nvrtc(const char *name, void *function)
{
    void *address = dlsym(nvrtc.library.handle, name);
    assert_non_null(address);
    memcpy(function, &address, sizeof(address));
}

struct compiled compile_cubin(const char *source, const char *architecture)
{
    char arch[32];
    snprintf(arch, sizeof(arch), "-arch=sm_%s", architecture);
    const char *const options[] = {arch, "-rdc=true"};
    nvrtcResult (*get_size)(nvrtcProgram, size_t *) = NULL;
    nvrtcResult (*get)(nvrtcProgram, char *) = NULL;
    nvrtcProgram program = NULL;
    struct compiled compiled = {0};
    find_in_nvrtc("nvrtcGetCUBINSize", &get_size);
    find_in_nvrtc("nvrtcGetCUBIN", &get);
    assert_int_equal(nvrtc.table.nvrtcCreateProgram(&program, source, "piece.cu", 0, NULL, NULL), 0);
    assert_int_equal(nvrtc.table.nvrtcCompileProgram(program, COUNT(options), options), 0);
    assert_int_equal(get_size(program, &compiled.size), 0);
    compiled.data = malloc(compiled.size);
    assert_non_null(compiled.data);
    assert_int_equal(get(program, compiled.data), 0);
    nvrtc.table.nvrtcDestroyProgram(&program);
    return compiled;
}

static void add_symbols(const struct made_module *made, struct draft_image *image)
{
    for (size_t i = 0; i < COUNT(made->symbols) && made->symbols[i].name; i++) {
        const struct made_symbol *symbol = &made->symbols[i];
        const struct symbol added = {
            .name = (char *)(uintptr_t)symbol->name,
            .type = (char *)(uintptr_t)symbol->type,
            .is_defined = !symbol->is_needed,
            .is_weak = symbol->is_weak,
        };
        assert_int_equal(symbol_list_add(&image->symbols, &added), CUBINET_OK);
    }
    image->symbols.is_recorded = image->symbols.count > 0;
    image->symbols.is_complete = image->symbols.is_recorded;
    symbol_list_sort(&image->symbols);
}

static void add_ltoir(struct draft_module *module, const struct made_module *made)
{
    const char *architecture = made->architecture ? made->architecture : "75";
    struct compiled compiled = compile_ltoir(made->source, architecture);
    struct contents contents = {0};
    struct draft_image *image = NULL;
    cubinet_target target;
    char name[32];
    snprintf(name, sizeof(name), "lto_%s", architecture);
    assert_int_equal(cubinet_target_parse(name, &target), CUBINET_OK);
    if (made->kernel) {
        struct contents_kernel *kernel = contents_add_kernel(&contents, made->kernel, strlen(made->kernel));
        assert_non_null(kernel);
        memset(&kernel->resources, 0xff, sizeof(kernel->resources));
        kernel->resources.size = sizeof(kernel->resources);
        kernel->resources.params = NULL;
    }
    assert_int_equal(
        draft_add_image(module, target, compiled.data, compiled.size, &contents, "a test", &image),
        CUBINET_OK);
    image->toolkit = (uint32_t)nvrtc.version;
    image->link_floor = made->floor ? made->floor : image->toolkit;
    add_symbols(made, image);
    contents_free(&contents);
}

static void add_ptx(struct draft_module *module, const struct made_module *made)
{
    struct compiled compiled = compile_ptx(made->source, made->ptx_target + strlen("compute_"));
    struct contents contents = {0};
    cubinet_target target;
    assert_int_equal(cubinet_target_parse(made->ptx_target, &target), CUBINET_OK);
    assert_int_equal(ptx_read(compiled.data, compiled.size - 1, &contents), CUBINET_OK);
    assert_int_equal(
        draft_add_image(module, target, compiled.data, compiled.size - 1, &contents, "a test", NULL),
        CUBINET_OK);
    contents_free(&contents);
}

cubinet_archive *link_archive(const struct made_module *modules, size_t count)
{
    struct draft draft = {0};
    for (size_t i = 0; i < count; i++) {
        struct draft_module *module = draft_module(&draft, modules[i].name);
        assert_non_null(module);
        if (modules[i].kernel) {
            assert_int_equal(draft_add_kernel(module, modules[i].kernel, modules[i].expression), CUBINET_OK);
        }
        add_ltoir(module, &modules[i]);
        if (modules[i].ptx_target) {
            add_ptx(module, &modules[i]);
        }
    }
    char path[] = "/tmp/cubinet-test-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    const struct archive_writer_options options = {0};
    cubinet_archive *archive = NULL;
    assert_int_equal(archive_write_file(&draft, &options, path), CUBINET_OK);
    assert_int_equal(cubinet_archive_open(path, NULL, &archive), CUBINET_OK);
    unlink(path);
    draft_free(&draft);
    return archive;
}

const char *fake_nvjitlink(void)
{
    return FAKE_NVJITLINK_PATH;
}

const char *fake_old_nvjitlink(void)
{
    return FAKE_OLD_NVJITLINK_PATH;
}

/* A function of the fake, as a pointer of any type. */
static void find(const char *name, void *function)
{
    void *address = dlsym(fake, name);
    assert_non_null(address);
    memcpy(function, &address, sizeof(address));
}

void fake_set(enum fake_behaviour behaviour, const void *cubin, size_t size)
{
    void (*control)(int, const void *, size_t) = NULL;
    find("fake_control", &control);
    control((int)behaviour, cubin, size);
}

int fake_links(void)
{
    int (*count)(void) = NULL;
    find("fake_count", &count);
    return count();
}

void fake_fail_call(int call)
{
    void (*fail_call)(int) = NULL;
    find("fake_fail_call", &fail_call);
    fail_call(call);
}

const char *fake_options(void)
{
    const char *(*last)(void) = NULL;
    find("fake_last_options", &last);
    return last();
}

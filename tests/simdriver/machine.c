/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

#include "archive/archive_writer.h"
#include "base/buffer.h"
#include "base/file.h"
#include "image/cubin.h"
#include "image/tileir_read.h"
#include "loader/core/archive/digest.h"
#include "ptx/reading/ptx.h"
#include "simcuda.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

static cubinet_driver *open_driver(cubinet_log_fn log, void *log_user)
{
    /* What the machine that the tests run on has is not for tests to depend on. One that links says otherwise
     * before. */
    setenv("CUBINET_NVJITLINK", "/nonexistent/libnvJitLink.so.13", 0);
    const cubinet_driver_options options = {
        .size = sizeof(options),
        .library = SIMCUDA_PATH,
        .log = log,
        .log_user = log_user,
    };
    cubinet_driver *driver = NULL;
    assert_int_equal(cubinet_driver_open(&options, &driver), CUBINET_OK);
    return driver;
}

cubinet_driver *machine_start(const char *devices, cubinet_log_fn log, void *log_user)
{
    simdriver_reset();
    assert_true(simdriver_set_devices(devices));
    return open_driver(log, log_user);
}

cubinet_driver *machine_start_release(const char *devices, int release)
{
    simdriver_reset();
    assert_true(simdriver_set_devices(devices));
    simdriver_set_version(release);
    return open_driver(NULL, NULL);
}

void machine_expect_current(CUcontext current)
{
    CUcontext found = NULL;
    cbn_cu_result result = cuCtxGetCurrent(&found);
    assert_true(result == CBN_CU_SUCCESS || result == CBN_CU_NOT_INITIALIZED);
    assert_ptr_equal(found, current);
}

void machine_expect_clean(CUcontext current)
{
    assert_string_equal(simdriver_last_misuse(), "");
    assert_int_equal(simdriver_misuses(), 0);
    assert_int_equal(simdriver_live_libraries(), 0);
    assert_int_equal(simdriver_retained_contexts(), 0);
    assert_int_equal(simdriver_last_memory().live, 0);
    machine_expect_current(current);
}

void machine_stop(cubinet_driver *driver)
{
    simdriver_fail_none();
    machine_expect_clean(NULL);
    cubinet_driver_close(driver);
}

static void read_file(const char *name, struct buffer *buffer)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", SIMCUDA_FIXTURES, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char chunk[4096];
    size_t count = 0;
    while ((count = fread(chunk, 1, sizeof(chunk), file)) > 0) {
        buffer_append(buffer, chunk, count);
    }
    assert_false(ferror(file));
    fclose(file);
}

/* The fixture's bytes, which the caller frees. */
static unsigned char *read_cubin(const char *target, size_t *out_size)
{
    char name[64];
    snprintf(name, sizeof(name), "%s.cubin.zst", target);
    struct buffer frame = {0};
    read_file(name, &frame);
    unsigned long long size = ZSTD_getFrameContentSize(frame.data, frame.size);
    assert_true(size > 0 && size < 1 << 20);
    unsigned char *cubin = malloc((size_t)size);
    assert_non_null(cubin);
    assert_int_equal(ZSTD_decompress(cubin, (size_t)size, frame.data, frame.size), size);
    buffer_free(&frame);
    *out_size = (size_t)size;
    return cubin;
}

/* A template with @ISA@ and @TARGET@ filled in. */
static void fill_in(struct buffer *out, const char *text, const char *isa, const char *target)
{
    for (const char *at = strchr(text, '@'); at; at = strchr(text, '@')) {
        buffer_append(out, text, (size_t)(at - text));
        const char *end = strchr(at + 1, '@');
        assert_non_null(end);
        buffer_puts(out, at[1] == 'I' ? isa : target);
        text = end + 1;
    }
    buffer_puts(out, text);
}

/* The text of templates for "compute_N", one after another. */
static unsigned char *fill_templates(const char *target, const char *isa, const char *const *names,
                                     size_t count, size_t *out_size)
{
    struct buffer template = {0};
    struct buffer ptx = {0};
    char sm[CUBINET_TARGET_NAME_SIZE];
    char file[64];
    for (size_t i = 0; i < count; i++) {
        snprintf(file, sizeof(file), "%s.ptx.in", names[i]);
        read_file(file, &template);
    }
    snprintf(sm, sizeof(sm), "sm_%s", target + strlen("compute_"));
    fill_in(&ptx, template.data, isa, sm);
    buffer_free(&template);
    *out_size = ptx.size;
    return (unsigned char *)buffer_take(&ptx);
}

/* PTX of the fixtures' module, or of another template. */
static unsigned char *make_ptx(const char *target, const char *name, const char *isa, size_t *out_size)
{
    const char *const whole[] = {"header", "scale", "tile", "clustered"};
    bool has_clusters = atoi(target + strlen("compute_")) >= 90;
    return name ? fill_templates(target, isa, &name, 1, out_size)
                : fill_templates(target, isa, whole, has_clusters ? 4 : 3, out_size);
}

/* Tile IR of "tile_N" with the kernels of the fixtures' module that are in every image, and no code. */
static unsigned char *make_tileir(const char *target, size_t *out_size)
{
    static const char code[] = "\x7fTileIR\0\x0d\x01\0\0"
                               /* Two functions: name, type, flags (an entry), place, a byte of code. */
                               "\x02\x0d\x02" /**/ "\0\0\x02\x01\x01\x5c" /**/ "\x01\0\x02\x02\x01\x5c"
                               /* Two strings: offsets, text. */
                               "\x01\x15\x02\xcb\xcb\xcb" /**/ "\0\0\0\0\x05\0\0\0"
                               "scaletile" /* the end */;
    int number = atoi(target + strlen("tile_"));
    unsigned char *data = malloc(sizeof(code));
    assert_non_null(data);
    memcpy(data, code, sizeof(code));
    data[8] = (unsigned char)(number / 10);
    data[9] = (unsigned char)(number % 10);
    *out_size = sizeof(code);
    return data;
}

static bool has_contents(cubinet_image_kind kind)
{
    return kind != CUBINET_IMAGE_LTOIR && kind != CUBINET_IMAGE_OPTIXIR;
}

static machine_lie_fn *lie_about; /* what is filed; NULL: nothing */

static void read_contents(cubinet_image_kind kind, const unsigned char *data, size_t size,
                          struct contents *out_contents)
{
    *out_contents = (struct contents){0};
    if (kind == CUBINET_IMAGE_CUBIN) {
        assert_int_equal(cubin_read(data, size, out_contents), CUBINET_OK);
    } else if (kind == CUBINET_IMAGE_PTX) {
        assert_int_equal(ptx_read((const char *)data, size, out_contents), CUBINET_OK);
    } else if (kind == CUBINET_IMAGE_TILEIR) {
        assert_int_equal(tileir_read(data, size, out_contents), CUBINET_OK);
    }
    if (lie_about) {
        lie_about(out_contents);
    }
}

static void add_image(struct draft_module *module, const char *target_name, unsigned char *data, size_t size)
{
    cubinet_target target;
    struct contents contents;
    assert_int_equal(cubinet_target_parse(target_name, &target), CUBINET_OK);
    read_contents(target.kind, data, size, &contents);
    cubinet_status status = draft_add_image(module, target, data, size,
                                            has_contents(target.kind) ? &contents : NULL, "a fixture", NULL);
    assert_int_equal(status, CUBINET_OK);
    contents_free(&contents);
}

enum { MOST_PARTS = 3 };

/* An image of parts: "scale+tile" of PTX, "scale_90+tile_90" of cubins. */
static void add_parts(struct draft_module *module, const char *target_name, const char *isa, char *list)
{
    struct draft_part parts[MOST_PARTS];
    struct contents contents[MOST_PARTS];
    cubinet_target target;
    size_t count = 0;
    char *rest = NULL;
    assert_int_equal(cubinet_target_parse(target_name, &target), CUBINET_OK);
    for (char *name = strtok_r(list, "+", &rest); name; name = strtok_r(NULL, "+", &rest)) {
        const char *const templates[] = {"header", name};
        assert_true(count < MOST_PARTS);
        struct draft_part *part = &parts[count];
        part->data = target.kind == CUBINET_IMAGE_PTX
                         ? fill_templates(target_name, isa, templates, COUNT(templates), &part->size)
                         : read_cubin(name, &part->size);
        part->contents = &contents[count];
        read_contents(target.kind, part->data, part->size, &contents[count++]);
    }
    if (draft_add_parts(module, target, parts, count, "fixtures", NULL)) {
        fail_msg("%s", cubinet_error_message());
    }
    for (size_t i = 0; i < count; i++) {
        contents_free(&contents[i]);
    }
}

/* One word of machine_archive()'s list. */
static void add_listed(struct draft_module *module, char *word)
{
    char *from = strchr(word, '=');
    char *isa = strchr(word, '@');
    size_t size = 0;
    unsigned char *data = NULL;
    if (from) {
        *from++ = '\0';
    }
    if (isa) {
        *isa++ = '\0';
    }
    if (from && strchr(from, '+')) {
        add_parts(module, word, isa ? isa : "8.0", from);
        return;
    }
    if (strncmp(word, "tile_", 5) == 0) {
        data = make_tileir(word, &size);
    } else if (strncmp(word, "lto_", 4) == 0 || strncmp(word, "optix_", 6) == 0) {
        size = 16;
        data = calloc(1, size);
        assert_non_null(data);
    } else if (strncmp(word, "compute_", 8) == 0) {
        data = make_ptx(word, from, isa ? isa : "8.0", &size);
    } else {
        data = read_cubin(from ? from : word, &size);
    }
    add_image(module, word, data, size);
}

/* Files the draft and opens the archive, which needs no file name any more. */
static cubinet_archive *file_draft(struct draft *draft, int zstd_level)
{
    char path[] = "/tmp/cubinet-test-XXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    const struct archive_writer_options options = {.zstd_level = zstd_level};
    cubinet_archive *archive = NULL;
    assert_int_equal(archive_write_file(draft, &options, path), CUBINET_OK);
    assert_int_equal(cubinet_archive_open(path, NULL, &archive), CUBINET_OK);
    unlink(path);
    draft_free(draft);
    return archive;
}

static void add_module(struct draft *draft, const struct machine_module *made)
{
    struct draft_module *module = draft_module(draft, made->name);
    assert_non_null(module);
    if (!made->is_fragment) {
        assert_int_equal(draft_add_kernel(module, "scale", "scale<float>"), CUBINET_OK);
    }
    char *list = strdup(made->images);
    assert_non_null(list);
    char *rest = NULL;
    for (char *word = strtok_r(list, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        add_listed(module, word);
    }
    free(list);
}

cubinet_archive *machine_archive(const char *images, int zstd_level)
{
    struct draft draft = {0};
    add_module(&draft, &(struct machine_module){.name = DEMO, .images = images});
    return file_draft(&draft, zstd_level);
}

void machine_archive_file(const char *images, const char *version, const char *path)
{
    const struct archive_writer_options options = {0};
    struct draft draft = {.archive_version = strdup(version)};
    assert_non_null(draft.archive_version);
    add_module(&draft, &(struct machine_module){.name = DEMO, .images = images});
    assert_int_equal(archive_write_file(&draft, &options, path), CUBINET_OK);
    draft_free(&draft);
}

cubinet_archive *machine_modules(const struct machine_module *modules, size_t count)
{
    struct draft draft = {0};
    for (size_t i = 0; i < count; i++) {
        add_module(&draft, &modules[i]);
    }
    return file_draft(&draft, 0);
}

cubinet_archive *machine_wide_archive(unsigned int params)
{
    struct buffer ptx = {0};
    buffer_puts(&ptx, ".version 8.0\n.target sm_75\n.address_size 64\n\n.visible .entry wide(");
    for (unsigned int i = 0; i < params; i++) {
        buffer_printf(&ptx, "%s\n    .param .u32 wide_param_%u", i ? "," : "", i);
    }
    buffer_puts(&ptx,
                "\n)\n{\n    ret;\n}\n.visible .global .attribute(.managed) .align 4 .u32 shared_count;\n");
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, "wide");
    assert_non_null(module);
    size_t size = ptx.size;
    add_image(module, "compute_75", (unsigned char *)buffer_take(&ptx), size);
    return file_draft(&draft, 0);
}

/* Files the draft, signed, and opens the archive with the key that fits. */
static cubinet_archive *file_signed(struct draft *draft, const char *key_path)
{
    char path[] = "/tmp/cubinet-test-XXXXXX";
    char name[1024];
    char *public_key = NULL;
    size_t size = 0;
    struct signing_key key;
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    snprintf(name, sizeof(name), "%s.key", key_path);
    assert_int_equal(signing_key_read(name, &key), CUBINET_OK);
    snprintf(name, sizeof(name), "%s.pub", key_path);
    assert_int_equal(file_read(name, &public_key, &size), CUBINET_OK);
    const char *const keys[] = {public_key};
    const cubinet_archive_options trusting = {
        .size = sizeof(trusting), .public_keys = keys, .public_key_count = 1};
    const struct archive_writer_options options = {.keys = &key, .key_count = 1};
    cubinet_archive *archive = NULL;
    assert_int_equal(archive_write_file(draft, &options, path), CUBINET_OK);
    assert_int_equal(cubinet_archive_open(path, &trusting, &archive), CUBINET_OK);
    unlink(path);
    draft_free(draft);
    free(public_key);
    return archive;
}

cubinet_archive *machine_lying_archive(const char *image, machine_lie_fn *lie, const char *key)
{
    struct draft draft = {0};
    lie_about = lie;
    add_module(&draft, &(struct machine_module){.name = DEMO, .images = image});
    lie_about = NULL;
    return key ? file_signed(&draft, key) : file_draft(&draft, 0);
}

cubinet_archive *machine_tuned_archive(const char *images, machine_tune_fn *tune)
{
    struct draft draft = {0};
    add_module(&draft, &(struct machine_module){.name = DEMO, .images = images});
    tune(draft_module(&draft, DEMO));
    return file_draft(&draft, 0);
}

static const struct draft_image *image_with(const struct draft_module *module, cubinet_target target,
                                            const char *kernel)
{
    for (size_t i = 0; i < module->image_count; i++) {
        const struct draft_image *image = &module->images[i];
        for (size_t j = 0; j < image->use_count && !cubinet_target_compare(image->target, target); j++) {
            if (strcmp(image->uses[j].kernel, kernel) == 0) {
                return image;
            }
        }
    }
    fail_msg("no kernel '%s' for that target", kernel);
    return NULL;
}

cubinet_tuning machine_tuning(const struct draft_module *module, const char *target, const char *what,
                              const char *kernel, uint64_t extent, uint32_t block)
{
    cubinet_tuning tuning = {.size = sizeof(tuning),
                             .what = what,
                             .kernel = kernel,
                             .default_kernel = kernel,
                             .gpu = MACHINE_GPU,
                             .compute = 90,
                             .multiprocessor_count = MACHINE_MULTIPROCESSORS,
                             .extent = {extent, 1, 1},
                             .block = {block, 1, 1},
                             .grid_rule = CUBINET_GRID_PER_THREAD,
                             .time_ns = 800,
                             .noise_ns = 3,
                             .untuned_time_ns = 1000,
                             .untuned_noise_ns = 5,
                             .candidate_count = 7,
                             .date = 1700000000,
                             .driver_version = 13000,
                             .toolkit = 13000};
    assert_int_equal(cubinet_target_parse(target, &tuning.target), CUBINET_OK);
    const struct draft_image *image = image_with(module, tuning.target, kernel);
    struct cbn_digest digest = cbn_digest(image->data, image->size);
    memcpy(tuning.digest, digest.bytes, sizeof(tuning.digest));
    return tuning;
}

static void tune_demo(struct draft_module *module)
{
    cubinet_tuning tuning = machine_tuning(module, "sm_90", "any", "tile", 1024, 96);
    tuning.default_kernel = "scale";
    assert_int_equal(draft_put_tuning(module, &tuning), CUBINET_OK);
    tuning = machine_tuning(module, "sm_90", "scale", "scale", 77, 64);
    tuning.digest[0] ^= 1;
    assert_int_equal(draft_put_tuning(module, &tuning), CUBINET_OK);
}

cubinet_archive *machine_tuned_demo(void)
{
    return machine_tuned_archive("sm_90", tune_demo);
}

static void add_version(struct draft_module *module, const char *target, const char *kernel)
{
    struct buffer ptx = {0};
    buffer_printf(&ptx,
                  ".version 8.0\n.target %s\n.address_size 64\n\n.visible .entry %s()\n{\n    ret;\n}\n",
                  target, kernel);
    char image[16];
    snprintf(image, sizeof(image), "compute_%s", target + strlen("sm_"));
    size_t size = ptx.size;
    add_image(module, image, (unsigned char *)buffer_take(&ptx), size);
    assert_int_equal(draft_add_kernel(module, kernel, "sort<pair>"), CUBINET_OK);
}

cubinet_archive *machine_versions_archive(void)
{
    struct draft draft = {0};
    struct draft_module *module = draft_module(&draft, DEMO);
    assert_non_null(module);
    add_version(module, "sm_75", "_Z4sortIN5sm_754pairEEvv");
    add_version(module, "sm_90", "_Z4sortIN5sm_904pairEEvv");
    return file_draft(&draft, 0);
}

cubinet_module *machine_load(cubinet_driver *driver, const cubinet_archive *archive, int device)
{
    cubinet_module *module = NULL;
    cubinet_status status = cubinet_module_load(driver, archive, DEMO, device, NULL, &module);
    if (status) {
        print_error("%s\n", cubinet_error_message());
    }
    assert_int_equal(status, CUBINET_OK);
    return module;
}

cubinet_kernel *machine_kernel(cubinet_module *module, const char *name)
{
    cubinet_kernel *kernel = NULL;
    assert_int_equal(cubinet_module_find_kernel(module, name, &kernel), CUBINET_OK);
    return kernel;
}

const char *machine_loaded(const cubinet_module *module, char name[CUBINET_TARGET_NAME_SIZE])
{
    cubinet_image_info info = {.size = sizeof(info)};
    assert_int_equal(cubinet_module_get_image(module, &info), CUBINET_OK);
    return cubinet_target_name(info.target, name);
}

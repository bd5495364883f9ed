/* SPDX-License-Identifier: Apache-2.0 */
#include "format_bases.h"

#include "archive/archive_writer.h"
#include "base/file.h"
#include "image/cubin.h"
#include "image/tileir_read.h"
#include "loader/core/archive/digest.h"
#include "memory_file.h"
#include "ptx/reading/ptx.h"
#include "ptx/reading/ptx_symbols.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PTX_HEAD_OF(target)                                                                                  \
    "// Cuda compilation tools, release 13.0, V13.0.88\n.version 9.0\n.target " target "\n.address_size "    \
    "64\n"
#define PTX_HEAD PTX_HEAD_OF("sm_80")

static const char text_ptx[] =
    PTX_HEAD ".global .attribute(.managed) .align 4 .u32 _ZN2ns5countE;\n"
             ".const .align 4 .b8 _ZN2ns5tableE[16];\n"
             ".visible .entry _Z4scanIfLi4EEvPT_(.param .u64 a) .maxntid 64 { ret; }\n"
             ".visible .entry _Z4scanIiLi8EEvPT_(.param .u64 a) { ret; }\n";

static const char launch_ptx[] =
    PTX_HEAD ".extern .shared .align 16 .b8 memory[];\n"
             ".visible .entry program(.param .u64 data, .param .align 8 .b8 dim[24], .param .u64 scratch)\n"
             "{ .reg .u32 %r; mov.u32 %r, memory; ret; }\n"
             ".visible .entry quiet() { griddepcontrol.launch_dependents; griddepcontrol.wait; ret; }\n";

#define LINK_PTX(target)                                                                                     \
    "// Cuda compilation tools, release 13.0, V13.0.88\n.version 9.0\n.target " target                       \
    "\n.address_size 64\n"                                                                                   \
    ".extern .func (.param .b32 r) zother(.param .b32 a);\n"                                                 \
    ".visible .global .align 4 .u32 state;\n"                                                                \
    ".visible .func (.param .b32 r) _Z6helperi(.param .b32 a) { call zother; ret; }\n"                       \
    ".visible .entry run(.param .u64 a) { ret; }\n"

/* An NVVM container for 8.0, as far as anybody looks. */
static const unsigned char ltoir[64] = {0xed, 0x43, 0x4e, 0x7f, [14] = 1, [26] = 0x20, [27] = 0x03};

static void add(struct draft_module *module, cubinet_target target, const void *data, size_t size,
                const struct contents *contents, struct draft_image **out_image)
{
    unsigned char *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, data, size);
    assert_int_equal(draft_add_image(module, target, copy, size, contents, "a test", out_image), CUBINET_OK);
}

static void set_source(struct draft_image *image, const char *source)
{
    image->provenance = (struct provenance){strdup(source), strdup("-O3"), strdup("NVRTC 13.0.88"), {0}, {0}};
}

static void add_ptx(struct draft *draft, const char *name, const char *text)
{
    struct contents contents = {0};
    struct symbol_list symbols = {0};
    struct draft_image *image;
    assert_int_equal(ptx_read(text, strlen(text), &contents), CUBINET_OK);
    assert_int_equal(ptx_symbols_read(text, strlen(text), &symbols), CUBINET_OK);
    if (symbol_list_defined(&symbols) < symbols.count) {
        contents.symbols = symbols;
    } else {
        symbol_list_free(&symbols);
    }
    add(draft_module(draft, name), contents.target, text, strlen(text), &contents, &image);
    set_source(image, "ptx.cu");
    contents_free(&contents);
}

static void add_golden(struct draft *draft, const char *name, const char *file,
                       cubinet_status (*read)(const void *data, size_t size, struct contents *contents))
{
    char path[1024];
    char *data;
    size_t size;
    struct contents contents = {0};
    snprintf(path, sizeof(path), "%s/%s", GOLDEN, file);
    assert_int_equal(file_read(path, &data, &size), CUBINET_OK);
    assert_int_equal(read(data, size, &contents), CUBINET_OK);
    add(draft_module(draft, name), contents.target, data, size, &contents, NULL);
    contents_free(&contents);
    free(data);
}

/* PTX and LTO-IR, with expressions, and of the PTX where it comes from. */
static void add_text(struct draft *draft)
{
    struct contents contents = {0};
    struct draft_image *image;
    struct draft_module *module = draft_module(draft, "text");
    assert_int_equal(ptx_read(text_ptx, strlen(text_ptx), &contents), CUBINET_OK);
    add(module, contents.target, text_ptx, strlen(text_ptx), &contents, &image);
    set_source(image, "text.cu");
    contents_keep_names(&contents);
    add(module, (cubinet_target){CUBINET_IMAGE_LTOIR, 80, 0}, ltoir, sizeof(ltoir), &contents, &image);
    image->toolkit = image->link_floor = 13000;
    contents_free(&contents);
    assert_int_equal(draft_add_kernel(module, "_Z4scanIfLi4EEvPT_", "scan<float, 4>"), CUBINET_OK);
    assert_int_equal(draft_add_kernel(module, "_Z4scanIiLi8EEvPT_", "scan<int, 8>"), CUBINET_OK);
    assert_int_equal(draft_add_global(module, "_ZN2ns5countE", "&ns::count", 0, CUBINET_GLOBAL_MANAGED),
                     CUBINET_OK);
    assert_int_equal(draft_add_global(module, "_ZN2ns5tableE", "ns::table", 0, CUBINET_GLOBAL_CONSTANT),
                     CUBINET_OK);
}

/* PTX with a record of how its first kernel is launched. */
static void add_launch(struct draft *draft)
{
    static const cubinet_hidden_param hidden[] = {
        {.param = 1, .kind = CUBINET_HIDDEN_LAUNCH_BOUNDS, .dimensions = 1},
        {.param = 2, .kind = CUBINET_HIDDEN_SCRATCH, .bytes_per_block = 96, .alignment = 128},
    };
    struct launch_record record = LAUNCH_RECORD_EMPTY;
    record.known.dynamic_shared_bytes = 4096;
    record.known.block[0] = 128;
    record.known.grid_factor[0] = 2;
    record.known.cluster[0] = 2;
    for (size_t i = 0; i < COUNT(hidden); i++) {
        assert_int_equal(launch_record_add_hidden(&record, &hidden[i]), CUBINET_OK);
    }
    assert_int_equal(launch_record_add_name(&record, "data", "float *"), CUBINET_OK);
    assert_int_equal(launch_record_add_name(&record, "", ""), CUBINET_OK);
    assert_int_equal(launch_record_add_name(&record, "scratch", NULL), CUBINET_OK);
    add_ptx(draft, "launch", launch_ptx);
    struct draft_module *module = draft_module(draft, "launch");
    assert_int_equal(draft_add_launch(module, &module->images[0], "program", &record), CUBINET_OK);
    launch_record_free(&record);
}

static struct draft make_draft(bool is_paged)
{
    struct draft draft = {.archive_version = strdup("1.4.0"), .abi = strdup("tests-3")};
    char text[sizeof("text=") + FORMAT_LONG_TEXT] = "text=";
    assert_int_equal(property_list_set_license(&draft.properties, "Apache-2.0"), CUBINET_OK);
    assert_int_equal(property_list_set(&draft.properties, "maker=tests"), CUBINET_OK);
    assert_int_equal(property_list_set(&draft.properties, "origin=here"), CUBINET_OK);
    memset(text + strlen("text="), 'x', FORMAT_LONG_TEXT);
    assert_int_equal(property_list_set(&draft.properties, text), CUBINET_OK);
    add_golden(&draft, "code", "cubin/sm_75_cuda13.0.cubin", cubin_read);
    add_launch(&draft);
    add_ptx(&draft, "link", LINK_PTX("sm_80"));
    add_ptx(&draft, "link", LINK_PTX("sm_90"));
    add_ptx(&draft, "pair1", PTX_HEAD "// one\n");
    add_ptx(&draft, "pair2", PTX_HEAD "// two\n");
    add_text(&draft);
    add_golden(&draft, "tile", "tileir/scale_13.3.tileirbc", tileir_read);
    for (int i = 0; is_paged && i < 70; i++) {
        char name[16];
        char ptx[256];
        snprintf(name, sizeof(name), "z%02d", i);
        snprintf(ptx, sizeof(ptx), "%s// number %d\n", PTX_HEAD, i);
        add_ptx(&draft, name, ptx);
    }
    return draft;
}

#define GIANT_KERNEL(name) ".visible .entry " name "(.param .u64 a) { ret; }\n"
#define GIANT_STATE        ".visible .global .align 4 .u32 state;\n"
#define GIANT_TABLE        ".visible .const .align 4 .b8 table[16];\n"

static void add_parts(struct draft_module *module, const char *const *texts, size_t count)
{
    enum { MOST = 3 };
    struct contents contents[MOST];
    struct draft_part parts[MOST] = {0};
    struct draft_image *first;
    memset(contents, 0, sizeof(contents));
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(ptx_read(texts[i], strlen(texts[i]), &contents[i]), CUBINET_OK);
        parts[i] = (struct draft_part){(unsigned char *)strdup(texts[i]), strlen(texts[i]), &contents[i]};
    }
    assert_int_equal(draft_add_parts(module, contents[0].target, parts, count, "a test", &first), CUBINET_OK);
    set_source(first, "giant.cu");
    for (size_t i = 0; i < count; i++) {
        contents_free(&contents[i]);
    }
}

/* The first image is a piece. */
static struct draft make_parts_draft(void)
{
    static const char *const first[] = {
        PTX_HEAD GIANT_KERNEL("sort"),
        PTX_HEAD GIANT_STATE GIANT_KERNEL("add") GIANT_KERNEL("zero"),
        PTX_HEAD GIANT_TABLE GIANT_KERNEL("scan"),
    };
    static const char *const second[] = {PTX_HEAD_OF("sm_90") GIANT_KERNEL("add"),
                                         PTX_HEAD_OF("sm_90") GIANT_KERNEL("scan")};
    struct draft draft = {0};
    add_ptx(&draft, "giant",
            PTX_HEAD_OF("sm_75") ".extern .func other();\n" GIANT_STATE GIANT_TABLE GIANT_KERNEL("add")
                GIANT_KERNEL("scan") GIANT_KERNEL("sort") ".visible .entry zero() { call other; ret; }\n");
    add_parts(draft_module(&draft, "giant"), first, COUNT(first));
    add_parts(draft_module(&draft, "giant"), second, COUNT(second));
    add_ptx(&draft, "giant", PTX_HEAD_OF("sm_100") GIANT_KERNEL("sort"));
    add_ptx(&draft, "whole", PTX_HEAD GIANT_STATE GIANT_KERNEL("sort"));
    return draft;
}

static void put_tuning(struct draft_module *module, const char *what, const char *kernel, uint32_t gpu,
                       uint64_t extent, size_t image)
{
    const struct cbn_digest digest = cbn_digest(module->images[image].data, module->images[image].size);
    cubinet_tuning tuning = {.size = sizeof(tuning),
                             .what = what,
                             .kernel = kernel,
                             .default_kernel = kernel,
                             .gpu = gpu == H100 ? "NVIDIA H100" : "NVIDIA H200",
                             .compute = 90,
                             .multiprocessor_count = 132,
                             .extent = {extent, 1, 1},
                             .target = module->images[image].target,
                             .block = {128, 1, 1},
                             .grid_rule = CUBINET_GRID_PER_BLOCK,
                             .grid_value = {256, 1, 1},
                             .time_ns = 900 + extent,
                             .noise_ns = 4,
                             .untuned_time_ns = 1200 + extent,
                             .untuned_noise_ns = 5,
                             .candidate_count = 12,
                             .date = 1700000000,
                             .driver_version = 13000,
                             .toolkit = 13000};
    memcpy(tuning.digest, digest.bytes, sizeof(tuning.digest));
    if (extent == 2) { /* a void one */
        tuning.digest[0] ^= 1;
    }
    if (extent == 4096) { /* the default stays */
        tuning.flags = CUBINET_TUNING_DEFAULT;
        tuning.untuned_time_ns = tuning.time_ns;
        tuning.untuned_noise_ns = tuning.noise_ns;
    }
    assert_int_equal(draft_put_tuning(module, &tuning), CUBINET_OK);
}

static struct draft make_tuned_draft(void)
{
    struct draft draft = make_parts_draft();
    add_text(&draft);
    struct draft_module *giant = draft_module(&draft, "giant");
    put_tuning(giant, "scan", "scan", H100, 1024, GIANT_SCAN);
    put_tuning(giant, "scan", "scan", H100, 1024, GIANT_ALL);
    struct draft_module *text = draft_module(&draft, "text");
    put_tuning(text, "_Z4scanIfLi4EEvPT_", "_Z4scanIfLi4EEvPT_", H100, 1024, TEXT_PTX);
    put_tuning(text, "_Z4scanIfLi4EEvPT_", "_Z4scanIfLi4EEvPT_", H100, 4096, TEXT_PTX);
    put_tuning(text, "_Z4scanIfLi4EEvPT_", "_Z4scanIfLi4EEvPT_", H200, 1024, TEXT_PTX);
    put_tuning(text, "scan", "_Z4scanIiLi8EEvPT_", H100, 2, TEXT_PTX);
    put_tuning(text, "scan", "_Z4scanIfLi4EEvPT_", H100, 3, TEXT_PTX);
    char long_name[301] = {0};
    memset(long_name, 'x', sizeof(long_name) - 1);
    put_tuning(draft_module(&draft, "whole"), long_name, "sort", H100, 1024, 0);
    return draft;
}

static struct built write_draft(struct draft *draft, const struct archive_writer_options *options)
{
    char path[] = "/tmp/cubinet-format-XXXXXX";
    char *bytes;
    size_t size;
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(archive_write_file(draft, options, path), CUBINET_OK);
    assert_int_equal(file_read(path, &bytes, &size), CUBINET_OK);
    unlink(path);
    draft_free(draft);
    return built_open((unsigned char *)bytes, size);
}

static struct built build_after_base(void)
{
    static const struct build_image images[] = {
        {.kind = 2,
         .number = 75,
         .toolkit = 13000,
         .isa_or_floor = 90,
         .compress = 1,
         .text = "// Cuda compilation tools, release 13.0, V13.0.88\n.version 9.0\n.target "
                 "sm_75\n.address_size 64\n"},
        {.kind = 2,
         .number = 80,
         .toolkit = 13000,
         .isa_or_floor = 90,
         .compress = 2,
         .base = &images[0],
         .text = PTX_HEAD},
    };
    static const struct build_module module = {.name = "a", .images = images, .image_count = 2};
    return build(&(struct build_archive){
        .version = "1", .producer = "a test", .modules = &module, .module_count = 1, .is_1_2 = true});
}

struct built format_base(enum format_base base)
{
    struct signing_key key;
    bool is_packed = base == PACKED || base == PACKED_PARTS;
    struct archive_writer_options options = {.zstd_level = is_packed ? 3 : 0};
    if (base == AFTER_BASE) {
        return build_after_base();
    }
    if (base == SIGNED || base == SIGNED_PAGED) {
        assert_int_equal(signing_key_read(GOLDEN "/keys/plain.key", &key), CUBINET_OK);
        options.keys = &key;
        options.key_count = 1;
    }
    if (base == PARTS || base == PACKED_PARTS) {
        struct draft parts = make_parts_draft();
        return write_draft(&parts, &options);
    }
    if (base == TUNED) {
        struct draft tuned = make_tuned_draft();
        return write_draft(&tuned, &options);
    }
    struct draft draft = make_draft(base == PAGED || base == SIGNED_PAGED);
    return write_draft(&draft, &options);
}

const char *format_public_key(void)
{
    static char *key;
    size_t size;
    if (!key) {
        assert_int_equal(file_read(GOLDEN "/keys/plain.pub", &key, &size), CUBINET_OK);
    }
    return key;
}

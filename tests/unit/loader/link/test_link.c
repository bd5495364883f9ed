/* SPDX-License-Identifier: Apache-2.0 */
/* Links that a program asks for: what comes out, which pieces fit together, and what is said where they do
 * not. nvJitLink is the toolkit's; the driver is simulated. */
#include "link_fixture.h"
#include "loader/link/fatbin_ltoir.h"
#include "machine.h"
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A link for device 0 with the toolkit's nvJitLink and no cache. */
static cubinet_link *start(cubinet_driver *driver, cubinet_link_options options)
{
    cubinet_link *link = NULL;
    options.size = sizeof(options);
    options.nvjitlink = options.nvjitlink ? options.nvjitlink : real_nvjitlink();
    options.flags |= CUBINET_LINK_NO_CACHE;
    expect_ok(cubinet_link_create(driver, 0, &options, &link));
    return link;
}

static cubinet_link *start_default(cubinet_driver *driver)
{
    return start(driver, (cubinet_link_options){0});
}

static void expect_failure(cubinet_link *link, cubinet_status expected)
{
    cubinet_module *module = (void *)1;
    assert_int_equal(cubinet_link_complete(link, &module), expected);
    assert_ptr_equal(module, (void *)1);
    machine_expect_clean(NULL);
}

static void test_a_link_is_a_module_like_any_other(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    const struct made_module modules[] = {apply_module, twice_module};
    cubinet_archive *archive = link_archive(modules, 2);
    cubinet_link *link = start_default(driver);
    cubinet_module *module = NULL;
    expect_ok(cubinet_link_add_module(link, archive, "apply"));
    expect_ok(cubinet_link_add_module(link, archive, "twice"));
    expect_ok(cubinet_link_complete(link, &module));
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);

    char target[CUBINET_TARGET_NAME_SIZE];
    assert_string_equal(machine_loaded(module, target), "sm_90");
    cubinet_kernel *kernel = machine_kernel(module, "apply< float >");
    assert_ptr_equal(machine_kernel(module, APPLY_KERNEL), kernel);
    cubinet_kernel_resources resources = {.size = sizeof(resources)};
    expect_ok(cubinet_kernel_get_resources(kernel, &resources));
    assert_int_equal(resources.param_count, 2);
    assert_int_equal(resources.params[1].offset, 8);
    assert_in_range(resources.registers, 1, 255);
    assert_int_equal(resources.barriers, 1);
    assert_int_equal(resources.spill_store_bytes, 0);
    CUdeviceptr address = 0;
    size_t bytes = 0;
    expect_ok(cubinet_module_find_global(module, "factors", &address, &bytes));
    assert_int_equal(bytes, 16);

    CUdeviceptr values = 0;
    int count = 7;
    cubinet_arg args[] = {CUBINET_ARG(values), CUBINET_ARG(count)};
    cubinet_launch_config config = {.size = sizeof(config), .grid = {1}, .block = {32}};
    expect_ok(cubinet_kernel_launch(kernel, &config, args, 2));
    assert_string_equal(simdriver_last_launch().kernel, APPLY_KERNEL);
    assert_int_equal(cubinet_kernel_launch(kernel, &config, args, 1), CUBINET_ERROR_LAUNCH_ARGUMENTS);
    expect_ok(cubinet_module_unload(module));
    machine_stop(driver);
}

static void test_pieces_in_memory_are_of_any_kind(void **state)
{
    (void)state;
    static const struct {
        cubinet_piece_kind kind;
        struct compiled (*compile)(const char *source, const char *architecture);
    } cases[] = {
        {CUBINET_PIECE_LTOIR, compile_ltoir}, {CUBINET_PIECE_ANY, compile_ltoir},
        {CUBINET_PIECE_PTX, compile_ptx},     {CUBINET_PIECE_ANY, compile_ptx},
        {CUBINET_PIECE_CUBIN, compile_cubin}, {CUBINET_PIECE_ANY, compile_cubin},
    };
    cubinet_driver *driver = machine_start("8.6", NULL, NULL);
    cubinet_archive *archive = link_archive(&apply_module, 1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled op = cases[i].compile(TWICE_SOURCE, "80");
        cubinet_link *link = start_default(driver);
        cubinet_module *module = NULL;
        expect_ok(cubinet_link_add_module(link, archive, "apply"));
        expect_ok(cubinet_link_add_data(link, cases[i].kind, op.data, op.size, "op"));
        free(op.data);
        expect_ok(cubinet_link_complete(link, &module));
        machine_kernel(module, "apply<float>");
        cubinet_link_destroy(link);
        expect_ok(cubinet_module_unload(module));
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* A kernel and the function that it calls, as nvcc makes them. */
static void expect_nvcc_links(cubinet_driver *driver, const char *kernel, const char *op,
                              cubinet_piece_kind kind, bool with_lto)
{
    cubinet_link *link = start_default(driver);
    const void *cubin = NULL;
    size_t size = 0;
    expect_ok(cubinet_link_add_file(link, kind, kernel));
    expect_ok(cubinet_link_add_file(link, kind, op));
    expect_ok(cubinet_link_get_cubin(link, &cubin, &size));
    cubinet_link_destroy(link);

    link = start(driver, (cubinet_link_options){.nvjitlink = fake_nvjitlink()});
    fake_set(FAKE_REFUSES_PIECES, NULL, 0);
    expect_ok(cubinet_link_add_file(link, kind, kernel));
    expect_ok(cubinet_link_add_file(link, kind, op));
    expect_failure(link, CUBINET_ERROR_LINK);
    assert_int_equal(strstr(fake_options(), "-lto") != NULL, with_lto);
    cubinet_link_destroy(link);
}

static void test_ltoir_is_found_in_what_nvcc_made(void **state)
{
    (void)state;
    static const cubinet_piece_kind kinds[] = {CUBINET_PIECE_ANY, CUBINET_PIECE_OBJECT};
    cubinet_driver *driver = machine_start("8.6", NULL, NULL);
    for (size_t i = 0; i < COUNT(kinds); i++) {
        expect_nvcc_links(driver, FATBINS "/apply_lto.o", FATBINS "/op_lto.o", kinds[i], true);
        expect_nvcc_links(driver, FATBINS "/apply_sass.o", FATBINS "/op_lto.o", kinds[i], true);
        expect_nvcc_links(driver, FATBINS "/apply_both.o", FATBINS "/op_lto.o", kinds[i], true);
        expect_nvcc_links(driver, FATBINS "/apply_sass.o", FATBINS "/op_sass.o", kinds[i], false);
        expect_nvcc_links(driver, FATBINS "/apply_both.o", FATBINS "/op_both.o", kinds[i], false);
    }
    machine_stop(driver);
}

/* A copy on the heap, whose end the sanitizers watch. */
static struct cbn_ltoir_inside find_ltoir(const unsigned char *bytes, size_t size)
{
    unsigned char *copy = malloc(size + !size);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    const cubinet_target target = {CUBINET_IMAGE_CUBIN, 80, 0};
    struct cbn_ltoir_inside inside = cbn_find_ltoir(copy, size, target);
    char text[8];
    cbn_describe_without_ltoir(copy, size, target, text, sizeof(text));
    assert_true(strlen(text) < sizeof(text));
    free(copy);
    return inside;
}

static void test_fatbins_that_are_damaged_are_passed_by(void **state)
{
    (void)state;
    unsigned char bytes[4096];
    FILE *file = fopen(FATBINS "/op_lto.o", "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    struct cbn_ltoir_inside whole = find_ltoir(bytes, size);
    assert_true(whole.is_needed && whole.is_alone && whole.is_everywhere);
    assert_false(cbn_find_ltoir(bytes, size, (cubinet_target){CUBINET_IMAGE_CUBIN, 75, 0}).is_needed);
    for (size_t i = 0; i < size; i++) {
        const unsigned char before = bytes[i];
        find_ltoir(bytes, i);
        bytes[i] = 0xff;
        find_ltoir(bytes, size);
        bytes[i] = before;
    }
    /* Two in one file, of which one has machine code. */
    unsigned char two[2 * sizeof(bytes)];
    file = fopen(FATBINS "/op_sass.o", "rb");
    assert_non_null(file);
    memcpy(two, bytes, size);
    size_t both = size + fread(two + size, 1, sizeof(bytes), file);
    fclose(file);
    struct cbn_ltoir_inside mixed = find_ltoir(two, both);
    assert_true(mixed.is_needed && !mixed.is_alone && !mixed.is_everywhere);
}

static void expect_without_ltoir(const char *path, int number, const char *expected)
{
    char bytes[4096];
    char text[32];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof(bytes), file);
    fclose(file);
    const cubinet_target target = {CUBINET_IMAGE_CUBIN, number, 0};
    assert_int_equal(cbn_find_ltoir(bytes, size, target).is_everywhere, expected[0] == '\0');
    cbn_describe_without_ltoir(bytes, size, target, text, sizeof(text));
    assert_string_equal(text, expected);
    cbn_describe_without_ltoir(bytes, size, target, text, 5);
    assert_int_equal(strncmp(text, expected, 4), 0);
}

static void test_what_is_there_in_place_of_ltoir(void **state)
{
    (void)state;
    expect_without_ltoir(FATBINS "/op_lto.o", 80, "");
    expect_without_ltoir(FATBINS "/op_both.o", 80, "");
    expect_without_ltoir(FATBINS "/op_sass.o", 80, "sm_80");
    expect_without_ltoir(FATBINS "/op_lto.o", 75, "lto_80");
    expect_without_ltoir(FATBINS "/op_both.o", 75, "lto_80, sm_80");
}

static void test_archives_provide_what_is_missing(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *skeleton = link_archive(&apply_module, 1);
    cubinet_archive *operators = link_archive(&twice_module, 1);
    cubinet_link *link = start_default(driver);
    cubinet_module *module = NULL;
    expect_ok(cubinet_link_add_module(link, skeleton, "apply"));
    expect_ok(cubinet_link_add_archive(link, operators));
    expect_ok(cubinet_link_complete(link, &module));
    /* Again, for another module of the same code. */
    cubinet_module *second = NULL;
    expect_ok(cubinet_link_complete(link, &second));
    assert_ptr_not_equal(second, module);
    cubinet_link_destroy(link);
    expect_ok(cubinet_module_unload(module));
    expect_ok(cubinet_module_unload(second));
    cubinet_archive_close(skeleton);
    cubinet_archive_close(operators);
    machine_stop(driver);
}

/* What an archive provided is looked for again: a piece that is added later may define it. */
static void test_an_earlier_link_decides_nothing(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    const struct made_module for_90a = {.name = "twice",
                                        .source = TWICE_SOURCE,
                                        .architecture = "90a",
                                        .symbols = {{.name = "op", .type = "b32(b32)"}}};
    cubinet_archive *skeleton = link_archive(&apply_module, 1);
    cubinet_archive *operators = link_archive(&for_90a, 1);
    cubinet_archive *others = link_archive(&half_module, 1);
    cubinet_module *module = NULL;
    cubinet_image_info image = {.size = sizeof(image)};
    for (int is_other = 0; is_other < 2; is_other++) {
        cubinet_link *link = start_default(driver);
        expect_ok(cubinet_link_add_module(link, skeleton, "apply"));
        expect_ok(cubinet_link_add_archive(link, operators));
        expect_ok(cubinet_link_complete(link, &module));
        expect_ok(cubinet_module_get_image(module, &image));
        assert_int_equal(image.target.suffix, 'a');
        expect_ok(cubinet_module_unload(module));
        expect_ok(is_other ? cubinet_link_add_module(link, others, "half")
                           : cubinet_link_add_module(link, operators, "twice"));
        expect_ok(cubinet_link_complete(link, &module));
        expect_ok(cubinet_module_get_image(module, &image));
        assert_int_equal(image.target.suffix, is_other ? 0 : 'a');
        expect_ok(cubinet_module_unload(module));
        cubinet_link_destroy(link);
    }
    cubinet_link *link = start(driver, (cubinet_link_options){.nvjitlink = "/nonexistent"});
    expect_ok(cubinet_link_add_module(link, skeleton, "apply"));
    expect_ok(cubinet_link_add_archive(link, operators));
    expect_failure(link, CUBINET_ERROR_TOOLKIT);
    expect_ok(cubinet_link_add_module(link, operators, "twice"));
    expect_failure(link, CUBINET_ERROR_TOOLKIT);
    cubinet_link_destroy(link);
    cubinet_archive_close(skeleton);
    cubinet_archive_close(operators);
    cubinet_archive_close(others);
    machine_stop(driver);
}

static void test_the_cubin_can_be_had_without_loading_it(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    const struct made_module modules[] = {apply_module, twice_module};
    cubinet_archive *archive = link_archive(modules, 2);
    cubinet_link *link = start_default(driver);
    const void *cubin = NULL;
    size_t size = 0;
    expect_ok(cubinet_link_add_module(link, archive, "apply"));
    expect_ok(cubinet_link_add_archive(link, archive));
    expect_ok(cubinet_link_get_cubin(link, &cubin, &size));
    assert_memory_equal(cubin, "\177ELF", 4);
    assert_int_equal(simdriver_calls("cuLibraryLoadData"), 0);
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_a_missing_symbol_is_named_before_nvjitlink_runs(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = link_archive(&apply_module, 1);
    cubinet_link *link = start(driver, (cubinet_link_options){.nvjitlink = "/nonexistent"});
    expect_ok(cubinet_link_add_module(link, archive, "apply"));
    expect_failure(link, CUBINET_ERROR_LINK);
    expect_in(cubinet_error_message(), "nothing defines 'op', which module 'apply' (lto_75) of '/");
    expect_in(cubinet_error_message(), "needs as b32(b32)");
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_ptx_and_cubins_in_memory_tell_their_symbols(void **state)
{
    (void)state;
    static const struct {
        cubinet_piece_kind kind;
        struct compiled (*compile)(const char *source, const char *architecture);
    } cases[] = {{CUBINET_PIECE_PTX, compile_ptx}, {CUBINET_PIECE_CUBIN, compile_cubin}};
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = link_archive(&apply_module, 1);
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct compiled other =
            cases[i].compile("extern \"C\" __device__ float no(float x) { return x; }", "90");
        struct compiled op = cases[i].compile(TWICE_SOURCE, "90");
        cubinet_link *link = start(driver, (cubinet_link_options){.nvjitlink = "/nonexistent"});
        expect_ok(cubinet_link_add_module(link, archive, "apply"));
        expect_ok(cubinet_link_add_data(link, cases[i].kind, other.data, other.size, "plug-in"));
        expect_failure(link, CUBINET_ERROR_LINK);
        expect_in(cubinet_error_message(), "nothing defines 'op', which module 'apply'");
        expect_ok(cubinet_link_add_data(link, cases[i].kind, op.data, op.size, "first"));
        expect_ok(cubinet_link_add_data(link, cases[i].kind, op.data, op.size, "second"));
        expect_failure(link, CUBINET_ERROR_LINK);
        expect_in(cubinet_error_message(), "'op' is defined twice: by first and by second");
        cubinet_link_destroy(link);
        free(other.data);
        free(op.data);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_what_an_unrecorded_piece_lacks_nvjitlink_finds(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = link_archive(&apply_module, 1);
    struct compiled other = compile_ltoir("extern \"C\" __device__ float no(float x) { return x; }", "75");
    cubinet_link *link = start_default(driver);
    expect_ok(cubinet_link_add_module(link, archive, "apply"));
    expect_ok(cubinet_link_add_data(link, CUBINET_PIECE_LTOIR, other.data, other.size, "plug-in"));
    expect_failure(link, CUBINET_ERROR_LINK);
    expect_in(cubinet_error_message(), "linking 2 pieces for sm_90: nvJitLink: nvJitLinkComplete: ");
    expect_in(cubinet_error_message(), "no piece is known to define 'op'");
    cubinet_link_destroy(link);
    free(other.data);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_a_symbol_is_defined_once(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    const struct made_module modules[] = {apply_module, half_module, twice_module};
    cubinet_archive *archive = link_archive(modules, 3);
    cubinet_link *link = start(driver, (cubinet_link_options){.nvjitlink = "/nonexistent"});
    expect_ok(cubinet_link_add_module(link, archive, "apply"));
    expect_ok(cubinet_link_add_module(link, archive, "half"));
    expect_ok(cubinet_link_add_module(link, archive, "twice"));
    expect_failure(link, CUBINET_ERROR_LINK);
    expect_in(cubinet_error_message(), "'op' is defined twice: by module 'half'");
    expect_in(cubinet_error_message(), "and by module 'twice'");
    cubinet_link_destroy(link);

    link = start(driver, (cubinet_link_options){.nvjitlink = "/nonexistent"});
    expect_ok(cubinet_link_add_module(link, archive, "apply"));
    expect_ok(cubinet_link_add_archive(link, archive));
    expect_failure(link, CUBINET_ERROR_LINK);
    expect_in(cubinet_error_message(), "'op' is missing, and modules 'half' and 'twice' both define it");
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_weak_definitions_live_together(void **state)
{
    (void)state;
    static const char weak[] = "template <class T> __device__ T op(T x) { return x + x; }\n"
                               "template __device__ float op<float>(float);\n";
    static const char use[] = "template <class T> __device__ T op(T x);\n"
                              "extern template __device__ float op<float>(float);\n"
                              "extern \"C\" __global__ void use(float *x) { *x = op<float>(*x); }\n";
    const struct made_module modules[] = {
        {.name = "a", .source = weak, .symbols = {{"_Z2opIfET_S0_", "b32(b32)", .is_weak = true}}},
        {.name = "b", .source = weak, .symbols = {{"_Z2opIfET_S0_", "b32(b32)", .is_weak = true}}},
        {.name = "use",
         .source = use,
         .kernel = "use",
         .symbols = {{"_Z2opIfET_S0_", "b32(b32)", .is_needed = true}}},
    };
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = link_archive(modules, 3);
    for (int add_both = 0; add_both < 2; add_both++) {
        cubinet_link *link = start_default(driver);
        cubinet_module *module = NULL;
        expect_ok(cubinet_link_add_module(link, archive, "use"));
        if (add_both) {
            expect_ok(cubinet_link_add_module(link, archive, "a"));
            expect_ok(cubinet_link_add_module(link, archive, "b"));
        }
        expect_ok(cubinet_link_add_archive(link, archive));
        expect_ok(cubinet_link_complete(link, &module));
        cubinet_link_destroy(link);
        expect_ok(cubinet_module_unload(module));
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_both_sides_agree_about_types(void **state)
{
    (void)state;
    struct made_module other = twice_module;
    other.source = "extern \"C\" __device__ double op(double x) { return x + x; }\n";
    other.symbols[0].type = "b64(b64)";
    const struct made_module modules[] = {apply_module, other};
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = link_archive(modules, 2);
    cubinet_link *link = start_default(driver);
    expect_ok(cubinet_link_add_module(link, archive, "apply"));
    expect_ok(cubinet_link_add_module(link, archive, "twice"));
    expect_failure(link, CUBINET_ERROR_LINK);
    expect_in(cubinet_error_message(), "'op' is b64(b64) in module 'twice'");
    expect_in(cubinet_error_message(), "which defines it, and b32(b32) in module 'apply'");
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_the_target_has_the_suffix_that_pieces_need(void **state)
{
    (void)state;
    struct made_module specific = apply_module;
    specific.architecture = "90a";
    const struct made_module modules[] = {specific, twice_module};
    cubinet_archive *archive = link_archive(modules, 2);
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_link *link = start_default(driver);
    cubinet_module *module = NULL;
    char target[CUBINET_TARGET_NAME_SIZE];
    expect_ok(cubinet_link_add_module(link, archive, "twice"));
    expect_ok(cubinet_link_add_module(link, archive, "apply"));
    expect_ok(cubinet_link_complete(link, &module));
    assert_string_equal(machine_loaded(module, target), "sm_90a");
    cubinet_link_destroy(link);
    expect_ok(cubinet_module_unload(module));
    machine_stop(driver);

    driver = machine_start("10.0", NULL, NULL);
    link = start_default(driver);
    assert_int_equal(cubinet_link_add_module(link, archive, "apply"), CUBINET_ERROR_NO_IMAGE);
    expect_in(cubinet_error_message(), "no image of module 'apply' can be linked for sm_100:");
    expect_in(cubinet_error_message(), "lto_90a runs on compute capability 9.0 only");
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_ptx_in_memory_tells_its_suffix(void **state)
{
    (void)state;
    struct compiled op = compile_ptx(TWICE_SOURCE, "90a");
    cubinet_archive *archive = link_archive(&apply_module, 1);
    cubinet_driver *driver = machine_start("9.0,10.0", NULL, NULL);
    cubinet_link *link = start_default(driver);
    cubinet_module *module = NULL;
    char target[CUBINET_TARGET_NAME_SIZE];
    expect_ok(cubinet_link_add_module(link, archive, "apply"));
    expect_ok(cubinet_link_add_data(link, CUBINET_PIECE_PTX, op.data, op.size, "op"));
    expect_ok(cubinet_link_complete(link, &module));
    assert_string_equal(machine_loaded(module, target), "sm_90a");
    expect_ok(cubinet_module_unload(module));
    cubinet_link_destroy(link);

    expect_ok(cubinet_link_create(driver, 1, NULL, &link));
    expect_ok(cubinet_link_add_data(link, CUBINET_PIECE_PTX, op.data, op.size, "op"));
    expect_failure(link, CUBINET_ERROR_NO_IMAGE);
    expect_in(cubinet_error_message(), "op can't be linked for sm_100: compute_90a PTX runs on");
    cubinet_link_destroy(link);
    free(op.data);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_options_reach_the_code(void **state)
{
    (void)state;
    static const char *const used[] = {"apply<float>"};
    static const char *const kept[] = {"factors"};
    const struct made_module modules[] = {
        apply_module,
        {.name = "extra",
         .source = "extern \"C\" __global__ void extra() {} __device__ int unused[100];",
         .kernel = "extra"},
        twice_module,
    };
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = link_archive(modules, 3);
    const cubinet_link_options options = {
        .kernels_used = used,
        .kernels_used_count = 1,
        .variables_used = kept,
        .variables_used_count = 1,
        .flags = CUBINET_LINK_DROP_UNUSED_VARIABLES,
        .max_registers = 32,
        .math = CUBINET_MATH_FAST,
    };
    cubinet_link *link = start(driver, options);
    cubinet_module *module = NULL;
    cubinet_kernel *kernel = NULL;
    for (size_t i = 0; i < COUNT(modules); i++) {
        expect_ok(cubinet_link_add_module(link, archive, modules[i].name));
    }
    expect_ok(cubinet_link_complete(link, &module));
    machine_kernel(module, "apply<float>");
    assert_int_equal(cubinet_module_find_kernel(module, "extra", &kernel), CUBINET_ERROR_NOT_FOUND);
    expect_ok(cubinet_module_find_global(module, "factors", NULL, NULL));
    assert_int_equal(cubinet_module_find_global(module, "unused", NULL, NULL), CUBINET_ERROR_NOT_FOUND);
    expect_ok(cubinet_module_unload(module));
    cubinet_link_destroy(link);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void test_options_are_put_into_nvjitlinks_words(void **state)
{
    (void)state;
    static const char *const raw[] = {"-split-compile=2"};
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    const cubinet_link_options options = {
        .flags = CUBINET_LINK_NO_OPTIMIZATION | CUBINET_LINK_DEBUG | CUBINET_LINK_LINEINFO |
                 CUBINET_LINK_DROP_UNUSED_VARIABLES,
        .max_registers = 40,
        .math = CUBINET_MATH_FLUSH_DENORMALS | CUBINET_MATH_NO_FMA,
        .suffix = 'a',
        .raw_options = raw,
        .raw_option_count = 1,
        .nvjitlink = fake_nvjitlink(),
    };
    cubinet_link *link = start(driver, options);
    expect_ok(cubinet_link_add_data(link, CUBINET_PIECE_LTOIR, "LTO-IR", 6, NULL));
    fake_set(FAKE_MAKES_NOTHING, NULL, 0);
    expect_failure(link, CUBINET_ERROR_LINK);
    assert_string_equal(fake_options(), "-arch=sm_90a -lto -no-cache -optimize-unused-variables -O0 -g "
                                        "-lineinfo -ftz=1 -fma=0 -maxrregcount=40 -split-compile=2");
    cubinet_link_destroy(link);
    machine_stop(driver);
}

static void test_wrong_arguments_are_refused(void **state)
{
    (void)state;
    static const char *const with_null[] = {NULL};
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_link *link = NULL;
    const cubinet_link_options wrong[] = {
        {.size = sizeof(wrong[0]), .math = 1 << 20},
        {.size = sizeof(wrong[0]), .suffix = 'x'},
        {.size = sizeof(wrong[0]), .raw_option_count = 1},
        {.size = sizeof(wrong[0]), .raw_options = with_null, .raw_option_count = 1},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(cubinet_link_create(driver, 0, &wrong[i], &link), CUBINET_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(cubinet_link_create(driver, 1, NULL, &link), CUBINET_ERROR_NO_DEVICE);
    assert_int_equal(cubinet_link_create(NULL, 0, NULL, &link), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_null(link);

    link = start_default(driver);
    expect_failure(link, CUBINET_ERROR_INVALID_ARGUMENT);
    expect_in(cubinet_error_message(), "nothing was added");
    assert_int_equal(cubinet_link_add_data(link, CUBINET_PIECE_PTX, "", 0, NULL),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_link_add_data(link, (cubinet_piece_kind)9, "x", 1, NULL),
                     CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(cubinet_link_add_data(link, CUBINET_PIECE_CUBIN, "no cubin", 8, "plug-in"),
                     CUBINET_ERROR_DAMAGED);
    expect_in(cubinet_error_message(), "plug-in: not a cubin: it is not an ELF file");
    assert_int_equal(cubinet_link_add_file(link, CUBINET_PIECE_ANY, "/nonexistent"), CUBINET_ERROR_IO);
    assert_int_equal(cubinet_link_add_file(link, CUBINET_PIECE_ANY, "/tmp"), CUBINET_ERROR_IO);
    cubinet_link_destroy(link);
    cubinet_link_destroy(NULL);
    machine_stop(driver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_link_is_a_module_like_any_other),
        cmocka_unit_test(test_pieces_in_memory_are_of_any_kind),
        cmocka_unit_test(test_ltoir_is_found_in_what_nvcc_made),
        cmocka_unit_test(test_fatbins_that_are_damaged_are_passed_by),
        cmocka_unit_test(test_what_is_there_in_place_of_ltoir),
        cmocka_unit_test(test_archives_provide_what_is_missing),
        cmocka_unit_test(test_an_earlier_link_decides_nothing),
        cmocka_unit_test(test_the_cubin_can_be_had_without_loading_it),
        cmocka_unit_test(test_a_missing_symbol_is_named_before_nvjitlink_runs),
        cmocka_unit_test(test_ptx_and_cubins_in_memory_tell_their_symbols),
        cmocka_unit_test(test_what_an_unrecorded_piece_lacks_nvjitlink_finds),
        cmocka_unit_test(test_a_symbol_is_defined_once),
        cmocka_unit_test(test_weak_definitions_live_together),
        cmocka_unit_test(test_both_sides_agree_about_types),
        cmocka_unit_test(test_the_target_has_the_suffix_that_pieces_need),
        cmocka_unit_test(test_ptx_in_memory_tells_its_suffix),
        cmocka_unit_test(test_options_reach_the_code),
        cmocka_unit_test(test_options_are_put_into_nvjitlinks_words),
        cmocka_unit_test(test_wrong_arguments_are_refused),
    };
    return cmocka_run_group_tests(tests, link_tools_open, link_tools_close);
}

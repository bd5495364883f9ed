/* SPDX-License-Identifier: Apache-2.0 */
/* Launches without dynamic shared memory of kernels that use some, which would end the context. */
#include "loader/link/dynamic_shared.h"
#include "machine.h"
#include "unit.h"

#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Launches a kernel of one pointer. */
static cubinet_status launch(cubinet_module *module, const char *name, uint32_t bytes,
                             cubinet_launch_flags flags)
{
    CUdeviceptr address = 0x1234;
    const cubinet_arg args[] = {CUBINET_ARG(address)};
    const cubinet_launch_config config = {
        .size = sizeof(config), .grid = {1}, .block = {32}, .dynamic_shared_bytes = bytes, .flags = flags};
    return cubinet_kernel_launch(machine_kernel(module, name), &config, args, 1);
}

static void expect_refused(cubinet_module *module, const char *name)
{
    unsigned int before = simdriver_calls("cuLaunchKernelEx");
    assert_int_equal(launch(module, name, 0, 0), CUBINET_ERROR_INVALID_ARGUMENT);
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), before);
    assert_non_null(strstr(cubinet_error_message(), name));
    assert_non_null(strstr(cubinet_error_message(), "dynamic_shared_bytes is 0"));
    assert_non_null(strstr(cubinet_error_message(), "CUBINET_LAUNCH_NO_DYNAMIC_SHARED"));
    assert_int_equal(launch(module, name, 64, 0), CUBINET_OK);
    assert_int_equal(launch(module, name, 0, CUBINET_LAUNCH_NO_DYNAMIC_SHARED), CUBINET_OK);
    assert_int_equal(simdriver_calls("cuLaunchKernelEx"), before + 2);
    assert_int_equal(simdriver_last_launch().dynamic_shared_bytes, 0);
}

static void expect_launched(cubinet_module *module, const char *name)
{
    assert_int_equal(launch(module, name, 0, 0), CUBINET_OK);
    assert_string_equal(simdriver_last_launch().kernel, name);
}

static void expect_of_image(const char *device, const char *image, bool sees_mixed)
{
    cubinet_driver *driver = machine_start(device, NULL, NULL);
    cubinet_archive *archive = machine_archive(image, 0);
    cubinet_module *module = machine_load(driver, archive, 0);
    cubinet_archive_close(archive); /* which launches do without */
    expect_refused(module, "direct");
    expect_refused(module, "through");
    expect_launched(module, "plain");
    expect_launched(module, "anywhere");
    if (sees_mixed) {
        expect_refused(module, "mixed");
    } else {
        expect_launched(module, "mixed");
    }
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    machine_stop(driver);
}

static void test_cubins(void **state)
{
    (void)state;
    expect_of_image("7.5", "sm_75=dynamic_75", false);
    expect_of_image("8.0", "sm_80=dynamic_80", false);
    expect_of_image("9.0", "sm_90=dynamic_90", false);
    expect_of_image("12.0", "sm_120=dynamic_120", false);
}

static void test_ptx(void **state)
{
    (void)state;
    expect_of_image("8.0", "compute_80=dynamic", true);
}

static void test_devices_that_share_code(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0,9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90=dynamic_90", 0);
    cubinet_module *modules[2];
    assert_int_equal(cubinet_module_load_devices(driver, archive, DEMO, NULL, 2, NULL, modules), CUBINET_OK);
    for (int i = 0; i < 2; i++) {
        expect_refused(modules[i], "direct");
        expect_launched(modules[i], "plain");
        assert_int_equal(cubinet_module_unload(modules[i]), CUBINET_OK);
    }
    cubinet_archive_close(archive);
    machine_stop(driver);
}

/* What a driver refused says nothing of what is loaded in its place. */
static void test_an_image_that_was_refused(void **state)
{
    (void)state;
    cubinet_driver *driver = machine_start("9.0", NULL, NULL);
    cubinet_archive *archive = machine_archive("sm_90=dynamic_90 compute_80", 0);
    simdriver_fail("cuLibraryLoadData", 1, 209, false);
    cubinet_module *module = machine_load(driver, archive, 0);
    expect_launched(module, "tile");
    assert_int_equal(cubinet_module_unload(module), CUBINET_OK);
    cubinet_archive_close(archive);
    machine_stop(driver);
}

static void append_name(void *user, const char *name, size_t size)
{
    char *list = user;
    size_t used = strlen(list);
    snprintf(list + used, 256 - used, "%s%.*s", used ? " " : "", (int)size, name);
}

static void test_ptx_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *kernels;
    } cases[] = {
        {"", ""},
        {".extern .shared .align 4 .b8 s[];\n.visible .entry k() { mov.u32 %r, s; ret; }", "k"},
        {".extern\n\t.shared .b8 s[];\n.entry k() { mov.u32 %r, s; ret; }", "k"},
        {".extern .shared .b8 s[];\n.visible .entry k() { mov.u32 %r, ss; // s\n /* s */ ret; }", ""},
        {".shared .b8 s[4];\n.visible .entry k() { mov.u32 %r, s; ret; }", ""},
        {".extern .global .u32 s;\n.visible .entry k() { mov.u32 %r, s; ret; }", ""},
        {".extern .shared .b8 s[];\n.func f() { mov.u32 %r, s; ret; }\n.func g() { call f; ret; }\n"
         ".visible .entry k() { call g; ret; }\n.visible .entry l() { ret; }",
         "k"},
        {".extern .shared .b8 s[];\n.visible .entry k()\n", ""},
        {".extern .shared .b8 s[];\n.visible .entry k() { ld.shared.u32 %r, [s+4]; }\n"
         ".extern .shared .b8 t[];\n.visible .entry l(.param .u64 p) .maxntid 32 { { mov.u32 %r, t; } }",
         "k l"},
        {".extern .shared .b8 s[];\n.visible .entry k() { mov.u32 %r, s; }\n"
         ".visible .entry l(.param .u64 p) { .reg .b32 s, t; mov.b32 s, 1; { add.u32 t, s, s; } }",
         "k"},
        {".extern .shared .b8 s[];\n.visible .entry k() { mov.u32 %r, s; .reg .b32 s; ld.param.u32 s, [p]; }",
         "k"},
        {".extern .shared .b8 s[];\n.visible .entry k() { { .shared .b8 s[4]; } ld.shared.u32 %r, [t]; }",
         ""},
        {".extern .shared", ""},
        {".extern .shared ;.entry k() { }", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char kernels[256] = "";
        assert_int_equal(
            cbn_dynamic_shared_of_ptx(cases[i].text, strlen(cases[i].text), append_name, kernels),
            CUBINET_OK);
        assert_string_equal(kernels, cases[i].kernels);
    }
}

static void count_name(void *user, const char *name, size_t size)
{
    unsigned *count = user;
    (void)name;
    (void)size;
    (*count)++;
}

static void test_ptx_with_many_variables(void **state)
{
    (void)state;
    enum { KERNELS = 300 };
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    assert_non_null(file);
    for (int i = 0; i < KERNELS; i++) {
        fprintf(file, ".extern .shared .b8 s%d[];\n.func f%d() { mov.u32 %%r, s%d; }\n", i, i, i);
        fprintf(file, ".visible .entry k%d() { call f%d; }\n", i, i);
    }
    fclose(file);
    unsigned count = 0;
    assert_int_equal(cbn_dynamic_shared_of_ptx(text, size, count_name, &count), CUBINET_OK);
    assert_int_equal(count, KERNELS);
    free(text);
}

/* Whatever is cut off, nothing past the end is read. */
static void test_ptx_that_is_cut_off(void **state)
{
    (void)state;
    static const char text[] = ".extern .shared .align 4 .b8 s[];\n.func f(.param .b32 p) { \"s\" }\n"
                               ".visible .entry k() { mov.u32 %r, s; /* */ }\n";
    for (size_t size = 0; size < sizeof(text); size++) {
        char kernels[256] = "";
        char *cut = malloc(size + 1);
        assert_non_null(cut);
        memcpy(cut, text, size);
        cut[size] = '\0';
        cbn_dynamic_shared_of_ptx(cut, size, append_name, kernels);
        free(cut);
    }
}

/* A cubin of a kernel "k" of eight instructions, the first as given, whose shared memory is `shared` bytes.
 */
struct tiny_cubin {
    Elf64_Ehdr header;
    Elf64_Shdr sections[4];
    char names[24];
    unsigned char code[8][16];
};

static struct tiny_cubin tiny_cubin(const unsigned *starts, size_t count, uint64_t shared)
{
    struct tiny_cubin cubin = {
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
                   .e_type = ET_EXEC,
                   .e_machine = 190,
                   .e_shoff = offsetof(struct tiny_cubin, sections),
                   .e_shentsize = sizeof(Elf64_Shdr),
                   .e_shnum = 4,
                   .e_shstrndx = 1},
        .sections[1] = {.sh_type = SHT_STRTAB,
                        .sh_offset = offsetof(struct tiny_cubin, names),
                        .sh_size = sizeof(cubin.names)},
        .sections[2] = {.sh_name = 1,
                        .sh_type = SHT_PROGBITS,
                        .sh_offset = offsetof(struct tiny_cubin, code),
                        .sh_size = sizeof(cubin.code)},
        .sections[3] = {.sh_name = 9, .sh_type = SHT_NOBITS, .sh_info = 2, .sh_size = shared},
    };
    memcpy(cubin.names, "\0.text.k\0.nv.shared.k", sizeof("\0.text.k\0.nv.shared.k"));
    for (size_t i = 0; i < COUNT(cubin.code); i++) {
        unsigned start = i < count ? starts[i] : 0x7918; /* NOP */
        memcpy(cubin.code[i], &(uint32_t){start}, sizeof(uint32_t));
    }
    return cubin;
}

static void expect_of_code(int number, const unsigned *starts, size_t count, uint64_t shared,
                           const char *expected)
{
    struct tiny_cubin cubin = tiny_cubin(starts, count, shared);
    struct cbn_elf elf;
    char kernels[256] = "";
    assert_int_equal(cbn_elf_open(&elf, &cubin, sizeof(cubin)), CUBINET_OK);
    cbn_dynamic_shared_of_cubin(&elf, number, append_name, kernels);
    if (strcmp(kernels, expected) != 0) {
        fail_msg("sm_%d, 0x%x: \"%s\", not \"%s\"", number, starts[0], kernels, expected);
    }
}

/* A store of 8 bytes is what mbarrier.init becomes. */
static void test_a_store_behind_a_question(void **state)
{
    (void)state;
    static const unsigned starts[] = {0x73aa, 0x7988};
    for (unsigned width = 0; width < 8; width++) {
        struct tiny_cubin cubin = tiny_cubin(starts, 2, 1024);
        struct cbn_elf elf;
        char kernels[256] = "";
        cubin.code[1][9] = (unsigned char)(width << 1 | 1);
        assert_int_equal(cbn_elf_open(&elf, &cubin, sizeof(cubin)), CUBINET_OK);
        cbn_dynamic_shared_of_cubin(&elf, 100, append_name, kernels);
        assert_string_equal(kernels, width == 5 ? "" : "k");
    }
}

/* As ptxas starts them; the first architecture that has each. */
static void test_instructions(void **state)
{
    (void)state;
    static const struct {
        int first;
        unsigned start;
        bool may_be_asked; /* whether the address is one of shared memory, and nothing happens if it is not */
    } cases[] = {
        {70, 0x7984, true},   /* LDS */
        {70, 0x7388, false},  /* STS */
        {70, 0x7988, false},  /* the same, with a uniform register */
        {70, 0x738c, true},   /* ATOMS */
        {70, 0x798c, true},   /* the same, with a uniform register */
        {70, 0x738d, true},   /* ATOMS.CAS */
        {70, 0x783b, false},  /* LDSM */
        {80, 0x7fae, true},   /* LDGSTS */
        {80, 0x79b0, true},   /* ARRIVES.LDGSTSBAR */
        {80, 0x7f8c, true},   /* ATOMS.ARRIVE.64 */
        {90, 0x7844, false},  /* STSM */
        {90, 0x75b2, true},   /* SYNCS.EXCH */
        {90, 0x79a7, true},   /* SYNCS.ARRIVE */
        {90, 0x75a7, true},   /* SYNCS.PHASECHK */
        {90, 0x79b1, true},   /* SYNCS.CCTL.IV */
        {90, 0x73ba, true},   /* UBLKCP */
        {90, 0x73bb, true},   /* UBLKRED */
        {90, 0x73b4, false},  /* UTMALDG */
        {90, 0x75b4, false},  /* UTMALDG */
        {90, 0x73b5, false},  /* UTMASTG */
        {90, 0x73b6, false},  /* UTMAREDG */
        {90, 0x7dbd, true},   /* STAS */
        {90, 0x7dbe, true},   /* REDAS */
        {100, 0x758d, true},  /* ATOMS.CAST */
        {100, 0x73ca, false}, /* UGETNEXTWORKID */
        {100, 0x73cb, false}, /* UMEMSETS */
        {100, 0x73e9, false}, /* UTCBAR */
        {100, 0x75e3, false}, /* UTCATOMSWS.FIND_AND_SET */
        {100, 0x79e7, false}, /* UTCCP */
        {100, 0x75ea, false}, /* UTCHMMA */
        {100, 0x79ea, false}, /* UTCHMMA with tensor memory */
        {100, 0x7dea, false}, /* UTCQMMA with scales */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned never = cases[i].start | 0xf000;
        uint64_t reserved = cases[i].first < 90 ? 0 : 1024;
        expect_of_code(cases[i].first, &cases[i].start, 1, reserved, "k");
        expect_of_code(cases[i].first, &cases[i].start, 1, reserved + 64, ""); /* may be in static memory */
        expect_of_code(cases[i].first, &never, 1, reserved, "");
        expect_of_code(120, &cases[i].start, 1, 1024, "k");
        const unsigned asked[] = {0x73aa, cases[i].start}; /* after QSPC */
        expect_of_code(120, asked, 2, 1024, cases[i].may_be_asked ? "" : "k");
        if (cases[i].first > 70) {
            expect_of_code(cases[i].first - 5, &cases[i].start, 1, cases[i].first == 100 ? 1024 : 0, "");
        }
    }
}

/* Instructions of kernels that need no shared memory. */
static void test_instructions_that_say_nothing(void **state)
{
    (void)state;
    static const unsigned cases[][4] = {
        {0x73aa, 0x7984, 0x738d}, /* QSPC and what follows: an atomic operation on any address */
        {0x79aa, 0x7984, 0x758d}, /* the same */
        {0x738d, 0x7984, 0x73aa}, /* the same, in another order */
        {0x73bc, 0x75b8, 0x79b9}, /* UBLKPF, UTMAPF, UTMACCTL */
        {0x79b7},                 /* UTMACMDFLUSH */
        {0x79c7, 0x7dc7},         /* UCGABAR_ARV, UCGABAR_WAIT */
        {0x782f, 0x73c6},         /* ELECT, FENCE */
        {0x7385, 0x7980, 0x798a}, /* ST, LD, ATOM */
        {0x7984, 0x79e3, 0x798c}, /* tcgen05.dealloc, which checks what is noted in reserved memory */
        {0x784c, 0x7988},         /* tcgen05.relinquish_alloc_permit */
        {0x7984, 0x79ee},         /* tcgen05.ld, compiled with -g */
        {0x7984, 0x79ed},         /* tcgen05.st */
        {0x7984, 0x79e6},         /* tcgen05.shift */
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        expect_of_code(100, cases[i], 4, 1024, "");
    }
    static const unsigned products[] = {0x3fff79f0, 0x041879f0}; /* HGMMA, which may only wait */
    expect_of_code(90, products, 2, 1024, "");
    static const unsigned stores_and_asks[] = {0x73aa, 0x7388};
    expect_of_code(100, stores_and_asks, 2, 1024, "k");
    static const unsigned allocates[] = {0x7984, 0x75e3, 0x79e3};
    expect_of_code(100, allocates, 3, 1024, "k");
}

/* Sections that are all about the same code don't keep a load busy, and those about none are passed by. */
static void test_a_cubin_that_is_made_to_be_slow(void **state)
{
    (void)state;
    enum { SECTIONS = 20000, CODE = 1 << 20 };
    static const char names[] = "\0.text.k\0.nv.shared.k";
    size_t size = sizeof(Elf64_Ehdr) + SECTIONS * sizeof(Elf64_Shdr) + CODE + sizeof(names);
    unsigned char *bytes = calloc(1, size);
    assert_non_null(bytes);
    Elf64_Shdr *sections = (Elf64_Shdr *)(bytes + sizeof(Elf64_Ehdr));
    size_t code = sizeof(Elf64_Ehdr) + SECTIONS * sizeof(Elf64_Shdr);
    memcpy(bytes,
           &(Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
                         .e_type = ET_EXEC,
                         .e_machine = 190,
                         .e_shoff = sizeof(Elf64_Ehdr),
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = SECTIONS,
                         .e_shstrndx = 1},
           sizeof(Elf64_Ehdr));
    memcpy(bytes + code + CODE, names, sizeof(names));
    sections[1] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = code + CODE, .sh_size = sizeof(names)};
    sections[2] = (Elf64_Shdr){.sh_name = 1, .sh_type = SHT_PROGBITS, .sh_offset = code, .sh_size = CODE};
    for (size_t i = 3; i < SECTIONS; i++) {
        sections[i] = (Elf64_Shdr){.sh_name = 9, .sh_type = SHT_NOBITS, .sh_info = 2};
    }
    struct cbn_elf elf;
    char kernels[256] = "";
    assert_int_equal(cbn_elf_open(&elf, bytes, size), CUBINET_OK);
    cbn_dynamic_shared_of_cubin(&elf, 80, append_name, kernels);
    assert_string_equal(kernels, "");
    bytes[code + CODE - 16] = 0x84; /* LDS, in the last instruction */
    bytes[code + CODE - 15] = 0x79;
    sections[4].sh_info = SECTIONS;
    bytes[code + CODE - 32] = 0x88; /* STS that is never executed */
    bytes[code + CODE - 31] = 0xf9;
    cbn_dynamic_shared_of_cubin(&elf, 80, append_name, kernels);
    assert_string_equal(kernels, "k k");
    kernels[0] = '\0';
    cbn_dynamic_shared_of_cubin(&elf, 62, append_name, kernels); /* whose instructions are others */
    assert_string_equal(kernels, "");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cubins),
        cmocka_unit_test(test_ptx),
        cmocka_unit_test(test_devices_that_share_code),
        cmocka_unit_test(test_an_image_that_was_refused),
        cmocka_unit_test(test_ptx_texts),
        cmocka_unit_test(test_ptx_with_many_variables),
        cmocka_unit_test(test_ptx_that_is_cut_off),
        cmocka_unit_test(test_a_store_behind_a_question),
        cmocka_unit_test(test_instructions),
        cmocka_unit_test(test_instructions_that_say_nothing),
        cmocka_unit_test(test_a_cubin_that_is_made_to_be_slow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

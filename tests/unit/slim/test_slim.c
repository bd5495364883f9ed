/* SPDX-License-Identifier: Apache-2.0 */
/* Which images stay in a library, and the file that is written. */
#include "base/file.h"
#include "image/fatbin.h"
#include "loader/core/archive/format.h"
#include "slim/slim_targets.h"
#include "slim/slim_write.h"
#include "slim_elf.h"
#include "unit.h"

#include <cubinet/cubinet.h>

#include <stdlib.h>
#include <string.h>

enum { OTHERS = 40000 /* bytes of an image that leaves */, MOST_IMAGES = 8, DENSE = 1024 };

/* Files and buffers of a test. */
struct made {
    struct buffer fatbins;
    struct buffer elf;
    struct slim_plan plan;
    struct slim_layout layout;
    char *written;
    size_t written_size;
};

static void read_cubin(const char *name, char **out_data, size_t *out_size)
{
    char path[1024];
    snprintf(path, sizeof(path), "%s/%s", CUBIN_FIXTURES, name);
    assert_int_equal(file_read(path, out_data, out_size), CUBINET_OK);
}

static cubinet_target target_of(const char *name)
{
    cubinet_target target;
    assert_int_equal(cubinet_target_parse(name, &target), CUBINET_OK);
    return target;
}

/* Bytes that no method compresses. */
static const unsigned char *noise(void)
{
    static unsigned char bytes[OTHERS];
    uint32_t state = 1;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        state = state * 1664525 + 1013904223;
        bytes[i] = (unsigned char)(state >> 24 | 1);
    }
    return bytes;
}

/* Appends a fatbin with images of these targets; what is not of sm_80 or sm_90 is noise. */
static void add_fatbin(struct made *made, const char *const *names, size_t count)
{
    struct fatbin_image images[MOST_IMAGES] = {0};
    char *owned[MOST_IMAGES] = {NULL};
    for (size_t i = 0; i < count; i++) {
        images[i] = (struct fatbin_image){target_of(names[i]), noise(), OTHERS, 90};
        if (strcmp(names[i], "sm_80") == 0 || strcmp(names[i], "sm_90") == 0) {
            char file[64];
            snprintf(file, sizeof(file), "%s_cuda13.0.cubin", names[i]);
            read_cubin(file, &owned[i], &images[i].size);
            images[i].data = (const unsigned char *)owned[i];
        }
    }
    assert_int_equal(fatbin_write(images, count, &made->fatbins), CUBINET_OK);
    for (size_t i = 0; i < count; i++) {
        free(owned[i]);
    }
}

#define ADD_FATBIN(made, ...)                                                                                \
    add_fatbin(made, (const char *const[]){__VA_ARGS__},                                                     \
               sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void free_made(struct made *made)
{
    slim_layout_free(&made->layout);
    slim_plan_free(&made->plan);
    buffer_free(&made->fatbins);
    buffer_free(&made->elf);
    free(made->written);
    *made = (struct made){.written = NULL};
}

static cubinet_status plan_for(struct made *made, int compute, bool keeps_ptx, bool is_packed)
{
    const cubinet_device_profile device = {
        .size = sizeof(device), .compute_major = compute / 10, .compute_minor = compute % 10};
    const struct slim_wish wish = {&device, compute != 0, keeps_ptx, is_packed};
    if (!made->elf.data) {
        slim_elf_make(made->fatbins.data, made->fatbins.size, &made->elf);
    }
    return slim_plan_make(made->elf.data, made->elf.size, &wish, &made->plan);
}

/* The targets that stay, fatbin by fatbin. */
static void expect_stays(const struct made *made, const char *expected)
{
    struct buffer text = {0};
    for (size_t i = 0; i < made->plan.file.fatbin_count; i++) {
        const struct slim_fatbin *fatbin = &made->plan.file.fatbins[i];
        buffer_puts(&text, i > 0 ? ";" : "");
        for (size_t j = 0; j < fatbin->image_count; j++) {
            const struct slim_image *image = &made->plan.file.images[fatbin->first_image + j];
            char name[CUBINET_TARGET_NAME_SIZE];
            if (image->stays) {
                buffer_printf(&text, " %s", cubinet_target_name(image->entry.target, name));
            }
        }
    }
    assert_string_equal(text.data ? text.data : "", expected);
    buffer_free(&text);
}

/* Writes and checks; the layout says whether anything was cut out. */
static void write_checked(struct made *made, bool is_cut)
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(slim_layout_make(&made->plan.file, is_cut, &made->layout), CUBINET_OK);
    assert_int_equal(slim_write(&made->plan, &made->layout, file), CUBINET_OK);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    made->written_size = (size_t)ftell(file);
    assert_int_equal(made->written_size, made->layout.size);
    made->written = malloc(made->written_size);
    rewind(file);
    assert_int_equal(fread(made->written, 1, made->written_size, file), made->written_size);
    fclose(file);
    assert_int_equal(slim_check(&made->plan, &made->layout, made->written, made->written_size), CUBINET_OK);
}

static void test_choice(void **state)
{
    (void)state;
    static const struct {
        int compute;
        bool keeps_ptx;
        const char *stays;
        size_t without;
    } cases[] = {
        {90, false, " sm_90; compute_80; sm_80", 1}, /* the last one has nothing for 9.0, and stays */
        {90, true, " sm_90 compute_90; compute_80; sm_80", 1},
        {80, false, " sm_80; sm_80; sm_80", 0},
        {86, false, " sm_80; sm_80; sm_80", 0},
        {0, false, " sm_75 sm_80 sm_90 compute_90; sm_80 compute_80; sm_80", 0},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct made made = {.written = NULL};
        ADD_FATBIN(&made, "sm_75", "sm_80", "sm_90", "compute_90");
        ADD_FATBIN(&made, "sm_80", "compute_80");
        ADD_FATBIN(&made, "sm_80");
        assert_int_equal(plan_for(&made, cases[i].compute, cases[i].keeps_ptx, true), CUBINET_OK);
        expect_stays(&made, cases[i].stays);
        assert_int_equal(made.plan.fates[SLIM_FOR_NOBODY], cases[i].without);
        assert_int_equal(made.plan.without[0], cases[i].without);
        free_made(&made);
    }
}

static void test_nobody(void **state)
{
    (void)state;
    struct made made = {.written = NULL};
    ADD_FATBIN(&made, "sm_80", "sm_90");
    assert_int_equal(plan_for(&made, 120, false, true), CUBINET_ERROR_NOT_FOUND);
    free_made(&made);
}

static void test_relocatable(void **state)
{
    (void)state;
    struct made made = {.written = NULL};
    ADD_FATBIN(&made, "sm_75", "sm_90");
    unsigned char *elf = memmem(made.fatbins.data, made.fatbins.size, ELFMAG, SELFMAG);
    assert_non_null(elf);
    ((Elf64_Ehdr *)(void *)elf)->e_type = ET_REL;
    assert_int_equal(plan_for(&made, 90, false, true), CUBINET_OK);
    expect_stays(&made, " sm_75 sm_90");
    assert_int_equal(made.plan.fates[SLIM_RELOCATABLE], 1);
    free_made(&made);
}

static void test_layout_kept(void **state)
{
    (void)state;
    struct made made = {.written = NULL};
    ADD_FATBIN(&made, "sm_75", "sm_80", "sm_90", "compute_90");
    ADD_FATBIN(&made, "sm_75", "sm_90");
    assert_int_equal(plan_for(&made, 90, false, false), CUBINET_OK);
    write_checked(&made, false);
    assert_non_null(made.layout.why_kept);
    assert_int_equal(made.written_size, made.elf.size);
    assert_true(slim_plan_bytes(&made.plan, true) + 3 * OTHERS < slim_plan_bytes(&made.plan, false));
    assert_int_equal(memcmp(made.written, made.elf.data, sizeof(Elf64_Ehdr)), 0);
    free_made(&made);
}

static void test_cut(void **state)
{
    (void)state;
    struct made made = {.written = NULL};
    ADD_FATBIN(&made, "sm_75", "sm_80", "sm_90", "compute_90");
    ADD_FATBIN(&made, "sm_75", "sm_90", "sm_120");
    ADD_FATBIN(&made, "sm_90");
    ADD_FATBIN(&made, "sm_90", "sm_75", "sm_75");
    assert_int_equal(plan_for(&made, 90, false, true), CUBINET_OK);
    write_checked(&made, true);
    assert_null(made.layout.why_kept);
    assert_int_equal(made.layout.cut_count, 3);
    assert_true(made.written_size + 5 * OTHERS < made.elf.size);
    struct buffer written = {.data = made.written, .size = made.written_size};
    assert_int_equal(slim_elf_header(&written)->e_phnum, SLIM_ELF_SEGMENTS + 3);
    const Elf64_Phdr *table = slim_elf_segment(&written, SLIM_ELF_PHDR);
    assert_int_equal(table->p_offset, slim_elf_header(&written)->e_phoff);
    assert_int_equal(table->p_filesz, (SLIM_ELF_SEGMENTS + 3) * sizeof(Elf64_Phdr));
    /* What was slimmed once can be slimmed again. */
    struct slim_plan again;
    assert_int_equal(slim_plan_make(made.written, made.written_size, &(struct slim_wish){0}, &again),
                     CUBINET_OK);
    assert_int_equal(again.file.fatbin_count, 4);
    assert_int_equal(again.file.image_count, 4);
    assert_int_equal(slim_plan_bytes(&again, true), slim_plan_bytes(&made.plan, true));
    slim_plan_free(&again);
    free_made(&made);
}

/* Zeros of an earlier run are cut out, too. */
static void test_cut_later(void **state)
{
    (void)state;
    struct made made = {.written = NULL};
    struct made later = {.written = NULL};
    ADD_FATBIN(&made, "sm_75", "sm_90", "compute_90");
    ADD_FATBIN(&made, "sm_90");
    assert_int_equal(plan_for(&made, 90, false, true), CUBINET_OK);
    write_checked(&made, false);
    buffer_append(&later.elf, made.written, made.written_size);
    assert_int_equal(plan_for(&later, 0, false, true), CUBINET_OK);
    write_checked(&later, true);
    assert_int_equal(later.layout.cut_count, 1);
    assert_true(later.written_size + OTHERS < made.written_size);
    free_made(&made);
    free_made(&later);
}

/* The reasons for which nothing is cut. */
static void test_not_cut(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        struct made made = {.written = NULL};
        ADD_FATBIN(&made, "sm_75", "sm_75", "sm_90");
        slim_elf_make(made.fatbins.data, made.fatbins.size, &made.elf);
        switch (i) {
        case 0:
            slim_elf_header(&made.elf)->e_machine = EM_RISCV;
            break;
        case 1:
            slim_elf_segment(&made.elf, SLIM_ELF_READ)->p_flags |= PF_W;
            break;
        case 2:
            buffer_append(&made.elf, "a file of its own", 17);
            break;
        case 3:
            slim_elf_segment(&made.elf, SLIM_ELF_WRITE)->p_vaddr += 8;
            break;
        case 4: /* the start has another distance */
            *slim_elf_segment(&made.elf, SLIM_ELF_PHDR) = (Elf64_Phdr){.p_type = PT_LOAD};
            slim_elf_segment(&made.elf, SLIM_ELF_READ)->p_vaddr += SLIM_ELF_PAGE;
            slim_elf_segment(&made.elf, SLIM_ELF_WRITE)->p_vaddr += SLIM_ELF_PAGE;
            slim_elf_section(&made.elf, SLIM_ELF_FATBINS)->sh_addr += SLIM_ELF_PAGE;
            break;
        default: /* segments overlap in memory */
            slim_elf_segment(&made.elf, SLIM_ELF_WRITE)->p_vaddr = 0;
            break;
        }
        assert_int_equal(plan_for(&made, 90, false, true), CUBINET_OK);
        write_checked(&made, true);
        assert_non_null(made.layout.why_kept);
        assert_int_equal(made.layout.cut_count, 0);
        assert_int_equal(made.written_size, made.elf.size);
        free_made(&made);
    }
}

/* Each entry that was compressed is what it was; what is compressed already stays so. */
static void test_packing(void **state)
{
    (void)state;
    struct made made = {.written = NULL};
    ADD_FATBIN(&made, "sm_80", "sm_90");
    assert_int_equal(plan_for(&made, 90, false, true), CUBINET_OK);
    const struct slim_image *image = &made.plan.file.images[1];
    assert_non_null(image->packed);
    assert_true(image->packed_size < image->entry.size);
    struct cbn_fatbin_entry packed;
    assert_true(cbn_fatbin_read_entry(image->packed, image->packed_size, &packed));
    assert_int_equal(cbn_get64(packed.bytes + CBN_FATBIN_ENTRY_FLAGS), CBN_FATBIN_USUAL | CBN_FATBIN_ZSTD);
    assert_int_equal(fatbin_raw_size(&packed), image->entry.size - CBN_FATBIN_ENTRY_HEADER);
    unsigned char *again = NULL;
    size_t again_size = 0;
    assert_int_equal(fatbin_pack(&packed, &again, &again_size), CUBINET_OK);
    assert_null(again);
    free_made(&made);
}

static void test_targets(void **state)
{
    (void)state;
    struct made made = {.written = NULL};
    struct slim_target *targets = NULL;
    struct slim_kernels kernels;
    size_t count = 0;
    ADD_FATBIN(&made, "sm_80", "sm_90");
    ADD_FATBIN(&made, "sm_90");
    assert_int_equal(plan_for(&made, 90, false, false), CUBINET_OK);
    assert_int_equal(slim_targets_find(&made.plan, &targets, &count), CUBINET_OK);
    assert_int_equal(count, 2);
    assert_int_equal(targets[1].target.number, 90);
    assert_int_equal(targets[1].images, 2);
    assert_int_equal(targets[1].stay_bytes, targets[1].bytes);
    assert_int_equal(targets[0].stay_images, 0);
    assert_int_equal(slim_kernels_find(&made.plan, &kernels), CUBINET_OK);
    assert_true(kernels.count >= 3);
    size_t in_all = 0;
    uint64_t bytes = 0;
    for (size_t i = 0; i < kernels.count; i++) {
        const struct slim_kernel *kernel = &kernels.items[i];
        assert_true(i == 0 || kernel->bytes <= kernels.items[i - 1].bytes);
        assert_true(kernel->stay_bytes <= kernel->bytes);
        in_all += kernel->images == 2 && kernel->stay_bytes == kernel->bytes;
        bytes += kernel->bytes;
    }
    assert_true(in_all > 0);
    assert_true(bytes > 0 && bytes < slim_plan_bytes(&made.plan, false));
    slim_kernels_free(&kernels);
    free(targets);
    free_made(&made);
}

/* What the check is for: any byte that is not what it was meant to be. */
static void test_check(void **state)
{
    (void)state;
    struct made made = {.written = NULL};
    ADD_FATBIN(&made, "sm_75", "sm_90", "compute_90");
    assert_int_equal(plan_for(&made, 90, false, true), CUBINET_OK);
    write_checked(&made, true);
    size_t unnoticed = 0;
    for (size_t i = 0; i < made.written_size; i++) {
        made.written[i] ^= 0x10;
        unnoticed += !slim_check(&made.plan, &made.layout, made.written, made.written_size);
        made.written[i] ^= 0x10;
    }
    /* the old table of segments and padding are in no section, and nobody reads the rest of these */
    assert_true(unnoticed < made.written_size / 4);
    struct buffer written = {.data = made.written, .size = made.written_size};
    slim_elf_segment(&written, SLIM_ELF_READ)->p_memsz -= SLIM_ELF_PAGE;
    assert_int_equal(slim_check(&made.plan, &made.layout, made.written, made.written_size),
                     CUBINET_ERROR_DAMAGED);
    free_made(&made);
}

static void test_refused(void **state)
{
    (void)state;
    for (int i = 0; i < 6; i++) {
        cubinet_status expected = CUBINET_ERROR_DAMAGED;
        struct made made = {.written = NULL};
        ADD_FATBIN(&made, "sm_75", "sm_90");
        slim_elf_make(made.fatbins.data, made.fatbins.size, &made.elf);
        switch (i) {
        case 0:
            slim_elf_header(&made.elf)->e_type = ET_REL;
            expected = CUBINET_ERROR_INVALID_ARGUMENT;
            break;
        case 1: /* overlaps .rodata */
            slim_elf_section(&made.elf, 3)->sh_offset -= 100;
            break;
        case 2:
            slim_elf_section(&made.elf, SLIM_ELF_FATBINS)->sh_addr += 8;
            break;
        case 3:
            slim_elf_segment(&made.elf, SLIM_ELF_WRITE)->p_offset =
                slim_elf_section(&made.elf, SLIM_ELF_FATBINS)->sh_offset;
            break;
        case 4:
            made.elf.size /= 2;
            break;
        default:
            slim_elf_section(&made.elf, SLIM_ELF_FATBINS)->sh_name = 1;
            expected = CUBINET_ERROR_INVALID_ARGUMENT;
            break;
        }
        assert_int_equal(plan_for(&made, 90, false, true), expected);
        free_made(&made);
    }
}

/* Every byte of the headers damaged, and some of the rest: an error, or a file that is right. */
static void test_damage(void **state)
{
    (void)state;
    struct made made = {.written = NULL};
    ADD_FATBIN(&made, "sm_80", "sm_90");
    slim_elf_make(made.fatbins.data, made.fatbins.size, &made.elf);
    for (size_t at = 0; at < made.elf.size; at += at < DENSE ? 1 : 5) {
        char before = made.elf.data[at];
        for (int bit = 0; bit < 8; bit += 7) {
            made.elf.data[at] = (char)(before ^ (1 << bit));
            if (!plan_for(&made, 90, false, false)) {
                write_checked(&made, true);
                free(made.written);
                slim_layout_free(&made.layout);
                slim_plan_free(&made.plan);
            }
        }
        made.elf.data[at] = before;
    }
    made.written = NULL;
    free_made(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choice),      cmocka_unit_test(test_nobody),
        cmocka_unit_test(test_relocatable), cmocka_unit_test(test_layout_kept),
        cmocka_unit_test(test_cut),         cmocka_unit_test(test_cut_later),
        cmocka_unit_test(test_not_cut),     cmocka_unit_test(test_packing),
        cmocka_unit_test(test_targets),     cmocka_unit_test(test_check),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Files that are not cubins, and cubins that were cut off or altered: an error that says what is wrong, or
 * contents that make sense, and never an access outside the bytes that were given. */
#include "cubin_fixture.h"

#include "image/cubin.h"
#include "loader/core/archive/format.h"

#include <cubinet/status.h>

#include <elf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Memory that ends at a page nobody may touch and that can't be written to while a cubin is read. */
struct guarded {
    unsigned char *pages;
    size_t capacity;
};

static struct guarded guarded_make(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    struct guarded guarded = {.capacity = (size + page - 1) / page * page};
    guarded.pages = mmap(NULL, guarded.capacity + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(guarded.pages, MAP_FAILED);
    return guarded;
}

static void guarded_free(struct guarded *guarded)
{
    munmap(guarded->pages, guarded->capacity + (size_t)sysconf(_SC_PAGESIZE));
}

static void check_contents(const struct contents *contents)
{
    for (size_t i = 0; i < contents->kernel_count; i++) {
        const cubinet_kernel_resources *resources = &contents->kernels[i].resources;
        assert_true(i == 0 || strcmp(contents->kernels[i - 1].name, contents->kernels[i].name) < 0);
        assert_true(resources->registers <= 255 || resources->registers == CUBINET_UNKNOWN);
        assert_true(resources->max_threads_per_block <= 1024 ||
                    resources->max_threads_per_block == CUBINET_UNKNOWN);
        for (uint32_t p = 0; p < resources->param_count; p++) {
            assert_true(resources->params[p].offset + resources->params[p].size <= resources->param_bytes);
        }
    }
}

/* Reads a copy that is guarded. Whether it is still a cubin is for cubin_read() to say. */
static cubinet_status read_guarded(const struct guarded *guarded, const unsigned char *bytes, size_t size)
{
    unsigned char *copy = guarded->pages + guarded->capacity - size;
    assert_int_equal(mprotect(guarded->pages, guarded->capacity, PROT_READ | PROT_WRITE), 0);
    memcpy(copy, bytes, size);
    assert_int_equal(mprotect(guarded->pages, guarded->capacity, PROT_READ), 0);
    struct contents contents = {0};
    cubinet_status status = cubin_read(copy, size, &contents);
    if (status) {
        assert_int_equal(status, CUBINET_ERROR_DAMAGED);
        assert_non_null(strstr(cubinet_error_message(), "cubin"));
        assert_null(contents.kernels);
    } else {
        check_contents(&contents);
    }
    contents_free(&contents);
    return status;
}

static void every_truncation_is_refused_or_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cubin_fixtures); i++) {
        size_t size;
        unsigned char *bytes = cubin_fixture(cubin_fixtures[i], &size);
        struct guarded guarded = guarded_make(size);
        uint64_t sections_end =
            cbn_get64(bytes + offsetof(Elf64_Ehdr, e_shoff)) +
            (uint64_t)cbn_get16(bytes + offsetof(Elf64_Ehdr, e_shnum)) * sizeof(Elf64_Shdr);
        for (size_t length = 0; length <= size; length++) {
            cubinet_status status = read_guarded(&guarded, bytes, length);
            assert_true(status || length >= sections_end);
        }
        guarded_free(&guarded);
        free(bytes);
    }
}

static void every_altered_byte_is_survived(void **state)
{
    (void)state;
    static const unsigned char changes[] = {0x01, 0xff};
    for (size_t i = 0; i < COUNT(cubin_fixtures); i++) {
        size_t size;
        unsigned char *bytes = cubin_fixture(cubin_fixtures[i], &size);
        struct guarded guarded = guarded_make(size);
        for (size_t at = 0; at < size; at++) {
            for (size_t c = 0; c < COUNT(changes); c++) {
                bytes[at] ^= changes[c];
                read_guarded(&guarded, bytes, size);
                bytes[at] ^= changes[c];
            }
        }
        guarded_free(&guarded);
        free(bytes);
    }
}

/* Sizes and offsets at the limits of 64 bits, wherever in the file there is room for one. */
static void every_extreme_number_is_survived(void **state)
{
    (void)state;
    static const uint64_t extremes[] = {0, UINT32_MAX, INT64_MAX, UINT64_MAX, UINT64_MAX - 63};
    size_t size;
    unsigned char *bytes = cubin_fixture("sm_90a_cuda13.0", &size);
    struct guarded guarded = guarded_make(size);
    for (size_t at = 0; at + 8 <= size; at += 8) {
        uint64_t original = cbn_get64(bytes + at);
        for (size_t e = 0; e < COUNT(extremes); e++) {
            cbn_put64(bytes + at, extremes[e]);
            read_guarded(&guarded, bytes, size);
        }
        cbn_put64(bytes + at, original);
    }
    guarded_free(&guarded);
    free(bytes);
}

static void the_message_says_what_it_is(void **state)
{
    (void)state;
    enum { OSABI = EI_OSABI, TYPE = 16, MACHINE = 18, SM = 49, REGULAR_SIZE = -1 };
    static const struct {
        size_t at;
        unsigned char value;
        int size;
        const char *message;
    } cases[] = {
        {0, 0x7f, 0, "not a cubin: it is not an ELF file"},
        {1, 'e', REGULAR_SIZE, "not a cubin: it is not an ELF file"},
        {0, 0x7f, 20, "not a cubin: its ELF header is cut off"},
        {EI_CLASS, ELFCLASS32, REGULAR_SIZE,
         "not a cubin: it is a 32-bit ELF file, and cubins of CUDA 12 and later are 64-bit"},
        {EI_DATA, ELFDATA2MSB, REGULAR_SIZE, "not a cubin: it is a big-endian ELF file"},
        {MACHINE, EM_X86_64, REGULAR_SIZE, "not a cubin: the ELF file is for machine 62, and CUDA's is 190"},
        {TYPE, ET_REL, REGULAR_SIZE,
         "not a cubin: it is a relocatable object (-rdc), which must be linked first"},
        {TYPE, ET_DYN, REGULAR_SIZE, "not a cubin: its ELF type is 3, and an executable's is 2"},
        {OSABI, 0, REGULAR_SIZE, "not a cubin of CUDA 12 or 13: its ELF OS ABI is 0, and theirs is 51 or 65"},
        {SM, 0, REGULAR_SIZE, "damaged cubin: its ELF flags name no architecture"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t size;
        unsigned char *bytes = cubin_fixture("sm_90_cuda13.0", &size);
        bytes[cases[i].at] = cases[i].value;
        struct contents contents;
        size_t given = cases[i].size == REGULAR_SIZE ? size : (size_t)cases[i].size;
        assert_int_equal(cubin_read(bytes, given, &contents), CUBINET_ERROR_DAMAGED);
        assert_string_equal(cubinet_error_message(), cases[i].message);
        free(bytes);
    }
}

/* A cubin of kernels whose names all lie in one long string: together they are far longer than the file. */
static void overlapping_names_take_no_memory(void **state)
{
    (void)state;
    enum { KERNELS = 2000, NAME = 100000, TABLES = 3, SECTIONS = KERNELS + TABLES };
    size_t symbols_at = sizeof(Elf64_Ehdr) + NAME + 1;
    size_t sections_at = symbols_at + KERNELS * sizeof(Elf64_Sym);
    size_t size = sections_at + SECTIONS * sizeof(Elf64_Shdr);
    unsigned char *bytes = calloc(1, size);
    assert_non_null(bytes);
    Elf64_Ehdr header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT, 65},
                         .e_type = ET_EXEC,
                         .e_machine = EM_CUDA,
                         .e_version = EV_CURRENT,
                         .e_flags = 90 << 8,
                         .e_shoff = sections_at,
                         .e_ehsize = sizeof(Elf64_Ehdr),
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = SECTIONS,
                         .e_shstrndx = 1};
    memcpy(bytes, &header, sizeof(header));
    memset(bytes + sizeof(header), 'k', NAME);
    for (uint32_t i = 0; i < KERNELS; i++) {
        Elf64_Sym symbol = {.st_name = i,
                            .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                            .st_other = 0x10,
                            .st_shndx = (Elf64_Section)(TABLES + i)};
        memcpy(bytes + symbols_at + i * sizeof(symbol), &symbol, sizeof(symbol));
    }
    Elf64_Shdr strings = {.sh_type = SHT_STRTAB, .sh_offset = sizeof(Elf64_Ehdr), .sh_size = NAME + 1};
    Elf64_Shdr symbols = {.sh_type = SHT_SYMTAB,
                          .sh_offset = symbols_at,
                          .sh_size = KERNELS * sizeof(Elf64_Sym),
                          .sh_entsize = sizeof(Elf64_Sym),
                          .sh_link = 1};
    memcpy(bytes + sections_at + sizeof(Elf64_Shdr), &strings, sizeof(strings));
    memcpy(bytes + sections_at + 2 * sizeof(Elf64_Shdr), &symbols, sizeof(symbols));

    struct contents contents;
    assert_int_equal(cubin_read(bytes, size, &contents), CUBINET_ERROR_DAMAGED);
    assert_string_equal(cubinet_error_message(), "damaged cubin: the names of its symbols overlap");
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_truncation_is_refused_or_read),
        cmocka_unit_test(every_altered_byte_is_survived),
        cmocka_unit_test(every_extreme_number_is_survived),
        cmocka_unit_test(the_message_says_what_it_is),
        cmocka_unit_test(overlapping_names_take_no_memory),
    };
    return cmocka_run_group_tests_name("cubin_damage", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Archives inside ELF files: in a section, appended, in this program, and in files that are damaged. */
#include "archive_sample.h"
#include "loader/core/archive/elf_file.h"
#include "loader/core/archive/elf_inside.h"
#include "unit.h"

#include <cubinet/archive.h>

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/cubinet-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? chdir(folder) : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return chdir("/") || rmdir(folder) ? -1 : 0;
}

/* An ELF file as small as they come: the header, a section named ".cubinet", the section of the names, and
 * the section headers at its end. */
struct small_elf {
    Elf64_Ehdr header;
    unsigned char contents[64];
    char names[32];
    Elf64_Shdr sections[3];
};

#define CONTENTS "what the section holds"

static struct small_elf make_elf(const char *section)
{
    struct small_elf elf = {0};
    memcpy(elf.header.e_ident, ELFMAG, SELFMAG);
    elf.header.e_ident[EI_CLASS] = ELFCLASS64;
    elf.header.e_ident[EI_DATA] = ELFDATA2LSB;
    elf.header.e_shoff = offsetof(struct small_elf, sections);
    elf.header.e_shentsize = sizeof(Elf64_Shdr);
    elf.header.e_shnum = 3;
    elf.header.e_shstrndx = 2;
    memcpy(elf.contents, CONTENTS, sizeof(CONTENTS));
    snprintf(elf.names + 1, sizeof(elf.names) - 1, "%s", section);
    elf.sections[1] = (Elf64_Shdr){.sh_name = 1,
                                   .sh_type = SHT_PROGBITS,
                                   .sh_offset = offsetof(struct small_elf, contents),
                                   .sh_size = sizeof(CONTENTS)};
    elf.sections[2] = (Elf64_Shdr){
        .sh_type = SHT_STRTAB, .sh_offset = offsetof(struct small_elf, names), .sh_size = sizeof(elf.names)};
    return elf;
}

static bool is_found_in(const void *bytes, size_t size, struct cbn_extent *out_found)
{
    struct cbn_storage storage = cbn_storage_of_memory(bytes, size);
    struct cbn_inside inside;
    assert_int_equal(cbn_elf_inside(&storage, NULL, &inside), CUBINET_OK);
    *out_found = inside.archive;
    return out_found->size > 0;
}

static void finds_the_section(void **state)
{
    (void)state;
    struct small_elf elf = make_elf(".cubinet");
    struct cbn_extent found = {0};
    assert_true(is_found_in(&elf, sizeof(elf), &found));
    assert_int_equal(found.offset, offsetof(struct small_elf, contents));
    assert_int_equal(found.size, sizeof(CONTENTS));
    elf.sections[1].sh_type = SHT_NOBITS; /* which has no bytes in the file */
    assert_false(is_found_in(&elf, sizeof(elf), &found));
    elf = make_elf(".cubinet2");
    assert_false(is_found_in(&elf, sizeof(elf), &found));
    elf = make_elf(".cubine");
    assert_false(is_found_in(&elf, sizeof(elf), &found));
}

/* The second is the section of the names itself. */
static struct small_elf make_elf_of_two(const char *first, const char *second)
{
    struct small_elf elf = make_elf(first);
    elf.sections[2].sh_name = (Elf64_Word)(2 + strlen(first));
    snprintf(elf.names + elf.sections[2].sh_name, sizeof(elf.names) - elf.sections[2].sh_name, "%s", second);
    return elf;
}

static struct cbn_inside look(const struct small_elf *elf, const char *name)
{
    struct cbn_inside inside;
    struct cbn_storage storage = cbn_storage_of_memory(elf, sizeof(*elf));
    assert_int_equal(cbn_elf_inside(&storage, name, &inside), CUBINET_OK);
    return inside;
}

static void finds_what_the_program_was_built_with(void **state)
{
    (void)state;
    struct small_elf elf = make_elf(".cubinet.kernels");
    struct cbn_inside inside = look(&elf, NULL);
    assert_int_equal(inside.archive.offset, offsetof(struct small_elf, contents));
    assert_int_equal(inside.archive.size, sizeof(CONTENTS));
    assert_string_equal(inside.names, "'kernels'");
    assert_int_equal(look(&elf, "kernels").archive.size, sizeof(CONTENTS));
    assert_int_equal(look(&elf, "kernel").archive.size, 0);
    assert_int_equal(look(&elf, "").archive.size, 0);
    static const char *const others[] = {".cubinet.", ".cubinet.a\n", ".cubinet.a.b", ".cubinets.a"};
    for (size_t i = 0; i < COUNT(others); i++) {
        elf = make_elf(others[i]);
        assert_int_equal(look(&elf, NULL).count, 0);
    }
}

static void one_of_several_is_named(void **state)
{
    (void)state;
    struct small_elf elf = make_elf_of_two(".cubinet.a", ".cubinet.more");
    struct cbn_inside inside = look(&elf, NULL);
    assert_int_equal(inside.archive.size, 0);
    assert_int_equal(inside.count, 2);
    assert_string_equal(inside.names, "'a', 'more'");
    assert_int_equal(look(&elf, "a").archive.size, sizeof(CONTENTS));
    assert_int_equal(look(&elf, "more").archive.offset, offsetof(struct small_elf, names));
}

/* Files with more than 65,279 sections have their number and that of the names in section 0. */
static void finds_the_section_of_very_many(void **state)
{
    (void)state;
    struct small_elf elf = make_elf(".cubinet");
    struct cbn_extent found = {0};
    elf.header.e_shnum = 0;
    elf.header.e_shstrndx = SHN_XINDEX;
    elf.sections[0].sh_size = 3;
    elf.sections[0].sh_link = 2;
    assert_true(is_found_in(&elf, sizeof(elf), &found));
    elf.sections[0].sh_size = UINT64_MAX / sizeof(Elf64_Shdr) + 1;
    assert_false(is_found_in(&elf, sizeof(elf), &found));
}

static void finds_what_is_appended(void **state)
{
    (void)state;
    struct {
        struct small_elf elf;
        char appended[8];
    } file = {make_elf(".other"), "archive"};
    struct cbn_extent found = {0};
    assert_true(is_found_in(&file, sizeof(file), &found));
    assert_int_equal(found.offset, sizeof(file.elf));
    assert_int_equal(found.size, sizeof(file.appended));
    file.elf.sections[1].sh_size = sizeof(file) - file.elf.sections[1].sh_offset; /* it is the section's */
    assert_false(is_found_in(&file, sizeof(file), &found));
}

static void finds_nothing_in_other_files(void **state)
{
    (void)state;
    struct small_elf elf = make_elf(".cubinet");
    struct cbn_extent found = {0};
    elf.header.e_ident[EI_CLASS] = ELFCLASS32;
    assert_false(is_found_in(&elf, sizeof(elf), &found));
    elf = make_elf(".cubinet");
    elf.header.e_ident[EI_DATA] = ELFDATA2MSB;
    assert_false(is_found_in(&elf, sizeof(elf), &found));
    assert_false(cbn_is_elf("\177EL", 3));
}

/* The copy lies on the heap, whose end the sanitizers watch. */
static void expect_within(const struct small_elf *elf, size_t size)
{
    unsigned char *bytes = malloc(size ? size : 1);
    assert_non_null(bytes);
    memcpy(bytes, elf, size);
    struct cbn_extent found = {0};
    if (is_found_in(bytes, size, &found)) {
        assert_true(found.offset <= size && found.size <= size - found.offset);
    }
    free(bytes);
}

static void withstands_damage(void **state)
{
    (void)state;
    struct small_elf elf = make_elf(".cubinet");
    for (size_t size = 0; size < sizeof(elf); size++) {
        expect_within(&elf, size);
    }
    static const unsigned char values[] = {0x00, 0x01, 0x7f, 0x80, 0xff};
    for (size_t i = 0; i < sizeof(elf); i++) {
        for (size_t j = 0; j < COUNT(values); j++) {
            struct small_elf damaged = elf;
            ((unsigned char *)&damaged)[i] = values[j];
            expect_within(&damaged, sizeof(damaged));
        }
    }
}

/* Runs a command line, in which the program can be named "$0". */
static int run(const char *line)
{
    char program[PATH_MAX] = "";
    assert_true(readlink("/proc/self/exe", program, sizeof(program) - 1) > 0);
    pid_t child = fork();
    if (child == 0) {
        execl("/bin/sh", "sh", "-c", line, program, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void write_sample(const char *path)
{
    struct built built = build(&sample_archive);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(built.bytes, 1, built.size, file), built.size);
    assert_int_equal(fclose(file), 0);
    built_free(&built);
}

/* The lowest number that a file that is opened gets. */
static int lowest_free(void)
{
    int file = dup(STDIN_FILENO);
    close(file);
    return file;
}

/* What this program does when it is started with an argument: the archive inside it is read. No file stays
 * open. */
static int read_own_archive(const char *paths)
{
    cubinet_archive *archive = NULL;
    char text[sizeof(SAMPLE_PTX)] = "";
    int free_before = lowest_free();
    cubinet_status status = cubinet_archive_open_near(NULL, paths, NULL, &archive);
    if (lowest_free() != free_before) {
        status = CUBINET_ERROR_LIMIT;
    }
    if (!status) {
        status = cubinet_archive_read_image(archive, SAMPLE_SEGSUM, 2, text, sizeof(text));
    }
    cubinet_archive_close(archive);
    return status ? (int)status : strcmp(text, SAMPLE_PTX) != 0;
}

static void a_program_reads_what_is_appended_to_it(void **state)
{
    (void)state;
    write_sample("a.cubinet");
    assert_int_equal(run("cat \"$0\" a.cubinet >program && chmod +x program && ./program ''"), 0);
    assert_int_equal(run("./program missing.cubinet:"), 0);
    assert_int_equal(run("./program missing.cubinet"), CUBINET_ERROR_IO);
    assert_int_equal(run("rm program a.cubinet"), 0);
}

static void a_program_reads_its_section(void **state)
{
    (void)state;
    if (run("[ -x '" OBJCOPY "' ]") != 0) {
        skip();
    }
    write_sample("a.cubinet");
    assert_int_equal(run("'" OBJCOPY "' --add-section .cubinet=a.cubinet \"$0\" program && ./program ''"), 0);
    assert_int_equal(run("'" OBJCOPY "' --strip-all program && ./program ''"), 0);
    assert_int_equal(run("rm program a.cubinet"), 0);
}

static void expect_error(const char *path, cubinet_status expected, const char *message)
{
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open(path, NULL, &archive), expected);
    assert_non_null(strstr(cubinet_error_message(), message));
    assert_null(archive);
}

static void expect_opens(const char *path)
{
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open(path, NULL, &archive), CUBINET_OK);
    cubinet_archive_close(archive);
}

static void of_several_one_is_opened_by_its_name(void **state)
{
    (void)state;
    if (run("[ -x '" OBJCOPY "' ]") != 0) {
        skip();
    }
    write_sample("a.cubinet");
    assert_int_equal(run("'" OBJCOPY "' --add-section .cubinet.a=a.cubinet \"$0\" one"), 0);
    expect_opens("one");
    expect_opens("one#a");
    expect_error("one#b", CUBINET_ERROR_NOT_ARCHIVE, "has no archive 'b' inside; it has 'a'");
    assert_int_equal(run("'" OBJCOPY "' --add-section .cubinet.more=a.cubinet one two"), 0);
    expect_error("two", CUBINET_ERROR_INVALID_ARGUMENT,
                 "'two' has 2 archives inside: 'a', 'more'. Name one, as in 'two#NAME'");
    expect_opens("two#a");
    expect_opens("two#more");
    expect_error("two#other", CUBINET_ERROR_NOT_ARCHIVE, "has no archive 'other' inside; it has 'a', 'more'");
    assert_int_equal(run("sections=; for i in $(seq 100 200); do sections=\"$sections --add-section "
                         ".cubinet.kernels_$i=a.cubinet\"; done; '" OBJCOPY "' $sections \"$0\" many"),
                     0);
    expect_error("many", CUBINET_ERROR_INVALID_ARGUMENT, "'many' has 101 archives inside: 'kernels_");
    assert_non_null(strstr(cubinet_error_message(), "', .... Name one"));
    expect_opens("many#kernels_200");
    assert_int_equal(run(": >empty && '" OBJCOPY "' --add-section .cubinet.a=empty \"$0\" none"), 0);
    expect_error("none", CUBINET_ERROR_NOT_ARCHIVE,
                 "'none' is a program or library without an archive inside");
    assert_int_equal(run("rm one two many none empty a.cubinet"), 0);
}

static void marks_in_paths_that_name_no_program(void **state)
{
    (void)state;
    write_sample("a.cubinet");
    expect_error("a.cubinet#a", CUBINET_ERROR_NOT_ARCHIVE, "there is no program or library before the '#'");
    expect_error("missing#a", CUBINET_ERROR_IO, "'missing#a'");
    expect_error("#a", CUBINET_ERROR_IO, "'#a'");
    assert_int_equal(run("cp \"$0\" program"), 0);
    expect_error("program#a", CUBINET_ERROR_NOT_ARCHIVE, "without an archive inside");
    assert_int_equal(run("mv a.cubinet 'program#a'"), 0);
    expect_opens("program#a");
    assert_int_equal(run("rm program 'program#a'"), 0);
}

static void says_that_there_is_none(void **state)
{
    (void)state;
    cubinet_archive *archive = NULL;
    assert_int_equal(cubinet_archive_open_near(NULL, "", NULL, &archive), CUBINET_ERROR_NOT_ARCHIVE);
    assert_non_null(
        strstr(cubinet_error_message(),
               "test_archive_inside' is a program or library without an archive inside: it has no "
               "section '.cubinet', and nothing is appended to it"));
    assert_int_equal(run("{ cat \"$0\"; echo no archive; } >program"), 0);
    assert_int_equal(cubinet_archive_open("program", NULL, &archive), CUBINET_ERROR_NOT_ARCHIVE);
    assert_null(archive);
    unlink("program");
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        return read_own_archive(argv[1]);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_section),
        cmocka_unit_test(finds_what_the_program_was_built_with),
        cmocka_unit_test(one_of_several_is_named),
        cmocka_unit_test(finds_the_section_of_very_many),
        cmocka_unit_test(finds_what_is_appended),
        cmocka_unit_test(finds_nothing_in_other_files),
        cmocka_unit_test(withstands_damage),
        cmocka_unit_test(a_program_reads_what_is_appended_to_it),
        cmocka_unit_test(a_program_reads_its_section),
        cmocka_unit_test(of_several_one_is_opened_by_its_name),
        cmocka_unit_test(marks_in_paths_that_name_no_program),
        cmocka_unit_test(says_that_there_is_none),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "unit.h"

#include "base/file.h"
#include "compile/pch_make.h"
#include "compile/pch_record.h"
#include "interpose/fixed_address.h"
#include "interpose/opened_files.h"
#include "interpose/pch_heap.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char *option_items[] = {"-arch=compute_80", "-include=a.h", "-Iinc", NULL};

static void put(const char *path, const char *text)
{
    assert_int_equal(file_replace(path, text, strlen(text)), CUBINET_OK);
}

static int enter_folder(void **state)
{
    char *folder = strdup("/tmp/test_pch.XXXXXX");
    *state = folder;
    return !folder || !mkdtemp(folder) || chdir(folder) || mkdir("lib", 0777) ? -1 : 0;
}

static int remove_folder(void **state)
{
    char command[256];
    snprintf(command, sizeof(command), "rm -rf '%s'", (const char *)*state);
    free(*state);
    return system(command);
}

static struct pch_setting make_setting(const struct cbn_text_list *options)
{
    struct pch_setting setting;
    assert_int_equal(pch_setting_make(options, "/work", "lib/libnvrtc.so.13", &setting), CUBINET_OK);
    return setting;
}

/* A record of a.h, of data, and of a place where nothing is. */
static void write_record_made(const char *path, bool default_device)
{
    const struct cbn_text_list options = {.items = option_items, .count = 3};
    struct pch_record record = {.library = 0x3000, .heap_size = 4096, .default_device = default_device};
    put("lib/libnvrtc.so.13", "a library");
    put("a.h", "a header");
    put("data", "the data");
    record.setting = make_setting(&options);
    assert_int_equal(pch_data_identify("data", &record.data), CUBINET_OK);
    struct input *header = inputs_add(&record.inputs, INPUT_FILE, "a.h");
    header->digest = cbn_sha256("a header", strlen("a header"));
    assert_non_null(inputs_add(&record.inputs, INPUT_MISSING, "inc/a.h"));
    record.messages = strdup("a.h(1): warning: of two\nlines\n");
    char *text = NULL;
    assert_int_equal(pch_record_text(&record, &text), CUBINET_OK);
    put(path, text);
    free(text);
    pch_record_free(&record);
}

static void write_record(const char *path)
{
    write_record_made(path, false);
}

/* Reads a record that can't be relied on, and compares why. */
static void assert_refused(const char *path, const char *because)
{
    struct pch_record record;
    struct buffer why = {0};
    assert_false(pch_record_read(path, &record, &why));
    assert_string_equal(why.data, because);
    buffer_free(&why);
}

static void record_is_read_back(void **state)
{
    (void)state;
    struct pch_record record;
    struct buffer why = {0};
    write_record("record");
    assert_true(pch_record_read("record", &record, &why));
    assert_null(record.reason);
    assert_string_equal(record.setting.folder, "/work");
    assert_int_equal(record.setting.options.count, 3);
    assert_int_equal(record.library, 0x3000);
    assert_int_equal(record.heap_size, 4096);
    assert_int_equal(record.inputs.count, 2);
    assert_string_equal(record.messages, "a.h(1): warning: of two\nlines\n");
    assert_true(pch_data_is("data", &record.data));
    pch_record_free(&record);
}

static void what_changed_is_told(void **state)
{
    (void)state;
    write_record("record");
    put("a.h", "another");
    assert_refused("record", "'a.h' is not what it was");
    write_record("record");
    assert_int_equal(mkdir("inc", 0777), 0);
    put("inc/a.h", "found first");
    assert_refused("record", "'inc/a.h' is not what it was");
    unlink("inc/a.h");
    assert_refused("no record", "it is not there");
}

/* Every byte of it counts, and every length. */
static void damage_is_noticed(void **state)
{
    (void)state;
    char *text = NULL;
    size_t size = 0;
    write_record("record");
    assert_int_equal(file_read("record", &text, &size), CUBINET_OK);
    for (size_t i = 0; i < size; i++) {
        struct pch_record record;
        struct buffer why = {0};
        text[i] ^= 1;
        assert_int_equal(file_replace("damaged", text, size), CUBINET_OK);
        text[i] ^= 1;
        assert_false(pch_record_read("damaged", &record, &why));
        assert_int_equal(file_replace("damaged", text, i), CUBINET_OK);
        assert_false(pch_record_read("damaged", &record, &why));
        buffer_free(&why);
    }
    free(text);
}

static void assert_misfit(const struct cbn_text_list *options, const char *because)
{
    struct pch_record record;
    struct buffer why = {0};
    struct pch_setting setting = make_setting(options);
    assert_true(pch_record_read("record", &record, &why));
    assert_int_equal(pch_record_fits(&record, &setting, &why), because == NULL);
    assert_string_equal(why.data ? why.data : "", because ? because : "");
    pch_setting_free(&setting);
    pch_record_free(&record);
    buffer_free(&why);
}

static void settings_are_compared(void **state)
{
    (void)state;
    write_record("record");
    char *more[] = {"-arch=compute_80", "-include=a.h", "-Iinc", "-DA", NULL};
    char *fewer[] = {"-arch=compute_80", "-include=a.h", NULL};
    char *moved[] = {"-Iinc", "-include=a.h", "-arch=compute_80", NULL};
    char *no_matter[] = {"-arch=compute_80", "-frandom-seed=m", "-include=a.h",
                         "-maxrregcount=32", "-Iinc",           NULL};
    char *relocatable[] = {"-rdc=true", "-arch=compute_80", "-include=a.h", "-Iinc", NULL};
    assert_misfit(&(struct cbn_text_list){.items = option_items, .count = 3}, NULL);
    assert_misfit(&(struct cbn_text_list){.items = no_matter, .count = 5}, NULL);
    assert_misfit(&(struct cbn_text_list){.items = more, .count = 4}, "it was made without -DA");
    assert_misfit(&(struct cbn_text_list){.items = fewer, .count = 2},
                  "it was made with -Iinc, and this compile is not");
    assert_misfit(&(struct cbn_text_list){.items = moved, .count = 3}, NULL);
    assert_misfit(&(struct cbn_text_list){.items = relocatable, .count = 4}, "it was made without -rdc=true");
    put("lib/libnvrtc.so.13", "a library of another size");
    assert_misfit(&(struct cbn_text_list){.items = option_items, .count = 3}, "it was made by another NVRTC");
}

/* Headers that need -default-device are for compiles that have it already, and for those that will. */
static void default_device_fits_both(void **state)
{
    (void)state;
    char *with[] = {"-arch=compute_80", "-include=a.h", "-Iinc", "-default-device", NULL};
    char *fewer[] = {"-arch=compute_80", "-include=a.h", "-default-device", NULL};
    write_record_made("record", true);
    assert_misfit(&(struct cbn_text_list){.items = option_items, .count = 3}, NULL);
    assert_misfit(&(struct cbn_text_list){.items = with, .count = 4}, NULL);
    assert_misfit(&(struct cbn_text_list){.items = fewer, .count = 3},
                  "it was made with -Iinc, and this compile is not");
    write_record("record");
    assert_misfit(&(struct cbn_text_list){.items = with, .count = 4}, "it was made without -default-device");
}

static void data_is_told_by_its_bytes(void **state)
{
    (void)state;
    struct pch_data data;
    put("data", "the data");
    assert_int_equal(pch_data_identify("data", &data), CUBINET_OK);
    put("data", "the data"); /* a copy */
    assert_true(pch_data_is("data", &data));
    put("data", "THE DATA");
    assert_false(pch_data_is("data", &data));
    put("data", "the dat");
    assert_false(pch_data_is("data", &data));
    unlink("data");
    assert_false(pch_data_is("data", &data));
}

static void none_has_a_reason(void **state)
{
    (void)state;
    struct pch_record record = {0};
    struct buffer why = {0};
    char *text = NULL;
    record.setting = make_setting(&(struct cbn_text_list){.items = option_items, .count = 3});
    assert_int_equal(pch_make_none("data", "it is too old", &record), CUBINET_OK);
    assert_int_equal(pch_record_text(&record, &text), CUBINET_OK);
    put("record", text);
    free(text);
    pch_record_free(&record);
    assert_true(pch_record_read("record", &record, &why));
    assert_string_equal(record.reason, "it is too old");
    pch_record_free(&record);
    assert_int_equal(file_read("data", &text, &(size_t){0}), CUBINET_OK);
    assert_string_equal(text, "");
    free(text);
}

/* Whoever waited for the lock, whose file was removed meanwhile, has one of its own then. */
static void record_is_held_by_one(void **state)
{
    (void)state;
    struct pch_file file;
    char *text = NULL;
    assert_int_equal(pch_file_lock("held", &file), CUBINET_OK);
    assert_int_equal(pch_file_write(&file, "a longer text"), CUBINET_OK);
    assert_int_equal(pch_file_write(&file, "short"), CUBINET_OK);
    pid_t child = fork();
    if (child == 0) {
        struct pch_file other;
        close(file.descriptor); /* the copy that came with the fork, which would hold the lock, too */
        bool done =
            pch_file_lock("held", &other) == CUBINET_OK && pch_file_write(&other, "other") == CUBINET_OK;
        _exit(done ? 0 : 1);
    }
    assert_int_equal(file_read("held", &text, &(size_t){0}), CUBINET_OK);
    assert_string_equal(text, "short");
    free(text);
    assert_int_equal(access("held.lock", F_OK), 0);
    pch_file_unlock(&file);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(file_read("held", &text, &(size_t){0}), CUBINET_OK);
    assert_string_equal(text, "other");
    free(text);
    assert_int_equal(unlink("held.lock"), 0); /* which _exit() left */
    assert_int_equal(pch_file_lock("no folder/held", &file), CUBINET_ERROR_IO);
}

/* A process that is killed leaves the lock's file alone, which does not keep the next from its work. */
static void killed_writer_leaves_no_record(void **state)
{
    (void)state;
    struct pch_file file;
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        pch_file_lock("killed", &file);
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    assert_int_equal(access("killed", F_OK), -1);
    assert_int_equal(pch_file_lock("killed", &file), CUBINET_OK);
    assert_int_equal(file.lock, FILE_LOCKED);
    assert_int_equal(pch_file_write(&file, "whole"), CUBINET_OK);
    pch_file_unlock(&file);
    assert_int_equal(access("killed", F_OK), 0);
    assert_int_equal(access("killed.lock", F_OK), -1);
}

static int signal_at_lock; /* the next lock is asked for as this signal comes */

/* In the place of the C library's. */
int flock(int descriptor, int operation)
{
    int number = signal_at_lock;
    signal_at_lock = 0;
    if (number != 0) {
        raise(number);
    }
    return (int)syscall(SYS_flock, descriptor, operation);
}

/* Has a process that asks for the lock end by a signal. */
static void interrupt_at_lock(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        struct pch_file file;
        signal_at_lock = SIGTERM;
        pch_file_lock(path, &file);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

/* An interrupt between making the lock's file and having its lock leaves none, and never takes another's. */
static void interrupted_lock_leaves_nothing(void **state)
{
    (void)state;
    struct pch_file file;
    interrupt_at_lock("interrupted");
    assert_int_equal(access("interrupted", F_OK), -1);
    assert_int_equal(access("interrupted.lock", F_OK), -1);
    assert_int_equal(pch_file_lock("interrupted", &file), CUBINET_OK);
    interrupt_at_lock("interrupted");
    assert_int_equal(access("interrupted.lock", F_OK), 0);
    pch_file_unlock(&file);
    assert_int_equal(access("interrupted.lock", F_OK), -1);
}

/* A file that the loader would take 64 MB for, as far as its program headers say. */
static void write_library(const char *path)
{
    struct {
        Elf64_Ehdr header;
        Elf64_Phdr part;
    } file = {
        .header = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB},
                   .e_phoff = sizeof(Elf64_Ehdr),
                   .e_phentsize = sizeof(Elf64_Phdr),
                   .e_phnum = 1},
        .part = {.p_type = PT_LOAD, .p_memsz = 64 << 20, .p_align = 4096},
    };
    assert_int_equal(file_replace(path, &file, sizeof(file)), CUBINET_OK);
}

static void large_mappings_get_the_address(void **state)
{
    (void)state;
    struct fixed_address address;
    const size_t size = 64 << 20;
    write_library("large");
    assert_int_equal(fixed_address_prepare("large", &address), CUBINET_OK);
    void *large = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *second = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *small = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    fixed_address_release(&address);
    assert_ptr_equal(large, fixed_address_wanted());
    assert_ptr_equal(second, MAP_FAILED);
    assert_ptr_not_equal(small, MAP_FAILED);
    munmap(large, size);
    munmap(small, 1 << 20);
    large = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(large, MAP_FAILED);
    assert_ptr_not_equal(large, fixed_address_wanted());
    munmap(large, size);
}

enum { PIECE = 65536 };

/* A file of two pieces. */
static int make_pieces(const char *path)
{
    char pieces[2 * PIECE];
    memset(pieces, 'a', PIECE);
    memset(pieces + PIECE, 'b', PIECE);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_int_equal(write(file, pieces, sizeof(pieces)), sizeof(pieces));
    return file;
}

/* Maps the second piece over the block, and writes to both. Tells what another byte of it is then. */
static char map_piece(char *block, int file)
{
    char *piece = mmap(block + PIECE, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, PIECE);
    assert_ptr_equal(piece, block + PIECE);
    assert_int_equal(piece[0], 'b');
    assert_int_equal(piece[PIECE - 1], 'b');
    piece[0] = 'c';
    assert_int_equal(pwrite(file, "d", 1, 2 * PIECE - 1), 1);
    char kept = 0;
    assert_int_equal(pread(file, &kept, 1, PIECE), 1);
    assert_int_equal(kept, 'b');
    return piece[PIECE - 1];
}

/* NVRTC's own memory of the block is read; its data is mapped, and so is what a file is too short for. */
static void memory_of_the_block_is_read(void **state)
{
    (void)state;
    const size_t size = 4 << 20;
    pch_heap_place(size);
    char *block = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(block, MAP_FAILED);
    int file = make_pieces("pieces");
    assert_int_equal(map_piece(block, file), 'd');
    close(file);
    file = make_pieces("pieces");
    unlink("pieces");
    assert_int_equal(map_piece(block, file), 'b');
    assert_int_equal(ftruncate(file, PIECE + 1), 0);
    char *piece = mmap(block, PIECE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, PIECE);
    assert_ptr_equal(piece, block);
    assert_int_equal(piece[0], 'b');
    assert_int_equal(piece[1], 0);
    close(file);
    munmap(block, size);
    pch_heap_place(0);
}

static void a_taken_address_is_refused(void **state)
{
    (void)state;
    struct fixed_address address;
    write_library("large");
    void *taken = mmap(fixed_address_wanted(), 4096, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    assert_ptr_equal(taken, fixed_address_wanted());
    assert_int_equal(fixed_address_prepare("large", &address), CUBINET_ERROR_IO);
    assert_non_null(strstr(cubinet_error_message(), "something else lies at the address"));
    munmap(taken, 4096);
    put("no library", "text");
    assert_int_equal(fixed_address_prepare("no library", &address), CUBINET_ERROR_IO);
    assert_int_equal(fixed_address_prepare("not there", &address), CUBINET_ERROR_IO);
}

static void inputs_of_others_are_noted(void **state)
{
    (void)state;
    struct opened_files files;
    char *text = NULL;
    put("a.h", "a header");
    opened_files_start();
    opened_files_add("a.h", false);
    opened_files_add("b.h", true);
    opened_files_add("c.h", true);
    opened_files_remove("c.h");
    opened_files_pause(true);
    assert_int_equal(file_read("a.h", &text, &(size_t){0}), CUBINET_OK);
    free(text);
    assert_int_not_equal(file_read("d.h", &text, &(size_t){0}), CUBINET_OK);
    opened_files_pause(false);
    assert_int_equal(opened_files_stop(&files), CUBINET_OK);
    assert_int_equal(files.opened_count, 1);
    assert_string_equal(files.opened[0], "a.h");
    assert_int_equal(files.missing_count, 1);
    assert_string_equal(files.missing[0], "b.h");
    assert_false(files.replaced);
    opened_files_free(&files);
    opened_files_start();
    opened_files_add("gone.h", false);
    assert_int_equal(opened_files_stop(&files), CUBINET_OK);
    assert_true(files.replaced);
    opened_files_free(&files);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(record_is_read_back),
        cmocka_unit_test(what_changed_is_told),
        cmocka_unit_test(damage_is_noticed),
        cmocka_unit_test(settings_are_compared),
        cmocka_unit_test(default_device_fits_both),
        cmocka_unit_test(data_is_told_by_its_bytes),
        cmocka_unit_test(none_has_a_reason),
        cmocka_unit_test(record_is_held_by_one),
        cmocka_unit_test(killed_writer_leaves_no_record),
        cmocka_unit_test(interrupted_lock_leaves_nothing),
        cmocka_unit_test(large_mappings_get_the_address),
        cmocka_unit_test(memory_of_the_block_is_read),
        cmocka_unit_test(a_taken_address_is_refused),
        cmocka_unit_test(inputs_of_others_are_noted),
    };
    return cmocka_run_group_tests(tests, enter_folder, remove_folder);
}

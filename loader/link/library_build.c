/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/library_build.h"

#include "loader/core/archive/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    /* More than any library of NVIDIA's has. */
    MOST_PROGRAMS = 64,
    MOST_NOTES = 1 << 16,
    MOST_DYNAMIC = 1 << 16,
    MOST_STRINGS = 1 << 22,
    /* What is read first: it mostly has the programs and the notes. */
    START = 1024,
};

static const char release_prefix[] = "__nvJitLinkCreate_";

/* A shared library that is being looked at. */
struct file {
    int descriptor;
    unsigned char start[START];
    size_t start_size;
    Elf64_Phdr programs[MOST_PROGRAMS];
    size_t program_count;
    int error; /* why something that is there could not be read; 0: nothing failed */
};

/* The bytes that were read, fewer than `size` at the end of the file or after a failure. */
static size_t read_some(struct file *file, void *bytes, size_t size, uint64_t offset)
{
    size_t done = 0;
    while (done < size) {
        ssize_t more = pread(file->descriptor, (char *)bytes + done, size - done, (off_t)(offset + done));
        if (more < 0 && errno == EINTR) {
            continue;
        }
        if (more <= 0) {
            file->error = more < 0 ? errno : file->error;
            break;
        }
        done += (size_t)more;
    }
    return done;
}

static bool read_at(struct file *file, void *bytes, size_t size, uint64_t offset)
{
    if (offset <= file->start_size && size <= file->start_size - offset) {
        memcpy(bytes, file->start + offset, size);
        return true;
    }
    return read_some(file, bytes, size, offset) == size;
}

static void *read_new(struct file *file, uint64_t offset, uint64_t size, size_t most)
{
    if (size == 0 || size > most) {
        return NULL;
    }
    void *bytes = malloc((size_t)size);
    if (!bytes) {
        file->error = ENOMEM;
        return NULL;
    }
    if (!read_at(file, bytes, (size_t)size, offset)) {
        free(bytes);
        return NULL;
    }
    return bytes;
}

static bool read_programs(struct file *file)
{
    Elf64_Ehdr header;
    file->start_size = read_some(file, file->start, sizeof(file->start), 0);
    bool is_library = cbn_elf_header(file->start, file->start_size, &header) && header.e_type == ET_DYN &&
                      header.e_phentsize == sizeof(Elf64_Phdr) && header.e_phnum <= MOST_PROGRAMS;
    file->program_count = is_library ? header.e_phnum : 0;
    return is_library &&
           read_at(file, file->programs, file->program_count * sizeof(Elf64_Phdr), header.e_phoff);
}

/* Looks for the build-id among notes. */
static bool find_build_id(const unsigned char *notes, size_t size, struct cbn_sha256 *out_identity)
{
    size_t at = 0;
    while (size - at >= sizeof(Elf64_Nhdr)) {
        Elf64_Nhdr note;
        memcpy(&note, notes + at, sizeof(note));
        uint64_t name_size = ((uint64_t)note.n_namesz + 3) / 4 * 4;
        uint64_t step = sizeof(note) + name_size + ((uint64_t)note.n_descsz + 3) / 4 * 4;
        if (step > size - at) {
            return false;
        }
        const unsigned char *name = notes + at + sizeof(note);
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof(ELF_NOTE_GNU) && note.n_descsz > 0 &&
            memcmp(name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)) == 0) {
            *out_identity = cbn_sha256(name + name_size, note.n_descsz);
            return true;
        }
        at += (size_t)step;
    }
    return false;
}

static bool read_build_id(struct file *file, struct cbn_sha256 *out_identity)
{
    bool is_found = false;
    for (size_t i = 0; i < file->program_count && !is_found; i++) {
        const Elf64_Phdr *program = &file->programs[i];
        if (program->p_type == PT_NOTE) {
            unsigned char *notes = read_new(file, program->p_offset, program->p_filesz, MOST_NOTES);
            is_found = notes && find_build_id(notes, (size_t)program->p_filesz, out_identity);
            free(notes);
        }
    }
    return is_found;
}

static bool digest_file(struct file *file, struct cbn_sha256 *out_identity)
{
    struct stat about;
    if (fstat(file->descriptor, &about)) {
        file->error = errno;
    }
    if (file->error || about.st_size <= 0) {
        return false;
    }
    size_t size = (size_t)about.st_size;
    void *bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
    if (bytes == MAP_FAILED) {
        file->error = errno;
        return false;
    }
    *out_identity = cbn_sha256(bytes, size);
    munmap(bytes, size);
    return true;
}

/* Where in the file lies what is loaded at an address; 0 if nowhere. */
static uint64_t offset_of(const struct file *file, uint64_t address)
{
    for (size_t i = 0; i < file->program_count; i++) {
        const Elf64_Phdr *program = &file->programs[i];
        if (program->p_type == PT_LOAD && address >= program->p_vaddr &&
            address - program->p_vaddr < program->p_filesz) {
            return program->p_offset + (address - program->p_vaddr);
        }
    }
    return 0;
}

/* The place and the size of the names that the dynamic loader sees. */
static bool find_strings(struct file *file, uint64_t *out_offset, uint64_t *out_size)
{
    uint64_t address = 0;
    *out_size = 0;
    for (size_t i = 0; i < file->program_count; i++) {
        const Elf64_Phdr *program = &file->programs[i];
        Elf64_Dyn *entries = program->p_type == PT_DYNAMIC
                                 ? read_new(file, program->p_offset, program->p_filesz, MOST_DYNAMIC)
                                 : NULL;
        for (size_t e = 0; entries && e < program->p_filesz / sizeof(*entries); e++) {
            address = entries[e].d_tag == DT_STRTAB ? entries[e].d_un.d_ptr : address;
            *out_size = entries[e].d_tag == DT_STRSZ ? entries[e].d_un.d_val : *out_size;
        }
        free(entries);
    }
    *out_offset = offset_of(file, address);
    return *out_offset > 0;
}

/* 13000 from "13_0"; 0 from anything else. */
static uint32_t read_release(const char *text)
{
    char *end = NULL;
    unsigned long major = strtoul(text, &end, 10);
    if (end == text || *end != '_' || major > 999) {
        return 0;
    }
    const char *minor_text = end + 1;
    unsigned long minor = strtoul(minor_text, &end, 10);
    return end == minor_text || *end || minor > 99 ? 0 : (uint32_t)(1000 * major + 10 * minor);
}

static uint32_t newest_release(const char *strings, size_t size)
{
    uint32_t newest = 0;
    size_t prefix = sizeof(release_prefix) - 1;
    for (size_t at = 0; at < size; at += strlen(strings + at) + 1) {
        if (strncmp(strings + at, release_prefix, prefix) == 0) {
            uint32_t release = read_release(strings + at + prefix);
            newest = release > newest ? release : newest;
        }
    }
    return newest;
}

static uint32_t read_newest_release(struct file *file)
{
    uint64_t offset = 0;
    uint64_t size = 0;
    char *strings = find_strings(file, &offset, &size) ? read_new(file, offset, size, MOST_STRINGS) : NULL;
    uint32_t newest = 0;
    if (strings && strings[size - 1] == '\0') {
        newest = newest_release(strings, (size_t)size);
    }
    free(strings);
    return newest;
}

/* out_release: NULL if it is not asked for */
static bool read_opened(struct file *file, struct cbn_sha256 *out_identity, uint32_t *out_release)
{
    struct cbn_sha256 identity;
    bool is_read = read_programs(file) && (read_build_id(file, &identity) || digest_file(file, &identity));
    uint32_t release = is_read && out_release ? read_newest_release(file) : 0;
    if (!is_read || file->error) {
        errno = file->error ? file->error : ENOEXEC;
        return false;
    }
    *out_identity = identity;
    if (out_release) {
        *out_release = release;
    }
    return true;
}

static bool read_build(const char *path, struct cbn_sha256 *out_identity, uint32_t *out_release)
{
    struct file *file = malloc(sizeof(*file)); /* too large for the stack of a small thread */
    if (!file) {
        return false;
    }
    file->error = 0;
    file->descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is_read = file->descriptor >= 0 && read_opened(file, out_identity, out_release);
    int error = errno;
    if (file->descriptor >= 0) {
        close(file->descriptor);
    }
    free(file);
    errno = error;
    return is_read;
}

bool cbn_library_build_read(const char *path, struct cbn_library_build *out_build)
{
    return read_build(path, &out_build->identity, &out_build->release);
}

bool cbn_library_identity_read(const char *path, struct cbn_sha256 *out_identity)
{
    return read_build(path, out_identity, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/cache/cache_load.h"

#include "loader/cache/cache_entry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Seconds after which a use is noted again: exact enough for removing what was not used for longest, and
 * seldom enough for a network file system. */
enum { NOTE_USE_AFTER = 600 };

/* A file's bytes, or why there are none. */
struct file {
    unsigned char *bytes;
    size_t size;
    const char *damage;
    time_t used;
};

static bool read_all(int fd, unsigned char *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t got = read(fd, bytes + done, size - done);
        if (got > 0) {
            done += (size_t)got;
        } else if (got == 0 || errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* A file that can't be read is none; one that is not what we would have written is damaged. */
static void read_open(const struct cbn_cache_folder *folder, int fd, struct file *file)
{
    struct stat info;
    if (fstat(fd, &info) != 0) {
        return;
    }
    if (!cbn_cache_folder_trusts(folder, &info)) {
        file->damage = "others than the folder's owner could have written it";
        return;
    }
    if ((uint64_t)info.st_size < CBN_CACHE_ENTRY_KEY || (uint64_t)info.st_size > CBN_CACHE_ENTRY_MAX) {
        file->damage = "no entry has its size";
        return;
    }
    unsigned char *bytes = malloc((size_t)info.st_size);
    if (bytes && read_all(fd, bytes, (size_t)info.st_size)) {
        *file = (struct file){.bytes = bytes, .size = (size_t)info.st_size, .used = info.st_mtime};
    } else {
        free(bytes);
    }
}

/* Returns the descriptor, or -1. Nothing but a regular file is waited for or followed. */
static int open_file(const struct cbn_cache_folder *folder, const char *name, struct file *out_file)
{
    *out_file = (struct file){0};
    int fd = openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0) {
        read_open(folder, fd, out_file);
    } else if (errno == ELOOP) {
        out_file->damage = "it is a symbolic link";
    }
    return fd;
}

/* The time of last use is that of modification: nothing else alters an entry, and reading for a backup does
 * not change it. Where it can't be set the entry is removed earlier, and that is all. */
static void note_use(int fd, time_t used)
{
    time_t now = time(NULL);
    if (used < now - NOTE_USE_AFTER || used > now + NOTE_USE_AFTER) {
        const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_nsec = UTIME_NOW}};
        futimens(fd, times);
    }
}

struct cbn_cache_loaded cbn_cache_take(void *bytes, size_t size, const struct cbn_cache_key *key)
{
    struct cbn_cache_entry entry;
    struct cbn_cache_loaded loaded = {.damage = cbn_cache_entry_read(bytes, size, &entry)};
    if (!loaded.damage && entry.key_size == key->size && memcmp(entry.key, key->bytes, key->size) == 0) {
        loaded.blob = cbn_blob_create(bytes, entry.payload, entry.payload_size);
    }
    if (!loaded.blob) {
        free(bytes);
    }
    return loaded;
}

static struct cbn_cache_loaded load(const struct cbn_cache_folder *folder, const struct cbn_cache_key *key,
                                    bool is_used)
{
    char name[CBN_CACHE_NAME_SIZE];
    struct file file;
    int fd = open_file(folder, cbn_cache_entry_name(key, name), &file);
    struct cbn_cache_loaded loaded = {.damage = file.damage};
    if (file.bytes) {
        time_t used = file.used;
        loaded = cbn_cache_take(file.bytes, file.size, key);
        if (loaded.blob && is_used) {
            note_use(fd, used);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
    return loaded;
}

struct cbn_cache_loaded cbn_cache_load(const struct cbn_cache_folder *folder, const struct cbn_cache_key *key)
{
    return load(folder, key, false);
}

struct cbn_cache_loaded cbn_cache_load_used(const struct cbn_cache_folder *folder,
                                            const struct cbn_cache_key *key)
{
    return load(folder, key, true);
}

/* Whether the file's name is that of the key in it. */
static bool is_at_home(const struct cbn_cache_entry *entry, const char *name)
{
    const struct cbn_cache_key key = {.kind = "x", .digest = cbn_digest(entry->key, entry->key_size)};
    char wanted[CBN_CACHE_NAME_SIZE];
    return strncmp(cbn_cache_entry_name(&key, wanted), name, CBN_CACHE_DIGITS) == 0;
}

const char *cbn_cache_check(const struct cbn_cache_folder *folder, const char *name)
{
    struct file file;
    int fd = open_file(folder, name, &file);
    if (fd >= 0) {
        close(fd);
    }
    const char *damage = file.damage;
    if (file.bytes) {
        struct cbn_cache_entry entry;
        damage = cbn_cache_entry_read(file.bytes, file.size, &entry);
        if (!damage && !is_at_home(&entry, name)) {
            damage = "its name is that of another key";
        }
        free(file.bytes);
    }
    return damage;
}

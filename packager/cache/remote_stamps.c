/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/remote_stamps.h"

#include "base/file_lock.h"
#include "base/temporary_folder.h"
#include "loader/core/archive/digest.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { NAME_SIZE = 48, LONGEST_WAIT_MS = 200 /* one byte is written under it */ };

static const char *name_of(const struct remote_stamps *stamps, enum remote_stamp stamp, char name[NAME_SIZE])
{
    static const char *const names[REMOTE_STAMPS] = {"find", "store", "damaged", "large"};
    snprintf(name, NAME_SIZE, "%s-%s", stamps->prefix, names[stamp]);
    return name;
}

static bool open_folder(const char *path, struct cbn_cache_folder *out_folder)
{
    char *problem = NULL;
    bool is_open = !cbn_cache_folder_open(path, CBN_CACHE_FOLDER_OWN, out_folder, &problem);
    free(problem);
    return is_open;
}

void remote_stamps_open(const char *directory, const char *url, struct remote_stamps *out_stamps)
{
    *out_stamps = (struct remote_stamps){.folder.fd = -1};
    struct cbn_digest digest = cbn_digest(url, strlen(url));
    snprintf(out_stamps->prefix, sizeof(out_stamps->prefix), "remote-%016" PRIx64, cbn_get64(digest.bytes));
    if (!directory[0] || !open_folder(directory, &out_stamps->folder)) {
        temporary_folder_open(&out_stamps->folder);
    }
}

void remote_stamps_close(struct remote_stamps *stamps)
{
    if (stamps->folder.fd >= 0) {
        cbn_cache_folder_close(&stamps->folder);
    }
}

/* A descriptor of the stamp's file, which nobody else looks at until it is closed; -1 if there is none. */
static int lock_stamp(const struct remote_stamps *stamps, enum remote_stamp stamp, int flags)
{
    char name[NAME_SIZE];
    if (stamps->folder.fd < 0) {
        return -1;
    }
    int fd = openat(stamps->folder.fd, name_of(stamps, stamp, name),
                    O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0600);
    if (fd >= 0) {
        file_lock(fd, LONGEST_WAIT_MS); /* without it, some warnings come twice */
    }
    return fd;
}

/* What a stamp says: nothing if it was just created. */
enum { IS_DOWN = 'd', IS_UP = 'u' };

struct said {
    char state; /* 0: nothing */
    time_t age; /* seconds since it was said */
};

static struct said read_stamp(int fd)
{
    struct stat info;
    struct said said = {0};
    if (fstat(fd, &info) != 0) {
        return said;
    }
    /* Files' times are of another clock, which may be a little ahead. One that is far ahead was set back. */
    time_t age = time(NULL) - info.st_mtime;
    if (age > -REMOTE_REST_SECONDS && pread(fd, &said.state, 1, 0) == 1) {
        said.age = age > 0 ? age : 0;
    }
    return said;
}

static void write_stamp(int fd, char state)
{
    if (pwrite(fd, &state, 1, 0) != 1) { /* on a full disk */
        futimens(fd, NULL);
    }
}

bool remote_stamps_rest(struct remote_stamps *stamps, enum remote_stamp stamp)
{
    if (stamps->noted[stamp]) {
        return true;
    }
    int fd = lock_stamp(stamps, stamp, 0);
    if (fd < 0) {
        return false;
    }
    struct said said = read_stamp(fd);
    bool is_down = said.state == IS_DOWN;
    bool rests = is_down && said.age < REMOTE_REST_SECONDS;
    if (is_down && !rests && said.age < REMOTE_NEWS_SECONDS) {
        write_stamp(fd, IS_DOWN); /* for the others, while this process tries */
    }
    stamps->tries[stamp] = is_down && !rests;
    close(fd);
    return rests;
}

bool remote_stamps_note(struct remote_stamps *stamps, enum remote_stamp stamp)
{
    bool is_first = !stamps->noted[stamp];
    stamps->noted[stamp] = true;
    stamps->tries[stamp] = false;
    int fd = lock_stamp(stamps, stamp, O_CREAT);
    if (fd < 0) {
        return is_first;
    }
    struct said said = read_stamp(fd);
    write_stamp(fd, IS_DOWN);
    close(fd);
    return is_first && (!said.state || said.age >= REMOTE_NEWS_SECONDS);
}

void remote_stamps_clear(struct remote_stamps *stamps, enum remote_stamp stamp)
{
    int fd = stamps->tries[stamp] ? lock_stamp(stamps, stamp, 0) : -1;
    stamps->tries[stamp] = false;
    if (fd >= 0) {
        write_stamp(fd, IS_UP); /* not removed: a server that comes and goes is reported once */
        close(fd);
    }
}

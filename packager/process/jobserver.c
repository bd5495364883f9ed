/* SPDX-License-Identifier: Apache-2.0 */
#include "process/jobserver.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_TOKENS = 256, PATH_CAPACITY = 4096 };

static int read_from = -1;
static int write_to = -1;

/* The bytes taken, each plus 1; 0: none. What comes out must go back as it was. */
static atomic_int tokens[MOST_TOKENS];

/* The last value that MAKEFLAGS has for the jobserver, which make's own options come before variables in. */
static bool find_value(const char *makeflags, char *value, size_t capacity)
{
    static const char *const names[] = {"--jobserver-auth=", "--jobserver-fds="};
    const char *end = strstr(makeflags, " -- ");
    const char *last = NULL;
    end = end ? end : makeflags + strlen(makeflags);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        for (const char *at = makeflags; (at = strstr(at, names[i])) && at < end;) {
            at += strlen(names[i]);
            last = !last || at > last ? at : last;
        }
    }
    size_t size = last ? strcspn(last, " \t") : 0;
    if (size == 0 || size >= capacity) {
        return false;
    }
    memcpy(value, last, size);
    value[size] = '\0';
    return true;
}

/* Opens a pipe that was inherited once more, so that reading without waiting is a matter of this process
 * alone. */
static int open_again(int fd, int flags)
{
    struct stat about;
    char path[32];
    if (fd < 0 || fstat(fd, &about) != 0 || !S_ISFIFO(about.st_mode)) {
        return -1; /* closed, or a number that something else has by now */
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return open(path, flags | O_CLOEXEC);
}

static void open_pipe(const char *value)
{
    char *end = NULL;
    long from = strtol(value, &end, 10);
    long to = *end == ',' ? strtol(end + 1, &end, 10) : -1;
    if (*end == '\0' && from >= 0 && from < MOST_TOKENS * MOST_TOKENS && to >= 0 &&
        to < MOST_TOKENS * MOST_TOKENS) {
        read_from = open_again((int)from, O_RDONLY | O_NONBLOCK);
        write_to = open_again((int)to, O_WRONLY);
    }
}

static void close_both(void)
{
    if (read_from >= 0) {
        close(read_from);
    }
    if (write_to >= 0) {
        close(write_to);
    }
    read_from = -1;
    write_to = -1;
}

bool jobserver_open(const char *makeflags)
{
    static const char named[] = "fifo:";
    char value[PATH_CAPACITY];
    close_both();
    if (!makeflags || !find_value(makeflags, value, sizeof(value))) {
        return false;
    }
    if (strncmp(value, named, strlen(named)) == 0) {
        const char *path = value + strlen(named);
        read_from = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        write_to = read_from < 0 ? -1 : open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    } else {
        open_pipe(value);
    }
    if (read_from < 0 || write_to < 0) {
        close_both();
        return false;
    }
    return true;
}

/* A signal between taking a byte and noting it would lose it. */
static bool read_noted(atomic_int *token)
{
    sigset_t all;
    sigset_t before;
    unsigned char byte = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    ssize_t got = read(read_from, &byte, 1);
    if (got == 1) {
        atomic_store(token, byte + 1);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return got == 1;
}

bool jobserver_take(size_t *out_token)
{
    size_t free_place = 0;
    while (free_place < MOST_TOKENS && atomic_load(&tokens[free_place]) != 0) {
        free_place++;
    }
    if (read_from < 0 || free_place == MOST_TOKENS || !read_noted(&tokens[free_place])) {
        return false;
    }
    *out_token = free_place;
    return true;
}

/* Only what is safe in a signal handler. */
void jobserver_give_back(size_t token)
{
    int noted = atomic_exchange(&tokens[token], 0);
    unsigned char byte = (unsigned char)(noted - 1);
    while (noted != 0 && write(write_to, &byte, 1) < 0 && errno == EINTR) {
    }
}

void jobserver_give_back_all(void)
{
    for (size_t i = 0; i < MOST_TOKENS; i++) {
        jobserver_give_back(i);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/recorder.h"

#include "loader/core/support/error.h"
#include "loader/core/support/text_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What is in larger files is not looked at when they are opened: they get everything again. */
#define KNOWN_MAX ((off_t)64 << 20)

struct cbn_recorder {
    int file;
    pid_t process; /* that opened it: nobody knows what a forked one has of the mutex */
    struct cbn_log log;
    char *path;
    pthread_mutex_t mutex; /* over the rest */
    bool is_broken;        /* a write failed */
    uint64_t *keys;        /* digests of the lines that the file has, hashed; 0: a free place */
    size_t key_count;
    size_t capacity; /* a power of two, or 0 */
};

/* FNV-1a. */
static uint64_t digest(const char *text, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    }
    return hash ? hash : 1;
}

/* Whether the key is new. Where it goes stays free if not. */
static bool place_key(uint64_t *keys, size_t capacity, uint64_t key)
{
    size_t place = (size_t)key & (capacity - 1);
    while (keys[place] && keys[place] != key) {
        place = (place + 1) & (capacity - 1);
    }
    bool is_new = keys[place] == 0;
    keys[place] = key;
    return is_new;
}

static bool make_room(struct cbn_recorder *recorder)
{
    if (2 * recorder->key_count < recorder->capacity) {
        return true;
    }
    size_t capacity = recorder->capacity ? 2 * recorder->capacity : 256;
    uint64_t *keys = calloc(capacity, sizeof(*keys));
    if (!keys) {
        return false;
    }
    for (size_t i = 0; i < recorder->capacity; i++) {
        if (recorder->keys[i]) {
            place_key(keys, capacity, recorder->keys[i]);
        }
    }
    free(recorder->keys);
    recorder->keys = keys;
    recorder->capacity = capacity;
    return true;
}

/* Whether the line is new. Without memory each is: a record may have one twice. */
static bool learn(struct cbn_recorder *recorder, const char *line, size_t key_size)
{
    if (!make_room(recorder)) {
        return true;
    }
    bool is_new = place_key(recorder->keys, recorder->capacity, digest(line, key_size));
    recorder->key_count += is_new;
    return is_new;
}

static void learn_lines(struct cbn_recorder *recorder, const char *text, size_t size)
{
    for (size_t start = 0; start < size;) {
        const char *line = text + start;
        const char *feed = memchr(line, '\n', size - start);
        size_t length = feed ? (size_t)(feed - line) : size - start;
        size_t key_size = cbn_record_key_size(line, length);
        if (key_size > 0 && feed) {
            learn(recorder, line, key_size);
        }
        start += length + 1;
    }
}

/* All of the line, or nothing more is recorded. */
static bool write_line(const struct cbn_recorder *recorder, const char *line, size_t size)
{
    ssize_t written;
    do {
        written = write(recorder->file, line, size);
    } while (written < 0 && errno == EINTR);
    if (written >= 0 && (size_t)written < size) {
        errno = ENOSPC; /* it is what keeps a write to a file short */
    }
    return written >= 0 && (size_t)written == size;
}

/* What other runs and processes recorded is not recorded again. A line that one left unfinished is ended. */
static void read_known(struct cbn_recorder *recorder, off_t size)
{
    char *text = size > 0 && size <= KNOWN_MAX ? malloc((size_t)size) : NULL;
    ssize_t got = text ? pread(recorder->file, text, (size_t)size, 0) : 0;
    if (got > 0) {
        learn_lines(recorder, text, (size_t)got);
    }
    char last = '\n';
    if (size > 0 && pread(recorder->file, &last, 1, size - 1) == 1 && last != '\n') {
        write_line(recorder, "\n", 1);
    }
    free(text);
}

/* The path with the process's number for each "%p"; NULL if memory is out. */
static char *expand(const char *path)
{
    struct cbn_text_stream stream;
    FILE *file = cbn_text_stream_open(&stream);
    if (!file) {
        return NULL;
    }
    for (const char *rest = path; *rest; rest++) {
        if (rest[0] == '%' && rest[1] == 'p') {
            fprintf(file, "%ld", (long)getpid());
            rest++;
        } else {
            fputc(*rest, file);
        }
    }
    return cbn_text_stream_close(&stream);
}

/* Why the file can't be used; NULL if it can. */
static const char *open_file(struct cbn_recorder *recorder)
{
    struct stat info;
    recorder->file = open(recorder->path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                          S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH);
    if (recorder->file < 0 || fstat(recorder->file, &info)) {
        return strerror(errno);
    }
    if (!S_ISREG(info.st_mode)) {
        return "it is not a regular file";
    }
    read_known(recorder, info.st_size);
    return NULL;
}

static struct cbn_recorder *open_path(const char *path, struct cbn_log log)
{
    struct cbn_recorder *recorder = calloc(1, sizeof(*recorder));
    if (!recorder) {
        return NULL;
    }
    recorder->file = -1;
    recorder->log = log;
    recorder->process = getpid();
    recorder->path = expand(path);
    pthread_mutex_init(&recorder->mutex, NULL); /* with glibc, it does not fail */
    const char *reason = recorder->path ? open_file(recorder) : "out of memory";
    if (reason) {
        cbn_log(&log, CUBINET_LOG_WARNING, "use is not recorded in '%s': %s", path, reason);
        cbn_recorder_close(recorder);
        return NULL;
    }
    return recorder;
}

struct cbn_recorder *cbn_recorder_open(const char *path, struct cbn_log log)
{
    const char *chosen = path ? path : secure_getenv("CUBINET_RECORD");
    return chosen && *chosen ? open_path(chosen, log) : NULL;
}

void cbn_recorder_close(struct cbn_recorder *recorder)
{
    if (!recorder) {
        return;
    }
    if (recorder->file >= 0) {
        close(recorder->file);
    }
    pthread_mutex_destroy(&recorder->mutex);
    free(recorder->keys);
    free(recorder->path);
    free(recorder);
}

/* With the mutex held. */
static void add_line(struct cbn_recorder *recorder, const char *line, size_t size, size_t key_size)
{
    if (recorder->is_broken || !learn(recorder, line, key_size) || write_line(recorder, line, size)) {
        return;
    }
    recorder->is_broken = true;
    cbn_log(&recorder->log, CUBINET_LOG_WARNING, "'%s': nothing more is recorded: %s", recorder->path,
            strerror(errno));
}

void cbn_recorder_add(struct cbn_recorder *recorder, struct cbn_record_entry entry)
{
    char now[sizeof("-2147483648-12-31T23:59:60Z")] = "";
    time_t seconds = time(NULL);
    struct tm parts;
    size_t size = 0;
    size_t key_size = 0;
    if (recorder->process != getpid()) {
        return;
    }
    if (gmtime_r(&seconds, &parts)) {
        strftime(now, sizeof(now), "%Y-%m-%dT%H:%M:%SZ", &parts);
    }
    entry.time = now;
    char *line = cbn_record_print(&entry, &size, &key_size);
    if (line) {
        pthread_mutex_lock(&recorder->mutex);
        add_line(recorder, line, size, key_size);
        pthread_mutex_unlock(&recorder->mutex);
    }
    free(line);
}

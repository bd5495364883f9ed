/* SPDX-License-Identifier: Apache-2.0 */
#include "base/lock_holder.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_SIZE = 64, INFO_SIZE = 4096 };

/* The start of a file of /proc; "" if it can't be read. */
static void read_start(const char *path, char text[INFO_SIZE])
{
    FILE *file = fopen(path, "re");
    size_t size = file ? fread(text, 1, INFO_SIZE - 1, file) : 0;
    text[size] = '\0';
    if (file) {
        fclose(file);
    }
}

/* /proc/locks names who asked for a lock, which may have ended since, and of some locks nobody; this also
 * finds who inherited it. */
static bool has_lock(long process, const char *descriptor, const struct stat *wanted)
{
    char path[PATH_SIZE];
    char info[INFO_SIZE];
    struct stat about;
    snprintf(path, sizeof(path), "/proc/%ld/fd/%.16s", process, descriptor);
    if (stat(path, &about) != 0 || about.st_dev != wanted->st_dev || about.st_ino != wanted->st_ino) {
        return false;
    }
    snprintf(path, sizeof(path), "/proc/%ld/fdinfo/%.16s", process, descriptor);
    read_start(path, info);
    return strstr(info, "\nlock:") != NULL;
}

static bool holds(long process, const struct stat *wanted)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "/proc/%ld/fd", process);
    DIR *folder = opendir(path);
    bool found = false;
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));) {
        found = has_lock(process, entry->d_name, wanted);
    }
    if (folder) {
        closedir(folder);
    }
    return found;
}

/* Writes "12 (ninja)"; returns whether the process is stopped. */
static bool describe(long process, char text[LOCK_HOLDER_SIZE])
{
    char path[PATH_SIZE];
    char stat_text[INFO_SIZE]; /* "12 (ninja) T 1 ...", in which the name may have parentheses */
    snprintf(path, sizeof(path), "/proc/%ld/stat", process);
    read_start(path, stat_text);
    char *end = strrchr(stat_text, ')');
    bool is_stopped = end && (end[1] == ' ') && (end[2] == 'T' || end[2] == 't');
    if (end) {
        end[1] = '\0';
    }
    if (is_stopped) {
        snprintf(text, LOCK_HOLDER_SIZE, "process %.40s, which is stopped (kill -CONT %ld lets it go on)",
                 stat_text, process);
    } else {
        snprintf(text, LOCK_HOLDER_SIZE, "process %.40s", end ? stat_text : "that has ended since");
    }
    return is_stopped;
}

const char *lock_holder(int fd, char text[LOCK_HOLDER_SIZE])
{
    struct stat wanted;
    bool is_stopped = false;
    DIR *processes = fstat(fd, &wanted) == 0 ? opendir("/proc") : NULL;
    snprintf(text, LOCK_HOLDER_SIZE, "a process that can't be seen from here");
    for (struct dirent *entry; processes && !is_stopped && (entry = readdir(processes));) {
        long process = strtol(entry->d_name, NULL, 10);
        if (process > 0 && process != (long)getpid() && holds(process, &wanted)) {
            is_stopped = describe(process, text);
        }
    }
    if (processes) {
        closedir(processes);
    }
    return text;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one command of `cubinet` over and over, and lets each call that can fail do so in turn:
 *
 *     command_faults IN WORK [--loaded-only] [--random] [--memory-only] [--fails] [--most N]
 *                    [--only CALL:NUMBER] COMMAND...
 *
 * Each run has a copy of the folder IN as its working folder, WORK. After each the command has done
 * everything, with the same output byte for byte as without a fault, or it has failed with a message, and
 * every file is as it was or as it should be. What is in a folder `cache` may differ; no run leaves a
 * temporary file.
 *
 * --loaded-only: faults in allocations of libraries that the command opens are left out
 * --memory-only: only allocations fail
 * --random: the bytes of what comes out differ each time
 * --fails: the command fails without a fault, too, and says the same with one, or that memory is out
 * --most N: so many faults of one kind, if there are more */
#include "base/array.h"
#include "base/buffer.h"
#include "base/file.h"
#include "failing_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sanitizers make everything ten times as slow. */
#ifdef WITH_SANITIZER
enum { MOST_FAULTS = 15 };
#else
enum { MOST_FAULTS = UINT16_MAX };
#endif
enum { HANGS_SECONDS = 300, MOST_OPEN = 16, MOST_SHOWN = 30 };

int command_main(int argc, char **argv);

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "command_faults: %s: %s\n", what, strerror(errno));
    exit(EXIT_FAILURE);
}

/* The files of a folder, with their bytes. */
struct held {
    char *path; /* from the folder on */
    char *bytes;
    size_t size;
    struct timespec time;
};
struct tree {
    struct held *files;
    size_t count;
    size_t folder_count;
};

/* Of all files before a run. */
static const struct timespec same_time = {.tv_sec = 1000000000};

static struct {
    struct tree *tree;
    size_t root_size;
} walk;

static int hold_file(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)place;
    walk.tree->folder_count += type == FTW_D;
    if (type != FTW_F) {
        return 0;
    }
    struct held held = {.path = strdup(path + walk.root_size + 1), .time = info->st_mtim};
    struct held *files = array_grow(walk.tree->files, walk.tree->count, sizeof(*files));
    if (!files || !held.path || file_read(path, &held.bytes, &held.size)) {
        die(path);
    }
    walk.tree->files = files;
    files[walk.tree->count++] = held;
    return 0;
}

static struct tree hold_tree(const char *folder)
{
    struct tree tree = {0};
    walk.tree = &tree;
    walk.root_size = strlen(folder);
    if (nftw(folder, hold_file, MOST_OPEN, FTW_PHYS) != 0) {
        die(folder);
    }
    return tree;
}

static void free_tree(struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        free(tree->files[i].path);
        free(tree->files[i].bytes);
    }
    free(tree->files);
}

static const struct held *find(const struct tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->count; i++) {
        if (strcmp(tree->files[i].path, path) == 0) {
            return &tree->files[i];
        }
    }
    return NULL;
}

static bool same(const struct held *a, const struct held *b)
{
    return a && b && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

static int remove_one(const char *path, const struct stat *info, int type, struct FTW *place)
{
    (void)info;
    (void)type;
    (void)place;
    return remove(path);
}

static void write_tree(const char *folder, const struct tree *tree)
{
    const struct timespec times[2] = {same_time, same_time};
    nftw(folder, remove_one, MOST_OPEN, FTW_DEPTH | FTW_PHYS);
    mkdir(folder, 0777);
    for (size_t i = 0; i < tree->count; i++) {
        char *path;
        if (asprintf(&path, "%s/%s", folder, tree->files[i].path) < 0) {
            die(folder);
        }
        for (char *slash = strchr(path + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
            *slash = '\0';
            mkdir(path, 0777);
            *slash = '/';
        }
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(tree->files[i].bytes, 1, tree->files[i].size, file) != tree->files[i].size ||
            fclose(file) != 0 || utimensat(AT_FDCWD, path, times, 0) != 0) {
            die(path);
        }
        free(path);
    }
}

/* Whether write_tree() would change nothing in a folder. */
static bool is_as_written(const struct tree *found, const struct tree *written)
{
    bool is_same = found->count == written->count && found->folder_count == written->folder_count;
    for (size_t i = 0; i < found->count && is_same; i++) {
        const struct held *file = &found->files[i];
        is_same = file->time.tv_sec == same_time.tv_sec && file->time.tv_nsec == same_time.tv_nsec &&
                  same(file, find(written, file->path));
    }
    return is_same;
}

/* What is run, and how. */
static struct {
    const char *work;
    bool is_written; /* the folder is as it was before the last run, which few commands change */
    struct tree before;
    bool is_loaded_only;
    bool is_random;
    bool is_memory_only;
    bool fails;
    unsigned most;
    const char *only;
    int argc;
    char **argv; /* from "cubinet" on */
} job;

/* What became of a run. */
struct outcome {
    int state; /* as waitpid() tells it */
    char *out;
    size_t out_size;
    char *said;
    struct tree after;
    unsigned calls;
};

static char *read_back(int fd, size_t *out_size)
{
    struct stat info;
    if (fstat(fd, &info) != 0) {
        die("fstat");
    }
    char *bytes = calloc(1, (size_t)info.st_size + 1);
    if (!bytes || pread(fd, bytes, (size_t)info.st_size, 0) != (ssize_t)info.st_size) {
        die("pread");
    }
    close(fd);
    *out_size = (size_t)info.st_size;
    return bytes;
}

static _Noreturn void become_command(int out, int said, const char *call, unsigned number, atomic_uint *count)
{
    const struct rlimit no_core = {0};
    setrlimit(RLIMIT_CORE, &no_core);
    alarm(HANGS_SECONDS);
    if (chdir(job.work) != 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(said, STDERR_FILENO) < 0) {
        _exit(99);
    }
    failing_calls_watch(call, number, job.is_loaded_only, count);
    exit(command_main(job.argc, job.argv));
}

static struct outcome run(const char *call, unsigned number)
{
    static atomic_uint *count;
    if (!count) {
        count = mmap(NULL, sizeof(*count), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    }
    struct outcome outcome = {0};
    size_t said_size;
    int out = memfd_create("out", MFD_CLOEXEC);
    int said = memfd_create("said", MFD_CLOEXEC);
    if (!job.is_written) {
        write_tree(job.work, &job.before);
    }
    atomic_store(count, 0);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        become_command(out, said, call, number, count);
    }
    if (child < 0 || waitpid(child, &outcome.state, 0) != child) {
        die("fork");
    }
    outcome.calls = atomic_load(count);
    outcome.out = read_back(out, &outcome.out_size);
    outcome.said = read_back(said, &said_size);
    outcome.after = hold_tree(job.work);
    job.is_written = is_as_written(&outcome.after, &job.before);
    return outcome;
}

static void free_outcome(struct outcome *outcome)
{
    free(outcome->out);
    free(outcome->said);
    free_tree(&outcome->after);
}

/* Whether a file may be there or not. Whether a compile leaves a record of its inputs depends on how long ago
 * they were written. A tuning that failed leaves what was measured, for --resume. */
static bool is_free(const char *path)
{
    return strncmp(path, "cache/", strlen("cache/")) == 0 || strstr(path, ".inputs") ||
           strstr(path, ".tuning");
}

static const char *temporary_left(const struct tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        if (strstr(tree->files[i].path, ".tmp") || strstr(tree->files[i].path, "/tmp-")) {
            return tree->files[i].path;
        }
    }
    return NULL;
}

/* The first file that a run that succeeded left in another state; NULL: none. */
static const char *differing(const struct tree *found, const struct tree *expected)
{
    for (size_t i = 0; i < expected->count; i++) {
        const struct held *file = find(found, expected->files[i].path);
        if (!is_free(expected->files[i].path) &&
            !(file && (job.is_random || same(file, &expected->files[i])))) {
            return expected->files[i].path;
        }
    }
    for (size_t i = 0; i < found->count; i++) {
        if (!is_free(found->files[i].path) && !find(expected, found->files[i].path)) {
            return found->files[i].path;
        }
    }
    return NULL;
}

/* The first file that a run that failed left neither as it was nor as it should be; NULL: none. */
static const char *half_done(const struct tree *found, const struct tree *expected)
{
    for (size_t i = 0; i < found->count; i++) {
        const struct held *file = &found->files[i];
        if (!is_free(file->path) && !same(file, find(&job.before, file->path)) &&
            !same(file, find(expected, file->path)) && !(job.is_random && find(expected, file->path))) {
            return file->path;
        }
    }
    for (size_t i = 0; i < job.before.count; i++) {
        const char *path = job.before.files[i].path;
        if (!is_free(path) && find(expected, path) && !find(found, path)) {
            return path;
        }
    }
    return NULL;
}

static bool has_failed(const struct outcome *outcome)
{
    return WEXITSTATUS(outcome->state) != 0 && outcome->said[0];
}

/* Whether a run said the whole of what it should say, or why it does not. */
static bool says_enough(const struct outcome *outcome, const struct outcome *expected)
{
    return !strstr(outcome->said, "(null)") && (!job.fails || strcmp(outcome->said, expected->said) == 0 ||
                                                strstr(outcome->said, "out of memory"));
}

/* What is wrong with a run; NULL: nothing. The caller frees it. */
static char *judge(const struct outcome *outcome, const struct outcome *expected)
{
    char *text = NULL;
    int length = 0;
    const char *path = temporary_left(&outcome->after);
    if (WIFSIGNALED(outcome->state)) {
        length = asprintf(&text, "ended by signal %d (%s)", WTERMSIG(outcome->state),
                          strsignal(WTERMSIG(outcome->state)));
    } else if (strstr(outcome->said, "LeakSanitizer")) {
        length = asprintf(&text, "leaks memory");
    } else if (path) {
        length = asprintf(&text, "leaves '%s'", path);
    } else if (!says_enough(outcome, expected)) {
        length = asprintf(&text, "lacks a part of the message");
    } else if (has_failed(outcome)) {
        path = half_done(&outcome->after, &expected->after);
        length = path ? asprintf(&text, "failed, and left '%s' half done", path) : 0;
    } else if (outcome->state != expected->state) {
        length = asprintf(&text, "exit status %d without a message", WEXITSTATUS(outcome->state));
    } else if (!job.is_random && (outcome->out_size != expected->out_size ||
                                  memcmp(outcome->out, expected->out, outcome->out_size) != 0)) {
        length = asprintf(&text, "succeeded, but printed something else");
    } else {
        path = differing(&outcome->after, &expected->after);
        length = path ? asprintf(&text, "succeeded, but '%s' differs", path) : 0;
    }
    return length < 0 ? (char *)"?" : text;
}

static unsigned faults;
static unsigned problems;

static void try_fault(const char *call, unsigned number, const struct outcome *expected)
{
    struct outcome outcome = run(call, number);
    char *problem = judge(&outcome, expected);
    faults++;
    if (problem && ++problems <= MOST_SHOWN) {
        printf("%s:%u %s", call, number, problem);
        printf(outcome.said[0] ? "; it said: %.300s" : "\n", outcome.said);
    }
    free(problem);
    free_outcome(&outcome);
}

static void try_call(const char *call, const struct outcome *expected)
{
    struct outcome counting = run(call, 0);
    unsigned step = counting.calls / job.most + 1;
    for (unsigned number = 1; number <= counting.calls; number += step) {
        try_fault(call, number, expected);
    }
    free_outcome(&counting);
}

static int try_only(const struct outcome *expected)
{
    char *call = strndup(job.only, strcspn(job.only, ":"));
    const char *number = strchr(job.only, ':');
    if (!call || !number) {
        die("--only CALL:NUMBER");
    }
    try_fault(call, (unsigned)atoi(number + 1), expected);
    free(call);
    return problems > 0;
}

static void read_arguments(int argc, char **argv)
{
    static char name[] = "cubinet";
    int next = 3;
    if (argc < 4) {
        die("IN WORK [OPTIONS] COMMAND...");
    }
    job.work = argv[2];
    job.before = hold_tree(argv[1]);
    job.most = MOST_FAULTS;
    for (; next < argc && argv[next][0] == '-'; next++) {
        if (strcmp(argv[next], "--loaded-only") == 0) {
            job.is_loaded_only = true;
        } else if (strcmp(argv[next], "--random") == 0) {
            job.is_random = true;
        } else if (strcmp(argv[next], "--memory-only") == 0) {
            job.is_memory_only = true;
        } else if (strcmp(argv[next], "--fails") == 0) {
            job.fails = true;
        } else if (strcmp(argv[next], "--most") == 0) {
            job.most = (unsigned)atoi(argv[++next]);
        } else if (strcmp(argv[next], "--only") == 0) {
            job.only = argv[++next];
        }
    }
    job.argv = argv + next - 1;
    job.argv[0] = name;
    job.argc = argc - next + 1;
}

int main(int argc, char **argv)
{
    read_arguments(argc, argv);
    struct outcome expected = run(NULL, 0);
    if (!WIFEXITED(expected.state) || has_failed(&expected) != job.fails) {
        fprintf(stderr, "command_faults: without a fault it %s: %s\n", job.fails ? "does not fail" : "fails",
                expected.said);
        return EXIT_FAILURE;
    }
    if (job.only) {
        return try_only(&expected);
    }
    for (size_t i = 0; failing_calls[i] && !(job.is_memory_only && i > 0); i++) {
        try_call(failing_calls[i], &expected);
    }
    printf("%u faults, %u problems\n", faults, problems);
    free_outcome(&expected);
    free_tree(&job.before);
    return problems > 0;
}

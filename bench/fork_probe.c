/* SPDX-License-Identifier: Apache-2.0 */
/* Whether NVRTC bears a fork inside its read of a header, and what that saves: see
 * docs/internals/shared-prefix.md.
 *
 *     bench_fork_probe separate|fork|late LIBNVRTC DIR [OPTION...] -- {SOURCE [--kernel EXPRESSION]...}...
 *
 * separate: a process for each source, which compiles it alone.
 *
 * fork: one process compiles an empty program with OPTIONS and, as the last of its -include, a file that is
 * not what it seems: where NVRTC opens it, the process forks once for each source, and each child reads its
 * source there, and goes on. As many name expressions as the source with the most has are added before the
 * compile, all of them names of macros, which each child defines as its own, in the order of their texts, in
 * which NVRTC takes them.
 *
 * late: the same, but the children add their name expressions, which NVRTC refuses.
 *
 * DIR/NAME.ptx and DIR/NAME.names (what the expressions are in PTX) are written, or DIR/NAME.log. Prints a
 * line of JSON for each source, and one for the prefix: seconds of CPU time, user and system, page faults and
 * private memory in KiB. OPTIONS go to NVRTC, -include=HEADER among them. In the environment: JOBS, children
 * at a time (1); SAY=1, what runs where NVRTC opens the file. */
#include "nvrtc_calls.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

enum { MOST_SOURCES = 1024, MOST_OPTIONS = 256 };

struct source {
    const char *path;
    const char **kernels;
    int kernel_count;
};

static struct {
    const char *folder;
    char marker[4096]; /* the file where the prefix ends; empty: there is none */
    const char *options[MOST_OPTIONS];
    int option_count;
    struct source sources[MOST_SOURCES];
    int source_count;
    int most_kernels;          /* of any source */
    const struct source *mine; /* the source of this process, once it has one */
    program made;
    bool late_names;
    int threads_started;
} probe;

/* A file of DIR that is named for the source of this process. */
static FILE *create_output(const char *suffix)
{
    char path[4096];
    const char *slash = strrchr(probe.mine->path, '/');
    const char *name = slash ? slash + 1 : probe.mine->path;
    snprintf(path, sizeof(path), "%s/%.*s%s", probe.folder, (int)strcspn(name, "."), name, suffix);
    FILE *file = fopen(path, "w");
    if (!file) {
        bench_fail(path, "it cannot be written");
    }
    return file;
}

static void write_log(void)
{
    size_t size = 0;
    nvrtc.log_size(probe.made, &size);
    char *log = bench_allocate(size + 1);
    nvrtc.log(probe.made, log);
    if (log[0] != '\0') {
        FILE *file = create_output(".log");
        fputs(log, file);
        fclose(file);
    }
}

static void write_ptx(void)
{
    size_t size = 0;
    nvrtc.ptx_size(probe.made, &size);
    char *ptx = bench_allocate(size + 1);
    nvrtc.ptx(probe.made, ptx);
    FILE *file = create_output(".ptx");
    fputs(ptx, file);
    fclose(file);
}

/* What NVRTC knows the source's kernel of that index as. */
static const char *expression_of(int index, const char *kernel)
{
    static char macro[32];
    snprintf(macro, sizeof(macro), "CUBINET_NAME_%04d", index);
    return probe.marker[0] != '\0' && !probe.late_names ? macro : kernel;
}

static void write_names(void)
{
    FILE *file = create_output(".names");
    for (int i = 0; i < probe.mine->kernel_count; i++) {
        const char *lowered = "none";
        if (nvrtc.lowered(probe.made, expression_of(i, probe.mine->kernels[i]), &lowered) != 0) {
            lowered = "none";
        }
        fprintf(file, "%s\t%s\n", probe.mine->kernels[i], lowered);
    }
    fclose(file);
}

static void add_names(const struct source *source)
{
    for (int i = 0; i < source->kernel_count; i++) {
        const char *expression = expression_of(i, source->kernels[i]);
        int result = nvrtc.name(probe.made, expression);
        if (result != 0) {
            bench_fail(expression, nvrtc.say(result));
        }
    }
}

static double seconds(struct timeval time)
{
    return (double)time.tv_sec + (double)time.tv_usec * 1e-6;
}

/* What nobody else has of this process's memory, in KiB. */
static long private_memory(void)
{
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    char line[256];
    long dirty = 0;
    while (file && fgets(line, sizeof(line), file)) {
        if (sscanf(line, "Private_Dirty: %ld", &dirty) == 1) {
            break;
        }
    }
    if (file) {
        fclose(file);
    }
    return dirty;
}

static void say_usage(const char *name, const struct rusage *used, long memory)
{
    printf("{\"name\": \"%s\", \"user\": %.3f, \"system\": %.3f, \"faults\": %ld, \"private_kib\": "
           "%ld}\n",
           name, seconds(used->ru_utime), seconds(used->ru_stime), used->ru_minflt, memory);
    fflush(stdout);
}

/* The compile has returned: the rest of a process that has a source. */
static _Noreturn void finish(int result)
{
    write_log();
    if (result != 0) {
        _exit(1);
    }
    write_ptx();
    write_names();
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    say_usage(probe.mine->path, &used, private_memory());
    _exit(0);
}

static void wait_for_one(void)
{
    int status = 0;
    pid_t child = wait(&status);
    if (child > 0 && status != 0) {
        printf("{\"failed\": %d, \"signal\": %d}\n", WEXITSTATUS(status), WTERMSIG(status));
    }
}

static int jobs(void)
{
    const char *given = getenv("JOBS");
    return given && atoi(given) > 0 ? atoi(given) : 1;
}

/* Forks once for each source. True in a child; in this process, all have ended. */
static bool fork_for_each(void)
{
    int running = 0;
    for (int i = 0; i < probe.source_count; i++) {
        if (running == jobs()) {
            wait_for_one();
            running--;
        }
        fflush(NULL);
        pid_t child = fork();
        if (child < 0) {
            bench_fail("fork", "the system refuses");
        }
        if (child == 0) {
            probe.mine = &probe.sources[i];
            return true;
        }
        running++;
    }
    while (running-- > 0) {
        wait_for_one();
    }
    return false;
}

static void say_threads(const char *function)
{
    DIR *tasks = opendir("/proc/self/task");
    int count = -2; /* without . and .. */
    while (tasks && readdir(tasks)) {
        count++;
    }
    closedir(tasks);
    printf("{\"opened_by\": \"%s\", \"main_thread\": %s, \"threads\": %d, \"threads_started\": %d}\n",
           function, gettid() == getpid() ? "true" : "false", count, probe.threads_started);
}

/* Every expression that was added has to be one: those beyond the source's own are its first again. */
static void define_names(FILE *file)
{
    int count = probe.mine->kernel_count;
    for (int i = 0; i < probe.most_kernels && count > 0; i++) {
        fprintf(file, "#define CUBINET_NAME_%04d %s\n", i, probe.mine->kernels[i < count ? i : 0]);
    }
}

static FILE *stream_of_mine(void)
{
    FILE *file = fdopen(memfd_create("source", MFD_CLOEXEC), "w+");
    if (file && !probe.late_names) {
        define_names(file);
    }
    if (!file || fprintf(file, "#include \"%s\"\n", probe.mine->path) < 0 || fflush(file) != 0) {
        bench_fail(probe.mine->path, "it cannot be put into memory");
    }
    rewind(file);
    return file;
}

/* Where NVRTC opens the file at which the prefix ends. */
static FILE *at_marker(const char *function)
{
    struct rusage used;
    if (probe.mine) { /* NVRTC closes it for as long as it reads the source */
        return stream_of_mine();
    }
    if (getenv("SAY")) {
        say_threads(function);
    }
    getrusage(RUSAGE_SELF, &used);
    say_usage("prefix", &used, private_memory());
    if (!fork_for_each()) {
        _exit(0);
    }
    if (probe.late_names) {
        add_names(probe.mine);
    }
    return stream_of_mine();
}

static bool is_marker(const char *path)
{
    const char *slash = strrchr(path, '/');
    return probe.made && probe.marker[0] != '\0' && strcmp(slash ? slash + 1 : path, probe.marker) == 0;
}

static FILE *open_stream(const char *function, const char *path, const char *mode)
{
    FILE *(*next)(const char *, const char *);
    bench_resolve(RTLD_NEXT, function, &next);
    return is_marker(path) ? at_marker(function) : next(path, mode);
}

/* NVRTC asks whether what it opened is a regular file. */
static int look_up(const char *path, struct stat *about)
{
    return fstatat(AT_FDCWD, is_marker(path) ? "/proc/self/exe" : path, about, 0);
}

EXPORTED int stat(const char *restrict path, struct stat *restrict about)
{
    return look_up(path, about);
}

/* What programs built for glibc before 2.33 call for it. */
EXPORTED int __xstat(int version, const char *path, struct stat *about);
EXPORTED int __xstat(int version, const char *path, struct stat *about)
{
    (void)version;
    return look_up(path, about);
}

EXPORTED FILE *fopen(const char *path, const char *mode)
{
    return open_stream("fopen", path, mode);
}

EXPORTED FILE *fopen64(const char *path, const char *mode)
{
    return open_stream("fopen64", path, mode);
}

EXPORTED int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                            void *argument)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    bench_resolve(RTLD_NEXT, "pthread_create", &next);
    probe.threads_started++;
    return next(thread, attributes, start, argument);
}

static void create(const char *text, const char *name)
{
    if (nvrtc.create(&probe.made, text, name, 0, NULL, NULL) != 0) {
        bench_fail(name, "NVRTC refuses it");
    }
}

static _Noreturn void compile(void)
{
    int result = nvrtc.compile(probe.made, probe.option_count, probe.options);
    if (!probe.mine) {
        size_t size = 0;
        nvrtc.log_size(probe.made, &size);
        char *log = bench_allocate(size + 1);
        nvrtc.log(probe.made, log);
        bench_fail("the prefix", log);
    }
    finish(result);
}

static void compile_separately(const char *library)
{
    if (fork_for_each()) {
        bench_open_nvrtc(library);
        create(bench_read_text(probe.mine->path), probe.mine->path);
        add_names(probe.mine);
        compile();
    }
}

static void compile_forked(const char *library, bool late_names)
{
    static char option[4200];
    snprintf(probe.marker, sizeof(probe.marker), "fork_probe_rest.cuh");
    snprintf(option, sizeof(option), "-include=%s", probe.marker);
    probe.options[probe.option_count++] = option;
    bench_open_nvrtc(library);
    create("\n", "prefix.cu");
    probe.late_names = late_names;
    for (int i = 0; !late_names && i < probe.most_kernels; i++) {
        nvrtc.name(probe.made, expression_of(i, ""));
    }
    compile();
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The options up to "--", then sources with their kernels. */
static void read_arguments(char **words, int count)
{
    int i = 0;
    for (; i < count && strcmp(words[i], "--") != 0 && probe.option_count < MOST_OPTIONS - 1; i++) {
        probe.options[probe.option_count++] = words[i];
    }
    for (i++; i < count && probe.source_count < MOST_SOURCES;) {
        struct source *source = &probe.sources[probe.source_count++];
        source->path = words[i++];
        source->kernels = bench_allocate(sizeof(*source->kernels) * (size_t)count);
        while (i + 1 < count && strcmp(words[i], "--kernel") == 0) {
            source->kernels[source->kernel_count++] = words[i + 1];
            i += 2;
        }
        qsort(source->kernels, (size_t)source->kernel_count, sizeof(*source->kernels), compare);
        probe.most_kernels =
            source->kernel_count > probe.most_kernels ? source->kernel_count : probe.most_kernels;
    }
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        bench_fail("usage",
                   "separate|fork|late LIBNVRTC DIR [OPTION...] -- {SOURCE [--kernel EXPRESSION]...}...");
    }
    probe.folder = realpath(argv[3], NULL);
    if (!probe.folder) {
        bench_fail(argv[3], "it is not a folder");
    }
    read_arguments(argv + 4, argc - 4);
    if (strcmp(argv[1], "separate") == 0) {
        compile_separately(argv[2]);
    } else {
        compile_forked(argv[2], strcmp(argv[1], "late") == 0);
    }
    return 0;
}

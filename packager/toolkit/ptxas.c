/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/ptxas.h"

#include "base/buffer.h"
#include "base/interrupt.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text_list.h"
#include "process/tool_log.h"
#include "ptx/cleaning/line_files.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Files that exist in memory alone: none is left behind, whatever ends the process. */
struct files {
    int ptx, cubin, log;
};

static const struct files no_files = {-1, -1, -1};

static void close_files(struct files *files)
{
    int all[] = {files->ptx, files->cubin, files->log};
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        if (all[i] >= 0) {
            close(all[i]);
        }
    }
    *files = no_files;
}

static cubinet_status fail_system(const char *what)
{
    return cbn_error(CUBINET_ERROR_IO, "%s: %s", what, strerror(errno));
}

static cubinet_status open_files(const char *ptx, size_t size, struct files *files)
{
    files->ptx = memfd_create("ptx", MFD_CLOEXEC);
    files->cubin = memfd_create("cubin", MFD_CLOEXEC);
    files->log = tool_log_open();
    if (files->ptx < 0 || files->cubin < 0 || files->log < 0) {
        return fail_system("cannot make a file in memory for ptxas");
    }
    for (size_t done = 0; done < size;) {
        ssize_t written = write(files->ptx, ptx + done, size - done);
        if (written < 0 && errno != EINTR) {
            return fail_system("cannot hand the PTX to ptxas");
        }
        done += written > 0 ? (size_t)written : 0;
    }
    return CUBINET_OK;
}

static cubinet_status read_file(int fd, char **out_data, size_t *out_size)
{
    struct stat about;
    if (fstat(fd, &about) != 0) {
        return fail_system("cannot read what ptxas wrote");
    }
    size_t size = (size_t)about.st_size;
    char *data = malloc(size + 1);
    if (!data) {
        return cbn_error_memory();
    }
    for (size_t done = 0; done < size;) {
        ssize_t got = pread(fd, data + done, size - done, (off_t)done);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            free(data);
            return fail_system("cannot read what ptxas wrote");
        }
        done += got > 0 ? (size_t)got : 0;
    }
    data[size] = '\0';
    *out_data = data;
    *out_size = size;
    return CUBINET_OK;
}

/* What nvJitLink and ptxas call by other names. */
static cubinet_status add_option(struct cbn_text_list *arguments, const char *option)
{
    static const char forwarded[] = "-Xptxas=";
    if (strncmp(option, forwarded, strlen(forwarded)) == 0) {
        return cbn_text_list_add(arguments, option + strlen(forwarded));
    }
    return cbn_text_list_add(arguments, strcmp(option, "-verbose") == 0 ? "-v" : option);
}

static cubinet_status make_arguments(const char *program, const struct assemble_job *job,
                                     struct cbn_text_list *arguments)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_status status = cbn_text_list_add(arguments, program);
    if (!status) {
        status = cbn_text_list_addf(arguments, "-arch=%s", cubinet_target_name(job->target, name));
    }
    for (size_t i = 0; !status && i < job->option_count; i++) {
        status = add_option(arguments, job->options[i]);
    }
    static const char *const files[] = {"/proc/self/fd/3", "-o", "/proc/self/fd/4"};
    for (size_t i = 0; !status && i < sizeof(files) / sizeof(files[0]); i++) {
        status = cbn_text_list_add(arguments, files[i]);
    }
    return status;
}

/* Runs the program with the PTX and the cubin as descriptors 3 and 4 and what it says in the log. The numbers
 * that the files have here are moved out of the way first, since one of them may be 3 or 4. */
static cubinet_status spawn(const char *program, const struct cbn_text_list *arguments,
                            const struct files *files, pid_t *out_process)
{
    char **argv = calloc(arguments->count + 1, sizeof(*argv));
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    if (!argv || posix_spawn_file_actions_init(&actions) != 0) {
        free(argv);
        return cbn_error_memory();
    }
    sigemptyset(&none); /* the caller may block signals */
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    memcpy(argv, arguments->items, arguments->count * sizeof(*argv));
    const struct files high = {
        fcntl(files->ptx, F_DUPFD_CLOEXEC, 5),
        fcntl(files->cubin, F_DUPFD_CLOEXEC, 5),
        fcntl(files->log, F_DUPFD_CLOEXEC, 5),
    };
    struct files moved = high;
    int result = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    result = result ? result : posix_spawn_file_actions_adddup2(&actions, high.log, 1);
    result = result ? result : posix_spawn_file_actions_adddup2(&actions, high.log, 2);
    result = result ? result : posix_spawn_file_actions_adddup2(&actions, high.ptx, 3);
    result = result ? result : posix_spawn_file_actions_adddup2(&actions, high.cubin, 4);
    result = result ? result : posix_spawn(out_process, program, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    close_files(&moved);
    free(argv);
    if (result) {
        return cbn_error(CUBINET_ERROR_TOOLKIT, "cannot run the assembler '%s': %s", program,
                         strerror(result));
    }
    return CUBINET_OK;
}

/* Programs that run now; 0: none. One that is not noted here ends by itself. */
enum { MOST_NOTED = 64 };
static _Atomic(pid_t) running[MOST_NOTED];
static atomic_int starting; /* threads that start one which is not noted yet */

/* Only what is safe in a signal handler. */
static void end_all(void)
{
    enum { MOST_WAITS = 1000 };
    const struct timespec pause = {.tv_nsec = 1000000};
    for (int i = 0; i < MOST_WAITS && atomic_load(&starting) > 0; i++) {
        nanosleep(&pause, NULL);
    }
    for (size_t i = 0; i < MOST_NOTED; i++) {
        pid_t process = atomic_load(&running[i]);
        if (process > 0) {
            kill(process, SIGKILL);
        }
    }
}

static void note(pid_t process)
{
    interrupt_call(end_all);
    for (size_t i = 0; i < MOST_NOTED; i++) {
        pid_t free_place = 0;
        if (atomic_compare_exchange_strong(&running[i], &free_place, process)) {
            return;
        }
    }
}

static void forget(pid_t process)
{
    for (size_t i = 0; i < MOST_NOTED; i++) {
        pid_t noted = process;
        if (atomic_compare_exchange_strong(&running[i], &noted, 0)) {
            return;
        }
    }
}

/* It is forgotten before its number is free for another process. */
static cubinet_status wait_for(pid_t process, int *out_exit)
{
    siginfo_t about;
    int state;
    int result;
    do {
        result = waitid(P_PID, (id_t)process, &about, WEXITED | WNOWAIT);
    } while (result != 0 && errno == EINTR);
    forget(process);
    do {
        result = waitpid(process, &state, 0);
    } while (result < 0 && errno == EINTR);
    if (result < 0) {
        return fail_system("cannot wait for ptxas");
    }
    *out_exit = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    return CUBINET_OK;
}

/* A signal in this thread waits until the program is noted, and a handler in another one does. */
static cubinet_status start(const char *program, const struct cbn_text_list *arguments,
                            const struct files *files, pid_t *out_process)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    atomic_fetch_add(&starting, 1);
    cubinet_status status = spawn(program, arguments, files, out_process);
    if (!status) {
        note(*out_process);
    }
    atomic_fetch_sub(&starting, 1);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static cubinet_status run(const char *program, const struct cbn_text_list *arguments,
                          const struct files *files, int *out_exit)
{
    pid_t process;
    cubinet_status status = start(program, arguments, files, &process);
    return status ? status : wait_for(process, out_exit);
}

/* Calls the PTX in the log what nvJitLink calls it. */
static cubinet_status clean_log(char **log)
{
    static const char name[] = "/proc/self/fd/3";
    struct buffer clean = {0};
    const char *at = *log;
    for (const char *found = strstr(at, name); found; found = strstr(at, name)) {
        buffer_append(&clean, at, (size_t)(found - at));
        buffer_puts(&clean, "application ptx input");
        at = found + strlen(name);
    }
    buffer_puts(&clean, at);
    buffer_append(&clean, "", 0);
    char *text = buffer_take(&clean);
    if (!text) {
        return cbn_error_memory();
    }
    free(*log);
    *log = text;
    return CUBINET_OK;
}

static cubinet_status take_results(const struct files *files, int exit, struct cbn_link_result *out_result)
{
    char *log = NULL;
    char *cubin = NULL;
    size_t size = 0;
    cubinet_status status = tool_log_read(files->log, &log);
    if (!status) {
        status = clean_log(&log);
    }
    if (!status && exit == 0) {
        status = read_file(files->cubin, &cubin, &size);
    }
    if (!status && size == 0) {
        status =
            cbn_error(CUBINET_ERROR_LINK, "ptxas: exit status %d and %zu bytes of code\n%s", exit, size, log);
    }
    if (status) {
        free(log);
        free(cubin);
        return status;
    }
    *out_result = (struct cbn_link_result){.data = (unsigned char *)cubin, .size = size, .log = log};
    return CUBINET_OK;
}

/* A copy of the PTX in which the files of the line table have other names; NULL if it has no such files. */
static cubinet_status hide_files(const struct assemble_job *job, struct line_files *out_files, char **out_ptx)
{
    *out_files = (struct line_files){0};
    if (!memmem(job->ptx, job->size, ".file", strlen(".file"))) {
        return CUBINET_OK;
    }
    char *copy = malloc(job->size);
    if (!copy) {
        return cbn_error_memory();
    }
    memcpy(copy, job->ptx, job->size);
    line_files_hide(copy, job->size, out_files);
    *out_ptx = copy;
    return CUBINET_OK;
}

cubinet_status ptxas_assemble(const char *program, const struct assemble_job *job,
                              struct cbn_link_result *out_result)
{
    struct cbn_text_list arguments = {0};
    struct cbn_link_result result = {0};
    struct line_files line_files;
    struct files files = no_files;
    char *renamed = NULL;
    int exit = 0;
    cubinet_status status = make_arguments(program, job, &arguments);
    if (!status) {
        status = hide_files(job, &line_files, &renamed);
    }
    if (!status) {
        status = open_files(renamed ? renamed : job->ptx, job->size, &files);
    }
    if (!status) {
        status = run(program, &arguments, &files, &exit);
    }
    if (!status) {
        status = take_results(&files, exit, &result);
    }
    if (!status && renamed) {
        status = line_files_show(&line_files, result.data, result.size);
    }
    close_files(&files);
    cbn_text_list_free(&arguments);
    free(renamed);
    if (status) {
        cbn_link_result_free(&result);
        return status;
    }
    *out_result = result;
    return CUBINET_OK;
}

/* From "Cuda compilation tools, release 13.0, V13.0.88". */
static int read_version(const char *text)
{
    static const char before[] = ", release ";
    const char *found = strstr(text, before);
    char *end = NULL;
    long major = found ? strtol(found + strlen(before), &end, 10) : 0;
    long minor = end && *end == '.' ? strtol(end + 1, NULL, 10) : -1;
    return major > 0 && major < 1000 && minor >= 0 && minor < 100 ? (int)(1000 * major + 10 * minor) : 0;
}

cubinet_status ptxas_version(const char *program, int *out_version)
{
    struct cbn_text_list arguments = {0};
    struct files files = no_files;
    char *text = NULL;
    int exit = 0;
    cubinet_status status = cbn_text_list_add(&arguments, program);
    if (!status) {
        status = cbn_text_list_add(&arguments, "--version");
    }
    if (!status) {
        status = open_files("", 0, &files);
    }
    if (!status) {
        status = run(program, &arguments, &files, &exit);
    }
    if (!status) {
        status = tool_log_read(files.log, &text);
    }
    if (!status) {
        *out_version = exit == 0 ? read_version(text) : 0;
    }
    free(text);
    close_files(&files);
    cbn_text_list_free(&arguments);
    return status;
}

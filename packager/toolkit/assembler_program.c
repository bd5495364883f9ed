/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/assembler_program.h"

#include "base/buffer.h"
#include "base/interrupt.h"
#include "loader/core/support/error.h"
#include "process/tool_log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
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
    int input, output, log;
};

static const struct files no_files = {-1, -1, -1};

static void close_files(struct files *files)
{
    int all[] = {files->input, files->output, files->log};
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

static cubinet_status open_files(const char *data, size_t size, struct files *files)
{
    files->input = memfd_create("input", MFD_CLOEXEC);
    files->output = memfd_create("output", MFD_CLOEXEC);
    files->log = tool_log_open();
    if (files->input < 0 || files->output < 0 || files->log < 0) {
        return fail_system("cannot make a file in memory for the assembler");
    }
    for (size_t done = 0; done < size;) {
        ssize_t written = write(files->input, data + done, size - done);
        if (written < 0 && errno != EINTR) {
            return fail_system("cannot hand its input to the assembler");
        }
        done += written > 0 ? (size_t)written : 0;
    }
    return CUBINET_OK;
}

static cubinet_status read_file(int fd, char **out_data, size_t *out_size)
{
    struct stat about;
    if (fstat(fd, &about) != 0) {
        return fail_system("cannot read what the assembler wrote");
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
            return fail_system("cannot read what the assembler wrote");
        }
        done += got > 0 ? (size_t)got : 0;
    }
    data[size] = '\0';
    *out_data = data;
    *out_size = size;
    return CUBINET_OK;
}

/* Runs the program with its input and output as descriptors 3 and 4 and what it says in the log. The numbers
 * that the files have here are moved out of the way first, since one of them may be 3 or 4. */
static cubinet_status spawn(const char *program, const struct cbn_text_list *arguments, char **environment,
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
        fcntl(files->input, F_DUPFD_CLOEXEC, 5),
        fcntl(files->output, F_DUPFD_CLOEXEC, 5),
        fcntl(files->log, F_DUPFD_CLOEXEC, 5),
    };
    struct files moved = high;
    int result = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    result = result ? result : posix_spawn_file_actions_adddup2(&actions, high.log, 1);
    result = result ? result : posix_spawn_file_actions_adddup2(&actions, high.log, 2);
    result = result ? result : posix_spawn_file_actions_adddup2(&actions, high.input, 3);
    result = result ? result : posix_spawn_file_actions_adddup2(&actions, high.output, 4);
    result = result ? result : posix_spawn(out_process, program, &actions, &attributes, argv, environment);
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
        return fail_system("cannot wait for the assembler");
    }
    *out_exit = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    return CUBINET_OK;
}

/* A signal in this thread waits until the program is noted, and a handler in another one does. */
static cubinet_status start(const char *program, const struct cbn_text_list *arguments, char **environment,
                            const struct files *files, pid_t *out_process)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    atomic_fetch_add(&starting, 1);
    cubinet_status status = spawn(program, arguments, environment, files, out_process);
    if (!status) {
        note(*out_process);
    }
    atomic_fetch_sub(&starting, 1);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return status;
}

static cubinet_status run(const char *program, const struct cbn_text_list *arguments, char **environment,
                          const struct files *files, int *out_exit)
{
    pid_t process;
    cubinet_status status = start(program, arguments, environment, files, &process);
    return status ? status : wait_for(process, out_exit);
}

/* Has the log name the input as it is known to others. */
static cubinet_status clean_log(const char *input_name, char **log)
{
    static const char name[] = ASSEMBLER_INPUT;
    struct buffer clean = {0};
    const char *at = *log;
    for (const char *found = strstr(at, name); found; found = strstr(at, name)) {
        buffer_append(&clean, at, (size_t)(found - at));
        buffer_puts(&clean, input_name);
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

cubinet_status assembler_program_run(const struct assembler_program *program, const char *data, size_t size,
                                     struct assembler_answer *out_answer)
{
    struct cbn_text_list arguments = {0};
    struct assembler_answer answer = {0};
    struct files files = no_files;
    cubinet_status status = cbn_text_list_add(&arguments, program->path);
    for (size_t i = 0; !status && i < program->arguments->count; i++) {
        status = cbn_text_list_add(&arguments, program->arguments->items[i]);
    }
    if (!status) {
        status = open_files(data, size, &files);
    }
    if (!status) {
        char **environment = program->environment ? program->environment : environ;
        status = run(program->path, &arguments, environment, &files, &answer.exit);
    }
    if (!status) {
        status = tool_log_read(files.log, &answer.log);
    }
    if (!status) {
        status = clean_log(program->input_name, &answer.log);
    }
    if (!status && answer.exit == 0) {
        status = read_file(files.output, &answer.data, &answer.size);
    }
    close_files(&files);
    cbn_text_list_free(&arguments);
    if (status) {
        assembler_answer_free(&answer);
        return status;
    }
    *out_answer = answer;
    return CUBINET_OK;
}

void assembler_answer_free(struct assembler_answer *answer)
{
    free(answer->data);
    free(answer->log);
    *answer = (struct assembler_answer){0};
}

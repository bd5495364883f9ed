/* SPDX-License-Identifier: Apache-2.0 */
#include "build/run_ninja.h"

#include "base/command.h"
#include "base/file_lock.h"
#include "base/lock_holder.h"
#include "loader/cache/cache_settings.h"
#include "loader/core/support/error.h"
#include "process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Two builds at once would spoil what Ninja keeps in the folder. */
static cubinet_status fail_held(int fd, const char *folder, uint32_t waited_ms)
{
    char holder[LOCK_HOLDER_SIZE];
    return cbn_error(
        CUBINET_ERROR_LIMIT,
        "another build still has the folder '%s' after %u s (CUBINET_CACHE_WAIT): %s; end it, or "
        "build in another folder (--build-dir)",
        folder, waited_ms / 1000, lock_holder(fd, holder));
}

/* The lock goes with the descriptor, which Ninja inherits: it ends with the build, however that ends, even if
 * this process is killed before. */
cubinet_status run_ninja_lock(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    if (fd < 0) {
        return cbn_error(CUBINET_ERROR_IO, "cannot open the build folder '%s': %s", folder, strerror(errno));
    }
    enum file_lock_result lock = file_lock(fd, 0);
    if (lock != FILE_LOCK_BUSY) {
        return CUBINET_OK; /* where files can't be locked, build anyway */
    }
    uint32_t limit_ms = cbn_cache_default_wait_ms();
    fprintf(stderr, "cubinet: waiting for another build in '%s'\n", folder);
    if (file_lock(fd, limit_ms) != FILE_LOCK_BUSY) {
        return CUBINET_OK;
    }
    cubinet_status status = fail_held(fd, folder, limit_ms);
    close(fd);
    return status;
}

static cubinet_status fail_missing(void)
{
    return cbn_error(
        CUBINET_ERROR_NOT_FOUND,
        "no Ninja was found: there is no ninja, ninja-build or samu in the PATH; install it "
        "(apt-get install ninja-build, dnf install ninja-build, pip install ninja), or set NINJA "
        "to its path");
}

enum { MOST_ARGUMENTS = 6 };

/* A program, its arguments and where its output goes. */
struct start {
    char *arguments[MOST_ARGUMENTS];
    size_t count;
    char jobs[32];
    int output;
    int errors; /* -1: where this process's go */
};

static void prepare(struct start *start, const char *program, const struct ninja_run *run)
{
    static char file[] = "-f";
    *start =
        (struct start){.arguments = {(char *)program, file, (char *)run->file}, .count = 3, .errors = -1};
    if (run->jobs > 0) {
        snprintf(start->jobs, sizeof(start->jobs), "-j%u", run->jobs);
        start->arguments[start->count++] = start->jobs;
    }
}

/* Starts a program of the PATH; returns 0 or why it can't, as in errno. */
static int spawn(const struct start *start, const sigset_t *mask, pid_t *out_process)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    int result = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    result = result ? result : posix_spawnattr_setsigmask(&attributes, mask);
    result = result ? result : posix_spawn_file_actions_adddup2(&actions, start->output, STDOUT_FILENO);
    if (!result && start->errors >= 0) {
        result = posix_spawn_file_actions_adddup2(&actions, start->errors, STDERR_FILENO);
    }
    result = result ? result
                    : posix_spawnp(out_process, start->arguments[0], &actions, &attributes, start->arguments,
                                   environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return result;
}

/* Adds the steps that a pipe's lines tell to the progress. */
static void read_plan(int pipe, const struct ninja_run *run, struct progress *progress)
{
    FILE *file = fdopen(pipe, "r");
    struct progress seen = {0};
    char *line = NULL;
    size_t capacity = 0;
    const char *text = NULL;
    bool has_room = true;
    while (file && getline(&line, &capacity, file) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (has_room && progress_take(&seen, line, &text)) {
            has_room = !progress_add(progress, text, run->seconds(run->data, text));
        }
    }
    progress->total = seen.total;
    free(line);
    if (file) {
        fclose(file);
    } else {
        close(pipe);
    }
}

/* Has Ninja say what it would run, for an idea of how long that takes. If it does not, there is none. */
static void plan_progress(const char *program, const struct ninja_run *run, struct progress *progress)
{
    static char dry_run[] = "-n";
    struct start start;
    struct child_signals signals;
    int ends[2];
    pid_t process;
    int state = 0;
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return;
    }
    prepare(&start, program, run);
    start.arguments[start.count++] = dry_run;
    start.output = ends[1];
    start.errors = open("/dev/null", O_WRONLY | O_CLOEXEC); /* it will say the same again */
    child_signals_block(&signals);
    int error = spawn(&start, &signals.before, &process);
    child_signals_free(&signals);
    close(ends[1]);
    if (error == 0) {
        read_plan(ends[0], run, progress);
        while (waitpid(process, &state, 0) < 0 && errno == EINTR) {
        }
    } else {
        close(ends[0]);
    }
    if (start.errors >= 0) {
        close(start.errors);
    }
}

/* Waits for Ninja, whose output a thread prints meanwhile. */
static cubinet_status wait_for(const struct child_signals *signals, pid_t process, int pipe,
                               struct ninja_output *output, struct child_end *end)
{
    cubinet_status status = ninja_output_start(output, pipe);
    if (status) {
        close(pipe); /* which ends Ninja when it prints */
    }
    child_wait(signals, process, false, 0, end);
    if (!status) {
        ninja_output_finish(output);
    }
    return status;
}

/* Ends this process as Ninja was, which catches the signals that it gets and exits. */
static void end_alike(const struct child_signals *signals, const struct child_end *end)
{
    bool has_succeeded = WIFEXITED(end->state) && WEXITSTATUS(end->state) == EXIT_OK;
    int number = WIFSIGNALED(end->state) ? WTERMSIG(end->state) : end->signal;
    if (number != 0 && !has_succeeded) {
        child_end_alike(signals, number);
    }
}

/* Ninja before 1.12 exits with 2 if something interrupted it alone, which is not wrong usage of this command.
 */
static int exit_of(int state)
{
    int result = WIFEXITED(state) ? WEXITSTATUS(state) : EXIT_FAILED;
    return result == EXIT_USAGE ? EXIT_FAILED : result;
}

/* Runs one program as Ninja. `out_error` is why it can't be run, as in errno; 0: it was. */
static cubinet_status run_program(const char *program, const struct ninja_run *run,
                                  struct ninja_output *output, int *out_exit, int *out_error)
{
    struct start start;
    struct child_signals signals;
    struct child_end end = {0};
    int ends[2];
    pid_t process;
    if (output->is_live) {
        plan_progress(program, run, &output->progress);
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        *out_error = errno;
        return CUBINET_OK;
    }
    prepare(&start, program, run);
    start.output = ends[1];
    child_signals_block(&signals);
    *out_error = spawn(&start, &signals.before, &process);
    close(ends[1]);
    cubinet_status status = CUBINET_OK;
    if (*out_error == 0) {
        status = wait_for(&signals, process, ends[0], output, &end);
        end_alike(&signals, &end);
    } else {
        close(ends[0]);
    }
    child_signals_free(&signals);
    *out_exit = *out_error == 0 ? exit_of(end.state) : EXIT_FAILED;
    return status;
}

cubinet_status run_ninja(const struct ninja_run *run, struct ninja_output *output, int *out_exit)
{
    static const char *const names[] = {"ninja", "ninja-build", "samu"};
    const char *chosen = getenv("NINJA");
    int error = ENOENT;
    fflush(output->file);
    /* Who has set it wants another form of status lines, unless there are to be none. */
    if (setenv("NINJA_STATUS", PROGRESS_NINJA_STATUS, output->is_quiet) != 0) {
        return cbn_error_memory();
    }
    if (chosen && *chosen) {
        cubinet_status status = run_program(chosen, run, output, out_exit, &error);
        return error == 0 ? status
                          : cbn_error(CUBINET_ERROR_IO, "cannot run '%s', which the variable NINJA names: %s",
                                      chosen, strerror(error));
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        cubinet_status status = run_program(names[i], run, output, out_exit, &error);
        if (error != ENOENT && error != EACCES) {
            return error == 0 ? status
                              : cbn_error(CUBINET_ERROR_IO, "cannot run '%s': %s", names[i], strerror(error));
        }
    }
    return fail_missing();
}

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

/* Starts a program of the PATH; returns 0 or why it can't, as in errno. */
static int start(char *const *arguments, const sigset_t *mask, int output, pid_t *out_process)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    int result = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    result = result ? result : posix_spawnattr_setsigmask(&attributes, mask);
    result = result ? result : posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    result =
        result ? result : posix_spawnp(out_process, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return result;
}

/* Whether a Ninja takes --quiet. */
static bool can_be_quiet(const char *program, const sigset_t *mask)
{
    char quiet[] = "--quiet";
    char version[] = "--version";
    char *arguments[] = {(char *)program, quiet, version, NULL};
    int output = open("/dev/null", O_WRONLY | O_CLOEXEC);
    pid_t process;
    int state = 1;
    if (output >= 0 && start(arguments, mask, output, &process) == 0) {
        while (waitpid(process, &state, 0) < 0 && errno == EINTR) {
        }
    }
    close(output);
    return state == 0;
}

/* Runs one program as Ninja. `out_error` is why it can't be run, as in errno; 0: it was. */
static int run_program(const char *program, const struct ninja_run *run, int *out_error)
{
    char jobs[32];
    snprintf(jobs, sizeof(jobs), "-j%u", run->jobs);
    char file[] = "-f";
    char quiet[] = "--quiet";
    char *arguments[6] = {(char *)program, file, (char *)run->file};
    size_t count = 3;
    struct child_signals signals;
    struct child_end end;
    pid_t process;
    child_signals_block(&signals);
    if (run->jobs > 0) {
        arguments[count++] = jobs;
    }
    if (run->quiet && can_be_quiet(program, &signals.before)) {
        arguments[count++] = quiet;
    }
    *out_error = start(arguments, &signals.before, run->to_errors ? STDERR_FILENO : STDOUT_FILENO, &process);
    if (*out_error == 0) {
        child_wait(&signals, process, false, 0, &end);
        if (WIFSIGNALED(end.state)) {
            child_end_alike(&signals, WTERMSIG(end.state));
        }
    }
    child_signals_free(&signals);
    return *out_error == 0 && WIFEXITED(end.state) ? WEXITSTATUS(end.state) : EXIT_FAILED;
}

cubinet_status run_ninja(const struct ninja_run *run, int *out_exit)
{
    static const char *const names[] = {"ninja", "ninja-build", "samu"};
    const char *chosen = getenv("NINJA");
    int error = ENOENT;
    fflush(stdout);
    if (chosen && *chosen) {
        *out_exit = run_program(chosen, run, &error);
        return error == 0 ? CUBINET_OK
                          : cbn_error(CUBINET_ERROR_IO, "cannot run '%s', which the variable NINJA names: %s",
                                      chosen, strerror(error));
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        *out_exit = run_program(names[i], run, &error);
        if (error != ENOENT && error != EACCES) {
            return error == 0 ? CUBINET_OK
                              : cbn_error(CUBINET_ERROR_IO, "cannot run '%s': %s", names[i], strerror(error));
        }
    }
    return fail_missing();
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "run_ninja.h"

#include "error.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* The lock goes with the descriptor, which Ninja inherits: it ends with the build, however that ends. */
cubinet_status run_ninja_lock(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    if (fd < 0) {
        return cbn_error(CUBINET_ERROR_IO, "cannot open the build folder '%s': %s", folder, strerror(errno));
    }
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
        return CUBINET_OK;
    }
    if (errno == EWOULDBLOCK) {
        fprintf(stderr, "cubinet: waiting for another build in '%s'\n", folder);
        while (flock(fd, LOCK_EX) != 0 && errno == EINTR) {
        }
    }
    return CUBINET_OK; /* a file system without locks is no reason not to build */
}

static cubinet_status fail_missing(void)
{
    return cbn_error(
        CUBINET_ERROR_NOT_FOUND,
        "no Ninja was found: there is no ninja, ninja-build or samu in the PATH; install it "
        "(apt-get install ninja-build, dnf install ninja-build, pip install ninja), or set NINJA "
        "to its path");
}

/* Returns only if the program can't be run: why, as in errno. */
static int become(const char *program, const char *file, uint32_t jobs)
{
    char jobs_option[32];
    snprintf(jobs_option, sizeof(jobs_option), "-j%u", jobs);
    char file_option[] = "-f";
    char *arguments[] = {(char *)program, file_option, (char *)file, jobs ? jobs_option : NULL, NULL};
    fflush(stdout);
    execvp(program, arguments);
    return errno;
}

cubinet_status run_ninja(const char *file, uint32_t jobs)
{
    static const char *const names[] = {"ninja", "ninja-build", "samu"};
    const char *chosen = getenv("NINJA");
    if (chosen && *chosen) {
        int error = become(chosen, file, jobs);
        return cbn_error(CUBINET_ERROR_IO, "cannot run '%s', which the variable NINJA names: %s", chosen,
                         strerror(error));
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        int error = become(names[i], file, jobs);
        if (error != ENOENT && error != EACCES) {
            return cbn_error(CUBINET_ERROR_IO, "cannot run '%s': %s", names[i], strerror(error));
        }
    }
    return fail_missing();
}

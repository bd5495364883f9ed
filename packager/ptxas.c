/* SPDX-License-Identifier: Apache-2.0 */
#include "ptxas.h"

#include "buffer.h"
#include "error.h"
#include "string_list.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Where ptxas is from the folder of NVRTC's library: in a toolkit, in one with folders for each target, and
 * in the packages of CUDA 12 (those of CUDA 13 are like a toolkit). */
static const char *const places[] = {"../bin/ptxas", "../../../bin/ptxas", "../../cuda_nvcc/bin/ptxas"};

static cubinet_status find_beside(const char *nvrtc, char **out_program)
{
    char *copy = strdup(nvrtc);
    char *found = NULL;
    if (!copy) {
        return cbn_error_memory();
    }
    const char *folder = dirname(copy);
    for (size_t i = 0; !found && i < sizeof(places) / sizeof(places[0]); i++) {
        char *path = NULL;
        if (asprintf(&path, "%s/%s", folder, places[i]) < 0) {
            free(copy);
            return cbn_error_memory();
        }
        if (access(path, X_OK) == 0) {
            found = realpath(path, NULL);
        }
        free(path);
    }
    free(copy);
    if (!found) {
        return cbn_error(CUBINET_ERROR_TOOLKIT,
                         "the toolkit of '%s' has no ptxas; it comes with nvcc (NVIDIA's package "
                         "nvidia-cuda-nvcc); install it, name the program as in --assembler "
                         "/usr/local/cuda/bin/ptxas, or leave --assembler out",
                         nvrtc);
    }
    *out_program = found;
    return CUBINET_OK;
}

cubinet_status ptxas_find(const struct toolkit *toolkit, const char *name, char **out_program)
{
    if (!strchr(name, '/')) {
        return find_beside(toolkit->nvrtc, out_program);
    }
    if (access(name, X_OK) != 0) {
        return cbn_error(CUBINET_ERROR_TOOLKIT, "cannot run the assembler '%s': %s", name, strerror(errno));
    }
    *out_program = strdup(name);
    return *out_program ? CUBINET_OK : cbn_error_memory();
}

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

static cubinet_status open_files(const struct assemble_job *job, struct files *files)
{
    files->ptx = memfd_create("ptx", MFD_CLOEXEC);
    files->cubin = memfd_create("cubin", MFD_CLOEXEC);
    files->log = memfd_create("log", MFD_CLOEXEC);
    if (files->ptx < 0 || files->cubin < 0 || files->log < 0) {
        return fail_system("cannot make a file in memory for ptxas");
    }
    for (size_t done = 0; done < job->size;) {
        ssize_t written = write(files->ptx, job->ptx + done, job->size - done);
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
static cubinet_status add_option(struct string_list *arguments, const char *option)
{
    static const char forwarded[] = "-Xptxas=";
    if (strncmp(option, forwarded, strlen(forwarded)) == 0) {
        return string_list_add(arguments, option + strlen(forwarded));
    }
    return string_list_add(arguments, strcmp(option, "-verbose") == 0 ? "-v" : option);
}

static cubinet_status make_arguments(const char *program, const struct assemble_job *job,
                                     struct string_list *arguments)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    cubinet_status status = string_list_add(arguments, program);
    if (status == CUBINET_OK) {
        status = string_list_addf(arguments, "-arch=%s", cubinet_target_name(job->target, name));
    }
    for (size_t i = 0; status == CUBINET_OK && i < job->option_count; i++) {
        status = add_option(arguments, job->options[i]);
    }
    static const char *const files[] = {"/proc/self/fd/3", "-o", "/proc/self/fd/4"};
    for (size_t i = 0; status == CUBINET_OK && i < sizeof(files) / sizeof(files[0]); i++) {
        status = string_list_add(arguments, files[i]);
    }
    return status;
}

/* Runs the program with the PTX and the cubin as descriptors 3 and 4 and what it says in the log. The numbers
 * that the files have here are moved out of the way first, since one of them may be 3 or 4. */
static cubinet_status spawn(const char *program, const struct string_list *arguments,
                            const struct files *files, pid_t *out_process)
{
    char **argv = calloc(arguments->count + 1, sizeof(*argv));
    posix_spawn_file_actions_t actions;
    if (!argv || posix_spawn_file_actions_init(&actions) != 0) {
        free(argv);
        return cbn_error_memory();
    }
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
    result = result ? result : posix_spawn(out_process, program, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    close_files(&moved);
    free(argv);
    if (result) {
        return cbn_error(CUBINET_ERROR_TOOLKIT, "cannot run the assembler '%s': %s", program,
                         strerror(result));
    }
    return CUBINET_OK;
}

static cubinet_status run(const char *program, const struct string_list *arguments, const struct files *files,
                          int *out_exit)
{
    pid_t process;
    int state;
    cubinet_status status = spawn(program, arguments, files, &process);
    if (status) {
        return status;
    }
    while (waitpid(process, &state, 0) < 0) {
        if (errno != EINTR) {
            return fail_system("cannot wait for ptxas");
        }
    }
    *out_exit = WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
    return CUBINET_OK;
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
    size_t log_size;
    size_t size = 0;
    cubinet_status status = read_file(files->log, &log, &log_size);
    if (status == CUBINET_OK) {
        status = clean_log(&log);
    }
    if (status == CUBINET_OK && exit == 0) {
        status = read_file(files->cubin, &cubin, &size);
    }
    if (status == CUBINET_OK && size == 0) {
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

cubinet_status ptxas_assemble(const char *program, const struct assemble_job *job,
                              struct cbn_link_result *out_result)
{
    struct string_list arguments = {0};
    struct files files = no_files;
    int exit = 0;
    cubinet_status status = make_arguments(program, job, &arguments);
    if (status == CUBINET_OK) {
        status = open_files(job, &files);
    }
    if (status == CUBINET_OK) {
        status = run(program, &arguments, &files, &exit);
    }
    if (status == CUBINET_OK) {
        status = take_results(&files, exit, out_result);
    }
    close_files(&files);
    string_list_free(&arguments);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "base/atomic_file.h"
#include "base/comma_list.h"
#include "base/text_table.h"
#include "loader/core/archive/storage.h"
#include "loader/core/support/error.h"
#include "show/explain_devices.h"
#include "slim/slim_show.h"
#include "slim/slim_write.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

enum { ARCH = 1, OUTPUT, KEEP_PTX, NO_COMPRESS, CUT, DRY_RUN, TOP, JSON };
enum { USUAL_TOP = 20 };

static const struct option options[] = {
    {OUTPUT, "output", 'o', "FILE", "write FILE; it may be the input, which is then replaced", false},
    {ARCH, "arch", 0, "WORDS",
     "the GPUs whose images stay: compute capabilities (9.0) or names\n(h100), separated by commas; all, or "
     "native for this machine's.\nMay be repeated",
     false},
    {ARCH, "device", 0, "GPU", NULL, false},
    {KEEP_PTX, "keep-ptx", 0, NULL, "also keep PTX for future GPUs", false},
    {NO_COMPRESS, "no-compress", 0, NULL, "don't compress images that stay", false},
    {CUT, "cut", 0, NULL,
     "make the file itself smaller: cut out the pages that become\nzeros. Run strip before, not after",
     false},
    {DRY_RUN, "dry-run", 0, NULL,
     "write nothing, and list what takes the space, by target and\nkernel, and what would stay", false},
    {TOP, "top", 0, "N", "list N kernels (default: 20)", false},
    {JSON, "json", 0, NULL, "print JSON", false},
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "slim FILE [--arch WORDS] -o FILE [OPTIONS]",
    .about =
        "Removes images for GPUs that you do not name from a program or shared library that nvcc made, and\n"
        "compresses the rest. The CUDA runtime loads the result as before: addresses stay the same, and "
        "only\n"
        "device code changes. Zeros replace the removed images, as a hole if the file system supports "
        "holes.\n"
        "A fatbin without an image for these GPUs, or that slim does not understand, stays unchanged.",
    .example = "cubinet slim libkernels.so --dry-run\n"
               "cubinet slim libkernels.so --arch 8.0,h100 -o slim/libkernels.so",
    .options = options,
};

struct slim {
    struct positionals positionals; /* file */
    struct explain_devices devices;
    const char *output;
    uint32_t top;
    bool keep_ptx;
    bool is_raw;
    bool cut;
    bool dry_run;
    bool json;
    bool help;
};

static cubinet_status add_devices(struct slim *slim, const char *words)
{
    struct cbn_text_list list = {0};
    cubinet_status status = comma_list_split(words, &list);
    for (size_t i = 0; !status && i < list.count; i++) {
        status = strcmp(list.items[i], "native") == 0 ? explain_devices_add_machine(&slim->devices)
                                                      : explain_devices_add(&slim->devices, list.items[i]);
    }
    cbn_text_list_free(&list);
    return status;
}

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct slim *slim = data;
    switch (id) {
    case OUTPUT:
        slim->output = value;
        return CUBINET_OK;
    case ARCH:
        return add_devices(slim, value);
    case KEEP_PTX:
        slim->keep_ptx = true;
        return CUBINET_OK;
    case NO_COMPRESS:
        slim->is_raw = true;
        return CUBINET_OK;
    case CUT:
        slim->cut = true;
        return CUBINET_OK;
    case DRY_RUN:
        slim->dry_run = true;
        return CUBINET_OK;
    case TOP:
        return command_number(value, "kernels", 0, UINT32_MAX, &slim->top);
    case JSON:
        slim->json = true;
        return CUBINET_OK;
    case OPTION_POSITIONAL:
        return command_take(&slim->positionals, 1, value);
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

static cubinet_status check(const struct slim *slim)
{
    const char *missing = slim->positionals.count == 0 ? "no program or shared library is given"
                          : slim->dry_run              ? NULL
                          : !slim->output              ? "no output is given: -o FILE, or --dry-run"
                          : slim->devices.count == 0 && slim->is_raw ? "say which images stay: --arch"
                                                                     : NULL;
    return missing ? cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "%s", missing) : CUBINET_OK;
}

/* What is done to one file. */
struct job {
    const struct slim *slim;
    const char *path;
    struct slim_plan plan;
    struct slim_layout layout;
    const char **labels;
    size_t device_count;
};

static cubinet_status make_plan(struct job *job, const void *bytes, size_t size)
{
    const struct explain_devices *devices = &job->slim->devices;
    cubinet_device_profile *profiles = calloc(devices->count + 1, sizeof(*profiles));
    if (!profiles) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < devices->count; i++) {
        profiles[i] = devices->devices[i].profile;
        profiles[i].driver_version = 0; /* the file may go to machines with newer drivers than this one */
    }
    struct slim_wish wish = {.devices = profiles,
                             .device_count = devices->count,
                             .keeps_ptx = job->slim->keep_ptx,
                             .is_packed = !job->slim->is_raw};
    cubinet_status status = slim_plan_make(bytes, size, &wish, &job->plan);
    free(profiles);
    return status ? status
                  : slim_layout_make(&job->plan.file, job->slim->cut || job->slim->dry_run, &job->layout);
}

static void warn(const struct job *job)
{
    for (size_t i = 0; i < job->device_count; i++) {
        size_t without = job->plan.without[i];
        if (without > 0) {
            command_warning("%zu of %zu fatbins: no image for %s, as before", without,
                            job->plan.file.fatbin_count, job->labels[i]);
        }
    }
}

static cubinet_status show(const struct job *job)
{
    const struct slim_shown shown = {
        .path = job->path,
        .plan = &job->plan,
        .layout = &job->layout,
        .devices = job->labels,
        .device_count = job->device_count,
        .most_kernels = job->slim->top,
    };
    return job->slim->json ? slim_show_json(&shown) : slim_show(&shown);
}

static cubinet_status check_written(const struct job *job, FILE *stream)
{
    size_t size = job->layout.size;
    void *written = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fileno(stream), 0);
    if (written == MAP_FAILED) {
        return cbn_error(CUBINET_ERROR_IO, "cannot be read back: %s", strerror(errno));
    }
    cubinet_status status = slim_check(&job->plan, &job->layout, written, size);
    munmap(written, size);
    return status;
}

/* Writes it with the permissions of the file that it is made of. */
static cubinet_status write_file(const struct job *job)
{
    struct atomic_file file;
    struct stat about;
    if (stat(job->path, &about) != 0) {
        return cbn_error(CUBINET_ERROR_IO, "cannot read '%s': %s", job->path, strerror(errno));
    }
    cubinet_status status = atomic_file_open(job->slim->output, &file);
    if (status) {
        return status;
    }
    if (!file.is_unnamed && !file.temporary) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "it is not a regular file");
    }
    status = status ? status : slim_write(&job->plan, &job->layout, file.stream);
    status = status ? status : check_written(job, file.stream);
    status = status ? status : atomic_file_set_mode(&file, about.st_mode);
    if (status) {
        cbn_error_context(status, "'%s'", job->slim->output);
        atomic_file_discard(&file);
        return status;
    }
    return atomic_file_commit(&file, 0);
}

static void print_result(const struct job *job)
{
    const struct slim_plan *plan = &job->plan;
    char size[SIZE_TEXT_SIZE];
    char zeros[SIZE_TEXT_SIZE];
    char code[SIZE_TEXT_SIZE];
    char new_code[SIZE_TEXT_SIZE];
    printf("%s: device code %s to %s, file %s", job->slim->output,
           size_text(slim_plan_bytes(plan, false), code), size_text(slim_plan_bytes(plan, true), new_code),
           size_text(plan->file.elf.size, size));
    if (job->layout.cut_count > 0) {
        printf(" to %s\n", size_text(job->layout.size, size));
    } else {
        printf(", of which %s are zeros now\n", size_text(slim_plan_zeros(plan), zeros));
    }
    if (job->slim->cut && job->layout.why_kept) {
        command_warning("nothing is cut out of the file: %s", job->layout.why_kept);
    }
}

static cubinet_status run_job(struct job *job, const void *bytes, size_t size)
{
    cubinet_status status = make_plan(job, bytes, size);
    if (status) {
        return cbn_error_context(status, "'%s'", job->path);
    }
    warn(job);
    if (job->slim->dry_run) {
        return show(job);
    }
    status = write_file(job);
    if (!status && job->slim->json) {
        status = show(job);
    } else if (!status) {
        print_result(job);
    }
    return status;
}

static cubinet_status run_slim(const struct slim *slim)
{
    struct job job = {.slim = slim, .path = slim->positionals.values[0]};
    struct cbn_storage storage;
    const unsigned char *bytes = NULL;
    cubinet_status status = cbn_storage_open(job.path, &storage);
    if (status) {
        return status == CUBINET_ERROR_NOT_ARCHIVE
                   ? cbn_error(CUBINET_ERROR_DAMAGED, "'%s' is empty", job.path)
                   : status;
    }
    job.device_count = slim->devices.count;
    job.labels = calloc(job.device_count + 1, sizeof(*job.labels));
    status = job.labels ? cbn_storage_map(&storage, &bytes) : cbn_error_memory();
    for (size_t i = 0; !status && i < job.device_count; i++) {
        job.labels[i] = slim->devices.devices[i].label;
    }
    status = status ? status : run_job(&job, bytes, storage.size);
    slim_layout_free(&job.layout);
    slim_plan_free(&job.plan);
    free(job.labels);
    cbn_storage_close(&storage);
    return status;
}

static int run(int argc, char **argv)
{
    struct slim slim = {.top = USUAL_TOP};
    int result;
    cubinet_status status = command_read(options, argc, argv, take_option, &slim, &slim.help);
    if (!status && !slim.help) {
        status = check(&slim);
    }
    if (status) {
        result = command_usage("slim");
    } else if (slim.help) {
        command_print_help(&help);
        result = EXIT_OK;
    } else {
        result = command_exit(run_slim(&slim));
    }
    explain_devices_free(&slim.devices);
    return result;
}

const struct command cmd_slim = {"slim", "remove images that you do not need from what nvcc linked", run};

/* SPDX-License-Identifier: Apache-2.0 */
#include "link/link_arguments.h"

#include "archive/output_check.h"
#include "base/command.h"
#include "base/name_check.h"
#include "base/outputs.h"
#include "base/path.h"
#include "base/remote_address.h"
#include "compile/compile_arguments.h"
#include "compile/link_options.h"
#include "link/link_inputs.h"
#include "loader/core/support/error.h"

#include <stdlib.h>
#include <string.h>

enum id {
    ID_OUTPUT = 1,
    ID_MODULE,
    ID_ARCH,
    ID_DEVICE,
    ID_LIBRARY,
    ID_KEEP_PIECES,
    ID_KERNEL,
    ID_GLOBAL,
    ID_KEEP_GLOBALS,
    ID_REQUIRE,
    ID_PARTS,
    ID_OPTIMIZE,
    ID_DEBUG,
    ID_LINE_INFO,
    ID_MAX_REGISTERS,
    ID_FAST_MATH,
    ID_FTZ,
    ID_PREC_DIV,
    ID_PREC_SQRT,
    ID_FMAD,
    ID_DEVICE_RUNTIME,
    ID_NVJITLINK,
    ID_NVJITLINK_PATH,
    ID_TOOLKIT,
    ID_ALL,
    ID_CACHE,
    ID_REMOTE_CACHE,
    ID_DEPFILE,
    ID_DEPFILE_PATH,
    ID_DEPFILE_TARGET,
    ID_DEPFILE_PHONY,
    ID_WRITE_IF_DIFFERENT,
    ID_TIMEOUT,
    ID_MEMORY_LIMIT,
    ID_COMPILE_OPTIONS,
    ID_VERBOSE,
    ID_HELP,
};

static const struct option options[] = {
    {ID_OUTPUT, "output-file", 'o', "FILE", "archive to write", false},
    {ID_OUTPUT, "output", 0, "FILE", NULL, false},
    {ID_MODULE, "module", 0, "NAME", "name of the module (default: the output's name without suffix)", false},
    {ID_ARCH, "arch", 0, "WORDS",
     "what to make, as for `cubinet compile`: 80 (cubin and PTX),\n"
     "80-real, 90a-real, 80-virtual, native, several separated\n"
     "by commas. May be repeated",
     false},
    {ID_ARCH, "gpu-architecture", 0, "WORDS", NULL, false},
    {ID_DEVICE, "device", 0, "TARGET", "what a device runs, such as sm_90: only the cubin", false},
    {ID_LIBRARY, "library", 'l', "ARCHIVE",
     "take missing definitions from the modules of this archive.\nMay be repeated", false},
    {ID_KEEP_PIECES, "keep-pieces", 0, NULL, "also keep the modules of the piece archives", false},
    {ID_KERNEL, "kernel", 0, "EXPR", "kernel to keep; the others are dropped. May be repeated", false},
    {ID_GLOBAL, "global", 0, "EXPR",
     "variable to keep for the host although no code uses it. May\nbe repeated", false},
    {ID_KEEP_GLOBALS, "keep-globals", 0, NULL, "keep variables that nothing refers to", false},
    {ID_REQUIRE, "require", 0, "EXPR", "fail if no piece has this kernel or variable. May be repeated",
     false},
    {ID_PARTS, "parts", 0, "WHICH",
     "each, auto or none: link kernels that share nothing into parts\nof their own, which load by themselves "
     "(default: auto, in large\nmodules)",
     false},
    {ID_OPTIMIZE, "optimize", 'O', "LEVEL", "0 or 3 (default: 3)", true},
    {ID_DEBUG, "device-debug", 'G', NULL, "debug information", false},
    {ID_LINE_INFO, "lineinfo", 0, NULL, "line numbers for profilers", false},
    {ID_LINE_INFO, "generate-line-info", 0, NULL, NULL, false},
    {ID_MAX_REGISTERS, "maxrregcount", 0, "N", "registers that a thread may have", false},
    {ID_FAST_MATH, "use_fast_math", 0, NULL, "-ftz=true -prec-div=false -prec-sqrt=false", false},
    {ID_FTZ, "ftz", 0, "BOOL", "flush single-precision denormals to zero", false},
    {ID_PREC_DIV, "prec-div", 0, "BOOL", "IEEE division", false},
    {ID_PREC_SQRT, "prec-sqrt", 0, "BOOL", "IEEE square root", false},
    {ID_FMAD, "fmad", 0, "BOOL", "contract multiplications and additions", false},
    {ID_DEVICE_RUNTIME, "cudadevrt", 0, "KIND", "static, or none: never link libcudadevrt", false},
    {ID_NVJITLINK, "nvjitlink", 0, "OPTION",
     "any other option of nvJitLink; or write it after --; may be\nrepeated", false},
    {ID_NVJITLINK_PATH, "nvjitlink-path", 0, "FILE", "libnvJitLink to link with", false},
    {ID_TOOLKIT, "toolkit", 0, "DIR", "CUDA toolkit, or folder of CUDA's Python packages", false},
    {ID_ALL, "all", 0, NULL,
     "write no archive, but fill a cache with what\nloading the archives on --device would link; "
     "--device may\nbe repeated",
     false},
    {ID_CACHE, "cache", 0, "DIR",
     "with --all: the cache's folder (default:\n$CUBINET_CACHE_DIR, else $XDG_CACHE_HOME/cubinet)", false},
    {ID_REMOTE_CACHE, "remote-cache", 0, "URL",
     "with --all: server that shares results between machines (default:\n$CUBINET_REMOTE_CACHE)", false},
    {ID_DEPFILE, "MD", 0, NULL, "write a depfile: what the link read", false},
    {ID_DEPFILE, "generate-dependencies-with-compile", 0, NULL, NULL, false},
    {ID_DEPFILE_PATH, "MF", 0, "FILE", "depfile to write (default: the output's name with .d)", false},
    {ID_DEPFILE_PATH, "dependency-output", 0, "FILE", NULL, false},
    {ID_DEPFILE_TARGET, "MT", 0, "TARGET", "target in the depfile (default: the output)", false},
    {ID_DEPFILE_TARGET, "dependency-target-name", 0, "TARGET", NULL, false},
    {ID_DEPFILE_PHONY, "MP", 0, NULL, "add a rule for each file, so that make accepts deleted ones", false},
    {ID_DEPFILE_PHONY, "generate-dependency-targets", 0, NULL, NULL, false},
    {ID_WRITE_IF_DIFFERENT, "write-if-different", 0, NULL, "do not touch outputs that would stay the same",
     false},
    {ID_TIMEOUT, "timeout", 0, "SECONDS", "stop a link that takes longer; 0: never", false},
    {ID_MEMORY_LIMIT, "memory-limit", 0, "SIZE", "stop a link that needs more, such as 4G; 0: never", false},
    {ID_COMPILE_OPTIONS, "compile-options", 0, NULL,
     "all that follows are options of `cubinet compile`, with which\nthe pieces were compiled: those that "
     "LTO-IR leaves to the link\nhave an effect, before the link's own",
     false},
    {ID_VERBOSE, "verbose", 'v', NULL, "print what is linked, and with which options", false},
    {ID_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "link PIECE... -o ARCHIVE --arch WORDS [OPTIONS] [-- NVJITLINK_OPTION...]\n"
             "                    [--compile-options COMPILE_OPTION...]\n"
             "       cubinet link --all --device TARGET [--cache DIR] ARCHIVE...",
    .about =
        "Links pieces of device code into one module. A piece is an archive with all its modules, one\nof "
        "its modules (ARCHIVE:MODULE), or a file: LTO-IR, PTX, a cubin, a fatbin, an object file\nwith "
        "device code, or a static library. A missing or repeated definition is an error that\nnames it.",
    .example = "cubinet link skeleton.cubinet ops.cubinet:add_float -o scan.cubinet --arch 80,90a-real\n"
               "cubinet link --all --device sm_90 --cache /var/cache/app kernels.cubinet",
    .options = options,
};

/* Sets or clears a bit by a truth value; `set_by` is the value that sets it. */
static cubinet_status take_math(struct link_arguments *arguments, uint32_t bit, bool set_by,
                                const char *value, const char *spelling)
{
    bool is_true = strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
    if (!is_true && strcmp(value, "false") != 0 && strcmp(value, "0") != 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '%s' takes true or false, not '%s'",
                         spelling, value);
    }
    uint32_t cleared = arguments->options.math & ~bit;
    arguments->options.math = is_true == set_by ? cleared | bit : cleared;
    return CUBINET_OK;
}

static cubinet_status take_optimization(struct link_arguments *arguments, const char *level)
{
    level = level ? level : "3";
    if (strcmp(level, "0") != 0 && strcmp(level, "3") != 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "option '-O' takes 0 or 3, not '%s': nvJitLink knows no other levels", level);
    }
    uint32_t others = arguments->options.flags & ~(uint32_t)CUBINET_LINK_NO_OPTIMIZATION;
    arguments->options.flags = others | (level[0] == '0' ? CUBINET_LINK_NO_OPTIMIZATION : 0u);
    return CUBINET_OK;
}

static cubinet_status take_device_runtime(struct link_arguments *arguments, const char *kind)
{
    arguments->no_device_runtime = strcmp(kind, "none") == 0;
    return arguments->no_device_runtime || strcmp(kind, "static") == 0
               ? CUBINET_OK
               : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                           "option '--cudadevrt' takes none or static, not '%s'", kind);
}

/* A device runs a cubin, so that is what its name stands for. */
static cubinet_status take_device(struct link_arguments *arguments, const char *name)
{
    cubinet_target device = {0};
    cubinet_status status = cubinet_target_parse(name, &device);
    if (status || device.kind != CUBINET_IMAGE_CUBIN) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "option '--device' takes a device such as sm_90, not '%s'", name);
    }
    const char suffix[] = {(char)device.suffix, '\0'};
    status = cbn_text_list_add_once(&arguments->devices, name);
    return status ? status : cbn_text_list_addf(&arguments->archs, "%d%s-real", device.number, suffix);
}

/* Takes an option that is about what is linked, and where to. */
static cubinet_status take_result_option(struct link_arguments *arguments, int id, const char *value)
{
    switch (id) {
    case ID_OUTPUT:
        return command_copy(&arguments->output, value);
    case ID_MODULE:
        return command_copy(&arguments->module, value);
    case ID_ARCH:
        return cbn_text_list_add(&arguments->archs, value);
    case ID_DEVICE:
        return take_device(arguments, value);
    case ID_LIBRARY:
        return cbn_text_list_add(&arguments->libraries, value);
    case ID_KEEP_PIECES:
        arguments->keep_pieces = true;
        return CUBINET_OK;
    case ID_KERNEL:
        return cbn_text_list_add_once(&arguments->kernels_used, value);
    case ID_GLOBAL:
        return cbn_text_list_add_once(&arguments->variables_used, value);
    case ID_REQUIRE:
        return cbn_text_list_add_once(&arguments->required, value);
    case ID_KEEP_GLOBALS:
        arguments->keep_globals = true;
        return CUBINET_OK;
    case ID_ALL:
        arguments->all = true;
        return CUBINET_OK;
    case ID_CACHE:
        arguments->cache = value;
        return CUBINET_OK;
    case ID_REMOTE_CACHE:
        arguments->remote_cache = value;
        return remote_address_check("--remote-cache", value);
    case ID_WRITE_IF_DIFFERENT:
        arguments->writer.keep_if_equal = true;
        return CUBINET_OK;
    case OPTION_POSITIONAL:
        return cbn_text_list_add(&arguments->pieces, value);
    default:
        return CUBINET_OK;
    }
}

/* Takes an option that is about the depfile. */
static cubinet_status take_depfile_option(struct link_arguments *arguments, int id, const char *value)
{
    switch (id) {
    case ID_DEPFILE:
        arguments->write_depfile = true;
        return CUBINET_OK;
    case ID_DEPFILE_PATH:
        return command_copy(&arguments->depfile, value);
    case ID_DEPFILE_TARGET:
        arguments->target = value;
        return CUBINET_OK;
    case ID_DEPFILE_PHONY:
        arguments->phony = true;
        return CUBINET_OK;
    default:
        return CUBINET_OK;
    }
}

/* Takes an option that is about how to link. */
static cubinet_status take_link_option(struct link_arguments *arguments, int id, const char *value,
                                       const char *spelling)
{
    cubinet_link_options *link = &arguments->options;
    switch (id) {
    case ID_PARTS:
        return parts_choice_read(value, &arguments->parts);
    case ID_OPTIMIZE:
        return take_optimization(arguments, value);
    case ID_DEBUG:
        link->flags |= CUBINET_LINK_DEBUG;
        return CUBINET_OK;
    case ID_LINE_INFO:
        link->flags |= CUBINET_LINK_LINEINFO;
        return CUBINET_OK;
    case ID_MAX_REGISTERS:
        return command_number(value, "registers", 1, 255, &link->max_registers);
    case ID_FAST_MATH:
        link->math |= CUBINET_MATH_FAST;
        return CUBINET_OK;
    case ID_FTZ:
        return take_math(arguments, CUBINET_MATH_FLUSH_DENORMALS, true, value, spelling);
    case ID_PREC_DIV:
        return take_math(arguments, CUBINET_MATH_APPROXIMATE_DIVISION, false, value, spelling);
    case ID_PREC_SQRT:
        return take_math(arguments, CUBINET_MATH_APPROXIMATE_SQRT, false, value, spelling);
    case ID_FMAD:
        return take_math(arguments, CUBINET_MATH_NO_FMA, false, value, spelling);
    case ID_DEVICE_RUNTIME:
        return take_device_runtime(arguments, value);
    case ID_NVJITLINK:
        return cbn_text_list_add(&arguments->raw_options, value);
    case ID_NVJITLINK_PATH:
        arguments->nvjitlink = value;
        return CUBINET_OK;
    case ID_TOOLKIT:
        arguments->toolkit = value;
        return CUBINET_OK;
    case ID_TIMEOUT:
        return limits_take_timeout(&arguments->limits, value);
    case ID_MEMORY_LIMIT:
        return limits_take_memory(&arguments->limits, value);
    case ID_VERBOSE:
        arguments->verbose = true;
        return CUBINET_OK;
    case ID_HELP:
        arguments->help = true;
        return CUBINET_OK;
    default:
        return CUBINET_OK;
    }
}

static cubinet_status read_options(struct option_reader *reader, struct link_arguments *arguments)
{
    cubinet_status status = CUBINET_OK;
    while (!status && !arguments->help) {
        int id = option_next(reader);
        if (id == OPTION_END || id == OPTION_ERROR) {
            return id == OPTION_END ? CUBINET_OK : CUBINET_ERROR_INVALID_ARGUMENT;
        }
        if (id == OPTION_POSITIONAL && reader->only_positional) {
            status = cbn_text_list_add(&arguments->raw_options, reader->value);
            continue;
        }
        status = take_result_option(arguments, id, reader->value);
        if (!status) {
            status = take_depfile_option(arguments, id, reader->value);
        }
        if (!status) {
            status = take_link_option(arguments, id, reader->value, reader->spelling);
        }
    }
    return status;
}

static cubinet_status check_all(const struct link_arguments *arguments)
{
    if (arguments->devices.count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "option '--all' needs the device to link for, such as --device sm_90");
    }
    if (arguments->output || arguments->module || arguments->keep_pieces || arguments->libraries.count ||
        arguments->write_depfile) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "option '--all' fills a cache and writes no archive; leave -o and what is about it "
                         "out");
    }
    return CUBINET_OK;
}

/* A link keeps too little of its pieces to replace one. */
static cubinet_status check_files(const struct link_arguments *arguments)
{
    struct outputs outputs = {0};
    struct cbn_text_list archives = {0};
    cubinet_status status = link_inputs_files(&arguments->pieces, &archives);
    outputs_write(&outputs, "the output", arguments->output);
    outputs_write(&outputs, "the depfile", arguments->write_depfile ? arguments->depfile : NULL);
    outputs_read_all(&outputs, "the piece", &archives);
    outputs_read_all(&outputs, "the library", &arguments->libraries);
    cubinet_status checked = outputs_check(&outputs);
    cbn_text_list_free(&archives);
    return status ? status : checked;
}

static cubinet_status complete_depfile(struct link_arguments *arguments)
{
    if (arguments->depfile && !arguments->write_depfile) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '-MF' needs '-MD'");
    }
    if (!arguments->depfile && !(arguments->depfile = path_with_suffix(arguments->output, ".d"))) {
        return cbn_error_memory();
    }
    arguments->target = arguments->target ? arguments->target : arguments->output;
    return CUBINET_OK;
}

/* Fills in what follows from the rest. */
static cubinet_status complete(struct link_arguments *arguments)
{
    if (arguments->pieces.count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "nothing to link is given");
    }
    if (arguments->all) {
        return check_all(arguments);
    }
    if (arguments->cache || arguments->remote_cache) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '%s' goes with '--all'",
                         arguments->cache ? "--cache" : "--remote-cache");
    }
    if (!arguments->output) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no output is given: -o FILE");
    }
    if (arguments->archs.count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "no architecture is given: --arch 80,90a-real, or --device sm_90");
    }
    if (!arguments->module && !(arguments->module = path_stem(arguments->output))) {
        return cbn_error_memory();
    }
    cubinet_status status = output_check_name(arguments->output);
    if (!status) {
        status = complete_depfile(arguments);
    }
    if (!status) {
        status = check_files(arguments);
    }
    return status ? status : name_check("the module's name", arguments->module);
}

static void point_options(struct link_arguments *arguments)
{
    cubinet_link_options *link = &arguments->options;
    link->size = sizeof(*link);
    link->kernels_used = (const char *const *)arguments->kernels_used.items;
    link->kernels_used_count = arguments->kernels_used.count;
    link->variables_used = (const char *const *)arguments->variables_used.items;
    link->variables_used_count = arguments->variables_used.count;
    link->raw_options = (const char *const *)arguments->raw_options.items;
    link->raw_option_count = arguments->raw_options.count;
    if (!arguments->keep_globals && !arguments->all) {
        link->flags |= CUBINET_LINK_DROP_UNUSED_VARIABLES;
    }
}

/* How many arguments come before --compile-options; all of them if it is not there. */
static int count_own(int argc, char **argv)
{
    struct option_reader reader = {.options = options, .argc = argc, .argv = argv};
    for (int id; (id = option_next(&reader)) != OPTION_END && id != OPTION_ERROR;) {
        if (id == ID_COMPILE_OPTIONS) {
            return reader.next - 1;
        }
    }
    return argc;
}

/* Reads what a compile's options become. The link's own come later, and win. */
static cubinet_status read_compile_options(int argc, char **argv, struct link_arguments *arguments)
{
    struct arguments expanded;
    struct cbn_text_list files = {0}; /* nvJitLink opens them, which is seen */
    cubinet_status status = compile_arguments_expand(argc, argv, &expanded);
    if (status) {
        return status;
    }
    status = link_options_of_compile(expanded.count, expanded.values, &arguments->of_compile, &files);
    arguments_free(&expanded);
    cbn_text_list_free(&files);
    struct option_reader reader = {
        .options = options, .argc = (int)arguments->of_compile.count, .argv = arguments->of_compile.items};
    return status ? status : read_options(&reader, arguments);
}

/* Reads the compile's options and the link's. */
static cubinet_status read_all(int argc, char **argv, struct link_arguments *arguments)
{
    int own = count_own(argc, argv);
    struct option_reader reader = {.options = options, .argc = own, .argv = argv};
    cubinet_status status =
        own < argc ? read_compile_options(argc - own - 1, argv + own + 1, arguments) : CUBINET_OK;
    return status ? status : read_options(&reader, arguments);
}

cubinet_status link_arguments_read(int argc, char **argv, struct link_arguments *out_arguments)
{
    struct link_arguments arguments = {0};
    cubinet_status status = read_all(argc, argv, &arguments);
    if (!status && !arguments.help) {
        status = complete(&arguments);
    }
    if (!status && !arguments.help) {
        status = limits_take_environment(&arguments.limits);
    }
    if (status) {
        link_arguments_free(&arguments);
        return status;
    }
    point_options(&arguments);
    *out_arguments = arguments;
    return CUBINET_OK;
}

void link_arguments_free(struct link_arguments *arguments)
{
    cbn_text_list_free(&arguments->pieces);
    cbn_text_list_free(&arguments->libraries);
    cbn_text_list_free(&arguments->archs);
    cbn_text_list_free(&arguments->devices);
    cbn_text_list_free(&arguments->kernels_used);
    cbn_text_list_free(&arguments->variables_used);
    cbn_text_list_free(&arguments->raw_options);
    cbn_text_list_free(&arguments->required);
    cbn_text_list_free(&arguments->of_compile);
    free(arguments->output);
    free(arguments->module);
    free(arguments->depfile);
    *arguments = (struct link_arguments){0};
}

void link_arguments_help(void)
{
    command_print_help(&help);
}

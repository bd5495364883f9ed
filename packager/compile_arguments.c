/* SPDX-License-Identifier: Apache-2.0 */
#include "compile_arguments.h"

#include "error.h"
#include "name_check.h"
#include "options.h"
#include "output_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum id {
    ID_OUTPUT = 1,
    ID_MODULE,
    ID_ARCH,
    ID_GENCODE,
    ID_CODE,
    ID_KERNEL,
    ID_GLOBAL,
    ID_INCLUDE,
    ID_SYSTEM_INCLUDE,
    ID_DEFINE,
    ID_UNDEFINE,
    ID_PRE_INCLUDE,
    ID_STD,
    ID_OPTIMIZE,
    ID_DEBUG,
    ID_LINE_INFO,
    ID_FAST_MATH,
    ID_FTZ,
    ID_PREC_DIV,
    ID_PREC_SQRT,
    ID_FMAD,
    ID_MAX_REGISTERS,
    ID_RELOCATABLE,
    ID_DEVICE_C,
    ID_DEFAULT_DEVICE,
    ID_RESTRICT,
    ID_VECTORIZE,
    ID_PTXAS,
    ID_NVRTC,
    ID_NVJITLINK,
    ID_KEEP_GLOBALS,
    ID_PREFIX_MAP,
    ID_NO_WARNINGS,
    ID_WERROR,
    ID_DIAG_SUPPRESS,
    ID_DIAG_WARN,
    ID_DIAG_ERROR,
    ID_DEPFILE,
    ID_DEPFILE_PATH,
    ID_DEPFILE_TARGET,
    ID_DEPFILE_PHONY,
    ID_WRITE_IF_DIFFERENT,
    ID_TOOLKIT,
    ID_VERBOSE,
    ID_HELP,
};

static const struct option options[] = {
    {ID_OUTPUT, "output-file", 'o', "FILE", "archive to write (default: the source's name with .cubinet)",
     false},
    {ID_MODULE, "module", 0, "NAME", "module to file it as (default: the source's name without suffix)",
     false},
    {ID_ARCH, "arch", 0, "WORDS",
     "what to make: 80 (cubin and PTX), 80-real, 80-virtual, 80-lto, 90a,\n"
     "100f, all, all-major, native, several separated by commas; or\n"
     "nvcc's sm_80 and compute_80. May be repeated",
     false},
    {ID_ARCH, "gpu-architecture", 0, "WORDS", NULL, false},
    {ID_CODE, "code", 0, "LIST", "with -arch=compute_…: what to make of it, such as sm_80,sm_86", false},
    {ID_CODE, "gpu-code", 0, "LIST", NULL, false},
    {ID_GENCODE, "gencode", 0, "SPEC", "arch=compute_80,code=[sm_80,sm_86,compute_80]; may be repeated",
     false},
    {ID_GENCODE, "generate-code", 0, "SPEC", NULL, false},
    {ID_KERNEL, "kernel", 0, "EXPR", "kernel to make, such as 'scale<float>'; may be repeated", false},
    {ID_GLOBAL, "global", 0, "EXPR", "variable that the host names, such as '&table'; may be repeated",
     false},
    {ID_INCLUDE, "include-path", 'I', "DIR", "look for headers there", false},
    {ID_SYSTEM_INCLUDE, "isystem", 0, "DIR", "look for headers there after -I; no warnings about them",
     false},
    {ID_SYSTEM_INCLUDE, "system-include", 0, "DIR", NULL, false},
    {ID_DEFINE, "define-macro", 'D', "NAME[=VALUE]", "define a macro", false},
    {ID_UNDEFINE, "undefine-macro", 'U', "NAME", "take a macro's definition back", false},
    {ID_PRE_INCLUDE, "include", 0, "FILE", "include a header before the source", false},
    {ID_PRE_INCLUDE, "pre-include", 0, "FILE", NULL, false},
    {ID_STD, "std", 0, "c++17", "dialect: c++03, c++11, c++14, c++17, c++20", false},
    {ID_OPTIMIZE, "optimize", 'O', "LEVEL", "ptxas's optimization: 0 to 3 (default: 3)", true},
    {ID_DEBUG, "device-debug", 'G', NULL, "debug information, and no optimization", false},
    {ID_LINE_INFO, "lineinfo", 0, NULL, "line numbers for profilers", false},
    {ID_LINE_INFO, "generate-line-info", 0, NULL, NULL, false},
    {ID_FAST_MATH, "use_fast_math", 0, NULL, "-ftz=true -prec-div=false -prec-sqrt=false -fmad=true", false},
    {ID_FTZ, "ftz", 0, "BOOL", "flush single-precision denormals to zero", false},
    {ID_PREC_DIV, "prec-div", 0, "BOOL", "IEEE division", false},
    {ID_PREC_SQRT, "prec-sqrt", 0, "BOOL", "IEEE square root", false},
    {ID_FMAD, "fmad", 0, "BOOL", "contract multiplications and additions", false},
    {ID_MAX_REGISTERS, "maxrregcount", 0, "N", "registers that a thread may have", false},
    {ID_RELOCATABLE, "rdc", 0, "BOOL", "relocatable device code", false},
    {ID_RELOCATABLE, "relocatable-device-code", 0, "BOOL", NULL, false},
    {ID_DEVICE_C, "device-c", 0, NULL, NULL, false},
    {ID_DEVICE_C, "dc", 0, NULL, NULL, false},
    {ID_DEFAULT_DEVICE, "default-device", 0, NULL, "functions without annotation are for the device", false},
    {ID_DEFAULT_DEVICE, "device-as-default-execution-space", 0, NULL, NULL, false},
    {ID_RESTRICT, "restrict", 0, NULL, "pointers that are parameters of kernels do not alias", false},
    {ID_VECTORIZE, "extra-device-vectorization", 0, NULL, "vectorize more", false},
    {ID_PTXAS, "Xptxas", 0, "LIST", "options for ptxas, separated by commas", false},
    {ID_PTXAS, "ptxas-options", 0, "LIST", NULL, false},
    {ID_NVRTC, "nvrtc", 0, "OPTION", "any other option of NVRTC; may be repeated", false},
    {ID_NVJITLINK, "nvjitlink", 0, "OPTION", "any other option of nvJitLink; may be repeated", false},
    {ID_KEEP_GLOBALS, "keep-globals", 0, NULL, "keep variables that nothing refers to", false},
    {ID_PREFIX_MAP, "file-prefix-map", 0, "OLD=NEW", "write NEW for OLD where paths are recorded", false},
    {ID_NO_WARNINGS, "disable-warnings", 'w', NULL, "no warnings", false},
    {ID_WERROR, "Werror", 0, " [all-warnings]", "fail if there are warnings", true},
    {ID_DIAG_SUPPRESS, "diag-suppress", 0, "NUMBERS", "leave warnings out, such as 177", false},
    {ID_DIAG_WARN, "diag-warn", 0, "NUMBERS", "make errors warnings", false},
    {ID_DIAG_ERROR, "diag-error", 0, "NUMBERS", "make warnings errors", false},
    {ID_DEPFILE, "MD", 0, NULL,
     "write a depfile, and OUTPUT.inputs, by which a second run\nsees that there is "
     "nothing to do",
     false},
    {ID_DEPFILE, "generate-dependencies-with-compile", 0, NULL, NULL, false},
    {ID_DEPFILE_PATH, "MF", 0, "FILE", "depfile to write (default: the output's name with .d)", false},
    {ID_DEPFILE_PATH, "dependency-output", 0, "FILE", NULL, false},
    {ID_DEPFILE_TARGET, "MT", 0, "TARGET", "target in the depfile (default: the output)", false},
    {ID_DEPFILE_PHONY, "MP", 0, NULL, "add a rule for each header, so that make minds no deleted one", false},
    {ID_DEPFILE_PHONY, "generate-dependency-targets", 0, NULL, NULL, false},
    {ID_WRITE_IF_DIFFERENT, "write-if-different", 0, NULL, "leave an output with the same bytes untouched",
     false},
    {ID_TOOLKIT, "toolkit", 0, "DIR", "CUDA toolkit, or folder of CUDA's Python packages", false},
    {ID_VERBOSE, "verbose", 'v', NULL, "print what is run", false},
    {ID_HELP, "help", 'h', NULL, "print this", false},
    {0},
};

/* What options become for NVRTC and nvJitLink: the text and, if the option has one, its value. */
static const struct {
    enum id id;
    const char *nvrtc;     /* NULL: nothing */
    const char *nvjitlink; /* NULL: nothing */
} forwarded[] = {
    {ID_INCLUDE, "-I", NULL},
    {ID_DEFINE, "-D", NULL},
    {ID_UNDEFINE, "-U", NULL},
    {ID_PRE_INCLUDE, "-include=", NULL},
    {ID_STD, "-std=", NULL},
    {ID_DEBUG, "-G", "-g"},
    {ID_LINE_INFO, "-lineinfo", "-lineinfo"},
    {ID_FAST_MATH, "-use_fast_math", NULL},
    {ID_FTZ, "-ftz=", NULL},
    {ID_PREC_DIV, "-prec-div=", NULL},
    {ID_PREC_SQRT, "-prec-sqrt=", NULL},
    {ID_FMAD, "-fmad=", NULL},
    {ID_MAX_REGISTERS, "-maxrregcount=", "-maxrregcount="},
    {ID_RELOCATABLE, "-rdc=", NULL},
    {ID_DEVICE_C, "-dc", NULL},
    {ID_DEFAULT_DEVICE, "-default-device", NULL},
    {ID_RESTRICT, "-restrict", NULL},
    {ID_VECTORIZE, "-extra-device-vectorization", NULL},
    {ID_NVRTC, "", NULL},
    {ID_NVJITLINK, NULL, ""},
    {ID_NO_WARNINGS, "-w", NULL},
    {ID_DIAG_SUPPRESS, "-diag-suppress=", NULL},
    {ID_DIAG_WARN, "-diag-warn=", NULL},
    {ID_DIAG_ERROR, "-diag-error=", NULL},
};

static cubinet_status forward(struct compile_arguments *arguments, enum id id, const char *value)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; status == CUBINET_OK && i < sizeof(forwarded) / sizeof(forwarded[0]); i++) {
        if (forwarded[i].id != id) {
            continue;
        }
        const char *text = value ? value : "";
        if (forwarded[i].nvrtc) {
            status = string_list_addf(&arguments->nvrtc_options, "%s%s", forwarded[i].nvrtc, text);
        }
        if (status == CUBINET_OK && forwarded[i].nvjitlink) {
            status = string_list_addf(&arguments->nvjitlink_options, "%s%s", forwarded[i].nvjitlink, text);
        }
    }
    return status;
}

/* nvJitLink takes 0 and 3 of its own; ptxas takes the others. */
static cubinet_status add_optimization(struct compile_arguments *arguments, const char *level)
{
    level = level ? level : "3";
    if (strlen(level) != 1 || !strchr("0123", level[0])) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '-O' takes 0, 1, 2 or 3, not '%s'", level);
    }
    bool own = level[0] == '0' || level[0] == '3';
    return string_list_addf(&arguments->nvjitlink_options, "%s%s", own ? "-O" : "-Xptxas=-O", level);
}

static cubinet_status add_ptxas_options(struct compile_arguments *arguments, const char *list)
{
    cubinet_status status = CUBINET_OK;
    for (const char *at = list; status == CUBINET_OK && *at;) {
        size_t size = strcspn(at, ",");
        if (size > 0) {
            status = string_list_addf(&arguments->nvjitlink_options, "-Xptxas=%.*s", (int)size, at);
        }
        at += size + (at[size] == ',');
    }
    return status;
}

static cubinet_status add_path_map(struct compile_arguments *arguments, const char *text)
{
    const char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '--file-prefix-map' takes OLD=NEW, not '%s'",
                         text);
    }
    struct ptx_path_map *maps =
        reallocarray(arguments->path_maps, arguments->path_map_count + 1, sizeof(*maps));
    if (!maps) {
        return cbn_error_memory();
    }
    arguments->path_maps = maps;
    cubinet_status status = string_list_addf(&arguments->map_texts, "%.*s", (int)(equals - text), text);
    if (status == CUBINET_OK) {
        memmove(maps + 1, maps, arguments->path_map_count * sizeof(*maps));
        const struct string_list *texts = &arguments->map_texts;
        maps[0] = (struct ptx_path_map){.from = texts->items[texts->count - 1], .to = equals + 1};
        arguments->path_map_count++;
    }
    return status;
}

/* Whether NVRTC writes or reads files under this option that are neither the source nor its headers. */
static bool has_side_output(const char *nvrtc_option)
{
    return strstr(nvrtc_option, "time-trace") || strstr(nvrtc_option, "pch");
}

/* The kinds of warnings that nvcc's -Werror takes. */
static const char all_warnings[] = "all-warnings";
static const char *const werror_kinds[] = {all_warnings,
                                           "cross-execution-space-call",
                                           "default-stream-launch",
                                           "deprecated-declarations",
                                           "ext-lambda-captures-this",
                                           "missing-launch-bounds",
                                           "reorder"};

static bool is_werror_kind(const char *text)
{
    for (size_t i = 0; i < sizeof(werror_kinds) / sizeof(werror_kinds[0]); i++) {
        size_t size = strlen(werror_kinds[i]);
        if (strncmp(text, werror_kinds[i], size) == 0 && (text[size] == '\0' || text[size] == ',')) {
            return true;
        }
    }
    return false;
}

/* gcc's -Werror takes no value, nvcc's takes one that may be the next argument. */
static cubinet_status take_werror(struct option_reader *reader, struct compile_arguments *arguments)
{
    const char *kinds = reader->value;
    if (!kinds && reader->next < reader->argc && is_werror_kind(reader->argv[reader->next])) {
        kinds = reader->argv[reader->next++];
    }
    if (kinds && strcmp(kinds, all_warnings) != 0) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "option '-Werror' takes %s, not '%s'; -diag-error makes one warning an error by its number",
            all_warnings, kinds);
    }
    arguments->warnings_are_errors = true;
    return CUBINET_OK;
}

static cubinet_status take_source(struct compile_arguments *arguments, const char *path)
{
    if (arguments->source) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "two sources are given, '%s' and '%s'; a compile takes one, and `cubinet pack` puts archives "
            "together",
            arguments->source, path);
    }
    arguments->source = path;
    return CUBINET_OK;
}

static cubinet_status take_text(char **text, const char *value)
{
    free(*text);
    *text = strdup(value);
    return *text ? CUBINET_OK : cbn_error_memory();
}

/* Takes an option that is about which images and names come out, and where to. */
static cubinet_status take_result_option(struct compile_arguments *arguments, enum id id, const char *value)
{
    switch (id) {
    case ID_OUTPUT:
        return take_text(&arguments->output, value);
    case ID_MODULE:
        return take_text(&arguments->module, value);
    case ID_ARCH:
        return string_list_add(&arguments->archs, value);
    case ID_GENCODE:
        return string_list_add(&arguments->gencodes, value);
    case ID_CODE:
        arguments->code = value;
        return CUBINET_OK;
    case ID_KERNEL:
        return string_list_add_once(&arguments->kernels, value);
    case ID_GLOBAL:
        return string_list_add_once(&arguments->globals, value);
    case ID_KEEP_GLOBALS:
        arguments->keep_globals = true;
        return CUBINET_OK;
    case ID_WRITE_IF_DIFFERENT:
        arguments->keep_if_equal = true;
        return CUBINET_OK;
    case ID_DEPFILE:
        arguments->write_depfile = true;
        return CUBINET_OK;
    case ID_DEPFILE_PATH:
        return take_text(&arguments->depfile, value);
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

/* Takes an option that is about how to compile, beyond what is forwarded as it is. */
static cubinet_status take_compile_option(struct compile_arguments *arguments, enum id id, const char *value)
{
    switch (id) {
    case ID_SYSTEM_INCLUDE:
        return string_list_add(&arguments->system_folders, value);
    case ID_OPTIMIZE:
        return add_optimization(arguments, value);
    case ID_PTXAS:
        return add_ptxas_options(arguments, value);
    case ID_PREFIX_MAP:
        return add_path_map(arguments, value);
    case ID_RELOCATABLE:
        arguments->relocatable = strcmp(value, "true") == 0;
        return CUBINET_OK;
    case ID_DEVICE_C:
        arguments->relocatable = true;
        return CUBINET_OK;
    case ID_NVRTC:
        arguments->has_side_output |= has_side_output(value);
        return CUBINET_OK;
    case ID_NO_WARNINGS:
        arguments->no_warnings = true;
        return CUBINET_OK;
    case ID_TOOLKIT:
        arguments->toolkit = value;
        return CUBINET_OK;
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

static cubinet_status read_options(struct option_reader *reader, struct compile_arguments *arguments)
{
    cubinet_status status = CUBINET_OK;
    while (status == CUBINET_OK && !arguments->help) {
        int id = option_next(reader);
        switch (id) {
        case OPTION_END:
            return CUBINET_OK;
        case OPTION_ERROR:
            return CUBINET_ERROR_INVALID_ARGUMENT;
        case OPTION_POSITIONAL:
            status = take_source(arguments, reader->value);
            break;
        case ID_WERROR:
            status = take_werror(reader, arguments);
            break;
        default:
            status = take_result_option(arguments, (enum id)id, reader->value);
            if (status == CUBINET_OK) {
                status = take_compile_option(arguments, (enum id)id, reader->value);
            }
            if (status == CUBINET_OK) {
                status = forward(arguments, (enum id)id, reader->value);
            }
        }
    }
    return status;
}

/* The name of a file without folders and suffix. */
static char *stem(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot && dot > name ? strndup(name, (size_t)(dot - name)) : strdup(name);
}

/* A path with another suffix, or with one if it has none. */
static char *with_suffix(const char *path, const char *suffix)
{
    const char *slash = strrchr(path, '/');
    const char *dot = strrchr(path, '.');
    size_t size = dot && (!slash || dot > slash + 1) && dot > path ? (size_t)(dot - path) : strlen(path);
    char *text = NULL;
    return asprintf(&text, "%.*s%s", (int)size, path, suffix) < 0 ? NULL : text;
}

static cubinet_status check_names(const struct compile_arguments *arguments)
{
    cubinet_status status = output_check_name(arguments->output);
    return status == CUBINET_OK ? name_check("the module's name", arguments->module) : status;
}

/* Fills in what follows from the rest. */
static cubinet_status complete(struct compile_arguments *arguments)
{
    if (!arguments->source) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no source is given");
    }
    if (arguments->depfile && !arguments->write_depfile) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '-MF' needs '-MD'");
    }
    if (!arguments->module) {
        arguments->module = stem(arguments->source);
    }
    if (!arguments->output && arguments->module) {
        char *name = stem(arguments->source);
        if (!name || asprintf(&arguments->output, "%s.cubinet", name) < 0) {
            arguments->output = NULL;
        }
        free(name);
    }
    if (!arguments->depfile && arguments->output) {
        arguments->depfile = with_suffix(arguments->output, ".d");
    }
    if (!arguments->module || !arguments->output || !arguments->depfile) {
        return cbn_error_memory();
    }
    arguments->target = arguments->target ? arguments->target : arguments->output;
    cubinet_status status = check_names(arguments);
    for (size_t i = 0; status == CUBINET_OK && i < arguments->system_folders.count; i++) {
        status = string_list_addf(&arguments->nvrtc_options, "-I%s", arguments->system_folders.items[i]);
    }
    return status;
}

cubinet_status compile_arguments_read(int argc, char **argv, struct compile_arguments *out_arguments)
{
    struct option_reader reader = {.options = options, .argc = argc, .argv = argv};
    struct compile_arguments arguments = {0};
    cubinet_status status = read_options(&reader, &arguments);
    if (status == CUBINET_OK && !arguments.help) {
        status = complete(&arguments);
    }
    if (status != CUBINET_OK) {
        compile_arguments_free(&arguments);
        return status;
    }
    *out_arguments = arguments;
    return CUBINET_OK;
}

void compile_arguments_free(struct compile_arguments *arguments)
{
    string_list_free(&arguments->gencodes);
    string_list_free(&arguments->archs);
    string_list_free(&arguments->kernels);
    string_list_free(&arguments->globals);
    string_list_free(&arguments->nvrtc_options);
    string_list_free(&arguments->nvjitlink_options);
    string_list_free(&arguments->system_folders);
    string_list_free(&arguments->map_texts);
    free(arguments->path_maps);
    free(arguments->output);
    free(arguments->module);
    free(arguments->depfile);
    *arguments = (struct compile_arguments){0};
}

/* The names of an option that the table does not print, in nvcc's spelling. */
static void print_other_names(void)
{
    const struct option *shown = NULL;
    for (const struct option *option = options; option->id; option++) {
        if (option->help) {
            shown = option;
        } else if (option->id == ID_DEVICE_C) {
            printf("  --%s: --rdc=true\n", option->name);
        } else {
            printf("  --%s: --%s\n", option->name, shown->name);
        }
    }
}

void compile_arguments_help(void)
{
    puts("Usage: cubinet compile SOURCE [-o ARCHIVE] --arch WORDS [OPTIONS]\n"
         "\n"
         "Compiles one CUDA source with NVRTC, for any number of GPU architectures, and files\n"
         "the cubins, PTX and LTO-IR in an archive with one module. Options are spelled as nvcc's.\n"
         "\n"
         "Options:");
    options_print(options, stdout);
    puts("\n"
         "Other names that nvcc has for them:");
    print_other_names();
    puts("\n"
         "Example:\n"
         "  cubinet compile scale.cu -o scale.cubinet --kernel 'scale<float>' \\\n"
         "    --gencode arch=compute_80,code=[sm_80,sm_86,compute_80] --arch 90a-real");
}

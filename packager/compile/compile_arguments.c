/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_arguments.h"

#include "archive/output_check.h"
#include "base/comma_list.h"
#include "base/command.h"
#include "base/name_check.h"
#include "base/path.h"
#include "base/remote_address.h"
#include "compile/compile_files.h"
#include "compile/compile_options.h"
#include "compile/compile_values.h"
#include "compile/inputs.h"
#include "compile/werror.h"
#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 1024 };

/* Whether NVRTC writes or reads files under this option that are neither the source nor its headers. */
static bool has_side_output(const char *nvrtc_option)
{
    return strstr(nvrtc_option, "time") || strstr(nvrtc_option, "pch");
}

char *compile_arguments_header(const char *header)
{
    size_t size = strlen(header);
    bool is_delimited = size > 2 && ((header[0] == '<' && header[size - 1] == '>') ||
                                     (header[0] == '"' && header[size - 1] == '"'));
    return is_delimited ? strndup(header + 1, size - 2) : strdup(header);
}

/* Takes a header to precompile. */
static cubinet_status take_name(struct cbn_text_list *names, const char *expression)
{
    cubinet_status status = name_check("a name expression", expression);
    return status ? status : cbn_text_list_add_once(names, expression);
}

static cubinet_status take_header(struct compile_arguments *arguments, const char *header)
{
    char *name = compile_arguments_header(header);
    cubinet_status status = name ? compile_options_forward(ID_PRE_INCLUDE, name, &arguments->nvrtc_options,
                                                           &arguments->nvjitlink_options)
                                 : cbn_error_memory();
    free(name);
    return status;
}

/* Asks for one kind of image alone. */
static cubinet_status take_error_limit(struct compile_arguments *arguments, const char *value)
{
    if (command_number(value, "errors", 0, UINT32_MAX, &arguments->error_limit)) {
        return cbn_error_context(CUBINET_ERROR_INVALID_ARGUMENT, "option '--error-limit'");
    }
    return CUBINET_OK;
}

static cubinet_status take_form(struct compile_arguments *arguments, cubinet_image_kind form)
{
    if (arguments->only && arguments->only != form) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "options '-cubin', '-ptx', '-ltoir' and '-optix-ir' each ask for only one kind of "
                         "image; say with -gencode what the archive should contain");
    }
    arguments->only = form;
    return CUBINET_OK;
}

static cubinet_status take_tile(struct compile_arguments *arguments, enum compile_tile tile)
{
    if (arguments->tile && arguments->tile != tile) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "options '--enable-tile' and '--tile-only' exclude each other: the first makes all "
                         "kernels, the second the tile kernels");
    }
    arguments->tile = tile;
    return CUBINET_OK;
}

static cubinet_status take_source(struct compile_arguments *arguments, const char *path)
{
    if (arguments->makes_pch) {
        return take_header(arguments, path);
    }
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

/* Takes an option that is about which images and names come out, and where to. */
static cubinet_status take_result_option(struct compile_arguments *arguments, int id, const char *value)
{
    switch (id) {
    case ID_OUTPUT:
        return command_copy(&arguments->output, value);
    case ID_OUTPUT_FOLDER:
        arguments->output_folder = value;
        return CUBINET_OK;
    case ID_MODULE:
        return command_copy(&arguments->module, value);
    case ID_ARCH:
        return cbn_text_list_add(&arguments->archs, value);
    case ID_GENCODE:
        return cbn_text_list_add(&arguments->gencodes, value);
    case ID_CODE:
        arguments->code = value;
        return CUBINET_OK;
    case ID_CUBIN:
        return take_form(arguments, CUBINET_IMAGE_CUBIN);
    case ID_PTX:
        return take_form(arguments, CUBINET_IMAGE_PTX);
    case ID_LTOIR:
        return take_form(arguments, CUBINET_IMAGE_LTOIR);
    case ID_OPTIXIR:
        return take_form(arguments, CUBINET_IMAGE_OPTIXIR);
    case ID_KERNEL:
        return take_name(&arguments->kernels, value);
    case ID_GLOBAL:
        return take_name(&arguments->globals, value);
    case ID_FRAGMENT:
        arguments->fragment = true;
        return CUBINET_OK;
    case ID_EXPORT:
        arguments->fragment = true;
        return take_name(&arguments->exports, value);
    case ID_IMPORT:
        arguments->fragment = true;
        return take_name(&arguments->imports, value);
    case ID_ASSEMBLER:
        return compile_values_take_assembler(arguments, value);
    case ID_ENABLE_TILE:
        return take_tile(arguments, COMPILE_TILE_TOO);
    case ID_TILE_ONLY:
        return take_tile(arguments, COMPILE_TILE_ONLY);
    case ID_TILEIRAS:
        return comma_list_split(value, &arguments->tileiras_options);
    case ID_OPTIONAL_NAMES:
        arguments->optional_names = true;
        return CUBINET_OK;
    case ID_KEEP_GLOBALS:
        arguments->keep_globals = true;
        return CUBINET_OK;
    case ID_KEEP_SHARED_ADDRESSES:
        arguments->keep_shared_addresses = true;
        return CUBINET_OK;
    case ID_WRITE_IF_DIFFERENT:
        arguments->keep_if_equal = true;
        return CUBINET_OK;
    default:
        return CUBINET_OK;
    }
}

/* Takes an option that is about the depfile. */
static cubinet_status take_depfile_option(struct compile_arguments *arguments, int id, const char *value)
{
    switch (id) {
    case ID_DEPENDENCIES_ALONE:
    case ID_USER_DEPENDENCIES_ALONE:
        arguments->syntax_only = true;
        arguments->depfile_alone = true;
        arguments->user_files_alone |= id == ID_USER_DEPENDENCIES_ALONE;
        return CUBINET_OK;
    case ID_DEPFILE:
    case ID_USER_DEPFILE:
        arguments->write_depfile = true;
        arguments->user_files_alone |= id == ID_USER_DEPFILE;
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

/* Takes an option that is about how to compile, beyond what is forwarded as it is. */
static cubinet_status take_compile_option(struct compile_arguments *arguments, int id, const char *value)
{
    switch (id) {
    case ID_EXTENDED_LAMBDA:
        arguments->extended_lambda = true;
        return CUBINET_OK;
    case ID_DEFAULT_STREAM:
        return compile_values_take_default_stream(arguments, value);
    case ID_DEBUG:
        arguments->debug = true;
        return CUBINET_OK;
    case ID_OPTIMIZE_DEBUG:
        arguments->optimize_debug = true;
        return CUBINET_OK;
    case ID_LIBRARY:
        return compile_values_take_libraries(arguments, value);
    case ID_DEVICE_RUNTIME:
        return compile_values_take_device_runtime(arguments, value);
    case ID_SYNTAX_ONLY:
        arguments->syntax_only = true;
        return CUBINET_OK;
    case ID_TIME:
    case ID_TIME_TRACE:
        arguments->has_side_output = true;
        return CUBINET_OK;
    case ID_PTXAS:
        return compile_values_add_ptxas_options(arguments, value);
    case ID_PREFIX_MAP:
        return compile_values_add_path_map(arguments, value);
    case ID_THREADS:
        arguments->has_threads = true;
        return command_number(value, "threads", 0, MOST_THREADS, &arguments->threads);
    case ID_SPLIT_COMPILE:
        arguments->is_split = true;
        return command_number(value, "split-compile", 0, MOST_THREADS, &arguments->split_threads);
    case ID_RELOCATABLE:
        arguments->relocatable = strcmp(value, "true") == 0;
        return CUBINET_OK;
    case ID_DEVICE_C:
        arguments->relocatable = true;
        return CUBINET_OK;
    case ID_PCH:
        return cbn_text_list_add_once(&arguments->pch_files, value);
    case ID_NVJITLINK:
        arguments->has_nvjitlink_options = true;
        return CUBINET_OK;
    case ID_NVRTC:
        arguments->has_side_output |= has_side_output(value);
        return CUBINET_OK;
    case ID_NO_WARNINGS:
        arguments->no_warnings = true;
        return CUBINET_OK;
    case ID_ERROR_LIMIT:
        return take_error_limit(arguments, value);
    case ID_STD_HEADERS:
        return device_headers_read(value, &arguments->device_headers);
    case ID_TOOLKIT:
        arguments->toolkit = value;
        return CUBINET_OK;
    case ID_TIMEOUT:
        return limits_take_timeout(&arguments->limits, value);
    case ID_MEMORY_LIMIT:
        return limits_take_memory(&arguments->limits, value);
    case ID_LIST_ARCHITECTURES:
        arguments->list_architectures = true;
        return CUBINET_OK;
    case ID_LIST_CODES:
        arguments->list_codes = true;
        return CUBINET_OK;
    case ID_LIST_LAUNCHES:
        arguments->list_launches = true;
        return CUBINET_OK;
    case ID_JSON:
        arguments->json = true;
        return CUBINET_OK;
    case ID_CACHE:
        arguments->cache = value;
        return CUBINET_OK;
    case ID_PROVENANCE:
        return provenance_detail_read(value, &arguments->provenance);
    case ID_PARTS:
        return parts_choice_read(value, &arguments->parts);
    case ID_NO_CACHE:
        arguments->no_cache = true;
        return CUBINET_OK;
    case ID_REMOTE_CACHE:
        arguments->remote_cache = value;
        return remote_address_check("--remote-cache", value);
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

static cubinet_status take_option(struct option_reader *reader, int id, struct compile_arguments *arguments)
{
    if (id >= NVCC_OPTION_FIRST) {
        return nvcc_option_take(id, reader->spelling, reader->value, &arguments->ignored);
    }
    compile_values_take_optional(reader, id);
    const char *value = reader->value;
    if (id == ID_WERROR) {
        return werror_take(arguments, value);
    }
    if (id == ID_OPTIMIZE) {
        return arguments->drops_host_options /* nvcc's is for host code */
                   ? CUBINET_OK
                   : compile_values_add_optimization(value, &arguments->nvjitlink_options);
    }
    if (compile_values_is_list(id)) {
        return compile_values_take_list(arguments, id, value);
    }
    cubinet_status status = take_result_option(arguments, id, value);
    if (!status) {
        status = take_depfile_option(arguments, id, value);
    }
    if (!status) {
        status = take_compile_option(arguments, id, value);
    }
    return !status
               ? compile_options_forward(id, value, &arguments->nvrtc_options, &arguments->nvjitlink_options)
               : status;
}

static cubinet_status read_options(struct option_reader *reader, struct compile_arguments *arguments)
{
    cubinet_status status = CUBINET_OK;
    while (!status && !arguments->help) {
        int id = option_next(reader);
        switch (id) {
        case OPTION_END:
            return CUBINET_OK;
        case OPTION_ERROR:
            return CUBINET_ERROR_INVALID_ARGUMENT;
        case OPTION_UNKNOWN:
            status = nvcc_ignored_add(&arguments->ignored.for_host, reader->value, NULL);
            break;
        case OPTION_POSITIONAL:
            status = take_source(arguments, reader->value);
            break;
        default:
            status = take_option(reader, id, arguments);
        }
    }
    return status;
}

static cubinet_status check_names(const struct compile_arguments *arguments)
{
    cubinet_status status = output_check_name(arguments->output);
    return status ? status : name_check("the module's name", arguments->module);
}

/* With -M alone, what -o names is the depfile, as with nvcc. */
static void take_output_for_depfile(struct compile_arguments *arguments)
{
    if (arguments->depfile_alone && !arguments->depfile) {
        arguments->depfile = arguments->output;
        arguments->output = NULL;
    }
}

/* The source's name with .cubinet, in the output folder if one was given. */
static char *default_output(const struct compile_arguments *arguments)
{
    const char *folder = arguments->output_folder;
    char *name = path_stem(arguments->source);
    char *path = NULL;
    if (!name || asprintf(&path, "%s%s%s.cubinet", folder ? folder : "", folder ? "/" : "", name) < 0) {
        path = NULL;
    }
    free(name);
    return path;
}

static cubinet_status complete_names(struct compile_arguments *arguments)
{
    take_output_for_depfile(arguments);
    if (!arguments->module) {
        arguments->module = path_stem(arguments->source);
    }
    if (!arguments->output) {
        arguments->output = default_output(arguments);
    }
    if (!arguments->depfile && arguments->output && !arguments->depfile_alone) {
        arguments->depfile = path_with_suffix(arguments->output, ".d");
    }
    if (!arguments->module || !arguments->output || (!arguments->depfile && !arguments->depfile_alone)) {
        return cbn_error_memory();
    }
    arguments->target = arguments->target ? arguments->target : arguments->output;
    return check_names(arguments);
}

/* Has the folders of -isystem come after those of -I, from which they are taken out, as gcc does. */
static cubinet_status add_system_folders(struct compile_arguments *arguments)
{
    struct cbn_text_list options = {0};
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < arguments->system_folders.count; i++) {
        status = cbn_text_list_addf(&options, "-I%s", arguments->system_folders.items[i]);
    }
    for (size_t i = 0; !status && i < options.count; i++) {
        cbn_text_list_remove(&arguments->nvrtc_options, options.items[i]);
        status = cbn_text_list_add(&arguments->nvrtc_options, options.items[i]);
    }
    cbn_text_list_free(&options);
    return status;
}

/* What -G means for the assembler depends on -dopt, and who has options for nvJitLink means it to assemble.
 */
static cubinet_status complete_options(struct compile_arguments *arguments)
{
    cubinet_status status = CUBINET_OK;
    if (arguments->has_nvjitlink_options && !arguments->assembler) {
        arguments->assembler = "nvjitlink";
    }
    if (arguments->debug) {
        status =
            cbn_text_list_add(&arguments->nvjitlink_options, arguments->optimize_debug ? "-lineinfo" : "-g");
    }
    return status ? status : add_system_folders(arguments);
}

/* Standard output has one document, or what others print there. */
static cubinet_status check_json(const struct compile_arguments *arguments)
{
    const char *other = arguments->list_architectures ? "--list-gpu-arch"
                        : arguments->list_codes       ? "--list-gpu-code"
                        : arguments->makes_pch        ? "cubinet pch"
                        : arguments->list_launches    ? "--list-launches"
                        : arguments->depfile_alone    ? "-M"
                                                      : NULL;
    return arguments->json && other
               ? cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '--json' can't be used with %s", other)
               : CUBINET_OK;
}

/* Fills in what follows from the rest. */
static cubinet_status complete(struct compile_arguments *arguments)
{
    if (arguments->makes_pch && !arguments->output) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no file to write is given: -o FILE");
    }
    if (arguments->makes_pch) {
        arguments->source = arguments->output; /* for messages */
    }
    if (!arguments->source) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no source is given");
    }
    if (arguments->depfile && !arguments->write_depfile && !arguments->depfile_alone) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '-MF' needs '-MD'");
    }
    if (arguments->write_depfile && arguments->syntax_only) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "option '-MD' is for a compile that writes an archive; '-M' writes only the depfile");
    }
    if (arguments->list_launches && arguments->syntax_only) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "option '--list-launches' is for a compile that writes an archive, whose kernels it "
                         "lists");
    }
    cubinet_status status = check_json(arguments);
    if (!status) {
        status = complete_names(arguments);
    }
    if (!status) {
        status = compile_files_check(arguments);
    }
    if (!status) {
        status = limits_take_environment(&arguments->limits);
    }
    return status ? status : complete_options(arguments);
}

bool compile_arguments_drop_host_options(int argc, char *const *argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *name = argv[i] + strspn(argv[i], "-");
        if (name > argv[i] && strcmp(name, "drop-host-options") == 0) {
            return true;
        }
    }
    return false;
}

static cubinet_status read_arguments(int argc, char **argv, bool makes_pch,
                                     struct compile_arguments *out_arguments)
{
    bool drops = compile_arguments_drop_host_options(argc, argv);
    struct option_reader reader = {
        .options = compile_options,
        .more = nvcc_options,
        .argc = argc,
        .argv = argv,
        .skips_unknown = drops || nvcc_forwards_unknown(argc, argv),
    };
    struct compile_arguments arguments = {
        .makes_pch = makes_pch, .error_limit = COMPILE_ERROR_LIMIT, .drops_host_options = drops};
    cubinet_status status = read_options(&reader, &arguments);
    bool compiles = !arguments.help && !arguments.list_architectures && !arguments.list_codes;
    if (!status && compiles) {
        status = complete(&arguments);
    } else if (!status && !arguments.help) {
        status = check_json(&arguments);
    }
    if (drops) {
        cbn_text_list_free(&arguments.ignored.for_host);
    }
    if (status) {
        compile_arguments_free(&arguments);
        return status;
    }
    *out_arguments = arguments;
    return CUBINET_OK;
}

cubinet_status compile_arguments_expand(int argc, char *const *argv, struct arguments *out_arguments)
{
    const struct option_reader reader = {.options = compile_options, .more = nvcc_options};
    return arguments_expand_for_compile(argc, argv, &reader, out_arguments);
}

cubinet_status compile_arguments_read(int argc, char **argv, struct compile_arguments *out_arguments)
{
    return read_arguments(argc, argv, false, out_arguments);
}

cubinet_status compile_arguments_read_pch(int argc, char **argv, struct compile_arguments *out_arguments)
{
    return read_arguments(argc, argv, true, out_arguments);
}

bool compile_arguments_repeatable(const struct compile_arguments *arguments)
{
    for (size_t i = 0; i < arguments->archs.count; i++) {
        if (strstr(arguments->archs.items[i], "native")) {
            return false;
        }
    }
    for (size_t i = 0; i < arguments->nvrtc_options.count; i++) {
        const char *option = arguments->nvrtc_options.items[i];
        if (inputs_tells_time(option, strlen(option))) {
            return false;
        }
    }
    return true;
}

void compile_arguments_free(struct compile_arguments *arguments)
{
    cbn_text_list_free(&arguments->gencodes);
    cbn_text_list_free(&arguments->archs);
    cbn_text_list_free(&arguments->kernels);
    cbn_text_list_free(&arguments->globals);
    cbn_text_list_free(&arguments->exports);
    cbn_text_list_free(&arguments->imports);
    cbn_text_list_free(&arguments->nvrtc_options);
    cbn_text_list_free(&arguments->nvjitlink_options);
    cbn_text_list_free(&arguments->tileiras_options);
    cbn_text_list_free(&arguments->system_folders);
    cbn_text_list_free(&arguments->pch_files);
    cbn_text_list_free(&arguments->map_texts);
    nvcc_ignored_free(&arguments->ignored);
    free(arguments->path_maps);
    free(arguments->output);
    free(arguments->module);
    free(arguments->depfile);
    *arguments = (struct compile_arguments){0};
}

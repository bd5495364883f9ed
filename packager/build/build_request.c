/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build_request.h"

#include "archive/output_check.h"
#include "base/c_text.h"
#include "base/colour.h"
#include "base/command.h"
#include "base/name_check.h"
#include "base/outputs.h"
#include "base/path.h"
#include "build/build_modules.h"
#include "build/ninja_text.h"
#include "compile/compile_arguments.h"
#include "compile/compile_options.h"
#include "compile/compile_values.h"
#include "compile/link_options.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_JOBS = 4096 };

static cubinet_status add_source(struct build_request *request, const char *path)
{
    struct build_source *sources =
        reallocarray(request->sources, request->source_count + 1, sizeof(*sources));
    if (!sources) {
        return cbn_error_memory();
    }
    request->sources = sources;
    sources[request->source_count++] = (struct build_source){.path = path};
    return CUBINET_OK;
}

/* The source that an option after it is about. */
static cubinet_status last_source(const struct build_request *request, const char *option, const char *value,
                                  struct build_source **out_source)
{
    if (request->source_count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "option '--%s %s' stands before all sources: write it after the source that it is "
                         "about",
                         option, value);
    }
    *out_source = &request->sources[request->source_count - 1];
    return CUBINET_OK;
}

static cubinet_status add_name(struct build_request *request, const char *option, const char *expression,
                               bool is_of_fragment)
{
    struct build_source *source = NULL;
    cubinet_status status = last_source(request, option, expression, &source);
    if (!status) {
        source->is_fragment |= is_of_fragment;
        request->has_fragments |= is_of_fragment;
        status = cbn_text_list_addf(&source->names, "--%s", option);
    }
    return status ? status : cbn_text_list_add(&source->names, expression);
}

static cubinet_status set_module(struct build_request *request, const char *name)
{
    request->module_count++;
    if (request->source_count == 0) {
        request->module = name;
        return CUBINET_OK;
    }
    struct build_source *source = &request->sources[request->source_count - 1];
    source->is_named = true;
    return command_copy(&source->module, name);
}

static cubinet_status add_packing(struct build_request *request, const char *option, const char *value)
{
    cubinet_status status = cbn_text_list_add(&request->packing, option);
    return status ? status : cbn_text_list_add(&request->packing, value);
}

/* A file that packing reads. */
static cubinet_status add_packing_file(struct build_request *request, const char *option, const char *path)
{
    cubinet_status status = add_packing(request, option, path);
    return status ? status : cbn_text_list_add(&request->packing_files, path);
}

static cubinet_status add_header(struct build_request *request, const char *spelled)
{
    char *header = compile_arguments_header(spelled);
    cubinet_status status = header ? cbn_text_list_add_once(&request->headers, header) : cbn_error_memory();
    free(header);
    return status;
}

static cubinet_status take_own_option(struct build_request *request, int id, const char *value)
{
    switch (id) {
    case BUILD_OUTPUT:
        request->archive = value;
        return CUBINET_OK;
    case BUILD_KERNEL:
        return add_name(request, "kernel", value, false);
    case BUILD_GLOBAL:
        return add_name(request, "global", value, false);
    case BUILD_IMPORT:
        return add_name(request, "import", value, true);
    case BUILD_EXPORT:
        return add_name(request, "export", value, true);
    case BUILD_MODULE:
        return set_module(request, value);
    case BUILD_ARCH:
        return cbn_text_list_add(&request->archs, value);
    case BUILD_HEADER:
        request->header = value;
        return CUBINET_OK;
    case BUILD_CXX:
        request->cxx = true;
        return CUBINET_OK;
    case BUILD_EMBED:
        request->object = value;
        return CUBINET_OK;
    case BUILD_SYMBOL:
        request->symbol = value;
        return CUBINET_OK;
    case BUILD_ARCHIVE_VERSION:
        return add_packing(request, "--archive-version", value);
    case BUILD_ABI:
        return add_packing(request, "--abi", value);
    case BUILD_SIGN:
        return add_packing_file(request, "--sign", value);
    case BUILD_LAUNCH:
        return add_packing_file(request, "--launch", value);
    case BUILD_SET:
        return add_packing(request, "--set", value);
    case BUILD_LICENSE:
        return add_packing(request, "--license", value);
    case BUILD_COMPRESS:
        return add_packing(request, "--compress", value);
    case BUILD_FOLDER:
        free(request->folder);
        request->folder = strdup(value);
        return request->folder ? CUBINET_OK : cbn_error_memory();
    case BUILD_PCH:
        return add_header(request, value);
    case BUILD_FILE:
        request->file = value;
        return CUBINET_OK;
    case BUILD_QUIET:
        request->quiet = true;
        return CUBINET_OK;
    case BUILD_PROFILE:
        request->profile = true;
        return CUBINET_OK;
    case BUILD_JSON:
        request->json = true;
        return CUBINET_OK;
    case BUILD_COLOR:
        return colour_choose(value);
    case BUILD_JOBS:
        return command_number(value, "jobs", 1, MAX_JOBS, &request->jobs);
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
}

/* Options of a compile that have no place in one of several. */
static bool is_of_one_compile(int id)
{
    static const enum compile_option ids[] = {
        ID_OUTPUT_FOLDER,
        ID_CUBIN,
        ID_PTX,
        ID_LTOIR,
        ID_OPTIXIR,
        ID_SYNTAX_ONLY,
        ID_TIME_TRACE,
        ID_TIME,
        ID_DEPENDENCIES_ALONE,
        ID_DEPFILE,
        ID_USER_DEPFILE,
        ID_DEPFILE_PATH,
        ID_USER_DEPENDENCIES_ALONE,
        ID_DEPFILE_TARGET,
        ID_DEPFILE_PHONY,
        ID_LIST_CODES,
        ID_LIST_ARCHITECTURES,
        ID_JSON,
        ID_WRITE_IF_DIFFERENT,
    };
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        if (ids[i] == (enum compile_option)id) {
            return true;
        }
    }
    return false;
}

static cubinet_status take_limit(struct build_request *request, int id, const char *value)
{
    switch (id) {
    case ID_TIMEOUT:
        return limits_take_timeout(&request->limits, value);
    case ID_MEMORY_LIMIT:
        return limits_take_memory(&request->limits, value);
    default:
        return CUBINET_OK;
    }
}

/* Takes an option of `cubinet compile`, which `words` are as they were written. */
static cubinet_status take_compile_option(struct build_request *request, const struct option_reader *reader,
                                          int id, char **words, int count)
{
    switch (id) {
    case ID_ARCH:
        return cbn_text_list_add(&request->archs, reader->value);
    case ID_GENCODE:
        return cbn_text_list_add(&request->gencodes, reader->value);
    case ID_CODE:
        request->code = reader->value;
        return CUBINET_OK;
    case ID_TOOLKIT:
        request->toolkit = reader->value;
        return CUBINET_OK;
    default:
        break;
    }
    cubinet_status status = take_limit(request, id, reader->value);
    if (is_of_one_compile(id)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "option '%s' is only for `cubinet compile`, which makes one archive from one source",
                         reader->spelling);
    }
    for (int i = 0; !status && i < count; i++) {
        status = cbn_text_list_add(&request->flags, words[i]);
    }
    return status;
}

/* Takes any option but --help. */
static cubinet_status take_option(struct build_request *request, struct option_reader *reader, int id,
                                  int before)
{
    const char *value = reader->value;
    if (id == OPTION_POSITIONAL) {
        return add_source(request, value);
    }
    if (id == OPTION_UNKNOWN) {
        return nvcc_ignored_add(&request->ignored.for_host, value, NULL);
    }
    if (id >= BUILD_OUTPUT) {
        return take_own_option(request, id, value);
    }
    if (id >= NVCC_OPTION_FIRST) {
        return nvcc_option_take(id, reader->spelling, value, &request->ignored);
    }
    compile_values_take_optional(reader, id);
    return take_compile_option(request, reader, id, reader->argv + before, reader->next - before);
}

static cubinet_status read_options(struct option_reader *reader, struct build_request *request)
{
    cubinet_status status = CUBINET_OK;
    while (!status) {
        int before = reader->next;
        int id = option_next(reader);
        if (id == OPTION_END) {
            return CUBINET_OK;
        }
        if (id == BUILD_HELP || id == ID_HELP) {
            request->help = true;
            return CUBINET_OK;
        }
        if (id == OPTION_ERROR) {
            return CUBINET_ERROR_INVALID_ARGUMENT;
        }
        status = take_option(request, reader, id, before);
    }
    return status;
}

/* Replaces what stands for arguments in files, and notes the files. */
static cubinet_status expand(const struct option_reader *reader, struct build_request *request)
{
    struct cbn_text_list files = {0};
    cubinet_status status = arguments_add_files(&files); /* of @FILE, before the command had the arguments */
    size_t known = files.count;
    if (!status) {
        status = arguments_expand_for_compile(reader->argc, reader->argv, reader, &request->arguments);
    }
    if (!status) {
        status = arguments_add_files(&files);
    }
    for (size_t i = known; !status && i < files.count; i++) {
        status = cbn_text_list_add(&request->argument_files, files.items[i]);
    }
    cbn_text_list_free(&files);
    return status;
}

static cubinet_status read_arguments(const struct option *options, int argc, char **argv,
                                     struct build_request *request)
{
    struct option_reader reader = {
        .options = options, .more = compile_options, .last = nvcc_options, .argc = argc, .argv = argv};
    cubinet_status status = expand(&reader, request);
    if (status) {
        return status;
    }
    reader.argc = request->arguments.count;
    reader.argv = request->arguments.values;
    bool drops = compile_arguments_drop_host_options(reader.argc, reader.argv);
    reader.skips_unknown = drops || nvcc_forwards_unknown(reader.argc, reader.argv);
    status = read_options(&reader, request);
    if (drops) {
        cbn_text_list_free(&request->ignored.for_host);
    }
    return status;
}

/* Ninja takes "./" off a path, and what is left must be no option and no response file. */
static cubinet_status check_path(const char *what, const char *path)
{
    if (path[0] == '\0') {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the name of %s is empty", what);
    }
    const char *start = path;
    while (strncmp(start, "./", 2) == 0) {
        start += 2;
    }
    if (*start == '-' || *start == '@') {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "'%s' would be taken for an option: give %s by its absolute path", path, what);
    }
    return ninja_check(what, path);
}

static cubinet_status check_source(const struct build_source *source)
{
    cubinet_status status = check_path("a source", source->path);
    if (!status && access(source->path, R_OK) != 0) {
        status = cbn_error(CUBINET_ERROR_IO, "cannot read '%s': %s", source->path, strerror(errno));
    }
    for (size_t i = 0; !status && i < source->names.count; i++) {
        status = ninja_check("a name expression", source->names.items[i]);
    }
    return status;
}

static cubinet_status check_outputs(const struct build_request *request)
{
    const char *const outputs[] = {request->archive, request->header, request->object, request->file};
    static const char *const what[] = {"the archive", "the header", "the object file", "the Ninja file"};
    enum { COUNT = sizeof(outputs) / sizeof(outputs[0]) };
    cubinet_status status = output_check_name(request->archive);
    for (size_t i = 0; !status && i < COUNT; i++) {
        status = outputs[i] ? check_path(what[i], outputs[i]) : CUBINET_OK;
    }
    return status;
}

static cubinet_status check_files(const struct build_request *request)
{
    struct outputs outputs = {0};
    outputs_write(&outputs, "the archive", request->archive);
    outputs_write(&outputs, "the header", request->header);
    outputs_write(&outputs, "the object file", request->object);
    outputs_write(&outputs, "the Ninja file", request->file);
    for (size_t i = 0; i < request->source_count; i++) {
        outputs_read(&outputs, "the source", request->sources[i].path);
    }
    outputs_read_all(&outputs, "the input", &request->link_files);
    outputs_read_all(&outputs, "the input", &request->headers);
    outputs_read_all(&outputs, "the input", &request->packing_files);
    return outputs_check(&outputs);
}

static cubinet_status check_embedding(const struct build_request *request)
{
    if (request->symbol && !request->object) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '--symbol' needs '--embed'");
    }
    if (request->object && strpbrk(request->archive, "\"\\")) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "'%s' has a character that the assembler does not take: an archive that is embedded "
                         "has neither '\"' nor '\\' in its path",
                         request->archive);
    }
    struct buffer name = {0};
    buffer_puts(&name, request->symbol ? request->symbol : "");
    if (!request->symbol) {
        c_text_file_identifier(&name, request->archive);
    }
    char *symbol = buffer_take(&name);
    if (!symbol) {
        return cbn_error_memory();
    }
    cubinet_status status = CUBINET_OK;
    if (request->object && !c_text_is_identifier(symbol)) {
        status = cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                           "the symbol '%s' is not the name of a C variable; give one with --symbol", symbol);
    }
    free(symbol);
    return status;
}

static cubinet_status check_words(const struct build_request *request)
{
    cubinet_status status = check_path("the build folder", request->folder);
    for (size_t i = 0; !status && i < request->flags.count; i++) {
        status = ninja_check("an option", request->flags.items[i]);
    }
    for (size_t i = 0; !status && i < request->link_files.count; i++) {
        status = ninja_check("a file", request->link_files.items[i]);
    }
    for (size_t i = 0; !status && i < request->argument_files.count; i++) {
        status = ninja_check("a file", request->argument_files.items[i]);
    }
    for (size_t i = 0; !status && i < request->headers.count; i++) {
        status = ninja_check("a header", request->headers.items[i]);
    }
    for (size_t i = 0; !status && i < request->packing.count; i++) {
        status = ninja_check("an option", request->packing.items[i]);
    }
    return status;
}

static cubinet_status set_default_folder(struct build_request *request)
{
    const char *name = path_name(request->archive);
    if (asprintf(&request->folder, "%.*s.cubinet-build/%s", (int)(name - request->archive), request->archive,
                 name) < 0) {
        request->folder = NULL;
        return cbn_error_memory();
    }
    return CUBINET_OK;
}

static cubinet_status find_link_flags(struct build_request *request)
{
    return link_options_of_compile((int)request->flags.count, request->flags.items, &request->link_flags,
                                   &request->link_files);
}

/* Fills in what follows from the rest. */
static cubinet_status complete(struct build_request *request)
{
    if (request->source_count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no source is given");
    }
    if (!request->archive) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no archive to make is given: -o FILE");
    }
    cubinet_status status = limits_take_environment(&request->limits);
    if (!status) {
        status = find_link_flags(request);
    }
    if (!status && request->archs.count + request->gencodes.count == 0 && !request->code) {
        status = cbn_text_list_add(&request->archs, "portable");
    }
    if (!status) {
        status = check_outputs(request);
    }
    if (!status) {
        status = check_embedding(request);
    }
    if (!status && !request->folder) {
        status = set_default_folder(request);
    }
    if (!status) {
        status = check_words(request);
    }
    for (size_t i = 0; !status && i < request->source_count; i++) {
        status = check_source(&request->sources[i]);
    }
    if (!status) {
        status = check_files(request);
    }
    return status ? status : build_modules_complete(request);
}

cubinet_status build_request_read(const struct option *options, int argc, char **argv,
                                  struct build_request *request)
{
    cubinet_status status = read_arguments(options, argc, argv, request);
    if (status || request->help) {
        return status;
    }
    status = complete(request);
    if (!status) {
        nvcc_ignored_warn(&request->ignored);
    }
    return status;
}

void build_request_free(struct build_request *request)
{
    for (size_t i = 0; i < request->source_count; i++) {
        free(request->sources[i].module);
        free(request->sources[i].piece);
        cbn_text_list_free(&request->sources[i].names);
    }
    free(request->sources);
    free(request->folder);
    cbn_text_list_free(&request->gencodes);
    cbn_text_list_free(&request->archs);
    cbn_text_list_free(&request->flags);
    cbn_text_list_free(&request->link_flags);
    cbn_text_list_free(&request->link_files);
    cbn_text_list_free(&request->headers);
    cbn_text_list_free(&request->packing);
    cbn_text_list_free(&request->packing_files);
    cbn_text_list_free(&request->argument_files);
    nvcc_ignored_free(&request->ignored);
    arguments_free(&request->arguments);
    *request = (struct build_request){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "base/command.h"
#include "command/commands.h"

#include "archive/archive_writer.h"
#include "archive/compression.h"
#include "archive/draft.h"
#include "archive/draft_alias.h"
#include "archive/launch_file.h"
#include "archive/output_check.h"
#include "archive/tuning_file.h"
#include "base/name_check.h"
#include "base/outputs.h"
#include "link/foreign.h"
#include "loader/core/support/error.h"
#include "origin/signing_keys.h"
#include "process/supervise.h"
#include "process/trace.h"

#include <stdlib.h>
#include <string.h>

enum {
    OUTPUT = 1,
    MODULE,
    NAME_BY,
    KERNEL,
    EXPORT,
    TOOLKIT,
    ARCHIVE_VERSION,
    ABI,
    SET,
    LICENSE,
    COMPRESS,
    THREADS,
    SIGN,
    LAUNCH,
    TUNING,
    WRITE_IF_DIFFERENT
};

static const struct option options[] = {
    {OUTPUT, "output", 'o', "FILE", "the archive to write", false},
    {MODULE, "module", 0, "NAME",
     "module for images of files that are not archives (default:\nthe file's name up to its first dot)",
     false},
    {NAME_BY, "name-by", 0, "HOW",
     "how to name modules of other files: name (default: the\nfile's up to its first dot, or the system's "
     "own), file,\npath or kernel (if there is one)",
     false},
    {KERNEL, "kernel", 0, "NAME=LOWERED",
     "use NAME for the kernel of each image whose name matches\nLOWERED, which may contain * and ?. May be "
     "repeated",
     false},
    {EXPORT, "export", 0, "EXPR[=LOWERED]",
     "function that the preceding LTO-IR defines, so that\n`cubinet link -l` finds it. May be repeated",
     false},
    {TOOLKIT, "toolkit", 0, "FOLDER", "CUDA toolkit whose nvJitLink reads LTO-IR of other tools", false},
    {ARCHIVE_VERSION, "archive-version", 0, "VERSION",
     "version that programs can read, such as 1.4.0 (default: that\nof the inputs)", false},
    {ABI, "abi", 0, "TAG", "tag that programs can require, such as mylib-3 (default:\nthat of the inputs)",
     false},
    {SET, "set", 0, "KEY=VALUE",
     "property that programs and `cubinet inspect` can read. Those\nof the inputs are kept; KEY= removes "
     "one. May be repeated",
     false},
    {LICENSE, "license", 0, "EXPRESSION",
     "the licence, an SPDX expression such as Apache-2.0:\nthe property `license`", false},
    {LICENSE, "licence", 0, "EXPRESSION", NULL, false},
    {COMPRESS, "compress", 0, "HOW",
     "none (default), fast, zstd or zstd:LEVEL with 1 to 19; images\nthat do not get smaller are stored "
     "uncompressed",
     false},
    {THREADS, "threads", 't', "N", THREADS_HELP, false},
    {SIGN, "sign", 0, "FILE", "sign FILE with this secret key. May be repeated", false},
    {LAUNCH, "launch", 0, "FILE.json",
     "how kernels are launched: dynamic shared memory, blocks,\nhidden parameters "
     "(docs/reference/launch-records.md). May be\nrepeated",
     false},
    {TUNING, "tuning", 0, "FILE.json",
     "tuning records of an archive with the same images, as\n`cubinet inspect --json` prints them. May be "
     "repeated",
     false},
    {WRITE_IF_DIFFERENT, "write-if-different", 0, NULL, "do not touch FILE if it would stay the same", false},
    {OPTION_HELP, "help", 'h', NULL, "print this text", false},
    {0},
};

static const struct command_help help = {
    .usage = "pack INPUT... -o FILE [OPTIONS]",
    .about = "Merges archives into one. Modules of the same name are merged.\nAn input may also come from "
             "another tool: a cubin, PTX, LTO-IR, Tile IR, OptiX-IR, a fatbin, or an\nobject or program of "
             "nvcc with fatbins in it. Its images are kept byte for byte; NAME=FILE puts\nthem into module "
             "NAME.\nPTX files of one NAME that share nothing become one image.\nThe order of the inputs "
             "does not affect FILE.",
    .example = "cubinet pack segsum.cubinet saxpy.cubinet -o kernels.cubinet --archive-version 1.4.0\n"
               "cubinet pack gemm.sm_90.cubin gemm.ptx add=cache/1f3a/kernel.cubin -o gemm.cubinet\n"
               "cubinet pack @inputs.txt -o kernels.cubinet --compress zstd:19",
    .options = options,
};

struct pack {
    const char **inputs;
    size_t input_count;
    const char *output;
    const char *archive_version;
    const char *abi;
    struct property_list properties;
    struct cbn_text_list sign_paths;
    const char *signed_input;     /* the first that is signed; NULL */
    struct cbn_text_list aliases; /* NAME=LOWERED */
    struct cbn_text_list launch_paths;
    struct cbn_text_list tuning_paths;
    struct foreign foreign;
    struct archive_writer_options writer;
    bool help;
};

/* Of the input before it. */
static cubinet_status take_export(struct pack *pack, const char *value)
{
    return pack->input_count == 0
               ? cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                           "--export is about the input before it, and there is none")
               : foreign_export(&pack->foreign, pack->inputs[pack->input_count - 1], value);
}

static cubinet_status take_option(void *data, int id, const char *value)
{
    struct pack *pack = data;
    switch (id) {
    case OUTPUT:
        pack->output = value;
        break;
    case MODULE:
        pack->foreign.module = value;
        return name_check("a module's name", value);
    case NAME_BY:
        return foreign_name_by_option(value, &pack->foreign.name_by);
    case KERNEL:
        return cbn_text_list_add(&pack->aliases, value);
    case EXPORT:
        return take_export(pack, value);
    case TOOLKIT:
        pack->foreign.toolkit = value;
        break;
    case ARCHIVE_VERSION:
        pack->archive_version = value;
        break;
    case ABI:
        pack->abi = value;
        return name_check("the ABI tag", value);
    case SET:
        return property_list_set(&pack->properties, value);
    case LICENSE:
        return property_list_set_license(&pack->properties, value);
    case SIGN:
        return cbn_text_list_add(&pack->sign_paths, value);
    case LAUNCH:
        return cbn_text_list_add(&pack->launch_paths, value);
    case TUNING:
        return cbn_text_list_add(&pack->tuning_paths, value);
    case COMPRESS:
        return compression_parse(value, &pack->writer.zstd_level);
    case THREADS:
        return compression_threads(value, &pack->writer.threads);
    case WRITE_IF_DIFFERENT:
        pack->writer.keep_if_equal = true;
        break;
    case OPTION_POSITIONAL:
        pack->inputs[pack->input_count++] = value;
        break;
    default:
        return CUBINET_ERROR_INVALID_ARGUMENT;
    }
    return CUBINET_OK;
}

/* An archive may be replaced by what it is merged into. */
static cubinet_status check_outputs(const struct pack *pack)
{
    struct outputs outputs = {0};
    outputs_write(&outputs, "the output", pack->output);
    for (size_t i = 0; i < pack->input_count; i++) {
        foreign_outputs(pack->inputs[i], pack->output, pack->output, &outputs);
    }
    outputs_read_all(&outputs, "the secret key", &pack->sign_paths);
    outputs_read_all(&outputs, "the launch record", &pack->launch_paths);
    outputs_read_all(&outputs, "the tuning record", &pack->tuning_paths);
    return outputs_check(&outputs);
}

static cubinet_status parse(struct pack *pack, int argc, char **argv)
{
    cubinet_status status = command_read(options, argc, argv, take_option, pack, &pack->help);
    if (status || pack->help) {
        return status;
    }
    if (pack->input_count == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no input to pack is given");
    }
    if (!pack->output) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "no output is given: -o FILE");
    }
    status = output_check_name(pack->output);
    if (!status) {
        status = check_outputs(pack);
    }
    return !status && pack->archive_version ? name_check("the archive version", pack->archive_version)
                                            : status;
}

/* Without an option the inputs' own text stays, if they have one and the same. */
static cubinet_status keep_text(char **kept, const char *text, const char *what, const char *option,
                                const char *input)
{
    if (text[0] == '\0') {
        return CUBINET_OK;
    }
    if (*kept && strcmp(*kept, text) != 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "'%s' has %s %s, an input before it has %s; say which to write with %s", input, what,
                         text, *kept, option);
    }
    free(*kept);
    *kept = strdup(text);
    return *kept ? CUBINET_OK : cbn_error_memory();
}

static cubinet_status keep_texts(struct pack *pack, struct draft *draft, const cubinet_archive *archive,
                                 const char *input)
{
    cubinet_archive_info info = {.size = sizeof(info)};
    cubinet_status status = cubinet_archive_get_info(archive, &info);
    if (!status && !pack->archive_version) {
        status = keep_text(&draft->archive_version, info.archive_version, "archive version",
                           "--archive-version", input);
    }
    if (!status && !pack->abi) {
        status = keep_text(&draft->abi, info.abi, "ABI tag", "--abi", input);
    }
    if (info.signature_count > 0 && !pack->signed_input) {
        pack->signed_input = input;
    }
    return status ? status : property_list_keep(&draft->properties, archive, input);
}

static cubinet_status add_archive(struct pack *pack, const char *input, struct draft *draft)
{
    cubinet_archive *archive;
    trace_begin("read", input);
    cubinet_status status = cubinet_archive_open(input, NULL, &archive);
    trace_end();
    if (status) {
        return status;
    }
    status = keep_texts(pack, draft, archive, input);
    if (!status) {
        status = draft_add_archive(draft, archive, input);
    }
    cubinet_archive_close(archive);
    return status;
}

static cubinet_status add_input(struct pack *pack, const char *input, struct draft *draft)
{
    const char *archive;
    cubinet_status status = foreign_take(&pack->foreign, input, &archive);
    return !status && archive ? add_archive(pack, archive, draft) : status;
}

static cubinet_status set_texts(const struct pack *pack, struct draft *draft)
{
    if (pack->archive_version) {
        draft->archive_version = strdup(pack->archive_version);
    }
    if (pack->abi) {
        draft->abi = strdup(pack->abi);
    }
    bool lacks = (pack->archive_version && !draft->archive_version) || (pack->abi && !draft->abi);
    return lacks ? cbn_error_memory() : property_list_add(&draft->properties, &pack->properties);
}

static cubinet_status write_signed(struct pack *pack, const struct draft *draft)
{
    struct signing_keys keys = {0};
    cubinet_status status = signing_keys_read(&pack->sign_paths, &keys);
    if (!status) {
        pack->writer.keys = keys.items;
        pack->writer.key_count = keys.count;
        status = archive_write_file(draft, &pack->writer, pack->output);
    }
    signing_keys_forget(&keys);
    return status;
}

/* Records that are true of no image of the inputs stay out, and the user is told. */
static cubinet_status add_tuning(const char *path, struct draft *draft)
{
    size_t left_out = 0;
    cubinet_status status = tuning_file_add(path, draft, &left_out);
    if (!status && left_out > 0) {
        command_warning("'%s': %zu tuning record%s left out: the inputs do not have the image%s", path,
                        left_out, left_out == 1 ? " is" : "s are", left_out == 1 ? "" : "s");
    }
    return status;
}

/* What can be done once all inputs are there. */
static cubinet_status complete(struct pack *pack, struct draft *draft)
{
    cubinet_status status = foreign_file(&pack->foreign, draft);
    for (size_t i = 0; !status && i < pack->aliases.count; i++) {
        status = draft_alias(draft, pack->aliases.items[i]);
    }
    for (size_t i = 0; !status && i < pack->launch_paths.count; i++) {
        status = launch_file_add(pack->launch_paths.items[i], draft);
    }
    for (size_t i = 0; !status && i < pack->tuning_paths.count; i++) {
        status = add_tuning(pack->tuning_paths.items[i], draft);
    }
    return status;
}

static cubinet_status run_pack(struct pack *pack)
{
    struct draft draft = {0};
    cubinet_status status = CUBINET_OK;
    trace_subject(pack->output, NULL);
    status = set_texts(pack, &draft);
    if (!status) {
        status = output_check(pack->output);
    }
    for (size_t i = 0; !status && i < pack->input_count; i++) {
        status = add_input(pack, pack->inputs[i], &draft);
    }
    if (!status) {
        status = complete(pack, &draft);
    }
    if (!status) {
        status = write_signed(pack, &draft);
    }
    if (!status && pack->signed_input && pack->sign_paths.count == 0) {
        signing_keys_warn(pack->signed_input, pack->output);
    }
    if (!status) {
        foreign_warn(&pack->foreign);
    }
    draft_free(&draft);
    return status;
}

static int run(int argc, char **argv)
{
    struct pack pack = {.inputs = calloc((size_t)argc + 1, sizeof(*pack.inputs))};
    if (!pack.inputs) {
        cbn_error_memory();
        return command_failed();
    }
    int result;
    if (parse(&pack, argc, argv)) {
        result = command_usage("pack");
    } else if (pack.help) {
        command_print_help(&help);
        result = EXIT_OK;
    } else if (!supervise(NULL, pack.output, &result)) {
        result = command_exit(run_pack(&pack));
    }
    foreign_free(&pack.foreign);
    cbn_text_list_free(&pack.aliases);
    cbn_text_list_free(&pack.sign_paths);
    cbn_text_list_free(&pack.launch_paths);
    cbn_text_list_free(&pack.tuning_paths);
    property_list_free(&pack.properties);
    free(pack.inputs);
    return result;
}

const struct command cmd_pack = {"pack", "merge archives into one", run};

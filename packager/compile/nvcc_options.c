/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/nvcc_options.h"

#include "base/buffer.h"
#include "base/command.h"
#include "loader/core/support/error.h"

#include <string.h>

enum fate {
    SILENT,    /* what it asks for is so, or makes no difference to an archive */
    FOR_HOST,  /* taken with a warning */
    FOR_NVRTC, /* taken with a warning */
    REFUSED,   /* the text says what to do */
};

#define NO_HOST "there is no host code here, only kernels; build the program with a C or C++ compiler"
#define LINKS   "`cubinet link` links what was compiled with -dlto; leave the option out to compile"
#define NO_LINK "no program is linked here; leave the option out"

/* X(name, nvcc's name, its other name or NULL, its letter or 0, value, fate, text)
 *
 * The value is NULL for none; "{a|b}" takes one of these words, "N" a number, and anything else all. */
#define NVCC_OPTIONS(X)                                                                                      \
    X(ALLOW_UNSUPPORTED_COMPILER, "allow-unsupported-compiler", NULL, 0, NULL, SILENT, NULL)                 \
    X(ARCHIVE_OPTIONS, "archive-options", "Xarchive", 0, "OPTIONS", FOR_HOST, NULL)                          \
    X(ARCHIVER_BINARY, "archiver-binary", "arbin", 0, "PATH", FOR_HOST, NULL)                                \
    X(AUGMENT_HOST_LINKER_SCRIPT, "augment-host-linker-script", "aug-hls", 0, NULL, REFUSED, NO_LINK)        \
    X(BRIEF_DIAGNOSTICS, "brief-diagnostics", "brief-diag", 0, "{true|false}", SILENT, NULL)                 \
    X(CLEAN_TARGETS, "clean-targets", "clean", 0, NULL, REFUSED, "remove the archive with rm")               \
    X(COMPILE, "compile", NULL, 'c', NULL, SILENT, NULL)                                                     \
    X(COMPILE_AS_TOOLS_PATCH, "compile-as-tools-patch", "astoolspatch", 0, NULL, REFUSED,                    \
      "NVRTC makes no patches for CUDA's tools")                                                             \
    X(COMPILER_BINDIR, "compiler-bindir", "ccbin", 0, "PATH", FOR_HOST, NULL)                                \
    X(COMPILER_OPTIONS, "compiler-options", "Xcompiler", 0, "OPTIONS", FOR_HOST, NULL)                       \
    X(COMPRESS_MODE, "compress-mode", NULL, 0, "{default|size|speed|balance|none}", SILENT, NULL)            \
    X(CUDA, "cuda", NULL, 0, NULL, REFUSED, NO_HOST)                                                         \
    X(CUDART, "cudart", NULL, 0, "{none|shared|static}", SILENT, NULL)                                       \
    X(DEBUG_HOST, "debug", NULL, 'g', NULL, FOR_HOST, NULL)                                                  \
    X(DEPENDENCY_DRIVE_PREFIX, "dependency-drive-prefix", "ddp", 0, "PREFIX", FOR_HOST, NULL)                \
    X(DEVICE_ENTITY_VISIBILITY, "device-entity-has-hidden-visibility", NULL, 0, "{true|false}", SILENT,      \
      NULL)                                                                                                  \
    X(DEVICE_LINK, "device-link", "dlink", 0, NULL, REFUSED, LINKS)                                          \
    X(DEVICE_W, "device-w", "dw", 0, NULL, SILENT, NULL)                                                     \
    X(DISPLAY_ERROR_NUMBER, "display-error-number", "err-no", 0, NULL, SILENT, NULL)                         \
    X(DONT_USE_PROFILE, "dont-use-profile", "noprof", 0, NULL, SILENT, NULL)                                 \
    X(DRIVE_PREFIX, "drive-prefix", "dp", 0, "PREFIX", FOR_HOST, NULL)                                       \
    X(DRYRUN, "dryrun", NULL, 0, NULL, REFUSED, "-v prints what is run")                                     \
    X(ENTRIES, "entries", "e", 0, "KERNELS", FOR_NVRTC, NULL)                                                \
    X(FATBIN, "fatbin", NULL, 0, NULL, SILENT, NULL)                                                         \
    X(FORCE_CL_ENV_SETUP, "force-cl-env-setup", NULL, 0, NULL, FOR_HOST, NULL)                               \
    X(FORWARD_UNKNOWN, "forward-unknown-opts", NULL, 0, NULL, SILENT, NULL)                                  \
    X(FORWARD_TO_COMPILER, "forward-unknown-to-host-compiler", NULL, 0, NULL, SILENT, NULL)                  \
    X(FORWARD_TO_LINKER, "forward-unknown-to-host-linker", NULL, 0, NULL, SILENT, NULL)                      \
    X(FRANDOM_SEED, "frandom-seed", NULL, 0, "SEED", SILENT, NULL)                                           \
    X(TEMPLATE_BACKTRACE, "ftemplate-backtrace-limit", NULL, 0, "N", FOR_NVRTC, NULL)                        \
    X(TEMPLATE_DEPTH, "ftemplate-depth", NULL, 0, "N", FOR_NVRTC, NULL)                                      \
    X(HOST_LINKER_SCRIPT, "host-linker-script", "hls", 0, "{use-lcs|gen-lcs}", REFUSED, NO_LINK)             \
    X(INPUT_DRIVE_PREFIX, "input-drive-prefix", "idp", 0, "PREFIX", FOR_HOST, NULL)                          \
    X(JOBSERVER, "jobserver", NULL, 0, NULL, SILENT, NULL)                                                   \
    X(KEEP, "keep", NULL, 0, NULL, FOR_NVRTC, NULL)                                                          \
    X(KEEP_DEVICE_FUNCTIONS, "keep-device-functions", NULL, 0, NULL, FOR_NVRTC, NULL)                        \
    X(KEEP_DIR, "keep-dir", NULL, 0, "DIR", FOR_NVRTC, NULL)                                                 \
    X(LANGUAGE, "x", NULL, 0, "{cu}", SILENT, NULL)                                                          \
    X(LIB, "lib", NULL, 0, NULL, REFUSED, "`cubinet pack` merges archives into one")                         \
    X(LIBDEVICE_DIRECTORY, "libdevice-directory", "ldir", 0, "DIR", FOR_NVRTC, NULL)                         \
    X(LIBRARY_PATH, "library-path", NULL, 'L', "DIR", FOR_HOST, NULL)                                        \
    X(LINK, "link", NULL, 0, NULL, REFUSED, NO_LINK)                                                         \
    X(LINKER_OPTIONS, "linker-options", "Xlinker", 0, "OPTIONS", FOR_HOST, NULL)                             \
    X(MACHINE, "machine", "m", 0, "{64}", SILENT, NULL)                                                      \
    X(M64, "m64", NULL, 0, NULL, SILENT, NULL)                                                               \
    X(NO_ALIGN_DOUBLE, "no-align-double", NULL, 0, NULL, SILENT, NULL)                                       \
    X(NO_COMPRESS, "no-compress", NULL, 0, NULL, SILENT, NULL)                                               \
    X(NO_DEVICE_LINK, "no-device-link", "nodlink", 0, NULL, SILENT, NULL)                                    \
    X(NO_DISPLAY_ERROR_NUMBER, "no-display-error-number", "no-err-no", 0, NULL, SILENT, NULL)                \
    X(NO_EXCEPTIONS, "no-exceptions", "noeh", 0, NULL, SILENT, NULL)                                         \
    X(NVLINK_OPTIONS, "nvlink-options", "Xnvlink", 0, "OPTIONS", FOR_NVRTC, NULL)                            \
    X(OBJDIR_AS_TEMPDIR, "objdir-as-tempdir", "objtemp", 0, NULL, SILENT, NULL)                              \
    X(PREPROCESS, "preprocess", "E", 0, NULL, REFUSED,                                                       \
      "NVRTC does not print what it preprocesses; -M prints which headers are read")                         \
    X(PROFILE, "profile", "pg", 0, NULL, FOR_HOST, NULL)                                                     \
    X(QPP_CONFIG, "qpp-config", NULL, 0, "CONFIG", FOR_HOST, NULL)                                           \
    X(RELOCATABLE_LINK, "relocatable-link", NULL, 'r', NULL, REFUSED, NO_LINK)                               \
    X(RELOCATABLE_PTX, "relocatable-ptx", "reloc-ptx", 0, NULL, REFUSED, LINKS)                              \
    X(RUN, "run", NULL, 0, NULL, REFUSED, NO_LINK)                                                           \
    X(RUN_ARGS, "run-args", NULL, 0, "ARGUMENTS", REFUSED, NO_LINK)                                          \
    X(SANITIZE, "sanitize", NULL, 0, "TOOL", REFUSED,                                                        \
      "NVRTC cannot instrument code; compute-sanitizer checks kernels without that")                         \
    X(SAVE_TEMPS, "save-temps", NULL, 0, NULL, FOR_NVRTC, NULL)                                              \
    X(SHARED, "shared", NULL, 0, NULL, REFUSED, NO_LINK)                                                     \
    X(SOURCE_IN_PTX, "source-in-ptx", "src-in-ptx", 0, NULL, FOR_NVRTC, NULL)                                \
    X(SPLIT_COMPILE_EXTENDED, "split-compile-extended", NULL, 0, "N", SILENT, NULL)                          \
    X(STATIC_STUB, "static-global-template-stub", NULL, 0, "{true|false}", SILENT, NULL)                     \
    X(TARGET_DIRECTORY, "target-directory", "target-dir", 0, "DIR", REFUSED,                                 \
      "--toolkit names the toolkit to use")                                                                  \
    X(USE_LOCAL_ENV, "use-local-env", NULL, 0, NULL, FOR_HOST, NULL)                                         \
    X(VERSION, "version", NULL, 'V', NULL, REFUSED, "`cubinet --version` prints Cubinet's")                  \
    X(WARN_DEFAULT_STREAM, "Wdefault-stream-launch", NULL, 0, NULL, FOR_HOST, NULL)                          \
    X(WARN_LAMBDA_THIS, "Wext-lambda-captures-this", NULL, 0, NULL, FOR_HOST, NULL)                          \
    X(NO_DEPRECATED_TARGETS, "Wno-deprecated-gpu-targets", NULL, 0, NULL, SILENT, NULL)

enum {
    BEFORE_FIRST = NVCC_OPTION_FIRST - 1,
#define OPTION_ID(id, name, other, letter, value, fate, text) OPTION_##id,
    NVCC_OPTIONS(OPTION_ID)
#undef OPTION_ID
};

const struct option nvcc_options[] = {
#define OPTION_ROWS(id, name, other, letter, value, fate, text)                                              \
    {OPTION_##id, name, letter, value, NULL, false}, {OPTION_##id, other, 0, value, NULL, false},
    NVCC_OPTIONS(OPTION_ROWS)
#undef OPTION_ROWS
        {0},
};

static const struct {
    const char *value;
    enum fate fate;
    const char *text;
} fates[] = {
#define OPTION_FATE(id, name, other, letter, value, fate, text) {value, fate, text},
    NVCC_OPTIONS(OPTION_FATE)
#undef OPTION_FATE
};

/* Whether `word` is one of those in "{a|b}". */
static bool is_listed(const char *words, const char *word)
{
    size_t size = strlen(word);
    for (const char *at = words + 1; *at; at += strcspn(at, "|}") + 1) {
        if (size > 0 && strncmp(at, word, size) == 0 && (at[size] == '|' || at[size] == '}')) {
            return true;
        }
    }
    return false;
}

static cubinet_status check_value(const char *spelling, const char *allowed, const char *value)
{
    if (allowed[0] == '{' && !is_listed(allowed, value)) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '%s' takes %s, not '%s'", spelling, allowed,
                         value);
    }
    if (strcmp(allowed, "N") == 0 && (!*value || strspn(value, "0123456789") != strlen(value))) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "option '%s' takes a number, not '%s'", spelling,
                         value);
    }
    return CUBINET_OK;
}

cubinet_status nvcc_ignored_add(struct cbn_text_list *list, const char *spelling, const char *value)
{
    return value ? cbn_text_list_addf(list, "%s %s", spelling, value) : cbn_text_list_add(list, spelling);
}

cubinet_status nvcc_option_take(int id, const char *spelling, const char *value, struct nvcc_ignored *ignored)
{
    int index = id - NVCC_OPTION_FIRST;
    cubinet_status status =
        fates[index].value ? check_value(spelling, fates[index].value, value) : CUBINET_OK;
    if (status) {
        return status;
    }
    switch (fates[index].fate) {
    case FOR_HOST:
        return nvcc_ignored_add(&ignored->for_host, spelling, value);
    case FOR_NVRTC:
        return nvcc_ignored_add(&ignored->for_nvrtc, spelling, value);
    case REFUSED:
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "nvcc's option '%s' is not taken: %s", spelling,
                         fates[index].text);
    case SILENT:
        break;
    }
    return CUBINET_OK;
}

static void warn(const struct cbn_text_list *list, const char *why)
{
    struct buffer text = {0};
    for (size_t i = 0; i < list->count; i++) {
        buffer_printf(&text, "%s%s", i ? ", " : "", list->items[i]);
    }
    if (list->count > 0 && !text.failed) {
        command_warning("without effect, as %s: %s", why, text.data);
    }
    buffer_free(&text);
}

void nvcc_ignored_warn(const struct nvcc_ignored *ignored)
{
    warn(&ignored->for_host, "there is no host code");
    warn(&ignored->for_nvrtc, "NVRTC has no such option");
}

void nvcc_ignored_free(struct nvcc_ignored *ignored)
{
    cbn_text_list_free(&ignored->for_host);
    cbn_text_list_free(&ignored->for_nvrtc);
}

bool nvcc_forwards_unknown(int argc, char *const *argv)
{
    static const char start[] = "forward-unknown-";
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *name = argv[i] + strspn(argv[i], "-");
        if (name > argv[i] && strncmp(name, start, strlen(start)) == 0) {
            return true;
        }
    }
    return false;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/host_pass.h"

#include "compile/dialect.h"
#include "cxx/cxx_left_out.h"
#include "interpose/opened_files.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text.h"
#include "toolkit/device_headers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FAMILIES_RELEASE = 12090 }; /* whose NVRTC has architectures of families, and macros of them */

/* The lists of a reader's settings, out of NVRTC's options. */
struct lists {
    struct cbn_text_list folders;
    struct cbn_text_list first;
    struct cbn_text_list macros;
    struct cbn_text_list removed;
};

/* Macros that the toolkit's headers, which are not read, define, and that annotate functions. */
static const char *const toolkits_macros[] = {
    "_CCCL_DEVICE=__device__",
    "_CCCL_HOST=__host__",
    "_CCCL_HOST_DEVICE=__host__ __device__",
    "_CCCL_API=__host__ __device__",
    "_CCCL_HOST_API=__host__",
    "_CCCL_DEVICE_API=__device__",
    "_CCCL_TRIVIAL_API=__host__ __device__",
    "_CCCL_FORCEINLINE=__forceinline__",
    "_CCCL_CONSTEXPR_CXX20=constexpr",
    "CUB_RUNTIME_FUNCTION=__host__ __device__",
    "THRUST_RUNTIME_FUNCTION=__host__ __device__",
    "THRUST_HOST=__host__",
    "THRUST_DEVICE=__device__",
    "THRUST_HOST_DEVICE=__host__ __device__",
    "__thrust_exec_check_disable__=",
    "_LIBCUDACXX_HIDE_FROM_ABI=__host__ __device__",
    "_CCCL_HIDE_FROM_ABI=inline",
    "__CUDA_HOSTDEVICE__=__host__ __device__",
    "__CUDA_FP16_DECL__=__device__",
    "NULL=0",
    /* These the compiler takes for macros, and sources ask whether they are there. */
    "__host__=__host__",
    "__device__=__device__",
    "__global__=__global__",
    "__constant__=__constant__",
    "__shared__=__shared__",
    "__managed__=__managed__",
    "__forceinline__=__forceinline__",
    "__noinline__=__noinline__",
};

/* By which headers leave out what is the host's. */
static const char nvrtc_macro[] = "__CUDACC_RTC__";

/* What NVRTC defines, as far as it decides what of a source is compiled. The platform's macros are in the
 * header DEVICE_HEADERS_PLATFORM. */
static const char *const compilers_macros[] = {
    "__CUDACC_RTC__",
    "__CUDACC__",
    "__NVCC__",
    "__LP64__",
    "__GNUC__=" CXX_GNUC,
    "__GNUC_MINOR__=" CXX_GNUC_MINOR,
    "__GNUC_PATCHLEVEL__=0",
    "__GXX_ABI_VERSION=" CXX_GNUC_ABI,
    "_GLIBCXX_USE_CXX11_ABI=1",
    "__GLIBC__=2",
    "__GLIBC_MINOR__=36",
    "__EDG__",
    "__STDC__",
    "__cpp_constexpr=201603",
    "__USE_FAST_MATH__=0",
    "__CUDA_FTZ=0",
    "__CUDA_PREC_DIV=1",
    "__CUDA_PREC_SQRT=1",
};

/* What NVRTC's options define. */
static const struct {
    const char *option;
    const char *macros[4];
} options_macros[] = {
    {"-use_fast_math", {"__USE_FAST_MATH__=1", "__CUDA_FTZ=1", "__CUDA_PREC_DIV=0", "__CUDA_PREC_SQRT=0"}},
    {"-ftz=true", {"__CUDA_FTZ=1"}},
    {"-prec-div=false", {"__CUDA_PREC_DIV=0"}},
    {"-prec-sqrt=false", {"__CUDA_PREC_SQRT=0"}},
    {"-G", {"__CUDACC_DEBUG__=1"}},
    {"-rdc=true", {"__CUDACC_RDC__=1"}},
    {"-dc", {"__CUDACC_RDC__=1"}},
    {"-ewp", {"__CUDACC_EWP__=1"}},
};

/* What code for one architecture alone, as sm_90a, and for its family, as sm_100f, may ask. */
static void add_features(struct cbn_text_list *macros, int version, cubinet_target target)
{
    bool is_specific = target.suffix == 'a';
    bool has_families = version >= FAMILIES_RELEASE;
    if (is_specific) {
        cbn_text_list_addf(macros, "__CUDA_ARCH_FEAT_SM%d_ALL", target.number);
    }
    if (is_specific && has_families) {
        cbn_text_list_addf(macros, "__CUDA_ARCH_SPECIFIC__=%d0", target.number);
    }
    if ((is_specific && has_families) || target.suffix == 'f') {
        cbn_text_list_addf(macros, "__CUDA_ARCH_FAMILY_SPECIFIC__=%d0", target.number);
    }
}

static void add_numbers(struct cbn_text_list *macros, int version, cubinet_target target)
{
    cbn_text_list_addf(macros, "__CUDA_ARCH__=%d0", target.number);
    cbn_text_list_addf(macros, "__CUDA_ARCH_LIST__=%d0", target.number);
    add_features(macros, version, target);
    cbn_text_list_addf(macros, "__CUDACC_VER_MAJOR__=%d", version / 1000);
    cbn_text_list_addf(macros, "__CUDACC_VER_MINOR__=%d", version % 1000 / 10);
    cbn_text_list_addf(macros, "__CUDACC_VER_BUILD__=0");
    cbn_text_list_addf(macros, "CUDART_VERSION=%d", version);
    cbn_text_list_addf(macros, "CUDA_VERSION=%d", version);
    cbn_text_list_addf(macros, "__CUDART_API_VERSION=%d", version);
}

static void add_of_option(struct cbn_text_list *macros, const char *option)
{
    for (size_t i = 0; i < sizeof(options_macros) / sizeof(options_macros[0]); i++) {
        bool is_this = strcmp(option, options_macros[i].option) == 0;
        for (size_t j = 0; is_this && j < 4 && options_macros[i].macros[j]; j++) {
            cbn_text_list_add(macros, options_macros[i].macros[j]);
        }
    }
}

static void read_option(struct lists *lists, const char *option)
{
    static const char first[] = "-include=";
    static const char dialect[] = "-std=";
    if (cbn_starts_with(option, "-I")) {
        cbn_text_list_add(&lists->folders, option + 2);
    } else if (cbn_starts_with(option, "-D")) {
        cbn_text_list_add(&lists->macros, option + 2);
    } else if (cbn_starts_with(option, "-U")) {
        cbn_text_list_add(&lists->removed, option + 2);
    } else if (cbn_starts_with(option, first)) {
        cbn_text_list_add(&lists->first, option + strlen(first));
    } else if (cbn_starts_with(option, dialect)) {
        cbn_text_list_addf(&lists->macros, "__cplusplus=%s", dialect_number(option));
    } else {
        add_of_option(&lists->macros, option);
    }
}

static cubinet_status make_lists(const struct compile_work *work, cubinet_target target,
                                 const struct cbn_text_list *options, struct lists *lists)
{
    cbn_text_list_add(&lists->macros, "__cplusplus=201703L");
    for (size_t i = 0; i < sizeof(compilers_macros) / sizeof(compilers_macros[0]); i++) {
        cbn_text_list_add(&lists->macros, compilers_macros[i]);
    }
    for (size_t i = 0; i < sizeof(toolkits_macros) / sizeof(toolkits_macros[0]); i++) {
        cbn_text_list_add(&lists->macros, toolkits_macros[i]);
    }
    add_numbers(&lists->macros, work->tools->nvrtc.version, target);
    for (size_t i = 0; i < options->count; i++) {
        read_option(lists, options->items[i]);
    }
    bool failed =
        lists->folders.failed || lists->first.failed || lists->macros.failed || lists->removed.failed;
    return failed ? cbn_error_memory() : CUBINET_OK;
}

static void lists_free(struct lists *lists)
{
    cbn_text_list_free(&lists->folders);
    cbn_text_list_free(&lists->first);
    cbn_text_list_free(&lists->macros);
    cbn_text_list_free(&lists->removed);
}

static bool leaves_out(const struct cxx_unit *unit)
{
    bool found = false;
    for (size_t i = 0; i < unit->file_count && !found; i++) {
        found = cxx_left_out(&unit->files[i]->tokens, nvrtc_macro, NULL);
    }
    return found;
}

/* Reads the source; once more, if it has host code, with what its files leave out. */
static cubinet_status read_source(const struct compile_work *work, const struct cxx_settings *settings,
                                  bool is_relocatable, struct host_pass *host)
{
    cubinet_status status = host_skip_read(settings, is_relocatable, &host->skip);
    host->is_needed = !status && (host->skip.parts.is_mixed || host_skip_has_statements(&host->skip));
    if (host->is_needed && !work->refuses_left_out && leaves_out(&host->skip.unit)) {
        struct cxx_settings fuller = *settings;
        fuller.despite = nvrtc_macro;
        host->has_left_out = true;
        host_skip_free(&host->skip);
        status = host_skip_read(&fuller, is_relocatable, &host->skip);
        host->is_needed = !status;
    }
    host->skip.has_lambdas = work->arguments->extended_lambda;
    return status;
}

cubinet_status host_pass_begin(const struct compile_work *work, const struct compile_pass *pass,
                               const struct cbn_text_list *options, struct host_pass *out_pass)
{
    const struct toolkit *toolkit = work->tools->toolkit;
    const struct cbn_text_list closed = {.items = toolkit->includes, .count = toolkit->include_count};
    struct lists lists = {0};
    struct host_pass host = {0};
    char *platform = NULL;
    *out_pass = host;
    replaced_files_stop(); /* of another reading of the source */
    if (work->arguments->device_headers != DEVICE_HEADERS_LENIENT) {
        return CUBINET_OK;
    }
    bool is_relocatable = pass->relocatable || work->arguments->relocatable || pass->makes;
    cubinet_status status = make_lists(work, pass->target, options, &lists);
    if (!status && asprintf(&platform, "%s/%s", toolkit->shipped_headers, DEVICE_HEADERS_PLATFORM) < 0) {
        status = cbn_error_memory();
    }
    if (!status) {
        const struct cxx_settings settings = {
            .path = work->arguments->source,
            .text = pass->text,
            .folders = &lists.folders,
            .closed = &closed,
            .predefined = platform,
            .first = &lists.first,
            .macros = &lists.macros,
            .removed = &lists.removed,
        };
        opened_files_pause(true);
        status = read_source(work, &settings, is_relocatable, &host);
        opened_files_pause(false);
        status = status == CUBINET_ERROR_LIMIT ? CUBINET_OK : status; /* NVRTC will say what is wrong */
    }
    lists_free(&lists);
    free(platform);
    *out_pass = host;
    return status;
}

static void drop_texts(struct host_pass *host)
{
    replaced_files_stop();
    for (size_t i = 0; host->texts && i < host->skip.unit.file_count; i++) {
        free(host->texts[i]);
    }
    free(host->texts);
    free(host->replaced);
    host->texts = NULL;
    host->replaced = NULL;
}

cubinet_status host_pass_apply(struct host_pass *host, const char *text, const char **out_text)
{
    size_t files = host->skip.unit.file_count;
    size_t count = 0;
    drop_texts(host);
    cubinet_status status = host_skip_texts(&host->skip, &host->texts);
    if (status) {
        return status;
    }
    host->replaced = calloc(files, sizeof(*host->replaced));
    if (!host->replaced) {
        return cbn_error_memory();
    }
    for (size_t i = 1; i < files; i++) {
        const struct cxx_file *file = host->skip.unit.files[i];
        opened_files_add(file->path, false);
        if (host->texts[i]) {
            host->replaced[count++] = (struct replaced_file){file->device, file->inode, host->texts[i]};
        }
    }
    replaced_files_start(host->replaced, count);
    *out_text = host->texts[0] ? host->texts[0] : text;
    return CUBINET_OK;
}

cubinet_status host_pass_learn(struct host_pass *host, const char *log, bool verbose, bool *out_again)
{
    *out_again = false;
    cubinet_status status = host_skip_learn(&host->skip, log, out_again);
    if (verbose && host->skip.notes.data) {
        fputs(host->skip.notes.data, stderr);
    }
    buffer_free(&host->skip.notes);
    return status;
}

/* The end of the message that starts at `line`, with its notes. */
static char *message_end(char *line)
{
    char *at = line;
    bool goes_on;
    do {
        at += strcspn(at, "\n");
        at += *at == '\n';
        size_t size = strcspn(at, "\n");
        bool starts = *at != ' ' && memmem(at, size, "): ", strlen("): "));
        bool is_note = starts && memmem(at, size, "): note ", strlen("): note "));
        goes_on = *at && *at != '\n' && (!starts || is_note);
    } while (goes_on);
    return at + (*at == '\n');
}

/* A warning that something of the host's types is used, which these headers have for skeletons alone. */
static const char uses_host[] = " was declared deprecated (\"the host's type\")";

/* Makes an error of it, in no more room. */
static void make_error(char *mark, char *uses)
{
    static const char error[] = "): error: ";
    static const char because[] = "\" is for host code: device code can't use it";
    static const char function[] = "function ";
    char *text = strstr(mark, ": ") + strlen(": ");
    text = strstr(text, ": ") + strlen(": ");
    text += strncmp(text, function, strlen(function)) == 0 ? strlen(function) : 0;
    char *rest = uses + strlen(uses_host);
    size_t size = 0; /* of the name: what follows, its parameters, says nothing */
    while (text + size + 1 < uses && text[size] != '(') {
        size++;
    }
    memcpy(mark, error, strlen(error));
    memmove(mark + strlen(error), text, size);
    memcpy(mark + strlen(error) + size, because, strlen(because));
    char *end = mark + strlen(error) + size + strlen(because);
    memmove(end, rest, strlen(rest) + 1);
}

/* The column, from 0, that the caret two lines below a message points to; 0 if there is none. The line of the
 * source between them is indented by two. */
static size_t caret_of(const char *line)
{
    for (int i = 0; i < 2; i++) {
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    size_t blanks = strspn(line, " ");
    return line[blanks] == '^' && blanks > 2 ? blanks - 2 : 0;
}

/* Whether a warning is that nothing else defines an extern variable, and it is the host's: a constant that
 * skeletons may name. */
static bool is_of_hosts_extern(const struct host_pass *host, const char *line, size_t size, size_t path,
                               size_t number)
{
    static const char mark[] = " is treated as a static definition";
    return memmem(line, size, mark, strlen(mark)) &&
           !host_skip_has_device_variable(&host->skip, line, path, number);
}

bool host_pass_quiet(const struct host_pass *host, char *log)
{
    static const char warning[] = "): warning ";
    bool misused = false;
    for (char *line = log; *line;) {
        size_t size = strcspn(line, "\n");
        char *mark = memmem(line, size, warning, strlen(warning));
        const char *open = mark ? memrchr(line, '(', (size_t)(mark - line)) : NULL;
        size_t path = open ? (size_t)(open - line) : 0;
        unsigned long number = open ? strtoul(open + 1, NULL, 10) : 0;
        char *uses = open ? memmem(line, size, uses_host, strlen(uses_host)) : NULL;
        if (uses && host_skip_is_device(&host->skip, line, path, number, caret_of(line))) {
            make_error(mark, uses);
            misused = true;
        } else if (uses || (open && (host->is_silent || host_skip_has_line(&host->skip, line, path, number) ||
                                     is_of_hosts_extern(host, line, size, path, number)))) {
            char *end = message_end(line);
            memmove(line, end, strlen(end) + 1);
            continue;
        }
        size = strcspn(line, "\n");
        line += size + (line[size] == '\n');
    }
    return misused;
}

void host_pass_end(struct host_pass *host)
{
    drop_texts(host);
    host_skip_free(&host->skip);
    *host = (struct host_pass){0};
}

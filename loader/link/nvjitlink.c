/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/nvjitlink.h"

#include "loader/core/support/error.h"
#include "loader/core/support/own_stack.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The releases whose libraries have only names with the release in them. */
enum { VERSIONED_NAMES_MAJOR = 12, VERSIONED_NAMES_LAST_MINOR = 2 };

static const struct cbn_symbol symbols[] = {
#define CBN_SYMBOL(name, parameters, required, since)                                                        \
    {#name, offsetof(struct cbn_nvjitlink_table, name), required, since},
    CBN_NVJITLINK_FUNCTIONS(CBN_SYMBOL)
#undef CBN_SYMBOL
};
enum { SYMBOL_COUNT = sizeof(symbols) / sizeof(symbols[0]) };

/* Fills the table from the names of one release; false if a required one is not there. */
static bool resolve_release(const struct cbn_library *library, int minor, struct cbn_nvjitlink_table *table)
{
    for (size_t i = 0; i < SYMBOL_COUNT; i++) {
        char name[64];
        snprintf(name, sizeof(name), "__%s_%d_%d", symbols[i].name, VERSIONED_NAMES_MAJOR, minor);
        void *function = dlsym(library->handle, name);
        if (!function && symbols[i].required) {
            return false;
        }
        memcpy((char *)table + symbols[i].offset, &function, sizeof(function));
    }
    return true;
}

static cubinet_status resolve(struct cbn_nvjitlink *nvjitlink)
{
    bool plain = dlsym(nvjitlink->library.handle, "nvJitLinkCreate") != NULL;
    for (int minor = VERSIONED_NAMES_LAST_MINOR; !plain && minor >= 0; minor--) {
        if (resolve_release(&nvjitlink->library, minor, &nvjitlink->table)) {
            nvjitlink->version = 1000 * VERSIONED_NAMES_MAJOR + 10 * minor;
            return CUBINET_OK;
        }
    }
    return cbn_library_resolve(&nvjitlink->library, symbols, SYMBOL_COUNT, &nvjitlink->table,
                               CUBINET_ERROR_TOOLKIT);
}

/* Opening it runs its initialisation, and linking more of it: neither says how much stack it needs. */
struct opening {
    const struct cbn_library_search *search;
    struct cbn_nvjitlink *out_nvjitlink;
};

static cubinet_status open_here(const struct cbn_library_search *search, struct cbn_nvjitlink *out_nvjitlink)
{
    struct cbn_nvjitlink nvjitlink = {0};
    cubinet_status status = cbn_library_open(search, CUBINET_ERROR_TOOLKIT, &nvjitlink.library);
    if (status) {
        return status;
    }
    status = resolve(&nvjitlink);
    unsigned int major = 0;
    unsigned int minor = 0;
    if (!status && nvjitlink.table.nvJitLinkVersion &&
        nvjitlink.table.nvJitLinkVersion(&major, &minor) == 0) {
        nvjitlink.version = (int)(1000 * major + 10 * minor);
    }
    if (!status && nvjitlink.version == 0) {
        status = cbn_error(CUBINET_ERROR_TOOLKIT, "%s does not report its version", nvjitlink.library.path);
    }
    if (status) {
        cbn_nvjitlink_close(&nvjitlink);
        return status;
    }
    *out_nvjitlink = nvjitlink;
    return CUBINET_OK;
}

static cubinet_status run_opening(void *user)
{
    const struct opening *opening = user;
    return open_here(opening->search, opening->out_nvjitlink);
}

cubinet_status cbn_nvjitlink_open(const struct cbn_library_search *search,
                                  struct cbn_nvjitlink *out_nvjitlink)
{
    return cbn_run_on_own_stack(run_opening, &(struct opening){search, out_nvjitlink});
}

void cbn_nvjitlink_close(struct cbn_nvjitlink *nvjitlink)
{
    cbn_library_close(&nvjitlink->library);
    *nvjitlink = (struct cbn_nvjitlink){0};
}

static const char *result_name(nvJitLinkResult result)
{
    static const char *const names[] = {
        "NVJITLINK_SUCCESS",
        "NVJITLINK_ERROR_UNRECOGNIZED_OPTION",
        "NVJITLINK_ERROR_MISSING_ARCH",
        "NVJITLINK_ERROR_INVALID_INPUT",
        "NVJITLINK_ERROR_PTX_COMPILE",
        "NVJITLINK_ERROR_NVVM_COMPILE",
        "NVJITLINK_ERROR_INTERNAL",
        "NVJITLINK_ERROR_THREADPOOL",
        "NVJITLINK_ERROR_UNRECOGNIZED_INPUT",
        "NVJITLINK_ERROR_FINALIZE",
        "NVJITLINK_ERROR_NULL_INPUT",
        "NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS",
        "NVJITLINK_ERROR_INCORRECT_INPUT_TYPE",
        "NVJITLINK_ERROR_ARCH_MISMATCH",
        "NVJITLINK_ERROR_OUTDATED_LIBRARY",
        "NVJITLINK_ERROR_MISSING_FATBIN",
        "NVJITLINK_ERROR_UNRECOGNIZED_ARCH",
        "NVJITLINK_ERROR_UNSUPPORTED_ARCH",
        "NVJITLINK_ERROR_LTO_NOT_ENABLED",
    };
    size_t count = sizeof(names) / sizeof(names[0]);
    return result >= 0 && (size_t)result < count ? names[result] : "an unknown error";
}

typedef nvJitLinkResult (*log_size_fn)(nvJitLinkHandle, size_t *);
typedef nvJitLinkResult (*log_fn)(nvJitLinkHandle, char *);

/* One of the two logs, without white space at its end; NULL if memory is out. */
static char *read_log(nvJitLinkHandle handle, log_size_fn get_size, log_fn get)
{
    size_t size = 0;
    if (!handle || get_size(handle, &size) != 0) {
        size = 0;
    }
    char *log = calloc(size + 1, 1);
    if (!log || size == 0 || get(handle, log) != 0) {
        return log;
    }
    size_t length = strlen(log);
    while (length > 0 && strchr(" \t\r\n", log[length - 1])) {
        log[--length] = '\0';
    }
    return log;
}

/* Of a newer release's code. Those of CUDA 12 say so in the log alone. */
static bool is_outdated(nvJitLinkResult result, const char *log)
{
    enum { INTERNAL = 6, OUTDATED_LIBRARY = 14 };
    return result == OUTDATED_LIBRARY ||
           (result == INTERNAL && log && strstr(log, "may need newer version of nvJitLink"));
}

/* What to do where the name of the result does not say it. */
static void append_advice(const struct cbn_nvjitlink *nvjitlink, nvJitLinkResult result, const char *log,
                          char *text, size_t capacity)
{
    text[0] = '\0';
    if (is_outdated(result, log)) {
        snprintf(text, capacity,
                 "; this nvJitLink is of CUDA %d.%d, and the code of a newer release: take that release's "
                 "nvJitLink, or a later one's (--toolkit FOLDER of the command)",
                 nvjitlink->version / 1000, nvjitlink->version % 1000 / 10);
    }
}

static cubinet_status fail(const struct cbn_nvjitlink *nvjitlink, nvJitLinkHandle handle,
                           nvJitLinkResult result, const char *call, const char *subject)
{
    const struct cbn_nvjitlink_table *table = &nvjitlink->table;
    char *log = read_log(handle, table->nvJitLinkGetErrorLogSize, table->nvJitLinkGetErrorLog);
    const char *before_log = !log || !log[0] ? "" : strchr(log, '\n') ? "\n" : ": ";
    char advice[256];
    append_advice(nvjitlink, result, log, advice, sizeof(advice));
    cbn_error(CUBINET_ERROR_LINK, "%s%snvJitLink: %s: %s (%d)%s%s%s", subject, subject[0] ? ": " : "", call,
              result_name(result), result, advice, before_log, log ? log : "");
    free(log);
    return CUBINET_ERROR_LINK;
}

/* LTO-IR that was taken out of a fatbin is a fatbin still: NVIDIA's tools tell its bytes to each other only.
 */
static nvJitLinkInputType type_of(const struct cbn_link_piece *piece)
{
    static const unsigned char fatbin[] = {0x50, 0xed, 0x55, 0xba};
    bool is_fatbin = piece->size >= sizeof(fatbin) && memcmp(piece->data, fatbin, sizeof(fatbin)) == 0;
    return piece->type == NVJITLINK_INPUT_LTOIR && is_fatbin ? NVJITLINK_INPUT_FATBIN : piece->type;
}

static cubinet_status add_pieces(const struct cbn_nvjitlink *nvjitlink, nvJitLinkHandle handle,
                                 const struct cbn_link_job *job)
{
    for (size_t i = 0; i < job->piece_count; i++) {
        const struct cbn_link_piece *piece = &job->pieces[i];
        nvJitLinkResult result =
            nvjitlink->table.nvJitLinkAddData(handle, type_of(piece), piece->data, piece->size, piece->name);
        if (result != 0) {
            return fail(nvjitlink, handle, result, "nvJitLinkAddData", piece->name);
        }
    }
    return CUBINET_OK;
}

static cubinet_status take_output(const struct cbn_nvjitlink *nvjitlink, nvJitLinkHandle handle,
                                  bool want_ptx, struct cbn_link_result *out)
{
    const struct cbn_nvjitlink_table *table = &nvjitlink->table;
    const char *call = want_ptx ? "nvJitLinkGetLinkedPtx" : "nvJitLinkGetLinkedCubin";
    size_t size = 0;
    nvJitLinkResult result = want_ptx ? table->nvJitLinkGetLinkedPtxSize(handle, &size)
                                      : table->nvJitLinkGetLinkedCubinSize(handle, &size);
    if (result != 0) {
        return fail(nvjitlink, handle, result, call, "");
    }
    if (size == 0) {
        return cbn_error(CUBINET_ERROR_LINK, "nvJitLink made nothing, and says that it succeeded");
    }
    out->data = calloc(size + 1, 1);
    if (!out->data) {
        return cbn_error_memory();
    }
    result = want_ptx ? table->nvJitLinkGetLinkedPtx(handle, (char *)out->data)
                      : table->nvJitLinkGetLinkedCubin(handle, out->data);
    out->size = want_ptx ? strlen((const char *)out->data) : size;
    return result == 0 ? CUBINET_OK : fail(nvjitlink, handle, result, call, "");
}

static cubinet_status link_here(const struct cbn_nvjitlink *nvjitlink, const struct cbn_link_job *job,
                                struct cbn_link_result *out_result)
{
    const struct cbn_nvjitlink_table *table = &nvjitlink->table;
    struct cbn_link_result made = {0};
    nvJitLinkHandle handle = NULL;
    cubinet_status status;
    nvJitLinkResult result = table->nvJitLinkCreate(&handle, (uint32_t)job->option_count, job->options);
    if (result != 0) {
        status = fail(nvjitlink, handle, result, "nvJitLinkCreate", "");
        goto done;
    }
    status = add_pieces(nvjitlink, handle, job);
    if (status) {
        goto done;
    }
    result = table->nvJitLinkComplete(handle);
    if (result != 0) {
        status = fail(nvjitlink, handle, result, "nvJitLinkComplete", "");
        goto done;
    }
    status = take_output(nvjitlink, handle, job->want_ptx, &made);
    if (status) {
        goto done;
    }
    made.log = read_log(handle, table->nvJitLinkGetInfoLogSize, table->nvJitLinkGetInfoLog);
    if (!made.log) {
        status = cbn_error_memory();
        goto done;
    }
    *out_result = made;
    made = (struct cbn_link_result){0};
done:
    cbn_link_result_free(&made);
    if (handle) {
        table->nvJitLinkDestroy(&handle);
    }
    return status;
}

struct linking {
    const struct cbn_nvjitlink *nvjitlink;
    const struct cbn_link_job *job;
    struct cbn_link_result *out_result;
};

static cubinet_status run_linking(void *user)
{
    const struct linking *linking = user;
    return link_here(linking->nvjitlink, linking->job, linking->out_result);
}

cubinet_status cbn_nvjitlink_link(const struct cbn_nvjitlink *nvjitlink, const struct cbn_link_job *job,
                                  struct cbn_link_result *out_result)
{
    return cbn_run_on_own_stack(run_linking, &(struct linking){nvjitlink, job, out_result});
}

void cbn_link_result_free(struct cbn_link_result *result)
{
    free(result->data);
    free(result->log);
    *result = (struct cbn_link_result){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/link/link_obtain.h"

#include "loader/core/archive/cbn_archive.h"
#include "loader/core/support/error.h"
#include "loader/link/default_cache.h"
#include "loader/link/link_plan_parts.h"
#include "loader/link/linked_archive.h"
#include "loader/link/ptxas_word.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Of what is kept, and of how it is made: a new one leaves all older entries behind. */
enum { LINK_VERSION = 2 };

/* What a link is made from. */
struct job {
    const struct cbn_link_plan *plan;
    const char *module;
    const struct cbn_linker *linker;
    const struct cbn_link_place *place;
};

static const char *find_expression(const void *user, const char *name, bool is_kernel)
{
    const struct cbn_link_plan *plan = user;
    const char *expression = NULL;
    for (size_t i = 0; i < plan->piece_count && !expression; i++) {
        expression = cbn_piece_find_expression(&plan->pieces[i], name, is_kernel);
    }
    return expression;
}

static cubinet_status wrap(const struct job *job, const struct cbn_link_result *result, void **out_data,
                           size_t *out_size)
{
    struct cbn_cubin cubin;
    cubinet_status status = cbn_cubin_read(result->data, result->size, &cubin);
    if (status) {
        return status;
    }
    const struct cbn_linked linked = {
        .module = job->module,
        .data = result->data,
        .size = result->size,
        .target = cbn_link_plan_target(job->plan),
        .cubin = &cubin,
        .find_expression = find_expression,
        .user = job->plan,
    };
    status = cbn_linked_archive_make(&linked, out_data, out_size);
    cbn_cubin_free(&cubin);
    return status;
}

/* Each line of what nvJitLink said, such as a warning of ptxas. */
static void tell(const struct cbn_link_place *place, const char *log)
{
    while (place->log && *log) {
        char *line = NULL;
        size_t size = strcspn(log, "\r\n");
        if (size > 0 && asprintf(&line, "nvJitLink: %.*s", (int)size, log) >= 0) {
            place->log(place->log_user, CUBINET_LOG_INFO, line);
            free(line);
        }
        log += size;
        log += strspn(log, "\r\n");
    }
}

static cubinet_status make(void *user, void **out_data, size_t *out_size)
{
    const struct job *job = user;
    const struct cbn_nvjitlink *nvjitlink = NULL;
    struct cbn_link_result result = {0};
    cubinet_status status = cbn_linker_open(job->linker, &nvjitlink);
    if (!status) {
        status = cbn_link_plan_run(job->plan, nvjitlink, &result);
    }
    if (!status) {
        tell(job->place, result.log);
        status = wrap(job, &result, out_data, out_size);
        cbn_link_result_free(&result);
    }
    return status;
}

/* What the names of a piece decide: by which expressions its kernels and globals are found afterwards. */
static void add_names(struct cbn_cache_key *key, const struct cbn_piece *piece)
{
    for (size_t i = 0; i < piece->name_count; i++) {
        cbn_cache_key_add_text(key, piece->names[i].is_kernel ? "kernel" : "global", piece->names[i].name);
        cbn_cache_key_add_text(key, "expression", piece->names[i].expression);
    }
}

/* A program that trusts keys finds nothing that one made which trusts others, or none. */
static void add_piece(struct cbn_cache_key *key, const struct cbn_piece *piece)
{
    size_t size = 0;
    const void *keys = piece->archive ? cbn_archive_trusted_keys(piece->archive, &size) : NULL;
    cbn_cache_key_add_u64(key, "piece type", (uint64_t)piece->type);
    cbn_cache_key_add_bytes(key, piece->archive ? "image" : "piece", piece->identity.bytes,
                            sizeof(piece->identity.bytes));
    if (keys) {
        cbn_cache_key_add_bytes(key, "trusted keys", keys, size);
    }
    add_names(key, piece);
}

static void add_list(struct cbn_cache_key *key, const char *field, const struct cbn_text_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        cbn_cache_key_add_text(key, field, list->items[i]);
    }
}

static void add_settings(struct cbn_cache_key *key, const struct cbn_link_settings *settings)
{
    uint64_t switches = (uint64_t)settings->no_optimization | (uint64_t)settings->debug << 1 |
                        (uint64_t)settings->lineinfo << 2 | (uint64_t)settings->drop_unused_variables << 3;
    cbn_cache_key_add_u64(key, "switches", switches);
    cbn_cache_key_add_u64(key, "max registers", settings->max_registers);
    cbn_cache_key_add_u64(key, "math", settings->math);
    add_list(key, "kernel used", &settings->kernels_used);
    add_list(key, "variable used", &settings->variables_used);
    add_list(key, "option", &settings->raw);
}

/* Variables by which nvJitLink makes other code. A program's environment is not the library's to change. */
static void add_environment(struct cbn_cache_key *key)
{
    static const char *const prefixes[] = {"NVVM_", "NV_NVVM_", "LIBNVVM_", "NVJITLINK_", "LLVM_OVERRIDE_"};
    for (char *const *variable = environ; variable && *variable; variable++) {
        for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
            if (strncmp(*variable, prefixes[i], strlen(prefixes[i])) == 0) {
                cbn_cache_key_add_text(key, "environment", *variable);
            }
        }
    }
}

static cubinet_status make_key(const struct job *job, struct cbn_cache_key *key)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    struct cbn_sha256 identity = cbn_linker_identity(job->linker);
    cbn_cache_key_start(key, CBN_LINK_KIND);
    cbn_cache_key_add_u64(key, "link version", LINK_VERSION);
    cbn_cache_key_add_u64(key, "nvJitLink", cbn_linker_release(job->linker));
    cbn_cache_key_add_bytes(key, "nvJitLink build", identity.bytes, sizeof(identity.bytes));
    cbn_cache_key_add_text(key, "target", cubinet_target_name(job->plan->target, target));
    cbn_cache_key_add_text(key, "module", job->module);
    add_settings(key, &job->plan->settings);
    add_environment(key);
    for (size_t i = 0; i < job->plan->piece_count; i++) {
        add_piece(key, &job->plan->pieces[i]);
    }
    return cbn_cache_key_finish(key);
}

static void release_blob(void *blob)
{
    cbn_blob_release(blob);
}

/* Takes the blob over, also on failure. It was made just now, or read as an entry, which has a digest. */
static cubinet_status open_blob(struct cbn_blob *blob, cubinet_archive **out_archive)
{
    cubinet_status status = cbn_archive_open_sound(blob->data, blob->size, blob, release_blob, out_archive);
    return status ? cbn_error_context(status, "linked code") : CUBINET_OK;
}

/* The first nvJitLink that can link the plan. */
static cubinet_status find_linker(const struct cbn_link_plan *plan, const struct cbn_link_place *place,
                                  const struct cbn_linker **out_linker)
{
    const struct cbn_linker_need need = {
        .path = place->nvjitlink,
        .driver = place->driver,
        .floor = cbn_link_plan_floor(plan),
        .compute = cbn_link_plan_target(plan).number,
    };
    bool fits = false;
    cubinet_status status = cbn_linker_find(&need, out_linker, &fits);
    return status ? status
                  : cbn_link_plan_check_nvjitlink(plan, cbn_linker_release(*out_linker),
                                                  cbn_linker_path(*out_linker));
}

/* Whether the link may be kept in a cache. */
static bool is_kept(const struct cbn_link_plan *plan, const struct cbn_link_place *place)
{
    if (!place->no_cache && cbn_nvjitlink_may_read(&plan->settings.raw)) {
        tell(place, "may read files under these options, so the link is not kept in a cache");
        return false;
    }
    return !place->no_cache;
}

/* From the cache that is named, or the process's own. */
static cubinet_status obtain(struct job *job, const struct cbn_cache_key *key,
                             enum cbn_cache_source *out_source, struct cbn_blob **out_blob)
{
    bool kept = is_kept(job->plan, job->place);
    cubinet_cache *own = kept && !job->place->cache ? cbn_default_cache_take() : NULL;
    cubinet_cache *cache = kept && job->place->cache ? job->place->cache : own;
    cubinet_status status = cbn_cache_obtain(cache, key, make, job, out_source, out_blob);
    cbn_default_cache_give_back(own);
    return status;
}

cubinet_status cbn_link_obtain(const struct cbn_link_plan *plan, const char *module,
                               const struct cbn_link_place *place, struct cbn_link_story *out_story,
                               cubinet_archive **out_archive)
{
    struct job job = {.plan = plan, .module = module, .place = place};
    struct cbn_cache_key key = {0};
    struct cbn_blob *blob = NULL;
    enum cbn_cache_source source = CBN_CACHE_MADE;
    cubinet_status status = find_linker(plan, place, &job.linker);
    if (!status) {
        status = make_key(&job, &key);
    }
    if (!status) {
        status = obtain(&job, &key, &source, &blob);
    }
    cbn_cache_key_free(&key);
    if (!status) {
        status = open_blob(blob, out_archive);
    }
    if (!status && out_story) {
        *out_story = (struct cbn_link_story){source, job.linker};
    }
    return status;
}

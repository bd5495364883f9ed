/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/code_cache.h"

#include "compile/ptxas_files.h"
#include "loader/cache/cache_counters.h"
#include "loader/cache/cache_state.h"
#include "loader/link/library_build.h"

#include <cubinet/version.h>

#include <stdlib.h>
#include <string.h>

/* What is being assembled because it was not found. */
struct claim {
    struct cbn_cache_key key;
    struct cbn_cache_claim right;
};

static bool add_file(const struct code_cache *cache, const char *path, const char *name,
                     struct cbn_cache_key *key)
{
    struct stat about;
    struct cbn_sha256 digest;
    if (stat(path, &about) != 0 || !cbn_file_digest(&cache->compile->digests, path, &about, &digest)) {
        return false;
    }
    cbn_cache_key_add_bytes(key, name, digest.bytes, sizeof(digest.bytes));
    return true;
}

static bool add_assembler(const struct code_cache *cache, const struct assemble_job *job,
                          struct cbn_cache_key *key)
{
    const struct toolkit *toolkit = cache->compile->request->toolkit;
    struct cbn_sha256 build;
    if (job->ptxas) {
        return add_file(cache, job->ptxas, "ptxas", key);
    }
    if (!toolkit->nvjitlink || !cbn_library_identity_read(toolkit->nvjitlink, &build)) {
        return false;
    }
    cbn_cache_key_add_bytes(key, "nvJitLink", build.bytes, sizeof(build.bytes));
    if (job->device_runtime) {
        struct cbn_sha256 runtime = cbn_sha256(job->device_runtime, job->device_runtime_size);
        cbn_cache_key_add_bytes(key, "libcudadevrt.a", runtime.bytes, sizeof(runtime.bytes));
    }
    return true;
}

/* Everything that decides what the assembler gives. False if something of it can't be read. */
static bool make_key(const struct code_cache *cache, const struct assemble_job *job,
                     struct cbn_cache_key *out_key)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    struct cbn_sha256 ptx = cbn_sha256(job->ptx, job->size);
    bool is_complete = true;
    cbn_cache_key_start(out_key, CODE_CACHE_KIND);
    cbn_cache_key_add_text(out_key, "version of Cubinet", CUBINET_VERSION_STRING);
    cbn_cache_key_add_bytes(out_key, "PTX", ptx.bytes, sizeof(ptx.bytes));
    cbn_cache_key_add_text(out_key, "target", cubinet_target_name(job->target, target));
    for (size_t i = 0; i < job->option_count; i++) {
        cbn_cache_key_add_text(out_key, "option", job->options[i]);
    }
    for (size_t i = 0; is_complete && i < cache->files.count; i++) {
        is_complete = add_file(cache, cache->files.items[i], "file of an option", out_key);
    }
    /* Bytes differ between one thread and the ways that a later release has of sharing work among threads. */
    cbn_cache_key_add_u64(out_key, "shares work", job->threads > 0);
    return is_complete && add_assembler(cache, job, out_key) && !cbn_cache_key_finish(out_key);
}

static void count(const struct code_cache *cache, enum cbn_cache_counter counter)
{
    const struct cbn_cache_folder *own = &cache->compile->command.cache->own;
    if (cbn_cache_folder_is_open(own)) {
        cbn_cache_counters_add(own, counter);
    }
}

static bool unpack(const struct cbn_blob *blob, struct cbn_link_result *out_result)
{
    char *bytes = NULL;
    struct compile_result packed;
    if (!blob || !compile_result_read(blob->data, blob->size, COMPILE_RESULT_MOST, &bytes, &packed)) {
        return false;
    }
    struct cbn_link_result result = {
        .data = malloc(packed.archive_size + 1), .size = packed.archive_size, .log = strdup(packed.messages)};
    bool is_unpacked = result.data && result.log && result.size > 0;
    if (is_unpacked) {
        memcpy(result.data, packed.archive, packed.archive_size);
        *out_result = result;
    } else {
        cbn_link_result_free(&result);
    }
    free(bytes);
    return is_unpacked;
}

/* Unpacks what is in an entry if it fits the job. */
static bool take(const struct cbn_blob *blob, const struct assemble_job *job,
                 struct cbn_link_result *out_result)
{
    struct cbn_link_result result;
    if (!unpack(blob, &result)) {
        return false;
    }
    if (!assemble_fits(job, result.data, result.size)) {
        cbn_link_result_free(&result);
        return false;
    }
    *out_result = result;
    return true;
}

static bool find_in(const struct code_cache *cache, const struct assemble_job *job,
                    const struct cbn_cache_key *key, enum cbn_cache_source layer,
                    struct cbn_link_result *out_result)
{
    struct cbn_blob *blob = cbn_cache_find(cache->compile->command.cache, key, layer);
    bool is_found = take(blob, job, out_result);
    if (is_found) {
        count(cache, layer == CBN_CACHE_DISK     ? CBN_COUNT_CODE_HITS
                     : layer == CBN_CACHE_SHARED ? CBN_COUNT_CODE_SHARED_HITS
                                                 : CBN_COUNT_CODE_REMOTE_HITS);
    }
    if (is_found && layer != CBN_CACHE_DISK) {
        cbn_cache_put(cache->compile->command.cache, key, blob->data, blob->size, CBN_CACHE_DISK);
    }
    cbn_blob_release(blob);
    return is_found;
}

/* Looks where it costs least first; while one process assembles or asks other machines, those with the same
 * need wait. */
static bool find_or_claim(const struct code_cache *cache, const struct assemble_job *job, struct claim *claim,
                          struct cbn_link_result *out_result)
{
    if (find_in(cache, job, &claim->key, CBN_CACHE_DISK, out_result) ||
        find_in(cache, job, &claim->key, CBN_CACHE_SHARED, out_result)) {
        return true;
    }
    claim->right = cbn_cache_claim(cache->compile->command.cache, &claim->key);
    return (claim->right.waited && find_in(cache, job, &claim->key, CBN_CACHE_DISK, out_result)) ||
           find_in(cache, job, &claim->key, CBN_CACHE_REMOTE, out_result);
}

static void claim_free(struct claim *claim)
{
    if (claim) {
        cbn_cache_unclaim(&claim->right);
        cbn_cache_key_free(&claim->key);
        free(claim);
    }
}

static bool find(void *user, const struct assemble_job *job, void **out_claim,
                 struct cbn_link_result *out_result)
{
    const struct code_cache *cache = user;
    struct claim *claim = calloc(1, sizeof(*claim));
    if (!claim) {
        return false;
    }
    claim->right.lock.fd = -1;
    if (!make_key(cache, job, &claim->key)) {
        claim_free(claim);
        return false;
    }
    bool is_found = find_or_claim(cache, job, claim, out_result);
    if (is_found) {
        claim_free(claim);
    } else {
        *out_claim = claim;
    }
    return is_found;
}

static void put(const struct code_cache *cache, const struct cbn_cache_key *key,
                const struct cbn_link_result *result)
{
    const struct compile_result packed = {result->data, result->size, result->log};
    cubinet_cache *folders = cache->compile->command.cache;
    struct buffer bytes = {0};
    compile_result_write(&packed, &bytes);
    if (!bytes.failed) {
        cbn_cache_put(folders, key, bytes.data, bytes.size, CBN_CACHE_DISK);
    }
    if (!bytes.failed && cbn_cache_has_remote(folders)) {
        cbn_cache_put(folders, key, bytes.data, bytes.size, CBN_CACHE_REMOTE);
    }
    buffer_free(&bytes);
}

/* Whether the files that the assembler read are still what the key says. */
static bool is_certain(const struct code_cache *cache, const struct assemble_job *job,
                       const struct cbn_cache_key *key)
{
    struct cbn_cache_key now;
    bool is_same = make_key(cache, job, &now) && cbn_cache_key_equal(&now, key);
    cbn_cache_key_free(&now);
    return is_same;
}

static void keep(void *user, const struct assemble_job *job, void *data, const struct cbn_link_result *result)
{
    const struct code_cache *cache = user;
    struct claim *claim = data;
    if (claim && result && is_certain(cache, job, &claim->key)) {
        put(cache, &claim->key, result);
        count(cache, CBN_COUNT_CODE_MISSES);
    }
    claim_free(claim);
}

void code_cache_open(struct compile_cache *compile, struct code_cache *out_cache)
{
    bool may_read_more = true;
    *out_cache = (struct code_cache){0};
    if (compile->is_open &&
        !ptxas_files_list(&compile->request->arguments->nvjitlink_options, &out_cache->files,
                          &may_read_more) &&
        !may_read_more) {
        out_cache->compile = compile;
        out_cache->store = (struct assemble_store){find, keep, out_cache};
    }
}

const struct assemble_store *code_cache_store(const struct code_cache *cache)
{
    return cache->compile ? &cache->store : NULL;
}

void code_cache_close(struct code_cache *cache)
{
    cbn_text_list_free(&cache->files);
    *cache = (struct code_cache){0};
}

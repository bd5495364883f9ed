/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/compile_cache.h"

#include "base/temporary_folder.h"
#include "cache/compile_inputs_now.h"
#include "loader/cache/cache_counters.h"
#include "loader/cache/cache_state.h"
#include "loader/core/support/error.h"
#include "process/trace.h"

#include <stdlib.h>
#include <string.h>

static void count(const struct compile_cache *cache, enum cbn_cache_counter counter)
{
    if (cbn_cache_folder_is_open(&cache->command.cache->own)) {
        cbn_cache_counters_add(&cache->command.cache->own, counter);
    }
}

/* Whether the same arguments ask for the same thing tomorrow, and for an archive alone. */
static bool can_be_kept(const struct compile_arguments *arguments)
{
    return !arguments->syntax_only && !arguments->list_launches && !arguments->has_side_output &&
           compile_arguments_repeatable(arguments);
}

static bool has_layer(const cubinet_cache *cache)
{
    return cbn_cache_folder_is_open(&cache->own) || cbn_cache_folder_is_open(&cache->shared) ||
           cbn_cache_has_remote(cache);
}

/* Without a folder of one's own, as on a machine that only asks a server: reading ptxas alone would take
 * longer than all else. */
static struct cbn_file_digests open_digests(const struct cbn_cache_folder *own)
{
    if (cbn_cache_folder_is_open(own)) {
        return cbn_file_digests_open(own);
    }
    struct cbn_cache_folder temporary;
    temporary_folder_open(&temporary);
    struct cbn_file_digests digests = cbn_file_digests_open(&temporary);
    cbn_cache_folder_close(&temporary);
    return digests;
}

void compile_cache_open(const struct compile_cache_request *request, struct compile_cache *out_cache)
{
    const struct compile_arguments *arguments = request->arguments;
    struct compile_cache cache = {.request = request, .digests = {.fd = -1}, .claim = {.lock = {.fd = -1}}};
    *out_cache = cache;
    const struct command_cache_request command = {
        .directory = arguments->cache, .remote = arguments->remote_cache, .verbose = arguments->verbose};
    out_cache->problem = arguments->no_cache ? CUBINET_OK : command_cache_open(&command, &cache.command);
    if (arguments->no_cache || out_cache->problem) {
        return;
    }
    if (!has_layer(cache.command.cache)) {
        command_cache_close(&cache.command);
        return;
    }
    if (!can_be_kept(arguments)) {
        count(&cache, CBN_COUNT_UNCACHEABLE);
        command_cache_close(&cache.command);
        return;
    }
    cache.digests = open_digests(&cache.command.cache->own);
    cache.is_open = compile_cache_key(request, &cache.digests, &cache.key, &cache.source);
    *out_cache = cache;
    if (!cache.is_open) {
        compile_cache_close(out_cache);
        out_cache->problem =
            cbn_error(CUBINET_ERROR_IO, "nothing can be looked up in the cache: the source, the "
                                        "toolkit or this command cannot be read");
    }
}

void compile_found_free(struct compile_found *found)
{
    inputs_free(&found->inputs);
    free(found->bytes);
    *found = (struct compile_found){0};
}

bool compile_cache_read_manifest(struct compile_cache *cache, enum cbn_cache_source layer,
                                 struct compile_manifest *out_manifest)
{
    struct cbn_blob *blob = cbn_cache_find(cache->command.cache, &cache->key, layer);
    bool is_read = blob && compile_manifest_read(blob->data, blob->size, out_manifest);
    cbn_blob_release(blob);
    return is_read;
}

/* The inputs of the set that is as it was, from one layer's manifest. */
static bool find_inputs(struct compile_cache *cache, enum cbn_cache_source layer, struct inputs *out_inputs)
{
    struct compile_manifest manifest = {0};
    if (!compile_cache_read_manifest(cache, layer, &manifest)) {
        return false;
    }
    enum input_state *states = calloc(manifest.item_count + 1, sizeof(*states));
    const struct manifest_set *set = states ? compile_inputs_match(&manifest, &cache->digests, states) : NULL;
    bool is_found = set && compile_manifest_inputs(&manifest, set, out_inputs);
    free(states);
    compile_manifest_free(&manifest);
    return is_found;
}

/* From the nearest layer that has it. */
static struct cbn_blob *find_blob(struct compile_cache *cache, const struct cbn_cache_key *key,
                                  enum cbn_cache_source *out_layer)
{
    static const enum cbn_cache_source layers[] = {CBN_CACHE_DISK, CBN_CACHE_SHARED, CBN_CACHE_REMOTE};
    struct cbn_blob *blob = NULL;
    for (size_t i = 0; !blob && i < sizeof(layers) / sizeof(layers[0]); i++) {
        *out_layer = layers[i];
        blob = cbn_cache_find(cache->command.cache, key, layers[i]);
    }
    return blob;
}

static void put_manifest(struct compile_cache *cache, enum cbn_cache_source layer,
                         const struct inputs *inputs)
{
    struct compile_manifest old = {0};
    struct buffer bytes = {0};
    bool has_old = compile_cache_read_manifest(cache, layer, &old);
    compile_manifest_write(has_old ? &old : NULL, inputs, &bytes);
    if (!bytes.failed) {
        cbn_cache_put(cache->command.cache, &cache->key, bytes.data, bytes.size, layer);
    }
    compile_manifest_free(&old);
    buffer_free(&bytes);
}

/* A result on its way to who asked. */
struct hit {
    struct compile_found found;
    struct cbn_cache_key key;
    struct cbn_blob *blob;
    enum cbn_cache_source from; /* the layer that had the result */
};

/* Frees all but what was found. */
static void hit_free(struct hit *hit)
{
    cbn_cache_key_free(&hit->key);
    cbn_blob_release(hit->blob);
}

/* What came from elsewhere is found here the next time. */
static void take_home(struct compile_cache *cache, const struct hit *hit)
{
    cbn_cache_put(cache->command.cache, &hit->key, hit->blob->data, hit->blob->size, CBN_CACHE_DISK);
    put_manifest(cache, CBN_CACHE_DISK, &hit->found.inputs);
}

/* What belongs to the inputs that one layer's manifest leads to. */
static bool look_in(struct compile_cache *cache, enum cbn_cache_source layer, struct hit *out_hit)
{
    struct hit hit = {.from = CBN_CACHE_DISK};
    if (!find_inputs(cache, layer, &hit.found.inputs)) {
        return false;
    }
    if (compile_cache_result_key(&cache->key, &hit.found.inputs, &hit.key)) {
        hit.blob = find_blob(cache, &hit.key, &hit.from);
    }
    if (!hit.blob || !compile_result_read(hit.blob->data, hit.blob->size, COMPILE_RESULT_MOST,
                                          &hit.found.bytes, &hit.found.result)) {
        compile_found_free(&hit.found);
        hit_free(&hit);
        return false;
    }
    *out_hit = hit;
    return true;
}

static enum cbn_cache_counter counter_of(enum cbn_cache_source layer)
{
    return layer == CBN_CACHE_DISK     ? CBN_COUNT_HITS
           : layer == CBN_CACHE_SHARED ? CBN_COUNT_SHARED_HITS
                                       : CBN_COUNT_REMOTE_HITS;
}

static bool find_in(struct compile_cache *cache, enum cbn_cache_source layer, struct compile_found *out_found)
{
    struct hit hit;
    if (!look_in(cache, layer, &hit)) {
        return false;
    }
    if (layer != CBN_CACHE_DISK || hit.from != CBN_CACHE_DISK) {
        take_home(cache, &hit);
    }
    count(cache, counter_of(hit.from));
    *out_found = hit.found;
    hit_free(&hit);
    return true;
}

bool compile_cache_look(struct compile_cache *cache, struct compile_found *out_found)
{
    struct hit hit;
    bool is_found =
        cache->is_open && (look_in(cache, CBN_CACHE_DISK, &hit) || look_in(cache, CBN_CACHE_SHARED, &hit) ||
                           look_in(cache, CBN_CACHE_REMOTE, &hit));
    if (is_found) {
        *out_found = hit.found;
        hit_free(&hit);
    }
    return is_found;
}

static bool find(struct compile_cache *cache, struct compile_found *out_found)
{
    if (find_in(cache, CBN_CACHE_DISK, out_found) || find_in(cache, CBN_CACHE_SHARED, out_found)) {
        return true;
    }
    cache->claim = cbn_cache_claim(cache->command.cache, &cache->key);
    if (cache->claim.waited && find_in(cache, CBN_CACHE_DISK, out_found)) {
        return true;
    }
    return find_in(cache, CBN_CACHE_REMOTE, out_found);
}

bool compile_cache_find(struct compile_cache *cache, struct compile_found *out_found)
{
    if (!cache->is_open) {
        return false;
    }
    trace_begin("look in cache", NULL);
    bool is_found = find(cache, out_found);
    trace_end();
    if (is_found) {
        cbn_cache_unclaim(&cache->claim);
    }
    return is_found;
}

/* Whether the result is what anyone would get who reads the same. */
static bool is_certain(const struct compile_cache *cache, struct inputs *inputs)
{
    return inputs->certain && inputs->count > 0 &&
           cbn_sha256_equal(&inputs->items[0].digest, &cache->source) &&
           compile_cache_key_covers(cache->request, inputs) && compile_inputs_digest(inputs, &cache->digests);
}

/* The result first: a manifest never leads to one that is not there yet. */
static void keep(struct compile_cache *cache, const struct inputs *inputs,
                 const struct compile_result *result)
{
    struct cbn_cache_key key;
    struct buffer bytes = {0};
    compile_result_write(result, &bytes);
    if (compile_cache_result_key(&cache->key, inputs, &key) && !bytes.failed) {
        cbn_cache_put(cache->command.cache, &key, bytes.data, bytes.size, CBN_CACHE_DISK);
        put_manifest(cache, CBN_CACHE_DISK, inputs);
        if (cbn_cache_has_remote(cache->command.cache)) {
            cbn_cache_put(cache->command.cache, &key, bytes.data, bytes.size, CBN_CACHE_REMOTE);
            put_manifest(cache, CBN_CACHE_REMOTE, inputs);
        }
    }
    cbn_cache_key_free(&key);
    buffer_free(&bytes);
}

void compile_cache_keep(struct compile_cache *cache, struct inputs *inputs,
                        const struct compile_result *result)
{
    if (!cache->is_open) {
        return;
    }
    trace_begin("keep in cache", NULL);
    if (is_certain(cache, inputs)) {
        keep(cache, inputs, result);
        count(cache, CBN_COUNT_MISSES);
    } else {
        count(cache, CBN_COUNT_UNCACHEABLE);
    }
    trace_end();
}

void compile_cache_note_failure(struct compile_cache *cache)
{
    if (cache->is_open) {
        count(cache, CBN_COUNT_FAILURES);
    }
}

void compile_cache_close(struct compile_cache *cache)
{
    cbn_cache_unclaim(&cache->claim);
    cbn_file_digests_close(&cache->digests);
    cbn_cache_key_free(&cache->key);
    command_cache_close(&cache->command);
    cache->is_open = false;
}

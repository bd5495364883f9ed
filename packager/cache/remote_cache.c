/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/remote_cache.h"

#include "base/command.h"
#include "cache/action_result.h"
#include "cache/remote_entry.h"
#include "cache/remote_stamps.h"
#include "loader/cache/cache_entry.h"
#include "loader/core/support/error.h"
#include "process/trace.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Bytes that are taken from a server, or handed to it, for one entry; and for an ActionResult, which is a few
 * hundred bytes long, and longer if another program made it. */
enum { ENTRY_MOST = 256 * 1024 * 1024, RESULT_MOST = 64 * 1024 };

struct remote_cache {
    struct remote_settings settings;
    pthread_mutex_t mutex; /* around the rest */
    struct remote_stamps stamps;
    struct http *http; /* opened when it is first needed */
};

/* Finding or storing one entry. */
struct job {
    struct remote_cache *cache;
    enum remote_stamp stamp; /* of what is done: FIND or STORE */
    int64_t end_ms;          /* when the time for it is over */
    char action[SHA256_TEXT_SIZE];
    char file[CBN_CACHE_NAME_SIZE]; /* the entry's, in the ActionResult */
};

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

cubinet_status remote_cache_open(struct remote_settings *settings, const char *directory,
                                 struct remote_cache **out_cache)
{
    struct remote_cache *cache = calloc(1, sizeof(*cache));
    if (!cache) {
        remote_settings_free(settings);
        return cbn_error_memory();
    }
    cache->settings = *settings;
    settings->url = NULL;
    pthread_mutex_init(&cache->mutex, NULL);
    remote_stamps_open(directory, cache->settings.url, &cache->stamps);
    *out_cache = cache;
    return CUBINET_OK;
}

void remote_cache_close(struct remote_cache *cache)
{
    if (!cache) {
        return;
    }
    http_close(cache->http);
    remote_stamps_close(&cache->stamps);
    pthread_mutex_destroy(&cache->mutex);
    remote_settings_free(&cache->settings);
    free(cache);
}

/* Notes trouble, and tells the user if it is news. */
__attribute__((format(printf, 3, 4))) static void trouble(struct job *job, enum remote_stamp stamp,
                                                          const char *format, ...)
{
    struct remote_cache *cache = job->cache;
    bool is_news = remote_stamps_note(&cache->stamps, stamp);
    if (!is_news && !cache->settings.verbose) {
        return;
    }
    static const char *const consequences[REMOTE_STAMPS] = {
        [REMOTE_STAMP_FIND] = "is not used for now",
        [REMOTE_STAMP_STORE] = "is not written to for now",
        [REMOTE_STAMP_DAMAGED] = "has a bad entry, which is not used",
        [REMOTE_STAMP_LARGE] = "does not take everything",
    };
    char *reason = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&reason, format, args);
    va_end(args);
    command_warning("the remote cache %s %s: %s", cache->settings.url, consequences[stamp],
                    length < 0 ? "there is no memory to say why" : reason);
    if (length >= 0) {
        free(reason);
    }
}

#define CREDENTIALS                                                                                          \
    ": credentials come from a netrc file, CUBINET_REMOTE_CACHE_USER and CUBINET_REMOTE_CACHE_PASSWORD, or " \
    "CUBINET_REMOTE_CACHE_TOKEN"
#define READ_ONLY "; if it is only to be read, CUBINET_REMOTE_CACHE_READ_ONLY=1 says so"

/* Handles a status other than success. */
static const char *advice_on(long status, bool is_store)
{
    switch (status) {
    case 401:
    case 403:
        return is_store ? CREDENTIALS READ_ONLY : CREDENTIALS;
    case 407:
        return ": the proxy wants credentials";
    case 405:
    case 501:
        return is_store ? READ_ONLY : "";
    case 409:
        return ": nginx needs 'create_full_put_path on'";
    default:
        return status >= 300 && status < 400 ? ": redirections are not followed; name the address it leads to"
                                             : "";
    }
}

static void trouble_with_answer(struct job *job, const struct http_answer *answer)
{
    if (answer->status) {
        trouble(job, job->stamp, "it answers with status %ld%s", answer->status,
                advice_on(answer->status, job->stamp == REMOTE_STAMP_STORE));
    } else {
        trouble(job, job->stamp, "%s", answer->problem);
    }
}

/* Whether the server may be asked: it is not left alone, and there is a library to ask it with. */
static bool is_ready(struct job *job)
{
    struct remote_cache *cache = job->cache;
    if (remote_stamps_rest(&cache->stamps, REMOTE_STAMP_FIND) ||
        (job->stamp == REMOTE_STAMP_STORE && remote_stamps_rest(&cache->stamps, REMOTE_STAMP_STORE))) {
        if (cache->settings.verbose) {
            fprintf(stderr, "remote cache: %s is not asked for a while, after trouble\n",
                    cache->settings.url);
        }
        return false;
    }
    if (!cache->http && http_open(&cache->settings.http, &cache->http)) {
        trouble(job, REMOTE_STAMP_FIND, "%s", cubinet_error_message());
        return false;
    }
    return true;
}

static void begin(struct job *job, struct remote_cache *cache, enum remote_stamp stamp,
                  const struct cbn_cache_key *key)
{
    struct remote_digest action;
    remote_digest_make(key->bytes, key->size, &action);
    *job = (struct job){.cache = cache, .stamp = stamp, .end_ms = now_ms() + cache->settings.timeout_ms};
    memcpy(job->action, action.hash, sizeof(job->action));
    cbn_cache_entry_name(key, job->file);
}

/* The time that is left; at least 1, because 0 means forever. */
static uint32_t left_ms(const struct job *job)
{
    int64_t left = job->end_ms - now_ms();
    return left > 0 ? (uint32_t)left : 1;
}

static char *url_of(const struct job *job, const char *store, const char *hash)
{
    char *url = NULL;
    return asprintf(&url, "%s/%s/%s", job->cache->settings.url, store, hash) < 0 ? NULL : url;
}

static void tell_request(const struct job *job, const char *method, const char *url,
                         const struct http_answer *answer, size_t size)
{
    if (job->cache->settings.verbose) {
        fprintf(stderr, "remote cache: %s %s: %ld, %zu bytes\n", method, url, answer->status, size);
    }
}

/* Reads a file of the server's. Whether it is in the answer's body, which the caller frees. */
static bool get(struct job *job, const char *store, const char *hash, size_t most, struct http_answer *answer)
{
    char *url = url_of(job, store, hash);
    if (!url) {
        return false;
    }
    trace_begin("read remote cache", url);
    http_get(job->cache->http, url, most, left_ms(job), answer);
    trace_end();
    tell_request(job, "GET", url, answer, answer->body.size);
    free(url);
    if (answer->is_too_long) {
        trouble(job, REMOTE_STAMP_DAMAGED, "%s/%s is longer than %zu bytes", store, hash, most);
    } else if (answer->status != HTTP_OK && answer->status != 404 && answer->status != 410) {
        trouble_with_answer(job, answer);
    } else {
        remote_stamps_clear(&job->cache->stamps, job->stamp);
    }
    return answer->status == HTTP_OK;
}

static bool get_digest(struct job *job, struct remote_digest *out_digest)
{
    struct http_answer answer = {0};
    bool is_there = get(job, "ac", job->action, RESULT_MOST, &answer);
    const char *problem = NULL;
    if (is_there) {
        problem = action_result_read(answer.body.data ? answer.body.data : "", answer.body.size, job->file,
                                     out_digest);
    }
    buffer_free(&answer.body);
    if (problem) {
        trouble(job, REMOTE_STAMP_DAMAGED, "ac/%s: %s", job->action, problem);
    } else if (is_there && out_digest->size > ENTRY_MOST) {
        trouble(job, REMOTE_STAMP_DAMAGED, "ac/%s names a file of %llu bytes", job->action,
                (unsigned long long)out_digest->size);
        return false;
    }
    return is_there && !problem;
}

/* What is wrong with bytes as the file of a digest and as a key's entry, or NULL. Whoever may write to the
 * server chooses both digest and file, so neither is believed. */
static const char *problem_of(const struct remote_digest *digest, const struct cbn_cache_key *key,
                              const void *bytes, size_t size)
{
    if (!remote_digest_matches(digest, bytes, size)) {
        return "it does not have the digest and the size that it is named by";
    }
    struct cbn_cache_entry entry;
    const char *damage = cbn_cache_entry_read(bytes, size, &entry);
    if (!damage && (entry.key_size != key->size || memcmp(entry.key, key->bytes, key->size) != 0)) {
        return "it is of another key";
    }
    return damage ? damage : remote_entry_problem(key->kind, entry.payload, entry.payload_size);
}

/* A file that the ActionResult names but that is gone was evicted, which is harmless. */
static bool get_entry(struct job *job, const struct remote_digest *digest, const struct cbn_cache_key *key,
                      void **out_entry, size_t *out_size)
{
    struct http_answer answer = {0};
    bool is_there = get(job, "cas", digest->hash, (size_t)digest->size, &answer);
    size_t size = answer.body.size;
    const char *problem = is_there ? problem_of(digest, key, answer.body.data, size) : NULL;
    if (problem) {
        trouble(job, REMOTE_STAMP_DAMAGED, "cas/%s: %s", digest->hash, problem);
    }
    void *entry = is_there && !problem ? buffer_take(&answer.body) : NULL;
    buffer_free(&answer.body);
    if (entry) {
        *out_entry = entry;
        *out_size = size;
    }
    return entry != NULL;
}

bool remote_cache_find(void *user, const struct cbn_cache_key *key, void **out_entry, size_t *out_size)
{
    struct remote_cache *cache = user;
    struct cbn_kept_error kept = cbn_error_keep();
    struct job job;
    struct remote_digest digest;
    begin(&job, cache, REMOTE_STAMP_FIND, key);
    pthread_mutex_lock(&cache->mutex);
    bool is_found =
        is_ready(&job) && get_digest(&job, &digest) && get_entry(&job, &digest, key, out_entry, out_size);
    pthread_mutex_unlock(&cache->mutex);
    cbn_error_put_back(&kept);
    return is_found;
}

/* Whether a status says that this file alone is not taken: too large for nginx or bazel-remote, or for what
 * room there is. */
static bool is_refused_for_size(const char *store, long status)
{
    return status == 413 || status == 507 || (status == 400 && strcmp(store, "cas") == 0);
}

static bool put(struct job *job, const char *store, const char *hash, const void *bytes, size_t size)
{
    char *url = url_of(job, store, hash);
    if (!url) {
        return false;
    }
    struct http_answer answer;
    trace_begin("write remote cache", url);
    http_put(job->cache->http, url, bytes, size, left_ms(job), &answer);
    trace_end();
    tell_request(job, "PUT", url, &answer, size);
    free(url);
    bool is_stored = answer.status >= 200 && answer.status < 300;
    if (is_stored) {
        remote_stamps_clear(&job->cache->stamps, job->stamp);
    } else if (is_refused_for_size(store, answer.status)) {
        trouble(job, REMOTE_STAMP_LARGE, "it answers with status %ld to %zu bytes", answer.status, size);
    } else {
        trouble_with_answer(job, &answer);
    }
    return is_stored;
}

/* The file first: who finds the ActionResult shall find the file that it names. */
static void put_entry(struct job *job, const void *entry, size_t size)
{
    struct remote_digest digest;
    struct buffer result = {0};
    remote_digest_make(entry, size, &digest);
    action_result_write(job->file, &digest, &result);
    if (!result.failed && put(job, "cas", digest.hash, entry, size)) {
        put(job, "ac", job->action, result.data, result.size);
    }
    buffer_free(&result);
}

void remote_cache_store(void *user, const struct cbn_cache_key *key, const void *entry, size_t size)
{
    struct remote_cache *cache = user;
    struct cbn_cache_entry parts;
    struct cbn_kept_error kept = cbn_error_keep();
    bool is_taken = size <= ENTRY_MOST && !cbn_cache_entry_read(entry, size, &parts) &&
                    !remote_entry_problem(key->kind, parts.payload, parts.payload_size);
    if (is_taken && !cache->settings.read_only) {
        struct job job;
        begin(&job, cache, REMOTE_STAMP_STORE, key);
        pthread_mutex_lock(&cache->mutex);
        if (is_ready(&job)) {
            put_entry(&job, entry, size);
        }
        pthread_mutex_unlock(&cache->mutex);
    }
    cbn_error_put_back(&kept);
}

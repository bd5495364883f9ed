/* SPDX-License-Identifier: Apache-2.0 */
/* Many processes at one cache: who makes, who waits, who takes over, and what is left of those that are
 * killed. */
#include "cache_fixture.h"
#include "unit.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 50000 };

/* Memory that all processes of a test see. */
struct board {
    char folder[FOLDER_SIZE];
    atomic_bool go; /* what the processes wait for, so that they start together */
    atomic_bool stop;
    atomic_int makes;
    atomic_int making;   /* processes in a make function now */
    atomic_int together; /* how often there was more than one */
    atomic_ullong misses, disk_hits, waits, stores, evictions;
};

static int board_create(void **state)
{
    void *folder = NULL;
    if (folder_create(&folder) != 0) {
        return -1;
    }
    struct board *board =
        mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(board != MAP_FAILED);
    snprintf(board->folder, sizeof(board->folder), "%s", (const char *)folder);
    free(folder);
    *state = board;
    return 0;
}

static int board_remove(void **state)
{
    struct board *board = *state;
    void *folder = strdup(board->folder);
    munmap(board, sizeof(*board));
    return folder_remove(&folder);
}

static void wait_until(const atomic_bool *flag)
{
    while (!atomic_load(flag)) {
        usleep(500);
    }
}

/* Starts a process that works on the board and exits with 0 if all went well. */
static pid_t start(struct board *board, bool (*work)(struct board *, uint64_t), uint64_t number)
{
    pid_t child = fork_process();
    if (child == 0) {
        _exit(work(board, number) ? 0 : 1);
    }
    return child;
}

static void add_stats(struct board *board, cubinet_cache *cache)
{
    cubinet_cache_stats stats = stats_of(cache);
    atomic_fetch_add(&board->misses, stats.misses);
    atomic_fetch_add(&board->disk_hits, stats.disk_hits);
    atomic_fetch_add(&board->waits, stats.waits);
    atomic_fetch_add(&board->stores, stats.stores);
    atomic_fetch_add(&board->evictions, stats.evictions);
}

struct request {
    struct board *board;
    struct product product;
};

static cubinet_status make_slowly(void *data, void **out_data, size_t *out_size)
{
    struct request *request = data;
    struct board *board = request->board;
    atomic_fetch_add(&board->makes, 1);
    if (atomic_fetch_add(&board->making, 1) > 0) {
        atomic_fetch_add(&board->together, 1);
    }
    usleep(20000);
    atomic_fetch_sub(&board->making, 1);
    return make_product(&request->product, out_data, out_size);
}

static cubinet_status make_until_stopped(void *data, void **out_data, size_t *out_size)
{
    struct request *request = data;
    atomic_fetch_add(&request->board->makes, 1);
    wait_until(&request->board->stop);
    return make_product(&request->product, out_data, out_size);
}

static bool obtain_with(cubinet_cache *cache, cbn_cache_make_fn make, struct request *request)
{
    struct cbn_cache_key key = numbered_key(request->product.number);
    struct cbn_blob *blob = NULL;
    bool is_right = cbn_cache_obtain(cache, &key, make, request, NULL, &blob) == CUBINET_OK &&
                    is_product(blob, request->product.number, request->product.size);
    cbn_blob_release(blob);
    cbn_cache_key_free(&key);
    return is_right;
}

static bool ask_slowly(struct board *board, uint64_t number)
{
    struct request request = {.board = board, .product = {.number = number, .size = SIZE}};
    cubinet_cache *cache = open_cache(board->folder);
    wait_until(&board->go);
    bool is_right = obtain_with(cache, make_slowly, &request);
    add_stats(board, cache);
    cubinet_cache_close(cache);
    return is_right;
}

static void processes_that_need_the_same_make_it_once(void **state)
{
    enum { PROCESSES = 32 };
    struct board *board = *state;
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = start(board, ask_slowly, 1);
    }
    atomic_store(&board->go, true);
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(end_of(children[i]), 0);
    }
    assert_int_equal(board->makes, 1);
    assert_int_equal(board->misses, 1);
    assert_int_equal(board->disk_hits, PROCESSES - 1);
}

static void processes_that_need_different_things_do_not_wait(void **state)
{
    enum { PROCESSES = 8 };
    struct board *board = *state;
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = start(board, ask_slowly, (uint64_t)i);
    }
    atomic_store(&board->go, true);
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(end_of(children[i]), 0);
    }
    assert_int_equal(board->makes, PROCESSES);
    assert_int_equal(board->waits, 0);
}

static bool ask_until_stopped(struct board *board, uint64_t number)
{
    struct request request = {.board = board, .product = {.number = number, .size = SIZE}};
    cubinet_cache *cache = open_cache(board->folder);
    bool is_right = obtain_with(cache, make_until_stopped, &request);
    cubinet_cache_close(cache);
    return is_right;
}

static void wait_for_makes(const struct board *board, int makes)
{
    while (atomic_load(&board->makes) < makes) {
        usleep(500);
    }
}

static void those_who_wait_take_over_from_one_that_is_killed(void **state)
{
    enum { PROCESSES = 8 };
    struct board *board = *state;
    pid_t maker = start(board, ask_until_stopped, 1);
    wait_for_makes(board, 1);
    pid_t children[PROCESSES];
    atomic_store(&board->go, true);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = start(board, ask_slowly, 1);
    }
    usleep(20000); /* most of them will be waiting; it does not matter if they are not */
    assert_int_equal(board->makes, 1);
    assert_int_equal(kill(maker, SIGKILL), 0);
    assert_int_equal(WTERMSIG(end_of(maker)), SIGKILL);
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(end_of(children[i]), 0);
    }
    assert_int_equal(board->makes, 2);
    assert_int_equal(board->together, 0);
}

static bool ask_impatiently(struct board *board, uint64_t number)
{
    const cubinet_cache_options options = {
        .size = sizeof(options), .directory = board->folder, .shared_directory = "", .wait_limit_ms = 30};
    cubinet_cache *cache = NULL;
    bool is_right =
        cubinet_cache_open(&options, &cache) == CUBINET_OK && obtain(cache, number, SIZE) == CBN_CACHE_MADE;
    add_stats(board, cache);
    cubinet_cache_close(cache);
    return is_right;
}

static void one_that_hangs_is_not_waited_for_for_ever(void **state)
{
    struct board *board = *state;
    pid_t maker = start(board, ask_until_stopped, 1);
    wait_for_makes(board, 1);
    assert_int_equal(end_of(start(board, ask_impatiently, 1)), 0);
    assert_int_equal(board->waits, 1);
    assert_int_equal(obtain_anew(board->folder, 1, SIZE), CBN_CACHE_DISK);
    atomic_store(&board->stop, true);
    assert_int_equal(end_of(maker), 0);
    assert_int_equal(obtain_anew(board->folder, 1, SIZE), CBN_CACHE_DISK);
}

/* Fails, unless another process has succeeded before it was its turn. */
static bool fail_slowly(struct board *board, uint64_t number)
{
    struct request request = {.board = board,
                              .product = {.number = number, .size = SIZE, .failure = CUBINET_ERROR_LINK}};
    cubinet_cache *cache = open_cache(board->folder);
    wait_until(&board->go);
    bool is_right = obtain_with(cache, make_slowly, &request);
    cubinet_cache_close(cache);
    return is_right == (request.product.calls == 0);
}

static void each_process_tries_what_failed_in_another(void **state)
{
    enum { PROCESSES = 6 };
    struct board *board = *state;
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = start(board, i < PROCESSES - 1 ? fail_slowly : ask_slowly, 1);
    }
    atomic_store(&board->go, true);
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(end_of(children[i]), 0);
    }
    assert_int_equal(obtain_anew(board->folder, 1, SIZE), CBN_CACHE_DISK);
    assert_int_equal(board->together, 0);
}

static bool ask(struct board *board, uint64_t number)
{
    return obtain_anew(board->folder, number, SIZE) >= 0;
}

static int64_t now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* One process is killed somewhere between its start and its end, while another needs the same. */
static void kill_one(struct board *board, uint64_t number, useconds_t after)
{
    pid_t victim = start(board, ask, number);
    pid_t other = start(board, ask, number);
    usleep(after);
    kill(victim, SIGKILL);
    end_of(victim);
    assert_int_equal(end_of(other), 0);
    assert_int_equal(obtain_anew(board->folder, number, SIZE), CBN_CACHE_DISK);
}

static void killed_at_any_time_they_leave_nothing_wrong(void **state)
{
    enum { KILLS = 200, SAMPLES = 5 };
    struct board *board = *state;
    int64_t begin = now_us();
    for (int i = 0; i < SAMPLES; i++) {
        assert_int_equal(end_of(start(board, ask, (uint64_t)(KILLS + i))), 0);
    }
    int64_t whole = (now_us() - begin) / SAMPLES + 1;
    unsigned seed = (unsigned)begin;
    print_message("seed %u; a process takes %lld us\n", seed, (long long)whole);
    for (uint64_t i = 0; i < KILLS; i++) {
        kill_one(board, i, (useconds_t)(rand_r(&seed) % (2 * whole)));
    }
    cubinet_cache *cache = open_cache(board->folder);
    cubinet_cache_removed removed = {.size = sizeof(removed)};
    assert_int_equal(cubinet_cache_verify(cache, NULL, NULL, &removed), CUBINET_OK);
    assert_int_equal(removed.entries, 0);
    assert_int_equal(removed.left_entries, KILLS + SAMPLES);
    cubinet_cache_close(cache);
}

enum { DISK_LIMIT = 100000, LARGEST = 5000, EACH = 100 };

static bool fill(struct board *board, uint64_t number)
{
    cubinet_cache *cache = open_limited(board->folder, DISK_LIMIT);
    bool is_right = true;
    wait_until(&board->go);
    for (uint64_t i = 0; i < EACH; i++) {
        uint64_t key = number * EACH + i;
        is_right = is_right && obtain(cache, key, 500 + (size_t)(key * 7919 % (LARGEST - 1000))) >= 0;
    }
    add_stats(board, cache);
    cubinet_cache_close(cache);
    return is_right;
}

/* Every entry that was written is either there or was removed by one of them, and none was removed that did
 * not need to be. */
static void those_who_evict_at_once_count_right(void **state)
{
    enum { PROCESSES = 4 };
    struct board *board = *state;
    pid_t children[PROCESSES];
    for (uint64_t i = 0; i < PROCESSES; i++) {
        children[i] = start(board, fill, i);
    }
    atomic_store(&board->go, true);
    for (int i = 0; i < PROCESSES; i++) {
        assert_int_equal(end_of(children[i]), 0);
    }
    cubinet_cache *cache = open_cache(board->folder);
    cubinet_cache_usage usage = {.size = sizeof(usage)};
    assert_int_equal(cubinet_cache_get_usage(cache, &usage), CUBINET_OK);
    cubinet_cache_close(cache);
    assert_true(usage.bytes <= DISK_LIMIT);
    assert_true(usage.bytes >= DISK_LIMIT - DISK_LIMIT / 10 - LARGEST);
    assert_int_equal(board->stores, PROCESSES * EACH);
    assert_int_equal(board->evictions + usage.entries, PROCESSES * EACH);
    assert_int_equal(count_files(board->folder, "tmp-"), 0);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, board_create, board_remove)
    const struct CMUnitTest tests[] = {
        TEST(processes_that_need_the_same_make_it_once),
        TEST(processes_that_need_different_things_do_not_wait),
        TEST(those_who_wait_take_over_from_one_that_is_killed),
        TEST(one_that_hangs_is_not_waited_for_for_ever),
        TEST(each_process_tries_what_failed_in_another),
        TEST(killed_at_any_time_they_leave_nothing_wrong),
        TEST(those_who_evict_at_once_count_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

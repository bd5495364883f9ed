/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every launch of corpus.json on the first GPU and compares the results with the CPU's. Of several
 * contenders the run times are compared, too: each round times every one of them once, and medians are
 * printed with their ratio to the first contender's.
 *
 *     corpus_check LABEL=PATH...
 *
 * PATH is an archive of the corpus or a folder of MODULE.cubin. One has to be an archive: it knows the
 * kernels' names. The exit status is 0, 1 if any result is wrong, 2 for wrong usage, 77 if there is no GPU.
 */
#include "contender.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 31, CONTENDERS = 8, LONG_ENOUGH = 2000 /* microseconds to time at once */ };

#define LAUNCH(module, ...) extern const struct check check_##module;
#include "corpus_launches.h"
#undef LAUNCH

static const struct launch {
    const char *module;
    const struct check *check;
    const char *kernel;
    unsigned grid[3];
    unsigned block[3];
} launches[] = {
#define LAUNCH(module, kernel, grid_x, grid_y, grid_z, block_x, block_y, block_z)                            \
    {#module, &check_##module, kernel, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}},
#include "corpus_launches.h"
#undef LAUNCH
};

enum { LAUNCHES = sizeof(launches) / sizeof(launches[0]) };

struct contest {
    struct contender contenders[CONTENDERS];
    int count;
    double times[CONTENDERS][ROUNDS];
    double logarithms[CONTENDERS]; /* of the ratios to the first contender, summed */
    int failures;
};

static void open_contenders(struct contest *contest, int count, char **arguments)
{
    bool any_archive = false;
    for (int i = 0; i < count; i++) {
        struct contender *contender = &contest->contenders[contest->count++];
        contender_open(contender, arguments[i]);
        any_archive = any_archive || contender->archive;
    }
    if (!any_archive) {
        fprintf(stderr, "corpus_check: none of the contenders is an archive, which has the kernels' names\n");
        exit(2);
    }
}

/* Archives first, since the folders' kernels go by the names that these have. */
static void load_contenders(struct contest *contest, const struct launch *launch)
{
    const char *name = NULL;
    for (int i = 0; i < contest->count; i++) {
        if (contest->contenders[i].archive) {
            name = contender_load(&contest->contenders[i], launch->module, launch->kernel);
        }
    }
    for (int i = 0; i < contest->count; i++) {
        if (!contest->contenders[i].archive) {
            contender_load_cubin(&contest->contenders[i], launch->module, name);
        }
    }
}

static void check_results(struct contest *contest, const struct launch *launch, struct run *run)
{
    for (int i = 0; i < contest->count; i++) {
        run->wrong = 0;
        gpu_run(&contest->contenders[i], run);
        launch->check->verify(run);
        if (run->wrong) {
            printf("%s: %s: %zu results of %s are wrong\n", launch->module, launch->kernel, run->wrong,
                   contest->contenders[i].label);
            contest->failures++;
        }
    }
}

/* How many launches take long enough that starting the first makes no difference. */
static int launches_at_once(const struct contest *contest, const struct run *run)
{
    double microseconds = gpu_time(&contest->contenders[0], run, 1);
    return 1 + (int)fmin(LONG_ENOUGH / microseconds, 100);
}

static void time_rounds(struct contest *contest, const struct run *run)
{
    int at_once = launches_at_once(contest, run);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < contest->count; i++) {
            int contender = (i + round) % contest->count;
            contest->times[contender][round] = gpu_time(&contest->contenders[contender], run, at_once);
        }
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double times[ROUNDS])
{
    qsort(times, ROUNDS, sizeof(*times), by_value);
    return times[ROUNDS / 2];
}

static void print_times(struct contest *contest, const struct launch *launch)
{
    double first = 0;
    printf("%-15s %-45s", launch->module, launch->kernel);
    for (int i = 0; i < contest->count; i++) {
        double time = median(contest->times[i]);
        first = i == 0 ? time : first;
        contest->logarithms[i] += log(time / first);
        printf("  %s %.1f us, %d registers", contest->contenders[i].label, time,
               contest->contenders[i].registers);
        if (i > 0) {
            printf(", %.3f", time / first);
        }
    }
    printf("\n");
}

static void run_launch(struct contest *contest, const struct launch *launch)
{
    struct run run = {
        .kernel = launch->kernel,
        .grid = {launch->grid[0], launch->grid[1], launch->grid[2]},
        .block = {launch->block[0], launch->block[1], launch->block[2]},
    };
    launch->check->prepare(&run);
    gpu_allocate(&run);
    load_contenders(contest, launch);
    int failures = contest->failures;
    check_results(contest, launch, &run);
    if (contest->count > 1) {
        time_rounds(contest, &run);
        print_times(contest, launch);
    } else if (contest->failures == failures) {
        printf("%s: %s: right\n", launch->module, launch->kernel);
    }
    fflush(stdout);
    for (int i = 0; i < contest->count; i++) {
        contender_unload(&contest->contenders[i]);
    }
    gpu_free(&run);
    run_free(&run);
}

int main(int argc, char **argv)
{
    static struct contest contest;
    if (argc < 2 || argc - 1 > CONTENDERS) {
        fprintf(stderr, "usage: corpus_check LABEL=PATH...\n");
        return 2;
    }
    open_contenders(&contest, argc - 1, argv + 1);
    if (!gpu_open()) {
        return 77;
    }
    for (size_t i = 0; i < LAUNCHES; i++) {
        run_launch(&contest, &launches[i]);
    }
    for (int i = 1; i < contest.count; i++) {
        printf("geometric mean, %s over %s: %.4f\n", contest.contenders[i].label, contest.contenders[0].label,
               exp(contest.logarithms[i] / LAUNCHES));
    }
    for (int i = 0; i < contest.count; i++) {
        contender_close(&contest.contenders[i]);
    }
    if (contest.failures) {
        printf("FAILED\n");
        return 1;
    }
    printf("%d launches, every result is right\n", (int)LAUNCHES);
    return 0;
}

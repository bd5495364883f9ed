/* SPDX-License-Identifier: Apache-2.0 */
#include "build/progress.h"

#include "base/array.h"
#include "base/buffer.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Takes the step with that text off what is left. */
static void finish(struct progress *progress, const char *text)
{
    for (size_t i = 0; i < progress->step_count; i++) {
        struct progress_step *step = &progress->steps[i];
        if (!step->is_done && strcmp(step->text, text) == 0) {
            step->is_done = true;
            return;
        }
    }
}

bool progress_take(struct progress *progress, const char *line, const char **out_text)
{
    unsigned long finished = 0;
    unsigned long total = 0;
    int size = 0;
    if (sscanf(line, "\x1d%lu/%lu\x1d%n", &finished, &total, &size) != 2 || size == 0) {
        return false;
    }
    progress->finished = finished;
    progress->total = total;
    progress->is_known = true;
    *out_text = line + size;
    finish(progress, *out_text);
    return true;
}

cubinet_status progress_add(struct progress *progress, const char *text, double seconds)
{
    struct progress_step *steps = array_grow(progress->steps, progress->step_count, sizeof(*steps));
    if (!steps) {
        return cbn_error_memory();
    }
    progress->steps = steps;
    steps[progress->step_count] = (struct progress_step){.text = strdup(text), .seconds = seconds};
    if (!steps[progress->step_count].text) {
        return cbn_error_memory();
    }
    progress->step_count++;
    return CUBINET_OK;
}

/* The mean of the steps that are known; negative: none is. */
static double mean(const struct progress *progress)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < progress->step_count; i++) {
        if (progress->steps[i].seconds >= 0) {
            sum += progress->steps[i].seconds;
            count++;
        }
    }
    return count ? sum / (double)count : -1;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

/* What the steps take: all of them, those that are left, and those of them that have not been started, since
 * the first ones that are left run now. */
struct work {
    double all;
    double left;
    double waiting;
    double longest;
    double longest_left;
};

static struct work sum_work(const struct progress *progress, double unknown)
{
    struct work work = {0};
    size_t running = 0;
    for (size_t i = 0; i < progress->step_count; i++) {
        const struct progress_step *step = &progress->steps[i];
        double seconds = step->seconds >= 0 ? step->seconds : unknown;
        work.all += seconds;
        work.longest = larger(work.longest, seconds);
        if (!step->is_done) {
            work.left += seconds;
            work.waiting += running < progress->lanes ? 0 : seconds;
            work.longest_left = larger(work.longest_left, seconds);
            running++;
        }
    }
    return work;
}

double progress_left(const struct progress *progress, double elapsed)
{
    double unknown = mean(progress);
    if (unknown < 0) {
        size_t rest = progress->total > progress->finished ? progress->total - progress->finished : 0;
        return progress->finished ? elapsed * (double)rest / (double)progress->finished : -1;
    }
    double lanes = progress->lanes ? (double)progress->lanes : 1;
    struct work work = sum_work(progress, unknown);
    double left = larger(work.all / lanes, work.longest) - elapsed;
    double most = larger(work.left / lanes, work.longest_left);
    left = left < most ? left : most;
    return larger(left, work.waiting / lanes);
}

static void write_time(struct buffer *line, double seconds)
{
    enum { MINUTE = 60, HOUR = 60 * MINUTE };
    unsigned long whole = (unsigned long)seconds;
    if (whole >= HOUR) {
        buffer_printf(line, "%lu:%02lu:%02lu", whole / HOUR, whole % HOUR / MINUTE, whole % MINUTE);
    } else {
        buffer_printf(line, "%lu:%02lu", whole / MINUTE, whole % MINUTE);
    }
}

/* The first step that is left: it is the one that has run longest, or nearly so. */
static const char *current(const struct progress *progress)
{
    for (size_t i = 0; i < progress->step_count; i++) {
        if (!progress->steps[i].is_done) {
            return progress->steps[i].text;
        }
    }
    return NULL;
}

/* Cuts a text after so many characters. */
static void cut(char *text, size_t columns)
{
    size_t at = 0;
    for (size_t size = strlen(text); at < size && columns > 0; columns--) {
        size_t taken = cbn_text_character(text + at, size - at);
        at += taken ? taken : 1;
    }
    text[at] = '\0';
}

char *progress_line(const struct progress *progress, double elapsed, size_t columns)
{
    struct buffer line = {0};
    double left = progress_left(progress, elapsed);
    const char *text = current(progress);
    if (progress->total > 0) {
        buffer_printf(&line, "[%zu/%zu] ", progress->finished, progress->total);
    }
    write_time(&line, elapsed);
    if (left >= 1) {
        buffer_puts(&line, ", ");
        write_time(&line, left);
        buffer_puts(&line, " left");
    }
    if (text) {
        buffer_printf(&line, ": %s", text);
    }
    char *result = buffer_take(&line);
    if (result && columns > 0) {
        cut(result, columns - 1);
    }
    return result;
}

void progress_free(struct progress *progress)
{
    for (size_t i = 0; i < progress->step_count; i++) {
        free(progress->steps[i].text);
    }
    free(progress->steps);
    *progress = (struct progress){0};
}

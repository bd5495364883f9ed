/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/meter.h"

#include "base/colour.h"
#include "base/terminal.h"
#include "loader/core/support/text.h"
#include "tune/report.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void meter_start(struct meter *meter, const struct tune_description *description, const struct jobs *jobs)
{
    *meter = (struct meter){
        .description = description,
        .jobs = jobs,
        .is_on = colour_is_terminal(stderr),
        .start = seconds_now(),
    };
}

static void write_time(struct buffer *text, double seconds)
{
    unsigned long whole = (unsigned long)seconds;
    if (whole >= 3600) {
        buffer_printf(text, "%lu:%02lu:%02lu", whole / 3600, whole % 3600 / 60, whole % 60);
    } else {
        buffer_printf(text, "%lu:%02lu", whole / 60, whole % 60);
    }
}

/* What the extents that run have after them counts in part. */
static double share_done(const struct meter *meter, const struct supervised *running, size_t count)
{
    double done = (double)meter->jobs->finished;
    for (size_t i = 0; i < count; i++) {
        uint32_t total = atomic_load(&running[i].state->total);
        if (total > 0 && atomic_load(&running[i].state->phase) == WORKER_TIMES) {
            done += (double)atomic_load(&running[i].state->done) / total;
        }
    }
    return meter->jobs->extents ? done / (double)meter->jobs->extents : 1;
}

static void write_running(const struct meter *meter, const struct supervised *running, struct buffer *text)
{
    const struct worker_state *state = running->state;
    const struct tune_set *set = &meter->description->sets[running->set];
    uint32_t phase = atomic_load(&state->phase);
    uint64_t best = atomic_load(&state->best);
    char time[TIME_TEXT_SIZE];
    char extent[EXTENT_TEXT_SIZE];
    buffer_printf(text, "%s, %s", set->name, report_extent(set, atomic_load(&state->extent), extent));
    if (phase == WORKER_CHECKS) {
        buffer_printf(text, ": checked %u of %u candidates", atomic_load(&state->done),
                      atomic_load(&state->total));
    } else if (phase == WORKER_TIMES) {
        buffer_printf(text, ": round %u, %u candidates left", atomic_load(&state->done) + 1,
                      atomic_load(&state->left));
    }
    if (best > 0) {
        buffer_printf(text, ", best %s", report_time((double)best / 1e3, time));
    }
}

void meter_write(const struct meter *meter, double elapsed, const struct supervised *running, size_t count,
                 struct buffer *text)
{
    double share = share_done(meter, running, count);
    buffer_printf(text, "[%zu/%zu] ", meter->jobs->finished, meter->jobs->extents);
    write_time(text, elapsed);
    if (share > 0 && elapsed >= 1) {
        buffer_puts(text, ", ");
        write_time(text, elapsed * (1 - share) / share);
        buffer_puts(text, " left");
    }
    for (size_t i = 0; i < count; i++) {
        buffer_puts(text, i ? "; " : ": ");
        write_running(meter, &running[i], text);
    }
}

static size_t columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void cut(char *text, size_t most)
{
    size_t at = 0;
    for (size_t size = strlen(text); at < size && most > 0; most--) {
        size_t taken = cbn_text_character(text + at, size - at);
        at += taken ? taken : 1;
    }
    text[at] = '\0';
}

void meter_show(struct meter *meter, const struct supervised *running, size_t count)
{
    struct buffer text = {0};
    double now = seconds_now();
    if (!meter->is_on || now - meter->last < 0.1) {
        return;
    }
    meter->last = now;
    meter_write(meter, now - meter->start, running, count, &text);
    if (text.data) {
        cut(text.data, columns() - 1);
        terminal_control(stderr, "\r\x1b[K");
        fputs(text.data, stderr);
        meter->is_shown = true;
    }
    buffer_free(&text);
}

void meter_clear(struct meter *meter)
{
    if (meter->is_shown) {
        terminal_control(stderr, "\r\x1b[K");
        meter->is_shown = false;
    }
}

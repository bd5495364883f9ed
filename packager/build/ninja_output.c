/* SPDX-License-Identifier: Apache-2.0 */
#include "build/ninja_output.h"

#include "base/buffer.h"
#include "base/colour.h"
#include "base/terminal.h"
#include "loader/core/support/error.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { PAUSE_MS = 200, DEFAULT_COLUMNS = 80 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void ninja_output_init(struct ninja_output *output, FILE *file, bool is_quiet)
{
    *output = (struct ninja_output){
        .file = file,
        .is_quiet = is_quiet,
        .is_live = !is_quiet && colour_is_terminal(file),
        .pipe = -1,
        .start = now(),
    };
}

static size_t columns(const struct ninja_output *output)
{
    struct winsize size;
    int file = output->file == stderr ? STDERR_FILENO : STDOUT_FILENO;
    return ioctl(file, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : DEFAULT_COLUMNS;
}

static void erase(struct ninja_output *output)
{
    if (output->is_painted) {
        terminal_control(output->file, "\r\033[K");
        output->is_painted = false;
    }
}

static void paint(struct ninja_output *output)
{
    double elapsed = now() - output->start;
    if (output->progress.total == 0 && elapsed < 1) { /* nothing to do, perhaps */
        return;
    }
    char *line = progress_line(&output->progress, elapsed, columns(output));
    if (line) {
        terminal_control(output->file, "\r");
        fputs(line, output->file);
        terminal_control(output->file, "\033[K");
        output->is_painted = true;
    }
    free(line);
}

static void print_status(struct ninja_output *output, const char *text)
{
    if (!output->is_quiet && !output->is_live) {
        fprintf(output->file, "[%zu/%zu] %s\n", output->progress.finished, output->progress.total, text);
    }
}

/* A line with its end. */
static void print_other(struct ninja_output *output, const char *line)
{
    if (output->is_quiet && strcmp(line, "ninja: no work to do.\n") == 0) {
        return;
    }
    erase(output);
    colour_messages(output->file, line);
}

static void note_warning(struct ninja_output *output, const char *line)
{
    if (strstr(line, "warning: ")) {
        cbn_text_list_addf(&output->warnings, "%.*s", (int)strcspn(line, "\n"), line);
    }
}

static void take_line(struct ninja_output *output, char *line, size_t size)
{
    const char *text = NULL;
    char end = line[size];
    line[size - 1] = '\0';
    if (progress_take(&output->progress, line, &text)) {
        print_status(output, text);
        return;
    }
    line[size - 1] = '\n';
    line[size] = '\0';
    note_warning(output, line);
    print_other(output, line);
    line[size] = end;
}

/* Takes the lines that have come whole, and leaves the start of the next one. */
static void take_lines(struct ninja_output *output, struct buffer *text)
{
    size_t taken = 0;
    for (char *end; (end = memchr(text->data + taken, '\n', text->size - taken));) {
        size_t size = (size_t)(end + 1 - (text->data + taken));
        take_line(output, text->data + taken, size);
        taken += size;
    }
    text->size -= taken;
    memmove(text->data, text->data + taken, text->size + 1);
    fflush(output->file);
}

/* Reads what has come. False: there will be no more. */
static bool take_part(struct ninja_output *output, struct buffer *text)
{
    char part[16 << 10];
    ssize_t size = read(output->pipe, part, sizeof(part));
    if (size <= 0) {
        return size < 0 && (errno == EINTR || errno == EAGAIN);
    }
    buffer_append(text, part, (size_t)size);
    if (text->failed) { /* no memory for lines: as they come */
        fwrite(text->data ? text->data : "", 1, text->size, output->file);
        fwrite(part, 1, (size_t)size, output->file);
        buffer_free(text);
        return true;
    }
    take_lines(output, text);
    return true;
}

static void *read_output(void *data)
{
    struct ninja_output *output = data;
    struct buffer text = {0};
    for (bool goes_on = true; goes_on;) {
        struct pollfd wait = {.fd = output->pipe, .events = POLLIN};
        bool has_ended = atomic_load(&output->has_ended);
        int ready = poll(&wait, 1, has_ended ? 0 : PAUSE_MS);
        goes_on = ready > 0 ? take_part(output, &text) : !has_ended;
        if (output->is_live && goes_on) {
            paint(output);
        }
    }
    if (text.size > 0) { /* a last line without an end */
        buffer_puts(&text, "\n");
        if (!text.failed) {
            take_lines(output, &text);
        }
    }
    erase(output);
    fflush(output->file);
    buffer_free(&text);
    close(output->pipe);
    return NULL;
}

cubinet_status ninja_output_start(struct ninja_output *output, int pipe)
{
    output->pipe = pipe;
    atomic_store(&output->has_ended, false);
    int error = pthread_create(&output->thread, NULL, read_output, output);
    return error == 0 ? CUBINET_OK
                      : cbn_error(CUBINET_ERROR_IO, "cannot start a thread that reads Ninja's output: %s",
                                  strerror(error));
}

void ninja_output_finish(struct ninja_output *output)
{
    atomic_store(&output->has_ended, true);
    pthread_join(output->thread, NULL);
}

void ninja_output_free(struct ninja_output *output)
{
    progress_free(&output->progress);
    cbn_text_list_free(&output->warnings);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "source/refused_source.h"

#include "loader/core/support/error.h"
#include "source/host_code.h"
#include "toolkit/host_headers.h"

#include <string.h>

/* Whether any error is about a line of host code. One that is elsewhere says something that still holds when
 * the host code is gone. */
static bool is_about(const struct diagnostics *diagnostics, const struct host_code *code)
{
    for (size_t i = 0; i < diagnostics->source_error_count; i++) {
        if (host_code_has_line(code, diagnostics->source_errors[i])) {
            return true;
        }
    }
    return false;
}

/* Whether the first message is about a header of Thrust's. What host code makes of them NVRTC refuses there,
 * and stops, after some hundred errors, before it comes to the source's own. */
static bool stops_in_thrust(const char *said)
{
    size_t line = strcspn(said, "\n");
    return memmem(said, line, "/thrust/", strlen("/thrust/")) != NULL;
}

static void say_functions(const struct refused_source *source, const struct host_code *code,
                          struct buffer *messages)
{
    for (size_t i = 0; i < code->count; i++) {
        const struct host_function *function = &code->functions[i];
        if (function->call) {
            buffer_printf(messages, "%s:%zu: error: %.*s() is called by host code\n", source->path,
                          function->line, (int)function->call_size, function->call);
            continue;
        }
        buffer_printf(messages, "%s:%zu: error: %s\n", source->path, function->line,
                      function->is_main ? "main() is host code"
                                        : "a kernel is launched with <<<...>>> by host code");
    }
}

/* "lines 3-9 and 12-20". */
static void append_lines(const struct host_code *code, struct buffer *text)
{
    for (size_t i = 0; i < code->count; i++) {
        const struct host_function *function = &code->functions[i];
        buffer_puts(text, i == 0 ? "" : i + 1 == code->count ? " and " : ", ");
        buffer_printf(text, "%zu", function->first_line);
        if (function->last_line > function->first_line) {
            buffer_printf(text, "-%zu", function->last_line);
        }
    }
}

static cubinet_status fail_for_host_code(const struct refused_source *source, const struct host_code *code)
{
    struct buffer lines = {0};
    append_lines(code, &lines);
    bool one = code->count == 1 && code->functions[0].first_line == code->functions[0].last_line;
    cubinet_status status =
        lines.failed ? cbn_error_memory()
                     : cbn_error(CUBINET_ERROR_COMPILE,
                                 "%s: host code on line%s %s: only device code is compiled here; move the "
                                 "kernels to a file of their own, or put #ifndef __CUDACC_RTC__ and #endif "
                                 "around the host code and its headers",
                                 source->path, one ? "" : "s", lines.data);
    buffer_free(&lines);
    return status;
}

/* What to do about errors whose text does not say it. */
static const struct {
    const char *said;
    const char *advice;
} hints[] = {
    {"device-side kernel launch could not be processed",
     "kernels that launch kernels are compiled with -rdc=true"},
    {"annotation on lambda requires --extended-lambda",
     "with --extended-lambda the annotations of lambdas in the source itself are taken away; those in "
     "headers "
     "have to go"},
};

static void say_hints(const struct refused_source *source, struct buffer *messages)
{
    for (size_t i = 0; i < sizeof(hints) / sizeof(hints[0]); i++) {
        if (strstr(source->diagnostics->text, hints[i].said)) {
            buffer_printf(messages, "%s: note: %s\n", source->path, hints[i].advice);
        }
    }
}

cubinet_status refused_source_report(const struct refused_source *source, struct buffer *messages)
{
    struct host_code code;
    cubinet_status status = host_code_find(source->text, &code);
    if (status) {
        return status;
    }
    const char *said = source->diagnostics->text;
    /* Where host code is skipped, what is refused is something else. */
    bool is_skipped = source->headers == DEVICE_HEADERS_LENIENT;
    if (!is_skipped && (is_about(source->diagnostics, &code) || (code.count > 0 && stops_in_thrust(said)))) {
        say_functions(source, &code, messages);
        status = fail_for_host_code(source, &code);
    } else {
        host_headers_say(said, messages);
        say_hints(source, messages);
        if (device_headers_explain(said, source->headers, messages) && code.count > 0) {
            status = fail_for_host_code(source, &code);
        }
    }
    host_code_free(&code);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/cleaning/ptx_debug.h"

#include "loader/link/ptx_statement.h"

#include <string.h>

/* A run of .b8 directives with nothing between them. */
struct run {
    const char *start;
    const char *end;
    struct buffer bytes;
};

struct rewriter {
    const struct ptx_name_tail *tail;
    struct buffer *out;
    const char *at;  /* what was appended up to */
    bool keeps_size; /* a name changes only if its size stays */
};

/* Takes the numbers of one .b8 directive. False if they are not all bytes. */
static bool take_bytes(struct cbn_ptx_lexer *lexer, struct buffer *bytes)
{
    for (;;) {
        uint64_t value;
        if (!cbn_ptx_integer(cbn_ptx_next(lexer), &value) || value > UINT8_MAX) {
            return false;
        }
        char byte = (char)value;
        buffer_append(bytes, &byte, 1);
        if (!cbn_ptx_token_is(cbn_ptx_peek(lexer), ",")) {
            return true;
        }
        cbn_ptx_next(lexer);
    }
}

static void append_bytes(struct buffer *out, const struct buffer *bytes)
{
    enum { PER_LINE = 40 };
    for (size_t i = 0; i < bytes->size; i++) {
        const char *before = i == 0 ? ".b8 " : i % PER_LINE == 0 ? "\n.b8 " : ",";
        buffer_printf(out, "%s%u", before, (unsigned char)bytes->data[i]);
    }
}

/* Ends a run: appends it with stable names if it has others. */
static void finish_run(struct rewriter *rewriter, struct run *run)
{
    bool same_size;
    rewriter->out->failed |= run->bytes.failed;
    if (run->bytes.size > 0 && !run->bytes.failed &&
        ptx_has_unstable(run->bytes.data, run->bytes.size, &same_size) &&
        (same_size || !rewriter->keeps_size)) {
        struct buffer stable = {0};
        ptx_append_stable(run->bytes.data, run->bytes.size, rewriter->tail, &stable);
        buffer_append(rewriter->out, rewriter->at, (size_t)(run->start - rewriter->at));
        append_bytes(rewriter->out, &stable);
        rewriter->out->failed |= stable.failed;
        rewriter->at = run->end;
        buffer_free(&stable);
    }
    run->bytes.size = 0;
}

static void rewrite_section(struct rewriter *rewriter, struct cbn_ptx_lexer body)
{
    struct run run = {0};
    struct cbn_ptx_token token = cbn_ptx_next(&body);
    for (; token.kind != CBN_PTX_END && token.kind != CBN_PTX_DAMAGED; token = cbn_ptx_next(&body)) {
        if (!cbn_ptx_token_is(token, ".b8")) {
            finish_run(rewriter, &run);
            continue;
        }
        if (run.bytes.size == 0) {
            run.start = token.text;
        }
        if (!take_bytes(&body, &run.bytes)) {
            break;
        }
        run.end = body.at;
    }
    if (token.kind == CBN_PTX_END) {
        finish_run(rewriter, &run);
    }
    buffer_free(&run.bytes);
}

void ptx_append_stable_debug(const char *text, size_t size, const struct ptx_name_tail *tail,
                             struct buffer *out)
{
    struct rewriter rewriter = {.tail = tail, .out = out, .at = text};
    rewriter.keeps_size = memmem(text, size, ".debug_info", strlen(".debug_info")) != NULL;
    struct cbn_ptx_lexer lexer = {text, text + size};
    struct cbn_ptx_statement statement = cbn_ptx_next_statement(&lexer);
    while (statement.kind != CBN_PTX_STATEMENT_END && statement.kind != CBN_PTX_STATEMENT_DAMAGED) {
        if (statement.kind == CBN_PTX_STATEMENT_SECTION) {
            rewrite_section(&rewriter, statement.body);
        }
        statement = cbn_ptx_next_statement(&lexer);
    }
    buffer_append(out, rewriter.at, (size_t)(text + size - rewriter.at));
}

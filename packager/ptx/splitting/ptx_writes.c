/* SPDX-License-Identifier: Apache-2.0 */
#include "ptx/splitting/ptx_writes.h"

#include <string.h>

struct tracing {
    struct ptx_units *units;
    struct ptx_table registers; /* that may hold the address of such a variable */
    bool has_changed;
    bool failed;
};

/* An instruction; what is in front of its opcode (labels, predicates) is left out. */
struct instruction {
    struct cbn_ptx_token opcode;    /* without what follows a dot */
    struct cbn_ptx_lexer modifiers; /* ".global.u32" and what more there is, to the end */
};

/* Whether the text names a variable that may be copied or a register that may hold its address. */
static bool names_address(const struct tracing *tracing, struct cbn_ptx_lexer text)
{
    struct cbn_ptx_token word;
    while (cbn_ptx_next_word(&text, &word)) {
        const struct ptx_table_entry *entry = ptx_table_find(&tracing->units->names, word);
        if ((entry && tracing->units->items[entry->number].is_copied) ||
            ptx_table_find(&tracing->registers, word)) {
            return true;
        }
    }
    return false;
}

/* No copies of any variable whose address may be in play. Which one it is, is not followed. */
static void drop_copies(struct tracing *tracing, struct cbn_ptx_lexer body)
{
    struct cbn_ptx_token word;
    while (cbn_ptx_next_word(&body, &word)) {
        const struct ptx_table_entry *entry = ptx_table_find(&tracing->units->names, word);
        if (entry) {
            tracing->units->items[entry->number].is_copied = false;
        }
    }
}

static bool opcode_is_one_of(const struct instruction *instruction, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (cbn_ptx_token_is(instruction->opcode, names[i])) {
            return true;
        }
    }
    return false;
}

static bool reads_memory(const struct instruction *instruction)
{
    static const char *const names[] = {"ld", "ldu", "prefetch", "prefetchu", "isspacep", "call"};
    return opcode_is_one_of(instruction, names, sizeof(names) / sizeof(names[0]));
}

/* To where only this thread and what it calls read it. */
static bool stores_for_call(const struct instruction *instruction)
{
    struct cbn_ptx_lexer modifiers = instruction->modifiers;
    for (struct cbn_ptx_token token = cbn_ptx_next(&modifiers); token.kind == CBN_PTX_DIRECTIVE;
         token = cbn_ptx_next(&modifiers)) {
        if (cbn_ptx_token_is(token, ".param") || cbn_ptx_token_is(token, ".local")) {
            return cbn_ptx_token_is(instruction->opcode, "st");
        }
    }
    return false;
}

/* The registers up to the first comma outside of braces get what the rest names. */
static void pass_on(struct tracing *tracing, const struct instruction *instruction)
{
    struct cbn_ptx_lexer rest = instruction->modifiers;
    struct cbn_ptx_token token = cbn_ptx_next(&rest);
    const struct ptx_table_entry *entry;
    for (int depth = 0; token.kind != CBN_PTX_END && token.kind != CBN_PTX_DAMAGED;
         token = cbn_ptx_next(&rest)) {
        depth += cbn_ptx_is_punctuation(token, '{') - cbn_ptx_is_punctuation(token, '}');
        if (depth == 0 && cbn_ptx_is_punctuation(token, ',')) {
            return;
        }
        if (token.kind == CBN_PTX_WORD && !ptx_table_find(&tracing->registers, token)) {
            tracing->has_changed = true;
            tracing->failed |= !ptx_table_add(&tracing->registers, token, 0, &entry);
        }
    }
}

static bool has_brackets(struct cbn_ptx_lexer text)
{
    return memchr(text.at, '[', (size_t)(text.end - text.at)) != NULL;
}

/* Whether the address is in the brackets of an instruction. */
static bool is_accessed(const struct tracing *tracing, struct cbn_ptx_lexer text)
{
    struct cbn_ptx_lexer inside;
    for (struct cbn_ptx_token token = cbn_ptx_next(&text);
         token.kind != CBN_PTX_END && token.kind != CBN_PTX_DAMAGED; token = cbn_ptx_next(&text)) {
        if (cbn_ptx_is_punctuation(token, '[') && cbn_ptx_skip_to_close(&text, '[', ']', &inside) &&
            names_address(tracing, inside)) {
            return true;
        }
    }
    return false;
}

/* Whether an instruction that names an address may write there, or leave it where others find it. */
static bool may_write(const struct tracing *tracing, const struct instruction *instruction)
{
    if (reads_memory(instruction) || !has_brackets(instruction->modifiers)) {
        return false;
    }
    return !stores_for_call(instruction) || is_accessed(tracing, instruction->modifiers);
}

static bool take_instruction(struct tracing *tracing, struct cbn_ptx_lexer text)
{
    struct cbn_ptx_lexer rest = text;
    struct cbn_ptx_token token = cbn_ptx_next(&rest);
    if (cbn_ptx_is_punctuation(token, '@')) {
        do {
            token = cbn_ptx_next(&rest); /* "!", then the predicate */
        } while (cbn_ptx_is_punctuation(token, '!'));
        token = cbn_ptx_next(&rest);
    }
    const struct instruction instruction = {token, rest};
    if (token.kind != CBN_PTX_WORD || !names_address(tracing, rest)) {
        return false;
    }
    if (may_write(tracing, &instruction)) {
        return true;
    }
    if (!reads_memory(&instruction) && !has_brackets(rest)) {
        pass_on(tracing, &instruction);
    }
    return false;
}

/* Goes through the instructions once: they end at ';', start anew after braces and labels. */
static bool find_write(struct tracing *tracing, struct cbn_ptx_lexer body)
{
    struct cbn_ptx_lexer instruction = body;
    for (;;) {
        struct cbn_ptx_token token = cbn_ptx_next(&body);
        bool ends = token.kind == CBN_PTX_END || token.kind == CBN_PTX_DAMAGED;
        if (ends || cbn_ptx_is_punctuation(token, ';')) {
            instruction.end = token.text;
            if (take_instruction(tracing, instruction)) {
                return true;
            }
            instruction = body;
        }
        if (ends) {
            return false;
        }
        bool is_brace = cbn_ptx_is_punctuation(token, '{') || cbn_ptx_is_punctuation(token, '}');
        struct cbn_ptx_lexer before = {instruction.at, token.text};
        if (cbn_ptx_is_punctuation(token, ':') || (is_brace && cbn_ptx_peek(&before).kind == CBN_PTX_END)) {
            instruction.at = body.at;
        }
    }
}

bool ptx_writes_find(struct ptx_units *units, struct cbn_ptx_lexer body)
{
    struct tracing tracing = {.units = units};
    bool is_written;
    do {
        tracing.has_changed = false;
        is_written = find_write(&tracing, body);
    } while (!is_written && tracing.has_changed && !tracing.failed);
    if (is_written) {
        drop_copies(&tracing, body);
    }
    ptx_table_free(&tracing.registers);
    return !tracing.failed;
}

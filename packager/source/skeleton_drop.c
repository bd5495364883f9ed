/* SPDX-License-Identifier: Apache-2.0 */
/* What of a skeleton goes when the compiler refuses it: the rest of skeleton.h is in skeleton.c. */
#include "source/skeleton.h"

#include <stdlib.h>
#include <string.h>

static bool is_in_word(char c)
{
    return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool skeleton_mentions(const char *text, const struct cxx_token *word)
{
    for (const char *at = text; (at = memmem(at, strlen(at), word->text, word->size)); at++) {
        if ((at == text || !is_in_word(at[-1])) && !is_in_word(at[word->size])) {
            return true;
        }
    }
    return false;
}

static bool is_on_line(const struct skeleton_piece *piece, const struct cxx_token *tokens, size_t token)
{
    const struct cxx_token *at = &tokens[piece->token];
    return !piece->is_dropped && piece->kind != SKELETON_BRACE && at->line == tokens[token].line &&
           at->file == tokens[token].file;
}

bool skeleton_has(const struct skeleton *skeleton, const struct cxx_token *tokens, size_t token)
{
    for (size_t i = 0; i < skeleton->count; i++) {
        if (is_on_line(&skeleton->pieces[i], tokens, token) &&
            skeleton_mentions(skeleton->pieces[i].text, &tokens[token])) {
            return true;
        }
    }
    return false;
}

/* The first line of what a piece becomes, if it is anything. */
static void give_up(struct skeleton_piece *piece)
{
    piece->is_refused = true;
    piece->is_dropped = piece->instead == NULL;
    if (piece->instead) {
        char *rest = strchr(piece->instead, '\n');
        char *next = rest ? strdup(rest + 1) : NULL;
        if (rest) {
            *rest = '\0';
        }
        free(piece->text);
        piece->text = piece->instead;
        piece->instead = next;
    }
}

static void give_up_group(struct skeleton *skeleton, size_t group)
{
    for (size_t i = 0; i < skeleton->count; i++) {
        if (skeleton->pieces[i].group == group) {
            skeleton->pieces[i].group = 0;
            skeleton->pieces[i].kind = SKELETON_BRACE;
            give_up(&skeleton->pieces[i]);
        }
    }
}

static bool drop_pieces(struct skeleton *skeleton, const struct cxx_token *tokens, size_t token, bool guesses,
                        const struct cxx_token *name)
{
    bool dropped = false;
    for (size_t i = 0; i < skeleton->count; i++) {
        struct skeleton_piece *piece = &skeleton->pieces[i];
        if (!is_on_line(piece, tokens, token) || (piece->kind == SKELETON_GUESS) != guesses ||
            (name && !skeleton_mentions(piece->text, name))) {
            continue;
        }
        dropped = true;
        if (piece->group) {
            give_up_group(skeleton, piece->group);
        } else {
            give_up(piece);
        }
    }
    return dropped;
}

enum skeleton_dropped skeleton_drop(struct skeleton *skeleton, const struct cxx_token *tokens, size_t token,
                                    bool named)
{
    const struct cxx_token *name = named ? &tokens[token] : NULL;
    if (drop_pieces(skeleton, tokens, token, true, name) ||
        drop_pieces(skeleton, tokens, token, false, name)) {
        return SKELETON_HAS_DROPPED;
    }
    for (size_t i = 0; named && i < skeleton->count; i++) {
        if (is_on_line(&skeleton->pieces[i], tokens, token)) {
            return SKELETON_HAS_OTHERS;
        }
    }
    return SKELETON_HAS_NOTHING;
}

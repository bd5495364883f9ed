/* SPDX-License-Identifier: Apache-2.0 */
/* Which templates of kernels host code uses, as far as it may want instances that were not made: the rest of
 * host_skip.h is in host_skip.c. */
#include "source/host_skip.h"

#include "loader/core/support/error.h"

#include <stdio.h>
#include <string.h>

static cubinet_status add_name(const struct host_skip *skip, const struct cxx_token *word,
                               struct cbn_text_list *names)
{
    char name[512];
    if (word->kind != CXX_WORD || !name_set_has(&skip->parts.names.kernels, word)) {
        return CUBINET_OK;
    }
    snprintf(name, sizeof(name), "%.*s", (int)word->size, word->text);
    return cbn_text_list_add_once(names, name);
}

/* Whether the skeleton of a function was dropped, since the compiler refused it or its class. */
static bool is_lost(const struct host_part *part)
{
    return part->is_refused || (part->fate == HOST_SKELETON && part->is_inside);
}

/* Whether something that uses kernels, in the source itself, was dropped: it may have been the only one to
 * call what a header has. */
static bool source_has_lost(const struct host_skip *skip)
{
    const struct cxx_token *tokens = skip->unit.tokens.items;
    for (size_t i = 0; i < skip->declarations.count; i++) {
        const struct host_part *part = &skip->parts.items[i];
        const struct skeleton *skeleton = &part->skeleton;
        if (is_lost(part) && tokens[skip->declarations.items[i].first].file == 0) {
            return true;
        }
        for (size_t j = 0; j < skeleton->count; j++) {
            const struct skeleton_piece *piece = &skeleton->pieces[j];
            bool is_object = piece->is_refused && strstr(piece->text, "cubinet_any");
            if (piece->kind == SKELETON_USE && (piece->is_dropped || is_object) &&
                tokens[piece->token].file == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool is_in_word(char c)
{
    return c == '_' || c == '$' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Adds the kernels that a use names which the compiler refused. */
static cubinet_status add_refused(const struct host_skip *skip, const struct skeleton_piece *piece,
                                  struct cbn_text_list *names)
{
    cubinet_status status = CUBINET_OK;
    for (const char *at = piece->text; *at && !status;) {
        size_t size = 0;
        while (is_in_word(at[size])) {
            size++;
        }
        const struct cxx_token word = {.text = at, .size = (uint32_t)size, .kind = CXX_WORD};
        status = size > 0 ? add_name(skip, &word, names) : CUBINET_OK;
        at += size > 0 ? size : 1;
    }
    return status;
}

cubinet_status host_skip_used(const struct host_skip *skip, struct cbn_text_list *names)
{
    const struct cxx_token *tokens = skip->unit.tokens.items;
    bool all = source_has_lost(skip);
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < skip->declarations.count && !status; i++) {
        const struct declaration *declaration = &skip->declarations.items[i];
        const struct host_part *part = &skip->parts.items[i];
        if (part->fate == HOST_KEPT || declaration->kind == DECLARATION_CLASS) {
            continue;
        }
        for (size_t at = declaration->first; at < declaration->end && !status; at++) {
            if (all || is_lost(part) || tokens[at].file == 0) {
                status = add_name(skip, &tokens[at], names);
            }
        }
        for (size_t j = 0; j < part->skeleton.count && !status; j++) {
            const struct skeleton_piece *piece = &part->skeleton.pieces[j];
            if (piece->kind == SKELETON_USE && piece->is_refused) {
                status = add_refused(skip, piece, names);
            }
        }
    }
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The variables in a skeleton. */
#include "source/skeleton_builder.h"

#include "source/complex_type.h"

bool builder_is_auto(const struct builder *builder, size_t type, size_t type_end)
{
    bool found = false;
    for (; type < type_end && !is(builder, type, '<'); type++) {
        found |= cxx_is_word(token(builder, type), "auto");
    }
    return found;
}

static void put_type(struct buffer *type, const struct builder *builder, size_t at, size_t end)
{
    static const char *const left_out[] = {"static", "register", "thread_local", "extern", "constexpr", NULL};
    while (at < end) {
        const struct cxx_token *here = token(builder, at);
        char complex[64];
        size_t next = complex_type_name(builder->tokens, at, complex, sizeof(complex));
        next = next > at ? next : at + 1;
        if (!cxx_is_any_word(here, left_out) && !cxx_is(here, '&') && !cxx_is(here, CXX_AND)) {
            builder_put(type, builder, at, next);
        }
        at = next;
    }
}

void builder_put_local(struct buffer *text, const struct builder *builder, const struct local *local)
{
    struct buffer type = {0};
    const struct cxx_token *name = token(builder, local->name);
    put_type(&type, builder, local->type, local->type_end);
    put_type(&type, builder, local->pointers, local->name);
    buffer_puts(&type, local->is_array ? " *" : " ");
    buffer_printf(text, "%s&%.*s = cubinet_any<%s>();", type.data ? type.data : "", (int)name->size,
                  name->text, type.data ? type.data : "");
    text->failed |= type.failed;
    buffer_free(&type);
}

void builder_add_local(struct builder *builder, const struct local *local)
{
    struct buffer text = {0};
    builder_put_local(&text, builder, local);
    builder_add(builder, local->name, SKELETON_LOCAL, &text, NULL);
}

void builder_add_object(struct builder *builder, const struct local *local, size_t end)
{
    struct buffer text = {0};
    struct buffer instead = {0};
    put_type(&text, builder, local->type, local->type_end);
    builder_put(&text, builder, local->name, end);
    buffer_puts(&text, ";");
    builder_put_local(&instead, builder, local);
    builder_add(builder, local->name, SKELETON_USE, &text, buffer_take(&instead));
}

/* Whether a piece after this one has the name of the local, which stands where the piece does. Types and
 * constants stay in any case. */
static bool is_used(const struct builder *builder, size_t number)
{
    static const char *const kept[] = {"using", "typedef", "constexpr", "const", "static", "enum", NULL};
    const struct skeleton *skeleton = builder->skeleton;
    const struct cxx_token *name = token(builder, skeleton->pieces[number].token);
    bool is_kept = cxx_is_any_word(name, kept);
    for (size_t i = number + 1; i < skeleton->count && !is_kept; i++) {
        is_kept = !skeleton->pieces[i].is_dropped && skeleton_mentions(skeleton->pieces[i].text, name);
    }
    return is_kept;
}

void builder_drop_unused(struct builder *builder)
{
    struct skeleton *skeleton = builder->skeleton;
    for (size_t i = skeleton->count; i > 0; i--) {
        struct skeleton_piece *piece = &skeleton->pieces[i - 1];
        piece->is_dropped = piece->kind == SKELETON_LOCAL && !is_used(builder, i - 1);
    }
}

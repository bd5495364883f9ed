/* SPDX-License-Identifier: Apache-2.0 */
#include "source/host_parts.h"

#include "loader/core/support/error.h"
#include "source/appliers.h"
#include "source/host_heads.h"

#include <stdlib.h>
#include <string.h>

struct decider {
    const struct cxx_token *tokens;
    const struct declarations *declarations;
    struct host_parts *parts;
    struct name_set annotated; /* names of functions that are annotated somewhere */
    struct name_set promised;  /* those of them that are annotated where they are declared alone */
    struct name_set hosts;     /* names of functions that the host alone can call */
    struct name_set named;     /* names of functions of the host's that use kernels by name */
    struct name_set virtuals;  /* names of virtual functions of the host's */
};

static const struct cxx_token *name_of(const struct decider *decider, const struct declaration *declaration)
{
    return declaration->name == SIZE_MAX ? NULL : &decider->tokens[declaration->name];
}

/* Functions that this reader may drop: not the device's, and not what compilers make themselves. */
static bool is_hosts_function(const struct declaration *declaration)
{
    return declaration->kind == DECLARATION_FUNCTION && !(declaration->flags & DECLARED_ON_DEVICE) &&
           !(declaration->flags & DECLARED_GUIDE);
}

/* A function whose definition lacks the annotations that another declaration of it has is as annotated as
 * that, as nvcc has it. */
static bool is_annotated_elsewhere(const struct decider *decider, const struct declaration *declaration)
{
    const struct cxx_token *name = name_of(decider, declaration);
    const struct name_set *others = declaration->body ? &decider->promised : &decider->annotated;
    return name && !(declaration->flags & DECLARED_HOST) && name_set_has(others, name);
}

/* Whether the body uses templates of kernels, or templates that do. */
static bool uses_kernels(const struct decider *decider, const struct declaration *declaration)
{
    const struct skeleton_names *names = &decider->parts->names;
    return names->kernels.count > 0 && declaration->body &&
           skeleton_is_needed(decider->tokens, declaration, names);
}

/* Whether it does by name, and not by an operator that may be another. */
static bool names_kernels(const struct decider *decider, const struct declaration *declaration)
{
    const struct skeleton_names names = {.kernels = decider->parts->names.kernels,
                                         .functions = decider->named,
                                         .appliers = decider->parts->names.appliers,
                                         .callables = decider->parts->names.callables};
    return declaration->body && skeleton_is_needed(decider->tokens, declaration, &names);
}

/* Whether a function is a template, or a member of one: then what it launches is up to its callers. */
static bool is_template(const struct decider *decider, const struct declaration *declaration)
{
    const struct declaration *items = decider->declarations->items;
    bool found = declaration->flags & DECLARED_TEMPLATE;
    for (size_t at = declaration->parent; !found && at != SIZE_MAX; at = items[at].parent) {
        found = items[at].flags & DECLARED_TEMPLATE;
    }
    for (size_t i = declaration->parameters; !found && i < declaration->body; i++) {
        found = cxx_is_word(&decider->tokens[i], "auto");
    }
    return found;
}

/* Whether a constant needs what is not there: a type of the standard library's, or a function of the host's.
 */
static bool needs_host(const struct decider *decider, const struct declaration *declaration)
{
    for (size_t i = declaration->first; i < declaration->end; i++) {
        const struct cxx_token *token = &decider->tokens[i];
        bool in_value = declaration->value && i > declaration->value;
        if ((!in_value && cxx_is_word(token, "std")) || cxx_is_word(token, "new") ||
            (in_value && token->kind == CXX_WORD &&
             (name_set_has(&decider->hosts, token) || name_set_has(&decider->parts->names.kernels, token)))) {
            return true;
        }
    }
    return false;
}

static enum host_fate fate_of_variable(const struct decider *decider, const struct declaration *declaration)
{
    unsigned flags = declaration->flags;
    bool is_data = flags & DECLARED_MEMBER && !(flags & DECLARED_STATIC);
    /* nvcc takes __global__ before pointers to functions, where it means nothing. */
    if (flags & DECLARED_DEVICE || is_data || flags & DECLARED_CONSTEXPR) {
        return HOST_KEPT;
    }
    /* A member's value in the class is a constant expression. */
    bool is_constant = flags & DECLARED_CONST &&
                       ((flags & DECLARED_MEMBER && declaration->value) || !needs_host(decider, declaration));
    return is_constant ? HOST_KEPT : HOST_DROPPED;
}

static bool has_empty_body(const struct declaration *declaration)
{
    return declaration->body_end == declaration->body + 2 && !declaration->initializers;
}

/* Whether the body tells the type that a function returns. */
static bool returns_auto(const struct decider *decider, const struct declaration *declaration)
{
    bool is_auto = false;
    for (size_t i = declaration->first; i < declaration->body; i++) {
        const struct cxx_token *token = &decider->tokens[i];
        is_auto |= i < declaration->parameters && cxx_is_word(token, "auto");
        is_auto &= !(i > declaration->parameters && cxx_is(token, CXX_ARROW));
    }
    return is_auto;
}

static bool is_constructor(const struct decider *decider, const struct declaration *declaration)
{
    const struct cxx_token *name = name_of(decider, declaration);
    if (!name) {
        return false;
    }
    size_t parent = declaration->flags & DECLARED_MEMBER ? declaration->parent : SIZE_MAX;
    size_t class = parent == SIZE_MAX ? SIZE_MAX : decider->declarations->items[parent].name;
    bool in_class = class != SIZE_MAX && cxx_same(name, &decider->tokens[class]);
    return in_class || (declaration_is_qualified(decider->tokens, declaration) && declaration->name >= 2 &&
                        cxx_same(name, name - 2));
}

/* Whether it is a constructor of a class with bases or members whose constructors use kernels. */
static bool makes_users(const struct decider *decider, const struct declaration *declaration)
{
    return is_constructor(decider, declaration) && declaration->body &&
           name_set_has(&decider->parts->names.classes, name_of(decider, declaration));
}

/* Where skeletons are, other functions are left as declarations: their types are what skeletons need. Virtual
 * functions are in any case, for they are part of the layout of their class. */
static enum host_fate fate_of_function(const struct decider *decider, const struct declaration *declaration,
                                       bool has_uses)
{
    unsigned flags = declaration->flags;
    if (!is_hosts_function(declaration) || is_annotated_elsewhere(decider, declaration)) {
        return HOST_KEPT;
    }
    if (flags & DECLARED_DEFAULTED) {
        return flags & DECLARED_HOST ? HOST_DROPPED : HOST_KEPT;
    }
    if (flags & DECLARED_CONSTEXPR && !(flags & DECLARED_HOST)) {
        return HOST_KEPT;
    }
    const struct cxx_token *name = name_of(decider, declaration);
    bool is_used = name && name_set_has(&decider->parts->names.functions, name);
    if (!(flags & DECLARED_FRIEND) && has_uses) {
        return HOST_SKELETON;
    }
    if (!declaration->body && is_used && !(flags & DECLARED_FRIEND)) {
        return HOST_KEPT;
    }
    if (flags & DECLARED_INSTANCE && decider->parts->has_declarations && name &&
        cxx_is_word(name, "operator")) {
        return HOST_KEPT;
    }
    bool is_virtual = flags & DECLARED_VIRTUAL || (name && name_set_has(&decider->virtuals, name));
    bool is_kept = is_virtual || decider->parts->has_declarations;
    bool is_outside = declaration->body && declaration_is_qualified(decider->tokens, declaration);
    if (!is_kept || flags & DECLARED_INSTANCE || (is_outside && !is_virtual)) {
        return HOST_DROPPED;
    }
    if (!declaration->body || has_empty_body(declaration)) {
        return HOST_KEPT;
    }
    return is_virtual ? HOST_TRAP : returns_auto(decider, declaration) ? HOST_KEPT : HOST_BODILESS;
}

static enum host_fate fate_of(const struct decider *decider, const struct declaration *declaration,
                              bool has_uses)
{
    switch (declaration->kind) {
    case DECLARATION_FUNCTION:
        return fate_of_function(decider, declaration, has_uses);
    case DECLARATION_VARIABLE:
        return fate_of_variable(decider, declaration);
    case DECLARATION_OTHER:
    case DECLARATION_CLASS:
    case DECLARATION_NAMESPACE:
        break;
    }
    return HOST_KEPT;
}

/* Finds the names that decide: of annotated functions, of templates of kernels, and of classes. */
static cubinet_status collect_names(struct decider *decider)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < decider->declarations->count; i++) {
        const struct declaration *declaration = &decider->declarations->items[i];
        const struct cxx_token *name = name_of(decider, declaration);
        if (declaration->kind == DECLARATION_CLASS && name && declaration->flags & DECLARED_TEMPLATE) {
            status = name_set_add(&decider->parts->names.templates, name);
        }
        if (declaration->kind != DECLARATION_FUNCTION || !name || cxx_is_word(name, "operator")) {
            continue;
        }
        if (!(declaration->flags & DECLARED_ON_DEVICE)) {
            bool is_virtual = declaration->flags & DECLARED_VIRTUAL;
            if (is_virtual || !(declaration->flags & DECLARED_CONSTEXPR)) {
                status = name_set_add(is_virtual ? &decider->virtuals : &decider->hosts, name);
            }
            continue;
        }
        bool in_class = declaration->flags & DECLARED_MEMBER;
        bool is_template = declaration->flags & DECLARED_TEMPLATE;
        for (size_t at = declaration->parent; !is_template && at != SIZE_MAX && in_class;
             at = decider->declarations->items[at].parent) {
            is_template = decider->declarations->items[at].flags & DECLARED_TEMPLATE;
        }
        if (declaration->flags & DECLARED_KERNEL && is_template) {
            status = name_set_add(&decider->parts->names.kernels, name);
        }
        if (!status) {
            status = name_set_add(&decider->annotated, name);
        }
        if (!status && !declaration->body) {
            status = name_set_add(&decider->promised, name);
        }
    }
    return status;
}

/* Whether a type is a class whose constructors use kernels by name, or one that is made of such. */
static bool is_user(const struct decider *decider, size_t type, size_t type_end)
{
    const struct skeleton_names named = {.functions = decider->named};
    const struct skeleton_names made = {.functions = decider->parts->names.classes};
    return skeleton_is_users_class(decider->tokens, type, type_end, &named) ||
           skeleton_is_users_class(decider->tokens, type, type_end, &made);
}

/* Whether a class has such a base or member. */
static bool is_made_of_users(const struct decider *decider, size_t number)
{
    const struct declaration *items = decider->declarations->items;
    for (size_t i = items[number].name + 1; i < items[number].body; i++) {
        if (decider->tokens[i].kind == CXX_WORD && is_user(decider, i, i + 1)) {
            return true;
        }
    }
    for (size_t i = number + 1; i < decider->declarations->count && items[i].first < items[number].end; i++) {
        if (items[i].parent == number && items[i].kind == DECLARATION_VARIABLE && items[i].name != SIZE_MAX &&
            !(items[i].flags & DECLARED_STATIC) && is_user(decider, items[i].first, items[i].name)) {
            return true;
        }
    }
    return false;
}

/* Adds a class whose constructors use kernels. */
static cubinet_status add_type(struct skeleton_names *names, const struct cxx_token *name)
{
    cubinet_status status = name_set_add(&names->types, name);
    return status ? status : name_set_add(&names->functions, name);
}

/* Adds a class whose constructors use kernels though none names them. */
static cubinet_status collect_class(struct decider *decider, size_t number, bool *grows)
{
    struct skeleton_names *names = &decider->parts->names;
    const struct declaration *declaration = &decider->declarations->items[number];
    const struct cxx_token *name = name_of(decider, declaration);
    if (declaration->kind != DECLARATION_CLASS || !name || !declaration->body ||
        name_set_has(&names->classes, name) || !is_made_of_users(decider, number)) {
        return CUBINET_OK;
    }
    *grows = true;
    cubinet_status status = name_set_add(&names->classes, name);
    return status ? status : add_type(names, name);
}

/* Whether it is a template that calls what it is given. */
static bool is_applier(const struct decider *decider, const struct declaration *declaration)
{
    return decider->parts->names.kernels.count > 0 && is_hosts_function(declaration) && declaration->body &&
           is_template(decider, declaration) &&
           applier_is(decider->tokens, declaration, &decider->parts->names);
}

/* Finds the names of appliers, and of those that call them, until there are no more. */
static cubinet_status collect_appliers(struct decider *decider)
{
    struct name_set *appliers = &decider->parts->names.appliers;
    cubinet_status status = CUBINET_OK;
    size_t known = SIZE_MAX;
    while (!status && known != appliers->count) {
        known = appliers->count;
        for (size_t i = 0; !status && i < decider->declarations->count; i++) {
            const struct declaration *declaration = &decider->declarations->items[i];
            const struct cxx_token *name = name_of(decider, declaration);
            if (name && !cxx_is_word(name, "operator") && !name_set_has(appliers, name) &&
                is_applier(decider, declaration)) {
                status = name_set_add(appliers, name);
            }
        }
    }
    return status;
}

/* Whether a function of the host's has a generic lambda that uses kernels by name. */
static bool has_generic_lambda(const struct decider *decider, const struct declaration *declaration)
{
    if (!is_hosts_function(declaration) || !declaration->body || !names_kernels(decider, declaration)) {
        return false;
    }
    for (size_t i = declaration->body; i < declaration->body_end; i++) {
        size_t body = 0;
        if (cxx_is(&decider->tokens[i], '[') &&
            applier_is_generic_lambda(decider->tokens, i, declaration->body_end, &body)) {
            return true;
        }
    }
    return false;
}

/* Finds out whether appliers are given anything that uses kernels. */
static void look_for_appliers(struct decider *decider)
{
    struct skeleton_names *names = &decider->parts->names;
    names->has_appliers = names->callables.count > 0 && names->appliers.count > 0;
    for (size_t i = 0; !names->has_appliers && i < decider->declarations->count; i++) {
        names->has_appliers = has_generic_lambda(decider, &decider->declarations->items[i]);
    }
}

/* The class that a member is declared in, or SIZE_MAX. */
static size_t class_of(const struct decider *decider, const struct declaration *declaration)
{
    bool is_member = declaration->flags & DECLARED_MEMBER && declaration->parent != SIZE_MAX;
    return is_member ? decider->declarations->items[declaration->parent].name : SIZE_MAX;
}

/* Notes an operator that uses kernels. */
static cubinet_status collect_operator(struct decider *decider, const struct declaration *declaration,
                                       bool by_operators, bool *grows)
{
    struct skeleton_names *names = &decider->parts->names;
    bool *known = &names->operators[skeleton_operator(decider->tokens, declaration->name + 1)];
    size_t class = class_of(decider, declaration);
    *grows |= by_operators && !*known;
    *known = by_operators;
    if (by_operators || class == SIZE_MAX || !cxx_is(&decider->tokens[declaration->name + 1], '(') ||
        name_set_has(&names->callables, &decider->tokens[class])) {
        return CUBINET_OK;
    }
    *grows = true;
    return name_set_add(&names->callables, &decider->tokens[class]);
}

/* Finds templates of the host's that use kernels, and those that use these, until there are no more: by name,
 * then by operators and as bases and members, too, of which a token alone tells less. What is not a template
 * is not looked for: it makes its instances whether it is called or not. */
static cubinet_status collect_users(struct decider *decider, bool by_operators)
{
    struct skeleton_names *names = &decider->parts->names;
    bool grows = true;
    cubinet_status status = CUBINET_OK;
    while (grows && !status) {
        grows = false;
        for (size_t i = 0; !status && i < decider->declarations->count; i++) {
            const struct declaration *declaration = &decider->declarations->items[i];
            const struct cxx_token *name = name_of(decider, declaration);
            status = by_operators ? collect_class(decider, i, &grows) : CUBINET_OK;
            bool may_use = is_hosts_function(declaration) && name && !name_set_has(&names->functions, name);
            if (status || !may_use || !uses_kernels(decider, declaration)) {
                continue;
            }
            decider->parts->has_declarations = true;
            if (!is_template(decider, declaration)) {
                continue;
            }
            if (cxx_is_word(name, "operator")) {
                status = collect_operator(decider, declaration, by_operators, &grows);
            } else {
                status = is_constructor(decider, declaration) ? add_type(names, name)
                                                              : name_set_add(&names->functions, name);
                grows = true;
            }
            if (!status && !by_operators) {
                status = name_set_add(&decider->named, name);
            }
        }
    }
    return status;
}

static cubinet_status decide_all(struct decider *decider)
{
    struct host_parts *parts = decider->parts;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < parts->count; i++) {
        const struct declaration *declaration = &decider->declarations->items[i];
        struct host_part *part = &parts->items[i];
        size_t parent = declaration->parent;
        part->is_inside = parent != SIZE_MAX &&
                          (parts->items[parent].is_inside || parts->items[parent].fate == HOST_DROPPED);
        part->has_initializers = makes_users(decider, declaration);
        bool applies = parts->names.has_appliers && is_applier(decider, declaration);
        bool has_uses = part->has_initializers || applies || uses_kernels(decider, declaration);
        part->fate = fate_of(decider, declaration, has_uses);
        part->instead =
            names_kernels(decider, declaration) ? HOST_DROPPED : fate_of(decider, declaration, false);
        part->is_hosts = is_hosts_function(declaration) && !is_annotated_elsewhere(decider, declaration);
        bool is_annotated = declaration->kind == DECLARATION_VARIABLE && declaration->flags & DECLARED_HOST;
        parts->is_mixed |= part->fate != HOST_KEPT || is_hosts_function(declaration) || is_annotated;
        bool is_table = part->fate == HOST_DROPPED && declaration->kind == DECLARATION_VARIABLE &&
                        !(declaration->flags & (DECLARED_MEMBER | DECLARED_TEMPLATE)) &&
                        declaration->name != SIZE_MAX &&
                        !cxx_is_word(&decider->tokens[declaration->first], "extern");
        if (part->fate == HOST_SKELETON || is_table) {
            const struct skeleton_source source = {decider->tokens, declaration,
                                                   class_of(decider, declaration), applies};
            status = skeleton_read(&source, &parts->names, &part->skeleton);
        }
    }
    return status;
}

cubinet_status host_parts_decide(const struct cxx_tokens *tokens, const struct declarations *declarations,
                                 bool keep, struct host_parts *out_parts)
{
    struct host_parts parts = {.count = declarations->count, .has_declarations = keep};
    struct decider decider = {.tokens = tokens->items, .declarations = declarations, .parts = &parts};
    parts.items = calloc(declarations->count + 1, sizeof(*parts.items));
    cubinet_status status = parts.items ? collect_names(&decider) : cbn_error_memory();
    if (!status) {
        status = collect_appliers(&decider);
    }
    if (!status) {
        status = collect_users(&decider, false);
    }
    look_for_appliers(&decider);
    if (!status) {
        status = collect_users(&decider, true);
    }
    if (!status) {
        status = decide_all(&decider);
    }
    name_set_free(&decider.annotated);
    name_set_free(&decider.promised);
    name_set_free(&decider.virtuals);
    name_set_free(&decider.hosts);
    name_set_free(&decider.named);
    if (status) {
        host_parts_free(&parts);
        return status;
    }
    *out_parts = parts;
    return CUBINET_OK;
}

/* Whether anything of the device's is in a class. */
static bool has_device_code(const struct declarations *declarations, size_t number)
{
    const struct declaration *outer = &declarations->items[number];
    for (size_t i = number + 1; i < declarations->count && declarations->items[i].first < outer->end; i++) {
        if (declarations->items[i].flags & DECLARED_ON_DEVICE) {
            return true;
        }
    }
    return false;
}

/* Whether a data member is of a type of the standard library's, which device code can't make anyway. */
static bool is_of_std(const struct cxx_token *tokens, const struct declaration *declaration)
{
    for (size_t i = declaration->first; i < declaration->value; i++) {
        if (cxx_is_word(&tokens[i], "std")) {
            return true;
        }
    }
    return false;
}

bool host_parts_define(struct host_parts *parts, const struct cxx_tokens *tokens,
                       const struct declarations *declarations, size_t token)
{
    size_t number = declarations_innermost(declarations, token);
    if (number == SIZE_MAX || declarations->items[number].kind != DECLARATION_FUNCTION ||
        declarations->items[number].name == SIZE_MAX ||
        declarations->items[number].flags & DECLARED_ON_DEVICE) {
        return false;
    }
    const struct cxx_token *name = &tokens->items[declarations->items[number].name];
    bool found = false;
    for (size_t i = 0; i < declarations->count; i++) {
        const struct declaration *declaration = &declarations->items[i];
        bool is_meant = i == number || (!declarations->items[number].body && declaration->name != SIZE_MAX &&
                                        declaration->kind == DECLARATION_FUNCTION &&
                                        cxx_same(&tokens->items[declaration->name], name));
        if (is_meant && parts->items[i].fate == HOST_BODILESS) {
            parts->items[i].fate = HOST_TRAP;
            found = true;
        }
    }
    return found;
}

bool host_parts_want(struct host_parts *parts, const struct cxx_tokens *tokens,
                     const struct declarations *declarations, size_t token, const char *name, size_t size)
{
    const unsigned both = DECLARED_HOST | DECLARED_DEVICE;
    size_t user = declarations_innermost(declarations, token);
    bool found = false;
    if (user == SIZE_MAX || (declarations->items[user].flags & both) != both) {
        return false;
    }
    for (size_t i = 0; i < declarations->count; i++) {
        const struct declaration *declaration = &declarations->items[i];
        const struct cxx_token *named =
            declaration->name == SIZE_MAX ? NULL : &tokens->items[declaration->name];
        struct host_part *part = &parts->items[i];
        bool is_meant = named && named->size == size && memcmp(named->text, name, size) == 0 &&
                        declaration->kind == DECLARATION_FUNCTION;
        if (is_meant && part->fate == HOST_DROPPED && !part->is_wanted && !part->is_inside) {
            part->fate = declaration->body ? HOST_TRAP : HOST_KEPT;
            part->is_wanted = found = true;
        }
    }
    return found;
}

/* Whether it is a variable of a namespace that can be declared without its value. */
static bool is_declarable(const struct cxx_tokens *tokens, const struct declaration *declaration)
{
    const unsigned others = DECLARED_MEMBER | DECLARED_TEMPLATE | DECLARED_ON_DEVICE | DECLARED_CONSTEXPR;
    size_t head_end = declaration->value ? declaration->value : declaration->end;
    if (declaration->kind != DECLARATION_VARIABLE || declaration->flags & others ||
        declaration->name == SIZE_MAX || declaration->name <= declaration->first ||
        declaration_is_qualified(tokens->items, declaration) ||
        !cxx_is(&tokens->items[declaration->end - 1], ';')) {
        return false;
    }
    for (size_t i = declaration->first; i < declaration->end; i++) {
        bool is_other = cxx_is(&tokens->items[i], '{') && i < head_end; /* of a class that it defines */
        if (is_other || (i < declaration->name && cxx_is_word(&tokens->items[i], "auto")) ||
            tokens->items[i].expansion) {
            return false;
        }
    }
    return true;
}

bool host_parts_declare(struct host_parts *parts, const struct cxx_tokens *tokens,
                        const struct declarations *declarations, size_t token, const char *name, size_t size)
{
    size_t user = declarations_innermost(declarations, token);
    if (user == SIZE_MAX || parts->items[user].fate != HOST_SKELETON) {
        return false;
    }
    for (size_t i = 0; i < declarations->count; i++) {
        const struct declaration *declaration = &declarations->items[i];
        struct host_part *part = &parts->items[i];
        bool is_dropped = part->fate == HOST_DROPPED && !part->is_wanted && !part->is_inside &&
                          part->skeleton.count == 0 && is_declarable(tokens, declaration);
        const struct cxx_token *named = is_dropped ? &tokens->items[declaration->name] : NULL;
        if (named && named->size == size && memcmp(named->text, name, size) == 0) {
            part->fate = HOST_DECLARED;
            part->is_wanted = true;
            return true;
        }
    }
    return false;
}

bool host_parts_shows(const struct host_parts *parts, const struct cxx_tokens *tokens,
                      const struct declarations *declarations, size_t token)
{
    size_t number = declarations_innermost(declarations, token);
    for (; number != SIZE_MAX; number = declarations->items[number].parent) {
        const struct declaration *declaration = &declarations->items[number];
        const struct host_part *part = &parts->items[number];
        size_t body = declaration->body;
        bool is_in_body = body && token > body && token + 1 < declaration->body_end;
        if (part->fate == HOST_DROPPED || (part->fate == HOST_SKELETON && is_in_body)) {
            return skeleton_has(&part->skeleton, tokens->items, token);
        }
        if (is_in_body && (part->fate == HOST_BODILESS || part->fate == HOST_TRAP)) {
            return false;
        }
    }
    return true;
}

/* Leaves no guess of a part. False if there was none. */
static bool stop_guessing(struct host_part *part)
{
    bool is_guess = part->fate == HOST_SKELETON && part->instead != HOST_DROPPED;
    bool changed = part->has_initializers || is_guess;
    part->has_initializers = false;
    for (size_t i = 0; i < part->skeleton.count; i++) {
        struct skeleton_piece *piece = &part->skeleton.pieces[i];
        changed |= piece->kind == SKELETON_GUESS && !piece->is_dropped;
        piece->is_dropped |= piece->kind == SKELETON_GUESS;
    }
    if (is_guess) {
        part->fate = part->instead;
        skeleton_free(&part->skeleton);
    }
    return changed;
}

bool host_parts_stop_guessing(struct host_parts *parts, const struct cxx_tokens *tokens,
                              const struct declarations *declarations)
{
    bool changed = false;
    for (int pass = 0; pass < 2 && !changed; pass++) {
        for (size_t i = 0; i < parts->count; i++) {
            bool in_header = tokens->items[declarations->items[i].first].file != 0;
            changed |= (in_header || pass > 0) && stop_guessing(&parts->items[i]);
        }
    }
    return changed;
}

/* Drops a declaration, but for what has to be left of it. */
static void leave_head(struct host_parts *parts, const struct cxx_token *tokens,
                       const struct declarations *declarations, size_t number)
{
    const struct declaration *outer = &declarations->items[number];
    struct host_part *part = &parts->items[number];
    for (size_t i = number + 1; i < declarations->count && declarations->items[i].first < outer->end; i++) {
        parts->items[i].is_inside = true;
    }
    if (part->fate == HOST_KEPT && parts->message) {
        part->cause = strndup(parts->message, parts->message_size); /* without memory it is not said */
    }
    part->is_refused = part->skeleton.count > 0;
    part->fate = part->fate == HOST_KEPT && host_head_exists(tokens, outer) ? HOST_HEAD : HOST_DROPPED;
    skeleton_free(&part->skeleton);
    parts->is_mixed = true;
}

/* Where a partial specialization is refused as a whole, no one knows what it was for: then the template, and
 * its other partial specializations, can't be used either. False if one of them is the device's. */
static bool drop_family(struct host_parts *parts, const struct cxx_token *tokens,
                        const struct declarations *declarations, size_t number)
{
    const struct declaration *items = declarations->items;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < declarations->count; i++) {
            struct host_part *part = &parts->items[i];
            bool is_member = i != number && items[i].kind == DECLARATION_CLASS && items[i].name != SIZE_MAX &&
                             part->fate == HOST_KEPT && !part->is_inside &&
                             cxx_same(&tokens[items[i].name], &tokens[items[number].name]) &&
                             !host_head_is_explicit(tokens, &items[i]);
            if (is_member && has_device_code(declarations, i)) {
                return false;
            }
            if (is_member && pass > 0) {
                leave_head(parts, tokens, declarations, i);
            }
        }
    }
    return true;
}

static bool drop(struct host_parts *parts, const struct cxx_token *tokens,
                 const struct declarations *declarations, size_t number)
{
    struct host_part *part = &parts->items[number];
    if (part->has_initializers) {
        part->has_initializers = false;
        return true;
    }
    if (part->fate == HOST_SKELETON && part->instead != HOST_DROPPED) {
        part->fate = part->instead;
        skeleton_free(&part->skeleton);
        return true;
    }
    if (part->fate == HOST_HEAD && host_head_is_conditional(tokens, &declarations->items[number]) &&
        !drop_family(parts, tokens, declarations, number)) {
        return false;
    }
    leave_head(parts, tokens, declarations, number);
    return true;
}

bool host_parts_drop(struct host_parts *parts, const struct cxx_tokens *tokens,
                     const struct declarations *declarations, size_t token, bool named)
{
    size_t number = declarations_innermost(declarations, token);
    for (; number != SIZE_MAX; number = declarations->items[number].parent) {
        const struct declaration *declaration = &declarations->items[number];
        struct host_part *part = &parts->items[number];
        bool is_data = declaration->kind == DECLARATION_VARIABLE && declaration->flags & DECLARED_MEMBER &&
                       !(declaration->flags & DECLARED_STATIC);
        if (declaration->flags & DECLARED_ON_DEVICE || declaration->kind == DECLARATION_NAMESPACE ||
            part->is_inside || (part->fate == HOST_DROPPED && part->skeleton.count == 0)) {
            return false;
        }
        enum skeleton_dropped dropped = skeleton_drop(&part->skeleton, tokens->items, token, named);
        if (dropped != SKELETON_HAS_NOTHING) {
            return dropped == SKELETON_HAS_DROPPED;
        }
        bool is_class = declaration->kind == DECLARATION_CLASS;
        if (is_data && declaration->value && part->fate == HOST_KEPT &&
            (is_of_std(tokens->items, declaration) || !has_device_code(declarations, declaration->parent))) {
            part->fate = HOST_VALUELESS;
            return true;
        }
        if (!is_data && (!is_class || !has_device_code(declarations, number))) {
            return drop(parts, tokens->items, declarations, number);
        }
    }
    return false;
}

void host_parts_free(struct host_parts *parts)
{
    for (size_t i = 0; i < parts->count && parts->items; i++) {
        skeleton_free(&parts->items[i].skeleton);
        free(parts->items[i].cause);
    }
    free(parts->items);
    name_set_free(&parts->names.kernels);
    name_set_free(&parts->names.functions);
    name_set_free(&parts->names.classes);
    name_set_free(&parts->names.types);
    name_set_free(&parts->names.templates);
    name_set_free(&parts->names.appliers);
    name_set_free(&parts->names.callables);
    *parts = (struct host_parts){0};
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/launch_listing.h"

#include "loader/core/names/mangled_text.h"
#include "loader/core/support/error.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 32768 };

/* A kernel of the archive. */
struct made {
    char *text;      /* as c++filt prints it; the lowered name if that is not mangled */
    char *qualified; /* without template arguments and unnamed namespaces */
    struct cbn_text_list arguments;
};

struct made_kernels {
    struct made *items;
    size_t count;
};

/* The position after the bracket that closes the one at `at`. */
static const char *skip_brackets(const char *at, const char *end)
{
    unsigned depth = 0;
    do {
        depth += *at == '<' || *at == '(' || *at == '{';
        depth -= (*at == '>' && at[-1] != '-') || *at == ')' || *at == '}';
        at++;
    } while (at < end && depth > 0);
    return at;
}

static char *qualified_of(const char *text, size_t size)
{
    static const char unnamed[] = "(anonymous namespace)::";
    struct buffer name = {0};
    const char *end = text + size;
    while (text < end) {
        if (strncmp(text, unnamed, strlen(unnamed)) == 0) {
            text += strlen(unnamed);
        } else if (*text == '<' || *text == '(' || *text == '{') {
            text = skip_brackets(text, end);
        } else {
            buffer_append(&name, text++, 1);
        }
    }
    return buffer_take(&name);
}

/* The template arguments of "<float, 256>". */
static cubinet_status split_arguments(const char *text, size_t size, struct cbn_text_list *arguments)
{
    const char *end = text + size;
    const char *first = text + 1;
    cubinet_status status = CUBINET_OK;
    for (const char *at = first; !status && at < end;) {
        bool ends = at + 1 == end;
        if ((ends || *at == ',') && at > first) {
            status = cbn_text_list_addf(arguments, "%.*s", (int)(at - first), first);
            first = at + 1 + (at[1] == ' ');
        }
        bool opens = *at == '<' || *at == '(' || *at == '{';
        at = opens ? skip_brackets(at, end) : at + 1;
    }
    return status;
}

static void made_free(struct made_kernels *made)
{
    for (size_t i = 0; i < made->count; i++) {
        free(made->items[i].text);
        free(made->items[i].qualified);
        cbn_text_list_free(&made->items[i].arguments);
    }
    free(made->items);
}

static cubinet_status read_made(const struct draft_module *module, struct cbn_mangled_space *space,
                                char *text, struct made_kernels *out_made)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < module->kernel_count; i++) {
        struct made *made = &out_made->items[out_made->count++];
        struct cbn_mangled_text parts;
        const char *lowered = module->kernels[i].name;
        const struct cbn_mangled *encoding = cbn_mangled_read(space, lowered);
        if (encoding && cbn_mangled_write(encoding, text, LONGEST, &parts)) {
            made->text = strdup(text);
            made->qualified = qualified_of(text, parts.arguments);
            status =
                split_arguments(text + parts.arguments, parts.parameters - parts.arguments, &made->arguments);
        } else {
            made->text = strdup(lowered);
            made->qualified = strdup(lowered);
        }
        if (!made->text || !made->qualified) {
            status = cbn_error_memory();
        }
    }
    return status;
}

static const char suffixes[] = "uUlL";

/* The digits of a number in base 10; 0: it is not one. */
static size_t digits_of(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return text[digits + strspn(text + digits, suffixes)] == '\0' ? digits : 0;
}

static bool is_truth(const char *text)
{
    return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
}

/* The name that an instance has for a built-in type; NULL for all else. */
static const char *built_in(const char *written)
{
    static const char *const types[] = {"float",
                                        "double",
                                        "long double",
                                        "bool",
                                        "char",
                                        "signed char",
                                        "unsigned char",
                                        "char8_t",
                                        "char16_t",
                                        "char32_t",
                                        "wchar_t",
                                        "short",
                                        "unsigned short",
                                        "int",
                                        "unsigned int",
                                        "long",
                                        "unsigned long",
                                        "long long",
                                        "unsigned long long",
                                        "__int128",
                                        "unsigned __int128"};
    const char *type = strcmp(written, "unsigned") == 0 ? "unsigned int" : written;
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        if (strcmp(type, types[i]) == 0) {
            return types[i];
        }
    }
    return NULL;
}

static bool is_number(const char *written)
{
    size_t digits = digits_of(written);
    return digits == 1 || (digits > 1 && written[0] != '0'); /* none in base 8 */
}

/* Whether a template argument as it is written can be that of an instance. What is neither a literal nor a
 * built-in type may be anything. */
static bool argument_fits(const char *written, const char *made)
{
    if (is_number(written)) {
        size_t digits = digits_of(made);
        return digits == 0 || (digits == digits_of(written) && strncmp(written, made, digits) == 0);
    }
    if (is_truth(written)) {
        return !isalpha((unsigned char)made[0]) || strcmp(written, made) == 0;
    }
    const char *type = built_in(written);
    return !type || strcmp(type, made) == 0;
}

/* Whether all arguments of a site's template that are written can be those of an instance. */
static bool arguments_fit(const struct launch_site *site, const struct made *made)
{
    bool fit = true;
    for (size_t i = 0; i < site->arguments.count && fit; i++) {
        if (strstr(site->arguments.items[i], "...")) {
            break; /* of a pack: how many there are is not known */
        }
        fit = i < made->arguments.count && argument_fits(site->arguments.items[i], made->arguments.items[i]);
    }
    return fit;
}

static const char *last_part(const char *name)
{
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

static bool fits(const struct launch_site *site, const struct made *made)
{
    bool is_mangled = strcmp(made->text, made->qualified) != 0;
    bool found = false;
    for (size_t i = 0; i < site->kernels.count; i++) {
        const char *name = site->kernels.items[i];
        found |= strcmp(name, made->qualified) == 0;
        found |= !is_mangled && strcmp(last_part(name), made->qualified) == 0; /* extern "C" */
    }
    return found && arguments_fit(site, made);
}

static void write_site(const struct launch_site *site, const struct made_kernels *made, struct buffer *out)
{
    const char *between = "";
    buffer_printf(out, "%s:%u: %s: ", site->file, site->line, site->expression);
    for (size_t i = 0; i < made->count; i++) {
        if (fits(site, &made->items[i])) {
            buffer_printf(out, "%s%s", between, made->items[i].text);
            between = "; ";
        }
    }
    if (!*between) {
        buffer_puts(out, site->is_template ? "not made: its template arguments are not settled by this file"
                                           : "not made");
    }
    buffer_puts(out, "\n");
}

/* Whether a site is of a template, and all that it writes of the arguments is known, so that what is made can
 * be compared with it. */
static bool is_comparable(const struct launch_site *site)
{
    bool known =
        site->is_template && site->is_certain && site->kernels.count > 0 && site->arguments.count > 0;
    for (size_t i = 0; i < site->arguments.count && known; i++) {
        const char *written = site->arguments.items[i];
        known = is_number(written) || is_truth(written) || built_in(written);
    }
    return known;
}

/* Whether nothing was made that a site can mean, in whatever namespace it is. */
static bool is_unmade(const struct launch_site *site, const struct made_kernels *made)
{
    bool found = false;
    const char *name = last_part(site->kernels.items[0]);
    for (size_t i = 0; i < made->count && !found; i++) {
        found =
            strcmp(last_part(made->items[i].qualified), name) == 0 && arguments_fit(site, &made->items[i]);
    }
    return !found;
}

static void warn_of_site(const struct launch_site *site, const struct made_kernels *made,
                         const struct cbn_text_list *said, struct buffer *out, size_t *warnings)
{
    if (is_comparable(site) && is_unmade(site, made) &&
        !cbn_text_list_has(said, last_part(site->kernels.items[0]))) {
        buffer_printf(
            out,
            "%s:%u: warning: %s is launched where host code is not followed, so it is not compiled: "
            "name it, as in --kernel '%s'\n",
            site->file, site->line, site->expression, site->expression);
        ++*warnings;
    }
}

/* What is done with each site, once it is known what was made. */
struct listing {
    struct buffer *out;
    const struct cbn_text_list *said; /* NULL: sites are listed, not warned of */
    size_t *warnings;
};

static cubinet_status list_sites(struct launch_sites *sites, const struct draft_module *module,
                                 const struct draft_module *tile, const struct listing *listing)
{
    bool has_both = tile && tile != module;
    size_t most = module->kernel_count + (has_both ? tile->kernel_count : 0);
    struct made_kernels made = {.items = calloc(most + 1, sizeof(*made.items))};
    struct cbn_mangled_space *space = malloc(sizeof(*space));
    char *text = malloc(LONGEST);
    cubinet_status status =
        made.items && space && text ? read_made(module, space, text, &made) : cbn_error_memory();
    if (!status && has_both) {
        status = read_made(tile, space, text, &made);
    }
    launch_sites_sort(sites);
    for (size_t i = 0; !status && i < sites->count; i++) {
        if (listing->said) {
            warn_of_site(&sites->items[i], &made, listing->said, listing->out, listing->warnings);
        } else {
            write_site(&sites->items[i], &made, listing->out);
        }
    }
    made_free(&made);
    free(space);
    free(text);
    return !status && listing->out->failed ? cbn_error_memory() : status;
}

cubinet_status launch_listing_write(struct launch_sites *sites, const struct draft_module *module,
                                    const struct draft_module *tile, struct buffer *out)
{
    return list_sites(sites, module, tile, &(struct listing){.out = out});
}

cubinet_status launch_listing_warn(struct launch_sites *sites, const struct draft_module *module,
                                   const struct draft_module *tile, const struct cbn_text_list *said,
                                   struct buffer *out, size_t *warnings)
{
    return list_sites(sites, module, tile, &(struct listing){.out = out, .said = said, .warnings = warnings});
}

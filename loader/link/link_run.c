/* SPDX-License-Identifier: Apache-2.0 */
/* Running a plan: nvJitLink's options and pieces, and what must be in the cubin that comes out. */
#include "loader/core/names/readable.h"
#include "loader/core/support/error.h"
#include "loader/link/fatbin_ltoir.h"
#include "loader/link/link_plan.h"
#include "loader/link/link_plan_parts.h"
#include "loader/link/link_undefined.h"
#include "loader/link/read_cubin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The release whose nvJitLink takes -no-cache. */
enum { NO_CACHE_RELEASE = 12090 };

/* What the name is of by its plain, qualified or demangled form; NULL if it is of none. */
static cubinet_status find_readable(const struct cbn_link_plan *plan, const char *wanted, bool is_kernel,
                                    const char **out_name)
{
    struct cbn_readable_search search = cbn_readable_search_start(wanted);
    for (size_t i = 0; i < plan->piece_count; i++) {
        const struct cbn_piece *piece = &plan->pieces[i];
        for (size_t n = 0; n < piece->name_count; n++) {
            if (piece->names[n].is_kernel == is_kernel) {
                cbn_readable_offer(&search, piece->names[n].name);
            }
        }
    }
    return cbn_readable_search_end(&search, is_kernel ? "kernels" : "variables", out_name);
}

/* The lowered name of a kernel (or global) that a program calls so: what the pieces record, or else the name
 * itself, which may be of a piece that records nothing. */
static cubinet_status lowered_name(const struct cbn_link_plan *plan, const char *expression_or_name,
                                   bool is_kernel, const char **out_name)
{
    const char *name = NULL;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < plan->piece_count && !name; i++) {
        name = cbn_piece_find_name(&plan->pieces[i], expression_or_name, is_kernel);
    }
    if (!name) {
        status = find_readable(plan, expression_or_name, is_kernel, &name);
    }
    *out_name = name ? name : expression_or_name;
    return status == CUBINET_ERROR_NOT_FOUND ? cbn_error_context(CUBINET_ERROR_LINK, "the pieces") : status;
}

static struct cbn_ltoir_inside ltoir_in(const struct cbn_link_plan *plan, const struct cbn_piece *piece)
{
    bool is_container = piece->type >= NVJITLINK_INPUT_FATBIN && piece->data;
    bool is_ltoir = piece->type == NVJITLINK_INPUT_LTOIR;
    return is_container ? cbn_find_ltoir(piece->data, piece->size, plan->target)
                        : (struct cbn_ltoir_inside){
                              .is_needed = is_ltoir, .is_alone = is_ltoir, .is_everywhere = is_ltoir};
}

/* Without LTO-IR -lto is an error, and LTO-IR without it another. Where pieces have machine code as well, it
 * is taken, which is linked whatever release it is of. */
static bool needs_lto(const struct cbn_link_plan *plan)
{
    for (size_t i = 0; i < plan->piece_count; i++) {
        if (ltoir_in(plan, &plan->pieces[i]).is_needed) {
            return true;
        }
    }
    return false;
}

/* The first piece of which anything but LTO-IR is linked; NULL if there is none. For PTX it is LTO-IR
 * wherever there is some. */
static const struct cbn_piece *find_other(const struct cbn_link_plan *plan, bool want_ptx)
{
    for (size_t i = 0; i < plan->piece_count; i++) {
        struct cbn_ltoir_inside inside = ltoir_in(plan, &plan->pieces[i]);
        if (want_ptx ? !inside.is_everywhere : !inside.is_alone) {
            return &plan->pieces[i];
        }
    }
    return NULL;
}

bool cbn_link_plan_is_ltoir(const struct cbn_link_plan *plan)
{
    return !find_other(plan, false);
}

/* Naming variables to keep implies that the others go. With pieces that are not LTO-IR, whose uses it does
 * not see, nvJitLink (13.0) drops every kernel once it is given a name, named or not: then everything stays.
 */
static cubinet_status say_names(const struct cbn_link_plan *plan, bool want_ptx,
                                struct cbn_text_list *options)
{
    const struct cbn_link_settings *settings = &plan->settings;
    const char *name = NULL;
    cubinet_status status = CUBINET_OK;
    if (find_other(plan, want_ptx)) {
        return CUBINET_OK;
    }
    for (size_t i = 0; !status && i < settings->kernels_used.count; i++) {
        status = lowered_name(plan, settings->kernels_used.items[i], true, &name);
        cbn_text_list_addf(options, "-kernels-used=%s", name);
    }
    for (size_t i = 0; !status && i < settings->variables_used.count && settings->drop_unused_variables;
         i++) {
        status = lowered_name(plan, settings->variables_used.items[i], false, &name);
        cbn_text_list_addf(options, "-variables-used=%s", name);
    }
    if (settings->drop_unused_variables && settings->variables_used.count == 0) {
        cbn_text_list_add(options, "-optimize-unused-variables");
    }
    return status;
}

static cubinet_status make_options(const struct cbn_link_plan *plan, int release, bool want_ptx,
                                   struct cbn_text_list *out_options)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    struct cbn_text_list options = {0};
    cbn_text_list_addf(&options, "-arch=%s", cubinet_target_name(plan->target, target));
    if ((want_ptx || needs_lto(plan)) && !cbn_text_list_has(&plan->settings.raw, "-lto")) {
        cbn_text_list_add(&options, "-lto");
    }
    if (want_ptx) {
        cbn_text_list_add(&options, "-ptx");
    }
    if (release >= NO_CACHE_RELEASE) {
        cbn_text_list_add(&options, "-no-cache"); /* or it looks for the driver, for its cache */
    }
    cubinet_status status = say_names(plan, want_ptx, &options);
    cbn_link_settings_say(&plan->settings, &options);
    status = !status && options.failed ? cbn_error_memory() : status;
    if (status) {
        cbn_text_list_free(&options);
        return status;
    }
    *out_options = options;
    return CUBINET_OK;
}

/* The pieces as nvJitLink takes them. */
struct inputs {
    struct cbn_link_piece *items;
    unsigned char **owned;
    size_t count;
};

static void inputs_free(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        free(inputs->owned[i]);
    }
    free(inputs->items);
    free(inputs->owned);
}

static cubinet_status read_inputs(const struct cbn_link_plan *plan, struct inputs *inputs)
{
    inputs->items = calloc(plan->piece_count, sizeof(*inputs->items));
    inputs->owned = calloc(plan->piece_count, sizeof(*inputs->owned));
    if (!inputs->items || !inputs->owned) {
        return cbn_error_memory();
    }
    for (size_t i = 0; i < plan->piece_count; i++) {
        const struct cbn_piece *piece = &plan->pieces[i];
        struct cbn_link_piece *input = &inputs->items[i];
        const unsigned char *data = NULL;
        cubinet_status status = cbn_piece_read(piece, &data, &input->size, &inputs->owned[i]);
        if (status) {
            return status;
        }
        inputs->count++;
        input->data = data;
        input->type = piece->type;
        input->name = piece->name;
    }
    return CUBINET_OK;
}

/* Adds to nvJitLink's message, which may name a symbol and no piece. */
static cubinet_status explain(const struct cbn_link_plan *plan, cubinet_status status)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    cbn_link_explain_undefined(plan, status);
    return cbn_error_context(status, "linking %zu %s for %s", plan->piece_count,
                             plan->piece_count == 1 ? "piece" : "pieces",
                             cubinet_target_name(plan->target, target));
}

/* Something that was linked, to be asked for kernels. */
struct made {
    bool (*has_kernel)(const void *what, const char *name);
    const void *what;
};

static bool cubin_has_kernel(const void *what, const char *name)
{
    const struct cbn_cubin *cubin = what;
    for (size_t i = 0; i < cubin->kernel_count; i++) {
        if (strcmp(cubin->kernels[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static cubinet_status check_kernel(const struct cbn_link_plan *plan, const struct made *made,
                                   const char *name, const char *why)
{
    if (made->has_kernel(made->what, name)) {
        return CUBINET_OK;
    }
    char target[CUBINET_TARGET_NAME_SIZE];
    return cbn_error(CUBINET_ERROR_LINK, "the %s cubin that nvJitLink made lacks kernel '%s', which %s",
                     cubinet_target_name(plan->target, target), name, why);
}

static cubinet_status check_used(const struct cbn_link_plan *plan, const struct made *made)
{
    const struct cbn_text_list *used = &plan->settings.kernels_used;
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < used->count && !status; i++) {
        const char *name = NULL;
        status = lowered_name(plan, used->items[i], true, &name);
        status = status ? status : check_kernel(plan, made, name, "was asked for as used");
    }
    return status;
}

static cubinet_status check_all(const struct cbn_link_plan *plan, const struct made *made)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; i < plan->piece_count; i++) {
        const struct cbn_piece *piece = &plan->pieces[i];
        for (size_t n = 0; n < piece->name_count && !status; n++) {
            if (piece->names[n].is_in_image) {
                status = check_kernel(plan, made, piece->names[n].name, "a piece has");
            }
        }
    }
    return status;
}

cubinet_status cbn_link_plan_check_made(const struct cbn_link_plan *plan,
                                        bool (*has_kernel)(const void *made, const char *name),
                                        const void *made)
{
    const struct made what = {has_kernel, made};
    return plan->settings.kernels_used.count > 0 ? check_used(plan, &what) : check_all(plan, &what);
}

/* nvJitLink may succeed with a cubin that lacks what was linked. */
static cubinet_status check_result(const struct cbn_link_plan *plan, const struct cbn_link_result *result)
{
    struct cbn_cubin cubin;
    cubinet_status status = cbn_cubin_read(result->data, result->size, &cubin);
    if (status) {
        return status == CUBINET_ERROR_DAMAGED ? cbn_error_context(CUBINET_ERROR_LINK, "what nvJitLink made")
                                               : status;
    }
    status = cbn_link_plan_check_made(plan, cubin_has_kernel, &cubin);
    if (!status && cubin.kernel_count == 0) {
        status = cbn_error(CUBINET_ERROR_LINK,
                           "nvJitLink made a cubin without kernels: one of the pieces has to have one");
    }
    cbn_cubin_free(&cubin);
    return status;
}

/* What a piece has in place of LTO-IR. */
static void describe_other(const struct cbn_link_plan *plan, const struct cbn_piece *piece, char *text,
                           size_t capacity)
{
    text[0] = '\0';
    if (piece->type >= NVJITLINK_INPUT_FATBIN && piece->data) {
        cbn_describe_without_ltoir(piece->data, piece->size, plan->target, text, capacity);
    }
    if (!text[0]) {
        snprintf(text, capacity, "%s",
                 piece->type == NVJITLINK_INPUT_PTX     ? "PTX"
                 : piece->type == NVJITLINK_INPUT_CUBIN ? "machine code"
                                                        : "no device code");
    }
}

/* nvJitLink's own error for this names neither the piece nor what to do. */
static cubinet_status check_ltoir_alone(const struct cbn_link_plan *plan)
{
    const struct cbn_piece *other = find_other(plan, true);
    if (!other) {
        return CUBINET_OK;
    }
    char found[160];
    char name[CUBINET_TARGET_NAME_SIZE];
    describe_other(plan, other, found, sizeof(found));
    cubinet_target_name(plan->target, name);
    return cbn_error(
        CUBINET_ERROR_LINK,
        "%s has no LTO-IR for %s, and nvJitLink makes PTX only from LTO-IR; it has %s: compile it "
        "to LTO-IR for this architecture or an older one (`nvcc -dlto`, `cubinet compile "
        "--fragment`), or link to machine code alone (--arch %s-real)",
        other->name, name, found, name + strlen("sm_"));
}

/* Without looking at what comes out. */
static cubinet_status run(const struct cbn_link_plan *plan, const struct cbn_nvjitlink *nvjitlink,
                          bool want_ptx, struct cbn_link_result *out_result)
{
    struct cbn_text_list options = {0};
    struct inputs inputs = {0};
    cubinet_status status =
        cbn_link_plan_check_nvjitlink(plan, (uint32_t)nvjitlink->version, nvjitlink->library.path);
    if (!status) {
        status = make_options(plan, nvjitlink->version, want_ptx, &options);
    }
    if (!status) {
        status = read_inputs(plan, &inputs);
    }
    if (!status) {
        const struct cbn_link_job job = {
            .options = (const char *const *)options.items,
            .option_count = options.count,
            .pieces = inputs.items,
            .piece_count = inputs.count,
            .want_ptx = want_ptx,
        };
        status = cbn_nvjitlink_link(nvjitlink, &job, out_result);
        status = status == CUBINET_ERROR_LINK ? explain(plan, status) : status;
    }
    cbn_text_list_free(&options);
    inputs_free(&inputs);
    return status;
}

cubinet_status cbn_link_plan_run(const struct cbn_link_plan *plan, const struct cbn_nvjitlink *nvjitlink,
                                 struct cbn_link_result *out_result)
{
    struct cbn_link_result result = {0};
    cubinet_status status = run(plan, nvjitlink, false, &result);
    if (!status) {
        status = check_result(plan, &result);
    }
    if (status) {
        cbn_link_result_free(&result);
        return status;
    }
    *out_result = result;
    return CUBINET_OK;
}

cubinet_status cbn_link_plan_run_to_ptx(const struct cbn_link_plan *plan,
                                        const struct cbn_nvjitlink *nvjitlink,
                                        struct cbn_link_result *out_result)
{
    cubinet_status status = check_ltoir_alone(plan);
    return status ? status : run(plan, nvjitlink, true, out_result);
}

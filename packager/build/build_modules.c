/* SPDX-License-Identifier: Apache-2.0 */
#include "build/build_modules.h"

#include "base/command.h"
#include "base/name_check.h"
#include "base/path.h"
#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The module of every source that has none of its own: the one that was given before all sources, or once,
 * after all of them. NULL: there is none. */
static const char *common_module(const struct build_request *request)
{
    const struct build_source *last = &request->sources[request->source_count - 1];
    bool is_given_last = request->module_count == 1 && last->is_named;
    return request->module ? request->module : is_given_last ? last->module : NULL;
}

static cubinet_status name_modules(struct build_request *request)
{
    const char *common = common_module(request);
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < request->source_count; i++) {
        struct build_source *source = &request->sources[i];
        if (!source->module) {
            source->is_named = common != NULL;
            source->module = common ? strdup(common) : path_stem(source->path);
        }
        status = source->module ? name_check("the module's name", source->module) : cbn_error_memory();
    }
    return status;
}

static cubinet_status fail_same(const struct build_source *a, const struct build_source *b)
{
    if (strcmp(a->path, b->path) == 0) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "'%s' is given twice for the module '%s'", a->path,
                         a->module);
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "'%s' and '%s' would both make the module '%s'; write --module NAME after one of them, "
                     "or --module %s after each to link them into one module",
                     a->path, b->path, a->module, a->module);
}

/* What the source's own part is called, in files and messages. */
static cubinet_status name_piece(struct build_source *source)
{
    if (source->is_fragment) {
        return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                         "'%s' has --import or --export, which are for fragments, and is one of several "
                         "sources of the module '%s', which are linked now; leave these options out",
                         source->path, source->module);
    }
    if (!source->piece && asprintf(&source->piece, "%s/%s", source->module, source->path) < 0) {
        source->piece = NULL;
        return cbn_error_memory();
    }
    return name_check("the source's path", source->piece);
}

static cubinet_status name_pieces(struct build_request *request, size_t source)
{
    struct build_source *b = &request->sources[source];
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < source; i++) {
        struct build_source *a = &request->sources[i];
        if (strcmp(a->module, b->module) != 0) {
            continue;
        }
        if (!a->is_named || !b->is_named || strcmp(a->path, b->path) == 0) {
            return fail_same(a, b);
        }
        request->is_linked = true;
        status = name_piece(a);
        if (!status) {
            status = name_piece(b);
        }
    }
    return status;
}

cubinet_status build_modules_complete(struct build_request *request)
{
    cubinet_status status = name_modules(request);
    for (size_t i = 0; !status && i < request->source_count; i++) {
        status = name_pieces(request, i);
    }
    return status;
}

static const char *first_linked(const struct build_request *request)
{
    for (size_t i = 0; i < request->source_count; i++) {
        if (request->sources[i].piece) {
            return request->sources[i].module;
        }
    }
    return NULL;
}

cubinet_status build_modules_check_plan(const struct build_request *request, const struct arch_plan *plan)
{
    const char *module = first_linked(request);
    bool has_lto = arch_plan_makes(plan, CUBINET_IMAGE_LTOIR);
    if (!module || !(has_lto || arch_plan_makes(plan, CUBINET_IMAGE_OPTIXIR))) {
        return CUBINET_OK;
    }
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "module '%s' has several sources, which are linked to machine code and PTX; %s of "
                     "several sources can't become one image: leave it out, or give each source a --module "
                     "of its own",
                     module, has_lto ? "LTO-IR" : "OptiX-IR");
}

bool build_modules_is_first(const struct build_request *request, size_t source)
{
    for (size_t i = 0; i < source; i++) {
        if (strcmp(request->sources[i].module, request->sources[source].module) == 0) {
            return false;
        }
    }
    return true;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/refused_names.h"

#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"
#include "source/declared_names.h"
#include "source/fragment_text.h"
#include "source/overload.h"

#include <stdlib.h>
#include <string.h>

/* So many templates are listed where none was named. */
enum { LISTED_TEMPLATES = 8 };

/* The expression as the user wrote it, which NVRTC may show with other white space; NULL if it is not in the
 * list. */
static const char *asked_for(const struct cbn_text_list *expressions, const char *refused)
{
    const char *found = NULL;
    for (size_t i = 0; i < expressions->count && !found; i++) {
        char *cast = NULL;
        if (overload_cast(expressions->items[i], &cast)) {
            break;
        }
        found = cbn_expression_equal(cast, refused) ? expressions->items[i] : NULL;
        free(cast);
    }
    return found;
}

/* The end of a message: what the expression should have been, as far as the source tells. */
static void say_nearest(const struct declared_name *nearest, const char *expression, struct buffer *hint)
{
    if (!nearest) {
        return;
    }
    const char *arguments = strchrnul(expression, '<');
    if (!declared_name_is_qualified(nearest, expression)) {
        buffer_printf(hint, "; did you mean '%s%s%s'?", nearest->kind == DECLARED_VARIABLES ? "&" : "",
                      nearest->name, *arguments || !nearest->parameters ? arguments : "<...>");
    } else if (nearest->parameters) {
        buffer_printf(hint, "; the template is %s%s", nearest->name, nearest->parameters);
    }
}

/* `kernel`, `variable`: the nearest of what the source declares, or NULL. */
static void say_no_kernel(const char *path, const char *expression, const char *because,
                          const struct declared_name *kernel, const struct declared_name *variable)
{
    struct buffer hint = {0};
    if (strstr(because, "which instance of function template") && !strchr(expression, '<')) {
        cbn_error(CUBINET_ERROR_COMPILE,
                  "%s: '%s' is a template%s%s%s; name an instance, as in --kernel '%s<...>'", path,
                  expression, kernel && kernel->parameters ? ": " : "",
                  kernel && kernel->parameters ? kernel->name : "",
                  kernel && kernel->parameters ? kernel->parameters : "", expression);
    } else if (strstr(because, "which instance of overloaded function") &&
               strchr(expression, '\0')[-1] == ')') {
        cbn_error(CUBINET_ERROR_COMPILE, "%s: no kernel '%s' has these parameters", path, expression);
    } else if (strstr(because, "which instance of overloaded function")) {
        cbn_error(
            CUBINET_ERROR_COMPILE,
            "%s: several kernels are called '%s'; name one with its parameters, as in --kernel '%s(int, "
            "float *)'",
            path, expression, expression);
    } else if (variable && declared_name_fits(variable, expression)) {
        cbn_error(CUBINET_ERROR_COMPILE,
                  "%s: '%s' is a variable, not a kernel; ask for it with --global '&%s'", path, expression,
                  variable->name);
    } else {
        say_nearest(kernel, expression, &hint);
        cbn_error(CUBINET_ERROR_COMPILE, "%s: '%s' names no kernel: %s%s", path, expression, because,
                  hint.size > 0 ? hint.data : "");
    }
    buffer_free(&hint);
}

static void say_no_variable(const char *path, const char *expression, const char *because,
                            const struct declared_name *variable)
{
    struct buffer hint = {0};
    bool is_value = strstr(because, "must have a constant value") && variable;
    if (is_value && declared_name_fits(variable, expression)) {
        cbn_error(CUBINET_ERROR_COMPILE,
                  "%s: '%s' is the variable's value; name it by its address: --global '&%s'", path,
                  expression, expression);
    } else {
        say_nearest(variable, expression, &hint);
        cbn_error(CUBINET_ERROR_COMPILE, "%s: '%s' names no variable: %s%s", path, expression, because,
                  hint.size > 0 ? hint.data : "");
    }
    buffer_free(&hint);
}

cubinet_status refused_expression(const struct compile_work *work, const char *refused, const char *because)
{
    const char *path = work->arguments->source;
    const char *as_kernel = asked_for(&work->arguments->kernels, refused);
    const char *as_variable = asked_for(&work->arguments->globals, refused);
    struct declared_names names;
    cubinet_status status = declared_names_read(path, work->text, &names);
    if (status) {
        return status;
    }
    const struct declared_name *variable = declared_names_nearest(&names, DECLARED_VARIABLES, refused);
    if (as_kernel) {
        say_no_kernel(path, as_kernel, because, declared_names_nearest(&names, DECLARED_KERNELS, as_kernel),
                      variable);
    } else {
        say_no_variable(path, as_variable ? as_variable : refused, because, variable);
    }
    declared_names_free(&names);
    return CUBINET_ERROR_COMPILE;
}

cubinet_status refused_symbol(const struct compile_work *work, const struct fragment_refusal *refusal)
{
    const char *path = work->arguments->source;
    const char *what = refusal->is_export ? "export" : "import";
    if (memmem(refusal->because, refusal->because_size, "deduce \"auto\"", strlen("deduce \"auto\""))) {
        return cbn_error(CUBINET_ERROR_COMPILE,
                         "%s: %s '%s' stands for several functions; name one, with its arguments if it is a "
                         "template ('%s<...>') or else by its lowered name ('_Z...')",
                         path, what, refusal->expression, refusal->expression);
    }
    struct declared_names names;
    struct buffer hint = {0};
    cubinet_status status = declared_names_read(path, work->text, &names);
    if (status) {
        return status;
    }
    say_nearest(declared_names_nearest(&names, DECLARED_FUNCTIONS, refusal->expression), refusal->expression,
                &hint);
    cbn_error(CUBINET_ERROR_COMPILE, "%s: %s '%s' names no device function: %.*s%s", path, what,
              refusal->expression, (int)refusal->because_size, refusal->because,
              hint.size > 0 ? hint.data : "");
    buffer_free(&hint);
    declared_names_free(&names);
    return CUBINET_ERROR_COMPILE;
}

/* "my::reduce<typename T, int N>, my::scan<class T>"; out_first: the first template's name, or NULL. */
static void list_templates(const struct declared_names *names, struct buffer *list, const char **out_first)
{
    size_t count = 0;
    *out_first = NULL;
    for (size_t i = 0; i < names->count; i++) {
        const struct declared_name *name = &names->items[i];
        if (name->kind != DECLARED_KERNELS || !name->parameters) {
            continue;
        }
        *out_first = count == 0 ? name->name : *out_first;
        if (count++ < LISTED_TEMPLATES) {
            buffer_printf(list, "%s%s%s", count > 1 ? ", " : "", name->name, name->parameters);
        }
    }
    if (count > LISTED_TEMPLATES) {
        buffer_printf(list, " and %zu more", count - LISTED_TEMPLATES);
    }
}

cubinet_status refused_without_kernels(const struct compile_work *work)
{
    const char *path = work->arguments->source;
    const char *first;
    struct declared_names names;
    struct buffer list = {0};
    cubinet_status status = declared_names_read(path, work->text, &names);
    if (status) {
        return status;
    }
    list_templates(&names, &list, &first);
    if (first) {
        cbn_error(CUBINET_ERROR_COMPILE,
                  "%s: all its kernels are templates, and no instance is named: %s; name the instances to "
                  "compile, as in --kernel '%s<...>' (in CMake: KERNELS)",
                  path, list.size > 0 ? list.data : first, first);
    } else {
        cbn_error(CUBINET_ERROR_COMPILE,
                  "%s: it has no kernels; if they are templates of a header, name the instances to compile, "
                  "as in --kernel 'scale<float>' (in CMake: KERNELS)",
                  path);
    }
    buffer_free(&list);
    declared_names_free(&names);
    return CUBINET_ERROR_COMPILE;
}

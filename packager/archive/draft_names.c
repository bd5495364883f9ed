/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/draft_names.h"

#include "base/name_check.h"
#include "loader/core/support/error.h"

/* What may be left out, too. */
static cubinet_status check_optional(const char *what, const char *text)
{
    return text && *text ? name_check(what, text) : CUBINET_OK;
}

static cubinet_status check_both(const char *what, const char *name, const char *expression)
{
    cubinet_status status = name_check(what, name);
    return status ? status : check_optional("a name expression", expression);
}

static cubinet_status check_symbols(const struct symbol_list *list)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < list->count; i++) {
        const struct symbol *symbol = &list->items[i];
        status = check_both("a symbol's name", symbol->name, symbol->expression);
        status = status ? status : check_optional("a symbol's type", symbol->type);
    }
    return status;
}

static cubinet_status check_contents(const struct draft_module *module)
{
    cubinet_status status = CUBINET_OK;
    for (size_t i = 0; !status && i < module->kernel_count; i++) {
        status = check_both("a kernel's name", module->kernels[i].name, module->kernels[i].expression);
    }
    for (size_t i = 0; !status && i < module->global_count; i++) {
        status = check_both("a variable's name", module->globals[i].name, module->globals[i].expression);
    }
    for (size_t i = 0; !status && i < module->image_count; i++) {
        status = check_symbols(&module->images[i].symbols);
    }
    return status;
}

cubinet_status draft_names_check(const struct draft_module *module)
{
    cubinet_status status = name_check("a module's name", module->name);
    if (status) {
        return status;
    }
    status = check_contents(module);
    return status ? cbn_error_context(status, "module '%s'", module->name) : CUBINET_OK;
}

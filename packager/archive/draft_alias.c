/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/draft_alias.h"

#include "base/name_check.h"
#include "loader/core/support/error.h"
#include "loader/core/support/expression.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static bool fits(const char *pattern, const char *name)
{
    return fnmatch(pattern, name, FNM_NOESCAPE) == 0;
}

/* Which kernel a program means must not depend on chance.
 * io_first: the kernel that fits, of the parts of the image before this one */
static cubinet_status check_image(const struct draft_module *module, const struct draft_image *image,
                                  const char *name, const char *pattern, const char **io_first)
{
    char target[CUBINET_TARGET_NAME_SIZE];
    for (size_t i = 0; i < image->use_count; i++) {
        const char *kernel = image->uses[i].kernel;
        if (*io_first && fits(pattern, kernel)) {
            return cbn_error(
                CUBINET_ERROR_INVALID_ARGUMENT,
                "module '%s': its image for %s has two kernels for '%s=%s', '%s' and '%s': write "
                "a pattern that one of them fits",
                module->name, cubinet_target_name(image->target, target), name, pattern, *io_first, kernel);
        }
        *io_first = *io_first || !fits(pattern, kernel) ? *io_first : kernel;
    }
    return CUBINET_OK;
}

static cubinet_status set_expression(const struct draft_module *module, struct draft_kernel *kernel,
                                     const char *name, const char *pattern)
{
    bool is_called = strcmp(kernel->name, name) == 0 ||
                     (kernel->expression && cbn_expression_equal(kernel->expression, name));
    if (!fits(pattern, kernel->name)) {
        return !is_called
                   ? CUBINET_OK
                   : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                               "module '%s': kernel '%s' is called '%s' already, and does not fit '%s'",
                               module->name, kernel->name, name, pattern);
    }
    char *copy = strdup(name);
    if (!copy) {
        return cbn_error_memory();
    }
    free(kernel->expression);
    kernel->expression = copy;
    return CUBINET_OK;
}

static bool has_fitting(const struct draft_module *module, const char *pattern)
{
    for (size_t i = 0; i < module->kernel_count; i++) {
        if (fits(pattern, module->kernels[i].name)) {
            return true;
        }
    }
    return false;
}

static cubinet_status alias_module(struct draft_module *module, const char *name, const char *pattern)
{
    cubinet_status status = CUBINET_OK;
    const char *first = NULL;
    for (size_t i = 0; !status && i < module->image_count; i++) {
        first = module->images[i].part == 0 ? NULL : first;
        status = check_image(module, &module->images[i], name, pattern, &first);
    }
    for (size_t i = 0; !status && i < module->kernel_count; i++) {
        status = set_expression(module, &module->kernels[i], name, pattern);
    }
    return status;
}

cubinet_status draft_alias(struct draft *draft, const char *alias)
{
    const char *equals = strchr(alias, '=');
    if (!equals || equals == alias || !equals[1]) {
        return cbn_error(
            CUBINET_ERROR_INVALID_ARGUMENT,
            "a kernel's name is given as NAME=LOWERED, where LOWERED may have * and ? in it, and not "
            "as '%s'",
            alias);
    }
    char *name = strndup(alias, (size_t)(equals - alias));
    cubinet_status status = name ? name_check("a kernel's name", name) : cbn_error_memory();
    bool found = false;
    for (size_t i = 0; !status && i < draft->module_count; i++) {
        if (has_fitting(&draft->modules[i], equals + 1)) {
            found = true;
            status = alias_module(&draft->modules[i], name, equals + 1);
        }
    }
    if (!status && !found) {
        status =
            cbn_error(CUBINET_ERROR_NOT_FOUND,
                      "no kernel of the inputs has a lowered name that fits '%s': `cubinet inspect` lists "
                      "them as NAME IN THE IMAGE",
                      equals + 1);
    }
    free(name);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/check_archive.h"

#include "archive/check_image.h"
#include "archive/check_index.h"
#include "archive/check_tunings.h"
#include "archive/check_zip.h"
#include "archive/image_budget.h"
#include "loader/core/support/error.h"

static void check_module(const cubinet_archive *archive, const struct listing_module *module,
                         uint64_t image_limit, struct problems *problems)
{
    struct global_sizes sizes = {0};
    bool are_read = true;
    for (uint32_t i = 0; i < module->image_count; i++) {
        bool is_wanted = image_limit == 0 || module->images[i].raw_size <= image_limit;
        are_read = is_wanted && check_image(archive, module, i, &sizes, problems) && are_read;
    }
    if (are_read) { /* any of the others may have the largest variables */
        check_global_sizes(module, &sizes, problems);
    }
    global_sizes_free(&sizes);
    check_tunings(archive, module, image_limit, problems);
}

cubinet_status check_archive(const cubinet_archive *archive, const struct listing *listing,
                             uint64_t image_limit, struct problems *problems)
{
    cubinet_status status = image_budget_check(archive);
    if (status) {
        return status;
    }
    check_index(archive, listing, problems);
    for (uint32_t i = 0; i < listing->module_count; i++) {
        check_module(archive, &listing->modules[i], image_limit, problems);
    }
    status = check_zip(archive, listing, problems);
    return !status && problems->lines.failed ? cbn_error_memory() : status;
}

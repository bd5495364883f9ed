/* SPDX-License-Identifier: Apache-2.0 */
/* What a tuning record may say: docs/reference/format.md, "tunings". */
#include "archive/draft_tuning.h"
#include "base/name_check.h"
#include "loader/core/archive/format.h"
#include "loader/core/select/target.h"
#include "loader/core/support/error.h"

#include <string.h>

static cubinet_status refuse(const cubinet_tuning *tuning, const char *what)
{
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "the tuning record of '%s' on '%s' has %s", tuning->what,
                     tuning->gpu, what);
}

static cubinet_status check_name(const char *what, const char *name)
{
    return name ? name_check(what, name)
                : cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "a tuning record lacks %s", what);
}

static cubinet_status check_names(const cubinet_tuning *tuning)
{
    cubinet_status status = check_name("the name of what was tuned", tuning->what);
    status = status ? status : check_name("a kernel's name", tuning->kernel);
    status = status ? status : check_name("the default kernel's name", tuning->default_kernel);
    status = status ? status : check_name("a GPU's name", tuning->gpu);
    for (uint32_t i = 0; !status && i < tuning->instance_count; i++) {
        status = check_name("an instance's name", tuning->instances[i]);
    }
    if (!status && strlen(tuning->gpu) > CBN_GPU_NAME_MAX) {
        status = refuse(tuning, "a GPU's name of more than 255 bytes");
    }
    return status;
}

static bool is_positive(const cubinet_tuning *tuning)
{
    bool is = tuning->multiprocessor_count && tuning->candidate_count && tuning->time_ns;
    for (int i = 0; i < 3; i++) {
        is = is && tuning->block[i] && tuning->extent[i];
    }
    return is;
}

static bool is_target(cubinet_target target)
{
    return target.kind >= CUBINET_IMAGE_CUBIN && target.kind <= CUBINET_IMAGE_OPTIXIR &&
           target.number >= 10 && target.number <= 9999 && cbn_target_suffix_fits(target.kind, target.suffix);
}

/* The default, where it stays, has its own time twice. */
static bool is_default(const cubinet_tuning *tuning)
{
    return strcmp(tuning->kernel, tuning->default_kernel) == 0 &&
           tuning->time_ns == tuning->untuned_time_ns && tuning->noise_ns == tuning->untuned_noise_ns;
}

static cubinet_status check_numbers(const cubinet_tuning *tuning)
{
    if (!is_positive(tuning)) {
        return refuse(tuning, "a 0 where there is none: multiprocessors, extent, block, time and candidates are "
                              "at least 1");
    }
    if (tuning->compute < 10 || tuning->compute > 9999) {
        return refuse(tuning, "a compute capability that is not 10 × major + minor");
    }
    if (!is_target(tuning->target)) {
        return refuse(tuning, "a target that no image has");
    }
    if (tuning->grid_rule < CUBINET_GRID_FIXED || tuning->grid_rule > CUBINET_GRID_FLAT) {
        return refuse(tuning, "a rule for the grid that does not exist");
    }
    if (tuning->flags & ~(uint32_t)CBN_TUNING_FLAGS_KNOWN) {
        return refuse(tuning, "flags that do not exist");
    }
    if (!tuning->cluster[0] && (tuning->cluster[1] || tuning->cluster[2])) {
        return refuse(tuning, "a cluster without x");
    }
    if ((tuning->flags & CUBINET_TUNING_DEFAULT) && !is_default(tuning)) {
        return refuse(tuning, "the default kernel's flag, and another kernel or time than that");
    }
    return CUBINET_OK;
}

cubinet_status tuning_check(const cubinet_tuning *tuning)
{
    cubinet_status status = check_names(tuning);
    return status ? status : check_numbers(tuning);
}

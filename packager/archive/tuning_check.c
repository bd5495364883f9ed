/* SPDX-License-Identifier: Apache-2.0 */
/* What a tuning record may say: docs/reference/format.md, "tunings". */
#include "archive/draft_tuning.h"
#include "base/name_check.h"
#include "base/text_table.h"
#include "loader/core/archive/format.h"
#include "loader/core/select/target.h"
#include "loader/core/support/error.h"

#include <string.h>

const char *grid_rule_name(uint32_t rule)
{
    static const char *const names[] = {
        [CUBINET_GRID_FIXED] = "fixed",
        [CUBINET_GRID_PER_BLOCK] = "per-block",
        [CUBINET_GRID_PER_THREAD] = "per-thread",
        [CUBINET_GRID_FLAT] = "flat",
    };
    return rule < sizeof(names) / sizeof(names[0]) ? names[rule] : NULL;
}

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

/* Larger ones JSON does not tell. */
static bool is_small(const cubinet_tuning *tuning)
{
    return tuning->extent[0] <= INT64_MAX && tuning->extent[1] <= INT64_MAX &&
           tuning->extent[2] <= INT64_MAX && tuning->time_ns <= INT64_MAX && tuning->noise_ns <= INT64_MAX &&
           tuning->untuned_time_ns <= INT64_MAX && tuning->untuned_noise_ns <= INT64_MAX &&
           tuning->date <= INT64_MAX;
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

static cubinet_status check_release(const cubinet_tuning *tuning, const char *what, uint32_t version)
{
    if (is_release(version)) {
        return CUBINET_OK;
    }
    return cbn_error(
        CUBINET_ERROR_INVALID_ARGUMENT,
        "the tuning record of '%s' on '%s' has a %s of version %u, which is not 1000 × major + 10 × "
        "minor",
        tuning->what, tuning->gpu, what, (unsigned)version);
}

static cubinet_status check_releases(const cubinet_tuning *tuning)
{
    cubinet_status status = check_release(tuning, "driver", tuning->driver_version);
    return status || !tuning->toolkit ? status : check_release(tuning, "toolkit", tuning->toolkit);
}

static cubinet_status check_numbers(const cubinet_tuning *tuning)
{
    if (!is_positive(tuning)) {
        return refuse(tuning,
                      "a 0 among multiprocessors, extent, block, time and candidates, which must be at "
                      "least 1");
    }
    if (!is_small(tuning)) {
        return refuse(tuning, "a number of 2^63 or more");
    }
    if (tuning->compute < 10 || tuning->compute > 9999) {
        return refuse(tuning, "a compute capability that is not 10 × major + minor");
    }
    if (!is_target(tuning->target)) {
        return refuse(tuning, "a target that no image has");
    }
    if (!grid_rule_name(tuning->grid_rule)) {
        return refuse(tuning, "a rule for the grid that does not exist");
    }
    if (tuning->flags & ~(uint32_t)CBN_TUNING_FLAGS_KNOWN) {
        return refuse(tuning, "flags that do not exist");
    }
    if (!tuning->cluster[0] && (tuning->cluster[1] || tuning->cluster[2])) {
        return refuse(tuning, "a cluster without x");
    }
    if ((tuning->flags & CUBINET_TUNING_DEFAULT) && !is_default(tuning)) {
        return refuse(tuning, "the default's flag, and another kernel or time than that");
    }
    return check_releases(tuning);
}

cubinet_status tuning_check(const cubinet_tuning *tuning)
{
    cubinet_status status = check_names(tuning);
    return status ? status : check_numbers(tuning);
}

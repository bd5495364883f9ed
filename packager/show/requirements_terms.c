/* SPDX-License-Identifier: Apache-2.0 */
/* What conda and wheel variants can say of an archive: docs/guide/requirements.md has the sources. */
#include "show/requirements_whole.h"

#include "base/text_table.h"
#include "loader/core/support/error.h"

void requirements_terms_free(struct requirements_terms *terms)
{
    cbn_text_list_free(&terms->terms);
    cbn_text_list_free(&terms->except);
}

/* Whether there is anything to say: a GPU that runs, and software that is known. */
static bool is_known(const struct requirements_whole *whole)
{
    return whole->has_some && whole->driver && (!whole->needs_linker || whole->linker_from);
}

static cubinet_status finish(struct requirements_terms *terms, struct requirements_terms *out_terms)
{
    if (terms->terms.failed || terms->except.failed) {
        requirements_terms_free(terms);
        return cbn_error_memory();
    }
    *out_terms = *terms;
    return CUBINET_OK;
}

static void add_except(struct requirements_terms *terms, int compute)
{
    cbn_text_list_addf(&terms->except, "%d.%d", compute / 10, compute % 10);
}

/* The lowest capability bounds the terms from below, which is all that they can do. */
static void add_cuda_arch(const struct requirements_whole *whole, struct requirements_terms *terms)
{
    const struct requirements_grid *grid = whole->table.grid;
    size_t least = 0;
    while (!whole->runs[least]) {
        least++;
    }
    cbn_text_list_addf(&terms->terms, "__cuda_arch >=%d.%d", grid->computes[least] / 10,
                       grid->computes[least] % 10);
    for (size_t device = least; device + 1 < grid->compute_count; device++) {
        if (!whole->runs[device]) {
            add_except(terms, grid->computes[device]);
        }
    }
}

cubinet_status requirements_conda(const struct requirements_whole *whole,
                                  struct requirements_terms *out_terms)
{
    struct requirements_terms terms = {0};
    char from[RELEASE_TEXT_SIZE];
    char before[RELEASE_TEXT_SIZE];
    if (is_known(whole)) {
        cbn_text_list_addf(&terms.terms, "__cuda >=%s", release_text(whole->driver, from));
        add_cuda_arch(whole, &terms);
        if (whole->needs_linker) {
            /* "a0": conda takes pre-releases of 14.0 for less than 14.0. */
            cbn_text_list_addf(&terms.terms, "libnvjitlink >=%s,<%sa0",
                               release_text(whole->linker_from, from),
                               release_text(whole->linker_before, before));
        }
    }
    return finish(&terms, out_terms);
}

/* The devices of one major, from the lowest that runs. */
struct major {
    int number;
    int minor;
    bool has_native;
    bool has_other;
};

/* Reads the major of the device at *place, and steps to the next. */
static struct major read_major(const struct requirements_whole *whole, size_t *place,
                               struct requirements_terms *terms)
{
    const struct requirements_grid *grid = whole->table.grid;
    struct major major = {.number = grid->computes[*place] / 10, .minor = -1};
    for (; grid->computes[*place] / 10 == major.number; (*place)++) {
        if (whole->runs[*place]) {
            bool is_native = requirements_whole_how(whole, *place) == REQUIREMENTS_NATIVE;
            major.minor = major.minor < 0 ? grid->computes[*place] % 10 : major.minor;
            major.has_native = major.has_native || is_native;
            major.has_other = major.has_other || !is_native;
        } else if (major.minor >= 0) {
            add_except(terms, grid->computes[*place]);
        }
    }
    return major;
}

/* A GPU of X.Y has the values XY_real down to X0_real and X0_virtual: those of its own major alone. */
static void add_arch(struct requirements_terms *terms, const struct major *major, bool is_last)
{
    static const char format[] = "nvidia :: sm_arch :: %d%d_%s";
    if (major->minor > 0 || major->has_native) {
        cbn_text_list_addf(&terms->terms, format, major->number, major->minor, "real");
    }
    if (major->minor == 0 && (major->has_other || is_last)) {
        cbn_text_list_addf(&terms->terms, format, major->number, 0, "virtual");
    }
}

/* Whether no GPU from this place on runs, but for those that are still to come. */
static bool is_rest_empty(const struct requirements_whole *whole, size_t place)
{
    while (place + 1 < whole->table.grid->compute_count && !whole->runs[place]) {
        place++;
    }
    return place + 1 == whole->table.grid->compute_count;
}

cubinet_status requirements_wheel(const struct requirements_whole *whole,
                                  struct requirements_terms *out_terms)
{
    struct requirements_terms terms = {0};
    char driver[RELEASE_TEXT_SIZE];
    if (is_known(whole)) {
        cbn_text_list_addf(&terms.terms, "nvidia :: cuda_version_lower_bound :: %s",
                           release_text(whole->driver, driver));
        for (size_t place = 0; place + 1 < whole->table.grid->compute_count;) {
            const struct major major = read_major(whole, &place, &terms);
            if (major.minor >= 0) {
                add_arch(&terms, &major, whole->later && is_rest_empty(whole, place));
            }
        }
    }
    return finish(&terms, out_terms);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A program or shared library with fatbins, slimmed for a GPU: it is refused, or what is written is right,
 * and can be slimmed again. */
#include "harness.h"
#include "slim/slim_targets.h"
#include "slim/slim_write.h"

#include <stdio.h>

static void measure(const struct slim_plan *plan)
{
    struct slim_target *targets = NULL;
    struct slim_kernels kernels;
    size_t count;
    if (!slim_targets_find(plan, &targets, &count)) {
        free(targets);
    }
    if (!slim_kernels_find(plan, &kernels)) {
        slim_kernels_free(&kernels);
    }
}

/* Bytes of a file that was just written, as many as it must have. */
static unsigned char *read_back(FILE *file, size_t size)
{
    unsigned char *bytes = malloc(size + 1);
    rewind(file);
    if (!bytes || fread(bytes, 1, size, file) != size || fgetc(file) != EOF) {
        abort();
    }
    return bytes;
}

/* out_written: NULL if nothing is */
static void slim(const unsigned char *bytes, size_t size, bool is_cut, unsigned char **out_written,
                 size_t *out_size)
{
    const cubinet_device_profile device = {.size = sizeof(device), .compute_major = 9};
    const struct slim_wish wish = {&device, 1, is_cut, true};
    struct slim_plan plan;
    struct slim_layout layout;
    *out_written = NULL;
    if (slim_plan_make(bytes, size, &wish, &plan)) {
        return;
    }
    measure(&plan);
    if (!slim_layout_make(&plan.file, is_cut, &layout)) {
        FILE *file = tmpfile();
        if (!file || slim_write(&plan, &layout, file)) {
            abort();
        }
        *out_size = layout.size;
        *out_written = read_back(file, layout.size);
        fclose(file);
        if (slim_check(&plan, &layout, *out_written, *out_size)) {
            abort();
        }
        slim_layout_free(&layout);
    }
    slim_plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = harness_copy(data, size);
    for (int is_cut = 0; is_cut < 2; is_cut++) {
        unsigned char *once;
        unsigned char *twice;
        size_t written_size;
        slim(bytes, size, is_cut, &once, &written_size);
        if (once) {
            slim(once, written_size, true, &twice, &written_size);
            free(twice);
        }
        free(once);
    }
    free(bytes);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/compile_inputs_now.h"

static enum input_state look_at_file(struct input *input, const struct cbn_file_digests *digests)
{
    struct stat about;
    struct cbn_sha256 now;
    if (stat(input->path, &about) != 0 || !cbn_file_digest(digests, input->path, &about, &now) ||
        !cbn_sha256_equal(&now, &input->digest)) {
        return INPUT_CHANGED;
    }
    input->size = about.st_size;
    input->time = inputs_nanoseconds(about.st_mtim);
    return INPUT_SAME;
}

enum input_state compile_input_now(struct input *input, const struct cbn_file_digests *digests)
{
    switch (input->kind) {
    case INPUT_MISSING:
        return inputs_is_missing(input->path) ? INPUT_SAME : INPUT_APPEARED;
    case INPUT_FOLDER:
        return inputs_is_folder(input->path) ? INPUT_SAME : INPUT_CHANGED;
    default:
        return look_at_file(input, digests);
    }
}

const struct manifest_set *compile_inputs_match(const struct compile_manifest *manifest,
                                                const struct cbn_file_digests *digests,
                                                enum input_state *states)
{
    for (size_t i = 0; i < manifest->set_count; i++) {
        const struct manifest_set *set = &manifest->sets[i];
        bool same = true;
        for (size_t j = 0; same && j < set->count; j++) {
            uint32_t item = set->items[j];
            if (states[item] == INPUT_NOT_LOOKED_AT) {
                states[item] = compile_input_now(&manifest->items[item], digests);
            }
            same = states[item] == INPUT_SAME;
        }
        if (same) {
            return set;
        }
    }
    return NULL;
}

bool compile_inputs_digest(struct inputs *inputs, const struct cbn_file_digests *digests)
{
    for (size_t i = 0; i < inputs->count; i++) {
        struct input *input = &inputs->items[i];
        struct stat about;
        if (input->kind == INPUT_TOOLKIT && (stat(input->path, &about) != 0 || about.st_size != input->size ||
                                             inputs_nanoseconds(about.st_mtim) != input->time ||
                                             !cbn_file_digest(digests, input->path, &about, &input->digest) ||
                                             inputs_nanoseconds(about.st_mtim) != input->time)) {
            return false;
        }
    }
    return true;
}

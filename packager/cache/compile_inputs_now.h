/* SPDX-License-Identifier: Apache-2.0 */
/* Whether what other compiles read is what this one would read now. */
#ifndef COMPILE_INPUTS_NOW_H
#define COMPILE_INPUTS_NOW_H

#include "cache/compile_manifest.h"
#include "cache/file_digests.h"

/* How one input of a manifest is now. */
enum input_state {
    INPUT_NOT_LOOKED_AT,
    INPUT_SAME,
    INPUT_CHANGED, /* another content, or nothing where something was */
    INPUT_APPEARED,
};

/* Folders that are known to be absent or present, while inputs are looked at one after the other: most paths
 * that a compile looked at in vain lie in a few folders that are not there. The paths are those of inputs. */
struct input_folders {
    struct known_folders {
        struct {
            const char *path;
            size_t size;
        } items[16]; /* the last ones */
        size_t count;
    } absent, present;
};

/* The first set of which every input is the same, with the sizes and times that its files have now; NULL if
 * there is none. `states` has room for a state of each input of the manifest, and says afterwards what was
 * looked at. Without memory there is none either. */
const struct manifest_set *compile_inputs_match(const struct compile_manifest *manifest,
                                                const struct cbn_file_digests *digests,
                                                enum input_state *states);

/* Looks at one input. `folders`: zero for the first one. */
enum input_state compile_input_now(struct input *input, const struct cbn_file_digests *digests,
                                   struct input_folders *folders);

/* Digests the toolkit's files among what a compile read, and looks whether they are as they were then. */
bool compile_inputs_digest(struct inputs *inputs, const struct cbn_file_digests *digests);

#endif

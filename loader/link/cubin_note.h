/* SPDX-License-Identifier: Apache-2.0 */
/* The notes that NVIDIA's tools leave in a cubin: .note.nv.cuinfo and .note.nv.tkinfo. */
#ifndef CBN_CUBIN_NOTE_H
#define CBN_CUBIN_NOTE_H

#include <stddef.h>
#include <stdint.h>

struct cbn_cubin_note_reader {
    const unsigned char *bytes;
    size_t size;
};

struct cbn_cubin_note {
    uint32_t type;
    const unsigned char *description; /* not aligned */
    size_t size;                      /* of the description */
};

/* Steps to the next note: 1, 0 at the end, or -1 if what is left is not a note. */
int cbn_cubin_note_next(struct cbn_cubin_note_reader *reader, struct cbn_cubin_note *out_note);

/* The toolkit, 10 * major + minor, that a cuinfo note names; 0 if it does not or is another note. */
unsigned cbn_cubin_note_toolkit(const struct cbn_cubin_note *note);

/* 1 if the note gives the options of a tool that was run with "-arch NAME". */
int cbn_cubin_note_has_arch(const struct cbn_cubin_note *note, const char *name);

#endif

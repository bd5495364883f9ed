/* SPDX-License-Identifier: Apache-2.0 */
/* What a compile says of the images that it made: the source, the options, the compiler. Nothing in it tells
 * folders of the machine, so the same compile says the same everywhere. */
#ifndef COMPILE_PROVENANCE_H
#define COMPILE_PROVENANCE_H

#include "compile/compile_work.h"
#include "compile/inputs.h"

struct compile_provenance {
    int argc; /* the command line after "compile", expanded */
    char **argv;
    const struct compile_arguments *arguments;
    const struct compile_tools *tools;
    const struct inputs *inputs;
};

/* Records it of every image of the draft. */
cubinet_status compile_provenance_record(const struct compile_provenance *made, struct draft *draft);

#endif

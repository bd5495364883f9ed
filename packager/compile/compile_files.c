/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/compile_files.h"

#include "base/outputs.h"
#include "compile/pch_make.h"
#include "loader/core/support/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Files that NVRTC's options name. */
static const struct {
    const char *start;
    const char *what;
    bool is_written;
} named[] = {
    {"-include=", "the header", false},
    {"-time=", "the table of times", true},
    {"-fdevice-time-trace=", "the trace", true},
};

static void add_named(const char *option, struct outputs *outputs)
{
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        size_t size = strlen(named[i].start);
        if (strncmp(option, named[i].start, size) == 0 && named[i].is_written) {
            outputs_write(outputs, named[i].what, option + size);
        } else if (strncmp(option, named[i].start, size) == 0) {
            outputs_read(outputs, named[i].what, option + size);
        }
    }
}

static void add_all(const struct compile_arguments *arguments, const char *data, struct outputs *outputs)
{
    outputs_write(outputs, "the output", arguments->syntax_only ? NULL : arguments->output);
    outputs_write(outputs, "the data of the output", data);
    if (arguments->write_depfile || arguments->depfile_alone) {
        outputs_write(outputs, "the depfile", arguments->depfile);
    }
    outputs_read(outputs, "the source", arguments->makes_pch ? NULL : arguments->source);
    outputs_read_all(outputs, "the precompiled header", &arguments->pch_files);
    for (size_t i = 0; i < arguments->nvrtc_options.count; i++) {
        add_named(arguments->nvrtc_options.items[i], outputs);
    }
}

cubinet_status compile_files_check(const struct compile_arguments *arguments)
{
    char *data = NULL;
    struct outputs outputs = {0};
    if (arguments->makes_pch && asprintf(&data, "%s" PCH_DATA_SUFFIX, arguments->output) < 0) {
        return cbn_error_memory();
    }
    add_all(arguments, data, &outputs);
    cubinet_status status = outputs_check(&outputs);
    free(data);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What is read of a source, and of what compilers say of it, without a compiler: host code, names, lambdas,
 * messages. */
#include "harness.h"
#include "source/declared_names.h"
#include "source/host_code.h"
#include "source/lambda_annotations.h"
#include "toolkit/assembler_log.h"
#include "toolkit/diagnostics.h"

static void read_source(char *text)
{
    struct host_code code = {0};
    if (host_code_find(text, &code) == CUBINET_OK) {
        host_code_has_line(&code, 3);
        host_code_free(&code);
    }
    struct declared_names names;
    if (declared_names_read("a.cu", text, &names) == CUBINET_OK) {
        declared_names_nearest(&names, DECLARED_KERNELS, "scale<float>");
        declared_names_free(&names);
    }
    lambda_annotations_blank(text);
}

static void read_log(const char *text)
{
    static const char *const quiet[] = {"/usr/include"};
    const struct diagnostics_options options = {
        .source = "a.cu", .last_line = 7, .quiet_folders = quiet, .quiet_folder_count = 1};
    struct diagnostics diagnostics;
    struct buffer messages = {0};
    if (diagnostics_read(text, &options, &diagnostics) == CUBINET_OK) {
        diagnostics_free(&diagnostics);
    }
    assembler_log_append(text, "a.cu: sm_90", false, &messages);
    buffer_free(&messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = harness_text(data, size);
    read_log(text);
    read_source(text);
    free(text);
    return 0;
}

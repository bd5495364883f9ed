/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/nvrtc_ask.h"

#include "base/command.h"
#include "loader/core/support/error.h"
#include "process/supervise.h"
#include "toolkit/nvrtc.h"

#include <string.h>

/* Reads a `struct nvrtc_answer` of the library at a path. */
static cubinet_status read_answer(const void *path, void *out_answer)
{
    const struct cbn_library_search search = {.what = "NVRTC", .path = path, .stays = true};
    struct nvrtc_answer *answer = out_answer;
    struct nvrtc nvrtc = {0};
    cubinet_status status = nvrtc_open(&search, &nvrtc);
    if (!status && nvrtc.supported_count > NVRTC_MOST_TARGETS) {
        status = cbn_error(CUBINET_ERROR_TOOLKIT, "NVRTC '%s' compiles for %zu architectures, more than %d",
                           search.path, nvrtc.supported_count, NVRTC_MOST_TARGETS);
    }
    if (!status) {
        answer->version = nvrtc.version;
        answer->count = nvrtc.supported_count;
        memcpy(answer->numbers, nvrtc.supported, nvrtc.supported_count * sizeof(*nvrtc.supported));
    }
    nvrtc_close(&nvrtc);
    return status;
}

int nvrtc_ask(const char *path, const struct limits *limits, const char *subject,
              struct nvrtc_answer *out_answer)
{
    return command_exit(supervise_call(limits, subject, read_answer, path, out_answer, sizeof(*out_answer)));
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "toolkit/nvrtc_ask.h"

#include "base/command.h"
#include "loader/core/support/error.h"
#include "process/supervise.h"
#include "toolkit/nvrtc.h"

#include <string.h>
#include <sys/mman.h>

static cubinet_status read_answer(const char *path, struct nvrtc_answer *answer)
{
    const struct cbn_library_search search = {.what = "NVRTC", .path = path, .stays = true};
    struct nvrtc nvrtc = {0};
    cubinet_status status = nvrtc_open(&search, &nvrtc);
    if (!status && nvrtc.supported_count > NVRTC_MOST_TARGETS) {
        status = cbn_error(CUBINET_ERROR_TOOLKIT, "NVRTC '%s' compiles for %zu architectures, more than %d",
                           path, nvrtc.supported_count, NVRTC_MOST_TARGETS);
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
    int result = EXIT_OK;
    struct nvrtc_answer *answer =
        mmap(NULL, sizeof(*answer), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (answer == MAP_FAILED) {
        return command_exit(cbn_error_memory());
    }
    if (!supervise_part(limits, subject, &result)) {
        supervise_part_end(command_exit(read_answer(path, answer)));
    }
    *out_answer = *answer;
    munmap(answer, sizeof(*answer));
    return result;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "show/gpus.h"

#include "loader/core/support/error.h"
#include "loader/core/support/nearest.h"

#include <cubinet/target.h>

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* From NVIDIA's pages "CUDA GPU Compute Capability" and "Legacy CUDA GPU Compute Capability"
 * (developer.nvidia.com/cuda-gpus and /cuda-legacy-gpus). Where a name is used for two generations, such as
 * "RTX 6000", it is the one without a further word. */
/* clang-format off */
const struct gpu gpus[] = {
    {"GB10", 121},
    {"DGX Spark", 121},
    {"RTX PRO 6000 Blackwell", 120},
    {"RTX PRO 5000 Blackwell", 120},
    {"RTX PRO 4500 Blackwell", 120},
    {"RTX PRO 4000 Blackwell", 120},
    {"RTX PRO 2000 Blackwell", 120},
    {"RTX 5090", 120},
    {"RTX 5080", 120},
    {"RTX 5070 Ti", 120},
    {"RTX 5070", 120},
    {"RTX 5060 Ti", 120},
    {"RTX 5060", 120},
    {"RTX 5050", 120},
    {"Jetson Thor", 110},
    {"Jetson T5000", 110},
    {"Jetson T4000", 110},
    {"B300", 103},
    {"GB300", 103},
    {"B200", 100},
    {"GB200", 100},
    {"H100", 90},
    {"H200", 90},
    {"GH200", 90},
    {"L4", 89},
    {"L40", 89},
    {"L40S", 89},
    {"RTX 6000 Ada", 89},
    {"RTX 5000 Ada", 89},
    {"RTX 4500 Ada", 89},
    {"RTX 4000 Ada", 89},
    {"RTX 4000 SFF Ada", 89},
    {"RTX 2000 Ada", 89},
    {"RTX 4090", 89},
    {"RTX 4080", 89},
    {"RTX 4080 SUPER", 89},
    {"RTX 4070 Ti", 89},
    {"RTX 4070", 89},
    {"RTX 4060 Ti", 89},
    {"RTX 4060", 89},
    {"RTX 4050", 89},
    {"Jetson Orin", 87},
    {"Jetson AGX Orin", 87},
    {"Jetson Orin NX", 87},
    {"Jetson Orin Nano", 87},
    {"A40", 86},
    {"A10", 86},
    {"A16", 86},
    {"A2", 86},
    {"RTX A6000", 86},
    {"RTX A5000", 86},
    {"RTX A4000", 86},
    {"RTX A3000", 86},
    {"RTX A2000", 86},
    {"RTX 3090 Ti", 86},
    {"RTX 3090", 86},
    {"RTX 3080 Ti", 86},
    {"RTX 3080", 86},
    {"RTX 3070 Ti", 86},
    {"RTX 3070", 86},
    {"RTX 3060 Ti", 86},
    {"RTX 3060", 86},
    {"RTX 3050 Ti", 86},
    {"RTX 3050", 86},
    {"A100", 80},
    {"A30", 80},
    {"T4", 75},
    {"RTX 8000", 75},
    {"RTX 6000", 75},
    {"RTX 5000", 75},
    {"RTX 4000", 75},
    {"RTX 3000", 75},
    {"T2000", 75},
    {"T1200", 75},
    {"T1000", 75},
    {"T600", 75},
    {"T500", 75},
    {"T400", 75},
    {"Titan RTX", 75},
    {"RTX 2080 Ti", 75},
    {"RTX 2080", 75},
    {"RTX 2070", 75},
    {"RTX 2060", 75},
    {"GTX 1660 Ti", 75},
    {"GTX 1660", 75},
    {"GTX 1650 Ti", 75},
    {"GTX 1650", 75},
    {"Jetson Xavier", 72},
    {"Jetson AGX Xavier", 72},
    {"Jetson Xavier NX", 72},
    {"V100", 70},
    {"GV100", 70},
    {"Titan V", 70},
    {"Jetson TX2", 62},
    {"P40", 61},
    {"P4", 61},
    {"P6000", 61},
    {"P5000", 61},
    {"P4000", 61},
    {"P2000", 61},
    {"P1000", 61},
    {"Titan Xp", 61},
    {"Titan X Pascal", 61},
    {"GTX 1080 Ti", 61},
    {"GTX 1080", 61},
    {"GTX 1070 Ti", 61},
    {"GTX 1070", 61},
    {"GTX 1060", 61},
    {"GTX 1050 Ti", 61},
    {"GTX 1050", 61},
    {"P100", 60},
    {"GP100", 60},
    {"Jetson TX1", 53},
    {"Jetson Nano", 53},
    {"M60", 52},
    {"M40", 52},
    {"M6000", 52},
    {"M5000", 52},
    {"M4000", 52},
    {"M2000", 52},
    {"Titan X", 52},
    {"GTX 980 Ti", 52},
    {"GTX 980", 52},
    {"GTX 970", 52},
    {"GTX 960", 52},
    {"GTX 950", 52},
    {"M10", 50},
    {"K2200", 50},
    {"K1200", 50},
    {"K620", 50},
    {"GTX 750 Ti", 50},
    {"GTX 750", 50},
};
/* clang-format on */
const size_t gpu_count = sizeof(gpus) / sizeof(gpus[0]);

const struct gpu gpu_generations[] = {
    {"V100", 70}, {"T4", 75},    {"A100", 80},  {"A10", 86},   {"Orin", 87},   {"L40", 89},
    {"H100", 90}, {"B200", 100}, {"B300", 103}, {"Thor", 110}, {"RTX50", 120}, {"Spark", 121},
};
const size_t gpu_generation_count = sizeof(gpu_generations) / sizeof(gpu_generations[0]);

/* Copies what counts of a name: lower case, without separators and the words that most people leave out. */
static void simplify(const char *name, char *out, size_t capacity)
{
    static const char *const silent[] = {"nvidia", "geforce", "tesla",      "quadro",
                                         "jetson", "dgx",     "generation", "gpu"};
    size_t size = 0;
    for (; *name && size + 1 < capacity; name++) {
        if (*name != ' ' && *name != '-' && *name != '_') {
            out[size++] = (char)tolower((unsigned char)*name);
        }
    }
    out[size] = '\0';
    for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++) {
        char *found = strstr(out, silent[i]);
        if (found) {
            char *after = found + strlen(silent[i]);
            memmove(found, after, strlen(after) + 1);
        }
    }
}

enum { SIMPLE_SIZE = 64 };

static bool same_name(const char *simple, const char *name)
{
    char other[SIMPLE_SIZE];
    simplify(name, other, sizeof(other));
    return strcmp(simple, other) == 0;
}

/* "9.0", "90", "sm_90", "compute_90", each with or without a suffix, which is of the code and not of the GPU.
 */
static bool parse_compute(const char *word, int *out_compute)
{
    cubinet_target target;
    char name[CUBINET_TARGET_NAME_SIZE] = "sm_";
    if (!cubinet_target_parse(word, &target) && target.kind != CUBINET_IMAGE_TILEIR) {
        *out_compute = target.number;
        return true;
    }
    const char *dot = strchr(word, '.');
    size_t size = strlen("sm_");
    if (dot && strlen(dot) != 2) {
        return false;
    }
    for (; *word && size + 1 < sizeof(name); word++) {
        if (word != dot) {
            name[size++] = *word;
        }
    }
    if (*word || cubinet_target_parse(name, &target)) {
        return false;
    }
    *out_compute = target.number;
    return true;
}

static const struct gpu *find_name(const char *word, struct cbn_nearest *nearest)
{
    char simple[SIMPLE_SIZE];
    simplify(word, simple, sizeof(simple));
    for (size_t i = 0; i < gpu_count; i++) {
        if (same_name(simple, gpus[i].name)) {
            return &gpus[i];
        }
        cbn_nearest_offer(nearest, gpus[i].name);
    }
    return NULL;
}

cubinet_status gpu_find(const char *word, int *out_compute, const char **out_name)
{
    struct cbn_nearest nearest;
    const struct gpu *gpu = NULL;
    if (!parse_compute(word, out_compute)) {
        cbn_nearest_start(&nearest, word, strlen(word));
        gpu = find_name(word, &nearest);
        if (!gpu) {
            const char *found = cbn_nearest_found(&nearest);
            return cbn_error(
                CUBINET_ERROR_NOT_FOUND,
                "'%s' is neither a compute capability (9.0, sm_90) nor a GPU that Cubinet knows%s%s%s", word,
                found ? "; the nearest is '" : "", found ? found : "", found ? "'" : "");
        }
        *out_compute = gpu->compute;
    }
    if (out_name) {
        *out_name = gpu ? gpu->name : NULL;
    }
    return CUBINET_OK;
}

const char *gpu_example(int compute)
{
    for (size_t i = 0; i < gpu_count; i++) {
        if (gpus[i].compute == compute) {
            return gpus[i].name;
        }
    }
    return NULL;
}

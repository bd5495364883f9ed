/* SPDX-License-Identifier: Apache-2.0 */
/* How long selection takes: one module of 20 images, for one device after another. Prints nanoseconds for
 * each selection, the best of several rounds. */
#include <cubinet/select.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { IMAGES = 20, SELECTIONS = 200000, ROUNDS = 7 };

static const char *const targets[IMAGES] = {
    "sm_75",   "sm_80",   "sm_86",      "sm_87",      "sm_89",       "sm_90",  "sm_90a",
    "sm_100",  "sm_100a", "sm_100f",    "sm_103",     "sm_103a",     "sm_110", "sm_120",
    "sm_120f", "sm_121",  "compute_75", "compute_90", "compute_120", "lto_75",
};

static const int computes[] = {75, 80, 86, 87, 89, 90, 100, 103, 110, 120, 121};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static cubinet_image_info make_image(const char *target)
{
    cubinet_image_info image = {.size = sizeof(image), .toolkit = 13000, .stored_size = 1, .raw_size = 1};
    if (cubinet_target_parse(target, &image.target)) {
        abort();
    }
    image.ptx_isa = image.target.kind == CUBINET_IMAGE_PTX ? 90 : 0;
    image.link_floor = image.target.kind == CUBINET_IMAGE_LTOIR ? 13000 : 0;
    return image;
}

/* Nanoseconds for one selection, on average over the devices. */
static double measure(const cubinet_image_info *images, size_t *out_candidates)
{
    cubinet_verdict verdicts[IMAGES];
    double start = now();
    for (size_t i = 0; i < SELECTIONS; i++) {
        int compute = computes[i % (sizeof(computes) / sizeof(computes[0]))];
        cubinet_device_profile device = {
            .size = sizeof(device),
            .compute_major = compute / 10,
            .compute_minor = compute % 10,
            .flags = cubinet_compute_is_tegra(compute / 10, compute % 10) ? CUBINET_DEVICE_TEGRA : 0,
            .driver_version = 13000,
            .nvjitlink_version = 13000,
        };
        *out_candidates += cubinet_images_rank(images, IMAGES, &device, NULL, verdicts);
    }
    return (now() - start) / SELECTIONS;
}

int main(void)
{
    cubinet_image_info images[IMAGES];
    for (size_t i = 0; i < IMAGES; i++) {
        images[i] = make_image(targets[i]);
    }
    double best = 0;
    size_t candidates = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double time = measure(images, &candidates);
        best = round == 0 || time < best ? time : best;
    }
    printf("selection among %d images: %.0f ns (%.1f candidates on average)\n", IMAGES, best,
           (double)candidates / SELECTIONS / ROUNDS);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CHECK_CHRONO_H
#define CHECK_CHRONO_H

#include <chrono>

__device__ __noinline__ inline void check_chrono(check_values &out)
{
    using namespace std::chrono_literals;
    using std::chrono::duration;
    using std::chrono::duration_cast;
    using std::chrono::milliseconds;
    using std::chrono::seconds;
    constexpr auto sum = 1h + 30min + 15s;
    CHECK_SHOW(sum.count(), duration_cast<milliseconds>(sum).count(), (1500ms + 3us).count(), 1500ms == 1.5s,
               999ms < 1s, duration_cast<seconds>(1999ms).count(), duration_cast<seconds>(-1999ms).count());
    CHECK_SHOW(duration<double>(250ms).count(), duration<float, std::ratio<60>>(90s).count(),
               (7s % 2s).count(), 7s / 2s, (7s / 2).count(), (3 * 7s).count(), (-7s).count(),
               seconds::max() > 1h, milliseconds::zero().count());
    CHECK_SHOW(std::chrono::floor<seconds>(-1500ms).count(), std::chrono::ceil<seconds>(1001ms).count(),
               std::chrono::round<seconds>(1500ms).count(), std::chrono::round<seconds>(2500ms).count(),
               std::chrono::abs(-3s).count());
    std::chrono::time_point<std::chrono::steady_clock> start;
    const auto later = start + 5s;
    CHECK_SHOW((later - start) == 5s, later > start,
               std::chrono::time_point_cast<seconds>(later).time_since_epoch().count());
    auto counted = 3s;
    ++counted;
    counted *= 2;
    counted -= 1s;
    CHECK_SHOW(counted.count(), std::chrono::steady_clock::is_steady);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Options, random numbers and hashes: kernels whose threads have nothing to do with each other. */
#include "check.h"

#include <math.h>
#include <string.h>

static const double interest = 0.02;
static const double volatility = 0.3;

static void value_of(struct run *run, enum number type, double value)
{
    unsigned char parameter[sizeof(double)];
    number_put(type, parameter, 0, value);
    run_value(run, parameter, number_bytes(type));
}

static void prepare_black_scholes(struct run *run)
{
    enum number type = run_template_type(run);
    size_t count = run_blocks(run) * run_threads(run) * 4 - 3;
    run_numbers(run, type, count, 5, 30);
    run_numbers(run, type, count, 1, 100);
    run_numbers(run, type, count, 0.25, 10);
    run_output(run, count * number_bytes(type), 0xff);
    run_output(run, count * number_bytes(type), 0xff);
    value_of(run, type, interest);
    value_of(run, type, volatility);
    value_of(run, NUMBER_INT, (double)count);
}

static double normal_below(double x)
{
    return erfc(-x / sqrt(2)) / 2;
}

static void verify_black_scholes(struct run *run)
{
    enum number type = run_template_type(run);
    double tolerance = type == NUMBER_DOUBLE ? 1e-10 : 1e-4;
    size_t count = run->arguments[0].bytes / number_bytes(type);
    for (size_t i = 0; i < count; i += 5) {
        double price = number_get(type, run_before(run, 0), i);
        double strike = number_get(type, run_before(run, 1), i);
        double years = number_get(type, run_before(run, 2), i);
        double rate = type == NUMBER_DOUBLE ? interest : (double)(float)interest;
        double spread = type == NUMBER_DOUBLE ? volatility : (double)(float)volatility;
        double deviation = spread * sqrt(years);
        double high = (log(price / strike) + (rate + spread * spread / 2) * years) / deviation;
        double low = high - deviation;
        double discounted = strike * exp(-rate * years);
        run_expect(run, i, number_get(type, run_after(run, 3), i),
                   price * normal_below(high) - discounted * normal_below(low), tolerance);
        run_expect(run, i, number_get(type, run_after(run, 4), i),
                   discounted * normal_below(-low) - price * normal_below(-high), tolerance);
    }
}

const struct check check_black_scholes = {prepare_black_scholes, verify_black_scholes};

enum { SEED = 2026, PATHS = 32 };

static const float start = 100;
static const float strike_price = 105;
static const float drift = 0.001F;
static const float step_deviation = 0.05F;

static void philox(uint32_t counter[4], uint32_t key_low, uint32_t key_high)
{
    for (int round = 0; round < 10; round++) {
        uint64_t first = (uint64_t)counter[0] * 0xd2511f53u;
        uint64_t second = (uint64_t)counter[2] * 0xcd9e8d57u;
        counter[0] = (uint32_t)(second >> 32) ^ counter[1] ^ key_low;
        counter[1] = (uint32_t)second;
        counter[2] = (uint32_t)(first >> 32) ^ counter[3] ^ key_high;
        counter[3] = (uint32_t)first;
        key_low += 0x9e3779b9u;
        key_high += 0xbb67ae85u;
    }
}

static bool is_fill(const struct run *run)
{
    return strcmp(run->kernel, "fill_random") == 0;
}

static void prepare_monte_carlo(struct run *run)
{
    uint32_t seed = SEED;
    size_t threads = run_blocks(run) * run_threads(run);
    if (is_fill(run)) {
        run_output(run, (threads * 8 - 3) * 4 * sizeof(uint32_t), 0);
        value_of(run, NUMBER_INT, (double)(threads * 8 - 3));
    } else {
        run_output(run, threads * sizeof(float), 0xff);
        value_of(run, NUMBER_INT, PATHS);
        RUN_VALUE(run, start);
        RUN_VALUE(run, strike_price);
        RUN_VALUE(run, drift);
        RUN_VALUE(run, step_deviation);
    }
    RUN_VALUE(run, seed);
}

static void verify_fill(struct run *run)
{
    const uint32_t *found = run_after(run, 0);
    for (size_t i = 0; i < run->arguments[0].bytes / 16; i++) {
        uint32_t counter[4] = {(uint32_t)i, 0, 0, 0};
        philox(counter, SEED, 0);
        for (size_t word = 0; word < 4; word++) {
            run_expect_bits(run, 4 * i + word, found[4 * i + word], counter[word]);
        }
    }
}

/* The sum of Box and Muller's two normal numbers. Rounded to float where the kernel's conversion is. */
static double normal_sum(uint32_t a, uint32_t b)
{
    const double pi = 3.14159265358979323846;
    double radius = sqrt(-2 * log((double)((float)a + 1.0F) * 0x1p-32));
    double angle = pi * (double)((float)b * 0x1p-31F);
    return radius * (cos(angle) + sin(angle));
}

static void verify_prices(struct run *run)
{
    const float *found = run_after(run, 0);
    size_t steps = run_template_number(run, 0);
    for (size_t thread = 0; thread < run_blocks(run) * run_threads(run); thread += 61) {
        double sum = 0;
        for (uint32_t path = 0; path < PATHS; path++) {
            double logarithm = (double)drift * (double)steps;
            for (uint32_t step = 0; step < steps; step += 4) {
                uint32_t counter[4] = {(uint32_t)thread, path, step, 0};
                philox(counter, SEED, 1);
                logarithm += (double)step_deviation *
                             (normal_sum(counter[0], counter[1]) + normal_sum(counter[2], counter[3]));
            }
            sum += fmax((double)start * exp(logarithm) - (double)strike_price, 0);
        }
        run_expect(run, thread, (double)found[thread], sum, 1e-4);
    }
}

static void verify_monte_carlo(struct run *run)
{
    if (is_fill(run)) {
        verify_fill(run);
    } else {
        verify_prices(run);
    }
}

const struct check check_monte_carlo = {prepare_monte_carlo, verify_monte_carlo};

static void prepare_sha256(struct run *run)
{
    size_t count = run_blocks(run) * run_threads(run) - 3;
    uint32_t *messages = run_input(run, count * 8 * sizeof(*messages));
    for (size_t i = 0; i < count * 8; i++) {
        messages[i] = run_random(run);
    }
    run_output(run, count * 8 * sizeof(uint32_t), 0);
    value_of(run, NUMBER_INT, (double)count);
}

static uint32_t rotate(uint32_t word, unsigned by)
{
    return word >> by | word << (32 - by);
}

/* The first 32 bits of the fraction of a prime's square or cube root, of which SHA-256's constants are. */
static uint32_t root_fraction(unsigned number, int degree)
{
    static const unsigned primes[64] = {2,   3,   5,   7,   11,  13,  17,  19,  23,  29,  31,  37,  41,
                                        43,  47,  53,  59,  61,  67,  71,  73,  79,  83,  89,  97,  101,
                                        103, 107, 109, 113, 127, 131, 137, 139, 149, 151, 157, 163, 167,
                                        173, 179, 181, 191, 193, 197, 199, 211, 223, 227, 229, 233, 239,
                                        241, 251, 257, 263, 269, 271, 277, 281, 283, 293, 307, 311};
    double prime = primes[number];
    double root = degree == 2 ? sqrt(prime) : cbrt(prime);
    return (uint32_t)((root - floor(root)) * 0x1p32);
}

/* One block of SHA-256, whose state is updated. */
static void compress(uint32_t state[8], const uint32_t block[16])
{
    uint32_t words[64];
    uint32_t next[8];
    memcpy(words, block, 16 * sizeof(*words));
    memcpy(next, state, sizeof(next));
    for (unsigned i = 16; i < 64; i++) {
        uint32_t far = words[i - 15];
        uint32_t near = words[i - 2];
        words[i] = words[i - 16] + (rotate(far, 7) ^ rotate(far, 18) ^ far >> 3) + words[i - 7] +
                   (rotate(near, 17) ^ rotate(near, 19) ^ near >> 10);
    }
    for (unsigned i = 0; i < 64; i++) {
        uint32_t first = next[7] + (rotate(next[4], 6) ^ rotate(next[4], 11) ^ rotate(next[4], 25)) +
                         ((next[4] & next[5]) ^ (~next[4] & next[6])) + root_fraction(i, 3) + words[i];
        uint32_t second = (rotate(next[0], 2) ^ rotate(next[0], 13) ^ rotate(next[0], 22)) +
                          ((next[0] & next[1]) ^ (next[0] & next[2]) ^ (next[1] & next[2]));
        memmove(next + 1, next, 7 * sizeof(*next));
        next[4] += first;
        next[0] = first + second;
    }
    for (unsigned i = 0; i < 8; i++) {
        state[i] += next[i];
    }
}

static void hash(uint32_t digest[8], const uint32_t message[8])
{
    uint32_t block[16] = {[8] = 0x80000000, [15] = 256};
    memcpy(block, message, 8 * sizeof(*block));
    for (unsigned i = 0; i < 8; i++) {
        digest[i] = root_fraction(i, 2);
    }
    compress(digest, block);
}

static void verify_sha256(struct run *run)
{
    const uint32_t *messages = run_before(run, 0);
    const uint32_t *found = run_after(run, 1);
    for (size_t message = 0; message < run->arguments[0].bytes / 32; message += 13) {
        uint32_t once[8];
        uint32_t twice[8];
        hash(once, messages + 8 * message);
        hash(twice, once);
        for (size_t i = 0; i < 8; i++) {
            run_expect_bits(run, 8 * message + i, found[8 * message + i], twice[i]);
        }
    }
}

const struct check check_sha256 = {prepare_sha256, verify_sha256};

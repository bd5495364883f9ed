/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double combine_fn(double a, double b);

static double plus(double a, double b)
{
    return a + b;
}

static double times(double a, double b)
{
    return a * b;
}

static double absmax(double a, double b)
{
    return fmax(fabs(a), fabs(b));
}

static double either(double a, double b)
{
    return a + b - a * b;
}

static double logaddexp(double a, double b)
{
    double larger = fmax(a, b);
    return isinf(larger) ? larger : larger + log1p(exp(fmin(a, b) - larger));
}

static const struct {
    const char *name;
    combine_fn *combine;
    double identity;
} operators[] = {
    {"plus", plus, 0},           {"times", times, 1},
    {"minimum", fmin, INFINITY}, {"maximum", fmax, -INFINITY},
    {"absmax", absmax, 0},       {"hypotenuse", hypot, 0},
    {"either", either, 0},       {"logaddexp", logaddexp, -INFINITY},
};

struct reference {
    const struct problem *problem;
    combine_fn *combine;
    double identity;
};

/* Each algorithm: its result at `row` and `column`. */

static double zip(const struct reference *at, int row, int column)
{
    int i = row * COLUMNS + column;
    return at->combine(at->problem->a[i], at->problem->b[i]);
}

static double outer(const struct reference *at, int row, int column)
{
    return at->combine(at->problem->a[row * COLUMNS], at->problem->b[column]);
}

static double stencil(const struct reference *at, int row, int column)
{
    const float *a = &at->problem->a[row * COLUMNS + column];
    double left = column > 0 ? (double)a[-1] : at->identity;
    double right = column + 1 < COLUMNS ? (double)a[1] : at->identity;
    return at->combine(at->combine(left, a[0]), right);
}

/* Of `count` values that are `step` apart. */
static double fold(const struct reference *at, const float *values, int count, int step)
{
    double sum = at->identity;
    for (int i = 0; i < count; i++) {
        sum = at->combine(sum, values[i * step]);
    }
    return sum;
}

static double columns(const struct reference *at, int row, int column)
{
    (void)row;
    return fold(at, &at->problem->a[column], ROWS, COLUMNS);
}

static double rows(const struct reference *at, int row, int column)
{
    (void)row;
    return fold(at, &at->problem->a[column * COLUMNS], COLUMNS, 1);
}

static double reduce(const struct reference *at, int row, int column)
{
    (void)row;
    (void)column;
    return fold(at, at->problem->a, ELEMENTS, 1);
}

static double scan(const struct reference *at, int row, int column)
{
    return fold(at, &at->problem->a[row * COLUMNS], column + 1, 1);
}

static double product(const struct reference *at, int row, int column)
{
    double sum = at->identity;
    for (int k = 0; k < COLUMNS; k++) {
        sum = at->combine(sum, (double)at->problem->a[row * COLUMNS + k] *
                                   (double)at->problem->b[k * COLUMNS + column]);
    }
    return sum;
}

static const struct {
    const char *name;
    double (*result)(const struct reference *at, int row, int column);
    int rows, columns; /* of the results */
    double tolerance;  /* relative */
} algorithms[] = {
    {"zip", zip, ROWS, COLUMNS, 1e-5},
    {"outer", outer, ROWS, COLUMNS, 1e-5},
    {"stencil", stencil, ROWS, COLUMNS, 1e-5},
    {"columns", columns, 1, COLUMNS, 1e-4},
    {"rows", rows, 1, ROWS, 1e-4},
    {"reduce", reduce, 1, 1, 1e-3},
    {"scan", scan, ROWS, COLUMNS, 1e-4},
    {"product", product, ROWS, COLUMNS, 1e-4},
};

void problem_fill(struct problem *problem)
{
    srand(2026);
    for (int i = 0; i < ELEMENTS; i++) {
        problem->a[i] = expf(0.1f * ((float)rand() / (float)RAND_MAX - 0.5f));
        problem->b[i] = expf(0.1f * ((float)rand() / (float)RAND_MAX - 0.5f));
    }
}

static size_t find_operator(const char *name)
{
    size_t i = 0;
    while (strcmp(operators[i].name, name) != 0) {
        i++;
    }
    return i;
}

static size_t find_algorithm(const char *name)
{
    size_t i = 0;
    while (strcmp(algorithms[i].name, name) != 0) {
        i++;
    }
    return i;
}

int reference_wrong(const struct problem *problem, const char *algorithm, const char *operator)
{
    size_t which = find_operator(operator);
    size_t how = find_algorithm(algorithm);
    const struct reference at = {problem, operators[which].combine, operators[which].identity};
    int wrong = 0;
    for (int row = 0; row < algorithms[how].rows; row++) {
        for (int column = 0; column < algorithms[how].columns; column++) {
            double expected = algorithms[how].result(&at, row, column);
            double found = problem->out[row * algorithms[how].columns + column];
            wrong += !(fabs(found - expected) <= algorithms[how].tolerance * fmax(1.0, fabs(expected)));
        }
    }
    return wrong;
}

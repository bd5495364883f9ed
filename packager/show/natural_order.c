/* SPDX-License-Identifier: Apache-2.0 */
#include "show/natural_order.h"

#include <string.h>

static size_t digits(const char *text)
{
    return strspn(text, "0123456789");
}

/* Compares two runs of digits, however long, and steps over them. */
static int compare_numbers(const char **a, const char **b)
{
    *a += strspn(*a, "0");
    *b += strspn(*b, "0");
    size_t a_size = digits(*a);
    size_t b_size = digits(*b);
    int order = a_size != b_size ? (a_size < b_size ? -1 : 1) : memcmp(*a, *b, a_size);
    *a += a_size;
    *b += b_size;
    return order;
}

int natural_order(const char *a, const char *b)
{
    const char *whole_a = a;
    const char *whole_b = b;
    while (*a && *b) {
        if (digits(a) && digits(b)) {
            int order = compare_numbers(&a, &b);
            if (order != 0) {
                return order;
            }
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return *a || *b ? (*a ? 1 : -1) : strcmp(whole_a, whole_b);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* XXH3 adds each word of 8 bytes to a sum, and the product of its halves, after an exclusive or with a secret
 * that is in every header, to another. Where a half is the secret's the product is 0, and of two such words
 * only the sum counts. */
#include "twins.h"

#include "loader/core/archive/digest.h"
#include "loader/core/archive/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    STRIPE = 64,
    FREE = 4 * STRIPE, /* the first of two stripes that are made so */
    CODE = FREE + 2 * STRIPE,
    LAST = CODE - 4, /* of the comment, in the first text */
};

static void *check(void *made)
{
    if (!made) {
        fputs("twins: out of memory\n", stderr);
        abort();
    }
    return made;
}

/* Everything but the bytes that differ. */
static char *make_text(const char *hidden, const char *common, size_t size)
{
    char *text = check(malloc(size + 1));
    memset(text, ' ', size);
    memcpy(text, "/*", 2);
    for (size_t at = FREE; at < CODE; at += 8) {
        size_t secret = (at - FREE) % STRIPE + at / STRIPE * 8;
        memcpy(text + at, XXH3_kSecret + secret, 4);
    }
    memcpy(text + LAST - STRIPE, "aaaa", 4);
    memcpy(text + CODE, hidden, strlen(hidden));
    memcpy(text + CODE + strlen(hidden), "/**/", 4);
    memcpy(text + CODE + strlen(hidden) + 4, common, strlen(common));
    text[size] = '\0';
    return text;
}

struct twins twins_make(const char *hidden, const char *common)
{
    struct twins twins = {.size = CODE + strlen(hidden) + 4 + strlen(common) + 2 * STRIPE};
    twins.first = make_text(hidden, common, twins.size);
    twins.second = make_text(hidden, common, twins.size);
    unsigned char *balance = (unsigned char *)twins.second + LAST - STRIPE;
    memcpy(twins.first + LAST, "  */", 4);
    cbn_put32(balance, cbn_get32(balance) + cbn_get32((unsigned char *)twins.first + LAST) -
                           cbn_get32((unsigned char *)twins.second + LAST));
    struct cbn_digest digest = cbn_digest(twins.first, twins.size);
    if (!cbn_digest_matches(twins.second, twins.size, digest.bytes) || strlen(twins.first) != twins.size ||
        strlen(twins.second) != twins.size ||
        strstr(twins.second, "*/") != twins.second + CODE + strlen(hidden) + 2) {
        fputs("twins: they are none\n", stderr);
        abort();
    }
    return twins;
}

void twins_free(struct twins *twins)
{
    free(twins->first);
    free(twins->second);
}

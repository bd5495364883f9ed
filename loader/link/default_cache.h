/* SPDX-License-Identifier: Apache-2.0 */
/* The cache that the environment describes, for links that name none. */
#ifndef CBN_DEFAULT_CACHE_H
#define CBN_DEFAULT_CACHE_H

#include <cubinet/cache.h>

/* Opens it when it is first asked for; after that it is the same one, until what this code is in is closed
 * while nobody has it. NULL if it can't be opened. Who is done gives it back; NULL is allowed. */
cubinet_cache *cbn_default_cache_take(void);
void cbn_default_cache_give_back(cubinet_cache *cache);

#endif

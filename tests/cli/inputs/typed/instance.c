/* SPDX-License-Identifier: Apache-2.0 */
#include "typed.h"
const char *name(void);
const char *name(void)
{
    return TYPED_DEMO_SEGSUM_DOUBLE_INT_256_4;
}

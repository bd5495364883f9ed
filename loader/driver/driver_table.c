/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/driver_table.h"

#define REQUIRED true
#define OPTIONAL false

static const struct cbn_symbol symbols[] = {
#define SYMBOL(name, symbol, params, args, need, since)                                                      \
    {#symbol, offsetof(struct cbn_driver_table, name), need, since},
    CBN_DRIVER_FUNCTIONS(SYMBOL)
#undef SYMBOL
};

cubinet_status cbn_driver_table_resolve(const struct cbn_library *library, struct cbn_driver_table *table)
{
    return cbn_library_resolve(library, symbols, sizeof(symbols) / sizeof(symbols[0]), table,
                               CUBINET_ERROR_DRIVER_TOO_OLD);
}

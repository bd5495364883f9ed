/* SPDX-License-Identifier: Apache-2.0 */
/* Which pieces define what others need: the record compared before nvJitLink is asked. */
#ifndef CBN_LINK_SYMBOLS_H
#define CBN_LINK_SYMBOLS_H

#include "loader/core/support/text_list.h"
#include "loader/link/link_piece.h"

/* CUBINET_ERROR_LINK if two pieces define a symbol, or agree about one in the name alone; and, if all pieces
 * tell all their symbols, if one that is needed is missing: `*out_missing`, else NULL. The message names the
 * symbol and the pieces. */
cubinet_status cbn_symbols_check(const struct cbn_piece *pieces, size_t count, const char **out_missing);

/* The names of symbols that a piece needs and none is known to define, in order. */
cubinet_status cbn_symbols_missing(const struct cbn_piece *pieces, size_t count,
                                   struct cbn_text_list *out_names);

#endif

/* SPDX-License-Identifier: Apache-2.0 */
#include "index_signing.h"

#include "tables.h"
#include "trust.h"

#include <sodium.h>

void index_seal(const void *data, size_t size, unsigned char out[CBN_SEAL_SIZE])
{
    crypto_generichash(out, CBN_SEAL_SIZE, data, size, NULL, 0);
}

cubinet_status index_sign(unsigned char *root, size_t size, const struct signing_key *keys, size_t count)
{
    static const struct cbn_table_kind kinds[] = {{CBN_TABLE_STRINGS, 1},
                                                  {CBN_TABLE_ARCHIVE, CBN_ARCHIVE_SIZE},
                                                  {CBN_TABLE_MODULES, CBN_MODULE_SIZE},
                                                  {CBN_TABLE_PAGES, CBN_PAGE_SIZE},
                                                  {CBN_TABLE_SIGNATURES, CBN_SIGNATURE_SIZE}};
    enum { SIGNATURES = 4, KINDS = 5 };
    struct cbn_table tables[KINDS];
    unsigned char digest[CBN_SIGNED_DIGEST_SIZE];
    cubinet_status status = cbn_tables_read(root, (uint32_t)size, CBN_HEADER_SIZE, kinds, KINDS, tables);
    if (status == CUBINET_OK) {
        status = cbn_trust_hash_root(root, size, &tables[SIGNATURES], digest);
    }
    for (size_t i = 0; status == CUBINET_OK && i < count; i++) {
        /* The rows lie in `root`, which is ours to write. */
        unsigned char *row = (unsigned char *)cbn_row(&tables[SIGNATURES], (uint32_t)i);
        signing_key_sign(&keys[i], digest, sizeof(digest), row + CBN_SIGNATURE_VALUE);
    }
    return status;
}

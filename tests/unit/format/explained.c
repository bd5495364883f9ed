/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences that have no case. */
#include "format_cases.h"

#include "unit.h"

const char *const format_explained[] = {
    /* Of readers, writers and the page itself. */
    "This page tells you enough to write a reader",
    "`cubinet verify` checks an archive against every sentence",
    "For each such sentence, `tests/unit/format` has",
    "You need nothing else of the zip structure",
    "So opening an archive touches a few dozen bytes",
    "A reader checks the root when it opens the archive",
    "They detect damage",
    "they do not protect",
    "So to find a name, a reader searches",
    "The writer chooses whether an archive has pages",
    "It lists more in pages of 64",
    "`cubinet` lists up to 64 modules in the root",
    "A root has 32 bytes (64 if it is signed)",
    "An image that needs symbols has to be linked",
    "Launch bounds are the sides, 32 bits each",
    "If a reader does not know the kind of a hidden parameter",
    "Digests detect damage",
    "A program loads the parts that it needs",
    "A reader of an older version refuses the module",
    "An image's number counts the images before it",
    "A signature also detects that somebody altered",
    "So a signature of the root covers everything",
    "It copies what it uses and checks the copy",

    /* What text may hold, and how much a reader lets it and compressed blocks take:
     * tests/unit/loader/core/archive has a test of each limit, at it and beyond (test_archive_text.c,
     * test_archive_limits.c). */
    "Strings are text for people to read",
    "They contain no control characters",
    "Only the options of a source contain line feeds",
    "No string starts inside a character",
    "The records of a module take together at most 64 bytes",
    "Each of these four counts only if it takes more",
    "What counts in all modules together takes at most",
    "There, the names of a tuning count only as far as", /* test_tunings.c */
    "A reader counts the modules that it has read.",
    "All images take together at most 256 times the size", /* test_image_budget.c */
    "Each image or part counts with its raw size",
    "If others have the same stored bytes",
    "A reader that uses single images need not check this",
    "This counts the name and expression of a kernel",
    "Each string counts with its NUL",
    "Without them, a few bytes could keep a reader",
    "The raw size of a block is at most 64 times its stored size",
    "The raw sizes of all compressed blocks are together",
    "A reader that keeps blocks in memory counts",
    "The program's limit holds for compressed blocks",

    /* Heads of tables, and what a table is of. */
    "| entry | content |",
    "| offset | size | |",
    "| offset | | offset | |",
    "| id | set | table | stride | |",
    "**images**",
    "**properties**: what the makers say about the archive",
    "**resources**: what one kernel needs",
    "**pieces**: what images define for other images",
    "**symbols**: functions, except kernels",
    "**launches**: how kernels are launched",
    "**hidden parameters**: parameters that callers leave out",
    "**parameter names**: the names and types of parameters",

    /* What every case goes by: an archive that did otherwise would break others of these sentences. */
    "All integers are little-endian",
    "offsets and sizes are in bytes",
    "The index is a root table set",
    "The root lists the modules or",
    "Every member is 32 bits",
    "so module number *i* of the archive",
    "A *seal* is a BLAKE2b digest of 32 bytes",
    "The digest covers, one after the other",
    "The root's own digest is computed after the signatures",
    "Signatures do not cover the zip structure",
    "When it first uses a page: the page's digest",
    "A reader trusts nothing before it has checked it",
    "The images, kernels, parameters and strings that its rows name",
    "When it first uses a module: the block's digest",

    /* What an archive may do, as the sound ones here do. */
    "in an archive of small modules, an entry for every image",
    "Rows may share lists of parameters",
    "Kernels of LTO-IR can have rows, too",

    /* Nothing in an archive says it: an archive can't tell that a page is compressed, or what was hashed. */
    "It is not compressed",
    "in rows of 76 bytes, 12: SHA-256 of the source",
    "The latter hashes the SHA-256 of each compiled file",
    "Zeros mean that a digest is not recorded",

    /* Shown by other tests: test_zip_writer.c and the command's pack_large, test_archive_damage.c,
     * test_signature.c, the golden archive of 1.0, test_archive_bases.c and test_archive_memory.c. */
    "Archives above 4 GiB use zip64",
    "The strings of a table, other than the archive table",
    "Public keys have minisign's format",
    "In rows of version 1.0",
    "When it uses an image: the digest of its stored bytes",
    "If they are a zstd frame, the reader compares",
    "If the image has a base, it checks the base first",
    "A reader decompresses a frame in one step",
    "The limit is the program's own",

    /* Shown by test_dependency.c: what a reader makes of it. */
    "So in an archive of 1.6 a kernel of a cubin or of PTX without bit 2 never waits",
    "of a kernel in an older archive, the record does not say",

    /* Shown by test_draft_parts.c: what the writer does about bases that are parts. */
    "In rows of 64 bytes, the base's part is 0",
    "An image of a module without parts has no base in a module with parts",
    "| 64 | 4 | since 1.5, with encoding 2: the number of the base's part",
    "a module with [parts](#parts) shares no bytes",

    /* Of readers; and shown by test_tunings.c. */
    "Readers that suggest no launches skip these tables",
};
const size_t format_explained_count = COUNT(format_explained);

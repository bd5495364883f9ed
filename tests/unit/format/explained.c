/* SPDX-License-Identifier: Apache-2.0 */
/* The sentences that have no case. */
#include "format_cases.h"

#include "unit.h"

const char *const format_explained[] = {
    /* Of readers, writers and the page itself. */
    "This page is enough to write a reader",
    "`cubinet verify` holds an archive to every sentence",
    "`tests/unit/format` has for each such sentence",
    "Nothing else of the zip structure is needed",
    "A reader checks the root when it opens the archive",
    "They detect damage",
    "they do not protect",
    "So whoever looks for a name",
    "Which archives have pages is the writer's choice",
    "`cubinet` lists up to 64 modules in the root",
    "A root has 32 bytes and a name for each page",
    "An image that needs symbols does not load before",
    "They are the sides, 32 bits each",
    "A reader does not launch a kernel with a hidden parameter",
    "Digests find damage",
    "a signature finds whoever alters an archive",
    "So a signature of the root covers everything",
    "It checks copies of what it uses",

    /* What text may hold, and how much a reader lets it and compressed blocks take:
     * tests/unit/loader/core/archive has a test of each limit, at it and beyond (test_archive_text.c,
     * test_archive_limits.c). */
    "Strings are text that people read",
    "They have no control characters",
    "Line feeds are in the options of a source alone",
    "No string starts inside a character",
    "What is told of every image may take 64 bytes",
    "8 bytes for each parameter, as often",
    "and the strings of a source, as often",
    "So nobody compares or prints for hours",
    "Its raw size is at most 64 times its stored size",
    "the raw sizes of all compressed blocks are together",
    "Compressed blocks are held to the program's limit",

    /* Heads of tables, and what a table is of. */
    "| entry | what it is |",
    "| offset | size | |",
    "| offset | | offset | |",
    "| id | set | table | stride | |",
    "**images**",
    "**properties**: what the archive's makers say",
    "**resources**: what one kernel needs",
    "**pieces**: images of which it is recorded",
    "**symbols**: functions (kernels excepted)",
    "**launches**: how kernels are launched",
    "**hidden parameters**: those that callers leave out",
    "**parameter names**: what a kernel's source calls",

    /* What every case goes by: an archive that did otherwise would break others of these sentences. */
    "All integers are little-endian",
    "offsets and sizes are in bytes",
    "The index is a root table set",
    "The root lists the modules or",
    "Every member is 32 bits",
    "so module number *i* of the archive",
    "The digest is that of, one after the other",
    "The root's own digest is made when the signatures are in",
    "The zip structure is covered by no signature",
    "for a page on its first use its digest and the same rules",
    "for a module on its first use the block's digest and the same rules",

    /* What an archive may do, as the sound ones here do. */
    "An entry for every image of an archive of small modules",
    "Lists of parameters may be shared",
    "Kernels of LTO-IR have rows, too",

    /* Nothing in an archive says it: an archive can't tell that a page is compressed, or what was hashed. */
    "It is not compressed",
    "in rows so long 12: SHA-256 of the source",
    "Zeros: not recorded",

    /* Shown by other tests: test_zip_writer.c and the command's pack_large, test_archive_damage.c,
     * test_signature.c, the golden archive of 1.0, test_archive_bases.c and test_archive_memory.c. */
    "Archives above 4 GiB use zip64",
    "But the strings of a table",
    "Keys are minisign's",
    "A public key is the base64 text of 42 bytes",
    "In rows of version 1.0",
    "for an image on its use the digest of its stored bytes",
    "for an image with a base the same of the base first",
    "A compressed block is held to the same limit",
    "A frame is decompressed in one step",
    "The limit is a program's own",
};
const size_t format_explained_count = COUNT(format_explained);

/* SPDX-License-Identifier: Apache-2.0 */
/* How much memory the images of an archive may take together: docs/reference/format.md, "What a reader
 * checks". A program loads one image at a time; subcommands keep many, or read them all. */
#ifndef IMAGE_BUDGET_H
#define IMAGE_BUDGET_H

#include <cubinet/archive.h>

#include <stdint.h>

/* An archive's images may take together that many bytes when they are read. */
uint64_t image_budget(uint64_t archive_size);

/* CUBINET_ERROR_LIMIT if the images of all modules, or of one, are beyond the archive's budget. */
cubinet_status image_budget_check(const cubinet_archive *archive);
cubinet_status image_budget_check_module(const cubinet_archive *archive, uint32_t module);

/* The same of an archive that was just made, with advice for who makes it. */
cubinet_status image_budget_check_written(const cubinet_archive *archive);

#endif

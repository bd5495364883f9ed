/* SPDX-License-Identifier: Apache-2.0 */
#include "show/occupancy_output.h"

#include "base/buffer.h"

enum {
    ROWS = 8,  /* of characters */
    STEPS = 8, /* in a character */
    LABEL_WIDTH = 6,
};

/* A column's part in a row, in eighths of a character. */
static const char *block_character(unsigned eighths)
{
    static const char *const characters[STEPS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    return characters[eighths];
}

/* Height in eighths, never 0 for what runs. */
static unsigned height_of(const cubinet_occupancy *occupancy)
{
    unsigned height = (unsigned)(occupancy->occupancy * ROWS * STEPS + 0.5);
    return height == 0 && occupancy->active_blocks_per_multiprocessor ? 1 : height;
}

static unsigned in_row(unsigned height, unsigned row)
{
    unsigned below = row * STEPS;
    return height <= below ? 0 : height - below >= STEPS ? STEPS : height - below;
}

static void print_row(const struct occupancy_case *item, unsigned row)
{
    struct block_sizes sizes = occupancy_block_sizes(item);
    int width = 0;
    if (row % 2 == 1) {
        width = printf("%*u%% ", LABEL_WIDTH - 2, (row + 1) * 100 / ROWS);
    }
    printf("%*s|", LABEL_WIDTH - width, "");
    unsigned blank = 0; /* printed when something follows: no line ends with spaces */
    for (uint32_t block = sizes.first; block; block = occupancy_next_block(&sizes, block)) {
        cubinet_occupancy occupancy = occupancy_at(item, block);
        unsigned eighths = in_row(height_of(&occupancy), row);
        if (eighths == 0) {
            blank += 2;
            continue;
        }
        printf("%*s%s%s", (int)blank, "", block_character(eighths), block_character(eighths));
        blank = 0;
    }
    putchar('\n');
}

/* Every eighth block size, each under the right end of its column. */
static void print_axis(const struct occupancy_case *item)
{
    enum { EVERY = 8 };
    struct block_sizes sizes = occupancy_block_sizes(item);
    struct buffer labels = {0};
    int column = 0;
    printf("%*s+", LABEL_WIDTH, "");
    for (uint32_t block = sizes.first; block; block = occupancy_next_block(&sizes, block)) {
        printf("--");
        if (++column % EVERY == 0) {
            buffer_printf(&labels, "%*u", 2 * EVERY, block);
        }
    }
    if (column < EVERY) {
        buffer_printf(&labels, "%*u", 2 * column, sizes.last);
    }
    printf("\n%*s%s  threads in a block\n", LABEL_WIDTH + 1, "", labels.failed ? "" : labels.data);
    buffer_free(&labels);
}

static void print_case(const struct occupancy_case *item)
{
    char place[CASE_PLACE_SIZE];
    char limiter[CUBINET_LIMITER_TEXT_SIZE];
    uint32_t block;
    cubinet_occupancy best = occupancy_best(item, &block);
    printf("%s in module %s, %s: %u registers, %u bytes of shared memory\n",
           listing_kernel_name(item->module, item->kernel), item->module->name, occupancy_place(item, place),
           item->resources.registers, item->resources.static_shared_bytes + item->dynamic_shared_bytes);
    for (unsigned row = ROWS; row > 0; row--) {
        print_row(item, row - 1);
    }
    print_axis(item);
    if (block) {
        printf("  best: %.1f%% with %u threads, limited by %s\n", 100 * best.occupancy, block,
               occupancy_limiter(&best, limiter));
    } else {
        printf("  no block size runs, limited by %s\n", occupancy_limiter(&best, limiter));
    }
}

cubinet_status occupancy_print_plot(const struct occupancy_cases *cases)
{
    for (size_t i = 0; i < cases->count; i++) {
        if (i > 0) {
            putchar('\n');
        }
        print_case(&cases->items[i]);
    }
    return CUBINET_OK;
}

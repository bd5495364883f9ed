/* SPDX-License-Identifier: Apache-2.0 */
#include "show/occupancy_output.h"

#include "base/text_table.h"

/* One block size: a line for each case. */

static void add_case(struct text_table *table, const struct occupancy_case *item,
                     const struct occupancy_request *request)
{
    char place[CASE_PLACE_SIZE];
    char limiter[CUBINET_LIMITER_TEXT_SIZE];
    cubinet_occupancy occupancy = occupancy_at(item, request->block_threads);
    text_table_add(table, "%s", item->module->name);
    text_table_add(table, "%s", listing_kernel_name(item->module, item->kernel));
    text_table_add(table, "%s", occupancy_place(item, place));
    text_table_add(table, "%u", item->resources.registers);
    text_table_add(table, "%u", item->resources.static_shared_bytes + item->dynamic_shared_bytes);
    text_table_add(table, "%u", occupancy.active_blocks_per_multiprocessor);
    text_table_add(table, "%u of %u", occupancy.active_warps_per_multiprocessor,
                   occupancy.max_warps_per_multiprocessor);
    text_table_add(table, "%.1f%%", 100 * occupancy.occupancy);
    text_table_add(table, "%s", occupancy_limiter(&occupancy, limiter));
}

static void add_headings(struct text_table *table, const char *const *headings)
{
    for (; *headings; headings++) {
        text_table_add(table, "%s", *headings);
    }
}

static cubinet_status print_block(const struct occupancy_cases *cases,
                                  const struct occupancy_request *request)
{
    static const char *const headings[] = {"MODULE", "KERNEL", "TARGET",    "REGISTERS", "SHARED",
                                           "BLOCKS", "WARPS",  "OCCUPANCY", "LIMITER",   NULL};
    struct text_table table = {.alignment = "lllrrrrrl"};
    add_headings(&table, headings);
    for (size_t i = 0; i < cases->count; i++) {
        add_case(&table, &cases->items[i], request);
    }
    return text_table_print(&table, 0, stdout);
}

/* The curve of a kernel on one architecture: a line for each block size, with everything. */

static cubinet_status print_curve(const struct occupancy_case *item)
{
    static const char *const headings[] = {"BLOCK", "BLOCKS", "WARPS", "OCCUPANCY", "LIMITER", NULL};
    struct text_table table = {.alignment = "rrrrl"};
    struct block_sizes sizes = occupancy_block_sizes(item);
    add_headings(&table, headings);
    for (uint32_t block = sizes.first; block; block = occupancy_next_block(&sizes, block)) {
        char limiter[CUBINET_LIMITER_TEXT_SIZE];
        cubinet_occupancy occupancy = occupancy_at(item, block);
        text_table_add(&table, "%u", block);
        text_table_add(&table, "%u", occupancy.active_blocks_per_multiprocessor);
        text_table_add(&table, "%u", occupancy.active_warps_per_multiprocessor);
        text_table_add(&table, "%.1f%%", 100 * occupancy.occupancy);
        text_table_add(&table, "%s", occupancy_limiter(&occupancy, limiter));
    }
    return text_table_print(&table, 2, stdout);
}

/* The curves of a kernel side by side: a column for each architecture, a letter for each limiter. */

static void add_letters(struct text_table *table, const cubinet_occupancy *occupancy)
{
    static const struct {
        cubinet_occupancy_limiter bit;
        char letter;
    } letters[] = {
        {CUBINET_LIMITER_REGISTERS, 'R'}, {CUBINET_LIMITER_SHARED_MEMORY, 'S'},
        {CUBINET_LIMITER_WARPS, 'W'},     {CUBINET_LIMITER_BLOCKS, 'B'},
        {CUBINET_LIMITER_BARRIERS, 'N'},  {CUBINET_LIMITER_BLOCK_SIZE, 'X'},
    };
    enum { COUNT = sizeof(letters) / sizeof(letters[0]) };
    char text[COUNT + 1] = "";
    size_t size = 0;
    for (size_t i = 0; i < COUNT; i++) {
        if (occupancy->limiters & letters[i].bit) {
            text[size++] = letters[i].letter;
        }
    }
    text_table_add(table, "%.1f%%", 100 * occupancy->occupancy);
    text_table_add(table, "%s", text);
}

enum { MAX_COLUMNS = 64 };

static void add_row(struct text_table *table, const struct occupancy_case *items, size_t count,
                    uint32_t block)
{
    text_table_add(table, "%u", block);
    for (size_t i = 0; i < count; i++) {
        cubinet_occupancy occupancy = occupancy_at(&items[i], block);
        add_letters(table, &occupancy);
    }
}

/* The source's launch bounds are the same for all, but the registers of one may allow larger blocks. */
static struct block_sizes widest_sizes(const struct occupancy_case *items, size_t count)
{
    struct block_sizes widest = occupancy_block_sizes(&items[0]);
    for (size_t i = 1; i < count; i++) {
        struct block_sizes sizes = occupancy_block_sizes(&items[i]);
        widest = sizes.last > widest.last ? sizes : widest;
    }
    return widest;
}

static cubinet_status print_curves(const struct occupancy_case *items, size_t count)
{
    char alignment[2 * MAX_COLUMNS + 2] = "r"; /* then a number and letters for each */
    for (size_t i = 0; i < count; i++) {
        alignment[2 * i + 1] = 'r';
        alignment[2 * i + 2] = 'l';
    }
    struct text_table table = {.alignment = alignment};
    text_table_add(&table, "BLOCK");
    for (size_t i = 0; i < count; i++) {
        char place[CASE_PLACE_SIZE];
        text_table_add(&table, "%s", occupancy_place(&items[i], place));
        text_table_add(&table, "%s", "");
    }
    text_table_add(&table, "registers");
    for (size_t i = 0; i < count; i++) {
        text_table_add(&table, "%u", items[i].resources.registers);
        text_table_add(&table, "%s", "");
    }
    struct block_sizes sizes = widest_sizes(items, count);
    for (uint32_t block = sizes.first; block; block = occupancy_next_block(&sizes, block)) {
        add_row(&table, items, count, block);
    }
    return text_table_print(&table, 2, stdout);
}

/* Those that there are. */
static void print_spills_and_barriers(const cubinet_kernel_resources *resources)
{
    if (resources->spill_store_bytes != CUBINET_UNKNOWN && resources->spill_store_bytes) {
        printf(", %u bytes of spill stores, %u of loads", resources->spill_store_bytes,
               resources->spill_load_bytes);
    }
    if (resources->barriers != CUBINET_UNKNOWN && resources->barriers) {
        printf(", %u named barrier%s", resources->barriers, resources->barriers == 1 ? "" : "s");
    }
}

static void print_title(const struct occupancy_case *item, bool alone)
{
    char place[CASE_PLACE_SIZE];
    printf("%s in module %s", listing_kernel_name(item->module, item->kernel), item->module->name);
    if (alone) {
        printf(", %s: %u registers", occupancy_place(item, place), item->resources.registers);
    }
    printf("%s %u bytes of shared memory", alone ? "," : ":",
           item->resources.static_shared_bytes + item->dynamic_shared_bytes);
    if (alone) {
        print_spills_and_barriers(&item->resources);
    }
    putchar('\n');
}

static cubinet_status print_kernel(const struct occupancy_case *items, size_t count)
{
    print_title(items, count == 1);
    if (count == 1) {
        return print_curve(items);
    }
    cubinet_status status = CUBINET_OK;
    while (!status && count > 0) {
        size_t columns = count < MAX_COLUMNS ? count : MAX_COLUMNS;
        status = print_curves(items, columns);
        items += columns;
        count -= columns;
    }
    return status;
}

cubinet_status occupancy_print(const struct occupancy_cases *cases, const struct occupancy_request *request)
{
    if (request->block_threads) {
        return print_block(cases, request);
    }
    cubinet_status status = CUBINET_OK;
    bool letters = false;
    for (size_t i = 0; !status && i < cases->count;) {
        size_t end = occupancy_cases_same_kernel(cases, i);
        if (i > 0) {
            putchar('\n');
        }
        letters = letters || end - i > 1;
        status = print_kernel(&cases->items[i], end - i);
        i = end;
    }
    if (letters) {
        puts("\nlimited by R: registers; S: shared memory; W: warps; B: blocks; N: named barriers; "
             "X: the kernel allows no such block");
    }
    return status;
}

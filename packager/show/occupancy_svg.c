/* SPDX-License-Identifier: Apache-2.0 */
#include "show/occupancy_output.h"

#include "base/buffer.h"
#include "base/file.h"
#include "loader/core/support/error.h"
#include "loader/core/support/text.h"

#include <stdlib.h>
#include <string.h>

/* A panel for each kernel, one below the other; measures in pixels. */
enum {
    WIDTH = 960,
    TITLE = 40, /* above the plot */
    PLOT_LEFT = 56,
    PLOT_WIDTH = 560,
    PLOT_HEIGHT = 220,
    AXIS = 56, /* below the plot */
    PANEL = TITLE + PLOT_HEIGHT + AXIS,
    LEGEND_LINE = 20,
    COLOURS = 8,
};

/* Curves often coincide, so each has its own dashes beside its colour. */
static const char style[] =
    "<style>\n"
    "text{font:13px system-ui,sans-serif;fill:#1f2328}\n"
    ".title{font-weight:600;font-size:15px}\n"
    ".page{fill:#fff}.grid{stroke:#d0d7de}.axis{stroke:#656d76}\n"
    ".curve{fill:none;stroke-width:2.5}\n"
    ".c0{stroke:#0969da}.c1{stroke:#bc4c00}.c2{stroke:#1a7f37}.c3{stroke:#8250df}\n"
    ".c4{stroke:#bf3989}.c5{stroke:#7d6200}.c6{stroke:#cf222e}.c7{stroke:#0b7285}\n"
    ".c1{stroke-dasharray:9 4}.c2{stroke-dasharray:3 3}.c3{stroke-dasharray:12 3 3 3}\n"
    ".c4{stroke-dasharray:6 6}.c5{stroke-dasharray:2 5}.c6{stroke-dasharray:14 6}\n"
    ".c7{stroke-dasharray:9 3 2 3 2 3}\n"
    "@media (prefers-color-scheme:dark){\n"
    "text{fill:#e6edf3}.page{fill:#0d1117}.grid{stroke:#30363d}.axis{stroke:#8d96a0}\n"
    ".c0{stroke:#58a6ff}.c1{stroke:#f0883e}.c2{stroke:#3fb950}.c3{stroke:#bc8cff}\n"
    ".c4{stroke:#f778ba}.c5{stroke:#e3b341}.c6{stroke:#ff7b72}.c7{stroke:#56d4dd}\n"
    "}\n"
    "</style>\n";

/* Text of an archive: nobody has vouched for it. */
static void append_text(struct buffer *svg, const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        size_t size = cbn_text_character(text, left);
        unsigned char byte = (unsigned char)*text;
        if (byte == '<' || byte == '>' || byte == '&' || byte == '"') {
            buffer_printf(svg, "&#%u;", byte);
        } else if (cbn_text_plain(text, size, 0) < size || size == 0) {
            buffer_puts(svg, "\xef\xbf\xbd");
        } else {
            buffer_append(svg, text, size);
        }
        text += size ? size : 1;
        left -= size ? size : 1;
    }
}

static double x_of(uint32_t block, uint32_t last)
{
    return PLOT_LEFT + (double)PLOT_WIDTH * block / last;
}

static double y_of(double occupancy)
{
    return TITLE + PLOT_HEIGHT * (1 - occupancy);
}

static void append_grid(struct buffer *svg, uint32_t last)
{
    for (int percent = 0; percent <= 100; percent += 25) {
        double y = y_of(percent / 100.0);
        buffer_printf(svg,
                      "<line class=\"%s\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>"
                      "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%d%%</text>\n",
                      percent ? "grid" : "axis", PLOT_LEFT, PLOT_LEFT + PLOT_WIDTH, y, y, PLOT_LEFT - 8,
                      y + 4, percent);
    }
    for (uint32_t block = last / 8; block && block <= last; block += last / 8) {
        buffer_printf(svg, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%u</text>\n", x_of(block, last),
                      TITLE + PLOT_HEIGHT + 20, block);
    }
    buffer_printf(svg, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">threads in a block</text>\n",
                  PLOT_LEFT + PLOT_WIDTH / 2, TITLE + PLOT_HEIGHT + 42);
}

static void append_curve(struct buffer *svg, const struct occupancy_case *item, size_t colour)
{
    struct block_sizes sizes = occupancy_block_sizes(item);
    uint32_t last = item->limits.max_threads_per_block;
    if (sizes.first == sizes.last) { /* the only block size */
        cubinet_occupancy occupancy = occupancy_at(item, sizes.first);
        buffer_printf(svg, "<circle class=\"curve c%zu\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", colour,
                      x_of(sizes.first, last), y_of(occupancy.occupancy));
        return;
    }
    buffer_printf(svg, "<polyline class=\"curve c%zu\" points=\"", colour);
    for (uint32_t block = sizes.first; block; block = occupancy_next_block(&sizes, block)) {
        cubinet_occupancy occupancy = occupancy_at(item, block);
        if (occupancy.active_blocks_per_multiprocessor) {
            buffer_printf(svg, " %.1f,%.1f", x_of(block, last), y_of(occupancy.occupancy));
        }
    }
    buffer_puts(svg, "\"/>\n");
}

static void append_legend(struct buffer *svg, const struct occupancy_case *item, size_t line, size_t colour)
{
    char place[CASE_PLACE_SIZE];
    uint32_t block;
    cubinet_occupancy best = occupancy_best(item, &block);
    int y = TITLE + 8 + LEGEND_LINE * (int)line;
    buffer_printf(svg,
                  "<line class=\"curve c%zu\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>"
                  "<text x=\"%d\" y=\"%d\">%s: %u registers, best %.0f%%</text>\n",
                  colour, PLOT_LEFT + PLOT_WIDTH + 16, PLOT_LEFT + PLOT_WIDTH + 44, y, y,
                  PLOT_LEFT + PLOT_WIDTH + 52, y + 4, occupancy_place(item, place), item->resources.registers,
                  100 * best.occupancy);
}

/* As high as its plot or, with many architectures, its legend. */
static int panel_height(size_t count)
{
    int legend = TITLE + LEGEND_LINE * (int)count;
    return legend > PANEL ? legend : PANEL;
}

static void append_panel(struct buffer *svg, const struct occupancy_case *items, size_t count, int top)
{
    buffer_printf(svg, "<g transform=\"translate(0,%d)\">\n<text class=\"title\" x=\"%d\" y=\"24\">", top,
                  PLOT_LEFT);
    append_text(svg, listing_kernel_name(items->module, items->kernel));
    buffer_puts(svg, " in ");
    append_text(svg, items->module->name);
    buffer_printf(svg, ", %u bytes of shared memory</text>\n",
                  items->resources.static_shared_bytes + items->dynamic_shared_bytes);
    append_grid(svg, items->limits.max_threads_per_block);
    for (size_t i = 0; i < count; i++) {
        append_curve(svg, &items[i], i % COLOURS);
        append_legend(svg, &items[i], i, i % COLOURS);
    }
    buffer_puts(svg, "</g>\n");
}

static int total_height(const struct occupancy_cases *cases)
{
    int height = 0;
    for (size_t i = 0; i < cases->count;) {
        size_t end = occupancy_cases_same_kernel(cases, i);
        height += panel_height(end - i);
        i = end;
    }
    return height;
}

cubinet_status occupancy_write_svg(const struct occupancy_cases *cases, const char *path)
{
    int height = total_height(cases);
    struct buffer svg = {0};
    buffer_printf(&svg,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                  "height=\"%d\" role=\"img\" aria-label=\"Occupancy by block size\">\n",
                  WIDTH, height, WIDTH, height);
    buffer_puts(&svg, style);
    buffer_puts(&svg, "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
    int top = 0;
    for (size_t i = 0; i < cases->count;) {
        size_t end = occupancy_cases_same_kernel(cases, i);
        append_panel(&svg, &cases->items[i], end - i, top);
        top += panel_height(end - i);
        i = end;
    }
    buffer_puts(&svg, "</svg>\n");
    cubinet_status status = svg.failed ? cbn_error_memory() : file_replace(path, svg.data, svg.size);
    buffer_free(&svg);
    return status;
}

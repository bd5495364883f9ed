/* SPDX-License-Identifier: Apache-2.0 */
#include "show/explain_tunings.h"

#include "base/json_output.h"
#include "base/text_table.h"
#include "loader/core/support/error.h"
#include "show/tuning_show.h"

#include <stdlib.h>
#include <string.h>

enum fate { USED, OF_OTHER_IMAGE, VOID };

/* Records that differ in their extents alone. */
struct group {
    cubinet_tuning first;
    uint32_t count;
    enum fate fate;
};

struct groups {
    struct group *items;
    size_t count;
};

static enum fate fate_of(const cubinet_tuning *tuning, const struct ranking *ranking)
{
    if (tuning->image == CUBINET_UNKNOWN) {
        return VOID;
    }
    bool is_chosen = ranking->candidates > 0 && ranking->verdicts[0].image == tuning->image;
    return is_chosen ? USED : OF_OTHER_IMAGE;
}

/* Records come in the order of what was tuned, GPU and target. */
static bool belongs(const struct group *group, const cubinet_tuning *tuning, enum fate fate)
{
    const cubinet_tuning *first = &group->first;
    return first->what == tuning->what && strcmp(first->gpu, tuning->gpu) == 0 &&
           first->multiprocessor_count == tuning->multiprocessor_count &&
           cubinet_target_compare(first->target, tuning->target) == 0 && group->fate == fate;
}

static cubinet_status list_groups(const struct explain *explain, const struct listing_module *module,
                                  const struct ranking *ranking, const cubinet_device_profile *device,
                                  struct groups *out_groups)
{
    uint32_t count = 0;
    const cubinet_archive *archive = explain->shown->archive;
    cubinet_status status = cubinet_archive_get_tuning_count(archive, module->number, &count);
    struct groups groups = {calloc((size_t)count + 1, sizeof(*groups.items)), 0};
    status = status || groups.items ? status : cbn_error_memory();
    for (uint32_t i = 0; !status && i < count; i++) {
        cubinet_tuning tuning = {.size = sizeof(tuning)};
        status = cubinet_archive_get_tuning(archive, module->number, i, &tuning);
        if (status || tuning.compute != (uint32_t)(10 * device->compute_major + device->compute_minor)) {
            continue;
        }
        enum fate fate = fate_of(&tuning, ranking);
        if (groups.count == 0 || !belongs(&groups.items[groups.count - 1], &tuning, fate)) {
            groups.items[groups.count++] = (struct group){.first = tuning, .fate = fate};
        }
        groups.items[groups.count - 1].count++;
    }
    if (status) {
        free(groups.items);
        return status;
    }
    *out_groups = groups;
    return CUBINET_OK;
}

static void append_reason(const struct listing_module *module, const struct group *group,
                          const struct ranking *ranking, struct buffer *text)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    if (group->fate == USED) {
        buffer_puts(text, "used on that GPU");
    } else if (group->fate == VOID) {
        buffer_puts(text, "void: ");
        tuning_append_void(module, &group->first, text);
    } else if (ranking->candidates > 0) {
        buffer_printf(text, "not used: %s is chosen",
                      cubinet_target_name(module->images[ranking->verdicts[0].image].target, name));
    } else {
        buffer_puts(text, "not used: no image runs");
    }
}

static void add_group(struct text_table *table, const struct listing_module *module,
                      const struct group *group, const struct ranking *ranking)
{
    char name[CUBINET_TARGET_NAME_SIZE];
    struct buffer reason = {0};
    append_reason(module, group, ranking, &reason);
    text_table_add(table, "tuned");
    text_table_add(table, "%s", tuning_kernel_name(module, group->first.what));
    text_table_add(table, "%s, %u SMs", group->first.gpu, group->first.multiprocessor_count);
    text_table_add(table, "%s", cubinet_target_name(group->first.target, name));
    text_table_add(table, "%u extent%s", group->count, group->count == 1 ? "" : "s");
    text_table_add(table, "%s", reason.size ? reason.data : "");
    table->cells.failed = table->cells.failed || reason.failed;
    buffer_free(&reason);
}

cubinet_status explain_tunings_print(const struct explain *explain, const struct listing_module *module,
                                     const struct ranking *ranking, const cubinet_device_profile *device)
{
    struct groups groups = {0};
    struct text_table table = {.alignment = "llllll"};
    cubinet_status status = list_groups(explain, module, ranking, device, &groups);
    for (size_t i = 0; !status && i < groups.count; i++) {
        add_group(&table, module, &groups.items[i], ranking);
    }
    free(groups.items);
    return status || groups.count == 0 ? status : text_table_print(&table, 2, stdout);
}

static json_t *group_json(const struct listing_module *module, const struct group *group,
                          const struct ranking *ranking)
{
    static const char *const words[] = {[USED] = "used", [OF_OTHER_IMAGE] = "other-image", [VOID] = "void"};
    struct buffer reason = {0};
    append_reason(module, group, ranking, &reason);
    return json_pack("{s:o, s:o, s:I, s:o, s:I, s:s, s:o}", "what", json_output_text(group->first.what),
                     "gpu", json_output_text(group->first.gpu), "multiprocessors",
                     (json_int_t)group->first.multiprocessor_count, "target",
                     json_output_target(group->first.target), "extents", (json_int_t)group->count, "verdict",
                     words[group->fate], "reason", json_output_buffer(&reason));
}

cubinet_status explain_tunings_json(const struct explain *explain, const struct listing_module *module,
                                    const struct ranking *ranking, const cubinet_device_profile *device,
                                    json_t **out_array)
{
    struct groups groups = {0};
    cubinet_status status = list_groups(explain, module, ranking, device, &groups);
    json_t *array = json_array();
    for (size_t i = 0; !status && i < groups.count; i++) {
        json_array_append_new(array, group_json(module, &groups.items[i], ranking));
    }
    free(groups.items);
    *out_array = array;
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/driver/launch_attributes.h"

#include "loader/core/support/error.h"
#include "loader/core/support/sized.h"
#include "loader/core/support/volume.h"
#include "loader/driver/launch_config.h"

#include <string.h>

/* Attributes that drivers older than these do not have. */
enum {
    COMPLETION_EVENT_SINCE = 12030,
    DEVICE_UPDATABLE_SINCE = 12040,
    PREFERRED_CLUSTER_SINCE = 12080,
};

static cubinet_status refuse(const cubinet_kernel *kernel, const char *why)
{
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT, "kernel '%s': %s", cbn_kernel_expression(kernel), why);
}

static cubinet_status need_release(const cubinet_kernel *kernel, bool is_asked, const char *what, int since)
{
    int version = kernel->module->driver->version;
    if (!is_asked || version >= since) {
        return CUBINET_OK;
    }
    return cbn_error(CUBINET_ERROR_DRIVER_TOO_OLD,
                     "kernel '%s': %s needs a driver for CUDA %d.%d or later; this one is for %d.%d",
                     cbn_kernel_expression(kernel), what, since / 1000, since % 1000 / 10, version / 1000,
                     version % 1000 / 10);
}

static cubinet_status check_releases(const cubinet_kernel *kernel, const cubinet_launch_attributes *known)
{
    cubinet_status status = need_release(kernel, known->completion_event != NULL, "a launch-completion event",
                                         COMPLETION_EVENT_SINCE);
    if (!status) {
        status = need_release(kernel, (known->flags & CUBINET_ATTRIBUTE_DEVICE_UPDATABLE) != 0,
                              "a node that kernels update", DEVICE_UPDATABLE_SINCE);
    }
    if (!status) {
        status = need_release(kernel, cbn_volume(known->preferred_cluster) > 0, "a preferred cluster",
                              PREFERRED_CLUSTER_SINCE);
    }
    return status;
}

/* A value without the flag, or the event, that makes it count. */
static const char *find_useless(const cubinet_launch_attributes *known)
{
    if (known->priority && !(known->flags & CUBINET_ATTRIBUTE_PRIORITY)) {
        return "attributes have a priority, and not the flag CUBINET_ATTRIBUTE_PRIORITY";
    }
    if (known->memory_domain && !(known->flags & CUBINET_ATTRIBUTE_MEMORY_DOMAIN)) {
        return "attributes have a memory domain, and not the flag CUBINET_ATTRIBUTE_MEMORY_DOMAIN";
    }
    if ((known->memory_domain_map[0] || known->memory_domain_map[1]) &&
        !(known->flags & CUBINET_ATTRIBUTE_MEMORY_DOMAIN_MAP)) {
        return "attributes have a map of memory domains, and not the flag "
               "CUBINET_ATTRIBUTE_MEMORY_DOMAIN_MAP";
    }
    if (!known->programmatic_event &&
        (known->programmatic_event_flags || (known->flags & CUBINET_ATTRIBUTE_TRIGGER_AT_START))) {
        return "attributes have flags of a programmatic event, and programmatic_event is NULL";
    }
    if (!known->completion_event && known->completion_event_flags) {
        return "attributes have flags of a launch-completion event, and completion_event is NULL";
    }
    if (known->out_device_node && !(known->flags & CUBINET_ATTRIBUTE_DEVICE_UPDATABLE)) {
        return "attributes have an out_device_node, and not the flag CUBINET_ATTRIBUTE_DEVICE_UPDATABLE";
    }
    return NULL;
}

static const char *find_wrong(const cubinet_launch_attributes *known)
{
    if (known->cluster_scheduling > CUBINET_CLUSTERS_BALANCED) {
        return "cluster_scheduling is none of cubinet_cluster_scheduling";
    }
    if (known->memory_domain > CUBINET_DOMAIN_REMOTE) {
        return "memory_domain is none of cubinet_memory_domain";
    }
    if (known->memory_domain_map[0] > UINT8_MAX || known->memory_domain_map[1] > UINT8_MAX) {
        return "memory_domain_map has a number above 255, and no device has so many domains";
    }
    if (known->driver_attribute_count > CBN_MOST_DRIVER_ATTRIBUTES) {
        return "driver_attribute_count is more than 16";
    }
    if (known->driver_attribute_count > 0 && !known->driver_attributes) {
        return "driver_attribute_count is not 0, and driver_attributes is NULL";
    }
    return find_useless(known);
}

/* Attributes for which there are members would be there twice. */
static bool has_member(unsigned int id)
{
    return id == CBN_CU_LAUNCH_COOPERATIVE ||
           (id >= CBN_CU_LAUNCH_CLUSTER_DIMENSION && id <= CBN_CU_LAUNCH_DEVICE_UPDATABLE_KERNEL_NODE);
}

static cubinet_status check_driver_attributes(const cubinet_kernel *kernel,
                                              const cubinet_launch_attributes *known)
{
    const cbn_cu_launch_attribute *list = known->driver_attributes;
    for (uint32_t i = 0; i < known->driver_attribute_count; i++) {
        if (has_member(list[i].id)) {
            return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                             "kernel '%s': driver_attributes has one of id %u, for which the configuration "
                             "or its attributes have a member: set that",
                             cbn_kernel_expression(kernel), list[i].id);
        }
    }
    return CUBINET_OK;
}

cubinet_status cbn_attributes_read(const cubinet_kernel *kernel, cubinet_launch_config *config,
                                   cubinet_launch_attributes *known)
{
    static const uint32_t known_flags =
        CUBINET_ATTRIBUTE_TRIGGER_AT_START | CUBINET_ATTRIBUTE_PRIORITY | CUBINET_ATTRIBUTE_MEMORY_DOMAIN |
        CUBINET_ATTRIBUTE_MEMORY_DOMAIN_MAP | CUBINET_ATTRIBUTE_DEVICE_UPDATABLE;
    if (!config->attributes) {
        return CUBINET_OK;
    }
    cubinet_status status =
        cbn_sized_read(config->attributes, "cubinet_launch_attributes", known, sizeof(*known));
    if (!status) {
        status = cbn_flags_check("cubinet_launch_attributes", known->flags, known_flags, 0);
    }
    if (status) {
        return status;
    }
    config->attributes = known;
    const char *wrong = find_wrong(known);
    if (wrong) {
        return refuse(kernel, wrong);
    }
    status = check_driver_attributes(kernel, known);
    return status ? status : check_releases(kernel, known);
}

static cubinet_status check_preferred(const cubinet_kernel *kernel, const struct cbn_launch *launch)
{
    const uint32_t *preferred = launch->more->preferred_cluster;
    if (!cbn_volume(preferred)) {
        return CUBINET_OK;
    }
    if (!launch->cluster[0]) {
        return refuse(kernel, "a preferred cluster needs a cluster, which the device uses where it has no "
                              "room for the preferred one");
    }
    for (int i = 0; i < 3; i++) {
        uint32_t side = preferred[i] ? preferred[i] : 1;
        if (side % launch->cluster[i] || launch->grid[i] % side) {
            return cbn_error(CUBINET_ERROR_LIMIT,
                             "kernel '%s': preferred cluster dimension %c is %u, which must be a multiple of "
                             "the cluster's %u and divide the grid's %u",
                             cbn_kernel_expression(kernel), "xyz"[i], side, launch -> cluster[i],
                             launch -> grid[i]);
        }
    }
    return CUBINET_OK;
}

/* Devices before 9.0 let no kernel start early. What tile kernels do, their code does not show. */
static cubinet_status check_waits(const cubinet_kernel *kernel)
{
    enum { FIRST_MAJOR = 9 };
    const struct cubinet_module *module = kernel->module;
    if (!kernel->never_waits || module->device->compute_major < FIRST_MAJOR || module->is_tiles) {
        return CUBINET_OK;
    }
    char target[CUBINET_TARGET_NAME_SIZE];
    cubinet_image_info info = {.size = sizeof(info)};
    cubinet_module_get_image(module, &info);
    return cbn_error(CUBINET_ERROR_INVALID_ARGUMENT,
                     "kernel '%s' never waits for the kernel before it: its code (%s) has no "
                     "cudaGridDependencySynchronize(), so a programmatic launch could read what that kernel "
                     "has not written yet. Call it in the kernel, launch without "
                     "CUBINET_LAUNCH_PROGRAMMATIC, or, if the two share no data, add "
                     "CUBINET_LAUNCH_WITHOUT_WAIT",
                     cbn_kernel_expression(kernel), cubinet_target_name(info.target, target));
}

cubinet_status cbn_attributes_check(const cubinet_kernel *kernel, const cubinet_launch_config *config,
                                    const struct cbn_launch *launch)
{
    if ((config->flags & CUBINET_LAUNCH_WITHOUT_WAIT) && !launch->programmatic) {
        return refuse(kernel, "the flag CUBINET_LAUNCH_WITHOUT_WAIT is for launches with "
                              "CUBINET_LAUNCH_PROGRAMMATIC");
    }
    if (launch->programmatic && !(config->flags & CUBINET_LAUNCH_WITHOUT_WAIT)) {
        cubinet_status status = check_waits(kernel);
        if (status) {
            return status;
        }
    }
    return launch->more ? check_preferred(kernel, launch) : CUBINET_OK;
}

cubinet_status cbn_attributes_suit_node(const cubinet_kernel *kernel, const struct cbn_launch *launch)
{
    if (launch->more && (launch->more->programmatic_event || launch->more->completion_event)) {
        return refuse(kernel, "a graph node has no events: they are of launches into streams; in a graph, "
                              "edges say what depends on what");
    }
    return CUBINET_OK;
}

/* The driver's list in the making. */
struct list {
    cbn_cu_launch_attribute *items;
    unsigned int count;
};

static cbn_cu_launch_value *add(struct list *list, unsigned int id)
{
    cbn_cu_launch_attribute *attribute = &list->items[list->count++];
    *attribute = (cbn_cu_launch_attribute){.id = id};
    return &attribute->value;
}

static void put_events(const cubinet_launch_attributes *more, struct list *list)
{
    if (more->programmatic_event) {
        cbn_cu_launch_value *value = add(list, CBN_CU_LAUNCH_PROGRAMMATIC_EVENT);
        value->programmatic_event.event = more->programmatic_event;
        value->programmatic_event.flags = (int)more->programmatic_event_flags;
        value->programmatic_event.at_block_start = (more->flags & CUBINET_ATTRIBUTE_TRIGGER_AT_START) != 0;
    }
    if (more->completion_event) {
        cbn_cu_launch_value *value = add(list, CBN_CU_LAUNCH_LAUNCH_COMPLETION_EVENT);
        value->completion_event.event = more->completion_event;
        value->completion_event.flags = (int)more->completion_event_flags;
    }
}

static void put_clusters(const cubinet_launch_attributes *more, struct list *list)
{
    if (more->cluster_scheduling) {
        add(list, CBN_CU_LAUNCH_CLUSTER_SCHEDULING_POLICY_PREFERENCE)->cluster_scheduling =
            more->cluster_scheduling;
    }
    if (cbn_volume(more->preferred_cluster)) {
        const uint32_t *sides = more->preferred_cluster;
        cbn_cu_launch_value *value = add(list, CBN_CU_LAUNCH_PREFERRED_CLUSTER_DIMENSION);
        value->cluster.x = sides[0];
        value->cluster.y = sides[1] ? sides[1] : 1;
        value->cluster.z = sides[2] ? sides[2] : 1;
    }
}

static void put_rest(const cubinet_launch_attributes *more, struct list *list)
{
    if (more->flags & CUBINET_ATTRIBUTE_PRIORITY) {
        add(list, CBN_CU_LAUNCH_PRIORITY)->priority = more->priority;
    }
    if (more->flags & CUBINET_ATTRIBUTE_MEMORY_DOMAIN_MAP) {
        cbn_cu_launch_value *value = add(list, CBN_CU_LAUNCH_MEM_SYNC_DOMAIN_MAP);
        value->domain_map.default_domain = (unsigned char)more->memory_domain_map[0];
        value->domain_map.remote_domain = (unsigned char)more->memory_domain_map[1];
    }
    if (more->flags & CUBINET_ATTRIBUTE_MEMORY_DOMAIN) {
        add(list, CBN_CU_LAUNCH_MEM_SYNC_DOMAIN)->domain = more->memory_domain;
    }
    if (more->flags & CUBINET_ATTRIBUTE_DEVICE_UPDATABLE) {
        add(list, CBN_CU_LAUNCH_DEVICE_UPDATABLE_KERNEL_NODE)->device_updatable.is_updatable = 1;
    }
    if (more->driver_attribute_count) {
        memcpy(list->items + list->count, more->driver_attributes,
               more->driver_attribute_count * sizeof(*list->items));
        list->count += more->driver_attribute_count;
    }
}

unsigned int cbn_attributes_put(const struct cbn_launch *launch, cbn_cu_launch_attribute *items,
                                unsigned int count)
{
    struct list list = {items, count};
    if (launch->programmatic) {
        add(&list, CBN_CU_LAUNCH_PROGRAMMATIC_STREAM_SERIALIZATION)->programmatic_serialization = 1;
    }
    if (launch->more) {
        put_events(launch->more, &list);
        put_clusters(launch->more, &list);
        put_rest(launch->more, &list);
    }
    return list.count;
}

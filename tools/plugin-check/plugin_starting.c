/* Checks that the plugin loads, starts and describes itself correctly. */
#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "json.h"
#include "outcome.h"
#include "recorder.h"
#include "samples.h"
#include "settings.h"
#include "started.h"

static int is_the_library(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    (void)context;
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash != NULL ? slash + 1 : info->dlpi_name;
    return strncmp(name, "librestway.so", strlen("librestway.so")) == 0;
}

void check_plugin_loads(const void *argument) {
    (void)argument;
    plugin_entry();
    require(
        dl_iterate_phdr(is_the_library, NULL) == 0,
        "links librestway: it must call only the functions of the host's table");
}

void check_plugin_starts(const void *argument) {
    (void)argument;
    plugin_described();
}

void check_plugin_version(const void *argument) {
    (void)argument;
    const restway_plugin plugin = *plugin_described();
    require(
        plugin.abi_major == RESTWAY_PLUGIN_ABI_MAJOR,
        "is made for version %u.%u of the plugin interface; %d.x fits", plugin.abi_major,
        plugin.abi_minor, RESTWAY_PLUGIN_ABI_MAJOR);
}

static void expect_text(const char *text, const char *what) {
    require(text == NULL || is_utf8(text, strlen(text)), "its %s is not UTF-8", what);
}

void check_plugin_texts(const void *argument) {
    (void)argument;
    const restway_plugin plugin = *plugin_described();
    require(name_fault(plugin.name) == NULL, "its name is %s", name_fault(plugin.name));
    expect_text(plugin.version, "version");
    expect_text(plugin.licence, "licence");
    expect_text(plugin.description, "description");
}

void check_plugin_capabilities(const void *argument) {
    (void)argument;
    const restway_plugin plugin = *plugin_described();
    const uint64_t unknown = plugin.required_capabilities & ~plain_host.capabilities;
    require(unknown == 0, "requires unknown capabilities: 0x%llx", (unsigned long long)unknown);
    require(
        plugin.mapper_count == 0 || (plugin.required_capabilities & RESTWAY_PLUGIN_CAN_MAP) != 0
            || plugin.transport_count > 0,
        "provides only mappers, but does not require RESTWAY_PLUGIN_CAN_MAP");
    require(
        plugin.transport_count == 0
            || (plugin.required_capabilities & RESTWAY_PLUGIN_CAN_TRANSPORT) != 0
            || plugin.mapper_count > 0,
        "provides only transports, but does not require RESTWAY_PLUGIN_CAN_TRANSPORT");
}

static void expect_table(const void *table, size_t least, const char *what, size_t index) {
    require(table != NULL, "%s %zu is NULL", what, index);
    size_t size;
    memcpy(&size, table, sizeof size);
    require(
        size >= least && size <= 4096, "%s %zu has the size %zu; the least is %zu", what,
        index, size, least);
}

void check_plugin_tables(const void *argument) {
    (void)argument;
    const restway_plugin plugin = *plugin_described();
    require(
        plugin.struct_size == sizeof plugin, "changes the size of the table that it fills to %zu",
        plugin.struct_size);
    require(
        plugin.mapper_count <= TABLES_MAX && (plugin.mapper_count == 0 || plugin.mappers != NULL),
        "its list of %zu mappers is invalid", plugin.mapper_count);
    require(
        plugin.transport_count <= TABLES_MAX
            && (plugin.transport_count == 0 || plugin.transports != NULL),
        "its list of %zu transports is invalid", plugin.transport_count);
    require(
        plugin.mapper_count + plugin.transport_count > 0, "provides no mapper and no transport");
    for (size_t index = 0; index < plugin.mapper_count; index++) {
        expect_table(
            plugin.mappers[index], offsetof(restway_plugin_mapper, encode), "mapper", index);
    }
    for (size_t index = 0; index < plugin.transport_count; index++) {
        expect_table(
            plugin.transports[index], sizeof(restway_plugin_transport), "transport", index);
    }
}

/* Uses every mapper and transport of the plugin once. The process then exits normally. */
static void end_in_order(const void *argument) {
    (void)argument;
    const started *started = plugin_started();
    for (size_t index = 0; index < started->plugin.mapper_count; index++) {
        const restway_plugin_mapper *mapper = &started->mappers[index];
        if (mapper->decode == NULL || mapper->media_types == NULL) {
            continue; /* The check mapper.table reports this. */
        }
        const samples *samples = samples_if_any(mapper);
        for (size_t body = 0; body < samples->count; body++) {
            doing("it reads %s", samples->list[body].name);
            decode(mapper, samples->list[body].bytes, samples->list[body].length, NULL);
        }
    }
    doing("the process ends");
    exit(0);
}

void check_plugin_exit(const void *argument) {
    in_process_of_its_own(end_in_order, argument);
}

/* Checks with hosts that are older or newer than the plugin. */
#include <stddef.h>
#include <string.h>

#include "checks.h"
#include "guarded.h"
#include "outcome.h"
#include "started.h"

#define MORE 128

/* A copy of the host's table between pages that must not be accessed. */
static restway_plugin_host *host_of(size_t known, size_t more) {
    guarded memory = guarded_make(
        known + more, "using memory before the host's table",
        "using memory after the host's table");
    memcpy(memory.bytes, &plain_host, known);
    memset(memory.bytes + known, 0xA5, more);
    restway_plugin_host *host = (restway_plugin_host *)memory.bytes;
    host->struct_size = known + more;
    return host;
}

static restway_plugin *plugin_of(size_t more) {
    guarded memory = guarded_make(
        sizeof(restway_plugin) + more, "using memory before the plugin's table",
        "using memory after the plugin's table");
    memset(memory.bytes + sizeof(restway_plugin), 0xA5, more);
    restway_plugin *plugin = (restway_plugin *)memory.bytes;
    plugin->struct_size = sizeof *plugin + more;
    return plugin;
}

/* The plugin may refuse with a reason; it must not read beyond the end of the table. */
void check_plugin_older_host(const void *argument) {
    (void)argument;
    restway_plugin_entry_fn entry = plugin_entry();
    restway_plugin_host *host = host_of(offsetof(restway_plugin_host, exchange_head), 0);
    host->capabilities = RESTWAY_PLUGIN_CAN_MAP;
    host->abi_minor = 0;
    restway_plugin *plugin = plugin_of(MORE);
    plugin->struct_size = sizeof *plugin;
    guarded memory = guarded_make(
        sizeof(restway_plugin_reason), "using memory before the reason",
        "using memory after the reason");
    restway_plugin_reason *reason = (restway_plugin_reason *)memory.bytes;
    reason->struct_size = sizeof *reason;
    doing("it starts on a host whose table ends after `log`");
    entry(host, plugin, reason);
}

void check_plugin_newer_host(const void *argument) {
    (void)argument;
    restway_plugin_entry_fn entry = plugin_entry();
    restway_plugin_host *host = host_of(sizeof *host, MORE);
    restway_plugin *plugin = plugin_of(MORE);
    restway_plugin_reason reason = empty_reason();
    host->abi_minor = RESTWAY_PLUGIN_ABI_MINOR + 7;
    host->capabilities = ~0ull;
    doing("it starts on a host whose tables are larger");
    int32_t result = entry(host, plugin, &reason);
    require(
        result == RESTWAY_PLUGIN_OK, "does not start on a newer host, %u.%u: %s", host->abi_major,
        host->abi_minor, reason_text(&reason));
    const unsigned char *behind = (const unsigned char *)(plugin + 1);
    for (size_t index = 0; index < MORE; index++) {
        require(behind[index] == 0xA5, "writes after the end of the plugin's table");
    }
}

#include "started.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "json.h"
#include "outcome.h"
#include "settings.h"

static void no_log(const restway_plugin_host *host, int32_t level, const char *text) {
    (void)host;
    (void)level;
    (void)text;
}

/* The host with which a plugin is started has no exchanges. */
#define MISUSED(result, name, ...)                                                      \
    static result no_##name(__VA_ARGS__) {                                                   \
        check_failed("calls exchange_" #name " of the host that it was started with");  \
    }

MISUSED(void, head, const restway_plugin_host *, uint64_t, const restway_plugin_head *)
MISUSED(int32_t, body, const restway_plugin_host *, uint64_t, const void *, size_t)
MISUSED(
    void, trailers, const restway_plugin_host *, uint64_t, const restway_plugin_header *, size_t)
MISUSED(void, progress, const restway_plugin_host *, uint64_t, int64_t, int64_t, int64_t, int64_t)
MISUSED(void, completed, const restway_plugin_host *, uint64_t, const restway_plugin_end *)
MISUSED(int32_t, read, const restway_plugin_host *, uint64_t, void *, size_t, size_t *)
MISUSED(int32_t, rewind, const restway_plugin_host *, uint64_t)
MISUSED(int32_t, forward, const restway_plugin_host *, uint64_t, const restway_plugin_watcher *)

const restway_plugin_host plain_host = {
    .struct_size = sizeof(restway_plugin_host),
    .abi_major = RESTWAY_PLUGIN_ABI_MAJOR,
    .abi_minor = RESTWAY_PLUGIN_ABI_MINOR,
    .capabilities
    = RESTWAY_PLUGIN_CAN_MAP | RESTWAY_PLUGIN_CAN_ENCODE | RESTWAY_PLUGIN_CAN_TRANSPORT,
    .version = "restway-plugin-check",
    .log = no_log,
    .exchange_head = no_head,
    .exchange_body = no_body,
    .exchange_trailers = no_trailers,
    .exchange_progress = no_progress,
    .exchange_completed = no_completed,
    .exchange_read = no_read,
    .exchange_rewind = no_rewind,
    .exchange_forward = no_forward,
};

restway_plugin_reason empty_reason(void) {
    return (restway_plugin_reason){.struct_size = sizeof(restway_plugin_reason)};
}

const char *reason_text(const restway_plugin_reason *reason) {
    if (reason->text[0] == '\0') {
        return "no reason";
    }
    return memchr(reason->text, '\0', sizeof reason->text) != NULL ? reason->text
                                                                  : "a reason without an end";
}

const char *name_fault(const char *name) {
    if (name == NULL || *name == '\0') {
        return "missing";
    }
    if (strlen(name) > 64) {
        return "longer than 64 bytes";
    }
    return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")]
            == '\0'
        ? NULL
        : "not made of letters, digits, - and _";
}

restway_plugin_entry_fn plugin_entry(void) {
    doing("it is loaded");
    void *library = dlopen(run_settings.plugin, RTLD_NOW | RTLD_LOCAL);
    require(library != NULL, "%s", dlerror());
    void *symbol = dlsym(library, "restway_plugin_v1");
    require(symbol != NULL, "does not export restway_plugin_v1");
    restway_plugin_entry_fn entry;
    memcpy(&entry, &symbol, sizeof entry);
    return entry;
}

void plugin_configure(const restway_plugin *plugin, const char *options) {
    if (plugin->configure == NULL) {
        require(!run_settings.has_options, "takes no options");
        return;
    }
    restway_plugin_reason reason = empty_reason();
    doing("it takes its options");
    int32_t result = plugin->configure(options, &reason);
    require(
        result == RESTWAY_PLUGIN_OK, "options are refused: %s%s", reason_text(&reason),
        run_settings.has_options ? "" : " (give some with --options)");
}

/* Copies a table that begins with its size. */
static void copy_table(void *to, size_t known, const void *from) {
    size_t size;
    memcpy(&size, from, sizeof size);
    memset(to, 0, known);
    memcpy(to, from, size < known ? size : known);
}

const restway_plugin *plugin_described(void) {
    static union {
        restway_plugin plugin;
        /* Only plugin.newer-host reports a plugin that writes too much. */
        char room[2 * sizeof(restway_plugin)];
    } table;
    restway_plugin_entry_fn entry = plugin_entry();
    restway_plugin_reason reason = empty_reason();
    table.plugin.struct_size = sizeof table.plugin;
    doing("it starts");
    int32_t result = entry(&plain_host, &table.plugin, &reason);
    require(result == RESTWAY_PLUGIN_OK, "does not start: %s", reason_text(&reason));
    return &table.plugin;
}

const started *plugin_started(void) {
    static started started;
    const restway_plugin *plugin = plugin_described();
    started.plugin = *plugin;
    for (size_t index = 0; index < plugin->mapper_count && index < TABLES_MAX; index++) {
        copy_table(&started.mappers[index], sizeof *started.mappers, plugin->mappers[index]);
    }
    for (size_t index = 0; index < plugin->transport_count && index < TABLES_MAX; index++) {
        copy_table(
            &started.transports[index], sizeof *started.transports, plugin->transports[index]);
    }
    plugin_configure(plugin, run_settings.options);
    return &started;
}

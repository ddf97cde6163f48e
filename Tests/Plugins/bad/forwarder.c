/* A transport that forwards every exchange to the host and watches it; the test that compiles it
 * chooses what it does wrong. */
#include <stdlib.h>

#include <restway/plugin.h>

enum fault {
    NONE, SAYS_LATER, ANSWERS_AS_WELL, COMPLETES_TWICE, SAYS_NEVER, READS_AS_WELL,
};

#ifndef FAULT
#define FAULT NONE
#endif

static int32_t completed(void *context, uint64_t exchange, const restway_plugin_end *end) {
    const restway_plugin_host *host = context;
    restway_plugin_end copy = *end;
    switch (FAULT) {
    case SAYS_LATER:
        host->exchange_completed(host, exchange, NULL);
        return RESTWAY_PLUGIN_LATER;
    case COMPLETES_TWICE:
        host->exchange_completed(host, exchange, &copy);
        return RESTWAY_PLUGIN_OK;
    case SAYS_NEVER: return RESTWAY_PLUGIN_LATER;
    default: return RESTWAY_PLUGIN_OK;
    }
}

static int32_t open_transport(
    void *context, const restway_plugin_host *host, const char *options, void **out_transport,
    restway_plugin_reason *reason) {
    (void)context;
    if (options[1] != '}') {
        const char text[] = "unknown key \"no-such-option\"";
        for (size_t index = 0; index < sizeof text; index++) {
            reason->text[index] = text[index];
        }
        return RESTWAY_PLUGIN_FAILED;
    }
    *out_transport = malloc(sizeof(restway_plugin_host *));
    *(const restway_plugin_host **)*out_transport = host;
    return RESTWAY_PLUGIN_OK;
}

static void start(void *transport, const restway_plugin_exchange *exchange) {
    const restway_plugin_host *host = *(const restway_plugin_host **)transport;
    const restway_plugin_watcher watcher = {
        .struct_size = sizeof watcher, .context = (void *)(uintptr_t)host, .completed = completed};
    const uint64_t id = exchange->id;
    const restway_plugin_head head = {.struct_size = sizeof head, .status = 200};
    if (host->exchange_forward(host, id, &watcher) != RESTWAY_PLUGIN_OK) {
        abort();
    }
    if (FAULT == ANSWERS_AS_WELL) {
        host->exchange_head(host, id, &head);
    } else if (FAULT == READS_AS_WELL) {
        char byte;
        size_t length;
        host->exchange_read(host, id, &byte, 1, &length);
    }
}

static void nothing(void *transport, uint64_t exchange) {
    (void)transport;
    (void)exchange;
}

static const restway_plugin_transport transport = {
    .struct_size = sizeof(restway_plugin_transport), .name = "forward", .open = open_transport,
    .start = start, .cancel = nothing, .resume = nothing, .body_ready = nothing, .close = free,
};
static const restway_plugin_transport *const transports[] = {&transport};

int32_t restway_plugin_v1(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason) {
    (void)host;
    (void)reason;
    plugin->abi_major = RESTWAY_PLUGIN_ABI_MAJOR;
    plugin->required_capabilities = RESTWAY_PLUGIN_CAN_TRANSPORT;
    plugin->name = "forward";
    plugin->transports = transports;
    plugin->transport_count = 1;
    return RESTWAY_PLUGIN_OK;
}

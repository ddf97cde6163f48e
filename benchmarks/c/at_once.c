/* A plugin whose transport answers at once, to measure the cost of a plugin. */
#include <stdlib.h>
#include <string.h>

#include <restway/plugin.h>

static int32_t open_transport(
    void *context, const restway_plugin_host *host, const char *options, void **out_transport,
    restway_plugin_reason *reason) {
    (void)context;
    (void)options;
    (void)reason;
    *out_transport = (void *)host;
    return RESTWAY_PLUGIN_OK;
}

static void start(void *transport, const restway_plugin_exchange *exchange) {
    static const char body[] = "{\"id\": 1, \"name\": \"x\"}";
    static const restway_plugin_header headers[] = {
        {"Content-Type", "application/json"}, {"Content-Length", "22"}};
    const restway_plugin_host *host = transport;
    const restway_plugin_head head = {sizeof head, 200, 11, headers, 2};
    restway_plugin_end end;
    memset(&end, 0, sizeof end);
    end.struct_size = sizeof end;
    host->exchange_head(host, exchange->id, &head);
    host->exchange_body(host, exchange->id, body, sizeof body - 1);
    host->exchange_completed(host, exchange->id, &end);
}

static void ignore(void *transport, uint64_t exchange) {
    (void)transport;
    (void)exchange;
}

static void close_transport(void *transport) {
    (void)transport;
}

static const restway_plugin_transport table = {
    sizeof(restway_plugin_transport), "at-once", NULL, open_transport, start, ignore, ignore,
    ignore, close_transport,
};
static const restway_plugin_transport *const transports[] = {&table};

int32_t restway_plugin_v1(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason) {
    (void)host;
    (void)reason;
    plugin->abi_major = RESTWAY_PLUGIN_ABI_MAJOR;
    plugin->abi_minor = RESTWAY_PLUGIN_ABI_MINOR;
    plugin->required_capabilities = RESTWAY_PLUGIN_CAN_TRANSPORT;
    plugin->name = "at-once";
    plugin->transports = transports;
    plugin->transport_count = 1;
    return RESTWAY_PLUGIN_OK;
}

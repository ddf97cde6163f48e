/* The plugin `msgpack`: reads and writes MessagePack (its specification of 2017). */
#include "mapper.h"

static const restway_plugin_mapper mapper = {
    .struct_size = sizeof(restway_plugin_mapper),
    .name = "msgpack",
    .media_types = "application/msgpack application/x-msgpack application/vnd.msgpack *+msgpack",
    .decode = msgpack_decode,
    .encode = msgpack_encode,
};
static const restway_plugin_mapper *const mappers[] = {&mapper};

__attribute__((visibility("default"))) int32_t restway_plugin_v1(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason) {
    (void)host;
    (void)reason;
    plugin->abi_major = RESTWAY_PLUGIN_ABI_MAJOR;
    plugin->abi_minor = RESTWAY_PLUGIN_ABI_MINOR;
    // Hosts that support encoding also take dates and bytes from decoders.
    plugin->required_capabilities = RESTWAY_PLUGIN_CAN_MAP | RESTWAY_PLUGIN_CAN_ENCODE;
    plugin->name = "msgpack";
    plugin->version = "1.0";
    plugin->licence = "MIT";
    plugin->description = "Maps MessagePack, both ways.";
    plugin->mappers = mappers;
    plugin->mapper_count = 1;
    return RESTWAY_PLUGIN_OK;
}

/* The decoder and the encoder of the mapper, and how they report errors. */
#ifndef RESTWAY_MSGPACK_MAPPER_H
#define RESTWAY_MSGPACK_MAPPER_H

#include <restway/plugin.h>

int32_t msgpack_decode(
    void *context, const void *bytes, size_t length, const restway_plugin_sink *sink,
    const restway_plugin_limits *limits, restway_plugin_reason *reason);

int32_t msgpack_encode(
    void *context, const restway_plugin_reader *reader, restway_plugin_reason *reason);

#endif

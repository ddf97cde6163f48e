/* A plugin that does one thing wrong, or everything right: the test that compiles it chooses.
 *
 * Its mapper, for application/x-number, reads a body that is one decimal number as {"id": number}.
 * With WRITES it also writes, see encoding.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <restway/plugin.h>

#ifndef NAME
#define NAME "number"
#endif
#ifndef MAJOR
#define MAJOR RESTWAY_PLUGIN_ABI_MAJOR
#endif
#ifndef CAPABILITIES
#define CAPABILITIES RESTWAY_PLUGIN_CAN_MAP
#endif

static const restway_plugin_sink *last_sink;

#ifdef WRITES
#include "encoding.h"
#else
#define encode NULL
#endif
#ifndef TYPES
#define TYPES "application/x-number text/x-number"
#endif

static int32_t decode(
    void *context, const void *bytes, size_t length, const restway_plugin_sink *sink,
    const restway_plugin_limits *limits, restway_plugin_reason *reason) {
    char text[32] = "";
    (void)context;
    (void)limits;
    memcpy(text, bytes, length < 31 ? length : 31);
#ifdef FAILS
#ifdef FORGES
    snprintf(reason->text, sizeof reason->text, "no number at all\n#1 \033[31mforged");
#else
    snprintf(reason->text, sizeof reason->text, "no number at all");
#endif
    reason->line = 7;
    return RESTWAY_PLUGIN_MALFORMED;
#endif
#ifdef LATE
    static restway_plugin_sink kept;
    if (last_sink != NULL) {
        printf("late: %d\n", kept.integer(kept.context, 1));
        fflush(stdout);
    }
    kept = *sink;
#endif
    last_sink = sink;
    (void)reason;
#ifdef NO_VALUE
    return RESTWAY_PLUGIN_OK;
#endif
    if (sink->begin_object(sink->context) != RESTWAY_PLUGIN_WANT) {
        return RESTWAY_PLUGIN_OK;
    }
    if (sink->key(sink->context, "id", 2) == RESTWAY_PLUGIN_WANT) {
#ifdef TWO_KEYS
        sink->key(sink->context, "id", 2);
#endif
        sink->integer(sink->context, strtoll(text, NULL, 10));
#ifdef KEYLESS
        sink->integer(sink->context, 1);
#endif
    }
#ifdef BROKEN
    sink->end_array(sink->context);
#endif
#ifndef UNFINISHED
    sink->end_object(sink->context);
#endif
#ifdef TWO_ROOTS
    sink->null_value(sink->context);
#endif
    return RESTWAY_PLUGIN_OK;
}

#if !defined(LARGER) && !defined(NULL_MAPPER)
static const restway_plugin_mapper mapper = {
#ifdef OLDER
    sizeof(restway_plugin_mapper) - sizeof(void *),
#else
    sizeof(restway_plugin_mapper),
#endif
    "number",
    TYPES,
    NULL,
    decode,
    encode,
};
#endif

#ifdef LARGER
/* A table of a later version, with additional fields. */
static const struct {
    restway_plugin_mapper table;
    void *unknown[8];
} larger = {{sizeof larger, "number", "application/x-number", NULL, decode, NULL}, {(void *)1}};
static const restway_plugin_mapper *const mappers[] = {&larger.table};
#elif defined(NULL_MAPPER)
int32_t (*unused)(
    void *context, const void *bytes, size_t length, const restway_plugin_sink *sink,
    const restway_plugin_limits *limits, restway_plugin_reason *reason) = decode;
static const restway_plugin_mapper *const mappers[] = {NULL};
#else
static const restway_plugin_mapper *const mappers[] = {&mapper};
#endif

#ifdef OPTIONS
static int32_t configure(const char *options, restway_plugin_reason *reason) {
    if (strstr(options, "\"colour\"") != NULL) {
        snprintf(reason->text, sizeof reason->text, "unknown key \"colour\"");
        return RESTWAY_PLUGIN_FAILED;
    }
    return RESTWAY_PLUGIN_OK;
}
#endif

#ifdef OTHER_ENTRY
#define restway_plugin_v1 restway_plugin_v0
int32_t restway_plugin_v0(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason);
#endif

int32_t restway_plugin_v1(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason) {
    if (host->struct_size < sizeof(restway_plugin_host) || host->abi_major != 1) {
        return RESTWAY_PLUGIN_FAILED;
    }
    host->log(host, RESTWAY_PLUGIN_LOG_INFO, "the number plugin starts");
#ifdef DOES_NOT_START
    snprintf(reason->text, sizeof reason->text, "the stars are wrong");
    return RESTWAY_PLUGIN_FAILED;
#endif
    (void)reason;
    plugin->abi_major = MAJOR;
    plugin->abi_minor = RESTWAY_PLUGIN_ABI_MINOR;
    plugin->required_capabilities = CAPABILITIES;
    plugin->name = NAME;
    plugin->version = "2.1";
    plugin->licence = "MIT";
    plugin->description = "Reads numbers.";
    plugin->mappers = mappers;
    plugin->mapper_count = 1;
#ifdef OPTIONS
    plugin->configure = configure;
#endif
    return RESTWAY_PLUGIN_OK;
}

/* A plugin that starts or describes itself wrongly: the test that compiles it chooses how with
 * -DFAULT=, or with one of OTHER_ENTRY, SHOWS_MORE, LINKS_LIBRARY. Its mapper reads
 * application/x-zero: bodies that are the digit 0.
 */
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <restway/plugin.h>

enum fault {
    NONE, OLDER_TABLES, LARGER_TABLES,
    /* Starting. */
    DOES_NOT_START, CRASHES_AT_START, OTHER_MAJOR, USES_EXCHANGES,
    READS_BEHIND_HOST, REFUSES_NEWER_HOST, WRITES_BEHIND_PLUGIN, CHANGES_SIZE,
    /* The plugin's description of itself. */
    NO_NAME, BAD_NAME, VERSION_IS_NO_UTF8, UNKNOWN_CAPABILITY, NO_CAPABILITY, BRINGS_NOTHING,
    NULL_MAPPER, TOO_MANY_MAPPERS, SMALL_MAPPER,
    /* The description of the mapper. */
    MAPPER_WITHOUT_NAME, MAPPERS_OF_ONE_NAME, NO_DECODE, NO_MEDIA_TYPES, UPPER_CASE_MEDIA_TYPE,
    MEDIA_TYPE_WITH_PARAMETER, MEDIA_TYPE_WITHOUT_SLASH, MEDIA_TYPES_WITH_COMMA,
    /* Options. */
    NO_OPTIONS, REFUSES_OPTIONS, ACCEPTS_UNKNOWN, DOES_NOT_NAME_KEY, ACCEPTS_OTHER_TYPES,
};

#ifndef FAULT
#define FAULT NONE
#endif

static int32_t decode(
    void *context, const void *bytes, size_t length, const restway_plugin_sink *sink,
    const restway_plugin_limits *limits, restway_plugin_reason *reason) {
    (void)context;
    (void)limits;
    if (length != 1 || *(const char *)bytes != '0') {
        snprintf(reason->text, sizeof reason->text, "not a zero");
        return RESTWAY_PLUGIN_MALFORMED;
    }
    sink->integer(sink->context, 0);
    return RESTWAY_PLUGIN_OK;
}

/* A table of a later version, with additional fields. */
static const struct {
    restway_plugin_mapper table;
    void *unknown[8];
} zero = {
    {
        .struct_size = FAULT == OLDER_TABLES ? offsetof(restway_plugin_mapper, encode)
            : FAULT == SMALL_MAPPER          ? 24
            : FAULT == LARGER_TABLES         ? sizeof zero
                                             : sizeof(restway_plugin_mapper),
        .name = FAULT == MAPPER_WITHOUT_NAME ? NULL : "zero",
        .media_types = FAULT == NO_MEDIA_TYPES     ? NULL
            : FAULT == UPPER_CASE_MEDIA_TYPE       ? "application/X-zero"
            : FAULT == MEDIA_TYPE_WITH_PARAMETER   ? "application/x-zero;charset=utf-8"
            : FAULT == MEDIA_TYPE_WITHOUT_SLASH    ? "application/x-zero zero"
            : FAULT == MEDIA_TYPES_WITH_COMMA      ? "application/x-zero,  text/x-zero"
                                                   : "application/x-zero *+zero",
        .decode = FAULT == NO_DECODE ? NULL : decode,
        /* No reader looks beyond the size of an older table. */
        .encode = FAULT == OLDER_TABLES ? (int32_t (*)(
                      void *, const restway_plugin_reader *, restway_plugin_reason *))(uintptr_t)1
                                        : NULL,
    },
    {(void *)1},
};
static const restway_plugin_mapper *const mappers[2]
    = {FAULT == NULL_MAPPER ? NULL : &zero.table, &zero.table};

/* Checks that the value of "size" is a number; `text` follows the key. */
static int is_number_of_size(const char *options) {
    const char *at = strstr(options, "\"size\"");
    at = at == NULL ? "0" : at + strlen("\"size\"");
    at += strspn(at, ": ");
    return *at >= '0' && *at <= '9';
}

static int32_t configure(const char *options, restway_plugin_reason *reason) {
    const char *at = strchr(options, '"');
    if (FAULT == REFUSES_OPTIONS) {
        snprintf(reason->text, sizeof reason->text, "not today");
        return RESTWAY_PLUGIN_FAILED;
    }
    for (; at != NULL && FAULT != ACCEPTS_UNKNOWN; at = strchr(at, '"')) {
        const size_t length = strcspn(++at, "\"");
        const int is_key = at[length] == '"' && at[length + 1] == ':';
        if (is_key && strncmp(at, "size\"", 5) != 0 && strncmp(at, "wrong\"", 6) != 0) {
            snprintf(
                reason->text, sizeof reason->text, "unknown key \"%.*s\"",
                FAULT == DOES_NOT_NAME_KEY ? 0 : (int)length, at);
            return RESTWAY_PLUGIN_FAILED;
        }
        at += length + 1;
    }
    if (!is_number_of_size(options) && FAULT != ACCEPTS_OTHER_TYPES) {
        snprintf(reason->text, sizeof reason->text, "\"size\" has to be a number");
        return RESTWAY_PLUGIN_FAILED;
    }
    return RESTWAY_PLUGIN_OK;
}

#define TEXT_OR(fault, text) (FAULT == fault ? NULL : text)

static void describe(restway_plugin *plugin) {
    plugin->abi_major = RESTWAY_PLUGIN_ABI_MAJOR + (FAULT == OTHER_MAJOR);
    plugin->abi_minor = RESTWAY_PLUGIN_ABI_MINOR;
    plugin->required_capabilities = RESTWAY_PLUGIN_CAN_MAP;
    if (FAULT == UNKNOWN_CAPABILITY) {
        plugin->required_capabilities |= 1ull << 40;
    } else if (FAULT == NO_CAPABILITY) {
        plugin->required_capabilities = 0;
    }
    plugin->name = FAULT == BAD_NAME ? "a b" : TEXT_OR(NO_NAME, "zero");
    plugin->version = FAULT == VERSION_IS_NO_UTF8 ? "1.\xFF" : "1.0";
    plugin->mappers = mappers;
    plugin->mapper_count = FAULT == BRINGS_NOTHING ? 0
        : FAULT == TOO_MANY_MAPPERS                ? 1000
        : FAULT == MAPPERS_OF_ONE_NAME             ? 2
                                                   : 1;
    plugin->configure = FAULT == NO_OPTIONS ? NULL : configure;
    if (FAULT == WRITES_BEHIND_PLUGIN) {
        memset(plugin + 1, 0, 8);
    } else if (FAULT == CHANGES_SIZE) {
        plugin->struct_size = 8;
    }
}

#if defined(LINKS_LIBRARY)
const char *restway_version_string(void);
#endif

static int32_t start(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason) {
    volatile int sum = 0;
#if defined(LINKS_LIBRARY)
    sum += restway_version_string() != NULL;
#endif
    if (FAULT == DOES_NOT_START || (FAULT == REFUSES_NEWER_HOST && host->abi_minor != 0)) {
        snprintf(reason->text, sizeof reason->text, "the stars are wrong");
        return RESTWAY_PLUGIN_FAILED;
    } else if (FAULT == CRASHES_AT_START) {
        abort();
    } else if (FAULT == USES_EXCHANGES) {
        host->exchange_rewind(host, 1);
    } else if (FAULT == READS_BEHIND_HOST) {
        sum += host->exchange_head != NULL;
    } else if (host->struct_size >= offsetof(restway_plugin_host, context)) {
        host->log(host, RESTWAY_PLUGIN_LOG_INFO, "zero starts");
    }
    describe(plugin);
    return RESTWAY_PLUGIN_OK;
}

#if defined(SHOWS_MORE)
int zero_shows_this = 1;
#endif

#if defined(OTHER_ENTRY)
#define restway_plugin_v1 restway_plugin_v0
int32_t restway_plugin_v0(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason);
#endif

int32_t restway_plugin_v1(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason) {
    return start(host, plugin, reason);
}

/* The description of the plugin, and its options. Begin here: give it a name, and list its mappers
 * and transports. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "template.h"

int32_t fail(restway_plugin_reason *reason, int32_t result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason->text, sizeof reason->text, format, arguments);
    va_end(arguments);
    return result;
}

static const char *behind_space(const char *at) {
    return at + strspn(at, " \t\r\n");
}

/* The options are a JSON object; this plugin has one option, {"separator": ";"}. A plugin with more
 * options may use a JSON library: a plugin may link any library except Restway. */
static int32_t configure(const char *options, restway_plugin_reason *reason) {
    const char *at = behind_space(behind_space(options) + 1);
    while (*at == '"') {
        const char *key = at + 1;
        const int length = (int)strcspn(key, "\"");
        const char *value = behind_space(behind_space(key + length + 1) + 1);
        if (length != 9 || strncmp(key, "separator", 9) != 0) {
            return fail(reason, RESTWAY_PLUGIN_FAILED, "unknown option \"%.*s\"", length, key);
        }
        if (*value != '"' || value[1] == '\0' || strchr("\"\\\n", value[1]) || value[2] != '"') {
            return fail(
                reason, RESTWAY_PLUGIN_FAILED, "\"separator\" has to be a text of one character");
        }
        csv_separator = value[1];
        at = behind_space(value + 3);
        at = *at == ',' ? behind_space(at + 1) : at;
    }
    return RESTWAY_PLUGIN_OK;
}

static const restway_plugin_mapper *const mappers[] = {&csv_mapper};
static const restway_plugin_transport *const transports[] = {&mirror_transport};

int32_t restway_plugin_v1(
    const restway_plugin_host *host, restway_plugin *plugin, restway_plugin_reason *reason) {
    (void)reason;
    plugin->abi_major = RESTWAY_PLUGIN_ABI_MAJOR;
    plugin->abi_minor = RESTWAY_PLUGIN_ABI_MINOR;
    /* A host that cannot do this refuses the plugin. */
    plugin->required_capabilities = RESTWAY_PLUGIN_CAN_MAP;
    plugin->name = "template";
    plugin->version = "1.0";
    plugin->licence = "MIT";
    plugin->description = "Reads CSV, and answers requests with their own body.";
    plugin->mappers = mappers;
    plugin->mapper_count = 1;
    /* These functions are only used by hosts that support them. */
    if ((host->capabilities & RESTWAY_PLUGIN_CAN_TRANSPORT) != 0) {
        plugin->transports = transports;
        plugin->transport_count = 1;
    }
    plugin->configure = configure;
    return RESTWAY_PLUGIN_OK;
}

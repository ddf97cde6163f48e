// The mapper `simdjson`: JSON straight from text to values.
//
// simdjson's first stage finds the tokens (tokens.h). Its second stage, which would write an
// intermediate form of the whole text, is not used: each value is pushed to the sink as soon as it
// is read (reader.h).
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>

#include <restway/plugin.h>

#include "reader.h"
#include "tokens.h"

namespace {

int32_t fail(restway_plugin_reason *reason, int32_t result, const char *text) {
    std::snprintf(reason->text, sizeof reason->text, "%s", text);
    return result;
}

/// Reports the place of an error in `text`; columns count characters, not bytes.
void point(restway_plugin_reason *reason, const char *text, const char *place) {
    const char *line = text;
    reason->line = 1;
    reason->column = 1;
    reason->byte_offset = place - text;
    while (const void *end = std::memchr(line, '\n', static_cast<std::size_t>(place - line))) {
        line = static_cast<const char *>(end) + 1;
        reason->line++;
    }
    for (; line != place; line++)
        reason->column += (*line & 0xC0) != 0x80;
}

int32_t refuse(const tokens &tokens, const char *text, restway_plugin_reason *reason) {
    switch (tokens.error()) {
    case simdjson::MEMALLOC:
    case simdjson::CAPACITY:
        return fail(reason, RESTWAY_PLUGIN_OUT_OF_MEMORY, "out of memory while reading JSON");
    case simdjson::SUCCESS:
        point(reason, text, tokens.place());
        return fail(reason, RESTWAY_PLUGIN_MALFORMED,
                    tokens.is_missing() ? "not valid JSON: the text ends too soon"
                                        : "not valid JSON: something else is expected");
    default:
        std::snprintf(reason->text, sizeof reason->text, "not valid JSON: %s",
                      simdjson::error_message(tokens.error()));
        return RESTWAY_PLUGIN_MALFORMED;
    }
}

/// Returns the answer to a call of `decode` that reading ended with `outcome`.
int32_t answer(reader::outcome outcome, const tokens &tokens, const char *text,
               restway_plugin_reason *reason) {
    switch (outcome) {
    case reader::outcome::done:
    case reader::outcome::stopped:
        return RESTWAY_PLUGIN_OK;
    case reader::outcome::empty:
        return fail(reason, RESTWAY_PLUGIN_MALFORMED, "no JSON: the text is empty");
    case reader::outcome::too_deep:
        return fail(reason, RESTWAY_PLUGIN_TOO_DEEP, "JSON nested too deeply");
    case reader::outcome::malformed:
        break;
    }
    return refuse(tokens, text, reason);
}

/// An older host has not got the field.
bool keeps_digits(const restway_plugin_limits &limits) {
    return limits.struct_size >= sizeof limits && limits.keeps_digits != 0;
}

int32_t decode(void *, const void *bytes, size_t length, const restway_plugin_sink *sink,
               const restway_plugin_limits *limits, restway_plugin_reason *reason) {
    // A thread keeps the scanner of its last text, unless the scanner uses much memory.
    thread_local tokens::scanner scanner;
    try {
        const char *text = static_cast<const char *>(bytes);
        // A byte order mark is skipped.
        if (length >= 3 && std::memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
            text += 3;
            length -= 3;
        }
        tokens tokens(scanner, text, length);
        reader reader(tokens, *sink, static_cast<std::size_t>(limits->nesting_depth_max),
                      keeps_digits(*limits));
        const int32_t result =
            answer(reader.read(), tokens, static_cast<const char *>(bytes), reason);
        // The place of an error is read from the scanner, so the scanner is kept until here.
        if (scanner && scanner->capacity() > tokens::window_bytes)
            scanner.reset();
        return result;
    } catch (const std::bad_alloc &) {
        scanner.reset();
        return fail(reason, RESTWAY_PLUGIN_OUT_OF_MEMORY, "out of memory while reading JSON");
    }
}

const restway_plugin_mapper mapper = {
    sizeof(restway_plugin_mapper),
    "simdjson",
    "application/json *+json text/json",
    nullptr,
    decode,
    nullptr,
};
const restway_plugin_mapper *const mappers[] = {&mapper};

} // namespace

extern "C" __attribute__((visibility("default"))) int32_t restway_plugin_v1(
    const restway_plugin_host *, restway_plugin *plugin, restway_plugin_reason *) {
    plugin->abi_major = RESTWAY_PLUGIN_ABI_MAJOR;
    plugin->abi_minor = RESTWAY_PLUGIN_ABI_MINOR;
    plugin->required_capabilities = RESTWAY_PLUGIN_CAN_MAP;
    plugin->name = "simdjson";
    plugin->version = "1.0";
    plugin->licence = "MIT";
    plugin->description = "Maps JSON with simdjson.";
    plugin->mappers = mappers;
    plugin->mapper_count = 1;
    return RESTWAY_PLUGIN_OK;
}

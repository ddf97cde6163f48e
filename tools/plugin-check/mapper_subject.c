#include "mapper_subject.h"

#include <stdio.h>

#include "checks.h"
#include "outcome.h"

const restway_plugin_mapper *mapper_of(const void *argument) {
    return &plugin_started()->mappers[((const subject *)argument)->index];
}

const char *result_name(int32_t result) {
    static _Thread_local char text[32];
    switch (result) {
    case RESTWAY_PLUGIN_OK: return "OK";
    case RESTWAY_PLUGIN_FAILED: return "FAILED";
    case RESTWAY_PLUGIN_OUT_OF_MEMORY: return "OUT_OF_MEMORY";
    case RESTWAY_PLUGIN_MALFORMED: return "MALFORMED";
    case RESTWAY_PLUGIN_TOO_DEEP: return "TOO_DEEP";
    default: snprintf(text, sizeof text, "%d", result); return text;
    }
}

const char *events_fault(const decoded *decoded) {
    if (decoded->fault[0] != '\0') {
        return decoded->fault;
    }
    if (decoded->result != RESTWAY_PLUGIN_OK || decoded->is_whole) {
        return NULL;
    }
    return decoded->events == 0 ? "nothing is pushed" : "the value is not completed";
}

void decode_sample(const restway_plugin_mapper *mapper, const sample *sample, trace *trace) {
    doing("it reads %s", sample->name);
    decoded decoded = decode(mapper, sample->bytes, sample->length, trace);
    require(
        decoded.result == RESTWAY_PLUGIN_OK, "%s is not read: %s (%s)", sample->name,
        result_name(decoded.result), reason_text(&decoded.reason));
    require(events_fault(&decoded) == NULL, "%s: %s", sample->name, events_fault(&decoded));
}

size_t spread(size_t n, size_t most, size_t count) {
    return count <= most ? n : (size_t)((unsigned long long)n * count / most);
}

#include "trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"

static void *grown(void *memory, size_t *room, size_t needed, size_t size) {
    if (needed <= *room) {
        return memory;
    }
    size_t bigger = *room == 0 ? 64 : *room * 2;
    *room = bigger > needed ? bigger : needed;
    memory = realloc(memory, *room * size);
    if (memory == NULL) {
        check_skipped("no memory for the pushed events");
    }
    return memory;
}

bool event_has_text(event_kind kind) {
    return kind == EVENT_KEY || kind == EVENT_STRING || kind == EVENT_BYTES
        || kind == EVENT_NUMBER_OUT_OF_RANGE;
}

bool event_is_begin(event_kind kind) {
    return kind == EVENT_BEGIN_OBJECT || kind == EVENT_BEGIN_ARRAY;
}

static bool is_end(event_kind kind) {
    return kind == EVENT_END_OBJECT || kind == EVENT_END_ARRAY;
}

const char *event_name(event_kind kind) {
    static const char *const names[] = {
        "begin_object", "key",     "end_object", "begin_array", "end_array", "null_value",
        "boolean",      "integer", "real",       "string",      "bytes",     "date",
        "number_out_of_range",
    };
    return names[kind];
}

void trace_add(trace *trace, event added, const void *text) {
    trace->events
        = grown(trace->events, &trace->room, trace->count + 1, sizeof *trace->events);
    if (event_has_text(added.kind)) {
        trace->texts
            = grown(trace->texts, &trace->text_room, trace->text_bytes + added.length + 1, 1);
        added.integer = (int64_t)trace->text_bytes;
        if (added.length > 0) {
            memcpy(trace->texts + trace->text_bytes, text, added.length);
        }
        trace->text_bytes += added.length;
    }
    trace->events[trace->count++] = added;
}

void trace_clear(trace *trace) {
    trace->count = 0;
    trace->text_bytes = 0;
}

void trace_free(trace *trace) {
    free(trace->events);
    free(trace->texts);
    memset(trace, 0, sizeof *trace);
}

size_t trace_behind(const trace *trace, size_t index) {
    size_t depth = 0;
    if (index < trace->count && trace->events[index].kind == EVENT_KEY) {
        index++;
    }
    for (; index < trace->count; index++) {
        depth += event_is_begin(trace->events[index].kind);
        depth -= is_end(trace->events[index].kind);
        if (depth == 0) {
            return index + 1;
        }
    }
    return index;
}

size_t trace_depth(const trace *trace) {
    size_t depth = 0, most = 0;
    for (size_t index = 0; index < trace->count; index++) {
        depth += event_is_begin(trace->events[index].kind);
        depth -= is_end(trace->events[index].kind);
        most = depth > most ? depth : most;
    }
    return most;
}

bool trace_same_event(const trace *one, size_t i, const trace *other, size_t j) {
    const event *a = &one->events[i], *b = &other->events[j];
    if (a->kind != b->kind) {
        return false;
    }
    if (event_has_text(a->kind)) {
        return a->length == b->length
            && memcmp(one->texts + a->integer, other->texts + b->integer, a->length) == 0;
    }
    return a->integer == b->integer && memcmp(&a->real, &b->real, sizeof a->real) == 0;
}

const char *trace_difference(const trace *one, size_t from, size_t to, const trace *other) {
    static _Thread_local char text[160];
    size_t i = 0, j = 0;
    for (;; i++, j++) {
        i = i == from ? to : i;
        const char *expected = i < one->count ? event_name(one->events[i].kind) : "the end";
        if (i >= one->count && j >= other->count) {
            return NULL;
        }
        if (j >= other->count) {
            snprintf(text, sizeof text, "event %zu is missing: %s", j, expected);
            return text;
        }
        if (i >= one->count || !trace_same_event(one, i, other, j)) {
            const char *pushed = event_name(other->events[j].kind);
            const bool is_value = strcmp(pushed, expected) == 0;
            snprintf(
                text, sizeof text, "event %zu is %s%s instead of %s", j, is_value ? "another " : "",
                pushed, expected);
            return text;
        }
    }
}

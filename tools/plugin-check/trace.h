/* The events that a mapper pushed. */
#ifndef RESTWAY_CHECK_TRACE_H
#define RESTWAY_CHECK_TRACE_H

#include <restway/plugin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum event_kind {
    EVENT_BEGIN_OBJECT,
    EVENT_KEY,
    EVENT_END_OBJECT,
    EVENT_BEGIN_ARRAY,
    EVENT_END_ARRAY,
    EVENT_NULL,
    EVENT_BOOLEAN,
    EVENT_INTEGER,
    EVENT_REAL,
    EVENT_STRING,
    EVENT_BYTES,
    EVENT_DATE,
    EVENT_NUMBER_OUT_OF_RANGE,
} event_kind;

typedef struct event {
    event_kind kind;
    /* The value of booleans, integers and dates; the count of arrays; the start of texts. */
    int64_t integer;
    double real;
    size_t length;
} event;

typedef struct trace {
    event *events;
    size_t count, room;
    char *texts;
    size_t text_bytes, text_room;
} trace;

void trace_add(trace *trace, event added, const void *text);
void trace_clear(trace *trace);
void trace_free(trace *trace);

const char *event_name(event_kind kind);
bool event_has_text(event_kind kind);
bool event_is_begin(event_kind kind);

/* Returns the index after the value that begins at `index`; for a key, after its value. */
size_t trace_behind(const trace *trace, size_t index);

/* Returns how deep the value nests; 0 for a scalar. */
size_t trace_depth(const trace *trace);

/* Returns whether event `i` of one trace equals event `j` of the other. */
bool trace_same_event(const trace *one, size_t i, const trace *other, size_t j);

/* Returns the first difference of two traces as text; NULL if they are equal. Events [from, to) of
 * `one` are ignored. */
const char *trace_difference(const trace *one, size_t from, size_t to, const trace *other);

#endif

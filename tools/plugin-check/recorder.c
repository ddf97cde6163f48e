#include "recorder.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "started.h"

#define NESTING_ROOM 4096
/* A recorder is used again only after many others, so that a late push still reaches the recorder
 * that it means. */
#define KEPT 4096

typedef struct recorder {
    restway_plugin_sink sink;
    restway_plugin_limits limits;
    pthread_mutex_t lock;
    pthread_t owner;
    answers answers;
    trace *trace;
    decoded *decoded;
    /* Set when decode has returned. */
    bool has_ended;
    bool is_stopped;
    /* Inside an object, after a key. */
    bool expects_value;
    size_t depth;
    /* For each depth one bit, set for objects. */
    unsigned char is_object[NESTING_ROOM / 8];
} recorder;

static recorder recorders[KEPT];
static atomic_flag is_in_use[KEPT];
static atomic_size_t recorders_used;
static atomic_size_t late_count;
static atomic_bool lets_others_in;

/* The first events of a decode, at which other threads may run. */
#define OPENINGS 2

void let_others_in(void) {
    atomic_store(&lets_others_in, true);
}

size_t late_events(void) {
    return atomic_load(&late_count);
}

static bool in_object(const recorder *self) {
    const size_t at = self->depth - 1;
    return self->depth > 0 && at < NESTING_ROOM && (self->is_object[at / 8] >> at % 8 & 1) != 0;
}

static void enter(recorder *self, bool is_object) {
    const size_t at = self->depth++;
    if (at < NESTING_ROOM) {
        self->is_object[at / 8] &= (unsigned char)~(1u << at % 8);
        self->is_object[at / 8] |= (unsigned char)((unsigned)is_object << at % 8);
    }
}

/* Returns NULL, or why this event is wrong here. */
static const char *order_fault(const recorder *self, event_kind kind) {
    switch (kind) {
    case EVENT_KEY:
        return !in_object(self)      ? "outside an object"
            : self->expects_value    ? "after another key, whose value is missing"
                                     : NULL;
    case EVENT_END_OBJECT:
        return !in_object(self)      ? "where no object is open"
            : self->expects_value    ? "after a key, whose value is missing"
                                     : NULL;
    case EVENT_END_ARRAY:
        return self->depth == 0 || in_object(self) ? "where no array is open" : NULL;
    default:
        if (self->decoded->is_whole) {
            return "after the value, which is complete";
        }
        return in_object(self) && !self->expects_value ? "in an object, without a key" : NULL;
    }
}

static const char *content_fault(event event, const void *text) {
    if (event.kind == EVENT_BEGIN_ARRAY && event.integer < -1) {
        return "with a count below -1";
    }
    if (!event_has_text(event.kind) || event.length == 0) {
        return NULL;
    }
    if (text == NULL) {
        return "with NULL as its text";
    }
    if (event.kind != EVENT_BYTES && !is_utf8(text, event.length)) {
        return "with a text that is not UTF-8";
    }
    return NULL;
}

static void value_is_complete(recorder *self) {
    self->expects_value = false;
    self->decoded->is_whole = self->depth == 0;
}

/* Updates the state after an event and its answer. */
static void advance(recorder *self, event_kind kind, int32_t answer) {
    if (kind == EVENT_KEY) {
        self->expects_value = answer != RESTWAY_PLUGIN_SKIP;
    } else if (event_is_begin(kind) && answer != RESTWAY_PLUGIN_SKIP) {
        enter(self, kind == EVENT_BEGIN_OBJECT);
        self->expects_value = false;
    } else {
        self->depth -= kind == EVENT_END_OBJECT || kind == EVENT_END_ARRAY;
        value_is_complete(self);
    }
}

static int32_t answer_to(const recorder *self, event_kind kind, size_t index) {
    if (index == self->answers.stop_at) {
        return RESTWAY_PLUGIN_STOP;
    }
    if ((index == self->answers.skip_at && (kind == EVENT_KEY || event_is_begin(kind)))
        || (self->answers.skip_all_keys && kind == EVENT_KEY)) {
        return RESTWAY_PLUGIN_SKIP;
    }
    return RESTWAY_PLUGIN_WANT;
}

static int32_t push_locked(recorder *self, event event, const void *text) {
    if (self->has_ended) {
        atomic_fetch_add(&late_count, 1);
        return RESTWAY_PLUGIN_STOP;
    }
    decoded *decoded = self->decoded;
    const size_t index = decoded->events++;
    decoded->has_foreign = decoded->has_foreign || !pthread_equal(self->owner, pthread_self());
    if (self->is_stopped) {
        decoded->events_after_stop++;
        return RESTWAY_PLUGIN_STOP;
    }
    const char *fault = order_fault(self, event.kind);
    fault = fault != NULL ? fault : content_fault(event, text);
    if (fault != NULL) {
        snprintf(
            decoded->fault, sizeof decoded->fault, "event %zu, %s, comes %s", index,
            event_name(event.kind), fault);
        self->is_stopped = true;
        decoded->events_after_stop = 0;
        return RESTWAY_PLUGIN_STOP;
    }
    if (self->trace != NULL) {
        trace_add(self->trace, event, text);
    }
    const int32_t answer = answer_to(self, event.kind, index);
    self->is_stopped = answer == RESTWAY_PLUGIN_STOP;
    advance(self, event.kind, answer);
    return answer;
}

static int32_t push(void *context, event event, const void *text) {
    recorder *self = context;
    pthread_mutex_lock(&self->lock);
    int32_t answer = push_locked(self, event, text);
    const bool is_opening = !self->has_ended && self->decoded->events <= OPENINGS;
    pthread_mutex_unlock(&self->lock);
    if (is_opening && atomic_load(&lets_others_in)) {
        sched_yield();
    }
    return answer;
}

static int32_t begin_object(void *context) {
    return push(context, (event){.kind = EVENT_BEGIN_OBJECT}, NULL);
}

static int32_t key(void *context, const char *text, size_t length) {
    return push(context, (event){.kind = EVENT_KEY, .length = length}, text);
}

static int32_t end_object(void *context) {
    return push(context, (event){.kind = EVENT_END_OBJECT}, NULL);
}

static int32_t begin_array(void *context, int64_t count) {
    return push(context, (event){.kind = EVENT_BEGIN_ARRAY, .integer = count}, NULL);
}

static int32_t end_array(void *context) {
    return push(context, (event){.kind = EVENT_END_ARRAY}, NULL);
}

static int32_t null_value(void *context) {
    return push(context, (event){.kind = EVENT_NULL}, NULL);
}

static int32_t boolean(void *context, int32_t truth) {
    return push(context, (event){.kind = EVENT_BOOLEAN, .integer = truth != 0}, NULL);
}

static int32_t integer(void *context, int64_t value) {
    return push(context, (event){.kind = EVENT_INTEGER, .integer = value}, NULL);
}

static int32_t real(void *context, double value) {
    return push(context, (event){.kind = EVENT_REAL, .real = value}, NULL);
}

static int32_t string(void *context, const char *text, size_t length) {
    return push(context, (event){.kind = EVENT_STRING, .length = length}, text);
}

static int32_t bytes_value(void *context, const void *bytes, size_t length) {
    return push(context, (event){.kind = EVENT_BYTES, .length = length}, bytes);
}

static int32_t date(void *context, int64_t microseconds) {
    return push(context, (event){.kind = EVENT_DATE, .integer = microseconds}, NULL);
}

static int32_t number_out_of_range(void *context, const char *text, size_t length) {
    return push(context, (event){.kind = EVENT_NUMBER_OUT_OF_RANGE, .length = length}, text);
}

static const restway_plugin_sink functions = {
    sizeof(restway_plugin_sink), NULL,  begin_object, key,  end_object, begin_array, end_array,
    null_value,                  boolean, integer,    real, string,     bytes_value, date,
    number_out_of_range,
};

/* Returns the next unused recorder. */
static recorder *free_recorder(void) {
    for (;;) {
        const size_t index = atomic_fetch_add(&recorders_used, 1) % KEPT;
        if (!atomic_flag_test_and_set(&is_in_use[index])) {
            return &recorders[index];
        }
    }
}

static recorder *make_recorder(
    int64_t depth_max, answers answers, trace *trace, decoded *decoded) {
    recorder *self = free_recorder();
    memset(self, 0, sizeof *self);
    pthread_mutex_init(&self->lock, NULL);
    self->sink = functions;
    self->sink.context = self;
    self->limits = (restway_plugin_limits){sizeof self->limits, depth_max, 0};
    self->owner = pthread_self();
    self->answers = answers;
    self->trace = trace;
    self->decoded = decoded;
    return self;
}

static void run(
    recorder *self, const restway_plugin_mapper *mapper, const void *bytes, size_t length,
    decode_tables tables) {
    int32_t result = mapper->decode(
        mapper->context, bytes, length, tables.sink, tables.limits, tables.reason);
    pthread_mutex_lock(&self->lock);
    self->decoded->result = result;
    self->has_ended = true;
    pthread_mutex_unlock(&self->lock);
    atomic_flag_clear(&is_in_use[self - recorders]);
}

decoded decode_as(
    const restway_plugin_mapper *mapper, const void *bytes, size_t length, int64_t depth_max,
    answers answers, trace *trace) {
    decoded decoded = {.reason = empty_reason()};
    recorder *self = make_recorder(depth_max, answers, trace, &decoded);
    run(self, mapper, bytes, length,
        (decode_tables){&self->sink, &self->limits, &decoded.reason});
    return decoded;
}

decoded decode_with(
    const restway_plugin_mapper *mapper, const void *bytes, size_t length, decode_tables tables) {
    decoded decoded = {.reason = empty_reason()};
    recorder *self = make_recorder(DEPTH_USUAL, WANT_ALL, NULL, &decoded);
    const size_t sink_size = tables.sink->struct_size, limits_size = tables.limits->struct_size;
    *tables.sink = self->sink;
    *tables.limits = self->limits;
    tables.sink->struct_size = sink_size;
    tables.limits->struct_size = limits_size;
    run(self, mapper, bytes, length, tables);
    decoded.reason = *tables.reason;
    return decoded;
}

decoded decode(
    const restway_plugin_mapper *mapper, const void *bytes, size_t length, trace *trace) {
    return decode_as(mapper, bytes, length, DEPTH_USUAL, WANT_ALL, trace);
}

const char *count_fault(const trace *trace) {
    static char text[160];
    for (size_t index = 0; index < trace->count; index++) {
        const event *event = &trace->events[index];
        if (event->kind != EVENT_BEGIN_ARRAY || event->integer < 0) {
            continue;
        }
        int64_t count = 0;
        size_t at = index + 1;
        while (at < trace->count && trace->events[at].kind != EVENT_END_ARRAY) {
            at = trace_behind(trace, at);
            count++;
        }
        if (count != event->integer) {
            snprintf(
                text, sizeof text, "event %zu, begin_array, announces %lld elements, but has %lld",
                index, (long long)event->integer, (long long)count);
            return text;
        }
    }
    return NULL;
}

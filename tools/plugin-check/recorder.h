/* A sink that records the pushed events, answers as its script says, and detects violations of the
 * contract. */
#ifndef RESTWAY_CHECK_RECORDER_H
#define RESTWAY_CHECK_RECORDER_H

#include <restway/plugin.h>
#include <stdbool.h>
#include <stddef.h>

#include "trace.h"

#define NEVER ((size_t)-1)
#define DEPTH_USUAL 512

/* The answer to every event is WANT, with these exceptions. */
typedef struct answers {
    /* The number of an event that is answered so, if it is a key or a begin; or NEVER. */
    size_t skip_at;
    size_t stop_at;
    bool skip_all_keys;
} answers;

#define WANT_ALL ((answers){NEVER, NEVER, false})

/* The result of a call of decode. */
typedef struct decoded {
    int32_t result;
    restway_plugin_reason reason;
    /* The number of events until the end, including those after a STOP. */
    size_t events;
    size_t events_after_stop;
    /* Exactly one value was pushed, and it is complete. */
    bool is_whole;
    /* An event came from another thread. */
    bool has_foreign;
    /* The first wrong event; empty if all were right. */
    char fault[160];
} decoded;

/* Decodes, and appends the pushed events to `trace` unless it is NULL. The bytes must be followed
 * by 64 more. Any thread may call this. */
decoded decode_as(
    const restway_plugin_mapper *mapper, const void *bytes, size_t length, int64_t depth_max,
    answers answers, trace *trace);

/* The tables of a call, at the addresses that the caller chooses. */
typedef struct decode_tables {
    restway_plugin_sink *sink;
    restway_plugin_limits *limits;
    restway_plugin_reason *reason;
} decode_tables;

/* Decodes with the usual depth, wanting everything, and with these tables. It fills them, except
 * for their sizes. */
decoded decode_with(
    const restway_plugin_mapper *mapper, const void *bytes, size_t length, decode_tables tables);

/* Decodes with the usual depth, wanting everything. */
decoded decode(
    const restway_plugin_mapper *mapper, const void *bytes, size_t length, trace *trace);

/* From here on, other threads run in the middle of each decode, so that state which two threads
 * share is found however few processors there are. */
void let_others_in(void);

/* Returns how many events came after their decode had returned, in the whole process. */
size_t late_events(void);

/* Returns NULL, or which array announced a count that differs from the number of its elements. */
const char *count_fault(const trace *trace);

#endif

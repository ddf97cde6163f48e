/* A sink that keeps what is pushed, answers as it is told, and sees what breaks the contract. */
#ifndef RESTWAY_CHECK_RECORDER_H
#define RESTWAY_CHECK_RECORDER_H

#include <restway/plugin.h>
#include <stdbool.h>
#include <stddef.h>

#include "trace.h"

#define NEVER ((size_t)-1)
#define DEPTH_USUAL 512

/* What is answered: WANT, but for these. */
typedef struct answers {
    /* At the event of that number, when it is a key or a begin; NEVER. */
    size_t skip_at;
    size_t stop_at;
    bool skip_all_keys;
} answers;

#define WANT_ALL ((answers){NEVER, NEVER, false})

/* What a call of decode came to. */
typedef struct decoded {
    int32_t result;
    restway_plugin_reason reason;
    /* Events until the end, those after a STOP too. */
    size_t events;
    size_t events_after_stop;
    /* One value, complete. */
    bool is_whole;
    /* Some event came from another thread. */
    bool has_foreign;
    /* The first event that made no sense; empty when all did. */
    char fault[160];
} decoded;

/* Decodes, and appends what is pushed to `trace` unless it is NULL. Behind the bytes have to lie 64
 * more. Any thread. */
decoded decode_as(
    const restway_plugin_mapper *mapper, const void *bytes, size_t length, int64_t depth_max,
    answers answers, trace *trace);

/* Tables for a call, where the caller wants them to lie. */
typedef struct decode_tables {
    restway_plugin_sink *sink;
    restway_plugin_limits *limits;
    restway_plugin_reason *reason;
} decode_tables;

/* With the usual depth, wanting all, and with these tables, which it fills but for their sizes. */
decoded decode_with(
    const restway_plugin_mapper *mapper, const void *bytes, size_t length, decode_tables tables);

/* With the usual depth, wanting all. */
decoded decode(
    const restway_plugin_mapper *mapper, const void *bytes, size_t length, trace *trace);

/* From here on other threads get their turn in the midst of each decode: what two of them share
 * shows, however few processors there are. */
void let_others_in(void);

/* How many events came when their decode had returned, in the whole process. */
size_t late_events(void);

/* NULL, or which array told a count that is not the number of its elements. */
const char *count_fault(const trace *trace);

#endif

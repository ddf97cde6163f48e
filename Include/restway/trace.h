/** @file restway/trace.h
 *  Spans of calls under the names of OpenTelemetry's semantic conventions for HTTP clients (version
 *  1.44.0), and the header `traceparent` of the W3C recommendation Trace Context. docs/OPERATING.md
 *  explains both, and lists the attributes.
 */
#ifndef RESTWAY_TRACE_H
#define RESTWAY_TRACE_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** Bits of restway_client_set_tracing(): the requests that carry the trace. */
/** Requests to the origins that the environment trusts carry `traceparent`, unless they have one of
 *  their own. */
#define RESTWAY_TRACE_HEADER 0x1u
/** With RESTWAY_TRACE_HEADER: requests to all other origins carry it, too. */
#define RESTWAY_TRACE_ALL_ORIGINS 0x2u

/** The size of a value of `traceparent` with its NUL. */
#define RESTWAY_TRACEPARENT_SIZE 56

/** One attribute of a span: 24 bytes. The layout is frozen. */
typedef struct restway_span_attribute {
    /** A name of the semantic conventions, such as "http.request.method". Never NULL. */
    const char *name;
    /** The value of a text; NULL for a number. */
    const char *text;
    /** The value of a number. */
    int64_t number;
} restway_span_attribute;

/** The span of a call, from its start to its completion: 56 bytes. The layout is frozen. The texts
 *  and the attributes are *borrowed* until the function that receives the span returns. */
typedef struct restway_span {
    /** The method and the path template of the route, such as "GET /enterprises/:id"; the method
     *  alone if no route is known. */
    const char *name;
    const restway_span_attribute *attributes;
    size_t attribute_count;
    /** The number of the call, as restway_call_id() returns it. */
    uint64_t call_id;
    /** When the call started, in microseconds since 1970-01-01T00:00:00Z. */
    int64_t start_microseconds;
    /** When the call completed, in microseconds since 1970-01-01T00:00:00Z; 0 at its start. */
    int64_t end_microseconds;
    /** The restway_status with which the call completed; RESTWAY_OK at its start. The span of a
     *  call that failed has the attribute "error.type", too: the HTTP status from 400 on, otherwise
     *  the name of this status. */
    uint32_t status;
    /** Always 0. */
    uint32_t reserved;
} restway_span;

/** Learns of the start and of the end of the span of a call.
 *
 *  @param context      As given to restway_client_set_tracing().
 *  @param span         The span. *Borrowed* until this returns.
 *  @param trace_parent At the start: a text of RESTWAY_TRACEPARENT_SIZE bytes that holds the
 *                      `traceparent` of the call, which the function may replace. A value that is
 *                      no `traceparent` leaves the call without the header. NULL at the end.
 *                      *Borrowed* until this returns.
 *
 *  The function runs twice for each call: at the start on the thread that sends the call, and at
 *  the end on a worker. The ends of several calls may run at the same time. It must be quick. A
 *  function of this library that would wait returns RESTWAY_E_WOULD_BLOCK in it. */
typedef void (*restway_span_fn)(void *context, const restway_span *span, void *trace_parent);

/** Sets how the calls of a client are traced, in place of an earlier setting. Calls that have
 *  started are not affected.
 *
 *  @param flags   RESTWAY_TRACE_* bits.
 *  @param span    Learns of the spans; NULL for no function. With RESTWAY_TRACE_HEADER, the library
 *                 then makes a new trace for each call.
 *  @param context Passed to @p span unchanged.
 *  @param destroy Called once with @p context after the last call of @p span; may be NULL. It is
 *                 not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_tracing(
    restway_client *client, uint32_t flags, restway_span_fn span, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

RESTWAY_END_DECLS

#endif

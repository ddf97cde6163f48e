/** @file restway/event_stream.h
 *  Event streams: the program receives the events of an answer while they arrive. Each event comes
 *  with the objects to which it was mapped. docs/EVENTS.md explains the whole topic.
 *
 *  In this header, an event is one message of a server. The events of event.h are different: they
 *  tell a program with an event loop which calls have completed, for example.
 */
#ifndef RESTWAY_EVENT_STREAM_H
#define RESTWAY_EVENT_STREAM_H

#include "object.h"
#include "stream.h"

RESTWAY_BEGIN_DECLS

/** The formats of event streams. Append only. */
typedef enum RESTWAY_OPEN_ENUM restway_stream_format {
    /** The format that the route has as "stream". If the route has no "stream", the media type of
     *  the answer determines the format. */
    RESTWAY_STREAM_DEFAULT = 0,
    /** Server-Sent Events: text/event-stream. */
    RESTWAY_STREAM_EVENTS = 1,
    /** A JSON text in each line: application/x-ndjson, application/jsonl. */
    RESTWAY_STREAM_LINES = 2,
    /** JSON text sequences (RFC 7464): application/json-seq. */
    RESTWAY_STREAM_SEQUENCE = 3,
    /** Not a format: pins the type to 32 bits. */
    RESTWAY_STREAM_FORMAT_PIN_ = 0x7fffffff
} restway_stream_format;

/** One event: 56 bytes. The layout is frozen. The texts, the data, the objects and the error are
 *  *borrowed* until the function that receives the event returns. */
typedef struct restway_stream_event {
    /** The name that the server gave the event; "message" for an event without a name. Never
     *  NULL. */
    const char *name;
    /** The ID of the event. An event without an ID of its own has the last ID that the server sent
     *  before this event. The text is empty if the server has not sent any ID. Never NULL. */
    const char *id;
    /** The data, without the framing of the format. It is not NUL-terminated. Never NULL. */
    const void *data;
    /** The number of bytes of @p data. */
    size_t length;
    /** The objects to which the event was mapped, as they are in the store. The program may retain
     *  them. */
    const restway_object *const *objects;
    /** The number of @p objects. It is 0 if no response descriptor applies. */
    size_t object_count;
    /** The error if the event could not be mapped: RESTWAY_E_MAPPING, RESTWAY_E_TOO_LARGE, or the
     *  status of a mapper or a hook. NULL if the event could be mapped. The program may retain the
     *  error. */
    const restway_error *error;
} restway_stream_event;

/** Receives an event whose objects are in the store.
 *
 *  @param context    The context of the restway_event_receiver.
 *  @param event      The event. *Borrowed* until this returns.
 *  @param out_pauses As in restway_body_receive_fn, except that the function is still called for
 *                    the other events that were stored in the same commit.
 *  @param answer     As in restway_body_head_fn.
 *  @return As restway_body_head_fn.
 *
 *  A question, like restway_body_head_fn. */
typedef restway_status (*restway_stream_event_fn)(
    void *context, const restway_stream_event *event, int32_t *out_pauses, restway_answer *answer);

/** The functions that receive events, and the options of the stream. Start from
 *  RESTWAY_EVENT_RECEIVER_INIT. */
typedef struct restway_event_receiver {
    /** sizeof(restway_event_receiver), set by the INIT macro. */
    size_t struct_size;
    /** Passed to the functions unchanged.
     *  Default: NULL.
     *  Range: any pointer. */
    void *context;
    /** Receives the head of the answer, once for each connection.
     *  Default: NULL.
     *  Range: a function. */
    restway_body_head_fn head;
    /** Receives the events.
     *  Default: required.
     *  Range: a function. */
    restway_stream_event_fn receive;
    /** Called once with the context after the last function has returned, when neither the request
     *  nor a call needs the receiver any more.
     *  Default: NULL.
     *  Range: a function. */
    restway_destroy_fn destroy;
    /** The size limit of the data of an event, and of a line. A larger event fails the call with
     *  RESTWAY_E_TOO_LARGE.
     *  Default: 16 MiB.
     *  Range: 1 byte or more. */
    int64_t event_bytes_max;
    /** The format of the stream.
     *  Default: RESTWAY_STREAM_DEFAULT.
     *  Range: a restway_stream_format. */
    uint32_t format;
    /** The largest number of consecutive reconnections that bring no event.
     *  Default: no limit.
     *  Range: 1 or more; -1 allows no reconnection. */
    int32_t reconnections_max;
} restway_event_receiver;

/** Sets the first @p size bytes of @p receiver to what RESTWAY_EVENT_RECEIVER_INIT would set. @p
 *  size is the caller's sizeof(restway_event_receiver).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_event_receiver_init(
    restway_event_receiver *receiver, size_t size, restway_error **out_error);

/** Reads a 2xx answer as an event stream, and gives its events to functions of the program. The
 *  body is not kept in memory. The receiver replaces an earlier receiver and
 *  restway_request_save_to().
 *
 *  The response descriptors map each event by itself. The objects of an event are in the store
 *  before the program receives the event. Events that arrive together are stored in one commit. If
 *  an event cannot be mapped, the program receives it with an error, and the stream continues.
 *
 *  A stream of Server-Sent Events that was opened with GET is opened again when its connection
 *  ends, until the server answers with 204. The new request has the header Last-Event-ID; for the
 *  first connection, the program can set this header itself. For any other stream, the call
 *  completes when the body ends. A stream has no time limit, unless the route or the request sets a
 *  time limit.
 *
 *  As with restway_request_set_body_receiver(), the library holds a bounded number of bytes, a
 *  receiver that pauses continues with restway_call_resume(), and a cancel or a close ends the
 *  stream at once. The request is never stored in the outbox, and the call fails with HEAD and in a
 *  batch. The call fails with RESTWAY_E_MAPPING if the media type of the answer does not fit the
 *  format or, for Server-Sent Events, if the status is not 200.
 *
 *  @param receiver *Copied*. Its destroy function is not called when this fails. NULL keeps bodies
 *                  in memory.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_event_receiver(
    restway_request *request, const restway_event_receiver *receiver, restway_error **out_error);

RESTWAY_END_DECLS

#endif

/** @file restway/event_stream.h
 *  Event streams: the program receives the events of an answer while they arrive, with the objects
 *  that each was mapped to. docs/EVENTS.md explains the whole topic.
 *
 *  An event here is one message of a server. The events of event.h are something else: they tell a
 *  program with an event loop what this library has done.
 */
#ifndef RESTWAY_EVENT_STREAM_H
#define RESTWAY_EVENT_STREAM_H

#include "object.h"
#include "stream.h"

RESTWAY_BEGIN_DECLS

/** The formats of event streams. Append only. */
typedef enum RESTWAY_OPEN_ENUM restway_stream_format {
    /** As the route says with "stream"; otherwise as the media type of the answer says. */
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

/** One event: 56 bytes. The layout is frozen. Everything that it points to is *borrowed* until the
 *  function that receives it returns. */
typedef struct restway_stream_event {
    /** The name that the server gave the event; "message" if it gave none. Never NULL. */
    const char *name;
    /** The last ID that the server has set, for this event or an earlier one; "" if there is none.
     *  Never NULL. */
    const char *id;
    /** The data, without the framing of the format. It is not NUL-terminated. Never NULL. */
    const void *data;
    /** The number of bytes of @p data. */
    size_t length;
    /** The objects that the event was mapped to, after their commit to the store; they may be
     *  retained. */
    const restway_object *const *objects;
    /** The number of @p objects. It is 0 if no response descriptor applies. */
    size_t object_count;
    /** Why the event could not be mapped (RESTWAY_E_MAPPING, RESTWAY_E_TOO_LARGE, or the status of
     *  a mapper or a hook); otherwise NULL. It may be retained. */
    const restway_error *error;
} restway_stream_event;

/** Receives an event whose objects are in the store.
 *
 *  @param context    The context of the restway_event_receiver.
 *  @param event      The event. *Borrowed* until this returns.
 *  @param out_pauses As in restway_body_receive_fn, but events that were stored in the same commit
 *                    still come.
 *  @param answer     As in restway_body_head_fn.
 *  @return As restway_body_head_fn.
 *
 *  A question, like restway_body_head_fn. */
typedef restway_status (*restway_stream_event_fn)(
    void *context, const restway_stream_event *event, int32_t *out_pauses, restway_answer *answer);

/** The functions that receive events, and what the program wants. Start from
 *  RESTWAY_EVENT_RECEIVER_INIT. */
typedef struct restway_event_receiver {
    /** sizeof(restway_event_receiver), set by the INIT macro. */
    size_t struct_size;
    /** Passed to the functions unchanged. */
    void *context;
    /** Receives the head of the answer, once for each connection; may be NULL. */
    restway_body_head_fn head;
    /** Receives the events. */
    restway_stream_event_fn receive;
    /** Called once with the context after the last function has returned, when neither the request
     *  nor a call needs the receiver any more; may be NULL. */
    restway_destroy_fn destroy;
    /** The limit in bytes on the data of an event, and on a line; 0 is 16 MiB. A larger event fails
     *  the call with RESTWAY_E_TOO_LARGE. */
    int64_t event_bytes_max;
    /** A restway_stream_format. */
    uint32_t format;
    /** The limit on reconnections in a row that bring no event; 0 is no limit, -1 is no
     *  reconnection. */
    int32_t reconnections_max;
} restway_event_receiver;

/** An initialiser for a receiver without functions. */
#define RESTWAY_EVENT_RECEIVER_INIT \
    { sizeof(restway_event_receiver), NULL, NULL, NULL, NULL, 0, 0, 0 }

/** Sets the first @p size bytes of @p receiver to what RESTWAY_EVENT_RECEIVER_INIT would set. @p
 *  size is the caller's sizeof(restway_event_receiver).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_event_receiver_init(
    restway_event_receiver *receiver, size_t size, restway_error **out_error);

/** Reads a 2xx answer as an event stream, in place of memory and in place of an earlier receiver or
 *  restway_request_save_to(). The response descriptors map each event by itself; their objects are
 *  in the store before the program receives the event. Events that arrive together are one commit.
 *  An event that cannot be mapped is received with an error, and the stream goes on.
 *
 *  A stream of Server-Sent Events that was opened with GET is opened again when its connection
 *  ends, until the server answers with 204. The request then has Last-Event-ID; the program can set
 *  this header for the first connection. Any other stream ends, and the call completes, with the
 *  body. The stream has no time limit, unless the route or the request sets one.
 *
 *  Otherwise everything is as with restway_request_set_body_receiver(): what is held is bounded, a
 *  receiver that pauses goes on with restway_call_resume(), a cancel or a close ends the stream at
 *  once, and the request cannot be sent with HEAD or in a batch and is never stored. The call fails
 *  with RESTWAY_E_MAPPING if the answer has another media type or, for Server-Sent Events, another
 *  status than 200.
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

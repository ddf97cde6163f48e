/** @file restway/lifecycle.h
 *  The life of calls, for observers: docs/LIFECYCLE.md has the order of the events.
 */
#ifndef RESTWAY_LIFECYCLE_H
#define RESTWAY_LIFECYCLE_H

#include "client.h"
#include "observer.h"

RESTWAY_BEGIN_DECLS

/** The kinds of events in the life of a call. Frozen; append only: ignore an unknown kind. */
typedef enum RESTWAY_OPEN_ENUM restway_lifecycle_kind {
    /** The call begins. This is its first event. */
    RESTWAY_LIFECYCLE_WILL_BEGIN = 1,
    /** An exchange begins: the request goes to the transport. The event comes again for each
     *  attempt, redirect and further request of an upload, and not at all if the request is never
     *  sent. */
    RESTWAY_LIFECYCLE_DID_BEGIN = 2,
    /** Bytes of the body of the request were sent; restway_call_progress() has the numbers. One
     *  event stands for all bytes since the event before it, and the last one of an exchange for
     *  all its bytes. */
    RESTWAY_LIFECYCLE_UPLOADED = 3,
    /** Bytes of the body of the answer were received, as above. */
    RESTWAY_LIFECYCLE_DOWNLOADED = 4,
    /** The body of the answer, also of a failed one, is about to become objects. */
    RESTWAY_LIFECYCLE_WILL_MAP = 5,
    /** The call has not ended after the time that its request, its route or the client calls too
     *  slow. The event comes at most once for each call. */
    RESTWAY_LIFECYCLE_TOO_SLOW = 6,
    /** The call has ended with RESTWAY_OK. */
    RESTWAY_LIFECYCLE_DID_SUCCEED = 7,
    /** The call has ended with an error other than RESTWAY_E_CANCELLED. RESTWAY_E_QUEUED says that
     *  the outbox has stored the request, and RESTWAY_E_CLOSED that the client was closed. */
    RESTWAY_LIFECYCLE_DID_FAIL = 8,
    /** The call has ended with RESTWAY_E_CANCELLED. */
    RESTWAY_LIFECYCLE_DID_CANCEL = 9,
    /** Not a kind: pins the type to 32 bits. */
    RESTWAY_LIFECYCLE_KIND_PIN_ = 0x7fffffff
} restway_lifecycle_kind;

/** Bits of restway_call_info.flags: properties of a call. */
/** The library makes the call by itself: to bring a newer answer for its cache, or to send a stored
 *  request. */
#define RESTWAY_CALL_IN_BACKGROUND 0x1u
/** The request goes out inside the call of a batch. */
#define RESTWAY_CALL_IN_BATCH 0x2u
/** The outbox sends the request. */
#define RESTWAY_CALL_FROM_OUTBOX 0x4u

/** A call at one moment. The texts are *borrowed* from the handle that the struct was read from. */
typedef struct restway_call_info {
    /** sizeof(restway_call_info), set by the INIT macro. */
    size_t struct_size;
    /** The number of the call, as restway_call_id() returns it. */
    uint64_t call_id;
    /** The name of the route; NULL for a request that was not made by a named route. */
    const char *route;
    const char *method;
    /** The URL of the first request. `[redacted]` replaces secrets. */
    const char *url;
    /** The stage that holds the call: "start" before the first one, then a name of the table in
     *  docs/LIFECYCLE.md. Later versions may have further names. */
    const char *stage;
    /** The time since the call was made. */
    int64_t age_microseconds;
    /** The number of the attempt, from 1. */
    int32_t attempt;
    /** RESTWAY_CALL_* bits. */
    uint32_t flags;
} restway_call_info;

/** Sets the first @p size bytes of @p info to what RESTWAY_CALL_INFO_INIT would set. @p size is the
 *  caller's sizeof(restway_call_info).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_call_info_init(
    restway_call_info *info, size_t size, restway_error **out_error);

/** Which events an observer of calls receives. */
typedef struct restway_lifecycle_options {
    /** sizeof(restway_lifecycle_options), set by the INIT macro. */
    size_t struct_size;
    /** The kinds of events that are observed: the bits `1 << kind` of a restway_lifecycle_kind
     *  each. Bits of unknown kinds are refused.
     *  Default: 0, all kinds.
     *  Range: `1 << restway_lifecycle_kind` bits. */
    uint64_t kinds;
    /** The names of routes, whose calls are observed. A call that was not made by a named route
     *  belongs to no route. *Copied*.
     *  Default: NULL, all calls.
     *  Range: an array of texts. */
    const char *const *routes;
    /** Default: 0.
     *  Range: 0 or more, the length of routes. */
    size_t route_count;
    /** The shortest time between two events of the same kind of progress of a call.
     *  Default: 100 ms.
     *  Range: 1 ms or more. */
    int64_t progress_interval_milliseconds;
} restway_lifecycle_options;

/** Sets the first @p size bytes of @p options to what RESTWAY_LIFECYCLE_OPTIONS_INIT would set.
 *  @p size is the caller's sizeof(restway_lifecycle_options).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_lifecycle_options_init(
    restway_lifecycle_options *options, size_t size, restway_error **out_error);

/** An event in the life of a call. Immutable and reference counted; usable from any thread. */
typedef struct restway_lifecycle_event restway_lifecycle_event;

/** Tells an event in the life of a call.
 *
 *  @param context The context that was given together with this function.
 *  @param event   *Borrowed* until this returns.
 *
 *  A notice: it runs where the client's delivery mode says, and never at the same time as another
 *  notice of the client. It may call any function, also restway_observer_remove() and
 *  restway_call_cancel(); a function that blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef void (*restway_lifecycle_fn)(void *context, const restway_lifecycle_event *event);

/** Calls @p told for each event of each call that begins from now on. The events of one call come
 *  in the order of docs/LIFECYCLE.md. Several observers may be added; for one event, the observer
 *  that was added first is called first. The last event of a call comes after its completion
 *  notice.
 *
 *  @param client       Borrowed.
 *  @param options      *Copied*; NULL takes all events of all calls.
 *  @param told         Runs where the client's delivery mode says. With RESTWAY_DELIVERY_DRAIN it
 *                      must be NULL: an event RESTWAY_EVENT_LIFECYCLE comes in its place.
 *  @param context      Passed to @p told unchanged; it is also the token of the event.
 *  @param destroy      Called once with @p context after the last notice; may be NULL. It is not
 *                      called when this fails.
 *  @param out_observer Receives a handle owned by the caller (+1), which restway_observer_remove()
 *                      takes; NULL observes until the client is closed.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ROUTE, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_CLOSED,
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_observe_calls(
    restway_client *client, const restway_lifecycle_options *options, restway_lifecycle_fn told,
    void *context, restway_destroy_fn destroy, restway_observer **out_observer,
    restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_lifecycle_event *restway_lifecycle_event_retain(
    const restway_lifecycle_event *event);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_lifecycle_event_release(restway_lifecycle_event *event);

/** Returns the kind of an event; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_lifecycle_kind restway_lifecycle_event_kind(
    const restway_lifecycle_event *event);

/** Returns when the event happened, in microseconds since 1970-01-01T00:00:00Z; 0 for NULL.
 *  Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_lifecycle_event_time(const restway_lifecycle_event *event);

/** Reads the call as it was when the event happened.
 *
 *  @param info Must be initialised; the function fills the fields that this version of the struct
 *              has. Its texts are *borrowed* from @p event.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_lifecycle_event_info(
    const restway_lifecycle_event *event, restway_call_info *info, restway_error **out_error);

/** Returns the call, for its progress or to cancel it; NULL for NULL. *Borrowed*. Threads: any.
 *  Blocks: never. */
RESTWAY_API restway_call *restway_lifecycle_event_call(const restway_lifecycle_event *event);

/** Returns the response of a call that has succeeded; NULL for other events and for NULL.
 *  *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API restway_response *restway_lifecycle_event_response(
    const restway_lifecycle_event *event);

/** Returns the error of a call that has failed or was cancelled; NULL for other events and for
 *  NULL. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const restway_error *restway_lifecycle_event_error(
    const restway_lifecycle_event *event);

/** Sets the age at which a call with this request is too slow, in place of the age that the route
 *  or the client sets (`tooSlowMilliseconds`).
 *
 *  @param milliseconds More than 0; 0 takes the age of the route or the client; -1 is never.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_too_slow(
    restway_request *request, int64_t milliseconds, restway_error **out_error);

RESTWAY_END_DECLS

#endif

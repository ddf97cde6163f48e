/** @file restway/event.h
 *  Events: a program with an event loop of its own drains them in place of callbacks.
 */
#ifndef RESTWAY_EVENT_H
#define RESTWAY_EVENT_H

#include "call.h"
#include "change.h"

RESTWAY_BEGIN_DECLS

/** The kinds of events. Frozen; append only: release the payload of an unknown kind with
 *  restway_event_release(). */
typedef enum RESTWAY_OPEN_ENUM restway_event_kind {
    /** A call has completed. Exactly one event of this kind comes for each restway_client_send()
     *  that returned RESTWAY_OK. */
    RESTWAY_EVENT_COMPLETED = 1,
    /** Objects that an observer observes have changed in the store; the status is RESTWAY_OK. */
    RESTWAY_EVENT_CHANGED = 2,
    /** A call has made progress: see restway_call_progress(). This event comes only if the request
     *  asks for progress. It has no payload, and the status is RESTWAY_OK. */
    RESTWAY_EVENT_PROGRESS = 3,
    /** An attempt of a call has ended with the status of this event, and another attempt follows.
     *  This event comes only if the client has an attempt observer. The error says how the attempt
     *  ended, and holds all attempts so far (restway_error_attempt()), this one last; their count
     *  is its number. */
    RESTWAY_EVENT_ATTEMPT = 4,
    /** A batch session has completed. Exactly one event of this kind comes for each
     *  restway_batch_send() that returned RESTWAY_OK, after the events of its requests. */
    RESTWAY_EVENT_BATCH = 5,
    /** An item of the outbox was delivered, or has become a dead letter: see
     *  restway_outbox_item_fn. This event comes only if the client has an outbox observer, and
     *  once for each restway_outbox_await() that returned RESTWAY_OK. */
    RESTWAY_EVENT_OUTBOX_ITEM = 6,
    /** A flush of the outbox has ended. Exactly one event of this kind comes for each
     *  restway_outbox_flush() that returned RESTWAY_OK and, if the client has an outbox observer,
     *  for each flush that sent something. */
    RESTWAY_EVENT_OUTBOX_FLUSHED = 7,
    /** Something has happened in the life of a call that an observer of calls observes
     *  (lifecycle.h). The status is not RESTWAY_OK if the call has ended with that status. */
    RESTWAY_EVENT_LIFECYCLE = 8,
    /** The result of an observed query has changed (query_observer.h); the status is RESTWAY_OK. */
    RESTWAY_EVENT_QUERY_CHANGED = 9,
    /** Not a kind: pins the type to 32 bits. */
    RESTWAY_EVENT_KIND_PIN_ = 0x7fffffff
} restway_event_kind;

/** One event: 64 bytes. The layout is frozen. */
typedef struct restway_event {
    /** A restway_event_kind. */
    uint32_t kind;
    /** The restway_status with which the call completed or the attempt ended. */
    uint32_t status;
    /** The context that was given to restway_client_send(), restway_client_observe(),
     *  restway_client_observe_calls(), restway_client_observe_query(), restway_batch_add(),
     *  restway_batch_send(), restway_outbox_flush() or restway_client_set_outbox_observer(). */
    uint64_t token;
    /** The restway_call_id() of the event's call; 0 with RESTWAY_EVENT_CHANGED and
     *  RESTWAY_EVENT_QUERY_CHANGED. */
    uint64_t call_id;
    union {
        /** For RESTWAY_EVENT_COMPLETED if the status is RESTWAY_OK. Owned by the caller (+1). */
        restway_response *response;
        /** For RESTWAY_EVENT_COMPLETED and RESTWAY_EVENT_BATCH if the status is not RESTWAY_OK, and
         *  for RESTWAY_EVENT_ATTEMPT. Owned by the caller (+1). */
        restway_error *error;
        /** For RESTWAY_EVENT_CHANGED. Owned by the caller (+1). */
        restway_changes *changes;
        /** For RESTWAY_EVENT_OUTBOX_ITEM the item, and for RESTWAY_EVENT_OUTBOX_FLUSHED the items
         *  that were sent. restway_outbox_items_error() explains the status. Owned by the caller
         *  (+1). */
        struct restway_outbox_items *items;
        /** For RESTWAY_EVENT_LIFECYCLE. Owned by the caller (+1). */
        struct restway_lifecycle_event *lifecycle;
        /** For RESTWAY_EVENT_QUERY_CHANGED. Owned by the caller (+1). */
        struct restway_query_changes *query_changes;
    } payload;
    /** Zero. */
    uint64_t reserved[4];
} restway_event;

/** Releases the payload of an event of any kind and sets it to NULL. NULL is fine.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API void restway_event_release(restway_event *event);

RESTWAY_END_DECLS

#endif

/** @file restway/event.h
 *  Events: what a host that runs its own loop drains, in place of callbacks.
 */
#ifndef RESTWAY_EVENT_H
#define RESTWAY_EVENT_H

#include "call.h"
#include "change.h"

RESTWAY_BEGIN_DECLS

/** What an event tells. Frozen; append only: release the payload of a kind that you do not know
 *  with restway_event_release(). */
typedef enum RESTWAY_OPEN_ENUM restway_event_kind {
    /** A call has completed; exactly one for each restway_client_send() that returned RESTWAY_OK.
     *  */
    RESTWAY_EVENT_COMPLETED = 1,
    /** The store has changed in what an observer observes; the status is RESTWAY_OK. */
    RESTWAY_EVENT_CHANGED = 2,
    /** A call has come further: see restway_call_progress(). Only of calls whose request asks for
     *  progress; it has no payload, and status is RESTWAY_OK. */
    RESTWAY_EVENT_PROGRESS = 3,
    /** An attempt of a call has ended with status, and another one follows. Only when the client
     *  has an attempt observer. The error says how it ended, and has the attempts until then
     *  (restway_error_attempt()): it is the last of them, and its number is their count. */
    RESTWAY_EVENT_ATTEMPT = 4,
    /** A batch session has completed; exactly one for each restway_batch_send() that returned
     *  RESTWAY_OK, behind the events of its requests. */
    RESTWAY_EVENT_BATCH = 5,
    /** An item of the outbox was delivered, or has become a dead letter: see
     *  restway_outbox_item_fn. Only when the client has an outbox observer. */
    RESTWAY_EVENT_OUTBOX_ITEM = 6,
    /** A flush of the outbox is over: exactly one for each restway_outbox_flush() that returned
     *  RESTWAY_OK, and, when the client has an outbox observer, for each in which something was
     *  sent. */
    RESTWAY_EVENT_OUTBOX_FLUSHED = 7,
    /** Not a kind: pins the type to 32 bits. */
    RESTWAY_EVENT_KIND_PIN_ = 0x7fffffff
} restway_event_kind;

/** One event: 64 bytes. The layout is frozen. */
typedef struct restway_event {
    /** A restway_event_kind. */
    uint32_t kind;
    /** A restway_status: how the call completed, or the attempt ended. */
    uint32_t status;
    /** The context that was given to restway_client_send(), restway_client_observe(),
     *  restway_batch_add(), restway_batch_send(), restway_outbox_flush() or
     *  restway_client_set_outbox_observer(). */
    uint64_t token;
    /** restway_call_id() of the call that the event is about; 0 with RESTWAY_EVENT_CHANGED. */
    uint64_t call_id;
    union {
        /** RESTWAY_EVENT_COMPLETED when status is RESTWAY_OK. Owned by the caller (+1). */
        restway_response *response;
        /** RESTWAY_EVENT_COMPLETED and RESTWAY_EVENT_BATCH when it is not, and
         *  RESTWAY_EVENT_ATTEMPT. Owned by the caller (+1). */
        restway_error *error;
        /** RESTWAY_EVENT_CHANGED. Owned by the caller (+1). */
        restway_changes *changes;
        /** RESTWAY_EVENT_OUTBOX_ITEM: one item, and RESTWAY_EVENT_OUTBOX_FLUSHED: what was sent.
         *  restway_outbox_items_error() says what @p status means. Owned by the caller (+1). */
        struct restway_outbox_items *items;
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

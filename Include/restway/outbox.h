/** @file restway/outbox.h
 *  The outbox: requests that could not reach the server, stored until they have been delivered. See
 *  docs/OUTBOX.md.
 *
 *  A call whose request was stored completes with RESTWAY_E_QUEUED. The functions here answer
 *  RESTWAY_E_CONFIG for a client whose API document has no `outbox`, and RESTWAY_E_OUTBOX, with the
 *  file's path as field, when its file cannot be read or written.
 */
#ifndef RESTWAY_OUTBOX_H
#define RESTWAY_OUTBOX_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** What is known of the way to the server. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_reachability {
    /** Nothing: requests are tried. */
    RESTWAY_REACHABILITY_UNKNOWN = 0,
    /** The server can be reached. */
    RESTWAY_REACHABILITY_REACHABLE = 1,
    /** The server cannot be reached. */
    RESTWAY_REACHABILITY_UNREACHABLE = 2,
    /** Not a value: pins the type to 32 bits. */
    RESTWAY_REACHABILITY_PIN_ = 0x7fffffff
} restway_reachability;

/** Says whether the server can be reached. While it says that it cannot, requests that may be
 *  stored are stored at once, and the outbox sends nothing by itself; other requests are tried as
 *  usual. Any other word flushes the outbox. A client without an outbox takes note of it, too.
 *
 *  @param reachability A restway_reachability; RESTWAY_REACHABILITY_UNKNOWN takes back what was
 *                      said before.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_reachability(
    restway_client *client, restway_reachability reachability, restway_error **out_error);

/** What the client takes for true: the host's word; without one, what the last exchange showed.
 *  RESTWAY_REACHABILITY_UNKNOWN for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_reachability restway_client_reachability(const restway_client *client);

/** Puts a request into a lane of its own choice, should it be one that may be stored: requests of a
 *  lane go out in their order, one after the other.
 *
 *  @param lane Not empty; NULL takes the usual one: entity and identity, else the path. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_lane(
    restway_request *request, const char *lane, restway_error **out_error);

/** The number of the item as which the request of a call was stored that completed with
 *  RESTWAY_E_QUEUED; 0 for any other error, and for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_error_outbox_id(const restway_error *error);

/** Where an item of the outbox stands. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_outbox_state {
    /** It goes out when its turn and its time have come. */
    RESTWAY_OUTBOX_WAITING = 1,
    /** It is on its way. */
    RESTWAY_OUTBOX_SENDING = 2,
    /** It stands behind a dead letter of its lane, or waits for an identity from the server. */
    RESTWAY_OUTBOX_BLOCKED = 3,
    /** The server has refused it for good: retry it, edit it or drop it. */
    RESTWAY_OUTBOX_DEAD = 4,
    /** The server has taken it, and it is no longer stored. In reports only. */
    RESTWAY_OUTBOX_DELIVERED = 5,
    /** Not a state: pins the type to 32 bits. */
    RESTWAY_OUTBOX_PIN_ = 0x7fffffff
} restway_outbox_state;

/** A stored request as it stood at one moment. Immutable, reference counted, usable from any
 *  thread; it may outlive its client. */
typedef struct restway_outbox_item restway_outbox_item;

/** A list of such items, oldest first. Immutable, reference counted, usable from any thread. */
typedef struct restway_outbox_items restway_outbox_items;

/** Another reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_outbox_item *restway_outbox_item_retain(restway_outbox_item *item);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_outbox_item_release(restway_outbox_item *item);

/** The number of an item, from 1, never given twice; later items have larger ones. 0 for NULL.
 *  Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_outbox_item_id(const restway_outbox_item *item);

/** Where an item stands; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_outbox_state restway_outbox_item_state(const restway_outbox_item *item);

/** Its method, as "POST"; NULL for NULL. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outbox_item_method(const restway_outbox_item *item);

/** Its path below the base URL, without its query; NULL for NULL. *Borrowed*. Threads: any. Blocks:
 *  never. */
RESTWAY_API const char *restway_outbox_item_path(const restway_outbox_item *item);

/** Its lane; NULL for NULL. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outbox_item_lane(const restway_outbox_item *item);

/** The Idempotency-Key that goes along with every attempt; NULL for NULL. *Borrowed*. Threads: any.
 *  Blocks: never. */
RESTWAY_API const char *restway_outbox_item_key(const restway_outbox_item *item);

/** Its body as it was stored; NULL when it has none.
 *
 *  @param out_length Receives how many bytes it has; may be NULL.
 *  @return *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const void *restway_outbox_item_body(
    const restway_outbox_item *item, size_t *out_length);

/** When it was stored, in microseconds since 1970, UTC; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_outbox_item_created(const restway_outbox_item *item);

/** How often it may have reached the server, the call that stored it included; 0 for NULL. Threads:
 *  any. Blocks: never. */
RESTWAY_API int64_t restway_outbox_item_attempts(const restway_outbox_item *item);

/** When it may go out again by itself, in microseconds since 1970, UTC; 0 when that is now.
 *  Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_outbox_item_next_attempt(const restway_outbox_item *item);

/** Why it has not been delivered, in words; NULL when it was never tried. *Borrowed*. Threads: any.
 *  Blocks: never. */
RESTWAY_API const char *restway_outbox_item_last_error(const restway_outbox_item *item);

/** What the server answered: of a dead letter, and of an item in a report. NULL when there was no
 *  answer. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API restway_response *restway_outbox_item_response(const restway_outbox_item *item);

/** How many items a list has; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_outbox_items_count(const restway_outbox_items *items);

/** One item of a list; NULL out of range. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API restway_outbox_item *restway_outbox_items_item(
    const restway_outbox_items *items, size_t index);

/** A list as JSON: an array of objects with `id`, `state`, `lane`, `method`, `path`, `headers`,
 *  `idempotencyKey`, `createdAt`, `attempts`, `nextAttemptAt`, `body`, `lastError`, and of a dead
 *  letter `answer`. Secrets are left out: what the API document, or the usual names, call secret
 *  stands as "[redacted]", and of a body that is neither JSON nor a form only its size is told.
 *
 *  @param out_length Receives how many bytes it has; may be NULL.
 *  @return UTF-8 with a NUL behind it; NULL for NULL. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outbox_items_json(
    const restway_outbox_items *items, size_t *out_length);

/** Why a flush could not go on, or an item was not delivered: of the payload of an event. NULL when
 *  its status is RESTWAY_OK, and for other lists. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const restway_error *restway_outbox_items_error(const restway_outbox_items *items);

/** Another reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_outbox_items *restway_outbox_items_retain(restway_outbox_items *items);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_outbox_items_release(restway_outbox_items *items);

/** All stored requests, oldest first.
 *
 *  @param out_items Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_CONFIG, RESTWAY_E_OUTBOX, RESTWAY_E_CLOSED, RESTWAY_E_FORKED,
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_list(
    restway_client *client, restway_outbox_items **out_items, restway_error **out_error);

/** One stored request.
 *
 *  @param id       Of the item: restway_outbox_item_id(), restway_error_outbox_id().
 *  @param out_item Receives a handle owned by the caller (+1).
 *  @return As restway_outbox_list(); RESTWAY_E_INVALID_ARGUMENT also when it is no longer stored.
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_find(
    restway_client *client, int64_t id, restway_outbox_item **out_item,
    restway_error **out_error);

/** How many items an outbox has, by state. */
typedef struct restway_outbox_counts {
    /** sizeof(restway_outbox_counts), set by the INIT macro. */
    size_t struct_size;
    /** RESTWAY_OUTBOX_WAITING. */
    int64_t waiting;
    /** RESTWAY_OUTBOX_SENDING. */
    int64_t sending;
    /** RESTWAY_OUTBOX_BLOCKED. */
    int64_t blocked;
    /** RESTWAY_OUTBOX_DEAD. */
    int64_t dead;
} restway_outbox_counts;

/** Counts of which nothing is known. */
#define RESTWAY_OUTBOX_COUNTS_INIT { sizeof(restway_outbox_counts), 0, 0, 0, 0 }

/** Sets the first @p size bytes of @p counts to what RESTWAY_OUTBOX_COUNTS_INIT would set. @p size
 *  is the caller's sizeof(restway_outbox_counts).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that is no version's).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_counts_init(
    restway_outbox_counts *counts, size_t size, restway_error **out_error);

/** Counts the items.
 *
 *  @param counts Initialised; fields that its version has are filled.
 *  @return As restway_outbox_list().
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_count(
    restway_client *client, restway_outbox_counts *counts, restway_error **out_error);

/** Whether there is something that a flush could deliver: dead letters, and what they block, do not
 *  count.
 *
 *  @param out_needs Receives 1 or 0.
 *  @return As restway_outbox_list().
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_needs_flushing(
    restway_client *client, int32_t *out_needs, restway_error **out_error);

/** Whether a stored request is about an object: the server has not heard of its newest changes.
 *
 *  @param object      Any snapshot of the instance, of this client's store. *Borrowed*.
 *  @param out_pending Receives 1 or 0.
 *  @return As restway_outbox_list().
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_has_pending(
    restway_client *client, const restway_object *object, int32_t *out_pending,
    restway_error **out_error);

/** A flush is over: nothing is under way any more, and nothing else may go out for now.
 *
 *  @param context As given with this function.
 *  @param items   What was sent, each item once, as it stands now, with its answer. *Borrowed*
 *                 until this returns.
 *  @param status  RESTWAY_OK; else why the flush could not go on.
 *  @param error   NULL when @p status is RESTWAY_OK. *Borrowed* until this returns.
 *
 *  A notice, behind those of its items. It may call any function; one that blocks returns
 *  RESTWAY_E_WOULD_BLOCK. */
typedef void (*restway_outbox_flushed_fn)(
    void *context, const restway_outbox_items *items, restway_status status,
    const restway_error *error);

/** An item has come to an end: it was delivered, or has become a dead letter.
 *
 *  @param context As given with this function.
 *  @param item    Its state says which, its response what the server answered. *Borrowed* until
 *                 this returns.
 *  @param status  RESTWAY_OK when the item was delivered, and its answer is in the store; else what
 *                 a call with this answer would have completed with.
 *  @param error   NULL when @p status is RESTWAY_OK. *Borrowed* until this returns.
 *
 *  A notice. It may call any function; one that blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef void (*restway_outbox_item_fn)(
    void *context, const restway_outbox_item *item, restway_status status,
    const restway_error *error);

/** Bits of restway_outbox_flush(). */
#define RESTWAY_OUTBOX_FORCE 0x1u /**< Also what the server has asked to hold back for a while. */

/** Sends what is stored, also while the host says that the server cannot be reached. Waits that are
 *  only the outbox's own are cut short; those that a server asked for with Retry-After are kept,
 *  unless @p flags hold RESTWAY_OUTBOX_FORCE.
 *
 *  @param flags   RESTWAY_OUTBOX_* bits.
 *  @param done    Called exactly once if and only if this returns RESTWAY_OK; NULL when nobody
 *                 needs to be told. With RESTWAY_DELIVERY_DRAIN it must be NULL:
 *                 RESTWAY_EVENT_OUTBOX_FLUSHED comes in its place.
 *  @param context Passed to @p done untouched; the event's token.
 *  @param destroy Called once with @p context after @p done has returned, or the event was drained
 *                 or dropped; may be NULL. It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CONFIG, RESTWAY_E_CLOSED, RESTWAY_E_FORKED,
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  The flush ends with RESTWAY_E_OUTBOX when the file fails, with RESTWAY_E_CLOSED when the client
 *  is closed, and with RESTWAY_E_OUTBOX when another process is the sender of this file.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_flush(
    restway_client *client, uint32_t flags, restway_outbox_flushed_fn done, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** Sets who is told of items and of flushes that nobody asked for, in place of the one before.
 *
 *  @param item    NULL tells nobody of items. With RESTWAY_DELIVERY_DRAIN it is never called: any
 *                 function asks for events RESTWAY_EVENT_OUTBOX_ITEM.
 *  @param flushed NULL tells nobody of flushes. It is told of a flush in which something was sent.
 *                 With RESTWAY_DELIVERY_DRAIN as @p item, for RESTWAY_EVENT_OUTBOX_FLUSHED.
 *  @param context Passed to both untouched; the events' token.
 *  @param destroy Called once with @p context when nothing more is told; may be NULL. It is not
 *                 called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_outbox_observer(
    restway_client *client, restway_outbox_item_fn item, restway_outbox_flushed_fn flushed,
    void *context, restway_destroy_fn destroy, restway_error **out_error);

/** Lets a dead letter go out again as it is, with its key.
 *
 *  @return As restway_outbox_find(); RESTWAY_E_INVALID_ARGUMENT also for an item that is no dead
 *          letter.
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_retry(
    restway_client *client, int64_t id, restway_error **out_error);

/** Gives a dead letter another body and a new key, and lets it go out again.
 *
 *  @param body       @p length bytes; NULL when it is to have none. *Copied*.
 *  @param media_type Its Content-Type; NULL keeps what the item has. *Copied*.
 *  @return As restway_outbox_retry().
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_edit(
    restway_client *client, int64_t id, const void *body, size_t length, const char *media_type,
    restway_error **out_error);

/** Takes an item out, whatever its state, and with a request that was to make an object all those
 *  that depend on that. One that is on its way may have reached the server. The store keeps what it
 *  has.
 *
 *  @param out_count Receives how many were taken out; may be NULL.
 *  @return As restway_outbox_find().
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_drop(
    restway_client *client, int64_t id, size_t *out_count, restway_error **out_error);

/** Takes all items out.
 *
 *  @param out_count Receives how many there were; may be NULL.
 *  @return As restway_outbox_list().
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_drop_all(
    restway_client *client, size_t *out_count, restway_error **out_error);

RESTWAY_END_DECLS

#endif

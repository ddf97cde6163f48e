/** @file restway/outbox.h
 *  The outbox: requests that could not reach the server, stored until they have been delivered.
 *  See docs/OUTBOX.md.
 *
 *  A call whose request was stored completes with RESTWAY_E_QUEUED. An *item* is a stored request;
 *  a *dead letter* is an item that the server has refused for good. The client's store shows the
 *  changes of a stored draft at once, over the values of the server (restway_store_pending()). If
 *  the item is dropped, withdrawn because its object is deleted, or refused, the store shows the
 *  server's values again. A dead letter marks its object as rejected, see
 *  restway_store_is_rejected(). The functions return RESTWAY_E_CONFIG if the client has no outbox,
 *  as neither its API document nor its options name a file, and RESTWAY_E_OUTBOX, with the file's
 *  path as field, if its file cannot be read or written.
 */
#ifndef RESTWAY_OUTBOX_H
#define RESTWAY_OUTBOX_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** Whether the server can be reached. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_reachability {
    /** The library does not know it: requests are tried. */
    RESTWAY_REACHABILITY_UNKNOWN = 0,
    /** The server can be reached. */
    RESTWAY_REACHABILITY_REACHABLE = 1,
    /** The server cannot be reached. */
    RESTWAY_REACHABILITY_UNREACHABLE = 2,
    /** Not a value: pins the type to 32 bits. */
    RESTWAY_REACHABILITY_PIN_ = 0x7fffffff
} restway_reachability;

/** Tells the client whether the server can be reached. If not, requests that may be stored are
 *  stored at once, requests that may be read offline are answered by the cache if it has an answer
 *  (cache.h), and the outbox sends nothing by itself; other requests are tried as usual, or fail at
 *  once (RESTWAY_CLIENT_FAIL_UNREACHABLE). Any other value flushes the outbox. A client without an
 *  outbox keeps the value, too.
 *
 *  @param reachability A restway_reachability; RESTWAY_REACHABILITY_UNKNOWN clears the earlier
 *                      value.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_reachability(
    restway_client *client, restway_reachability reachability, restway_error **out_error);

/** Returns whether the client takes the server for reachable: the value that the program has set,
 *  or else the result of the last exchange. RESTWAY_REACHABILITY_UNKNOWN for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_reachability restway_client_reachability(const restway_client *client);

/** Chooses the lane of a request, in case the outbox stores it. A lane is a queue of the outbox:
 *  its requests are sent in order, one after the other.
 *
 *  @param lane The name of the lane, not empty; NULL takes the default: entity and identity, or
 *              else the path. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  The outbox cannot store a request whose answer is saved or streamed (restway_request_save_to(),
 *  restway_request_set_body_receiver()). If a request of this kind has a lane, and the outbox could
 *  otherwise store it, the call fails with RESTWAY_E_INVALID_ARGUMENT when it is sent.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_lane(
    restway_request *request, const char *lane, restway_error **out_error);

/** When the outbox stores a request. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_offline {
    /** As the request's route or the document says. */
    RESTWAY_OFFLINE_ROUTE = 0,
    /** Never. For GET and HEAD: the cache does not answer when the server cannot be reached. */
    RESTWAY_OFFLINE_NEVER = 1,
    /** When it cannot be sent now, as with `"offline": true` of a route. For GET and HEAD: the
     *  cache answers when the server cannot be reached. */
    RESTWAY_OFFLINE_FAILED = 2,
    /** Before it is sent, so that it is not lost if the process is killed. Not for GET and HEAD. */
    RESTWAY_OFFLINE_FIRST = 3,
    /** Not a value: pins the type to 32 bits. */
    RESTWAY_OFFLINE_PIN_ = 0x7fffffff
} restway_offline;

/** Chooses when the outbox stores a request, in place of the `offline` of its route.
 *
 *  With RESTWAY_OFFLINE_FIRST, the request is written to the file before it is sent. The call then
 *  waits for the answer, and completes as if the request had not been stored: an error of the
 *  server goes to the call and leaves no dead letter. If the request cannot be delivered now, the
 *  call completes with RESTWAY_E_QUEUED. If the call is cancelled, the request is dropped, unless
 *  it may have arrived: then it stays in the outbox.
 *
 *  @param offline A restway_offline.
 *  @return RESTWAY_OK, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  The call fails with RESTWAY_E_INVALID_ARGUMENT when it is sent, if it is to be stored and cannot
 *  be: its method is GET, HEAD or another one that is safe (with RESTWAY_OFFLINE_FIRST), its body
 *  is read while it is sent, or its answer is saved or streamed. It fails with RESTWAY_E_CONFIG if
 *  the client has no outbox.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_offline(
    restway_request *request, restway_offline offline, restway_error **out_error);

/** Returns the number of the stored request, if the call completed with RESTWAY_E_QUEUED; 0 for any
 *  other error, and for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_error_outbox_id(const restway_error *error);

/** The state of an item of the outbox. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_outbox_state {
    /** The item is sent when the items before it are done and its next attempt is due. */
    RESTWAY_OUTBOX_WAITING = 1,
    /** The item is being sent. */
    RESTWAY_OUTBOX_SENDING = 2,
    /** The item waits behind a dead letter of its lane, behind a conflict about its object as a
     *  whole, or for an identity from the server. */
    RESTWAY_OUTBOX_BLOCKED = 3,
    /** The item is a dead letter: retry it, edit it or drop it. */
    RESTWAY_OUTBOX_DEAD = 4,
    /** The server has accepted the item, which is no longer stored. This state appears in reports
     *  only. */
    RESTWAY_OUTBOX_DELIVERED = 5,
    /** The item is no longer stored, and this client has not delivered it. This state appears only
     *  in what restway_outbox_await() reports. */
    RESTWAY_OUTBOX_GONE = 6,
    /** The item changes what another client has changed at the server, and is not sent until the
     *  conflict is resolved or the item is dropped. */
    RESTWAY_OUTBOX_PARKED = 7,
    /** Not a state: pins the type to 32 bits. */
    RESTWAY_OUTBOX_PIN_ = 0x7fffffff
} restway_outbox_state;

/** Why an item is a dead letter, or waits. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_outbox_reason {
    /** The item is not a dead letter, and it waits at most for its turn or its time. */
    RESTWAY_OUTBOX_REASON_NONE = 0,
    /** The server refused the request; restway_outbox_item_response() has the answer. */
    RESTWAY_OUTBOX_REASON_REFUSED = 1,
    /** The server has received the Idempotency-Key with another request before: it answered 422,
     *  and its problem document names the key. A retry gets the same answer; restway_outbox_edit()
     *  gives the request a new key. */
    RESTWAY_OUTBOX_REASON_KEY_REUSED = 2,
    /** The request could not be sent, or its answer could not be read. */
    RESTWAY_OUTBOX_REASON_UNSENDABLE = 3,
    /** The request waited for an object, and the server did not say the identity of that object. */
    RESTWAY_OUTBOX_REASON_NO_IDENTITY = 4,
    /** The item waits, because the network answered the last attempt in place of the API: with a
     *  page of HTML, with a redirect to another origin, or with 407 or 511. It is sent again. A
     *  hotspot may want a login. */
    RESTWAY_OUTBOX_REASON_NOT_THE_API = 5,
    /** The item waits for another credential: the server refused the one of the last attempt, or
     *  the client had none. It is sent again when a client of the same outbox, in any process, gets
     *  another credential from restway_client_set_credential() or from a refresh. After a redirect
     *  (302) to a page of the API, such as a sign-in, it is also sent again after a while. */
    RESTWAY_OUTBOX_REASON_CREDENTIAL = 6,
    /** The item waits, because another user than the client's stored it: its discriminator
     *  (restway_client_set_cache_discriminator()) is another one or, if there are no
     *  discriminators, its user name is. A client of that user sends it, in any process. It can be
     *  dropped. */
    RESTWAY_OUTBOX_REASON_OTHER_USER = 7,
    /** The item waits behind a parked item (RESTWAY_OUTBOX_PARKED) whose object was deleted on one
     *  side and changed on the other. It is sent when that conflict is resolved. */
    RESTWAY_OUTBOX_REASON_CONFLICT = 8,
    /** The item is a dead letter, because the version that the server sends for the object cannot
     *  be used in a condition: the server refuses the version that it has just sent, or asks for a
     *  condition although it sends no strong version. A proxy may change entity tags. */
    RESTWAY_OUTBOX_REASON_VERSION = 9,
    /** Not a reason: pins the type to 32 bits. */
    RESTWAY_OUTBOX_REASON_PIN_ = 0x7fffffff
} restway_outbox_reason;

/** A copy of a stored request at one moment. Immutable, reference counted, usable from any thread;
 *  it may outlive its client. */
typedef struct restway_outbox_item restway_outbox_item;

/** A list of items, oldest first. Immutable, reference counted, usable from any thread. */
typedef struct restway_outbox_items restway_outbox_items;

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_outbox_item *restway_outbox_item_retain(const restway_outbox_item *item);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_outbox_item_release(restway_outbox_item *item);

/** Returns an item's number: from 1, larger for later items, never reused; 0 for NULL.
 *  Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_outbox_item_id(const restway_outbox_item *item);

/** Returns the state of an item; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_outbox_state restway_outbox_item_state(const restway_outbox_item *item);

/** Says why an item is a dead letter, or that a waiting item has met a network that answers in
 *  place of the API; RESTWAY_OUTBOX_REASON_NONE for another item, and for NULL. Threads: any.
 *  Blocks: never. */
RESTWAY_API restway_outbox_reason restway_outbox_item_reason(const restway_outbox_item *item);

/** Returns the method ("POST"); NULL for NULL. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outbox_item_method(const restway_outbox_item *item);

/** Returns the path of an item below the base URL, without the query; NULL for NULL. *Borrowed*.
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outbox_item_path(const restway_outbox_item *item);

/** Returns the lane of an item; NULL for NULL. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outbox_item_lane(const restway_outbox_item *item);

/** Returns the Idempotency-Key that is sent with every attempt; NULL for NULL. *Borrowed*.
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outbox_item_key(const restway_outbox_item *item);

/** Returns the body of an item as it was stored; NULL if it is missing.
 *
 *  @param out_length Receives how many bytes it has; may be NULL.
 *  @return *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const void *restway_outbox_item_body(
    const restway_outbox_item *item, size_t *out_length);

/** Returns when an item was stored, in microseconds since 1970-01-01T00:00:00Z; 0 for NULL.
 *  Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_outbox_item_created(const restway_outbox_item *item);

/** Returns how often an item may have reached the server, including the call that stored it, the
 *  repetitions of the transport, and the attempt of a process that was killed; 0 for NULL. Threads:
 *  any. Blocks: never. */
RESTWAY_API int64_t restway_outbox_item_attempts(const restway_outbox_item *item);

/** Returns when the outbox may send an item again by itself, in microseconds since
 *  1970-01-01T00:00:00Z; 0 means at once. Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_outbox_item_next_attempt(const restway_outbox_item *item);

/** Says in words why an item has not been delivered; NULL if it was never tried. *Borrowed*.
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outbox_item_last_error(const restway_outbox_item *item);

/** Returns the server's answer to a dead letter, or to an item in a report. NULL when there was no
 *  answer. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API restway_response *restway_outbox_item_response(const restway_outbox_item *item);

/** Returns the error of a dead letter: the API's code and message, and the details for each field,
 *  as the call would have had them. The answer is read anew for an item from the file, which it is
 *  if it is JSON. NULL for other items and for NULL. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const restway_error *restway_outbox_item_error(const restway_outbox_item *item);

/** Returns how many items a list has; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_outbox_items_count(const restway_outbox_items *items);

/** Returns one item of a list; NULL out of range. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API restway_outbox_item *restway_outbox_items_item(
    const restway_outbox_items *items, size_t index);

/** Returns a list as JSON: an array of objects with `id`, `state`, `lane`, `method`, `path`,
 *  `headers`, `idempotencyKey`, `createdAt`, `attempts`, `nextAttemptAt`, `body`, `lastError`, and
 *  for a dead letter `answer`. Secrets are left out: "[redacted]" replaces values that are secret
 *  according to the API document or by their usual names. A body that is neither JSON nor a form
 *  appears as its size only.
 *
 *  @param out_length Receives how many bytes it has; may be NULL.
 *  @return NUL-terminated UTF-8; NULL for NULL. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outbox_items_json(
    const restway_outbox_items *items, size_t *out_length);

/** Says why a flush could not go on, or why an item was not delivered, for the payload of an event.
 *  NULL when the event's status is RESTWAY_OK, and for other lists. *Borrowed*. Threads: any.
 *  Blocks: never. */
RESTWAY_API const restway_error *restway_outbox_items_error(const restway_outbox_items *items);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_outbox_items *restway_outbox_items_retain(const restway_outbox_items *items);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_outbox_items_release(restway_outbox_items *items);

/** Lists all stored requests, oldest first.
 *
 *  @param out_items Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_CONFIG, RESTWAY_E_OUTBOX, RESTWAY_E_CLOSED, RESTWAY_E_FORKED,
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_list(
    restway_client *client, restway_outbox_items **out_items, restway_error **out_error);

/** Finds one stored request.
 *
 *  @param id       The number of the item, from restway_outbox_item_id() or
 *                  restway_error_outbox_id().
 *  @param out_item Receives a handle owned by the caller (+1).
 *  @return As restway_outbox_list(); RESTWAY_E_INVALID_ARGUMENT also when the item is no longer
 *          stored.
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_find(
    restway_client *client, int64_t id, restway_outbox_item **out_item,
    restway_error **out_error);

/** The numbers of items in an outbox, by state. */
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
    /** RESTWAY_OUTBOX_PARKED. */
    int64_t parked;
} restway_outbox_counts;

/** Sets the first @p size bytes of @p counts to what RESTWAY_OUTBOX_COUNTS_INIT would set. @p size
 *  is the caller's sizeof(restway_outbox_counts).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_counts_init(
    restway_outbox_counts *counts, size_t size, restway_error **out_error);

/** Counts the items by state.
 *
 *  @param counts Must be initialised; the function fills the fields that this version of the struct
 *                has.
 *  @return As restway_outbox_list().
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_count(
    restway_client *client, restway_outbox_counts *counts, restway_error **out_error);

/** Says whether a flush could deliver any item except dead letters, parked items and the items that
 *  these block.
 *
 *  @param out_needs Receives 1 or 0.
 *  @return As restway_outbox_list().
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_needs_flushing(
    restway_client *client, int32_t *out_needs, restway_error **out_error);

/** Says whether a stored request, which the server has not accepted yet, is about an object.
 *
 *  @param object      Any snapshot of the object, from this client's store. *Borrowed*.
 *  @param out_pending Receives 1 or 0.
 *  @return As restway_outbox_list().
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_has_pending(
    restway_client *client, const restway_object *object, int32_t *out_pending,
    restway_error **out_error);

/** Tells that a flush has ended: no request is in flight, and no other may be sent for now.
 *
 *  @param context The context that was given together with this function.
 *  @param items   The sent items, each once, as they are now and with their answers. *Borrowed*
 *                 until this returns.
 *  @param status  RESTWAY_OK; otherwise the reason why the flush could not go on.
 *  @param error   NULL when @p status is RESTWAY_OK. *Borrowed* until this returns.
 *
 *  A notice (docs/THREADING.md), which comes after the notices of the items. It may call any
 *  function; a function that blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef void (*restway_outbox_flushed_fn)(
    void *context, const restway_outbox_items *items, restway_status status,
    const restway_error *error);

/** Tells that an item was delivered, has become a dead letter, or was parked because of a conflict.
 *
 *  @param context The context that was given together with this function.
 *  @param item    The item. Its state says whether it was delivered, and its response holds the
 *                 server's answer. *Borrowed* until this returns.
 *  @param status  RESTWAY_OK when the item was delivered and its answer is in the store; otherwise
 *                 the status with which a call with this answer, or with this conflict, would
 *                 complete.
 *  @param error   NULL when @p status is RESTWAY_OK. *Borrowed* until this returns.
 *
 *  A notice (docs/THREADING.md). It may call any function; a function that blocks returns
 *  RESTWAY_E_WOULD_BLOCK. */
typedef void (*restway_outbox_item_fn)(
    void *context, const restway_outbox_item *item, restway_status status,
    const restway_error *error);

/** Bits of restway_outbox_flush(): options for a flush of the outbox. */
#define RESTWAY_OUTBOX_FORCE 0x1u /**< Ignores the waits that a server has asked for. */

/** Sends the stored requests, even if the program has said that the server cannot be reached. The
 *  outbox does not keep its own waits between attempts. It keeps a wait that a server asked for
 *  with Retry-After, unless @p flags hold RESTWAY_OUTBOX_FORCE.
 *
 *  @param flags   RESTWAY_OUTBOX_* bits.
 *  @param done    Called at most once, as in restway_client_send(); NULL when no callback
 *                 is needed. With RESTWAY_DELIVERY_DRAIN it must be NULL:
 *                 RESTWAY_EVENT_OUTBOX_FLUSHED comes in its place.
 *  @param context Passed to @p done unchanged; it is also the token of the event.
 *  @param destroy Called once with @p context after @p done has returned, or the event was drained
 *                 or dropped; may be NULL. It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CONFIG, RESTWAY_E_CLOSED, RESTWAY_E_FORKED,
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  @p done also receives the items that flushes which began by themselves have delivered, or have
 *  made dead letters of, in the ten seconds before, if no function has received them: the return
 *  of the network may have started and ended a flush just before this is called.
 *
 *  The flush ends with RESTWAY_E_OUTBOX when the file fails, with RESTWAY_E_CLOSED when the client
 *  is closed, and with RESTWAY_E_OUTBOX when another process is the sender of this file.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_flush(
    restway_client *client, uint32_t flags, restway_outbox_flushed_fn done, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** Replaces the callbacks for items, and for flushes that the outbox starts by itself. If all of
 *  @p item, @p flushed and @p context are NULL, nothing is told any more.
 *
 *  With RESTWAY_DELIVERY_DRAIN no function is called. If both functions are NULL and @p context is
 *  not, the events RESTWAY_EVENT_OUTBOX_ITEM and RESTWAY_EVENT_OUTBOX_FLUSHED come in their place.
 *  A function that is given turns on its event alone.
 *
 *  @param item    Called when an item was delivered, became a dead letter or was parked; may be
 *                 NULL.
 *  @param flushed Called after a flush that sent something; may be NULL.
 *  @param context Passed to both functions unchanged; it is also the token of the events.
 *  @param destroy Called once with @p context after the last callback or event; may be NULL. It is
 *                 not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_CLOSED, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_outbox_observer(
    restway_client *client, restway_outbox_item_fn item, restway_outbox_flushed_fn flushed,
    void *context, restway_destroy_fn destroy, restway_error **out_error);

/** Tells once when one stored request has come to its end: it was delivered, has become a dead
 *  letter, or is no longer stored. A parked request has not come to its end. A request that has
 *  ended before is told at once, as long as the client remembers its end: it remembers the last
 *  256 requests that it delivered, without their body and answer if these have more than 4 KiB.
 *
 *  @param id      The number of the item, from restway_outbox_item_id() or
 *                 restway_error_outbox_id().
 *  @param ended   Called at most once, as in restway_client_send(). The status is
 *                 RESTWAY_OK for an item that was delivered; RESTWAY_E_CANCELLED for an item that
 *                 was dropped or withdrawn (RESTWAY_OUTBOX_GONE); RESTWAY_E_OUTBOX for an item that
 *                 another process has delivered or dropped, which the client learns after three
 *                 seconds at the latest; RESTWAY_E_CLOSED when the client is closed; otherwise the
 *                 item is a dead letter, and the status is that of restway_outbox_item_fn. With
 *                 RESTWAY_DELIVERY_DRAIN it must be NULL: RESTWAY_EVENT_OUTBOX_ITEM comes in its
 *                 place.
 *  @param context Passed to @p ended unchanged; it is also the token of the event.
 *  @param destroy Called once with @p context after @p ended has returned, or the event was drained
 *                 or dropped; may be NULL. It is not called when this fails.
 *  @return As restway_outbox_find(); RESTWAY_E_INVALID_ARGUMENT also for an item whose end the
 *          client does not remember.
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_await(
    restway_client *client, int64_t id, restway_outbox_item_fn ended, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** Lets the outbox send a dead letter again, unchanged and with the same key.
 *
 *  @return As restway_outbox_find(); RESTWAY_E_INVALID_ARGUMENT also for an item that is not a dead
 *          letter.
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_retry(
    restway_client *client, int64_t id, restway_error **out_error);

/** Gives a dead letter another body and a new key, and lets the outbox send it again.
 *
 *  @param body       @p length bytes; NULL for no body. *Copied*.
 *  @param media_type The Content-Type of the body; NULL keeps the item's. *Copied*.
 *  @return As restway_outbox_retry().
 *
 *  Threads: any. Blocks: on the file. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_edit(
    restway_client *client, int64_t id, const void *body, size_t length, const char *media_type,
    restway_error **out_error);

/** Removes an item from the outbox, whatever its state. If its request was to create an object, all
 *  items that depend on that object are removed too. An item that is being sent may have reached
 *  the server.
 *
 *  The store takes the changes of these items back: it shows the newest values of the server, and
 *  over them the changes of the items that are left. An object whose DELETE is dropped is found
 *  again. Objects that only these items made are deleted, unless a server has answered for them; a
 *  draft of a deleted object becomes a draft of a new object. Observers see these changes with the
 *  source RESTWAY_CHANGE_SOURCE_TAKEN_BACK.
 *
 *  @param out_count Receives how many items were removed; may be NULL.
 *  @return As restway_outbox_find(); RESTWAY_E_STORE when the items are removed but the store
 *          cannot be written: it takes the changes back at the next drop, or when a client opens
 *          the outbox again.
 *
 *  Threads: any. Blocks: on the files of the outbox and of a SQLite store. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_drop(
    restway_client *client, int64_t id, size_t *out_count, restway_error **out_error);

/** Removes all items, and takes back their changes, as restway_outbox_drop() does.
 *
 *  @param out_count Receives how many items there were; may be NULL.
 *  @return As restway_outbox_list(), and RESTWAY_E_STORE as restway_outbox_drop().
 *
 *  Threads: any. Blocks: on the files of the outbox and of a SQLite store. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_drop_all(
    restway_client *client, size_t *out_count, restway_error **out_error);

RESTWAY_END_DECLS

#endif

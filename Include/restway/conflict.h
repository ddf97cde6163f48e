/** @file restway/conflict.h
 *  Conflicts: changes of the program that do not fit what somebody else has changed at the server.
 *  See docs/CONFLICTS.md.
 *
 *  Conflicts are found for entities with `version` in the API document. Before the outbox sends a
 *  change, it compares the values that the change was made on with the newest values of the server.
 *  Where both sides have changed an attribute, the document's `conflicts` decide: a value is sent,
 *  stays or is calculated, a function of the program decides, or the change is *parked*. A parked
 *  change stays in the outbox, and in the store's objects, until a program resolves it. A call that
 *  is not stored fails instead, and its error has the conflict (restway_error_conflict()).
 *
 *  A conflict has three objects. *base* has the values that the change was made on, *mine* those of
 *  the program, and *theirs* those of the server.
 */
#ifndef RESTWAY_CONFLICT_H
#define RESTWAY_CONFLICT_H

#include "mapping.h"
#include "outbox.h"

RESTWAY_BEGIN_DECLS

/** The kind of a conflict. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_conflict_kind {
    /** Both sides have changed the attributes and relationships that restway_conflict_name() names.
     */
    RESTWAY_CONFLICT_ATTRIBUTES = 1,
    /** The program has changed an object that the server no longer has. */
    RESTWAY_CONFLICT_THEY_DELETED = 2,
    /** The program has deleted an object that has other values at the server since. */
    RESTWAY_CONFLICT_I_DELETE = 3,
    /** Not a kind: pins the type to 32 bits. */
    RESTWAY_CONFLICT_PIN_ = 0x7fffffff
} restway_conflict_kind;

/** A side of a conflict. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_conflict_side {
    /** The values of the program: they are sent. If the server has deleted the object, it is
     *  created again; if the program has deleted it, the DELETE is sent again. */
    RESTWAY_CONFLICT_MINE = 1,
    /** The values of the server: the change is given up. If the server has deleted the object, the
     *  store deletes it, too; if the program has deleted it, it is seen again. */
    RESTWAY_CONFLICT_THEIRS = 2,
    /** Not a side: pins the type to 32 bits. */
    RESTWAY_CONFLICT_SIDE_PIN_ = 0x7fffffff
} restway_conflict_side;

/** A conflict as it was when it was found or listed. Its values never change. Its choices do, until
 *  it is resolved. Reference counted; usable from any thread; it may outlive its client. */
typedef struct restway_conflict restway_conflict;

/** A list of conflicts, oldest first. Immutable; reference counted; usable from any thread. */
typedef struct restway_conflicts restway_conflicts;

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_conflict *restway_conflict_retain(const restway_conflict *conflict);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_conflict_release(restway_conflict *conflict);

/** Returns the kind of a conflict; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_conflict_kind restway_conflict_kind_of(const restway_conflict *conflict);

/** Returns the number of the item of the outbox that is parked (restway_outbox_item_id()); 0 for a
 *  conflict that is not parked, and for NULL. Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_conflict_item_id(const restway_conflict *conflict);

/** Returns how many attributes and relationships are in conflict; 0 if the conflict is about the
 *  object as a whole, because one side has deleted it, and for NULL. Threads: any. Blocks: never.
 */
RESTWAY_API size_t restway_conflict_count(const restway_conflict *conflict);

/** Returns the name of the attribute or relationship @p index, in the order of the API document,
 *  relationships last; NULL when out of range. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_conflict_name(const restway_conflict *conflict, size_t index);

/** Returns 1 if @p index is a relationship; 0 if it is an attribute or out of range.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_conflict_is_relationship(
    const restway_conflict *conflict, size_t index);

/** Returns the object with the values that the change was made on; NULL for NULL. *Borrowed*. A
 *  value is RESTWAY_VALUE_ABSENT if there was none. restway_object_get() reads an attribute of it,
 *  and restway_store_related() follows a relationship. Threads: any. Blocks: never. */
RESTWAY_API restway_object *restway_conflict_base(const restway_conflict *conflict);

/** Returns the object with the values of the program; NULL for NULL. *Borrowed*. If the program has
 *  deleted the object, these are the values that it had then. Threads: any. Blocks: never. */
RESTWAY_API restway_object *restway_conflict_mine(const restway_conflict *conflict);

/** Returns the object with the values of the server, as they were when the conflict was found or
 *  listed; NULL if the server no longer has the object, or if its values are not known. *Borrowed*.
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_object *restway_conflict_theirs(const restway_conflict *conflict);

/** Chooses a side. A later choice replaces an earlier one. Nothing else changes before
 *  restway_conflict_resolve() is called, or before the resolver has returned.
 *
 *  @param name The name of an attribute or a relationship that is in conflict; NULL chooses for
 *              everything that has no choice of its own. It must be NULL for a conflict about the
 *              object as a whole.
 *  @param side A restway_conflict_side.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT (also for a name
 *          that is not in conflict), RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_conflict_choose(
    restway_conflict *conflict, const char *name, restway_conflict_side side,
    restway_error **out_error);

/** Chooses a value in place of those of both sides, like restway_conflict_choose().
 *
 *  @param name  The name of an attribute or a relationship that is in conflict.
 *  @param value As in restway_draft_set(): an object or a list of objects for a relationship.
 *               *Copied*.
 *  @return As restway_conflict_choose(); RESTWAY_E_INVALID_ARGUMENT also for a value that the
 *          attribute cannot have, and for a conflict about the object as a whole.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_conflict_set_value(
    restway_conflict *conflict, const char *name, const restway_value *value,
    restway_error **out_error);

/** Resolves a parked conflict as it was chosen. The values that are to be sent wait in the outbox
 *  again, and are compared with the newest values of the server before they are sent. Attributes
 *  without a choice stay parked. If nothing is to be sent, the item is dropped as by
 *  restway_outbox_drop(): observers see the server's values with the source
 *  RESTWAY_CHANGE_SOURCE_TAKEN_BACK.
 *
 *  @param conflict From restway_outbox_conflicts() of a client with the same outbox, in this
 *                  process.
 *  @return RESTWAY_OK (also if the server has the values of the program meanwhile),
 *          RESTWAY_E_INVALID_ARGUMENT (the conflict is not parked, it has no choice, or its item
 *          was resolved or dropped meanwhile), RESTWAY_E_CONFIG (the client has no outbox),
 *          RESTWAY_E_OUTBOX, RESTWAY_E_STORE, RESTWAY_E_CLOSED, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the files of the outbox and of a SQLite store. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_conflict_resolve(
    restway_client *client, restway_conflict *conflict, restway_error **out_error);

/** Lists the parked conflicts of an outbox, oldest first, with the newest values that the server
 *  has sent. A conflict whose values the server has meanwhile is not in the list: it ends as
 *  delivered.
 *
 *  @param out_conflicts Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_CONFIG, RESTWAY_E_OUTBOX, RESTWAY_E_STORE, RESTWAY_E_CLOSED,
 *          RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: on the files of the outbox and of a SQLite store. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_outbox_conflicts(
    restway_client *client, restway_conflicts **out_conflicts, restway_error **out_error);

/** Returns how many conflicts a list has; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_conflicts_count(const restway_conflicts *conflicts);

/** Returns one conflict of a list; NULL when out of range. *Borrowed*. Threads: any. Blocks: never.
 */
RESTWAY_API restway_conflict *restway_conflicts_conflict(
    const restway_conflicts *conflicts, size_t index);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_conflicts *restway_conflicts_retain(const restway_conflicts *conflicts);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_conflicts_release(restway_conflicts *conflicts);

/** Decides a conflict whose policy in the API document is `ask`, with restway_conflict_choose() and
 *  restway_conflict_set_value(). What has no choice when it returns is parked.
 *
 *  @param context  As given to restway_client_set_resolver().
 *  @param conflict The conflict. *Borrowed* until this returns.
 *  @param answer   *Borrowed* until this returns. It takes the message of a refusal, for the log.
 *  @return RESTWAY_OK. With any other status everything is parked, also what has a choice.
 *
 *  A question (docs/THREADING.md): a worker thread calls this function before the outbox sends the
 *  change, whatever the delivery mode. The outbox asks about one conflict at a time, and sends
 *  nothing else meanwhile. The function may call any function; a function that blocks returns
 *  RESTWAY_E_WOULD_BLOCK. */
typedef restway_status (*restway_resolve_fn)(
    void *context, restway_conflict *conflict, restway_answer *answer);

/** Sets the function that decides conflicts whose policy is `ask`. It replaces an earlier function
 *  for the same entity; NULL removes it. Without a function, these conflicts are parked.
 *
 *  @param entity  The name of the entity; NULL sets the function for entities without a function of
 *                 their own. *Copied*.
 *  @param resolve The function, or NULL.
 *  @param context Passed to @p resolve unchanged.
 *  @param destroy Called once with @p context when @p resolve can no longer be called; may be NULL.
 *                 It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_CONFIG (the client has no outbox),
 *          RESTWAY_E_CLOSED, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_resolver(
    restway_client *client, const char *entity, restway_resolve_fn resolve, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

/** Returns the conflict because of which a call has failed: its change does not fit the server's
 *  newest values. Nothing of it is stored. To solve it, the program makes another draft of the
 *  object, and sends it. restway_conflict_resolve() does not take this conflict.
 *
 *  @return NULL if the call has failed for another reason, and for NULL. *Borrowed* from @p error.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_conflict *restway_error_conflict(const restway_error *error);

/** Finds the version of an object: the text by which the server knows its state, such as an entity
 *  tag with its quotation marks. The next change of the object is sent with it as a condition.
 *
 *  @param object     Borrowed; from this store, but it need not be the newest snapshot.
 *  @param buffer     Receives NUL-terminated UTF-8; "" if the version is not known, because the
 *                    entity has no `version`, the server has sent none, or a value has come without
 *                    one since. It may be NULL if @p capacity is 0.
 *  @param capacity   The size of @p buffer in bytes. A longer text is cut off.
 *  @param out_length Receives the length of the whole text, without the NUL; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_version(
    restway_store *store, const restway_object *object, char *buffer, size_t capacity,
    size_t *out_length, restway_error **out_error);

RESTWAY_END_DECLS

#endif

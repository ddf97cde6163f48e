/** @file restway/store.h
 *  The store: the newest snapshot of every object, in memory or in a file (docs/STORES.md). With a
 *  file, functions that read or change objects read or write the file and may fail with
 *  RESTWAY_E_STORE. A change also waits for other processes that write to the file.
 */
#ifndef RESTWAY_STORE_H
#define RESTWAY_STORE_H

#include "list.h"

RESTWAY_BEGIN_DECLS

/** The store of a client: it finds each object by its entity and identity. Reference counted;
 *  usable from any thread; it may outlive its client. */
typedef struct restway_store restway_store;

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_store *restway_store_retain(restway_store *store);

/** Gives back one reference. The last release, including the client's own, closes the file. NULL is
 *  fine.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API void restway_store_release(restway_store *store);

/** Finds an object by its identity.
 *
 *  @param entity     The entity's name.
 *  @param identity   A string or an int64. A string never equals an int64: where the document says
 *                    the type of the identity, the other one is RESTWAY_E_INVALID_ARGUMENT. If
 *                    several attributes are the identity: JSON that is an array of their values in
 *                    the order of the document, or a list of them.
 *  @param out_object Receives the newest snapshot, owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_NO_OBJECT, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_INVALID_ARGUMENT,
 *          RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_find(
    restway_store *store, const char *entity, const restway_value *identity,
    restway_object **out_object, restway_error **out_error);

/** Finds the newest snapshot of an object.
 *
 *  @param object     Borrowed. It must come from this store: an object without identity from
 *                    another store of the same api may be taken for another object.
 *  @param out_object Receives the newest snapshot, owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_NO_OBJECT (the object has been deleted, or is not from this
 *          store), RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_newest(
    restway_store *store, const restway_object *object, restway_object **out_object,
    restway_error **out_error);

/** Follows a relationship of @p object, with the links of that snapshot.
 *
 *  @param object       Borrowed. It must come from this store, but need not be the newest snapshot.
 *                      It may also be an object that is not kept (`"keep": false`) of a response of
 *                      this store's client: the related objects are then those of the response that
 *                      are not kept either, and the newest snapshots of the others.
 *  @param relationship Its name.
 *  @param out_list     Receives the newest snapshots of the related objects, in order, without
 *                      objects that have been deleted; owned by the caller (+1). A relationship to
 *                      one gives at most one object; an absent or null relationship gives an empty
 *                      list.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE,
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_related(
    restway_store *store, const restway_object *object, const char *relationship,
    restway_list **out_list, restway_error **out_error);

/** Follows a relationship that leads to one object.
 *
 *  @param object       As in restway_store_related().
 *  @param relationship Its name. If it leads to many objects, the first one is found.
 *  @param out_object   Receives the newest snapshot, owned by the caller (+1).
 *  @return RESTWAY_OK; RESTWAY_E_NO_OBJECT when the relationship is absent or null, or the object
 *          has been deleted; RESTWAY_E_UNKNOWN_ATTRIBUTE; RESTWAY_E_INVALID_ARGUMENT;
 *          RESTWAY_E_STORE; RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_related_one(
    restway_store *store, const restway_object *object, const char *relationship,
    restway_object **out_object, restway_error **out_error);

/** Lists all objects of an entity, in the order in which they were first stored, without those that
 *  are known by their identity alone (restway_object_is_loaded()). restway_store_query() can select
 *  objects, show those too, and order them in another way.
 *
 *  @param out_list Receives the newest snapshots, owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE,
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_all(
    restway_store *store, const char *entity, restway_list **out_list,
    restway_error **out_error);

/** Counts the objects of an entity, or all objects when @p entity is NULL, without those that are
 *  known by their identity alone (restway_object_is_loaded()).
 *
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE,
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_count(
    restway_store *store, const char *entity, size_t *out_count, restway_error **out_error);

/** Tells whether the program made an object and the server has not answered for it yet.
 *
 *  @param object     Borrowed; from this store.
 *  @param out_unsent Receives 1 or 0; 0 also for an object that has been deleted.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_is_unsent(
    restway_store *store, const restway_object *object, int32_t *out_unsent,
    restway_error **out_error);

/** Finds the server's view of an object: the values that the server has sent last, without the
 *  pending edits that restway_store_newest() shows. It finds also an object that a waiting DELETE
 *  hides. Without pending edits the result has the values of the newest snapshot.
 *
 *  @param object     Borrowed; from this store.
 *  @param out_object Receives the object with the server's values, owned by the caller (+1).
 *  @return RESTWAY_OK; RESTWAY_E_NO_OBJECT (only the program has made the object and no server has
 *          answered for it, it has been deleted, or it is not from this store);
 *          RESTWAY_E_INVALID_ARGUMENT; RESTWAY_E_STORE; RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_confirmed(
    restway_store *store, const restway_object *object, restway_object **out_object,
    restway_error **out_error);

/** The pending edits of one object: the attributes and relationships to which stored requests
 *  (outbox.h) or optimistic calls (restway_request_set_optimistic()) give values, and whether a
 *  DELETE waits. Immutable; reference counted; usable from any thread without a lock; it may
 *  outlive its store. */
typedef struct restway_pending restway_pending;

/** Finds what waits for the server of an object.
 *
 *  @param object      Borrowed; from this store.
 *  @param out_pending Receives a handle owned by the caller (+1). It has nothing if nothing waits,
 *                     and if the object has been deleted or is not from this store.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_pending(
    restway_store *store, const restway_object *object, restway_pending **out_pending,
    restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_pending *restway_pending_retain(const restway_pending *pending);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_pending_release(restway_pending *pending);

/** Returns how many attributes and relationships wait for the server; 0 for NULL. Threads: any.
 *  Blocks: never. */
RESTWAY_API size_t restway_pending_count(const restway_pending *pending);

/** Returns the name of the attribute or relationship @p index, in the order of the API document,
 *  relationships last; NULL when out of range. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_pending_name(const restway_pending *pending, size_t index);

/** Returns 1 if @p index is a relationship; 0 if it is an attribute or out of range.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_pending_is_relationship(const restway_pending *pending, size_t index);

/** Returns the object with the values that wait, as the program sees it; NULL for NULL.
 *  *Borrowed*. restway_object_get() reads an attribute of it, and restway_store_related() follows a
 *  relationship. Threads: any. Blocks: never. */
RESTWAY_API restway_object *restway_pending_mine(const restway_pending *pending);

/** Returns the object with the values that the edits were made on; NULL for NULL. *Borrowed*. It
 *  differs from restway_pending_mine() in the attributes and relationships that wait. A value is
 *  RESTWAY_VALUE_ABSENT if there was none before the edits. restway_store_confirmed() has newer
 *  values, if the server has sent others since. Threads: any. Blocks: never. */
RESTWAY_API restway_object *restway_pending_base(const restway_pending *pending);

/** Returns 1 if a DELETE of the object waits, else 0; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_pending_deletes(const restway_pending *pending);

/** Tells whether the server has refused a change of an object, so that a dead letter of the
 *  client's outbox (outbox.h) changes or makes it. The object is marked as rejected until every one
 *  of these dead letters is retried, edited or dropped. Observers of the object learn of the mark
 *  by an update: the update that takes the refused values back or shows them again, or else an
 *  update in which no attribute and no relationship differs.
 *
 *  @param object       Borrowed; from this store.
 *  @param out_rejected Receives 1 or 0; 0 also for an object that has been deleted, and without an
 *                      outbox.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_OUTBOX,
 *          RESTWAY_E_CLOSED (the client has an outbox, and is closed or has ended),
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the files of the outbox and of a SQLite store. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_is_rejected(
    restway_store *store, const restway_object *object, int32_t *out_rejected,
    restway_error **out_error);

/** Deletes an object from the store; no request is sent. Links to the object lead nowhere from then
 *  on. Snapshots that the program holds do not change.
 *
 *  @param object Borrowed; from this store, but it need not be the newest snapshot.
 *  @return RESTWAY_OK; RESTWAY_E_NO_OBJECT when the store does not have it (any more);
 *          RESTWAY_E_INVALID_ARGUMENT; RESTWAY_E_STORE; RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_delete(
    restway_store *store, const restway_object *object, restway_error **out_error);

/** Deletes the object with an identity, as restway_store_delete() does.
 *
 *  @param entity   The entity's name.
 *  @param identity *Copied*. As in restway_store_find().
 *  @return As restway_store_delete(), and RESTWAY_E_UNKNOWN_ENTITY.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_delete_identity(
    restway_store *store, const char *entity, const restway_value *identity,
    restway_error **out_error);

/** Deletes all objects of an entity from the store.
 *
 *  @param entity    The entity's name.
 *  @param out_count Receives how many objects there were; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE,
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_delete_all(
    restway_store *store, const char *entity, size_t *out_count, restway_error **out_error);

/** Deletes all objects from the store.
 *
 *  @param out_count Receives how many objects there were; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_clear(
    restway_store *store, size_t *out_count, restway_error **out_error);

/** The size of a store. */
typedef struct restway_statistics {
    /** sizeof(restway_statistics), set by the INIT macro. */
    size_t struct_size;
    /** How many objects there are, of all entities. */
    int64_t object_count;
    /** How many objects have their newest snapshot in memory. */
    int64_t cached_object_count;
    /** How much memory these snapshots take, in bytes, without the store's own tables. */
    int64_t cached_byte_count;
    /** The size of the store's file in bytes; 0 without a file. */
    int64_t file_byte_count;
} restway_statistics;

/** Sets the first @p size bytes of @p statistics to what RESTWAY_STATISTICS_INIT would set. @p size
 *  is the caller's sizeof(restway_statistics).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_statistics_init(
    restway_statistics *statistics, size_t size, restway_error **out_error);

/** Says how large the store is.
 *
 *  @param statistics Must be initialised; the function fills the fields that this version of the
 *                    struct has.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_statistics(
    restway_store *store, restway_statistics *statistics, restway_error **out_error);

RESTWAY_END_DECLS

#endif

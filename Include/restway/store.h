/** @file restway/store.h
 *  The store: the newest snapshot of every object, in memory or in a file (docs/STORES.md). Where
 *  it is a file, what reads or changes objects reads or writes the file, and may fail with
 *  RESTWAY_E_STORE; a change also waits for other processes that write (docs/STORES.md).
 */
#ifndef RESTWAY_STORE_H
#define RESTWAY_STORE_H

#include "list.h"

RESTWAY_BEGIN_DECLS

/** The identity map of a client. Reference counted; usable from any thread; it may outlive its
 *  client. */
typedef struct restway_store restway_store;

/** Another reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_store *restway_store_retain(restway_store *store);

/** Gives back one reference; the last one, its client's included, closes the file. NULL is fine.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API void restway_store_release(restway_store *store);

/** Finds an object by its identity.
 *
 *  @param entity     The entity's name.
 *  @param identity   A string or an int64; the two never equal each other.
 *  @param out_object Receives the newest snapshot, owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_NO_OBJECT, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_INVALID_ARGUMENT,
 *          RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_find(
    restway_store *store, const char *entity, const restway_value *identity,
    restway_object **out_object, restway_error **out_error);

/** Finds the newest snapshot of the instance that @p object shows.
 *
 *  @param object     Borrowed. It must come from this store: one without identity that comes from
 *                    another store of the same api may be taken for somebody else.
 *  @param out_object Receives the newest snapshot, owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_NO_OBJECT (it has been deleted, or is not of this store),
 *          RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_newest(
    restway_store *store, const restway_object *object, restway_object **out_object,
    restway_error **out_error);

/** Follows a relationship of @p object, as that snapshot knows it.
 *
 *  @param object       Borrowed. It must come from this store, but need not be the newest.
 *  @param relationship Its name.
 *  @param out_list     Receives the newest snapshots of the objects that it leads to, in order,
 *                      without those that are gone; owned by the caller (+1). To-one gives at most
 *                      one; absent and null give an empty list.
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
 *  @param relationship Its name; of one that leads to many it is the first.
 *  @param out_object   Receives the newest snapshot, owned by the caller (+1).
 *  @return RESTWAY_OK; RESTWAY_E_NO_OBJECT when the relationship is absent or null, or the object
 *          is gone; RESTWAY_E_UNKNOWN_ATTRIBUTE; RESTWAY_E_INVALID_ARGUMENT; RESTWAY_E_STORE;
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_related_one(
    restway_store *store, const restway_object *object, const char *relationship,
    restway_object **out_object, restway_error **out_error);

/** All objects of an entity, in the order in which they were first stored. Of some of them, or in
 *  another order: restway_store_query().
 *
 *  @param out_list Receives the newest snapshots, owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE,
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_all(
    restway_store *store, const char *entity, restway_list **out_list,
    restway_error **out_error);

/** Counts the objects of an entity, or all objects when @p entity is NULL.
 *
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE,
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_count(
    restway_store *store, const char *entity, size_t *out_count, restway_error **out_error);

/** Tells whether the host made an object and the server has not answered for it yet.
 *
 *  @param object     Borrowed; from this store.
 *  @param out_unsent Receives 1 or 0; 0 also for an object that has been deleted.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_is_unsent(
    restway_store *store, const restway_object *object, int32_t *out_unsent,
    restway_error **out_error);

/** Deletes an object from the store; nothing is sent. Relationships that lead to it lead nowhere
 *  from then on. Snapshots that the program holds stay as they are.
 *
 *  @param object Borrowed; from this store, but it need not be the newest snapshot.
 *  @return RESTWAY_OK; RESTWAY_E_NO_OBJECT when it is not there (any more);
 *          RESTWAY_E_INVALID_ARGUMENT; RESTWAY_E_STORE; RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_delete(
    restway_store *store, const restway_object *object, restway_error **out_error);

/** Deletes the object with an identity, as restway_store_delete() does.
 *
 *  @param entity   The entity's name.
 *  @param identity *Copied*. A string or an int64.
 *  @return As restway_store_delete(), and RESTWAY_E_UNKNOWN_ENTITY.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_delete_identity(
    restway_store *store, const char *entity, const restway_value *identity,
    restway_error **out_error);

/** Deletes all objects of an entity.
 *
 *  @param entity    The entity's name.
 *  @param out_count Receives how many there were; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE,
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_delete_all(
    restway_store *store, const char *entity, size_t *out_count, restway_error **out_error);

/** Deletes all objects.
 *
 *  @param out_count Receives how many there were; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_clear(
    restway_store *store, size_t *out_count, restway_error **out_error);

/** How large a store is. */
typedef struct restway_statistics {
    /** sizeof(restway_statistics), set by the INIT macro. */
    size_t struct_size;
    /** How many objects there are, of all entities. */
    int64_t object_count;
    /** How many of them have their newest snapshot in memory. */
    int64_t cached_object_count;
    /** How much memory those snapshots take, in bytes; the store's own tables are not counted. */
    int64_t cached_byte_count;
    /** The size of the store's file in bytes; 0 without a file. */
    int64_t file_byte_count;
} restway_statistics;

/** Statistics with nothing in them. */
#define RESTWAY_STATISTICS_INIT { sizeof(restway_statistics), 0, 0, 0, 0 }

/** Sets the first @p size bytes of @p statistics to what RESTWAY_STATISTICS_INIT would set. @p size
 *  is the caller's sizeof(restway_statistics).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that is no version's).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_statistics_init(
    restway_statistics *statistics, size_t size, restway_error **out_error);

/** Says how large the store is.
 *
 *  @param statistics Initialised; fields that its version has are filled.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_statistics(
    restway_store *store, restway_statistics *statistics, restway_error **out_error);

RESTWAY_END_DECLS

#endif

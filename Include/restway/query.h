/** @file restway/query.h
 *  Queries: they select the objects of an entity and order them.
 */
#ifndef RESTWAY_QUERY_H
#define RESTWAY_QUERY_H

#include "store.h"

RESTWAY_BEGIN_DECLS

/** A query for objects of one entity. Reference counted; usable from any thread, with any store of
 *  the same api, any number of times. */
typedef struct restway_query restway_query;

/** The comparison of an attribute with a value. Frozen; append only.
 *
 *  Values are ordered as SQLite orders them: null first, then numbers (a bool is 0 or 1, a date its
 *  microseconds), then texts byte by byte, then bytes. Null, or an absent value, equals only null;
 *  it is never less or greater than another value. */
typedef enum RESTWAY_OPEN_ENUM restway_comparison {
    RESTWAY_COMPARISON_EQUAL = 1,
    RESTWAY_COMPARISON_NOT_EQUAL = 2,
    RESTWAY_COMPARISON_LESS = 3,
    RESTWAY_COMPARISON_LESS_OR_EQUAL = 4,
    RESTWAY_COMPARISON_GREATER = 5,
    RESTWAY_COMPARISON_GREATER_OR_EQUAL = 6,
    /** Not a comparison: pins the type to 32 bits. */
    RESTWAY_COMPARISON_PIN_ = 0x7fffffff
} restway_comparison;

/** Makes a query that finds all loaded objects of an entity, in the order in which they were first
 *  stored.
 *
 *  @param store     Borrowed: a store of the api that has the entity.
 *  @param entity    Its name.
 *  @param out_query Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_query_create(
    restway_store *store, const char *entity, restway_query **out_query,
    restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_query *restway_query_retain(const restway_query *query);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_query_release(restway_query *query);

/** Adds a condition; all of a query's conditions must hold.
 *
 *  @param attribute  The attribute's name.
 *  @param comparison The comparison.
 *  @param value      *Copied*. The value to compare with: null, or a value that the attribute's
 *                    type can have.
 *  @return RESTWAY_OK; RESTWAY_E_UNKNOWN_ATTRIBUTE; RESTWAY_E_INVALID_ARGUMENT (also for a value
 *          that the attribute can never have).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_query_add_condition(
    restway_query *query, const char *attribute, restway_comparison comparison,
    const restway_value *value, restway_error **out_error);

/** Adds a condition that is written as text; all of a query's conditions must hold.
 *
 *      restway_value states[] = {restway_value_string("open"), restway_value_string("new")};
 *      restway_value values[] = {
 *          {RESTWAY_VALUE_LIST, 2, {.list = states}}, restway_value_string("%crash%")};
 *      status = restway_query_where(
 *          query, "state in ? and not (title like ? or owner is null)", values, 2, &error);
 *
 *  If the entity has `fullText` in the API document, `match ?` searches the texts of the objects
 *  for words: `restway_query_where(query, "match ?", &words, 1, &error)`.
 *
 *  docs/QUERIES.md describes the language. A condition holds values only as @p values, never in its
 *  text, so text of a user cannot change its meaning.
 *
 *  @param condition The text. Each `?` in it stands for one value.
 *  @param values    *Copied*. @p count values, in the order of the `?`: values that the attributes'
 *                   types can have, or null; after `in` a list of these; after `like` and
 *                   `match` a string; after `escape` a string of one character; after `contains`
 *                   an element of a list of values (values.h). May be NULL when @p count is 0.
 *  @param count     How many values there are.
 *  @return RESTWAY_OK; RESTWAY_E_UNKNOWN_ATTRIBUTE; RESTWAY_E_INVALID_ARGUMENT (also for text that
 *          is no condition, for a value that the attribute can never have, and for a query of more
 *          than 500 comparisons or 30,000 values); RESTWAY_E_FORKED. The message of the error tells
 *          the column in which the mistake is. On failure the query has not changed.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_query_where(
    restway_query *query, const char *condition, const restway_value *values, size_t count,
    restway_error **out_error);

/** Adds an attribute to order by. It decides the order of objects that are equal in all attributes
 *  added before it.
 *
 *  @param attribute  The attribute's name.
 *  @param descending 0: smallest first; 1: largest first.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_query_add_order(
    restway_query *query, const char *attribute, int32_t descending, restway_error **out_error);

/** Sets the largest number of objects that the query finds.
 *
 *  @param limit The number; -1 finds all objects.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_query_set_limit(
    restway_query *query, int64_t limit, restway_error **out_error);

/** Sets how many objects the query skips at the beginning.
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_query_set_offset(
    restway_query *query, int64_t offset, restway_error **out_error);

/** Sets whether the query finds only objects that are rejected, see restway_store_is_rejected().
 *  The limit and the offset count the objects that are left.
 *
 *  @param rejected 1 finds only rejected objects, 0 only other objects, and -1, the default, all
 *                  objects.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_query_set_rejected(
    restway_query *query, int32_t rejected, restway_error **out_error);

/** Sets whether the query finds objects that are known by their identity alone, see
 *  restway_object_is_loaded(). The limit and the offset count the objects that are left.
 *
 *  @param unloaded 0, the default, finds loaded objects; 1 finds only objects that are known by
 *                  their identity alone, and -1 finds all objects.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_query_set_unloaded(
    restway_query *query, int32_t unloaded, restway_error **out_error);

/** Sets whether the query finds only objects with pending edits, see restway_store_pending(). The
 *  limit and the offset count the objects that are left. Objects with a waiting DELETE have a
 *  pending edit, but are found only if restway_query_set_pending_deletes() shows them.
 *
 *  @param pending 1 finds only objects with pending edits, 0 only other objects, and -1, the
 *                 default, all objects.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_query_set_pending(
    restway_query *query, int32_t pending, restway_error **out_error);

/** Sets whether the query finds only objects with a parked change, see restway_outbox_conflicts().
 *  The limit and the offset count the objects that are left.
 *
 *  @param conflicted 1 finds only objects with a parked change, 0 only other objects, and -1, the
 *                    default, all objects.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_query_set_conflicted(
    restway_query *query, int32_t conflicted, restway_error **out_error);

/** Sets whether the query finds objects that are to be deleted, because a DELETE of them waits for
 *  the server.
 *
 *  @param shown 1 finds them too, 0 leaves them out, and -1, the default, does as `pendingDeletes`
 *               in the section `store` of the API document says: without that key they are left
 *               out.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_query_set_pending_deletes(
    restway_query *query, int32_t shown, restway_error **out_error);

/** Finds the objects of a query.
 *
 *  @param out_list Receives the newest snapshots, owned by the caller (+1).
 *  @return RESTWAY_OK; RESTWAY_E_INVALID_ARGUMENT (also for a query of another api);
 *          RESTWAY_E_STORE; RESTWAY_E_FORKED; for a query with restway_query_set_rejected() also
 *          RESTWAY_E_OUTBOX and RESTWAY_E_CLOSED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never; for a query with
 *  restway_query_set_rejected() also on the file of the outbox. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_query(
    restway_store *store, const restway_query *query, restway_list **out_list,
    restway_error **out_error);

/** Counts the objects that the query finds without its limit and offset.
 *
 *  @return As restway_store_query().
 *
 *  Threads: any. Blocks: as restway_store_query(). */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_count_query(
    restway_store *store, const restway_query *query, size_t *out_count,
    restway_error **out_error);

/** How many objects of a query have each value of an attribute. Immutable; reference counted;
 *  usable from any thread without a lock; it may outlive its store. */
typedef struct restway_groups restway_groups;

/** Counts the objects that the query finds, without its limit and offset, by the value of an
 *  attribute.
 *
 *  @param attribute  The attribute's name.
 *  @param out_groups Receives a group for each value, owned by the caller (+1). The groups have the
 *                    order of values (restway_comparison). Absent and null values are one group.
 *  @return As restway_store_query(), and RESTWAY_E_UNKNOWN_ATTRIBUTE.
 *
 *  Threads: any. Blocks: as restway_store_query(). */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_count_groups(
    restway_store *store, const restway_query *query, const char *attribute,
    restway_groups **out_groups, restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_groups *restway_groups_retain(const restway_groups *groups);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_groups_release(restway_groups *groups);

/** Returns how many groups there are; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_groups_count(const restway_groups *groups);

/** Reads one group.
 *
 *  @param index       The index of the group.
 *  @param out_value   Receives the value, *Borrowed* from @p groups, as the object of the group has
 *                     it that was stored first. Equal values of different kinds (1 and 1.0) are one
 *                     group. May be NULL.
 *  @param out_objects Receives how many objects have the value; may be NULL.
 *  @return RESTWAY_OK; RESTWAY_E_INVALID_ARGUMENT (also for an index out of range);
 *          RESTWAY_E_FORKED. On failure the value is null, and the number is 0.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_groups_read(
    const restway_groups *groups, size_t index, restway_value *out_value, size_t *out_objects,
    restway_error **out_error);

RESTWAY_END_DECLS

#endif

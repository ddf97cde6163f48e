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

/** Makes a query that finds all objects of an entity, in the order in which they were first stored.
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
RESTWAY_API restway_query *restway_query_retain(restway_query *query);

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
    restway_store *store, restway_query *query, restway_list **out_list,
    restway_error **out_error);

/** Counts the objects that the query finds without its limit and offset.
 *
 *  @return As restway_store_query().
 *
 *  Threads: any. Blocks: as restway_store_query(). */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_count_query(
    restway_store *store, restway_query *query, size_t *out_count, restway_error **out_error);

RESTWAY_END_DECLS

#endif

/** @file restway/hook.h
 *  Hooks: functions that see what a response was mapped to before the store does, and add to it.
 *  See docs/MAPPING.md.
 */
#ifndef RESTWAY_HOOK_H
#define RESTWAY_HOOK_H

#include "mapping.h"
#include "object.h"

RESTWAY_BEGIN_DECLS

/** The rows that a response was mapped to: what is going to be merged into the store's objects, in
 *  the order of the payload. It lives until the hook returns, and so does what is read from it; it
 *  is used on the hook's thread only. */
typedef struct restway_rows restway_rows;

/** How many rows there are; 0 for NULL. Rows at the other end of relationships count too.
 *
 *  Threads: that of the hook. Blocks: never. */
RESTWAY_API size_t restway_rows_count(const restway_rows *rows);

/** The name of the entity that row @p row is of; NULL when out of range. *Borrowed*.
 *
 *  Threads: that of the hook. Blocks: never. */
RESTWAY_API const char *restway_rows_entity(const restway_rows *rows, size_t row);

/** How many descriptors the response was mapped by; 0 for NULL.
 *
 *  Threads: that of the hook. Blocks: never. */
RESTWAY_API size_t restway_rows_result_count(const restway_rows *rows);

/** The index of the descriptor that this hook stands on; 0 for NULL.
 *
 *  Threads: that of the hook. Blocks: never. */
RESTWAY_API size_t restway_rows_own_result(const restway_rows *rows);

/** Which rows are the results of descriptor @p index: one for each element of the payload that
 *  yielded an object, in order.
 *
 *  @param out_rows  Receives the numbers of the rows. *Borrowed*.
 *  @param out_count Receives how many there are.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: that of the hook. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_rows_result(
    const restway_rows *rows, size_t index, const size_t **out_rows, size_t *out_count,
    restway_error **out_error);

/** Reads an attribute of a row.
 *
 *  @param out_value *Borrowed*. RESTWAY_VALUE_ABSENT for what the payload did not bring: it stays
 *                   what it is in the store.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT (also for a row out
 *          of range).
 *
 *  Threads: that of the hook. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_rows_get(
    const restway_rows *rows, size_t row, const char *name, restway_value *out_value,
    restway_error **out_error);

/** Sets an attribute of a row, whether the payload brought it or not.
 *
 *  @param value *Copied*. Of the attribute's type, or null.
 *  @return As restway_rows_get(); RESTWAY_E_INVALID_ARGUMENT also for a value of another type.
 *
 *  Threads: that of the hook. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_rows_set(
    restway_rows *rows, size_t row, const char *name, const restway_value *value,
    restway_error **out_error);

/** Reads which rows a relationship of a row leads to. Objects of the store that a hook has linked
 *  are left out.
 *
 *  @param out_rows  Receives the numbers of the rows, in order. *Borrowed*.
 *  @param out_count Receives how many there are: 0 also when the payload did not bring it.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: that of the hook. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_rows_related(
    const restway_rows *rows, size_t row, const char *name, const size_t **out_rows,
    size_t *out_count, restway_error **out_error);

/** Lets a relationship of a row lead to other rows, and to nothing else.
 *
 *  @param targets The numbers of @p count rows of the relationship's entity. *Copied*. NULL when
 *                 there are none: a relationship to one is null then, one to many empty.
 *  @param count   At most 1 for a relationship to one.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT (also for rows of
 *          another entity).
 *
 *  Threads: that of the hook. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_rows_relate(
    restway_rows *rows, size_t row, const char *name, const size_t *targets, size_t count,
    restway_error **out_error);

/** Lets a relationship of a row lead to objects of the client's store, and to nothing else.
 *
 *  @param objects @p count objects of the relationship's entity. *Borrowed*. As in
 *                 restway_rows_relate().
 *  @return As restway_rows_relate().
 *
 *  Threads: that of the hook. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_rows_relate_objects(
    restway_rows *rows, size_t row, const char *name, const restway_object *const *objects,
    size_t count, restway_error **out_error);

/** Looks at the rows of a response, and sets further attributes and relationships, before they are
 *  merged into the store. It sees what the hooks before it have set.
 *
 *  @param context As given to restway_api_add_hook().
 *  @param rows    *Borrowed* until this returns.
 *  @param answer  *Borrowed* until this returns; takes a message for a failure.
 *  @return RESTWAY_OK. With any other status all of the response is discarded: the store stays as
 *          it was, and the call completes with that status (RESTWAY_E_INVALID_ARGUMENT for one that
 *          this header does not know).
 *
 *  A question: it is asked on a worker, whatever the delivery mode; for different responses side by
 *  side. It may call any function; one that blocks returns RESTWAY_E_WOULD_BLOCK. When the call has
 *  been cancelled or the client closed meanwhile, the rows are dropped. */
typedef restway_status (*restway_hook_fn)(
    void *context, restway_rows *rows, restway_answer *answer);

/** Registers a hook under the name that response descriptors call it by; also after the api is
 *  frozen, for routes that are added then.
 *
 *  A document may name hooks before they are registered; the first client needs them all.
 *
 *  @param name    NUL-terminated UTF-8. *Copied*.
 *  @param context Passed to @p hook untouched.
 *  @param destroy Called once with @p context when nothing can ask any more; may be NULL. It is not
 *                 called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_DUPLICATE, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_hook(
    restway_api *api, const char *name, restway_hook_fn hook, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

RESTWAY_END_DECLS

#endif

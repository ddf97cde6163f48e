/** @file restway/hook.h
 *  Hooks: functions that see the rows of a response before the store does, and may add to them. See
 *  docs/MAPPING.md.
 */
#ifndef RESTWAY_HOOK_H
#define RESTWAY_HOOK_H

#include "mapping.h"
#include "object.h"

RESTWAY_BEGIN_DECLS

/** The rows that a response was mapped to, in the order of the payload. A row holds the values that
 *  will be merged into one object of the store. The rows, and all that is read from them, are valid
 *  until the hook returns, and only on the hook's thread. */
typedef struct restway_rows restway_rows;

/** Returns how many rows there are; 0 for NULL. Rows at the other end of relationships count too.
 *
 *  Threads: the thread of the hook. Blocks: never. */
RESTWAY_API size_t restway_rows_count(const restway_rows *rows);

/** Returns the name of the entity of row @p row; NULL when out of range. *Borrowed*.
 *
 *  Threads: the thread of the hook. Blocks: never. */
RESTWAY_API const char *restway_rows_entity(const restway_rows *rows, size_t row);

/** Returns how many descriptors mapped the response; 0 for NULL.
 *
 *  Threads: the thread of the hook. Blocks: never. */
RESTWAY_API size_t restway_rows_result_count(const restway_rows *rows);

/** Returns the index of the descriptor that names this hook; 0 for NULL.
 *
 *  Threads: the thread of the hook. Blocks: never. */
RESTWAY_API size_t restway_rows_own_result(const restway_rows *rows);

/** Tells which rows are the results of descriptor @p index: one row for each element of the payload
 *  that yielded an object, in order.
 *
 *  @param out_rows  Receives the numbers of the rows. *Borrowed*.
 *  @param out_count Receives how many rows there are.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: the thread of the hook. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_rows_result(
    const restway_rows *rows, size_t index, const size_t **out_rows, size_t *out_count,
    restway_error **out_error);

/** Reads an attribute of a row.
 *
 *  @param out_value *Borrowed*. RESTWAY_VALUE_ABSENT if the payload has no value: the store then
 *                   keeps its value.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT (also for a row out
 *          of range).
 *
 *  Threads: the thread of the hook. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_rows_get(
    const restway_rows *rows, size_t row, const char *name, restway_value *out_value,
    restway_error **out_error);

/** Sets an attribute of a row, whether the payload has a value for it or not.
 *
 *  @param value *Copied*. A value of the attribute's type, or null.
 *  @return As restway_rows_get(); RESTWAY_E_INVALID_ARGUMENT also for a value of another type.
 *
 *  Threads: the thread of the hook. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_rows_set(
    restway_rows *rows, size_t row, const char *name, const restway_value *value,
    restway_error **out_error);

/** Reads which rows a relationship of a row leads to. Objects of the store that a hook has linked
 *  are left out.
 *
 *  @param out_rows  Receives the numbers of the rows, in order. *Borrowed*.
 *  @param out_count Receives how many rows there are; 0 also if the payload does not have the
 *                   relationship.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: the thread of the hook. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_rows_related(
    const restway_rows *rows, size_t row, const char *name, const size_t **out_rows,
    size_t *out_count, restway_error **out_error);

/** Makes a relationship of a row lead to other rows, in place of its earlier links.
 *
 *  @param targets The numbers of @p count rows of the relationship's entity. *Copied*. NULL if
 *                 @p count is 0.
 *  @param count   At most 1 for a relationship to one. 0 sets a relationship to one to null, and a
 *                 relationship to many to an empty list.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT (also for rows of
 *          another entity).
 *
 *  Threads: the thread of the hook. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_rows_relate(
    restway_rows *rows, size_t row, const char *name, const size_t *targets, size_t count,
    restway_error **out_error);

/** Makes a relationship of a row lead to objects of the client's store, in place of its earlier
 *  links.
 *
 *  @param objects @p count objects of the relationship's entity. *Borrowed*. NULL and @p count are
 *                 as in restway_rows_relate().
 *  @return As restway_rows_relate().
 *
 *  Threads: the thread of the hook. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_rows_relate_objects(
    restway_rows *rows, size_t row, const char *name, const restway_object *const *objects,
    size_t count, restway_error **out_error);

/** Looks at the rows of a response, and sets further attributes and relationships, before they are
 *  merged into the store. It sees what the hooks before it have set.
 *
 *  @param context As given to restway_api_add_hook().
 *  @param rows    *Borrowed* until this returns.
 *  @param answer  *Borrowed* until this returns; it takes a message for a failure.
 *  @return RESTWAY_OK. With any other status the whole response is discarded: the store does not
 *          change, and the call completes with that status (RESTWAY_E_INVALID_ARGUMENT for a status
 *          that this header does not define).
 *
 *  A question (docs/THREADING.md): a worker thread calls this function, whatever the delivery mode,
 *  and may call it for different responses at the same time. It may call any function; a function
 *  that blocks returns RESTWAY_E_WOULD_BLOCK. When the call has been cancelled or the client closed
 *  meanwhile, the rows are dropped. */
typedef restway_status (*restway_hook_fn)(
    void *context, restway_rows *rows, restway_answer *answer);

/** Registers a hook under a name, which response descriptors refer to. It may be registered after
 *  the api is frozen, for routes that are added then.
 *
 *  A document may name hooks that are not registered yet. All of them must be registered when the
 *  first client is made.
 *
 *  @param name    NUL-terminated UTF-8. *Copied*.
 *  @param context Passed to @p hook unchanged.
 *  @param destroy Called once with @p context when the functions can no longer be called; may be
 *                 NULL. It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_DUPLICATE, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_hook(
    restway_api *api, const char *name, restway_hook_fn hook, void *context,
    restway_destroy_fn destroy, restway_error **out_error);

RESTWAY_END_DECLS

#endif

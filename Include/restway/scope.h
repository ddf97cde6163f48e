/** @file restway/scope.h
 *  Scopes: sets of path variables that fill the variables of many requests (docs/SCOPES.md).
 */
#ifndef RESTWAY_SCOPE_H
#define RESTWAY_SCOPE_H

#include "request.h"
#include "store.h"

RESTWAY_BEGIN_DECLS

/** A set of path variables with their values. Reference counted; usable from any thread. It belongs
 *  to no client. */
typedef struct restway_scope restway_scope;

/** Makes a scope.
 *
 *  @param parent    Its variables are *copied*, so that the new scope has them, too; later changes
 *                   of @p parent do not reach the new scope. NULL makes an empty scope.
 *  @param out_scope Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_scope_create(
    const restway_scope *parent, restway_scope **out_scope, restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_scope *restway_scope_retain(restway_scope *scope);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_scope_release(restway_scope *scope);

/** Sets the value of a variable of a scope, in place of an earlier value. Requests that were made
 *  with the scope before do not change.
 *
 *  @param name  As in restway_request_set_variable(). *Copied*.
 *  @param value As in restway_request_set_variable(). *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_scope_set_variable(
    restway_scope *scope, const char *name, const restway_value *value,
    restway_error **out_error);

/** Copies a request, and lets a scope fill the variables that have no value otherwise. A variable
 *  gets the first of these values: the value of restway_request_set_variable(), the attribute of
 *  the object or draft that the request is about, the variable that this object remembers, the
 *  variable of the scope. Variables of the scope that the path does not have are ignored.
 *
 *  @param scope       Its variables are *copied*.
 *  @param request     *Copied*; it does not change. If it was made by this function itself, the
 *                     variables of its own scope win.
 *  @param out_request Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_scope_request(
    const restway_scope *scope, const restway_request *request, restway_request **out_request,
    restway_error **out_error);

/** Reads the variables that an object remembers: those of the path of the route that brought it
 *  last, without its own attributes, such as `owner` and `repo` of
 *  `repos/:owner/:repo/issues/:number` (docs/SCOPES.md). They fill the variables of requests about
 *  the object, and stay in the file of a SQLite store.
 *
 *  @param object     Borrowed; from this store, but it need not be the newest snapshot.
 *  @param buffer     Receives a JSON object of strings, sorted by name, and a NUL; "{}" if the
 *                    object remembers none or has been deleted. It may be NULL if @p capacity is 0.
 *  @param capacity   The size of @p buffer in bytes. A longer text is cut off.
 *  @param out_length Receives the length of the whole text, without the NUL; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_variables(
    restway_store *store, const restway_object *object, char *buffer, size_t capacity,
    size_t *out_length, restway_error **out_error);

RESTWAY_END_DECLS

#endif

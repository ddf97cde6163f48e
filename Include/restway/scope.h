/** @file restway/scope.h
 *  Scopes: sets of path variables that fill the variables of many requests (docs/SCOPES.md).
 */
#ifndef RESTWAY_SCOPE_H
#define RESTWAY_SCOPE_H

#include "request.h"

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

RESTWAY_END_DECLS

#endif

/** @file restway/request.h
 *  Requests: what is to be sent, before it is sent.
 */
#ifndef RESTWAY_REQUEST_H
#define RESTWAY_REQUEST_H

#include "object.h"

RESTWAY_BEGIN_DECLS

/** A request being prepared. Reference counted; usable from any thread; it may be sent many times,
 *  through several clients. Sending takes a copy: later changes never reach the wire.
 *
 *  Which route serves it, and whether its variables are complete, is found out when it is sent. */
typedef struct restway_request restway_request;

/** A draft: a mutable copy of an object, or a new one, made to be sent (draft.h). Reference
 *  counted; usable from any thread; whoever reads or sends it sees a whole. */
typedef struct restway_draft restway_draft;

/** A request to a path.
 *
 *  @param method "GET", "HEAD", "POST", "PUT", "PATCH" or "DELETE". *Copied*.
 *  @param path   A path below the environment's base URL ("enterprises/12"), which may have a query
 *                and variables ("enterprises/:itemID"), NUL-terminated UTF-8. *Copied*. An absolute
 *                URL needs a route that says `"absolute": true`.
 *  @param out_request Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_create(
    const char *method, const char *path, restway_request **out_request,
    restway_error **out_error);

/** A request to a named route.
 *
 *  @param route  The route's name. *Copied*.
 *  @param method One of the route's methods, or NULL for its first. *Copied*.
 *  @param out_request Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_create_route(
    const char *route, const char *method, restway_request **out_request,
    restway_error **out_error);

/** A request about an object: the object router finds the path by entity and method, and the
 *  object's attributes, also those of objects that it leads to (":meeting.itemID"), fill the path's
 *  variables. A request descriptor that names its entity writes it into the body.
 *
 *  @param method As in restway_request_create().
 *  @param object Kept alive (+1) by the request.
 *  @param out_request Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_create_object(
    const char *method, const restway_object *object, restway_request **out_request,
    restway_error **out_error);

/** A request about a draft: the object router finds the path by entity and method, what the draft
 *  says fills the path's variables, and the draft makes the body of a POST, PUT or PATCH, as the
 *  request descriptors of the API document say (docs/DRAFTS.md).
 *
 *  What the draft says is copied when the request is sent. A 2xx answer changes the draft: its base
 *  is then the object that the store has.
 *
 *  @param method As in restway_request_create().
 *  @param draft  Kept alive (+1) by the request. It can be sent by clients of its store only.
 *  @param out_request Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_create_draft(
    const char *method, restway_draft *draft, restway_request **out_request,
    restway_error **out_error);

/** Another reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_request *restway_request_retain(restway_request *request);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_request_release(restway_request *request);

/** Sets what a request to a path or a route is about, in place of an earlier object or draft: it
 *  fills the variables that have no value of their own, and the body if a descriptor says so.
 *
 *  @param object Kept alive (+1) by the request.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_object(
    restway_request *request, const restway_object *object, restway_error **out_error);

/** The same with a draft, which makes the body of a POST, PUT or PATCH.
 *
 *  @param draft As in restway_request_create_draft().
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_draft(
    restway_request *request, restway_draft *draft, restway_error **out_error);

/** Gives a path variable its value, in place of an earlier one.
 *
 *  @param name  The variable's name ("itemID"; for `:meeting.itemID` either "meeting.itemID" or
 *               "meeting" with an object). *Copied*.
 *  @param value A bool, int64, double, date, string, list or object. *Copied*. A variable without a
 *               value, or with null, makes the send fail with RESTWAY_E_MISSING_VARIABLE.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_variable(
    restway_request *request, const char *name, const restway_value *value,
    restway_error **out_error);

/** Gives a parameter its value, in place of an earlier one. For GET, HEAD and DELETE parameters go
 *  into the query, where a null is left out and a list repeats the name; otherwise they make the
 *  body, where a null is kept and a dotted name nests. The body is JSON unless a Content-Type or a
 *  data mapper says otherwise.
 *
 *  @param name  *Copied*.
 *  @param value A null, bool, int64, double, date, string, bytes, JSON or list. *Copied*. In a
 *               query and in JSON a date is written as ISO 8601 in UTC and bytes as base64; other
 *               formats may have words of their own for them.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_parameter(
    restway_request *request, const char *name, const restway_value *value,
    restway_error **out_error);

/** Sets many parameters at once from a JSON object; names are taken as they are, not nested.
 *
 *  @param json A JSON object, @p length bytes of UTF-8. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (the message says where the JSON is wrong).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_parameters_json(
    restway_request *request, const char *json, size_t length, restway_error **out_error);

/** Sets a header of this request, in place of the environment's of the same name.
 *
 *  @param name  A token (RFC 9110, section 5.6.2). *Copied*.
 *  @param value UTF-8 without line breaks or NUL; NULL sends the request without that header.
 *               *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_header(
    restway_request *request, const char *name, const char *value, restway_error **out_error);

/** Sets the body as it is to be sent. Parameters then go into the query, whatever the method. With
 *  HEAD the send fails with RESTWAY_E_INVALID_ARGUMENT.
 *
 *  @param body       @p length bytes. *Copied*. May be NULL when @p length is 0.
 *  @param media_type The Content-Type, NUL-terminated. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_body(
    restway_request *request, const void *body, size_t length, const char *media_type,
    restway_error **out_error);

/** Sets the time-out of the whole exchange, redirects included, in place of the client's.
 *
 *  @param milliseconds More than 0; 0 takes the client's; -1 sets none.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_timeout(
    restway_request *request, int64_t milliseconds, restway_error **out_error);

/** Sets which request goes first.
 *
 *  Of those of one client that wait for a connection to the same origin, the ones with a higher
 *  priority go first, those with the same one in the order in which they were sent; a lower one
 *  waits for as long as there are higher ones. Over HTTP/2 it is the weight of the stream as well:
 *  16 at 0, twice as much for each step up, half for each step down, from 1 to 256. Other
 *  transports are given the number (restway/plugin_transport.h).
 *
 *  @param priority Any number; 0 is what a request has by itself.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_priority(
    restway_request *request, int32_t priority, restway_error **out_error);

RESTWAY_END_DECLS

#endif

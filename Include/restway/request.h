/** @file restway/request.h
 *  Requests: their paths, variables, parameters, headers and bodies.
 */
#ifndef RESTWAY_REQUEST_H
#define RESTWAY_REQUEST_H

#include "object.h"

RESTWAY_BEGIN_DECLS

/** A request being prepared. Reference counted; usable from any thread; it may be sent many times,
 *  through several clients. Sending copies the request: later changes do not affect what is sent.
 *
 *  The library looks for the route, and checks that all variables have values, when the request is
 *  sent. */
typedef struct restway_request restway_request;

/** A draft: a mutable copy of an object, or a new object, made to be sent (draft.h). Reference
 *  counted; usable from any thread: a thread that reads or sends it never sees half of a change. */
typedef struct restway_draft restway_draft;

/** Makes a request to a path.
 *
 *  @param method "GET", "POST", "REPORT" or any other token (RFC 9110, section 9.1). *Copied*.
 *                CONNECT is refused, because it makes a tunnel instead of an answer, and so is a
 *                known method in other letters, such as "get".
 *  @param path   A path below the environment's base URL ("enterprises/12"), which may have a query
 *                and variables ("enterprises/:itemID"), NUL-terminated UTF-8. *Copied*. An absolute
 *                URL must lead below the base URL, unless restway_request_set_route() names a
 *                route.
 *  @param out_request Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_create(
    const char *method, const char *path, restway_request **out_request,
    restway_error **out_error);

/** Makes a request to a named route.
 *
 *  @param method One of the route's methods, or NULL for its first. *Copied*.
 *  @param route  The route's name. *Copied*.
 *  @param out_request Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_create_route(
    const char *method, const char *route, restway_request **out_request,
    restway_error **out_error);

/** Handles a request to a path or a URL as if the named route had made it, in place of an earlier
 *  route: with its headers, time limits, retries, cache, entity, mapper and response descriptors.
 *  It is for links in answers that no template matches. The URL may be absolute and lead anywhere.
 *  Another origin than that of the base URL receives the headers of the environment and the
 *  credential only if `trustedOrigins` names it. The parameters that the document declares are not
 *  added to the query of an absolute URL, as a link has all it needs.
 *
 *  @param request A request from restway_request_create(). Its method must be one of the route's.
 *  @param route   The route's name. *Copied*. Sending the request fails with
 *                 RESTWAY_E_UNKNOWN_ROUTE if there is no such route.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also for a request to a route, an object or a
 *          draft, which has a route already).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_route(
    restway_request *request, const char *route, restway_error **out_error);

/** Makes a request about an object. The object router finds the path by entity and method. The
 *  attributes of the object, and of objects that its relationships lead to (":meeting.itemID"),
 *  fill the path's variables. If a request descriptor names its entity, the object is written into
 *  the body.
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

/** Makes a request about a draft. The object router finds the path by entity and method, and the
 *  values of the draft fill the path's variables. The draft is written into the body of a POST, PUT
 *  or PATCH, as the request descriptors of the API document say (docs/DRAFTS.md).
 *
 *  The values of the draft are copied when the request is sent. A 2xx answer changes the draft: its
 *  base is then the object in the store.
 *
 *  @param method As in restway_request_create().
 *  @param draft  Kept alive (+1) by the request. Only clients of its store can send it.
 *  @param out_request Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_create_draft(
    const char *method, restway_draft *draft, restway_request **out_request,
    restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_request *restway_request_retain(restway_request *request);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_request_release(restway_request *request);

/** Sets the object that a request to a path or a route is about, in place of an earlier object or
 *  draft. The object fills the variables that have no value of their own, and the body if a
 *  descriptor says so.
 *
 *  @param object Kept alive (+1) by the request.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_object(
    restway_request *request, const restway_object *object, restway_error **out_error);

/** Sets the draft that a request is about, like restway_request_set_object(). The draft is written
 *  into the body of a POST, PUT or PATCH.
 *
 *  @param draft As in restway_request_create_draft().
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_draft(
    restway_request *request, restway_draft *draft, restway_error **out_error);

/** Sets the value of a path variable, in place of an earlier value.
 *
 *  @param name  The variable's name ("itemID"; for `:meeting.itemID` either "meeting.itemID" or
 *               "meeting" with an object). *Copied*.
 *  @param value A bool, int64, double, date, string, list or object, or a JSON object whose members
 *               are the associative array of an expression like `{?keys*}`. *Copied*. A variable
 *               without a value, or with null, makes the send fail with
 *               RESTWAY_E_MISSING_VARIABLE.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_variable(
    restway_request *request, const char *name, const restway_value *value,
    restway_error **out_error);

/** Sets the value of a parameter, in place of an earlier value. For GET, HEAD, DELETE, OPTIONS and
 *  TRACE parameters go into the query, where a null is left out, a list repeats the name and an
 *  object is flattened ("a[b]"), unless "forms" in the API document says otherwise. For other
 *  methods they form the body, where a null is kept and a dotted name makes nested objects. The
 *  body is JSON unless a Content-Type, a data mapper or a serialization (body.h) says otherwise.
 *
 *  @param name  *Copied*.
 *  @param value A null, bool, int64, double, date, string, bytes, JSON or list. *Copied*. In a
 *               query and in JSON a date is written as ISO 8601 in UTC and bytes as base64; other
 *               formats may have types of their own for them.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_parameter(
    restway_request *request, const char *name, const restway_value *value,
    restway_error **out_error);

/** Adds a value to a parameter, which becomes the list of its values in the order in which they
 *  were given. The list stands where its first value stands, and is written as the document's
 *  `forms` say; in JSON it is an array, also with one value. A value that
 *  restway_request_set_parameter() has set is the first one.
 *
 *  @param name  As for restway_request_set_parameter().
 *  @param value As for restway_request_set_parameter().
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_add_parameter(
    restway_request *request, const char *name, const restway_value *value,
    restway_error **out_error);

/** Sets many parameters at once from a JSON object. A dot in a name has no special meaning.
 *
 *  @param json A JSON object, @p length bytes of UTF-8. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (the message says where the JSON is wrong).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_parameters_json(
    restway_request *request, const char *json, size_t length, restway_error **out_error);

/** Sets a header of this request, in place of a header of the environment with the same name.
 *
 *  @param name  A token (RFC 9110, section 5.6.2). *Copied*.
 *  @param value UTF-8 without line breaks or NUL; NULL sends the request without that header.
 *               *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_header(
    restway_request *request, const char *name, const char *value, restway_error **out_error);

/** Sets the bytes of the body. Parameters then go into the query, whatever the method. With HEAD
 *  and TRACE the send fails with RESTWAY_E_INVALID_ARGUMENT.
 *
 *  @param body       @p length bytes. *Copied*. May be NULL when @p length is 0.
 *  @param media_type The Content-Type, NUL-terminated. *Copied*. If it is a type of JSON, the send
 *                    refuses a body that is no JSON with RESTWAY_E_INVALID_ARGUMENT.
 *                    "application/json", "application/octet-stream" and "text/plain;
 *                    charset=utf-8" give way to a Content-Type of the route, the client, the
 *                    environment or the document; restway_request_set_header replaces all of them.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_body(
    restway_request *request, const void *body, size_t length, const char *media_type,
    restway_error **out_error);

/** Sets the time limit of the whole exchange, including redirects, in place of the client's.
 *
 *  @param milliseconds More than 0; 0 takes the client's limit; -1 sets no limit.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_timeout(
    restway_request *request, int64_t milliseconds, restway_error **out_error);

/** A phase of an exchange that can have its own time limit. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_phase {
    /** The time until a connection is ready: name lookup, TCP and TLS. */
    RESTWAY_PHASE_CONNECT = 0,
    /** The time from the last byte of the request to the first byte of the answer. */
    RESTWAY_PHASE_FIRST_BYTE = 1,
    /** Any time in which no byte is sent or received, in steps of a second. */
    RESTWAY_PHASE_IDLE = 2,
    /** Not a phase: pins the type to 32 bits. */
    RESTWAY_PHASE_PIN_ = 0x7fffffff
} restway_phase;

/** Sets the time limit of a phase, in place of the limit of the route or the client. If the phase
 *  takes longer, the call fails with RESTWAY_E_TIMEOUT, and the message names the phase and the
 *  limit.
 *
 *  @param milliseconds More than 0; 0 takes the limit of the route or the client; -1 sets no limit.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_phase_timeout(
    restway_request *request, restway_phase phase, int64_t milliseconds,
    restway_error **out_error);

/** Sets the priority of a request.
 *
 *  When several requests of a client wait for a connection to the same origin, the request with the
 *  highest priority is sent first. Requests with the same priority are sent in the order in which
 *  the program sent them. A request waits as long as there are requests with a higher priority.
 *  Over HTTP/2 the priority also sets the weight of the stream: 16 at priority 0, twice as much for
 *  each step up, half for each step down, from 1 to 256. Transports of plugins receive the number
 *  (restway/plugin_transport.h).
 *
 *  @param priority Any number; the default is 0.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_priority(
    restway_request *request, int32_t priority, restway_error **out_error);

/** Sets whether the store shows the effect of a request before the server has answered: the values
 *  of its draft, or the end of the objects that a DELETE removes. This is a pending edit
 *  (restway_store_pending()): answers to other requests do not hide it. If the call fails or is
 *  cancelled, the store takes the edit back. If the outbox stores the request, the edit stays until
 *  the outbox has sent it.
 *
 *  @param optimistic 1 shows it at once, 0 does not, and -1, the default, does as the route says
 *                    (`optimistic` in the API document). It has no effect on GET and HEAD.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_optimistic(
    restway_request *request, int32_t optimistic, restway_error **out_error);

RESTWAY_END_DECLS

#endif

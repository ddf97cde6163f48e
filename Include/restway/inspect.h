/** @file restway/inspect.h
 *  Requests as they go out, classes of HTTP statuses, and the parts of URLs. docs/REQUESTS.md
 *  explains the whole topic.
 */
#ifndef RESTWAY_INSPECT_H
#define RESTWAY_INSPECT_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** A request as it goes out, or as it has gone out: its method, URL, headers and body. Immutable;
 *  reference counted; usable from any thread; it may outlive its client. It holds the credential of
 *  the request. Only restway_outgoing_text() hides secrets. Texts and bytes are *Borrowed* from
 *  it. */
typedef struct restway_outgoing restway_outgoing;

/** Prepares a request as restway_client_send() does, with the present credential, but does not send
 *  it. Neither a modifier nor an authorize function is called, and a body that is sent compressed
 *  is not compressed.
 *
 *  @param request      *Borrowed*.
 *  @param out_outgoing Receives a handle owned by the caller (+1).
 *  @return As restway_client_send(); RESTWAY_E_WOULD_BLOCK inside a callback, if the body needs a
 *          callback of the program.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, and while a worker calls the program's
 *  functions about the body; else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_inspect(
    restway_client *client, const restway_request *request, restway_outgoing **out_outgoing,
    restway_error **out_error);

/** Checks, before a request is sent, whether its answer can give objects that the program reads
 *  into a type of its own, as far as the API document says it. Nothing is sent, and modifiers are
 *  not called. The answer cannot give them if its body is saved, streamed or read by another parser
 *  than "objects", if the document maps nothing of it or maps it to a value, or if each entity that
 *  it may be mapped to is another one than @p entity or lacks one of @p names.
 *
 *  @param client     *Borrowed*.
 *  @param request    *Borrowed*.
 *  @param type       The name of the type, for the message of the error. *Borrowed*.
 *  @param entity     The entity of the objects; NULL for any entity. An entity that extends it, or
 *                    that it extends, is fine too. *Borrowed*.
 *  @param names      The attributes and relationships without which no value of the type can be
 *                    made; may be NULL if @p name_count is 0. *Borrowed*.
 *  @param name_count The number of @p names.
 *  @return RESTWAY_OK; RESTWAY_E_MAPPING if the answer cannot give the objects: the message names
 *          the type, the route and what the route gives; RESTWAY_E_INVALID_ARGUMENT; as
 *          restway_client_url() for a request that leads nowhere.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_check_objects(
    restway_client *client, const restway_request *request, const char *type, const char *entity,
    const char *const *names, size_t name_count, restway_error **out_error);

/** Writes the URL of an object: the object router finds the path by entity and method, and the
 *  attributes of the object fill its variables. Query parameters that the API document adds to
 *  requests are not part of it.
 *
 *  @param method     As in restway_request_create().
 *  @param object     *Borrowed*.
 *  @param buffer     Receives NUL-terminated UTF-8, cut off at @p capacity; may be NULL when
 *                    @p capacity is 0.
 *  @param capacity   The size of @p buffer in bytes.
 *  @param out_length Receives the length of the whole URL without its NUL; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ROUTE, RESTWAY_E_AMBIGUOUS_ROUTE,
 *          RESTWAY_E_METHOD_NOT_ALLOWED, RESTWAY_E_MISSING_VARIABLE, RESTWAY_E_INVALID_URL,
 *          RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_url(
    const restway_client *client, const char *method, const restway_object *object, char *buffer,
    size_t capacity, size_t *out_length, restway_error **out_error);

/** Returns the request that led to a response, owned by the caller (+1): the request of the last
 *  exchange, after redirects, with its credential. It is the prepared request if nothing was sent
 *  for the response, because a cache or the outbox has answered, and for an item of a batch. NULL
 *  for NULL, and for a response that the library has made without a call.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_outgoing *restway_response_request(const restway_response *response);

/** Returns the request of the call that has failed, like restway_response_request(). NULL for NULL,
 *  and for an error that is not about a call. Owned by the caller (+1).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_outgoing *restway_error_request(const restway_error *error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_outgoing *restway_outgoing_retain(const restway_outgoing *outgoing);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_outgoing_release(restway_outgoing *outgoing);

/** Returns the method, *Borrowed*; NULL for NULL. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outgoing_method(const restway_outgoing *outgoing);

/** Returns the absolute URL, *Borrowed*; NULL for NULL. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outgoing_url(const restway_outgoing *outgoing);

/** Returns the name of the route by which the request was made. A route without a name has its
 *  methods and its path as its name ("GET enterprises/:itemID"). NULL for NULL, and for a request
 *  to a path. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outgoing_route(const restway_outgoing *outgoing);

/** Returns the value of a header, whose name is given in any case. Several fields of one name are
 *  joined by ", ". NULL if there is no such header, and for NULL. The transport adds `Host`,
 *  `Content-Length` and `Cookie`, which are not listed. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outgoing_header(
    const restway_outgoing *outgoing, const char *name);

/** Returns the number of header fields; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_outgoing_header_count(const restway_outgoing *outgoing);

/** Returns the name of the header field at @p index; NULL if @p index is out of range. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outgoing_header_name(
    const restway_outgoing *outgoing, size_t index);

/** Returns the value of the header field at @p index; NULL if @p index is out of range.
 *  *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outgoing_header_value(
    const restway_outgoing *outgoing, size_t index);

/** Returns the bytes of the body. NULL for NULL, for a request without a body, and for a body that
 *  is read while it is sent. *Borrowed*.
 *
 *  @param out_length Receives the number of bytes; may be NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const void *restway_outgoing_body(
    const restway_outgoing *outgoing, size_t *out_length);

/** Returns the request as a text for people: its method and URL, a line for each header, an empty
 *  line, and the body if it is text. `[redacted]` replaces secrets as in
 *  restway_request_to_curl(). NULL for NULL. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_outgoing_text(const restway_outgoing *outgoing);

/** The class of an HTTP status (RFC 9110, section 15): its first digit. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_http_class {
    /** Not an HTTP status: below 100, or above 599. */
    RESTWAY_HTTP_CLASS_NONE = 0,
    /** 1xx: the request is being processed. */
    RESTWAY_HTTP_CLASS_INFORMATIONAL = 1,
    /** 2xx: the request has succeeded. */
    RESTWAY_HTTP_CLASS_SUCCESS = 2,
    /** 3xx: more has to be done, mostly at another URL. */
    RESTWAY_HTTP_CLASS_REDIRECTION = 3,
    /** 4xx: the request is wrong. */
    RESTWAY_HTTP_CLASS_CLIENT_ERROR = 4,
    /** 5xx: the server has failed. */
    RESTWAY_HTTP_CLASS_SERVER_ERROR = 5,
    /** Not a class: pins the type to 32 bits. */
    RESTWAY_HTTP_CLASS_PIN_ = 0x7fffffff
} restway_http_class;

/** Returns the class of an HTTP status, as of restway_response_status() or
 *  restway_error_http_status(). Threads: any. Blocks: never. */
RESTWAY_API restway_http_class restway_http_class_of(int32_t http_status);

/** The parts of a URL. Immutable; reference counted; usable from any thread. Texts are *Borrowed*
 *  from it. */
typedef struct restway_url restway_url;

/** Splits a URL into its parts.
 *
 *  @param text    An absolute http or https URL without user and password. *Borrowed*.
 *  @param out_url Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_URL (the message says what is wrong),
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_url_split(
    const char *text, restway_url **out_url, restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_url *restway_url_retain(const restway_url *url);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_url_release(restway_url *url);

/** Returns "http" or "https", *Borrowed*; NULL for NULL. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_url_scheme(const restway_url *url);

/** Returns the host in lower case and in ASCII (RFC 5891). An IPv6 address is in brackets. NULL for
 *  NULL. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_url_host(const restway_url *url);

/** Returns the port. A URL without a port has port 80 (http) or 443 (https). 0 for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_url_port(const restway_url *url);

/** Returns the path, which begins with a slash. It stays percent-encoded, because a decoded slash
 *  would look like a separator. NULL for NULL. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_url_path(const restway_url *url);

/** Returns the decoded fragment, *Borrowed*; NULL for a URL without one, and for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_url_fragment(const restway_url *url);

/** Returns the number of parameters in the query; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_url_parameter_count(const restway_url *url);

/** Returns the decoded name of the parameter at @p index, in the order of the query; NULL if
 *  @p index is out of range. A `+` is a space. Bytes that are not UTF-8, and NUL, become U+FFFD.
 *  *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_url_parameter_name(const restway_url *url, size_t index);

/** Returns the decoded value of the parameter at @p index, like restway_url_parameter_name(). A
 *  parameter without "=" has the value "". *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_url_parameter_value(const restway_url *url, size_t index);

/** Writes a query like "a=1&b=x%20y": all characters except unreserved ones are percent-encoded
 *  (RFC 3986, section 2.3).
 *
 *  @param names      @p count names, in the order in which they are written. *Borrowed*.
 *  @param values     Their @p count values. *Borrowed*.
 *  @param count      The number of pairs. With 0, both arrays may be NULL, and the query is "".
 *  @param buffer     Receives NUL-terminated UTF-8, cut off at @p capacity; may be NULL when
 *                    @p capacity is 0.
 *  @param capacity   The size of @p buffer in bytes.
 *  @param out_length Receives the length of the whole query without its NUL; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_url_build_query(
    const char *const *names, const char *const *values, size_t count, char *buffer,
    size_t capacity, size_t *out_length, restway_error **out_error);

RESTWAY_END_DECLS

#endif

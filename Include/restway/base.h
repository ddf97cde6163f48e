/** @file restway/base.h
 *  The parts that every other header needs: visibility, status codes, the destroy function, live
 *  handles.
 *
 *  docs/OWNERSHIP.md defines words like *Borrowed* and *Copied*, docs/THREADING.md the lines
 *  "Threads:" and "Blocks:", and docs/GLOSSARY.md the other words of Restway.
 */
#ifndef RESTWAY_BASE_H
#define RESTWAY_BASE_H

#include <stddef.h>
#include <stdint.h>

#include "init.h"

#ifdef __cplusplus
#define RESTWAY_BEGIN_DECLS extern "C" {
#define RESTWAY_END_DECLS }
#else
#define RESTWAY_BEGIN_DECLS
#define RESTWAY_END_DECLS
#endif

#if defined(__GNUC__) || defined(__clang__)
#define RESTWAY_API __attribute__((visibility("default")))
#define RESTWAY_MUST_USE __attribute__((warn_unused_result))
#else
#define RESTWAY_API
#define RESTWAY_MUST_USE
#endif

/** Begins a function that a header itself contains (short.h, verbs.h, fields.h). The library does
 *  not export it: a binding for another language calls the functions that it is built on. */
#define RESTWAY_INLINE static inline

#if defined(__clang__)
#define RESTWAY_OPEN_ENUM __attribute__((enum_extensibility(open)))
#else
#define RESTWAY_OPEN_ENUM
#endif

RESTWAY_BEGIN_DECLS

/** The result of a function. 0 is success. Values are frozen: new values are only appended, so a
 *  program must expect values that it does not know. "Domain:" names the usual domain of an error
 *  with the status. */
typedef enum RESTWAY_OPEN_ENUM restway_status {
    /** Success. */
    RESTWAY_OK = 0,
    /** The program gave a wrong value, which the error's field names. For example, an argument is
     *  NULL, not valid UTF-8, of an unknown size or out of range. Domain: RESTWAY_DOMAIN_USAGE. */
    RESTWAY_E_INVALID_ARGUMENT = 1,
    /** Memory could not be allocated. Domain: RESTWAY_DOMAIN_USAGE. */
    RESTWAY_E_OUT_OF_MEMORY = 2,
    /** A bug of the library; the message says where. Domain: RESTWAY_DOMAIN_USAGE. */
    RESTWAY_E_INTERNAL = 3,
    /** The client has been closed. Domain: RESTWAY_DOMAIN_CANCELLED. */
    RESTWAY_E_CLOSED = 4,
    /** The call was cancelled. Domain: RESTWAY_DOMAIN_CANCELLED. */
    RESTWAY_E_CANCELLED = 5,
    /** A blocking function was called inside a callback. Domain: RESTWAY_DOMAIN_USAGE. */
    RESTWAY_E_WOULD_BLOCK = 6,
    /** A time limit has passed: for making the connection, for the whole exchange, or for the wait.
     *  Domain: RESTWAY_DOMAIN_TRANSPORT. */
    RESTWAY_E_TIMEOUT = 7,
    /** The process is a forked child, and a handle belongs to its parent. Every function that takes
     *  this handle and returns a status returns RESTWAY_E_FORKED. The child may only retain and
     *  release the handle. A child also gets this status if it cannot open a file or make a client
     *  because of the state of its parent at the fork (docs/THREADING.md). Domain:
     *  RESTWAY_DOMAIN_USAGE. */
    RESTWAY_E_FORKED = 8,
    /** A file cannot be read or written. Domain: RESTWAY_DOMAIN_CONFIG. */
    RESTWAY_E_IO = 9,
    /** The API document, or a part of one, is not valid. See restway_error_detail_count(). Domain:
     *  RESTWAY_DOMAIN_CONFIG. */
    RESTWAY_E_CONFIG = 10,
    /** An equal item has been registered before. Domain: RESTWAY_DOMAIN_CONFIG. */
    RESTWAY_E_DUPLICATE = 11,
    /** The api has been used by a client: its entities and descriptors can no longer change.
     *  Domain: RESTWAY_DOMAIN_USAGE. */
    RESTWAY_E_FROZEN = 12,
    /** An interrupt ended the wait of a thread. What the thread waited for goes on. See
     *  interrupt.h. Domain: RESTWAY_DOMAIN_CANCELLED. */
    RESTWAY_E_INTERRUPTED = 13,
    /** The system had no descriptor, no thread or no memory to give before the request was sent;
     *  the message names the error of the system. The same request may succeed later. Domain:
     *  RESTWAY_DOMAIN_TRANSPORT. */
    RESTWAY_E_NO_RESOURCES = 14,
    /** The API document has no environment of the given name. Domain: RESTWAY_DOMAIN_CONFIG. */
    RESTWAY_E_UNKNOWN_ENVIRONMENT = 20,
    /** There is no route of the given name, or no route for the object and the method. Domain:
     *  RESTWAY_DOMAIN_ROUTE. */
    RESTWAY_E_UNKNOWN_ROUTE = 21,
    /** There is no entity of the given name. Domain: RESTWAY_DOMAIN_USAGE. */
    RESTWAY_E_UNKNOWN_ENTITY = 22,
    /** The entity has no attribute, or no relationship, of the given name. Domain:
     *  RESTWAY_DOMAIN_USAGE. */
    RESTWAY_E_UNKNOWN_ATTRIBUTE = 23,
    /** More than one route fits; the message lists them. Domain: RESTWAY_DOMAIN_ROUTE. */
    RESTWAY_E_AMBIGUOUS_ROUTE = 24,
    /** A path variable has no value; the error's field names it. Domain: RESTWAY_DOMAIN_ROUTE. */
    RESTWAY_E_MISSING_VARIABLE = 25,
    /** A URL cannot be built or is not allowed. Domain: RESTWAY_DOMAIN_ROUTE. */
    RESTWAY_E_INVALID_URL = 26,
    /** The route or path does not allow the method of the request. Domain: RESTWAY_DOMAIN_ROUTE. */
    RESTWAY_E_METHOD_NOT_ALLOWED = 27,
    /** The host name does not resolve. Domain: RESTWAY_DOMAIN_TRANSPORT. */
    RESTWAY_E_RESOLVE = 30,
    /** No connection to the server could be made. Domain: RESTWAY_DOMAIN_TRANSPORT. */
    RESTWAY_E_CONNECT = 31,
    /** The TLS handshake failed, or the certificate does not belong to the server. Domain:
     *  RESTWAY_DOMAIN_TRANSPORT. */
    RESTWAY_E_TLS = 32,
    /** The connection was lost, or ended before the response was complete. A response is also
     *  incomplete if its body has neither a length nor chunks and its TLS connection was closed
     *  without close_notify. Domain: RESTWAY_DOMAIN_TRANSPORT. */
    RESTWAY_E_CONNECTION_LOST = 33,
    /** The peer does not speak HTTP as it should. This includes a response whose Content-Length is
     *  not a number or exceeds 2^63 - 1, whose Transfer-Encoding names a coding other than chunked,
     *  or whose header lines hold a bare CR. Domain: RESTWAY_DOMAIN_TRANSPORT. */
    RESTWAY_E_PROTOCOL = 34,
    /** The response is larger than the limit that was set. Domain: RESTWAY_DOMAIN_TRANSPORT. */
    RESTWAY_E_TOO_LARGE = 35,
    /** The call had more redirects than allowed. Domain: RESTWAY_DOMAIN_TRANSPORT. */
    RESTWAY_E_TOO_MANY_REDIRECTS = 36,
    /** The server answered with a status that is not a success. If its body held the API's own code
     *  or message, the domain is RESTWAY_DOMAIN_API. Domain: RESTWAY_DOMAIN_HTTP. */
    RESTWAY_E_HTTP = 40,
    /** There is no valid credential: a refresh failed, did not end in time, or came too often.
     *  Domain: RESTWAY_DOMAIN_AUTH. */
    RESTWAY_E_AUTH = 41,
    /** The body is not valid for its media type, or, in strict mode, a value cannot be mapped.
     *  Domain: RESTWAY_DOMAIN_MAPPING. */
    RESTWAY_E_MAPPING = 50,
    /** The store does not have the object. Domain: RESTWAY_DOMAIN_STORE. */
    RESTWAY_E_NO_OBJECT = 60,
    /** The store failed; its content has not changed. Domain: RESTWAY_DOMAIN_STORE. */
    RESTWAY_E_STORE = 61,
    /** A plugin is missing, does not start or breaks its contract. If a mapper broke its contract,
     *  the error's field is the key path where it did. Domain: RESTWAY_DOMAIN_PLUGIN. */
    RESTWAY_E_PLUGIN = 70,
    /** The answer to a batch does not have the batch format, or this request was not sent because
     *  an earlier call of its batch failed. Domain: RESTWAY_DOMAIN_BATCH. */
    RESTWAY_E_BATCH = 80,
    /** The request is stored, and is sent when the server can be reached. See docs/OUTBOX.md.
     *  Domain: RESTWAY_DOMAIN_OUTBOX. */
    RESTWAY_E_QUEUED = 90,
    /** The outbox's file cannot be read or written, or another process sends its requests. The
     *  error's field is the file's path. Domain: RESTWAY_DOMAIN_OUTBOX. */
    RESTWAY_E_OUTBOX = 91,
    /** Not a status: pins the type to 32 bits. */
    RESTWAY_STATUS_PIN_ = 0x7fffffff
} restway_status;

/** Returns the name of @p status as it is written in this header ("RESTWAY_E_TIMEOUT"), or
 *  "RESTWAY_E_UNKNOWN" for a value this version does not know. Lives as long as the process.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_status_name(restway_status status);

/** Frees the context of a callback. It always runs exactly once, after the last callback, also if
 *  the callback never runs. Every parameter of this type may be NULL. */
typedef void (*restway_destroy_fn)(void *context);

/** Returns how many references to handles this process owns: each +1 that it has received and not
 *  yet released, of every kind: apis, clients, requests, calls, responses, errors, objects, lists,
 *  drafts, queries and all others. If a program releases all that it owns, this is 0 after the last
 *  release. restway_debug_handle_kinds() in error.h says which kinds are left.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_debug_live_handles(void);

RESTWAY_END_DECLS

#endif

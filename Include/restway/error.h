/** @file restway/error.h
 *  What went wrong, where, and whether trying again makes sense.
 *
 *  A function that can fail takes an optional last `restway_error **out_error`. On failure it
 *  receives an error owned by the caller (+1); on success it is set to NULL. An error is immutable.
 */
#ifndef RESTWAY_ERROR_H
#define RESTWAY_ERROR_H

#include "base.h"

RESTWAY_BEGIN_DECLS

/** An error. Immutable; reference counted; usable from any thread. */
typedef struct restway_error restway_error;

struct restway_response;

/** The part of the library, or of the world, that an error comes from. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_domain {
    /** The program used this library wrongly. */
    RESTWAY_DOMAIN_USAGE = 1,
    /** The API document. */
    RESTWAY_DOMAIN_CONFIG = 2,
    /** Routes, paths, URLs. */
    RESTWAY_DOMAIN_ROUTE = 3,
    /** Names, connections, TLS, time-outs. */
    RESTWAY_DOMAIN_TRANSPORT = 4,
    /** A status that is not a success. */
    RESTWAY_DOMAIN_HTTP = 5,
    RESTWAY_DOMAIN_AUTH = 6,
    /** The body of a response, and what was to be made of it. */
    RESTWAY_DOMAIN_MAPPING = 7,
    RESTWAY_DOMAIN_STORE = 8,
    RESTWAY_DOMAIN_BATCH = 9,
    RESTWAY_DOMAIN_OUTBOX = 10,
    RESTWAY_DOMAIN_CACHE = 11,
    RESTWAY_DOMAIN_PLUGIN = 12,
    /** The API reported an error of its own in the body. */
    RESTWAY_DOMAIN_API = 13,
    /** Cancelled or closed by the program. */
    RESTWAY_DOMAIN_CANCELLED = 14,
    /** Not a domain: pins the type to 32 bits. */
    RESTWAY_DOMAIN_PIN_ = 0x7fffffff
} restway_domain;

/** Another reference to @p error, owned by the caller (+1). NULL gives NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_error *restway_error_retain(const restway_error *error);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_error_release(restway_error *error);

/** The status that the failed function returned; RESTWAY_OK for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_status restway_error_status(const restway_error *error);

/** A restway_domain; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_domain restway_error_domain(const restway_error *error);

/** One or more sentences in English that say what failed and where. Never NULL: "" for NULL.
 *  Holds no credential. *Borrowed* from @p error.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_error_message(const restway_error *error);

/** The HTTP status of the response that the error is about, or 0.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_error_http_status(const restway_error *error);

/** The transport's own code (libcurl: CURLcode), or 0. Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_error_transport_code(const restway_error *error);

/** 1 when the same request may succeed later as it is, else 0. Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_error_is_retryable(const restway_error *error);

/** The API's own code, found by the document's `errors.code`, as text; NULL when there is none.
 *  *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_error_api_code(const restway_error *error);

/** The API's own message, found by the document's `errors.message`; NULL when there is none.
 *  *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_error_api_message(const restway_error *error);

/** The argument, path variable, header, JSON path or key path at fault; NULL when there is none.
 *  *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_error_field(const restway_error *error);

/** The response that came with the failure (a 404, a body that does not map), or NULL.
 *  *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API struct restway_response *restway_error_response(const restway_error *error);

/** How many separate problems the error reports: every problem of an API document, every mapping
 *  issue in strict mode; otherwise 0.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API size_t restway_error_detail_count(const restway_error *error);

/** Where problem @p index lies: a JSON path (`$.routes.enterprise.method`) or a key path.
 *  NULL when @p index is out of range. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_error_detail_path(const restway_error *error, size_t index);

/** What problem @p index is. NULL when @p index is out of range.
 *  *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_error_detail_message(const restway_error *error, size_t index);

RESTWAY_END_DECLS

#endif

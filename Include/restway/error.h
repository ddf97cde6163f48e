/** @file restway/error.h
 *  Errors: what failed, where, and whether trying again makes sense.
 *
 *  The last parameter of a function that can fail is an optional `restway_error **out_error`. On
 *  failure it receives an error owned by the caller (+1); on success it is set to NULL.
 */
#ifndef RESTWAY_ERROR_H
#define RESTWAY_ERROR_H

#include "base.h"

RESTWAY_BEGIN_DECLS

/** An error. Immutable; reference counted; usable from any thread. */
typedef struct restway_error restway_error;

struct restway_response;

/** The part of the library, or of its environment, that an error comes from. Frozen; append
 *  only. */
typedef enum RESTWAY_OPEN_ENUM restway_domain {
    /** The program used the library wrongly. */
    RESTWAY_DOMAIN_USAGE = 1,
    /** The API document, or the options of a client. */
    RESTWAY_DOMAIN_CONFIG = 2,
    /** Routes, paths and URLs. */
    RESTWAY_DOMAIN_ROUTE = 3,
    /** Host names, connections, TLS and time limits. */
    RESTWAY_DOMAIN_TRANSPORT = 4,
    /** A status that is not a success. */
    RESTWAY_DOMAIN_HTTP = 5,
    /** Credentials and their refresh. */
    RESTWAY_DOMAIN_AUTH = 6,
    /** The body of a response, and its mapping to objects. */
    RESTWAY_DOMAIN_MAPPING = 7,
    /** The store of objects. */
    RESTWAY_DOMAIN_STORE = 8,
    /** The batches of requests. */
    RESTWAY_DOMAIN_BATCH = 9,
    /** The outbox. */
    RESTWAY_DOMAIN_OUTBOX = 10,
    /** The response cache. */
    RESTWAY_DOMAIN_CACHE = 11,
    /** The plugins. */
    RESTWAY_DOMAIN_PLUGIN = 12,
    /** The API reported an error of its own in the body. */
    RESTWAY_DOMAIN_API = 13,
    /** The program cancelled the call, or closed the client. */
    RESTWAY_DOMAIN_CANCELLED = 14,
    /** An answer that `validate` refuses for another reason than its status. */
    RESTWAY_DOMAIN_VALIDATION = 15,
    /** The parser of a body, if it is not the parser of objects. */
    RESTWAY_DOMAIN_PARSING = 16,
    /** Not a domain: pins the type to 32 bits. */
    RESTWAY_DOMAIN_PIN_ = 0x7fffffff
} restway_domain;

/** Makes an error of the program, for functions that fail as the functions of this library do.
 *
 *  @param status  The status of the error. RESTWAY_OK makes no error; a status that base.h does not
 *                 define becomes RESTWAY_E_INVALID_ARGUMENT.
 *  @param message Sentences that say what failed and where. *Copied*; bytes that are not UTF-8
 *                 become U+FFFD. NULL takes the name of the status.
 *  @param field   The argument, path variable, header, JSON path or key path at fault, or NULL.
 *                 *Copied*, like @p message.
 *  @return The error, owned by the caller (+1); NULL for RESTWAY_OK.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_error *restway_error_create(
    restway_status status, const char *message, const char *field);

/** Adds a reference to @p error, owned by the caller (+1). NULL gives NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_error *restway_error_retain(const restway_error *error);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_error_release(restway_error *error);

/** Returns the status that the failed function returned; RESTWAY_OK for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_status restway_error_status(const restway_error *error);

/** Returns a restway_domain; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_domain restway_error_domain(const restway_error *error);

/** Returns one or more sentences in English that say what failed and where. Never NULL: "" for
 *  NULL. If the body of a failed answer has no known shape, its first bytes stand in the message
 *  (docs/RETRY.md). The text contains no credential. Control characters of the texts that it quotes
 *  are escaped (`\n`, `\u001b`), so it is one line. *Borrowed* from @p error.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_error_message(const restway_error *error);

/** Returns the HTTP status of the response that the error is about, or 0.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_error_http_status(const restway_error *error);

/** Returns the transport's own error code (libcurl: CURLcode), or 0. Threads: any.
 *  Blocks: never. */
RESTWAY_API int32_t restway_error_transport_code(const restway_error *error);

/** Returns 1 when the same request may succeed later as it is, else 0. Threads: any.
 *  Blocks: never. */
RESTWAY_API int32_t restway_error_is_retryable(const restway_error *error);

/** Returns the API's own code, found by the document's `errors.code`, as text; NULL if the error
 *  has no API code. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_error_api_code(const restway_error *error);

/** Returns the API's own message, found by the document's `errors.message`; NULL if the error
 *  has no API message. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_error_api_message(const restway_error *error);

/** Returns the argument, path variable, header, JSON path or key path at fault; NULL if the error
 *  names no field. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_error_field(const restway_error *error);

/** Returns the response that came with the failure (a 404, a body that does not map), or NULL.
 *  *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API struct restway_response *restway_error_response(const restway_error *error);

/** Returns the pointer that the program passed to restway_refresh_fail(),
 *  restway_exchange_set_refusal(), restway_pipeline_context_set_refusal() or
 *  restway_answer_set_cause() for the failure that caused this error; NULL if it is missing.
 *  *Borrowed* from @p error.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API void *restway_error_cause(const restway_error *error);

/** Returns how many separate problems the error reports: every problem of an API document, every
 *  mapping issue in strict mode, every problem that the body of a failed answer lists (the
 *  document's `errors.details`, or JSON:API; at most 100); otherwise 0.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API size_t restway_error_detail_count(const restway_error *error);

/** Says where problem @p index lies: a JSON path (`$.routes.enterprise.method`), a key path, or the
 *  field that the server names ("" if the server names none).
 *  Control characters are escaped as in restway_error_message(), also in the problem's message.
 *  NULL when @p index is out of range. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_error_detail_path(const restway_error *error, size_t index);

/** Returns the text of problem @p index. NULL when @p index is out of range. *Borrowed*.
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_error_detail_message(const restway_error *error, size_t index);

/** Returns the API's own code of problem @p index, as text. NULL when @p index is out of range or
 *  the problem has no code. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_error_detail_code(const restway_error *error, size_t index);

/** Writes which kinds of handles restway_debug_live_handles() counts, to find what a program has
 *  not released: a JSON object whose members are the kinds that are left, named as in the headers,
 *  and the number of references of each, such as `{"client": 1, "outbox_item": 2}`.
 *
 *  @param buffer     Receives NUL-terminated UTF-8, cut off at @p capacity; may be NULL when
 *                    @p capacity is 0.
 *  @param capacity   The size of @p buffer in bytes.
 *  @param out_length Receives the length of the whole object without its NUL; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_debug_handle_kinds(
    char *buffer, size_t capacity, size_t *out_length, restway_error **out_error);

RESTWAY_END_DECLS

#endif

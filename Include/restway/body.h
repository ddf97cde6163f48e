/** @file restway/body.h
 *  Request bodies: how they are written and sent, and bodies that the program gives piece by piece
 *  while they are sent. docs/BODIES.md explains the whole topic.
 */
#ifndef RESTWAY_BODY_H
#define RESTWAY_BODY_H

#include "mapping.h"
#include "request.h"

RESTWAY_BEGIN_DECLS

/** Gives the next piece of a body.
 *
 *  @param context   The context of the restway_body_reader.
 *  @param buffer    Where the piece goes. *Borrowed* until this returns.
 *  @param capacity  Its size in bytes, at least 1.
 *  @param out_count Receives how many bytes were written, at most @p capacity; its initial value is
 *                   0. 0 means that the body has ended: the function is not called again, unless
 *                   the body is rewound.
 *  @param answer    Takes the reason of a failure. *Borrowed* until this returns.
 *  @return RESTWAY_OK; with any other status the call fails with that status and the reason
 *          (RESTWAY_E_INVALID_ARGUMENT for a status that this header does not define). It is not
 *          retried.
 *
 *  A question (docs/THREADING.md): a worker thread for bodies calls this function, whatever the
 *  delivery mode, but never while another function of the same reader runs. It may wait for a file
 *  or a pipe. It may call any function; a function of this library that blocks returns
 *  RESTWAY_E_WOULD_BLOCK. If the call ends while this function runs, the call completes at once and
 *  the result is dropped. */
typedef restway_status (*restway_body_read_fn)(
    void *context, void *buffer, size_t capacity, size_t *out_count, restway_answer *answer);

/** Goes back to the start of the body, because the body must be sent again.
 *
 *  @param context The context of the restway_body_reader.
 *  @param answer  Takes the reason of a failure. *Borrowed* until this returns.
 *  @return RESTWAY_OK; with any other status the call fails, as with restway_body_read_fn.
 *
 *  A question, like restway_body_read_fn. */
typedef restway_status (*restway_body_rewind_fn)(void *context, restway_answer *answer);

/** The functions that give a body piece by piece. Start from RESTWAY_BODY_READER_INIT. */
typedef struct restway_body_reader {
    /** sizeof(restway_body_reader), set by the INIT macro. */
    size_t struct_size;
    /** Passed to the functions unchanged.
     *  Default: NULL.
     *  Range: any pointer. */
    void *context;
    /** Gives the next piece.
     *  Default: required.
     *  Range: a function. */
    restway_body_read_fn read;
    /** Goes back to the start.
     *  Default: NULL, which means that this is not possible: the body is then sent only once,
     *  without any retry, replay or redirect that would send it again.
     *  Range: a function. */
    restway_body_rewind_fn rewind;
    /** Called once with the context after the last function has returned, when neither the request
     *  nor a call needs the reader any more.
     *  Default: NULL.
     *  Range: a function. */
    restway_destroy_fn destroy;
} restway_body_reader;

/** Sets the first @p size bytes of @p reader to what RESTWAY_BODY_READER_INIT would set. @p size is
 *  the caller's sizeof(restway_body_reader).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_body_reader_init(
    restway_body_reader *reader, size_t size, restway_error **out_error);

/** Sets a body that is read while it is sent, in place of an earlier body. Everything else is as
 *  with restway_request_set_body().
 *
 *  Only one call at a time reads the body. Another call that is sent meanwhile fails with
 *  RESTWAY_E_INVALID_ARGUMENT; without a rewind function, a later call fails, too.
 *
 *  @param reader     *Copied*. Its destroy function is not called when this fails.
 *  @param length     How many bytes the reader gives, sent as Content-Length. If it gives more or
 *                    fewer bytes, the call fails with RESTWAY_E_INVALID_ARGUMENT. With 0 the reader
 *                    is never called. -1 means that the length is not known: HTTP/1.1 then sends
 *                    the body in chunks.
 *  @param media_type The Content-Type, NUL-terminated. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_body_reader(
    restway_request *request, const restway_body_reader *reader, int64_t length,
    const char *media_type, restway_error **out_error);

/** How the parameters of a request, and its object or draft, are written. The numbers are
 *  WebApiClient's. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_serialization {
    /** Into the body by the route's data mapper; without one, as JSON. */
    RESTWAY_SERIALIZATION_JSON = 0,
    /** Into the body as application/x-www-form-urlencoded. */
    RESTWAY_SERIALIZATION_URL = 1,
    /** Into the body as multipart/form-data (RFC 7578). */
    RESTWAY_SERIALIZATION_FORM = 2,
    /** Into the query: the body is only what the program gives as a body. */
    RESTWAY_SERIALIZATION_NONE = 3,
    /** Not a serialization: pins the type to 32 bits. */
    RESTWAY_SERIALIZATION_PIN_ = 0x7fffffff
} restway_serialization;

/** Sets how parameters, objects and drafts are written, in place of what the route says. For GET,
 *  HEAD and DELETE parameters go into the query in any case. Nested values are flattened, as
 *  "forms" in the API document says (docs/API-DOCUMENT.md).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_serialization(
    restway_request *request, restway_serialization serialization, restway_error **out_error);

/** Says whether the body is sent with Content-Encoding: gzip, in place of what the route says.
 *
 *  A body in memory is compressed at once and sent with its length. A body that is read while it is
 *  sent, such as a file, is compressed piece by piece and sent in chunks. A request with a
 *  Content-Encoding of its own, and a request in a batch, is not compressed. A stored request of
 *  the outbox is kept uncompressed, and sent so later.
 *
 *  @param gzip 1 or 0.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_gzip(
    restway_request *request, int32_t gzip, restway_error **out_error);

/** Says whether a body is announced with Expect: 100-continue, in place of what the route says. The
 *  body is then sent when the server asks for it, or after a second. If the server answers instead,
 *  the body is not sent. If the server answers with 417, the library sends the request again once,
 *  without Expect.
 *
 *  @param expect_continue 1 or 0.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_expect_continue(
    restway_request *request, int32_t expect_continue, restway_error **out_error);

RESTWAY_END_DECLS

#endif

/** @file restway/body.h
 *  Bodies of requests that the host gives piece by piece, while they are sent. docs/BODIES.md tells
 *  the whole story.
 */
#ifndef RESTWAY_BODY_H
#define RESTWAY_BODY_H

#include "mapping.h"
#include "request.h"

RESTWAY_BEGIN_DECLS

/** Asked for the next piece of a body.
 *
 *  @param context   Of the restway_body_reader.
 *  @param buffer    Where the piece goes. *Borrowed* until this returns.
 *  @param capacity  Its size in bytes, at least 1.
 *  @param out_count Receives how many bytes were written, at most @p capacity; it is 0 before. 0
 *                   says that the body has ended: it is not asked again, unless it is rewound.
 *  @param answer    Takes the reason of a failure. *Borrowed* until this returns.
 *  @return RESTWAY_OK; any other status fails the call with that status and the reason
 *          (RESTWAY_E_INVALID_ARGUMENT for one that this header does not know). It is not retried.
 *
 *  A question: it is asked on a worker for bodies, whatever the delivery mode, and may wait there
 *  for a file or a pipe; never while another function of the same reader runs. It may call any
 *  function; one of this library that blocks returns RESTWAY_E_WOULD_BLOCK. When the call ends
 *  while it is asked, the call completes at once and the answer is dropped. */
typedef restway_status (*restway_body_read_fn)(
    void *context, void *buffer, size_t capacity, size_t *out_count, restway_answer *answer);

/** Asked to go back to where the body began: it has to be sent again.
 *
 *  @param context Of the restway_body_reader.
 *  @param answer  Takes the reason of a failure. *Borrowed* until this returns.
 *  @return RESTWAY_OK; any other status fails the call, as with restway_body_read_fn.
 *
 *  A question, as restway_body_read_fn. */
typedef restway_status (*restway_body_rewind_fn)(void *context, restway_answer *answer);

/** Who gives a body piece by piece. Start from RESTWAY_BODY_READER_INIT. */
typedef struct restway_body_reader {
    /** sizeof(restway_body_reader), set by the INIT macro. */
    size_t struct_size;
    /** Passed to the functions untouched. */
    void *context;
    /** Gives the next piece. */
    restway_body_read_fn read;
    /** Goes back to the start. NULL when that is not possible: the body is then sent once, and
     *  what would send it again, a retry, a replay, a redirect, does not happen. */
    restway_body_rewind_fn rewind;
    /** Called once with the context when neither the request nor a call can ask any more, after the
     *  last function has returned; may be NULL. */
    restway_destroy_fn destroy;
} restway_body_reader;

/** A reader without functions. */
#define RESTWAY_BODY_READER_INIT { sizeof(restway_body_reader), NULL, NULL, NULL, NULL }

/** Sets the first @p size bytes of @p reader to what RESTWAY_BODY_READER_INIT would set. @p size is
 *  the caller's sizeof(restway_body_reader).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that is no version's).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_body_reader_init(
    restway_body_reader *reader, size_t size, restway_error **out_error);

/** Sets a body that is read while it is sent, in place of an earlier one; else it is as with
 *  restway_request_set_body().
 *
 *  One call reads it at a time: another one that is sent meanwhile fails with
 *  RESTWAY_E_INVALID_ARGUMENT, and so does a later one when there is no rewind function.
 *
 *  @param reader     *Copied*. Its destroy function is not called when this fails.
 *  @param length     How many bytes it gives: sent as Content-Length, and a reader that gives more
 *                    or less fails the call with RESTWAY_E_INVALID_ARGUMENT; with 0 it is never
 *                    asked. -1 is not known: HTTP/1.1 then sends the body in chunks.
 *  @param media_type The Content-Type, NUL-terminated. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_body_reader(
    restway_request *request, const restway_body_reader *reader, int64_t length,
    const char *media_type, restway_error **out_error);

RESTWAY_END_DECLS

#endif

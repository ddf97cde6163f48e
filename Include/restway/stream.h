/** @file restway/stream.h
 *  Streamed bodies: the program receives the body of an answer while it arrives.
 *  docs/STREAMS.md explains the whole topic.
 */
#ifndef RESTWAY_STREAM_H
#define RESTWAY_STREAM_H

#include "call.h"
#include "mapping.h"
#include "request.h"
#include "response.h"

RESTWAY_BEGIN_DECLS

/** Receives the head of a 2xx answer, before any byte of its body.
 *
 *  @param context  The context of the restway_body_receiver.
 *  @param response The answer with an empty body. *Borrowed* until this returns; it may be
 *                  retained.
 *  @param answer   Takes the reason of a failure. *Borrowed* until this returns.
 *  @return RESTWAY_OK; with any other status the exchange ends, and the call fails with that status
 *          and the reason (RESTWAY_E_INVALID_ARGUMENT for a status that this header does not
 *          define).
 *
 *  A question (docs/THREADING.md): a worker thread for bodies calls this function, whatever the
 *  delivery mode, but never while another function of the same call's receiver runs. It may call
 *  any function; a function of this library that blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef restway_status (*restway_body_head_fn)(
    void *context, const restway_response *response, restway_answer *answer);

/** Receives the next bytes of a body, without their content coding. A coding other than gzip,
 *  deflate, br and zstd stays; Content-Encoding of the head names it.
 *
 *  @param context    The context of the restway_body_receiver.
 *  @param bytes      The bytes, at least one. *Borrowed* until this returns.
 *  @param length     How many bytes there are.
 *  @param out_pauses Its initial value is 0. With 1, the function is not called again until
 *                    restway_call_resume(), and the server is slowed down. These bytes count as
 *                    taken.
 *  @param answer     As in restway_body_head_fn.
 *  @return As restway_body_head_fn.
 *
 *  A question, like restway_body_head_fn. */
typedef restway_status (*restway_body_receive_fn)(
    void *context, const void *bytes, size_t length, int32_t *out_pauses, restway_answer *answer);

/** The functions that receive a body. Start from RESTWAY_BODY_RECEIVER_INIT. */
typedef struct restway_body_receiver {
    /** sizeof(restway_body_receiver), set by the INIT macro. */
    size_t struct_size;
    /** Passed to the functions unchanged.
     *  Default: NULL.
     *  Range: any pointer. */
    void *context;
    /** Receives the head.
     *  Default: NULL.
     *  Range: a function. */
    restway_body_head_fn head;
    /** Receives the bytes.
     *  Default: required.
     *  Range: a function. */
    restway_body_receive_fn receive;
    /** Called once with the context after the last function has returned, when neither the request
     *  nor a call needs the receiver any more.
     *  Default: NULL.
     *  Range: a function. */
    restway_destroy_fn destroy;
} restway_body_receiver;

/** Sets the first @p size bytes of @p receiver to what RESTWAY_BODY_RECEIVER_INIT would set. @p
 *  size is the caller's sizeof(restway_body_receiver).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_body_receiver_init(
    restway_body_receiver *receiver, size_t size, restway_error **out_error);

/** Gives the body of a 2xx answer to functions of the program, in place of memory and in place of
 *  an earlier receiver or restway_request_save_to(). The body is not mapped. The call completes
 *  after the last byte was received. The body of any other answer is read into memory as usual.
 *
 *  About 1 MiB of a body is held at most, also while the receiver pauses. When the head was given
 *  to the program, the request is not sent again. Several calls of the request call the functions
 *  at the same time. Unless the API document or the request sets Accept-Encoding, the request asks
 *  for no content coding; a receiver of a coded body occupies a thread while it pauses. The call
 *  fails with RESTWAY_E_INVALID_ARGUMENT when it is sent with HEAD or in a batch. It is never
 *  stored in the outbox.
 *
 *  @param receiver *Copied*. Its destroy function is not called when this fails. NULL keeps bodies
 *                  in memory.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_body_receiver(
    restway_request *request, const restway_body_receiver *receiver, restway_error **out_error);

/** Lets the receiver of a call, which has paused, receive bytes again. It may be called before the
 *  function that pauses has returned; then the receiver does not pause. NULL is fine.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API void restway_call_resume(restway_call *call);

RESTWAY_END_DECLS

#endif

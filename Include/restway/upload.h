/** @file restway/upload.h
 *  Resumable uploads: after a failure, an upload continues after the bytes that the server already
 *  has, also in a later process. docs/UPLOADS.md explains the whole topic.
 */
#ifndef RESTWAY_UPLOAD_H
#define RESTWAY_UPLOAD_H

#include "request.h"

RESTWAY_BEGIN_DECLS

/** The protocols with which the resource of a request is uploaded. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_upload_protocol {
    /** No protocol: one request sends the resource, even if the route names a protocol. */
    RESTWAY_UPLOAD_PLAIN = 0,
    /** tus 1.0.0 (https://tus.io). An upload is created with POST. */
    RESTWAY_UPLOAD_TUS = 1,
    /** "Resumable Uploads for HTTP" (draft-ietf-httpbis-resumable-upload, interop version 8). An
     *  upload is created with POST, PUT or PATCH. */
    RESTWAY_UPLOAD_IETF = 2,
    /** Not a protocol: pins the type to 32 bits. */
    RESTWAY_UPLOAD_PROTOCOL_PIN_ = 0x7fffffff
} restway_upload_protocol;

/** Bits of restway_request_set_resumable(): options of a resumable upload. */
#define RESTWAY_UPLOAD_TERMINATE 0x1u /**< The call deletes the upload that the state file names
                                           from the server, instead of continuing the upload. */

/** Sets how the resource of a request (restway_request_set_resource) is uploaded, in place of the
 *  setting of the route.
 *
 *  The request creates an upload on the server, and further requests send the resource in pieces.
 *  After a failure, another attempt of the call asks the server how many bytes it has, and sends
 *  the rest. With @p state_path, a later call can also continue the upload, if it has the same
 *  method and URL, the same unchanged resource and the same state file. The state file contains the
 *  URL that the server has given the upload, and this URL may be a secret: only the owner of the
 *  file can read the file. The library removes the file when the upload is complete. The response
 *  of the call is the server's last answer.
 *
 *  The call fails with RESTWAY_E_INVALID_ARGUMENT when it is sent, if the request has no resource
 *  with a length, is in a batch, has a compressed body, has headers with a digest, has a method
 *  that the protocol does not allow, or if its answer is saved in a file or streamed. The call
 *  fails with RESTWAY_E_IO, and a message that names the path, if the state file cannot be written,
 *  or if @p state_path leads to a file that is no state file; that file stays as it is. The call
 *  fails with RESTWAY_E_PROTOCOL if the server confirms requests and its offset does not reach the
 *  length of the resource. The request is never stored in the outbox.
 *
 *  @param protocol    A restway_upload_protocol.
 *  @param state_path  The path of the state file, NUL-terminated UTF-8. *Copied*. A relative path
 *                     starts at the working directory of the moment in which the request goes out.
 *                     With NULL, only attempts of the same call continue the upload.
 *  @param piece_bytes The largest number of bytes in one request; 0 sends all the rest in one
 *                     request.
 *  @param flags       RESTWAY_UPLOAD_* bits.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_resumable(
    restway_request *request, restway_upload_protocol protocol, const char *state_path,
    int64_t piece_bytes, uint32_t flags, restway_error **out_error);

RESTWAY_END_DECLS

#endif

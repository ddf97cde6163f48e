/** @file restway/download.h
 *  Downloads: the body of an answer is saved in a file, and does not stay in memory.
 *  docs/DOWNLOADS.md explains the whole topic.
 */
#ifndef RESTWAY_DOWNLOAD_H
#define RESTWAY_DOWNLOAD_H

#include "request.h"
#include "response.h"

RESTWAY_BEGIN_DECLS

/** Bits of restway_request_save_to(): options for saving a body in a file. */
#define RESTWAY_SAVE_KEEP_PART 0x1u /**< The part that was received stays after a failure, a cancel
                                         or the end of the program, and a later call goes on. */
#define RESTWAY_SAVE_DIGEST 0x2u /**< The SHA-256 digest of the file is computed. */

/** Saves the body of a 2xx answer in a file, in place of memory. The body is not mapped.
 *
 *  The body is received into a file beside its target that only the owner can read, and that has no
 *  name where the file system allows that. When the body is complete and its content coding is
 *  removed, the file gets the permissions of other new files and is moved to @p path in one step,
 *  in place of a regular file that is there. A device, a FIFO, a socket or a folder at @p path is
 *  refused with RESTWAY_E_IO before the request is sent. The body of any other answer is read into
 *  memory as usual. The size of the file is limited by save_bytes_max of the client
 *  (restway_client_options) or by restway_request_set_save_bytes_max(), not by body_bytes_max.
 *
 *  Unless the API document or the request sets Accept-Encoding, the request asks for no content
 *  coding, so that an attempt of the call can go on from the bytes of the attempt before. It asks
 *  for the rest with Range and If-Range, and begins anew if the file has changed or the server
 *  cannot send the rest. With RESTWAY_SAVE_KEEP_PART, a later call with the same URL and path also
 *  goes on, from the file @p path + ".part"; @p path + ".part.info" says what it is a part of.
 *
 *  The call fails with RESTWAY_E_IO, and a message that names the path, if the file cannot be
 *  written. It fails with RESTWAY_E_INVALID_ARGUMENT when it is sent with HEAD or in a batch. It is
 *  never stored in the outbox.
 *
 *  @param path  The path of the file, NUL-terminated UTF-8. *Copied*. A relative path starts at the
 *               working directory of the moment in which the request goes out. NULL keeps bodies in
 *               memory.
 *  @param flags RESTWAY_SAVE_* bits.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_save_to(
    restway_request *request, const char *path, uint32_t flags, restway_error **out_error);

/** Writes the body of a 2xx answer into a descriptor while the body arrives, in place of memory.
 *  The descriptor may be a pipe, a socket, a terminal or a file. The body is not mapped. The body
 *  of any other answer is read into memory as usual.
 *
 *  A worker thread for bodies writes the bytes, and waits while the descriptor takes no bytes. When
 *  512 KiB wait to be written, the transport stops reading from the connection. If a write fails,
 *  the call fails with RESTWAY_E_IO and a message that names the descriptor. A write fails, for
 *  example, when the reader has closed its end (EPIPE; the process gets no SIGPIPE) or when the
 *  disk is full (ENOSPC). The bytes that were already written stay. After the first byte was
 *  written, the library does not send the request again. A cancel completes the call at once, but
 *  the worker may wait until the descriptor takes bytes again or its other end is closed. The limit
 *  save_bytes_max holds for the written bytes. As with restway_request_save_to(), the request is
 *  never stored in the outbox, and the call fails with HEAD and in a batch.
 *
 *  @param descriptor A descriptor that is open for writing. The library writes to a duplicate, so
 *                    the program may close its own descriptor. The library closes the duplicate
 *                    when the request is released and its calls have ended. The reader of a pipe
 *                    finds the end only after that.
 *  @return RESTWAY_OK, RESTWAY_E_IO (the descriptor is closed or cannot be written),
 *          RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_save_to_descriptor(
    restway_request *request, int32_t descriptor, restway_error **out_error);

/** Sets the size limit of the saved body after decoding, in place of the client's save_bytes_max. A
 *  larger body ends the exchange with RESTWAY_E_TOO_LARGE, and leaves no file and no part of a
 *  file.
 *
 *  @param bytes More than 0; 0 takes the client's limit; -1 sets no limit.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_save_bytes_max(
    restway_request *request, int64_t bytes, restway_error **out_error);

/** Returns the path in which the body was saved, as it was given; NULL if the body was not saved.
 *  The file of a route with `"saveAsResource": true` is removed with the last reference to the
 *  response, unless the program has moved it. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_saved_path(const restway_response *response);

/** Returns the length of the saved file in bytes; -1 if the body was not saved. Threads: any.
 *  Blocks: never. */
RESTWAY_API int64_t restway_response_saved_length(const restway_response *response);

/** Returns how many bytes of the saved file were there before the last exchange, so that it did not
 *  send them; -1 if the body was not saved. Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_response_saved_from(const restway_response *response);

/** Returns the SHA-256 digest of the saved file in 64 hexadecimal digits, in lower case; NULL
 *  without RESTWAY_SAVE_DIGEST. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_saved_digest(const restway_response *response);

/** Returns the name under which the server suggests to save the body: from Content-Disposition (RFC
 *  6266, with the extended form of RFC 8187) or, without one, the end of the URL's path. The name
 *  is safe in any folder: it has no path, no control character, no leading dot and at most 200
 *  bytes, and it names no device. NULL if there is no name. Any response may have one, not only a
 *  saved one.
 *  *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_suggested_name(const restway_response *response);

RESTWAY_END_DECLS

#endif

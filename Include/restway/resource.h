/** @file restway/resource.h
 *  Resources: bytes, files and descriptors that are sent as a body, or as the files of a multipart
 *  body. docs/BODIES.md explains the whole topic.
 */
#ifndef RESTWAY_RESOURCE_H
#define RESTWAY_RESOURCE_H

#include "request.h"

RESTWAY_BEGIN_DECLS

/** Bytes, a file or a descriptor, with a name and a media type. Immutable; reference counted;
 *  usable from any thread, in any number of requests at the same time. */
typedef struct restway_resource restway_resource;

/** Makes a resource of bytes.
 *
 *  @param bytes      @p length bytes. *Copied*. May be NULL when @p length is 0.
 *  @param name       The file's name for a multipart body, NUL-terminated UTF-8. *Copied*. NULL for
 *                    none.
 *  @param media_type The media type, NUL-terminated. *Copied*. With NULL the ending of the name
 *                    decides, as in restway_resource_create_file().
 *  @param out_resource Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: for the first resource without a media type, while a file of the system is
 *  read. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_resource_create_bytes(
    const void *bytes, size_t length, const char *name, const char *media_type,
    restway_resource **out_resource, restway_error **out_error);

/** Makes a resource of a file. The file is opened when it is sent, and again each time it is sent
 *  again, so it need not exist yet. A relative path is looked up in the working directory of that
 *  time.
 *
 *  @param path       The path, NUL-terminated UTF-8. *Copied*.
 *  @param name       As in restway_resource_create_bytes(). NULL takes the last part of the path.
 *  @param media_type The media type, NUL-terminated. *Copied*. With NULL the ending of the name
 *                    decides: /etc/mime.types or shared-mime-info knows endings; without both a
 *                    short list in the library does. An unknown ending is
 *                    application/octet-stream.
 *  @param out_resource Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: as restway_resource_create_bytes(). */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_resource_create_file(
    const char *path, const char *name, const char *media_type, restway_resource **out_resource,
    restway_error **out_error);

/** Makes a resource of an open descriptor, which is duplicated: the program may close its own.
 *
 *  A regular file is read from @p offset to its end. It can be sent any number of times, and the
 *  program's offset does not move. A pipe or a socket is read once, and its length is not known.
 *
 *  @param descriptor A descriptor that is open for reading. *Borrowed* for this call.
 *  @param offset     Where a regular file begins, in bytes from its start; -1 is the offset that
 *                    the descriptor has now. For other descriptors it must be -1.
 *  @param name       As in restway_resource_create_bytes().
 *  @param media_type As in restway_resource_create_file().
 *  @param out_resource Receives a handle owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_IO (the descriptor cannot be
 *          duplicated or read).
 *
 *  Threads: any. Blocks: as restway_resource_create_bytes(). */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_resource_create_descriptor(
    int32_t descriptor, int64_t offset, const char *name, const char *media_type,
    restway_resource **out_resource, restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_resource *restway_resource_retain(restway_resource *resource);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_resource_release(restway_resource *resource);

/** Returns the name of a resource, or NULL if the resource has no name or is NULL. *Borrowed* from
 *  @p resource.
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_resource_name(const restway_resource *resource);

/** Returns the media type; NULL for NULL. *Borrowed* from @p resource.
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_resource_media_type(const restway_resource *resource);

/** Finds how many bytes the resource has now.
 *
 *  @param out_length Receives the number of bytes; -1 for a pipe or a socket.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_IO (the message names the file),
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: while the file system is asked. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_resource_length(
    const restway_resource *resource, int64_t *out_length, restway_error **out_error);

/** A digest algorithm. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_digest {
    /** MD5 (RFC 1321): 16 bytes. It protects against accidents, not against attackers. */
    RESTWAY_DIGEST_MD5 = 0,
    /** SHA-256 (FIPS 180-4): 32 bytes. */
    RESTWAY_DIGEST_SHA256 = 1,
    /** Not an algorithm: pins the type to 32 bits. */
    RESTWAY_DIGEST_PIN_ = 0x7fffffff
} restway_digest;

/** Computes a digest of the bytes of a resource. It is kept until the file changes.
 *
 *  @param buffer     Receives the digest, if @p capacity suffices.
 *  @param capacity   Its size in bytes; 32 suffices for every algorithm. With too little room the
 *                    function fails.
 *  @param out_length Receives the number of bytes written; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also for a pipe or a socket, which can be read
 *          only once), RESTWAY_E_IO (the message names the file), RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: while a file is read. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_resource_digest(
    const restway_resource *resource, restway_digest algorithm, void *buffer, size_t capacity,
    size_t *out_length, restway_error **out_error);

/** Bits of restway_request_set_resource(): headers with a digest. */
#define RESTWAY_SEND_CONTENT_MD5 0x1u /**< Content-MD5, the MD5 digest in base64 (RFC 1864). */
#define RESTWAY_SEND_DIGEST 0x2u      /**< Digest with SHA-256 (RFC 3230). */
#define RESTWAY_SEND_REPR_DIGEST 0x4u /**< Repr-Digest with SHA-256 (RFC 9530). */

/** Sets a resource as the body, in place of an earlier body. Parameters then go into the query,
 *  whatever the method. With HEAD the send fails with RESTWAY_E_INVALID_ARGUMENT. The resource
 *  gives Content-Type and Content-Length.
 *
 *  A file that is missing when the request is sent, that cannot be read, or that becomes shorter or
 *  longer while it is sent, fails the call with RESTWAY_E_IO and a message that names it.
 *
 *  @param resource Kept alive (+1) by the request.
 *  @param flags    RESTWAY_SEND_* bits: headers with a digest. A worker reads the file for them
 *                  before it is sent. They cannot be combined with gzip.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_set_resource(
    restway_request *request, const restway_resource *resource, uint32_t flags,
    restway_error **out_error);

/** Adds a file to the multipart body (RFC 7578) of a request with POST, PUT or PATCH. Parameters,
 *  and the object or draft of the request, become the parts before the files. Several files may
 *  have the same name. Unless the request or its route sets a serialization, files make it
 *  RESTWAY_SERIALIZATION_FORM.
 *
 *  @param name     The name of the part. *Copied*.
 *  @param resource Kept alive (+1) by the request.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_request_add_file(
    restway_request *request, const char *name, const restway_resource *resource,
    restway_error **out_error);

RESTWAY_END_DECLS

#endif

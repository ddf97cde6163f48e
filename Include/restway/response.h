/** @file restway/response.h
 *  Responses: the server's answers, and the objects that they were mapped to.
 */
#ifndef RESTWAY_RESPONSE_H
#define RESTWAY_RESPONSE_H

#include "list.h"

RESTWAY_BEGIN_DECLS

/** A response. Immutable; reference counted; usable from any thread. Everything that is read from
 *  it is *Borrowed* from it. */
typedef struct restway_response restway_response;

/** The durations of the phases of a call, in microseconds; -1 is not known. After redirects, the
 *  times of the exchange belong to its last request. */
typedef struct restway_timings {
    /** sizeof(restway_timings), set by the INIT macro. */
    size_t struct_size;
    /** From sending until a connection was free. */
    int64_t queued_microseconds;
    /** Looking up the host's name; 0 on a connection that was open. */
    int64_t name_lookup_microseconds;
    /** Making the TCP connection; 0 on a connection that was open. */
    int64_t connect_microseconds;
    /** The TLS handshake; 0 without TLS and on a connection that was open. */
    int64_t tls_microseconds;
    /** From the start of the exchange to the first byte of the response. */
    int64_t first_byte_microseconds;
    /** From the start of the exchange to its last byte. */
    int64_t exchange_microseconds;
    /** Undoing the content coding. */
    int64_t decode_microseconds;
    /** Reading the body and storing its objects; 0 when no descriptor matched. */
    int64_t map_microseconds;
    /** From restway_client_send() to completion, including redirects. */
    int64_t total_microseconds;
    /** The part of map_microseconds for storing the objects; with a file, until they are in the
     *  file. */
    int64_t store_microseconds;
} restway_timings;

/** Sets the first @p size bytes of @p timings to what RESTWAY_TIMINGS_INIT would set. @p size is
 *  the caller's sizeof(restway_timings).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_timings_init(
    restway_timings *timings, size_t size, restway_error **out_error);

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_response *restway_response_retain(const restway_response *response);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_response_release(restway_response *response);

/** Returns the HTTP status code; 0 for NULL, and for a response without an answer
 *  (RESTWAY_CACHE_ONLY). Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_response_status(const restway_response *response);

/** Returns the version of HTTP in which the server has answered: 10 for HTTP/1.0, 11 for HTTP/1.1,
 *  20 for HTTP/2, 30 for HTTP/3; 0 for NULL, and for a response that the outbox has made. The
 *  response to a request in a batch has 11.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_response_http_version(const restway_response *response);

/** Returns the URL of the response, after redirects; NULL for NULL. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_url(const restway_response *response);

/** Returns the header Location as an absolute URL: a relative one is resolved against the URL of
 *  the response (RFC 9110, section 10.2.2). NULL if the header is missing or is no http or https
 *  URL, and for NULL. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_location(const restway_response *response);

/** Returns the value of a header; the case of the name does not matter. Several values of one name
 *  are joined with ", " (RFC 9110, section 5.3). NULL if it is missing. *Borrowed*. Threads: any.
 *  Blocks: never. */
RESTWAY_API const char *restway_response_header(
    const restway_response *response, const char *name);

/** Reads the durations of the phases.
 *
 *  @param timings Must be initialised; the function fills the fields that this version of the
 *                 struct has.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_response_timings(
    const restway_response *response, restway_timings *timings, restway_error **out_error);

/** Returns how many header lines there are; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_response_header_count(const restway_response *response);

/** Returns the name of header line @p index, as it was received; NULL when out of range.
 *  *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_header_name(
    const restway_response *response, size_t index);

/** Returns the value of header line @p index; NULL when out of range. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_header_value(
    const restway_response *response, size_t index);

/** Returns the value of a trailer, a header field after the body (RFC 9110, section 6.5), by name
 *  as restway_response_header() does. NULL if it is missing. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_trailer(
    const restway_response *response, const char *name);

/** Returns how many trailers there are; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_response_trailer_count(const restway_response *response);

/** Returns the name of trailer @p index, as it was received; NULL when out of range. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_trailer_name(
    const restway_response *response, size_t index);

/** Returns the value of trailer @p index; NULL when out of range. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_trailer_value(
    const restway_response *response, size_t index);

/** Returns the body as it was received, with its content coding (gzip, deflate, br or zstd)
 *  removed. Content-Encoding and Content-Length remain readable as they were received. Any other
 *  coding stays: servers write names that are no codings (`utf-8`, `none`, `aws-chunked`). If the
 *  body then cannot be mapped, the call fails with RESTWAY_E_MAPPING, and the message names the
 *  coding.
 *
 *  @param out_length Receives its length in bytes; may be NULL.
 *  @return The bytes, followed by a NUL, *Borrowed*; NULL only for a NULL response.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const void *restway_response_body(
    const restway_response *response, size_t *out_length);

/** Returns the body as NUL-terminated JSON text, or NULL if it is not valid JSON. *Borrowed*.
 *
 *  The text is UTF-8, also if Content-Type declares another charset and the body is in it. U+FFFD
 *  replaces halves of surrogate pairs, and bytes that are not UTF-8.
 *
 *  @param out_length Receives its length in bytes, 0 with NULL; may be NULL.
 *
 *  The first call checks the body if mapping has not already checked it.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_json(
    const restway_response *response, size_t *out_length);

/** Returns the body as text in UTF-8. The charset in Content-Type says how the body is encoded;
 *  without a charset, the body counts as UTF-8. U+FFFD replaces bytes that are invalid in the
 *  charset.
 *
 *  @param out_text   Receives the text, followed by a NUL. *Borrowed* from @p response. The text
 *                    itself may contain NULs, too.
 *  @param out_length Receives the length of the text in bytes; may be NULL.
 *  @return RESTWAY_OK; RESTWAY_E_MAPPING (iconv() of the C library does not know the charset; the
 *          message names the charset); RESTWAY_E_FORKED; RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never, except that the first text of a charset may read files of the C
 *  library. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_response_text(
    const restway_response *response, const char **out_text, size_t *out_length,
    restway_error **out_error);

/** Returns 1 when at least one descriptor applied to this response (even if it found no objects), 0
 *  when no descriptor matched. Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_response_is_mapped(const restway_response *response);

/** Returns how many objects the response was mapped to by all descriptors, in their order: one for
 *  each element that yields an object, even if two elements yield the same object. Threads: any.
 *  Blocks: never. */
RESTWAY_API size_t restway_response_object_count(const restway_response *response);

/** Returns object @p index; NULL when out of range. *Borrowed*: retain it to keep it longer than
 *  the response. It is the snapshot that this response put into the store.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_object *restway_response_object(
    const restway_response *response, size_t index);

/** Reads one object with its values in one call. It combines restway_response_object(),
 *  restway_object_retain(), restway_object_entity() and restway_object_read(), for languages in
 *  which a call of a C function is expensive.
 *
 *  @param index      As in restway_response_object().
 *  @param out_values Room for @p capacity values, or NULL when @p capacity is 0. Receives the
 *                    object's first attributes, each *Borrowed* from the object; the rest is null.
 *  @param capacity   How many values there is room for; it may be less than the object has.
 *  @param out_count  Receives how many attributes the object has; may be NULL.
 *  @param out_entity Receives the name of its entity, *Borrowed* from the object; may be NULL.
 *  @param out_object Receives the object, owned by the caller (+1); NULL when @p index is out of
 *                    range, which is not an error.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_response_read(
    const restway_response *response, size_t index, restway_value *out_values, size_t capacity,
    size_t *out_count, const char **out_entity, restway_object **out_object,
    restway_error **out_error);

/** Returns the objects of the response as a list, owned by the caller (+1); NULL for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_list *restway_response_list(const restway_response *response);

/** Returns how many descriptors applied. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_response_result_count(const restway_response *response);

/** Tells which of the objects came from descriptor @p index.
 *
 *  @param out_first Receives the index of its first object.
 *  @param out_count Receives how many objects there are; they follow each other.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_response_result(
    const restway_response *response, size_t index, size_t *out_first, size_t *out_count,
    restway_error **out_error);

/** Returns how many mapping issues there were: values that did not fit and were left out. Only the
 *  first 100 issues are kept; the others are only counted. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_response_issue_count(const restway_response *response);

/** Returns the key path of mapping issue @p index, with list positions
 *  ("array_of_enterprises[3].id"); NULL when out of range or not kept. Control characters in keys
 *  are escaped. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_issue_key_path(
    const restway_response *response, size_t index);

/** Returns the reason of mapping issue @p index; NULL when out of range or not kept. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_issue_reason(
    const restway_response *response, size_t index);

RESTWAY_END_DECLS

#endif

/** @file restway/response.h
 *  What the server answered, and the objects that it was mapped to.
 */
#ifndef RESTWAY_RESPONSE_H
#define RESTWAY_RESPONSE_H

#include "list.h"

RESTWAY_BEGIN_DECLS

/** A response. Immutable; reference counted; usable from any thread. What is read from it is
 *  *Borrowed* from it. */
typedef struct restway_response restway_response;

/** How long each phase of a call took, in microseconds; -1 is not known. Times of the exchange are
 *  those of its last hop. */
typedef struct restway_timings {
    /** sizeof(restway_timings), set by the INIT macro. */
    size_t struct_size;
    /** From sending until a connection was free. */
    int64_t queued_microseconds;
    /** Looking up the host's name; 0 on a connection that was open. */
    int64_t name_lookup_microseconds;
    /** Until TCP stood; 0 on a connection that was open. */
    int64_t connect_microseconds;
    /** The TLS handshake; 0 without TLS and on a connection that was open. */
    int64_t tls_microseconds;
    /** From the start of the exchange to the first byte of the response. */
    int64_t first_byte_microseconds;
    /** From the start of the exchange to its last byte. */
    int64_t exchange_microseconds;
    /** Undoing the content coding. */
    int64_t decode_microseconds;
    /** Reading the body and storing its objects; 0 when nothing matched. */
    int64_t map_microseconds;
    /** From restway_client_send() to completion, redirects included. */
    int64_t total_microseconds;
    /** Of map_microseconds: storing the objects, in a file until the file has them. */
    int64_t store_microseconds;
} restway_timings;

/** Timings with nothing known. */
#define RESTWAY_TIMINGS_INIT { sizeof(restway_timings), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/** Sets the first @p size bytes of @p timings to what RESTWAY_TIMINGS_INIT would set. @p size is
 *  the caller's sizeof(restway_timings).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that is no version's).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_timings_init(
    restway_timings *timings, size_t size, restway_error **out_error);

/** Another reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_response *restway_response_retain(const restway_response *response);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_response_release(restway_response *response);

/** The HTTP status code; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_response_status(const restway_response *response);

/** The URL that answered, after redirects; NULL for NULL. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_url(const restway_response *response);

/** The value of a header, by name without regard to case; several of one name are joined with ", "
 *  (RFC 9110, section 5.3). NULL when there is none. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_header(
    const restway_response *response, const char *name);

/** Reads how long each phase took.
 *
 *  @param timings Initialised; fields that its version has are filled.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_response_timings(
    const restway_response *response, restway_timings *timings, restway_error **out_error);

/** How many header lines there are; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_response_header_count(const restway_response *response);

/** The name of header line @p index, as it was received; NULL when out of range. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_header_name(
    const restway_response *response, size_t index);

/** The value of header line @p index; NULL when out of range. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_header_value(
    const restway_response *response, size_t index);

/** The value of a trailer, a field that came behind the body (RFC 9110, section 6.5), by name as
 *  with restway_response_header(). NULL when there is none. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_trailer(
    const restway_response *response, const char *name);

/** How many trailers there are; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_response_trailer_count(const restway_response *response);

/** The name of trailer @p index, as it was received; NULL when out of range. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_trailer_name(
    const restway_response *response, size_t index);

/** The value of trailer @p index; NULL when out of range. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_trailer_value(
    const restway_response *response, size_t index);

/** The body as it was received, with its content coding (gzip) removed.
 *
 *  @param out_length Receives its length in bytes; may be NULL.
 *  @return The bytes, with a NUL behind them, *Borrowed*; never NULL but for a NULL response.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const void *restway_response_body(
    const restway_response *response, size_t *out_length);

/** The body as JSON text: NUL-terminated, when it is valid JSON; else NULL. *Borrowed*.
 *
 *  @param out_length Receives its length in bytes, 0 with NULL; may be NULL.
 *
 *  The first call checks the body when mapping has not done so already.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_json(
    const restway_response *response, size_t *out_length);

/** 1 when at least one descriptor applied to this response (so that no objects means "there were
 *  none"), 0 when nothing matched. Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_response_is_mapped(const restway_response *response);

/** How many objects the response was mapped to, over all descriptors in their order: one for each
 *  element that yields an object, also when two are the same. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_response_object_count(const restway_response *response);

/** Object @p index; NULL when out of range. *Borrowed*: retain it to keep it longer than the
 *  response. It is the snapshot that this response left in the store.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_object *restway_response_object(
    const restway_response *response, size_t index);

/** One object with its values, in one call: what restway_response_object(),
 *  restway_object_retain(), restway_object_entity() and restway_object_read() give, for hosts whose
 *  calls of C cost more than what they do.
 *
 *  @param index      As in restway_response_object().
 *  @param out_values Room for @p capacity values, or NULL when that is 0. The object's first
 *                    attributes are put there, each *Borrowed* from the object; the rest is null.
 *  @param capacity   How many values there is room for; less than the object has is fine.
 *  @param out_count  Receives how many attributes the object has; may be NULL.
 *  @param out_entity Receives the name of its entity, *Borrowed* from the object; may be NULL.
 *  @param out_object Receives the object, owned by the caller (+1); NULL when @p index is out of
 *                    range, which is no error.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_response_read(
    const restway_response *response, size_t index, restway_value *out_values, size_t capacity,
    size_t *out_count, const char **out_entity, restway_object **out_object,
    restway_error **out_error);

/** The objects of the response as a list, owned by the caller (+1); NULL for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_list *restway_response_list(const restway_response *response);

/** How many descriptors applied. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_response_result_count(const restway_response *response);

/** Which of the objects came from descriptor @p index.
 *
 *  @param out_first Receives the index of its first object.
 *  @param out_count Receives how many follow each other from there.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_response_result(
    const restway_response *response, size_t index, size_t *out_first, size_t *out_count,
    restway_error **out_error);

/** How many mapping issues there were: values that did not fit and were left out. Reports beyond
 *  the first 100 are counted, not kept. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_response_issue_count(const restway_response *response);

/** The key path of mapping issue @p index, with list positions ("array_of_enterprises[3].id");
 *  NULL when out of range or not kept. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_issue_key_path(
    const restway_response *response, size_t index);

/** What mapping issue @p index is; NULL when out of range or not kept. *Borrowed*.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_response_issue_reason(
    const restway_response *response, size_t index);

RESTWAY_END_DECLS

#endif

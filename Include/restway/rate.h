/** @file restway/rate.h
 *  Rates: how many requests may go to one origin. Requests that may not go yet wait. docs/RATES.md
 *  explains the whole topic.
 */
#ifndef RESTWAY_RATE_H
#define RESTWAY_RATE_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** Sets the rate policy of a client, in place of the document's `rate`. Requests that wait go as
 *  the new policy says.
 *
 *  @param json The JSON object, as under `rate` in a document, @p length bytes. *Copied*. With NULL
 *              no request waits.
 *  @return RESTWAY_OK; RESTWAY_E_CONFIG with all problems; RESTWAY_E_CLOSED; RESTWAY_E_FORKED;
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_set_rate(
    restway_client *client, const char *json, size_t length, restway_error **out_error);

/** The rate of one origin. */
typedef struct restway_rate {
    /** sizeof(restway_rate), set by the INIT macro. */
    size_t struct_size;
    /** How many requests the server allows in a period, as its last answer says; -1 if it is not
     *  known. */
    int64_t limit;
    /** How many requests are left until the reset; -1 if it is not known. Requests that are under
     *  way count as used. */
    int64_t remaining;
    /** The time until the server allows the full number again; -1 if it is not known. */
    int64_t reset_milliseconds;
    /** How many requests of this client are under way. */
    int64_t under_way;
    /** How many requests of this client wait. */
    int64_t waiting;
} restway_rate;

/** Sets the first @p size bytes of @p rate to what RESTWAY_RATE_INIT would set. @p size is the
 *  caller's sizeof(restway_rate).
 *
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (NULL, or a size that no version of the struct
 *          has).
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_rate_init(
    restway_rate *rate, size_t size, restway_error **out_error);

/** Reads the rate of one origin, as this client knows it.
 *
 *  @param url  An absolute URL of the origin; NULL takes the client's base URL. *Borrowed*.
 *  @param rate Must be initialised; the function fills the fields that this version of the struct
 *              has.
 *  @return RESTWAY_OK; RESTWAY_E_INVALID_URL; RESTWAY_E_FORKED; RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_rate(
    const restway_client *client, const char *url, restway_rate *rate, restway_error **out_error);

RESTWAY_END_DECLS

#endif

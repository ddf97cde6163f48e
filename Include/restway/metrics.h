/** @file restway/metrics.h
 *  Numbers about a client, for operators.
 */
#ifndef RESTWAY_METRICS_H
#define RESTWAY_METRICS_H

#include "client.h"

RESTWAY_BEGIN_DECLS

/** Writes what a client has done since it was made as a JSON object (docs/OPERATING.md):
 *
 *      {"calls": {"started": 9, "succeeded": 6, "inFlight": 1, "waiting": 0},
 *       "failures": {"RESTWAY_E_HTTP": 2},
 *       "attempts": {"retries": 3, "replays": 0},
 *       "exchanges": {"1xx": 0, "2xx": 6, "3xx": 0, "4xx": 1, "5xx": 4, "failed": 0},
 *       "bytes": {"sent": 120, "received": 5120},
 *       "connections": {"opened": 2, "reused": 9},
 *       "outbox": {"waiting": 0, "sending": 0, "blocked": 0, "dead": 0}}
 *
 *  A later version may add members.
 *
 *  @param buffer     Receives NUL-terminated UTF-8, cut off at @p capacity; may be NULL when
 *                    @p capacity is 0.
 *  @param capacity   The size of @p buffer in bytes.
 *  @param out_length Receives the length of the whole text without its NUL; may be NULL.
 *  @return RESTWAY_OK, RESTWAY_E_OUTBOX, RESTWAY_E_FORKED, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: on the file of the outbox. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_client_metrics(
    const restway_client *client, char *buffer, size_t capacity, size_t *out_length,
    restway_error **out_error);

RESTWAY_END_DECLS

#endif

/** @file batching.h
 *  Batch sessions for tests, and the contents of their notices.
 */
#ifndef RESTWAY_HARNESS_BATCHING_H
#define RESTWAY_HARNESS_BATCHING_H

#include "harness.h"
#include "probe.h"

/** The content of a session's notice. */
struct batch_end {
    struct probe probe;
    int count;
    restway_status status;
    restway_status waited;
    int found_batch;
    /** The request whose notice comes first, and what had been reported by then. */
    struct probe *request;
    int told_before;
};

/** A restway_batch_done_fn; the context is a struct batch_end. */
void batch_end_done(
    void *context, restway_batch *batch, restway_status status, const restway_error *error);

restway_batch *make_batch(restway_client *client);

/** Adds a GET of @p path. @p probe is its context, unless it is NULL. */
void batch_add_get(restway_batch *batch, const char *path, struct probe *probe);

/** Returns how the request at @p index has completed, and the status of its answer. */
restway_status batch_status(restway_batch *batch, size_t index, int32_t *http_status);

#endif

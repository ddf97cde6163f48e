/** @file delivery.h
 *  Clients that deliver nothing by themselves: their notices are processed, their events
 *  drained. */
#ifndef RESTWAY_HARNESS_DELIVERY_H
#define RESTWAY_HARNESS_DELIVERY_H

#include "harness.h"

/** Makes a client of make_api() for the demo API with delivery mode @p mode. */
restway_client *make_client_delivering(restway_delivery mode);

/** Returns 1 if the client's descriptor becomes readable within @p milliseconds. */
int is_readable(const restway_client *client, int milliseconds);

/** Waits until the client's descriptor is readable; if it never is, the run ends here. */
void wait_readable(const restway_client *client);

/** Sends a GET of @p path and waits until the call has completed and its notice is due. */
restway_call *send_and_complete(
    restway_client *client, const char *path, restway_done_fn done, void *context,
    restway_destroy_fn destroy);

/** Processes until exactly @p count notices have run. */
void process_notices(restway_client *client, size_t count);

/** Sends a GET of @p path with @p token as the token of its event. */
void send_token(restway_client *client, const char *path, uint64_t token);

/** Drains exactly @p count events, in one or more calls. */
void drain_events(restway_client *client, restway_event *events, size_t count);

/** Drains one event, of a call that completed with @p status. */
restway_event drain_event(restway_client *client, restway_status status);

/** Checks that no event is due. */
void expect_no_event(restway_client *client);

#endif

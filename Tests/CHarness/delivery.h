/** @file delivery.h
 *  Clients that deliver nothing by themselves: their notices are processed, their events drained.
 */
#ifndef RESTWAY_HARNESS_DELIVERY_H
#define RESTWAY_HARNESS_DELIVERY_H

#include "harness.h"

/** A client of make_api() for the demo API, which delivers as @p mode says. */
restway_client *make_client_delivering(restway_delivery mode);

/** 1 when the client's descriptor becomes readable within @p milliseconds. */
int is_readable(const restway_client *client, int milliseconds);

/** Waits until the client's descriptor is readable; a run in which it never is ends here. */
void wait_readable(const restway_client *client);

/** Sends a GET of @p path and waits until the call has completed and its notice is due. */
restway_call *send_and_complete(
    restway_client *client, const char *path, restway_done_fn done, void *context,
    restway_destroy_fn destroy);

/** Processes until @p count notices ran, no more. */
void process_notices(restway_client *client, size_t count);

/** Sends a GET of @p path whose event will carry @p token. */
void send_token(restway_client *client, const char *path, uint64_t token);

/** Drains exactly @p count events, however many come at once. */
void drain_events(restway_client *client, restway_event *events, size_t count);

/** Drains one event, which is about a call that completed with @p status. */
restway_event drain_event(restway_client *client, restway_status status);

/** Nothing waits to be drained. */
void expect_no_event(restway_client *client);

#endif

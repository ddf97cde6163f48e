/* The transport that a check is about. */
#ifndef RESTWAY_CHECK_TRANSPORT_SUBJECT_H
#define RESTWAY_CHECK_TRANSPORT_SUBJECT_H

#include "exchanges.h"
#include "started.h"

/* Starts the plugin. */
const restway_plugin_transport *transport_of(const void *subject);

/* Returns whether the transport sends requests: some transports answer by themselves. Checks that
 * need a server are then skipped. */
bool transport_asks(opened *opened);

/* Fails the check if there is a fault of this kind, when no further call can come. */
void expect_no_fault(exchange_fault kind);

/* Closes the transport, and waits for its exchanges and its threads. */
void transport_end(opened *opened, exchange *const *exchanges, size_t count);

/* Performs requests of all usual kinds, with and without bodies, one after the other. */
void perform_usual(opened *opened);

/* Returns a text of this many bytes, which is always the same. */
const char *body_of(size_t bytes);

#endif

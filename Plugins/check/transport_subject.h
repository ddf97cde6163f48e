/* The transport that a check is about. */
#ifndef RESTWAY_CHECK_TRANSPORT_SUBJECT_H
#define RESTWAY_CHECK_TRANSPORT_SUBJECT_H

#include "exchanges.h"
#include "started.h"

/* Starts the plugin. */
const restway_plugin_transport *transport_of(const void *subject);

/* Whether it really asks: some do not, but answer themselves. What only a server shows is not
 * looked at then. */
bool transport_asks(opened *opened);

/* Fails the check when there is a fault of this kind, once nothing more can come. */
void expect_no_fault(exchange_fault kind);

/* Closes it, and waits for all that was started and for its threads. */
void transport_end(opened *opened, exchange *const *exchanges, size_t count);

/* Requests of all usual kinds, with bodies and without; one after the other. */
void perform_usual(opened *opened);

/* A text of so many bytes; the same each time. */
const char *body_of(size_t bytes);

#endif

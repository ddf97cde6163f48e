/* The functions of a host that plugins call for exchanges. */
#ifndef RESTWAY_CHECK_EXCHANGE_CALLS_H
#define RESTWAY_CHECK_EXCHANGE_CALLS_H

#include "exchanges.h"

/* The exchange with this number; NULL when there was none. */
exchange *exchange_of(uint64_t id);

/* The exchange with this number that this host has; fails the check when there is none. */
exchange *exchange_known(const restway_plugin_host *host, uint64_t id, const char *call);

/* Fills the functions for exchanges. */
void exchange_calls_fill(restway_plugin_host *host);

/* Those for the bodies of requests, and for forwarding. */
void exchange_reading_fill(restway_plugin_host *host);

#endif

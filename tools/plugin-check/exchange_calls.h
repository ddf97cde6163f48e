/* The functions of a host that plugins call for exchanges. */
#ifndef RESTWAY_CHECK_EXCHANGE_CALLS_H
#define RESTWAY_CHECK_EXCHANGE_CALLS_H

#include "exchanges.h"

/* Returns the exchange with this number; NULL if it does not exist. */
exchange *exchange_of(uint64_t id);

/* Returns the exchange with this number of this host; fails the check if it does not exist. */
exchange *exchange_known(const restway_plugin_host *host, uint64_t id, const char *call);

/* Fills in the functions for exchanges. */
void exchange_calls_fill(restway_plugin_host *host);

/* Fills in the functions for request bodies and for forwarding. */
void exchange_reading_fill(restway_plugin_host *host);

#endif

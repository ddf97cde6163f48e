/** @file calls.h
 *  Requests that a step describes, and what came of them.
 */
#ifndef RESTWAY_SCENARIO_CALLS_H
#define RESTWAY_SCENARIO_CALLS_H

#include "driver.h"

/** Makes the request that a step describes, owned by the caller (+1). */
restway_request *request_of(struct driver *driver, const json_t *step);

/** Returns what came of a call, and releases @p response and @p error. */
json_t *outcome_of(
    struct driver *driver, restway_status status, restway_response *response,
    restway_error *error);

#endif

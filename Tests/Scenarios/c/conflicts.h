/** @file conflicts.h
 *  The steps about conflicts, and conflicts as JSON.
 */
#ifndef RESTWAY_SCENARIO_CONFLICTS_H
#define RESTWAY_SCENARIO_CONFLICTS_H

#include "driver.h"

json_t *do_conflicts(struct driver *driver, json_t *step);
json_t *do_resolve(struct driver *driver, json_t *step);
json_t *do_resolver(struct driver *driver, json_t *step);
json_t *do_version(struct driver *driver, json_t *step);

/** Returns the conflict of an error; null if it has none. */
json_t *conflict_of(struct driver *driver, const restway_error *failure);

#endif

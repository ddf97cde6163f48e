/** @file edits.h
 *  The steps about edits that wait for the server, and about the changes of the store.
 */
#ifndef RESTWAY_SCENARIO_EDITS_H
#define RESTWAY_SCENARIO_EDITS_H

#include "driver.h"

/** The notices of an observer of all objects. */
struct told_changes;

json_t *do_pending(struct driver *driver, json_t *step);
json_t *do_find(struct driver *driver, json_t *step);
json_t *do_drop(struct driver *driver, json_t *step);
json_t *do_retry(struct driver *driver, json_t *step);
json_t *do_observe(struct driver *driver, json_t *step);
json_t *do_changes(struct driver *driver, json_t *step);
json_t *do_events(struct driver *driver, json_t *step);

/** Frees the notices. No notice may run any more. */
void told_changes_free(struct told_changes *told);

#endif

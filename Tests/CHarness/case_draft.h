/** @file case_draft.h
 *  The drafts that cases of the mapping describe, and the objects that no server has
 *  received. */
#ifndef RESTWAY_HARNESS_CASE_DRAFT_H
#define RESTWAY_HARNESS_CASE_DRAFT_H

#include <jansson.h>

#include "harness.h"

/** Makes the draft that @p description describes; owned by the caller. */
restway_draft *case_draft(restway_store *store, json_t *entities, json_t *description);

/** Returns the unsent objects by entity. Entities without unsent objects are left out. The caller
 *  owns the result. */
json_t *case_unsent(restway_store *store, json_t *entities);

#endif

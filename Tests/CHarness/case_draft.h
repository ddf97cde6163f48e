/** @file case_draft.h
 *  The drafts that cases of the mapping describe, and the objects that nobody has been told about.
 */
#ifndef RESTWAY_HARNESS_CASE_DRAFT_H
#define RESTWAY_HARNESS_CASE_DRAFT_H

#include <jansson.h>

#include "harness.h"

/** The draft that @p description is; owned by the caller. */
restway_draft *case_draft(restway_store *store, json_t *entities, json_t *description);

/** By entity, the unsent objects, without entities that have none. The caller owns it. */
json_t *case_unsent(restway_store *store, json_t *entities);

#endif

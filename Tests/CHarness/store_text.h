/** @file store_text.h
 *  What a store holds, as the JSON of the cases of the mapping.
 */
#ifndef RESTWAY_HARNESS_STORE_TEXT_H
#define RESTWAY_HARNESS_STORE_TEXT_H

#include <jansson.h>

#include "harness.h"

/** All objects by entity, without entities that have none. The caller owns the reference. */
json_t *store_contents(restway_store *store, const json_t *entities);

/** The identity of an object, or its place among those of its entity. The caller owns it. */
json_t *store_reference(restway_store *store, const restway_object *object);

#endif

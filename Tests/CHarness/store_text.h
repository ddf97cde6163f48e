/** @file store_text.h
 *  The content of a store as JSON, in the form of the mapping cases.
 */
#ifndef RESTWAY_HARNESS_STORE_TEXT_H
#define RESTWAY_HARNESS_STORE_TEXT_H

#include <jansson.h>

#include "harness.h"

/** Returns all objects by entity. Entities without objects are left out. The caller owns the
 *  reference. */
json_t *store_contents(restway_store *store, const json_t *entities);

/** Returns the identity of an object, or its position among the objects of its entity. The caller
 *  owns the returned reference. */
json_t *store_reference(restway_store *store, const restway_object *object);

#endif

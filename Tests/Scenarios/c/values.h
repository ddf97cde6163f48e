/** @file values.h
 *  Values, objects and stores as JSON, and back.
 */
#ifndef RESTWAY_SCENARIO_VALUES_H
#define RESTWAY_SCENARIO_VALUES_H

#include "driver.h"

/** A value with the memory that it borrows. */
struct held_value {
    restway_value value;
    char *text;
    restway_value *list;
    restway_object **objects;
    size_t object_count;
};

/** Makes a value of JSON. `{"entity": …, "identity": …}` stands for an object of the store; any
 *  other object, and an array that holds an object or an array, is a JSON value. */
void held_value_begin(struct held_value *held, restway_store *store, const json_t *json);
void held_value_end(struct held_value *held);

/** Returns the object that `{"entity": …, "identity": …}` names, owned by the caller (+1). */
restway_object *object_named(restway_store *store, const json_t *reference);

/** Returns the identity of an object; null if it has none. */
json_t *identity_as_json(const restway_object *object);

/** Returns `{"<entity>": {…}}` with the attributes that the object has, and the identities of the
 *  objects that its relationships lead to. */
json_t *object_as_json(restway_store *store, const restway_object *object);

/** Returns the objects of each entity of @p entities that has any. */
json_t *store_as_json(restway_store *store, const json_t *entities);

/** Returns the objects of each entity of @p entities that are known by their identity alone. */
json_t *unloaded_as_json(restway_store *store, const json_t *entities);

/** Returns the names of the entities with the number of their objects that no server has named. */
json_t *unsent_as_json(restway_store *store, const json_t *entities);

#endif

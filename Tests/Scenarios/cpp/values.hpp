/** @file values.hpp
 *  Values and objects of scenarios, from JSON and as JSON.
 */
#ifndef RESTWAY_SCENARIO_VALUES_HPP
#define RESTWAY_SCENARIO_VALUES_HPP

#include "json.hpp"

/** Makes the value that JSON says. An object with `entity` and `identity` is an object of the
 *  store. */
restway::value value_of(const restway::store &store, const json &said);

/** Finds the object that `{"entity", "identity"}` names; it must be in the store. */
restway::object object_named(const restway::store &store, const json &reference);

/** Returns an object as `{"<entity>": {...}}`, with the values that it has. A related object is its
 *  identity. */
json json_of(const restway::store &store, const restway::object &object);

/** Returns the identity of an object; null if it has none. */
json identity_of(const restway::object &object);

/** Returns a value of an object, or null if it is missing. */
json or_null(const json &value);

/** Returns a conflict with its three sides. */
json json_of(const restway::store &store, const restway::conflict &conflict);

/** Returns what an observer is told of one object. */
json json_of(const restway::store &store, const restway::change &change);

#endif

/** @file restway/object.h
 *  Objects: immutable snapshots of entity instances.
 */
#ifndef RESTWAY_OBJECT_H
#define RESTWAY_OBJECT_H

#include "error.h"
#include "value.h"

RESTWAY_BEGIN_DECLS

/** An immutable snapshot of one entity instance. Reference counted; usable from any thread without
 *  a lock; it may outlive its store and its client.
 *
 *  When a later response changes the instance, the store gets a newer snapshot, and this one does
 *  not change. restway_store_newest() finds the newest snapshot. */
typedef struct restway_object restway_object;

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_object *restway_object_retain(const restway_object *object);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_object_release(restway_object *object);

/** Returns the name of the object's entity; NULL for NULL. *Borrowed*. If several entities describe
 *  the object, because one extends the other, it is the most specific one that has brought it.
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_object_entity(const restway_object *object);

/** Returns 1 if the entity called `entity`, or an entity that extends it, has brought the object; 0
 *  if not, for a name that the API document does not have, and for NULL. Threads: any. Blocks:
 *  never. */
RESTWAY_API int32_t restway_object_is_a(const restway_object *object, const char *entity);

/** Returns the store key, a number that the store gives to each instance: positive, never reused. 0
 *  for NULL. An object that no store keeps (`"keep": false`, docs/MAPPING.md) has a number, too,
 *  which leads to nothing in a store.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_object_store_key(const restway_object *object);

/** Returns 1 if the object is loaded: an answer or a draft has brought it, whatever values it has.
 *  Returns 0 if the object is known by its identity alone, because only links of other objects have
 *  named it, and for NULL. A link also loads an object whose entity has nothing but its identity.
 *
 *  Lists and queries leave the other objects out, see restway_query_set_unloaded().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_object_is_loaded(const restway_object *object);

/** Reads the identity: a string or an int64, or null if the entity has no identity attribute or
 *  the object has no identity yet. If several attributes are the identity, it is JSON: an array of
 *  their values, for example `["octocat","hello",7]`.
 *
 *  @param out_value *Borrowed* from @p object.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_object_identity(
    const restway_object *object, restway_value *out_value, restway_error **out_error);

/** Returns 1 if both are snapshots of the same instance: objects of one entity of one api, with the
 *  same store key; otherwise 0. A store gives each instance its key at once and never changes it,
 *  so the answer is the same before and after the instance gets its identity. Snapshots from
 *  different stores are never of the same instance. Two NULLs are not snapshots of one instance.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_object_is_same(const restway_object *a, const restway_object *b);

/** Returns 1 if both snapshots have the same values: they are of one entity of one api, and each
 *  attribute, including the identity, and each relationship has the same value in both; otherwise
 *  0. A value that was never received or set differs from null; strings, bytes and JSON texts are
 *  compared byte by byte, doubles by their bits, relationships by the store keys to which they
 *  lead. Two NULLs are not equal.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_object_is_equal(const restway_object *a, const restway_object *b);

/** Returns a hash that is the same for equal snapshots, for hash tables of this process. It never
 *  changes while the process runs. 0 for NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API uint64_t restway_object_hash(const restway_object *object);

/** Returns how many attributes the entity has; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_object_attribute_count(const restway_object *object);

/** Returns the name of attribute @p index, in the order of the API document; NULL when out of
 *  range. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_object_attribute_name(const restway_object *object, size_t index);

/** Returns the index of the attribute called @p name, or -1. It is the same for all objects of an
 *  entity.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_object_attribute_index(const restway_object *object, const char *name);

/** Reads one attribute by name.
 *
 *  @param out_value *Borrowed* from @p object; kind RESTWAY_VALUE_ABSENT when the attribute has
 *                   never been received or set.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_object_get(
    const restway_object *object, const char *name, restway_value *out_value,
    restway_error **out_error);

/** Reads many attributes at once.
 *
 *  @param indices    @p count attribute indices, or NULL for 0, 1, 2, ...
 *  @param count      How many values to read.
 *  @param out_values Room for @p count values, each *Borrowed* from @p object.
 *  @return RESTWAY_OK; RESTWAY_E_UNKNOWN_ATTRIBUTE when an index is out of range (all values are
 *          then null); RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_object_read(
    const restway_object *object, const uint32_t *indices, size_t count, restway_value *out_values,
    restway_error **out_error);

/** Returns the text of a string attribute, NUL-terminated, *Borrowed*; NULL if the entity has no
 *  attribute called @p name, or its value is not a string. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_object_string(const restway_object *object, const char *name);

/** Returns the value of an int64, bool or date attribute; @p fallback if the entity has
 *  no attribute called @p name, or its value is of another kind. Threads: any. Blocks: never. */
RESTWAY_API int64_t restway_object_int64(
    const restway_object *object, const char *name, int64_t fallback);

/** Returns the value of a double or int64 attribute; @p fallback if the entity has no
 *  attribute called @p name, or its value is of another kind. Threads: any. Blocks: never. */
RESTWAY_API double restway_object_double(
    const restway_object *object, const char *name, double fallback);

/** Returns how many relationships the entity has; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_object_relationship_count(const restway_object *object);

/** Returns the name of relationship @p index, in the order of the API document; NULL when out of
 *  range. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_object_relationship_name(
    const restway_object *object, size_t index);

/** Returns the index of the relationship called @p name, or -1. It is the same for all objects of
 *  an entity.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_object_relationship_index(
    const restway_object *object, const char *name);

/** Returns the name of the entity at the other end of relationship @p index; NULL when out of
 *  range. If the objects there are of a union of entities, this is the name of the union, or, for a
 *  union without a name, the names of its entities: `Bug | Story`. restway_object_entity() gives
 *  the entity of each object. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_object_relationship_entity(
    const restway_object *object, size_t index);

/** Returns 1 when relationship @p index leads to many objects, 0 when it leads to one or is out of
 *  range.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_object_relationship_is_many(
    const restway_object *object, size_t index);

/** Tells which objects a relationship of this snapshot leads to, by their store keys.
 *  restway_store_related() gives the objects themselves.
 *
 *  @param out_kind  Receives a restway_value_kind: RESTWAY_VALUE_ABSENT when the relationship has
 *                   never been received or set, RESTWAY_VALUE_NULL, RESTWAY_VALUE_OBJECT (to-one)
 *                   or RESTWAY_VALUE_LIST (to-many); may be NULL.
 *  @param out_keys  Receives the store keys, in order, *Borrowed* from @p object; NULL when there
 *                   are no keys. Some keys may belong to objects that have been deleted meanwhile.
 *                   0 is a gap of a relationship that keeps gaps (docs/API-DOCUMENT.md).
 *  @param out_count Receives the number of keys.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_object_related_keys(
    const restway_object *object, const char *relationship, uint32_t *out_kind,
    const int64_t **out_keys, size_t *out_count, restway_error **out_error);

RESTWAY_END_DECLS

#endif

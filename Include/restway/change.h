/** @file restway/change.h
 *  Changes: the effects of one transaction on a store.
 */
#ifndef RESTWAY_CHANGE_H
#define RESTWAY_CHANGE_H

#include "object.h"

RESTWAY_BEGIN_DECLS

/** The effects of one transaction (a response, a deletion, ...) on the observed objects: one change
 *  for each object, in the order in which the transaction first touched them. Immutable; never
 *  empty; reference counted; usable from any thread without a lock; it may outlive its client. */
typedef struct restway_changes restway_changes;

/** The kind of a change. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_change_kind {
    RESTWAY_CHANGE_INSERTED = 1,
    RESTWAY_CHANGE_UPDATED = 2,
    RESTWAY_CHANGE_DELETED = 3,
    /** Not a kind: pins the type to 32 bits. */
    RESTWAY_CHANGE_KIND_PIN_ = 0x7fffffff
} restway_change_kind;

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_changes *restway_changes_retain(const restway_changes *changes);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_changes_release(restway_changes *changes);

/** Returns how many changes there are; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_changes_count(const restway_changes *changes);

/** Returns the kind of change @p index; 0 when out of range.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_change_kind restway_changes_kind(
    const restway_changes *changes, size_t index);

/** Returns the object of change @p index as it is after the transaction; a deleted object as it was
 *  before. NULL when out of range. *Borrowed*: retain it to keep it longer than the changes.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_object *restway_changes_object(const restway_changes *changes, size_t index);

/** Returns the object of change @p index as it was before the transaction; NULL for an inserted
 *  object and when out of range. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API restway_object *restway_changes_before(const restway_changes *changes, size_t index);

/** Tells which attributes change @p index changed: the attributes that differ before and after, or,
 *  for an inserted or deleted object, the attributes that it has. If an updated object has no
 *  changed attribute and no changed relationship, its mark as rejected has been set or removed
 *  (store.h, restway_store_is_rejected()).
 *
 *  @param out_indices Receives attribute indices, as in restway_object_attribute_name(), in order;
 *                     may be NULL when @p capacity is 0.
 *  @param capacity    How many indices there is room for.
 *  @return How many indices there are, even if there are more than @p capacity; 0 when out of
 *          range.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API size_t restway_changes_attributes(
    const restway_changes *changes, size_t index, uint32_t *out_indices, size_t capacity);

/** Tells which relationships change @p index changed, as restway_changes_attributes() does.
 *
 *  @param out_indices Room for @p capacity relationship indices, as in
 *                     restway_object_relationship_name().
 *  @param capacity    How many indices there is room for.
 *  @return How many indices there are, even if there are more than @p capacity; 0 when out of
 *          range.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API size_t restway_changes_relationships(
    const restway_changes *changes, size_t index, uint32_t *out_indices, size_t capacity);

RESTWAY_END_DECLS

#endif

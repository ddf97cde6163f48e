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

/** The reason of a change. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_change_source {
    /** The program changed the object: with a draft, a transaction or a deletion. */
    RESTWAY_CHANGE_SOURCE_LOCAL = 1,
    /** The server's answer or event brought the values, or confirmed those of a pending edit. */
    RESTWAY_CHANGE_SOURCE_SERVER = 2,
    /** A pending edit ended without reaching the server, so that the server's values are seen
     *  again: it was dropped, the server refused it, or an optimistic call failed. */
    RESTWAY_CHANGE_SOURCE_TAKEN_BACK = 3,
    /** Not a source: pins the type to 32 bits. */
    RESTWAY_CHANGE_SOURCE_PIN_ = 0x7fffffff
} restway_change_source;

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

/** Returns the reason of change @p index; 0 when out of range.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_change_source restway_changes_source(
    const restway_changes *changes, size_t index);

/** Tells whether other attributes and relationships of the object wait for the server than before
 *  change @p index: an edit of it has begun or ended. restway_store_pending() says which wait now.
 *
 *  If a pending edit ends and its values stay, because the server has taken it, this is the only
 *  difference. So a program can remove the sign that an edit waits.
 *
 *  @return 1 if they differ, else 0; 0 when out of range.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API int32_t restway_changes_pending_changed(const restway_changes *changes, size_t index);

/** Returns the object of change @p index as it is after the transaction; a deleted object as it was
 *  before. NULL when out of range. *Borrowed*: retain it to keep it longer than the changes.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_object *restway_changes_object(const restway_changes *changes, size_t index);

/** Returns the object of change @p index as it was before the transaction; NULL for an inserted
 *  object and when out of range. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API restway_object *restway_changes_before(const restway_changes *changes, size_t index);

/** Tells which attributes change @p index changed: the attributes that differ before and after, or,
 *  for an inserted or deleted object, the attributes that it has. An updated object may have no
 *  changed attribute and no changed relationship: then a pending edit has begun or ended
 *  (restway_changes_pending_changed()), or its mark as rejected has been set or removed (store.h,
 *  restway_store_is_rejected()).
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

/** @file restway/list.h
 *  Lists: the objects that a query or a relationship finds.
 */
#ifndef RESTWAY_LIST_H
#define RESTWAY_LIST_H

#include "object.h"

RESTWAY_BEGIN_DECLS

/** An immutable list of objects. Reference counted; usable from any thread without a lock; it keeps
 *  its objects alive, and may outlive its store and its client. */
typedef struct restway_list restway_list;

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_list *restway_list_retain(const restway_list *list);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_list_release(restway_list *list);

/** Returns how many objects there are; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_list_count(const restway_list *list);

/** Returns object @p index; NULL when out of range. *Borrowed*: retain it to keep it longer than
 *  the list.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API restway_object *restway_list_object(const restway_list *list, size_t index);

/** Returns the name of the entity that all objects of a part of a list have. If they are of several
 *  entities that extend each other (docs/EXTENDS.md), it is the most specific entity that each of
 *  them restway_object_is_a(). All of these objects have their attributes and relationships at the
 *  same indices. *Borrowed*.
 *
 *  @param first The index of the first object.
 *  @param count How many objects to ask for.
 *  @return NULL when the objects are of entities that have nothing in common (docs/UNIONS.md), when
 *          @p count is 0, and for objects out of range.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_list_entity(const restway_list *list, size_t first, size_t count);

/** Reads attributes of many objects at once: a table with a row for each object.
 *
 *  @param first        The index of the first object to read.
 *  @param count        How many objects to read.
 *  @param indices      @p column_count attribute indices (restway_object_attribute_index()), or
 *                      NULL for 0, 1, 2, ... If restway_list_entity() is NULL, an index means
 *                      another attribute in each entity.
 *  @param column_count How many attributes to read from each object.
 *  @param out_values   Room for @p count times @p column_count values, row after row, each
 *                      *Borrowed* from @p list. A value that an object does not have is
 *                      RESTWAY_VALUE_ABSENT.
 *  @return RESTWAY_OK; RESTWAY_E_UNKNOWN_ATTRIBUTE when an index is out of range for the entity of
 *          one of the objects; RESTWAY_E_INVALID_ARGUMENT (also for objects out of range). On
 *          failure all values are null.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_list_read(
    const restway_list *list, size_t first, size_t count, const uint32_t *indices,
    size_t column_count, restway_value *out_values, restway_error **out_error);

RESTWAY_END_DECLS

#endif

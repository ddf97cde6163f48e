/** @file restway/reading.h
 *  Reading whole objects and lists in one call: as JSON text, or as handles with all their values.
 *  docs/READING.md shows the text.
 */
#ifndef RESTWAY_READING_H
#define RESTWAY_READING_H

#include "store.h"

RESTWAY_BEGIN_DECLS

/** A text that the library has written. Immutable; reference counted; usable from any thread. */
typedef struct restway_text restway_text;

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_text *restway_text_retain(const restway_text *text);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_text_release(restway_text *text);

/** Returns the text as UTF-8, followed by a NUL; NULL for NULL. *Borrowed*.
 *
 *  @param out_length Receives its length in bytes, without the NUL; may be NULL.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API const char *restway_text_content(const restway_text *text, size_t *out_length);

/** Bits of restway_object_json(): properties of JSON text that is written for objects. */
/** Marks every value whose type JSON cannot show with an object of one member:
 *  {"$date": microseconds since 1970-01-01T00:00:00Z}, {"$bytes": base64},
 *  {"$json": the text of an attribute's JSON}, {"$double": "NaN", "Infinity" or "-Infinity"}. A
 *  list of dates or bytes (values.h) is a list of marked elements, a map of them is
 *  {"$map": a list of pairs of key and marked value}.
 *  Without this flag, dates are ISO 8601 texts in UTC, bytes are base64 texts, JSON stands as it
 *  is, and doubles that JSON does not have are null. */
#define RESTWAY_JSON_MARKED 1u
/** Begins each object with three more members: its entity, "$entity"; its identity, "$identity",
 *  which is null for an object without identity, and a list if it has several parts; and "$absent",
 *  a list of the attributes that have never been received or set. */
#define RESTWAY_JSON_ENTITIES 2u

/** Writes an object as JSON text: a member for each attribute and relationship that has been
 *  received or set, by its name, in the order of the API document. Integers are written with all
 *  their digits. A relationship to one is an object or null, a relationship to many is a list. It
 *  leads to the newest snapshots of @p store, without objects that have been deleted. An object
 *  that stands inside itself is written with its identity attribute alone.
 *
 *  @param object     Borrowed.
 *  @param store      Borrowed; the store that the object comes from. May be NULL if @p depth is 0.
 *  @param depth      0 writes attributes only; 1 also writes the related objects with their
 *                    attributes; 2 also their related objects; and so on, up to 16.
 *  @param flags      RESTWAY_JSON_* bits.
 *  @param length_max The largest length of the text in bytes; 0 for 1 GiB.
 *  @param out_text   Receives the text, owned by the caller (+1).
 *  @return RESTWAY_OK, RESTWAY_E_TOO_LARGE (the text is longer than @p length_max),
 *          RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store for a @p depth above 0, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_object_json(
    const restway_object *object, restway_store *store, int32_t depth, uint32_t flags,
    int64_t length_max, restway_text **out_text, restway_error **out_error);

/** Writes objects of a list as a JSON list, each as restway_object_json() does.
 *
 *  @param list   Borrowed.
 *  @param first  The index of the first object.
 *  @param count  How many objects to write.
 *  @param store, depth, flags, length_max, out_text As in restway_object_json().
 *  @return As restway_object_json(); RESTWAY_E_INVALID_ARGUMENT also for objects out of range.
 *
 *  Threads: any. Blocks: as restway_object_json(). */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_list_json(
    const restway_list *list, size_t first, size_t count, restway_store *store, int32_t depth,
    uint32_t flags, int64_t length_max, restway_text **out_text, restway_error **out_error);

/** Reads many objects with their values in one call. It does for each object what
 *  restway_response_read() does for one.
 *
 *  @param list         Borrowed.
 *  @param first        The index of the first object.
 *  @param count        How many objects to read.
 *  @param out_values   Room for @p count times @p capacity values, row after row, or NULL when
 *                      @p capacity is 0. Each row receives the first attributes of an object,
 *                      *Borrowed* from that object; the rest of the row is null.
 *  @param capacity     How many values there is room for in a row; it may be less than an object
 *                      has.
 *  @param out_entities Room for the names of @p count entities, each *Borrowed* from its object;
 *                      may be NULL.
 *  @param out_objects  Room for @p count objects, each owned by the caller (+1); after a failure
 *                      each is NULL.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also for objects out of range),
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_list_take(
    const restway_list *list, size_t first, size_t count, restway_value *out_values,
    size_t capacity, const char **out_entities, restway_object **out_objects,
    restway_error **out_error);

/** Joins the texts that an attribute has in many objects. A language whose strings are objects of
 *  their own makes all of them from one text faster than one by one.
 *
 *  @param list     Borrowed.
 *  @param first    The index of the first object.
 *  @param count    How many objects to read.
 *  @param index    The attribute (restway_object_attribute_index()). If restway_list_entity() is
 *                  NULL, it is another attribute in each entity.
 *  @param out_text Receives the text of each object, followed by a NUL, owned by the caller (+1).
 *                  A value that is not a string counts as empty. A text with a NUL inside it looks
 *                  like two texts; there are then more than @p count of them.
 *  @return RESTWAY_OK; RESTWAY_E_UNKNOWN_ATTRIBUTE when @p index is out of range for the entity of
 *          one of the objects; RESTWAY_E_INVALID_ARGUMENT (also for objects out of range);
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_list_texts(
    const restway_list *list, size_t first, size_t count, size_t index, restway_text **out_text,
    restway_error **out_error);

/** Follows a relationship to one object, and reads that object with its values, in one call.
 *
 *  @param store      Borrowed.
 *  @param object     Borrowed. It must come from this store, but need not be the newest snapshot.
 *  @param index      The index of the relationship, see restway_object_relationship_index(). If it
 *                    leads to many objects, the first one is read.
 *  @param out_values Room for @p capacity values, or NULL when @p capacity is 0. Receives the first
 *                    attributes of the related object, *Borrowed* from it; the rest is null.
 *  @param capacity   How many values there is room for.
 *  @param out_entity Receives the name of its entity, *Borrowed* from it; may be NULL.
 *  @param out_object Receives the newest snapshot, owned by the caller (+1); NULL when the
 *                    relationship is absent or null, or the object has been deleted, which is not
 *                    an error.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE (@p index is out of range),
 *          RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_STORE, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: on the file of a SQLite store, else never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_store_take_related(
    restway_store *store, const restway_object *object, size_t index, restway_value *out_values,
    size_t capacity, const char **out_entity, restway_object **out_object,
    restway_error **out_error);

RESTWAY_END_DECLS

#endif

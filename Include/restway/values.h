/** @file restway/values.h
 *  Lists and maps of values: attributes with a type for their elements, for example a list of
 *  strings. docs/SHAPES.md explains them.
 */
#ifndef RESTWAY_VALUES_H
#define RESTWAY_VALUES_H

#include "draft.h"
#include "response.h"

RESTWAY_BEGIN_DECLS

/** The elements of a list or a map of values, in their order. The elements of a map are in the
 *  order of their keys, byte by byte. Immutable; reference counted; usable from any thread. */
typedef struct restway_values restway_values;

/** Adds a reference, owned by the caller (+1). NULL gives NULL. Threads: any. Blocks: never. */
RESTWAY_API restway_values *restway_values_retain(const restway_values *values);

/** Gives back one reference. NULL is fine. Threads: any. Blocks: never. */
RESTWAY_API void restway_values_release(restway_values *values);

/** Returns how many elements there are; 0 for NULL. Threads: any. Blocks: never. */
RESTWAY_API size_t restway_values_count(const restway_values *values);

/** Reads one element.
 *
 *  @param index     Counts from 0.
 *  @param out_value *Borrowed* from @p values. An element that is a list or a map itself has kind
 *                   RESTWAY_VALUE_JSON; restway_values_inner() gives its elements.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also for an index out of range),
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_values_get(
    const restway_values *values, size_t index, restway_value *out_value,
    restway_error **out_error);

/** Returns the key of an element of a map, NUL-terminated, *Borrowed*; NULL for an element of a
 *  list, and for an index out of range. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_values_key(const restway_values *values, size_t index);

/** Gives the elements of an element that is a list or a map.
 *
 *  @param index      Counts from 0.
 *  @param out_values Receives a handle owned by the caller (+1); NULL if the element is null.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also for an index out of range, and for an
 *          element that is a single value), RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_values_inner(
    const restway_values *values, size_t index, restway_values **out_values,
    restway_error **out_error);

/** Returns the type of attribute @p index as the API document writes it ("string", ["string"],
 *  {"*":"int"}); NULL when out of range. *Borrowed*. Threads: any. Blocks: never. */
RESTWAY_API const char *restway_object_attribute_type(const restway_object *object, size_t index);

/** Gives the elements of an attribute that is a list or a map, each with the type that the API
 *  document declares. An attribute of type json or any gives the elements of its list or object.
 *
 *  @param attribute  Its name.
 *  @param out_values Receives a handle owned by the caller (+1); NULL if the attribute is null or
 *                    has never been received.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT (also for an
 *          attribute whose value is single), RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_object_values(
    const restway_object *object, const char *attribute, restway_values **out_values,
    restway_error **out_error);

/** Says whether the API document lists the value of an attribute under `values`. An attribute whose
 *  values are listed also keeps values that are not listed, unless its list is closed.
 *
 *  @param attribute Its name.
 *  @param out_known Receives 1 if the value is listed, and in a list or a map every value; also if
 *                   it is null or has never been received, and if the document lists no values.
 *                   Otherwise it receives 0.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_object_is_known_value(
    const restway_object *object, const char *attribute, int32_t *out_known,
    restway_error **out_error);

/** Returns the type of the value of an answer as the API document writes it, for a list or a map
 *  (["string"], {"*":"int"}); "any" for a single value, and NULL if no descriptor of the answer
 *  describes a value. restway_response_value() gives the value. *Borrowed*. Threads: any.
 *  Blocks: never. */
RESTWAY_API const char *restway_response_value_type(const restway_response *response);

/** Gives the elements of an answer that is a list or a map of values.
 *
 *  @param out_values Receives a handle owned by the caller (+1); NULL if the value is null, or if
 *                    the answer has no value of its own.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also for an answer whose value is single),
 *          RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_response_values(
    const restway_response *response, restway_values **out_values, restway_error **out_error);

/** Adds an element at the end of a list of values. If the list is null or was never set, it becomes
 *  a list of this element. restway_draft_set() sets a whole list, from a value of kind
 *  RESTWAY_VALUE_LIST or RESTWAY_VALUE_JSON.
 *
 *  @param attribute The name of an attribute that is a list.
 *  @param value     *Copied*. It must fit the type of the elements.
 *  @return RESTWAY_OK; RESTWAY_E_UNKNOWN_ATTRIBUTE; RESTWAY_E_INVALID_ARGUMENT (also for an
 *          attribute that is no list, and for a value that does not fit); RESTWAY_E_FORKED.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_add_value(
    restway_draft *draft, const char *attribute, const restway_value *value,
    restway_error **out_error);

/** Removes every element that equals @p value from a list of values. Nothing happens if there is
 *  none.
 *
 *  @param attribute The name of an attribute that is a list.
 *  @param value     *Borrowed*. It must fit the type of the elements.
 *  @return As restway_draft_add_value().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_draft_remove_value(
    restway_draft *draft, const char *attribute, const restway_value *value,
    restway_error **out_error);

RESTWAY_END_DECLS

#endif

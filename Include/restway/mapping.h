/** @file restway/mapping.h
 *  What an API document leaves to the program: transforms, and entities put together by function.
 *  See docs/MAPPING.md.
 */
#ifndef RESTWAY_MAPPING_H
#define RESTWAY_MAPPING_H

#include "api.h"
#include "value.h"

RESTWAY_BEGIN_DECLS

/** What a transform or a hook answers beside its status. It lives until that function returns. */
typedef struct restway_answer restway_answer;

/** Answers with a value, in place of one before.
 *
 *  @param value *Copied*. Neither an object nor a list.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also for the answer of a hook).
 *
 *  Threads: that of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_answer_set_value(
    restway_answer *answer, const restway_value *value, restway_error **out_error);

/** Says why the function is about to fail: the reason of the mapping issue, or a part of the
 *  error's message.
 *
 *  @param message NUL-terminated UTF-8. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: that of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_answer_set_message(
    restway_answer *answer, const char *message, restway_error **out_error);

/** One direction of a transform: makes another value of @p value.
 *
 *  @param context As given to restway_api_add_transform().
 *  @param value   *Borrowed* until this returns; never null. On its way in it is what the payload
 *                 has: a bool, an int64, a double, a string, a date or bytes where its format has
 *                 them, or JSON text (an object, a list, a number beyond 64 bits). On its way out
 *                 it is the attribute's value.
 *  @param answer  *Borrowed* until this returns. On its way in it takes a value of the attribute's
 *                 type, or null; on its way out any value but an object: dates and bytes are text
 *                 where the payload's format has none. Without a value the attribute stays as it
 *                 was, or is left out of the payload.
 *  @return RESTWAY_OK. With any other status the value does not fit: on its way in a mapping issue
 *          (an error in strict mode), on its way out the request fails.
 *
 *  A question: in both directions it is asked on a worker, whatever the delivery mode; for
 *  different requests and responses side by side. It may call any function; one that blocks returns
 *  RESTWAY_E_WOULD_BLOCK. */
typedef restway_status (*restway_transform_fn)(
    void *context, const restway_value *value, restway_answer *answer);

/** Registers a transform under the name that the document's attributes and defaults call it by.
 *
 *  A document may name transforms before they are registered; the first client needs them all.
 *
 *  @param name    NUL-terminated UTF-8; none of the built-in ones. *Copied*.
 *  @param decode  From the payload to the attribute; NULL does what the attribute's type would do.
 *  @param encode  From the attribute to the payload; NULL does what the attribute's type would do.
 *                 One of the two must be given.
 *  @param context Passed to both untouched.
 *  @param destroy Called once with @p context when nothing can ask any more; may be NULL. It is not
 *                 called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_DUPLICATE, RESTWAY_E_FROZEN, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_transform(
    restway_api *api, const char *name, restway_transform_fn decode, restway_transform_fn encode,
    void *context, restway_destroy_fn destroy, restway_error **out_error);

/** The type of an attribute's values. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_attribute_type {
    /** What JSON gives; an object or an array as JSON text. */
    RESTWAY_TYPE_ANY = 0,
    RESTWAY_TYPE_BOOL = 1,
    /** 64 bits. */
    RESTWAY_TYPE_INT = 2,
    RESTWAY_TYPE_DOUBLE = 3,
    RESTWAY_TYPE_STRING = 4,
    RESTWAY_TYPE_DATE = 5,
    /** Base64 in JSON. */
    RESTWAY_TYPE_BYTES = 6,
    /** Any subtree, as text. */
    RESTWAY_TYPE_JSON = 7,
    /** Not a type: pins it to 32 bits. */
    RESTWAY_TYPE_PIN_ = 0x7fffffff
} restway_attribute_type;

/** Adds an attribute to an entity, behind those it has: as it would stand under `attributes`.
 *
 *  An entity begins with restway_api_add_entity() and `{}`.
 *
 *  All texts are NUL-terminated UTF-8 and *Copied*.
 *
 *  @param entity    The entity's name.
 *  @param name      The new attribute's name.
 *  @param source    Its key path in the JSON; NULL takes @p name.
 *  @param type      The type of its values.
 *  @param format    Of a date; NULL for the default. Not beside @p transform.
 *  @param transform A transform's name, or a JSON object with `name` and options, as in the
 *                   document; NULL for the default of the type.
 *  @return RESTWAY_OK; RESTWAY_E_UNKNOWN_ENTITY; RESTWAY_E_DUPLICATE (the entity has something of
 *          that name); RESTWAY_E_CONFIG with what is wrong as details; RESTWAY_E_FROZEN;
 *          RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_attribute(
    restway_api *api, const char *entity, const char *name, const char *source,
    restway_attribute_type type, const char *format, const char *transform,
    restway_error **out_error);

/** What a response does to the links that are there. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_policy {
    /** The new links take the place of the old ones. */
    RESTWAY_POLICY_ASSIGN = 0,
    /** New links are added behind the old ones. */
    RESTWAY_POLICY_MERGE = 1,
    /** As ASSIGN, and objects that are no longer linked are deleted from the store. */
    RESTWAY_POLICY_REPLACE = 2,
    /** Not a policy: pins the type to 32 bits. */
    RESTWAY_POLICY_PIN_ = 0x7fffffff
} restway_policy;

#define RESTWAY_RELATIONSHIP_MANY 0x1u        /**< Leads to any number of objects. */
#define RESTWAY_RELATIONSHIP_BY_IDENTITY 0x2u /**< Is sent as identities; else as objects. */

/** Adds a relationship to an entity, behind those it has: as it would stand under `relationships`.
 *
 *  Entities that relate to each other are added first, then what relates them.
 *
 *  All texts are NUL-terminated UTF-8 and *Copied*.
 *
 *  @param entity The entity's name.
 *  @param name   The new relationship's name.
 *  @param source Its key path in the JSON; NULL takes @p name.
 *  @param target The name of the entity at the other end; may be the same one.
 *  @param flags  RESTWAY_RELATIONSHIP_* bits.
 *  @param policy What a response does to the links that are there.
 *  @return As restway_api_add_attribute(); RESTWAY_E_UNKNOWN_ENTITY also for @p target.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_relationship(
    restway_api *api, const char *entity, const char *name, const char *source, const char *target,
    uint32_t flags, restway_policy policy, restway_error **out_error);

/** Says which attribute tells the objects of an entity apart.
 *
 *  @param entity    The entity's name. NUL-terminated UTF-8.
 *  @param attribute The name of an attribute of type any, int or string; NULL for none.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_CONFIG (an
 *          attribute of another type), RESTWAY_E_FROZEN, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_set_identity(
    restway_api *api, const char *entity, const char *attribute, restway_error **out_error);

RESTWAY_END_DECLS

#endif

/** @file restway/mapping.h
 *  Mapping by function: transforms, and entities that the program defines. See docs/MAPPING.md.
 */
#ifndef RESTWAY_MAPPING_H
#define RESTWAY_MAPPING_H

#include "api.h"
#include "value.h"

RESTWAY_BEGIN_DECLS

/** The result of a transform or a hook, in addition to its status. It is valid until that function
 *  returns. */
typedef struct restway_answer restway_answer;

/** Sets the value of an answer, in place of an earlier value.
 *
 *  @param value *Copied*. It must not be an object or a list.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT (also for the answer of a hook).
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_answer_set_value(
    restway_answer *answer, const restway_value *value, restway_error **out_error);

/** Says why the function is about to fail. The text becomes the reason of the mapping issue, or a
 *  part of the error's message.
 *
 *  @param message NUL-terminated UTF-8. *Copied*.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_answer_set_message(
    restway_answer *answer, const char *message, restway_error **out_error);

/** Attaches a cause to the failure that the function is about to report. A later call of this
 *  function replaces it. The failure of a transform while a response is mapped is a mapping issue,
 *  which has no cause. In strict mode the error has the cause of the first of these failures.
 *
 *  @param cause   A pointer that restway_error_cause() returns for the error of the call that the
 *                 failure ends; may be NULL.
 *  @param destroy Called once with @p cause when no error refers to it any more, on any thread;
 *                 this may be after restway_error_release() has returned. May be NULL. It is not
 *                 called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: the thread of the question. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_answer_set_cause(
    restway_answer *answer, void *cause, restway_destroy_fn destroy, restway_error **out_error);

/** Converts @p value in one direction: from the payload to the attribute (*decode*), or from the
 *  attribute to the payload (*encode*).
 *
 *  @param context As given to restway_api_add_transform().
 *  @param value   *Borrowed* until this returns; never null. For decode it is the value in the
 *                 payload: a bool, an int64, a double, a string, a date or bytes if the format has
 *                 them, or JSON text (an object, a list, a number beyond 64 bits). For encode it is
 *                 the attribute's value.
 *  @param answer  *Borrowed* until this returns. For decode it takes a value of the attribute's
 *                 type, or null; for encode any value except an object. Dates and bytes are written
 *                 as text if the payload's format does not have them. Without a value the attribute
 *                 does not change, or is left out of the payload.
 *  @return RESTWAY_OK. Any other status means that the value does not fit: for decode this is a
 *          mapping issue (an error in strict mode), for encode the request fails.
 *
 *  A question (docs/THREADING.md): in both directions a worker thread calls this function, whatever
 *  the delivery mode, and may call it for different requests and responses at the same time. It may
 *  call any function; a function that blocks returns RESTWAY_E_WOULD_BLOCK. */
typedef restway_status (*restway_transform_fn)(
    void *context, const restway_value *value, restway_answer *answer);

/** Registers a transform under a name, which the document's attributes and defaults refer to.
 *
 *  A document may name transforms that are not registered yet. All of them must be registered when
 *  the first client is made.
 *
 *  @param name    NUL-terminated UTF-8; not the name of a built-in transform. *Copied*.
 *  @param decode  From the payload to the attribute; NULL converts as the attribute's type does.
 *  @param encode  From the attribute to the payload; NULL converts as the attribute's type does. At
 *                 least one of the two functions must be given.
 *  @param context Passed to both functions unchanged.
 *  @param destroy Called once with @p context when the functions can no longer be called; may be
 *                 NULL. It is not called when this fails.
 *  @return RESTWAY_OK, RESTWAY_E_DUPLICATE, RESTWAY_E_FROZEN, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_transform(
    restway_api *api, const char *name, restway_transform_fn decode, restway_transform_fn encode,
    void *context, restway_destroy_fn destroy, restway_error **out_error);

/** The type of an attribute's values. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_attribute_type {
    /** Any JSON value; an object or an array is JSON text. */
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

/** Adds an attribute to an entity, after its other attributes, as under `attributes` in a document.
 *
 *  An empty entity is added by restway_api_add_entity() with `{}`.
 *
 *  All texts are NUL-terminated UTF-8 and *Copied*.
 *
 *  @param entity    The entity's name.
 *  @param name      The new attribute's name.
 *  @param source    The attribute's key path in the JSON, or the text of a JSON array of keys if a
 *                   key contains a dot (`["address", "a.b"]`). NULL takes @p name as one key, even
 *                   with dots.
 *  @param type      The type of the attribute's values.
 *  @param format    The format of a date; NULL for the default. It must be NULL if @p transform is
 *                   given.
 *  @param transform A transform's name, or a JSON object with `name` and options, as in the
 *                   document, or a JSON array of both, which are tried in order; NULL for the
 *                   default of the type.
 *  @return RESTWAY_OK; RESTWAY_E_UNKNOWN_ENTITY; RESTWAY_E_DUPLICATE (the entity has an attribute
 *          or a relationship of that name); RESTWAY_E_CONFIG with the problems as details;
 *          RESTWAY_E_FROZEN; RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_attribute(
    restway_api *api, const char *entity, const char *name, const char *source,
    restway_attribute_type type, const char *format, const char *transform,
    restway_error **out_error);

/** The effect of a response on the links that a relationship already has. Frozen; append only. */
typedef enum RESTWAY_OPEN_ENUM restway_policy {
    /** The new links replace the old links. */
    RESTWAY_POLICY_ASSIGN = 0,
    /** New links are added after the old links. */
    RESTWAY_POLICY_MERGE = 1,
    /** Like ASSIGN, and objects that are no longer linked are deleted from the store. */
    RESTWAY_POLICY_REPLACE = 2,
    /** Not a policy: pins the type to 32 bits. */
    RESTWAY_POLICY_PIN_ = 0x7fffffff
} restway_policy;

/** Bits of restway_api_add_relationship(): properties of a relationship. */
#define RESTWAY_RELATIONSHIP_MANY 0x1u        /**< Leads to any number of objects. */
#define RESTWAY_RELATIONSHIP_BY_IDENTITY 0x2u /**< Sends identities, not objects. */

/** Adds a relationship to an entity, after its other relationships, as under `relationships` in a
 *  document.
 *
 *  Add both entities before the relationship between them.
 *
 *  All texts are NUL-terminated UTF-8 and *Copied*.
 *
 *  @param entity The entity's name.
 *  @param name   The new relationship's name.
 *  @param source As for restway_api_add_attribute().
 *  @param target The name of the entity or of the union at the other end; may be @p entity itself.
 *  @param flags  RESTWAY_RELATIONSHIP_* bits.
 *  @param policy The effect of a response on the links that a relationship already has.
 *  @return As restway_api_add_attribute(); RESTWAY_E_UNKNOWN_ENTITY also for @p target.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_add_relationship(
    restway_api *api, const char *entity, const char *name, const char *source, const char *target,
    uint32_t flags, restway_policy policy, restway_error **out_error);

/** Sets the identity attribute of an entity, which tells its objects apart.
 *
 *  @param entity    The entity's name. NUL-terminated UTF-8.
 *  @param attribute The name of an attribute of type any, int or string; or a JSON array with the
 *                   names of several attributes of type int or string, which tell objects apart
 *                   together; or "none", unless an attribute has this name: the identity is the
 *                   path of the request, so that there is one object for each path; NULL takes the
 *                   identity attribute away.
 *  @return RESTWAY_OK, RESTWAY_E_UNKNOWN_ENTITY, RESTWAY_E_UNKNOWN_ATTRIBUTE, RESTWAY_E_CONFIG (an
 *          attribute of another type), RESTWAY_E_FROZEN, RESTWAY_E_INVALID_ARGUMENT.
 *
 *  Threads: any. Blocks: never. */
RESTWAY_API RESTWAY_MUST_USE restway_status restway_api_set_identity(
    restway_api *api, const char *entity, const char *attribute, restway_error **out_error);

RESTWAY_END_DECLS

#endif

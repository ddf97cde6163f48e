/** @file restway/short.h
 *  Short ways for usual things: setters and getters with plain types of C, a client of a document's
 *  file, and JSON texts. verbs.h has the requests. docs/C.md shows how they are used.
 *
 *  The functions of this header are inline, and the library does not export them. Each of them
 *  calls functions of the other headers, whose comments say what happens.
 */
#ifndef RESTWAY_SHORT_H
#define RESTWAY_SHORT_H

#include "client.h"
#include "draft.h"
#include "reading.h"

#include <string.h>

RESTWAY_BEGIN_DECLS

/** Loads an API document, and makes a client of it. The client keeps the api.
 *
 *  @param path       The path of the document, as in restway_api_load_file().
 *  @param options    *Copied*; NULL takes the defaults.
 *  @param out_client Receives a handle owned by the caller (+1).
 *  @return The statuses of restway_api_load_file() and restway_client_create().
 *
 *  Threads: any. Blocks: while it reads the document, and as restway_client_create(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_create_file(
    const char *path, const restway_client_options *options, restway_client **out_client,
    restway_error **out_error) {
    restway_api *api = NULL;
    restway_status status;
    if (out_client != NULL) {
        *out_client = NULL;
    }
    status = restway_api_load_file(path, &api, out_error);
    if (status == RESTWAY_OK) {
        status = restway_client_create(api, options, out_client, out_error);
    }
    restway_api_release(api);
    return status;
}

/** Sets a JSON text as the body of a request, with the Content-Type application/json.
 *
 *  @param json NUL-terminated UTF-8. *Copied*. The send refuses a text that is no JSON.
 *  @return As restway_request_set_body().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status
restway_request_set_json(restway_request *request, const char *json, restway_error **out_error) {
    size_t length = json == NULL ? 1 : strlen(json);
    return restway_request_set_body(request, json, length, "application/json", out_error);
}

/** Sets a path variable to a text, as restway_request_set_variable() does.
 *
 *  @param name  As in restway_request_set_variable().
 *  @param text A text: NUL-terminated UTF-8; NULL is null. *Copied*.
 *  @return As restway_request_set_variable().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_request_set_variable_string(
    restway_request *request, const char *name, const char *text, restway_error **out_error) {
    restway_value value = restway_value_string(text);
    return restway_request_set_variable(request, name, &value, out_error);
}

/** Sets a path variable to an integer, as restway_request_set_variable() does.
 *
 *  @param name  As in restway_request_set_variable().
 *  @param number An integer.
 *  @return As restway_request_set_variable().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_request_set_variable_int64(
    restway_request *request, const char *name, int64_t number, restway_error **out_error) {
    restway_value value = restway_value_int64(number);
    return restway_request_set_variable(request, name, &value, out_error);
}

/** Sets a parameter to a text, as restway_request_set_parameter() does.
 *
 *  @param name  As in restway_request_set_parameter().
 *  @param text A text: NUL-terminated UTF-8; NULL is null. *Copied*.
 *  @return As restway_request_set_parameter().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_request_set_parameter_string(
    restway_request *request, const char *name, const char *text, restway_error **out_error) {
    restway_value value = restway_value_string(text);
    return restway_request_set_parameter(request, name, &value, out_error);
}

/** Sets a parameter to an integer, as restway_request_set_parameter() does.
 *
 *  @param name  As in restway_request_set_parameter().
 *  @param number An integer.
 *  @return As restway_request_set_parameter().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_request_set_parameter_int64(
    restway_request *request, const char *name, int64_t number, restway_error **out_error) {
    restway_value value = restway_value_int64(number);
    return restway_request_set_parameter(request, name, &value, out_error);
}

/** Sets a parameter to a number of type double, as restway_request_set_parameter() does.
 *
 *  @param name  As in restway_request_set_parameter().
 *  @param number A number.
 *  @return As restway_request_set_parameter().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_request_set_parameter_double(
    restway_request *request, const char *name, double number, restway_error **out_error) {
    restway_value value = restway_value_double(number);
    return restway_request_set_parameter(request, name, &value, out_error);
}

/** Sets a parameter to a truth value, as restway_request_set_parameter() does.
 *
 *  @param name  As in restway_request_set_parameter().
 *  @param truth 1 for true, 0 for false.
 *  @return As restway_request_set_parameter().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_request_set_parameter_bool(
    restway_request *request, const char *name, int32_t truth, restway_error **out_error) {
    restway_value value = restway_value_bool(truth);
    return restway_request_set_parameter(request, name, &value, out_error);
}

/** Sets a parameter to a date, as restway_request_set_parameter() does.
 *
 *  @param name  As in restway_request_set_parameter().
 *  @param microseconds A moment: microseconds since 1970-01-01T00:00:00Z, negative before.
 *  @return As restway_request_set_parameter().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_request_set_parameter_date(
    restway_request *request, const char *name, int64_t microseconds, restway_error **out_error) {
    restway_value value = restway_value_date(microseconds);
    return restway_request_set_parameter(request, name, &value, out_error);
}

/** Sets an attribute to a text, as restway_draft_set() does.
 *
 *  @param name  As in restway_draft_set().
 *  @param text A text: NUL-terminated UTF-8; NULL is null. *Copied*.
 *  @return As restway_draft_set().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_draft_set_string(
    restway_draft *draft, const char *name, const char *text, restway_error **out_error) {
    restway_value value = restway_value_string(text);
    return restway_draft_set(draft, name, &value, out_error);
}

/** Sets an attribute to an integer, as restway_draft_set() does.
 *
 *  @param name  As in restway_draft_set().
 *  @param number An integer.
 *  @return As restway_draft_set().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_draft_set_int64(
    restway_draft *draft, const char *name, int64_t number, restway_error **out_error) {
    restway_value value = restway_value_int64(number);
    return restway_draft_set(draft, name, &value, out_error);
}

/** Sets an attribute to a number of type double, as restway_draft_set() does.
 *
 *  @param name  As in restway_draft_set().
 *  @param number A number.
 *  @return As restway_draft_set().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_draft_set_double(
    restway_draft *draft, const char *name, double number, restway_error **out_error) {
    restway_value value = restway_value_double(number);
    return restway_draft_set(draft, name, &value, out_error);
}

/** Sets an attribute to a truth value, as restway_draft_set() does.
 *
 *  @param name  As in restway_draft_set().
 *  @param truth 1 for true, 0 for false.
 *  @return As restway_draft_set().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_draft_set_bool(
    restway_draft *draft, const char *name, int32_t truth, restway_error **out_error) {
    restway_value value = restway_value_bool(truth);
    return restway_draft_set(draft, name, &value, out_error);
}

/** Sets an attribute to a date, as restway_draft_set() does.
 *
 *  @param name  As in restway_draft_set().
 *  @param microseconds A moment: microseconds since 1970-01-01T00:00:00Z, negative before.
 *  @return As restway_draft_set().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_draft_set_date(
    restway_draft *draft, const char *name, int64_t microseconds, restway_error **out_error) {
    restway_value value = restway_value_date(microseconds);
    return restway_draft_set(draft, name, &value, out_error);
}

/** Sets an attribute or a relationship to null, as restway_draft_set() does.
 *
 *  @param name As in restway_draft_set().
 *  @return As restway_draft_set().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status
restway_draft_set_null(restway_draft *draft, const char *name, restway_error **out_error) {
    restway_value value = restway_value_null();
    return restway_draft_set(draft, name, &value, out_error);
}

/** Sets a relationship to one object, as restway_draft_set() does.
 *
 *  @param name   The name of the relationship.
 *  @param object Kept alive (+1) by the draft; NULL sets the relationship to null.
 *  @return As restway_draft_set().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_draft_set_object(
    restway_draft *draft, const char *name, const restway_object *object,
    restway_error **out_error) {
    restway_value value = restway_value_null();
    if (object != NULL) {
        value.kind = RESTWAY_VALUE_OBJECT;
        value.as.object = object;
    }
    return restway_draft_set(draft, name, &value, out_error);
}

/** Finds the object whose identity is a text, as restway_store_find() does.
 *
 *  @param entity     The entity's name.
 *  @param identity   NUL-terminated UTF-8. *Copied*.
 *  @param out_object Receives the newest snapshot, owned by the caller (+1).
 *  @return As restway_store_find().
 *
 *  Threads: any. Blocks: as restway_store_find(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_store_find_string(
    restway_store *store, const char *entity, const char *identity, restway_object **out_object,
    restway_error **out_error) {
    restway_value value = restway_value_string(identity);
    return restway_store_find(store, entity, &value, out_object, out_error);
}

/** Finds the object whose identity is an integer, as restway_store_find() does.
 *
 *  @param entity     The entity's name.
 *  @param identity   The identity.
 *  @param out_object Receives the newest snapshot, owned by the caller (+1).
 *  @return As restway_store_find().
 *
 *  Threads: any. Blocks: as restway_store_find(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_store_find_int64(
    restway_store *store, const char *entity, int64_t identity, restway_object **out_object,
    restway_error **out_error) {
    restway_value value = restway_value_int64(identity);
    return restway_store_find(store, entity, &value, out_object, out_error);
}

/** Finds the object whose identity has several parts, as restway_store_find() does.
 *
 *  @param entity     The entity's name.
 *  @param identity   A JSON array of the parts, for example `["octocat","hello",7]`.
 *                    NUL-terminated UTF-8. *Copied*.
 *  @param out_object Receives the newest snapshot, owned by the caller (+1).
 *  @return As restway_store_find().
 *
 *  Threads: any. Blocks: as restway_store_find(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_store_find_json(
    restway_store *store, const char *entity, const char *identity, restway_object **out_object,
    restway_error **out_error) {
    restway_value value = restway_value_string(identity);
    if (value.kind == RESTWAY_VALUE_STRING) {
        value.kind = RESTWAY_VALUE_JSON;
    }
    return restway_store_find(store, entity, &value, out_object, out_error);
}

/* Reads an attribute; null if the object has no such attribute. */
RESTWAY_INLINE restway_value
restway_internal_value(const restway_object *object, const char *name) {
    restway_value value = restway_value_null();
    if (restway_object_get(object, name, &value, NULL) != RESTWAY_OK) {
        value = restway_value_null();
    }
    return value;
}

/** Returns 1 if an attribute has a value; 0 if it is null or has never been received or set, and if
 *  the entity has no attribute called @p name. Threads: any. Blocks: never. */
RESTWAY_INLINE int32_t restway_object_has(const restway_object *object, const char *name) {
    uint32_t kind = restway_internal_value(object, name).kind;
    return kind != RESTWAY_VALUE_NULL && kind != RESTWAY_VALUE_ABSENT;
}

/** Returns the text of a string attribute, NUL-terminated, *Borrowed* from @p object; @p fallback
 *  if the entity has no attribute called @p name, or its value is not a string. With a text as
 *  @p fallback, the result can be printed. Threads: any. Blocks: never. */
RESTWAY_INLINE const char *restway_object_string_or(
    const restway_object *object, const char *name, const char *fallback) {
    const char *text = restway_object_string(object, name);
    return text == NULL ? fallback : text;
}

/** Returns the value of a bool attribute, 1 or 0; @p fallback if the entity has no attribute called
 *  @p name, or its value is of another kind. Threads: any. Blocks: never. */
RESTWAY_INLINE int32_t
restway_object_bool(const restway_object *object, const char *name, int32_t fallback) {
    restway_value value = restway_internal_value(object, name);
    return value.kind == RESTWAY_VALUE_BOOL ? value.as.integer != 0 : fallback;
}

/** Returns the value of a date attribute in microseconds since 1970-01-01T00:00:00Z; @p fallback if
 *  the entity has no attribute called @p name, or its value is of another kind. Threads: any.
 *  Blocks: never. */
RESTWAY_INLINE int64_t
restway_object_date(const restway_object *object, const char *name, int64_t fallback) {
    restway_value value = restway_internal_value(object, name);
    return value.kind == RESTWAY_VALUE_DATE ? value.as.integer : fallback;
}

/** Writes the attributes of an object as JSON text, as restway_object_json() does with depth 0 and
 *  without flags.
 *
 *  @param object   Borrowed.
 *  @param out_text Receives the text, owned by the caller (+1); restway_text_content() reads it.
 *  @return As restway_object_json().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_object_to_json(
    const restway_object *object, restway_text **out_text, restway_error **out_error) {
    return restway_object_json(object, NULL, 0, 0, 0, out_text, out_error);
}

/** Writes all objects of a list as a JSON list, each as restway_object_to_json() does.
 *
 *  @param list     Borrowed.
 *  @param out_text Receives the text, owned by the caller (+1).
 *  @return As restway_list_json().
 *
 *  Threads: any. Blocks: never. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status
restway_list_to_json(const restway_list *list, restway_text **out_text, restway_error **out_error) {
    return restway_list_json(list, 0, restway_list_count(list), NULL, 0, 0, 0, out_text, out_error);
}

RESTWAY_END_DECLS

#endif

/** @file restway/verbs.h
 *  The verbs of HTTP: a request and its answer in one call. docs/C.md shows how they are used.
 *
 *  The functions of this header are inline, like the functions of short.h.
 */
#ifndef RESTWAY_VERBS_H
#define RESTWAY_VERBS_H

#include "short.h"

RESTWAY_BEGIN_DECLS

/* Performs a request, unless making it has failed, and releases it. */
RESTWAY_INLINE restway_status restway_internal_perform(
    restway_client *client, restway_request *request, restway_status made,
    restway_response **out_response, restway_error **out_error) {
    if (made == RESTWAY_OK) {
        made = restway_client_perform(client, request, 0, out_response, out_error);
    } else if (out_response != NULL) {
        *out_response = NULL;
    }
    restway_request_release(request);
    return made;
}

/* Performs a request to a path. Its body is the JSON text, unless this is NULL. */
RESTWAY_INLINE restway_status restway_internal_perform_path(
    restway_client *client, const char *method, const char *path, const char *json,
    restway_response **out_response, restway_error **out_error) {
    restway_request *request = NULL;
    restway_status status = restway_request_create(method, path, &request, out_error);
    if (status == RESTWAY_OK && json != NULL) {
        status = restway_request_set_json(request, json, out_error);
    }
    return restway_internal_perform(client, request, status, out_response, out_error);
}

/* Performs a request about an object. */
RESTWAY_INLINE restway_status restway_internal_perform_object(
    restway_client *client, const char *method, const restway_object *object,
    restway_response **out_response, restway_error **out_error) {
    restway_request *request = NULL;
    restway_status status = restway_request_create_object(method, object, &request, out_error);
    return restway_internal_perform(client, request, status, out_response, out_error);
}

/* Performs a request about a draft. */
RESTWAY_INLINE restway_status restway_internal_perform_draft(
    restway_client *client, const char *method, restway_draft *draft,
    restway_response **out_response, restway_error **out_error) {
    restway_request *request = NULL;
    restway_status status = restway_request_create_draft(method, draft, &request, out_error);
    return restway_internal_perform(client, request, status, out_response, out_error);
}

/** Sends GET, and waits for the answer.
 *
 *  @param client       Borrowed.
 *  @param path         A path below the base URL, which may have a query ("enterprises/12"), as in
 *                      restway_request_create().
 *  @param out_response Receives a handle owned by the caller (+1), or pass NULL to forget it.
 *  @return The statuses of restway_request_create() and restway_client_perform().
 *
 *  Threads: any, except inside a callback (RESTWAY_E_WOULD_BLOCK). Blocks: until the response is
 *  there. */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_get(
    restway_client *client, const char *path, restway_response **out_response,
    restway_error **out_error) {
    return restway_internal_perform_path(client, "GET", path, NULL, out_response, out_error);
}

/** Sends HEAD, and waits for the answer, as restway_client_get() does.
 *
 *  @return As restway_client_get().
 *
 *  Threads: as restway_client_get(). Blocks: as restway_client_get(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_head(
    restway_client *client, const char *path, restway_response **out_response,
    restway_error **out_error) {
    return restway_internal_perform_path(client, "HEAD", path, NULL, out_response, out_error);
}

/** Sends DELETE, and waits for the answer, as restway_client_get() does.
 *
 *  @return As restway_client_get().
 *
 *  Threads: as restway_client_get(). Blocks: as restway_client_get(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_delete(
    restway_client *client, const char *path, restway_response **out_response,
    restway_error **out_error) {
    return restway_internal_perform_path(client, "DELETE", path, NULL, out_response, out_error);
}

/** Sends POST with a JSON text, and waits for the answer.
 *
 *  @param client       Borrowed.
 *  @param path         As in restway_client_get().
 *  @param json         The body: JSON, NUL-terminated UTF-8. NULL sends no body. *Copied*.
 *  @param out_response Receives a handle owned by the caller (+1), or pass NULL to forget it.
 *  @return As restway_client_get().
 *
 *  Threads: as restway_client_get(). Blocks: as restway_client_get(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_post(
    restway_client *client, const char *path, const char *json, restway_response **out_response,
    restway_error **out_error) {
    return restway_internal_perform_path(client, "POST", path, json, out_response, out_error);
}

/** Sends PUT with a JSON text, and waits for the answer, as restway_client_post() does.
 *
 *  @return As restway_client_get().
 *
 *  Threads: as restway_client_get(). Blocks: as restway_client_get(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_put(
    restway_client *client, const char *path, const char *json, restway_response **out_response,
    restway_error **out_error) {
    return restway_internal_perform_path(client, "PUT", path, json, out_response, out_error);
}

/** Sends PATCH with a JSON text, and waits for the answer, as restway_client_post() does.
 *
 *  @return As restway_client_get().
 *
 *  Threads: as restway_client_get(). Blocks: as restway_client_get(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_patch(
    restway_client *client, const char *path, const char *json, restway_response **out_response,
    restway_error **out_error) {
    return restway_internal_perform_path(client, "PATCH", path, json, out_response, out_error);
}

/** Reads an object again with GET, and waits for the answer. The object router finds the path.
 *
 *  @param client       Borrowed.
 *  @param object       Borrowed, as in restway_request_create_object().
 *  @param out_response Receives a handle owned by the caller (+1), or pass NULL to forget it.
 *  @return The statuses of restway_request_create_object() and restway_client_perform().
 *
 *  Threads: as restway_client_get(). Blocks: as restway_client_get(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_get_object(
    restway_client *client, const restway_object *object, restway_response **out_response,
    restway_error **out_error) {
    return restway_internal_perform_object(client, "GET", object, out_response, out_error);
}

/** Sends an object with POST, and waits for the answer, as restway_client_get_object() does.
 *
 *  @return As restway_client_get_object().
 *
 *  Threads: as restway_client_get(). Blocks: as restway_client_get(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_post_object(
    restway_client *client, const restway_object *object, restway_response **out_response,
    restway_error **out_error) {
    return restway_internal_perform_object(client, "POST", object, out_response, out_error);
}

/** Sends an object with PUT, and waits for the answer, as restway_client_get_object() does.
 *
 *  @return As restway_client_get_object().
 *
 *  Threads: as restway_client_get(). Blocks: as restway_client_get(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_put_object(
    restway_client *client, const restway_object *object, restway_response **out_response,
    restway_error **out_error) {
    return restway_internal_perform_object(client, "PUT", object, out_response, out_error);
}

/** Sends an object with PATCH, and waits for the answer, as restway_client_get_object() does.
 *
 *  @return As restway_client_get_object().
 *
 *  Threads: as restway_client_get(). Blocks: as restway_client_get(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_patch_object(
    restway_client *client, const restway_object *object, restway_response **out_response,
    restway_error **out_error) {
    return restway_internal_perform_object(client, "PATCH", object, out_response, out_error);
}

/** Deletes an object with DELETE, and waits for the answer, as restway_client_get_object() does.
 *
 *  @return As restway_client_get_object().
 *
 *  Threads: as restway_client_get(). Blocks: as restway_client_get(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_delete_object(
    restway_client *client, const restway_object *object, restway_response **out_response,
    restway_error **out_error) {
    return restway_internal_perform_object(client, "DELETE", object, out_response, out_error);
}

/** Sends a draft with POST, and waits for the answer, which changes the draft.
 *
 *  @param client       Borrowed.
 *  @param draft        Borrowed, as in restway_request_create_draft().
 *  @param out_response Receives a handle owned by the caller (+1), or pass NULL to forget it.
 *  @return The statuses of restway_request_create_draft() and restway_client_perform().
 *
 *  Threads: as restway_client_get(). Blocks: as restway_client_get(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_post_draft(
    restway_client *client, restway_draft *draft, restway_response **out_response,
    restway_error **out_error) {
    return restway_internal_perform_draft(client, "POST", draft, out_response, out_error);
}

/** Sends a draft with PUT, and waits for the answer, as restway_client_post_draft() does.
 *
 *  @return As restway_client_post_draft().
 *
 *  Threads: as restway_client_get(). Blocks: as restway_client_get(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_put_draft(
    restway_client *client, restway_draft *draft, restway_response **out_response,
    restway_error **out_error) {
    return restway_internal_perform_draft(client, "PUT", draft, out_response, out_error);
}

/** Sends a draft with PATCH, and waits for the answer, as restway_client_post_draft() does.
 *
 *  @return As restway_client_post_draft().
 *
 *  Threads: as restway_client_get(). Blocks: as restway_client_get(). */
RESTWAY_INLINE RESTWAY_MUST_USE restway_status restway_client_patch_draft(
    restway_client *client, restway_draft *draft, restway_response **out_response,
    restway_error **out_error) {
    return restway_internal_perform_draft(client, "PATCH", draft, out_response, out_error);
}

RESTWAY_END_DECLS

#endif

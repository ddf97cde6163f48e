/** @file drafting.h
 *  An api whose objects are sent: enterprises, and the employees who work for them.
 */
#ifndef RESTWAY_HARNESS_DRAFTING_H
#define RESTWAY_HARNESS_DRAFTING_H

#include "harness.h"

/** A client, its store, and the handles that are released with them. */
struct drafting {
    restway_client *client;
    restway_store *store;
};

/** Makes a client with @p flags; `enterprise` takes POST, PUT, PATCH and DELETE, `employee`
 *  POST. */
struct drafting drafting_begin(uint32_t flags);

/** Makes a client like drafting_begin(), with delivery mode @p mode. If @p encode is given, it is a
 *  transform of the employees' emails, with @p context. */
struct drafting drafting_begin_asking(
    restway_delivery mode, restway_transform_fn encode, void *context,
    restway_destroy_fn destroy);
void drafting_end(struct drafting *drafting);

/** Makes a new draft of @p entity. */
restway_draft *drafted(struct drafting *drafting, const char *entity);

void set_text(restway_draft *draft, const char *name, const char *text);

/** Sends @p draft with @p method; returns the response, which must be a 2xx one. */
restway_response *send_draft(
    struct drafting *drafting, const char *method, restway_draft *draft);

/** Returns the body that @p request would send, as a part of a curl command; freed by the
 *  caller. */
char *curl_of(struct drafting *drafting, const restway_request *request);

/** Returns how many objects of @p entity the store has. */
size_t stored(struct drafting *drafting, const char *entity);

#endif

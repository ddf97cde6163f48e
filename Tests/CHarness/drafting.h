/** @file drafting.h
 *  An api whose objects are sent: enterprises, and the employees who work for them.
 */
#ifndef RESTWAY_HARNESS_DRAFTING_H
#define RESTWAY_HARNESS_DRAFTING_H

#include "harness.h"

/** A client, its store, and what has to be released with them. */
struct drafting {
    restway_client *client;
    restway_store *store;
};

/** Options of @p flags; `enterprise` takes POST, PUT, PATCH and DELETE, `employee` POST. */
struct drafting drafting_begin(uint32_t flags);

/** The same, delivering as @p mode says; the employees' emails go through @p encode if it is given,
 *  which is a transform's with @p context. */
struct drafting drafting_begin_asking(
    restway_delivery mode, restway_transform_fn encode, void *context,
    restway_destroy_fn destroy);
void drafting_end(struct drafting *drafting);

/** A new draft of @p entity. */
restway_draft *drafted(struct drafting *drafting, const char *entity);

void set_text(restway_draft *draft, const char *name, const char *text);

/** Sends @p draft with @p method; the response, which is a 2xx one. */
restway_response *send_draft(
    struct drafting *drafting, const char *method, restway_draft *draft);

/** The body that @p request would send, as part of a curl command; freed by the caller. */
char *curl_of(struct drafting *drafting, const restway_request *request);

/** How many objects of @p entity the store has. */
size_t stored(struct drafting *drafting, const char *entity);

#endif

/* Maps a large list of companies while edits of some of them wait in the outbox; measures only the
 * time of mapping and storing the list.
 *
 *     restway_overlay DOCUMENT BASE-URL PATH PATH-AGAIN EDITS
 *
 * The list at PATH is read first, and EDITS of its companies are edited. Then the list at
 * PATH-AGAIN brings the same companies with other names. */
#include "measure.h"
#include "ours.h"

#include <stdio.h>
#include <stdlib.h>

/* Returns the number of edits that wait. */
static size_t waiting(restway_client *client) {
    restway_outbox_counts counts = RESTWAY_OUTBOX_COUNTS_INIT;
    restway_error *error = NULL;

    expect(restway_outbox_count(client, &counts, &error), &error);
    return (size_t)counts.waiting;
}

/* Sends an edit of a company, which the outbox stores. */
static restway_call *edit(restway_client *client, restway_store *store, restway_object *company) {
    restway_draft *draft = NULL;
    restway_request *request = NULL;
    restway_call *call = NULL;
    restway_error *error = NULL;
    restway_value value = restway_value_string("edited without a network");

    expect(restway_draft_copy(store, company, &draft, &error), &error);
    expect(restway_draft_set(draft, "about", &value, &error), &error);
    expect(restway_request_create_draft("PATCH", draft, &request, &error), &error);
    expect(restway_client_send(client, request, NULL, NULL, NULL, &call, &error), &error);
    restway_request_release(request);
    restway_draft_release(draft);
    return call;
}

static void edit_some(restway_client *client, const restway_response *list, size_t edits) {
    restway_store *store = restway_client_store(client);
    restway_call **calls = calloc(edits + 1, sizeof *calls);
    size_t step = restway_response_object_count(list) / (edits ? edits : 1);
    restway_error *error = NULL;

    if (!calls) fail("no memory");
    for (size_t index = 0; index < edits; index++)
        calls[index] = edit(client, store, restway_response_object(list, index * step));
    for (size_t index = 0; index < edits; index++) {
        restway_status status = restway_call_wait(calls[index], 0, NULL, &error);

        if (status != RESTWAY_E_QUEUED) fail("an edit: %s", restway_status_name(status));
        restway_error_release(error);
        error = NULL;
        restway_call_release(calls[index]);
    }
    free(calls);
    restway_store_release(store);
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    const char *path = text_argument(argc, argv, 3, "PATH");
    const char *again = text_argument(argc, argv, 4, "PATH-AGAIN");
    size_t edits = strtoul(text_argument(argc, argv, 5, "EDITS"), NULL, 10);
    restway_client *client = ours_client(document, base);
    restway_response *list = ours_perform(client, path);
    restway_timings timings = RESTWAY_TIMINGS_INIT;
    restway_error *error = NULL;

    expect(
        restway_client_set_reachability(client, RESTWAY_REACHABILITY_UNREACHABLE, &error), &error);
    edit_some(client, list, edits);
    restway_response_release(list);

    list = ours_perform(client, again);
    if (restway_response_issue_count(list) != 0)
        fail("%s", restway_response_issue_reason(list, 0));
    if (waiting(client) != edits) fail("%zu edits wait", waiting(client));
    expect(restway_response_timings(list, &timings, &error), &error);
    printf("{\"map_seconds\": %.9f}\n", (double)timings.map_microseconds / 1e6);
    restway_response_release(list);
    restway_client_release(client);
    return 0;
}

/* Measures the response cache with one blocking request at a time.
 *
 *     restway_cached DOCUMENT BASE-URL REQUESTS HOW [FILE]
 *
 * HOW is `none` (no cache), `memory` (each answer comes out of memory), `file` (each answer comes
 * out of FILE, and nothing is kept in memory), `validate` (the server says of each answer that it
 * still holds) or `304` (the same, with the header fields of the program and without a cache). */
#include "measure.h"
#include "ours.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static restway_client *make_client(
    const char *document, const char *base, const char *how, const char *file) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_error *error = NULL;

    options.base_url = base;
    if (file != NULL) {
        options.cache_path = file;
        options.cache_bytes_max = (int64_t)1 << 40;
        options.cache_memory_bytes_max = -1;
    } else if (strcmp(how, "none") != 0 && strcmp(how, "304") != 0) {
        options.cache_flags = RESTWAY_CACHE_ON;
    }
    expect(restway_api_load_file(document, &api, &error), &error);
    expect(restway_client_create(api, &options, &client, &error), &error);
    restway_api_release(api);
    return client;
}

static restway_response *perform(restway_client *client, const restway_request *request) {
    restway_response *response = NULL;
    restway_error *error = NULL;

    expect(restway_client_perform(client, request, 0, &response, &error), &error);
    return response;
}

/* Makes the requests, and sends each once, so that its answer is kept. */
static void make_requests(
    restway_client *client, const char *how, restway_request *requests[COMPANIES]) {
    restway_error *error = NULL;
    size_t slot;

    for (slot = 0; slot < COMPANIES; slot++) {
        restway_request *request = ours_company_request(slot);
        restway_response *response = perform(client, request);
        const char *tag = restway_response_header(response, "ETag");

        ours_check(response);
        if (strcmp(how, "304") == 0) {
            if (tag == NULL) fail("the server gives no ETag");
            expect(restway_request_set_header(request, "If-None-Match", tag, &error), &error);
        }
        if (strcmp(how, "validate") == 0)
            expect(restway_request_set_cache(request, RESTWAY_CACHE_VALIDATE, &error), &error);
        restway_response_release(response);
        requests[slot] = request;
    }
}

/* Ends the program unless the answer is what `how` promises. */
static void check(const restway_response *response, const char *how) {
    restway_cache_note note = RESTWAY_CACHE_NOTE_INIT;
    restway_error *error = NULL;
    uint32_t state = RESTWAY_CACHE_STATE_HIT;

    if (strcmp(how, "304") == 0) {
        if (restway_response_status(response) != 304) fail("the answer is no 304");
        return;
    }
    ours_check(response);
    if (strcmp(how, "none") == 0) state = RESTWAY_CACHE_STATE_NONE;
    if (strcmp(how, "validate") == 0) state = RESTWAY_CACHE_STATE_VALIDATED;
    expect(restway_response_cache(response, &note, &error), &error);
    if (note.state != state) fail("the state of the answer is %u", (unsigned)note.state);
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    size_t count = count_argument(argc, argv, 3, "REQUESTS");
    const char *how = text_argument(argc, argv, 4, "HOW");
    double *seconds = calloc(count, sizeof *seconds);
    restway_client *client = make_client(document, base, how, argc > 5 ? argv[5] : NULL);
    restway_request *requests[COMPANIES];
    size_t i;

    if (seconds == NULL) fail("no memory");
    make_requests(client, how, requests);
    for (i = 0; i < WARM_UP; i++) {
        restway_response *response = perform(client, requests[i % COMPANIES]);

        check(response, how);
        restway_response_release(response);
    }
    for (i = 0; i < count; i++) {
        double begun = wall_seconds();
        restway_response *response = perform(client, requests[i % COMPANIES]);
        const restway_object *company = restway_response_object(response, 0);

        if (company != NULL && restway_object_string(company, "name") == NULL) fail("no name");
        restway_response_release(response);
        seconds[i] = wall_seconds() - begun;
    }
    printf("{\"requests\": %zu, \"latency_seconds\": %.9f}\n", count, median(seconds, count));

    for (i = 0; i < COMPANIES; i++) restway_request_release(requests[i]);
    restway_client_release(client);
    free(seconds);
    return 0;
}

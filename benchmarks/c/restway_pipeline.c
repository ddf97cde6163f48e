/* Measures a blocking request that the cache answers from memory, with modifiers and interceptors
 * that do nothing.
 *
 *     restway_pipeline DOCUMENT BASE-URL REQUESTS FUNCTIONS
 *
 * The client has FUNCTIONS modifiers and as many interceptors. */
#include "measure.h"
#include "ours.h"

#include <stdio.h>
#include <stdlib.h>

static restway_status do_nothing(void *context, restway_turn *turn) {
    size_t *asked_count = context;

    (void)turn;
    ++*asked_count;
    return RESTWAY_OK;
}

static restway_client *make_client(
    const char *document, const char *base, size_t functions, size_t *asked_count) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_error *error = NULL;
    size_t i;

    options.base_url = base;
    options.cache_flags = RESTWAY_CACHE_ON;
    expect(restway_api_load_file(document, &api, &error), &error);
    expect(restway_client_create(api, &options, &client, &error), &error);
    restway_api_release(api);
    for (i = 0; i < functions; i++) {
        expect(
            restway_client_add_modifier(
                client, do_nothing, NULL, 0, asked_count, NULL, NULL, &error),
            &error);
        expect(
            restway_client_add_interceptor(
                client, do_nothing, NULL, 0, asked_count, NULL, NULL, &error),
            &error);
    }
    return client;
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    size_t count = count_argument(argc, argv, 3, "REQUESTS");
    size_t functions = count_argument(argc, argv, 4, "FUNCTIONS");
    double *seconds = calloc(count, sizeof *seconds);
    /* Each call waits for its functions, so that one thread at a time counts. */
    size_t asked_count = 0;
    restway_client *client = make_client(document, base, functions, &asked_count);
    restway_request *request = ours_company_request(0);
    size_t i;

    if (seconds == NULL) fail("no memory");
    for (i = 0; i < WARM_UP + count; i++) {
        double begun = wall_seconds();
        restway_response *response = NULL;
        restway_error *error = NULL;

        expect(restway_client_perform(client, request, 0, &response, &error), &error);
        if (i < WARM_UP) ours_check(response);
        restway_response_release(response);
        if (i >= WARM_UP) seconds[i - WARM_UP] = wall_seconds() - begun;
    }
    if (asked_count != 2 * functions * (WARM_UP + count)) fail("asked %zu times", asked_count);
    printf("{\"requests\": %zu, \"latency_seconds\": %.9f}\n", count, median(seconds, count));

    restway_request_release(request);
    restway_client_release(client);
    free(seconds);
    return 0;
}

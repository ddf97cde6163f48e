/* Measures Restway with one blocking request at a time.
 *
 *     restway_blocking DOCUMENT BASE-URL REQUESTS */
#include "measure.h"
#include "ours.h"

#include <stdio.h>
#include <stdlib.h>

static void perform(restway_client *client, const restway_request *request) {
    restway_response *response = NULL;
    restway_error *error = NULL;

    expect(restway_client_perform(client, request, 0, &response, &error), &error);
    ours_check(response);
    restway_response_release(response);
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    size_t requests = count_argument(argc, argv, 3, "REQUESTS");
    double *seconds = calloc(requests, sizeof *seconds);
    restway_request *request = ours_company_request(0);
    restway_client *client = ours_client(document, base);
    size_t i;

    if (seconds == NULL) fail("no memory");
    for (i = 0; i < WARM_UP; i++) perform(client, request);
    for (i = 0; i < requests; i++) {
        double begun = wall_seconds();

        perform(client, request);
        seconds[i] = wall_seconds() - begun;
    }
    printf("{\"latency_seconds\": %.9f}\n", median(seconds, requests));

    restway_request_release(request);
    restway_client_release(client);
    free(seconds);
    return 0;
}

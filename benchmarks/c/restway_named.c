/* Measures calls by the name of a route, one blocking request at a time.
 *
 *     restway_named DOCUMENT BASE-URL REQUESTS
 *
 * The document has the route `company` of the benchmarks' API document. */
#include "measure.h"
#include "ours.h"

#include <stdio.h>

static void perform(restway_client *client) {
    restway_request *request = NULL;
    restway_response *response = NULL;
    restway_error *error = NULL;
    restway_value number = restway_value_int64(1);

    expect(restway_request_create_route(NULL, "company", &request, &error), &error);
    expect(restway_request_set_variable(request, "itemID", &number, &error), &error);
    expect(restway_client_perform(client, request, 0, &response, &error), &error);
    ours_check(response);
    restway_response_release(response);
    restway_request_release(request);
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    size_t requests = count_argument(argc, argv, 3, "REQUESTS");
    restway_client *client = ours_client(document, base);
    double cpu;
    size_t i;

    for (i = 0; i < WARM_UP; i++) perform(client);
    cpu = cpu_seconds();
    for (i = 0; i < requests; i++) perform(client);
    cpu = cpu_seconds() - cpu;
    printf("{\"requests\": %zu, \"cpu_seconds\": %.9f}\n", requests, cpu);
    restway_client_release(client);
    return 0;
}

/* Fetches a large list of companies and maps it to objects.
 *
 *     restway_map DOCUMENT BASE-URL PATH OBJECTS [PLUGIN] */
#include "measure.h"
#include "ours.h"

#include <stdio.h>

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    const char *path = text_argument(argc, argv, 3, "PATH");
    size_t objects = count_argument(argc, argv, 4, "OBJECTS");
    restway_client *client;
    restway_request *request = ours_request(path);
    restway_response *response = NULL;
    restway_error *error = NULL;
    double begun;
    double seconds;
    restway_timings timings = RESTWAY_TIMINGS_INIT;
    size_t bytes = 0;

    if (argc > 5) ours_plugin(argv[5]);
    client = ours_client(document, base);
    begun = wall_seconds();
    expect(restway_client_perform(client, request, 0, &response, &error), &error);
    seconds = wall_seconds() - begun;
    if (restway_response_object_count(response) != objects)
        fail("%zu objects instead of %zu", restway_response_object_count(response), objects);
    if (restway_response_issue_count(response) != 0)
        fail("%s", restway_response_issue_reason(response, 0));
    restway_response_body(response, &bytes);
    expect(restway_response_timings(response, &timings, &error), &error);
    printf(
        "{\"bytes\": %zu, \"perform_seconds\": %.9f, \"map_seconds\": %.9f}\n", bytes, seconds,
        (double)timings.map_microseconds / 1e6);

    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
    return 0;
}

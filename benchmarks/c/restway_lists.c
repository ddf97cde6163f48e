/* Fetches and maps lists, one after the other, with one client.
 *
 *     restway_lists DOCUMENT BASE-URL PATH... */
#include "measure.h"
#include "ours.h"

#include <stdio.h>

static double map_seconds(restway_client *client, const char *path) {
    restway_request *request = ours_request(path);
    restway_response *response = NULL;
    restway_error *error = NULL;
    restway_timings timings = RESTWAY_TIMINGS_INIT;

    expect(restway_client_perform(client, request, 0, &response, &error), &error);
    if (restway_response_object_count(response) == 0)
        fail("%s holds no objects", path);
    if (restway_response_issue_count(response) != 0)
        fail("%s", restway_response_issue_reason(response, 0));
    expect(restway_response_timings(response, &timings, &error), &error);
    restway_response_release(response);
    restway_request_release(request);
    return (double)timings.map_microseconds / 1e6;
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    restway_client *client = ours_client(document, base);
    double seconds = 0;
    double all = 0;
    double first = 0;

    for (int index = 3; index < argc; index++) {
        seconds = map_seconds(client, argv[index]);
        all += seconds;
        if (index == 3)
            first = seconds;
    }
    printf(
        "{\"all_seconds\": %.9f, \"first_seconds\": %.9f, \"last_seconds\": %.9f}\n", all, first,
        seconds);
    restway_client_release(client);
    return 0;
}

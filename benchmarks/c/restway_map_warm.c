/* Maps a large list of companies with a plugin repeatedly, each time with a new client. The first
 * round warms up.
 *
 *     restway_map_warm DOCUMENT BASE-URL PATH OBJECTS ROUNDS PLUGIN */
#include "measure.h"
#include "ours.h"

#include <stdio.h>

#define ROUNDS_MAX 64

static double map_seconds(
    const char *document, const char *base, const char *path, size_t objects) {
    restway_client *client = ours_client(document, base);
    restway_request *request = ours_request(path);
    restway_response *response = NULL;
    restway_error *error = NULL;
    restway_timings timings = RESTWAY_TIMINGS_INIT;

    expect(restway_client_perform(client, request, 0, &response, &error), &error);
    if (restway_response_object_count(response) != objects)
        fail("%zu objects instead of %zu", restway_response_object_count(response), objects);
    if (restway_response_issue_count(response) != 0)
        fail("%s", restway_response_issue_reason(response, 0));
    expect(restway_response_timings(response, &timings, &error), &error);
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
    return (double)timings.map_microseconds / 1e6;
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    const char *path = text_argument(argc, argv, 3, "PATH");
    size_t objects = count_argument(argc, argv, 4, "OBJECTS");
    size_t rounds = count_argument(argc, argv, 5, "ROUNDS");
    double seconds[ROUNDS_MAX];

    if (rounds < 2 || rounds > ROUNDS_MAX) fail("ROUNDS: 2 to %d", ROUNDS_MAX);
    ours_plugin(text_argument(argc, argv, 6, "PLUGIN"));
    for (size_t round = 0; round < rounds; round++)
        seconds[round] = map_seconds(document, base, path, objects);
    printf(
        "{\"first_seconds\": %.9f, \"map_seconds\": %.9f}\n", seconds[0],
        median(seconds + 1, rounds - 1));
    return 0;
}

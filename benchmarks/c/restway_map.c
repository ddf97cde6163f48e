/* Fetches a large list of companies and maps it to objects, each round with a new client. With
 * several rounds, the first one warms up.
 *
 *     restway_map DOCUMENT BASE-URL PATH OBJECTS ROUNDS [PLUGIN] */
#include "measure.h"
#include "ours.h"

#include <stdio.h>

#define ROUNDS_MAX 64

static double map_seconds(
    const char *document, const char *base, const char *path, size_t objects, size_t *bytes) {
    restway_client *client = ours_client(document, base);
    restway_response *response = ours_perform(client, path);
    restway_error *error = NULL;
    restway_timings timings = RESTWAY_TIMINGS_INIT;

    if (restway_response_object_count(response) != objects)
        fail("%zu objects instead of %zu", restway_response_object_count(response), objects);
    if (restway_response_issue_count(response) != 0)
        fail("%s", restway_response_issue_reason(response, 0));
    restway_response_body(response, bytes);
    expect(restway_response_timings(response, &timings, &error), &error);
    restway_response_release(response);
    restway_client_release(client);
    return (double)timings.map_microseconds / 1e6;
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    const char *path = text_argument(argc, argv, 3, "PATH");
    size_t objects = count_argument(argc, argv, 4, "OBJECTS");
    size_t rounds = count_argument(argc, argv, 5, "ROUNDS");
    size_t warm_up = rounds > 1;
    double seconds[ROUNDS_MAX];
    size_t bytes = 0;

    if (rounds > ROUNDS_MAX) fail("ROUNDS: 1 to %d", ROUNDS_MAX);
    if (argc > 6) ours_plugin(argv[6]);
    for (size_t round = 0; round < rounds; round++)
        seconds[round] = map_seconds(document, base, path, objects, &bytes);
    printf(
        "{\"bytes\": %zu, \"map_seconds\": %.9f}\n", bytes,
        median(seconds + warm_up, rounds - warm_up));
    return 0;
}

/* Stores a large list of companies in a new file, and then again with other names; measures only
 * the time of the commits.
 *
 *     restway_store FILE DOCUMENT BASE-URL PATH PATH-AGAIN */
#include "measure.h"
#include "ours.h"

#include <stdio.h>

/* Returns how many seconds the store took for the answer of `path`. */
static double store(restway_client *client, const char *path) {
    restway_response *response = ours_perform(client, path);
    restway_error *error = NULL;
    restway_timings timings = RESTWAY_TIMINGS_INIT;

    if (restway_response_object_count(response) == 0) fail("%s holds no objects", path);
    if (restway_response_issue_count(response) != 0)
        fail("%s", restway_response_issue_reason(response, 0));
    expect(restway_response_timings(response, &timings, &error), &error);
    restway_response_release(response);
    return (double)timings.store_microseconds / 1e6;
}

int main(int argc, char **argv) {
    const char *file = text_argument(argc, argv, 1, "FILE");
    const char *document = text_argument(argc, argv, 2, "DOCUMENT");
    const char *base = text_argument(argc, argv, 3, "BASE-URL");
    const char *path = text_argument(argc, argv, 4, "PATH");
    const char *again = text_argument(argc, argv, 5, "PATH-AGAIN");
    restway_client *client = ours_client_with_file(document, base, file);
    double fresh = store(client, path);
    double upsert = store(client, again);

    printf("{\"fresh_seconds\": %.9f, \"upsert_seconds\": %.9f}\n", fresh, upsert);
    restway_client_release(client);
    return 0;
}

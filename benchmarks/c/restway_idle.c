/* Measures loading an API document, in CPU time, and how much heap memory the document and an open
 * client hold before its first request.
 *
 *     restway_idle DOCUMENT */
#include "measure.h"
#include "ours.h"

#include <stdio.h>

/* The shortest of some loads counts. */
#define LOADS 3

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    restway_client *client = NULL;
    restway_api *api = NULL;
    restway_error *error = NULL;
    size_t before, loaded, created;
    double fastest = 0;

    before = heap_bytes();
    expect(restway_api_load_file(document, &api, &error), &error);
    loaded = heap_bytes();
    expect(restway_client_create(api, NULL, &client, &error), &error);
    created = heap_bytes();
    restway_client_release(client);
    restway_api_release(api);

    for (int load = 0; load < LOADS; load++) {
        double begun = cpu_seconds();

        expect(restway_api_load_file(document, &api, &error), &error);
        begun = cpu_seconds() - begun;
        if (load == 0 || begun < fastest) fastest = begun;
        restway_api_release(api);
    }
    printf(
        "{\"api_bytes\": %zu, \"client_bytes\": %zu, \"load_seconds\": %.9f}\n", loaded - before,
        created - loaded, fastest);
    return 0;
}

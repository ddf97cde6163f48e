/* Measures how much heap memory an open client holds before its first request.
 *
 *     restway_idle DOCUMENT */
#include "measure.h"
#include "ours.h"

#include <malloc.h>
#include <stdio.h>

/* Returns the bytes that are allocated and not freed, including large blocks with mappings of their
 * own. */
static size_t live_bytes(void) {
    struct mallinfo2 heap = mallinfo2();

    return heap.uordblks + heap.hblkhd;
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    restway_client *clients[2] = {NULL, NULL};
    restway_api *api = NULL;
    restway_error *error = NULL;
    size_t before, loaded, first, second;

    before = live_bytes();
    expect(restway_api_load_file(document, &api, &error), &error);
    loaded = live_bytes();
    expect(restway_client_create(api, NULL, &clients[0], &error), &error);
    first = live_bytes();
    expect(restway_client_create(api, NULL, &clients[1], &error), &error);
    second = live_bytes();
    printf(
        "{\"api_bytes\": %zu, \"client_bytes\": %zu, \"second_client_bytes\": %zu}\n",
        loaded - before, first - loaded, second - first);

    restway_client_release(clients[1]);
    restway_client_release(clients[0]);
    restway_api_release(api);
    return 0;
}

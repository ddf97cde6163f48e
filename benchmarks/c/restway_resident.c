/* Measures the memory that stays resident after a large list was mapped and its response released,
 * and the heap memory of the objects in the store.
 *
 *     restway_resident DOCUMENT BASE-URL WARM-UP-PATH PATH */
#include "measure.h"
#include "ours.h"

#include <malloc.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

enum { SETTLING_MILLISECONDS = 2000 };

static size_t resident_bytes(void) {
    size_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");

    if (file == NULL || fscanf(file, "%*u %zu", &pages) != 1) fail("no /proc/self/statm");
    fclose(file);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static size_t heap_bytes(void) {
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

static void perform(restway_client *client, const char *path) {
    restway_request *request = ours_request(path);
    restway_response *response = NULL;
    restway_error *error = NULL;

    expect(restway_client_perform(client, request, 0, &response, &error), &error);
    restway_response_release(response);
    restway_request_release(request);
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    const char *warm_up = text_argument(argc, argv, 3, "WARM-UP-PATH");
    const char *path = text_argument(argc, argv, 4, "PATH");
    restway_client *client = ours_client(document, base);
    size_t resident, heap, resident_again, resident_ended;

    perform(client, warm_up);
    resident = resident_bytes();
    heap = heap_bytes();
    perform(client, path);
    heap = heap_bytes() - heap;
    perform(client, path);
    /* The last reference to the response may be given back on another thread, and the store returns
     * freed memory a second after the last large answer. */
    poll(NULL, 0, SETTLING_MILLISECONDS);
    resident_again = resident_bytes();
    restway_client_release(client);
    resident_ended = resident_bytes();
    printf(
        "{\"resident_bytes\": %zu, \"held_bytes\": %zu, \"ended_bytes\": %zd}\n",
        resident_again - resident, heap, (ssize_t)(resident_ended - resident));
    return 0;
}

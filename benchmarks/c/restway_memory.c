/* Measures the memory of mapped objects: the size of their values, the heap memory that they hold
 * in the store, and the memory that stays resident after the list has come a second time.
 *
 *     restway_memory DOCUMENT BASE-URL WARM-UP-PATH PATH */
#include "measure.h"
#include "ours.h"

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

/* Counts 16 bytes for each value, and the text of values that have one. */
static size_t content_bytes(const restway_response *response) {
    size_t bytes = 0;

    for (size_t index = 0; index < restway_response_object_count(response); index++) {
        const restway_object *object = restway_response_object(response, index);
        restway_value values[64];
        restway_error *error = NULL;
        size_t count = restway_object_attribute_count(object);

        expect(restway_object_read(object, NULL, count, values, &error), &error);
        bytes += count * sizeof(restway_value);
        for (size_t place = 0; place < count; place++) bytes += values[place].length;
    }
    return bytes;
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    const char *path = text_argument(argc, argv, 4, "PATH");
    restway_client *client = ours_client(document, base);
    restway_response *response;
    size_t resident, live, content;

    restway_response_release(
        ours_perform(client, text_argument(argc, argv, 3, "WARM-UP-PATH")));
    resident = resident_bytes();
    live = heap_bytes();
    response = ours_perform(client, path);
    content = content_bytes(response);
    restway_response_release(response);
    live = heap_bytes() - live;
    restway_response_release(ours_perform(client, path));
    /* The last reference to the response may be given back on another thread, and the store returns
     * freed memory a second after the last large answer. */
    poll(NULL, 0, SETTLING_MILLISECONDS);
    printf(
        "{\"content_bytes\": %zu, \"live_bytes\": %zu, \"resident_bytes\": %zu}\n", content, live,
        resident_bytes() - resident);
    restway_client_release(client);
    return 0;
}

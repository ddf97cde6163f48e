/* Measures the heap memory of mapped objects, and the size of their values.
 *
 *     restway_live DOCUMENT BASE-URL WARM-UP-PATH PATH */
#include "measure.h"
#include "ours.h"

#include <malloc.h>
#include <stdio.h>

static restway_response *perform(restway_client *client, const char *path) {
    restway_request *request = ours_request(path);
    restway_response *response = NULL;
    restway_error *error = NULL;

    expect(restway_client_perform(client, request, 0, &response, &error), &error);
    restway_request_release(request);
    return response;
}

static size_t live_bytes(void) {
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
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
        for (size_t place = 0; place < count; place++)
            bytes += values[place].length;
    }
    return bytes;
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    restway_client *client = ours_client(document, base);
    restway_response *response;
    size_t before;
    size_t content;

    restway_response_release(perform(client, text_argument(argc, argv, 3, "WARM-UP-PATH")));
    before = live_bytes();
    response = perform(client, text_argument(argc, argv, 4, "PATH"));
    content = content_bytes(response);
    restway_response_release(response);
    printf("{\"live_bytes\": %zu, \"content_bytes\": %zu}\n", live_bytes() - before, content);
    restway_client_release(client);
    return 0;
}

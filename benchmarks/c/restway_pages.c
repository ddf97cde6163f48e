/* Maps companies that come in pages, or makes the same requests one by one.
 *
 *     restway_pages DOCUMENT BASE-URL PAGES OBJECTS pages|gets */
#include "measure.h"
#include "ours.h"

#include <stdio.h>
#include <string.h>

static restway_request *paged_request(void) {
    restway_request *request = NULL;
    restway_error *error = NULL;

    expect(restway_request_create_route(NULL, "paged", &request, &error), &error);
    return request;
}

/* Reads all pages; returns the number of their objects. */
static size_t read_pages(restway_client *client, const restway_request *request) {
    restway_pages *pages = NULL;
    restway_response *response = NULL;
    restway_error *error = NULL;
    size_t count = 0;

    expect(restway_client_pages(client, request, NULL, &pages, &error), &error);
    for (;;) {
        expect(restway_pages_next(pages, 0, &response, &error), &error);
        if (response == NULL) break;
        count += restway_response_object_count(response);
        restway_response_release(response);
    }
    restway_pages_release(pages);
    return count;
}

/* Makes the requests of `pages` pages; returns the number of their objects. */
static size_t make_requests(restway_client *client, size_t pages) {
    size_t count = 0;
    size_t page;

    for (page = 1; page <= pages; page++) {
        restway_request *request = paged_request();
        restway_response *response = NULL;
        restway_error *error = NULL;
        restway_value number = restway_value_int64((int64_t)page);

        expect(restway_request_set_parameter(request, "page", &number, &error), &error);
        expect(restway_client_perform(client, request, 0, &response, &error), &error);
        count += restway_response_object_count(response);
        restway_response_release(response);
        restway_request_release(request);
    }
    return count;
}

int main(int argc, char **argv) {
    const char *document = text_argument(argc, argv, 1, "DOCUMENT");
    const char *base = text_argument(argc, argv, 2, "BASE-URL");
    size_t pages = count_argument(argc, argv, 3, "PAGES");
    size_t objects = count_argument(argc, argv, 4, "OBJECTS");
    int is_paged = strcmp(text_argument(argc, argv, 5, "pages|gets"), "pages") == 0;
    restway_client *client = ours_client(document, base);
    restway_request *request = paged_request();
    double begun = wall_seconds();
    size_t count = is_paged ? read_pages(client, request) : make_requests(client, pages);
    double seconds = wall_seconds() - begun;

    if (count != objects) fail("%zu objects instead of %zu", count, objects);
    printf("{\"seconds\": %.9f}\n", seconds);

    restway_request_release(request);
    restway_client_release(client);
    return 0;
}

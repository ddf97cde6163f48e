/* Measures a large body without objects: it is downloaded with libcurl, parsed with Jansson, and
 * dropped. The two parts are measured separately.
 *
 *     floor_map URL */
#include "floor.h"
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    const char *url = text_argument(argc, argv, 1, "URL");
    struct body body = {NULL, 0, 0};
    struct curl_slist *headers;
    double begun, downloaded, parsed;
    size_t bytes;
    CURLcode code;
    CURL *easy;

    curl_global_init(CURL_GLOBAL_DEFAULT);
    headers = floor_headers();
    if (headers == NULL) fail("no memory");
    easy = floor_handle(url, headers, &body);

    begun = wall_seconds();
    code = curl_easy_perform(easy);
    downloaded = wall_seconds();
    bytes = body.count;
    floor_parse(easy, code, &body);
    parsed = wall_seconds();
    printf(
        "{\"bytes\": %zu, \"download_seconds\": %.9f, \"parse_seconds\": %.9f}\n", bytes,
        downloaded - begun, parsed - downloaded);

    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
    curl_global_cleanup();
    free(body.bytes);
    return 0;
}

/* The plain program with which one request at a time is compared: one easy handle is used
 * repeatedly, and each body is parsed with Jansson.
 *
 *     floor_easy BASE-URL REQUESTS [CA-FILE] */
#include "floor.h"
#include "measure.h"

#include <stdio.h>
#include <stdlib.h>

static void perform(CURL *easy, struct body *body) {
    floor_parse(easy, curl_easy_perform(easy), body);
}

int main(int argc, char **argv) {
    const char *base = text_argument(argc, argv, 1, "BASE-URL");
    size_t requests = count_argument(argc, argv, 2, "REQUESTS");
    double *seconds = calloc(requests, sizeof *seconds);
    char *url = company_url(base, 0);
    struct body body = {NULL, 0, 0};
    struct curl_slist *headers;
    CURL *easy;
    size_t i;

    curl_global_init(CURL_GLOBAL_DEFAULT);
    headers = floor_headers();
    if (seconds == NULL || headers == NULL) fail("no memory");
    easy = floor_handle(url, headers, &body);
    if (argc > 3) curl_easy_setopt(easy, CURLOPT_CAINFO, argv[3]);

    for (i = 0; i < WARM_UP; i++) perform(easy, &body);
    for (i = 0; i < requests; i++) {
        double begun = wall_seconds();

        perform(easy, &body);
        seconds[i] = wall_seconds() - begun;
    }
    printf("{\"latency_seconds\": %.9f}\n", median(seconds, requests));

    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
    curl_global_cleanup();
    free(body.bytes);
    free(url);
    free(seconds);
    return 0;
}

/* Common code of the programs that use libcurl and Jansson without Restway. */
#ifndef RESTWAY_BENCHMARKS_FLOOR_H
#define RESTWAY_BENCHMARKS_FLOOR_H

#include <curl/curl.h>
#include <stddef.h>

/* The body of a response; its memory is used again for the next one. */
struct body {
    char *bytes;
    size_t count;
    size_t capacity;
};

/* Returns the headers that Restway also sends. The caller frees them. */
struct curl_slist *floor_headers(void);

/* Returns an easy handle that collects the body of `url` in `body`; it is set up once and performed
 * many times. */
CURL *floor_handle(const char *url, struct curl_slist *headers, struct body *body);

/* Ends the program unless the transfer succeeded; parses its body and drops the value. */
void floor_parse(CURL *easy, CURLcode code, struct body *body);

#endif

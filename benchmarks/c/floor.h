/* What the programs share that use libcurl and Jansson without Restway. */
#ifndef RESTWAY_BENCHMARKS_FLOOR_H
#define RESTWAY_BENCHMARKS_FLOOR_H

#include <curl/curl.h>
#include <stddef.h>

/* A body as it comes in; reused for the next one. */
struct body {
    char *bytes;
    size_t count;
    size_t capacity;
};

/* The headers that Restway sends too. The caller frees them. */
struct curl_slist *floor_headers(void);

/* An easy handle that collects the body of `url` in `body`; set up once, performed many times. */
CURL *floor_handle(const char *url, struct curl_slist *headers, struct body *body);

/* Ends the program unless the transfer went well; parses its body and throws the value away. */
void floor_parse(CURL *easy, CURLcode code, struct body *body);

#endif

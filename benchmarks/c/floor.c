#include "floor.h"

#include "measure.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct curl_slist *floor_headers(void) {
    return curl_slist_append(NULL, "Accept: application/json");
}

static size_t collect(char *data, size_t size, size_t count, void *context) {
    struct body *body = context;
    size_t bytes = size * count;

    if (bytes > body->capacity - body->count) {
        size_t capacity = body->capacity == 0 ? 4096 : body->capacity;
        char *grown;

        while (capacity - body->count < bytes) capacity *= 2;
        grown = realloc(body->bytes, capacity);
        if (grown == NULL) return 0;
        body->bytes = grown;
        body->capacity = capacity;
    }
    memcpy(body->bytes + body->count, data, bytes);
    body->count += bytes;
    return bytes;
}

CURL *floor_handle(const char *url, struct curl_slist *headers, struct body *body) {
    CURL *easy = curl_easy_init();

    if (easy == NULL) fail("no easy handle");
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_USERAGENT, "floor/1.0");
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, collect);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, body);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 60000L);
    return easy;
}

void floor_parse(CURL *easy, CURLcode code, struct body *body) {
    long status = 0;
    json_error_t error;
    json_t *value;

    if (code != CURLE_OK) fail("libcurl: %s", curl_easy_strerror(code));
    curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    if (status != 200) fail("the server answered with %ld", status);
    value = json_loadb(body->bytes, body->count, 0, &error);
    if (value == NULL) fail("Jansson: %s", error.text);
    json_decref(value);
    body->count = 0;
}

/* A cassette: exchanges in a readable JSON file.
 *
 * {"restwayCassette": 1, "exchanges": [
 *   {"request": {"method", "url", "headers": [[name, value]], "body"},
 *    "response": {"status", "httpVersion", "headers", "body", "trailers"}},
 *   {"request": {...}, "error": {"result": 104, "text": "..."}}]}
 */
#ifndef RESTWAY_REPLAY_CASSETTE_H
#define RESTWAY_REPLAY_CASSETTE_H

#include <jansson.h>
#include <restway/plugin.h>

#include "body.h"

#define CASSETTE_VERSION 1

/* Header lines in the form that the host takes; their texts belong to the cassette's tree. */
struct lines {
    restway_plugin_header *lines;
    size_t count;
};

/* An exchange that has been checked. */
struct played {
    const char *method;
    const char *url;
    /* The body as {"json"} and so on; JSON null without a body. */
    json_t *request_body;
    /* 0 means that the exchange failed. */
    int32_t status;
    int32_t http_version;
    struct lines headers;
    struct lines trailers;
    struct bytes body;
    /* The length of `body`, in place of the recorded one. */
    char length[24];
    int32_t result;
    const char *text;
    /* How often the exchange was played. */
    size_t count;
};

struct cassette {
    json_t *tree;
    struct played *exchanges;
    size_t count;
};

/* Reads a whole cassette; reports what is wrong with it and where. */
int32_t cassette_read(struct cassette *cassette, const char *path, restway_plugin_reason *reason);

void cassette_free(struct cassette *cassette);

/* Writes an array of exchanges into the file at `path`, completely or not at all.
 *
 * @param out_bytes Receives how large that is, if it succeeds.
 * @return 0, or the errno of what failed. */
int cassette_write(const char *path, json_t *exchanges, size_t *out_bytes);

/* Writes text to the disk; returns 0, or the errno of the failure. */
int write_all(int descriptor, const char *text, size_t length);

/* Checks whether a file can be written there; returns 0, or an errno. */
int cassette_check(const char *path);

#endif

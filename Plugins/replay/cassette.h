/* A cassette: exchanges in a JSON file that people can read.
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

/* Header lines, as the host takes them; the texts are those of the cassette's tree. */
struct lines {
    restway_plugin_header *lines;
    size_t count;
};

/* An exchange, checked. */
struct played {
    const char *method;
    const char *url;
    /* {"json"} and so on; JSON null for none. */
    json_t *request_body;
    /* 0: it failed. */
    int32_t status;
    int32_t http_version;
    struct lines headers;
    struct lines trailers;
    struct bytes body;
    /* The length of `body`, in place of what was recorded. */
    char length[24];
    int32_t result;
    const char *text;
    /* How often it was played. */
    size_t count;
};

struct cassette {
    json_t *tree;
    struct played *exchanges;
    size_t count;
};

/* Reads a whole cassette, and says what is wrong with it and where. */
int32_t cassette_read(struct cassette *cassette, const char *path, restway_plugin_reason *reason);

void cassette_free(struct cassette *cassette);

/* Puts an array of exchanges into the file at `path`, whole or not at all.
 *
 * @param out_bytes Receives how large that is, if it succeeds.
 * @return 0, or the errno of what failed. */
int cassette_write(const char *path, json_t *exchanges, size_t *out_bytes);

/* Writes text to the disk: 0, or the errno of what failed. */
int write_all(int descriptor, const char *text, size_t length);

/* Whether a file can be written there: 0, or why not, as an errno. */
int cassette_check(const char *path);

#endif

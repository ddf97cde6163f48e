/* {"cassette": path, "mode": "play"|"record"|"auto", "match": "strict"|"loose",
 *  "redact": [names]} */
#ifndef RESTWAY_REPLAY_OPTIONS_H
#define RESTWAY_REPLAY_OPTIONS_H

#include <jansson.h>
#include <restway/plugin.h>

struct options {
    /* NULL if the options name no cassette. */
    char *cassette;
    int records;
    int is_loose;
    /* An owned reference, or NULL. */
    json_t *redact;
};

/* Reads the options; reports which key is wrong.
 *
 * @param needs_cassette 0 when a client may name it later. */
int32_t options_read(
    struct options *options, const char *text, int needs_cassette, restway_plugin_reason *reason);

void options_free(struct options *options);

/* Writes a reason for a failure. */
int32_t fail(restway_plugin_reason *reason, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif

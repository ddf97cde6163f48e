/* Removes secrets before they get into a cassette. */
#ifndef RESTWAY_REPLAY_REDACT_H
#define RESTWAY_REPLAY_REDACT_H

#include <jansson.h>
#include <stddef.h>

/* The mark that replaces a secret. */
#define REDACTED "[redacted]"

/* Names of headers, query parameters and fields of bodies; their case does not matter. */
struct redaction {
    /* An array of names in addition to the names that are always secret; NULL for no more
     * names. */
    json_t *names;
};

/* Returns whether a header or a query parameter of that name holds a secret. */
int redaction_has(const struct redaction *redaction, const char *name, size_t length);

/* Returns the URL without user and password, and without the values of secret parameters; NULL when
 * out of memory. Owned by the caller. */
char *redaction_url(const struct redaction *redaction, const char *url);

/* Replaces the values of secret members at any depth; returns false when out of memory. */
int redaction_json(const struct redaction *redaction, json_t *value);

/* Returns whether a text contains the name of a secret that a body may hold. */
int redaction_is_named_in(const struct redaction *redaction, const char *text);

/* Returns the form without the values of secret fields; NULL when out of memory. Owned by the
 * caller. */
char *redaction_form(const struct redaction *redaction, const char *text);

#endif

/* What must not get into a cassette. */
#ifndef RESTWAY_REPLAY_REDACT_H
#define RESTWAY_REPLAY_REDACT_H

#include <jansson.h>
#include <stddef.h>

/* Stands where a secret was. */
#define REDACTED "[redacted]"

/* Names of headers, query parameters and fields of bodies; case does not count. */
struct redaction {
    /* An array of strings, beside those that are always left out; NULL for none. */
    json_t *names;
};

/* Whether a header, or a query parameter, of that name holds a secret. */
int redaction_has(const struct redaction *redaction, const char *name, size_t length);

/* The URL without user and password, and without the values of secret parameters. NULL: out of
 * memory. Owned by the caller. */
char *redaction_url(const struct redaction *redaction, const char *url);

/* Replaces the values of secret members, however deep. False: out of memory. */
int redaction_json(const struct redaction *redaction, json_t *value);

/* Whether a text names a secret that a body may hold. */
int redaction_is_named_in(const struct redaction *redaction, const char *text);

/* As redaction_url, for the fields of a form. */
char *redaction_form(const struct redaction *redaction, const char *text);

#endif

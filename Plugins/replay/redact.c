#include "redact.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Secret names of headers and query parameters. */
static const char *const always[] = {
    "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token",
    "x-csrf-token", "api-key", "access_token", "refresh_token", "id_token", "token", "auth",
    "api_key", "apikey", "key", "password", "passwd", "secret", "client_secret", "signature",
    "sig", "code", "session", "sessionid", "jwt", NULL,
};

/* Endings of names of secret headers. */
static const char *const endings[] = {
    "-token", "-secret", "-password", "-signature", "-credential", "-jwt", "-api-key", NULL,
};

/* Secret names of members of bodies, where "key" and "code" are ordinary names. */
static const char *const in_bodies[] = {
    "access_token", "refresh_token", "id_token", "client_secret", "password", "api_key", "apikey",
    NULL,
};

static int is_named(const char *name, size_t length, const char *other) {
    return strlen(other) == length && strncasecmp(name, other, length) == 0;
}

static int is_among(const char *const *names, const char *name, size_t length) {
    for (; *names != NULL; names++) {
        if (is_named(name, length, *names)) {
            return 1;
        }
    }
    return 0;
}

static int has_ending(const char *name, size_t length) {
    for (const char *const *ending = endings; *ending != NULL; ending++) {
        const size_t count = strlen(*ending);
        if (length > count && is_named(name + length - count, count, *ending)) {
            return 1;
        }
    }
    return 0;
}

static int is_configured(const struct redaction *redaction, const char *name, size_t length) {
    size_t index;
    json_t *other;
    json_array_foreach(redaction->names, index, other) {
        if (is_named(name, length, json_string_value(other))) {
            return 1;
        }
    }
    return 0;
}

int redaction_has(const struct redaction *redaction, const char *name, size_t length) {
    return is_among(always, name, length) || has_ending(name, length)
        || is_configured(redaction, name, length);
}

static int is_secret_in_bodies(
    const struct redaction *redaction, const char *name, size_t length) {
    return is_among(in_bodies, name, length) || is_configured(redaction, name, length);
}

typedef int (*is_secret_fn)(const struct redaction *redaction, const char *name, size_t length);

/* Whether the name of a field is secret. A nested name such as "card[token]" or "card.token" is
 * secret if one of its parts is. */
static int is_secret_field(
    const struct redaction *redaction, is_secret_fn is_secret, const char *name, size_t length) {
    size_t start = 0;
    for (size_t end = 0; end <= length; end++) {
        if (end < length && name[end] != '[' && name[end] != ']' && name[end] != '.') {
            continue;
        }
        if (end > start && is_secret(redaction, name + start, end - start)) {
            return 1;
        }
        start = end + 1;
    }
    return is_secret(redaction, name, length);
}

static int hex(char digit) {
    if (digit >= '0' && digit <= '9') {
        return digit - '0';
    }
    digit = (char)(digit | 0x20);
    return digit >= 'a' && digit <= 'f' ? digit - 'a' + 10 : -1;
}

/* Decodes the name of a parameter, so that "%74oken" is found as "token". */
static size_t decode(const char *text, size_t length, char *out) {
    size_t count = 0;
    for (size_t index = 0; index < length; index++) {
        if (text[index] == '%' && index + 2 < length && hex(text[index + 1]) >= 0
            && hex(text[index + 2]) >= 0) {
            out[count++] = (char)(hex(text[index + 1]) * 16 + hex(text[index + 2]));
            index += 2;
        } else {
            out[count++] = text[index] == '+' ? ' ' : text[index];
        }
    }
    return count;
}

/* Copies the fields of a form, "a=1&b=2", to `out`, which has enough space for the mark in place of
 * every value. */
static char *copy_pairs(
    const struct redaction *redaction, const char *text, size_t length, char *out,
    char *scratch) {
    const char *end = text + length;
    while (text <= end) {
        const char *pair_end = memchr(text, '&', (size_t)(end - text));
        if (pair_end == NULL) {
            pair_end = end;
        }
        const char *equals = memchr(text, '=', (size_t)(pair_end - text));
        const size_t name = equals == NULL ? 0 : (size_t)(equals - text);
        const size_t decoded = decode(text, name, scratch);
        const int is_secret =
            equals != NULL
            && is_secret_field(redaction, is_secret_in_bodies, scratch, decoded);
        const size_t kept = is_secret ? name + 1 : (size_t)(pair_end - text);
        memcpy(out, text, kept);
        out += kept;
        if (is_secret) {
            memcpy(out, REDACTED, sizeof REDACTED - 1);
            out += sizeof REDACTED - 1;
        }
        if (pair_end == end) {
            break;
        }
        *out++ = '&';
        text = pair_end + 1;
    }
    return out;
}

/* Returns enough space for `length` bytes of pairs, each with the mark. */
static size_t room(size_t length) {
    return length * sizeof REDACTED + sizeof REDACTED + 1;
}

/* Copies a URL, or a text that contains URLs, to `out`, with the mark in place of every secret
 * value of a query or a fragment. A URL contains no ">", quote or space; these surround it. */
static char *copy_parameters(
    const struct redaction *redaction, const char *text, char *out, char *scratch) {
    while (*text != '\0') {
        const char mark = *text++;
        *out++ = mark;
        if (mark != '?' && mark != '&' && mark != '#') {
            continue;
        }
        const size_t name = strcspn(text, "=?&#>\" ");
        const size_t decoded = decode(text, name, scratch);
        if (text[name] != '='
            || !is_secret_field(redaction, redaction_has, scratch, decoded)) {
            continue;
        }
        memcpy(out, text, name + 1);
        out += name + 1;
        memcpy(out, REDACTED, sizeof REDACTED - 1);
        out += sizeof REDACTED - 1;
        text += name + 1;
        text += strcspn(text, "&#>\" ");
    }
    return out;
}

char *redaction_url(const struct redaction *redaction, const char *url) {
    const char *scheme = strstr(url, "://");
    const char *authority = scheme == NULL ? url : scheme + 3;
    const char *authority_end = authority + strcspn(authority, "/?#");
    const char *start = authority;
    for (const char *at = authority; scheme != NULL && at < authority_end; at++) {
        if (*at == '@') {
            start = at + 1;
        }
    }
    const size_t prefix = (size_t)(authority - url);
    const size_t rest = strlen(start);
    char *result = malloc(prefix + room(rest));
    char *scratch = malloc(rest + 1);
    if (result == NULL || scratch == NULL) {
        free(result);
        free(scratch);
        return NULL;
    }
    memcpy(result, url, prefix);
    *copy_parameters(redaction, start, result + prefix, scratch) = '\0';
    free(scratch);
    return result;
}

char *redaction_form(const struct redaction *redaction, const char *text) {
    const size_t length = strlen(text);
    char *result = malloc(room(length));
    char *scratch = malloc(length + 1);
    if (result == NULL || scratch == NULL) {
        free(result);
        free(scratch);
        return NULL;
    }
    *copy_pairs(redaction, text, length, result, scratch) = '\0';
    free(scratch);
    return result;
}

static int holds(const char *text, const char *name) {
    const size_t length = strlen(name);
    for (; *text != '\0'; text++) {
        if (strncasecmp(text, name, length) == 0) {
            return 1;
        }
    }
    return 0;
}

int redaction_is_named_in(const struct redaction *redaction, const char *text) {
    size_t index;
    json_t *name;
    for (const char *const *known = in_bodies; *known != NULL; known++) {
        if (holds(text, *known)) {
            return 1;
        }
    }
    json_array_foreach(redaction->names, index, name) {
        if (holds(text, json_string_value(name))) {
            return 1;
        }
    }
    return 0;
}

int redaction_json(const struct redaction *redaction, json_t *value) {
    if (json_is_array(value)) {
        for (size_t index = 0; index < json_array_size(value); index++) {
            if (!redaction_json(redaction, json_array_get(value, index))) {
                return 0;
            }
        }
        return 1;
    }
    for (void *place = json_object_iter(value); place != NULL;
         place = json_object_iter_next(value, place)) {
        const char *key = json_object_iter_key(place);
        json_t *member = json_object_iter_value(place);
        const int is_secret = is_among(in_bodies, key, strlen(key))
            || is_configured(redaction, key, strlen(key));
        if (is_secret && !json_is_null(member)) {
            json_t *mark = json_string(REDACTED);
            if (mark == NULL || json_object_iter_set_new(value, place, mark) != 0) {
                return 0;
            }
        } else if (!redaction_json(redaction, member)) {
            return 0;
        }
    }
    return 1;
}

#include "cassette.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "journal.h"
#include "options.h"

/* The place of an error in a cassette. */
struct place {
    size_t index;
    restway_plugin_reason *reason;
};

static int wrong(const struct place *place, const char *where, const char *what) {
    fail(place->reason, "exchanges[%zu].%s: %s", place->index, where, what);
    return 0;
}

static int is_text(json_t *value) {
    return json_is_string(value) && strlen(json_string_value(value)) == json_string_length(value);
}

/* The header lines are lent to the host from the tree, except those that belong to the
 * connection. */
static int read_lines(
    json_t *array, struct lines *out, const char *own_length, const struct place *place,
    const char *where) {
    size_t index;
    json_t *line;
    if (array == NULL) {
        return 1;
    }
    if (!json_is_array(array)) {
        return wrong(place, where, "must be an array");
    }
    out->lines = calloc(json_array_size(array) + 1, sizeof *out->lines);
    if (out->lines == NULL) {
        return wrong(place, where, "out of memory");
    }
    json_array_foreach(array, index, line) {
        json_t *name = json_array_get(line, 0), *value = json_array_get(line, 1);
        if (json_array_size(line) != 2 || !is_text(name) || !is_text(value)) {
            return wrong(place, where, "must hold pairs of a name and a value");
        }
        if (strcasecmp(json_string_value(name), "Transfer-Encoding") == 0) {
            continue;
        }
        const int is_length = strcasecmp(json_string_value(name), "Content-Length") == 0;
        out->lines[out->count].name = json_string_value(name);
        out->lines[out->count++].value =
            is_length && own_length != NULL ? own_length : json_string_value(value);
    }
    return 1;
}

static int read_response(struct played *played, json_t *response, const struct place *place) {
    json_t *status = json_object_get(response, "status");
    if (!json_is_integer(status) || json_integer_value(status) < 200
        || json_integer_value(status) > 999) {
        return wrong(place, "response.status", "must be a number from 200 to 999");
    }
    if (!body_from_json(json_object_get(response, "body"), &played->body)) {
        return wrong(place, "response.body", "must be {\"json\"}, {\"text\"} or {\"base64\"}");
    }
    played->status = (int32_t)json_integer_value(status);
    played->http_version =
        (int32_t)json_integer_value(json_object_get(response, "httpVersion"));
    snprintf(played->length, sizeof played->length, "%zu", played->body.length);
    /* The Content-Length of an answer to HEAD belongs to a body that is not sent. */
    const char *length = played->body.length > 0 ? played->length : NULL;
    return read_lines(
               json_object_get(response, "headers"), &played->headers, length, place,
               "response.headers")
        && read_lines(
            json_object_get(response, "trailers"), &played->trailers, NULL, place,
            "response.trailers");
}

static int read_error(struct played *played, json_t *error, const struct place *place) {
    json_t *result = json_object_get(error, "result"), *text = json_object_get(error, "text");
    if (!json_is_integer(result) || json_integer_value(result) == RESTWAY_PLUGIN_OK
        || json_integer_value(result) > 1000) {
        return wrong(place, "error.result", "must be a number");
    }
    if (text != NULL && !is_text(text)) {
        return wrong(place, "error.text", "must be a string");
    }
    played->result = (int32_t)json_integer_value(result);
    played->text = text == NULL ? NULL : json_string_value(text);
    return 1;
}

static int read_exchange(struct played *played, json_t *exchange, const struct place *place) {
    json_t *request = json_object_get(exchange, "request");
    json_t *response = json_object_get(exchange, "response");
    json_t *error = json_object_get(exchange, "error");
    struct bytes body = {0};
    if (!is_text(json_object_get(request, "method"))) {
        return wrong(place, "request.method", "must be a string");
    }
    if (!is_text(json_object_get(request, "url"))) {
        return wrong(place, "request.url", "must be a string");
    }
    played->method = json_string_value(json_object_get(request, "method"));
    played->url = json_string_value(json_object_get(request, "url"));
    played->request_body = json_object_get(request, "body");
    const int is_body = body_from_json(played->request_body, &body);
    bytes_free(&body);
    if (!is_body) {
        return wrong(place, "request.body", "must be {\"json\"}, {\"text\"} or {\"base64\"}");
    }
    if (json_is_object(response) == json_is_object(error)) {
        return wrong(place, "response", "either this or an error must be an object");
    }
    return json_is_object(response) ? read_response(played, response, place)
                                    : read_error(played, error, place);
}

static int32_t read_tree(struct cassette *cassette, restway_plugin_reason *reason) {
    json_t *version = json_object_get(cassette->tree, "restwayCassette");
    json_t *exchanges = json_object_get(cassette->tree, "exchanges");
    if (!json_is_integer(version)) {
        return fail(reason, "is no cassette: \"restwayCassette\" is missing");
    }
    if (json_integer_value(version) != CASSETTE_VERSION) {
        return fail(
            reason, "is of version %lld; this plugin reads version %d",
            (long long)json_integer_value(version), CASSETTE_VERSION);
    }
    if (!json_is_array(exchanges)) {
        return fail(reason, "\"exchanges\" must be an array");
    }
    cassette->count = json_array_size(exchanges);
    cassette->exchanges = calloc(cassette->count + 1, sizeof *cassette->exchanges);
    if (cassette->exchanges == NULL) {
        return RESTWAY_PLUGIN_OUT_OF_MEMORY;
    }
    for (size_t index = 0; index < cassette->count; index++) {
        const struct place place = {index, reason};
        json_t *exchange = json_array_get(exchanges, index);
        if (!read_exchange(&cassette->exchanges[index], exchange, &place)) {
            return RESTWAY_PLUGIN_FAILED;
        }
    }
    return RESTWAY_PLUGIN_OK;
}

int32_t cassette_read(struct cassette *cassette, const char *path, restway_plugin_reason *reason) {
    json_error_t error;
    char why[256];
    memset(cassette, 0, sizeof *cassette);
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        return fail(reason, "cassette: %.300s: %s", path, strerror(errno));
    }
    cassette->tree = json_loadf(file, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    fclose(file);
    if (cassette->tree == NULL) {
        reason->line = error.line;
        reason->column = error.column;
        return fail(
            reason, "cassette: %.200s: line %d column %d: %.120s", path, error.line, error.column,
            error.text);
    }
    json_t *exchanges = json_object_get(cassette->tree, "exchanges");
    int32_t result = json_is_array(exchanges) ? journal_read(path, exchanges, reason)
                                              : RESTWAY_PLUGIN_OK;
    if (result != RESTWAY_PLUGIN_OK) {
        cassette_free(cassette);
        return result;
    }
    result = read_tree(cassette, reason);
    if (result != RESTWAY_PLUGIN_OK) {
        cassette_free(cassette);
        snprintf(why, sizeof why, "%.200s", reason->text);
        return fail(reason, "cassette: %.200s: %s", path, why);
    }
    return RESTWAY_PLUGIN_OK;
}

void cassette_free(struct cassette *cassette) {
    for (size_t index = 0; cassette->exchanges != NULL && index < cassette->count; index++) {
        free(cassette->exchanges[index].headers.lines);
        free(cassette->exchanges[index].trailers.lines);
        bytes_free(&cassette->exchanges[index].body);
    }
    free(cassette->exchanges);
    json_decref(cassette->tree);
    memset(cassette, 0, sizeof *cassette);
}

/* A file beside the one at `path`, which is then renamed to it. */
static int open_beside(const char *path, char **out_name) {
    const size_t size = strlen(path) + sizeof ".XXXXXX";
    *out_name = malloc(size);
    if (*out_name == NULL) {
        errno = ENOMEM;
        return -1;
    }
    snprintf(*out_name, size, "%s.XXXXXX", path);
    const int descriptor = mkstemp(*out_name);
    if (descriptor < 0) {
        free(*out_name);
    }
    return descriptor;
}

int cassette_check(const char *path) {
    char *name;
    const int descriptor = open_beside(path, &name);
    if (descriptor < 0) {
        return errno;
    }
    close(descriptor);
    unlink(name);
    free(name);
    return 0;
}

int write_all(int descriptor, const char *text, size_t length) {
    while (length > 0) {
        const ssize_t written = write(descriptor, text, length);
        if (written < 0 && errno != EINTR) {
            return errno;
        }
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
    return fsync(descriptor) == 0 ? 0 : errno;
}

int cassette_write(const char *path, json_t *exchanges, size_t *out_bytes) {
    char *name;
    json_t *tree = json_pack("{s:i, s:O}", "restwayCassette", CASSETTE_VERSION, "exchanges",
                             exchanges);
    char *text = tree == NULL ? NULL : json_dumps(tree, JSON_INDENT(2));
    json_decref(tree);
    if (text == NULL) {
        return ENOMEM;
    }
    const int descriptor = open_beside(path, &name);
    int error = descriptor < 0 ? errno : write_all(descriptor, text, strlen(text));
    if (descriptor >= 0) {
        if (close(descriptor) != 0 && error == 0) {
            error = errno;
        }
        if (error == 0 && rename(name, path) != 0) {
            error = errno;
        }
        if (error != 0) {
            unlink(name);
        } else {
            *out_bytes = strlen(text);
        }
        free(name);
    }
    free(text);
    return error;
}

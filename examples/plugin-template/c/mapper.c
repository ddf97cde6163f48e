/* A mapper that reads text/csv (RFC 4180), whose first line names the columns, as a list of
 * objects. */
#include <stdlib.h>
#include <string.h>

#include "template.h"

#define COLUMNS_MAX 1024

char csv_separator = ',';

/* A field as it is written in the body; inside quotes, two quotes mean one. */
typedef struct field {
    const char *text;
    size_t length;
    int has_quotes;
} field;

typedef struct reader {
    const char *at, *end;
    const restway_plugin_sink *sink;
    restway_plugin_reason *reason;
    int64_t line;
    field columns[COLUMNS_MAX];
    size_t column_count;
} reader;

static int32_t malformed(reader *self, const char *what) {
    self->reason->line = self->line;
    return fail(self->reason, RESTWAY_PLUGIN_MALFORMED, "not valid CSV: %s", what);
}

/* Texts must be UTF-8; the host relies on it. */
static int is_utf8(const char *text, size_t length) {
    const unsigned char *at = (const unsigned char *)text, *end = at + length;
    while (at < end) {
        const int more = *at < 0x80   ? 0
                         : *at < 0xC2 ? -1
                         : *at < 0xE0 ? 1
                         : *at < 0xF0 ? 2
                         : *at < 0xF5 ? 3
                                      : -1;
        if (more < 0 || end - at <= more) {
            return 0;
        }
        if ((*at == 0xE0 && at[1] < 0xA0) || (*at == 0xED && at[1] > 0x9F) ||
            (*at == 0xF0 && at[1] < 0x90) || (*at == 0xF4 && at[1] > 0x8F)) {
            return 0;
        }
        for (int index = 1; index <= more; index++) {
            if ((at[index] & 0xC0) != 0x80) {
                return 0;
            }
        }
        at += more + 1;
    }
    return 1;
}

/* Reads the next field, and what follows it: a separator, or the end of the line. */
static int32_t next_field(reader *self, field *field, int *ends_line) {
    field->has_quotes = self->at < self->end && *self->at == '"';
    field->text = self->at += field->has_quotes;
    while (self->at < self->end) {
        if (field->has_quotes && *self->at == '"') {
            if (self->end - self->at < 2 || self->at[1] != '"') {
                break;
            }
            self->at++;
        } else if (!field->has_quotes && (*self->at == csv_separator || *self->at == '\n')) {
            break;
        }
        self->line += *self->at == '\n';
        self->at++;
    }
    field->length = (size_t)(self->at - field->text);
    if (field->has_quotes && self->at++ == self->end) {
        return malformed(self, "a quote is not closed");
    }
    if (!field->has_quotes && field->length > 0 && field->text[field->length - 1] == '\r') {
        field->length--;
    }
    if (!is_utf8(field->text, field->length)) {
        return malformed(self, "a text is no UTF-8");
    }
    self->at += self->at < self->end && *self->at == '\r';
    *ends_line = self->at >= self->end || *self->at == '\n';
    if (self->at < self->end && !*ends_line && *self->at != csv_separator) {
        return malformed(self, "something stands behind a closing quote");
    }
    self->line += *ends_line;
    self->at += self->at < self->end;
    return RESTWAY_PLUGIN_OK;
}

/* Pushes a text, with doubled quotes replaced by single ones. The sink's answer goes to
 * `answer`. */
static int32_t push(
    reader *self, const field *field, int32_t (*function)(void *, const char *, size_t),
    int32_t *answer) {
    const char *text = field->text;
    char *plain = NULL;
    size_t length = field->length;
    if (field->has_quotes && memchr(text, '"', length) != NULL) {
        plain = malloc(length);
        if (plain == NULL) {
            return fail(self->reason, RESTWAY_PLUGIN_OUT_OF_MEMORY, "out of memory");
        }
        length = 0;
        for (size_t index = 0; index < field->length; index++) {
            plain[length++] = text[index];
            index += text[index] == '"';
        }
        text = plain;
    }
    *answer = function(self->sink->context, text, length);
    free(plain);
    return RESTWAY_PLUGIN_OK;
}

/* Reads a line as an object. If the sink answered SKIP, `is_wanted` is false: the line is read, but
 * not pushed. */
static int32_t read_row(reader *self, int is_wanted, int32_t *answer) {
    size_t column = 0;
    int ends_line = 0;
    while (!ends_line && *answer != RESTWAY_PLUGIN_STOP) {
        field field;
        int32_t result = next_field(self, &field, &ends_line);
        if (result == RESTWAY_PLUGIN_OK && column >= self->column_count) {
            result = malformed(self, "a line has more fields than there are columns");
        }
        if (result == RESTWAY_PLUGIN_OK && is_wanted) {
            result = push(self, &self->columns[column], self->sink->key, answer);
            if (result == RESTWAY_PLUGIN_OK && *answer == RESTWAY_PLUGIN_WANT) {
                result = push(self, &field, self->sink->string, answer);
            }
        }
        if (result != RESTWAY_PLUGIN_OK) {
            return result;
        }
        column++;
    }
    if (is_wanted && *answer != RESTWAY_PLUGIN_STOP) {
        *answer = self->sink->end_object(self->sink->context);
    }
    return RESTWAY_PLUGIN_OK;
}

static int32_t read_columns(reader *self) {
    int ends_line = self->at == self->end;
    while (!ends_line) {
        if (self->column_count == COLUMNS_MAX) {
            return fail(self->reason, RESTWAY_PLUGIN_FAILED, "more than %d columns", COLUMNS_MAX);
        }
        int32_t result = next_field(self, &self->columns[self->column_count++], &ends_line);
        if (result != RESTWAY_PLUGIN_OK) {
            return result;
        }
    }
    return RESTWAY_PLUGIN_OK;
}

static int32_t read_all(reader *self, int64_t depth_max) {
    const restway_plugin_sink *sink = self->sink;
    int32_t result = read_columns(self);
    if (result != RESTWAY_PLUGIN_OK) {
        return result;
    }
    /* The nesting limit also applies to skipped values. */
    if (depth_max < 1 || (depth_max < 2 && self->at < self->end)) {
        return fail(self->reason, RESTWAY_PLUGIN_TOO_DEEP, "nested too deeply");
    }
    int32_t answer = sink->begin_array(sink->context, -1);
    const int is_list_wanted = answer == RESTWAY_PLUGIN_WANT;
    while (self->at < self->end && answer != RESTWAY_PLUGIN_STOP) {
        if (is_list_wanted) {
            answer = sink->begin_object(sink->context);
        }
        if (answer != RESTWAY_PLUGIN_STOP) {
            const int is_wanted = is_list_wanted && answer == RESTWAY_PLUGIN_WANT;
            result = read_row(self, is_wanted, &answer);
        }
        if (result != RESTWAY_PLUGIN_OK) {
            return result;
        }
    }
    if (is_list_wanted && answer != RESTWAY_PLUGIN_STOP) {
        sink->end_array(sink->context);
    }
    return RESTWAY_PLUGIN_OK;
}

static int32_t decode(
    void *context, const void *bytes, size_t length, const restway_plugin_sink *sink,
    const restway_plugin_limits *limits, restway_plugin_reason *reason) {
    (void)context;
    reader *self = malloc(sizeof *self);
    if (self == NULL) {
        return fail(reason, RESTWAY_PLUGIN_OUT_OF_MEMORY, "out of memory");
    }
    self->at = bytes;
    self->end = self->at + length;
    self->sink = sink;
    self->reason = reason;
    self->line = 1;
    self->column_count = 0;
    const int32_t result = read_all(self, limits->nesting_depth_max);
    free(self);
    return result;
}

const restway_plugin_mapper csv_mapper = {
    .struct_size = sizeof csv_mapper,
    .name = "csv",
    .media_types = "text/csv application/csv",
    .decode = decode,
    /* This mapper does not write. */
    .encode = NULL,
};

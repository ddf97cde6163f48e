#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cassette.h"
#include "options.h"

#define JOURNAL_VERSION 1
/* A smaller cassette is always written as a whole. */
#define CASSETTE_BYTES_MIN (1u << 20)

static char *journal_name(const char *path) {
    const size_t size = strlen(path) + sizeof ".journal";
    char *name = malloc(size);
    if (name != NULL) {
        snprintf(name, size, "%s.journal", path);
    }
    return name;
}

static int put_line(struct bytes *lines, json_t *value) {
    char *text = json_dumps(value, JSON_COMPACT);
    const int is_put = text != NULL && bytes_put(lines, lines->length, text, strlen(text))
        && bytes_put(lines, lines->length, "\n", 1);
    free(text);
    return is_put;
}

/* The next lines, with the first line of a new journal. */
static int put_lines(const struct journal *journal, json_t *exchanges, struct bytes *lines) {
    int is_put = 1;
    if (journal->bytes == 0) {
        json_t *head = json_pack(
            "{s:i, s:I}", "restwayJournal", JOURNAL_VERSION, "after", (json_int_t)journal->count);
        is_put = head != NULL && put_line(lines, head);
        json_decref(head);
    }
    for (size_t index = journal->count; is_put && index < json_array_size(exchanges); index++) {
        is_put = put_line(lines, json_array_get(exchanges, index));
    }
    return is_put;
}

static int append(struct journal *journal, const char *name, const struct bytes *lines) {
    const int flags = journal->bytes == 0 ? O_CREAT | O_TRUNC : 0;
    const int descriptor = open(name, O_WRONLY | O_CLOEXEC | flags, 0600);
    if (descriptor < 0) {
        return errno;
    }
    int error = lseek(descriptor, (off_t)journal->bytes, SEEK_SET) < 0 ? errno : 0;
    if (error == 0) {
        error = write_all(descriptor, (const char *)lines->start, lines->length);
    }
    /* The remains of a failed write must not be read as lines. */
    if (error != 0 && ftruncate(descriptor, (off_t)journal->bytes) != 0) {
        journal->bytes = 0;
        unlink(name);
    }
    close(descriptor);
    return error;
}

static int write_whole(
    struct journal *journal, const char *path, const char *name, json_t *exchanges) {
    /* A journal of an earlier recording could otherwise be read as part of this one. */
    if (journal->count == 0) {
        unlink(name);
    }
    const int error = cassette_write(path, exchanges, &journal->cassette_bytes);
    if (error == 0) {
        journal->count = json_array_size(exchanges);
        journal->bytes = 0;
        unlink(name);
    }
    return error;
}

int journal_save(struct journal *journal, const char *path, json_t *exchanges) {
    struct bytes lines = {0};
    char *name = journal_name(path);
    int error = name == NULL ? ENOMEM : 0;
    if (error == 0 && journal->cassette_bytes < CASSETTE_BYTES_MIN) {
        error = write_whole(journal, path, name, exchanges);
    } else if (error == 0 && !put_lines(journal, exchanges, &lines)) {
        error = ENOMEM;
    } else if (error == 0 && journal->bytes + lines.length > journal->cassette_bytes) {
        error = write_whole(journal, path, name, exchanges);
    } else if (error == 0) {
        error = append(journal, name, &lines);
        if (error == 0) {
            journal->count = json_array_size(exchanges);
            journal->bytes += lines.length;
        } else if (error == ENOENT && journal->bytes > 0) {
            /* The journal has been removed. */
            error = write_whole(journal, path, name, exchanges);
        }
    }
    bytes_free(&lines);
    free(name);
    return error;
}

int journal_end(struct journal *journal, const char *path, json_t *exchanges) {
    char *name = journal->bytes > 0 ? journal_name(path) : NULL;
    const int error = name == NULL ? 0 : write_whole(journal, path, name, exchanges);
    free(name);
    return error;
}

/* A journal that follows another cassette, or another state of this one, is out of date. */
static int32_t read_lines(
    FILE *file, const char *name, json_t *exchanges, restway_plugin_reason *reason) {
    char *line = NULL;
    size_t room = 0, number = 0;
    int32_t result = RESTWAY_PLUGIN_OK;
    ssize_t length;
    while (result == RESTWAY_PLUGIN_OK && (length = getline(&line, &room, file)) > 0
           && line[length - 1] == '\n') {
        json_error_t error;
        json_t *value =
            json_loadb(line, (size_t)length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
        number++;
        if (value == NULL) {
            result = fail(
                reason, "cassette: %.200s: line %zu column %d: %.120s", name, number, error.column,
                error.text);
        } else if (number == 1) {
            json_t *after = json_object_get(value, "after");
            if (json_integer_value(json_object_get(value, "restwayJournal")) != JOURNAL_VERSION
                || !json_is_integer(after)) {
                result = fail(reason, "cassette: %.200s: is no journal of a cassette", name);
            } else if (json_integer_value(after) != (json_int_t)json_array_size(exchanges)) {
                json_decref(value);
                break;
            }
        } else if (json_array_append(exchanges, value) != 0) {
            result = RESTWAY_PLUGIN_OUT_OF_MEMORY;
        }
        json_decref(value);
    }
    free(line);
    return result;
}

int32_t journal_read(const char *path, json_t *exchanges, restway_plugin_reason *reason) {
    char *name = journal_name(path);
    FILE *file = name == NULL ? NULL : fopen(name, "rb");
    int32_t result = name == NULL ? RESTWAY_PLUGIN_OUT_OF_MEMORY : RESTWAY_PLUGIN_OK;
    if (file != NULL) {
        result = read_lines(file, name, exchanges, reason);
        fclose(file);
    } else if (name != NULL && errno != ENOENT && errno != ENOTDIR) {
        result = fail(reason, "cassette: %.300s: %s", name, strerror(errno));
    }
    free(name);
    return result;
}

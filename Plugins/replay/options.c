#include "options.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int32_t fail(restway_plugin_reason *reason, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason->text, sizeof reason->text, format, arguments);
    va_end(arguments);
    return RESTWAY_PLUGIN_FAILED;
}

static int32_t read_cassette(
    struct options *options, json_t *value, restway_plugin_reason *reason) {
    if (!json_is_string(value) || json_string_length(value) == 0
        || strlen(json_string_value(value)) != json_string_length(value)) {
        return fail(reason, "cassette: must be the path of a file");
    }
    options->cassette = strdup(json_string_value(value));
    return options->cassette == NULL ? RESTWAY_PLUGIN_OUT_OF_MEMORY : RESTWAY_PLUGIN_OK;
}

static int32_t read_redact(struct options *options, json_t *value, restway_plugin_reason *reason) {
    size_t index;
    json_t *name;
    int is_list = json_is_array(value);
    json_array_foreach(value, index, name) {
        is_list = is_list && json_is_string(name) && json_string_length(name) > 0;
    }
    if (!is_list) {
        return fail(reason, "redact: must be an array of names");
    }
    options->redact = json_incref(value);
    return RESTWAY_PLUGIN_OK;
}

/* Returns the index of one of two or three words; -1 for another word. */
static int word_of(json_t *value, const char *const *words) {
    for (int index = 0; words[index] != NULL; index++) {
        if (json_is_string(value) && strcmp(json_string_value(value), words[index]) == 0) {
            return index;
        }
    }
    return -1;
}

static int32_t read_member(
    struct options *options, const char *key, json_t *value, int *mode,
    restway_plugin_reason *reason) {
    static const char *const modes[] = {"play", "record", "auto", NULL};
    static const char *const matches[] = {"strict", "loose", NULL};
    if (strcmp(key, "cassette") == 0) {
        return read_cassette(options, value, reason);
    }
    if (strcmp(key, "redact") == 0) {
        return read_redact(options, value, reason);
    }
    if (strcmp(key, "mode") == 0) {
        *mode = word_of(value, modes);
        return *mode >= 0 ? RESTWAY_PLUGIN_OK
                          : fail(reason, "mode: must be \"play\", \"record\" or \"auto\"");
    }
    if (strcmp(key, "match") == 0) {
        options->is_loose = word_of(value, matches);
        return options->is_loose >= 0 ? RESTWAY_PLUGIN_OK
                                      : fail(reason, "match: must be \"strict\" or \"loose\"");
    }
    return fail(
        reason, "unknown key \"%.100s\" (there are: cassette, mode, match, redact)", key);
}

int32_t options_read(
    struct options *options, const char *text, int needs_cassette, restway_plugin_reason *reason) {
    const char *key;
    json_t *value, *object = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    int32_t result = RESTWAY_PLUGIN_OK;
    int mode = 0;
    memset(options, 0, sizeof *options);
    if (!json_is_object(object)) {
        json_decref(object);
        return fail(reason, "the options are no JSON object, or a key stands twice");
    }
    json_object_foreach(object, key, value) {
        if (result == RESTWAY_PLUGIN_OK) {
            result = read_member(options, key, value, &mode, reason);
        }
    }
    json_decref(object);
    if (result == RESTWAY_PLUGIN_OK && options->cassette == NULL && needs_cassette) {
        result = fail(reason, "cassette: is missing");
    }
    if (result != RESTWAY_PLUGIN_OK) {
        options_free(options);
        return result;
    }
    const int is_there = options->cassette != NULL && access(options->cassette, F_OK) == 0;
    options->records = mode == 1 || (mode == 2 && !is_there);
    return result;
}

void options_free(struct options *options) {
    free(options->cassette);
    json_decref(options->redact);
    memset(options, 0, sizeof *options);
}

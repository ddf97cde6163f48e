#include "samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outcome.h"
#include "sample_texts.h"
#include "settings.h"
#include "started.h"
#include "writing.h"

typedef enum format { FORMAT_OTHER, FORMAT_JSON, FORMAT_MSGPACK } format;

static format format_of(const restway_plugin_mapper *mapper) {
    if (strstr(mapper->media_types, "json") != NULL) {
        return FORMAT_JSON;
    }
    return strstr(mapper->media_types, "msgpack") != NULL ? FORMAT_MSGPACK : FORMAT_OTHER;
}

static unsigned char *room_for(size_t length) {
    unsigned char *bytes = calloc(1, length + SLACK);
    if (bytes == NULL) {
        check_skipped("no memory for a body of %zu bytes", length);
    }
    return bytes;
}

sample sample_copy(const char *name, const void *bytes, size_t length) {
    sample made = {.bytes = room_for(length), .length = length};
    snprintf(made.name, sizeof made.name, "%s", name);
    if (length > 0) {
        memcpy(made.bytes, bytes, length);
    }
    return made;
}

void sample_free(sample *sample) {
    free(sample->bytes);
    memset(sample, 0, sizeof *sample);
}

static void add(samples *samples, const char *name, const void *bytes, size_t length) {
    if (samples->count < SAMPLES_MAX) {
        samples->list[samples->count++] = sample_copy(name, bytes, length);
    }
}

static void add_own(samples *samples, const sample_text *texts, size_t count) {
    for (size_t index = 0; index < count; index++) {
        add(samples, texts[index].name, texts[index].bytes, texts[index].length);
    }
}

static void add_files(samples *samples, const restway_plugin_mapper *mapper) {
    for (size_t index = 0; index < run_settings.sample_count; index++) {
        const sample_file *file = &run_settings.samples[index];
        if (file->mapper == NULL || strcmp(file->mapper, mapper->name) == 0) {
            add(samples, file->path, file->bytes, file->length);
        }
    }
}

/* Adds the bytes that the mapper writes, for formats that only the mapper knows. Bytes that it
 * writes and does not read are no sample; the check encode.trip reports them. */
static void add_written(samples *samples, const restway_plugin_mapper *mapper) {
    size_t count;
    const value *values = values_to_write(&count);
    for (size_t index = 0; index < count; index++) {
        char name[96];
        doing("it writes %s", values[index].name);
        written written = encode(mapper, &values[index]);
        snprintf(name, sizeof name, "%s, written by the mapper", values[index].name);
        sample body = sample_copy(name, written.bytes, written.length);
        if (written.result == RESTWAY_PLUGIN_OK
            && decode(mapper, body.bytes, body.length, NULL).result == RESTWAY_PLUGIN_OK) {
            add(samples, name, body.bytes, body.length);
        }
        sample_free(&body);
        free(written.bytes);
    }
}

const samples *samples_if_any(const restway_plugin_mapper *mapper) {
    static samples made;
    if (made.count > 0) {
        return &made;
    }
    add_files(&made, mapper);
    switch (format_of(mapper)) {
    case FORMAT_JSON: add_own(&made, json_texts, json_text_count); break;
    case FORMAT_MSGPACK: add_own(&made, msgpack_texts, msgpack_text_count); break;
    case FORMAT_OTHER:
        if (mapper->encode != NULL) {
            add_written(&made, mapper);
        }
    }
    return &made;
}

const samples *samples_of(const restway_plugin_mapper *mapper) {
    const samples *found = samples_if_any(mapper);
    if (found->count == 0) {
        check_skipped("no body of type %s is known: give one with --sample", mapper->media_types);
    }
    return found;
}

bool nested_sample(
    const restway_plugin_mapper *mapper, size_t depth, bool is_closed, sample *made) {
    const format format = format_of(mapper);
    if (format == FORMAT_OTHER) {
        return false;
    }
    *made = (sample){.bytes = room_for(depth * 2), .length = depth};
    snprintf(made->name, sizeof made->name, "%zu nested arrays", depth);
    if (format == FORMAT_JSON) {
        memset(made->bytes, '[', depth);
        memset(made->bytes + depth, ']', depth);
        made->length = is_closed ? depth * 2 : depth;
    } else {
        memset(made->bytes, 0x91, depth);
        made->bytes[depth - 1] = is_closed ? 0x90 : 0x91;
    }
    return true;
}

static void add_large_json(samples *made, size_t objects) {
    FILE *file;
    char *text = NULL;
    size_t length = 0;
    file = open_memstream(&text, &length);
    require(file != NULL, "no memory");
    for (size_t index = 0; index < objects; index++) {
        fprintf(
            file, "%c{\"id\":%zu,\"name\":\"Company %zu\",\"owner\":{\"id\":%zu}}",
            index == 0 ? '[' : ',', index, index, index);
    }
    fputc(']', file);
    fclose(file);
    add(made, "a long list", text, length);
    free(text);
}

static void add_large_msgpack(samples *made, size_t objects) {
    static const unsigned char object[] = "\x82\xA2id\xCD\x12\x34\xA4name\xA5""Acme!";
    const size_t each = sizeof object - 1;
    unsigned char *bytes = room_for(5 + objects * each);
    bytes[0] = 0xDD;
    for (int index = 0; index < 4; index++) {
        bytes[1 + index] = (unsigned char)(objects >> (24 - 8 * index));
    }
    for (size_t index = 0; index < objects; index++) {
        memcpy(bytes + 5 + index * each, object, each);
    }
    add(made, "a long list", bytes, 5 + objects * each);
    free(bytes);
}

static void add_long_text(samples *made, bool is_json, size_t length) {
    unsigned char *bytes = room_for(length + 9);
    const size_t head = is_json ? 2 : 6;
    const unsigned char binary[] = {
        0x91, 0xDB, (unsigned char)(length >> 24), (unsigned char)(length >> 16),
        (unsigned char)(length >> 8), (unsigned char)length};
    memcpy(bytes, is_json ? (const void *)"[\"" : binary, head);
    memset(bytes + head, 'x', length);
    if (is_json) {
        memcpy(bytes + head + length, "\"]", 2);
    }
    add(made, "a long text", bytes, head + length + (is_json ? 2 : 0));
    free(bytes);
}

static bool reads_what_it_writes(const restway_plugin_mapper *mapper) {
    value small = value_large(2);
    doing("it writes %s", small.name);
    written written = encode(mapper, &small);
    sample body = sample_copy(small.name, written.bytes, written.length);
    const bool is_read = written.result == RESTWAY_PLUGIN_OK
        && decode(mapper, body.bytes, body.length, NULL).result == RESTWAY_PLUGIN_OK;
    sample_free(&body);
    free(written.bytes);
    value_free(&small);
    return is_read;
}

void large_samples(const restway_plugin_mapper *mapper, samples *made) {
    const format format = format_of(mapper);
    if (format != FORMAT_OTHER) {
        const bool is_json = format == FORMAT_JSON;
        (is_json ? add_large_json : add_large_msgpack)(made, 50000);
        add_long_text(made, is_json, (size_t)3 << 20);
    } else if (mapper->encode != NULL && reads_what_it_writes(mapper)) {
        value large = value_large(20000);
        written written = encode(mapper, &large);
        if (written.result == RESTWAY_PLUGIN_OK) {
            add(made, "a long list, written by the mapper", written.bytes, written.length);
        }
        free(written.bytes);
        value_free(&large);
    }
}

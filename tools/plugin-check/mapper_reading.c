/* Checks that a mapper reads its media types, and gives correct values. */
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "mapper_subject.h"
#include "outcome.h"

/* Returns NULL, or what is wrong with media types. */
static const char *media_types_fault(const char *types) {
    if (types == NULL || *types == '\0') {
        return "missing";
    }
    if (*types == ' ' || types[strlen(types) - 1] == ' ' || strstr(types, "  ") != NULL) {
        return "not separated by one space each";
    }
    for (const char *at = types; *at != '\0'; at++) {
        if (*at >= 'A' && *at <= 'Z') {
            return "not in lower case";
        }
        if (*at == ';') {
            return "with parameters";
        }
        if ((*at < '!' || *at > '~') && *at != ' ') {
            return "with letters that media types do not have";
        }
    }
    for (const char *at = types; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        const size_t length = strcspn(at, " ");
        const char *slash = memchr(at, '/', length);
        const int is_suffix = length > 2 && strncmp(at, "*+", 2) == 0;
        if (!is_suffix && (slash == NULL || slash == at || slash == at + length - 1)) {
            return "neither type/subtype nor *+suffix";
        }
    }
    return NULL;
}

void check_mapper_table(const void *argument) {
    const started *started = plugin_started();
    const size_t index = ((const subject *)argument)->index;
    const restway_plugin_mapper *mapper = &started->mappers[index];
    require(name_fault(mapper->name) == NULL, "its name is %s", name_fault(mapper->name));
    for (size_t other = 0; other < index; other++) {
        const char *name = started->mappers[other].name;
        require(
            name == NULL || strcmp(name, mapper->name) != 0, "another mapper is called \"%s\"",
            name);
    }
    require(
        media_types_fault(mapper->media_types) == NULL, "its media types (\"%s\") are %s",
        mapper->media_types == NULL ? "" : mapper->media_types,
        media_types_fault(mapper->media_types));
    require(mapper->decode != NULL, "it has no function to decode");
}

void check_mapper_samples(const void *argument) {
    const restway_plugin_mapper *mapper = mapper_of(argument);
    const samples *samples = samples_of(mapper);
    for (size_t index = 0; index < samples->count; index++) {
        const sample *sample = &samples->list[index];
        doing("it reads %s", sample->name);
        decoded decoded = decode(mapper, sample->bytes, sample->length, NULL);
        require(
            decoded.result == RESTWAY_PLUGIN_OK, "%s is not read: %s (%s)", sample->name,
            result_name(decoded.result), reason_text(&decoded.reason));
    }
}

void check_mapper_events(const void *argument) {
    const restway_plugin_mapper *mapper = mapper_of(argument);
    const samples *samples = samples_of(mapper);
    for (size_t index = 0; index < samples->count; index++) {
        trace trace = {0};
        decode_sample(mapper, &samples->list[index], &trace);
        const char *fault = count_fault(&trace);
        require(fault == NULL, "%s: %s", samples->list[index].name, fault);
        trace_free(&trace);
    }
}

void check_mapper_sizes(const void *argument) {
    const restway_plugin_mapper *mapper = mapper_of(argument);
    samples *large = calloc(1, sizeof *large);
    require(large != NULL, "no memory");
    large_samples(mapper, large);
    const samples *given = samples_if_any(mapper);
    size_t looked_at = large->count;
    for (size_t index = 0; index < large->count; index++) {
        decode_sample(mapper, &large->list[index], NULL);
    }
    for (size_t index = 0; index < given->count; index++) {
        if (given->list[index].length >= (size_t)64 << 10) {
            decode_sample(mapper, &given->list[index], NULL);
            looked_at++;
        }
    }
    if (looked_at == 0) {
        check_skipped("no large body is known: give one of 64 KiB or more with --sample");
    }
}

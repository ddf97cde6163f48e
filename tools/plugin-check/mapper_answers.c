/* Checks that a mapper obeys the answers of the sink, and the nesting limit. */
#include <string.h>

#include "checks.h"
#include "mapper_subject.h"
#include "outcome.h"

#define PLACES_MAX 600

static decoded decode_answered(
    const restway_plugin_mapper *mapper, const sample *sample, answers answers, trace *trace) {
    trace_clear(trace);
    return decode_as(mapper, sample->bytes, sample->length, DEPTH_USUAL, answers, trace);
}

static void skip_at(
    const restway_plugin_mapper *mapper, const sample *sample, size_t at, const trace *whole,
    trace *rest) {
    const char *event = event_name(whole->events[at].kind);
    const answers answers = {at, NEVER, false};
    doing("it reads %s; event %zu, %s, is answered SKIP", sample->name, at, event);
    decoded decoded = decode_answered(mapper, sample, answers, rest);
    const char *fault = events_fault(&decoded);
    const char *difference
        = fault != NULL ? fault : trace_difference(whole, at + 1, trace_behind(whole, at), rest);
    require(
        decoded.result == RESTWAY_PLUGIN_OK && difference == NULL,
        "%s: after SKIP for event %zu, %s: %s", sample->name, at, event,
        difference != NULL ? difference : result_name(decoded.result));
}

void check_mapper_skip(const void *argument) {
    const restway_plugin_mapper *mapper = mapper_of(argument);
    const samples *samples = samples_of(mapper);
    trace whole = {0}, rest = {0};
    size_t places = 0;
    for (size_t index = 0; index < samples->count; index++) {
        const sample *sample = &samples->list[index];
        trace_clear(&whole);
        decode_sample(mapper, sample, &whole);
        const size_t looked_at = whole.count < PLACES_MAX ? whole.count : PLACES_MAX;
        for (size_t n = 0; n < looked_at; n++) {
            const size_t at = spread(n, PLACES_MAX, whole.count);
            if (event_is_begin(whole.events[at].kind) || whole.events[at].kind == EVENT_KEY) {
                skip_at(mapper, sample, at, &whole, &rest);
                places++;
            }
        }
        doing("it reads %s; all keys are answered SKIP", sample->name);
        const answers all = {NEVER, NEVER, true};
        decoded decoded = decode_answered(mapper, sample, all, &rest);
        const char *fault = events_fault(&decoded);
        require(fault == NULL, "%s: after SKIP for every key: %s", sample->name, fault);
    }
    if (places == 0) {
        check_skipped("no sample has an object or an array");
    }
}

void check_mapper_stop(const void *argument) {
    const restway_plugin_mapper *mapper = mapper_of(argument);
    const samples *samples = samples_of(mapper);
    trace whole = {0};
    for (size_t index = 0; index < samples->count; index++) {
        const sample *sample = &samples->list[index];
        trace_clear(&whole);
        decode_sample(mapper, sample, &whole);
        const size_t looked_at = whole.count < PLACES_MAX ? whole.count : PLACES_MAX;
        for (size_t n = 0; n < looked_at; n++) {
            const size_t at = spread(n, PLACES_MAX, whole.count);
            const char *event = event_name(whole.events[at].kind);
            const answers answers = {NEVER, at, false};
            doing("it reads %s; event %zu, %s, is answered STOP", sample->name, at, event);
            decoded decoded = decode_as(
                mapper, sample->bytes, sample->length, DEPTH_USUAL, answers, NULL);
            require(
                decoded.events_after_stop == 0, "%s: %zu more events after STOP for event %zu, %s",
                sample->name, decoded.events_after_stop, at, event);
            require(
                decoded.result == RESTWAY_PLUGIN_OK,
                "%s: returns %s after STOP for event %zu, %s, instead of OK", sample->name,
                result_name(decoded.result), at, event);
        }
    }
}

static void expect_depth(
    const restway_plugin_mapper *mapper, const sample *sample, int64_t limit, answers answers,
    int is_too_deep) {
    doing("it reads %s, where %lld levels are the limit", sample->name, (long long)limit);
    decoded decoded
        = decode_as(mapper, sample->bytes, sample->length, limit, answers, NULL);
    if (decoded.fault[0] != '\0') {
        return; /* The mapper was told to stop. Another check reports that. */
    }
    const int32_t expected = is_too_deep ? RESTWAY_PLUGIN_TOO_DEEP : RESTWAY_PLUGIN_OK;
    require(
        decoded.result == expected, "%s, where %lld levels are the limit%s: %s instead of %s",
        sample->name, (long long)limit, answers.skip_at == 0 ? " and all is answered SKIP" : "",
        result_name(decoded.result), is_too_deep ? "TOO_DEEP" : "OK");
}

/* Whether the format can nest without a limit. */
static bool check_deep(const restway_plugin_mapper *mapper) {
    static const answers skip = {0, NEVER, false};
    sample deep;
    if (!nested_sample(mapper, DEPTH_USUAL, true, &deep)) {
        return false;
    }
    expect_depth(mapper, &deep, DEPTH_USUAL, WANT_ALL, 0);
    sample_free(&deep);
    for (size_t depth = DEPTH_USUAL + 1; depth < 2000000; depth = depth * 40) {
        nested_sample(mapper, depth, true, &deep);
        expect_depth(mapper, &deep, DEPTH_USUAL, WANT_ALL, 1);
        expect_depth(mapper, &deep, DEPTH_USUAL, skip, 1);
        sample_free(&deep);
        nested_sample(mapper, depth, false, &deep);
        doing("it reads %s that are left open", deep.name);
        decoded decoded = decode(mapper, deep.bytes, deep.length, NULL);
        require(decoded.result != RESTWAY_PLUGIN_OK, "%s, left open, are read", deep.name);
        sample_free(&deep);
    }
    return true;
}

void check_mapper_depth(const void *argument) {
    static const answers skip = {0, NEVER, false};
    const restway_plugin_mapper *mapper = mapper_of(argument);
    const samples *samples = samples_of(mapper);
    trace whole = {0};
    bool has_looked = check_deep(mapper);
    for (size_t index = 0; index < samples->count; index++) {
        const sample *sample = &samples->list[index];
        trace_clear(&whole);
        decode_sample(mapper, sample, &whole);
        const int64_t depth = (int64_t)trace_depth(&whole);
        if (depth >= 1) {
            expect_depth(mapper, sample, depth, WANT_ALL, 0);
        }
        if (depth >= 2) {
            expect_depth(mapper, sample, depth - 1, WANT_ALL, 1);
            expect_depth(mapper, sample, depth - 1, skip, 1);
            has_looked = true;
        }
    }
    if (!has_looked) {
        check_skipped("no sample has nested values");
    }
}

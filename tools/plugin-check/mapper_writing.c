/* Checks that a mapper writes the values that the reader gives it. */
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "mapper_subject.h"
#include "outcome.h"
#include "writing.h"

#define PLACES_MAX 300

static const restway_plugin_mapper *writer_of(const void *argument) {
    const restway_plugin_mapper *mapper = mapper_of(argument);
    if (mapper->encode == NULL) {
        check_skipped("it does not write");
    }
    return mapper;
}

/* Returns whether the mapper writes this value; a format need not support every value. */
static bool is_written(const written *written, const value *value) {
    if (written->result == RESTWAY_PLUGIN_OK) {
        return true;
    }
    require(
        written->result > RESTWAY_PLUGIN_OK && written->result <= RESTWAY_PLUGIN_TOO_DEEP,
        "%s: the result %d has no meaning", value->name, written->result);
    require(
        written->reason.text[0] != '\0', "%s is refused without a reason", value->name);
    return false;
}

static void expect_order(const written *written, const value *value) {
    require(
        !written->has_foreign,
        "%s: calls the reader from another thread than the one that called encode", value->name);
    require(!written->wrote_null, "%s: writes NULL", value->name);
    if (written->result != RESTWAY_PLUGIN_OK) {
        return;
    }
    require(written->has_reached_end, "%s: returns OK before the end of the value", value->name);
    require(
        written->calls_after_end == 0, "%s: asks for %zu more steps after the end", value->name,
        written->calls_after_end);
    require(written->length > 0, "%s: writes nothing", value->name);
}

void check_encode_order(const void *argument) {
    const restway_plugin_mapper *mapper = writer_of(argument);
    size_t count, accepted = 0;
    const value *values = values_to_write(&count);
    for (size_t index = 0; index < count; index++) {
        doing("it writes %s", values[index].name);
        written written = encode(mapper, &values[index]);
        accepted += is_written(&written, &values[index]);
        expect_order(&written, &values[index]);
        free(written.bytes);
    }
    require(accepted > 0, "it writes 0 of %zu values", count);
    require(late_calls() == 0, "%zu calls of the reader after encode has returned", late_calls());
}

static void expect_failure(
    const restway_plugin_mapper *mapper, const value *value, size_t at, bool is_next) {
    const char *call = is_next ? "next" : "write";
    doing("it writes %s; call %zu of %s fails", value->name, at, call);
    written written = encode_as(mapper, value, is_next ? at : NEVER, is_next ? NEVER : at);
    require(
        written.result == READER_FAILS,
        "%s: returns %s after call %zu of %s failed, instead of the result of that call",
        value->name, result_name(written.result), at, call);
    require(
        written.calls_after_failure == 0, "%s: goes on after call %zu of %s failed", value->name,
        at, call);
    free(written.bytes);
}

void check_encode_errors(const void *argument) {
    const restway_plugin_mapper *mapper = writer_of(argument);
    size_t count;
    const value *values = values_to_write(&count);
    for (size_t index = 0; index < count; index++) {
        doing("it writes %s", values[index].name);
        written whole = encode(mapper, &values[index]);
        free(whole.bytes);
        if (whole.result != RESTWAY_PLUGIN_OK) {
            continue;
        }
        const size_t calls[] = {whole.next_calls, whole.write_calls};
        for (int kind = 0; kind < 2; kind++) {
            const size_t places = calls[kind] < PLACES_MAX ? calls[kind] : PLACES_MAX;
            for (size_t n = 0; n < places; n++) {
                const size_t at = spread(n, PLACES_MAX, calls[kind]);
                expect_failure(mapper, &values[index], at, kind == 0);
            }
        }
    }
}

void check_encode_trip(const void *argument) {
    const restway_plugin_mapper *mapper = writer_of(argument);
    size_t count;
    const value *values = values_to_write(&count);
    for (size_t index = 0; index < count; index++) {
        doing("it writes %s", values[index].name);
        written written = encode(mapper, &values[index]);
        if (written.result == RESTWAY_PLUGIN_OK) {
            trace trace = {0};
            sample body = sample_copy(values[index].name, written.bytes, written.length);
            decode_sample(mapper, &body, &trace);
            const char *difference = value_difference(&values[index], &trace);
            require(
                difference == NULL, "%s, written and read again: %s", values[index].name,
                difference);
            sample_free(&body);
            trace_free(&trace);
        }
        free(written.bytes);
    }
}

/* If the value is not read back, encode.trip says so. */
static void expect_same_bytes(
    const restway_plugin_mapper *mapper, const written *first, const value *value) {
    trace trace = {0};
    sample body = sample_copy(value->name, first->bytes, first->length);
    const decoded decoded = decode(mapper, body.bytes, body.length, &trace);
    if (decoded.result == RESTWAY_PLUGIN_OK && value_difference(value, &trace) == NULL) {
        struct value read = value_of_trace(value->name, &trace);
        written again = encode(mapper, &read);
        require(
            again.result == RESTWAY_PLUGIN_OK, "%s, read back, is not written again: %s",
            value->name, result_name(again.result));
        require(
            again.length == first->length && memcmp(again.bytes, first->bytes, again.length) == 0,
            "%s, read back and written again, has other bytes", value->name);
        free(again.bytes);
        value_free(&read);
    }
    sample_free(&body);
    trace_free(&trace);
}

void check_encode_again(const void *argument) {
    const restway_plugin_mapper *mapper = writer_of(argument);
    size_t count;
    const value *values = values_to_write(&count);
    for (size_t index = 0; index < count; index++) {
        doing("it writes %s, reads it and writes it again", values[index].name);
        written first = encode(mapper, &values[index]);
        if (first.result == RESTWAY_PLUGIN_OK) {
            expect_same_bytes(mapper, &first, &values[index]);
        }
        free(first.bytes);
    }
}

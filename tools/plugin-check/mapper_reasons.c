/* Check: the reasons that a mapper gives when it refuses a body. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "json.h"
#include "mapper_subject.h"
#include "outcome.h"
#include "sample_texts.h"

/* This text is in refused bodies, and must not appear in a reason. */
#define SECRET "hunter2Xq7"
#define PLACES_MAX 60

static void expect_reason(
    const restway_plugin_mapper *mapper, const char *name, const void *bytes, size_t length) {
    doing("it refuses %s", name);
    decoded decoded = decode(mapper, bytes, length, NULL);
    const restway_plugin_reason *reason = &decoded.reason;
    require(
        decoded.result >= RESTWAY_PLUGIN_OK && decoded.result <= RESTWAY_PLUGIN_TOO_DEEP,
        "%s: the result %d has no meaning", name, decoded.result);
    if (decoded.result == RESTWAY_PLUGIN_OK) {
        return;
    }
    const char *end = memchr(reason->text, '\0', sizeof reason->text);
    require(end != NULL, "%s: the reason does not end", name);
    require(
        is_utf8(reason->text, (size_t)(end - reason->text)), "%s: the reason is not UTF-8", name);
    require(
        strstr(reason->text, SECRET) == NULL, "%s: the reason quotes the body: %s", name,
        reason->text);
    require(
        reason->line >= 0 && reason->column >= 0 && reason->byte_offset >= 0
            && reason->byte_offset <= (int64_t)length,
        "%s: the reason's place, line %lld, column %lld, offset %lld, is not within its %zu bytes",
        name, (long long)reason->line, (long long)reason->column, (long long)reason->byte_offset,
        length);
}

/* Makes a sample with the secret in it at `at`: the whole sample, or a sample that is cut off
 * after the secret. */
static void expect_reason_at(
    const restway_plugin_mapper *mapper, const sample *sample, size_t at, int is_cut) {
    const size_t secret = sizeof SECRET - 1;
    const size_t rest = is_cut ? 0 : sample->length - at;
    unsigned char *bytes = calloc(1, sample->length + secret + SLACK);
    char name[192];
    require(bytes != NULL, "no memory");
    memcpy(bytes, sample->bytes, at);
    memcpy(bytes + at, SECRET, secret);
    memcpy(bytes + at + secret, sample->bytes + at, rest);
    snprintf(name, sizeof name, "%s with %s at %zu", sample->name, SECRET, at);
    expect_reason(mapper, name, bytes, at + secret + rest);
    free(bytes);
}

void check_mapper_reasons(const void *argument) {
    const restway_plugin_mapper *mapper = mapper_of(argument);
    const samples *samples = samples_if_any(mapper);
    sample secret = sample_copy(SECRET, SECRET, sizeof SECRET - 1);
    expect_reason(mapper, SECRET, secret.bytes, secret.length);
    expect_reason(mapper, "nothing", secret.bytes, 0);
    for (size_t index = 0; index < hostile_text_count; index++) {
        const sample_text *text = &hostile_texts[index];
        sample hostile = sample_copy(text->name, text->bytes, text->length);
        expect_reason(mapper, text->name, hostile.bytes, hostile.length);
        sample_free(&hostile);
    }
    for (size_t index = 0; index < samples->count; index++) {
        const sample *sample = &samples->list[index];
        const size_t places = sample->length < PLACES_MAX ? sample->length : PLACES_MAX;
        for (size_t n = 0; n < places; n++) {
            const size_t at = spread(n, PLACES_MAX, sample->length);
            expect_reason_at(mapper, sample, at, 0);
            expect_reason_at(mapper, sample, at, 1);
        }
    }
}

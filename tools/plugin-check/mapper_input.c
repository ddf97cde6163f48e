/* Checks that no bytes make a mapper crash, hang, or access memory outside the body. */
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "guarded.h"
#include "mapper_subject.h"
#include "outcome.h"
#include "sample_texts.h"

#define PADDING 64
#define LENGTHS_MAX 3000
#define MUTATIONS 6000

static void expect_sense(const decoded *decoded, const char *what, size_t length) {
    const char *fault = events_fault(decoded);
    require(fault == NULL, "%s (%zu bytes): %s", what, length, fault);
}

/* Compares the results for the first bytes of a sample with different bytes after them. */
static void truncate_to(
    const restway_plugin_mapper *mapper, const sample *sample, size_t length, unsigned char *room,
    trace *traces) {
    doing("it reads %s, the first %zu of %zu bytes", sample->name, length, sample->length);
    memcpy(room, sample->bytes, length);
    memset(room + length, 0, PADDING);
    trace_clear(&traces[0]);
    trace_clear(&traces[1]);
    decoded first = decode(mapper, room, length, &traces[0]);
    expect_sense(&first, sample->name, length);
    decoded second = decode(mapper, sample->bytes, length, &traces[1]);
    expect_sense(&second, sample->name, length);
    const bool is_same
        = first.result == second.result
        && (first.result != RESTWAY_PLUGIN_OK
            || trace_difference(&traces[0], NEVER, NEVER, &traces[1]) == NULL);
    require(
        is_same, "%s: the result for its first %zu bytes depends on the bytes after them",
        sample->name, length);
}

void check_mapper_truncated(const void *argument) {
    const restway_plugin_mapper *mapper = mapper_of(argument);
    const samples *samples = samples_of(mapper);
    trace traces[2] = {{0}, {0}};
    for (size_t index = 0; index < samples->count; index++) {
        const sample *sample = &samples->list[index];
        unsigned char *room = calloc(1, sample->length + SLACK);
        require(room != NULL, "no memory");
        const size_t lengths = sample->length < LENGTHS_MAX ? sample->length : LENGTHS_MAX;
        for (size_t n = 0; n < lengths; n++) {
            truncate_to(mapper, sample, spread(n, LENGTHS_MAX, sample->length), room, traces);
        }
        free(room);
    }
}

/* The random numbers are the same in every run. */
static unsigned next_random(unsigned *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Makes one to four changes: a byte is changed, a part is removed, or a part is doubled. */
static size_t mutate(unsigned char *bytes, size_t length, unsigned *state) {
    for (unsigned changes = 1 + next_random(state) % 4; changes > 0 && length > 0; changes--) {
        const size_t at = next_random(state) % length;
        size_t part = 1 + next_random(state) % 8;
        part = part < length - at ? part : length - at;
        switch (next_random(state) % 4) {
        case 0: bytes[at] = (unsigned char)next_random(state); break;
        case 1: bytes[at] ^= (unsigned char)(1u << next_random(state) % 8); break;
        case 2:
            memmove(bytes + at, bytes + at + part, length - at - part);
            length -= part;
            break;
        default:
            memmove(bytes + at + part, bytes + at, length - at);
            length += part;
        }
    }
    return length;
}

static void decode_mutations(
    const restway_plugin_mapper *mapper, const sample *sample, size_t rounds, unsigned *state) {
    unsigned char *room = malloc(sample->length + SLACK);
    require(room != NULL, "no memory");
    for (size_t round = 0; round < rounds; round++) {
        const unsigned seed = *state;
        memcpy(room, sample->bytes, sample->length + PADDING);
        const size_t length = mutate(room, sample->length, state);
        doing("it reads %s with errors in it (%u)", sample->name, seed);
        decoded decoded = decode(mapper, room, length, NULL);
        expect_sense(&decoded, sample->name, length);
    }
    free(room);
}

void check_mapper_garbage(const void *argument) {
    const restway_plugin_mapper *mapper = mapper_of(argument);
    const samples *samples = samples_if_any(mapper);
    unsigned state = 20240229;
    for (size_t index = 0; index < hostile_text_count; index++) {
        const sample_text *text = &hostile_texts[index];
        sample hostile = sample_copy(text->name, text->bytes, text->length);
        doing("it reads %s", text->name);
        decoded decoded = decode(mapper, hostile.bytes, hostile.length, NULL);
        expect_sense(&decoded, text->name, text->length);
        sample_free(&hostile);
    }
    for (size_t length = 0; length <= 2 * PADDING; length++) {
        unsigned char noise[3 * PADDING];
        for (size_t at = 0; at < sizeof noise; at++) {
            noise[at] = (unsigned char)next_random(&state);
        }
        doing("it reads %zu bytes of noise", length);
        decoded decoded = decode(mapper, noise, length, NULL);
        expect_sense(&decoded, "noise", length);
    }
    for (size_t index = 0; index < samples->count; index++) {
        const sample *sample = &samples->list[index];
        const size_t rounds = MUTATIONS / (1 + sample->length / 512) / samples->count;
        decode_mutations(mapper, sample, rounds + 50, &state);
    }
}

/* The memory ends 64 bytes after the body, or begins with it, and is read-only. */
static void decode_bounded(
    const restway_plugin_mapper *mapper, const sample *sample, size_t length, bool at_start) {
    guarded memory = guarded_make(
        length + PADDING, "reading before the body", "reading more than 64 bytes after the body");
    unsigned char *bytes = at_start ? memory.start : memory.bytes;
    memcpy(bytes, sample->bytes, length);
    guarded_protect(&memory, "writing into the body");
    doing("it reads %s, the first %zu of %zu bytes", sample->name, length, sample->length);
    decode(mapper, bytes, length, NULL);
    guarded_free(&memory);
}

void check_mapper_bounds(const void *argument) {
    const restway_plugin_mapper *mapper = mapper_of(argument);
    const samples *samples = samples_of(mapper);
    for (size_t index = 0; index < samples->count; index++) {
        const sample *sample = &samples->list[index];
        const size_t lengths = sample->length < LENGTHS_MAX ? sample->length : LENGTHS_MAX;
        for (size_t n = 0; n < lengths; n += 1 + lengths / 300) {
            const size_t length = sample->length - spread(n, LENGTHS_MAX, sample->length);
            decode_bounded(mapper, sample, length, false);
            decode_bounded(mapper, sample, length, true);
        }
    }
}

/* Checks when, on which threads and how often a mapper calls back, and what it leaks. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "mapper_subject.h"
#include "outcome.h"
#include "resources.h"
#include "writing.h"

#define THREADS 8
#define THREAD_ROUNDS 30
/* The smallest size that malloc() gives, and a little more. */
#define LEAK_BYTES 24

void check_mapper_thread(const void *argument) {
    const restway_plugin_mapper *mapper = mapper_of(argument);
    const samples *samples = samples_of(mapper);
    for (size_t index = 0; index < samples->count; index++) {
        const sample *sample = &samples->list[index];
        doing("it reads %s", sample->name);
        decoded decoded = decode(mapper, sample->bytes, sample->length, NULL);
        require(
            !decoded.has_foreign, "%s: pushes from another thread than the one that called decode",
            sample->name);
    }
}

void check_mapper_late(const void *argument) {
    const size_t threads = threads_running();
    const restway_plugin_mapper *mapper = mapper_of(argument);
    const samples *samples = samples_of(mapper);
    for (int round = 0; round < 2; round++) {
        for (size_t index = 0; index < samples->count; index++) {
            const sample *sample = &samples->list[index];
            doing("it reads %s", sample->name);
            decode(mapper, sample->bytes, sample->length, NULL);
            decode(mapper, sample->bytes, sample->length / 2, NULL);
        }
    }
    doing("its threads end");
    threads_after_wait(threads);
    require(
        late_events() == 0, "%zu events are pushed after decode has returned", late_events());
}

void check_mapper_repeat(const void *argument) {
    const restway_plugin_mapper *mapper = mapper_of(argument);
    const samples *samples = samples_of(mapper);
    trace first = {0}, again = {0};
    for (size_t index = 0; index < samples->count; index++) {
        const sample *sample = &samples->list[index];
        trace_clear(&first);
        decode_sample(mapper, sample, &first);
        unsigned char *room = calloc(1, sample->length + SLACK);
        require(room != NULL, "no memory");
        for (size_t shift = 0; shift < 16; shift++) {
            memcpy(room + shift, sample->bytes, sample->length);
            trace_clear(&again);
            decoded decoded = decode(mapper, room + shift, sample->length, &again);
            const char *difference = trace_difference(&first, NEVER, NEVER, &again);
            require(
                decoded.result == RESTWAY_PLUGIN_OK && difference == NULL,
                "%s, read again at another address: %s", sample->name,
                difference != NULL ? difference : result_name(decoded.result));
            decode(mapper, room + shift, sample->length / 2, NULL);
        }
        free(room);
    }
}

typedef struct crowd {
    const restway_plugin_mapper *mapper;
    const samples *samples;
    trace *traces;
    /* The bytes that a single thread writes for each value. */
    const value *values;
    written *written;
    size_t value_count;
    pthread_barrier_t start;
} crowd;

static void write_all(const crowd *crowd) {
    for (size_t index = 0; index < crowd->value_count; index++) {
        const written *alone = &crowd->written[index];
        written among = encode(crowd->mapper, &crowd->values[index]);
        require(
            among.result == alone->result && among.length == alone->length
                && (among.length == 0 || memcmp(among.bytes, alone->bytes, among.length) == 0),
            "%s, written by %d threads at once, is not what one thread writes",
            crowd->values[index].name, THREADS);
        free(among.bytes);
    }
}

static void *one_of_many(void *context) {
    crowd *crowd = context;
    trace mine = {0};
    pthread_barrier_wait(&crowd->start);
    for (size_t round = 0; round < THREAD_ROUNDS * crowd->samples->count; round++) {
        const size_t index = round % crowd->samples->count;
        const sample *sample = &crowd->samples->list[index];
        trace_clear(&mine);
        decoded decoded = decode(crowd->mapper, sample->bytes, sample->length, &mine);
        const char *difference
            = trace_difference(&crowd->traces[index], NEVER, NEVER, &mine);
        require(
            decoded.result == RESTWAY_PLUGIN_OK && difference == NULL,
            "%s, read by %d threads at once: %s", sample->name, THREADS,
            difference != NULL ? difference : result_name(decoded.result));
        decode(crowd->mapper, sample->bytes, sample->length / 2, NULL);
        if (index == 0) {
            write_all(crowd);
        }
    }
    trace_free(&mine);
    return NULL;
}

static void write_alone(crowd *crowd) {
    if (crowd->mapper->encode == NULL) {
        return;
    }
    crowd->values = values_to_write(&crowd->value_count);
    crowd->written = calloc(crowd->value_count, sizeof *crowd->written);
    require(crowd->written != NULL, "no memory");
    for (size_t index = 0; index < crowd->value_count; index++) {
        doing("it writes %s", crowd->values[index].name);
        crowd->written[index] = encode(crowd->mapper, &crowd->values[index]);
    }
}

void check_mapper_concurrent(const void *argument) {
    static crowd crowd;
    pthread_t threads[THREADS];
    crowd.mapper = mapper_of(argument);
    crowd.samples = samples_of(crowd.mapper);
    crowd.traces = calloc(crowd.samples->count, sizeof *crowd.traces);
    require(crowd.traces != NULL, "no memory");
    for (size_t index = 0; index < crowd.samples->count; index++) {
        decode_sample(crowd.mapper, &crowd.samples->list[index], &crowd.traces[index]);
    }
    write_alone(&crowd);
    doing("%d threads read at once", THREADS);
    let_others_in();
    pthread_barrier_init(&crowd.start, NULL, THREADS);
    for (int index = 0; index < THREADS; index++) {
        require(
            pthread_create(&threads[index], NULL, one_of_many, &crowd) == 0, "no more threads");
    }
    for (int index = 0; index < THREADS; index++) {
        pthread_join(threads[index], NULL);
    }
}

typedef struct work {
    const restway_plugin_mapper *mapper;
    const samples *samples;
} work;

/* Bodies that are read, refused and not read to the end; values that are written and not. */
static void one_round(const void *argument) {
    const work *work = argument;
    const restway_plugin_mapper *mapper = work->mapper;
    for (size_t index = 0; index < work->samples->count; index++) {
        const sample *sample = &work->samples->list[index];
        const unsigned char *bytes = sample->bytes;
        doing("it reads %s repeatedly", sample->name);
        decoded whole = decode(mapper, bytes, sample->length, NULL);
        for (size_t part = 1; part < 8; part++) {
            decode(mapper, bytes, sample->length * part / 8, NULL);
        }
        decode_as(
            mapper, bytes, sample->length, DEPTH_USUAL, (answers){NEVER, whole.events / 2, false},
            NULL);
        decode_as(
            mapper, bytes, sample->length, DEPTH_USUAL, (answers){0, NEVER, false}, NULL);
        decode_as(mapper, bytes, sample->length, 1, WANT_ALL, NULL);
    }
    if (mapper->encode != NULL) {
        size_t count;
        const value *values = values_to_write(&count);
        doing("it writes repeatedly");
        for (size_t index = 0; index < count; index++) {
            written whole = encode(mapper, &values[index]);
            free(whole.bytes);
            written cut = encode_as(mapper, &values[index], whole.next_calls / 2, NEVER);
            free(cut.bytes);
            cut = encode_as(mapper, &values[index], NEVER, whole.write_calls / 2);
            free(cut.bytes);
        }
    }
}

static work work_of(const void *argument) {
    const restway_plugin_mapper *mapper = mapper_of(argument);
    return (work){mapper, samples_of(mapper)};
}

void check_mapper_memory(const void *argument) {
    const work work = work_of(argument);
    expect_no_leak(one_round, &work, LEAK_BYTES);
}

void check_mapper_descriptors(const void *argument) {
    const work work = work_of(argument);
    expect_no_more_descriptors(one_round, &work);
}

void check_mapper_threads(const void *argument) {
    const work work = work_of(argument);
    expect_no_more_threads(one_round, &work);
}

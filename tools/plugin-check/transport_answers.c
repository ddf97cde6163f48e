/* Checks that a transport obeys the answers of the host during an exchange. */
#include <time.h>

#include "answers.h"
#include "checks.h"
#include "outcome.h"
#include "resources.h"
#include "settings.h"
#include "transport_subject.h"

#define POINTS_MAX 24

static const char *const long_paths[] = {"/chunked", "/big", "/pieces"};

/* The time in which a wrong transport would do what it must not do. */
static void let_it_misbehave(opened *opened) {
    const struct timespec moment = {0, 20000000};
    exchange_perform(opened, &REQUEST("GET", "/plain"));
    nanosleep(&moment, NULL);
}

static void pause_at(opened *opened, const char *path, size_t call, bool hurries) {
    request request = REQUEST("GET", path);
    request.pause_at = call;
    request.hurries = hurries;
    exchange *exchange = exchange_begin(opened, &request);
    if (!hurries && exchange_wait_pause(exchange)) {
        let_it_misbehave(opened);
        exchange_resume(exchange);
    }
    exchange_wait(exchange);
    expect_no_fault(FAULT_PAUSED);
}

/* Returns how many calls of exchange_body are checked; 0 if the answer has no body. */
static size_t points_of(const exchange *exchange) {
    return exchange->body_calls < POINTS_MAX ? exchange->body_calls : POINTS_MAX;
}

/* Checks that an exchange that was paused and resumed brings the same body. */
static void expect_same(opened *opened, const exchange *plain) {
    request request = plain->request;
    request.pause_at = points_of(plain) / 2;
    exchange *paused = exchange_begin(opened, &request);
    if (exchange_wait_pause(paused)) {
        exchange_resume(paused);
    }
    exchange_wait(paused);
    require(
        paused->result == plain->result && paused->received == plain->received
            && paused->is_as_expected == plain->is_as_expected,
        "%s: paused and resumed it completes with %s, and %zu of %zu bytes",
        exchange_name(paused), exchange_result_name(paused->result), paused->received,
        plain->received);
}

void check_transport_pause(const void *argument) {
    opened *opened = transport_open(transport_of(argument));
    size_t points = 0;
    for (int index = 0; index < 3; index++) {
        const exchange *plain = exchange_perform(opened, &REQUEST("GET", long_paths[index]));
        const size_t calls = points_of(plain);
        for (size_t call = 0; call < calls; call += 1 + calls / 8) {
            pause_at(opened, long_paths[index], call, false);
            pause_at(opened, long_paths[index], call, true);
            points++;
        }
        expect_same(opened, plain);
    }
    transport_end(opened, NULL, 0);
    expect_no_fault(FAULT_PAUSED);
    if (points == 0) {
        check_skipped("no answer of the transport has a body");
    }
}

void check_transport_stop(const void *argument) {
    opened *opened = transport_open(transport_of(argument));
    size_t points = 0;
    for (int index = 0; index < 3; index++) {
        const size_t calls
            = points_of(exchange_perform(opened, &REQUEST("GET", long_paths[index])));
        for (size_t call = 0; call < calls; call++) {
            request request = REQUEST("GET", long_paths[index]);
            request.stop_at = call;
            exchange_perform(opened, &request);
            points++;
        }
    }
    transport_end(opened, NULL, 0);
    expect_no_fault(FAULT_STOPPED);
    if (points == 0) {
        check_skipped("no answer of the transport has a body");
    }
}

static void expect_cancelled(const exchange *exchange, const char *when) {
    require(
        exchange->result == RESTWAY_PLUGIN_EXCHANGE_CANCELLED,
        "%s, cancelled %s: it completes with %s", exchange_name(exchange), when,
        exchange_result_name(exchange->result));
}

/* Cancels inside each call of the plugin. */
static void cancel_inside(opened *opened, request request) {
    const size_t calls = exchange_perform(opened, &request)->calls;
    for (size_t call = 0; call < calls && call < POINTS_MAX; call++) {
        request.cancel_at = call;
        exchange_perform(opened, &request);
    }
}

typedef struct race {
    exchange *exchange;
    pthread_barrier_t start;
} race;

static void *cancel_at_once(void *context) {
    race *race = context;
    pthread_barrier_wait(&race->start);
    exchange_cancel(race->exchange);
    return NULL;
}

/* Cancels while `start` is still running. */
static void cancel_while_starting(opened *opened) {
    race race;
    pthread_t thread;
    race.exchange = exchange_make(opened, &REQUEST("GET", "/chunked"));
    pthread_barrier_init(&race.start, NULL, 2);
    require(pthread_create(&thread, NULL, cancel_at_once, &race) == 0, "no more threads");
    pthread_barrier_wait(&race.start);
    exchange_start(race.exchange);
    pthread_join(thread, NULL);
    /* This cancel may have come before the exchange was known. */
    exchange_cancel(race.exchange);
    exchange_wait(race.exchange);
}

/* Cancels while the plugin waits for the host. */
static void cancel_in_pause(opened *opened, const request *request) {
    exchange *exchange = exchange_begin(opened, request);
    if (exchange_wait_pause(exchange)) {
        exchange_cancel(exchange);
    }
    exchange_wait(exchange);
}

void check_transport_cancel(const void *argument) {
    opened *opened = transport_open(transport_of(argument));
    const bool asks = run_settings.url == NULL && transport_asks(opened);
    request post = REQUEST("POST", "/echo");
    post.body = body_of(300000);
    post.body_bytes = 300000;
    cancel_inside(opened, REQUEST("GET", "/chunked"));
    cancel_inside(opened, REQUEST("GET", "/big"));
    cancel_inside(opened, post);
    for (int round = 0; round < 20; round++) {
        cancel_while_starting(opened);
    }
    if (run_settings.url == NULL) {
        exchange *silent = exchange_begin(opened, &REQUEST("GET", "/silent"));
        exchange_cancel(silent);
        exchange_cancel(silent);
        exchange_wait(silent);
        exchange *half = exchange_begin(opened, &REQUEST("GET", "/half"));
        if (exchange_wait_calls(half, 1)) {
            exchange_cancel(half);
        }
        exchange_wait(half);
        if (asks) {
            expect_cancelled(silent, "before its head");
            expect_cancelled(half, "in its body");
        }
    }
    request paused = REQUEST("GET", "/big");
    paused.pause_at = 0;
    cancel_in_pause(opened, &paused);
    post.read_later_at = 1;
    cancel_in_pause(opened, &post);
    transport_end(opened, NULL, 0);
    expect_no_fault(FAULT_TWICE);
    expect_no_fault(FAULT_LATE);
}

void check_transport_ids(const void *argument) {
    const restway_plugin_transport *table = transport_of(argument);
    opened *opened = transport_open(table);
    exchange *done = exchange_perform(opened, &REQUEST("GET", "/plain"));
    const uint64_t ids[] = {0, 1, UINT64_MAX, done->id, done->id + 1};
    for (size_t index = 0; index < sizeof ids / sizeof *ids; index++) {
        doing("cancel, resume and body_ready are called for %llu", (unsigned long long)ids[index]);
        table->cancel(opened->transport, ids[index]);
        table->resume(opened->transport, ids[index]);
        if (table->body_ready != NULL) {
            table->body_ready(opened->transport, ids[index]);
        }
    }
    exchange *next = exchange_perform(opened, &REQUEST("GET", "/plain"));
    require(
        next->result == done->result,
        "a cancel that came before an exchange was started makes it complete with %s",
        exchange_result_name(next->result));
    transport_end(opened, NULL, 0);
    require(fault_found(FAULT_TWICE) == NULL, "%s", fault_found(FAULT_TWICE));
}

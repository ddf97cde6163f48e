/* Checks closing a transport, and what it leaks. */
#include <stdlib.h>

#include "answers.h"
#include "checks.h"
#include "outcome.h"
#include "resources.h"
#include "settings.h"
#include "transport_subject.h"

#define IN_FLIGHT 24
#define LEAK_BYTES 24

static size_t begin_some(opened *opened, exchange **exchanges) {
    static const char *const paths[] = {"/silent", "/half", "/big", "/chunked", "/plain", "/echo"};
    size_t count = 0;
    while (count < IN_FLIGHT) {
        request request = REQUEST("GET", paths[count % 6]);
        if (count % 6 == 2) {
            request.pause_at = 0;
        } else if (count % 6 == 5) {
            request.method = "POST";
            request.body = body_of(100000);
            request.body_bytes = 100000;
            request.read_later_at = 1;
        }
        exchanges[count++] = exchange_begin(opened, &request);
    }
    return count;
}

static void expect_closed(opened *opened, exchange *const *exchanges, size_t count, bool asks) {
    transport_end(opened, exchanges, count);
    for (size_t index = 0; index < count; index++) {
        const exchange *exchange = exchanges[index];
        const answer *answer = answer_for(exchange->request.path);
        const bool must_be_closed
            = asks && (answer->kind == ANSWER_SILENT || answer->kind == ANSWER_HALF);
        require(
            !must_be_closed || exchange->result == RESTWAY_PLUGIN_EXCHANGE_CLOSED,
            "%s, in flight at the close: it completes with %s instead of CLOSED",
            exchange_name(exchange), exchange_result_name(exchange->result));
    }
    expect_no_fault(FAULT_TWICE);
    expect_no_fault(FAULT_LATE);
}

void check_transport_close(const void *argument) {
    const restway_plugin_transport *table = transport_of(argument);
    exchange *exchanges[IN_FLIGHT];
    opened *idle = transport_open(table);
    transport_end(idle, NULL, 0);
    opened *busy = transport_open(table);
    const bool asks = run_settings.url == NULL && transport_asks(busy);
    /* Closes at once, when some exchanges have not begun, and when all wait for something. */
    for (int round = 0; round < 2; round++) {
        opened *opened = transport_open(table);
        const size_t count = begin_some(opened, exchanges);
        for (size_t index = 0; round == 1 && index < count; index++) {
            const char *path = exchanges[index]->request.path;
            if (answer_for(path)->kind != ANSWER_SILENT) {
                exchange_wait_calls(exchanges[index], 1);
            }
        }
        expect_closed(opened, exchanges, count, asks);
    }
    exchange_perform(busy, &REQUEST("GET", "/plain"));
    transport_end(busy, NULL, 0);
}

typedef struct work {
    const restway_plugin_transport *table;
    opened *opened;
} work;

static void some_exchanges(opened *opened) {
    request stopped = REQUEST("GET", "/big");
    request post = REQUEST("POST", "/echo");
    stopped.stop_at = 0;
    post.body = body_of(5000);
    post.body_bytes = 5000;
    exchange_perform(opened, &REQUEST("GET", "/chunked"));
    exchange_perform(opened, &stopped);
    exchange_perform(opened, &post);
    exchange *cancelled = exchange_begin(opened, &REQUEST("GET", "/plain"));
    exchange_cancel(cancelled);
    exchange_wait(cancelled);
}

/* Each round has a transport of its own, so that its resources are released with it. */
static void one_round(const void *argument) {
    const work *work = argument;
    opened *opened = transport_open(work->table);
    some_exchanges(opened);
    transport_close(opened);
}

static work work_of(const void *argument) {
    return (work){.table = transport_of(argument)};
}

void check_transport_memory(const void *argument) {
    const work work = work_of(argument);
    body_of(1);
    expect_no_leak(one_round, &work, LEAK_BYTES);
}

void check_transport_descriptors(const void *argument) {
    const work work = work_of(argument);
    expect_no_more_descriptors(one_round, &work);
}

void check_transport_threads(const void *argument) {
    const work work = work_of(argument);
    expect_no_more_threads(one_round, &work);
}

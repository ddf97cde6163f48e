/* Checks that a transport describes itself correctly, opens, and makes correct calls for
 * exchanges. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "checks.h"
#include "json.h"
#include "outcome.h"
#include "resources.h"
#include "settings.h"
#include "transport_subject.h"

#define TOGETHER 40

void check_transport_table(const void *argument) {
    const started *started = plugin_started();
    const size_t index = ((const subject *)argument)->index;
    const restway_plugin_transport *transport = &started->transports[index];
    require(name_fault(transport->name) == NULL, "its name is %s", name_fault(transport->name));
    for (size_t other = 0; other < index; other++) {
        const char *name = started->transports[other].name;
        require(
            name == NULL || strcmp(name, transport->name) != 0,
            "another transport is called \"%s\"", name);
    }
    require(transport->open != NULL, "it has no function to open");
    require(transport->start != NULL, "it has no function to start an exchange");
    require(transport->cancel != NULL, "it has no function to cancel");
    require(transport->resume != NULL, "it has no function to resume");
    require(transport->close != NULL, "it has no function to close");
}

void check_transport_opens(const void *argument) {
    const restway_plugin_transport *table = transport_of(argument);
    for (int round = 0; round < 3; round++) {
        transport_end(transport_open(table), NULL, 0);
    }
}

void check_transport_apart(const void *argument) {
    const restway_plugin_transport *table = transport_of(argument);
    opened *first = transport_open(table);
    opened *second = transport_open(table);
    exchange *exchanges[] = {
        exchange_begin(first, &REQUEST("GET", "/chunked")),
        exchange_begin(second, &REQUEST("GET", "/chunked")),
    };
    exchange_wait(exchanges[0]);
    exchange_wait(exchanges[1]);
    const int32_t result = exchange_perform(second, &REQUEST("GET", "/plain"))->result;
    transport_close(first);
    exchange *after = exchange_perform(second, &REQUEST("GET", "/plain"));
    require(
        after->result == result, "when another one is closed, %s completes with %s",
        exchange_name(after), exchange_result_name(after->result));
    transport_end(second, NULL, 0);
}

/* Memory that is lent until `start` returns becomes inaccessible then: using it is a crash. */
void check_transport_texts(const void *argument) {
    opened *opened = transport_open(transport_of(argument));
    size_t count;
    const char *const *paths = whole_answers(&count);
    for (size_t index = 0; index < 2 * count; index++) {
        request request = REQUEST("GET", paths[index % count]);
        request.takes_texts_back = true;
        exchange_perform(opened, &request);
    }
    request post = REQUEST("POST", "/echo");
    post.body = body_of(100);
    post.body_bytes = 100;
    post.read_later_at = 0;
    post.takes_texts_back = true;
    exchange *exchange = exchange_begin(opened, &post);
    if (exchange_wait_pause(exchange)) {
        exchange_body_ready(exchange);
    }
    exchange_wait(exchange);
    transport_end(opened, NULL, 0);
}

static void expect_refusal(const void *argument) {
    const restway_plugin_transport *table = transport_of(argument);
    restway_plugin_reason reason = empty_reason();
    void *transport = NULL;
    doing("it opens with an unknown option");
    int32_t result = table->open(
        table->context, &plain_host, "{\"no-such-option\":1}", &transport, &reason);
    require(result != RESTWAY_PLUGIN_OK, "an unknown key of its options is accepted");
    require(
        strstr(reason.text, "no-such-option") != NULL,
        "an unknown key of its options is refused without naming it: %s", reason_text(&reason));
}

void check_transport_options(const void *argument) {
    in_process_of_its_own(expect_refusal, argument);
}

void check_transport_completes(const void *argument) {
    opened *opened = transport_open(transport_of(argument));
    perform_usual(opened);
}

static void expect_none_of(const void *argument, exchange_fault kind) {
    opened *opened = transport_open(transport_of(argument));
    perform_usual(opened);
    transport_end(opened, NULL, 0);
    expect_no_fault(kind);
}

void check_transport_once(const void *argument) {
    expect_none_of(argument, FAULT_TWICE);
}

void check_transport_order(const void *argument) {
    expect_none_of(argument, FAULT_ORDER);
}

void check_transport_late(const void *argument) {
    expect_none_of(argument, FAULT_LATE);
}

void check_transport_heads(const void *argument) {
    expect_none_of(argument, FAULT_HEAD);
}

void check_transport_ends(const void *argument) {
    opened *opened = transport_open(transport_of(argument));
    perform_usual(opened);
    const char *const paths[] = {"/broken?token=hunter2Xq7", "/nothing?token=hunter2Xq7",
                                 "http://127.0.0.1:1/?token=hunter2Xq7"};
    for (size_t index = 0; index < sizeof paths / sizeof *paths; index++) {
        const bool asks = run_settings.url == NULL && transport_asks(opened);
        exchange *exchange = exchange_perform(opened, &REQUEST("GET", paths[index]));
        require(
            strstr(exchange->text, "hunter2Xq7") == NULL,
            "%s: the text of its end quotes the query: %s", exchange_name(exchange),
            exchange->text);
        require(
            !asks || exchange->result != RESTWAY_PLUGIN_OK, "%s: it completes with OK",
            exchange_name(exchange));
    }
    transport_end(opened, NULL, 0);
    expect_no_fault(FAULT_END);
}

void check_transport_overlap(const void *argument) {
    opened *opened = transport_open(transport_of(argument));
    exchange *exchanges[TOGETHER];
    size_t count;
    const char *const *paths = whole_answers(&count);
    for (size_t index = 0; index < TOGETHER; index++) {
        request request = REQUEST("GET", paths[index % count]);
        if (index % 4 == 0) {
            request = REQUEST("POST", "/echo");
            request.body = body_of(50000);
            request.body_bytes = 50000;
        }
        exchanges[index] = exchange_begin(opened, &request);
    }
    for (size_t index = 0; index < TOGETHER; index++) {
        exchange_wait(exchanges[index]);
    }
    transport_end(opened, exchanges, TOGETHER);
    expect_no_fault(FAULT_OVERLAP);
}

typedef struct crowd {
    opened *opened;
    pthread_barrier_t start;
} crowd;

static void *one_of_many(void *context) {
    crowd *crowd = context;
    exchange *exchanges[6];
    pthread_barrier_wait(&crowd->start);
    for (int index = 0; index < 6; index++) {
        exchanges[index] = exchange_begin(crowd->opened, &REQUEST("GET", "/chunked"));
        if (index % 3 == 0) {
            exchange_cancel(exchanges[index]);
        }
    }
    for (int index = 0; index < 6; index++) {
        exchange_wait(exchanges[index]);
    }
    return NULL;
}

void check_transport_concurrent(const void *argument) {
    enum { THREADS = 8 };
    static crowd crowd;
    pthread_t threads[THREADS];
    crowd.opened = transport_open(transport_of(argument));
    pthread_barrier_init(&crowd.start, NULL, THREADS);
    for (int index = 0; index < THREADS; index++) {
        require(
            pthread_create(&threads[index], NULL, one_of_many, &crowd) == 0, "no more threads");
    }
    for (int index = 0; index < THREADS; index++) {
        pthread_join(threads[index], NULL);
    }
    transport_end(crowd.opened, NULL, 0);
    for (int kind = 0; kind < FAULT_KINDS; kind++) {
        if (kind == FAULT_TWICE || kind == FAULT_ORDER || kind == FAULT_LATE) {
            expect_no_fault((exchange_fault)kind);
        }
    }
}

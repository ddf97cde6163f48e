/* Event streams, against a server on the loopback interface. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answering.h"
#include "harness.h"
#include "realm.h"

#define HEAD "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: "
#define EVENTS HEAD "text/event-stream\r\n\r\n"

enum { EVENTS_MAX = 16 };

/** The context of one receiver. */
struct log {
    struct answering_server server;
    restway_client *client;
    restway_clock *clock;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int head_count;
    int count;
    /** "name/id/data/id of the object, or the status of the error" of each event. */
    char events[EVENTS_MAX][96];
    int destroyed_count;
    /** Pauses at each event. */
    int pauses;
    /** The result of the receiver. */
    restway_status answer;
};

static void log_begin(struct log *log) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    static const char document[] =
        "{\"restway\": 1, \"entities\": {\"Thing\": {\"identity\": \"id\","
        " \"attributes\": {\"id\": {\"type\": \"int\"}}}},"
        " \"routes\": {\"things\": {\"path\": \"things\", \"stream\": \"events\","
        " \"response\": {\"entity\": \"Thing\", \"event\": \"thing\"}}},"
        " \"responses\": [{\"path\": \"all\", \"entity\": \"Thing\"}]}";
    memset(log, 0, sizeof(*log));
    pthread_mutex_init(&log->lock, NULL);
    pthread_cond_init(&log->changed, NULL);
    answering_begin(&log->server);
    assert_ok(restway_clock_create(&log->clock, &failure));
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    options.base_url = log->server.url;
    options.clock = log->clock;
    assert_ok(restway_client_create(api, &options, &log->client, &failure));
    restway_api_release(api);
}

static restway_status take_head(
    void *context, const restway_response *response, restway_answer *answer) {
    struct log *log = context;
    (void)answer;
    pthread_mutex_lock(&log->lock);
    log->head_count += restway_response_status(response) == 200;
    pthread_mutex_unlock(&log->lock);
    return RESTWAY_OK;
}

static restway_status take_event(
    void *context, const restway_stream_event *event, int32_t *out_pauses, restway_answer *answer) {
    struct log *log = context;
    long long found = -1;
    if (event->object_count) found = restway_object_int64(event->objects[0], "id", -1);
    if (event->error) found = restway_error_status(event->error);
    pthread_mutex_lock(&log->lock);
    if (log->count < EVENTS_MAX) {
        snprintf(
            log->events[log->count], sizeof(log->events[0]), "%s/%s/%.*s/%lld", event->name,
            event->id, (int)event->length, (const char *)event->data, found);
    }
    log->count++;
    *out_pauses = log->pauses;
    pthread_cond_broadcast(&log->changed);
    pthread_mutex_unlock(&log->lock);
    if (log->answer && restway_answer_set_message(answer, "no more events", NULL)) abort();
    return log->answer;
}

static void destroy(void *context) {
    struct log *log = context;
    pthread_mutex_lock(&log->lock);
    log->destroyed_count++;
    pthread_cond_broadcast(&log->changed);
    pthread_mutex_unlock(&log->lock);
}

static restway_event_receiver receiver_of(struct log *log) {
    restway_event_receiver receiver = RESTWAY_EVENT_RECEIVER_INIT;
    receiver.context = log;
    receiver.head = take_head;
    receiver.receive = take_event;
    receiver.destroy = destroy;
    return receiver;
}

/** Makes a request for the route "things". */
static restway_request *log_request(const restway_event_receiver *receiver) {
    restway_request *request = NULL;
    assert_ok(restway_request_create_route(NULL, "things", &request, &failure));
    assert_ok(restway_request_set_event_receiver(request, receiver, &failure));
    return request;
}

static void log_wait(struct log *log, int count) {
    pthread_mutex_lock(&log->lock);
    while (log->count < count) pthread_cond_wait(&log->changed, &log->lock);
    pthread_mutex_unlock(&log->lock);
}

/** Sends a request for the route "things", and returns when its first event has come. */
static restway_call *log_send(struct log *log) {
    restway_event_receiver receiver = receiver_of(log);
    restway_request *request = log_request(&receiver);
    restway_call *call = NULL;
    assert_ok(restway_client_send(log->client, request, NULL, NULL, NULL, &call, &failure));
    restway_request_release(request);
    log_wait(log, 1);
    return call;
}

/** Waits until the context was destroyed, and checks that this happened once. */
static void log_end(struct log *log) {
    restway_client_release(log->client);
    restway_clock_release(log->clock);
    pthread_mutex_lock(&log->lock);
    while (!log->destroyed_count) pthread_cond_wait(&log->changed, &log->lock);
    assert_int_equal(log->destroyed_count, 1);
    pthread_mutex_unlock(&log->lock);
    answering_end(&log->server);
}

static void answer(struct log *log, const char *text) {
    answering_set_bytes(&log->server, text, strlen(text));
}

static void event_stream__gives_events_with_their_objects(void **state) {
    (void)state;
    struct log log;
    log_begin(&log);
    answer(
        &log,
        EVENTS "id: a\nevent: thing\ndata: {\"id\": 7}\n\ndata: [DONE]\n\n"
               "event: thing\ndata: {\n\nevent: thing\ndata: {\"id\":\ndata: 8}\n\ndata: cut off");
    restway_event_receiver receiver = receiver_of(&log);
    receiver.reconnections_max = -1;
    restway_request *request = log_request(&receiver);
    restway_response *response = NULL;
    restway_list *list = NULL;
    assert_ok(restway_client_perform(log.client, request, 0, &response, &failure));
    assert_int_equal(restway_response_status(response), 200);
    assert_int_equal(log.head_count, 1);
    assert_int_equal(log.count, 4);
    assert_string_equal(log.events[0], "thing/a/{\"id\": 7}/7");
    assert_string_equal(log.events[1], "message/a/[DONE]/-1");
    assert_int_equal(RESTWAY_E_MAPPING, atoi(strrchr(log.events[2], '/') + 1));
    assert_string_equal(log.events[3], "thing/a/{\"id\":\n8}/8");
    restway_store *store = restway_client_store(log.client);
    assert_ok(restway_store_all(store, "Thing", &list, &failure));
    assert_int_equal(restway_list_count(list), 2);
    restway_list_release(list);
    restway_store_release(store);
    restway_response_release(response);
    restway_request_release(request);
    log_end(&log);
}

static void event_stream__is_opened_again_until_the_server_has_nothing(void **state) {
    (void)state;
    struct log log;
    log_begin(&log);
    answer(&log, EVENTS "retry: 50\nevent: thing\ndata: {\"id\": 1}\n\n");
    restway_call *call = log_send(&log);
    restway_response *response = NULL;
    assert_int_equal(advance_to_next(log.clock), 50);
    log_wait(&log, 2);
    answer(&log, "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
    assert_int_equal(advance_to_next(log.clock), 50);
    assert_ok(restway_call_wait(call, 0, &response, &failure));
    assert_int_equal(restway_response_status(response), 204);
    assert_int_equal(log.head_count, 2);
    restway_response_release(response);
    restway_call_release(call);
    log_end(&log);
}

static void event_stream__of_lines_and_of_a_sequence(void **state) {
    (void)state;
    static const char *const answers[] = {
        HEAD "application/x-ndjson\r\n\r\n{\"id\": 1}\n\n{\"id\": 2}",
        HEAD "application/json-seq\r\n\r\n\x1e{\"id\": 1}\n\x1e{\"id\": 2}\n",
        HEAD "text/plain\r\n\r\n{\"id\": 1}\r\n{\"id\": 2}\r\n",
    };
    for (size_t index = 0; index < sizeof(answers) / sizeof(answers[0]); index++) {
        struct log log;
        log_begin(&log);
        answer(&log, answers[index]);
        restway_event_receiver receiver = receiver_of(&log);
        receiver.format = index == 2 ? RESTWAY_STREAM_LINES : RESTWAY_STREAM_DEFAULT;
        restway_request *request = make_get("all");
        restway_response *response = NULL;
        assert_ok(restway_request_set_event_receiver(request, &receiver, &failure));
        assert_ok(restway_client_perform(log.client, request, 0, &response, &failure));
        assert_int_equal(log.count, 2);
        assert_string_equal(log.events[0], "message//{\"id\": 1}/1");
        assert_string_equal(log.events[1], "message//{\"id\": 2}/2");
        restway_response_release(response);
        restway_request_release(request);
        log_end(&log);
    }
}

static void event_stream__ends_by_cancel_and_by_close(void **state) {
    (void)state;
    for (int run = 0; run < 4; run++) {
        int closes = run % 2, pauses = run / 2;
        struct log log;
        log_begin(&log);
        log.pauses = pauses;
        answer(&log, EVENTS "data: 1\n\n");
        restway_call *call = log_send(&log);
        restway_response *response = NULL;
        /* Without a pause, the stream waits to be opened again. */
        while (!pauses && restway_clock_next_milliseconds(log.clock) < 0) sched_yield();
        if (closes) restway_client_close(log.client); else restway_call_cancel(call);
        assert_fails(
            restway_call_wait(call, 0, &response, &failure),
            closes ? RESTWAY_E_CLOSED : RESTWAY_E_CANCELLED, "");
        assert_int_equal(log.count, 1);
        restway_call_release(call);
        log_end(&log);
    }
}

static void event_stream__fails_with_what_is_wrong(void **state) {
    (void)state;
    static const struct {
        const char *answer;
        restway_status receiver;
        restway_status status;
        const char *fragment;
    } cases[] = {
        {HEAD "text/html\r\n\r\n<html>", RESTWAY_OK, RESTWAY_E_MAPPING, "text/html"},
        {"HTTP/1.1 404 No\r\nConnection: close\r\n\r\n", RESTWAY_OK, RESTWAY_E_HTTP, "404"},
        {EVENTS "data: 1\n\n", RESTWAY_E_IO, RESTWAY_E_IO, "no more events"},
        {EVENTS "data: 123456789", RESTWAY_OK, RESTWAY_E_TOO_LARGE, "larger than 10 bytes"},
    };
    for (size_t index = 0; index < sizeof(cases) / sizeof(cases[0]); index++) {
        struct log log;
        log_begin(&log);
        log.answer = cases[index].receiver;
        answer(&log, cases[index].answer);
        restway_event_receiver receiver = receiver_of(&log);
        receiver.event_bytes_max = 10;
        restway_request *request = log_request(&receiver);
        restway_response *response = NULL;
        assert_fails(
            restway_client_perform(log.client, request, 0, &response, &failure),
            cases[index].status, cases[index].fragment);
        restway_request_release(request);
        log_end(&log);
    }
}

static void event_stream__of_a_route_needs_a_receiver(void **state) {
    (void)state;
    struct log log;
    log_begin(&log);
    restway_event_receiver receiver = receiver_of(&log);
    restway_request *request = log_request(&receiver);
    restway_response *response = NULL;
    assert_ok(restway_request_set_event_receiver(request, NULL, &failure));
    assert_fails(
        restway_client_perform(log.client, request, 0, &response, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "event stream");
    restway_request_release(request);
    log_end(&log);
}

static void event_stream__refuses_wrong_arguments(void **state) {
    (void)state;
    struct log log;
    log_begin(&log);
    restway_event_receiver receiver = RESTWAY_EVENT_RECEIVER_INIT, same;
    restway_request *request = make_get("all");
    assert_refused(restway_request_set_event_receiver(NULL, &receiver, &failure));
    assert_refused(restway_request_set_event_receiver(request, &receiver, &failure));
    assert_refused(restway_event_receiver_init(NULL, sizeof(same), &failure));
    assert_refused(restway_event_receiver_init(&same, 8, &failure));
    assert_ok(restway_event_receiver_init(&same, sizeof(same), &failure));
    assert_memory_equal(&same, &receiver, sizeof(same));
    receiver = receiver_of(&log);
    receiver.format = 4;
    assert_refused(restway_request_set_event_receiver(request, &receiver, &failure));
    receiver = receiver_of(&log);
    receiver.event_bytes_max = -1;
    assert_refused(restway_request_set_event_receiver(request, &receiver, &failure));
    receiver = receiver_of(&log);
    receiver.reconnections_max = -2;
    assert_refused(restway_request_set_event_receiver(request, &receiver, &failure));
    assert_int_equal(log.destroyed_count, 0);
    receiver = receiver_of(&log);
    assert_ok(restway_request_set_event_receiver(request, &receiver, &failure));
    restway_request_release(request);
    log_end(&log);
}

static const struct CMUnitTest tests[] = {
    TEST(event_stream__gives_events_with_their_objects),
    TEST(event_stream__is_opened_again_until_the_server_has_nothing),
    TEST(event_stream__of_lines_and_of_a_sequence),
    TEST(event_stream__ends_by_cancel_and_by_close),
    TEST(event_stream__fails_with_what_is_wrong),
    TEST(event_stream__of_a_route_needs_a_receiver),
    TEST(event_stream__refuses_wrong_arguments),
};
const struct suite event_stream_suite = SUITE(tests);

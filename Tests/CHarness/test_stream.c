/* Answers that the program receives while they arrive, against the demo API. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

/** The context of one receiver. */
struct sink {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char *bytes;
    size_t length;
    int head_count;
    int piece_count;
    int destroyed_count;
    /** Pauses after the first piece. */
    int pauses;
    /** The result of the functions. */
    restway_status head_answer;
    restway_status answer;
    /** If it is set, the head function makes a blocking call; `found` is its status. */
    restway_client *client;
    restway_status found;
};

static void sink_begin(struct sink *sink) {
    memset(sink, 0, sizeof(*sink));
    pthread_mutex_init(&sink->lock, NULL);
    pthread_cond_init(&sink->changed, NULL);
}

static restway_status take_head(
    void *context, const restway_response *response, restway_answer *answer) {
    struct sink *sink = context;
    pthread_mutex_lock(&sink->lock);
    sink->head_count += restway_response_status(response) == 200;
    pthread_mutex_unlock(&sink->lock);
    if (sink->client) {
        restway_request *request = NULL;
        restway_response *other = NULL;
        if (restway_request_create("GET", "status", &request, NULL) == RESTWAY_OK) {
            sink->found = restway_client_perform(sink->client, request, 0, &other, NULL);
        }
        restway_request_release(request);
    }
    if (sink->head_answer) {
        if (restway_answer_set_message(answer, "no head wanted", NULL)) abort();
    }
    return sink->head_answer;
}

static restway_status take_bytes(
    void *context, const void *bytes, size_t length, int32_t *out_pauses, restway_answer *answer) {
    struct sink *sink = context;
    pthread_mutex_lock(&sink->lock);
    sink->bytes = realloc(sink->bytes, sink->length + length);
    if (!sink->bytes) abort();
    memcpy(sink->bytes + sink->length, bytes, length);
    sink->length += length;
    *out_pauses = sink->pauses && sink->piece_count == 0;
    sink->piece_count++;
    pthread_cond_broadcast(&sink->changed);
    pthread_mutex_unlock(&sink->lock);
    if (sink->answer) {
        if (restway_answer_set_message(answer, "no bytes wanted", NULL)) abort();
    }
    return sink->answer;
}

static void destroy(void *context) {
    struct sink *sink = context;
    pthread_mutex_lock(&sink->lock);
    sink->destroyed_count++;
    pthread_cond_broadcast(&sink->changed);
    pthread_mutex_unlock(&sink->lock);
}

static restway_request *sink_request(struct sink *sink, const char *path) {
    restway_body_receiver receiver = RESTWAY_BODY_RECEIVER_INIT;
    restway_request *request = make_get(path);
    receiver.context = sink;
    receiver.head = take_head;
    receiver.receive = take_bytes;
    receiver.destroy = destroy;
    assert_ok(restway_request_set_body_receiver(request, &receiver, &failure));
    return request;
}

/** Waits until the context was destroyed, and checks that this happened once. */
static void sink_end(struct sink *sink) {
    pthread_mutex_lock(&sink->lock);
    while (!sink->destroyed_count) pthread_cond_wait(&sink->changed, &sink->lock);
    assert_int_equal(sink->destroyed_count, 1);
    pthread_mutex_unlock(&sink->lock);
    free(sink->bytes);
}

static void stream__gives_the_head_and_then_the_bytes_of_the_body(void **state) {
    (void)state;
    struct sink sink;
    sink_begin(&sink);
    restway_client *client = make_client();
    sink.client = client;
    restway_request *request = sink_request(&sink, "enterprises?per_page=5");
    restway_request *plain = make_get("enterprises?per_page=5");
    restway_response *response = NULL, *whole = NULL;
    size_t length = 0;
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    assert_ok(restway_client_perform(client, plain, 0, &whole, &failure));
    const void *body = restway_response_body(whole, &length);
    assert_int_equal(sink.head_count, 1);
    assert_int_equal(sink.found, RESTWAY_E_WOULD_BLOCK);
    assert_int_equal(sink.length, length);
    assert_memory_equal(sink.bytes, body, length);
    restway_response_body(response, &length);
    assert_int_equal(length, 0);
    assert_null(restway_response_saved_path(response));
    assert_int_equal(restway_response_saved_length(response), sink.length);
    restway_response_release(response);
    restway_response_release(whole);
    restway_request_release(plain);
    restway_request_release(request);
    restway_client_release(client);
    sink_end(&sink);
}

static void stream__pauses_until_it_is_resumed(void **state) {
    (void)state;
    struct sink sink;
    sink_begin(&sink);
    sink.pauses = 1;
    restway_client *client = make_client();
    restway_request *request = sink_request(&sink, "enterprises?per_page=5");
    restway_call *call = NULL;
    restway_response *response = NULL;
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    pthread_mutex_lock(&sink.lock);
    while (!sink.piece_count) pthread_cond_wait(&sink.changed, &sink.lock);
    pthread_mutex_unlock(&sink.lock);
    assert_int_equal(restway_call_is_complete(call), 0);
    restway_call_resume(call);
    assert_ok(restway_call_wait(call, 0, &response, &failure));
    restway_call_resume(call);
    restway_call_resume(NULL);
    restway_response_release(response);
    restway_call_release(call);
    restway_request_release(request);
    restway_client_release(client);
    sink_end(&sink);
}

static void stream__ends_a_paused_call_by_cancel_and_by_close(void **state) {
    (void)state;
    for (int closes = 0; closes < 2; closes++) {
        struct sink sink;
        sink_begin(&sink);
        sink.pauses = 1;
        restway_client *client = make_client();
        restway_request *request = sink_request(&sink, "enterprises?per_page=5");
        restway_call *call = NULL;
        restway_response *response = NULL;
        assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
        pthread_mutex_lock(&sink.lock);
        while (!sink.piece_count) pthread_cond_wait(&sink.changed, &sink.lock);
        pthread_mutex_unlock(&sink.lock);
        if (closes) restway_client_close(client); else restway_call_cancel(call);
        assert_fails(
            restway_call_wait(call, 0, &response, &failure),
            closes ? RESTWAY_E_CLOSED : RESTWAY_E_CANCELLED, "");
        restway_call_release(call);
        restway_request_release(request);
        restway_client_release(client);
        sink_end(&sink);
    }
}

static void stream__fails_with_the_reason_of_its_functions(void **state) {
    (void)state;
    for (int in_head = 0; in_head < 2; in_head++) {
        struct sink sink;
        sink_begin(&sink);
        sink.head_answer = in_head ? RESTWAY_E_STORE : RESTWAY_OK;
        sink.answer = RESTWAY_E_IO;
        restway_client *client = make_client();
        restway_request *request = sink_request(&sink, "enterprises?per_page=5");
        restway_response *response = NULL;
        assert_fails(
            restway_client_perform(client, request, 0, &response, &failure),
            in_head ? RESTWAY_E_STORE : RESTWAY_E_IO, in_head ? "no head" : "no bytes");
        assert_int_equal(sink.piece_count, !in_head);
        restway_request_release(request);
        restway_client_release(client);
        sink_end(&sink);
    }
}

static void stream__reads_the_body_of_an_error_into_memory(void **state) {
    (void)state;
    struct sink sink;
    sink_begin(&sink);
    restway_client *client = make_client();
    restway_request *request = sink_request(&sink, "nowhere");
    restway_response *response = NULL;
    assert_fails(
        restway_client_perform(client, request, 0, &response, &failure), RESTWAY_E_HTTP, "404");
    assert_int_equal(sink.head_count + sink.piece_count, 0);
    restway_request_release(request);
    restway_client_release(client);
    sink_end(&sink);
}

static void stream__refuses_wrong_arguments(void **state) {
    (void)state;
    struct sink sink;
    sink_begin(&sink);
    restway_request *request = sink_request(&sink, "enterprises");
    restway_body_receiver receiver = RESTWAY_BODY_RECEIVER_INIT, same;
    assert_refused(restway_request_set_body_receiver(NULL, &receiver, &failure));
    assert_refused(restway_request_set_body_receiver(request, &receiver, &failure));
    assert_refused(restway_body_receiver_init(NULL, sizeof(same), &failure));
    assert_refused(restway_body_receiver_init(&same, 8, &failure));
    assert_ok(restway_body_receiver_init(&same, sizeof(same), &failure));
    assert_memory_equal(&same, &receiver, sizeof(same));
    assert_int_equal(sink.destroyed_count, 0);
    assert_ok(restway_request_set_body_receiver(request, NULL, &failure));
    sink_end(&sink);
    restway_request_release(request);
}

static const struct CMUnitTest tests[] = {
    TEST(stream__gives_the_head_and_then_the_bytes_of_the_body),
    TEST(stream__pauses_until_it_is_resumed),
    TEST(stream__ends_a_paused_call_by_cancel_and_by_close),
    TEST(stream__fails_with_the_reason_of_its_functions),
    TEST(stream__reads_the_body_of_an_error_into_memory),
    TEST(stream__refuses_wrong_arguments),
};
const struct suite stream_suite = SUITE(tests);

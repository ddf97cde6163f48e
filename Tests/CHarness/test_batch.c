/* Batch sessions: several requests in one call. */
#include <stdio.h>
#include <string.h>

#include "answering.h"
#include "batching.h"

static void batch__answers_come_by_position(void **state) {
    (void)state;
    enum { COUNT = 5 };
    static const char *const paths[COUNT] = {
        "enterprises/3", "enterprises/999999", "status", "enterprises/4?x=1", "employees/1"};
    static const int32_t expected[COUNT] = {200, 404, 200, 200, 200};
    struct probe probes[COUNT];
    struct batch_end end;
    int32_t http_status = 0;
    restway_client *client = make_client();
    restway_batch *batch = make_batch(client);
    memset(&end, 0, sizeof(end));
    probe_begin(&end.probe);
    for (size_t index = 0; index < COUNT; index++) {
        batch_add_get(batch, paths[index], &probes[index]);
    }
    assert_int_equal(restway_batch_count(batch), COUNT);
    assert_int_equal(restway_batch_is_complete(batch), 0);
    assert_fails(
        restway_batch_response(batch, 0, NULL, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "not completed");
    assert_ok(restway_batch_send(batch, batch_end_done, &end, probe_destroy, &failure));
    assert_ok(restway_batch_wait(batch, 0, &failure));
    assert_int_equal(restway_batch_is_complete(batch), 1);
    for (size_t index = 0; index < COUNT; index++) {
        restway_status status = expected[index] == 200 ? RESTWAY_OK : RESTWAY_E_HTTP;
        assert_int_equal(batch_status(batch, index, &http_status), status);
        assert_int_equal(http_status, expected[index]);
        probe_expect(&probes[index], status);
    }
    restway_response *response = NULL;
    assert_ok(restway_batch_response(batch, 0, &response, &failure));
    assert_int_equal(
        restway_object_int64(restway_response_object(response, 0), "itemID", -1), 3);
    assert_holds(restway_response_url(response), "/v2/enterprises/3");
    restway_response_release(response);
    restway_batch_release(batch);
    restway_client_release(client);
    probe_expect_dropped(&end.probe);
    assert_int_equal(end.count, 1);
    assert_int_equal(end.status, RESTWAY_OK);
    assert_int_equal(end.waited, RESTWAY_OK);
    assert_true(end.found_batch && !end.probe.had_error);
}

static void batch__an_empty_session_needs_no_server(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.base_url = "http://127.0.0.1:9/v2";
    restway_client *client = make_client_with(options);
    restway_batch *batch = make_batch(client);
    assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
    assert_int_equal(restway_batch_is_complete(batch), 1);
    assert_ok(restway_batch_wait(batch, 0, &failure));
    assert_int_equal(restway_batch_count(batch), 0);
    restway_batch_release(batch);
    restway_client_release(client);
}

static void batch__a_body_goes_out_as_text(void **state) {
    (void)state;
    static const char body[] = "{\"a\": \"\xc3\xa9\"}";
    static const char bytes[] = "\xff\xfe";
    restway_client *client = make_client();
    restway_batch *batch = make_batch(client);
    restway_request *request = NULL;
    restway_response *response = NULL;
    restway_call *call = POISON;
    size_t length = 0;
    assert_ok(restway_request_create("POST", "echo", &request, &failure));
    assert_ok(restway_request_set_header(request, "X-Mine", "m", &failure));
    assert_ok(restway_request_set_body(
        request, body, strlen(body), "application/json", &failure));
    assert_ok(restway_batch_add(batch, request, NULL, NULL, NULL, &call, &failure));
    assert_ok(restway_request_set_body(request, bytes, 2, "image/png", &failure));
    restway_call *refused = POISON;
    assert_fails(
        restway_batch_add(batch, request, NULL, NULL, NULL, &refused, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "text");
    assert_null(refused);
    assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
    assert_ok(restway_call_wait(call, 0, &response, &failure));
    const char *echo = restway_response_json(response, &length);
    assert_holds(echo, "\"method\":\"POST\"");
    assert_holds(echo, "\"path\":\"/v2/echo\"");
    assert_holds(echo, "{\\\"a\\\": \\\"\xc3\xa9\\\"}");
    assert_holds(echo, "\"X-Mine\":\"m\"");
    assert_holds(echo, "\"Content-Type\":\"application/json\"");
    restway_response_release(response);
    restway_call_release(call);
    restway_request_release(request);
    restway_batch_release(batch);
    restway_client_release(client);
}

static void batch__an_answer_of_another_shape_is_an_error(void **state) {
    (void)state;
    static const char *const answers[] = {
        "", "{}", "null", "[]", "[{\"code\":200}]",
        "[{\"code\":200},{\"code\":200},{\"code\":200}]",
    };
    /* The server has answered these requests, but nobody can read how. */
    static const char *const unreadable[] = {"[", "[{},{\"code\":99}]", "[1,2]"};
    struct answering_server server;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    int32_t http_status = 0;
    answering_begin(&server);
    options.base_url = server.url;
    restway_client *client = make_client_with(options);
    for (size_t index = 0; index < sizeof(answers) / sizeof(answers[0]); index++) {
        restway_batch *batch = make_batch(client);
        answering_set(&server, 200, answers[index]);
        batch_add_get(batch, "enterprises/3", NULL);
        batch_add_get(batch, "enterprises/4", NULL);
        assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
        assert_fails_keeping(
            restway_batch_wait(batch, 0, &failure), RESTWAY_E_BATCH, "/batch");
        assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_BATCH);
        assert_non_null(restway_error_response(failure));
        forget_failure();
        assert_int_equal(batch_status(batch, 0, &http_status), RESTWAY_E_BATCH);
        assert_int_equal(batch_status(batch, 1, &http_status), RESTWAY_E_BATCH);
        restway_batch_release(batch);
    }
    for (size_t index = 0; index < sizeof(unreadable) / sizeof(unreadable[0]); index++) {
        restway_batch *batch = make_batch(client);
        answering_set(&server, 200, unreadable[index]);
        batch_add_get(batch, "enterprises/3", NULL);
        batch_add_get(batch, "enterprises/4", NULL);
        assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
        assert_ok(restway_batch_wait(batch, 0, &failure));
        assert_int_equal(batch_status(batch, 0, &http_status), RESTWAY_E_BATCH);
        assert_int_equal(batch_status(batch, 1, &http_status), RESTWAY_E_BATCH);
        restway_batch_release(batch);
    }
    /* The limit is 3: the fourth request is not sent, and its error says so. */
    restway_batch *batch = make_batch(client);
    for (int index = 0; index < 4; index++) {
        batch_add_get(batch, "status", NULL);
    }
    assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
    assert_fails(restway_batch_wait(batch, 0, &failure), RESTWAY_E_BATCH, "2 answers");
    assert_fails(
        restway_batch_response(batch, 3, NULL, &failure), RESTWAY_E_BATCH, "was not sent");
    restway_batch_release(batch);
    restway_client_release(client);
    answering_end(&server);
}

static void batch__an_answer_that_is_odd_fails_its_request_alone(void **state) {
    (void)state;
    static const char *const odd[] = {"null", "7", "{}", "{\"code\":99}"};
    struct answering_server server;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    int32_t http_status = 0;
    answering_begin(&server);
    options.base_url = server.url;
    restway_client *client = make_client_with(options);
    for (size_t index = 0; index < sizeof(odd) / sizeof(odd[0]); index++) {
        char answer[128];
        snprintf(
            answer, sizeof(answer), "[%s,{\"code\":\"200\",\"body\":{\"itemID\":4}}]", odd[index]);
        restway_batch *batch = make_batch(client);
        answering_set(&server, 200, answer);
        batch_add_get(batch, "enterprises/3", NULL);
        batch_add_get(batch, "enterprises/4", NULL);
        assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
        assert_ok(restway_batch_wait(batch, 0, &failure));
        assert_int_equal(batch_status(batch, 0, &http_status), RESTWAY_E_BATCH);
        assert_int_equal(batch_status(batch, 1, &http_status), RESTWAY_OK);
        restway_batch_release(batch);
    }
    restway_client_release(client);
    answering_end(&server);
}

static void batch__cancel_ends_every_request_once(void **state) {
    (void)state;
    struct probe probes[4];
    restway_client *client = make_client();
    restway_batch *batch = make_batch(client);
    for (size_t index = 0; index < 4; index++) {
        batch_add_get(batch, "bad/slow?ms=20000", &probes[index]);
    }
    assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
    restway_batch_cancel(batch);
    restway_batch_cancel(batch);
    assert_fails(restway_batch_wait(batch, 0, &failure), RESTWAY_E_CANCELLED, "");
    for (size_t index = 0; index < 4; index++) {
        probe_expect(&probes[index], RESTWAY_E_CANCELLED);
    }
    restway_batch_release(batch);
    restway_client_release(client);
}

static void batch__a_wait_that_passes_cancels(void **state) {
    (void)state;
    struct probe probe;
    restway_client *client = make_client();
    restway_batch *batch = make_batch(client);
    batch_add_get(batch, "bad/slow?ms=20000", &probe);
    assert_fails(
        restway_batch_wait(batch, 1, &failure), RESTWAY_E_INVALID_ARGUMENT, "not sent");
    assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
    assert_fails(restway_batch_wait(batch, 1, &failure), RESTWAY_E_TIMEOUT, "1 ms");
    probe_expect(&probe, RESTWAY_E_CANCELLED);
    restway_batch_release(batch);
    restway_client_release(client);
}

static void batch__a_time_out_of_the_call_is_that_of_its_requests(void **state) {
    (void)state;
    struct probe probe;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.timeout_milliseconds = 100;
    restway_client *client = make_client_with(options);
    restway_batch *batch = make_batch(client);
    batch_add_get(batch, "bad/slow?ms=20000", &probe);
    assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
    assert_fails(restway_batch_wait(batch, 0, &failure), RESTWAY_E_TIMEOUT, "/batch");
    probe_expect(&probe, RESTWAY_E_TIMEOUT);
    restway_batch_release(batch);
    restway_client_release(client);
}

static void batch__a_close_ends_what_was_sent_and_what_was_not(void **state) {
    (void)state;
    struct probe sent, unsent;
    struct batch_end end;
    restway_client *client = make_client();
    restway_batch *first = make_batch(client), *second = make_batch(client);
    restway_request *request = make_get("status");
    memset(&end, 0, sizeof(end));
    probe_begin(&end.probe);
    batch_add_get(first, "bad/slow?ms=20000", &sent);
    batch_add_get(second, "status", &unsent);
    assert_ok(restway_batch_send(first, batch_end_done, &end, probe_destroy, &failure));
    restway_client_close(client);
    probe_expect(&sent, RESTWAY_E_CLOSED);
    probe_expect(&unsent, RESTWAY_E_CLOSED);
    probe_expect_dropped(&end.probe);
    assert_int_equal(end.count, 1);
    assert_int_equal(end.status, RESTWAY_E_CLOSED);
    assert_true(end.probe.had_error);
    assert_fails(
        restway_batch_send(second, NULL, NULL, NULL, &failure), RESTWAY_E_CLOSED, "closed");
    assert_fails(
        restway_batch_add(second, request, NULL, NULL, NULL, NULL, &failure), RESTWAY_E_CLOSED,
        "");
    restway_request_release(request);
    restway_batch_release(first);
    restway_batch_release(second);
    restway_client_release(client);
}

static void batch__the_last_release_cancels_what_was_not_sent(void **state) {
    (void)state;
    struct probe probe;
    restway_client *client = make_client();
    restway_batch *batch = make_batch(client);
    batch_add_get(batch, "status", &probe);
    assert_ptr_equal(restway_batch_retain(batch), batch);
    restway_batch_release(batch);
    assert_int_equal(restway_batch_is_complete(batch), 0);
    restway_batch_release(batch);
    probe_expect(&probe, RESTWAY_E_CANCELLED);
    /* A session that was sent goes on. */
    batch = make_batch(client);
    batch_add_get(batch, "status", &probe);
    assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
    restway_batch_release(batch);
    probe_expect(&probe, RESTWAY_OK);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(batch__answers_come_by_position),
    TEST(batch__an_empty_session_needs_no_server),
    TEST(batch__a_body_goes_out_as_text),
    TEST(batch__an_answer_of_another_shape_is_an_error),
    TEST(batch__an_answer_that_is_odd_fails_its_request_alone),
    TEST(batch__cancel_ends_every_request_once),
    TEST(batch__a_wait_that_passes_cancels),
    TEST(batch__a_time_out_of_the_call_is_that_of_its_requests),
    TEST(batch__a_close_ends_what_was_sent_and_what_was_not),
    TEST(batch__the_last_release_cancels_what_was_not_sent),
};

const struct suite batch_suite = SUITE(tests);

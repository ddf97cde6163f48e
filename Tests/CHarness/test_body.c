/* Bodies that are read while they are sent, against the demo API. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "delivery.h"
#include "harness.h"
#include "probe.h"
#include "realm.h"
#include "source.h"

#define NEVER_WAITS "\"retry\": {\"attempts\": 3, \"baseMilliseconds\": 0}"

/** Checks that the demo API echoed @p count letters, framed by @p header. */
static void expect_echo(restway_response *response, size_t count, const char *header) {
    char bytes[64];
    snprintf(bytes, sizeof(bytes), "\"body_bytes\":%zu", count);
    assert_holds(restway_response_json(response, NULL), bytes);
    assert_holds(restway_response_json(response, NULL), header);
    assert_holds(restway_response_json(response, NULL), "\"content-type\":\"text/plain\"");
}

static char *letters(size_t count) {
    char *text = malloc(count + 1);
    assert_non_null(text);
    memset(text, 'x', count);
    text[count] = 0;
    return text;
}

static void body__is_read_on_a_worker_in_every_mode(void **state) {
    (void)state;
    enum { BYTES = 300000 };
    char *content = letters(BYTES);
    for (int mode = 0; mode < 3; mode++) {
        struct source source;
        restway_client *client = make_client_delivering((restway_delivery)mode);
        source_begin(&source, content);
        source.client = client;
        restway_request *request = source_request(&source, "POST", "echo", BYTES, 0);
        restway_call *call = NULL;
        restway_response *response = NULL;
        assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
        assert_ok(restway_call_wait(call, 0, &response, &failure));
        expect_echo(response, BYTES, "\"content-length\":\"300000\"");
        assert_false(pthread_equal(source.thread, pthread_self()));
        assert_int_equal(source.found, RESTWAY_E_WOULD_BLOCK);
        if (mode == RESTWAY_DELIVERY_DRAIN) {
            restway_event event = drain_event(client, RESTWAY_OK);
            restway_event_release(&event);
        }
        restway_response_release(response);
        restway_call_release(call);
        restway_request_release(request);
        restway_client_release(client);
        source_expect_destroyed(&source);
    }
    free(content);
}

static void body__of_unknown_length_goes_out_in_chunks(void **state) {
    (void)state;
    struct source source;
    restway_client *client = make_client();
    source_begin(&source, "seven letters, and more");
    source.piece = 7;
    restway_request *request = source_request(&source, "PUT", "echo", -1, 1);
    // Blocking calls move the bytes on their own thread in between; a body that is sent again is
    // rewound.
    for (int index = 0; index < 3; index++) {
        restway_response *response = NULL;
        restway_response_release(fetch(client, "status"));
        assert_ok(restway_client_perform(client, request, 0, &response, &failure));
        expect_echo(response, source.length, "\"transfer-encoding\":\"chunked\"");
        assert_holds(restway_response_json(response, NULL), "seven letters, and more");
        assert_int_equal(source.rewind_count, index);
        restway_response_release(response);
    }
    restway_request_release(request);
    restway_client_release(client);
    source_expect_destroyed(&source);
}

static void body__a_reader_that_fails_fails_the_call_with_its_reason(void **state) {
    (void)state;
    static const restway_status ends[] = {RESTWAY_E_IO, RESTWAY_E_CANCELLED, (restway_status)4711};
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = make_client_of(NEVER_WAITS, options);
    for (size_t index = 0; index < 3; index++) {
        struct source source;
        source_begin(&source, "half");
        source.end = ends[index];
        restway_request *request = source_request(&source, "PUT", "echo", -1, 1);
        restway_status expected = index < 2 ? ends[index] : RESTWAY_E_INVALID_ARGUMENT;
        assert_fails_keeping(
            restway_client_perform(client, request, 0, NULL, &failure), expected,
            "the disk is gone");
        assert_int_equal(restway_error_attempt_count(failure), 1);
        forget_failure();
        restway_request_release(request);
        source_expect_destroyed(&source);
    }
    restway_client_release(client);
}

static void body__a_reader_is_held_to_its_length(void **state) {
    (void)state;
    static const struct {
        int64_t length;
        const char *fragment;
    } wrong[] = {{5, "gave 4 of its 5 bytes"}, {3, "more than its 3 bytes"}};
    restway_client *client = make_client();
    for (size_t index = 0; index < 2; index++) {
        struct source source;
        source_begin(&source, "four");
        restway_request *request =
            source_request(&source, "POST", "echo", wrong[index].length, 1);
        assert_fails(
            restway_client_perform(client, request, 0, NULL, &failure),
            RESTWAY_E_INVALID_ARGUMENT, wrong[index].fragment);
        restway_request_release(request);
        source_expect_destroyed(&source);
    }
    struct source source;
    restway_response *response = NULL;
    source_begin(&source, "");
    restway_request *request = source_request(&source, "POST", "echo", 0, 0);
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    expect_echo(response, 0, "\"content-length\":\"0\"");
    assert_int_equal(source.read_count, 0);
    restway_response_release(response);
    restway_request_release(request);
    source_expect_destroyed(&source);
    restway_client_release(client);
}

static void body__is_rewound_for_a_retry_or_sent_once(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = make_client_of(NEVER_WAITS, options);
    for (int rewinds = 0; rewinds < 2; rewinds++) {
        struct source source;
        source_begin(&source, "again");
        restway_request *request =
            source_request(&source, "PUT", "bad/status/503", 5, rewinds);
        assert_fails_keeping(
            restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP,
            rewinds ? "503" : "not sent again, as the body's reader cannot be rewound");
        assert_int_equal(restway_error_attempt_count(failure), rewinds ? 3 : 1);
        assert_int_equal(source.rewind_count, rewinds ? 2 : 0);
        forget_failure();
        restway_request_release(request);
        source_expect_destroyed(&source);
    }
    struct source source;
    source_begin(&source, "again");
    source.rewind_answer = RESTWAY_E_IO;
    restway_request *request = source_request(&source, "PUT", "bad/status/503", 5, 1);
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_IO,
        "the tape is torn");
    restway_request_release(request);
    source_expect_destroyed(&source);
    restway_client_release(client);
}

static void body__is_rewound_for_a_replay_and_a_redirect(void **state) {
    (void)state;
    struct realm realm;
    struct source source;
    char path[128];
    restway_response *response = NULL;
    realm_begin(&realm, RESTWAY_DELIVERY_THREAD, "");
    source_begin(&source, "once more");
    snprintf(path, sizeof(path), "auth/%s/me/more", realm.name);
    restway_request *request = source_request(&source, "POST", path, -1, 1);
    assert_ok(restway_client_perform(realm.client, request, 0, &response, &failure));
    assert_int_equal(restway_response_attempt_count(response), 2);
    assert_int_equal(source.given, 9);
    assert_int_equal(source.rewind_count, 1);
    restway_response_release(response);
    restway_request_release(request);
    source_expect_destroyed(&source);
    realm_end(&realm);

    restway_client *client = make_client();
    for (int rewinds = 0; rewinds < 2; rewinds++) {
        source_begin(&source, "over there");
        request = source_request(
            &source, "POST", "redirect-to?status=307&url=/v2/echo", 10, rewinds);
        if (rewinds) {
            assert_ok(restway_client_perform(client, request, 0, &response, &failure));
            expect_echo(response, 10, "over there");
            restway_response_release(response);
        } else {
            assert_fails_keeping(
                restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP,
                "cannot be rewound");
            assert_int_equal(restway_error_http_status(failure), 307);
            forget_failure();
        }
        restway_request_release(request);
        source_expect_destroyed(&source);
    }
    restway_client_release(client);
}

static void body__a_call_ends_while_its_reader_is_asked(void **state) {
    (void)state;
    for (int closes = 0; closes < 2; closes++) {
        struct source source;
        struct probe probe;
        restway_client *client = make_client();
        restway_call *call = NULL;
        source_begin(&source, "too late");
        source_shut(&source);
        probe_begin(&probe);
        restway_request *request = source_request(&source, "POST", "echo", -1, 1);
        assert_ok(restway_client_send(
            client, request, probe_done, &probe, probe_destroy, &call, &failure));
        source_wait_read(&source, 1);
        if (closes) {
            restway_client_close(client);
        } else {
            restway_call_cancel(call);
        }
        // The call has ended, although its reader has not returned.
        probe_expect(&probe, closes ? RESTWAY_E_CLOSED : RESTWAY_E_CANCELLED);
        restway_request_release(request);
        restway_call_release(call);
        restway_client_release(client);
        source_open(&source);
        source_expect_destroyed(&source);
    }
}

static void body__one_call_reads_at_a_time(void **state) {
    (void)state;
    struct source source;
    restway_client *client = make_client();
    restway_call *call = NULL;
    source_begin(&source, "mine");
    source_shut(&source);
    restway_request *request = source_request(&source, "POST", "echo", 4, 0);
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    source_wait_read(&source, 1);
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "another call is reading it");
    source_open(&source);
    assert_ok(restway_call_wait(call, 0, NULL, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "cannot be rewound");
    restway_call_release(call);
    restway_request_release(request);
    restway_client_release(client);
    source_expect_destroyed(&source);
}

static void body__readers_that_wait_keep_nobody_else_waiting(void **state) {
    (void)state;
    enum { COUNT = 8 };
    struct source sources[COUNT];
    restway_call *calls[COUNT];
    restway_client *client = make_client();
    for (int index = 0; index < COUNT; index++) {
        source_begin(&sources[index], "patience");
        source_shut(&sources[index]);
        restway_request *request = source_request(&sources[index], "POST", "echo", 8, 1);
        assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &calls[index], &failure));
        restway_request_release(request);
    }
    for (int index = 0; index < COUNT; index++) {
        source_wait_read(&sources[index], 1);
    }
    struct probe probe;
    probe_begin(&probe);
    probe_send(&probe, client, "enterprises", NULL);
    probe_expect(&probe, RESTWAY_OK);
    for (int index = 0; index < COUNT; index++) {
        source_open(&sources[index]);
        assert_ok(restway_call_wait(calls[index], 0, NULL, &failure));
        restway_call_release(calls[index]);
    }
    restway_client_release(client);
    for (int index = 0; index < COUNT; index++) {
        source_expect_destroyed(&sources[index]);
    }
}

static void body__its_upload_is_followed_without_a_total(void **state) {
    (void)state;
    struct source source;
    restway_client *client = make_client();
    restway_call *call = NULL;
    restway_progress progress = RESTWAY_PROGRESS_INIT;
    source_begin(&source, "eleven byte");
    source_shut(&source);
    restway_request *request = source_request(&source, "POST", "echo", -1, 0);
    assert_ok(restway_request_set_progress(request, 1, NULL, NULL, NULL, &failure));
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    assert_ok(restway_call_progress(call, &progress, &failure));
    assert_int_equal(progress.upload_total, -1);
    source_open(&source);
    assert_ok(restway_call_wait(call, 0, NULL, &failure));
    assert_ok(restway_call_progress(call, &progress, &failure));
    assert_true(progress.upload_done >= 11);
    assert_int_equal(progress.upload_total, progress.upload_done);
    assert_true(progress.fraction == 1.0);
    restway_call_release(call);
    restway_request_release(request);
    restway_client_release(client);
    source_expect_destroyed(&source);
}

static restway_status read_nothing(
    void *context, void *buffer, size_t capacity, size_t *out_count, restway_answer *answer) {
    (void)context;
    (void)buffer;
    (void)answer;
    *out_count = capacity + 1;
    return RESTWAY_OK;
}

static void body__wrong_arguments_are_refused(void **state) {
    (void)state;
    struct source source;
    restway_client *client = make_client();
    restway_request *request = NULL;
    restway_body_reader reader = RESTWAY_BODY_READER_INIT;
    source_begin(&source, "");
    assert_ok(restway_request_create("POST", "echo", &request, &failure));
    assert_refused(restway_body_reader_init(NULL, sizeof(reader), &failure));
    assert_refused(restway_body_reader_init(&reader, 3, &failure));
    assert_refused(restway_request_set_body_reader(NULL, &reader, 1, "text/plain", &failure));
    assert_refused(restway_request_set_body_reader(request, NULL, 1, "text/plain", &failure));
    assert_fails(
        restway_request_set_body_reader(request, &reader, 1, "text/plain", &failure),
        RESTWAY_E_INVALID_ARGUMENT, "reader.read");
    reader.read = read_nothing;
    assert_refused(restway_request_set_body_reader(request, &reader, -2, "text/plain", &failure));
    assert_refused(restway_request_set_body_reader(request, &reader, 1, NULL, &failure));
    assert_refused(restway_request_set_body_reader(request, &reader, 1, "a\nb", &failure));
    assert_ok(restway_request_set_body_reader(request, &reader, -1, "text/plain", &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "out_count");
    // This body replaces another one, and another one replaces it.
    source_set(&source, request, -1, 1);
    assert_ok(restway_request_set_body(request, "x", 1, "text/plain", &failure));
    source_expect_destroyed(&source);
    char command[512];
    assert_ok(restway_request_set_body_reader(request, &reader, -1, "text/plain", &failure));
    assert_ok(restway_request_to_curl(
        request, client, 0, command, sizeof(command), NULL, &failure));
    assert_holds(command, "--data-binary @-");
    restway_request_release(request);
    assert_ok(restway_request_create("HEAD", "echo", &request, &failure));
    assert_ok(restway_request_set_body_reader(request, &reader, -1, "text/plain", &failure));
    assert_refused(restway_client_perform(client, request, 0, NULL, &failure));
    restway_request_release(request);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(body__is_read_on_a_worker_in_every_mode),
    TEST(body__of_unknown_length_goes_out_in_chunks),
    TEST(body__a_reader_that_fails_fails_the_call_with_its_reason),
    TEST(body__a_reader_is_held_to_its_length),
    TEST(body__is_rewound_for_a_retry_or_sent_once),
    TEST(body__is_rewound_for_a_replay_and_a_redirect),
    TEST(body__a_call_ends_while_its_reader_is_asked),
    TEST(body__one_call_reads_at_a_time),
    TEST(body__readers_that_wait_keep_nobody_else_waiting),
    TEST(body__its_upload_is_followed_without_a_total),
    TEST(body__wrong_arguments_are_refused),
};

const struct suite body_suite = SUITE(tests);

/* Functions of the program that fail while stored requests are sent, and the state of the items
 * then. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outboxing.h"
#include "probe.h"

#define DOCUMENT_BEFORE_END \
    "{\"restway\": 1," \
    " \"environments\": {\"here\": {\"baseURL\": \"http://127.0.0.1:1\"}}," \
    " \"entities\": {\"Thing\": {\"identity\": \"id\", \"attributes\": {" \
    "   \"id\": {\"type\": \"int\"}, \"name\": {\"type\": \"string\"}}}}," \
    " \"routes\": {\"thing\": {\"method\": \"PUT\", \"path\": \"things/:id\"," \
    "   \"response\": {\"entity\": \"Thing\", \"hook\": \"look\"}, \"offline\": true}}"

/** The results of the functions in this file; the context of all of them. */
struct host {
    pthread_mutex_t lock;
    restway_status answer;
    int asked;
};

static restway_status asked(struct host *host) {
    pthread_mutex_lock(&host->lock);
    host->asked++;
    restway_status answer = host->answer;
    pthread_mutex_unlock(&host->lock);
    return answer;
}

static void set_answer(struct host *host, restway_status answer) {
    pthread_mutex_lock(&host->lock);
    host->answer = answer;
    host->asked = 0;
    pthread_mutex_unlock(&host->lock);
}

static int times_asked(struct host *host) {
    pthread_mutex_lock(&host->lock);
    int count = host->asked;
    pthread_mutex_unlock(&host->lock);
    return count;
}

static restway_status authorize(void *context, restway_exchange *exchange) {
    (void)exchange;
    return asked(context);
}

static restway_status look(void *context, restway_rows *rows, restway_answer *answer) {
    (void)rows, (void)answer;
    return asked(context);
}

static restway_status encode(
    void *context, restway_batch_writer *writer, restway_answer *answer) {
    (void)answer;
    restway_status status = asked(context);
    return status == RESTWAY_OK
        ? restway_batch_writer_set_body(writer, "all", 3, "text/plain", NULL) : status;
}

static restway_status decode(
    void *context, restway_batch_reader *reader, restway_answer *answer) {
    (void)context, (void)answer;
    restway_status status = RESTWAY_OK;
    for (size_t index = 0; index < restway_batch_reader_count(reader); index++) {
        if (status == RESTWAY_OK) {
            status = restway_batch_reader_set_answer(reader, index, 200, "{\"id\": 1}", 9, NULL);
        }
    }
    return status;
}

static restway_status fail_to_decode(
    void *context, restway_batch_reader *reader, restway_answer *answer) {
    restway_status status = asked(context);
    return status == RESTWAY_OK ? decode(context, reader, answer) : status;
}

static restway_status encode_always(
    void *context, restway_batch_writer *writer, restway_answer *answer) {
    (void)context, (void)answer;
    return restway_batch_writer_set_body(writer, "all", 3, "text/plain", NULL);
}

static int32_t cannot_say(void *context, const restway_error *error) {
    (void)error;
    (void)asked(context);
    return -1;
}

static void refresh(void *context, restway_refresh *ticket) {
    (void)asked(context);
    /* A refresh that has already ended needs no failure. */
    restway_status status = restway_refresh_fail(ticket, "no token today", 0, NULL, NULL, NULL);
    (void)status;
    restway_refresh_release(ticket);
}

static void told_flushed(
    void *context, const restway_outbox_items *items, restway_status status,
    const restway_error *error) {
    (void)context, (void)items, (void)status, (void)error;
}

/** Flushes the outbox, and waits until the flush has ended. */
static void flush(restway_client *client) {
    struct probe probe;
    probe_begin(&probe);
    assert_ok(restway_outbox_flush(
        client, RESTWAY_OUTBOX_FORCE, told_flushed, &probe, probe_destroy, &failure));
    probe_expect_dropped(&probe);
}

/** Makes a client of a document that ends with @p end, whose hook is a function of the program. */
static void begin(struct outboxing *outboxing, struct host *host, const char *end) {
    char document[1024];
    restway_api *api = NULL;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    memset(host, 0, sizeof(*host));
    pthread_mutex_init(&host->lock, NULL);
    outboxing_begin(outboxing, RESTWAY_DELIVERY_THREAD);
    restway_client_release(outboxing->client);
    snprintf(document, sizeof(document), "%s%s}", DOCUMENT_BEFORE_END, end);
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_ok(restway_api_add_hook(api, "look", look, host, NULL, &failure));
    options.base_url = outboxing->server.url;
    options.outbox_path = outboxing->path;
    assert_ok(restway_client_create(api, &options, &outboxing->client, &failure));
    restway_api_release(api);
    answering_set(&outboxing->server, 200, "{\"id\": 1}");
}

static void finish(struct outboxing *outboxing, struct host *host) {
    outboxing_end(outboxing);
    pthread_mutex_destroy(&host->lock);
}

/** Two items stay stored as long as the function returns anything but RESTWAY_OK. */
static void expect_kept(struct outboxing *outboxing, struct host *host) {
    static const restway_status answers[] = {
        RESTWAY_E_CANCELLED, RESTWAY_E_INVALID_ARGUMENT, RESTWAY_E_INTERNAL, RESTWAY_E_AUTH,
        RESTWAY_E_MAPPING, RESTWAY_E_OUT_OF_MEMORY,
    };
    outboxing_store(outboxing, 1);
    outboxing_store(outboxing, 2);
    for (size_t index = 0; index < sizeof(answers) / sizeof(answers[0]); index++) {
        set_answer(host, answers[index]);
        flush(outboxing->client);
        assert_true(times_asked(host) > 0);
        outboxing_wait(outboxing, 2, 0, 0);
    }
    set_answer(host, RESTWAY_OK);
    flush(outboxing->client);
    outboxing_wait(outboxing, 0, 0, 0);
}

static void outbox__an_authorize_function_that_fails_ends_no_item(void **state) {
    (void)state;
    struct outboxing outboxing;
    struct host host;
    begin(&outboxing, &host, ", \"auth\": {}");
    assert_ok(restway_client_set_authorize(outboxing.client, authorize, &host, NULL, &failure));
    expect_kept(&outboxing, &host);
    finish(&outboxing, &host);
}

static void outbox__a_hook_that_fails_ends_no_item(void **state) {
    (void)state;
    struct outboxing outboxing;
    struct host host;
    begin(&outboxing, &host, "");
    expect_kept(&outboxing, &host);
    finish(&outboxing, &host);
}

static void outbox__a_batch_format_that_fails_ends_no_item(void **state) {
    (void)state;
    for (int part = 0; part < 2; part++) {
        struct outboxing outboxing;
        struct host host;
        begin(&outboxing, &host, ", \"batch\": {\"path\": \"batch\", \"limit\": 5}");
        assert_ok(restway_client_set_batch_format(
            outboxing.client, part == 0 ? encode : encode_always,
            part == 0 ? decode : fail_to_decode, &host, NULL, &failure));
        expect_kept(&outboxing, &host);
        finish(&outboxing, &host);
    }
}

static void outbox__a_should_replay_function_that_fails_leaves_it_to_the_document(void **state) {
    (void)state;
    struct outboxing outboxing;
    struct host host, refresher;
    restway_credential credential = RESTWAY_CREDENTIAL_INIT;
    begin(&outboxing, &host, ", \"auth\": {\"scheme\": \"bearer\"}");
    credential.token = "old";
    assert_ok(restway_client_set_credential(outboxing.client, &credential, &failure));
    memset(&refresher, 0, sizeof(refresher));
    pthread_mutex_init(&refresher.lock, NULL);
    assert_ok(restway_client_set_should_replay(
        outboxing.client, cannot_say, &host, NULL, &failure));
    assert_ok(restway_client_set_refresh(outboxing.client, refresh, &refresher, NULL, &failure));
    answering_set(&outboxing.server, 401, "{}");
    outboxing_store(&outboxing, 1);
    flush(outboxing.client);
    assert_true(times_asked(&host) > 0);
    assert_int_equal(times_asked(&refresher), 1);
    outboxing_wait(&outboxing, 1, 0, 0);
    finish(&outboxing, &host);
    pthread_mutex_destroy(&refresher.lock);
}

static void expect_reason(struct outboxing *outboxing, restway_outbox_reason reason) {
    restway_outbox_item *item = NULL;
    assert_ok(restway_outbox_find(outboxing->client, 1, &item, &failure));
    assert_int_equal(restway_outbox_item_reason(item), reason);
    restway_outbox_item_release(item);
}

static void outbox__a_repeated_key_is_told_from_a_refusal(void **state) {
    (void)state;
    static const char busy[] =
        "HTTP/1.1 409 Conflict\r\nRetry-After: 60\r\n"
        "Content-Length: 0\r\nConnection: close\r\n\r\n";
    struct outboxing outboxing;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    outboxing_store(&outboxing, 1);
    answering_set(&outboxing.server, 503, "{}");
    flush(outboxing.client);
    expect_reason(&outboxing, RESTWAY_OUTBOX_REASON_NONE);
    answering_set_bytes(&outboxing.server, busy, sizeof(busy) - 1);
    flush(outboxing.client);
    outboxing_wait(&outboxing, 1, 0, 0);
    answering_set(
        &outboxing.server, 422, "{\"title\": \"Idempotency-Key is already used\"}");
    flush(outboxing.client);
    outboxing_wait(&outboxing, 0, 0, 1);
    expect_reason(&outboxing, RESTWAY_OUTBOX_REASON_KEY_REUSED);
    answering_set(&outboxing.server, 422, "{\"title\": \"the name is too long\"}");
    assert_ok(restway_outbox_retry(outboxing.client, 1, &failure));
    flush(outboxing.client);
    outboxing_wait(&outboxing, 0, 0, 1);
    expect_reason(&outboxing, RESTWAY_OUTBOX_REASON_REFUSED);
    outboxing_end(&outboxing);
}

static void outbox__an_answer_of_the_network_ends_no_item(void **state) {
    (void)state;
    static const char page[] =
        "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
        "Content-Length: 6\r\nConnection: close\r\n\r\n<html>";
    struct outboxing outboxing;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    outboxing_store(&outboxing, 1);
    answering_set_bytes(&outboxing.server, page, sizeof(page) - 1);
    flush(outboxing.client);
    outboxing_wait(&outboxing, 1, 0, 0);
    expect_reason(&outboxing, RESTWAY_OUTBOX_REASON_NOT_THE_API);
    answering_set(&outboxing.server, 503, "{}");
    flush(outboxing.client);
    outboxing_wait(&outboxing, 1, 0, 0);
    expect_reason(&outboxing, RESTWAY_OUTBOX_REASON_NONE);
    answering_set(&outboxing.server, 200, "{}");
    flush(outboxing.client);
    outboxing_wait(&outboxing, 0, 0, 0);
    outboxing_end(&outboxing);
}

static const struct CMUnitTest tests[] = {
    TEST(outbox__an_answer_of_the_network_ends_no_item),
    TEST(outbox__an_authorize_function_that_fails_ends_no_item),
    TEST(outbox__a_hook_that_fails_ends_no_item),
    TEST(outbox__a_batch_format_that_fails_ends_no_item),
    TEST(outbox__a_should_replay_function_that_fails_leaves_it_to_the_document),
    TEST(outbox__a_repeated_key_is_told_from_a_refusal),
};

const struct suite outbox_functions_suite = SUITE(tests);

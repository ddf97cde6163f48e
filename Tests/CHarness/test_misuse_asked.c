/* NULL and text that is not UTF-8, for functions that only a callback can call. Assertions run on
 * the test's own thread, so callbacks only store results. */
#include <string.h>

#include "answering.h"
#include "harness.h"
#include "realm.h"

/** The results of a callback. */
struct notes {
    /** The number of calls that had to be refused, and the number of the first call that was
     *  accepted. */
    int calls;
    int accepted;
    /** Whether a value that had to stay has changed. */
    int wrong;
};

static void note(struct notes *notes, restway_status status) {
    notes->calls++;
    if (status != RESTWAY_E_INVALID_ARGUMENT && notes->accepted == 0) {
        notes->accepted = notes->calls;
    }
}

/** Checks that all @p calls calls were made and refused. */
static void expect_all_refused(const struct notes *notes, int calls) {
    assert_int_equal(notes->accepted, 0);
    assert_int_equal(notes->wrong, 0);
    assert_int_equal(notes->calls, calls);
}

static restway_status authorize(void *context, restway_exchange *exchange) {
    struct notes *notes = context;
    note(notes, restway_exchange_set_header(exchange, NULL, "v", NULL));
    note(notes, restway_exchange_set_header(exchange, BAD_UTF8, "v", NULL));
    note(notes, restway_exchange_set_header(exchange, "A", BAD_UTF8, NULL));
    note(notes, restway_exchange_add_parameter(exchange, NULL, "v", NULL));
    note(notes, restway_exchange_add_parameter(exchange, "a", NULL, NULL));
    note(notes, restway_exchange_add_parameter(exchange, BAD_UTF8, "v", NULL));
    note(notes, restway_exchange_add_parameter(exchange, "a", BAD_UTF8, NULL));
    note(notes, restway_exchange_set_refusal(exchange, NULL, NULL, NULL, NULL));
    note(notes, restway_exchange_set_refusal(exchange, BAD_UTF8, NULL, NULL, NULL));
    notes->wrong += restway_exchange_header(exchange, NULL) != NULL;
    notes->wrong += restway_exchange_header(exchange, BAD_UTF8) != NULL;
    notes->wrong += restway_exchange_body(exchange, NULL) != NULL;
    return RESTWAY_OK;
}

static void misuse__of_an_exchange(void **state) {
    (void)state;
    struct notes notes = {0};
    restway_client *client = make_client();
    restway_response *response = NULL;
    assert_ok(restway_client_set_authorize(client, authorize, &notes, NULL, &failure));
    response = fetch(client, "echo");
    expect_all_refused(&notes, 9);
    assert_null(strstr(restway_response_json(response, NULL), "\"a\":\"v\""));
    restway_response_release(response);
    restway_client_release(client);
}

static void read_failure(void *context, restway_failure *answer) {
    struct notes *notes = context;
    note(notes, restway_failure_replace(answer, BAD_UTF8, NULL, NULL, -1, NULL));
    note(notes, restway_failure_replace(answer, "teapot", BAD_UTF8, NULL, -1, NULL));
    note(notes, restway_failure_replace(answer, "teapot", NULL, BAD_UTF8, -1, NULL));
}

static void misuse__of_a_failure(void **state) {
    (void)state;
    struct notes notes = {0};
    restway_client *client = make_client();
    restway_request *request = make_get("bad/status/418");
    assert_ok(restway_client_set_failure_reader(client, read_failure, &notes, NULL, &failure));
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP, "");
    expect_all_refused(&notes, 3);
    assert_string_equal(restway_error_api_code(failure), "41899");
    forget_failure();
    restway_request_release(request);
    restway_client_release(client);
}

static void misuse__of_a_refresh(void **state) {
    (void)state;
    struct realm realm;
    restway_call *call = NULL;
    realm_begin(&realm, RESTWAY_DELIVERY_THREAD, "");
    realm.keeps_refresh = 1;
    restway_request *request = realm_request(&realm, "me");
    assert_ok(restway_client_send(realm.client, request, NULL, NULL, NULL, &call, &failure));
    restway_refresh *refresh = realm_wait_refresh(&realm);
    assert_refused(restway_refresh_fail(refresh, BAD_UTF8, 0, NULL, NULL, &failure));
    assert_refused(restway_refresh_fail(refresh, NULL, 0, NULL, NULL, &failure));
    assert_int_equal(restway_call_is_complete(call), 0);
    assert_ok(restway_refresh_fail(refresh, "no more tokens", 0, NULL, NULL, &failure));
    assert_fails(restway_call_wait(call, 0, NULL, &failure), RESTWAY_E_AUTH, "no more tokens");
    restway_refresh_release(refresh);
    restway_call_release(call);
    restway_request_release(request);
    realm_end(&realm);
}

#define DOCUMENT \
    "{\"restway\": 1, \"entities\": {" \
    "  \"Meeting\": {\"identity\": \"id\"," \
    "    \"attributes\": {\"id\": {\"type\": \"int\"}, \"title\": {\"type\": \"string\"}}," \
    "    \"relationships\": {\"attendees\": {\"source\": \"attendee_ids\"," \
    "      \"entity\": \"Employee\", \"many\": true}}}," \
    "  \"Employee\": {\"identity\": \"id\", \"attributes\": {\"id\": {\"type\": \"int\"}}}}," \
    "\"responses\": [" \
    "  {\"path\": \"meetings/:id\", \"entity\": \"Meeting\", \"hook\": \"look\"}]}"

static restway_status look(void *context, restway_rows *rows, restway_answer *answer) {
    struct notes *notes = context;
    const size_t *out = NULL;
    const size_t target = 1;
    size_t count = 0;
    restway_value value = restway_value_string("text");
    note(notes, restway_rows_result(rows, 0, NULL, &count, NULL));
    note(notes, restway_rows_result(rows, 0, &out, NULL, NULL));
    note(notes, restway_rows_related(rows, 0, NULL, &out, &count, NULL));
    note(notes, restway_rows_related(rows, 0, "attendees", NULL, &count, NULL));
    note(notes, restway_rows_related(rows, 0, "attendees", &out, NULL, NULL));
    note(notes, restway_rows_related(rows, 0, BAD_UTF8, &out, &count, NULL));
    note(notes, restway_rows_set(rows, 0, NULL, &value, NULL));
    note(notes, restway_rows_set(rows, 0, BAD_UTF8, &value, NULL));
    note(notes, restway_rows_relate(rows, 0, NULL, &target, 1, NULL));
    note(notes, restway_rows_relate(rows, 0, BAD_UTF8, &target, 1, NULL));
    note(notes, restway_rows_relate_objects(rows, 0, NULL, NULL, 0, NULL));
    note(notes, restway_rows_relate_objects(rows, 0, BAD_UTF8, NULL, 0, NULL));
    note(notes, restway_rows_get(rows, 0, BAD_UTF8, &value, NULL));
    note(notes, restway_answer_set_message(answer, BAD_UTF8, NULL));
    return RESTWAY_OK;
}

static void misuse__of_rows(void **state) {
    (void)state;
    struct notes notes = {0};
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.base_url = demo_url();
    assert_ok(restway_api_load(DOCUMENT, strlen(DOCUMENT), &api, &failure));
    assert_ok(restway_api_add_hook(api, "look", look, &notes, NULL, &failure));
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_response_release(fetch(client, "meetings/1"));
    expect_all_refused(&notes, 14);
    restway_client_release(client);
    restway_api_release(api);
}

static restway_status encode(
    void *context, restway_batch_writer *writer, restway_answer *answer) {
    struct notes *notes = context;
    (void)answer;
    note(notes, restway_batch_writer_set_body(writer, NULL, 2, "a/b", NULL));
    note(notes, restway_batch_writer_set_body(writer, "{}", 2, NULL, NULL));
    note(notes, restway_batch_writer_set_body(writer, "{}", 2, BAD_UTF8, NULL));
    notes->wrong += restway_batch_writer_body(writer, 0, NULL) != NULL;
    return restway_batch_writer_set_body(writer, "{}", 2, "application/json", NULL);
}

static restway_status decode(
    void *context, restway_batch_reader *reader, restway_answer *answer) {
    struct notes *notes = context;
    (void)answer;
    note(notes, restway_batch_reader_add_header(reader, 0, NULL, "v", NULL));
    note(notes, restway_batch_reader_add_header(reader, 0, BAD_UTF8, "v", NULL));
    note(notes, restway_batch_reader_add_header(reader, 0, "A", NULL, NULL));
    note(notes, restway_batch_reader_add_header(reader, 0, "A", BAD_UTF8, NULL));
    notes->wrong += restway_batch_reader_body(reader, NULL) == NULL;
    return restway_batch_reader_set_answer(reader, 0, 200, "{}", 2, NULL);
}

static void misuse__of_a_batch_that_is_written_and_read(void **state) {
    (void)state;
    struct notes notes = {0};
    struct answering_server server;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_batch *batch = NULL;
    restway_request *request = make_get("echo");
    answering_begin(&server);
    answering_set(&server, 200, "{}");
    options.base_url = server.url;
    restway_client *client = make_client_with(options);
    assert_ok(
        restway_client_set_batch_format(client, encode, decode, &notes, NULL, &failure));
    assert_ok(restway_batch_create(client, &batch, &failure));
    assert_ok(restway_batch_add(batch, request, NULL, NULL, NULL, NULL, &failure));
    assert_ok(restway_batch_send(batch, NULL, NULL, NULL, &failure));
    assert_ok(restway_batch_wait(batch, 0, &failure));
    expect_all_refused(&notes, 7);
    restway_batch_release(batch);
    restway_request_release(request);
    restway_client_release(client);
    answering_end(&server);
}

static const struct CMUnitTest tests[] = {
    TEST(misuse__of_an_exchange),
    TEST(misuse__of_a_failure),
    TEST(misuse__of_a_refresh),
    TEST(misuse__of_rows),
    TEST(misuse__of_a_batch_that_is_written_and_read),
};

const struct suite misuse_asked_suite = SUITE(tests);

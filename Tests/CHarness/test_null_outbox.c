/* NULL, and clients without an outbox, in the functions of the outbox. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outboxing.h"

static void outbox_reads__of_null(void **state) {
    (void)state;
    size_t length = 9;
    assert_int_equal(restway_client_reachability(NULL), RESTWAY_REACHABILITY_UNKNOWN);
    assert_int_equal(restway_error_outbox_id(NULL), 0);
    assert_null(restway_outbox_item_retain(NULL));
    restway_outbox_item_release(NULL);
    assert_int_equal(restway_outbox_item_id(NULL), 0);
    assert_int_equal(restway_outbox_item_state(NULL), 0);
    assert_int_equal(restway_outbox_item_reason(NULL), RESTWAY_OUTBOX_REASON_NONE);
    assert_null(restway_outbox_item_method(NULL));
    assert_null(restway_outbox_item_path(NULL));
    assert_null(restway_outbox_item_lane(NULL));
    assert_null(restway_outbox_item_key(NULL));
    assert_null(restway_outbox_item_body(NULL, &length));
    assert_int_equal(length, 0);
    assert_int_equal(restway_outbox_item_created(NULL), 0);
    assert_int_equal(restway_outbox_item_attempts(NULL), 0);
    assert_int_equal(restway_outbox_item_next_attempt(NULL), 0);
    assert_null(restway_outbox_item_last_error(NULL));
    assert_null(restway_outbox_item_response(NULL));
    assert_null(restway_outbox_item_error(NULL));
    assert_null(restway_outbox_items_retain(NULL));
    restway_outbox_items_release(NULL);
    assert_int_equal(restway_outbox_items_count(NULL), 0);
    assert_null(restway_outbox_items_item(NULL, 0));
    assert_null(restway_outbox_items_json(NULL, &length));
    assert_null(restway_outbox_items_error(NULL));
}

static void outbox_functions__refuse_null(void **state) {
    (void)state;
    struct outboxing outboxing;
    restway_outbox_items *items = POISON;
    restway_outbox_item *item = POISON;
    restway_outbox_counts counts = RESTWAY_OUTBOX_COUNTS_INIT;
    int32_t flag = 9;
    size_t count = 9;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    restway_client *client = outboxing.client;
    assert_refused(
        restway_client_set_reachability(NULL, RESTWAY_REACHABILITY_UNKNOWN, &failure));
    assert_refused(
        restway_client_set_reachability(client, (restway_reachability)7, &failure));
    assert_refused(restway_request_set_lane(NULL, "a", &failure));
    assert_refused(restway_request_set_offline(NULL, RESTWAY_OFFLINE_FIRST, &failure));
    assert_refused(restway_outbox_list(NULL, &items, &failure));
    assert_null(items);
    assert_refused(restway_outbox_list(client, NULL, &failure));
    assert_refused(restway_outbox_find(NULL, 1, &item, &failure));
    assert_null(item);
    assert_refused(restway_outbox_find(client, 1, NULL, &failure));
    assert_refused(restway_outbox_find(client, 1, &item, &failure));
    assert_refused(restway_outbox_counts_init(NULL, sizeof(counts), &failure));
    assert_refused(restway_outbox_counts_init(&counts, 8, &failure));
    assert_ok(restway_outbox_counts_init(&counts, sizeof(counts), &failure));
    assert_refused(restway_outbox_count(NULL, &counts, &failure));
    assert_refused(restway_outbox_count(client, NULL, &failure));
    counts.struct_size = 0;
    assert_refused(restway_outbox_count(client, &counts, &failure));
    assert_refused(restway_outbox_needs_flushing(NULL, &flag, &failure));
    assert_int_equal(flag, 0);
    assert_refused(restway_outbox_needs_flushing(client, NULL, &failure));
    assert_refused(restway_outbox_has_pending(client, NULL, &flag, &failure));
    assert_refused(restway_outbox_flush(NULL, 0, NULL, NULL, NULL, &failure));
    assert_refused(restway_outbox_flush(client, 0x10, NULL, NULL, NULL, &failure));
    assert_refused(
        restway_client_set_outbox_observer(NULL, NULL, NULL, NULL, NULL, &failure));
    assert_refused(restway_outbox_await(NULL, 1, NULL, NULL, NULL, &failure));
    assert_refused(restway_outbox_await(client, 1, NULL, NULL, NULL, &failure));
    assert_refused(restway_outbox_retry(NULL, 1, &failure));
    assert_refused(restway_outbox_retry(client, 1, &failure));
    assert_refused(restway_outbox_edit(client, 1, NULL, 3, NULL, &failure));
    assert_refused(restway_outbox_drop(NULL, 1, &count, &failure));
    assert_int_equal(count, 0);
    assert_refused(restway_outbox_drop_all(NULL, &count, &failure));
    outboxing_end(&outboxing);
}

static void outbox_functions__need_an_outbox(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_outbox_items *items = POISON;
    int32_t flag = 9;
    assert_fails(restway_outbox_list(client, &items, &failure), RESTWAY_E_CONFIG, "outbox");
    assert_null(items);
    assert_fails(
        restway_outbox_needs_flushing(client, &flag, &failure), RESTWAY_E_CONFIG, "outbox");
    assert_fails(
        restway_outbox_flush(client, 0, NULL, NULL, NULL, &failure), RESTWAY_E_CONFIG, "outbox");
    assert_fails(restway_outbox_retry(client, 1, &failure), RESTWAY_E_CONFIG, "outbox");
    assert_fails(
        restway_client_set_outbox_observer(client, NULL, NULL, NULL, NULL, &failure),
        RESTWAY_E_CONFIG, "outbox");
    assert_ok(
        restway_client_set_reachability(client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    assert_int_equal(restway_client_reachability(client), RESTWAY_REACHABILITY_UNREACHABLE);
    restway_client_release(client);
}

static void outbox_file__may_be_named_by_the_options_alone(void **state) {
    (void)state;
    static const char document[] =
        "{\"restway\": 1, \"environments\": {\"here\": {\"baseURL\": \"http://127.0.0.1:1\"}},"
        " \"routes\": {\"note\": {\"method\": \"PUT\", \"path\": \"note\", \"offline\": true}}}";
    char directory[] = "/tmp/restway-outbox-XXXXXX";
    char path[96];
    restway_api *api = NULL;
    restway_client *client = POISON;
    restway_request *request = NULL;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_fails(
        restway_client_create(api, &options, &client, &failure), RESTWAY_E_CONFIG,
        "outbox_path");
    assert_null(client);
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/outbox.db", directory);
    options.outbox_path = path;
    assert_ok(restway_client_create(api, &options, &client, &failure));
    assert_ok(
        restway_client_set_reachability(client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    assert_ok(restway_request_create_route("PUT", "note", &request, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_QUEUED, "item 1");
    restway_request_release(request);
    restway_client_release(client);
    restway_api_release(api);
    remove_store(directory, path);
}

static const struct CMUnitTest tests[] = {
    TEST(outbox_reads__of_null),
    TEST(outbox_functions__refuse_null),
    TEST(outbox_functions__need_an_outbox),
    TEST(outbox_file__may_be_named_by_the_options_alone),
};

const struct suite null_outbox_suite = SUITE(tests);

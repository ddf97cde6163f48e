/* Requests that wait in the outbox, and how a program sees them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "outboxing.h"

static void outbox__a_stored_request_goes_out_when_the_host_says_so(void **state) {
    (void)state;
    struct outboxing outboxing;
    int32_t needs = 9;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    restway_client *client = outboxing.client;
    assert_int_equal(restway_client_reachability(client), RESTWAY_REACHABILITY_UNKNOWN);
    assert_ok(restway_outbox_needs_flushing(client, &needs, &failure));
    assert_int_equal(needs, 0);
    assert_int_equal(outboxing_store(&outboxing, 1), 1);
    assert_int_equal(outboxing_store(&outboxing, 2), 2);
    assert_int_equal(restway_client_reachability(client), RESTWAY_REACHABILITY_UNREACHABLE);
    assert_ok(restway_outbox_needs_flushing(client, &needs, &failure));
    assert_int_equal(needs, 1);
    answering_set(&outboxing.server, 200, "{\"id\": 1}");
    assert_ok(
        restway_client_set_reachability(client, RESTWAY_REACHABILITY_REACHABLE, &failure));
    outboxing_wait(&outboxing, 0, 0, 0);
    char *body = answering_take_body(&outboxing.server);
    assert_string_equal(body, "{\"name\": \"a\"}");
    free(body);
    restway_store *store = restway_client_store(client);
    size_t count = 0;
    assert_ok(restway_store_count(store, "Thing", &count, &failure));
    assert_int_equal(count, 1);
    restway_store_release(store);
    outboxing_end(&outboxing);
}

static void outbox__a_download_says_that_it_is_not_stored(void **state) {
    (void)state;
    struct outboxing outboxing;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    outboxing_restart_without_server(&outboxing, RESTWAY_DELIVERY_THREAD);
    restway_request *request = outboxing_put(1);
    assert_ok(restway_request_save_to(request, "/tmp/restway-never", 0, &failure));
    assert_fails(
        restway_client_perform(outboxing.client, request, 0, NULL, &failure), RESTWAY_E_CONNECT,
        "it was not stored in the outbox");
    assert_ok(restway_request_set_lane(request, "mine", &failure));
    assert_fails(
        restway_client_perform(outboxing.client, request, 0, NULL, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "lane");
    restway_request_release(request);
    outboxing_end(&outboxing);
}

/** Makes a PUT that is stored before it is sent. */
static restway_request *stored_first(int number) {
    restway_request *request = outboxing_put(number);
    assert_ok(restway_request_set_offline(request, RESTWAY_OFFLINE_FIRST, &failure));
    return request;
}

static void outbox__a_request_that_is_stored_first_has_its_answer(void **state) {
    (void)state;
    struct outboxing outboxing;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    restway_request *request = stored_first(1);
    restway_response *response = NULL;
    restway_call *call = NULL;
    answering_set(&outboxing.server, 200, "{\"id\": 1, \"name\": \"b\"}");
    answering_shut(&outboxing.server);
    assert_ok(restway_client_send(outboxing.client, request, NULL, NULL, NULL, &call, &failure));
    answering_wait_count(&outboxing.server, 1);
    restway_outbox_counts counts = RESTWAY_OUTBOX_COUNTS_INIT;
    assert_ok(restway_outbox_count(outboxing.client, &counts, &failure));
    assert_int_equal(counts.sending, 1);
    answering_open(&outboxing.server);
    assert_ok(restway_call_wait(call, 0, &response, &failure));
    assert_int_equal(restway_response_status(response), 200);
    assert_int_equal(restway_response_object_count(response), 1);
    outboxing_wait(&outboxing, 0, 0, 0);
    restway_response_release(response);
    restway_call_release(call);
    /* A refusal goes to the call, and leaves no dead letter. */
    answering_set(&outboxing.server, 422, "{}");
    assert_fails_keeping(
        restway_client_perform(outboxing.client, request, 0, NULL, &failure), RESTWAY_E_HTTP,
        "422");
    assert_int_equal(restway_error_http_status(failure), 422);
    forget_failure();
    outboxing_wait(&outboxing, 0, 0, 0);
    /* The server cannot take it now. */
    answering_set(&outboxing.server, 503, "{}");
    assert_fails_keeping(
        restway_client_perform(outboxing.client, request, 0, NULL, &failure), RESTWAY_E_QUEUED,
        "outbox");
    assert_int_equal(restway_error_outbox_id(failure), 3);
    forget_failure();
    outboxing_wait(&outboxing, 1, 0, 0);
    restway_request_release(request);
    outboxing_end(&outboxing);
}

static void outbox__a_get_cannot_be_stored_first(void **state) {
    (void)state;
    struct outboxing outboxing;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    restway_request *request = NULL;
    assert_ok(restway_request_create("GET", "things/1", &request, &failure));
    assert_refused(restway_request_set_offline(request, (restway_offline)9, &failure));
    assert_ok(restway_request_set_offline(request, RESTWAY_OFFLINE_FIRST, &failure));
    assert_fails(
        restway_client_perform(outboxing.client, request, 0, NULL, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "a GET request is never stored");
    assert_int_equal(answering_count(&outboxing.server), 0);
    restway_request_release(request);
    outboxing_end(&outboxing);
}

static void outbox__a_close_stores_the_requests_in_flight(void **state) {
    (void)state;
    struct outboxing outboxing;
    restway_call *calls[3] = {NULL, NULL, NULL};
    restway_request *requests[3];
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    answering_shut(&outboxing.server);
    requests[0] = outboxing_put(1);
    requests[1] = stored_first(2);
    assert_ok(restway_request_create("GET", "elsewhere", &requests[2], &failure));
    for (int index = 0; index < 3; index++) {
        assert_ok(restway_client_send(
            outboxing.client, requests[index], NULL, NULL, NULL, &calls[index], &failure));
    }
    answering_wait_count(&outboxing.server, 1);
    restway_client_close(outboxing.client);
    for (int index = 0; index < 3; index++) {
        const restway_status status = restway_call_wait(calls[index], 0, NULL, &failure);
        assert_int_equal(status, index < 2 ? RESTWAY_E_QUEUED : RESTWAY_E_CLOSED);
        assert_true((restway_error_outbox_id(failure) > 0) == (index < 2));
        forget_failure();
        restway_call_release(calls[index]);
        restway_request_release(requests[index]);
    }
    answering_set(&outboxing.server, 200, "{}");
    answering_open(&outboxing.server);
    outboxing_restart(&outboxing, RESTWAY_DELIVERY_THREAD);
    outboxing_wait(&outboxing, 0, 0, 0);
    outboxing_end(&outboxing);
}

static void outbox__a_refused_connection_stores_and_a_restart_sends(void **state) {
    (void)state;
    struct outboxing outboxing;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    outboxing_restart_without_server(&outboxing, RESTWAY_DELIVERY_THREAD);
    restway_request *request = outboxing_put(1);
    assert_ok(restway_request_set_lane(request, "mine", &failure));
    assert_fails_keeping(
        restway_client_perform(outboxing.client, request, 0, NULL, &failure), RESTWAY_E_QUEUED,
        "item 1");
    assert_int_equal(restway_error_outbox_id(failure), 1);
    forget_failure();
    restway_outbox_item *item = NULL;
    assert_ok(restway_outbox_find(outboxing.client, 1, &item, &failure));
    assert_int_equal(restway_outbox_item_state(item), RESTWAY_OUTBOX_WAITING);
    assert_string_equal(restway_outbox_item_method(item), "PUT");
    assert_string_equal(restway_outbox_item_path(item), "things/1");
    assert_holds(restway_outbox_item_lane(item), "mine");
    assert_int_equal(strlen(restway_outbox_item_key(item)), 36);
    assert_true(restway_outbox_item_created(item) > 0);
    assert_true(restway_outbox_item_next_attempt(item) > restway_outbox_item_created(item));
    assert_int_equal(restway_outbox_item_attempts(item), 0);
    assert_holds(restway_outbox_item_last_error(item), "things/1");
    assert_null(restway_outbox_item_response(item));
    assert_null(restway_outbox_item_error(item));
    size_t length = 0;
    assert_memory_equal(restway_outbox_item_body(item, &length), "{\"name\": \"a\"}", 13);
    assert_int_equal(length, 13);
    answering_set(&outboxing.server, 200, "{\"id\": 1}");
    outboxing_restart(&outboxing, RESTWAY_DELIVERY_THREAD);
    assert_ok(restway_outbox_flush(
        outboxing.client, RESTWAY_OUTBOX_FORCE, NULL, NULL, NULL, &failure));
    outboxing_wait(&outboxing, 0, 0, 0);
    /* The item was stored, and outlives its outbox. */
    assert_int_equal(restway_outbox_item_id(item), 1);
    restway_outbox_item *same = restway_outbox_item_retain(item);
    restway_outbox_item_release(item);
    restway_outbox_item_release(same);
    restway_request_release(request);
    outboxing_end(&outboxing);
}

/** Checks the error of the only dead letter. */
static void assert_error_of_dead_letter(restway_client *client) {
    restway_outbox_item *dead = NULL;
    assert_ok(restway_outbox_find(client, 1, &dead, &failure));
    const restway_error *error = restway_outbox_item_error(dead);
    assert_int_equal(restway_error_status(error), RESTWAY_E_HTTP);
    assert_int_equal(restway_error_domain(error), RESTWAY_DOMAIN_API);
    assert_int_equal(restway_error_http_status(error), 400);
    assert_string_equal(restway_error_api_code(error), "invalid");
    assert_string_equal(restway_error_api_message(error), "Please check the fields.");
    assert_int_equal(restway_error_detail_count(error), 2);
    assert_string_equal(restway_error_detail_path(error, 0), "name");
    assert_string_equal(restway_error_detail_message(error, 0), "Too short.");
    assert_string_equal(restway_error_detail_path(error, 1), "lines[1].quantity");
    assert_string_equal(restway_error_detail_message(error, 1), "Too small.");
    assert_null(restway_error_detail_path(error, 2));
    restway_outbox_item_release(dead);
}

static void outbox__a_dead_letter_has_the_error_of_its_answer(void **state) {
    (void)state;
    struct outboxing outboxing;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    outboxing_store(&outboxing, 1);
    answering_set(
        &outboxing.server, 400,
        "{\"code\": \"invalid\", \"detail\": \"Please check the fields.\","
        " \"name\": [\"Too short.\"], \"lines\": [{}, {\"quantity\": [\"Too small.\"]}]}");
    assert_ok(restway_outbox_flush(outboxing.client, 0, NULL, NULL, NULL, &failure));
    outboxing_wait(&outboxing, 0, 0, 1);
    assert_error_of_dead_letter(outboxing.client);
    outboxing_restart(&outboxing, RESTWAY_DELIVERY_THREAD);
    assert_error_of_dead_letter(outboxing.client);
    outboxing_end(&outboxing);
}

static void outbox__a_dead_letter_is_edited_retried_or_dropped(void **state) {
    (void)state;
    struct outboxing outboxing;
    size_t dropped = 9;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    restway_client *client = outboxing.client;
    outboxing_store(&outboxing, 1);
    outboxing_store(&outboxing, 1);
    answering_set(&outboxing.server, 422, "{\"why\": \"no\"}");
    assert_ok(restway_outbox_flush(client, 0, NULL, NULL, NULL, &failure));
    outboxing_wait(&outboxing, 0, 1, 1);
    restway_outbox_item *dead = NULL;
    assert_ok(restway_outbox_find(client, 1, &dead, &failure));
    assert_int_equal(restway_outbox_item_state(dead), RESTWAY_OUTBOX_DEAD);
    assert_int_equal(restway_response_status(restway_outbox_item_response(dead)), 422);
    assert_holds(restway_outbox_item_last_error(dead), "422");
    const restway_error *error = restway_outbox_item_error(dead);
    assert_int_equal(restway_error_status(error), RESTWAY_E_HTTP);
    assert_int_equal(restway_error_http_status(error), 422);
    assert_holds(restway_error_message(error), "422");
    assert_refused(restway_outbox_retry(client, 2, &failure));
    assert_refused(restway_outbox_edit(client, 7, "{}", 2, NULL, &failure));
    answering_set(&outboxing.server, 200, "{\"id\": 1}");
    assert_ok(
        restway_client_set_reachability(client, RESTWAY_REACHABILITY_UNKNOWN, &failure));
    assert_ok(restway_outbox_edit(client, 1, "{\"b\":1}", 7, "application/json", &failure));
    outboxing_wait(&outboxing, 0, 0, 0);
    answering_set(&outboxing.server, 400, "");
    outboxing_store(&outboxing, 3);
    assert_ok(restway_outbox_flush(client, 0, NULL, NULL, NULL, &failure));
    outboxing_wait(&outboxing, 0, 0, 1);
    answering_set(&outboxing.server, 200, "{\"id\": 3}");
    assert_ok(restway_outbox_retry(client, 3, &failure));
    assert_ok(restway_outbox_flush(client, 0, NULL, NULL, NULL, &failure));
    outboxing_wait(&outboxing, 0, 0, 0);
    outboxing_store(&outboxing, 4);
    outboxing_store(&outboxing, 5);
    outboxing_store(&outboxing, 6);
    assert_ok(restway_outbox_drop(client, 4, &dropped, &failure));
    assert_int_equal(dropped, 1);
    assert_refused(restway_outbox_drop(client, 4, NULL, &failure));
    assert_ok(restway_outbox_drop_all(client, &dropped, &failure));
    assert_int_equal(dropped, 2);
    restway_outbox_item_release(dead);
    outboxing_end(&outboxing);
}

static void outbox__a_list_is_exported_without_secrets(void **state) {
    (void)state;
    struct outboxing outboxing;
    restway_outbox_items *items = NULL;
    size_t length = 0;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    restway_request *request = outboxing_put(1);
    static const char body[] = "{\"name\": \"a\", \"password\": \"s3cret\"}";
    assert_ok(restway_request_set_header(request, "Authorization", "Bearer s3cret", &failure));
    assert_ok(restway_request_set_body(
        request, body, strlen(body), "application/json", &failure));
    assert_ok(restway_client_set_reachability(
        outboxing.client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    assert_fails(
        restway_client_perform(outboxing.client, request, 0, NULL, &failure), RESTWAY_E_QUEUED,
        "");
    assert_ok(restway_outbox_list(outboxing.client, &items, &failure));
    assert_int_equal(restway_outbox_items_count(items), 1);
    assert_null(restway_outbox_items_item(items, 1));
    assert_null(restway_outbox_items_error(items));
    const char *json = restway_outbox_items_json(items, &length);
    assert_int_equal(length, strlen(json));
    assert_holds(json, "[redacted]");
    assert_holds(json, "things/1");
    assert_null(strstr(json, "s3cret"));
    restway_outbox_items *same = restway_outbox_items_retain(items);
    assert_ptr_equal(restway_outbox_items_json(same, NULL), json);
    restway_outbox_items_release(items);
    restway_outbox_items_release(same);
    restway_request_release(request);
    outboxing_end(&outboxing);
}

static void outbox__an_object_tells_that_it_has_pending_changes(void **state) {
    (void)state;
    struct outboxing outboxing;
    int32_t is_pending = 9;
    restway_response *response = NULL;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    answering_set(&outboxing.server, 200, "{\"id\": 1}");
    restway_request *request = outboxing_put(1);
    assert_ok(restway_client_perform(outboxing.client, request, 0, &response, &failure));
    restway_object *object = restway_response_object(response, 0);
    assert_ok(restway_outbox_has_pending(outboxing.client, object, &is_pending, &failure));
    assert_int_equal(is_pending, 0);
    outboxing_store(&outboxing, 1);
    assert_ok(restway_outbox_has_pending(outboxing.client, object, &is_pending, &failure));
    assert_int_equal(is_pending, 1);
    restway_response_release(response);
    restway_request_release(request);
    outboxing_end(&outboxing);
}

/** Sends a request about @p draft; with RESTWAY_E_QUEUED it is stored. */
static restway_status send_draft(
    struct outboxing *outboxing, const char *method, restway_draft *draft) {
    restway_request *request = NULL;
    assert_ok(restway_request_create_draft(method, draft, &request, &failure));
    restway_status status =
        restway_client_perform(outboxing->client, request, 0, NULL, &failure);
    forget_failure();
    restway_request_release(request);
    return status;
}

static void outbox__what_depends_on_an_unsent_object_waits_for_it(void **state) {
    (void)state;
    struct outboxing outboxing;
    restway_draft *draft = NULL;
    restway_outbox_items *items = NULL;
    restway_object *object = NULL;
    restway_value name = restway_value_string("new");
    restway_value identity = restway_value_int64(7);
    size_t count = 9;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(outboxing.client);
    assert_ok(restway_client_set_reachability(
        outboxing.client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    assert_ok(restway_draft_create(store, "Thing", &draft, &failure));
    assert_ok(restway_draft_set(draft, "name", &name, &failure));
    assert_int_equal(send_draft(&outboxing, "POST", draft), RESTWAY_E_QUEUED);
    assert_int_equal(send_draft(&outboxing, "PUT", draft), RESTWAY_E_QUEUED);
    assert_ok(restway_outbox_list(outboxing.client, &items, &failure));
    assert_int_equal(restway_outbox_items_count(items), 2);
    assert_int_equal(
        restway_outbox_item_state(restway_outbox_items_item(items, 1)), RESTWAY_OUTBOX_BLOCKED);
    restway_outbox_items_release(items);
    answering_set(&outboxing.server, 200, "{\"id\": 7, \"name\": \"new\"}");
    assert_ok(restway_client_set_reachability(
        outboxing.client, RESTWAY_REACHABILITY_REACHABLE, &failure));
    outboxing_wait(&outboxing, 0, 0, 0);
    assert_ok(restway_store_count(store, "Thing", &count, &failure));
    assert_int_equal(count, 1);
    assert_ok(restway_store_find(store, "Thing", &identity, &object, &failure));
    restway_object_release(object);
    restway_draft_release(draft);
    /* Dropping the creation of an object that was never sent also removes the requests about it. */
    assert_ok(restway_client_set_reachability(
        outboxing.client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    assert_ok(restway_draft_create(store, "Thing", &draft, &failure));
    assert_int_equal(send_draft(&outboxing, "POST", draft), RESTWAY_E_QUEUED);
    assert_int_equal(send_draft(&outboxing, "PUT", draft), RESTWAY_E_QUEUED);
    assert_int_equal(send_draft(&outboxing, "DELETE", draft), RESTWAY_OK);
    outboxing_wait(&outboxing, 0, 0, 0);
    assert_ok(restway_store_count(store, "Thing", &count, &failure));
    assert_int_equal(count, 1);
    restway_draft_release(draft);
    restway_store_release(store);
    outboxing_end(&outboxing);
}

/** Returns the object things/1 of the store. */
static restway_object *find_thing(restway_store *store) {
    restway_value identity = restway_value_int64(1);
    restway_object *object = NULL;
    assert_ok(restway_store_find(store, "Thing", &identity, &object, &failure));
    return object;
}

static void assert_name(restway_store *store, const char *expected) {
    restway_object *object = find_thing(store);
    restway_value name;
    assert_ok(restway_object_get(object, "name", &name, &failure));
    assert_int_equal(name.length, strlen(expected));
    assert_memory_equal(name.as.text, expected, name.length);
    restway_object_release(object);
}

/** Lets the client fetch things/1, and stores a PUT that changes its name. */
static void store_renaming(struct outboxing *outboxing, restway_store *store) {
    restway_request *request = NULL;
    restway_draft *draft = NULL;
    restway_value name = restway_value_string("new");
    answering_set(&outboxing->server, 200, "{\"id\": 1, \"name\": \"old\"}");
    assert_ok(restway_request_create("GET", "things/1", &request, &failure));
    assert_ok(restway_client_perform(outboxing->client, request, 0, NULL, &failure));
    restway_request_release(request);
    assert_ok(restway_client_set_reachability(
        outboxing->client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    restway_object *object = find_thing(store);
    assert_ok(restway_draft_copy(store, object, &draft, &failure));
    assert_ok(restway_draft_set(draft, "name", &name, &failure));
    assert_int_equal(send_draft(outboxing, "PUT", draft), RESTWAY_E_QUEUED);
    restway_draft_release(draft);
    restway_object_release(object);
}

static void outbox__a_dropped_change_is_taken_back(void **state) {
    (void)state;
    struct outboxing outboxing;
    restway_draft *draft = NULL;
    size_t count = 9;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(outboxing.client);
    store_renaming(&outboxing, store);
    assert_name(store, "new");
    assert_ok(restway_outbox_drop(outboxing.client, 1, &count, &failure));
    assert_int_equal(count, 1);
    assert_name(store, "old");
    assert_ok(restway_draft_create(store, "Thing", &draft, &failure));
    assert_int_equal(send_draft(&outboxing, "POST", draft), RESTWAY_E_QUEUED);
    assert_ok(restway_store_count(store, "Thing", &count, &failure));
    assert_int_equal(count, 2);
    assert_ok(restway_outbox_drop_all(outboxing.client, &count, &failure));
    assert_ok(restway_store_count(store, "Thing", &count, &failure));
    assert_int_equal(count, 1);
    assert_true(restway_draft_store_key(draft) == 0);
    restway_draft_release(draft);
    restway_store_release(store);
    outboxing_end(&outboxing);
}

static void assert_rejected(restway_store *store, int32_t expected) {
    restway_query *query = NULL;
    int32_t is_rejected = 9;
    size_t count = 9;
    restway_object *object = find_thing(store);
    assert_ok(restway_store_is_rejected(store, object, &is_rejected, &failure));
    assert_int_equal(is_rejected, expected);
    restway_object_release(object);
    assert_ok(restway_query_create(store, "Thing", &query, &failure));
    for (int32_t wanted = -1; wanted <= 1; wanted++) {
        assert_ok(restway_query_set_rejected(query, wanted, &failure));
        assert_ok(restway_store_count_query(store, query, &count, &failure));
        assert_int_equal(count, wanted == -1 || wanted == expected ? 1 : 0);
    }
    restway_query_release(query);
}

static void outbox__a_dead_letter_marks_its_object(void **state) {
    (void)state;
    struct outboxing outboxing;
    int32_t is_rejected = 9;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(outboxing.client);
    store_renaming(&outboxing, store);
    assert_rejected(store, 0);
    answering_set(&outboxing.server, 422, "{}");
    assert_ok(restway_client_set_reachability(
        outboxing.client, RESTWAY_REACHABILITY_REACHABLE, &failure));
    outboxing_wait(&outboxing, 0, 0, 1);
    assert_rejected(store, 1);
    // A refused change is not seen: the store has the server's name again.
    assert_name(store, "old");
    assert_ok(restway_outbox_drop(outboxing.client, 1, NULL, &failure));
    assert_rejected(store, 0);
    assert_name(store, "old");
    restway_object *object = find_thing(store);
    restway_client_close(outboxing.client);
    assert_fails(
        restway_store_is_rejected(store, object, &is_rejected, &failure), RESTWAY_E_CLOSED, "");
    assert_int_equal(is_rejected, 0);
    restway_object_release(object);
    restway_store_release(store);
    outboxing_end(&outboxing);
}

static void assert_changes(restway_draft *draft, size_t expected) {
    size_t count = 9;
    assert_ok(restway_draft_changes(draft, NULL, 0, &count, &failure));
    assert_int_equal(count, expected);
}

static void outbox__new_objects_inside_a_stored_one_are_named_with_it(void **state) {
    (void)state;
    struct outboxing outboxing;
    restway_draft *whole = NULL;
    restway_draft *part = NULL;
    restway_object *object = NULL;
    restway_value name = restway_value_string("new");
    restway_value identity = restway_value_int64(8);
    int32_t is_pending = 9;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(outboxing.client);
    assert_ok(restway_client_set_reachability(
        outboxing.client, RESTWAY_REACHABILITY_UNREACHABLE, &failure));
    assert_ok(restway_draft_create(store, "Thing", &whole, &failure));
    assert_ok(restway_draft_create(store, "Thing", &part, &failure));
    assert_ok(restway_draft_set(part, "name", &name, &failure));
    assert_ok(restway_draft_add_draft(whole, "parts", part, &failure));
    assert_int_equal(send_draft(&outboxing, "POST", whole), RESTWAY_E_QUEUED);
    assert_int_equal(send_draft(&outboxing, "PUT", part), RESTWAY_E_QUEUED);
    assert_ok(restway_draft_snapshot(part, &object, &failure));
    assert_ok(restway_outbox_has_pending(outboxing.client, object, &is_pending, &failure));
    assert_int_equal(is_pending, 1);
    restway_object_release(object);
    object = NULL;
    assert_changes(whole, 1);
    assert_changes(part, 1);
    answering_set(&outboxing.server, 200, "{\"id\": 7, \"parts\": [{\"id\": 8}]}");
    assert_ok(restway_client_set_reachability(
        outboxing.client, RESTWAY_REACHABILITY_REACHABLE, &failure));
    outboxing_wait(&outboxing, 0, 0, 0);
    assert_ok(restway_store_find(store, "Thing", &identity, &object, &failure));
    assert_true(restway_object_store_key(object) == restway_draft_store_key(part));
    restway_object_release(object);
    restway_draft_release(whole);
    restway_draft_release(part);
    restway_store_release(store);
    outboxing_end(&outboxing);
}

static const struct CMUnitTest tests[] = {
    TEST(outbox__a_stored_request_goes_out_when_the_host_says_so),
    TEST(outbox__a_download_says_that_it_is_not_stored),
    TEST(outbox__a_request_that_is_stored_first_has_its_answer),
    TEST(outbox__a_get_cannot_be_stored_first),
    TEST(outbox__a_close_stores_the_requests_in_flight),
    TEST(outbox__a_refused_connection_stores_and_a_restart_sends),
    TEST(outbox__a_dead_letter_has_the_error_of_its_answer),
    TEST(outbox__a_dead_letter_is_edited_retried_or_dropped),
    TEST(outbox__a_list_is_exported_without_secrets),
    TEST(outbox__an_object_tells_that_it_has_pending_changes),
    TEST(outbox__what_depends_on_an_unsent_object_waits_for_it),
    TEST(outbox__a_dropped_change_is_taken_back),
    TEST(outbox__a_dead_letter_marks_its_object),
    TEST(outbox__new_objects_inside_a_stored_one_are_named_with_it),
};

const struct suite outbox_suite = SUITE(tests);

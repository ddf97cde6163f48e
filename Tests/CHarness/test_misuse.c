/* NULL and text that is not UTF-8, for functions that the other tests of NULL do not cover:
 * functions that build apis, drafts, stores, queries, outboxes. */
#include <string.h>

#include "drafting.h"
#include "graph.h"
#include "outboxing.h"

static restway_status answer_null(
    void *context, const restway_value *value, restway_answer *answer) {
    (void)context;
    return restway_answer_set_value(answer, value, NULL);
}

static restway_status hook_nothing(void *context, restway_rows *rows, restway_answer *answer) {
    (void)context;
    (void)rows;
    (void)answer;
    return RESTWAY_OK;
}

static void ignore_changes(void *context, const restway_changes *changes) {
    (void)context;
    (void)changes;
}

static void misuse__of_entities_that_are_built(void **state) {
    (void)state;
    const restway_attribute_type type = RESTWAY_TYPE_INT;
    const restway_policy policy = RESTWAY_POLICY_ASSIGN;
    static const char bad_json[] = "{\"path\": \"a" BAD_UTF8 "\"}";
    restway_api *api = NULL;
    assert_ok(restway_api_load("{\"restway\": 1}", 14, &api, &failure));
    assert_ok(restway_api_add_entity(api, "A", "{}", 2, &failure));
    assert_refused(restway_api_add_attribute(NULL, "A", "b", NULL, type, NULL, NULL, &failure));
    assert_refused(restway_api_add_attribute(api, NULL, "b", NULL, type, NULL, NULL, &failure));
    assert_refused(restway_api_add_attribute(api, "A", NULL, NULL, type, NULL, NULL, &failure));
    assert_refused(
        restway_api_add_attribute(api, BAD_UTF8, "b", NULL, type, NULL, NULL, &failure));
    assert_refused(
        restway_api_add_attribute(api, "A", BAD_UTF8, NULL, type, NULL, NULL, &failure));
    assert_refused(
        restway_api_add_attribute(api, "A", "b", BAD_UTF8, type, NULL, NULL, &failure));
    assert_refused(
        restway_api_add_attribute(api, "A", "b", NULL, type, BAD_UTF8, NULL, &failure));
    assert_refused(
        restway_api_add_attribute(api, "A", "b", NULL, type, NULL, BAD_UTF8, &failure));
    assert_refused(
        restway_api_add_relationship(NULL, "A", "c", NULL, "A", 0, policy, &failure));
    assert_refused(
        restway_api_add_relationship(api, NULL, "c", NULL, "A", 0, policy, &failure));
    assert_refused(
        restway_api_add_relationship(api, "A", NULL, NULL, "A", 0, policy, &failure));
    assert_refused(
        restway_api_add_relationship(api, "A", "c", NULL, NULL, 0, policy, &failure));
    assert_refused(
        restway_api_add_relationship(api, BAD_UTF8, "c", NULL, "A", 0, policy, &failure));
    assert_refused(
        restway_api_add_relationship(api, "A", BAD_UTF8, NULL, "A", 0, policy, &failure));
    assert_refused(
        restway_api_add_relationship(api, "A", "c", BAD_UTF8, "A", 0, policy, &failure));
    assert_refused(
        restway_api_add_relationship(api, "A", "c", NULL, BAD_UTF8, 0, policy, &failure));
    assert_refused(restway_api_set_identity(api, BAD_UTF8, "id", &failure));
    assert_refused(restway_api_set_identity(api, "A", BAD_UTF8, &failure));
    assert_refused(restway_api_add_request(api, NULL, 2, &failure));
    assert_fails(
        restway_api_add_request(api, bad_json, strlen(bad_json), &failure), RESTWAY_E_CONFIG,
        "not valid JSON");
    assert_refused(
        restway_api_add_transform(NULL, "t", answer_null, NULL, NULL, NULL, &failure));
    assert_refused(
        restway_api_add_transform(api, NULL, answer_null, NULL, NULL, NULL, &failure));
    assert_refused(
        restway_api_add_transform(api, BAD_UTF8, answer_null, NULL, NULL, NULL, &failure));
    assert_refused(restway_api_add_hook(api, BAD_UTF8, hook_nothing, NULL, NULL, &failure));
    restway_api_release(api);
}

static void misuse__of_drafts(void **state) {
    (void)state;
    struct drafting own = drafting_begin(0);
    restway_draft *draft = drafted(&own, "Enterprise"), *other = drafted(&own, "Employee");
    restway_draft *out = POISON;
    restway_response *response = fetch(own.client, "enterprises/3");
    const restway_object *object = restway_response_object(response, 0);
    restway_request *request = POISON;
    restway_value value = restway_value_int64(1);
    assert_non_null(object);
    assert_refused(restway_draft_create(own.store, BAD_UTF8, &out, &failure));
    assert_null(out);
    out = POISON;
    assert_refused(restway_draft_copy(NULL, object, &out, &failure));
    assert_null(out);
    assert_refused(restway_draft_copy(own.store, object, NULL, &failure));
    assert_refused(restway_draft_set(draft, BAD_UTF8, &value, &failure));
    assert_refused(restway_draft_unset(draft, BAD_UTF8, &failure));
    assert_refused(restway_draft_revert(draft, BAD_UTF8, &failure));
    assert_refused(restway_draft_add(draft, NULL, object, &failure));
    assert_refused(restway_draft_add(draft, BAD_UTF8, object, &failure));
    assert_refused(restway_draft_add_draft(NULL, "staff", other, &failure));
    assert_refused(restway_draft_add_draft(draft, NULL, other, &failure));
    assert_refused(restway_draft_add_draft(draft, BAD_UTF8, other, &failure));
    assert_refused(restway_draft_remove(NULL, "staff", object, &failure));
    assert_refused(restway_draft_remove(draft, NULL, object, &failure));
    assert_refused(restway_draft_remove(draft, BAD_UTF8, object, &failure));
    assert_refused(restway_draft_remove_draft(NULL, "staff", other, &failure));
    assert_refused(restway_draft_remove_draft(draft, NULL, other, &failure));
    assert_refused(restway_draft_remove_draft(draft, BAD_UTF8, other, &failure));
    assert_refused(restway_draft_relate(draft, BAD_UTF8, NULL, NULL, 0, &failure));
    assert_refused(restway_request_create_draft(BAD_UTF8, draft, &request, &failure));
    assert_null(request);
    assert_refused(restway_request_create_draft("POST", draft, NULL, &failure));
    assert_refused(restway_request_set_object(NULL, object, &failure));
    restway_response_release(response);
    restway_draft_release(other);
    restway_draft_release(draft);
    drafting_end(&own);
}

static void misuse__of_stores_and_queries(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_store *store = restway_client_store(client);
    restway_object *meeting = fetch_first(client, "meetings/1");
    restway_value identity = restway_value_int64(1);
    restway_query *query = POISON;
    restway_list *list = POISON;
    restway_object *object = POISON;
    restway_observer *observer = POISON;
    const int64_t *keys = POISON;
    uint32_t kind = 99;
    size_t count = 99;
    assert_refused(restway_query_create(store, BAD_UTF8, &query, &failure));
    assert_null(query);
    assert_ok(restway_query_create(store, "Meeting", &query, &failure));
    assert_refused(restway_query_add_condition(
        query, BAD_UTF8, RESTWAY_COMPARISON_EQUAL, &identity, &failure));
    assert_refused(restway_query_add_order(query, BAD_UTF8, 0, &failure));
    assert_refused(restway_store_all(store, BAD_UTF8, &list, &failure));
    assert_null(list);
    list = POISON;
    assert_refused(restway_store_related(store, meeting, BAD_UTF8, &list, &failure));
    assert_null(list);
    assert_refused(restway_store_related_one(store, meeting, BAD_UTF8, &object, &failure));
    assert_null(object);
    assert_refused(restway_store_delete_identity(store, BAD_UTF8, &identity, &failure));
    assert_refused(restway_store_delete_all(store, BAD_UTF8, &count, &failure));
    assert_int_equal(count, 0);
    assert_refused(
        restway_object_related_keys(meeting, BAD_UTF8, &kind, &keys, &count, &failure));
    assert_null(keys);
    assert_int_equal(restway_object_relationship_index(meeting, BAD_UTF8), -1);
    assert_refused(restway_client_observe(
        client, BAD_UTF8, ignore_changes, NULL, NULL, &observer, &failure));
    assert_null(observer);
    restway_query_release(query);
    restway_object_release(meeting);
    restway_store_release(store);
    restway_client_release(client);
}

static void misuse__of_requests_and_what_came_of_them(void **state) {
    (void)state;
    static const char bad_json[] = "{\"max\": \"" BAD_UTF8 "\"}";
    static const char bad_options[] = "{\"a\": \"" BAD_UTF8 "\"}";
    restway_client *client = make_client();
    restway_request *request = make_get("status"), *lost = make_get("nothing/here");
    restway_body_reader reader = RESTWAY_BODY_READER_INIT;
    restway_response *response = NULL;
    restway_call *call = NULL;
    assert_refused(restway_request_set_lane(request, BAD_UTF8, &failure));
    assert_ok(restway_request_set_lane(request, NULL, &failure));
    assert_refused(restway_request_set_idempotency_key(request, BAD_UTF8, &failure));
    assert_refused(
        restway_request_set_body_reader(request, &reader, -1, BAD_UTF8, &failure));
    assert_fails(
        restway_client_set_retry(client, bad_json, strlen(bad_json), &failure), RESTWAY_E_CONFIG,
        "not valid JSON");
    assert_int_equal(
        restway_plugin_load("/nowhere.so", bad_options, &failure), RESTWAY_E_INVALID_ARGUMENT);
    forget_failure();
    assert_ok(restway_client_send(client, request, NULL, NULL, NULL, &call, &failure));
    assert_ok(restway_call_wait(call, 0, &response, &failure));
    assert_refused(restway_call_progress(call, NULL, &failure));
    assert_refused(restway_response_attempt(response, 0, NULL, &failure));
    assert_null(restway_response_trailer(response, BAD_UTF8));
    restway_response_release(response);
    restway_call_release(call);
    assert_int_not_equal(restway_client_perform(client, lost, 0, NULL, &failure), RESTWAY_OK);
    assert_int_equal(
        restway_error_attempt(failure, 0, NULL, NULL), RESTWAY_E_INVALID_ARGUMENT);
    forget_failure();
    restway_request_release(lost);
    restway_request_release(request);
    restway_client_release(client);
}

static void misuse__of_an_outbox(void **state) {
    (void)state;
    struct outboxing outboxing;
    restway_response *response = NULL;
    restway_outbox_item *item = NULL;
    int32_t is_pending = 9;
    size_t count = 99;
    outboxing_begin(&outboxing, RESTWAY_DELIVERY_THREAD);
    answering_set(&outboxing.server, 200, "{\"id\": 1}");
    restway_request *request = outboxing_put(1);
    assert_ok(restway_client_perform(outboxing.client, request, 0, &response, &failure));
    const restway_object *object = restway_response_object(response, 0);
    assert_refused(restway_outbox_has_pending(NULL, object, &is_pending, &failure));
    assert_int_equal(is_pending, 0);
    assert_refused(restway_outbox_has_pending(outboxing.client, object, NULL, &failure));
    int64_t id = outboxing_store(&outboxing, 1);
    assert_ok(restway_outbox_find(outboxing.client, id, &item, &failure));
    assert_non_null(restway_outbox_item_body(item, NULL));
    assert_refused(restway_outbox_edit(NULL, id, "{}", 2, "a/b", &failure));
    assert_refused(restway_outbox_edit(outboxing.client, id, "{}", 2, BAD_UTF8, &failure));
    assert_refused(restway_outbox_drop_all(NULL, &count, &failure));
    assert_int_equal(count, 0);
    assert_ok(restway_outbox_drop_all(outboxing.client, NULL, &failure));
    restway_outbox_item_release(item);
    restway_response_release(response);
    restway_request_release(request);
    outboxing_end(&outboxing);
}

static const struct CMUnitTest tests[] = {
    TEST(misuse__of_entities_that_are_built),
    TEST(misuse__of_drafts),
    TEST(misuse__of_stores_and_queries),
    TEST(misuse__of_requests_and_what_came_of_them),
    TEST(misuse__of_an_outbox),
};

const struct suite misuse_suite = SUITE(tests);

/* Drafts and objects are sent, and answers change them. */
#include <stdlib.h>
#include <string.h>

#include "drafting.h"
#include "gate.h"

static void draft_send__makes_one_object_that_keeps_its_key(void **state) {
    (void)state;
    struct drafting own = drafting_begin(0);
    restway_response *owner = fetch(own.client, "people/2");
    restway_draft *draft = drafted(&own, "Enterprise");
    restway_draft *employee = drafted(&own, "Employee");
    restway_object *unsent = NULL;
    restway_value value = restway_value_null();
    set_text(draft, "name", "Posted");
    set_text(draft, "city", "Lyon");
    value = restway_value_date(INT64_C(86400000000));
    assert_ok(restway_draft_set(draft, "founded", &value, &failure));
    assert_ok(restway_draft_add(
        draft, "owner", restway_response_object(owner, 0), &failure));
    set_text(employee, "first_name", "Ann");
    set_text(employee, "last_name", "Lee");
    set_text(employee, "email", "ann@example.com");
    assert_ok(restway_draft_add_draft(employee, "enterprise", draft, &failure));
    assert_ok(restway_draft_insert(employee, &unsent, &failure));
    int64_t key = restway_draft_store_key(draft);
    assert_true(key > 0);
    restway_object *before = NULL;
    assert_ok(restway_store_related_one(own.store, unsent, "enterprise", &before, &failure));
    uint64_t hash = restway_object_hash(before);

    restway_response *response = send_draft(&own, "POST", draft);
    restway_object *object = restway_response_object(response, 0);
    assert_int_equal(restway_response_status(response), 201);
    /* It now has its identity: it is the same instance with more values. */
    assert_int_equal(restway_object_is_same(before, object), 1);
    assert_int_equal(restway_object_is_equal(before, object), 0);
    assert_true(restway_object_hash(before) == hash);
    restway_object_release(before);
    assert_true(restway_object_store_key(object) == key);
    assert_true(restway_object_int64(object, "id", 0) > 0);
    assert_string_equal(restway_object_string(object, "city"), "Lyon");
    assert_true(restway_object_int64(object, "founded", 0) == INT64_C(86400000000));
    assert_int_equal(stored(&own, "Enterprise"), 1);
    restway_object *linked = NULL;
    assert_ok(restway_store_related_one(own.store, unsent, "enterprise", &linked, &failure));
    assert_int_equal(restway_object_is_same(linked, object), 1);
    size_t changes = 99;
    assert_ok(restway_draft_changes(draft, NULL, 0, &changes, &failure));
    assert_int_equal(changes, 0);

    restway_response *hired = send_draft(&own, "POST", employee);
    assert_holds(restway_response_json(hired, NULL), "\"first_name\":\"Ann\"");
    assert_int_equal(stored(&own, "Employee"), 1);
    restway_response_release(hired);

    set_text(draft, "name", "Patched");
    restway_response *patched = send_draft(&own, "PATCH", draft);
    assert_string_equal(
        restway_object_string(restway_response_object(patched, 0), "name"), "Patched");
    restway_response_release(patched);
    value = restway_value_null();
    assert_ok(restway_draft_set(draft, "website", &value, &failure));
    restway_request *put = NULL;
    assert_ok(restway_request_create_draft("PUT", draft, &put, &failure));
    char *command = curl_of(&own, put);
    assert_holds(command, "\"owner_id\":2");
    assert_null(strstr(command, "website"));
    free(command);
    restway_request_release(put);
    restway_response_release(send_draft(&own, "PUT", draft));
    restway_response_release(send_draft(&own, "DELETE", draft));
    assert_int_equal(stored(&own, "Enterprise"), 0);

    restway_object_release(linked);
    restway_object_release(unsent);
    restway_response_release(response);
    restway_response_release(owner);
    restway_draft_release(employee);
    restway_draft_release(draft);
    drafting_end(&own);
}

static void request_set_draft__writes_the_body_of_any_request(void **state) {
    (void)state;
    struct drafting own = drafting_begin(0);
    struct drafting other = drafting_begin(0);
    restway_draft *draft = drafted(&own, "Person");
    restway_request *request = NULL;
    restway_response *response = NULL;
    restway_value value = restway_value_int64(7);
    set_text(draft, "first_name", "before");
    assert_ok(restway_request_create("POST", "echo/:id", &request, &failure));
    assert_ok(restway_request_set_draft(request, draft, &failure));
    assert_ok(restway_draft_set(draft, "id", &value, &failure));
    assert_ok(restway_request_set_parameter(request, "more.id", &value, &failure));
    assert_ok(restway_client_perform(own.client, request, 0, &response, &failure));
    assert_holds(restway_response_json(response, NULL), "/v2/echo/7");
    assert_holds(
        restway_response_json(response, NULL),
        "\\\"first_name\\\":\\\"before\\\",\\\"more\\\":{\\\"id\\\":7}");
    /* The caller's null replaces the mapped value. */
    restway_response_release(response);
    response = NULL;
    value = restway_value_null();
    assert_ok(restway_request_set_parameter(request, "first_name", &value, &failure));
    assert_ok(restway_client_perform(own.client, request, 0, &response, &failure));
    assert_holds(restway_response_json(response, NULL), "\\\"first_name\\\":null");
    assert_refused(restway_client_perform(other.client, request, 0, NULL, &failure));
    restway_object *object = NULL;
    assert_ok(restway_draft_insert(draft, &object, &failure));
    assert_ok(restway_request_set_object(request, object, &failure));
    char *command = curl_of(&own, request);
    assert_holds(command, "echo/7");
    assert_null(strstr(command, "before"));
    free(command);
    restway_object_release(object);
    restway_response_release(response);
    restway_request_release(request);
    restway_draft_release(draft);
    drafting_end(&other);
    drafting_end(&own);
}

struct asked {
    struct gate gate;
    int count;
    char last[80];
};

static int32_t leave_out_enterprises(
    void *context, const char *method, const char *path, const char *entity,
    const char *relationship, restway_answer *answer) {
    struct asked *asked = context;
    (void)answer;
    asked->count++;
    asked->last[0] = '\0';
    strcat(strcat(asked->last, method), " ");
    strcat(strcat(asked->last, path), " ");
    strcat(strcat(strcat(asked->last, entity), "."), relationship);
    return strcmp(relationship, "enterprise") == 0;
}

static void end_asking(void *context) {
    gate_destroy(&((struct asked *)context)->gate);
}

static void exclusion__leaves_relationships_out(void **state) {
    (void)state;
    struct asked asked;
    struct drafting own = drafting_begin(0);
    restway_draft *employee = drafted(&own, "Employee");
    restway_draft *enterprise = drafted(&own, "Enterprise");
    restway_request *request = NULL;
    memset(&asked, 0, sizeof asked);
    gate_begin(&asked.gate, NULL);
    set_text(employee, "first_name", "Ann");
    assert_ok(restway_draft_add_draft(employee, "enterprise", enterprise, &failure));
    assert_ok(restway_request_create_draft("POST", employee, &request, &failure));
    /* An enterprise without identity cannot be sent by identity. */
    assert_fails(
        restway_client_perform(own.client, request, 0, NULL, &failure), RESTWAY_E_MAPPING,
        "Employee.enterprise");
    assert_ok(restway_client_set_exclusion(
        own.client, leave_out_enterprises, &asked, end_asking, &failure));
    char *command = curl_of(&own, request);
    assert_holds(command, "{\"first_name\":\"Ann\"}");
    assert_string_equal(asked.last, "POST employees Employee.enterprise");
    assert_true(asked.count > 0);
    free(command);
    assert_true(gate_is_alive(&asked.gate));
    assert_ok(restway_client_set_exclusion(own.client, NULL, NULL, NULL, &failure));
    gate_expect_destroyed(&asked.gate, 0);
    restway_client_close(own.client);
    assert_fails(
        restway_client_set_exclusion(
            own.client, leave_out_enterprises, &asked, end_asking, &failure),
        RESTWAY_E_CLOSED, "");
    gate_expect_destroyed(&asked.gate, 0);
    restway_request_release(request);
    restway_draft_release(enterprise);
    restway_draft_release(employee);
    drafting_end(&own);
}

static void delete__of_what_is_gone_removes_when_the_client_says_so(void **state) {
    (void)state;
    const uint32_t flags[] = {0, RESTWAY_CLIENT_GONE_IS_DELETED};
    for (size_t index = 0; index < 2; index++) {
        struct drafting own = drafting_begin(flags[index]);
        restway_draft *draft = drafted(&own, "Enterprise");
        restway_request *request = NULL;
        restway_response *response = NULL;
        restway_value identity = restway_value_int64(987654);
        assert_ok(restway_draft_set(draft, "id", &identity, &failure));
        assert_ok(restway_draft_insert(draft, NULL, &failure));
        assert_ok(restway_request_create("DELETE", "enterprises/987654", &request, &failure));
        if (index == 0) {
            assert_fails(
                restway_client_perform(own.client, request, 0, &response, &failure),
                RESTWAY_E_HTTP, "404");
        } else {
            assert_ok(restway_client_perform(own.client, request, 0, &response, &failure));
            assert_int_equal(restway_response_status(response), 404);
        }
        assert_int_equal(stored(&own, "Enterprise"), 1 - index);
        restway_response_release(response);
        restway_request_release(request);
        restway_draft_release(draft);
        drafting_end(&own);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(draft_send__makes_one_object_that_keeps_its_key),
    TEST(request_set_draft__writes_the_body_of_any_request),
    TEST(exclusion__leaves_relationships_out),
    TEST(delete__of_what_is_gone_removes_when_the_client_says_so),
};

const struct suite draft_send_suite = SUITE(tests);

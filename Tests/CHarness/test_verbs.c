/* The verbs: a request and its answer in one call. */
#include "drafting.h"

#define OUT_IS_CLEARED(out) \
    do { \
        assert_null(out); \
        (out) = POISON; \
    } while (0)

/** A request whose response must hold a text. */
static void expect_body(restway_response *response, const char *fragment) {
    assert_non_null(response);
    assert_holds(restway_response_body(response, NULL), fragment);
    restway_response_release(response);
}

static void client_verbs__send_what_they_say(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = POISON;
    assert_ok(restway_client_get(client, "echo?a=1", &response, &failure));
    expect_body(response, "\"method\":\"GET\"");
    assert_ok(restway_client_head(client, "echo", &response, &failure));
    assert_int_equal(restway_response_status(response), 200);
    restway_response_release(response);
    assert_ok(restway_client_delete(client, "echo/3", &response, &failure));
    expect_body(response, "\"method\":\"DELETE\",\"path\":\"/v2/echo/3\"");
    assert_ok(restway_client_post(client, "echo", "{\"a\":1}", &response, &failure));
    expect_body(response, "\"body\":\"{\\\"a\\\":1}\"");
    assert_ok(restway_client_put(client, "echo", "[2]", &response, &failure));
    assert_holds(restway_response_body(response, NULL), "\"Content-Type\":\"application/json\"");
    expect_body(response, "\"method\":\"PUT\"");
    assert_ok(restway_client_patch(client, "echo", "3", &response, &failure));
    expect_body(response, "\"method\":\"PATCH\"");
    assert_ok(restway_client_post(client, "echo", NULL, &response, &failure));
    expect_body(response, "\"body_bytes\":0");
    assert_ok(restway_client_put(client, "echo", NULL, &response, &failure));
    expect_body(response, "\"body_bytes\":0");
    assert_ok(restway_client_patch(client, "echo", NULL, &response, &failure));
    expect_body(response, "\"body_bytes\":0");
    restway_client_release(client);
}

static void client_verbs__give_the_error_of_the_answer(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = POISON;
    assert_fails_keeping(
        restway_client_get(client, "enterprises/99999", &response, &failure), RESTWAY_E_HTTP, "");
    assert_int_equal(restway_error_http_status(failure), 404);
    assert_null(response);
    forget_failure();
    restway_client_release(client);
}

static void client_verbs__refuse_null_and_bad_texts(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = POISON;
    assert_refused(restway_client_get(NULL, "echo", &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_get(client, NULL, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_get(client, BAD_UTF8, &response, &failure));
    assert_ok(restway_client_get(client, "echo", NULL, &failure));
    assert_refused(restway_client_head(NULL, "echo", &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_head(client, NULL, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_head(client, BAD_UTF8, &response, &failure));
    assert_ok(restway_client_head(client, "echo", NULL, &failure));
    assert_refused(restway_client_delete(NULL, "echo", &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_delete(client, NULL, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_delete(client, BAD_UTF8, &response, &failure));
    assert_ok(restway_client_delete(client, "echo", NULL, &failure));
    assert_refused(restway_client_post(NULL, "echo", "1", &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_post(client, NULL, "1", &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_post(client, BAD_UTF8, "1", &response, &failure));
    /* The body is no JSON. */
    assert_refused(restway_client_post(client, "echo", BAD_UTF8, NULL, &failure));
    assert_refused(restway_client_put(NULL, "echo", "1", &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_put(client, NULL, "1", &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_put(client, BAD_UTF8, "1", &response, &failure));
    /* The body is no JSON. */
    assert_refused(restway_client_put(client, "echo", BAD_UTF8, NULL, &failure));
    assert_refused(restway_client_patch(NULL, "echo", "1", &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_patch(client, NULL, "1", &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_patch(client, BAD_UTF8, "1", &response, &failure));
    /* The body is no JSON. */
    assert_refused(restway_client_patch(client, "echo", BAD_UTF8, NULL, &failure));
    restway_client_release(client);
}

static void object_and_draft_verbs__refuse_null(void **state) {
    (void)state;
    struct drafting own = drafting_begin(0);
    restway_client *client = own.client;
    restway_response *response = POISON;
    restway_response *answer = fetch(client, "enterprises/3");
    restway_object *object = restway_response_object(answer, 0);
    restway_draft *draft = drafted(&own, "Enterprise");
    assert_refused(restway_client_get_object(NULL, object, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_get_object(client, NULL, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_get_object(NULL, NULL, NULL, &failure));
    assert_refused(restway_client_post_object(NULL, object, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_post_object(client, NULL, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_post_object(NULL, NULL, NULL, &failure));
    assert_refused(restway_client_put_object(NULL, object, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_put_object(client, NULL, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_put_object(NULL, NULL, NULL, &failure));
    assert_refused(restway_client_patch_object(NULL, object, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_patch_object(client, NULL, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_patch_object(NULL, NULL, NULL, &failure));
    assert_refused(restway_client_delete_object(NULL, object, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_delete_object(client, NULL, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_delete_object(NULL, NULL, NULL, &failure));
    assert_refused(restway_client_post_draft(NULL, draft, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_post_draft(client, NULL, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_post_draft(NULL, NULL, NULL, &failure));
    assert_refused(restway_client_put_draft(NULL, draft, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_put_draft(client, NULL, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_put_draft(NULL, NULL, NULL, &failure));
    assert_refused(restway_client_patch_draft(NULL, draft, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_patch_draft(client, NULL, &response, &failure));
    OUT_IS_CLEARED(response);
    assert_refused(restway_client_patch_draft(NULL, NULL, NULL, &failure));
    restway_draft_release(draft);
    restway_response_release(answer);
    drafting_end(&own);
}

static void object_verbs__find_the_path_of_the_object(void **state) {
    (void)state;
    struct drafting own = drafting_begin(RESTWAY_CLIENT_GONE_IS_DELETED);
    restway_response *response = NULL;
    restway_draft *draft = drafted(&own, "Enterprise");
    restway_object *object = NULL;
    assert_ok(restway_draft_set_string(draft, "name", "Short and Sons", &failure));
    assert_ok(restway_client_post_draft(own.client, draft, &response, &failure));
    assert_int_equal(restway_response_status(response), 201);
    object = restway_object_retain(restway_response_object(response, 0));
    restway_response_release(response);
    assert_ok(restway_client_get_object(own.client, object, &response, &failure));
    const restway_object *again = restway_response_object(response, 0);
    assert_string_equal(restway_object_string(again, "name"), "Short and Sons");
    restway_response_release(response);
    assert_ok(restway_client_put_object(own.client, object, &response, &failure));
    restway_response_release(response);
    assert_ok(restway_draft_set_double(draft, "rating", 4.5, &failure));
    assert_ok(restway_client_patch_draft(own.client, draft, &response, &failure));
    again = restway_response_object(response, 0);
    assert_true(restway_object_double(again, "rating", 0) == 4.5);
    restway_response_release(response);
    assert_ok(restway_draft_set_null(draft, "rating", &failure));
    assert_ok(restway_client_put_draft(own.client, draft, &response, &failure));
    restway_response_release(response);
    assert_ok(restway_client_delete_object(own.client, object, &response, &failure));
    restway_response_release(response);
    assert_int_equal(stored(&own, "Enterprise"), 0);
    restway_object_release(object);
    restway_draft_release(draft);
    drafting_end(&own);
}

static const struct CMUnitTest tests[] = {
    TEST(client_verbs__send_what_they_say),
    TEST(client_verbs__give_the_error_of_the_answer),
    TEST(client_verbs__refuse_null_and_bad_texts),
    TEST(object_and_draft_verbs__refuse_null),
    TEST(object_verbs__find_the_path_of_the_object),
};

const struct suite verbs_suite = SUITE(tests);

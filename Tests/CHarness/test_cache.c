/* The response cache: what is kept, for how long, under which key, and what removes it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caching.h"

/** Performs a request to route "thing" for thing 1. */
static restway_request *thing(const char *method) {
    restway_request *request = NULL;
    restway_value value = restway_value_int64(1);
    assert_ok(restway_request_create_route(method, "thing", &request, &failure));
    assert_ok(restway_request_set_variable(request, "id", &value, &failure));
    return request;
}

static restway_request *with_parameter(const char *name, const char *value) {
    restway_request *request = caching_request("things");
    restway_value given = restway_value_string(value);
    assert_ok(restway_request_set_parameter(request, name, &given, &failure));
    return request;
}

static void cache__keeps_an_answer_for_the_lifetime_of_the_route(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_answer(&caching, 200, "", NEWER_THING);
    caching_pass(&caching, 59);
    caching_get_body(
        &caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 1, THING);
    caching_pass(&caching, 1);
    caching_get_body(
        &caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2, NEWER_THING);
    caching_end(&caching);
}

static void cache__lifetime_of_a_request_replaces_the_route_s(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    restway_request *request = caching_request("/plain");
    assert_ok(restway_request_set_cache_ttl(request, 5, &failure));
    assert_int_equal(caching_perform(&caching, request), RESTWAY_CACHE_STATE_STORED);
    caching_pass(&caching, 4);
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 1);
    caching_pass(&caching, 1);
    caching_get(&caching, "/plain", RESTWAY_CACHE_PREFERRED, RESTWAY_CACHE_STATE_STALE, 1);
    /* The server's headers decide: they give no lifetime. */
    request = caching_request("things");
    assert_ok(restway_request_set_cache_ttl(request, -1, &failure));
    caching_perform(&caching, request);
    request = caching_request("things");
    assert_ok(restway_request_set_cache_ttl(request, -1, &failure));
    assert_int_not_equal(caching_perform(&caching, request), RESTWAY_CACHE_STATE_HIT);
    assert_int_equal(answering_count(&caching.server), 3);
    caching_end(&caching);
}

static void cache__validates_with_the_etag(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    caching_answer(&caching, 200, "ETag: \"a\"\r\nCache-Control: max-age=10\r\n", THING);
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 1);
    caching_pass(&caching, 11);
    caching_answer(&caching, 304, "ETag: \"a\"\r\nCache-Control: max-age=20\r\n", "");
    caching_get_body(
        &caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_VALIDATED, 2, THING);
    char *head = answering_take_head(&caching.server);
    assert_holds(head, "If-None-Match: \"a\"");
    free(head);
    caching_pass(&caching, 19);
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 2);
    assert_int_equal(caching_counts(&caching).validations, 1);
    caching_end(&caching);
}

static void cache__keeps_variants_apart(void **state) {
    (void)state;
    struct caching caching;
    static const char *const languages[] = {"de", "en", "de", "en"};
    static const restway_cache_state expected[] = {
        RESTWAY_CACHE_STATE_STORED, RESTWAY_CACHE_STATE_STORED, RESTWAY_CACHE_STATE_HIT,
        RESTWAY_CACHE_STATE_HIT};
    caching_begin(&caching);
    caching_answer(
        &caching, 200, "Vary: Accept-Language\r\nCache-Control: max-age=60\r\n", THING);
    for (size_t index = 0; index < 4; index++) {
        restway_request *request = caching_request("/plain");
        assert_ok(restway_request_set_header(
            request, "Accept-Language", languages[index], &failure));
        assert_int_equal(caching_perform(&caching, request), expected[index]);
    }
    assert_int_equal(answering_count(&caching.server), 2);
    caching_end(&caching);
}

static void set_session(struct caching *caching, const char *value) {
    restway_cookie cookie = RESTWAY_COOKIE_INIT;
    cookie.name = "session";
    cookie.value = value;
    assert_ok(restway_client_set_cookie(caching->client, NULL, &cookie, &failure));
}

static void cache__keeps_answers_apart_by_the_cookies_of_the_client(void **state) {
    (void)state;
    struct caching caching;
    static const char rule[] = "Vary: Cookie\r\nCache-Control: max-age=60\r\n";
    caching_begin(&caching);
    caching_answer(&caching, 200, rule, THING);
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 1);
    set_session(&caching, "one");
    assert_int_equal(caching_find(&caching, "/plain").state, RESTWAY_CACHE_STATE_MISSING);
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2);
    set_session(&caching, "two");
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 3);
    set_session(&caching, "one");
    assert_int_equal(caching_find(&caching, "/plain").state, RESTWAY_CACHE_STATE_HIT);
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 3);
    assert_ok(restway_client_clear_cookies(caching.client, NULL, NULL, NULL, &failure));
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 3);
    /* The next request has another cookie than the request that got this answer. */
    caching_answer(
        &caching, 200,
        "Vary: Cookie\r\nCache-Control: max-age=60\r\nSet-Cookie: session=three; Path=/\r\n",
        NEWER_THING);
    caching_get(&caching, "/other", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_PASSED, 4);
    caching_get(&caching, "/other", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 5);
    caching_get(&caching, "/other", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 5);
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 6);
    caching_end(&caching);
}

static void cache__ignores_the_parameters_that_the_route_names(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    assert_int_equal(
        caching_perform(&caching, with_parameter("_", "1")), RESTWAY_CACHE_STATE_STORED);
    assert_int_equal(
        caching_perform(&caching, with_parameter("_", "2")), RESTWAY_CACHE_STATE_HIT);
    assert_int_equal(
        caching_perform(&caching, with_parameter("page", "2")), RESTWAY_CACHE_STATE_STORED);
    caching_end(&caching);
}

static void cache__removes_the_answers_of_the_routes_that_are_named(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_get(&caching, "sure", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2);
    caching_answer(&caching, 500, "", "{}");
    restway_request *request = thing("PUT");
    assert_fails(
        restway_client_perform(caching.client, request, 0, NULL, &failure), RESTWAY_E_HTTP, "500");
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 3);
    caching_answer(&caching, 200, "", NEWER_THING);
    caching_perform(&caching, request);
    caching_get(&caching, "sure", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 4);
    caching_get_body(
        &caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 5, NEWER_THING);
    caching_end(&caching);
}

static void cache__unsafe_methods_invalidate_their_url(void **state) {
    (void)state;
    struct caching caching;
    restway_request *request = NULL;
    caching_begin(&caching);
    caching_answer(&caching, 200, "Cache-Control: max-age=60\r\n", THING);
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_get(&caching, "/other", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2);
    assert_ok(restway_request_create("DELETE", "plain", &request, &failure));
    caching_perform(&caching, request);
    caching_get(&caching, "/plain", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 4);
    caching_get(&caching, "/other", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 4);
    caching_end(&caching);
}

static void cache__keeps_answers_by_discriminator(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    restway_client *client = caching.client;
    assert_ok(restway_client_set_cache_discriminator(client, "ann", &failure));
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    assert_ok(restway_client_set_cache_discriminator(client, "ben", &failure));
    caching_answer(&caching, 200, "", NEWER_THING);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2);
    assert_ok(restway_client_set_cache_discriminator(client, "ann", &failure));
    caching_get_body(
        &caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 2, THING);
    /* An invalidation by name is for the discriminator with which its request starts. */
    caching_perform(&caching, thing("PUT"));
    assert_int_equal(caching_find(&caching, "things").state, RESTWAY_CACHE_STATE_MISSING);
    assert_ok(restway_client_set_cache_discriminator(client, "ben", &failure));
    caching_get_body(
        &caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 3, NEWER_THING);
    assert_ok(restway_client_set_cache_discriminator(client, NULL, &failure));
    assert_int_equal(caching_find(&caching, "things").state, RESTWAY_CACHE_STATE_MISSING);
    caching_end(&caching);
}

static void cache__credentials_keep_answers_apart(void **state) {
    (void)state;
    struct caching caching;
    restway_credential credential = RESTWAY_CREDENTIAL_INIT;
    caching_begin(&caching);
    restway_client *client = caching.client;
    credential.token = "first";
    assert_ok(restway_client_set_credential(client, &credential, &failure));
    caching_get(&caching, "mine", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 2);
    caching_get(&caching, "mine", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 2);
    credential.token = "second";
    assert_ok(restway_client_set_credential(client, &credential, &failure));
    caching_get(&caching, "mine", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 3);
    /* A request without a credential is the same for all. */
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 3);
    /* The discriminator says who it is, whatever the credential. */
    assert_ok(restway_client_set_cache_discriminator(client, "ann", &failure));
    caching_get(&caching, "mine", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 4);
    credential.token = "third";
    assert_ok(restway_client_set_credential(client, &credential, &failure));
    caching_get(&caching, "mine", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 4);
    caching_end(&caching);
}

static void cache__keeps_answers_to_post_by_their_body(void **state) {
    (void)state;
    struct caching caching;
    static const char *const bodies[] = {"{\"q\": 1}", "{\"q\": 2}", "{\"q\": 1}"};
    static const restway_cache_state expected[] = {
        RESTWAY_CACHE_STATE_STORED, RESTWAY_CACHE_STATE_STORED, RESTWAY_CACHE_STATE_HIT};
    caching_begin(&caching);
    for (size_t index = 0; index < 3; index++) {
        restway_request *request = NULL;
        assert_ok(restway_request_create_route(NULL, "search", &request, &failure));
        assert_ok(restway_request_set_body(
            request, bodies[index], strlen(bodies[index]), "application/json", &failure));
        assert_int_equal(caching_perform(&caching, request), expected[index]);
    }
    assert_int_equal(answering_count(&caching.server), 2);
    caching_end(&caching);
}

static void cache__what_says_no_store_is_not_kept(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    caching_answer(&caching, 200, "Cache-Control: no-store\r\n", THING);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_PASSED, 1);
    caching_get(&caching, "things", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_PASSED, 2);
    caching_end(&caching);
}

static void cache__a_bypassed_route_is_neither_kept_nor_answered(void **state) {
    (void)state;
    struct caching caching;
    caching_begin(&caching);
    caching_answer(&caching, 200, "Cache-Control: max-age=60\r\n", THING);
    caching_get(&caching, "news", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_NONE, 1);
    caching_get(&caching, "news", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_NONE, 2);
    assert_int_equal(caching_counts(&caching).entries, 0);
    caching_end(&caching);
}

static void cache__a_redirect_and_its_target_are_kept(void **state) {
    (void)state;
    struct caching caching;
    char headers[160];
    caching_begin(&caching);
    snprintf(
        headers, sizeof(headers), "Location: %s/target\r\nCache-Control: max-age=60\r\n",
        caching.server.url);
    caching_answer(&caching, 200, "Cache-Control: max-age=60\r\n", THING);
    caching_get(&caching, "/target", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_STORED, 1);
    caching_answer(&caching, 301, headers, "");
    caching_get_body(
        &caching, "/moved", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 2, THING);
    caching_get_body(
        &caching, "/moved", RESTWAY_CACHE_STANDARD, RESTWAY_CACHE_STATE_HIT, 2, THING);
    caching_end(&caching);
}

static const struct CMUnitTest tests[] = {
    TEST(cache__keeps_an_answer_for_the_lifetime_of_the_route),
    TEST(cache__lifetime_of_a_request_replaces_the_route_s),
    TEST(cache__validates_with_the_etag),
    TEST(cache__keeps_variants_apart),
    TEST(cache__keeps_answers_apart_by_the_cookies_of_the_client),
    TEST(cache__ignores_the_parameters_that_the_route_names),
    TEST(cache__removes_the_answers_of_the_routes_that_are_named),
    TEST(cache__unsafe_methods_invalidate_their_url),
    TEST(cache__keeps_answers_by_discriminator),
    TEST(cache__credentials_keep_answers_apart),
    TEST(cache__keeps_answers_to_post_by_their_body),
    TEST(cache__what_says_no_store_is_not_kept),
    TEST(cache__a_bypassed_route_is_neither_kept_nor_answered),
    TEST(cache__a_redirect_and_its_target_are_kept),
};

const struct suite cache_suite = SUITE(tests);

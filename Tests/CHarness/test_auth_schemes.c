/* Schemes of the document, against the demo API; credentials never appear in texts. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "realm.h"

static const restway_client_options defaults = RESTWAY_CLIENT_OPTIONS_INIT;

static void schemes__basic_and_digest_open_with_the_password_alone(void **state) {
    (void)state;
    static const char *const schemes[] = {"basic", "digest"};
    for (size_t index = 0; index < 2; index++) {
        char sections[128];
        snprintf(
            sections, sizeof(sections), "\"auth\": {\"scheme\": \"%s\", \"user\": \"demo\"}",
            schemes[index]);
        restway_client *client = make_client_of(sections, defaults);
        restway_request *request = make_get(schemes[index]);
        assert_fails(restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP,
            "401");
        restway_credential credential;
        assert_ok(restway_credential_init(&credential, sizeof(credential), &failure));
        credential.password = "open sesame";
        assert_ok(restway_client_set_credential(client, &credential, &failure));
        for (int round = 0; round < 3; round++) {
            restway_response *response = NULL;
            assert_ok(restway_client_perform(client, request, 0, &response, &failure));
            assert_int_equal(restway_response_status(response), 200);
            assert_holds(restway_response_json(response, NULL), "\"user\":\"demo\"");
            assert_null(restway_response_header(response, "WWW-Authenticate"));
            restway_response_release(response);
        }
        /* NULL signs out. */
        assert_ok(restway_client_set_credential(client, NULL, &failure));
        assert_fails(restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_HTTP,
            "401");
        restway_request_release(request);
        restway_client_release(client);
    }
}

static void schemes__digest_sends_the_body_with_the_answer_to_the_challenge(void **state) {
    (void)state;
    restway_client *client = make_client_of(
        "\"auth\": {\"scheme\": \"digest\", \"user\": \"demo\", \"password\": \"open sesame\"}",
        defaults);
    restway_request *request = NULL;
    restway_response *response = NULL;
    assert_ok(restway_request_create("POST", "digest", &request, &failure));
    assert_ok(restway_request_set_body(request, "123456", 6, "text/plain", &failure));
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    assert_holds(restway_response_json(response, NULL), "\"body_bytes\":6");
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
}

static void schemes__api_keys_go_into_a_header_or_the_query_and_not_into_commands(void **state) {
    (void)state;
    restway_client *client = make_client_of(
        "\"auth\": {\"scheme\": \"apiKey\", \"query\": \"passkey\", \"token\": \"s3cret\"}",
        defaults);
    char command[1024];
    restway_response *response = fetch(client, "echo");
    assert_holds(restway_response_json(response, NULL), "\"passkey\":\"s3cret\"");
    restway_response_release(response);
    restway_request *request = make_get("echo");
    assert_ok(restway_request_to_curl(
        request, client, 0, command, sizeof(command), NULL, &failure));
    assert_null(strstr(command, "s3cret"));
    assert_holds(command, "passkey=[redacted]");
    assert_ok(restway_request_to_curl(
        request, client, RESTWAY_CURL_REVEAL, command, sizeof(command), NULL, &failure));
    assert_holds(command, "passkey=s3cret");
    restway_request_release(request);
    restway_client_release(client);
}

static void schemes__oauth_gets_tokens_and_rotates_its_refresh_token(void **state) {
    (void)state;
    struct realm realm;
    realm_begin(&realm, RESTWAY_DELIVERY_THREAD, "");
    char sections[512];
    snprintf(
        sections, sizeof(sections),
        "\"auth\": {\"scheme\": \"oauth2\", \"grant\": \"refreshToken\", \"clientID\": \"app\","
        " \"refreshToken\": \"%s-refresh-0\","
        " \"tokenURL\": \"auth/%s/token?mode=rotating\"}",
        realm.name, realm.name);
    restway_client *client = make_client_of(sections, defaults);
    restway_request *request = realm_request(&realm, "me");
    restway_request *expire = NULL;
    char path[128];
    snprintf(path, sizeof(path), "auth/%s/expire", realm.name);
    assert_ok(restway_request_create("POST", path, &expire, &failure));
    assert_ok(restway_request_set_auth(expire, RESTWAY_AUTH_NONE, &failure));
    for (int round = 1; round <= 3; round++) {
        restway_response *response = NULL;
        assert_ok(restway_client_perform(client, request, 0, &response, &failure));
        assert_int_equal(restway_response_attempt_count(response), round == 1 ? 1 : 2);
        restway_response_release(response);
        assert_ok(restway_client_perform(client, expire, 0, NULL, &failure));
    }
    assert_int_equal(realm_log(&realm, "issued"), 3);
    restway_request_release(expire);
    restway_request_release(request);
    restway_client_release(client);
    realm_end(&realm);
}

static void schemes__a_token_endpoint_that_refuses_says_why(void **state) {
    (void)state;
    restway_client *client = make_client_of(
        "\"auth\": {\"scheme\": \"oauth2\", \"grant\": \"clientCredentials\","
        " \"clientID\": \"app\", \"clientSecret\": \"hush\","
        " \"tokenURL\": \"auth/harness-refusing/token?mode=refused\"}",
        defaults);
    restway_request *request = make_get("echo");
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_AUTH,
        "invalid_grant");
    assert_null(strstr(restway_error_message(failure), "hush"));
    forget_failure();
    restway_request_release(request);
    restway_client_release(client);
}

static void credential__what_cannot_be_sent_is_refused(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_credential credential = RESTWAY_CREDENTIAL_INIT;
    credential.token = "line\r\nbreak";
    assert_refused(restway_client_set_credential(client, &credential, &failure));
    credential.token = BAD_UTF8;
    assert_refused(restway_client_set_credential(client, &credential, &failure));
    credential.token = NULL;
    credential.expires_in_milliseconds = -1;
    assert_refused(restway_client_set_credential(client, &credential, &failure));
    credential.struct_size = 8;
    assert_refused(restway_client_set_credential(client, &credential, &failure));
    assert_refused(restway_credential_init(NULL, sizeof(credential), &failure));
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(schemes__basic_and_digest_open_with_the_password_alone),
    TEST(schemes__digest_sends_the_body_with_the_answer_to_the_challenge),
    TEST(schemes__api_keys_go_into_a_header_or_the_query_and_not_into_commands),
    TEST(schemes__oauth_gets_tokens_and_rotates_its_refresh_token),
    TEST(schemes__a_token_endpoint_that_refuses_says_why),
    TEST(credential__what_cannot_be_sent_is_refused),
};

const struct suite auth_schemes_suite = SUITE(tests);

/* Default headers of a client, and the languages of its answers. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

enum { TEXT_BYTES = 512 };

static restway_client *make_german(const char *const *languages, size_t count) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.languages = languages;
    options.language_count = count;
    return make_client_with(options);
}

/** Checks what the demo API receives of a header; NULL is no such header. */
static void receives(restway_client *client, const char *name, const char *value) {
    char expected[TEXT_BYTES];
    restway_response *response = fetch(client, "echo");
    snprintf(expected, sizeof(expected), "\"%s\":\"%s\"", name, value == NULL ? "" : value);
    if (value == NULL) {
        expected[strlen(expected) - 1] = '\0';
        assert_null(strstr(restway_response_json(response, NULL), expected));
    } else {
        assert_holds(restway_response_json(response, NULL), expected);
    }
    restway_response_release(response);
}

static void client_set_header__reaches_later_requests(void **state) {
    (void)state;
    char text[TEXT_BYTES];
    size_t length = 0;
    restway_client *client = make_client();
    receives(client, "x-tenant", NULL);
    assert_ok(restway_client_set_header(client, "X-Tenant", "a", &failure));
    receives(client, "x-tenant", "a");
    assert_ok(restway_client_set_header(client, "x-tenant", "b", &failure));
    receives(client, "x-tenant", "b");
    assert_ok(restway_client_headers(client, text, sizeof(text), &length, &failure));
    assert_string_equal(text, "{\"x-tenant\":\"b\"}");
    assert_int_equal(length, strlen(text));
    restway_request *request = make_get("echo");
    assert_ok(restway_request_set_header(request, "X-Tenant", "c", &failure));
    restway_outgoing *sent = NULL;
    assert_ok(restway_client_inspect(client, request, &sent, &failure));
    assert_string_equal(restway_outgoing_header(sent, "X-Tenant"), "c");
    restway_outgoing_release(sent);
    restway_request_release(request);
    assert_ok(restway_client_set_header(client, "X-TENANT", NULL, &failure));
    receives(client, "x-tenant", NULL);
    assert_ok(restway_client_headers(client, NULL, 0, &length, &failure));
    assert_int_equal(length, 2);
    restway_client_close(client);
    assert_fails(
        restway_client_set_header(client, "X-Tenant", "a", &failure), RESTWAY_E_CLOSED, "");
    restway_client_release(client);
}

static void client_languages__become_a_default_header(void **state) {
    (void)state;
    static const char *const languages[] = {"de-CH", "de", "en"};
    restway_client *client = make_german(languages, 3);
    receives(client, "accept-language", "de-CH, de;q=0.9, en;q=0.8");
    assert_ok(restway_client_set_header(client, "Accept-Language", NULL, &failure));
    receives(client, "accept-language", NULL);
    restway_client_release(client);
}

static void client_languages__that_are_wrong_are_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {"", "de_CH", "12", "de;q=1", BAD_UTF8, NULL};
    static const char *const many[] = {
        "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"};
    restway_api *api = make_api();
    restway_client *client = POISON;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    for (size_t index = 0; index < sizeof(wrong) / sizeof(wrong[0]); index++) {
        const char *const languages[] = {"en", wrong[index]};
        options.languages = languages;
        options.language_count = 2;
        assert_fails_keeping(restway_client_create(api, &options, &client, &failure),
            RESTWAY_E_INVALID_ARGUMENT, "options.languages[1]");
        assert_string_equal(restway_error_field(failure), "options.languages[1]");
        forget_failure();
        assert_null(client);
    }
    options.languages = many;
    options.language_count = 11;
    assert_fails(restway_client_create(api, &options, &client, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "language_count");
    options.languages = NULL;
    assert_fails(restway_client_create(api, &options, &client, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "options.languages");
    restway_api_release(api);
}

static void client_header_functions__refuse_null_and_bad_texts(void **state) {
    (void)state;
    restway_client *client = make_client();
    size_t length = 7;
    assert_refused(restway_client_set_header(NULL, "A", "b", &failure));
    assert_refused(restway_client_set_header(client, NULL, "b", &failure));
    assert_refused(restway_client_set_header(client, BAD_UTF8, "b", &failure));
    assert_refused(restway_client_set_header(client, "A", BAD_UTF8, &failure));
    assert_refused(restway_client_set_header(client, "A:", "b", &failure));
    assert_refused(restway_client_set_header(client, "", "b", &failure));
    assert_refused(restway_client_set_header(client, "A", "b\r\nC: d", &failure));
    assert_refused(restway_client_headers(NULL, NULL, 0, &length, &failure));
    assert_int_equal(length, 0);
    assert_refused(restway_client_headers(client, NULL, 1, &length, &failure));
    assert_ok(restway_client_headers(client, NULL, 0, NULL, &failure));
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(client_set_header__reaches_later_requests),
    TEST(client_languages__become_a_default_header),
    TEST(client_languages__that_are_wrong_are_refused),
    TEST(client_header_functions__refuse_null_and_bad_texts),
};

const struct suite client_headers_suite = SUITE(tests);

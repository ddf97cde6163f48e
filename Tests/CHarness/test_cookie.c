/* Cookies: in memory and in a file, listed, set and cleared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness.h"

/** A value that must appear in no message. */
#define SECRET "hunter2-secret"
#define OTHER_URL "https://other.example/v2"

static restway_cookie cookie_of(const char *name, const char *value) {
    restway_cookie cookie = RESTWAY_COOKIE_INIT;
    cookie.name = name;
    cookie.value = value;
    return cookie;
}

/** Returns how many cookies @p client would send to @p url. */
static size_t count(restway_client *client, const char *url) {
    restway_cookies *cookies = NULL;
    assert_ok(restway_client_cookies(client, url, &cookies, &failure));
    size_t number = restway_cookies_count(cookies);
    restway_cookies_release(cookies);
    return number;
}

/** Checks what the demo API receives from @p client. */
static void sends(restway_client *client, const char *text, int expected) {
    restway_response *response = fetch(client, "cookies");
    assert_int_equal(strstr(restway_response_json(response, NULL), text) != NULL, expected);
    restway_response_release(response);
}

static void cookie_init__is_the_macro(void **state) {
    (void)state;
    const restway_cookie expected = RESTWAY_COOKIE_INIT;
    restway_cookie cookie;
    memset(&cookie, 0x5a, sizeof(cookie));
    assert_ok(restway_cookie_init(&cookie, sizeof(cookie), &failure));
    assert_memory_equal(&cookie, &expected, sizeof(cookie));
    assert_refused(restway_cookie_init(NULL, sizeof(cookie), &failure));
    assert_refused(restway_cookie_init(&cookie, 8, &failure));
}

static void cookies__of_an_answer_are_listed_and_cleared(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response_release(fetch(client, "cookies/set?flavour=vanilla&size=big"));
    restway_cookies *cookies = NULL;
    assert_ok(restway_client_cookies(client, demo_url(), &cookies, &failure));
    assert_int_equal(restway_cookies_count(cookies), 2);
    int has_flavour = 0;
    for (size_t index = 0; index < 2; index++) {
        restway_cookie cookie = RESTWAY_COOKIE_INIT;
        assert_ok(restway_cookies_read(cookies, index, &cookie, &failure));
        assert_string_equal(cookie.domain, "127.0.0.1");
        if (strcmp(cookie.name, "flavour") == 0) {
            assert_string_equal(cookie.value, "vanilla");
            has_flavour = 1;
        }
    }
    assert_int_equal(has_flavour, 1);
    restway_cookie cookie = RESTWAY_COOKIE_INIT;
    assert_refused(restway_cookies_read(cookies, 2, &cookie, &failure));
    size_t cleared = 9;
    assert_ok(restway_client_clear_cookies(client, demo_url(), "flavour", &cleared, &failure));
    assert_int_equal(cleared, 1);
    sends(client, "vanilla", 0);
    sends(client, "big", 1);
    assert_ok(restway_client_clear_cookies(client, OTHER_URL, NULL, &cleared, &failure));
    assert_int_equal(cleared, 0);
    assert_ok(restway_client_clear_cookies(client, NULL, NULL, NULL, &failure));
    assert_int_equal(count(client, NULL), 0);
    /* The list does not change. */
    assert_int_equal(restway_cookies_count(cookies), 2);
    restway_cookies_release(restway_cookies_retain(cookies));
    restway_cookies_release(cookies);
    restway_client_release(client);
}

static void cookies__of_the_program_are_sent(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_cookie cookie = cookie_of("flavour", "vanilla");
    assert_ok(restway_client_set_cookie(client, NULL, &cookie, &failure));
    sends(client, "vanilla", 1);
    cookie.value = "";
    assert_ok(restway_client_set_cookie(client, demo_url(), &cookie, &failure));
    sends(client, "vanilla", 0);
    cookie.domain = "example.com";
    cookie.path = "/v2";
    cookie.expires = 4102444800;
    cookie.flags =
        RESTWAY_COOKIE_SUBDOMAINS | RESTWAY_COOKIE_SECURE | RESTWAY_COOKIE_HTTP_ONLY;
    assert_ok(restway_client_set_cookie(client, NULL, &cookie, &failure));
    assert_int_equal(count(client, "https://api.example.com/v2/things"), 1);
    assert_int_equal(count(client, "http://api.example.com/v2/things"), 0);
    assert_int_equal(count(client, "https://api.example.com/"), 0);
    restway_cookies *cookies = NULL;
    restway_cookie read = RESTWAY_COOKIE_INIT;
    assert_ok(restway_client_cookies(
        client, "https://api.example.com/v2", &cookies, &failure));
    assert_ok(restway_cookies_read(cookies, 0, &read, &failure));
    assert_string_equal(read.domain, "example.com");
    assert_string_equal(read.path, "/v2");
    assert_string_equal(read.value, "");
    assert_int_equal(read.expires, 4102444800);
    assert_int_equal(read.flags, cookie.flags);
    restway_cookies_release(cookies);
    restway_client_release(client);
}

static void set_cookie__refuses_what_cannot_be_sent(void **state) {
    (void)state;
    restway_client *client = make_client();
    const restway_cookie good = cookie_of("a", SECRET);
    static const char *const names[] = {"", "a b", "a=b", "a;b", "a\tb", "__Host-a"};
    for (size_t index = 0; index < sizeof(names) / sizeof(names[0]); index++) {
        restway_cookie cookie = cookie_of(names[index], SECRET);
        assert_fails_keeping(
            restway_client_set_cookie(client, NULL, &cookie, &failure),
            RESTWAY_E_INVALID_ARGUMENT, "cookie");
        assert_null(strstr(restway_error_message(failure), SECRET));
        forget_failure();
    }
    restway_cookie cookie = cookie_of("a", SECRET "\r\nX: y");
    assert_fails_keeping(
        restway_client_set_cookie(client, NULL, &cookie, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "value");
    assert_null(strstr(restway_error_message(failure), SECRET));
    forget_failure();
    static char text[4097];
    memset(text, 'x', sizeof(text) - 1);
    cookie.value = text;
    assert_fails(
        restway_client_set_cookie(client, NULL, &cookie, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "4096 bytes");
    cookie = good;
    cookie.domain = ".example.com";
    assert_fails(
        restway_client_set_cookie(client, NULL, &cookie, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "domain");
    cookie = good;
    cookie.path = "v2";
    assert_fails(
        restway_client_set_cookie(client, NULL, &cookie, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "path");
    cookie = good;
    cookie.expires = 1;
    assert_fails(
        restway_client_set_cookie(client, NULL, &cookie, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "ended");
    cookie = good;
    cookie.flags = 0x80u;
    assert_refused(restway_client_set_cookie(client, NULL, &cookie, &failure));
    cookie = good;
    cookie.reserved = 1;
    assert_refused(restway_client_set_cookie(client, NULL, &cookie, &failure));
    cookie = good;
    cookie.struct_size = 8;
    assert_refused(restway_client_set_cookie(client, NULL, &cookie, &failure));
    assert_int_equal(count(client, NULL), 0);
    restway_client_release(client);
}

static void cookie_functions__refuse_null_and_bad_text(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_cookies *cookies = POISON;
    restway_cookie cookie = cookie_of("a", "b");
    size_t cleared = 9;
    const char *bad = BAD_UTF8;
    assert_refused(restway_client_cookies(NULL, NULL, &cookies, &failure));
    assert_null(cookies);
    assert_refused(restway_client_cookies(client, NULL, NULL, &failure));
    assert_refused(restway_client_cookies(client, bad, &cookies, &failure));
    assert_fails(
        restway_client_cookies(client, "nonsense", &cookies, &failure), RESTWAY_E_INVALID_URL,
        "nonsense");
    assert_refused(restway_client_set_cookie(NULL, NULL, &cookie, &failure));
    assert_refused(restway_client_set_cookie(client, NULL, NULL, &failure));
    assert_refused(restway_client_set_cookie(client, bad, &cookie, &failure));
    cookie.value = NULL;
    assert_refused(restway_client_set_cookie(client, NULL, &cookie, &failure));
    cookie = cookie_of(NULL, "b");
    assert_refused(restway_client_set_cookie(client, NULL, &cookie, &failure));
    assert_refused(restway_client_clear_cookies(NULL, NULL, NULL, &cleared, &failure));
    assert_int_equal(cleared, 0);
    assert_refused(restway_client_clear_cookies(client, bad, NULL, NULL, &failure));
    assert_refused(restway_client_clear_cookies(client, NULL, bad, NULL, &failure));
    assert_refused(restway_cookies_read(NULL, 0, &cookie, &failure));
    assert_ok(restway_client_cookies(client, NULL, &cookies, &failure));
    assert_refused(restway_cookies_read(cookies, 0, NULL, &failure));
    restway_cookies_release(cookies);
    assert_int_equal(restway_cookies_count(NULL), 0);
    assert_null(restway_cookies_retain(NULL));
    restway_cookies_release(NULL);
    restway_client_close(client);
    assert_fails(
        restway_client_cookies(client, NULL, &cookies, &failure), RESTWAY_E_CLOSED, "");
    restway_client_release(client);
}

static void cookies__of_a_client_that_keeps_none(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.flags = RESTWAY_CLIENT_NO_COOKIES;
    restway_client *client = make_client_with(options);
    restway_cookies *cookies = POISON;
    assert_fails(
        restway_client_cookies(client, NULL, &cookies, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "keeps no cookies");
    restway_client_release(client);
    restway_network_options network = RESTWAY_NETWORK_OPTIONS_INIT;
    restway_api *api = make_api();
    network.cookie_file = "cookies.txt";
    options.network = &network;
    options.base_url = demo_url();
    assert_fails(
        restway_client_create(api, &options, &client, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "RESTWAY_CLIENT_NO_COOKIES");
    restway_api_release(api);
}

static void cookie_file__is_kept_for_the_next_client(void **state) {
    (void)state;
    char folder[] = "/tmp/restway-cookies-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/cookies.txt", folder);
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_network_options network = RESTWAY_NETWORK_OPTIONS_INIT;
    network.cookie_file = path;
    options.network = &network;
    restway_client *client = make_client_with(options);
    restway_response_release(fetch(client, "cookies/set?flavour=vanilla"));
    restway_client_close(client);
    restway_client_release(client);
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    client = make_client_with(options);
    sends(client, "vanilla", 1);
    restway_client_release(client);
    unlink(path);
    assert_int_equal(rmdir(folder), 0);
}

static void cookie_file__that_cannot_be_used(void **state) {
    (void)state;
    static const char *const paths[] = {"/tmp", "/nonexistent/cookies.txt", "/proc/version"};
    for (size_t index = 0; index < sizeof(paths) / sizeof(paths[0]); index++) {
        restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
        restway_network_options network = RESTWAY_NETWORK_OPTIONS_INIT;
        restway_api *api = make_api();
        restway_client *client = POISON;
        network.cookie_file = paths[index];
        options.network = &network;
        options.base_url = demo_url();
        assert_fails(
            restway_client_create(api, &options, &client, &failure), RESTWAY_E_CONFIG,
            paths[index]);
        assert_null(client);
        network.cookie_file = "";
        assert_refused(restway_client_create(api, &options, &client, &failure));
        restway_api_release(api);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(cookie_init__is_the_macro),
    TEST(cookies__of_an_answer_are_listed_and_cleared),
    TEST(cookies__of_the_program_are_sent),
    TEST(set_cookie__refuses_what_cannot_be_sent),
    TEST(cookie_functions__refuse_null_and_bad_text),
    TEST(cookies__of_a_client_that_keeps_none),
    TEST(cookie_file__is_kept_for_the_next_client),
    TEST(cookie_file__that_cannot_be_used),
};

const struct suite cookie_suite = SUITE(tests);

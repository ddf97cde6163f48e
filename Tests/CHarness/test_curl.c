/* Requests as curl commands: a shell runs them correctly, and they contain no secrets. */
#include <stdio.h>
#include <string.h>

#include "harness.h"

enum { COMMAND_BYTES_MAX = 4096 };

static char command[COMMAND_BYTES_MAX];

/** Writes the command for @p request into `command`. */
static const char *write_command(
    restway_client *client, const restway_request *request, uint32_t flags) {
    size_t length = 0;
    memset(command, 0x5a, sizeof(command));
    assert_ok(restway_request_to_curl(
        request, client, flags, command, sizeof(command), &length, &failure));
    assert_true(length < sizeof(command));
    assert_int_equal(strlen(command), length);
    return command;
}

/** Runs the command in a shell whose curl prints its words and its standard input. */
static const char *run_command(const char *curl) {
    static char output[COMMAND_BYTES_MAX];
    char script[2 * COMMAND_BYTES_MAX];
    snprintf(
        script, sizeof(script),
        "curl() { for word in \"$@\"; do printf '<%%s>' \"$word\"; done; cat; }; %s </dev/null",
        curl);
    FILE *shell = popen(script, "r");
    assert_non_null(shell);
    size_t length = fread(output, 1, sizeof(output) - 1, shell);
    output[length] = '\0';
    assert_int_equal(pclose(shell), 0);
    return output;
}

static void assert_lacks(const char *text, const char *fragment) {
    if (strstr(text, fragment) != NULL) {
        print_error("%s\n  holds \"%s\"\n", text, fragment);
        fail();
    }
}

static void set_header(restway_request *request, const char *name, const char *value) {
    assert_ok(restway_request_set_header(request, name, value, &failure));
}

static void to_curl__says_what_would_be_sent(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("enterprises/:itemID?sort=-name");
    restway_value identity = restway_value_int64(3);
    assert_ok(restway_request_set_variable(request, "itemID", &identity, &failure));
    set_header(request, "X-Colour", "green");
    const char *words = run_command(write_command(client, request, 0));
    assert_int_equal(strncmp(command, "curl ", 5), 0);
    assert_holds(words, "/v2/enterprises/3?sort=-name>");
    assert_holds(words, "<X-Colour: green>");
    restway_request_release(request);
    restway_client_release(client);
}

static void to_curl__shows_the_network_settings_without_passwords(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_network_options network = RESTWAY_NETWORK_OPTIONS_INIT;
    restway_tls_options tls = RESTWAY_TLS_OPTIONS_INIT;
    const restway_tls_options *all[] = {&tls};
    tls.minimum_version = RESTWAY_TLS_VERSION_1_3;
    network.tls = all;
    network.tls_count = 1;
    network.proxy = "socks5h://127.0.0.1:1080";
    network.proxy_user = "hidden-1";
    network.proxy_password = "hidden-2";
    network.http_version = RESTWAY_HTTP_VERSION_1_1;
    options.network = &network;
    options.base_url = "https://api.example.com";
    restway_client *client = make_client_with(options);
    restway_request *request = make_get("status");
    const char *text = write_command(client, request, RESTWAY_CURL_REVEAL);
    assert_holds(text, "--tlsv1.3 --proxy 'socks5h://127.0.0.1:1080' --http1.1");
    assert_lacks(text, "hidden");
    restway_request_release(request);
    restway_client_release(client);
}

static void to_curl__keeps_secrets_back(void **state) {
    (void)state;
    static const char *const headers[] = {
        "Authorization", "Cookie", "X-Api-Key", "x-pin", "AUTHORIZATION"};
    restway_client *client = make_client();
    restway_request *request =
        make_get("echo?token=hidden-1&access_token=hidden-2&PIN=hidden-3&page=2");
    for (size_t index = 0; index < sizeof(headers) / sizeof(headers[0]); index++) {
        set_header(request, headers[index], "Bearer hidden-4");
    }
    const char *text = write_command(client, request, 0);
    assert_lacks(text, "hidden");
    assert_holds(text, "Authorization: [redacted]");
    assert_holds(text, "Cookie: [redacted]");
    assert_holds(text, "X-Api-Key: [redacted]");
    assert_holds(text, "X-Pin: [redacted]");
    assert_holds(text, "token=[redacted]");
    assert_holds(text, "page=2");
    text = write_command(client, request, RESTWAY_CURL_REVEAL);
    assert_lacks(text, "[redacted]");
    assert_holds(text, "Authorization: Bearer hidden-4");
    assert_holds(text, "token=hidden-1");
    assert_holds(text, "PIN=hidden-3");
    restway_request_release(request);
    restway_client_release(client);
}

static void to_curl__keeps_secret_parameters_back(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("echo");
    restway_value value = restway_value_string("hidden & more");
    assert_ok(restway_request_set_parameter(request, "pin", &value, &failure));
    assert_ok(restway_request_set_parameter(request, "api_key", &value, &failure));
    assert_lacks(write_command(client, request, 0), "hidden");
    assert_holds(write_command(client, request, RESTWAY_CURL_REVEAL), "pin=hidden");
    restway_request_release(request);
    restway_client_release(client);
}

static void to_curl__keeps_secrets_of_bodies_back(void **state) {
    (void)state;
    static const char *const bodies[][2] = {
        {"{\"user\": \"ann\", \"a\": [{\"Password\": \"hidden\"}], \"pin\": {\"b\": \"hidden\"}}",
         "application/json"},
        {"user=ann&client_secret=hidden&P%69N=hidden", "application/x-www-form-urlencoded"},
    };
    restway_client *client = make_client();
    for (size_t index = 0; index < sizeof(bodies) / sizeof(bodies[0]); index++) {
        restway_request *request = NULL;
        const char *body = bodies[index][0];
        assert_ok(restway_request_create("POST", "echo", &request, &failure));
        assert_ok(restway_request_set_body(
            request, body, strlen(body), bodies[index][1], &failure));
        const char *text = write_command(client, request, 0);
        assert_lacks(text, "hidden");
        assert_holds(text, "[redacted]");
        assert_holds(run_command(write_command(client, request, RESTWAY_CURL_REVEAL)), body);
        restway_request_release(request);
    }
    restway_request *broken = NULL;
    assert_ok(restway_request_create("POST", "echo", &broken, &failure));
    assert_ok(
        restway_request_set_json(broken, "{\"user\": \"ann\", \"password\": \"hidden", &failure));
    size_t length = 0;
    assert_fails(
        restway_request_to_curl(
            broken, client, 0, command, sizeof(command), &length, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "{\"user\": \"ann\", \"password\": \"[redacted]");
    restway_request_release(broken);
    restway_client_release(client);
}

static void to_curl__quotes_for_the_shell(void **state) {
    (void)state;
    static const char body[] = "it's $HOME `id` \\ \"quoted\"\n''' \xc3\xbc !";
    restway_client *client = make_client();
    restway_request *request = NULL;
    assert_ok(restway_request_create("POST", "echo?q=it's", &request, &failure));
    assert_ok(restway_request_set_body(request, body, strlen(body), "text/plain", &failure));
    set_header(request, "X-Quote", "don't; id");
    const char *words = run_command(write_command(client, request, 0));
    assert_non_null(strstr(words, body));
    assert_holds(words, "<POST>");
    assert_holds(words, "<X-Quote: don't; id>");
    assert_holds(words, "<Content-Type: text/plain>");
    restway_request_release(request);
    restway_client_release(client);
}

/** A body that starts like a file name is still sent as a body. */
static void to_curl__a_body_is_no_file_name(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = NULL;
    assert_ok(restway_request_create("PUT", "echo", &request, &failure));
    assert_ok(restway_request_set_body(request, "@/etc/hosts", 11, "text/plain", &failure));
    assert_holds(write_command(client, request, 0), "--data-raw '@/etc/hosts'");
    restway_request_release(request);
    restway_client_release(client);
}

static void to_curl__pipes_bytes_that_are_no_text(void **state) {
    (void)state;
    static const char body[] = {'a', '\xff', 'b', '\x01', '%', '\\', 'c'};
    restway_client *client = make_client();
    restway_request *request = NULL;
    assert_ok(restway_request_create("POST", "echo", &request, &failure));
    assert_ok(restway_request_set_body(
        request, body, sizeof(body), "application/octet-stream", &failure));
    /* The input comes through the pipe, because the test redirects the standard input. */
    char piped[COMMAND_BYTES_MAX];
    snprintf(piped, sizeof(piped), "{ %s; }", write_command(client, request, 0));
    const char *words = run_command(piped);
    assert_memory_equal(words + strlen(words) - sizeof(body), body, sizeof(body));
    restway_request_release(request);
    restway_client_release(client);
}

static void to_curl__is_cut_off_where_the_buffer_ends(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("status");
    char buffer[8];
    size_t length = 0, whole = strlen(write_command(client, request, 0));
    assert_ok(restway_request_to_curl(request, client, 0, NULL, 0, &length, &failure));
    assert_int_equal(length, whole);
    for (size_t capacity = 1; capacity < sizeof(buffer); capacity++) {
        memset(buffer, 0x5a, sizeof(buffer));
        assert_ok(
            restway_request_to_curl(request, client, 0, buffer, capacity, &length, &failure));
        assert_int_equal(length, whole);
        assert_int_equal(strlen(buffer), capacity - 1);
        assert_memory_equal(buffer, command, capacity - 1);
        assert_int_equal(buffer[capacity], 0x5a);
    }
    assert_ok(restway_request_to_curl(request, client, 0, buffer, 0, NULL, &failure));
    restway_request_release(request);
    restway_client_release(client);
}

/** The buffer always holds UTF-8, even if it is cut off: never half of a character. */
static void to_curl__is_not_cut_inside_a_letter(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("echo");
    set_header(request, "X-Letters", "\xc3\xbc\xe2\x82\xac\xf0\x9f\x8c\x8d");
    size_t whole = strlen(write_command(client, request, 0));
    for (size_t capacity = 1; capacity <= whole + 1; capacity++) {
        char cut[COMMAND_BYTES_MAX];
        assert_ok(restway_request_to_curl(request, client, 0, cut, capacity, NULL, &failure));
        size_t length = strlen(cut);
        assert_true(length < capacity && length + 4 >= capacity);
        assert_memory_equal(cut, command, length);
        assert_true((command[length] & 0xc0) != 0x80);
    }
    restway_request_release(request);
    restway_client_release(client);
}

static void to_curl__used_wrongly(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_get("status");
    char buffer[16];
    size_t length = 99;
    memset(buffer, 0x5a, sizeof(buffer));
    assert_refused(restway_request_to_curl(NULL, client, 0, buffer, 16, &length, &failure));
    assert_int_equal(length, 0);
    assert_int_equal(buffer[0], 0);
    assert_refused(restway_request_to_curl(request, NULL, 0, buffer, 16, &length, &failure));
    assert_refused(restway_request_to_curl(request, client, 0, NULL, 16, &length, &failure));
    assert_refused(restway_request_to_curl(request, client, 0x80u, buffer, 16, &length, &failure));
    restway_request_release(request);
    assert_ok(restway_request_create_route(NULL, "enterprise", &request, &failure));
    assert_fails(
        restway_request_to_curl(request, client, 0, buffer, 16, &length, &failure),
        RESTWAY_E_MISSING_VARIABLE, "itemID");
    assert_int_equal(length, 0);
    restway_request_release(request);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(to_curl__says_what_would_be_sent),
    TEST(to_curl__shows_the_network_settings_without_passwords),
    TEST(to_curl__keeps_secrets_back),
    TEST(to_curl__keeps_secret_parameters_back),
    TEST(to_curl__keeps_secrets_of_bodies_back),
    TEST(to_curl__quotes_for_the_shell),
    TEST(to_curl__a_body_is_no_file_name),
    TEST(to_curl__pipes_bytes_that_are_no_text),
    TEST(to_curl__is_cut_off_where_the_buffer_ends),
    TEST(to_curl__is_not_cut_inside_a_letter),
    TEST(to_curl__used_wrongly),
};

const struct suite curl_suite = SUITE(tests);

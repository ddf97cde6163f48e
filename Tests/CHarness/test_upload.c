/* Resumable uploads, against a server that answers as a script says. Tests/Faults has servers that
 * keep what they receive. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "answering.h"
#include "harness.h"

enum { STEPS_MAX = 8, LOG_BYTES_MAX = 512 };

#define CREATED "HTTP/1.1 201 Created\r\nLocation: /uploads/7?key=s\r\nContent-Length: 0\r\n"
#define TOLD "HTTP/1.1 200 OK\r\nUpload-Offset: 2\r\nContent-Length: 0\r\n"
#define ALL_THERE "HTTP/1.1 204 No Content\r\nUpload-Offset: 5\r\n"
#define DELETED "HTTP/1.1 204 No Content\r\n"

/** A server that answers one request on each connection. NULL ends the connection in place of an
 *  answer. */
struct script {
    char url[URL_BYTES_MAX];
    int listener;
    pthread_t thread;
    const char *answers[STEPS_MAX];
    size_t count;
    /** The text "METHOD body" for each request, with a semicolon after each text. */
    char log[LOG_BYTES_MAX];
};

/** Reads a request, and writes its method and its body into @p log. */
static void receive(int connection, char *log) {
    size_t body = 0, used = strlen(log);
    char *request = receive_request(connection, &body);
    if (request == NULL) {
        return;
    }
    *strchr(request, ' ') = '\0';
    snprintf(log + used, LOG_BYTES_MAX - used, "%s %s;", request, request + body);
    free(request);
}

static void *serve(void *context) {
    struct script *script = context;
    for (size_t step = 0; step < script->count; step++) {
        int connection = accept(script->listener, NULL, NULL);
        if (connection < 0) {
            return NULL;
        }
        receive(connection, script->log);
        if (script->answers[step] != NULL) {
            char answer[256];
            int length = snprintf(
                answer, sizeof(answer), "%sConnection: close\r\n\r\n", script->answers[step]);
            (void)!send(connection, answer, (size_t)length, MSG_NOSIGNAL);
        }
        close(connection);
    }
    return NULL;
}

static void script_begin(struct script *script, const char *const *answers, size_t count) {
    memset(script, 0, sizeof(*script));
    memcpy(script->answers, answers, count * sizeof(answers[0]));
    script->count = count;
    script->listener = listen_on_loopback(script->url);
    assert_int_equal(pthread_create(&script->thread, NULL, serve, script), 0);
}

static void script_end(struct script *script) {
    pthread_join(script->thread, NULL);
    close(script->listener);
}

static restway_client *client_of(const char *url) {
    static const char document[] = "{\"restway\": 1}";
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    options.base_url = url;
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_api_release(api);
    return client;
}

static restway_request *post_hello(void) {
    restway_request *request = NULL;
    restway_resource *resource = NULL;
    assert_ok(restway_request_create("POST", "files", &request, &failure));
    assert_ok(restway_resource_create_bytes("hello", 5, "a.txt", NULL, &resource, &failure));
    assert_ok(restway_request_set_resource(request, resource, 0, &failure));
    restway_resource_release(resource);
    return request;
}

static const char *state_path(void) {
    static char path[64];
    snprintf(path, sizeof(path), "/tmp/restway-%ld.upload", (long)getpid());
    return path;
}

/** Sends the request to a server that ends the connection after it has received a piece. */
static void lose_a_piece(
    restway_client *client, restway_request *request, restway_upload_protocol protocol,
    int64_t piece_bytes) {
    assert_ok(restway_request_set_resumable(
        request, protocol, state_path(), piece_bytes, 0, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_CONNECTION_LOST,
        "POST");
}

static void upload__whose_offset_never_reaches_the_length_fails(void **state) {
    (void)state;
    static const char confirmed[] = "HTTP/1.1 204 No Content\r\nUpload-Offset: 0\r\n";
    static const char told[] = "HTTP/1.1 200 OK\r\nUpload-Offset: 0\r\nContent-Length: 0\r\n";
    static const char *const answers[] = {
        CREATED, confirmed, told, confirmed, told, confirmed, told, confirmed,
    };
    struct script script;
    script_begin(&script, answers, 8);
    restway_client *client = client_of(script.url);
    restway_request *request = post_hello();
    assert_ok(
        restway_request_set_resumable(request, RESTWAY_UPLOAD_TUS, NULL, 0, 0, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_PROTOCOL,
        "status 204, Upload-Offset: 0");
    restway_request_release(request);
    restway_client_release(client);
    script_end(&script);
}

static void upload__never_replaces_a_file_that_is_no_state_file(void **state) {
    (void)state;
    char content[16] = "";
    restway_client *client = client_of("http://127.0.0.1:1");
    restway_request *request = post_hello();
    FILE *file = fopen(state_path(), "w");
    assert_non_null(file);
    assert_true(fputs("my film", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_ok(restway_request_set_resumable(
        request, RESTWAY_UPLOAD_TUS, state_path(), 0, 0, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_IO,
        "no state file");
    file = fopen(state_path(), "r");
    assert_non_null(file);
    assert_non_null(fgets(content, sizeof(content), file));
    assert_int_equal(fclose(file), 0);
    assert_string_equal(content, "my film");
    assert_int_equal(unlink(state_path()), 0);
    restway_request_release(request);
    restway_client_release(client);
}

static void upload__goes_on_in_a_later_call(void **state) {
    (void)state;
    static const char *const answers[] = {CREATED, NULL, TOLD, ALL_THERE};
    struct script script;
    struct stat status;
    script_begin(&script, answers, 4);
    restway_client *client = client_of(script.url);
    restway_request *request = post_hello();
    restway_response *response = NULL;
    lose_a_piece(client, request, RESTWAY_UPLOAD_TUS, 0);
    assert_int_equal(stat(state_path(), &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    assert_int_equal(restway_response_status(response), 204);
    assert_holds(restway_response_url(response), "/uploads/7");
    assert_int_equal(stat(state_path(), &status), -1);
    script_end(&script);
    assert_string_equal(script.log, "POST ;PATCH hello;HEAD ;PATCH llo;");
    restway_response_release(response);
    restway_request_release(request);
    restway_client_release(client);
}

static void upload__is_deleted_on_demand(void **state) {
    (void)state;
    static const char *const answers[] = {CREATED, NULL, DELETED};
    struct script script;
    script_begin(&script, answers, 3);
    restway_client *client = client_of(script.url);
    restway_request *request = post_hello();
    restway_response *response = NULL;
    lose_a_piece(client, request, RESTWAY_UPLOAD_IETF, 3);
    assert_ok(restway_request_set_resumable(
        request, RESTWAY_UPLOAD_IETF, state_path(), 0, RESTWAY_UPLOAD_TERMINATE, &failure));
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    restway_response_release(response);
    assert_fails(
        restway_client_perform(client, request, 0, &response, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "names no upload");
    script_end(&script);
    assert_string_equal(script.log, "POST ;PATCH hel;DELETE ;");
    restway_request_release(request);
    restway_client_release(client);
}

static void upload__without_a_resource_is_refused_when_it_is_sent(void **state) {
    (void)state;
    restway_client *client = client_of("http://127.0.0.1:1");
    restway_request *request = NULL;
    restway_response *response = NULL;
    assert_ok(restway_request_create("POST", "files", &request, &failure));
    assert_ok(restway_request_set_resumable(
        request, RESTWAY_UPLOAD_TUS, NULL, 0, 0, &failure));
    assert_fails(
        restway_client_perform(client, request, 0, &response, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "a resource with a length");
    restway_request_release(request);
    restway_client_release(client);
}

static void upload__wrong_arguments_are_refused(void **state) {
    (void)state;
    static const char bad[] = "\xff";
    restway_request *request = post_hello();
    assert_refused(
        restway_request_set_resumable(NULL, RESTWAY_UPLOAD_TUS, NULL, 0, 0, &failure));
    assert_refused(restway_request_set_resumable(
        request, (restway_upload_protocol)3, NULL, 0, 0, &failure));
    assert_refused(
        restway_request_set_resumable(request, RESTWAY_UPLOAD_TUS, bad, 0, 0, &failure));
    assert_refused(
        restway_request_set_resumable(request, RESTWAY_UPLOAD_TUS, "", 0, 0, &failure));
    assert_refused(
        restway_request_set_resumable(request, RESTWAY_UPLOAD_TUS, NULL, -1, 0, &failure));
    assert_refused(
        restway_request_set_resumable(request, RESTWAY_UPLOAD_TUS, NULL, 0, 2, &failure));
    assert_ok(
        restway_request_set_resumable(request, RESTWAY_UPLOAD_PLAIN, NULL, 0, 0, &failure));
    restway_request_release(request);
}

static const struct CMUnitTest tests[] = {
    TEST(upload__whose_offset_never_reaches_the_length_fails),
    TEST(upload__never_replaces_a_file_that_is_no_state_file),
    TEST(upload__goes_on_in_a_later_call),
    TEST(upload__is_deleted_on_demand),
    TEST(upload__without_a_resource_is_refused_when_it_is_sent),
    TEST(upload__wrong_arguments_are_refused),
};

const struct suite upload_suite = SUITE(tests);

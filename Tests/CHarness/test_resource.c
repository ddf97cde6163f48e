/* Forms, resources, files of multipart bodies, compressed and announced bodies, against the demo
 * API, which shows what it received. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "realm.h"

#define FORMS "\"forms\": {\"lists\": \"indices\"}"

static const char HELLO[] = "hello";

/** Makes a file with @p text and returns its path. */
static const char *make_file(const char *text) {
    static char path[64];
    snprintf(path, sizeof(path), "/tmp/restway-%ld.txt", (long)getpid());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
    return path;
}

static restway_resource *file_resource(const char *path) {
    restway_resource *resource = NULL;
    assert_ok(restway_resource_create_file(path, NULL, NULL, &resource, &failure));
    return resource;
}

static restway_request *make_post(void) {
    restway_request *request = NULL;
    assert_ok(restway_request_create("POST", "echo", &request, &failure));
    return request;
}

static void set_json(restway_request *request, const char *json) {
    assert_ok(restway_request_set_parameters_json(request, json, strlen(json), &failure));
}

/** Sends @p request, and checks that the answer of the demo API holds both fragments. */
static void expect(
    restway_client *client, restway_request *request, const char *first, const char *second) {
    restway_response *response = NULL;
    assert_ok(restway_client_perform(client, request, 0, &response, &failure));
    assert_holds(restway_response_json(response, NULL), first);
    assert_holds(restway_response_json(response, NULL), second);
    restway_response_release(response);
}

static void form__a_stripe_like_api_needs_only_its_document(void **state) {
    (void)state;
    static const char document[] =
        "{\"restway\": 1, \"environments\": {\"x\": {\"baseURL\": \"http://127.0.0.1:1\"}},"
        FORMS ", \"routes\": {\"charge\": {\"method\": \"POST\", \"path\": \"echo/charges\","
        "\"serializationName\": \"url\"}}}";
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_request *request = NULL;
    options.base_url = demo_url();
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_ok(restway_client_create(api, &options, &client, &failure));
    assert_ok(restway_request_create_route(NULL, "charge", &request, &failure));
    set_json(
        request, "{\"amount\": 20, \"metadata\": {\"order\": true}, \"items\": [{\"p\": \"a b\"}],"
                 " \"none\": null}");
    expect(
        client, request, "\"content-type\":\"application/x-www-form-urlencoded\"",
        "\"body\":\"amount=20&metadata%5Border%5D=true&items%5B0%5D%5Bp%5D=a+b\"");
    restway_request_release(request);
    restway_client_release(client);
    restway_api_release(api);
}

static void form__a_request_chooses_its_serialization(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "\"body\":\"{\\\"a\\\":[1,2]}\"", "\"body\":\"a%5B%5D=1&a%5B%5D=2\"",
        "form-data; name=\\\"a[]\\\"\\r\\n\\r\\n1\\r\\n", "\"query_string\":\"a=1&a=2\""};
    restway_client *client = make_client();
    for (int kind = 0; kind <= RESTWAY_SERIALIZATION_NONE; kind++) {
        restway_request *request = make_post();
        assert_ok(
            restway_request_set_serialization(request, (restway_serialization)kind, &failure));
        set_json(request, "{\"a\": [1, 2]}");
        expect(client, request, bodies[kind], "");
        restway_request_release(request);
    }
    restway_request *request = make_post();
    assert_refused(
        restway_request_set_serialization(request, (restway_serialization)4, &failure));
    restway_request_release(request);
    restway_client_release(client);
}

static void resource__is_bytes_a_file_or_a_descriptor(void **state) {
    (void)state;
    const char *path = make_file("12hello");
    restway_resource *resources[3] = {NULL, NULL, NULL};
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_ok(restway_resource_create_bytes(
        HELLO, 5, "a.txt", NULL, &resources[0], &failure));
    assert_ok(restway_resource_create_descriptor(
        fileno(file), 2, NULL, "text/plain", &resources[1], &failure));
    assert_int_equal(lseek(fileno(file), 2, SEEK_SET), 2);
    assert_ok(restway_resource_create_descriptor(
        fileno(file), -1, "b.txt", NULL, &resources[2], &failure));
    fclose(file);
    restway_client *client = make_client();
    for (int index = 0; index < 3; index++) {
        unsigned char digest[32];
        size_t size = 0;
        int64_t length = 0;
        restway_resource *resource = resources[index];
        assert_string_equal(restway_resource_media_type(resource), "text/plain");
        assert_ok(restway_resource_length(resource, &length, &failure));
        assert_int_equal(length, 5);
        assert_ok(restway_resource_digest(
            resource, RESTWAY_DIGEST_MD5, digest, sizeof(digest), &size, &failure));
        assert_int_equal(size, 16);
        assert_memory_equal(digest, "\x5d\x41\x40\x2a\xbc\x4b\x2a\x76", 8);
        assert_ok(restway_resource_digest(
            resource, RESTWAY_DIGEST_SHA256, digest, sizeof(digest), NULL, &failure));
        assert_memory_equal(digest, "\x2c\xf2\x4d\xba\x5f\xb0\xa3\x0e", 8);
        restway_request *request = make_post();
        assert_ok(restway_request_set_resource(
            request, resource, RESTWAY_SEND_CONTENT_MD5 | RESTWAY_SEND_REPR_DIGEST, &failure));
        expect(
            client, request, "\"body\":\"hello\"",
            "\"content-md5\":\"XUFAKrxLKna5cZ2REBfFkg==\"");
        expect(
            client, request, "\"content-length\":\"5\"",
            "\"repr-digest\":\"sha-256=:LPJNul+wow4");
        restway_request_release(request);
        restway_resource_release(resource);
    }
    restway_client_release(client);
    unlink(path);
}

static void resource__files_follow_the_parameters(void **state) {
    (void)state;
    const char *path = make_file("from a file");
    restway_resource *file = file_resource(path);
    restway_resource *bytes = NULL;
    restway_client *client = make_client();
    restway_request *request = make_post();
    assert_ok(restway_resource_create_bytes(HELLO, 5, NULL, "image/png", &bytes, &failure));
    assert_string_equal(restway_resource_name(file), strrchr(path, '/') + 1);
    assert_null(restway_resource_name(bytes));
    set_json(request, "{\"title\": \"t\"}");
    assert_ok(restway_request_add_file(request, "f", file, &failure));
    assert_ok(restway_request_add_file(request, "f", bytes, &failure));
    restway_resource_release(file);
    restway_resource_release(bytes);
    for (int gzip = 0; gzip < 2; gzip++) {
        assert_ok(restway_request_set_gzip(request, gzip, &failure));
        expect(
            client, request, "name=\\\"title\\\"\\r\\n\\r\\nt\\r\\n",
            "Content-Type: text/plain\\r\\n\\r\\nfrom a file\\r\\n");
        expect(
            client, request,
            "filename=\\\"f\\\"\\r\\nContent-Type: image/png\\r\\n\\r\\nhello\\r\\n",
            gzip ? "\"content-encoding\":\"gzip\"" : "\"content-length\"");
    }
    unlink(path);
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_IO, path);
    restway_request_release(request);
    restway_client_release(client);
}

static void resource__bodies_are_announced(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_request *request = make_post();
    assert_ok(restway_request_set_body(request, HELLO, 5, "text/plain", &failure));
    assert_ok(restway_request_set_expect_continue(request, 1, &failure));
    expect(client, request, "\"expect\":\"100-continue\"", "\"body\":\"hello\"");
    assert_ok(restway_request_set_expect_continue(request, 0, &failure));
    expect(client, request, "\"body\":\"hello\"", "");
    restway_request_release(request);
    restway_client_release(client);
}

static void resource__wrong_arguments_are_refused(void **state) {
    (void)state;
    static const char bad[] = "\xff";
    restway_resource *resource = NULL;
    restway_resource *out = POISON;
    restway_request *request = make_post();
    unsigned char digest[32];
    int64_t length = 7;
    assert_ok(restway_resource_create_bytes(NULL, 0, NULL, NULL, &resource, &failure));
    assert_refused(restway_resource_create_bytes(NULL, 1, NULL, NULL, &out, &failure));
    assert_null(out);
    assert_refused(restway_resource_create_bytes(NULL, 0, NULL, NULL, NULL, &failure));
    assert_refused(restway_resource_create_bytes(HELLO, 5, bad, NULL, &out, &failure));
    assert_refused(restway_resource_create_bytes(HELLO, 5, NULL, bad, &out, &failure));
    assert_refused(restway_resource_create_bytes(HELLO, 5, NULL, "a\nb", &out, &failure));
    assert_refused(restway_resource_create_file(NULL, NULL, NULL, &out, &failure));
    assert_refused(restway_resource_create_file("", NULL, NULL, &out, &failure));
    assert_refused(restway_resource_create_file(bad, NULL, NULL, &out, &failure));
    assert_refused(restway_resource_create_file("x", bad, NULL, &out, &failure));
    assert_refused(restway_resource_create_file("x", NULL, bad, &out, &failure));
    assert_refused(restway_resource_create_file("x", NULL, NULL, NULL, &failure));
    assert_refused(restway_resource_create_descriptor(0, -2, NULL, NULL, &out, &failure));
    assert_refused(restway_resource_create_descriptor(0, -1, bad, NULL, &out, &failure));
    assert_refused(restway_resource_create_descriptor(0, -1, NULL, bad, &out, &failure));
    assert_refused(restway_resource_create_descriptor(0, -1, NULL, NULL, NULL, &failure));
    assert_fails(
        restway_resource_create_descriptor(-1, -1, NULL, NULL, &out, &failure), RESTWAY_E_IO,
        "descriptor -1");
    assert_null(out);
    assert_refused(restway_resource_length(NULL, &length, &failure));
    assert_int_equal(length, 0);
    assert_refused(restway_resource_length(resource, NULL, &failure));
    assert_refused(restway_resource_digest(
        NULL, RESTWAY_DIGEST_MD5, digest, sizeof(digest), NULL, &failure));
    assert_refused(restway_resource_digest(
        resource, RESTWAY_DIGEST_MD5, NULL, sizeof(digest), NULL, &failure));
    assert_refused(restway_resource_digest(
        resource, RESTWAY_DIGEST_SHA256, digest, 31, NULL, &failure));
    assert_refused(restway_resource_digest(
        resource, (restway_digest)2, digest, sizeof(digest), NULL, &failure));
    assert_refused(restway_request_set_resource(NULL, resource, 0, &failure));
    assert_refused(restway_request_set_resource(request, NULL, 0, &failure));
    assert_refused(restway_request_set_resource(request, resource, 8, &failure));
    assert_refused(restway_request_add_file(NULL, "f", resource, &failure));
    assert_refused(restway_request_add_file(request, NULL, resource, &failure));
    assert_refused(restway_request_add_file(request, bad, resource, &failure));
    assert_refused(restway_request_add_file(request, "f", NULL, &failure));
    assert_refused(
        restway_request_set_serialization(NULL, RESTWAY_SERIALIZATION_URL, &failure));
    assert_refused(restway_request_set_gzip(NULL, 1, &failure));
    assert_refused(restway_request_set_gzip(request, 2, &failure));
    assert_refused(restway_request_set_expect_continue(NULL, 1, &failure));
    assert_refused(restway_request_set_expect_continue(request, -1, &failure));
    assert_null(restway_resource_name(NULL));
    assert_null(restway_resource_media_type(NULL));
    assert_null(restway_resource_retain(NULL));
    restway_resource_release(NULL);
    restway_resource_release(restway_resource_retain(resource));
    restway_resource_release(resource);
    restway_request_release(request);
}

static const struct CMUnitTest tests[] = {
    TEST(form__a_stripe_like_api_needs_only_its_document),
    TEST(form__a_request_chooses_its_serialization),
    TEST(resource__is_bytes_a_file_or_a_descriptor),
    TEST(resource__files_follow_the_parameters),
    TEST(resource__bodies_are_announced),
    TEST(resource__wrong_arguments_are_refused),
};

const struct suite resource_suite = SUITE(tests);

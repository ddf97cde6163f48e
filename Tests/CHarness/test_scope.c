/* URLs that are mapped as a route, and scopes that fill variables. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answering.h"
#include "harness.h"

#define DOCUMENT \
    "{\"restway\": 1," \
    " \"environments\": {\"here\": {\"baseURL\": \"http://127.0.0.1:1\"," \
    "   \"headers\": {\"X-Key\": \"secret\"}}}," \
    " \"entities\": {" \
    "   \"Issue\": {\"identity\": \"id\", \"attributes\": {\"id\": {\"type\": \"int\"}," \
    "     \"number\": {\"type\": \"int\"}, \"title\": {\"type\": \"string\"}}}}," \
    " \"routes\": {" \
    "   \"issues\": {\"path\": \"repos/:owner/:repo/issues\", \"parameters\": {\"size\": 100}," \
    "     \"response\": {\"entity\": \"Issue\"}}," \
    "   \"issue\": {\"method\": [\"GET\", \"PATCH\", \"DELETE\"], \"entity\": \"Issue\"," \
    "     \"path\": \"repos/:owner/:repo/issues/:number\"," \
    "     \"response\": {\"entity\": \"Issue\"}}}}"

#define ISSUES "[{\"id\": 70, \"number\": 7, \"title\": \"a\"}]"
#define ISSUE "{\"id\": 70, \"number\": 7, \"title\": \"b\"}"

struct repository {
    struct answering_server server;
    restway_api *api;
    restway_client *client;
};

static void repository_begin(struct repository *repository) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    memset(repository, 0, sizeof(*repository));
    answering_begin(&repository->server);
    answering_set(&repository->server, 200, ISSUES);
    assert_ok(restway_api_load(DOCUMENT, strlen(DOCUMENT), &repository->api, &failure));
    options.base_url = repository->server.url;
    assert_ok(restway_client_create(repository->api, &options, &repository->client, &failure));
}

static void repository_end(struct repository *repository) {
    restway_client_release(repository->client);
    restway_api_release(repository->api);
    answering_end(&repository->server);
}

/** Performs @p request, which it releases. */
static restway_response *perform(struct repository *repository, restway_request *request) {
    restway_response *response = NULL;
    assert_ok(restway_client_perform(repository->client, request, 0, &response, &failure));
    restway_request_release(request);
    return response;
}

/** Checks that the last request had this first line. */
static void assert_asked(struct repository *repository, const char *line) {
    char *head = answering_take_head(&repository->server);
    assert_true(strncmp(head, line, strlen(line)) == 0);
    free(head);
}

static restway_request *request_to_route(const char *route, const char *method) {
    restway_request *request = NULL;
    assert_ok(restway_request_create_route(method, route, &request, &failure));
    return request;
}

static void set_variable(restway_scope *scope, const char *name, restway_value value) {
    assert_ok(restway_scope_set_variable(scope, name, &value, &failure));
}

/** Makes a scope of the repository octocat/hello. */
static restway_scope *make_hello(void) {
    restway_scope *scope = NULL;
    assert_ok(restway_scope_create(NULL, &scope, &failure));
    set_variable(scope, "owner", restway_value_string("octocat"));
    set_variable(scope, "repo", restway_value_string("hello"));
    return scope;
}

/** Gives @p request, which it releases, the variables of @p scope. */
static restway_request *scoped(restway_scope *scope, restway_request *request) {
    restway_request *made = NULL;
    assert_ok(restway_scope_request(scope, request, &made, &failure));
    restway_request_release(request);
    return made;
}

static void url__is_mapped_as_the_route_that_is_named(void **state) {
    (void)state;
    struct repository repository;
    repository_begin(&repository);
    char url[160];
    snprintf(url, sizeof(url), "%s/repositories/1/issues?page=2", repository.server.url);
    restway_request *request = make_get(url);
    assert_ok(restway_request_set_route(request, "nowhere", &failure));
    assert_ok(restway_request_set_route(request, "issues", &failure));
    restway_response *response = perform(&repository, request);
    /* A link has all its parameters; those of the document are not added. */
    assert_asked(&repository, "GET /repositories/1/issues?page=2 HTTP/1.1\r\n");
    restway_object *issue = restway_response_object(response, 0);
    assert_string_equal(restway_object_entity(issue), "Issue");
    assert_string_equal(restway_object_string(issue, "title"), "a");
    restway_response_release(response);
    repository_end(&repository);
}

static void url__of_another_origin_gets_no_header_of_the_environment(void **state) {
    (void)state;
    struct repository repository;
    struct answering_server other;
    repository_begin(&repository);
    answering_begin(&other);
    answering_set(&other, 200, ISSUES);
    char url[160];
    snprintf(url, sizeof(url), "%s/repositories/1/issues", other.url);
    restway_request *request = make_get(url);
    assert_ok(restway_request_set_route(request, "issues", &failure));
    restway_response *response = perform(&repository, request);
    assert_int_equal(restway_response_object_count(response), 1);
    char *head = answering_take_head(&other);
    assert_null(strstr(head, "X-Key"));
    free(head);
    restway_response_release(response);
    answering_end(&other);
    repository_end(&repository);
}

static void set_route__refuses_what_has_a_route_and_unknown_routes(void **state) {
    (void)state;
    struct repository repository;
    repository_begin(&repository);
    restway_response *response = NULL;
    restway_request *request = request_to_route("issues", NULL);
    assert_refused(restway_request_set_route(request, "issue", &failure));
    assert_refused(restway_request_set_route(request, "", &failure));
    restway_request_release(request);
    request = make_get("http://127.0.0.1:1/issues");
    assert_ok(restway_request_set_route(request, "issus", &failure));
    assert_fails(
        restway_client_perform(repository.client, request, 0, &response, &failure),
        RESTWAY_E_UNKNOWN_ROUTE, "\"issues\"");
    restway_request_release(request);
    assert_ok(restway_request_create("PUT", "http://127.0.0.1:1/issues", &request, &failure));
    assert_ok(restway_request_set_route(request, "issues", &failure));
    assert_fails(
        restway_client_perform(repository.client, request, 0, &response, &failure),
        RESTWAY_E_METHOD_NOT_ALLOWED, "issues");
    restway_request_release(request);
    repository_end(&repository);
}

static void scope__fills_the_variables_that_have_no_value(void **state) {
    (void)state;
    struct repository repository;
    repository_begin(&repository);
    restway_scope *hello = make_hello();
    /* A variable that the route does not have is ignored. */
    set_variable(hello, "number", restway_value_int64(8));
    restway_response_release(
        perform(&repository, scoped(hello, request_to_route("issues", NULL))));
    assert_asked(&repository, "GET /repos/octocat/hello/issues?size=100 ");
    answering_set(&repository.server, 200, ISSUE);
    restway_response_release(perform(&repository, scoped(hello, request_to_route("issue", NULL))));
    assert_asked(&repository, "GET /repos/octocat/hello/issues/8 ");
    restway_response_release(
        perform(&repository, scoped(hello, make_get("users/:owner/:repo"))));
    assert_asked(&repository, "GET /users/octocat/hello ");
    /* The request's own value wins. */
    restway_request *request = request_to_route("issue", NULL);
    restway_value nine = restway_value_int64(9);
    assert_ok(restway_request_set_variable(request, "number", &nine, &failure));
    restway_response_release(perform(&repository, scoped(hello, request)));
    assert_asked(&repository, "GET /repos/octocat/hello/issues/9 ");
    restway_scope_release(hello);
    repository_end(&repository);
}

static void variable__may_be_an_associative_array(void **state) {
    (void)state;
    struct repository repository;
    repository_begin(&repository);
    restway_scope *scope = NULL;
    assert_ok(restway_scope_create(NULL, &scope, &failure));
    restway_value keys = restway_value_string("{\"semi\": \";\", \"n\": 7, \"none\": null}");
    keys.kind = RESTWAY_VALUE_JSON;
    set_variable(scope, "keys", keys);
    restway_response_release(perform(&repository, scoped(scope, make_get("all{?keys*}"))));
    assert_asked(&repository, "GET /all?semi=%3B&n=7 ");
    restway_value wrong[] = {restway_value_string("[1]"), restway_value_string("{\"a\": {}}")};
    for (size_t index = 0; index < 2; index++) {
        wrong[index].kind = RESTWAY_VALUE_JSON;
        assert_refused(restway_scope_set_variable(scope, "keys", &wrong[index], &failure));
    }
    restway_scope_release(scope);
    repository_end(&repository);
}

static void scope__is_copied(void **state) {
    (void)state;
    struct repository repository;
    repository_begin(&repository);
    answering_set(&repository.server, 200, ISSUE);
    restway_scope *hello = make_hello(), *issue = NULL;
    assert_ok(restway_scope_create(hello, &issue, &failure));
    set_variable(issue, "number", restway_value_int64(3));
    set_variable(hello, "owner", restway_value_string("nobody"));
    restway_request *request = scoped(issue, request_to_route("issue", NULL));
    set_variable(issue, "number", restway_value_int64(4));
    /* The variables of the first scope win. */
    request = scoped(hello, request);
    restway_response_release(perform(&repository, request));
    assert_asked(&repository, "GET /repos/octocat/hello/issues/3 ");
    restway_scope_release(hello);
    restway_scope_release(issue);
    repository_end(&repository);
}

static void scope__leaves_unknown_variables_of_a_call_an_error(void **state) {
    (void)state;
    struct repository repository;
    repository_begin(&repository);
    restway_scope *hello = make_hello();
    restway_request *request = request_to_route("issues", NULL);
    restway_value value = restway_value_string("x");
    restway_response *response = NULL;
    assert_ok(restway_request_set_variable(request, "ownr", &value, &failure));
    request = scoped(hello, request);
    assert_fails(
        restway_client_perform(repository.client, request, 0, &response, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "\"owner\"");
    restway_request_release(request);
    restway_scope_release(hello);
    repository_end(&repository);
}

static void scope__refuses_null_and_bad_text(void **state) {
    (void)state;
    restway_scope *scope = NULL, *out = POISON;
    restway_request *request = make_get("status"), *made = POISON;
    restway_value value = restway_value_int64(1);
    restway_value bad = restway_value_string("\xff");
    assert_ok(restway_scope_create(NULL, &scope, &failure));
    assert_refused(restway_scope_create(scope, NULL, &failure));
    assert_refused(restway_scope_set_variable(NULL, "a", &value, &failure));
    assert_refused(restway_scope_set_variable(scope, NULL, &value, &failure));
    assert_refused(restway_scope_set_variable(scope, "", &value, &failure));
    assert_refused(restway_scope_set_variable(scope, "\xff", &value, &failure));
    assert_refused(restway_scope_set_variable(scope, "a", NULL, &failure));
    assert_refused(restway_scope_set_variable(scope, "a", &bad, &failure));
    assert_refused(restway_scope_request(NULL, request, &made, &failure));
    assert_null(made);
    made = POISON;
    assert_refused(restway_scope_request(scope, NULL, &made, &failure));
    assert_null(made);
    assert_refused(restway_scope_request(scope, request, NULL, &failure));
    assert_null(restway_scope_retain(NULL));
    restway_scope_release(NULL);
    assert_ok(restway_scope_create(scope, &out, &failure));
    restway_scope_release(restway_scope_retain(out));
    restway_scope_release(out);
    restway_request_release(request);
    restway_scope_release(scope);
}

/** Checks what an object remembers. */
static void assert_remembers(
    restway_client *client, const restway_object *object, const char *expected) {
    restway_store *store = restway_client_store(client);
    char text[200];
    size_t length = 0;
    assert_ok(restway_store_variables(store, object, text, sizeof(text), &length, &failure));
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
    restway_store_release(store);
}

/** Returns a request about @p object. */
static restway_request *about(const char *method, const restway_object *object) {
    restway_request *request = NULL;
    assert_ok(restway_request_create_object(method, object, &request, &failure));
    return request;
}

static void object__remembers_the_variables_of_its_route(void **state) {
    (void)state;
    struct repository repository;
    repository_begin(&repository);
    restway_scope *hello = make_hello();
    restway_response *response =
        perform(&repository, scoped(hello, request_to_route("issues", NULL)));
    restway_object *issue = restway_response_object(response, 0);
    assert_remembers(repository.client, issue, "{\"owner\": \"octocat\", \"repo\": \"hello\"}");
    answering_set(&repository.server, 200, ISSUE);
    restway_response_release(perform(&repository, about("GET", issue)));
    assert_asked(&repository, "GET /repos/octocat/hello/issues/7 ");
    restway_response_release(perform(&repository, about("PATCH", issue)));
    assert_asked(&repository, "PATCH /repos/octocat/hello/issues/7 ");
    /* What the object remembers wins over the scope, and the request's own value over both. */
    set_variable(hello, "repo", restway_value_string("other"));
    set_variable(hello, "number", restway_value_int64(9));
    restway_response_release(perform(&repository, scoped(hello, about("GET", issue))));
    assert_asked(&repository, "GET /repos/octocat/hello/issues/7 ");
    restway_request *request = about("GET", issue);
    restway_value world = restway_value_string("world");
    assert_ok(restway_request_set_variable(request, "repo", &world, &failure));
    restway_response_release(perform(&repository, request));
    assert_asked(&repository, "GET /repos/octocat/world/issues/7 ");
    /* The last answer counts. */
    assert_remembers(repository.client, issue, "{\"owner\": \"octocat\", \"repo\": \"world\"}");
    restway_response_release(perform(&repository, about("DELETE", issue)));
    assert_asked(&repository, "DELETE /repos/octocat/world/issues/7 ");
    assert_remembers(repository.client, issue, "{}");
    restway_response_release(response);
    restway_scope_release(hello);
    repository_end(&repository);
}

static void object__of_a_url_remembers_the_variables_that_are_given(void **state) {
    (void)state;
    struct repository repository;
    repository_begin(&repository);
    restway_scope *hello = make_hello();
    char url[160];
    snprintf(url, sizeof(url), "%s/repositories/1/issues?page=2", repository.server.url);
    restway_request *request = make_get(url);
    assert_ok(restway_request_set_route(request, "issues", &failure));
    restway_response *response = perform(&repository, scoped(hello, request));
    restway_object *issue = restway_response_object(response, 0);
    assert_remembers(repository.client, issue, "{\"owner\": \"octocat\", \"repo\": \"hello\"}");
    restway_response_release(response);
    restway_scope_release(hello);
    repository_end(&repository);
}

static void object__remembers_after_a_restart(void **state) {
    (void)state;
    struct repository repository;
    repository_begin(&repository);
    char directory[] = "/tmp/restway-scope-XXXXXX", path[64];
    assert_non_null(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/store.db", directory);
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.base_url = repository.server.url;
    options.store_path = path;
    for (int start = 0; start < 2; start++) {
        restway_client_release(repository.client);
        assert_ok(
            restway_client_create(repository.api, &options, &repository.client, &failure));
        if (start > 0) break;
        restway_scope *hello = make_hello();
        restway_response_release(
            perform(&repository, scoped(hello, request_to_route("issues", NULL))));
        restway_scope_release(hello);
    }
    restway_store *store = restway_client_store(repository.client);
    restway_object *issue = NULL;
    restway_value identity = restway_value_int64(70);
    assert_ok(restway_store_find(store, "Issue", &identity, &issue, &failure));
    assert_remembers(repository.client, issue, "{\"owner\": \"octocat\", \"repo\": \"hello\"}");
    answering_set(&repository.server, 200, ISSUE);
    restway_response_release(perform(&repository, about("GET", issue)));
    assert_asked(&repository, "GET /repos/octocat/hello/issues/7 ");
    restway_object_release(issue);
    restway_store_release(store);
    repository_end(&repository);
    unlink(path);
    rmdir(directory);
}

static void store_variables__refuses_null(void **state) {
    (void)state;
    struct repository repository;
    repository_begin(&repository);
    restway_scope *hello = make_hello();
    restway_response *response =
        perform(&repository, scoped(hello, request_to_route("issues", NULL)));
    restway_object *issue = restway_response_object(response, 0);
    restway_store *store = restway_client_store(repository.client);
    size_t length = 9;
    char text[4];
    assert_refused(restway_store_variables(NULL, issue, text, sizeof(text), &length, &failure));
    assert_int_equal(length, 0);
    assert_refused(restway_store_variables(store, NULL, text, sizeof(text), &length, &failure));
    assert_refused(restway_store_variables(store, issue, NULL, 1, &length, &failure));
    assert_ok(restway_store_variables(store, issue, text, sizeof(text), NULL, &failure));
    assert_string_equal(text, "{\"o");
    assert_ok(restway_store_variables(store, issue, NULL, 0, &length, &failure));
    assert_int_equal(length, strlen("{\"owner\": \"octocat\", \"repo\": \"hello\"}"));
    restway_store_release(store);
    restway_response_release(response);
    restway_scope_release(hello);
    repository_end(&repository);
}

static const struct CMUnitTest tests[] = {
    TEST(url__is_mapped_as_the_route_that_is_named),
    TEST(url__of_another_origin_gets_no_header_of_the_environment),
    TEST(set_route__refuses_what_has_a_route_and_unknown_routes),
    TEST(scope__fills_the_variables_that_have_no_value),
    TEST(variable__may_be_an_associative_array),
    TEST(scope__is_copied),
    TEST(scope__leaves_unknown_variables_of_a_call_an_error),
    TEST(scope__refuses_null_and_bad_text),
    TEST(object__remembers_the_variables_of_its_route),
    TEST(object__of_a_url_remembers_the_variables_that_are_given),
    TEST(object__remembers_after_a_restart),
    TEST(store_variables__refuses_null),
};

const struct suite scope_suite = SUITE(tests);

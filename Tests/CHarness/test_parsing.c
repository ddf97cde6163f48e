/* Validators, parsers and encoders of routes and of the program. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answering.h"
#include "gate.h"

#define DOCUMENT \
    "{\"restway\": 1, \"errors\": {\"code\": \"code\", \"message\": \"text\"}," \
    "\"entities\": {\"Thing\": {\"identity\": \"id\"," \
    "  \"attributes\": {\"id\": {\"type\": \"int\"}, \"name\": {\"type\": \"string\"}}," \
    "  \"relationships\": {\"parts\": {\"entity\": \"Thing\", \"many\": true}}}}," \
    "\"routes\": {" \
    "  \"statuses\": {\"path\": \"a\", \"validate\": {\"status\": [\"2xx\", 404]}}," \
    "  \"typed\": {\"path\": \"a\", \"validate\": {\"mediaTypes\": \"text/*\"}}," \
    "  \"headed\": {\"path\": \"a\", \"validate\": {\"headers\": \"X-Request-Id\"}}," \
    "  \"asked\": {\"path\": \"a\", \"validate\": {\"function\": \"envelope\"}," \
    "    \"response\": {\"entity\": \"Thing\"}}," \
    "  \"required\": {\"path\": \"a\"," \
    "    \"response\": {\"entity\": \"Thing\", \"keyPath\": \"list\", \"required\": true}}," \
    "  \"json\": {\"path\": \"a\", \"parse\": \"json\"}," \
    "  \"made\": {\"path\": \"a\", \"parse\": \"made\"}," \
    "  \"upload\": {\"path\": \"a\", \"method\": \"POST\", \"encode\": \"cells\"}}}"

/** The context of the functions in this file. */
struct asker {
    struct gate gate;
    struct answering_server server;
    restway_client *client;
    restway_status answers;
    restway_status found[5];
    restway_value value;
    int blocked;
    char seen[128];
};

static void end_asker(void *context) {
    gate_destroy(&((struct asker *)context)->gate);
}

static restway_status validate(
    void *context, const restway_response *response, restway_answer *answer) {
    struct asker *asker = context;
    restway_request *request = make_get("a");
    snprintf(
        asker->seen, sizeof(asker->seen), "%d %s", restway_response_status(response),
        (const char *)restway_response_body(response, NULL));
    asker->blocked = restway_client_perform(asker->client, request, 0, NULL, NULL)
        == RESTWAY_E_WOULD_BLOCK;
    restway_request_release(request);
    asker->found[0] = restway_answer_set_message(answer, "not as it should be", NULL);
    asker->found[1] = restway_answer_set_media_type(answer, "text/csv", NULL);
    return asker->answers;
}

static restway_status parse(
    void *context, const void *body, size_t length, const char *media_type,
    restway_answer *answer) {
    struct asker *asker = context;
    snprintf(
        asker->seen, sizeof(asker->seen), "%s %zu %s", media_type, length, (const char *)body);
    if (asker->value.kind != RESTWAY_VALUE_ABSENT) {
        asker->found[0] = restway_answer_set_value(answer, &asker->value, NULL);
    }
    return asker->answers;
}

static restway_status encode(
    void *context, const char *json, size_t length, restway_answer *answer) {
    struct asker *asker = context;
    snprintf(asker->seen, sizeof(asker->seen), "%zu %s", length, json);
    if (asker->value.kind != RESTWAY_VALUE_ABSENT) {
        asker->found[0] = restway_answer_set_value(answer, &asker->value, NULL);
    }
    asker->found[1] = restway_answer_set_media_type(answer, "text/csv", NULL);
    asker->found[2] = restway_answer_set_media_type(answer, "a\nb", NULL);
    asker->found[3] = restway_answer_set_media_type(answer, NULL, NULL);
    asker->found[4] = restway_answer_set_media_type(answer, BAD_UTF8, NULL);
    return asker->answers;
}

/** Makes a client of a server that answers as the test says. */
static void begin(struct asker *asker) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    memset(asker, 0, sizeof(*asker));
    asker->value.kind = RESTWAY_VALUE_ABSENT;
    gate_begin(&asker->gate, NULL);
    answering_begin(&asker->server);
    assert_ok(restway_api_load(DOCUMENT, strlen(DOCUMENT), &api, &failure));
    assert_ok(restway_api_add_validator(api, "envelope", validate, asker, end_asker, &failure));
    assert_ok(restway_api_add_parser(api, "made", parse, asker, NULL, &failure));
    assert_ok(restway_api_add_encoder(api, "cells", encode, asker, NULL, &failure));
    options.base_url = asker->server.url;
    assert_ok(restway_client_create(api, &options, &asker->client, &failure));
    restway_api_release(api);
}

static void end(struct asker *asker) {
    restway_client_release(asker->client);
    answering_end(&asker->server);
    gate_expect_destroyed(&asker->gate, -1);
}

/** Sends a request, which must succeed. */
static restway_response *answer_to(struct asker *asker, const char *route) {
    restway_request *request = make_route(route);
    restway_response *response = NULL;
    assert_ok(restway_client_perform(asker->client, request, 0, &response, &failure));
    restway_request_release(request);
    return response;
}

/** Sends a request that must fail; `failure` keeps the error. */
static void refusal_of(
    struct asker *asker, const char *route, restway_status status, const char *fragment) {
    restway_request *request = make_route(route);
    restway_response *response = POISON;
    assert_fails_keeping(
        restway_client_perform(asker->client, request, 0, &response, &failure), status, fragment);
    assert_null(response);
    restway_request_release(request);
}

static void validate__judges_status_headers_and_media_type(void **state) {
    (void)state;
    struct asker asker;
    begin(&asker);
    answering_set(&asker.server, 404, "{\"code\": \"E7\", \"text\": \"gone\"}");
    restway_response *response = answer_to(&asker, "statuses");
    assert_int_equal(restway_response_status(response), 404);
    restway_response_release(response);
    answering_set(&asker.server, 500, "{\"code\": \"E8\"}");
    refusal_of(&asker, "statuses", RESTWAY_E_HTTP, "E8");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_API);
    forget_failure();
    answering_set(&asker.server, 200, "{\"code\": \"E9\"}");
    refusal_of(&asker, "typed", RESTWAY_E_MAPPING, "expected text/*, the server sent");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_VALIDATION);
    assert_string_equal(restway_error_field(failure), "Content-Type");
    assert_string_equal(restway_error_api_code(failure), "E9");
    assert_int_equal(restway_error_http_status(failure), 200);
    assert_non_null(restway_error_response(failure));
    forget_failure();
    refusal_of(&asker, "headed", RESTWAY_E_MAPPING, "X-Request-Id is missing");
    assert_string_equal(restway_error_field(failure), "X-Request-Id");
    forget_failure();
    end(&asker);
}

static void validate__asks_the_program(void **state) {
    (void)state;
    struct asker asker;
    begin(&asker);
    answering_set(&asker.server, 200, "{\"id\": 1}");
    restway_response *response = answer_to(&asker, "asked");
    assert_string_equal(asker.seen, "200 {\"id\": 1}");
    assert_true(asker.blocked);
    assert_int_equal(asker.found[0], RESTWAY_OK);
    assert_int_equal(asker.found[1], RESTWAY_E_INVALID_ARGUMENT);
    assert_int_equal(restway_response_object_count(response), 1);
    restway_response_release(response);
    asker.answers = RESTWAY_E_AUTH;
    answering_set(&asker.server, 200, "{\"id\": 2}");
    refusal_of(&asker, "asked", RESTWAY_E_AUTH, "validator \"envelope\": not as it should be");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_VALIDATION);
    forget_failure();
    restway_store *store = restway_client_store(asker.client);
    restway_value two = restway_value_int64(2);
    restway_object *object = POISON;
    assert_fails(
        restway_store_find(store, "Thing", &two, &object, &failure), RESTWAY_E_NO_OBJECT, "");
    restway_store_release(store);
    /* This version does not define this status. */
    asker.answers = (restway_status)4711;
    refusal_of(&asker, "asked", RESTWAY_E_INVALID_ARGUMENT, "not as it should be");
    forget_failure();
    end(&asker);
}

static void required__names_the_key_path(void **state) {
    (void)state;
    struct asker asker;
    begin(&asker);
    answering_set(&asker.server, 200, "{\"lists\": []}");
    refusal_of(&asker, "required", RESTWAY_E_MAPPING, "there is nothing at list");
    assert_string_equal(restway_error_field(failure), "list");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_MAPPING);
    forget_failure();
    answering_set(&asker.server, 200, "{\"list\": []}");
    restway_response_release(answer_to(&asker, "required"));
    end(&asker);
}

/** Checks the value of a response, and releases it. */
static void check_value(
    restway_response *response, const char *parser, restway_value_kind kind, const char *text) {
    restway_value value = restway_value_int64(99);
    assert_string_equal(restway_response_parser(response), parser);
    assert_ok(restway_response_value(response, &value, &failure));
    assert_int_equal(value.kind, kind);
    if (text) {
        assert_int_equal(value.length, strlen(text));
        assert_memory_equal(value.as.text, text, strlen(text) + 1);
    }
    restway_response_release(response);
}

/** Sends a request with a parser of its own. */
static restway_response *parsed(struct asker *asker, const char *parser) {
    restway_request *request = make_route("json");
    restway_response *response = NULL;
    assert_ok(restway_request_set_parser(request, parser, &failure));
    assert_ok(restway_client_perform(asker->client, request, 0, &response, &failure));
    restway_request_release(request);
    return response;
}

static void parsers__give_their_values(void **state) {
    (void)state;
    struct asker asker;
    begin(&asker);
    answering_set(&asker.server, 200, "[1, 2]");
    check_value(answer_to(&asker, "json"), "json", RESTWAY_VALUE_JSON, "[1, 2]");
    check_value(parsed(&asker, NULL), "json", RESTWAY_VALUE_JSON, "[1, 2]");
    check_value(parsed(&asker, "text"), "text", RESTWAY_VALUE_STRING, "[1, 2]");
    check_value(parsed(&asker, "bytes"), "bytes", RESTWAY_VALUE_BYTES, "[1, 2]");
    check_value(parsed(&asker, "objects"), "objects", RESTWAY_VALUE_ABSENT, NULL);
    restway_response *response = parsed(&asker, "headers");
    size_t length = 99;
    assert_non_null(restway_response_header(response, "Content-Type"));
    assert_non_null(restway_response_body(response, &length));
    assert_int_equal(length, 0);
    check_value(response, "headers", RESTWAY_VALUE_NULL, NULL);
    check_value(parsed(&asker, "nothing"), "nothing", RESTWAY_VALUE_NULL, NULL);
    answering_set(&asker.server, 200, "{");
    refusal_of(&asker, "json", RESTWAY_E_MAPPING, "");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_PARSING);
    forget_failure();
    answering_set(&asker.server, 200, "");
    response = answer_to(&asker, "json");
    assert_refused(restway_response_value(response, NULL, &failure));
    restway_response_release(response);
    check_value(answer_to(&asker, "json"), "json", RESTWAY_VALUE_NULL, NULL);
    end(&asker);
}

static void parsers__of_the_program_make_values(void **state) {
    (void)state;
    struct asker asker;
    begin(&asker);
    answering_set(&asker.server, 200, "a;b");
    check_value(answer_to(&asker, "made"), "made", RESTWAY_VALUE_NULL, NULL);
    assert_string_equal(asker.seen, "application/json 3 a;b");
    asker.value = restway_value_string("[1]");
    check_value(answer_to(&asker, "made"), "made", RESTWAY_VALUE_STRING, "[1]");
    asker.value.kind = RESTWAY_VALUE_JSON;
    check_value(answer_to(&asker, "made"), "made", RESTWAY_VALUE_JSON, "[1]");
    asker.value.kind = RESTWAY_VALUE_BYTES;
    check_value(answer_to(&asker, "made"), "made", RESTWAY_VALUE_BYTES, "[1]");
    asker.value = restway_value_int64(7);
    check_value(answer_to(&asker, "made"), "made", RESTWAY_VALUE_INT64, NULL);
    asker.answers = RESTWAY_E_MAPPING;
    refusal_of(&asker, "made", RESTWAY_E_MAPPING, "parser \"made\"");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_PARSING);
    forget_failure();
    restway_request *request = make_route("json");
    restway_response *response = POISON;
    assert_ok(restway_request_set_parser(request, "maid", &failure));
    assert_fails(
        restway_client_perform(asker.client, request, 0, &response, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "no parser \"maid\"");
    restway_request_release(request);
    end(&asker);
}

static void encoders__write_bodies(void **state) {
    (void)state;
    struct asker asker;
    begin(&asker);
    answering_set(&asker.server, 200, "{}");
    restway_request *request = make_route("upload");
    restway_response *response = NULL;
    restway_value value = restway_value_int64(5);
    assert_ok(restway_request_set_parameter(request, "a", &value, &failure));
    asker.value = restway_value_string("a;5");
    assert_ok(restway_client_perform(asker.client, request, 0, &response, &failure));
    restway_response_release(response);
    assert_string_equal(asker.seen, "7 {\"a\":5}");
    assert_int_equal(asker.found[0], RESTWAY_OK);
    assert_int_equal(asker.found[1], RESTWAY_OK);
    for (size_t i = 2; i < 5; i++) {
        assert_int_equal(asker.found[i], RESTWAY_E_INVALID_ARGUMENT);
    }
    char *body = answering_take_body(&asker.server), *head = answering_take_head(&asker.server);
    assert_string_equal(body, "a;5");
    assert_holds(head, "content-type: text/csv");
    free(body);
    free(head);
    asker.value.kind = RESTWAY_VALUE_ABSENT;
    assert_fails(
        restway_client_perform(asker.client, request, 0, &response, &failure), RESTWAY_E_MAPPING,
        "encoder \"cells\": it has set no body");
    asker.answers = RESTWAY_E_STORE;
    assert_fails(
        restway_client_perform(asker.client, request, 0, &response, &failure), RESTWAY_E_STORE,
        "encoder \"cells\"");
    assert_int_equal(answering_count(&asker.server), 1);
    restway_request_release(request);
    end(&asker);
}

static void functions__that_are_missing_are_named(void **state) {
    (void)state;
    restway_api *api = NULL;
    restway_client *client = POISON;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    options.base_url = "http://127.0.0.1:1";
    assert_ok(restway_api_load(DOCUMENT, strlen(DOCUMENT), &api, &failure));
    assert_fails_keeping(
        restway_client_create(api, &options, &client, &failure), RESTWAY_E_CONFIG, "envelope");
    assert_int_equal(restway_error_detail_count(failure), 3);
    assert_holds(restway_error_detail_message(failure, 1), "parser \"made\"");
    assert_holds(restway_error_detail_message(failure, 2), "encoder \"cells\"");
    assert_string_equal(restway_error_detail_path(failure, 2), "$.routes.upload.encode");
    forget_failure();
    assert_fails(
        restway_api_add_parser(api, "json", parse, NULL, NULL, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "built in");
    assert_ok(restway_api_add_encoder(api, "x", encode, NULL, NULL, &failure));
    assert_fails(
        restway_api_add_encoder(api, "x", encode, NULL, NULL, &failure), RESTWAY_E_DUPLICATE,
        "encoder \"x\"");
    restway_api_release(api);
}

static void parsing__refuses_null_and_bad_text(void **state) {
    (void)state;
    struct asker asker;
    restway_value value = restway_value_int64(9);
    restway_request *request = make_route("json");
    restway_api *api = make_api();
    begin(&asker);
    assert_refused(restway_api_add_validator(NULL, "v", validate, NULL, NULL, &failure));
    assert_refused(restway_api_add_validator(api, NULL, validate, NULL, NULL, &failure));
    assert_refused(restway_api_add_validator(api, BAD_UTF8, validate, NULL, NULL, &failure));
    assert_refused(restway_api_add_validator(api, "v", NULL, NULL, NULL, &failure));
    assert_refused(restway_api_add_parser(NULL, "p", parse, NULL, NULL, &failure));
    assert_refused(restway_api_add_parser(api, NULL, parse, NULL, NULL, &failure));
    assert_refused(restway_api_add_parser(api, BAD_UTF8, parse, NULL, NULL, &failure));
    assert_refused(restway_api_add_parser(api, "p", NULL, NULL, NULL, &failure));
    assert_refused(restway_api_add_encoder(NULL, "e", encode, NULL, NULL, &failure));
    assert_refused(restway_api_add_encoder(api, NULL, encode, NULL, NULL, &failure));
    assert_refused(restway_api_add_encoder(api, BAD_UTF8, encode, NULL, NULL, &failure));
    assert_refused(restway_api_add_encoder(api, "e", NULL, NULL, NULL, &failure));
    assert_refused(restway_answer_set_media_type(NULL, "a/b", &failure));
    assert_refused(restway_request_set_parser(NULL, "json", &failure));
    assert_refused(restway_request_set_parser(request, BAD_UTF8, &failure));
    assert_refused(restway_request_set_parser(request, "", &failure));
    assert_ok(restway_request_set_parser(request, NULL, &failure));
    assert_null(restway_response_parser(NULL));
    assert_refused(restway_response_value(NULL, &value, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_NULL);
    restway_request_release(request);
    restway_api_release(api);
    end(&asker);
}

static const struct CMUnitTest tests[] = {
    TEST(validate__judges_status_headers_and_media_type),
    TEST(validate__asks_the_program),
    TEST(required__names_the_key_path),
    TEST(parsers__give_their_values),
    TEST(parsers__of_the_program_make_values),
    TEST(encoders__write_bodies),
    TEST(functions__that_are_missing_are_named),
    TEST(parsing__refuses_null_and_bad_text),
};

const struct suite parsing_suite = SUITE(tests);

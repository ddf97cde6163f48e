/* Wrong API documents: all problems are reported at once, each with its place. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

/** One problem of the document below: its place, and a word that the report must contain. */
struct problem {
    const char *path;
    const char *word;
};

#define TWENTY_PROBLEMS \
    "{\"restway\": 1," \
    "\"bogus1\": 1, \"bogus2\": {}, \"bogus3\": null," \
    "\"environment\": 7," \
    "\"headers\": []," \
    "\"environments\": {\"e\": {\"baseURL\": \"http://127.0.0.1\", \"bogus4\": 1}," \
    "                   \"f\": {\"baseURL\": 5}}," \
    "\"entities\": {" \
    "  \"A\": {\"attributes\": {\"x\": {\"source\": \"x\", \"bogus5\": 1}}}," \
    "  \"B\": {\"attributes\": {\"x\": {\"source\": \"x\", \"type\": \"bogus6\"}}}," \
    "  \"C\": {\"attributes\": {\"x\": 3}}," \
    "  \"D\": {\"bogus7\": 1}," \
    "  \"E\": {\"identity\": \"bogus8\", \"attributes\": {\"x\": \"x\"}}," \
    "  \"F\": {\"attributes\": {\"x\": {\"source\": \"x\", \"type\": \"string\"," \
    "                                \"format\": \"bogus9\"}}}" \
    "}," \
    "\"routes\": {" \
    "  \"r1\": {\"method\": \"GET\", \"path\": \"p1\", \"bogus10\": 1}," \
    "  \"r2\": {\"method\": \"GET\", \"path\": \"p2\", \"response\": {\"entity\": \"Bogus11\"}}," \
    "  \"r3\": {\"method\": \"BOGUS 12\", \"path\": \"p3\"}," \
    "  \"r4\": {\"method\": \"GET\", \"path\": 13}," \
    "  \"r5\": {\"method\": \"GET\", \"path\": \"p5\", \"entity\": \"Bogus14\"}," \
    "  \"r6\": {\"method\": \"GET\", \"path\": \"p6\"," \
    "           \"response\": {\"entity\": \"A\", \"bogus15\": 1}}" \
    "}," \
    "\"errors\": {\"code\": \"c\", \"bogus16\": 1}" \
    "}"

static const struct problem twenty_problems[] = {
    {"$.bogus1", "bogus1"},
    {"$.bogus2", "bogus2"},
    {"$.bogus3", "bogus3"},
    {"$.environment", "environment"},
    {"$.headers", "headers"},
    {"$.environments.e", "bogus4"},
    {"$.environments.f.baseURL", "baseURL"},
    {"$.entities.A.attributes.x", "bogus5"},
    {"$.entities.B.attributes.x.type", "bogus6"},
    {"$.entities.C.attributes.x", "x"},
    {"$.entities.D", "bogus7"},
    {"$.entities.E.identity", "bogus8"},
    {"$.entities.F.attributes.x.format", "format"},
    {"$.routes.r1", "bogus10"},
    {"$.routes.r2.response.entity", "Bogus11"},
    {"$.routes.r3.method", "BOGUS 12"},
    {"$.routes.r4.path", "path"},
    {"$.routes.r5.entity", "Bogus14"},
    {"$.routes.r6.response", "bogus15"},
    {"$.errors", "bogus16"},
};

/** Returns whether the error reports @p problem: at its path or below it, with its word. */
static int is_reported(const restway_error *error, const struct problem *problem) {
    for (size_t index = 0; index < restway_error_detail_count(error); index++) {
        const char *path = restway_error_detail_path(error, index);
        const char *message = restway_error_detail_message(error, index);
        assert_non_null(path);
        assert_non_null(message);
        int names_it =
            strstr(path, problem->word) != NULL || strstr(message, problem->word) != NULL;
        if (strncmp(path, problem->path, strlen(problem->path)) == 0 && names_it) {
            return 1;
        }
    }
    return 0;
}

static void api_load__reports_all_twenty_problems(void **state) {
    (void)state;
    restway_api *api = POISON;
    assert_fails_keeping(
        restway_api_load(TWENTY_PROBLEMS, strlen(TWENTY_PROBLEMS), &api, &failure),
        RESTWAY_E_CONFIG, "");
    assert_null(api);
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_CONFIG);
    size_t expected = sizeof(twenty_problems) / sizeof(twenty_problems[0]);
    for (size_t index = 0; index < expected; index++) {
        if (!is_reported(failure, &twenty_problems[index])) {
            fail_msg("%s is not reported", twenty_problems[index].path);
        }
    }
    if (restway_error_detail_count(failure) != expected) {
        for (size_t index = 0; index < restway_error_detail_count(failure); index++) {
            print_error(
                "%s: %s\n", restway_error_detail_path(failure, index),
                restway_error_detail_message(failure, index));
        }
    }
    assert_int_equal(restway_error_detail_count(failure), expected);
    assert_null(restway_error_detail_path(failure, expected));
    assert_null(restway_error_detail_message(failure, expected));
    assert_null(restway_error_detail_path(failure, SIZE_MAX));
}

static void api_check__reports_the_same_problems(void **state) {
    (void)state;
    assert_fails_keeping(
        restway_api_check(TWENTY_PROBLEMS, strlen(TWENTY_PROBLEMS), &failure), RESTWAY_E_CONFIG,
        "");
    assert_int_equal(restway_error_detail_count(failure), 20);
}

static void refuse(const char *json, const char *fragment) {
    restway_api *api = POISON;
    assert_fails(restway_api_load(json, strlen(json), &api, &failure), RESTWAY_E_CONFIG, fragment);
    assert_null(api);
}

static void api_load__of_what_is_not_a_document(void **state) {
    (void)state;
    refuse("", "");
    refuse("{", "line 1");
    refuse("{\"restway\": 1,\n \"routes\": {]}", "line 2");
    refuse("[]", "");
    refuse("null", "");
    refuse("7", "");
    refuse("{}", "restway");
    refuse("{\"restway\": 2}", "restway");
    refuse("{\"restway\": \"1\"}", "restway");
    refuse("<!DOCTYPE html><html></html>", "");
}

static void api_load__of_an_unknown_environment(void **state) {
    (void)state;
    const char *json =
        "{\"restway\": 1, \"environment\": \"nowhere\","
        " \"environments\": {\"demo\": {\"baseURL\": \"http://127.0.0.1\"}}}";
    refuse(json, "nowhere");
}

static void api_load__of_deep_nesting(void **state) {
    (void)state;
    enum { DEPTH = 100000 };
    char *json = malloc(2 * DEPTH + 64);
    assert_non_null(json);
    int start = sprintf(json, "{\"restway\": 1, \"x-deep\": ");
    memset(json + start, '[', DEPTH);
    memset(json + start + DEPTH, ']', DEPTH);
    strcpy(json + start + 2 * DEPTH, "}");
    refuse(json, "");
    free(json);
}

static void api_load__of_every_prefix_of_a_document(void **state) {
    (void)state;
    const char *json =
        "{\"restway\": 1, \"entities\": {\"A\": {\"identity\": \"i\", \"attributes\": {\"i\": "
        "{\"source\": \"i\", \"type\": \"int\"}}}}, \"routes\": {\"r\": {\"method\": [\"GET\"], "
        "\"path\": \"a/:i\", \"response\": {\"entity\": \"A\"}}}}";
    for (size_t length = 0; length < strlen(json); length++) {
        assert_fails(restway_api_check(json, length, &failure), RESTWAY_E_CONFIG, "");
    }
    assert_ok(restway_api_check(json, strlen(json), &failure));
}

static const struct CMUnitTest tests[] = {
    TEST(api_load__reports_all_twenty_problems),
    TEST(api_check__reports_the_same_problems),
    TEST(api_load__of_what_is_not_a_document),
    TEST(api_load__of_an_unknown_environment),
    TEST(api_load__of_deep_nesting),
    TEST(api_load__of_every_prefix_of_a_document),
};

const struct suite api_errors_suite = SUITE(tests);

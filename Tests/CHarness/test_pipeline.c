/* Interceptors, and modifiers that answer in place of the exchange. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "harness.h"

/** What a function saw and what the library answered, for checks on the test's own thread. */
struct seen {
    int asked_count;
    int destroyed_count;
    int32_t status;
    restway_status error;
    int32_t sends;
    void *context;
    int has_request;
    char route[32];
    restway_status found[4];
    pthread_t ender;
    int has_ender;
};

static void seen_destroy(void *context) {
    struct seen *seen = context;
    __atomic_add_fetch(&seen->destroyed_count, 1, __ATOMIC_RELEASE);
}

/** Releases the client and waits until its functions have ended, because a worker may still hold
 *  them for a moment. */
static void seen_end(struct seen *seen, restway_client *client) {
    restway_client_release(client);
    while (__atomic_load_n(&seen->destroyed_count, __ATOMIC_ACQUIRE) == 0) sched_yield();
}

static void note(struct seen *seen, restway_pipeline_context *pipeline) {
    const restway_response *response = restway_pipeline_context_response(pipeline);
    const restway_error *error = restway_pipeline_context_error(pipeline);
    const char *route = restway_pipeline_context_route(pipeline);
    seen->asked_count++;
    seen->status = response != NULL ? restway_response_status(response) : 0;
    restway_outgoing *request = restway_response_request(response);
    seen->has_request = request != NULL;
    restway_outgoing_release(request);
    seen->error = error != NULL ? restway_error_status(error) : RESTWAY_OK;
    seen->sends = restway_pipeline_context_sends(pipeline);
    seen->context = restway_pipeline_context_call_context(pipeline);
    strncpy(seen->route, route != NULL ? route : "", sizeof(seen->route) - 1);
}

static restway_status look(void *context, restway_pipeline_context *pipeline) {
    note(context, pipeline);
    return RESTWAY_OK;
}

static void add_interceptor(
    restway_client *client, restway_intercept_fn function, struct seen *seen) {
    memset(seen, 0, sizeof(*seen));
    assert_ok(restway_client_add_interceptor(
        client, function, NULL, 0, seen, seen_destroy, NULL, &failure));
}

static void pipeline__interceptors_see_answers_and_failures(void **state) {
    (void)state;
    struct seen seen;
    restway_client *client = make_client();
    restway_request *missing = make_get("unknown");
    add_interceptor(client, look, &seen);
    restway_response_release(fetch(client, "enterprises/3"));
    assert_int_equal(seen.status, 200);
    assert_int_equal(seen.has_request, 1);
    assert_int_equal(seen.error, RESTWAY_OK);
    assert_fails(
        restway_client_perform(client, missing, 0, NULL, &failure), RESTWAY_E_HTTP, "404");
    assert_int_equal(seen.status, 404);
    assert_int_equal(seen.error, RESTWAY_E_HTTP);
    assert_int_equal(seen.asked_count, 2);
    restway_request_release(missing);
    seen_end(&seen, client);
    assert_int_equal(seen.destroyed_count, 1);
}

static void ignore(
    void *context, restway_call *call, restway_status status, restway_response *response,
    const restway_error *error) {
    (void)context, (void)call, (void)status, (void)response, (void)error;
}

static void pipeline__a_pipeline_context_has_the_context_of_its_call(void **state) {
    (void)state;
    struct seen seen;
    int caller = 0;
    restway_client *client = make_client();
    restway_request *request = make_get("enterprises/3");
    restway_call *call = NULL;
    add_interceptor(client, look, &seen);
    assert_ok(restway_client_send(client, request, ignore, &caller, NULL, &call, &failure));
    assert_ok(restway_call_wait(call, 0, NULL, &failure));
    assert_ptr_equal(seen.context, &caller);
    restway_call_release(call);
    restway_request_release(request);
    restway_response_release(fetch(client, "enterprises/3"));
    assert_null(seen.context);
    seen_end(&seen, client);
}

static restway_status change(void *context, restway_pipeline_context *pipeline) {
    struct seen *seen = context;
    seen->found[0] = restway_pipeline_context_set_status(pipeline, 200, NULL);
    seen->found[1] = restway_pipeline_context_set_header(pipeline, "X-Changed", "yes", NULL);
    seen->found[2] = restway_pipeline_context_set_body(pipeline, "{\"a\":1}", 7, NULL);
    seen->found[3] = restway_pipeline_context_set_header(pipeline, "Server", NULL, NULL);
    return RESTWAY_OK;
}

static void pipeline__an_interceptor_changes_the_answer(void **state) {
    (void)state;
    struct seen seen;
    restway_client *client = make_client();
    add_interceptor(client, change, &seen);
    restway_response *response = fetch(client, "unknown");
    assert_int_equal(restway_response_status(response), 200);
    assert_string_equal(restway_response_header(response, "x-changed"), "yes");
    assert_null(restway_response_header(response, "server"));
    assert_string_equal(restway_response_json(response, NULL), "{\"a\":1}");
    for (size_t index = 0; index < 4; index++) {
        assert_int_equal(seen.found[index], RESTWAY_OK);
    }
    restway_response_release(response);
    seen_end(&seen, client);
}

static restway_status answer(void *context, restway_pipeline_context *pipeline) {
    struct seen *seen = context;
    static const char body[] = "{\"id\": 77, \"name\": \"made\"}";
    note(seen, pipeline);
    seen->found[0] = restway_pipeline_context_set_answer(
        pipeline, 200, body, sizeof(body) - 1, "application/json", NULL);
    seen->found[1] = restway_pipeline_context_send_again(pipeline, NULL);
    return RESTWAY_OK;
}

static void pipeline__a_modifier_answers_in_place_of_the_exchange(void **state) {
    (void)state;
    struct seen modifier, interceptor;
    restway_client *client = make_client();
    memset(&modifier, 0, sizeof(modifier));
    assert_ok(restway_client_add_modifier(
        client, answer, NULL, 0, &modifier, seen_destroy, NULL, &failure));
    add_interceptor(client, look, &interceptor);
    restway_response *response = fetch(client, "enterprises/77");
    assert_int_equal(restway_response_object_count(response), 1);
    assert_int_equal(modifier.status, 0);
    assert_int_equal(modifier.found[0], RESTWAY_OK);
    /* It has not been sent. */
    assert_int_equal(modifier.found[1], RESTWAY_E_INVALID_ARGUMENT);
    assert_int_equal(interceptor.status, 200);
    restway_response_release(response);
    seen_end(&interceptor, client);
    seen_end(&modifier, NULL);
}

static restway_status send_again(void *context, restway_pipeline_context *pipeline) {
    struct seen *seen = context;
    note(seen, pipeline);
    if (seen->sends < 2) {
        seen->found[0] = restway_request_set_header(
            restway_pipeline_context_request(pipeline), "X-Stamp", seen->sends == 0 ? "one" : "two",
            NULL);
        seen->found[1] = restway_pipeline_context_send_again(pipeline, NULL);
    }
    return RESTWAY_OK;
}

static void pipeline__an_interceptor_sends_a_changed_request_again(void **state) {
    (void)state;
    struct seen seen;
    restway_client *client = make_client();
    add_interceptor(client, send_again, &seen);
    restway_response *response = fetch(client, "echo");
    assert_holds(restway_response_json(response, NULL), "\"x-stamp\":\"two\"");
    assert_int_equal(seen.asked_count, 3);
    assert_int_equal(seen.sends, 2);
    assert_int_equal(restway_response_attempt_count(response), 3);
    restway_response_release(response);
    seen_end(&seen, client);
}

static restway_status refuse(void *context, restway_pipeline_context *pipeline) {
    struct seen *seen = context;
    seen->found[0] =
        restway_pipeline_context_set_refusal(pipeline, "it is too old", seen, NULL, NULL);
    return RESTWAY_E_AUTH;
}

static void pipeline__a_refusal_names_its_reason_and_keeps_the_answer(void **state) {
    (void)state;
    struct seen seen;
    restway_client *client = make_client();
    restway_request *request = make_get("status");
    add_interceptor(client, refuse, &seen);
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_AUTH,
        "it is too old");
    assert_int_equal(restway_error_http_status(failure), 200);
    assert_non_null(restway_error_response(failure));
    assert_ptr_equal(restway_error_cause(failure), &seen);
    forget_failure();
    restway_request_release(request);
    seen_end(&seen, client);
}

static restway_status find_wrong(void *context, restway_pipeline_context *pipeline) {
    struct seen *seen = context;
    seen->asked_count++;
    seen->found[0] = restway_pipeline_context_set_status(pipeline, 200, NULL);
    seen->found[1] = restway_pipeline_context_end(pipeline, RESTWAY_OK, NULL);
    seen->found[2] = restway_pipeline_context_set_answer(pipeline, 199, NULL, 0, NULL, NULL);
    seen->found[3] = restway_pipeline_context_set_answer(pipeline, 200, "", 0, BAD_UTF8, NULL);
    if (restway_pipeline_context_set_header(pipeline, BAD_UTF8, "v", NULL) !=
            RESTWAY_E_INVALID_ARGUMENT ||
        restway_pipeline_context_set_header(pipeline, "X", BAD_UTF8, NULL) !=
            RESTWAY_E_INVALID_ARGUMENT ||
        restway_pipeline_context_set_refusal(pipeline, BAD_UTF8, NULL, NULL, NULL) !=
            RESTWAY_E_INVALID_ARGUMENT ||
        restway_pipeline_context_set_body(pipeline, NULL, 1, NULL) != RESTWAY_E_INVALID_ARGUMENT) {
        return RESTWAY_E_INTERNAL;
    }
    return RESTWAY_OK;
}

static void pipeline__wrong_uses_of_a_pipeline_context_are_refused(void **state) {
    (void)state;
    struct seen seen;
    memset(&seen, 0, sizeof(seen));
    restway_client *client = make_client();
    assert_ok(restway_client_add_modifier(
        client, find_wrong, NULL, 0, &seen, seen_destroy, NULL, &failure));
    restway_response_release(fetch(client, "status"));
    assert_int_equal(seen.found[0], RESTWAY_E_INVALID_ARGUMENT);
    assert_int_equal(seen.found[1], RESTWAY_E_CLOSED);
    assert_int_equal(seen.found[2], RESTWAY_E_INVALID_ARGUMENT);
    assert_int_equal(seen.found[3], RESTWAY_E_INVALID_ARGUMENT);
    seen_end(&seen, client);
}

static void *end_later(void *pipeline) {
    restway_status status = restway_pipeline_context_end(pipeline, RESTWAY_OK, NULL);
    restway_pipeline_context_release(pipeline);
    return status == RESTWAY_OK ? pipeline : NULL;
}

static restway_status hold(void *context, restway_pipeline_context *pipeline) {
    struct seen *seen = context;
    restway_pipeline_context *held = restway_pipeline_context_hold(pipeline);
    seen->asked_count++;
    seen->has_ender = pthread_create(&seen->ender, NULL, end_later, held) == 0;
    return RESTWAY_E_INTERNAL;
}

static void pipeline__a_held_context_ends_on_another_thread(void **state) {
    (void)state;
    struct seen seen;
    void *ended = NULL;
    restway_client *client = make_client();
    add_interceptor(client, hold, &seen);
    restway_response_release(fetch(client, "status"));
    assert_true(seen.has_ender);
    pthread_join(seen.ender, &ended);
    assert_non_null(ended);
    assert_int_equal(seen.asked_count, 1);
    seen_end(&seen, client);
}

static restway_status drop(void *context, restway_pipeline_context *pipeline) {
    (void)context;
    restway_pipeline_context_release(restway_pipeline_context_hold(pipeline));
    return RESTWAY_OK;
}

static void pipeline__a_context_that_is_dropped_fails_its_call(void **state) {
    (void)state;
    struct seen seen;
    restway_client *client = make_client();
    restway_request *request = make_get("status");
    add_interceptor(client, drop, &seen);
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_CANCELLED,
        "dropped");
    restway_request_release(request);
    seen_end(&seen, client);
}

static void pipeline__functions_for_routes_are_asked_about_them_alone(void **state) {
    (void)state;
    static const char *const routes[] = {"enterprise"};
    struct seen seen;
    int64_t number = 0;
    restway_request *request = NULL;
    restway_value identity = restway_value_int64(3);
    restway_client *client = make_client();
    memset(&seen, 0, sizeof(seen));
    assert_ok(restway_client_add_interceptor(
        client, look, routes, 1, &seen, seen_destroy, &number, &failure));
    assert_ok(restway_request_create_route(NULL, "enterprise", &request, &failure));
    assert_ok(restway_request_set_variable(request, "itemID", &identity, &failure));
    restway_response_release(fetch(client, "status"));
    assert_int_equal(seen.asked_count, 0);
    assert_ok(restway_client_perform(client, request, 0, NULL, &failure));
    assert_int_equal(seen.asked_count, 1);
    assert_string_equal(seen.route, "enterprise");
    assert_ok(restway_client_remove_stage(client, number, &failure));
    assert_ok(restway_client_perform(client, request, 0, NULL, &failure));
    assert_int_equal(seen.asked_count, 1);
    restway_request_release(request);
    seen_end(&seen, client);
    assert_int_equal(seen.destroyed_count, 1);
}

/** One function among several; each notes its letter. */
struct noter {
    char *notes;
    char letter;
};

static restway_status note_letter(void *context, restway_pipeline_context *pipeline) {
    struct noter *noter = context;
    (void)pipeline;
    noter->notes[strlen(noter->notes)] = noter->letter;
    return RESTWAY_OK;
}

static void pipeline__the_document_names_functions_that_are_asked_first(void **state) {
    (void)state;
    static const char document[] =
        "{\"restway\": 1, \"modifiers\": [\"b\", \"a\"], \"interceptors\": \"i\", \"routes\": {"
        "\"status\": {\"path\": \"status\", \"modifiers\": \"c\", \"interceptors\": [\"j\"]}}}";
    static const char *const routes[] = {"status"};
    char notes[16] = "";
    struct noter noters[] = {
        {notes, 'a'}, {notes, 'b'}, {notes, 'c'}, {notes, 'i'},
        {notes, 'j'}, {notes, 'd'}, {notes, 'e'},
    };
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    restway_request *request = make_route("status");
    options.base_url = demo_url();
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_fails(
        restway_client_create(api, &options, &client, &failure), RESTWAY_E_CONFIG,
        "$.modifiers[0]: modifier \"b\" has not been added");
    for (int index = 0; index < 3; index++) {
        const char name[] = {noters[index].letter, '\0'};
        assert_ok(restway_api_add_modifier(
            api, name, note_letter, &noters[index], NULL, &failure));
    }
    assert_ok(restway_api_add_interceptor(api, "i", note_letter, &noters[3], NULL, &failure));
    assert_ok(restway_api_add_interceptor(api, "j", note_letter, &noters[4], NULL, &failure));
    assert_fails(
        restway_api_add_modifier(api, "a", note_letter, NULL, NULL, &failure), RESTWAY_E_DUPLICATE,
        "modifier \"a\" exists already");
    assert_ok(restway_client_create(api, &options, &client, &failure));
    assert_ok(restway_client_add_modifier(
        client, note_letter, routes, 1, &noters[6], NULL, NULL, &failure));
    assert_ok(restway_client_add_modifier(
        client, note_letter, NULL, 0, &noters[5], NULL, NULL, &failure));
    assert_ok(restway_client_perform(client, request, 0, NULL, &failure));
    assert_string_equal(notes, "badceij");
    memset(notes, 0, sizeof(notes));
    restway_response_release(fetch(client, "status"));
    /* Functions of a route are not asked about a request that names only a path. */
    assert_string_equal(notes, "badi");
    restway_request_release(request);
    restway_client_release(client);
    restway_api_release(api);
}

static void pipeline__null_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {BAD_UTF8};
    restway_client *client = make_client();
    assert_refused(restway_client_add_interceptor(NULL, look, NULL, 0, NULL, NULL, NULL, &failure));
    assert_refused(
        restway_client_add_interceptor(client, NULL, NULL, 0, NULL, NULL, NULL, &failure));
    assert_refused(
        restway_client_add_interceptor(client, look, bad, 1, NULL, NULL, NULL, &failure));
    restway_api *api = make_api();
    assert_refused(restway_api_add_modifier(NULL, "m", look, NULL, NULL, &failure));
    assert_refused(restway_api_add_modifier(api, NULL, look, NULL, NULL, &failure));
    assert_refused(restway_api_add_modifier(api, BAD_UTF8, look, NULL, NULL, &failure));
    assert_refused(restway_api_add_modifier(api, "m", NULL, NULL, NULL, &failure));
    assert_refused(restway_api_add_interceptor(NULL, "i", look, NULL, NULL, &failure));
    assert_refused(restway_api_add_interceptor(api, NULL, look, NULL, NULL, &failure));
    assert_refused(restway_api_add_interceptor(api, BAD_UTF8, look, NULL, NULL, &failure));
    assert_refused(restway_api_add_interceptor(api, "i", NULL, NULL, NULL, &failure));
    restway_api_release(api);
    assert_null(restway_pipeline_context_request(NULL));
    assert_null(restway_pipeline_context_route(NULL));
    assert_int_equal(restway_pipeline_context_sends(NULL), 0);
    assert_null(restway_pipeline_context_call_context(NULL));
    assert_null(restway_pipeline_context_response(NULL));
    assert_null(restway_pipeline_context_error(NULL));
    assert_refused(restway_pipeline_context_set_answer(NULL, 200, NULL, 0, NULL, &failure));
    assert_refused(restway_pipeline_context_set_status(NULL, 200, &failure));
    assert_refused(restway_pipeline_context_set_header(NULL, NULL, NULL, &failure));
    assert_refused(restway_pipeline_context_set_body(NULL, NULL, 0, &failure));
    assert_refused(restway_pipeline_context_send_again(NULL, &failure));
    assert_refused(restway_pipeline_context_set_refusal(NULL, NULL, NULL, NULL, &failure));
    assert_null(restway_pipeline_context_hold(NULL));
    restway_pipeline_context_release(NULL);
    assert_refused(restway_pipeline_context_end(NULL, RESTWAY_OK, &failure));
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(pipeline__interceptors_see_answers_and_failures),
    TEST(pipeline__a_pipeline_context_has_the_context_of_its_call),
    TEST(pipeline__an_interceptor_changes_the_answer),
    TEST(pipeline__a_modifier_answers_in_place_of_the_exchange),
    TEST(pipeline__an_interceptor_sends_a_changed_request_again),
    TEST(pipeline__a_refusal_names_its_reason_and_keeps_the_answer),
    TEST(pipeline__wrong_uses_of_a_pipeline_context_are_refused),
    TEST(pipeline__a_held_context_ends_on_another_thread),
    TEST(pipeline__a_context_that_is_dropped_fails_its_call),
    TEST(pipeline__functions_for_routes_are_asked_about_them_alone),
    TEST(pipeline__the_document_names_functions_that_are_asked_first),
    TEST(pipeline__null_is_refused),
};

const struct suite pipeline_suite = SUITE(tests);

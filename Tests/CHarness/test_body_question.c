/* Functions that are called while a body is written: on a worker, in every delivery mode, before
 * the call is sent. */
#include <stdlib.h>
#include <string.h>

#include "delivery.h"
#include "drafting.h"
#include "gate.h"
#include "probe.h"

static const restway_delivery modes[] = {
    RESTWAY_DELIVERY_THREAD, RESTWAY_DELIVERY_PROCESS, RESTWAY_DELIVERY_DRAIN};
enum { MODE_COUNT = sizeof(modes) / sizeof(modes[0]) };

/** A restway_exclude_fn; the context is a struct gate. */
static int32_t exclude(
    void *context, const char *method, const char *path, const char *entity,
    const char *relationship, restway_answer *answer) {
    struct gate *gate = context;
    (void)answer;
    gate_ask(gate, NULL);
    int is_known = strcmp(method, "POST") == 0 && path != NULL && entity[0] != '\0';
    return is_known && strcmp(relationship, "enterprise") == 0;
}

static restway_status encode(void *context, const restway_value *value, restway_answer *answer) {
    struct gate *gate = context;
    gate_ask(gate, NULL);
    if (value->kind != RESTWAY_VALUE_STRING || strcmp(value->as.text, "bad") == 0) {
        return RESTWAY_E_MAPPING;
    }
    restway_value result = restway_value_string("out");
    return restway_answer_set_value(answer, &result, NULL);
}

/** Makes a new employee of a new enterprise, which cannot be sent by identity. */
static restway_request *make_request(struct drafting *own, const char *email) {
    restway_draft *employee = drafted(own, "Employee"), *enterprise = drafted(own, "Enterprise");
    restway_request *request = NULL;
    set_text(employee, "first_name", "Ann");
    set_text(employee, "email", email);
    assert_ok(restway_draft_add_draft(employee, "enterprise", enterprise, &failure));
    assert_ok(restway_request_create("POST", "echo", &request, &failure));
    assert_ok(restway_request_set_draft(request, employee, &failure));
    restway_draft_release(enterprise);
    restway_draft_release(employee);
    return request;
}

static void set_exclusion(struct drafting *own, struct gate *gate) {
    gate_begin(gate, NULL);
    assert_ok(restway_client_set_exclusion(own->client, exclude, gate, gate_destroy, &failure));
}

static void exclusion__is_asked_on_a_worker_in_every_mode(void **state) {
    (void)state;
    for (size_t index = 0; index < MODE_COUNT; index++) {
        struct gate gate;
        struct drafting own = drafting_begin_asking(modes[index], NULL, NULL, NULL);
        restway_response *response = NULL;
        set_exclusion(&own, &gate);
        restway_request *request = make_request(&own, "a");
        assert_ok(restway_client_perform(own.client, request, 0, &response, &failure));
        assert_holds(
            restway_response_json(response, NULL),
            "{\\\"first_name\\\":\\\"Ann\\\",\\\"email\\\":\\\"a\\\"}");
        assert_false(pthread_equal(gate.thread, pthread_self()));
        char *command = curl_of(&own, request);
        assert_holds(command, "{\"first_name\":\"Ann\",\"email\":\"a\"}");
        assert_false(pthread_equal(gate.thread, pthread_self()));
        free(command);
        restway_response_release(response);
        restway_request_release(request);
        drafting_end(&own);
        gate_expect_destroyed(&gate, 3);
    }
}

static void transform__is_asked_on_a_worker_on_its_way_out_too(void **state) {
    (void)state;
    for (size_t index = 0; index < MODE_COUNT; index++) {
        struct gate gate, other;
        gate_begin(&gate, NULL);
        struct drafting own = drafting_begin_asking(modes[index], encode, &gate, gate_destroy);
        restway_response *response = NULL;
        set_exclusion(&own, &other);
        restway_request *request = make_request(&own, "a");
        assert_ok(restway_client_perform(own.client, request, 0, &response, &failure));
        assert_holds(restway_response_json(response, NULL), "\\\"email\\\":\\\"out\\\"");
        assert_false(pthread_equal(gate.thread, pthread_self()));
        restway_response_release(response);
        restway_request_release(request);
        drafting_end(&own);
        gate_expect_destroyed(&other, 1);
        gate_expect_destroyed(&gate, 1);
    }
}

static void body__that_cannot_be_written_completes_the_call(void **state) {
    (void)state;
    struct gate gate, other;
    restway_event event;
    gate_begin(&gate, NULL);
    struct drafting own =
        drafting_begin_asking(RESTWAY_DELIVERY_DRAIN, encode, &gate, gate_destroy);
    restway_request *request = make_request(&own, "a");
    assert_ok(restway_client_send(own.client, request, NULL, NULL, NULL, NULL, &failure));
    event = drain_event(own.client, RESTWAY_E_MAPPING);
    assert_holds(restway_error_message(event.payload.error), "Employee.enterprise");
    assert_string_equal(restway_error_field(event.payload.error), "enterprise");
    restway_event_release(&event);
    restway_request_release(request);
    set_exclusion(&own, &other);
    request = make_request(&own, "bad");
    assert_fails(
        restway_client_perform(own.client, request, 0, NULL, &failure), RESTWAY_E_MAPPING,
        "Employee.email");
    assert_fails(
        restway_request_to_curl(request, own.client, 0, NULL, 0, NULL, &failure),
        RESTWAY_E_MAPPING, "Employee.email");
    restway_request_release(request);
    drafting_end(&own);
    gate_expect_destroyed(&other, 0);
    gate_expect_destroyed(&gate, -1);
}

static void exclusion__of_a_cancelled_call_is_asked_nothing_more(void **state) {
    (void)state;
    struct gate gate;
    struct probe probe;
    restway_call *call = NULL;
    restway_request *request = NULL;
    struct drafting own = drafting_begin(0);
    set_exclusion(&own, &gate);
    restway_draft *enterprise = drafted(&own, "Enterprise");
    assert_ok(restway_request_create("POST", "echo", &request, &failure));
    assert_ok(restway_request_set_draft(request, enterprise, &failure));
    gate_shut(&gate);
    probe_begin(&probe);
    assert_ok(restway_client_send(
        own.client, request, probe_done, &probe, probe_destroy, &call, &failure));
    gate_wait_asked(&gate, 1);
    restway_call_cancel(call);
    /* The call completes while the function still runs. */
    probe_expect(&probe, RESTWAY_E_CANCELLED);
    gate_open(&gate);
    restway_call_release(call);
    restway_request_release(request);
    restway_draft_release(enterprise);
    drafting_end(&own);
    /* The object has two relationships. */
    gate_expect_destroyed(&gate, 1);
}

static void exclusion__of_a_closed_client_lets_its_call_end(void **state) {
    (void)state;
    struct gate gate;
    struct probe probe;
    struct drafting own = drafting_begin(0);
    set_exclusion(&own, &gate);
    restway_request *request = make_request(&own, "a");
    gate_shut(&gate);
    probe_begin(&probe);
    assert_ok(restway_client_send(
        own.client, request, probe_done, &probe, probe_destroy, NULL, &failure));
    gate_wait_asked(&gate, 1);
    restway_client_close(own.client);
    probe_expect(&probe, RESTWAY_E_CLOSED);
    gate_open(&gate);
    restway_request_release(request);
    drafting_end(&own);
    gate_expect_destroyed(&gate, 1);
}

/** Inside an exclusion, a call that needs the exclusion would wait for itself. */
static restway_status write_command(struct gate *gate, restway_request *request) {
    (void)request;
    gate->found[0] = restway_request_to_curl(gate->request, gate->client, 0, NULL, 0, NULL, NULL);
    gate->found[1] = restway_client_perform(gate->client, gate->request, 0, NULL, NULL);
    return RESTWAY_OK;
}

static void exclusion__inside_of_it_what_asks_would_block(void **state) {
    (void)state;
    struct gate gate;
    struct drafting own = drafting_begin(0);
    set_exclusion(&own, &gate);
    restway_request *request = make_request(&own, "a");
    gate.work = write_command;
    gate.client = own.client;
    gate.request = request;
    assert_ok(restway_client_perform(own.client, request, 0, NULL, &failure));
    assert_int_equal(gate.found[0], RESTWAY_E_WOULD_BLOCK);
    assert_int_equal(gate.found[1], RESTWAY_E_WOULD_BLOCK);
    restway_request_release(request);
    drafting_end(&own);
    gate_expect_destroyed(&gate, 1);
}

/** What the refusing functions attach to their failures, and whether they could. */
static struct probe cause;
static restway_status said[2];

static void say_why(restway_answer *answer) {
    said[0] = restway_answer_set_message(answer, "too secret", NULL);
    said[1] = restway_answer_set_cause(answer, &cause, probe_destroy, NULL);
}

static restway_status refuse_value(
    void *context, const restway_value *value, restway_answer *answer) {
    (void)context;
    (void)value;
    say_why(answer);
    return RESTWAY_E_MAPPING;
}

/** Expects that a POST fails because of a function that has said why. */
static void expect_reason(struct drafting *own, restway_status status, const char *part) {
    restway_request *request = make_request(own, "a");
    probe_begin(&cause);
    assert_fails_keeping(
        restway_client_perform(own->client, request, 0, NULL, &failure), status, part);
    assert_int_equal(said[0], RESTWAY_OK);
    assert_int_equal(said[1], RESTWAY_OK);
    assert_holds(restway_error_message(failure), "too secret");
    assert_ptr_equal(restway_error_cause(failure), &cause);
    assert_int_equal(cause.destroyed_count, 0);
    forget_failure();
    probe_expect_dropped(&cause);
    restway_request_release(request);
}

static void transform__attaches_a_cause_to_the_error_of_the_call(void **state) {
    (void)state;
    struct gate gate, other;
    gate_begin(&gate, NULL);
    struct drafting own = drafting_begin_asking(
        RESTWAY_DELIVERY_THREAD, refuse_value, &gate, gate_destroy);
    set_exclusion(&own, &other);
    expect_reason(&own, RESTWAY_E_MAPPING, "Employee.email");
    drafting_end(&own);
    gate_expect_destroyed(&other, 0);
    gate_expect_destroyed(&gate, 0);
}

static int32_t refuse(
    void *context, const char *method, const char *path, const char *entity,
    const char *relationship, restway_answer *answer) {
    exclude(context, method, path, entity, relationship, answer);
    say_why(answer);
    return -1;
}

static void exclusion__may_refuse_the_request(void **state) {
    (void)state;
    struct gate gate;
    struct drafting own = drafting_begin(0);
    gate_begin(&gate, NULL);
    assert_ok(restway_client_set_exclusion(own.client, refuse, &gate, gate_destroy, &failure));
    expect_reason(&own, RESTWAY_E_CANCELLED, "Employee.enterprise");
    drafting_end(&own);
    gate_expect_destroyed(&gate, 1);
}

static const struct CMUnitTest tests[] = {
    TEST(exclusion__is_asked_on_a_worker_in_every_mode),
    TEST(transform__is_asked_on_a_worker_on_its_way_out_too),
    TEST(body__that_cannot_be_written_completes_the_call),
    TEST(exclusion__of_a_cancelled_call_is_asked_nothing_more),
    TEST(exclusion__of_a_closed_client_lets_its_call_end),
    TEST(exclusion__inside_of_it_what_asks_would_block),
    TEST(exclusion__may_refuse_the_request),
    TEST(transform__attaches_a_cause_to_the_error_of_the_call),
};

const struct suite body_question_suite = SUITE(tests);

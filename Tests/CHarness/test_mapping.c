/* Transforms of the program, and entities that are built with functions. */
#include <ctype.h>
#include <string.h>

#include "gate.h"

#define DOCUMENT \
    "{\"restway\": 1, \"entities\": {\"Enterprise\": {\"identity\": \"id\", \"attributes\": {" \
    "  \"id\": {\"type\": \"int\"}," \
    "  \"name\": {\"type\": \"string\", \"transform\": \"shout\"}," \
    "  \"creation\": {\"source\": \"creation_date\", \"type\": \"string\"}}}}," \
    "\"responses\": [{\"path\": \"enterprises/:id\", \"entity\": \"Enterprise\"}]}"

/** The context of the transforms in this file. */
struct asker {
    struct gate gate;
    restway_client *client;
    restway_status found[8];
    int asked_count;
    int was_terminated;
    int on_other_thread;
    pthread_t caller;
};

static restway_api *load(const char *document) {
    restway_api *api = NULL;
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    return api;
}

static void begin(struct asker *asker) {
    memset(asker, 0, sizeof(*asker));
    gate_begin(&asker->gate, NULL);
    asker->caller = pthread_self();
}

static void end_asker(void *context) {
    gate_destroy(&((struct asker *)context)->gate);
}

/** Makes a client of the document whose transform `shout` is @p decode; the api is released. */
static restway_client *client_with(
    restway_transform_fn decode, struct asker *asker, int is_strict) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = load(DOCUMENT);
    restway_client *client = NULL;
    begin(asker);
    assert_ok(
        restway_api_add_transform(api, "shout", decode, NULL, asker, end_asker, &failure));
    options.base_url = demo_url();
    options.flags = is_strict ? RESTWAY_CLIENT_STRICT_MAPPING : 0;
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_api_release(api);
    asker->client = client;
    return client;
}

static restway_status shout(void *context, const restway_value *value, restway_answer *answer) {
    struct asker *asker = context;
    char text[100];
    asker->asked_count++;
    asker->on_other_thread = !pthread_equal(asker->caller, pthread_self());
    if (value->kind != RESTWAY_VALUE_STRING || value->length >= sizeof(text)) {
        return RESTWAY_E_INTERNAL;
    }
    asker->was_terminated = value->as.text[value->length] == '\0';
    for (uint32_t index = 0; index <= value->length; index++) {
        text[index] = (char)toupper((unsigned char)value->as.text[index]);
    }
    restway_value result = restway_value_string(text);
    asker->found[0] = restway_answer_set_value(answer, &result, NULL);
    /* The answer has its own copy of the text. */
    memset(text, 'x', sizeof(text));
    return RESTWAY_OK;
}

static void transform__is_asked_on_a_worker_and_answers_with_a_copy(void **state) {
    (void)state;
    struct asker asker;
    restway_client *client = client_with(shout, &asker, 0);
    restway_response *response = fetch(client, "enterprises/3");
    const restway_object *object = restway_response_object(response, 0);
    const char *name = restway_object_string(object, "name");
    assert_non_null(name);
    for (const char *letter = name; *letter != '\0'; letter++) {
        assert_false(islower((unsigned char)*letter) || *letter == 'x');
    }
    assert_int_equal(restway_response_issue_count(response), 0);
    assert_int_equal(asker.asked_count, 1);
    assert_true(asker.was_terminated && asker.on_other_thread);
    assert_int_equal(asker.found[0], RESTWAY_OK);
    restway_response_release(response);
    restway_client_release(client);
    gate_expect_destroyed(&asker.gate, -1);
}

static restway_status refuse(void *context, const restway_value *value, restway_answer *answer) {
    struct asker *asker = context;
    (void)value;
    asker->found[0] = restway_answer_set_message(answer, "too quiet", NULL);
    return RESTWAY_E_IO;
}

static void transform__that_fails_is_a_mapping_issue(void **state) {
    (void)state;
    struct asker asker;
    restway_client *client = client_with(refuse, &asker, 0);
    restway_response *response = fetch(client, "enterprises/3");
    restway_value value;
    assert_int_equal(restway_response_issue_count(response), 1);
    assert_string_equal(restway_response_issue_key_path(response, 0), "name");
    assert_holds(restway_response_issue_reason(response, 0), "\"shout\"");
    assert_holds(restway_response_issue_reason(response, 0), "too quiet (RESTWAY_E_IO)");
    assert_ok(restway_object_get(restway_response_object(response, 0), "name", &value, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_ABSENT);
    restway_response_release(response);
    restway_client_release(client);
    gate_expect_destroyed(&asker.gate, -1);

    client = client_with(refuse, &asker, 1);
    restway_request *request = make_get("enterprises/3");
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_MAPPING,
        "too quiet");
    restway_request_release(request);
    restway_client_release(client);
    gate_expect_destroyed(&asker.gate, -1);
}

static restway_status misuse(void *context, const restway_value *value, restway_answer *answer) {
    struct asker *asker = context;
    restway_value list = *value;
    restway_request *request = NULL;
    list.kind = RESTWAY_VALUE_LIST;
    list.length = 0;
    asker->found[0] = restway_answer_set_value(answer, NULL, NULL);
    asker->found[1] = restway_answer_set_value(answer, &list, NULL);
    list.kind = RESTWAY_VALUE_ABSENT;
    asker->found[2] = restway_answer_set_value(answer, &list, NULL);
    asker->found[3] = restway_answer_set_message(answer, NULL, NULL);
    asker->found[4] = restway_answer_set_message(answer, BAD_UTF8, NULL);
    if (restway_request_create("GET", "status", &request, NULL) == RESTWAY_OK) {
        asker->found[5] = restway_client_perform(asker->client, request, 0, NULL, NULL);
        restway_request_release(request);
    }
    return RESTWAY_OK;
}

static void transform__misused_answers_nothing(void **state) {
    (void)state;
    struct asker asker;
    restway_client *client = client_with(misuse, &asker, 0);
    restway_response *response = fetch(client, "enterprises/3");
    restway_value value;
    for (int index = 0; index < 5; index++) {
        assert_int_equal(asker.found[index], RESTWAY_E_INVALID_ARGUMENT);
    }
    assert_int_equal(asker.found[5], RESTWAY_E_WOULD_BLOCK);
    assert_int_equal(restway_response_issue_count(response), 0);
    assert_ok(restway_object_get(restway_response_object(response, 0), "name", &value, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_ABSENT);
    restway_response_release(response);
    restway_client_release(client);
    gate_expect_destroyed(&asker.gate, -1);
}

static void transform__added_wrongly_leaves_the_context_alone(void **state) {
    (void)state;
    struct asker asker;
    restway_api *api = load(DOCUMENT);
    restway_client *client = NULL;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_value value = restway_value_null();
    begin(&asker);
#define ADD(api, name, decode) \
    restway_api_add_transform(api, name, decode, NULL, &asker, end_asker, &failure)
    assert_refused(ADD(NULL, "shout", shout));
    assert_refused(ADD(api, NULL, shout));
    assert_refused(ADD(api, "", shout));
    assert_refused(ADD(api, BAD_UTF8, shout));
    assert_refused(ADD(api, "epoch", shout));
    assert_refused(ADD(api, "shout", NULL));
    options.base_url = demo_url();
    assert_fails(
        restway_client_create(api, &options, &client, &failure), RESTWAY_E_CONFIG, "shout");
    assert_ok(restway_api_add_transform(api, "shout", NULL, shout, NULL, NULL, &failure));
    assert_fails(ADD(api, "shout", shout), RESTWAY_E_DUPLICATE, "shout");
    assert_ok(restway_client_create(api, &options, &client, &failure));
    assert_fails(ADD(api, "late", shout), RESTWAY_E_FROZEN, "client");
    assert_refused(restway_answer_set_value(NULL, &value, &failure));
    assert_refused(restway_answer_set_message(NULL, "why", &failure));
    assert_refused(restway_answer_set_cause(NULL, &asker, end_asker, &failure));
    restway_client_release(client);
    restway_api_release(api);
    assert_true(gate_is_alive(&asker.gate));
}

static void entities__are_built_step_by_step(void **state) {
    (void)state;
    restway_api *api = load("{\"restway\": 1}");
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_client *client = NULL;
    const char *response_json = "{\"path\": \"meetings/:id\", \"entity\": \"Meeting\"}";
    assert_ok(restway_api_add_entity(api, "Meeting", "{}", 2, &failure));
    assert_ok(restway_api_add_entity(api, "Employee", "{}", 2, &failure));
    assert_ok(restway_api_add_response(api, response_json, strlen(response_json), &failure));
    assert_ok(restway_api_add_attribute(
        api, "Meeting", "id", NULL, RESTWAY_TYPE_INT, NULL, NULL, &failure));
    assert_ok(restway_api_add_attribute(
        api, "Meeting", "begin", "starts_at", RESTWAY_TYPE_DATE, "iso8601", NULL, &failure));
    assert_ok(restway_api_add_attribute(
        api, "Meeting", "number", "id", RESTWAY_TYPE_STRING, NULL, "{\"name\": \"numberText\"}",
        &failure));
    assert_ok(restway_api_add_attribute(
        api, "Employee", "id", NULL, RESTWAY_TYPE_INT, NULL, NULL, &failure));
    assert_ok(restway_api_set_identity(api, "Meeting", "id", &failure));
    assert_ok(restway_api_set_identity(api, "Employee", "id", &failure));
    assert_ok(restway_api_add_relationship(
        api, "Meeting", "attendees", "attendee_ids", "Employee", RESTWAY_RELATIONSHIP_MANY,
        RESTWAY_POLICY_MERGE, &failure));
    assert_ok(restway_api_add_relationship(
        api, "Employee", "meeting", NULL, "Meeting", RESTWAY_RELATIONSHIP_BY_IDENTITY,
        RESTWAY_POLICY_ASSIGN, &failure));
    options.base_url = demo_url();
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_response *response = fetch(client, "meetings/1");
    const restway_object *meeting = restway_response_object(response, 0);
    restway_value value;
    assert_int_equal(restway_object_int64(meeting, "id", -1), 1);
    assert_string_equal(restway_object_string(meeting, "number"), "1");
    assert_ok(restway_object_get(meeting, "begin", &value, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_DATE);
    restway_store *store = restway_client_store(client);
    restway_value identity = restway_value_int64(2);
    restway_object *employee = NULL;
    assert_ok(restway_store_find(store, "Employee", &identity, &employee, &failure));
    assert_fails(
        restway_api_add_attribute(
            api, "Meeting", "late", NULL, RESTWAY_TYPE_ANY, NULL, NULL, &failure),
        RESTWAY_E_FROZEN, "client");
    restway_object_release(employee);
    restway_store_release(store);
    restway_response_release(response);
    restway_client_release(client);
    restway_api_release(api);
}

static void entities__steps_that_are_wrong(void **state) {
    (void)state;
    restway_api *api =
        load("{\"restway\": 1, \"entities\": {\"A\": {\"attributes\": {\"a\": \"a\"}}}}");
#define ATTRIBUTE(api, entity, name, source, type, format, transform) \
    restway_api_add_attribute(api, entity, name, source, type, format, transform, &failure)
#define RELATIONSHIP(api, entity, name, target, flags, policy) \
    restway_api_add_relationship(api, entity, name, NULL, target, flags, policy, &failure)
    assert_refused(ATTRIBUTE(NULL, "A", "b", NULL, RESTWAY_TYPE_ANY, NULL, NULL));
    assert_refused(ATTRIBUTE(api, NULL, "b", NULL, RESTWAY_TYPE_ANY, NULL, NULL));
    assert_refused(ATTRIBUTE(api, "A", NULL, NULL, RESTWAY_TYPE_ANY, NULL, NULL));
    assert_refused(ATTRIBUTE(api, "A", "", NULL, RESTWAY_TYPE_ANY, NULL, NULL));
    assert_refused(ATTRIBUTE(api, "A", "b", BAD_UTF8, RESTWAY_TYPE_ANY, NULL, NULL));
    assert_refused(ATTRIBUTE(api, "A", "b", NULL, (restway_attribute_type)99, NULL, NULL));
    assert_fails(
        ATTRIBUTE(api, "B", "b", NULL, RESTWAY_TYPE_ANY, NULL, NULL), RESTWAY_E_UNKNOWN_ENTITY,
        "B");
    assert_fails(
        ATTRIBUTE(api, "A", "a", NULL, RESTWAY_TYPE_ANY, NULL, NULL), RESTWAY_E_DUPLICATE, "a");
    assert_fails(
        ATTRIBUTE(api, "A", "b", "", RESTWAY_TYPE_ANY, NULL, NULL), RESTWAY_E_CONFIG, "source");
    assert_fails(
        ATTRIBUTE(api, "A", "b", NULL, RESTWAY_TYPE_INT, "yyyy", NULL), RESTWAY_E_CONFIG,
        "format");
    assert_fails(
        ATTRIBUTE(api, "A", "b", NULL, RESTWAY_TYPE_INT, NULL, "url"), RESTWAY_E_CONFIG,
        "transform");
    assert_fails(
        ATTRIBUTE(api, "A", "b", NULL, RESTWAY_TYPE_INT, NULL, "{"), RESTWAY_E_CONFIG,
        "transform");
    assert_refused(RELATIONSHIP(NULL, "A", "b", "A", 0, RESTWAY_POLICY_ASSIGN));
    assert_refused(RELATIONSHIP(api, NULL, "b", "A", 0, RESTWAY_POLICY_ASSIGN));
    assert_refused(RELATIONSHIP(api, "A", NULL, "A", 0, RESTWAY_POLICY_ASSIGN));
    assert_refused(RELATIONSHIP(api, "A", "b", NULL, 0, RESTWAY_POLICY_ASSIGN));
    assert_refused(RELATIONSHIP(api, "A", "b", "A", 0x4u, RESTWAY_POLICY_ASSIGN));
    assert_refused(RELATIONSHIP(api, "A", "b", "A", 0, (restway_policy)3));
    assert_fails(
        RELATIONSHIP(api, "A", "b", "B", 0, RESTWAY_POLICY_REPLACE), RESTWAY_E_UNKNOWN_ENTITY,
        "B");
    assert_fails(
        RELATIONSHIP(api, "A", "a", "A", 0, RESTWAY_POLICY_ASSIGN), RESTWAY_E_DUPLICATE, "a");
    assert_refused(restway_api_set_identity(NULL, "A", "a", &failure));
    assert_refused(restway_api_set_identity(api, NULL, "a", &failure));
    assert_fails(
        restway_api_set_identity(api, "A", "b", &failure), RESTWAY_E_UNKNOWN_ATTRIBUTE, "b");
    assert_ok(restway_api_set_identity(api, "A", NULL, &failure));
    restway_api_release(api);
}

static const struct CMUnitTest tests[] = {
    TEST(transform__is_asked_on_a_worker_and_answers_with_a_copy),
    TEST(transform__that_fails_is_a_mapping_issue),
    TEST(transform__misused_answers_nothing),
    TEST(transform__added_wrongly_leaves_the_context_alone),
    TEST(entities__are_built_step_by_step),
    TEST(entities__steps_that_are_wrong),
};

const struct suite mapping_suite = SUITE(tests);

/* Hooks, which see the rows of a response before they are stored. */
#include <string.h>

#include "gate.h"
#include "probe.h"

#define DOCUMENT \
    "{\"restway\": 1, \"entities\": {" \
    "  \"Meeting\": {\"identity\": \"id\"," \
    "    \"attributes\": {\"id\": {\"type\": \"int\"}, \"title\": {\"type\": \"string\"}," \
    "      \"note\": {\"type\": \"string\"}}," \
    "    \"relationships\": {\"attendees\": {\"source\": \"attendee_ids\"," \
    "      \"entity\": \"Employee\", \"many\": true}}}," \
    "  \"Employee\": {\"identity\": \"id\"," \
    "    \"attributes\": {\"id\": {\"type\": \"int\"}, \"rank\": {\"type\": \"int\"}}," \
    "    \"relationships\": {\"meeting\": {\"entity\": \"Meeting\"}}}}," \
    "\"responses\": [" \
    "  {\"path\": \"meetings/:id\", \"entity\": \"Meeting\", \"hook\": \"family\"}," \
    "  {\"path\": \"employees/:id\", \"entity\": \"Employee\"}]}"

/** The context of the hooks in this file. */
struct asker {
    struct gate gate;
    restway_client *client;
    restway_object *object;
    restway_status found[16];
    size_t count;
    int text_is_kept;
    int was_right;
    struct probe cause;
};

static void end_asker(void *context) {
    gate_destroy(&((struct asker *)context)->gate);
}

static restway_client *client_with(restway_hook_fn hook, struct asker *asker) {
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    memset(asker, 0, sizeof(*asker));
    gate_begin(&asker->gate, NULL);
    assert_ok(restway_api_load(DOCUMENT, strlen(DOCUMENT), &api, &failure));
    assert_ok(restway_api_add_hook(api, "family", hook, asker, end_asker, &failure));
    options.base_url = demo_url();
    assert_ok(restway_client_create(api, &options, &client, &failure));
    restway_api_release(api);
    asker->client = client;
    return client;
}

static restway_object *find(restway_client *client, const char *entity, int64_t identity) {
    restway_store *store = restway_client_store(client);
    restway_value value = restway_value_int64(identity);
    restway_object *object = NULL;
    assert_ok(restway_store_find(store, entity, &value, &object, &failure));
    restway_store_release(store);
    return object;
}

static restway_status family(void *context, restway_rows *rows, restway_answer *answer) {
    struct asker *asker = context;
    const size_t *parents = NULL, *children = NULL;
    size_t parent_count = 0, child_count = 0;
    restway_value value, rank, note = restway_value_string("seen");
    (void)answer;
    restway_status status =
        restway_rows_result(rows, restway_rows_own_result(rows), &parents, &parent_count, NULL);
    asker->count = restway_rows_count(rows);
    for (size_t i = 0; i < parent_count && status == RESTWAY_OK; i++) {
        status = restway_rows_related(rows, parents[i], "attendees", &children, &child_count, NULL);
        for (size_t k = 0; k < child_count && status == RESTWAY_OK; k++) {
            rank = restway_value_int64((int64_t)k);
            status = restway_rows_relate(rows, children[k], "meeting", &parents[i], 1, NULL);
            if (status == RESTWAY_OK) {
                status = restway_rows_set(rows, children[k], "rank", &rank, NULL);
            }
        }
        asker->found[0] = restway_rows_get(rows, parents[i], "title", &value, NULL);
        asker->found[1] = restway_rows_set(rows, parents[i], "note", &note, NULL);
        asker->found[2] = restway_rows_get(rows, parents[i], "note", &rank, NULL);
        asker->was_right = rank.kind == RESTWAY_VALUE_STRING
            && strcmp(rank.as.text, "seen") == 0
            && strcmp(restway_rows_entity(rows, parents[i]), "Meeting") == 0
            && restway_rows_result_count(rows) == 1;
        /* A value that was read before the row changed is still valid. */
        asker->text_is_kept = value.kind == RESTWAY_VALUE_STRING
            && strlen(value.as.text) == value.length && value.length > 0;
    }
    return status;
}

static void hook__gives_each_child_its_parent(void **state) {
    (void)state;
    struct asker asker;
    restway_client *client = client_with(family, &asker);
    restway_response *response = fetch(client, "meetings/1");
    assert_int_equal(asker.count, 4);
    assert_int_equal(asker.found[0], RESTWAY_OK);
    assert_int_equal(asker.found[1], RESTWAY_OK);
    assert_int_equal(asker.found[2], RESTWAY_OK);
    assert_true(asker.was_right && asker.text_is_kept);
    assert_string_equal(
        restway_object_string(restway_response_object(response, 0), "note"), "seen");
    restway_store *store = restway_client_store(client);
    for (int64_t id = 1; id <= 3; id++) {
        restway_object *employee = find(client, "Employee", id);
        restway_list *meetings = NULL;
        assert_ok(restway_store_related(store, employee, "meeting", &meetings, &failure));
        assert_int_equal(restway_list_count(meetings), 1);
        assert_int_equal(restway_object_int64(restway_list_object(meetings, 0), "id", -1), 1);
        assert_int_equal(restway_object_int64(employee, "rank", -1), id - 1);
        restway_list_release(meetings);
        restway_object_release(employee);
    }
    restway_store_release(store);
    restway_response_release(response);
    restway_client_release(client);
    gate_expect_destroyed(&asker.gate, -1);
}

static restway_status refuse(void *context, restway_rows *rows, restway_answer *answer) {
    struct asker *asker = context;
    restway_value value = restway_value_int64(1);
    asker->count = restway_rows_count(rows);
    asker->found[0] = restway_answer_set_value(answer, &value, NULL);
    asker->found[1] = restway_answer_set_message(answer, "an orphan", NULL);
    return asker->found[2];
}

static void hook__that_fails_discards_the_response(void **state) {
    (void)state;
    struct asker asker;
    restway_client *client = client_with(refuse, &asker);
    restway_request *request = make_get("meetings/1");
    restway_store *store = restway_client_store(client);
    restway_value identity = restway_value_int64(1);
    restway_object *object = POISON;
    asker.found[2] = RESTWAY_E_NO_OBJECT;
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_NO_OBJECT,
        "an orphan");
    assert_int_equal(restway_error_domain(failure), RESTWAY_DOMAIN_MAPPING);
    forget_failure();
    assert_int_equal(asker.found[0], RESTWAY_E_INVALID_ARGUMENT);
    assert_int_equal(asker.found[1], RESTWAY_OK);
    assert_fails(
        restway_store_find(store, "Meeting", &identity, &object, &failure), RESTWAY_E_NO_OBJECT,
        "");
    /* This version does not define this status. */
    asker.found[2] = (restway_status)4711;
    assert_fails(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "family");
    restway_store_release(store);
    restway_request_release(request);
    restway_client_release(client);
    gate_expect_destroyed(&asker.gate, -1);
}

static restway_status refuse_for_a_cause(
    void *context, restway_rows *rows, restway_answer *answer) {
    struct asker *asker = context;
    (void)rows;
    asker->found[0] = restway_answer_set_cause(answer, NULL, NULL, NULL);
    asker->found[1] = restway_answer_set_cause(answer, &asker->cause, probe_destroy, NULL);
    return RESTWAY_E_MAPPING;
}

static void hook__attaches_a_cause_to_the_error_of_the_call(void **state) {
    (void)state;
    struct asker asker;
    restway_client *client = client_with(refuse_for_a_cause, &asker);
    restway_request *request = make_get("meetings/1");
    probe_begin(&asker.cause);
    assert_fails_keeping(
        restway_client_perform(client, request, 0, NULL, &failure), RESTWAY_E_MAPPING, "hook");
    assert_int_equal(asker.found[0], RESTWAY_OK);
    assert_int_equal(asker.found[1], RESTWAY_OK);
    assert_ptr_equal(restway_error_cause(failure), &asker.cause);
    assert_int_equal(asker.cause.destroyed_count, 0);
    forget_failure();
    restway_request_release(request);
    restway_client_release(client);
    gate_expect_destroyed(&asker.gate, -1);
    probe_expect_dropped(&asker.cause);
}

static restway_status link_known(void *context, restway_rows *rows, restway_answer *answer) {
    struct asker *asker = context;
    const restway_object *objects[1];
    (void)answer;
    objects[0] = asker->object;
    asker->found[0] = restway_rows_relate_objects(rows, 0, "attendees", objects, 1, NULL);
    asker->found[1] = restway_rows_relate_objects(rows, 1, "meeting", objects, 1, NULL);
    return RESTWAY_OK;
}

static void hook__links_rows_to_objects_of_the_store(void **state) {
    (void)state;
    struct asker asker;
    restway_client *client = client_with(link_known, &asker);
    restway_response_release(fetch(client, "employees/9"));
    asker.object = find(client, "Employee", 9);
    restway_response *response = fetch(client, "meetings/1");
    restway_store *store = restway_client_store(client);
    restway_list *attendees = NULL;
    assert_int_equal(asker.found[0], RESTWAY_OK);
    assert_int_equal(asker.found[1], RESTWAY_E_INVALID_ARGUMENT);
    assert_ok(restway_store_related(
        store, restway_response_object(response, 0), "attendees", &attendees, &failure));
    assert_int_equal(restway_list_count(attendees), 1);
    assert_int_equal(restway_object_int64(restway_list_object(attendees, 0), "id", -1), 9);
    restway_list_release(attendees);
    restway_store_release(store);
    restway_response_release(response);
    restway_object_release(asker.object);
    restway_client_release(client);
    gate_expect_destroyed(&asker.gate, -1);
}

static restway_status misuse(void *context, restway_rows *rows, restway_answer *answer) {
    struct asker *asker = context;
    restway_status *found = asker->found;
    const size_t *out = POISON;
    const size_t far[] = {99, 0};
    const restway_object *nobody[] = {NULL};
    size_t count = 99;
    restway_value value = restway_value_string("text");
    (void)answer;
    found[0] = restway_rows_get(rows, 99, "title", &value, NULL);
    found[1] = restway_rows_get(rows, 0, NULL, &value, NULL);
    found[2] = restway_rows_get(rows, 0, "title", NULL, NULL);
    found[3] = restway_rows_set(rows, 1, "rank", &value, NULL);
    value = restway_value_string("text");
    found[4] = restway_rows_set(rows, 1, "rank", &value, NULL);
    found[5] = restway_rows_set(rows, 1, "rank", NULL, NULL);
    found[6] = restway_rows_result(rows, 1, &out, &count, NULL);
    asker->was_right = out == NULL && count == 0 && restway_rows_entity(rows, 99) == NULL;
    found[7] = restway_rows_related(rows, 0, "attendees", NULL, &count, NULL);
    found[8] = restway_rows_relate(rows, 1, "meeting", far, 1, NULL);
    found[9] = restway_rows_relate(rows, 1, "meeting", far, 2, NULL);
    found[10] = restway_rows_relate(rows, 1, "meeting", NULL, 1, NULL);
    found[11] = restway_rows_relate(rows, 0, "attendees", far, SIZE_MAX, NULL);
    found[12] = restway_rows_relate_objects(rows, 1, "meeting", nobody, 1, NULL);
    found[13] = restway_rows_get(rows, 0, "titel", &value, NULL);
    found[14] = restway_rows_relate(rows, 1, "metting", far, 0, NULL);
    found[15] = restway_rows_relate(rows, 1, "meeting", NULL, 0, NULL);
    return RESTWAY_OK;
}

static void hook__misused_changes_nothing(void **state) {
    (void)state;
    struct asker asker;
    restway_client *client = client_with(misuse, &asker);
    restway_response_release(fetch(client, "meetings/1"));
    for (int index = 0; index < 13; index++) {
        if (index != 3) {
            assert_int_equal(asker.found[index], RESTWAY_E_INVALID_ARGUMENT);
        }
    }
    assert_int_equal(asker.found[13], RESTWAY_E_UNKNOWN_ATTRIBUTE);
    assert_int_equal(asker.found[14], RESTWAY_E_UNKNOWN_ATTRIBUTE);
    assert_int_equal(asker.found[15], RESTWAY_OK);
    assert_true(asker.was_right);
    restway_client_release(client);
    gate_expect_destroyed(&asker.gate, -1);
}

static void rows__of_null(void **state) {
    (void)state;
    const size_t *out = POISON;
    size_t count = 99;
    restway_value value = restway_value_int64(1);
    assert_int_equal(restway_rows_count(NULL), 0);
    assert_int_equal(restway_rows_result_count(NULL), 0);
    assert_int_equal(restway_rows_own_result(NULL), 0);
    assert_null(restway_rows_entity(NULL, 0));
    assert_refused(restway_rows_result(NULL, 0, &out, &count, &failure));
    assert_null(out);
    assert_refused(restway_rows_related(NULL, 0, "a", &out, &count, &failure));
    assert_refused(restway_rows_get(NULL, 0, "a", &value, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_NULL);
    assert_refused(restway_rows_set(NULL, 0, "a", &value, &failure));
    assert_refused(restway_rows_relate(NULL, 0, "a", NULL, 0, &failure));
    assert_refused(restway_rows_relate_objects(NULL, 0, "a", NULL, 0, &failure));
}

/** Appends the index of its descriptor to the earlier ones, as decimal digits. */
static restway_status note_own_result(void *context, restway_rows *rows, restway_answer *answer) {
    struct asker *asker = context;
    (void)answer;
    asker->count = asker->count * 10 + restway_rows_own_result(rows) + 1;
    return RESTWAY_OK;
}

static void hook__of_a_route_and_of_a_descriptor_are_asked_in_their_order(void **state) {
    (void)state;
    static const char route[] =
        "{\"path\": \"meetings/:id\","
        " \"response\": [{\"entity\": \"Employee\", \"keyPath\": \"attendee_ids\"},"
        "  {\"entity\": \"Meeting\", \"hook\": \"own\"}]}";
    struct asker asker;
    restway_client *client = NULL;
    restway_request *request = NULL;
    restway_value id = restway_value_int64(1);
    restway_api *api = NULL;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    memset(&asker, 0, sizeof(asker));
    assert_ok(restway_api_load(DOCUMENT, strlen(DOCUMENT), &api, &failure));
    assert_ok(restway_api_add_hook(api, "family", note_own_result, &asker, NULL, &failure));
    options.base_url = demo_url();
    assert_ok(restway_client_create(api, &options, &client, &failure));
    /* Routes may be added to a frozen api, together with the hooks that they name. */
    assert_ok(restway_api_add_hook(api, "own", note_own_result, &asker, NULL, &failure));
    assert_ok(restway_api_add_route(api, "meeting", route, strlen(route), 0, &failure));
    restway_response_release(fetch(client, "employees/1"));
    assert_int_equal(asker.count, 0);
    assert_ok(restway_request_create_route(NULL, "meeting", &request, &failure));
    assert_ok(restway_request_set_variable(request, "id", &id, &failure));
    assert_ok(restway_client_perform(client, request, 0, NULL, &failure));
    assert_int_equal(asker.count, 23);
    restway_request_release(request);
    restway_client_release(client);
    restway_api_release(api);
}

static void hook__added_wrongly_leaves_the_context_alone(void **state) {
    (void)state;
    struct asker asker;
    restway_api *api = NULL;
    memset(&asker, 0, sizeof(asker));
    gate_begin(&asker.gate, NULL);
    assert_ok(restway_api_load(DOCUMENT, strlen(DOCUMENT), &api, &failure));
    assert_refused(restway_api_add_hook(NULL, "family", family, &asker, end_asker, &failure));
    assert_refused(restway_api_add_hook(api, NULL, family, &asker, end_asker, &failure));
    assert_refused(restway_api_add_hook(api, "", family, &asker, end_asker, &failure));
    assert_refused(restway_api_add_hook(api, "family", NULL, &asker, end_asker, &failure));
    assert_ok(restway_api_add_hook(api, "family", family, NULL, NULL, &failure));
    assert_fails(
        restway_api_add_hook(api, "family", family, &asker, end_asker, &failure),
        RESTWAY_E_DUPLICATE, "family");
    restway_api_release(api);
    assert_true(gate_is_alive(&asker.gate));
}

static const struct CMUnitTest tests[] = {
    TEST(hook__gives_each_child_its_parent),
    TEST(hook__that_fails_discards_the_response),
    TEST(hook__attaches_a_cause_to_the_error_of_the_call),
    TEST(hook__links_rows_to_objects_of_the_store),
    TEST(hook__misused_changes_nothing),
    TEST(rows__of_null),
    TEST(hook__of_a_route_and_of_a_descriptor_are_asked_in_their_order),
    TEST(hook__added_wrongly_leaves_the_context_alone),
};

const struct suite hook_suite = SUITE(tests);

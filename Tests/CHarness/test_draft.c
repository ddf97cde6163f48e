/* Drafts: their values, and the values that they refuse. */
#include <string.h>

#include "drafting.h"

static void expect_changes(restway_draft *draft, size_t count, const char **names) {
    const char *found[16];
    size_t found_count = 99;
    assert_ok(restway_draft_changes(draft, found, 16, &found_count, &failure));
    assert_int_equal(found_count, count);
    for (size_t index = 0; index < count; index++) {
        assert_string_equal(found[index], names[index]);
    }
}

static void draft__says_what_was_set_and_what_its_object_says(void **state) {
    (void)state;
    struct drafting own = drafting_begin(0);
    restway_response *response = fetch(own.client, "enterprises/3");
    restway_object *object = restway_response_object(response, 0);
    restway_draft *draft = NULL;
    restway_object *snapshot = NULL;
    assert_ok(restway_draft_copy(own.store, object, &draft, &failure));
    assert_string_equal(restway_draft_entity(draft), "Enterprise");
    assert_true(restway_draft_store_key(draft) == restway_object_store_key(object));
    expect_changes(draft, 0, NULL);
    set_text(draft, "name", "Draughty");
    restway_value list = restway_value_null();
    restway_value texts[2];
    texts[0] = restway_value_string("a");
    texts[1] = restway_value_int64(2);
    list.kind = RESTWAY_VALUE_LIST;
    list.length = 2;
    list.as.list = texts;
    assert_ok(restway_draft_set(draft, "tags", &list, &failure));
    const char *names[] = {"name", "tags"};
    expect_changes(draft, 2, names);
    size_t count = 0;
    const char *first = NULL;
    assert_ok(restway_draft_changes(draft, &first, 1, &count, &failure));
    assert_string_equal(first, "name");
    assert_int_equal(count, 2);
    assert_ok(restway_draft_snapshot(draft, &snapshot, &failure));
    assert_string_equal(restway_object_string(snapshot, "name"), "Draughty");
    assert_int_equal(restway_object_int64(snapshot, "id", 0), 3);
    assert_int_equal(restway_object_is_same(snapshot, object), 1);
    restway_value value;
    assert_ok(restway_object_get(snapshot, "tags", &value, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_JSON);
    assert_string_equal(value.as.text, "[\"a\",2]");
    assert_string_not_equal(restway_object_string(object, "name"), "Draughty");
    assert_ok(restway_draft_revert(draft, "name", &failure));
    assert_ok(restway_draft_unset(draft, "city", &failure));
    expect_changes(draft, 1, names + 1);
    assert_ok(restway_draft_revert(draft, NULL, &failure));
    expect_changes(draft, 0, NULL);
    restway_object_release(snapshot);
    restway_draft_release(draft);
    restway_response_release(response);
    drafting_end(&own);
}

static void draft_insert__puts_linked_drafts_into_the_store(void **state) {
    (void)state;
    struct drafting own = drafting_begin(0);
    restway_draft *enterprise = drafted(&own, "Enterprise");
    restway_draft *person = drafted(&own, "Employee");
    restway_object *inserted = NULL;
    restway_object *employee = NULL;
    restway_object *found = NULL;
    set_text(enterprise, "name", "Circular");
    assert_ok(restway_draft_add_draft(enterprise, "staff", person, &failure));
    assert_ok(restway_draft_add_draft(person, "enterprise", enterprise, &failure));
    assert_true(restway_draft_store_key(enterprise) == 0);
    assert_ok(restway_draft_insert(enterprise, &inserted, &failure));
    assert_true(restway_draft_store_key(enterprise) == restway_object_store_key(inserted));
    assert_ok(
        restway_store_related_one(own.store, inserted, "staff", &employee, &failure));
    assert_true(restway_draft_store_key(person) == restway_object_store_key(employee));
    assert_ok(
        restway_store_related_one(own.store, employee, "enterprise", &found, &failure));
    assert_int_equal(restway_object_is_same(found, inserted), 1);
    assert_int_equal(stored(&own, NULL), 2);

    /* The objects are removed and added again. */
    assert_ok(restway_draft_remove(enterprise, "staff", employee, &failure));
    assert_ok(restway_draft_remove_draft(enterprise, "staff", person, &failure));
    assert_ok(restway_draft_insert(enterprise, NULL, &failure));
    restway_object_release(found);
    found = NULL;
    assert_fails(
        restway_store_related_one(own.store, inserted, "nobody", &found, &failure),
        RESTWAY_E_UNKNOWN_ATTRIBUTE, "nobody");
    assert_ok(restway_store_newest(own.store, inserted, &found, &failure));
    restway_object_release(inserted);
    inserted = NULL;
    assert_fails(
        restway_store_related_one(own.store, found, "staff", &inserted, &failure),
        RESTWAY_E_NO_OBJECT, "");
    assert_ok(restway_draft_add(enterprise, "staff", employee, &failure));
    restway_value link = restway_value_null();
    assert_ok(restway_draft_set(person, "enterprise", &link, &failure));
    link.kind = RESTWAY_VALUE_OBJECT;
    link.as.object = found;
    assert_ok(restway_draft_set(person, "enterprise", &link, &failure));
    assert_ok(restway_store_delete_all(own.store, "Enterprise", NULL, &failure));
    assert_fails(restway_draft_insert(enterprise, NULL, &failure), RESTWAY_E_NO_OBJECT, "");
    restway_object_release(found);
    restway_object_release(employee);
    restway_draft_release(enterprise);
    restway_draft_release(person);
    drafting_end(&own);
}

static void draft_set__refuses_what_does_not_fit(void **state) {
    (void)state;
    struct drafting own = drafting_begin(0);
    struct drafting other = drafting_begin(0);
    restway_draft *draft = drafted(&own, "Enterprise");
    restway_draft *stranger = drafted(&other, "Employee");
    restway_draft *copy = POISON;
    restway_response *response = fetch(own.client, "enterprises/3");
    restway_object *object = restway_response_object(response, 0);
    restway_value value = restway_value_string("3");
    assert_fails(
        restway_draft_set(draft, "id", &value, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "Enterprise.id takes an integer, not a string");
    assert_fails(
        restway_draft_set(draft, "nam", &value, &failure), RESTWAY_E_UNKNOWN_ATTRIBUTE, "name");
    assert_fails(
        restway_draft_set(draft, "staff", &value, &failure), RESTWAY_E_INVALID_ARGUMENT, "staff");
    value = restway_value_date(0);
    assert_refused(restway_draft_set(draft, "name", &value, &failure));
    assert_refused(restway_draft_set(draft, "tags", &value, &failure));
    /* An attribute without a declared type takes any value. */
    assert_ok(restway_draft_set(draft, "website", &value, &failure));
    assert_ok(restway_draft_revert(draft, "website", &failure));
    value.kind = RESTWAY_VALUE_OBJECT;
    value.as.object = object;
    assert_refused(restway_draft_set(draft, "name", &value, &failure));
    assert_fails(
        restway_draft_set(draft, "owner", &value, &failure), RESTWAY_E_INVALID_ARGUMENT, "Person");
    value.kind = 99;
    assert_refused(restway_draft_set(draft, "name", &value, &failure));
    assert_refused(restway_draft_add(draft, "staff", object, &failure));
    assert_refused(restway_draft_remove(draft, "staff", object, &failure));
    assert_fails(
        restway_draft_add(draft, "name", object, &failure), RESTWAY_E_UNKNOWN_ATTRIBUTE, "name");
    assert_refused(restway_draft_add_draft(draft, "staff", stranger, &failure));
    assert_refused(restway_draft_copy(other.store, object, &copy, &failure));
    assert_null(copy);
    assert_ok(restway_draft_copy(own.store, object, &copy, &failure));
    value = restway_value_int64(4);
    assert_fails(
        restway_draft_set(copy, "id", &value, &failure), RESTWAY_E_INVALID_ARGUMENT, "identity");
    expect_changes(draft, 0, NULL);
    restway_draft_release(copy);
    restway_draft_release(stranger);
    restway_draft_release(draft);
    restway_response_release(response);
    drafting_end(&other);
    drafting_end(&own);
}

static void draft_relate__leads_to_objects_and_drafts_in_one_step(void **state) {
    (void)state;
    struct drafting own = drafting_begin(0);
    struct drafting other = drafting_begin(0);
    restway_draft *draft = drafted(&own, "Enterprise");
    restway_draft *stranger = drafted(&other, "Employee");
    restway_draft *drafts[3] = {NULL, drafted(&own, "Employee"), NULL};
    restway_draft *person = drafted(&own, "Person");
    restway_object *employee = NULL, *last = NULL, *snapshot = NULL;
    assert_ok(restway_draft_insert(drafts[1], &employee, &failure));
    restway_draft *third = drafted(&own, "Employee");
    assert_ok(restway_draft_insert(third, &last, &failure));
    /* The first object is the object of the second draft, which replaces it. */
    const restway_object *objects[3] = {last, NULL, employee};
    assert_ok(restway_draft_relate(draft, "staff", objects, drafts, 3, &failure));
    assert_ok(restway_draft_snapshot(draft, &snapshot, &failure));
    const int64_t *keys = NULL;
    size_t count = 99;
    uint32_t kind = 99;
    assert_ok(restway_object_related_keys(snapshot, "staff", &kind, &keys, &count, &failure));
    assert_int_equal(count, 2);
    assert_true(keys[0] == restway_object_store_key(last));
    assert_true(keys[1] == restway_object_store_key(employee));
    restway_object_release(snapshot);

    /* A refused change changes nothing. */
    restway_draft *wrong[3] = {NULL, stranger, NULL};
    assert_fails(
        restway_draft_relate(draft, "staff", objects, wrong, 3, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "drafts[1] is a draft for another store");
    wrong[1] = person;
    assert_fails(
        restway_draft_relate(draft, "staff", objects, wrong, 3, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "Employee");
    assert_fails(
        restway_draft_relate(draft, "staff", objects, NULL, 3, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "either an object or a draft");
    objects[1] = employee;
    assert_refused(restway_draft_relate(draft, "staff", objects, drafts, 3, &failure));
    assert_refused(restway_draft_relate(draft, "staff", NULL, NULL, 1, &failure));
    assert_refused(restway_draft_relate(draft, "staff", objects, NULL, SIZE_MAX, &failure));
    assert_refused(restway_draft_relate(draft, NULL, NULL, NULL, 0, &failure));
    assert_refused(restway_draft_relate(NULL, "staff", NULL, NULL, 0, &failure));
    assert_fails(
        restway_draft_relate(draft, "name", NULL, NULL, 0, &failure),
        RESTWAY_E_UNKNOWN_ATTRIBUTE, "name");
    restway_draft *people[2] = {person, person};
    assert_fails(
        restway_draft_relate(draft, "owner", NULL, people, 2, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "one object");
    assert_ok(restway_draft_snapshot(draft, &snapshot, &failure));
    assert_ok(restway_object_related_keys(snapshot, "staff", &kind, &keys, &count, &failure));
    assert_int_equal(count, 2);
    restway_object_release(snapshot);

    assert_ok(restway_draft_relate(draft, "staff", NULL, NULL, 0, &failure));
    assert_ok(restway_draft_relate(draft, "owner", NULL, NULL, 0, &failure));
    assert_ok(restway_draft_snapshot(draft, &snapshot, &failure));
    assert_ok(restway_object_related_keys(snapshot, "staff", &kind, &keys, &count, &failure));
    assert_int_equal(kind, RESTWAY_VALUE_LIST);
    assert_int_equal(count, 0);
    assert_ok(restway_object_related_keys(snapshot, "owner", &kind, &keys, &count, &failure));
    assert_int_equal(kind, RESTWAY_VALUE_NULL);
    restway_object_release(snapshot);
    restway_object_release(employee);
    restway_object_release(last);
    restway_draft_release(person);
    restway_draft_release(third);
    restway_draft_release(drafts[1]);
    restway_draft_release(stranger);
    restway_draft_release(draft);
    drafting_end(&other);
    drafting_end(&own);
}

/** A draft belongs to the store of a client, which froze the api, so no draft has an older form of
 *  its entity. */
static void draft__is_of_an_entity_that_no_longer_changes(void **state) {
    (void)state;
    static const char document[] =
        "{\"restway\": 1, \"entities\": {\"Thing\": {\"attributes\": {\"name\": {}}}}}";
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = NULL;
    restway_client *client = NULL;
    assert_ok(restway_api_load(document, strlen(document), &api, &failure));
    assert_ok(restway_api_add_attribute(
        api, "Thing", "late", NULL, RESTWAY_TYPE_STRING, NULL, NULL, &failure));
    options.base_url = "http://127.0.0.1:1";
    assert_ok(restway_client_create(api, &options, &client, &failure));
    struct drafting own = {client, restway_client_store(client)};
    restway_draft *draft = drafted(&own, "Thing");
    assert_fails(
        restway_api_add_attribute(
            api, "Thing", "later", NULL, RESTWAY_TYPE_STRING, NULL, NULL, &failure),
        RESTWAY_E_FROZEN, "");
    set_text(draft, "late", "there");
    assert_ok(restway_draft_insert(draft, NULL, &failure));
    restway_draft_release(draft);
    restway_api_release(api);
    drafting_end(&own);
}

static void draft_functions__of_null(void **state) {
    (void)state;
    struct drafting own = drafting_begin(0);
    restway_draft *draft = drafted(&own, "Enterprise");
    restway_draft *made = POISON;
    restway_object *object = POISON;
    restway_request *request = POISON;
    restway_value value = restway_value_null();
    size_t count = 99;
    assert_null(restway_draft_retain(NULL));
    restway_draft_release(NULL);
    assert_null(restway_draft_entity(NULL));
    assert_true(restway_draft_store_key(NULL) == 0);
    assert_refused(restway_draft_create(NULL, "Enterprise", &made, &failure));
    assert_null(made);
    assert_refused(restway_draft_create(own.store, NULL, &made, &failure));
    assert_refused(restway_draft_create(own.store, "Enterprise", NULL, &failure));
    assert_fails(
        restway_draft_create(own.store, "Enterprize", &made, &failure), RESTWAY_E_UNKNOWN_ENTITY,
        "Enterprise");
    assert_refused(restway_draft_copy(own.store, NULL, &made, &failure));
    assert_refused(restway_draft_set(NULL, "name", &value, &failure));
    assert_refused(restway_draft_set(draft, NULL, &value, &failure));
    assert_refused(restway_draft_set(draft, BAD_UTF8, &value, &failure));
    assert_refused(restway_draft_set(draft, "name", NULL, &failure));
    assert_refused(restway_draft_add(NULL, "staff", NULL, &failure));
    assert_refused(restway_draft_add(draft, "staff", NULL, &failure));
    assert_refused(restway_draft_add_draft(draft, "staff", NULL, &failure));
    assert_refused(restway_draft_add_draft(draft, NULL, draft, &failure));
    assert_refused(restway_draft_remove(draft, "staff", NULL, &failure));
    assert_refused(restway_draft_remove_draft(draft, "staff", NULL, &failure));
    assert_refused(restway_draft_unset(NULL, "name", &failure));
    assert_refused(restway_draft_unset(draft, NULL, &failure));
    assert_refused(restway_draft_revert(NULL, NULL, &failure));
    assert_refused(restway_draft_changes(NULL, NULL, 0, &count, &failure));
    assert_int_equal(count, 0);
    assert_refused(restway_draft_changes(draft, NULL, 3, &count, &failure));
    assert_ok(restway_draft_changes(draft, NULL, 0, NULL, NULL));
    assert_refused(restway_draft_snapshot(NULL, &object, &failure));
    assert_null(object);
    assert_refused(restway_draft_snapshot(draft, NULL, &failure));
    object = POISON;
    assert_refused(restway_draft_insert(NULL, &object, &failure));
    assert_null(object);
    assert_refused(restway_request_create_draft("POST", NULL, &request, &failure));
    assert_null(request);
    assert_refused(restway_request_create_draft(NULL, draft, &request, &failure));
    assert_ok(restway_request_create("POST", "echo", &request, &failure));
    assert_refused(restway_request_set_object(request, NULL, &failure));
    assert_refused(restway_request_set_draft(request, NULL, &failure));
    assert_refused(restway_request_set_draft(NULL, draft, &failure));
    assert_refused(restway_client_set_exclusion(NULL, NULL, NULL, NULL, &failure));
    assert_refused(restway_api_add_request(NULL, "{}", 2, &failure));
    restway_request_release(request);
    restway_draft_release(draft);
    drafting_end(&own);
}

static const struct CMUnitTest tests[] = {
    TEST(draft__says_what_was_set_and_what_its_object_says),
    TEST(draft_insert__puts_linked_drafts_into_the_store),
    TEST(draft_set__refuses_what_does_not_fit),
    TEST(draft_relate__leads_to_objects_and_drafts_in_one_step),
    TEST(draft__is_of_an_entity_that_no_longer_changes),
    TEST(draft_functions__of_null),
};

const struct suite draft_suite = SUITE(tests);

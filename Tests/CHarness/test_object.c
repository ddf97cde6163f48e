/* Objects: attributes of every kind, identity, absent and null values. Enterprise 3 of the demo
 * API. */
#include <string.h>

#include "harness.h"

/** 2013-08-17T00:00:00Z. */
static const int64_t creation_microseconds = INT64_C(1376697600000000);

static restway_value get(const restway_object *object, const char *name) {
    restway_value value;
    memset(&value, 0x5a, sizeof(value));
    assert_ok(restway_object_get(object, name, &value, &failure));
    return value;
}

static void object_get__of_every_kind(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    restway_client_release(client);
    restway_value value = get(object, "itemID");
    assert_int_equal(value.kind, RESTWAY_VALUE_INT64);
    assert_int_equal(value.as.integer, 3);
    value = get(object, "name");
    assert_int_equal(value.kind, RESTWAY_VALUE_STRING);
    assert_string_equal(value.as.text, "Nordlicht Books Inc.");
    assert_int_equal(value.length, strlen("Nordlicht Books Inc."));
    assert_string_equal(get(object, "streetNumber").as.text, "139b");
    value = get(object, "creationDate");
    assert_int_equal(value.kind, RESTWAY_VALUE_DATE);
    assert_true(value.as.integer == creation_microseconds);
    value = get(object, "rating");
    assert_int_equal(value.kind, RESTWAY_VALUE_DOUBLE);
    assert_true(value.as.real == 0.1);
    value = get(object, "active");
    assert_int_equal(value.kind, RESTWAY_VALUE_BOOL);
    assert_int_equal(value.as.integer, 1);
    value = get(object, "tags");
    assert_int_equal(value.kind, RESTWAY_VALUE_JSON);
    assert_string_equal(value.as.text, "[\"b2b\",\"wholesale\"]");
    assert_int_equal(value.length, strlen(value.as.text));
    assert_int_equal(get(object, "website").kind, RESTWAY_VALUE_NULL);
    assert_int_equal(get(object, "unseen").kind, RESTWAY_VALUE_ABSENT);
    restway_object_release(object);
}

static void object_get__of_an_unknown_attribute(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    restway_value value;
    memset(&value, 0x5a, sizeof(value));
    assert_fails(
        restway_object_get(object, "nothing", &value, &failure), RESTWAY_E_UNKNOWN_ATTRIBUTE,
        "nothing");
    assert_int_equal(value.kind, RESTWAY_VALUE_NULL);
    assert_int_equal(value.length, 0);
    restway_object_release(object);
    restway_client_release(client);
}

static void object__short_forms_read_or_fall_back(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    assert_string_equal(restway_object_string(object, "name"), "Nordlicht Books Inc.");
    assert_null(restway_object_string(object, "itemID"));
    assert_null(restway_object_string(object, "website"));
    assert_null(restway_object_string(object, "unseen"));
    assert_null(restway_object_string(object, "nothing"));
    assert_int_equal(restway_object_int64(object, "itemID", -1), 3);
    assert_int_equal(restway_object_int64(object, "active", -1), 1);
    assert_true(restway_object_int64(object, "creationDate", -1) == creation_microseconds);
    assert_int_equal(restway_object_int64(object, "rating", -1), -1);
    assert_int_equal(restway_object_int64(object, "nothing", -1), -1);
    assert_true(restway_object_double(object, "rating", -1) == 0.1);
    assert_true(restway_object_double(object, "employeeCount", -1) == 11);
    assert_true(restway_object_double(object, "name", -1) == -1);
    assert_true(restway_object_double(object, "website", -1) == -1);
    restway_object_release(object);
    restway_client_release(client);
}

static void object_read__fills_many_at_once(void **state) {
    (void)state;
    enum { ATTRIBUTES_MAX = 32 };
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    restway_value values[ATTRIBUTES_MAX];
    size_t count = restway_object_attribute_count(object);
    assert_int_equal(count, 10);
    assert_ok(restway_object_read(object, NULL, count, values, &failure));
    for (size_t index = 0; index < count; index++) {
        const char *name = restway_object_attribute_name(object, index);
        restway_value single = get(object, name);
        assert_int_equal(restway_object_attribute_index(object, name), (int)index);
        assert_int_equal(values[index].kind, single.kind);
        assert_int_equal(values[index].length, single.length);
        assert_true(values[index].as.integer == single.as.integer);
    }
    uint32_t indices[3] = {1, 0, 1};
    assert_ok(restway_object_read(object, indices, 3, values, &failure));
    assert_int_equal(values[1].as.integer, 3);
    assert_ptr_equal(values[0].as.text, values[2].as.text);
    restway_object_release(object);
    restway_client_release(client);
}

static void object_read__of_an_index_out_of_range(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    restway_value values[16];
    uint32_t indices[2] = {0, 10};
    memset(values, 0x5a, sizeof(values));
    assert_fails(
        restway_object_read(object, indices, 2, values, &failure), RESTWAY_E_UNKNOWN_ATTRIBUTE,
        "10");
    assert_int_equal(values[0].kind, RESTWAY_VALUE_NULL);
    assert_int_equal(values[1].kind, RESTWAY_VALUE_NULL);
    indices[1] = UINT32_MAX;
    assert_fails(
        restway_object_read(object, indices, 2, values, &failure), RESTWAY_E_UNKNOWN_ATTRIBUTE,
        "");
    assert_fails(
        restway_object_read(object, NULL, 11, values, &failure), RESTWAY_E_UNKNOWN_ATTRIBUTE, "");
    restway_object_release(object);
    restway_client_release(client);
}

static void object_attribute__names_and_indexes(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    assert_string_equal(restway_object_attribute_name(object, 0), "itemID");
    assert_string_equal(restway_object_attribute_name(object, 9), "unseen");
    assert_null(restway_object_attribute_name(object, 10));
    assert_null(restway_object_attribute_name(object, SIZE_MAX));
    assert_int_equal(restway_object_attribute_index(object, "nothing"), -1);
    assert_int_equal(restway_object_attribute_index(object, ""), -1);
    restway_object_release(object);
    restway_client_release(client);
}

static void object_identity__is_the_declared_attribute(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_object *object = fetch_enterprise(client);
    restway_value value;
    assert_ok(restway_object_identity(object, &value, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_INT64);
    assert_int_equal(value.as.integer, 3);
    assert_true(restway_object_store_key(object) > 0);
    restway_object_release(object);
    restway_client_release(client);
}

static void object__without_an_identity_is_new_each_time(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *one = fetch(client, "status");
    restway_response *two = fetch(client, "status");
    restway_object *first = restway_response_object(one, 0);
    restway_object *second = restway_response_object(two, 0);
    restway_value value = restway_value_int64(7);
    assert_string_equal(restway_object_entity(first), "Note");
    assert_string_equal(restway_object_string(first, "status"), "ok");
    assert_ok(restway_object_identity(first, &value, &failure));
    assert_int_equal(value.kind, RESTWAY_VALUE_NULL);
    assert_true(restway_object_store_key(first) != restway_object_store_key(second));
    assert_int_equal(restway_object_is_same(first, second), 0);
    assert_int_equal(restway_object_is_same(first, first), 1);
    restway_response_release(one);
    restway_response_release(two);
    restway_client_release(client);
}

static void object_is_equal__across_clients_by_every_value(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = make_api();
    restway_client *one = NULL, *two = NULL;
    options.base_url = demo_url();
    assert_ok(restway_client_create(api, &options, &one, &failure));
    assert_ok(restway_client_create(api, &options, &two, &failure));
    restway_api_release(api);
    restway_object *a = fetch_enterprise(one);
    restway_object *b = fetch_enterprise(two);
    assert_int_equal(restway_object_is_equal(a, b), 1);
    assert_true(restway_object_hash(a) == restway_object_hash(b));
    assert_int_equal(restway_object_is_equal(a, NULL), 0);
    assert_int_equal(restway_object_is_equal(NULL, a), 0);
    assert_int_equal(restway_object_is_equal(NULL, NULL), 0);
    assert_true(restway_object_hash(NULL) == 0);
    /* Each client has a store of its own. */
    assert_int_equal(restway_object_is_same(a, b), 0);
    assert_int_equal(restway_object_is_same(a, a), 1);
    assert_int_equal(restway_object_is_same(a, NULL), 0);
    assert_int_equal(restway_object_is_same(NULL, a), 0);
    assert_int_equal(restway_object_is_same(NULL, NULL), 0);
    restway_object_release(a);
    restway_object_release(b);
    restway_client_release(one);
    restway_client_release(two);
}

static void object_is_same__never_across_apis(void **state) {
    (void)state;
    /* Two loads of one document make two apis. */
    restway_client *one = make_client();
    restway_client *two = make_client();
    restway_object *a = fetch_enterprise(one);
    restway_object *b = fetch_enterprise(two);
    assert_int_equal(restway_object_is_same(a, b), 0);
    assert_int_equal(restway_object_is_same(b, a), 0);
    assert_int_equal(restway_object_is_equal(a, b), 0);
    restway_object_release(a);
    restway_object_release(b);
    restway_client_release(one);
    restway_client_release(two);
}

static void object_is_same__without_an_identity_only_in_one_store(void **state) {
    (void)state;
    restway_client_options options = RESTWAY_CLIENT_OPTIONS_INIT;
    restway_api *api = make_api();
    restway_client *one = NULL, *two = NULL;
    options.base_url = demo_url();
    assert_ok(restway_client_create(api, &options, &one, &failure));
    assert_ok(restway_client_create(api, &options, &two, &failure));
    restway_api_release(api);
    restway_response *a = fetch(one, "status");
    restway_response *b = fetch(two, "status");
    restway_object *first = restway_response_object(a, 0);
    restway_object *second = restway_response_object(b, 0);
    assert_true(restway_object_store_key(first) != restway_object_store_key(second));
    assert_int_equal(restway_object_is_same(first, second), 0);
    restway_response_release(a);
    restway_response_release(b);
    restway_client_release(one);
    restway_client_release(two);
}

static void object_release__of_null_is_fine(void **state) {
    (void)state;
    assert_null(restway_object_retain(NULL));
    restway_object_release(NULL);
}

static const struct CMUnitTest tests[] = {
    TEST(object_get__of_every_kind),
    TEST(object_get__of_an_unknown_attribute),
    TEST(object__short_forms_read_or_fall_back),
    TEST(object_read__fills_many_at_once),
    TEST(object_read__of_an_index_out_of_range),
    TEST(object_attribute__names_and_indexes),
    TEST(object_identity__is_the_declared_attribute),
    TEST(object__without_an_identity_is_new_each_time),
    TEST(object_is_equal__across_clients_by_every_value),
    TEST(object_is_same__never_across_apis),
    TEST(object_is_same__without_an_identity_only_in_one_store),
    TEST(object_release__of_null_is_fine),
};

const struct suite object_suite = SUITE(tests);

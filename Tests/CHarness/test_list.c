/* Lists of objects: their elements, and many attributes of many objects at once. */
#include <string.h>

#include "graph.h"

/** Meetings 1 to 5 of the demo API. */
static restway_list *fetch_meetings(restway_client *client) {
    restway_response *response = fetch(client, "meetings?page=1&per_page=5");
    restway_list *list = restway_response_list(response);
    restway_response_release(response);
    assert_int_equal(restway_list_count(list), 5);
    return list;
}

static void list__keeps_its_objects_alive(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_list *list = fetch_meetings(client);
    restway_client_release(client);
    expect_identities(list, 5, (const int64_t[]){1, 2, 3, 4, 5});
    assert_null(restway_list_object(list, 5));
    assert_null(restway_list_object(list, SIZE_MAX));
    restway_object *last = restway_object_retain(restway_list_object(list, 4));
    restway_list *same = restway_list_retain(list);
    assert_ptr_equal(same, list);
    restway_list_release(list);
    assert_int_equal(restway_list_count(same), 5);
    restway_list_release(same);
    assert_int_equal(restway_object_int64(last, "id", -1), 5);
    restway_object_release(last);
}

static void list_read__fills_row_after_row(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_list *list = fetch_meetings(client);
    restway_value values[9];
    static const uint32_t columns[] = {1, 0};
    memset(values, 0x5a, sizeof(values));
    restway_value untouched = values[8];
    assert_ok(restway_list_read(list, 1, 4, columns, 2, values, &failure));
    for (size_t row = 0; row < 4; row++) {
        const restway_object *object = restway_list_object(list, row + 1);
        assert_int_equal(values[row * 2].kind, RESTWAY_VALUE_STRING);
        assert_ptr_equal(values[row * 2].as.text, restway_object_string(object, "title"));
        assert_int_equal(values[row * 2 + 1].as.integer, (int64_t)row + 2);
    }
    assert_memory_equal(&values[8], &untouched, sizeof(untouched));
    assert_ok(restway_list_read(list, 0, 3, NULL, 3, values, &failure));
    assert_int_equal(values[0].as.integer, 1);
    assert_int_equal(values[2].kind, RESTWAY_VALUE_DATE);
    assert_int_equal(values[6].as.integer, 3);
    restway_list_release(list);
    restway_client_release(client);
}

static void list_read__of_what_is_out_of_range(void **state) {
    (void)state;
    restway_client *client = make_graph_client(RESTWAY_DELIVERY_THREAD);
    restway_list *list = fetch_meetings(client);
    restway_value values[16];
    static const uint32_t columns[] = {0, 3};
    memset(values, 0x5a, sizeof(values));
    assert_fails(
        restway_list_read(list, 0, 5, columns, 2, values, &failure),
        RESTWAY_E_UNKNOWN_ATTRIBUTE, "3");
    for (size_t index = 0; index < 10; index++) {
        assert_int_equal(values[index].kind, RESTWAY_VALUE_NULL);
    }
    assert_refused(restway_list_read(list, 1, 5, NULL, 1, values, &failure));
    assert_refused(restway_list_read(list, 6, 1, NULL, 1, values, &failure));
    assert_refused(restway_list_read(list, SIZE_MAX, 2, NULL, 1, values, &failure));
    assert_refused(restway_list_read(list, 0, SIZE_MAX, NULL, 1, values, &failure));
    assert_refused(restway_list_read(list, 0, 5, NULL, SIZE_MAX, values, &failure));
    assert_refused(restway_list_read(list, 0, SIZE_MAX / 4, NULL, 16, values, &failure));
    assert_ok(restway_list_read(list, 0, 0, NULL, 1, NULL, &failure));
    assert_ok(restway_list_read(list, 0, 1, NULL, 0, NULL, &failure));
    restway_list_release(list);
    restway_client_release(client);
}

static void response_list__holds_what_the_response_holds(void **state) {
    (void)state;
    restway_client *client = make_client();
    restway_response *response = fetch(client, "enterprises?page=1&per_page=3");
    restway_list *list = restway_response_list(response);
    assert_int_equal(restway_list_count(list), restway_response_object_count(response));
    for (size_t index = 0; index < 3; index++) {
        assert_ptr_equal(
            restway_list_object(list, index), restway_response_object(response, index));
    }
    restway_list_release(list);
    restway_response_release(response);
    response = fetch(client, "echo");
    list = restway_response_list(response);
    assert_int_equal(restway_list_count(list), 0);
    assert_null(restway_list_object(list, 0));
    restway_list_release(list);
    restway_response_release(response);
    restway_client_release(client);
}

static const struct CMUnitTest tests[] = {
    TEST(list__keeps_its_objects_alive),
    TEST(list_read__fills_row_after_row),
    TEST(list_read__of_what_is_out_of_range),
    TEST(response_list__holds_what_the_response_holds),
};

const struct suite list_suite = SUITE_OF_BOTH_STORES(tests);

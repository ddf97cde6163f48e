/* Structs that are filled from objects by a table of fields. */
#include <string.h>

#include "things.h"

static void object_fill__reads_every_type(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_object *object = insert_full(&own, 1);
    struct thing read;
    memset(&read, 0x5a, sizeof read);
    read.untouched = 17;
    assert_ok(restway_object_fill(object, &thing_fields, &read, &failure));
    assert_true(read.id == 1 && read.flag == 1 && read.small == -5);
    assert_true(read.ratio == 0.25 && read.at == -1000000);
    assert_string_equal(read.text, "a text");
    assert_ptr_equal(read.text, restway_object_string(object, "text"));
    assert_int_equal(read.blob.length, 3);
    assert_memory_equal(read.blob.bytes, some_bytes, 3);
    assert_string_equal(read.doc, "{\"a\":[1]}");
    assert_int_equal(read.any.kind, RESTWAY_VALUE_INT64);
    assert_true(read.any.as.integer == 9);
    assert_int_equal(read.states.text, RESTWAY_FIELD_SET);
    assert_int_equal(read.untouched, 17);
    assert_null(read.owner);
    assert_null(read.parts);
    assert_int_equal(read.part_count, 0);
    restway_object_release(object);
    things_end(&own);
}

static void object_fill__tells_null_and_missing_values_apart(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_draft *draft = drafted_thing(&own, "Thing", 1);
    struct thing read;
    assert_ok(restway_draft_set_null(draft, "text", &failure));
    assert_ok(restway_draft_set_null(draft, "any", &failure));
    restway_object *object = inserted(draft);
    memset(&read, 0x5a, sizeof read);
    assert_ok(restway_object_fill(object, &thing_fields, &read, &failure));
    assert_int_equal(read.states.id, RESTWAY_FIELD_SET);
    assert_int_equal(read.states.text, RESTWAY_FIELD_NULL);
    assert_int_equal(read.states.doc, RESTWAY_FIELD_ABSENT);
    assert_int_equal(read.states.any, RESTWAY_FIELD_NULL);
    assert_int_equal(read.any.kind, RESTWAY_VALUE_NULL);
    assert_null(read.text);
    assert_null(read.doc);
    assert_null(read.blob.bytes);
    assert_int_equal(read.blob.length, 0);
    assert_true(read.ratio == 0 && read.at == 0 && read.flag == 0);
    restway_object_release(object);
    things_end(&own);
}

/** Checks that the table of one field fails for the object, and names the field. */
static void expect_unfit(
    const restway_object *object, restway_field field, restway_status status,
    const char *fragment) {
    restway_fields fields = {"Thing", sizeof(struct one), NULL, 1};
    struct one read = {99, 99};
    fields.fields = &field;
    assert_fails_keeping(restway_object_fill(object, &fields, &read, &failure), status, fragment);
    assert_string_equal(restway_error_field(failure), field.name);
    forget_failure();
    assert_int_equal(restway_object_fill(object, &fields, &read, NULL), status);
}

static void object_fill__names_the_field_that_does_not_fit(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_draft *draft = drafted_thing(&own, "Thing", 1);
    assert_ok(restway_draft_set_int64(draft, "small", INT64_MAX, &failure));
    assert_ok(restway_draft_set_string(draft, "text", "t", &failure));
    assert_ok(restway_draft_set_string(draft, "any", "a", &failure));
    restway_object *object = inserted(draft);
    restway_field small = RESTWAY_PLAIN_FIELD(struct one, member, "small", INT32);
    restway_field text = RESTWAY_PLAIN_FIELD(struct one, large, "text", INT64);
    restway_field any = RESTWAY_PLAIN_FIELD(struct one, member, "any", BOOL);
    restway_field missing = RESTWAY_PLAIN_FIELD(struct one, large, "missing", INT64);
    restway_field narrow = RESTWAY_PLAIN_FIELD(struct one, member, "id", INT64);
    restway_field bad = RESTWAY_PLAIN_FIELD(struct one, member, "id", INT32);
    expect_unfit(
        object, small, RESTWAY_E_INVALID_ARGUMENT,
        "Thing.small is an int64, and its field takes an integer of 32 bits");
    expect_unfit(
        object, text, RESTWAY_E_INVALID_ARGUMENT,
        "Thing.text is a string, and its field takes an int64");
    expect_unfit(object, any, RESTWAY_E_INVALID_ARGUMENT, "Thing.any is a string");
    expect_unfit(
        object, missing, RESTWAY_E_UNKNOWN_ATTRIBUTE, "Thing has no attribute \"missing\"");
    expect_unfit(
        object, narrow, RESTWAY_E_INVALID_ARGUMENT,
        "Thing.id has a member that cannot hold an int64");
    bad.type = 99;
    expect_unfit(object, bad, RESTWAY_E_INVALID_ARGUMENT, "nothing that is known");
    bad.type = RESTWAY_FIELD_INT32;
    bad.related = &part_fields;
    expect_unfit(object, bad, RESTWAY_E_INVALID_ARGUMENT, "cannot hold");
    restway_object_release(object);
    things_end(&own);
}

static void object_fill__empties_the_struct_when_it_fails(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_draft *draft = drafted_thing(&own, "Thing", 1);
    assert_ok(restway_draft_set_int64(draft, "small", INT64_MIN, &failure));
    restway_object *object = inserted(draft);
    struct thing read = full_thing(3);
    read.untouched = 17;
    assert_refused(restway_object_fill(object, &thing_fields, &read, &failure));
    assert_true(read.id == 0 && read.states.id == RESTWAY_FIELD_ABSENT);
    assert_null(read.text);
    assert_int_equal(read.untouched, 17);
    restway_object_release(object);
    object = inserted(drafted_thing(&own, "Part", 1));
    assert_fails(
        restway_object_fill(object, &thing_fields, &read, &failure), RESTWAY_E_UNKNOWN_ENTITY,
        "the object is of Part, and the struct for objects of Thing");
    restway_object_release(object);
    things_end(&own);
}

static void object_fill__takes_an_int64_as_a_double(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_object *object = inserted(drafted_thing(&own, "Thing", 3));
    struct {
        double id;
    } read = {0};
    restway_field field = {
        "id", RESTWAY_FIELD_DOUBLE, sizeof(double), 0, RESTWAY_FIELD_NOWHERE, RESTWAY_FIELD_NOWHERE,
        NULL};
    restway_fields fields = {NULL, sizeof read, NULL, 1};
    fields.fields = &field;
    assert_ok(restway_object_fill(object, &fields, &read, &failure));
    assert_true(read.id == 3);
    restway_object_release(object);
    things_end(&own);
}

static void list_fill__reads_arrays(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_list *list = NULL;
    struct thing read[3];
    for (int64_t id = 1; id <= 3; id++) restway_object_release(insert_full(&own, id));
    assert_ok(restway_store_all(own.store, "Thing", &list, &failure));
    assert_ok(restway_list_fill(list, 0, 3, &thing_fields, read, &failure));
    assert_true(read[0].id == 1 && read[1].id == 2 && read[2].id == 3);
    assert_string_equal(read[2].text, "a text");
    assert_ok(restway_list_fill(list, 2, 1, &thing_fields, read, &failure));
    assert_true(read[0].id == 3 && read[1].id == 2);
    assert_ok(restway_list_fill(list, 3, 0, &thing_fields, NULL, &failure));
    assert_refused(restway_list_fill(list, 2, 2, &thing_fields, read, &failure));
    assert_true(read[0].id == 0);
    assert_refused(restway_list_fill(list, SIZE_MAX, 2, &thing_fields, read, &failure));
    restway_list_release(list);
    things_end(&own);
}

static void list_fill__says_which_object_does_not_fit(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_list *list = NULL;
    struct thing read[2];
    restway_object_release(insert_full(&own, 1));
    restway_draft *draft = drafted_thing(&own, "Thing", 2);
    assert_ok(restway_draft_set_int64(draft, "small", INT64_MAX, &failure));
    restway_object_release(inserted(draft));
    assert_ok(restway_store_all(own.store, "Thing", &list, &failure));
    assert_fails_keeping(
        restway_list_fill(list, 0, 2, &thing_fields, read, &failure), RESTWAY_E_INVALID_ARGUMENT,
        "object 1: Thing.small is an int64");
    assert_string_equal(restway_error_field(failure), "small");
    forget_failure();
    assert_true(read[0].id == 0);
    assert_null(read[0].text);
    assert_int_equal(
        restway_list_fill(list, 0, 2, &thing_fields, read, NULL), RESTWAY_E_INVALID_ARGUMENT);
    restway_list_release(list);
    things_end(&own);
}

static void response_fill__reads_the_objects_of_an_answer(void **state) {
    (void)state;
    struct company {
        int64_t id;
        const char *name;
        int64_t created;
    } companies[2];
    const restway_field list[] = {
        RESTWAY_PLAIN_FIELD(struct company, id, "itemID", INT64),
        RESTWAY_PLAIN_FIELD(struct company, name, "name", STRING),
        RESTWAY_PLAIN_FIELD(struct company, created, "creationDate", DATE),
    };
    const restway_fields fields = RESTWAY_FIELDS(struct company, "Enterprise", list);
    restway_client *client = make_client();
    restway_response *response = fetch(client, "enterprises");
    assert_ok(restway_response_fill(response, 2, 2, &fields, companies, &failure));
    assert_true(companies[0].id == 3 && companies[1].id == 4);
    assert_string_equal(companies[0].name, "Nordlicht Books Inc.");
    assert_true(companies[0].created != 0);
    assert_refused(restway_response_fill(response, 99999, 1, &fields, companies, &failure));
    assert_refused(restway_response_fill(NULL, 0, 1, &fields, companies, &failure));
    assert_refused(restway_response_fill(response, 0, 1, NULL, companies, &failure));
    assert_refused(restway_response_fill(response, 0, 1, &fields, NULL, &failure));
    restway_response_release(response);
    restway_client_release(client);
}

/** Thing 1, which is owned by thing 2, which is owned by thing 1; it has parts 1 and 2. */
static restway_object *insert_graph(struct things *own) {
    restway_draft *first = drafted_thing(own, "Thing", 1);
    restway_draft *second = drafted_thing(own, "Thing", 2);
    assert_ok(restway_draft_set_string(second, "text", "the owner", &failure));
    for (int64_t id = 1; id <= 2; id++) {
        restway_draft *part = drafted_thing(own, "Part", id);
        assert_ok(restway_draft_set_string(part, "text", id == 1 ? "one" : "two", &failure));
        restway_object *object = inserted(part);
        assert_ok(restway_draft_add(first, "parts", object, &failure));
        restway_object_release(object);
    }
    assert_ok(restway_draft_add_draft(first, "owner", second, &failure));
    assert_ok(restway_draft_add_draft(second, "owner", first, &failure));
    restway_object *object = inserted(first);
    restway_draft_release(second);
    return object;
}

static void object_fill_related__follows_relationships_to_its_depth(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_object *object = insert_graph(&own);
    restway_arena arena = RESTWAY_ARENA_INIT;
    struct thing read;
    assert_ok(restway_object_fill_related(
        object, own.store, 3, &thing_fields, &arena, &read, &failure));
    assert_true(arena.byte_count > 3 * sizeof(struct thing));
    /* The arena keeps what the structs point to. */
    restway_object_release(object);
    things_end(&own);
    assert_int_equal(read.part_count, 2);
    assert_string_equal(read.parts[0].text, "one");
    assert_string_equal(read.parts[1].text, "two");
    assert_string_equal(read.owner->text, "the owner");
    assert_int_equal(read.owner->part_count, 0);
    assert_null(read.owner->parts);
    assert_true(read.owner->owner->id == 1 && read.owner->owner->owner->id == 2);
    assert_int_equal(read.owner->owner->part_count, 2);
    assert_null(read.owner->owner->owner->owner);
    restway_arena_free(&arena);
    assert_int_equal(arena.byte_count, 0);
    assert_null(arena.newest);
    restway_arena_free(&arena);
    restway_arena_free(NULL);
}

static void object_fill_related__keeps_its_bounds(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_object *object = insert_graph(&own);
    restway_arena arena = RESTWAY_ARENA_INIT;
    struct thing read;
    arena.byte_count_max = 2 * sizeof(struct part) + 2 * sizeof(struct thing);
    assert_fails(
        restway_object_fill_related(
            object, own.store, 3, &thing_fields, &arena, &read, &failure),
        RESTWAY_E_TOO_LARGE, "byte_count_max");
    assert_true(read.id == 0);
    assert_null(read.owner);
    assert_true(arena.byte_count <= arena.byte_count_max);
    restway_arena_free(&arena);
    assert_ok(restway_object_fill_related(
        object, own.store, 0, &thing_fields, &arena, &read, &failure));
    assert_null(read.owner);
    assert_fails(
        restway_object_fill_related(
            object, own.store, 17, &thing_fields, &arena, &read, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "depth");
    assert_refused(restway_object_fill_related(
        object, own.store, -1, &thing_fields, &arena, &read, &failure));
    restway_arena_free(&arena);
    restway_object_release(object);
    things_end(&own);
}

static void list_fill_related__reads_arrays(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_object_release(insert_graph(&own));
    restway_arena arena = RESTWAY_ARENA_INIT;
    restway_list *list = NULL;
    struct thing read[2];
    assert_ok(restway_store_all(own.store, "Thing", &list, &failure));
    assert_ok(restway_list_fill_related(
        list, 0, 2, own.store, 1, &thing_fields, &arena, read, &failure));
    restway_list_release(list);
    things_end(&own);
    assert_true(read[0].owner->id == read[1].id && read[1].owner->id == read[0].id);
    restway_arena_free(&arena);
}

static void fields_functions__refuse_null(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_object *object = insert_full(&own, 1);
    restway_draft *draft = drafted_thing(&own, "Thing", 2);
    restway_list *list = NULL;
    restway_arena arena = RESTWAY_ARENA_INIT;
    restway_store *store = own.store;
    struct thing read;
    const restway_fields *table = &thing_fields;
    const char *names[] = {"text", NULL, BAD_UTF8};
    assert_ok(restway_store_all(store, "Thing", &list, &failure));
    assert_refused(restway_object_fill(NULL, table, &read, &failure));
    assert_refused(restway_object_fill(object, NULL, &read, &failure));
    assert_refused(restway_object_fill(object, table, NULL, &failure));
    assert_refused(restway_list_fill(NULL, 0, 1, table, &read, &failure));
    assert_refused(restway_list_fill(list, 0, 1, NULL, &read, &failure));
    assert_refused(restway_list_fill(list, 0, 1, table, NULL, &failure));
    assert_refused(restway_object_fill_related(NULL, store, 1, table, &arena, &read, &failure));
    assert_refused(restway_object_fill_related(object, NULL, 1, table, &arena, &read, &failure));
    assert_refused(restway_object_fill_related(object, store, 1, NULL, &arena, &read, &failure));
    assert_refused(restway_object_fill_related(object, store, 1, table, NULL, &read, &failure));
    assert_refused(restway_object_fill_related(object, store, 1, table, &arena, NULL, &failure));
    assert_refused(
        restway_list_fill_related(NULL, 0, 1, store, 1, table, &arena, &read, &failure));
    assert_refused(
        restway_list_fill_related(list, 0, 1, NULL, 1, table, &arena, &read, &failure));
    assert_refused(
        restway_list_fill_related(list, 0, 1, store, 1, NULL, &arena, &read, &failure));
    assert_refused(
        restway_list_fill_related(list, 0, 1, store, 1, table, NULL, &read, &failure));
    assert_refused(
        restway_list_fill_related(list, 0, 1, store, 1, table, &arena, NULL, &failure));
    assert_refused(restway_draft_set_fields(NULL, table, &read, &failure));
    assert_refused(restway_draft_set_fields(draft, NULL, &read, &failure));
    assert_refused(restway_draft_set_fields(draft, table, NULL, &failure));
    assert_refused(restway_draft_set_named_fields(NULL, table, &read, names, 1, &failure));
    assert_refused(restway_draft_set_named_fields(draft, NULL, &read, names, 1, &failure));
    assert_refused(restway_draft_set_named_fields(draft, table, NULL, names, 1, &failure));
    assert_refused(restway_draft_set_named_fields(draft, table, &read, NULL, 1, &failure));
    for (size_t index = 1; index <= 2; index++) {
        assert_fails(
            restway_draft_set_named_fields(draft, table, &read, names + index, 1, &failure),
            RESTWAY_E_UNKNOWN_ATTRIBUTE, "the table has no attribute");
    }
    restway_arena_free(&arena);
    restway_list_release(list);
    restway_draft_release(draft);
    restway_object_release(object);
    things_end(&own);
}

static int fill_in_child(void *context) {
    struct thing read;
    return restway_object_fill(context, &thing_fields, &read, NULL) == RESTWAY_E_FORKED ? 0 : 1;
}

static int fill_list_in_child(void *context) {
    struct thing read;
    restway_status status = restway_list_fill(context, 0, 1, &thing_fields, &read, NULL);
    return status == RESTWAY_E_FORKED ? 0 : 1;
}

static void object_fill__in_a_forked_child(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_object *object = insert_full(&own, 1);
    restway_list *list = NULL;
    assert_ok(restway_store_all(own.store, "Thing", &list, &failure));
    assert_int_equal(result_in_child(fill_in_child, object), 0);
    assert_int_equal(result_in_child(fill_list_in_child, list), 0);
    restway_list_release(list);
    restway_object_release(object);
    things_end(&own);
}

static const struct CMUnitTest tests[] = {
    TEST(object_fill__reads_every_type),
    TEST(object_fill__tells_null_and_missing_values_apart),
    TEST(object_fill__names_the_field_that_does_not_fit),
    TEST(object_fill__empties_the_struct_when_it_fails),
    TEST(object_fill__takes_an_int64_as_a_double),
    TEST(list_fill__reads_arrays),
    TEST(list_fill__says_which_object_does_not_fit),
    TEST(response_fill__reads_the_objects_of_an_answer),
    TEST(object_fill_related__follows_relationships_to_its_depth),
    TEST(object_fill_related__keeps_its_bounds),
    TEST(list_fill_related__reads_arrays),
    TEST(fields_functions__refuse_null),
    TEST(object_fill__in_a_forked_child),
};

const struct suite fields_suite = SUITE(tests);

/* Drafts that are filled from structs by a table of fields. */
#include <string.h>

#include "things.h"

/** Checks the names of a draft's changes. */
static void expect_changes(const restway_draft *draft, size_t count, const char *first) {
    const char *names[16];
    size_t found = 0;
    assert_ok(restway_draft_changes(draft, names, 16, &found, &failure));
    assert_int_equal(found, count);
    if (first != NULL) assert_string_equal(names[0], first);
}

static void draft_set_fields__sets_what_has_a_state(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_object *object = insert_full(&own, 1);
    restway_draft *draft = NULL;
    struct thing changed;
    assert_ok(restway_draft_copy(own.store, object, &draft, &failure));
    /* The values of the object itself are no change. */
    assert_ok(restway_object_fill(object, &thing_fields, &changed, &failure));
    assert_ok(restway_draft_set_fields(draft, &thing_fields, &changed, &failure));
    expect_changes(draft, 0, NULL);
    RESTWAY_SET(changed, text, "another");
    assert_ok(restway_draft_set_fields(draft, &thing_fields, &changed, &failure));
    expect_changes(draft, 1, "text");
    memset(&changed, 0, sizeof changed);
    assert_ok(restway_draft_set_fields(draft, &thing_fields, &changed, &failure));
    expect_changes(draft, 1, "text");
    RESTWAY_SET_NULL(changed, ratio);
    assert_ok(restway_draft_set_fields(draft, &thing_fields, &changed, &failure));
    expect_changes(draft, 2, "ratio");
    restway_object_release(object);
    object = inserted(draft);
    assert_int_equal(restway_object_has(object, "ratio"), 0);
    assert_int_equal(restway_object_has(object, "at"), 1);
    restway_object_release(object);
    things_end(&own);
}

static void draft_set_named_fields__sets_the_named_fields_only(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_object *object = insert_full(&own, 1);
    restway_draft *draft = NULL;
    const char *names[] = {"text", "small", "ratio"};
    struct thing changed = full_thing(1);
    changed.text = NULL;
    changed.flag = 0;
    changed.states.small = RESTWAY_FIELD_ABSENT;
    changed.small = 6;
    RESTWAY_SET_NULL(changed, ratio);
    assert_ok(restway_draft_copy(own.store, object, &draft, &failure));
    assert_ok(
        restway_draft_set_named_fields(draft, &thing_fields, &changed, names, 3, &failure));
    expect_changes(draft, 3, "small");
    restway_object_release(object);
    object = inserted(draft);
    assert_int_equal(restway_object_int64(object, "small", 0), 6);
    assert_int_equal(restway_object_has(object, "text"), 0);
    assert_int_equal(restway_object_has(object, "ratio"), 0);
    assert_int_equal(restway_object_bool(object, "flag", 0), 1);
    assert_ok(restway_draft_copy(own.store, object, &draft, &failure));
    names[1] = "owner";
    assert_fails_keeping(
        restway_draft_set_named_fields(draft, &thing_fields, &changed, names, 2, &failure),
        RESTWAY_E_UNKNOWN_ATTRIBUTE, "the table has no attribute called owner");
    assert_string_equal(restway_error_field(failure), "owner");
    forget_failure();
    restway_draft_release(draft);
    restway_object_release(object);
    things_end(&own);
}

static void draft_set_fields__refuses_what_does_not_fit(void **state) {
    (void)state;
    struct things own = things_begin();
    restway_draft *draft = drafted_thing(&own, "Part", 1);
    struct thing values = full_thing(2);
    restway_field field = RESTWAY_PLAIN_FIELD(struct one, member, "text", INT32);
    restway_fields fields = {"Part", sizeof(struct one), NULL, 1};
    struct one one = {5, 5};
    const char *name = "text";
    assert_fails(
        restway_draft_set_fields(draft, &thing_fields, &values, &failure),
        RESTWAY_E_UNKNOWN_ENTITY, "the object is of Part");
    fields.fields = &field;
    /* A field without a state is only set by its name. */
    assert_ok(restway_draft_set_fields(draft, &fields, &one, &failure));
    assert_fails_keeping(
        restway_draft_set_named_fields(draft, &fields, &one, &name, 1, &failure),
        RESTWAY_E_INVALID_ARGUMENT, "Part.text takes");
    assert_string_equal(restway_error_field(failure), "text");
    forget_failure();
    restway_draft_release(draft);
    things_end(&own);
}

static const struct CMUnitTest tests[] = {
    TEST(draft_set_fields__sets_what_has_a_state),
    TEST(draft_set_named_fields__sets_the_named_fields_only),
    TEST(draft_set_fields__refuses_what_does_not_fit),
};

const struct suite fields_draft_suite = SUITE(tests);

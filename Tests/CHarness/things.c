#include "things.h"

#include <string.h>

static const char document[] =
    "{\"restway\": 1,"
    " \"environments\": {\"a\": {\"baseURL\": \"http://127.0.0.1:1\"}},"
    " \"entities\": {"
    "  \"Thing\": {\"identity\": \"id\","
    "   \"attributes\": {\"id\": {\"type\": \"int\"}, \"flag\": {\"type\": \"bool\"},"
    "    \"small\": {\"type\": \"int\"}, \"ratio\": {\"type\": \"double\"},"
    "    \"at\": {\"type\": \"date\"}, \"text\": {\"type\": \"string\"},"
    "    \"blob\": {\"type\": \"bytes\"}, \"doc\": {\"type\": \"json\"}, \"any\": {}},"
    "   \"relationships\": {\"owner\": {\"entity\": \"Thing\"},"
    "    \"parts\": {\"entity\": \"Part\", \"many\": true}}},"
    "  \"Part\": {\"identity\": \"id\","
    "   \"attributes\": {\"id\": {\"type\": \"int\"}, \"text\": {\"type\": \"string\"}}}}}";

static const restway_field part_list[] = {
    RESTWAY_PLAIN_FIELD(struct part, id, "id", INT64),
    RESTWAY_PLAIN_FIELD(struct part, text, "text", STRING),
};
const restway_fields part_fields = RESTWAY_FIELDS(struct part, NULL, part_list);

static const restway_field thing_list[] = {
    RESTWAY_FIELD(struct thing, id, "id", INT64),
    RESTWAY_FIELD(struct thing, flag, "flag", BOOL),
    RESTWAY_ONE_FIELD(struct thing, owner, "owner", &thing_fields),
    RESTWAY_FIELD(struct thing, small, "small", INT32),
    RESTWAY_FIELD(struct thing, ratio, "ratio", DOUBLE),
    RESTWAY_FIELD(struct thing, at, "at", DATE),
    RESTWAY_FIELD(struct thing, text, "text", STRING),
    RESTWAY_FIELD(struct thing, blob, "blob", BYTES),
    RESTWAY_MANY_FIELD(struct thing, parts, part_count, "parts", &part_fields),
    RESTWAY_FIELD(struct thing, doc, "doc", JSON),
    RESTWAY_FIELD(struct thing, any, "any", VALUE),
};
const restway_fields thing_fields = RESTWAY_FIELDS(struct thing, "Thing", thing_list);

struct things things_begin(void) {
    struct things own;
    own.client = unreachable_client_of(document);
    own.store = restway_client_store(own.client);
    return own;
}

void things_end(struct things *own) {
    restway_store_release(own->store);
    restway_client_release(own->client);
}

restway_draft *drafted_thing(struct things *own, const char *entity, int64_t id) {
    restway_draft *draft = NULL;
    assert_ok(restway_draft_create(own->store, entity, &draft, &failure));
    assert_ok(restway_draft_set_int64(draft, "id", id, &failure));
    return draft;
}

restway_object *inserted(restway_draft *draft) {
    restway_object *object = NULL;
    assert_ok(restway_draft_insert(draft, &object, &failure));
    restway_draft_release(draft);
    return object;
}

const uint8_t some_bytes[3] = {0, 255, 7};

struct thing full_thing(int64_t id) {
    struct thing full;
    memset(&full, 0, sizeof full);
    RESTWAY_SET(full, id, id);
    RESTWAY_SET(full, flag, 1);
    RESTWAY_SET(full, small, -5);
    RESTWAY_SET(full, ratio, 0.25);
    RESTWAY_SET(full, at, -1000000);
    RESTWAY_SET(full, text, "a text");
    full.blob.bytes = some_bytes;
    full.blob.length = sizeof some_bytes;
    full.states.blob = RESTWAY_FIELD_SET;
    RESTWAY_SET(full, doc, "{\"a\":[1]}");
    RESTWAY_SET(full, any, restway_value_int64(9));
    return full;
}

restway_object *insert_full(struct things *own, int64_t id) {
    struct thing full = full_thing(id);
    restway_draft *draft = NULL;
    assert_ok(restway_draft_create(own->store, "Thing", &draft, &failure));
    assert_ok(restway_draft_set_fields(draft, &thing_fields, &full, &failure));
    return inserted(draft);
}

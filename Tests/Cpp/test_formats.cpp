// Parsers, encoders, hooks, bytes that are mapped, formats of batches, and tables of Arrow.
#include "harness.hpp"

namespace {

restway::client client_of(const restway::api &api) {
    return restway::client::create(api, demo_options());
}

constexpr const char *formats = R"({"restway": 1,
    "entities": {"Thing": {"identity": "id", "attributes": {
        "id": {"type": "int"}, "name": {"type": "string"}, "note": {"type": "string"}},
        "relationships": {"owner": {"entity": "Thing"},
            "friends": {"entity": "Thing", "many": true}}}},
    "routes": {
        "counted": {"path": "status", "parse": "length"},
        "refused": {"path": "status", "parse": "never"},
        "sent": {"method": "POST", "path": "echo", "encode": "shout"},
        "things": {"path": "enterprises", "response": {"entity": "Thing",
            "keyPath": "array_of_enterprises", "hook": "note"}}}})";

restway::api with_functions() {
    auto api = restway::api::load(formats);
    api.add_parser("length", [](std::string_view body, std::string_view media_type) {
        return restway::value(std::to_string(body.size()) + " of " + std::string(media_type));
    });
    api.add_parser(
        "never", [](std::string_view, std::string_view) -> restway::result<restway::value> {
            return restway::error(RESTWAY_E_MAPPING, "not this body");
        });
    api.add_encoder("shout", [](std::string_view json) {
        return restway::encoded{restway::value("!" + std::string(json)), "text/x-shout"};
    });
    api.add_hook("note", [](restway::rows &rows) {
        CHECK(rows.result_count() == 1 && rows.own_result() == 0);
        const std::vector<std::size_t> results = rows.of_result(0);
        CHECK(results.size() <= rows.size());
        for (const std::size_t row : results) {
            CHECK(rows.entity(row) == "Thing");
            rows.set(row, "note", "row " + std::to_string(row));
            CHECK(rows.get(row, "note").as<std::string>() == "row " + std::to_string(row));
            CHECK(rows.get(row, "name").as<std::string>());
        }
        const std::vector<std::size_t> friends{results[0], results[2]};
        rows.relate(results[0], "owner", std::vector<std::size_t>{results[1]});
        rows.relate(results[1], "friends", friends);
        CHECK(rows.related(results[1], "friends") == friends);
        rows.relate(results[2], "friends", std::vector<restway::object>{});
        CHECK(rows.related(results[2], "friends").empty());
    });
    return api;
}

TEST(parsers_make_the_value_of_an_answer) {
    const auto client = client_of(with_functions());
    const auto answer = client.perform(restway::request::route("counted"));
    CHECK(restway::parser_of(answer) == "length");
    const auto text = restway::value_of(answer).as<std::string>();
    CHECK(text == std::to_string(answer.body().size()) + " of application/json");
    const auto refusal = failure_of(client, restway::request::route("refused"));
    CHECK(refusal.kind() == RESTWAY_DOMAIN_PARSING);
    CHECK(contains(refusal.what(), "not this body"));
    const auto other = client.perform(restway::request::route("refused").parser("json"));
    CHECK(restway::value_of(other).as<restway::json>());
}

TEST(encoders_write_bodies) {
    const auto client = client_of(with_functions());
    const auto answer = client.perform(restway::request::route("sent").parameter("a", 1));
    CHECK(contains(answer.body(), R"("body":"!{\"a\":1}")"));
    CHECK(contains(answer.body(), "text/x-shout"));
    auto api = restway::api::load(formats);
    api.add_parser("length", [](auto, auto) { return restway::value(); });
    api.add_parser("never", [](auto, auto) { return restway::value(); });
    api.add_hook("note", [](restway::rows &) { throw std::runtime_error("not today"); });
    api.add_encoder("shout", [](std::string_view) -> restway::encoded {
        throw std::runtime_error("the voice is lost");
    });
    const auto broken = client_of(api);
    const auto unsent = failure_of(broken, restway::request::route("sent").parameter("a", 1));
    CHECK(contains(unsent.what(), "the voice is lost"));
    const auto unmapped = failure_of(broken, restway::request::route("things"));
    CHECK(contains(unmapped.what(), "not today"));
    CHECK(broken.store().count("Thing") == 0);
}

TEST(hooks_add_to_rows) {
    const auto client = client_of(with_functions());
    const auto things = client.perform(restway::request::route("things")).objects();
    CHECK(contains(things[1].get<std::string>("note"), "row "));
    const auto store = client.store();
    CHECK(store.related_one(things[0], "owner").is_same(things[1]));
    CHECK(store.related(things[1], "friends").size() == 2);
    CHECK(store.related(things[2], "friends").empty());
}

TEST(bytes_are_mapped) {
    const auto client = client_of(with_functions());
    restway::map_options options;
    options.key_path = "all";
    const auto stored = client.map("Thing", R"({"all": [{"id": 1}, {"id": 2}]})", options);
    CHECK(stored.response.objects().size() == 2);
    CHECK(client.store().count("Thing") == 2);
    options.flags = RESTWAY_MAP_SNAPSHOTS;
    const auto apart = client.map("Thing", R"({"all": [{"id": 3, "owner": {"id": 4}}]})", options);
    const auto one = apart.response.first();
    CHECK(apart.store.related_one(one, "owner").get<int>("id") == 4);
    CHECK(client.store().count("Thing") == 2);
    try {
        client.map("Thing", "{");
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_MAPPING);
    }
}

TEST(batches_have_a_format_of_the_program) {
    const auto client = client_of(restway::api::load(
        R"({"restway": 1, "batch": {"path": "/echo"}, "routes": {"all": {"path": "status"}}})"));
    client.set_batch_format(
        [](restway::batch_writer &writer) {
            std::string lines;
            for (std::size_t index = 0; index < writer.size(); index++) {
                const restway::batch_request one = writer[index];
                lines += std::string(one.method) + " " + std::string(one.uri) + " " +
                         std::string(one.body.value_or("-")) + "\n";
                CHECK(one.headers.size() == (one.body ? 2u : 1u));
            }
            writer.set_body(lines, "text/x-lines");
        },
        [](restway::batch_reader &reader) {
            CHECK(reader.media_type() == "application/json");
            for (std::size_t index = 0; index < reader.size(); index++) {
                reader.set_answer(index, 201, reader.body());
                reader.add_header(index, "X-Place", std::to_string(index));
            }
        });
    const restway::batch batch = client.batch();
    batch.add(restway::request::to("GET", "a").header("X-One", "1"));
    batch.add(restway::request::to("POST", "b").header("X-One", "1").body("text", "text/plain"));
    batch.send();
    batch.wait();
    CHECK(contains(batch[0].body(), R"(GET /a -\nPOST /b text\n)"));
    CHECK(batch[1].status() == 201);
    CHECK(batch[1].header("X-Place") == "1");
}

TEST(objects_are_tables_of_arrow) {
    const auto client = client_of(with_functions());
    client.map("Thing", R"([{"id": 1, "name": "a"}, {"id": 2, "owner": {"id": 1}}])");
    const auto store = client.store();
    const auto all = restway::arrow_table::of(store.all("Thing"), store, 1);
    CHECK(all.size() == 2);
    CHECK(all.schema->n_children == 5);
    CHECK(std::string_view(all.schema->children[0]->name) == "id");
    const auto query = store.query("Thing").where("id = ?", {2});
    const auto some = restway::arrow_table::of(store, query);
    CHECK(some.size() == 1);
    CHECK(static_cast<const std::int64_t *>(some.array->children[0]->buffers[1])[0] == 2);
    try {
        (void)restway::arrow_table::of(store.all("Thing"), store, 99);
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_INVALID_ARGUMENT);
    }
}

} // namespace

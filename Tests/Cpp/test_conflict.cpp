// Conflicts: what a program sees of them, and how it decides.
#include "harness.hpp"

#include <stdexcept>

namespace {

/** A client of the demo API with an empty outbox of its own, which compares versions. */
restway::client comparing(const std::string &name, const std::string &policy = "park") {
    const std::string path = std::string(RESTWAY_FILES) + "/" + name + ".db";
    for (const char *suffix : {"", "-wal", "-shm", "-journal"}) {
        std::remove((path + suffix).c_str());
    }
    restway::client_options options = demo_options();
    options.outbox_path = path.c_str();
    const std::string document =
        "{\"restway\": 1, \"environments\": {\"demo\": {\"baseURL\": \"http://127.0.0.1:1\"}},"
        " \"entities\": {\"Inspection\": {\"identity\": \"id\","
        "   \"version\": {\"header\": \"ETag\"}, \"conflicts\": {\"policy\": \"" +
        policy +
        "\"},"
        "   \"attributes\": {\"id\": {\"type\": \"int\"}, \"place\": \"place\","
        "     \"remark\": {\"type\": \"string\"}}}},"
        " \"routes\": {"
        "   \"new\": {\"method\": \"POST\", \"path\": \"inspections\", \"entity\": \"Inspection\","
        "     \"request\": {\"entity\": \"Inspection\"}, \"response\": {\"entity\": "
        "\"Inspection\"}},"
        "   \"one\": {\"method\": [\"GET\", \"PATCH\", \"DELETE\"], \"path\": \"inspections/:id\","
        "     \"entity\": \"Inspection\", \"response\": {\"entity\": \"Inspection\"},"
        "     \"request\": {\"entity\": \"Inspection\", \"changedOnly\": true},"
        "     \"offline\": true}}}";
    return restway::client::create(restway::api::load(document), options);
}

/** Makes a form of the demo API, which the client has read. */
restway::object form_in(const restway::client &client) {
    auto draft = client.store().draft("Inspection");
    draft.set("place", "Roof").set("remark", "one");
    const restway::object made = client.post(draft).first();
    return client.get(made).first();
}

restway::draft changed(
    const restway::client &client, const restway::object &form, const std::string &remark) {
    auto draft = client.store().draft(form);
    draft.set("remark", remark);
    return draft;
}

/** Stores a change of the form, and lets another client change it, too. */
void disagree(
    const restway::client &client, const restway::object &form, const std::string &mine = "mine") {
    client.outbox().set_reachability(RESTWAY_REACHABILITY_UNREACHABLE);
    CHECK(
        failure_of(client, restway::request::about("PATCH", changed(client, form, mine)))
            .status() == RESTWAY_E_QUEUED);
    const auto other = comparing("conflict_other");
    const auto path = "inspections/" + std::to_string(form.get<int>("id"));
    other.patch(changed(other, other.get(path).first(), "theirs"));
}

/** Returns the status of what a function throws. */
template <typename Function> restway_status status_of(Function function) {
    try {
        function();
    } catch (const restway::error &failure) {
        return failure.status();
    }
    return RESTWAY_OK;
}

void flush(const restway::client &client) {
    std::promise<void> end;
    client.outbox().set_reachability(RESTWAY_REACHABILITY_UNKNOWN);
    client.outbox().flush(
        [&](const restway::result<restway::outbox_items> &) { end.set_value(); },
        RESTWAY_OUTBOX_FORCE);
    end.get_future().wait();
}

TEST(a_conflict_is_listed_and_resolved) {
    const auto client = comparing("conflict");
    const auto form = form_in(client);
    CHECK(!client.store().version(form).empty());
    disagree(client, form);
    flush(client);
    CHECK(client.outbox().counts().parked == 1);
    auto query = client.store().query("Inspection");
    CHECK(client.store().count(query.conflicted()) == 1);
    CHECK(client.store().count(query.conflicted(false)) == 0);
    CHECK(client.store().count(query.conflicted(std::nullopt)) == 1);
    const restway::conflicts conflicts = client.outbox().conflicts();
    CHECK(conflicts.size() == 1);
    restway::conflict conflict = conflicts[0];
    CHECK(conflict.kind() == RESTWAY_CONFLICT_ATTRIBUTES);
    CHECK(conflict.item_id() > 0);
    CHECK(conflict.names() == (std::vector<std::string_view>{"remark"}));
    CHECK(conflict.base().get<std::string>("remark") == "one");
    CHECK(conflict.mine().get<std::string>("remark") == "mine");
    CHECK(conflict.theirs().get<std::string>("remark") == "theirs");
    CHECK(status_of([&] {
              conflict.choose("place", RESTWAY_CONFLICT_MINE);
          }) == RESTWAY_E_INVALID_ARGUMENT);
    CHECK(status_of([&] { conflict.set("remark", 3); }) == RESTWAY_E_INVALID_ARGUMENT);
    client.outbox().resolve(conflict.choose(RESTWAY_CONFLICT_THEIRS).set("remark", "both"));
    flush(client);
    CHECK(client.outbox().items().size() == 0);
    CHECK(client.get(form).first().get<std::string>("remark") == "both");
    for (const restway::conflict left : client.outbox().conflicts()) {
        CHECK(left.names().empty());
    }
}

TEST(a_function_decides_a_conflict) {
    const auto client = comparing("conflict_asked", "ask");
    const auto form = form_in(client);
    int asked = 0;
    client.set_resolver("Inspection", [&asked](restway::conflict &conflict) {
        asked++;
        conflict.choose("remark", RESTWAY_CONFLICT_MINE);
    });
    disagree(client, form);
    flush(client);
    CHECK(asked == 1);
    CHECK(client.get(form).first().get<std::string>("remark") == "mine");
    client.set_resolver(std::nullopt, [](restway::conflict &conflict) {
        conflict.choose(RESTWAY_CONFLICT_MINE);
        throw std::runtime_error("nobody knows");
    });
    client.remove_resolver("Inspection");
    disagree(client, client.store().newest(form), "again");
    flush(client);
    CHECK(asked == 1);
    CHECK(client.outbox().conflicts().size() == 1);
    client.remove_resolver();
    client.outbox().drop_all();
}

TEST(the_error_of_a_call_has_its_conflict) {
    const auto client = comparing("conflict_online");
    const auto form = form_in(client);
    const auto draft = changed(client, form, "mine");
    const auto other = comparing("conflict_other");
    const auto path = "inspections/" + std::to_string(form.get<int>("id"));
    other.patch(changed(other, other.get(path).first(), "theirs"));
    const restway::error failure = failure_of(client, restway::request::about("PATCH", draft));
    CHECK(failure.http_status() == 412);
    const restway::conflict conflict = failure.conflict();
    CHECK(conflict.item_id() == 0);
    CHECK(conflict.theirs().get<std::string>("remark") == "theirs");
    CHECK(status_of([&] { client.outbox().resolve(conflict); }) == RESTWAY_E_INVALID_ARGUMENT);
    CHECK(!failure_of(client, restway::request::to("GET", "inspections/0")).conflict());
}

} // namespace

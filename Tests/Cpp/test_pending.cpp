// Edits that wait for the server: what a program sees of them.
#include "harness.hpp"

namespace {

/** A client whose changes of enterprises are stored, with an empty outbox of its own. */
restway::client storing(const char *name) {
    const std::string path = std::string(RESTWAY_FILES) + "/" + name + ".db";
    for (const char *suffix : {"", "-wal", "-shm", "-journal"}) {
        std::remove((path + suffix).c_str());
    }
    restway::client_options options = demo_options();
    options.outbox_path = path.c_str();
    std::string document = companies_with("");
    document.replace(
        document.find("\"enterprise\": {"), 15, "\"enterprise\": {\"offline\": true, ");
    return restway::client::create(restway::api::load(document), options);
}

/** Stores a request. */
void store(const restway::client &client, const restway::request &request) {
    client.outbox().set_reachability(RESTWAY_REACHABILITY_UNREACHABLE);
    CHECK(failure_of(client, request).status() == RESTWAY_E_QUEUED);
}

TEST(what_waits_is_seen_over_the_values_of_the_server) {
    const auto client = storing("pending");
    const restway::store store_of = client.store();
    const restway::object first = client.get("enterprises/3").first();
    const std::string name = first.get<std::string>("name");
    CHECK(store_of.pending(first).empty());
    restway::draft draft = store_of.draft(first);
    draft.set("name", "Mine Ltd.").set("rating", 1.5);
    store(client, restway::request::about("PUT", draft));
    const restway::object seen = client.get("enterprises/3").first();
    CHECK(seen.get<std::string>("name") == "Mine Ltd.");
    CHECK(store_of.confirmed(seen).get<std::string>("name") == name);
    const restway::pending pending = store_of.pending(seen);
    CHECK(pending.names() == (std::vector<std::string_view>{"name", "rating"}));
    CHECK(pending.mine().get<std::string>("name") == "Mine Ltd.");
    CHECK(pending.base().get<std::string>("name") == name);
    CHECK(!pending.deletes());
    CHECK(!pending.empty());
    CHECK(!store_of.is_rejected(seen));
    restway::query waiting = store_of.query("Enterprise").pending();
    CHECK(store_of.count(waiting) == 1);
    CHECK(store_of.count(waiting.pending(false)) == 0);
    CHECK(store_of.count(waiting.pending(std::nullopt).rejected(false)) == 1);
    CHECK(store_of.count(waiting.rejected()) == 0);
    CHECK(client.outbox().drop_all() == 1);
    CHECK(store_of.newest(seen).get<std::string>("name") == name);
    CHECK(store_of.pending(seen).empty());
}

TEST(a_deletion_that_waits_hides_the_object) {
    const auto client = storing("hidden");
    const restway::store store_of = client.store();
    const restway::object enterprise = client.get("enterprises/3").first();
    store(client, restway::request::about("DELETE", enterprise));
    CHECK(!store_of.find("Enterprise", 3));
    CHECK(!store_of.newest(enterprise));
    restway::query query = store_of.query("Enterprise");
    CHECK(store_of.count(query) == 0);
    CHECK(store_of.count(query.pending_deletes(true)) == 1);
    CHECK(store_of.count(query.pending_deletes(false)) == 0);
    CHECK(store_of.count(query.pending_deletes(true).pending_deletes(std::nullopt)) == 0);
    CHECK(store_of.confirmed(enterprise) == enterprise);
    CHECK(store_of.pending(enterprise).deletes());
    CHECK(!store_of.pending(enterprise).empty());
    CHECK(store_of.pending(enterprise).names().empty());
    CHECK(client.outbox().drop_all() == 1);
    CHECK(store_of.find("Enterprise", 3) == enterprise);
}

TEST(changes_say_their_source) {
    const auto client = storing("sources");
    const restway::object enterprise = client.get("enterprises/3").first();
    std::promise<restway::change> local;
    std::promise<restway::change> taken_back;
    int count = 0;
    const restway::observer observer =
        client.observe("Enterprise", [&](const restway::changes &changes) {
            (count++ == 0 ? local : taken_back).set_value(changes[0]);
        });
    restway::draft draft = client.store().draft(enterprise);
    draft.set("name", "Mine Ltd.");
    store(client, restway::request::about("PUT", draft));
    const restway::change first = local.get_future().get();
    CHECK(first.source == RESTWAY_CHANGE_SOURCE_LOCAL);
    CHECK(first.pending_changed);
    client.outbox().drop_all();
    const restway::change second = taken_back.get_future().get();
    CHECK(second.source == RESTWAY_CHANGE_SOURCE_TAKEN_BACK);
    CHECK(second.pending_changed);
    CHECK(second.object == enterprise);
}

TEST(an_optimistic_edit_is_taken_back_when_the_server_refuses_it) {
    const restway::client client =
        restway::client::create(restway::api::load(companies_with("")), demo_options());
    const restway::object enterprise = client.get("enterprises/3").first();
    restway::draft draft = client.store().draft(enterprise);
    draft.set("name", "");
    std::vector<restway_change_source> sources;
    std::promise<void> over;
    const restway::observer observer =
        client.observe("Enterprise", [&](const restway::changes &changes) {
            sources.push_back(changes[0].source);
            if (sources.size() == 2) {
                over.set_value();
            }
        });
    restway::request request = restway::request::about("PUT", draft);
    CHECK(failure_of(client, request.optimistic()).http_status() == 422);
    over.get_future().get();
    CHECK(
        sources == (std::vector<restway_change_source>{
                       RESTWAY_CHANGE_SOURCE_LOCAL, RESTWAY_CHANGE_SOURCE_TAKEN_BACK}));
    CHECK(client.store().newest(enterprise) == enterprise);
    CHECK(failure_of(client, request.optimistic(std::nullopt)).http_status() == 422);
    CHECK(sources.size() == 2);
}

} // namespace

// What becomes of stored requests, and the events of a client that is drained.
#include "harness.hpp"

#include <poll.h>
#include <set>

namespace {

using outcome = restway::result<void>;

/** A client whose POST of an enterprise is stored, with an empty outbox of its own. */
restway::client storing(const char *name, restway_delivery delivery = RESTWAY_DELIVERY_THREAD) {
    const std::string path = std::string(RESTWAY_FILES) + "/" + name + ".db";
    for (const char *suffix : {"", "-wal", "-shm", "-journal"}) {
        std::remove((path + suffix).c_str());
    }
    restway::client_options options = demo_options();
    options.outbox_path = path.c_str();
    options.delivery = delivery;
    std::string document = companies_with("");
    document.replace(document.find("\"added\": {"), 10, "\"added\": {\"offline\": true, ");
    return restway::client::create(restway::api::load(document), options);
}

/** Stores a POST with a body, and returns the number of its item. */
std::int64_t store(const restway::client &client, std::string body) {
    client.outbox().set_reachability(RESTWAY_REACHABILITY_UNREACHABLE);
    const auto request = restway::request::route("added").body(restway::json{std::move(body)});
    const restway::error queued = failure_of(client, request);
    CHECK(queued.status() == RESTWAY_E_QUEUED);
    return queued.outbox_id();
}

/** Waits for the end of an item. */
std::pair<restway::outbox_item, outcome> ended(const restway::client &client, std::int64_t id) {
    std::promise<std::pair<restway::outbox_item, outcome>> told;
    client.outbox().await(id, [&](const restway::outbox_item &item, const outcome &how) {
        told.set_value({item, how});
    });
    return told.get_future().get();
}

TEST(a_stored_request_is_awaited_edited_and_sent_again) {
    const auto client = storing("awaited");
    const restway::outbox outbox = client.outbox();
    const std::int64_t id = store(client, R"({"name": 1})");
    outbox.flush([](auto) {});
    const auto [refused, why] = ended(client, id);
    CHECK(!why);
    CHECK(why.failure().http_status() == 422);
    CHECK(refused.state() == RESTWAY_OUTBOX_DEAD);
    CHECK(refused.reason() == RESTWAY_OUTBOX_REASON_REFUSED);
    CHECK(refused.response().status() == 422);
    CHECK(refused.body() == R"({"name": 1})");
    CHECK(!refused.key().empty());
    CHECK(refused.attempts() == 1);
    CHECK(refused.created() > restway::date());
    CHECK(contains(outbox.items().json(), "\"state\""));
    outbox.edit(id, restway::json{R"({"name": "Edited Ltd."})"});
    CHECK(outbox.find(id).key() != refused.key());
    outbox.flush([](auto) {});
    const auto [delivered, how] = ended(client, id);
    CHECK(how);
    CHECK(delivered.state() == RESTWAY_OUTBOX_DELIVERED);
    CHECK(delivered.response().status() == 201);
}

TEST(all_stored_requests_are_dropped) {
    const auto client = storing("dropped");
    const auto draft = client.store().draft("Enterprise").set("name", "Never Ltd.");
    client.outbox().set_reachability(RESTWAY_REACHABILITY_UNREACHABLE);
    CHECK(failure_of(client, restway::request::about("POST", draft)).outbox_id() > 0);
    const restway::object made = draft.snapshot();
    CHECK(made.identity_text().empty());
    CHECK(client.outbox().has_pending(made));
    store(client, "{}");
    CHECK(client.outbox().drop_all() == 2);
    CHECK(client.outbox().items().size() == 0);
    CHECK(!client.outbox().has_pending(made));
}

TEST(an_observer_is_told_of_items_and_flushes) {
    const auto client = storing("observed");
    const restway::outbox outbox = client.outbox();
    std::promise<std::int64_t> item;
    std::promise<std::size_t> flushed;
    outbox.set_observer(
        [&](const restway::outbox_item &one, const outcome &how) {
            CHECK(how);
            item.set_value(one.id());
        },
        [&](restway::result<restway::outbox_items> items) { flushed.set_value(items->size()); });
    const std::int64_t id = store(client, R"({"name": "Observed Ltd."})");
    outbox.set_reachability(RESTWAY_REACHABILITY_REACHABLE);
    CHECK(item.get_future().get() == id);
    CHECK(flushed.get_future().get() == 1);
    outbox.remove_observer();
    const std::int64_t unobserved = store(client, R"({"name": "Unobserved Ltd."})");
    outbox.flush([](auto) {});
    CHECK(ended(client, unobserved).second);
}

/** Drains exactly @p count events, each time when the descriptor is readable. */
std::vector<restway::event> drained(const restway::client &client, std::size_t count) {
    std::vector<restway::event> all;
    while (all.size() < count) {
        pollfd ready{client.descriptor(), POLLIN, 0};
        CHECK(poll(&ready, 1, 60000) == 1);
        for (restway::event &one : client.drain(2)) {
            all.push_back(std::move(one));
        }
    }
    CHECK(all.size() == count);
    CHECK(client.drain().empty());
    return all;
}

TEST(events_of_calls_and_observers_are_drained) {
    const auto client = storing("drained", RESTWAY_DELIVERY_DRAIN);
    const restway::store objects = client.store();
    const auto observer = client.observe("Enterprise", restway::token{1});
    const auto query = client.observe(objects.query("Enterprise"), restway::token{2});
    CHECK(query.result().empty());
    const auto call = client.send(restway::request::to("GET", "enterprises/3"), restway::token{3});
    for (const restway::event &one : drained(client, 3)) {
        CHECK(!one.failure());
        switch (one.token()) {
        case 1:
            CHECK(one.kind() == RESTWAY_EVENT_CHANGED);
            CHECK(one.changes()[0].object.identity_text() == "3");
            CHECK(!one.response());
            break;
        case 2:
            CHECK(one.query_changes().insertions() == std::vector<std::size_t>{0});
            break;
        default:
            CHECK(one.token() == 3);
            CHECK(one.call_id() == call.id());
            CHECK(one.response().status() == 200);
            CHECK(!one.changes());
        }
    }
    client.send(restway::request::to("GET", "enterprises/99999"), restway::token{4});
    const auto failed = drained(client, 1);
    CHECK(failed[0].status() == RESTWAY_E_HTTP);
    CHECK(failed[0].failure()->http_status() == 404);
    try {
        client.send(restway::request::to("GET", "status"), [](auto) {});
        NOT_REACHED();
    } catch (const restway::error &refused) {
        CHECK(refused.status() == RESTWAY_E_INVALID_ARGUMENT);
    }
}

TEST(events_of_the_outbox_are_drained) {
    const auto client = storing("drained-outbox", RESTWAY_DELIVERY_DRAIN);
    const restway::outbox outbox = client.outbox();
    outbox.set_observer(restway::token{5});
    const std::int64_t id = store(client, "{}");
    outbox.await(id, restway::token{6});
    outbox.flush(restway::token{7});
    std::vector<std::uint64_t> tokens;
    for (const restway::event &one : drained(client, 4)) {
        tokens.push_back(one.token());
        CHECK(one.items().size() == 1);
        CHECK(one.items()[0].id() == id);
        if (one.kind() == RESTWAY_EVENT_OUTBOX_ITEM) {
            CHECK(one.failure()->http_status() == 422);
        }
    }
    CHECK((std::multiset<std::uint64_t>(tokens.begin(), tokens.end()) ==
           std::multiset<std::uint64_t>{5, 5, 6, 7}));
}

} // namespace

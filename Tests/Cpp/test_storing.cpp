// Stores, queries, drafts, observers, pages, batches, the outbox and the cache.
#include "harness.hpp"

using namespace std::chrono_literals;

namespace {

restway::client tracking(const restway::client_options &options = demo_options()) {
    return restway::client::create(tracker(), options);
}

template <typename Function> restway_status status_of(const Function &function) {
    try {
        function();
    } catch (const restway::error &failure) {
        return failure.status();
    }
    return RESTWAY_OK;
}

TEST(a_draft_is_sent_as_a_patch) {
    const auto client = tracking();
    const restway::object issue = client.get("repos/octo/hello/issues/4").first();
    restway::draft draft = client.store().draft(issue);
    draft.set("body", "It is too bright at night.").set("title", "A dark theme, please");
    CHECK(draft.changes() == (std::vector<std::string_view>{"title", "body"}));
    draft.revert("title");
    CHECK(draft.changes().size() == 1);
    CHECK(draft.entity() == "Issue");
    const restway::object changed = client.patch(draft).first();
    CHECK(changed.get<std::string>("body") == "It is too bright at night.");
    CHECK(changed.is_same(issue));
    CHECK(changed != issue);
    CHECK(client.store().newest(issue) == changed);
    CHECK(client.get(changed).first().get<int>("number") == 4);
}

TEST(a_new_object_is_posted_with_its_relationships) {
    const auto client = tracking();
    client.get("repos/octo/hello/issues/3");
    const restway::store store = client.store();
    const restway::object label = store.find("Label", "bug");
    CHECK(label);
    const restway::draft draft = store.draft("Issue").set("title", "From C++").add("labels", label);
    const restway::object made = client.post(draft).first();
    CHECK(made.get<int>("number") > 12);
    const restway::list labels = store.related(made, "labels");
    CHECK(labels.size() == 1);
    CHECK(labels[0].is_same(label));
    CHECK(store.related_one(made, "user").get<int>("id") > 0);
    CHECK(made.relationships().size() == 2);
    restway::draft without = store.draft(made);
    without.remove("labels", label).set("labels", std::vector<restway::value>{label});
    CHECK(without.snapshot() == made);
    CHECK(!store.is_unsent(made));
}

TEST(a_relationship_that_leads_to_no_object_gives_an_empty_one) {
    const auto client = tracking();
    const restway::store store = client.store();
    const restway::object issue = store.draft("Issue").set("title", "t").insert();
    CHECK(!store.related_one(issue, "user"));
    const auto user = store.draft("User").set("id", 7).insert();
    const restway::object with = store.draft(issue).set("user", user).insert();
    CHECK(store.related_one(with, "user").identity_text() == "7");
    store.erase(user);
    CHECK(!store.related_one(with, "user"));
    CHECK(status_of([&] { store.related_one(issue, "nothing"); }) == RESTWAY_E_UNKNOWN_ATTRIBUTE);
}

TEST(the_store_has_no_objects_that_are_not_kept) {
    const auto client = restway::client::create(
        restway::api::load(
            R"({"restway": 1, "environments": {"a": {"baseURL": "http://127.0.0.1:1"}},
                "entities": {
                  "Order": {"identity": "id", "keep": false,
                    "attributes": {"id": {"type": "int"}},
                    "relationships": {"lines": {"entity": "Line", "many": true}}},
                  "Line": {"attributes": {"count": {"type": "int"}},
                    "relationships": {"product": {"entity": "Product"}}},
                  "Product": {"identity": "sku", "attributes": {"sku": "sku"}}}})"));
    const restway::store store = client.store();
    const restway::object order =
        client
            .map("Order", R"({"id": 1, "lines": [{"count": 3, "product": {"sku": "p"}}]})")
            .response.first();
    CHECK(store.count("Order") == 0);
    CHECK(store.count("Line") == 0);
    CHECK(store.count("Product") == 1);
    const restway::object line = store.related(order, "lines")[0];
    CHECK(line.get<int>("count") == 3);
    CHECK(store.related_one(line, "product").identity_text() == "p");
    CHECK(status_of([&] { store.draft("Order"); }) == RESTWAY_E_INVALID_ARGUMENT);
    CHECK(status_of([&] { store.draft(order); }) == RESTWAY_E_INVALID_ARGUMENT);
}

TEST(drafts_refer_to_drafts) {
    const auto client = tracking();
    const restway::store store = client.store();
    const restway::draft label = store.draft("Label").set("name", "urgent");
    restway::draft issue = store.draft("Issue").set("title", "t").add("labels", label);
    const restway::object inserted = issue.insert();
    CHECK(store.related(inserted, "labels").size() == 1);
    CHECK(store.is_unsent(inserted));
    issue.remove("labels", label).unset("title");
    CHECK(!issue.snapshot().has("title"));
}

TEST(a_wrong_name_in_a_draft_throws) {
    const auto client = tracking();
    restway::draft draft = client.store().draft("Issue");
    CHECK(status_of([&] { draft.set("nothing", 1); }) == RESTWAY_E_UNKNOWN_ATTRIBUTE);
    CHECK(status_of([&] { client.store().draft("Nothing"); }) == RESTWAY_E_UNKNOWN_ENTITY);
}

TEST(a_query_finds_objects_without_values_on_demand) {
    const auto client = tracking();
    const restway::store store = client.store();
    const restway::object named = store.draft("Label").set("name", "bug").insert();
    const restway::object loaded =
        store.draft("Label").set("name", "ui").set("color", "red").insert();
    CHECK(!named.is_loaded());
    CHECK(loaded.is_loaded());
    CHECK(store.count("Label") == 1);
    CHECK(store.all("Label")[0] == loaded);
    restway::query labels = store.query("Label");
    CHECK(store.query(labels)[0] == loaded);
    CHECK(store.query(labels.unloaded())[0] == named);
    CHECK(store.count(labels) == 1);
    CHECK(store.count(labels.unloaded(std::nullopt)) == 2);
    CHECK(store.count(labels.unloaded(false)) == 1);
}

TEST(a_query_finds_objects_in_order) {
    const auto client = tracking();
    client.perform(restway::request::route("issues").parameter("per_page", 12));
    const restway::store store = client.store();
    const std::vector<restway::value> wanted{1, 2, 5};
    const auto query = store.query("Issue")
                           .where("number in ? and title like ?", {wanted, "%o%"})
                           .order_by("number", true);
    std::vector<int> numbers;
    for (const auto issue : store.query(query)) {
        numbers.push_back(issue.get<int>("number"));
    }
    CHECK(numbers == (std::vector<int>{5, 2, 1}));
    CHECK(store.count(query) == 3);
    const auto listed = store.query("Issue").where("number in ?", {restway::value(wanted)});
    CHECK(store.count(listed) == 3);
    CHECK(store.count(store.query("Issue").where("number = ?", {2})) == 1);
    const std::vector<restway::value> below{3};
    CHECK(store.count(store.query("Issue").where("number < ?", below)) == 2);
    CHECK(store.query(store.query("Issue").limit(2).offset(1)).size() == 2);
    CHECK(store.count("Issue") == 12);
    CHECK(store.all("User").size() > 0);
    CHECK(!store.find("Issue", 999));
    CHECK(status_of([&] { store.query("Issue").where("nothing = 1"); }) != RESTWAY_OK);
}

TEST(a_transaction_is_stored_as_one) {
    const auto client = tracking();
    const restway::store store = client.store();
    const restway::transaction both = store.transaction();
    both.insert(store.draft("Label").set("name", "a"));
    both.insert(store.draft("Label").set("name", "b"));
    CHECK(store.count("Label") == 0);
    const restway::changes stored = both.commit();
    CHECK(stored.size() == 2);
    for (const restway::change change : stored) {
        CHECK(change.kind == RESTWAY_CHANGE_INSERTED);
        CHECK(!change.before);
        store.erase(change.object);
    }
    CHECK(store.count("Label") == 0);
    store.draft("Label").set("name", "c").insert();
    CHECK(store.clear() == 1);
}

TEST(observers_are_told_until_they_are_removed) {
    const auto client = tracking();
    const restway::store store = client.store();
    std::promise<std::size_t> changed;
    const restway::observer observer = client.observe(
        "Label", [&](const restway::changes &changes) { changed.set_value(changes.size()); });
    const restway::object label = store.draft("Label").set("name", "first").insert();
    CHECK(changed.get_future().get() == 1);
    observer.remove();

    std::promise<std::size_t> of_all;
    const restway::observer all = client.observe(
        std::nullopt, [&](const restway::changes &changes) { of_all.set_value(changes.size()); });
    std::promise<std::string> color;
    const restway::observer one = client.observe(label, [&](const restway::changes &changes) {
        color.set_value(changes[0].object.get<std::string>("color"));
    });
    store.draft(label).set("color", "red").insert();
    CHECK(color.get_future().get() == "red");
    CHECK(of_all.get_future().get() == 1);
    all.remove();
    one.remove();
}

TEST(the_result_of_a_query_is_observed) {
    const auto client = tracking();
    const restway::store store = client.store();
    std::promise<std::vector<std::size_t>> places;
    const restway::observer observer = client.observe(
        store.query("Label").order_by("name"), [&](const restway::query_changes &changes) {
            CHECK(changes.result().size() == 1);
            CHECK(changes.deletions().empty());
            CHECK(changes.updates().empty());
            places.set_value(changes.insertions());
        });
    store.draft("Label").set("name", "first").set("color", "red").insert();
    CHECK(places.get_future().get() == std::vector<std::size_t>{0});
    observer.remove();
}

TEST(an_observed_query_has_its_first_result_and_the_moves) {
    restway::client_options options = demo_options();
    options.delivery = RESTWAY_DELIVERY_PROCESS;
    const auto client = tracking(options);
    const restway::store store = client.store();
    for (const char *name : {"a", "b", "c"}) {
        store.draft("Label").set("name", name).set("color", name).insert();
    }
    std::vector<std::string> rows;
    int told = 0;
    const auto color = [](const restway::object &one) { return one.get<std::string>("color"); };
    const auto observer = client.observe(
        store.query("Label").order_by("color"), [&](const restway::query_changes &changes) {
            told++;
            CHECK(changes.deletions().empty());
            CHECK(changes.insertions().empty());
            CHECK(changes.updates() == std::vector<std::size_t>{2});
            CHECK(changes.moves().size() == 1);
            const auto [from, to] = changes.moves()[0];
            rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(from));
            rows.insert(
                rows.begin() + static_cast<std::ptrdiff_t>(to), color(changes.result()[to]));
        });
    for (const restway::object one : observer.result()) {
        rows.push_back(color(one));
    }
    CHECK(rows == (std::vector<std::string>{"a", "b", "c"}));
    store.draft(store.find("Label", "a")).set("color", "z").insert();
    while (told == 0) {
        client.process(1s);
    }
    CHECK(rows == (std::vector<std::string>{"b", "c", "z"}));
    CHECK(observer.result().size() == 3);
    observer.remove();
}

TEST(a_loop_over_pages_gets_the_objects_of_all_pages) {
    const auto client = tracking();
    const auto request = restway::request::route("issues").parameter("per_page", 5);
    int count = 0;
    for (const restway::object issue : client.pages(request)) {
        CHECK(issue.get<int>("number") == ++count);
    }
    CHECK(count >= 12);
    restway::page_options options;
    options.objects_max = 7;
    count = 0;
    for (const restway::object issue : client.pages(request, options)) {
        CHECK(issue);
        count++;
    }
    CHECK(count == 7);
}

TEST(pages_are_asked_for_one_by_one) {
    const auto client = tracking();
    const auto pages = client.pages(restway::request::route("issues").parameter("per_page", 10));
    CHECK(pages.has_next());
    CHECK(pages.next().objects().size() == 10);
    CHECK(pages.objects().size() == 10);
    CHECK(pages.next().objects().size() >= 2);
    CHECK(!pages.next());
    CHECK(status_of([&] { client.pages(restway::request::route("newIssue")); }) != RESTWAY_OK);
}

TEST(a_page_that_fails_throws_in_the_loop) {
    restway::client_options options;
    options.base_url = "http://127.0.0.1:1";
    const auto client = tracking(options);
    const auto loop = [&] {
        for (const restway::object issue : client.pages(restway::request::route("issues"))) {
            CHECK(issue);
        }
    };
    CHECK(status_of(loop) == RESTWAY_E_CONNECT);
}

TEST(an_iterator_goes_on_with_the_page_that_failed) {
    const auto client = tracking();
    auto calls = std::make_shared<int>(0);
    client.add_modifier([calls](restway::pipeline_context &) -> restway::result<void> {
        if (++*calls == 2) {
            return restway::error(RESTWAY_E_CONNECT, "no network for a moment");
        }
        return {};
    });
    int count = 0;
    int failures = 0;
    const auto pages = client.pages(restway::request::route("issues").parameter("per_page", 5));
    for (auto place = pages.begin(); place != pages.end(); ++place) {
        if (status_of([&] { CHECK((*place).get<int>("number") == ++count); }) != RESTWAY_OK) {
            CHECK(count == 5);
            failures++;
        }
    }
    CHECK(failures == 1);
    CHECK(count >= 12);
    CHECK(*calls == 4);
}

TEST(pages_of_values_give_values) {
    const auto api = restway::api::load(R"({"restway": 1,
        "entities": {"Thing": {"identity": "id", "attributes": {"id": {"type": "int"}}}},
        "routes": {
            "names": {"path": "names", "pages": {"page": "page"},
                "response": {"type": ["string"], "keyPath": "names"}},
            "single": {"path": "single", "pages": {"page": "page"},
                "response": {"type": "int", "keyPath": "number"}},
            "things": {"path": "things", "pages": {"page": "page"},
                "response": {"entity": "Thing"}}}})");
    const auto client = restway::client::create(api, demo_options());
    auto page = std::make_shared<int>(0);
    client.add_modifier([page](restway::pipeline_context &context) {
        const bool is_empty = (*page)++ == 2;
        const std::string text = std::to_string(*page);
        if (context.route() == "names") {
            context.set_answer(
                200,
                is_empty ? R"({"names": []})"
                         : R"({"names": [")" + text + R"(a", ")" + text + R"(b"]})",
                "application/json");
        } else if (context.route() == "single") {
            context.set_answer(
                200, is_empty ? R"({"number": null})" : R"({"number": )" + text + "}",
                "application/json");
        } else {
            context.set_answer(
                200, is_empty ? "[]" : R"([{"id": )" + text + "}]", "application/json");
        }
    });
    const auto values = [&](const char *route, restway::page_options options = {}) {
        *page = 0;
        std::vector<restway::value> found;
        for (const restway::value one :
             client.pages(restway::request::route(route), options).values()) {
            found.push_back(one);
        }
        return found;
    };
    std::vector<std::string> names;
    for (const restway::value &one : values("names")) {
        names.push_back(one.as<std::string>().value());
    }
    CHECK(names == (std::vector<std::string>{"1a", "1b", "2a", "2b"}));
    restway::page_options options;
    options.objects_max = 3;
    CHECK(values("names", options).size() == 3);
    const auto numbers = values("single");
    CHECK(numbers.size() == 2 && numbers[1].as<std::int64_t>() == 2);
    CHECK(status_of([&] { values("things"); }) == RESTWAY_E_INVALID_ARGUMENT);
    *page = 0;
    const auto as_objects = [&] {
        for (const restway::object one : client.pages(restway::request::route("names"))) {
            CHECK(!one);
        }
    };
    CHECK(status_of(as_objects) == RESTWAY_E_INVALID_ARGUMENT);
    CHECK(status_of([&] {
              client.paged_list(restway::request::route("names"));
          }) == RESTWAY_E_INVALID_ARGUMENT);
}

TEST(a_batch_has_a_response_or_a_failure_for_each_request) {
    const auto client = restway::client::create(
        restway::api::load(companies_with(R"(, "batch": {"path": "/batch"})")), demo_options());
    const restway::batch batch = client.batch();
    batch.add(restway::request::to("GET", "enterprises/1"));
    batch.add(restway::request::to("GET", "enterprises/99999"));
    CHECK(batch.size() == 2);
    batch.send();
    batch.wait();
    CHECK(batch[0].first().get<int>("itemID") == 1);
    CHECK(status_of([&] { (void)batch[1]; }) == RESTWAY_E_HTTP);
    batch.cancel();
}

TEST(a_request_is_stored_before_it_is_sent) {
    const std::string path = std::string(RESTWAY_FILES) + "/first.db";
    for (const char *suffix : {"", "-wal", "-shm", "-journal", "-sender"}) {
        std::remove((path + suffix).c_str());
    }
    restway::client_options options = demo_options();
    options.outbox_path = path.c_str();
    const auto client =
        restway::client::create(restway::api::load(companies_with("")), options);
    auto request = restway::request::about(
        "POST", client.store().draft("Enterprise").set("name", "First Ltd."));
    CHECK(client.perform(request.offline(RESTWAY_OFFLINE_FIRST)).status() == 201);
    CHECK(client.outbox().counts().waiting == 0);
    CHECK(client.outbox().items().size() == 0);
    auto get = restway::request::to("GET", "enterprises");
    try {
        client.perform(get.offline(RESTWAY_OFFLINE_FIRST));
        NOT_REACHED();
    } catch (const restway::error &refused) {
        CHECK(refused.status() == RESTWAY_E_INVALID_ARGUMENT);
    }
}

TEST(a_request_waits_in_the_outbox_and_is_sent_later) {
    const std::string path = std::string(RESTWAY_FILES) + "/outbox.db";
    for (const char *suffix : {"", "-wal", "-shm", "-journal"}) {
        std::remove((path + suffix).c_str());
    }
    restway::client_options options = demo_options();
    options.outbox_path = path.c_str();
    const auto client = restway::client::create(
        restway::api::load(companies_with("").replace(
            companies_with("").find("\"added\": {"), 10, "\"added\": {\"offline\": true, ")),
        options);
    const restway::outbox outbox = client.outbox();
    outbox.set_reachability(RESTWAY_REACHABILITY_UNREACHABLE);
    std::int64_t id = 0;
    try {
        client.post(client.store().draft("Enterprise").set("name", "Later Ltd."));
        NOT_REACHED();
    } catch (const restway::error &queued) {
        CHECK(queued.status() == RESTWAY_E_QUEUED);
        id = queued.outbox_id();
    }
    CHECK(outbox.counts().waiting == 1);
    CHECK(outbox.needs_flushing());
    for (const restway::outbox_item item : outbox.items()) {
        CHECK(item.id() == id);
        CHECK(item.method() == "POST");
        CHECK(item.path() == "enterprises" || item.path() == "/enterprises");
        CHECK(item.state() == RESTWAY_OUTBOX_WAITING);
        CHECK(item.reason() == RESTWAY_OUTBOX_REASON_NONE);
        CHECK(!item.lane().empty());
        CHECK(!item.last_error());
        CHECK(!item.failure());
        CHECK(!item.response());
    }
    CHECK(outbox.find(id).id() == id);
    std::promise<int> answered;
    outbox.flush(
        [&](restway::result<restway::outbox_items> items) {
            answered.set_value(items && items->size() > 0 ? (*items)[0].response().status() : 0);
        },
        RESTWAY_OUTBOX_FORCE);
    CHECK(answered.get_future().get() == 201);
    CHECK(!outbox.needs_flushing());
    CHECK(status_of([&] { outbox.retry(999); }) == RESTWAY_E_INVALID_ARGUMENT);
    CHECK(status_of([&] { outbox.drop(999); }) == RESTWAY_E_INVALID_ARGUMENT);
}

TEST(a_dead_letter_has_the_problems_of_its_fields) {
    const std::string path = std::string(RESTWAY_FILES) + "/dead.db";
    for (const char *suffix : {"", "-wal", "-shm", "-journal"}) {
        std::remove((path + suffix).c_str());
    }
    restway::client_options options = demo_options();
    options.outbox_path = path.c_str();
    const auto api = restway::api::load(R"({"restway": 1,
        "errors": {"message": "message", "details": "errors", "field": "field", "code": "code"},
        "routes": {"note": {"method": "POST", "path": "repos/octo/hello/issues",
            "offline": true}}})");
    const auto check_items = [](const restway::outbox &outbox) {
        CHECK(outbox.counts().dead == 1);
        for (const restway::outbox_item item : outbox.items()) {
            CHECK(item.state() == RESTWAY_OUTBOX_DEAD);
            const auto failure = item.failure();
            CHECK(failure && failure->status() == RESTWAY_E_HTTP);
            CHECK(failure->http_status() == 422);
            CHECK(failure->api_message() == "Validation Failed");
            const auto problems = failure->problems();
            CHECK(problems.size() == 1);
            CHECK(problems[0].path == "title");
            CHECK(problems[0].code == "missing_field");
        }
    };
    {
        const auto client = restway::client::create(api, options);
        const auto outbox = client.outbox();
        outbox.set_reachability(RESTWAY_REACHABILITY_UNREACHABLE);
        const auto note = restway::request::route("note").body(restway::json{"{}"});
        CHECK(status_of([&] { client.perform(note); }) == RESTWAY_E_QUEUED);
        outbox.set_reachability(RESTWAY_REACHABILITY_REACHABLE);
        std::promise<void> flushed;
        outbox.flush(
            [&](restway::result<restway::outbox_items>) { flushed.set_value(); },
            RESTWAY_OUTBOX_FORCE);
        flushed.get_future().get();
        check_items(outbox);
    }
    const auto client = restway::client::create(api, options);
    check_items(client.outbox()); // as it is in the file
}

TEST(several_attributes_identify_an_object) {
    const auto api = restway::api::load(R"({"restway": 1,
        "environments": {"local": {"baseURL": "http://127.0.0.1:1"}},
        "entities": {"Issue": {
            "identity": ["owner", "repo", "number"],
            "attributes": {
                "owner": {"type": "string"}, "repo": {"type": "string"},
                "number": {"type": "int"}, "title": {"type": "string"}}}}})");
    const auto client = restway::client::create(api);
    const restway::store store = client.store();
    for (const char *repo : {"hello", "world"}) {
        store.draft("Issue")
            .set("owner", "octocat")
            .set("repo", repo)
            .set("number", 7)
            .set("title", repo)
            .insert();
    }
    const restway::object found = store.find("Issue", restway::identity("octocat", "world", 7));
    CHECK(found.get<std::string>("title") == "world");
    CHECK(found.identity_text() == R"(["octocat","world",7])");
    CHECK(found.identity().as<restway::json>()->text == R"(["octocat","world",7])");
    CHECK(store.find("Issue", found.identity()) == found);
    CHECK(!store.find("Issue", restway::identity("octocat", "world", 8)));
    CHECK(status_of([&] { store.find("Issue", 7); }) == RESTWAY_E_INVALID_ARGUMENT);
    CHECK(
        status_of([&] { store.find("Issue", restway::identity("octocat", 7)); })
        == RESTWAY_E_INVALID_ARGUMENT);
}

TEST(an_answer_comes_from_the_cache) {
    restway::client_options options = demo_options();
    options.cache_flags = RESTWAY_CACHE_ON;
    const auto client = restway::client::create(restway::api::load(companies_with("")), options);
    client.set_cache_discriminator("ada");
    CHECK(client.get("enterprises/5").cache().state == RESTWAY_CACHE_STATE_STORED);
    const auto only = restway::request::to("GET", "enterprises/5").cache(RESTWAY_CACHE_PREFERRED);
    CHECK(client.perform(only).cache().state == RESTWAY_CACHE_STATE_STALE);
    CHECK(client.cache_counts().entries == 1);
    CHECK(client.cache_remove() == 1);
    CHECK(client.cache_counts().entries == 0);
}

} // namespace

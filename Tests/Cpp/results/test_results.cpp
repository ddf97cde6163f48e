// The same functions in a program without exceptions, where they return results.
#include "../harness.hpp"

#ifdef __cpp_exceptions
#error "this program is compiled with -fno-exceptions"
#endif

namespace {

restway::client companies() {
    const auto api = restway::api::load(companies_with(R"(, "batch": {"path": "/batch"})"));
    CHECK(api);
    auto client = restway::client::create(*api, demo_options());
    CHECK(client);
    return *client;
}

TEST(a_function_returns_its_value_or_the_error) {
    const auto client = companies();
    const auto answer = client.get("enterprises/3");
    CHECK(answer);
    CHECK(answer->status() == 200);
    const auto company = answer->first();
    CHECK(company);
    CHECK(*company->get<std::string>("name") == "Nordlicht Books Inc.");
    CHECK(!*company->has("website"));
    const auto missing = client.get("enterprises/99999");
    CHECK(!missing);
    CHECK(missing.failure().http_status() == 404);
    CHECK(missing.failure().api_code() == "40401");
    const auto wrong = company->get<int>("name");
    CHECK(!wrong);
    CHECK(wrong.failure().status() == RESTWAY_E_INVALID_ARGUMENT);
}

/** Some attributes of the entity "Enterprise", as a program writes them itself. */
struct enterprise {
    static constexpr std::string_view entity = "Enterprise";

    std::optional<int> number;
    std::optional<std::string> website;

    template <typename Self, typename Visit> static void visit(Self &self, Visit visit) {
        visit("itemID", self.number);
        visit("website", self.website);
    }
};

/** A struct with an attribute that its entity does not have. */
struct wrong_enterprise : enterprise {
    template <typename Self, typename Visit> static void visit(Self &self, Visit visit) {
        visit("nothing", self.number);
    }
};

TEST(objects_are_read_into_structs) {
    const auto client = companies();
    const auto page = client.get("enterprises", {{"per_page", 3}});
    const auto read = page->objects().as<enterprise>();
    CHECK(read && read->size() == 3);
    CHECK((*read)[0].number == 1);
    const auto wrong = page->first()->as<wrong_enterprise>();
    CHECK(!wrong && wrong.failure().status() == RESTWAY_E_UNKNOWN_ATTRIBUTE);
    CHECK(!page->objects().as<wrong_enterprise>());
    restway::draft draft = client.store().draft(*page->first());
    enterprise changed;
    changed.website = "https://example.com";
    CHECK(draft.set(changed).changes() == std::vector<std::string_view>{"website"});
    CHECK(draft.set(wrong_enterprise{{4, std::nullopt}}).failure());
}

TEST(a_request_keeps_its_first_failure) {
    const auto client = companies();
    auto request = restway::request::to("GET", "\xff").parameter("page", 1);
    CHECK(request.failure());
    const auto answer = client.perform(request);
    CHECK(!answer);
    CHECK(answer.failure().status() == RESTWAY_E_INVALID_ARGUMENT);
    CHECK(!client.start(request));
    CHECK(!client.send(request).get());
    CHECK(!client.send(request, [](restway::result<restway::response>) {}));
    const auto batch = client.batch();
    CHECK(batch);
    CHECK(!batch->add(request));
}

TEST(a_draft_and_a_query_keep_their_first_failure) {
    const auto client = companies();
    const restway::store store = client.store();
    restway::draft draft = store.draft("Enterprise").set("nothing", 1).set("name", "x");
    CHECK(draft.failure());
    CHECK(draft.failure()->status() == RESTWAY_E_UNKNOWN_ATTRIBUTE);
    CHECK(!client.post(draft));
    CHECK(!store.query(store.query("Nothing").limit(1)));
    CHECK(!store.count(store.query("Enterprise").where("nothing = 1")));
    CHECK(!client.observe(store.query("Nothing"), [](const restway::query_changes &) {}));
    const auto sent = client.post(store.draft("Enterprise").set("name", "Results Ltd."));
    CHECK(sent && sent->status() == 201);
}

TEST(an_observed_query_returns_its_first_result) {
    const auto client = companies();
    const auto store = client.store();
    CHECK(store.draft("Enterprise").set("itemID", 7).insert());
    const auto observer =
        client.observe(store.query("Enterprise"), [](const restway::query_changes &) {});
    CHECK(observer);
    CHECK(observer->result().size() == 1);
    CHECK(observer->result()[0].identity_text() == "7");
    observer->remove();
    const auto drained = client.drain();
    CHECK(!drained);
    CHECK(drained.failure().status() == RESTWAY_E_INVALID_ARGUMENT);
    CHECK(client.descriptor() == -1);
}

TEST(a_future_has_a_result) {
    const auto client = companies();
    const auto answer = client.send(restway::request::to("GET", "status")).get();
    CHECK(answer && answer->status() == 200);
    const auto missing = client.send(restway::request::to("GET", "enterprises/99999")).get();
    CHECK(!missing && missing.failure().http_status() == 404);
}

TEST(a_function_refuses_by_returning_an_error) {
    const auto client = companies();
    const auto number =
        client.add_modifier([](restway::pipeline_context &) -> restway::result<void> {
            return restway::error(RESTWAY_E_AUTH, "not without a badge");
        });
    CHECK(number);
    const auto refused = client.get("status");
    CHECK(!refused && refused.failure().status() == RESTWAY_E_AUTH);
    CHECK(contains(refused.failure().what(), "not without a badge"));
    CHECK(client.remove_stage(*number));
    CHECK(!client.remove_stage(*number));
}

TEST(the_last_element_of_pages_that_fail_is_the_failure) {
    auto api = tracker();
    CHECK(api);
    const auto client = restway::client::create(*api, demo_options());
    int count = 0;
    for (const auto issue : client->pages(restway::request::route("issues"))) {
        CHECK(issue && *issue->get<int>("number") > 0);
        count++;
    }
    CHECK(count >= 12);
    restway::client_options nowhere;
    nowhere.base_url = "http://127.0.0.1:1";
    const auto lost = restway::client::create(*api, nowhere);
    count = 0;
    for (const auto issue : lost->pages(restway::request::route("issues"))) {
        CHECK(!issue && issue.failure().status() == RESTWAY_E_CONNECT);
        count++;
    }
    CHECK(count == 1);
    for (const auto issue : client->pages(restway::request::route("newIssue"))) {
        CHECK(!issue);
        count++;
    }
    CHECK(count == 2);
}

TEST(parsers_and_encoders_refuse_by_results) {
    auto api = restway::api::load(R"({"restway": 1, "routes": {
        "read": {"path": "status", "parse": "never"},
        "sent": {"method": "POST", "path": "echo", "encode": "never"}}})");
    CHECK(api);
    const auto parser = [](std::string_view, std::string_view) -> restway::result<restway::value> {
        return restway::error(RESTWAY_E_MAPPING, "not this body");
    };
    const auto encoder = [](std::string_view) -> restway::result<restway::encoded> {
        return restway::error(RESTWAY_E_MAPPING, "not this request");
    };
    CHECK(api->add_parser("never", parser));
    CHECK(api->add_encoder("never", encoder));
    CHECK(!api->add_encoder("never", encoder));
    const auto client = restway::client::create(*api, demo_options());
    CHECK(client);
    const auto unread = client->perform(restway::request::route("read"));
    CHECK(!unread);
    CHECK(contains(unread.failure().what(), "not this body"));
    const auto unsent = client->perform(restway::request::route("sent").parameter("a", 1));
    CHECK(!unsent);
    CHECK(contains(unsent.failure().what(), "not this request"));
}

TEST(a_scope_keeps_its_first_failure) {
    const auto client = companies();
    auto scope = restway::scope::create();
    scope.variable("\xff", 1).variable("itemID", 3);
    CHECK(scope.failure());
    const auto answer = client.perform(scope.request(restway::request::route("enterprise")));
    CHECK(!answer);
    CHECK(answer.failure().status() == RESTWAY_E_INVALID_ARGUMENT);
    CHECK(scope.inner().failure());
    const auto metrics = client.metrics();
    CHECK(metrics && contains(*metrics, "calls"));
    CHECK(!restway::url::split("nowhere"));
    const auto url = client.url("GET", restway::object());
    CHECK(!url && url.failure().status() == RESTWAY_E_INVALID_ARGUMENT);
}

TEST(a_wrong_choice_is_returned_when_a_conflict_is_resolved) {
    const auto api = restway::api::load(
        R"({"restway": 1, "entities": {"Inspection": {"identity": "id",
            "version": {"header": "ETag"},
            "attributes": {"id": {"type": "int"}, "place": "place", "remark": "remark"}}},
        "routes": {
            "new": {"method": "POST", "path": "inspections", "entity": "Inspection",
                "request": {"entity": "Inspection"}, "response": {"entity": "Inspection"}},
            "one": {"method": ["GET", "PATCH"], "path": "inspections/:id", "entity": "Inspection",
                "request": {"entity": "Inspection", "changedOnly": true},
                "response": {"entity": "Inspection"}}},
        "environments": {"demo": {"baseURL": "http://127.0.0.1:1"}}})");
    CHECK(api);
    const auto client = restway::client::create(*api, demo_options());
    CHECK(client);
    const auto made = client->post(client->store().draft("Inspection").set("place", "Roof"));
    CHECK(made);
    const auto form = client->get(*made->first());
    CHECK(form);
    auto draft = client->store().draft(*form->first());
    draft.set("remark", "mine");
    const auto path = "inspections/" + std::to_string(*form->first()->get<int>("id"));
    CHECK(client->patch(path, restway::json{R"({"remark": "theirs"})"}));
    CHECK(client->get(path));
    const auto refused = client->patch(draft);
    CHECK(!refused);
    restway::conflict conflict = refused.failure().conflict();
    CHECK(*conflict.theirs().get<std::string>("remark") == "theirs");
    conflict.choose("nothing", RESTWAY_CONFLICT_MINE).choose(RESTWAY_CONFLICT_MINE);
    CHECK(conflict.failure());
    const auto resolved = client->outbox().resolve(conflict);
    CHECK(!resolved);
    CHECK(resolved.failure().status() == RESTWAY_E_UNKNOWN_ATTRIBUTE);
    CHECK(!client->outbox().conflicts());
}

} // namespace

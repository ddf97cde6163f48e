// Scopes, requests as they go out, URLs, lists in the store, and clients by routes.
#include "harness.hpp"

namespace {

restway::client client_of(const restway::api &api) {
    return restway::client::create(api, demo_options());
}

restway::client companies(std::string_view members = "") {
    return client_of(restway::api::load(companies_with(members)));
}

TEST(a_scope_fills_variables) {
    const auto client = companies();
    auto outer = restway::scope::create();
    outer.variable("itemID", 3).variable("unused", "x");
    const auto request = restway::request::route("enterprise");
    CHECK(client.perform(outer.request(request)).first().get<int>("itemID") == 3);
    auto inner = outer.inner();
    inner.variable("itemID", 4);
    CHECK(client.perform(inner.request(request)).first().get<int>("itemID") == 4);
    CHECK(client.perform(outer.request(request)).first().get<int>("itemID") == 3);
    try {
        client.perform(request);
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_MISSING_VARIABLE);
    }
}

TEST(an_object_remembers_variables) {
    const auto client = companies();
    const auto company = client.get("enterprises/3").first();
    CHECK(restway::remembered_variables(client.store(), company) == "{}");
}

TEST(a_request_is_inspected_before_it_is_sent) {
    const auto client = companies(R"(, "auth": {"scheme": "bearer", "token": "t0p"})");
    auto request = restway::request::to("POST", "echo").body("text", "text/plain");
    request.header("X-Trace", "7");
    const restway::outgoing seen = client.inspect(request);
    CHECK(seen.method() == "POST");
    CHECK(contains(seen.url(), "/v2/echo"));
    CHECK(!seen.route());
    CHECK(seen.header("x-trace") == "7");
    CHECK(!seen.header("X-Other"));
    CHECK(seen.headers().size() > 1);
    CHECK(seen.body() == "text");
    CHECK(seen.header("Authorization") == "Bearer t0p");
    CHECK(contains(seen.text(), "[redacted]"));
    CHECK(!contains(seen.text(), "t0p"));
    CHECK(!client.inspect(restway::request::route("enterprises")).body());
    CHECK(client.inspect(restway::request::route("enterprises")).route() == "enterprises");
}

struct company {
    static constexpr const char *entity = "Enterprise";
};

struct person {
    static constexpr const char *entity = "Person";
};

TEST(an_answer_that_cannot_be_read_into_a_struct_is_known_before) {
    const auto client = companies();
    const auto request = restway::request::route("enterprises");
    client.check_objects<company>(request);
    try {
        client.check_objects<person>(request);
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_MAPPING);
        CHECK(contains(failure.what(), "Person"));
        CHECK(contains(failure.what(), "\"enterprises\""));
        CHECK(contains(failure.what(), "Enterprise"));
    }
}

TEST(a_response_and_an_error_have_their_request) {
    const auto client = companies();
    const auto answer = client.get("enterprises/3");
    CHECK(contains(restway::request_of(answer).url(), "/v2/enterprises/3"));
    CHECK(contains(client.url("PUT", answer.first()), "/v2/enterprises/3"));
    try {
        client.get("enterprises/99999");
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(contains(restway::request_of(failure).url(), "/v2/enterprises/99999"));
    }
    CHECK(!restway::request_of(restway::error(RESTWAY_E_IO, "none")));
}

TEST(a_url_has_parts) {
    const auto url = restway::url::split("HTTPS://Example.COM/a%2Fb?x=1&y=a+b&z#end");
    CHECK(url.scheme() == "https");
    CHECK(url.host() == "example.com");
    CHECK(url.port() == 443);
    CHECK(url.path() == "/a%2Fb");
    CHECK(url.fragment() == "end");
    const auto parameters = url.parameters();
    CHECK(parameters.size() == 3);
    CHECK(parameters[1].first == "y" && parameters[1].second == "a b");
    CHECK(parameters[2].second.empty());
    CHECK(restway::url::query({{"a", "1"}, {"b", "x y"}}) == "a=1&b=x%20y");
    CHECK(restway::url::query({{"long", std::string(1000, 'x')}}).size() == 1005);
    CHECK(restway::url::query({}).empty());
    try {
        (void)restway::url::split("not a URL");
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_INVALID_URL);
    }
}

TEST(a_list_of_the_store_grows_by_pages) {
    const auto client = client_of(tracker());
    auto request = restway::request::route("issues").parameter("per_page", 5);
    const restway::paged_list list = client.paged_list(request);
    CHECK(!list.is_complete());
    CHECK(!list.total());
    std::promise<std::size_t> told;
    auto is_told = std::make_shared<bool>(false);
    auto observer = list.observe([&told, is_told](const restway::changes &changes) {
        if (!*is_told) {
            *is_told = true;
            told.set_value(changes.size());
        }
    });
    CHECK(list.load().status() == 200);
    CHECK(list.objects().size() == 5);
    CHECK(list.total() == 12);
    CHECK(told.get_future().get() == 5);
    observer.remove();
    std::promise<int> sent;
    list.send([&](restway::result<restway::response> answer) { sent.set_value(answer->status()); });
    CHECK(sent.get_future().get() == 200);
    CHECK(list.objects().size() == 10);
    CHECK(list.load());
    CHECK(list.is_complete());
    CHECK(!list.load());
    CHECK(list.objects()[11].get<int>("number") == 12);
    list.restart();
    list.cancel();
    CHECK(list.load());
    CHECK(list.objects().size() == 5);
}

TEST(a_routing_client_finds_the_client_of_a_route) {
    const auto of_issues = client_of(tracker());
    const auto of_companies = companies();
    const auto routing = restway::routing_client::create(of_companies);
    routing.add("issues", of_issues);
    CHECK(routing.find(restway::request::route("issues")).get() == of_issues.get());
    CHECK(routing.perform(restway::request::route("issues")).first().entity() == "Issue");
    CHECK(routing.get("enterprises/3").first().entity() == "Enterprise");
    try {
        routing.add("issues", of_issues);
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_DUPLICATE);
    }
    const auto strict = restway::routing_client::create();
    try {
        strict.get("enterprises/3");
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_UNKNOWN_ROUTE);
    }
}

} // namespace

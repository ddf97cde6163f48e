// Functions of the program in the journey of a call.
#include "harness.hpp"

#include <atomic>

namespace {

restway::api companies(std::string_view members = "") {
    return restway::api::load(companies_with(members));
}

TEST(a_modifier_changes_the_request) {
    const auto client = restway::client::create(companies(), demo_options());
    const auto number = client.add_modifier([](restway::pipeline_context &context) {
        CHECK(!context.route());
        CHECK(!context.response());
        CHECK(context.sends() == 0);
        context.request().header("X-Trace", "17");
    });
    CHECK(contains(client.get("echo").body(), R"("X-Trace":"17")"));
    client.remove_stage(number);
    CHECK(!contains(client.get("echo").body(), "X-Trace"));
}

TEST(a_modifier_that_throws_refuses_the_call) {
    const auto client = restway::client::create(companies(), demo_options());
    const auto number = client.add_modifier(
        [](restway::pipeline_context &) { throw std::runtime_error("not on a Sunday"); });
    const auto thrown = failure_of(client, restway::request::to("GET", "status"));
    CHECK(thrown.status() == RESTWAY_E_CANCELLED);
    CHECK(contains(thrown.what(), "not on a Sunday"));
    client.remove_stage(number);
    client.add_modifier([](restway::pipeline_context &) -> restway::result<void> {
        return restway::error(RESTWAY_E_AUTH, "not without a badge");
    });
    const auto returned = failure_of(client, restway::request::to("GET", "status"));
    CHECK(returned.status() == RESTWAY_E_AUTH);
    CHECK(contains(returned.what(), "not without a badge"));
}

TEST(a_modifier_answers_in_place_of_the_server) {
    const auto client = restway::client::create(companies(), demo_options());
    client.add_modifier(
        [](restway::pipeline_context &context) {
            CHECK(context.route() == "enterprises");
            context.set_answer(
                200, R"({"array_of_enterprises": [{"id": 1, "name": "Made up"}]})",
                "application/json");
        },
        {"enterprises"});
    const auto answer = client.perform(restway::request::route("enterprises"));
    CHECK(answer.first().get<std::string>("name") == "Made up");
    CHECK(client.get("status").status() == 200);
}

TEST(an_interceptor_changes_the_answer) {
    const auto client = restway::client::create(companies(), demo_options());
    client.add_interceptor([](restway::pipeline_context &context) {
        if (context.failure()) {
            context.set_answer(200, R"({"id": 8, "name": "Instead"})", "application/json");
            return;
        }
        CHECK(context.response().status() == 200);
        if (context.sends() == 0) {
            context.send_again();
            return;
        }
        context.set_status(202);
        context.set_header("X-Seen", "yes");
        context.set_body("{}");
    });
    const auto answer = client.get("status");
    CHECK(answer.status() == 202);
    CHECK(answer.header("X-Seen") == "yes");
    CHECK(answer.body() == "{}");
    CHECK(client.get("enterprises/99999").first().get<std::string>("name") == "Instead");
}

TEST(a_document_names_functions_of_the_program) {
    auto api = companies(R"(, "modifiers": ["stamp"], "interceptors": ["check"])");
    api.add_modifier("stamp", [](restway::pipeline_context &context) {
        context.request().header("X-Stamp", "1");
    });
    api.add_interceptor(
        "check", [](restway::pipeline_context &context) { context.set_header("X-Checked", "1"); });
    const auto client = restway::client::create(api, demo_options());
    const auto answer = client.get("echo");
    CHECK(contains(answer.body(), "X-Stamp"));
    CHECK(answer.header("X-Checked") == "1");
}

TEST(transforms_and_validators_are_lambdas) {
    auto api = restway::api::load(R"({"restway": 1,
        "entities": {"Company": {"identity": "id", "attributes": {
            "id": {"type": "int"}, "name": {"type": "string", "transform": "upper"}}}},
        "routes": {
            "one": {"path": "enterprises/3", "response": {"entity": "Company"}},
            "refused": {"path": "enterprises/4", "response": {"entity": "Company"},
                "validate": {"function": "never"}},
            "sent": {"method": "POST", "path": "echo", "entity": "Company",
                "request": {"entity": "Company"}}}})");
    api.add_transform(
        "upper",
        [](const restway::value &from) {
            return restway::value("<" + from.as<std::string>().value_or("") + ">");
        },
        [](const restway::value &from) {
            return restway::value("[" + from.as<std::string>().value_or("") + "]");
        });
    api.add_validator("never", [](const restway::response &answer) {
        CHECK(answer.status() == 200);
        throw std::runtime_error("never this one");
    });
    const auto client = restway::client::create(api, demo_options());
    const auto one = client.perform(restway::request::route("one")).first();
    CHECK(one.get<std::string>("name") == "<Nordlicht Books Inc.>");
    const auto refusal = failure_of(client, restway::request::route("refused"));
    CHECK(refusal.kind() == RESTWAY_DOMAIN_VALIDATION);
    CHECK(contains(refusal.what(), "never this one"));
    const auto draft = client.store().draft("Company").set("id", 1).set("name", "x");
    CHECK(contains(client.post(draft).body(), "[x]"));
}

TEST(an_authorize_function_signs_or_refuses) {
    const auto client = restway::client::create(companies(), demo_options());
    client.set_authorize([](restway::exchange &exchange) {
        CHECK(exchange.method() == "GET");
        CHECK(contains(exchange.url(), "/v2/echo"));
        CHECK(!exchange.header("X-Signature"));
        CHECK(exchange.body().empty());
        exchange.set_header("X-Signature", "s");
        exchange.add_parameter("key", "k");
    });
    const auto answer = client.get("echo");
    CHECK(contains(answer.body(), "X-Signature"));
    CHECK(contains(answer.body(), R"("key":"k")"));
    client.set_authorize(
        [](restway::exchange &) { throw restway::error(RESTWAY_E_AUTH, "the key is lost"); });
    const auto refusal = failure_of(client, restway::request::to("GET", "echo"));
    CHECK(refusal.status() == RESTWAY_E_AUTH);
    CHECK(contains(refusal.what(), "the key is lost"));
}

/** A client with a token that the realm of the demo API does not take. */
restway::client with_dead_token() {
    const auto client = restway::client::create(
        companies(R"(, "auth": {"scheme": "bearer", "token": "dead"})"), demo_options());
    return client;
}

TEST(a_refresh_brings_a_credential_that_is_stored) {
    const auto client = with_dead_token();
    std::promise<std::string> stored;
    client.set_should_replay(
        [](const restway::error &failure) { return failure.http_status() == 401; });
    client.set_persist(
        [&](const restway::credential &credential) { stored.set_value(credential.token); });
    client.set_refresh([client](const restway::refresh &refresh) {
        client.send(
            restway::request::to("POST", "auth/cpp/token")
                .auth(RESTWAY_AUTH_NONE)
                .body("grant_type=client_credentials", "application/x-www-form-urlencoded"),
            [refresh](restway::result<restway::response> answer) {
                restway::credential fresh;
                const std::string body(answer->body());
                const std::size_t start = body.find("\"access_token\":\"") + 16;
                const std::string token = body.substr(start, body.find('"', start) - start);
                fresh.token = token.c_str();
                refresh.succeed(fresh);
            });
    });
    CHECK(client.get("auth/cpp/me").status() == 200);
    CHECK(contains(stored.get_future().get(), "cpp-token-"));
    // The client and its refresh function refer to each other.
    client.set_refresh([](const restway::refresh &) {});
}

TEST(a_refresh_that_throws_has_failed) {
    const auto client = with_dead_token();
    client.set_refresh(
        [](const restway::refresh &) { throw std::runtime_error("the password is wrong"); });
    const auto failure = failure_of(client, restway::request::to("GET", "auth/cpp/me"));
    CHECK(failure.status() == RESTWAY_E_AUTH);
    CHECK(contains(failure.what(), "the password is wrong"));
    client.set_refresh(
        [](const restway::refresh &refresh) { refresh.fail("the account is closed", true); });
    restway::credential dead;
    dead.token = "dead";
    client.set_credential(dead);
    const auto final_failure = failure_of(client, restway::request::to("GET", "auth/cpp/me"));
    CHECK(contains(final_failure.what(), "the account is closed"));
}

TEST(a_credential_without_values_signs_out) {
    const auto client = with_dead_token();
    CHECK(client.inspect(restway::request::to("GET", "auth/cpp/me")).header("Authorization"));
    client.set_credential(restway::credential());
    CHECK(!client.inspect(restway::request::to("GET", "auth/cpp/me")).header("Authorization"));
}

} // namespace

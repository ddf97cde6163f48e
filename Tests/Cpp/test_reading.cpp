// Objects, responses and errors.
#include "harness.hpp"

using namespace std::chrono_literals;

namespace {

restway::client companies(std::string_view members = "") {
    return restway::client::create(restway::api::load(companies_with(members)), demo_options());
}

/** Calls a function that must throw, and returns the error. */
template <typename Function> restway::error failure_of(const Function &function) {
    try {
        function();
    } catch (const restway::error &failure) {
        return failure;
    }
    NOT_REACHED();
    std::abort();
}

TEST(an_attribute_is_read_as_the_type_that_is_asked_for) {
    const restway::object company = companies().get("enterprises/3").first();
    CHECK(company.entity() == "Enterprise");
    CHECK(company.get<int>("itemID") == 3);
    CHECK(company.get<std::int64_t>("itemID") == 3);
    CHECK(company.get<std::string>("name") == "Nordlicht Books Inc.");
    CHECK(company.get<std::string_view>("name") == "Nordlicht Books Inc.");
    CHECK(company.get<bool>("active"));
    CHECK(company.get<double>("rating") > 0.0);
    CHECK(contains(company.get<restway::json>("tags").text, "wholesale"));
    CHECK(company.get<restway::value>("itemID").as<std::int64_t>() == 3);
    CHECK(company.identity().as<std::int64_t>() == 3);
    CHECK(company.attributes().size() == 7);
    CHECK(contains(company.json(), "Nordlicht"));
}

TEST(a_date_is_a_time_point) {
    const restway::object company = companies().get("enterprises/3").first();
    const auto founded = company.get<restway::date>("founded");
    // 2013-08-17
    CHECK(founded.time_since_epoch() == 1376697600s);
    const auto seconds =
        company.get<std::chrono::time_point<std::chrono::system_clock, std::chrono::seconds>>(
            "founded");
    CHECK(seconds.time_since_epoch().count() == 1376697600);
}

TEST(null_is_an_empty_optional_and_else_an_error) {
    const restway::object company = companies().get("enterprises/3").first();
    CHECK(!company.get<std::optional<std::string>>("website"));
    CHECK(company.get<std::optional<std::string>>("name") == "Nordlicht Books Inc.");
    CHECK(!company.has("website"));
    const auto failure = failure_of([&] { company.get<std::string>("website"); });
    CHECK(failure.status() == RESTWAY_E_INVALID_ARGUMENT);
    CHECK(failure.kind() == RESTWAY_DOMAIN_USAGE);
    CHECK(contains(failure.what(), "\"website\" of Enterprise is null"));
}

TEST(an_attribute_of_another_type_or_name_is_an_error) {
    const restway::object company = companies().get("enterprises/3").first();
    const auto other_type = failure_of([&] { company.get<int>("name"); });
    CHECK(contains(other_type.what(), "\"name\" of Enterprise is a string"));
    const auto other_name = failure_of([&] { company.get<int>("nothing"); });
    CHECK(other_name.status() == RESTWAY_E_UNKNOWN_ATTRIBUTE);
}

TEST(a_number_that_does_not_fit_is_an_error) {
    restway::object made = companies().store().draft("Enterprise").set("itemID", 300).snapshot();
    CHECK(made.get<std::int16_t>("itemID") == 300);
    const auto failure = failure_of([&] { made.get<std::uint8_t>("itemID"); });
    CHECK(failure.status() == RESTWAY_E_INVALID_ARGUMENT);
    made = companies().store().draft("Enterprise").set("itemID", -1).snapshot();
    failure_of([&] { made.get<unsigned>("itemID"); });
}

TEST(a_value_is_what_it_was_made_of) {
    const char *nothing = nullptr;
    CHECK(restway::value(nothing).is_null());
    CHECK(restway::value(std::optional<int>()).is_null());
    CHECK(restway::value(std::optional<int>(3)).as<std::int64_t>() == 3);
    CHECK(restway::value("text").as<std::string>() == "text");
    CHECK(!restway::value("text").as<std::int64_t>());
    CHECK(restway::value(true).as<bool>() == true);
    CHECK(restway::value(restway::bytes{1, 2}).as<restway::bytes>()->size() == 2);
    restway::object made = companies().store().draft("Enterprise").set("name", nullptr).snapshot();
    CHECK(!made.get<std::optional<std::string>>("name"));
}

TEST(a_list_is_looped_over) {
    const restway::response answer = companies().get("enterprises", {{"per_page", 4}});
    int count = 0;
    for (const restway::object company : answer.objects()) {
        CHECK(!company.get<std::string>("name").empty());
        count++;
    }
    CHECK(count == 4);
    CHECK(answer.objects().size() == 4);
    CHECK(!answer.objects()[9]);
    CHECK(answer.result_sizes() == std::vector<std::size_t>{4});
    CHECK(contains(answer.objects().json(), "\"itemID\""));
}

TEST(a_response_has_headers_and_a_body) {
    const restway::response answer = companies().get("status");
    CHECK(answer.status() == 200);
    CHECK(answer.header("content-type") == "application/json");
    CHECK(!answer.header("x-nothing"));
    CHECK(!answer.headers().empty());
    CHECK(contains(answer.body(), "\"status\":\"ok\""));
    CHECK(answer.json() == answer.body());
    CHECK(!answer.is_mapped());
    CHECK(answer.issues().empty());
    CHECK(contains(answer.url(), "/v2/status"));
    CHECK(answer.timings().total_microseconds > 0);
    CHECK(!answer.saved_path());
    const auto failure = failure_of([&] { (void)answer.first(); });
    CHECK(failure.status() == RESTWAY_E_NO_OBJECT);
}

TEST(a_copy_of_a_handle_refers_to_the_same_and_a_moved_one_to_nothing) {
    restway::response answer = companies().get("status");
    restway::response copy = answer;
    CHECK(copy.get() == answer.get());
    const restway::response moved = std::move(answer);
    CHECK(moved.get() == copy.get());
    copy = restway::response();
    CHECK(!copy);
    CHECK(moved.status() == 200);
}

TEST(an_error_says_what_the_api_says) {
    const auto failure = failure_of([] { companies().get("enterprises/99999"); });
    CHECK(failure.status() == RESTWAY_E_HTTP);
    CHECK(failure.kind() == RESTWAY_DOMAIN_API);
    CHECK(failure.http_status() == 404);
    CHECK(failure.api_code() == "40401");
    CHECK(failure.api_message() == "there is no enterprise with id 99999");
    CHECK(!failure.is_retryable());
    CHECK(failure.response().status() == 404);
    CHECK(failure.problems().empty());
    CHECK(failure.outbox_id() == 0);
}

TEST(an_error_has_the_fields_that_are_refused) {
    const auto client = restway::client::create(tracker(), demo_options());
    const auto failure = failure_of(
        [&] { client.post(client.store().draft("Issue").set("title", "").set("state", "gone")); });
    CHECK(failure.http_status() == 422);
    const auto problems = failure.problems();
    CHECK(problems.size() == 2);
    CHECK(problems[0].path == "title");
    CHECK(problems[0].code == "missing_field");
    CHECK(problems[1].path == "state");
}

TEST(a_wrong_document_is_reported_whole) {
    const auto failure =
        failure_of([] { restway::api::load(R"({"restway": 1, "entities": 1, "routes": 2})"); });
    CHECK(failure.status() == RESTWAY_E_CONFIG);
    CHECK(failure.kind() == RESTWAY_DOMAIN_CONFIG);
    CHECK(failure.problems().size() == 2);
    CHECK(failure.problems()[0].path == "$.entities");
}

TEST(a_text_with_a_nul_inside_is_refused) {
    const auto failure =
        failure_of([] { restway::request::to("GET", std::string_view("status\0more", 11)); });
    CHECK(failure.status() == RESTWAY_E_INVALID_ARGUMENT);
}

TEST(an_answer_that_is_no_json_is_an_error_with_its_response) {
    const auto failure = failure_of([] {
        companies(R"(, "responses": [{"path": "bad/html", "entity": "Enterprise"}])")
            .get("bad/html");
    });
    CHECK(failure.status() == RESTWAY_E_MAPPING);
    CHECK(failure.response().status() == 200);
}

TEST(the_document_is_read_as_json) {
    const restway::api api = restway::api::load(companies_with(""));
    CHECK(api.json("/routes/enterprises/path") == "\"enterprises\"");
    api.json("");
    restway::api other = api;
    other.add_entity("Note", R"({"attributes": {"text": "text"}})");
    other.add_route("notes", R"({"path": "notes", "response": {"entity": "Note"}})");
    CHECK(contains(api.json("/routes/notes"), "Note"));
}

} // namespace

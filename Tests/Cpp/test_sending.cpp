// Calls: callbacks, futures, cancels, delivery, bodies, streams and files.
#include "harness.hpp"

#include <cstring>
#include <fstream>
#include <sstream>

using namespace std::chrono_literals;

namespace {

restway::client plain() {
    return restway::client::create(restway::api::load(companies_with("")), demo_options());
}

TEST(a_callback_gets_the_response) {
    const auto client = plain();
    std::promise<int> status;
    client.send(restway::request::to("GET", "status"), [&](const auto &answer) {
        status.set_value(answer ? answer->status() : 0);
    });
    CHECK(status.get_future().get() == 200);
}

TEST(a_callback_gets_the_failure) {
    const auto client = plain();
    std::promise<int> status;
    client.send(
        restway::request::to("GET", "enterprises/99999"),
        [&](restway::result<restway::response> answer) {
            status.set_value(answer ? 0 : answer.failure().http_status());
        });
    CHECK(status.get_future().get() == 404);
}

TEST(any_token_is_a_method) {
    const auto client = plain();
    const auto answer = client.perform(
        restway::request::to("M-SEARCH", "echo").parameter("a", 1));
    CHECK(contains(answer.body(), R"("method":"M-SEARCH")"));
    try {
        client.perform(restway::request::to("a b", "echo"));
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_INVALID_ARGUMENT);
        CHECK(std::string(failure.what()).find("\"a b\"") != std::string::npos);
    }
}

TEST(a_callback_that_moves_only_is_kept_and_destroyed) {
    const auto client = plain();
    auto number = std::make_unique<int>(7);
    std::promise<int> told;
    client.send(
        restway::request::to("GET", "status"),
        [&told, number = std::move(number)](restway::result<restway::response>) {
            told.set_value(*number);
        });
    CHECK(told.get_future().get() == 7);
}

TEST(a_request_that_cannot_be_sent_keeps_no_callback) {
    auto witness = std::make_shared<int>(1);
    const auto client = plain();
    client.close();
    try {
        client.send(
            restway::request::to("GET", "status"),
            [witness](restway::result<restway::response>) {});
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_CLOSED);
    }
    CHECK(witness.use_count() == 1);
}

std::promise<std::string> *unhandled_text = nullptr;

TEST(what_a_callback_throws_is_told_and_crosses_no_boundary) {
    std::promise<std::string> text;
    unhandled_text = &text;
    restway::set_unhandled([](const char *what) { unhandled_text->set_value(what); });
    const auto client = plain();
    client.send(restway::request::to("GET", "status"), [](const auto &) {
        throw std::runtime_error("nobody catches this");
    });
    CHECK(text.get_future().get() == "nobody catches this");
    restway::set_unhandled(restway::internal::print_unhandled);
}

TEST(a_future_has_the_response_or_throws_the_failure) {
    const auto client = plain();
    auto answer = client.send(restway::request::to("GET", "status"));
    auto missing = client.send(restway::request::to("GET", "enterprises/99999"));
    CHECK(answer.get().status() == 200);
    try {
        missing.get();
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.http_status() == 404);
    }
    client.close();
    try {
        client.send(restway::request::to("GET", "status")).get();
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_CLOSED);
    }
}

TEST(a_call_is_waited_for_and_cancelled) {
    const auto client = plain();
    const restway::call quick = client.start(restway::request::to("GET", "status"));
    CHECK(quick.wait(30s).status() == 200);
    CHECK(quick.is_complete());
    CHECK(quick.id() > 0);
    CHECK(quick.progress().fraction >= 0.0);
    const restway::call slow =
        client.start(restway::request::to("GET", "bad/slow").parameter("ms", 60000));
    slow.cancel();
    try {
        slow.wait();
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_CANCELLED);
        CHECK(failure.kind() == RESTWAY_DOMAIN_CANCELLED);
    }
}

TEST(notices_run_where_the_program_processes_them) {
    restway::client_options options = demo_options();
    options.delivery = RESTWAY_DELIVERY_PROCESS;
    const auto client = restway::client::create(restway::api::load(companies_with("")), options);
    bool is_told = false;
    client.send(restway::request::to("GET", "status"), [&](const auto &) { is_told = true; });
    // A future does not wait for the program to process notices.
    CHECK(client.send(restway::request::to("GET", "status")).get().status() == 200);
    while (!is_told) {
        client.process(1s);
    }
}

TEST(a_request_carries_what_it_is_given) {
    const auto client = plain();
    const restway::response answer = client.perform(restway::request::to("POST", "echo/some")
                                                        .parameter("q", "a b")
                                                        .header("X-Word", "word")
                                                        .timeout(30s)
                                                        .priority(1)
                                                        .body(restway::json{R"({"a": 1})"}));
    CHECK(contains(answer.body(), R"("q":"a b")"));
    CHECK(contains(answer.body(), R"("X-Word":"word")"));
    CHECK(contains(answer.body(), R"(application/json)"));
    CHECK(contains(answer.body(), R"({\"a\": 1})"));
    CHECK(contains(client.put("echo", restway::json{"[]"}).body(), "\"PUT\""));
    CHECK(contains(client.patch("echo", restway::json{"[]"}).body(), "\"PATCH\""));
    CHECK(contains(client.post("echo", restway::json{"[]"}).body(), "\"POST\""));
    CHECK(contains(client.remove("echo").body(), "\"DELETE\""));
    client.set_header("X-Program", "tests");
    CHECK(contains(client.get("echo").body(), "X-Program"));
    client.set_header("X-Program", std::nullopt);
    CHECK(!contains(client.get("echo").body(), "X-Program"));
}

TEST(numbers_of_every_type_of_integers_are_values) {
    const auto client = plain();
    const std::vector<int> rows(3);
    const restway::response answer = client.get(
        "echo", {{"size", rows.size()},
                 {"most", std::numeric_limits<std::uint64_t>::max()},
                 {"least", std::numeric_limits<long long>::min()},
                 {"unsigned", 4294967295u},
                 {"text", "a"}});
    CHECK(contains(answer.body(), R"("size":"3","most":"18446744073709551615")"));
    CHECK(contains(answer.body(), R"("least":"-9223372036854775808","unsigned":"4294967295")"));
    CHECK(restway::value(rows.size()).as<std::int64_t>() == 3);

    const auto api = restway::api::load(R"({"restway": 1, "entities":
        {"Row": {"attributes": {"count": {"type": "int"}, "any": {"type": "any"}}}}})");
    const auto maker = restway::client::create(api, demo_options());
    const auto row = maker.store()
                         .draft("Row")
                         .set("count", rows.size())
                         .set("any", std::numeric_limits<std::uint64_t>::max())
                         .insert();
    CHECK(row.get<std::size_t>("count") == 3);
    CHECK(row.get<std::uint64_t>("any") == std::numeric_limits<std::uint64_t>::max());
    try {
        row.get<std::int64_t>("any");
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_INVALID_ARGUMENT);
    }
}

TEST(the_location_of_an_answer_is_an_absolute_url) {
    const auto client = plain();
    const restway::json body{R"({"name": "A Ltd."})"};
    const restway::response made = client.post("enterprises", body);
    CHECK(made.header("Location")->front() == '/');
    CHECK(contains(*made.location(), demo_url()));
    CHECK(client.get(*made.location()).status() == 200);
    CHECK(!client.remove(*made.location()).location());
}

TEST(more_parameters_than_fit_in_braces_come_from_a_container) {
    std::vector<std::string> names;
    for (char letter = 'a'; letter <= 'l'; letter++) {
        names.emplace_back(1, letter);
    }
    std::vector<restway::named_value> many;
    for (const std::string &name : names) {
        many.emplace_back(name, many.size());
    }
    CHECK(contains(plain().get("echo", many).body(), R"("k":"10","l":"11")"));
    CHECK(contains(plain().get("echo", {}).body(), R"("query":{})"));
}

TEST(a_body_comes_from_a_function) {
    const auto client = plain();
    int pieces = 0;
    const restway::response answer =
        client.perform(restway::request::to("POST", "echo")
                           .body_from(
                               [&pieces](char *buffer, std::size_t) -> std::size_t {
                                   if (pieces == 3) {
                                       return 0;
                                   }
                                   std::memcpy(buffer, "abc", 3);
                                   pieces++;
                                   return 3;
                               },
                               9, "text/plain"));
    CHECK(contains(answer.body(), "\"abcabcabc\""));
}

TEST(a_function_that_gives_a_body_and_throws_fails_the_call) {
    const auto client = plain();
    try {
        client.perform(restway::request::to("POST", "echo")
                           .body_from(
                               [](char *, std::size_t) -> std::size_t {
                                   throw std::runtime_error("the disk is gone");
                               },
                               9, "text/plain"));
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_CANCELLED);
        CHECK(contains(failure.what(), "the disk is gone"));
    }
}

TEST(an_answer_is_received_while_it_arrives) {
    const auto client = plain();
    std::string received;
    const restway::response answer =
        client.perform(restway::request::to("GET", "status").receive([&](std::string_view bytes) {
            received.append(bytes);
        }));
    CHECK(answer.body().empty());
    CHECK(contains(received, "\"status\":\"ok\""));
    try {
        client.perform(restway::request::to("GET", "status").receive([](std::string_view) {
            throw restway::error(RESTWAY_E_TOO_LARGE, "this is enough");
        }));
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_TOO_LARGE);
        CHECK(contains(failure.what(), "this is enough"));
    }
}

TEST(events_of_a_stream_become_objects) {
    const auto client = restway::client::create(
        restway::api::load(companies_with(R"(, "responses": [
            {"path": "repos/octo/hello/events", "entity": "Enterprise", "event": "opened",
             "keyPath": "user"}])")),
        demo_options());
    std::promise<std::string> first;
    bool is_first = true;
    const restway::call call =
        client.start(restway::request::to("GET", "repos/octo/hello/events")
                         .receive_events([&](const restway::stream_event &event) {
                             if (is_first) {
                                 is_first = false;
                                 CHECK(event.name == "opened");
                                 CHECK(event.id == "1");
                                 CHECK(!event.failure);
                                 CHECK(event.objects.size() == 1);
                                 first.set_value(std::string(event.data));
                             }
                         }));
    CHECK(contains(first.get_future().get(), "The window does not open"));
    call.cancel();
    try {
        call.wait();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_CANCELLED);
    }
}

TEST(a_download_is_saved_with_progress) {
    const auto client = plain();
    const std::string path = std::string(RESTWAY_FILES) + "/downloaded.json";
    std::remove(path.c_str());
    std::promise<double> whole;
    const restway::response answer = client.perform(
        restway::request::to("GET", "status")
            .save_to(path)
            .on_progress(1ms, [&](const restway::call &, const restway::progress &progress) {
                if (progress.fraction >= 1.0) {
                    whole.set_value(progress.fraction);
                }
            }));
    CHECK(answer.saved_path() == path);
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    CHECK(contains(text.str(), "\"status\":\"ok\""));
    CHECK(whole.get_future().get() == 1.0);
}

TEST(files_are_sent_in_a_form) {
    const auto client = plain();
    const auto note = restway::resource::of("hello", "note.txt", "text/plain");
    const restway::response answer = client.perform(
        restway::request::to("POST", "echo").parameter("kind", "note").file("file", note));
    CHECK(contains(answer.body(), "multipart/form-data"));
    CHECK(contains(answer.body(), "hello"));
    const restway::response plain_body =
        client.perform(restway::request::to("POST", "echo").body(note));
    CHECK(contains(plain_body.body(), "\"hello\""));
    const auto source = restway::resource::file(RESTWAY_EXAMPLES "/tracker.restway.json");
    const restway::response whole =
        client.perform(restway::request::to("POST", "echo").body(source));
    CHECK(contains(whole.body(), "X-Total-Count"));
}

} // namespace

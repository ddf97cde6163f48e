// Responses that coroutines await.
#include "../harness.hpp"

#include <thread>

namespace {

/** A coroutine that starts at once, and whose caller waits for what it returns. */
template <typename T> struct task {
    struct promise_type {
        std::promise<T> outcome;

        task get_return_object() {
            return {outcome.get_future()};
        }

        std::suspend_never initial_suspend() noexcept {
            return {};
        }

        std::suspend_never final_suspend() noexcept {
            return {};
        }

        void return_value(T value) {
            outcome.set_value(std::move(value));
        }

        void unhandled_exception() {
            outcome.set_exception(std::current_exception());
        }
    };

    std::future<T> outcome;
};

restway::client companies() {
    return restway::client::create(restway::api::load(companies_with("")), demo_options());
}

task<std::string> names_of_two(restway::client client) {
    const auto web = client.awaiting();
    const restway::response first = co_await web.get("enterprises/3");
    const restway::response second = co_await web.get("enterprises/1");
    co_return first.first().get<std::string>("name") + ", " +
        second.first().get<std::string>("name");
}

TEST(a_coroutine_awaits_one_response_after_the_other) {
    const auto client = companies();
    CHECK(names_of_two(client).outcome.get() == "Nordlicht Books Inc., Rosetti Archives GmbH");
}

task<std::string> echo_of_parameters(restway::client client) {
    const restway::response answer =
        co_await client.awaiting().get("echo", {{"limit", 100}, {"state", "open"}});
    const restway::response other = co_await client.awaiting().perform(
        restway::request::to("GET", "echo").parameters({{"q", "x"}}));
    co_return std::string(answer.body()) + std::string(other.body());
}

TEST(a_coroutine_sends_parameters) {
    const std::string echo = echo_of_parameters(companies()).outcome.get();
    CHECK(contains(echo, R"("query":{"limit":"100","state":"open"})"));
    CHECK(contains(echo, R"("query":{"q":"x"})"));
}

task<int> status_of_failure(restway::client client) {
    try {
        co_await client.awaiting().get("enterprises/99999");
    } catch (const restway::error &failure) {
        co_return failure.http_status();
    }
    co_return 0;
}

TEST(a_failure_is_thrown_where_the_coroutine_awaits) {
    CHECK(status_of_failure(companies()).outcome.get() == 404);
}

task<restway_status> status_after_close(restway::client client) {
    try {
        co_await client.awaiting().perform(restway::request::to("GET", "status"));
    } catch (const restway::error &failure) {
        co_return failure.status();
    }
    co_return RESTWAY_OK;
}

TEST(a_request_that_cannot_be_sent_fails_at_once) {
    const auto client = companies();
    client.close();
    CHECK(status_after_close(client).outcome.get() == RESTWAY_E_CLOSED);
}

task<int> loop_of_drafts(restway::client client) {
    int created = 0;
    for (const char *name : {"One Ltd.", "Two Ltd."}) {
        const auto draft = client.store().draft("Enterprise").set("name", name);
        const restway::response answer = co_await client.awaiting().post(draft);
        created += answer.status() == 201 ? 1 : 0;
    }
    co_return created;
}

TEST(a_coroutine_sends_drafts) {
    CHECK(loop_of_drafts(companies()).outcome.get() == 2);
}

task<bool> on_this_thread(restway::client client) {
    const auto before = std::this_thread::get_id();
    co_await client.awaiting().get("status");
    co_return before == std::this_thread::get_id();
}

TEST(a_coroutine_goes_on_where_the_program_processes_notices) {
    restway::client_options options = demo_options();
    options.delivery = RESTWAY_DELIVERY_PROCESS;
    const auto client = restway::client::create(restway::api::load(companies_with("")), options);
    auto running = on_this_thread(client);
    while (running.outcome.wait_for(std::chrono::seconds(0)) != std::future_status::ready) {
        client.process(std::chrono::seconds(1));
    }
    CHECK(running.outcome.get());
}

} // namespace

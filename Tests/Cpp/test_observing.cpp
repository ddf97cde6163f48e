// What an operator sees: the life of calls, the log, metrics, spans; interrupts and plugins.
#include "harness.hpp"

#include <algorithm>
#include <mutex>

namespace {

restway::client companies() {
    return restway::client::create(restway::api::load(companies_with("")), demo_options());
}

TEST(observers_are_told_the_life_of_calls) {
    const auto client = companies();
    std::promise<void> ended;
    auto kinds = std::make_shared<std::vector<restway_lifecycle_kind>>();
    auto observer = client.observe_calls([&, kinds](const restway::lifecycle_event &event) {
        kinds->push_back(event.kind());
        CHECK(std::string_view(event.info().method) == "GET");
        CHECK(event.call().id() == event.info().call_id);
        CHECK(event.time().time_since_epoch().count() > 0);
        CHECK(static_cast<bool>(event.failure()) == (event.kind() == RESTWAY_LIFECYCLE_DID_FAIL));
        if (event.kind() == RESTWAY_LIFECYCLE_DID_SUCCEED) {
            CHECK(event.response().status() == 200);
        }
        if (event.kind() == RESTWAY_LIFECYCLE_DID_FAIL) {
            CHECK(event.failure()->http_status() == 404);
            ended.set_value();
        }
    });
    client.get("enterprises/3");
    client.send(restway::request::to("GET", "enterprises/99999"), [](auto) {});
    ended.get_future().wait();
    observer.remove();
    CHECK(kinds->front() == RESTWAY_LIFECYCLE_WILL_BEGIN);
    CHECK(std::count(kinds->begin(), kinds->end(), RESTWAY_LIFECYCLE_DID_SUCCEED) == 1);
}

TEST(observers_choose_their_events) {
    const auto client = companies();
    restway::lifecycle_options options;
    options.kinds = 1u << RESTWAY_LIFECYCLE_DID_SUCCEED;
    const char *routes[] = {"enterprise"};
    options.routes = routes;
    options.route_count = 1;
    std::promise<std::string> route;
    auto observer = client.observe_calls(
        [&](const restway::lifecycle_event &event) { route.set_value(event.info().route); },
        options);
    client.get("status");
    client.perform(restway::request::route("enterprise").variable("itemID", 3));
    CHECK(route.get_future().get() == "enterprise");
    observer.remove();
}

TEST(calls_in_flight_are_listed) {
    const auto client = companies();
    std::promise<void> may_go_on;
    std::promise<void> is_there;
    auto wait = may_go_on.get_future().share();
    client.add_modifier([&is_there, wait](restway::pipeline_context &) {
        is_there.set_value();
        wait.wait();
    });
    const auto call = client.start(restway::request::to("GET", "status"));
    is_there.get_future().wait();
    const restway::active_calls calls = client.active_calls();
    CHECK(calls.size() == 1);
    for (const restway::active_call &one : calls) {
        CHECK(one.call.id() == call.id());
        CHECK(one.info.call_id == call.id());
        CHECK(std::string_view(one.info.stage) == "modify");
    }
    CHECK(!calls[7].call);
    may_go_on.set_value();
    CHECK(call.wait().status() == 200);
    CHECK(contains(client.metrics(), R"("succeeded": 1)"));
}

TEST(the_log_goes_to_a_function) {
    std::mutex lock;
    std::string lines;
    restway::set_log("client=debug", [&](const restway_log_record &record) {
        const std::lock_guard<std::mutex> guard(lock);
        lines += std::string(record.target) + ": " + record.message + "\n";
    });
    companies().get("status");
    restway::flush_log();
    {
        const std::lock_guard<std::mutex> guard(lock);
        CHECK(contains(lines, "client: "));
        lines.clear();
    }
    restway::set_log_levels("off");
    companies().get("status");
    restway::flush_log();
    CHECK(lines.empty());
    restway::remove_log();
    try {
        restway::set_log("loud", [](const restway_log_record &) {});
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(contains(failure.what(), "loud"));
    }
}

TEST(spans_are_told_and_traced) {
    const auto client = companies();
    static constexpr std::string_view parent =
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    std::promise<std::string> ended;
    auto starts = std::make_shared<int>(0);
    auto is_told = std::make_shared<std::atomic<bool>>(false);
    client.set_tracing(
        RESTWAY_TRACE_HEADER,
        [&, starts, is_told](const restway_span &span, restway::trace_parent at) {
            if (at) {
                CHECK(at.text().size() == RESTWAY_TRACEPARENT_SIZE - 1);
                at.set(*starts == 0 ? parent : std::string_view());
                (*starts)++;
            } else if (!is_told->exchange(true)) {
                at.set(parent);
                CHECK(at.text().empty());
                ended.set_value(std::string(span.name));
            }
        });
    CHECK(contains(client.get("echo").body(), parent));
    CHECK(ended.get_future().get() == "GET");
    CHECK(!contains(client.get("echo").body(), "raceparent"));
    client.stop_tracing();
    CHECK(!contains(client.get("echo").body(), "raceparent"));
}

TEST(an_interrupt_ends_a_wait) {
    const auto client = companies();
    const auto interrupt = restway::interrupt::create();
    CHECK(interrupt.descriptor() >= 0);
    interrupt.use();
    interrupt.raise();
    try {
        client.get("status");
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_INTERRUPTED);
    }
    CHECK(client.get("status").status() == 200);
    restway::interrupt::use_none();
    interrupt.raise();
    CHECK(client.get("status").status() == 200);
}

TEST(a_missing_plugin_is_named) {
    CHECK(restway::plugins().size() == restway_plugin_count());
    try {
        restway::load_plugin("no-such-plugin");
        NOT_REACHED();
    } catch (const restway::error &failure) {
        CHECK(failure.status() == RESTWAY_E_PLUGIN);
        CHECK(contains(failure.what(), "no-such-plugin"));
    }
    restway::load_plugin("msgpack", "{}");
    const std::vector<restway::plugin> loaded = restway::plugins();
    CHECK(loaded.back().name == "msgpack");
    CHECK(contains(loaded.back().path, "msgpack.so"));
    CHECK(!loaded.back().version.empty());
}

} // namespace

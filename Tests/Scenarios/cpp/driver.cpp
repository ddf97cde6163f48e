// A program that reads the steps of a scenario from its standard input, one JSON object in a line,
// performs them with restway.hpp, and writes what came of each, in the same form.
#include "calls.hpp"
#include "values.hpp"

#include <chrono>
#include <condition_variable>
#include <iostream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace {

using clock_handle = restway::handle<restway_clock, restway_clock_retain, restway_clock_release>;

json succeeded() {
    return json::object().set("status", json::of(std::int64_t(RESTWAY_OK)));
}

/** The client of a scenario, and the calls that it has sent. */
class driver {
public:
    json perform(const json &step) {
        const auto found = kinds.find(step["do"].string());
        if (found == kinds.end()) {
            throw std::runtime_error("no step " + step.text());
        }
        return (this->*found->second)(step);
    }

private:
    json open(const json &step) {
        opened_ = step;
        if (is_asked("clock")) {
            restway_clock *clock = nullptr;
            restway_error *failure = nullptr;
            if (restway_clock_create(&clock, &failure) != RESTWAY_OK) {
                throw restway::error(failure);
            }
            clock_ = clock_handle(clock, restway::owned);
        }
        return restart(step);
    }

    json restart(const json &) {
        sent_.clear();
        client_ = restway::client();
        const std::string outbox = opened_["folder"].string() + "/outbox.db";
        const std::string store = opened_["folder"].string() + "/objects.db";
        restway::client_options options;
        options.outbox_path = is_asked("outbox") ? outbox.c_str() : nullptr;
        options.store_path = is_asked("storeFile") ? store.c_str() : nullptr;
        options.cache_flags = is_asked("cache") ? RESTWAY_CACHE_ON : 0;
        options.flags |= is_asked("strict") ? RESTWAY_CLIENT_STRICT_MAPPING : 0;
        options.flags |= is_asked("goneIsDeleted") ? RESTWAY_CLIENT_GONE_IS_DELETED : 0;
        options.clock = clock_.get();
        options.random_seed = 1;
        try {
            client_ =
                restway::client::create(restway::api::load(opened_["document"].text()), options);
        } catch (const restway::error &failure) {
            return outcome_of(restway::store(), failure);
        }
        return succeeded();
    }

    json call(const json &step) {
        const restway::request request = request_of(store(), step);
        return outcome_of(store(), [&] { return client_.perform(request); });
    }

    json send(const json &step) {
        const restway::request request = request_of(store(), step);
        try {
            sent_[step["name"].string()] = client_.start(request);
        } catch (const restway::error &failure) {
            return outcome_of(store(), failure);
        }
        return succeeded();
    }

    json wait(const json &step) {
        const restway::call call = sent_.at(step["name"].string());
        return outcome_of(store(), [&] { return call.wait(); });
    }

    json cancel(const json &step) {
        sent_.at(step["name"].string()).cancel();
        return wait(step);
    }

    json batch(const json &step) {
        const restway::batch batch = client_.batch();
        const json calls = step["calls"];
        for (std::size_t index = 0; index < calls.size(); index++) {
            batch.add(request_of(store(), calls[index]));
        }
        batch.send();
        json outcome = succeeded();
        try {
            batch.wait();
        } catch (const restway::error &failure) {
            outcome = outcome_of(store(), failure);
        }
        json results = json::array();
        for (std::size_t index = 0; index < calls.size(); index++) {
            results.append(outcome_of(store(), [&] { return batch[index]; }));
        }
        return outcome.set("results", results);
    }

    json reachability(const json &step) {
        const bool is_reachable = step["value"].string() == "reachable";
        client_.outbox().set_reachability(
            is_reachable ? RESTWAY_REACHABILITY_REACHABLE : RESTWAY_REACHABILITY_UNREACHABLE);
        return succeeded();
    }

    json flush(const json &) {
        std::promise<restway_status> ended;
        client_.outbox().flush(
            [&](restway::result<restway::outbox_items> items) {
                ended.set_value(items ? RESTWAY_OK : items.failure().status());
            },
            RESTWAY_OUTBOX_FORCE);
        const restway_status status = ended.get_future().get();
        return json::object().set("status", json::of(std::int64_t(status)));
    }

    json outbox(const json &) {
        json items = json::array();
        for (const restway::outbox_item item : client_.outbox().items()) {
            items.append(json::object()
                             .set("method", json::of(item.method()))
                             .set("path", json::of(item.path()))
                             .set("state", json::of(std::int64_t(item.state())))
                             .set("http", json::of(std::int64_t(item.response().status()))));
        }
        const json needs = json::of(client_.outbox().needs_flushing());
        return json::object().set("items", items).set("needsFlushing", needs);
    }

    json list_store(const json &) {
        json contents = json::object();
        json unsent = json::object();
        json unloaded = json::object();
        opened_["document"]["entities"].each([&](const char *entity, const json &) {
            json objects = json::array();
            std::int64_t count = 0;
            for (const restway::object object : store().all(entity)) {
                objects.append(json_of(store(), object)[entity]);
                count += store().is_unsent(object) ? 1 : 0;
            }
            if (objects.size() > 0) {
                contents.set(entity, objects);
            }
            if (count > 0) {
                unsent.set(entity, json::of(count));
            }
            json named = json::array();
            restway::query everything = store().query(entity);
            for (const restway::object object : store().query(everything.unloaded(std::nullopt))) {
                if (!object.is_loaded()) {
                    named.append(json_of(store(), object)[entity]);
                }
            }
            if (named.size() > 0) {
                unloaded.set(entity, named);
            }
        });
        return json::object()
            .set("store", contents)
            .set("unsent", unsent)
            .set("unloaded", unloaded);
    }

    json advance(const json &step) {
        restway_error *failure = nullptr;
        const auto milliseconds = json_integer_value(step["milliseconds"].get());
        if (restway_clock_advance(clock_.get(), milliseconds, &failure) != RESTWAY_OK) {
            throw restway::error(failure);
        }
        return json::object();
    }

    json discriminator(const json &step) {
        client_.set_cache_discriminator(step["value"].string());
        return json::object();
    }

    /** Makes the query for the objects that the members of a step describe. */
    restway::query query_of(const json &step) const {
        restway::query query = store().query(step["entity"].string());
        if (step["pending"]) {
            query.pending(step["pending"].is_true());
        }
        if (step["conflicted"]) {
            query.conflicted(step["conflicted"].is_true());
        }
        if (step["pendingDeletes"]) {
            query.pending_deletes(step["pendingDeletes"].string() == "show");
        }
        return query;
    }

    /** Returns the object of `{"entity", "identity"}`, also if a waiting deletion hides it. */
    restway::object any_object(const json &reference) const {
        restway::query query = query_of(reference);
        for (const restway::object object : store().query(query.pending_deletes(true))) {
            if (identity_of(object).text() == reference["identity"].text()) {
                return object;
            }
        }
        throw std::runtime_error("the store does not have " + reference.text());
    }

    json pending(const json &step) {
        const restway::object object = any_object(step["object"]);
        const restway::pending found = store().pending(object);
        const restway::object confirmed = store().confirmed(object);
        const std::string entity(object.entity());
        const json mine = json_of(store(), found.mine())[entity.c_str()];
        const json base = json_of(store(), found.base())[entity.c_str()];
        json values = json::object();
        for (const std::string_view name : found.names()) {
            const std::string text(name);
            values.set(
                name, json::object()
                          .set("mine", or_null(mine[text.c_str()]))
                          .set("base", or_null(base[text.c_str()])));
        }
        return json::object()
            .set("pending", values)
            .set("deletes", json::of(found.deletes()))
            .set("confirmed", confirmed ? json_of(store(), confirmed) : json::null());
    }

    json find(const json &step) {
        json found = json::array();
        for (const restway::object object : store().query(query_of(step))) {
            found.append(identity_of(object));
        }
        return json::object().set("found", found);
    }

    json conflicts(const json &) {
        json found = json::array();
        for (const restway::conflict conflict : client_.outbox().conflicts()) {
            found.append(json_of(store(), conflict));
        }
        return json::object().set("conflicts", found);
    }

    json resolve(const json &step) {
        for (restway::conflict conflict : client_.outbox().conflicts()) {
            choose(store(), step, conflict);
            client_.outbox().resolve(conflict);
        }
        return json::object();
    }

    json resolver(const json &step) {
        const std::optional<std::string> entity =
            step["entity"] ? std::optional<std::string>(step["entity"].string()) : std::nullopt;
        // The steps and the worker count references in different threads.
        client_.set_resolver(
            entity,
            [choices = json::parse(step.text()), objects = store()](restway::conflict &conflict) {
                choose(objects, choices, conflict);
                if (choices["fails"].is_true()) {
                    throw std::runtime_error("nobody knows");
                }
            });
        return json::object();
    }

    /** Makes the choices that the members of a step describe. */
    static void choose(const restway::store &store, const json &step, restway::conflict &conflict) {
        const auto side = [](const json &named) {
            return named.string() == "mine" ? RESTWAY_CONFLICT_MINE : RESTWAY_CONFLICT_THEIRS;
        };
        if (step["side"]) {
            conflict.choose(side(step["side"]));
        }
        step["sides"].each(
            [&](const char *name, const json &named) { conflict.choose(name, side(named)); });
        step["set"].each([&](const char *name, const json &value) {
            conflict.set(name, value_of(store, value));
        });
    }

    json version(const json &step) {
        const std::string found = store().version(object_named(store(), step["object"]));
        return json::object().set(
            "version", found.empty() ? json::null() : json::of(std::string_view(found)));
    }

    json drop(const json &) {
        const std::size_t count = client_.outbox().drop_all();
        return json::object().set("dropped", json::of(std::int64_t(count)));
    }

    json retry(const json &) {
        for (const restway::outbox_item item : client_.outbox().items()) {
            if (item.state() == RESTWAY_OUTBOX_DEAD) {
                client_.outbox().retry(item.id());
            }
        }
        return json::object();
    }

    json observe(const json &) {
        client_.observe(std::nullopt, [this](const restway::changes &changes) {
            json notice = json::array();
            for (const restway::change change : changes) {
                notice.append(json_of(store(), change));
            }
            const std::lock_guard<std::mutex> guard(lock_);
            notices_.append(notice);
            told_.notify_one();
        });
        return json::object();
    }

    json changes(const json &step) {
        const auto count = static_cast<std::size_t>(json_integer_value(step["count"].get()));
        std::unique_lock<std::mutex> guard(lock_);
        told_.wait_for(guard, std::chrono::seconds(20), [&] { return notices_.size() >= count; });
        return json::object().set("changes", std::exchange(notices_, json::array()));
    }

    json events(const json &step) {
        std::size_t count = 0;
        restway::request request = request_of(store(), step);
        request.receive_events(
            [&](const restway::stream_event &event) { count += event.objects.size(); });
        client_.perform(request);
        return json::object().set("events", json::of(std::int64_t(count)));
    }

    bool is_asked(const char *key) const {
        return opened_["options"][key].is_true();
    }

    restway::store store() const {
        return client_.store();
    }

    using performing = json (driver::*)(const json &);
    static const std::map<std::string, performing> kinds;

    /** The step that opened the client; it is opened again in the same way. */
    json opened_;
    clock_handle clock_;
    restway::client client_;
    std::map<std::string, restway::call> sent_;
    /** The notices of observers that no step has shown yet. */
    json notices_ = json::array();
    std::mutex lock_;
    std::condition_variable told_;
};

const std::map<std::string, driver::performing> driver::kinds = {
    {"open", &driver::open},
    {"restart", &driver::restart},
    {"call", &driver::call},
    {"send", &driver::send},
    {"wait", &driver::wait},
    {"cancel", &driver::cancel},
    {"batch", &driver::batch},
    {"reachability", &driver::reachability},
    {"flush", &driver::flush},
    {"outbox", &driver::outbox},
    {"store", &driver::list_store},
    {"advance", &driver::advance},
    {"discriminator", &driver::discriminator},
    {"pending", &driver::pending},
    {"find", &driver::find},
    {"conflicts", &driver::conflicts},
    {"resolve", &driver::resolve},
    {"resolver", &driver::resolver},
    {"version", &driver::version},
    {"drop", &driver::drop},
    {"retry", &driver::retry},
    {"observe", &driver::observe},
    {"changes", &driver::changes},
    {"events", &driver::events},
};

void perform_all() {
    driver performer;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::cout << performer.perform(json::parse(line)).text() << std::endl;
    }
}

} // namespace

int main() try {
    perform_all();
    // A worker may still free the context of a callback, and with it a handle.
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (restway_debug_live_handles() != 0 && std::chrono::steady_clock::now() < limit) {
        std::this_thread::yield();
    }
    const std::int64_t left = restway_debug_live_handles();
    if (left != 0) {
        std::cerr << "scenario driver: " << left << " handles are left\n";
    }
    return left == 0 ? 0 : 1;
} catch (const std::exception &failure) {
    std::cerr << "scenario driver: " << failure.what() << '\n';
    return 1;
}

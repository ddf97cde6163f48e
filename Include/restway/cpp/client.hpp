/** @file restway/cpp/client.hpp
 *  Clients: they send requests, and keep what comes of them.
 */
#ifndef RESTWAY_CPP_CLIENT_HPP
#define RESTWAY_CPP_CLIENT_HPP

#include "api.hpp"
#include "arrow.hpp"
#include "batch.hpp"
#include "batch_format.hpp"
#include "conflict.hpp"
#include "event.hpp"
#include "inspect.hpp"
#include "lifecycle.hpp"
#include "log.hpp"
#include "outbox.hpp"
#include "paged_list.hpp"
#include "plugins.hpp"
#include "scope.hpp"

#include <future>

RESTWAY_CPP_BEGIN

/** The options of a client (client.h). Texts are copied when the client is made. */
struct client_options : restway_client_options {
    client_options() : restway_client_options RESTWAY_CLIENT_OPTIONS_INIT {
    }
};

/** Chooses entries of the response cache (cache.h); without a field it chooses all. */
struct cache_filter : restway_cache_filter {
    cache_filter() : restway_cache_filter RESTWAY_CACHE_FILTER_INIT {
    }
};

/** The numbers of the response cache. */
struct cache_counts : restway_cache_counts {
    cache_counts() : restway_cache_counts RESTWAY_CACHE_COUNTS_INIT {
    }
};

/** The verbs of HTTP. Each makes a request, and gives it to `perform` of @p Client. */
template <typename Client> class verbs {
public:
    auto get(std::string_view path, const named_values &parameters = {}) const {
        return perform(request::to("GET", path).parameters(parameters));
    }

    /** Reads an object again. */
    auto get(const object &known) const {
        return perform(request::about("GET", known));
    }

    auto post(std::string_view path, const json &body) const {
        return perform(request::to("POST", path).body(body));
    }

    auto post(const draft &changed) const {
        return perform(request::about("POST", changed));
    }

    auto put(std::string_view path, const json &body) const {
        return perform(request::to("PUT", path).body(body));
    }

    auto put(const draft &changed) const {
        return perform(request::about("PUT", changed));
    }

    auto patch(std::string_view path, const json &body) const {
        return perform(request::to("PATCH", path).body(body));
    }

    auto patch(const draft &changed) const {
        return perform(request::about("PATCH", changed));
    }

    /** Sends DELETE. */
    auto remove(std::string_view path) const {
        return perform(request::to("DELETE", path));
    }

    auto remove(const object &known) const {
        return perform(request::about("DELETE", known));
    }

private:
    auto perform(const request &what) const {
        return static_cast<const Client &>(*this).perform(what);
    }
};

#ifdef __cpp_impl_coroutine
class awaiting_client;
#endif

/** A client of an API. */
class client : public handle<restway_client, restway_client_retain, restway_client_release>,
               public verbs<client> {
public:
    using handle::get;
    using handle::handle;
    using verbs<client>::get;

    static returned<client> create(
        const api &document, const client_options &options = client_options()) {
        return internal::call<client>(
            restway_client_create, document.get(),
            static_cast<const restway_client_options *>(&options));
    }

    /** Ends the client: its calls complete with RESTWAY_E_CLOSED, or with RESTWAY_E_QUEUED if the
     *  outbox has stored their requests. */
    void close() const noexcept {
        restway_client_close(get());
    }

    /** Sends a request and waits for the response. */
    returned<response> perform(const request &what, milliseconds limit = milliseconds(0)) const {
        if (what.failure()) {
            return internal::fail<response>(*what.failure());
        }
        return internal::call<response>(restway_client_perform, get(), what.get(), limit.count());
    }

    /** Sends a request, and returns the call, which can be waited for and cancelled. */
    returned<call> start(const request &what) const {
        if (what.failure()) {
            return internal::fail<call>(*what.failure());
        }
        return internal::call<call>(
            restway_client_send, get(), what.get(), nullptr, nullptr, nullptr);
    }

    /** Sends a request; `void(result<response>)` gets what came of it, where the client's delivery
     *  mode says. */
    template <typename Function> returned<call> send(const request &what, Function done) const {
        if (what.failure()) {
            return internal::fail<call>(*what.failure());
        }
        return internal::attach<call>(
            std::move(done), [&](void *context, restway_destroy_fn destroy, auto... out) {
                return restway_client_send(
                    get(), what.get(), internal::callback_of<Function>(internal::on_done<Function>),
                    context, destroy, out...);
            });
    }

    /** Sends a request, and returns its future response. A worker of the library makes it ready,
     *  whatever the delivery mode of the client is. */
    std::future<returned<response>> send(const request &what) const {
        std::promise<returned<response>> promise;
        std::future<returned<response>> future = promise.get_future();
        if (what.failure()) {
            settle(promise, *what.failure());
            return future;
        }
        auto keep = [promise = std::move(promise)](result<response> outcome) mutable {
            settle(promise, std::move(outcome));
        };
        auto context = std::make_unique<decltype(keep)>(std::move(keep));
        const result<void> sent = internal::attempt<void>([&](restway_error **failure) {
            const restway_status status = restway_client_send_to(
                get(), what.get(), RESTWAY_DELIVERY_THREAD, internal::on_done<decltype(keep)>,
                context.get(), internal::destroy<decltype(keep)>, nullptr, failure);
            return internal::given(status, context);
        });
        if (!sent) {
            (*context)(sent.failure());
        }
        return future;
    }

#ifdef __cpp_impl_coroutine
    /** The client for coroutines: `co_await client.awaiting().get("enterprises")`. */
    awaiting_client awaiting() const;
#endif

    /** Calls the notices that wait, if the delivery mode is RESTWAY_DELIVERY_PROCESS, and waits for
     *  one at most @p limit. Returns how many it has called. */
    returned<std::size_t> process(milliseconds limit = milliseconds(0)) const {
        return internal::call<std::size_t>(restway_client_process, get(), limit.count());
    }

    /** A file descriptor for poll(), epoll or select(), which is readable as long as notices wait
     *  for process() or events for drain(). *Borrowed*: never read, write or close it. -1 if the
     *  delivery mode is RESTWAY_DELIVERY_THREAD. */
    int descriptor() const noexcept {
        return restway_client_descriptor(get());
    }

    /** Takes out the events that wait, if the delivery mode is RESTWAY_DELIVERY_DRAIN: at most
     *  @p count_max of them, the oldest first. */
    returned<std::vector<event>> drain(std::size_t count_max = 64) const {
        std::vector<restway_event> raw(count_max);
        const auto count =
            internal::attempt<std::size_t>(restway_client_drain, get(), raw.data(), raw.size());
        if (!count) {
            return internal::fail<std::vector<event>>(count.failure());
        }
        std::vector<event> drained;
        drained.reserve(*count);
        for (std::size_t index = 0; index < *count; index++) {
            drained.emplace_back(raw[index]);
        }
        return drained;
    }

    /** Sets a header of every request, or removes it. */
    returned<void> set_header(std::string_view name, std::optional<std::string_view> to) const {
        return internal::call<void>(
            restway_client_set_header, get(), internal::c_text(name), internal::c_text(to));
    }

    /** The objects of the client. */
    restway::store store() const {
        return restway::store(restway_client_store(get()), owned);
    }

    /** The stored requests of the client. */
    restway::outbox outbox() const {
        return restway::outbox(get());
    }

    /** Sets the function that decides conflicts whose policy in the API document is `ask`:
     *  `void(conflict &)` chooses. What it leaves without a choice is parked, and everything is if
     *  it throws, or returns a result<void> that holds an error.
     *
     *  @param entity The entity; without it, the function is for entities without a function of
     *                their own. */
    template <typename Function>
    returned<void> set_resolver(std::optional<std::string_view> entity, Function resolve) const {
        return internal::attach<void>(
            std::move(resolve), [&](void *context, restway_destroy_fn destroy, auto... out) {
                return restway_client_set_resolver(
                    get(), internal::c_text(entity), internal::on_conflict<Function>, context,
                    destroy, out...);
            });
    }

    returned<void> remove_resolver(std::optional<std::string_view> entity = std::nullopt) const {
        return internal::call<void>(
            restway_client_set_resolver, get(), internal::c_text(entity), nullptr, nullptr,
            nullptr);
    }

    /** The pages of a request, which names a route with `pages`. */
    restway::pages pages(const request &what, const page_options &options = page_options()) const {
        return restway::pages(get(), what, options);
    }

    /** The list of the store with the objects of all pages of a request. Nothing is sent. */
    returned<restway::paged_list> paged_list(const request &what) const {
        if (what.failure()) {
            return internal::fail<restway::paged_list>(*what.failure());
        }
        return internal::call<restway::paged_list>(restway_client_paged_list, get(), what.get());
    }

    /** A request as it would go out, with the present credential. */
    returned<outgoing> inspect(const request &what) const {
        if (what.failure()) {
            return internal::fail<outgoing>(*what.failure());
        }
        return internal::call<outgoing>(restway_client_inspect, get(), what.get());
    }

    /** Checks, before a request is sent, whether its answer can give objects that object::as() or
     *  list::as() reads into @p Struct. Fails with RESTWAY_E_MAPPING if it cannot. Nothing is
     *  sent. */
    template <typename Struct> returned<void> check_objects(const request &what) const {
        if (what.failure()) {
            return internal::fail<void>(*what.failure());
        }
        const internal::c_text entity(Struct::entity);
        return internal::call<void>(
            restway_client_check_objects, get(), what.get(), static_cast<const char *>(entity),
            static_cast<const char *>(entity), nullptr, std::size_t(0));
    }

    /** The URL of an object for a method. */
    returned<std::string> url(std::string_view method, const object &of) const {
        const internal::c_text text(method);
        return internal::written(
            [&](auto... out) { return restway_client_url(get(), text, of.get(), out...); });
    }

    /** The metrics of the client since it was made, as a JSON object. */
    returned<std::string> metrics() const {
        return internal::written(
            [&](auto... out) { return restway_client_metrics(get(), out...); });
    }

    /** Tells the life of each call that begins from now on to `void(const lifecycle_event &)`. */
    template <typename Function>
    returned<observer> observe_calls(
        Function told, const lifecycle_options &options = lifecycle_options()) const {
        return internal::attach<observer>(
            std::move(told), [&](void *context, restway_destroy_fn destroy, auto... out) {
                return restway_client_observe_calls(
                    get(), &options,
                    internal::callback_of<Function>(internal::on_lifecycle<Function>), context,
                    destroy, out...);
            });
    }

    /** The calls that are in flight. */
    returned<restway::active_calls> active_calls() const {
        return internal::call<restway::active_calls>(restway_client_active_calls, get());
    }

    /** Tells the spans of calls to `void(const restway_span &, trace_parent)`, at their start and
     *  at their end. @p flags are RESTWAY_TRACE_ bits. */
    template <typename Function>
    returned<void> set_tracing(std::uint32_t flags, Function span) const {
        return internal::attach<void>(
            std::move(span), [&](void *context, restway_destroy_fn destroy, auto... out) {
                return restway_client_set_tracing(
                    get(), flags, internal::on_span<Function>, context, destroy, out...);
            });
    }

    /** Ends the tracing of calls that start later. */
    returned<void> stop_tracing() const {
        return internal::call<void>(
            restway_client_set_tracing, get(), 0u, nullptr, nullptr, nullptr);
    }

    /** Maps bytes that did not come over HTTP to objects of an entity; without an entity, by the
     *  route of the options. */
    returned<mapped> map(
        std::optional<std::string_view> entity, std::string_view data,
        const map_options &options = map_options()) const {
        const internal::c_text name(entity);
        restway_response *response = nullptr;
        restway_store *store = nullptr;
        const result<void> outcome = internal::attempt<void>([&](restway_error **failure) {
            return restway_client_map(
                get(), name, data.data(), data.size(), &options, &response, &store, failure);
        });
        if (!outcome) {
            return internal::fail<mapped>(outcome.failure());
        }
        return mapped{restway::response(response, owned), restway::store(store, owned)};
    }

    /** Begins a batch: several requests that are sent as one. */
    returned<restway::batch> batch() const {
        return internal::call<restway::batch>(restway_batch_create, get());
    }

    /** Sets the format of batches: `void(batch_writer &)` writes the body of a call, and
     *  `void(batch_reader &)` takes its answer apart. */
    template <typename Encode, typename Decode>
    returned<void> set_batch_format(Encode encode, Decode decode) const {
        using pair = std::pair<Encode, Decode>;
        return internal::attach<void>(
            pair(std::move(encode), std::move(decode)),
            [&](void *context, restway_destroy_fn destroy, auto... out) {
                return restway_client_set_batch_format(
                    get(), internal::on_batch_encode<pair>, internal::on_batch_decode<pair>,
                    context, destroy, out...);
            });
    }

    /** Observes the objects of an entity, or all without a name: `void(const changes &)`. */
    template <typename Function>
    returned<observer> observe(std::optional<std::string_view> entity, Function changed) const {
        return internal::attach<observer>(
            std::move(changed), [&](void *context, restway_destroy_fn destroy, auto... out) {
                const internal::c_text name(entity);
                return restway_client_observe(
                    get(), name, internal::callback_of<Function>(internal::on_changed<Function>),
                    context, destroy, out...);
            });
    }

    /** Observes one object: `void(const changes &)`. */
    template <typename Function>
    returned<observer> observe(const object &one, Function changed) const {
        return internal::attach<observer>(
            std::move(changed), [&](void *context, restway_destroy_fn destroy, auto... out) {
                return restway_client_observe_object(
                    get(), one.get(),
                    internal::callback_of<Function>(internal::on_changed<Function>), context,
                    destroy, out...);
            });
    }

    /** Observes the result of a query: `void(const query_changes &)`. The observer also has the
     *  present result, to which the first changes apply. With RESTWAY_DELIVERY_THREAD, the function
     *  may run before this returns. */
    template <typename Function>
    returned<query_observer> observe(const query &question, Function changed) const {
        if (question.failure()) {
            return internal::fail<query_observer>(*question.failure());
        }
        restway_list *first = nullptr;
        const auto give = [&](void *context, restway_destroy_fn destroy, auto... out) {
            return restway_client_observe_query(
                get(), question.get(),
                internal::callback_of<Function>(internal::on_query_changed<Function>), context,
                destroy, &first, out...);
        };
#ifdef RESTWAY_RESULTS
        result<observer> made = internal::attach<observer>(std::move(changed), give);
        if (!made) {
            return made.failure();
        }
        return query_observer(std::move(*made), list(first, owned));
#else
        observer made = internal::attach<observer>(std::move(changed), give);
        return query_observer(std::move(made), list(first, owned));
#endif
    }

    /** Replaces the whole credential. One without values, `credential()`, signs out. */
    returned<void> set_credential(const credential &fresh) const {
        return internal::call<void>(
            restway_client_set_credential, get(), static_cast<const restway_credential *>(&fresh));
    }

    /** Lets `void(exchange &)` add the credential to each request. */
    template <typename Function> returned<void> set_authorize(Function authorize) const {
        return set_function(
            restway_client_set_authorize, internal::on_exchange<Function>, authorize);
    }

    /** Lets `void(refresh)` get a new credential. Its requests need RESTWAY_AUTH_BYPASS. */
    template <typename Function> returned<void> set_refresh(Function begin) const {
        return set_function(restway_client_set_refresh, internal::on_refresh<Function>, begin);
    }

    /** Lets `bool(const error &)` say which answers need a new credential. */
    template <typename Function> returned<void> set_should_replay(Function decide) const {
        return set_function(
            restway_client_set_should_replay, internal::on_should_replay<Function>, decide);
    }

    /** Lets `void(const credential &)` store the tokens that a refresh has brought. */
    template <typename Function> returned<void> set_persist(Function persist) const {
        return set_function(restway_client_set_persist, internal::on_persist<Function>, persist);
    }

    /** Adds a modifier, `void(pipeline_context &)`, for the routes of these names, or for all
     *  requests. Returns the number with which remove_stage() removes it. */
    template <typename Function>
    returned<std::int64_t> add_modifier(
        Function modify, const std::vector<std::string> &routes = {}) const {
        return add_stage(restway_client_add_modifier, std::move(modify), routes);
    }

    /** Adds an interceptor, `void(pipeline_context &)`, as add_modifier() adds a modifier. */
    template <typename Function>
    returned<std::int64_t> add_interceptor(
        Function intercept, const std::vector<std::string> &routes = {}) const {
        return add_stage(restway_client_add_interceptor, std::move(intercept), routes);
    }

    returned<void> remove_stage(std::int64_t number) const {
        return internal::call<void>(restway_client_remove_stage, get(), number);
    }

    /** Says for whom answers are cached: each user of a program gets only their own. */
    returned<void> set_cache_discriminator(std::string_view user) const {
        return internal::call<void>(
            restway_client_set_cache_discriminator, get(), internal::c_text(user));
    }

    returned<restway::cache_counts> cache_counts() const {
        return internal::filled<restway::cache_counts, restway_cache_counts>(
            restway_cache_statistics, get());
    }

    /** Removes entries of the response cache, and returns how many there were. */
    returned<std::size_t> cache_remove(const cache_filter &which = cache_filter()) const {
        return internal::call<std::size_t>(
            restway_cache_remove, get(), static_cast<const restway_cache_filter *>(&which));
    }

private:
    template <typename Promise> static void settle(Promise &promise, result<response> outcome) {
#ifdef RESTWAY_RESULTS
        promise.set_value(std::move(outcome));
#else
        if (outcome) {
            promise.set_value(std::move(*outcome));
        } else {
            promise.set_exception(std::make_exception_ptr(outcome.failure()));
        }
#endif
    }

    template <typename Set, typename Callback, typename Function>
    returned<void> set_function(Set set, Callback callback, Function &function) const {
        return internal::attach<void>(
            std::move(function), [&](void *context, restway_destroy_fn destroy, auto... out) {
                return set(get(), callback, context, destroy, out...);
            });
    }

    template <typename Add, typename Function>
    returned<std::int64_t> add_stage(
        Add add, Function function, const std::vector<std::string> &routes) const {
        std::vector<const char *> names;
        for (const std::string &route : routes) {
            names.push_back(route.c_str());
        }
        return internal::attach<std::int64_t>(
            std::move(function), [&](void *context, restway_destroy_fn destroy, auto... out) {
                return add(
                    get(), internal::on_stage<Function>, names.data(), names.size(), context,
                    destroy, out...);
            });
    }
};

RESTWAY_CPP_END

#endif

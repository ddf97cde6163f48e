/** @file restway/cpp/outbox.hpp
 *  The outbox: requests that wait in a file until the server can be reached.
 */
#ifndef RESTWAY_CPP_OUTBOX_HPP
#define RESTWAY_CPP_OUTBOX_HPP

#include "callback.hpp"
#include "response.hpp"

RESTWAY_CPP_BEGIN

class conflict;
class conflicts;

/** A stored request, as it was when it was read. The texts are borrowed from it. */
class outbox_item
    : public handle<restway_outbox_item, restway_outbox_item_retain, restway_outbox_item_release> {
public:
    using handle::handle;

    std::int64_t id() const noexcept {
        return restway_outbox_item_id(get());
    }

    restway_outbox_state state() const noexcept {
        return restway_outbox_item_state(get());
    }

    /** Why it is a dead letter, or why it waits. */
    restway_outbox_reason reason() const noexcept {
        return restway_outbox_item_reason(get());
    }

    std::string_view method() const noexcept {
        return internal::text_or_empty(restway_outbox_item_method(get()));
    }

    std::string_view path() const noexcept {
        return internal::text_or_empty(restway_outbox_item_path(get()));
    }

    std::string_view lane() const noexcept {
        return internal::text_or_empty(restway_outbox_item_lane(get()));
    }

    /** The Idempotency-Key that is sent with every attempt. */
    std::string_view key() const noexcept {
        return internal::text_or_empty(restway_outbox_item_key(get()));
    }

    /** The body as it was stored; nothing if it is missing. */
    std::optional<std::string_view> body() const noexcept {
        std::size_t length = 0;
        const void *content = restway_outbox_item_body(get(), &length);
        if (content == nullptr) {
            return std::nullopt;
        }
        return std::string_view(static_cast<const char *>(content), length);
    }

    /** When it was stored. */
    date created() const noexcept {
        return date(std::chrono::microseconds(restway_outbox_item_created(get())));
    }

    /** How often it may have reached the server. */
    std::int64_t attempts() const noexcept {
        return restway_outbox_item_attempts(get());
    }

    /** When the outbox may send it again by itself; 1970 means at once. */
    date next_attempt() const noexcept {
        return date(std::chrono::microseconds(restway_outbox_item_next_attempt(get())));
    }

    /** Why it has not been delivered; nothing if it was never tried. */
    std::optional<std::string_view> last_error() const noexcept {
        return internal::text_or_nothing(restway_outbox_item_last_error(get()));
    }

    /** Why it is a dead letter, with the API's code and message and the details for each field;
     *  nothing for another item. */
    std::optional<error> failure() const {
        const restway_error *found = restway_outbox_item_error(get());
        return found ? std::optional<error>(error(restway_error_retain(found))) : std::nullopt;
    }

    /** The answer of the server; empty if the server has not answered. */
    restway::response response() const {
        return restway::response(restway_outbox_item_response(get()), borrowed);
    }
};

/** Stored requests, as they were when they were read. */
class outbox_items
    : public handle<
          restway_outbox_items, restway_outbox_items_retain, restway_outbox_items_release> {
public:
    using handle::handle;
    using const_iterator = internal::place<outbox_items>;

    std::size_t size() const noexcept {
        return restway_outbox_items_count(get());
    }

    outbox_item operator[](std::size_t index) const {
        return outbox_item(restway_outbox_items_item(get(), index), borrowed);
    }

    const_iterator begin() const noexcept {
        return const_iterator(this, 0);
    }

    const_iterator end() const noexcept {
        return const_iterator(this, size());
    }

    /** The items as JSON, without secrets. */
    std::string_view json() const noexcept {
        std::size_t length = 0;
        const char *text = restway_outbox_items_json(get(), &length);
        return text == nullptr ? std::string_view() : std::string_view(text, length);
    }

    /** Why the flush of an event could not go on, or why the item of an event was not delivered. */
    std::optional<error> failure() const {
        const restway_error *raw = restway_outbox_items_error(get());
        if (raw == nullptr) {
            return std::nullopt;
        }
        return error(restway_error_retain(raw));
    }
};

/** The numbers of stored requests, by state. */
struct outbox_counts : restway_outbox_counts {
    outbox_counts() : restway_outbox_counts RESTWAY_OUTBOX_COUNTS_INIT {
    }
};

namespace internal {

/** The end of a flush for `void(result<outbox_items>)`. */
template <typename Function>
void tell_flushed(
    Function &function, const restway_outbox_items *items, restway_status status,
    const restway_error *failure) {
    tell([&] {
        const auto told = [&]() -> result<outbox_items> {
            if (status == RESTWAY_OK) {
                return outbox_items(items, borrowed);
            }
            return error(restway_error_retain(failure), status);
        };
        function(told());
    });
}

/** The end of an item for `void(const outbox_item &, const result<void> &)`. */
template <typename Function>
void tell_item(
    Function &function, const restway_outbox_item *item, restway_status status,
    const restway_error *failure) {
    tell([&] {
        result<void> outcome;
        if (status != RESTWAY_OK) {
            outcome = error(restway_error_retain(failure), status);
        }
        function(outbox_item(item, borrowed), std::as_const(outcome));
    });
}

template <typename Function>
void on_flushed(
    void *context, const restway_outbox_items *items, restway_status status,
    const restway_error *failure) {
    tell_flushed(*static_cast<Function *>(context), items, status, failure);
}

template <typename Function>
void on_item(
    void *context, const restway_outbox_item *item, restway_status status,
    const restway_error *failure) {
    tell_item(*static_cast<Function *>(context), item, status, failure);
}

/** The two functions of an observer of the outbox; the context is a pair of them. */
template <typename Pair>
void on_observed_item(
    void *context, const restway_outbox_item *item, restway_status status,
    const restway_error *failure) {
    tell_item(static_cast<Pair *>(context)->first, item, status, failure);
}

template <typename Pair>
void on_observed_flush(
    void *context, const restway_outbox_items *items, restway_status status,
    const restway_error *failure) {
    tell_flushed(static_cast<Pair *>(context)->second, items, status, failure);
}

} // namespace internal

/** The stored requests of a client, which the outbox keeps open as long as it lives. */
class outbox {
public:
    explicit outbox(restway_client *client) : client_(client, borrowed) {
    }

    returned<outbox_items> items() const {
        return internal::call<outbox_items>(restway_outbox_list, client_.get());
    }

    returned<outbox_item> find(std::int64_t id) const {
        return internal::call<outbox_item>(restway_outbox_find, client_.get(), id);
    }

    returned<outbox_counts> counts() const {
        return internal::filled<outbox_counts, restway_outbox_counts>(
            restway_outbox_count, client_.get());
    }

    /** Whether a flush could deliver anything. */
    returned<bool> needs_flushing() const {
        const auto needs =
            internal::attempt<std::int32_t>(restway_outbox_needs_flushing, client_.get());
        if (!needs) {
            return internal::fail<bool>(needs.failure());
        }
        return *needs != 0;
    }

    /** Whether a stored request, which the server has not accepted yet, is about an object. */
    returned<bool> has_pending(const object &about) const {
        const auto pending =
            internal::attempt<std::int32_t>(restway_outbox_has_pending, client_.get(), about.get());
        if (!pending) {
            return internal::fail<bool>(pending.failure());
        }
        return *pending != 0;
    }

    /** The parked conflicts, the oldest first, with the newest values that the server has sent
     *  (conflict.hpp). */
    returned<restway::conflicts> conflicts() const;

    /** Resolves a parked conflict as it was chosen: the chosen values wait in the outbox again, and
     *  what has no choice stays parked. */
    returned<void> resolve(const conflict &chosen) const;

    /** Says whether the server can be reached. */
    returned<void> set_reachability(restway_reachability reachability) const {
        return internal::call<void>(restway_client_set_reachability, client_.get(), reachability);
    }

    /** Sends the stored requests; `void(result<outbox_items>)` is told when no more can be sent.
     *
     *  @param flags RESTWAY_OUTBOX_FORCE or 0. */
    template <typename Function>
    returned<void> flush(Function done, std::uint32_t flags = 0) const {
        return internal::attach<void>(
            std::move(done), [&](void *context, restway_destroy_fn destroy, auto... out) {
                return restway_outbox_flush(
                    client_.get(), flags,
                    internal::callback_of<Function>(internal::on_flushed<Function>), context,
                    destroy, out...);
            });
    }

    /** Tells `void(const outbox_item &, const result<void> &)` once when a stored request has come
     *  to its end, with the reason if it was not delivered. It is told at once if the request has
     *  ended before, as long as the client remembers it. */
    template <typename Function> returned<void> await(std::int64_t id, Function ended) const {
        return internal::attach<void>(
            std::move(ended), [&](void *context, restway_destroy_fn destroy, auto... out) {
                return restway_outbox_await(
                    client_.get(), id, internal::callback_of<Function>(internal::on_item<Function>),
                    context, destroy, out...);
            });
    }

    /** Replaces the observer: `void(const outbox_item &, const result<void> &)` is told of each
     * item that was delivered or has become a dead letter, and `void(result<outbox_items>)` of each
     *  flush that has sent something. */
    template <typename Item, typename Flushed>
    returned<void> set_observer(Item item, Flushed flushed) const {
        using pair = std::pair<Item, Flushed>;
        return internal::attach<void>(
            pair(std::move(item), std::move(flushed)),
            [&](void *context, restway_destroy_fn destroy, auto... out) {
                return restway_client_set_outbox_observer(
                    client_.get(), internal::on_observed_item<pair>,
                    internal::on_observed_flush<pair>, context, destroy, out...);
            });
    }

    /** Lets client::drain() return the events of items and of flushes. The number of the token must
     *  not be 0. */
    returned<void> set_observer(token number) const {
        return internal::attach<void>(
            number, [&](void *context, restway_destroy_fn destroy, auto... out) {
                return restway_client_set_outbox_observer(
                    client_.get(), nullptr, nullptr, context, destroy, out...);
            });
    }

    returned<void> remove_observer() const {
        return internal::call<void>(
            restway_client_set_outbox_observer, client_.get(), nullptr, nullptr, nullptr, nullptr);
    }

    /** Lets a request that the server has refused be sent again. */
    returned<void> retry(std::int64_t id) const {
        return internal::call<void>(restway_outbox_retry, client_.get(), id);
    }

    /** Gives a request that the server has refused another body and a new key, and lets it be sent
     *  again. Without a media type, the request keeps its own. */
    returned<void> edit(
        std::int64_t id, std::string_view body,
        std::optional<std::string_view> media_type = std::nullopt) const {
        return internal::call<void>(
            restway_outbox_edit, client_.get(), id, static_cast<const void *>(body.data()),
            body.size(), internal::c_text(media_type));
    }

    returned<void> edit(std::int64_t id, const json &body) const {
        return edit(id, body.text, "application/json");
    }

    /** Removes a stored request and those that depend on it; returns how many they were. */
    returned<std::size_t> drop(std::int64_t id) const {
        return internal::call<std::size_t>(restway_outbox_drop, client_.get(), id);
    }

    /** Removes all stored requests; returns how many they were. */
    returned<std::size_t> drop_all() const {
        return internal::call<std::size_t>(restway_outbox_drop_all, client_.get());
    }

private:
    handle<restway_client, restway_client_retain, restway_client_release> client_;
};

RESTWAY_CPP_END

#endif

/** @file restway/cpp/outbox.hpp
 *  The outbox: requests that wait in a file until the server can be reached.
 */
#ifndef RESTWAY_CPP_OUTBOX_HPP
#define RESTWAY_CPP_OUTBOX_HPP

#include "response.hpp"

RESTWAY_CPP_BEGIN

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

    /** Why it is a dead letter, or that it has met a network that answers in place of the API. */
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
};

/** The numbers of stored requests, by state. */
struct outbox_counts : restway_outbox_counts {
    outbox_counts() : restway_outbox_counts RESTWAY_OUTBOX_COUNTS_INIT {
    }
};

namespace internal {

/** `void(result<outbox_items>)` as the end of a flush. */
template <typename Function>
void on_flushed(
    void *context, const restway_outbox_items *items, restway_status status,
    const restway_error *failure) {
    tell([&] {
        const auto told = [&]() -> result<outbox_items> {
            if (status == RESTWAY_OK) {
                return outbox_items(items, borrowed);
            }
            return error(restway_error_retain(failure), status);
        };
        (*static_cast<Function *>(context))(told());
    });
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
                    client_.get(), flags, internal::on_flushed<Function>, context, destroy, out...);
            });
    }

    /** Lets a request that the server has refused be sent again. */
    returned<void> retry(std::int64_t id) const {
        return internal::call<void>(restway_outbox_retry, client_.get(), id);
    }

    /** Removes a stored request and those that depend on it; returns how many they were. */
    returned<std::size_t> drop(std::int64_t id) const {
        return internal::call<std::size_t>(restway_outbox_drop, client_.get(), id);
    }

private:
    handle<restway_client, restway_client_retain, restway_client_release> client_;
};

RESTWAY_CPP_END

#endif

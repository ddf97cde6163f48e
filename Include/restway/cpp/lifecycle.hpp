/** @file restway/cpp/lifecycle.hpp
 *  The life of calls, and the calls that are in flight.
 */
#ifndef RESTWAY_CPP_LIFECYCLE_HPP
#define RESTWAY_CPP_LIFECYCLE_HPP

#include "request.hpp"

RESTWAY_CPP_BEGIN

/** A call at one moment. Its texts are borrowed from the event or the list that it was read from.
 */
struct call_info : restway_call_info {
    call_info() : restway_call_info RESTWAY_CALL_INFO_INIT {
    }
};

/** Which events an observer of calls receives (lifecycle.h). */
struct lifecycle_options : restway_lifecycle_options {
    lifecycle_options() : restway_lifecycle_options RESTWAY_LIFECYCLE_OPTIONS_INIT {
    }
};

/** An event in the life of a call. */
class lifecycle_event : public handle<
                            restway_lifecycle_event, restway_lifecycle_event_retain,
                            restway_lifecycle_event_release> {
public:
    using handle::handle;

    restway_lifecycle_kind kind() const noexcept {
        return restway_lifecycle_event_kind(get());
    }

    /** When the event happened. */
    date time() const noexcept {
        return date(std::chrono::microseconds(restway_lifecycle_event_time(get())));
    }

    /** The call as it was when the event happened. */
    returned<call_info> info() const {
        return internal::filled<call_info, restway_call_info>(
            restway_lifecycle_event_info, static_cast<const restway_lifecycle_event *>(get()));
    }

    restway::call call() const {
        return restway::call(restway_lifecycle_event_call(get()), borrowed);
    }

    /** The response of a call that has succeeded; otherwise an empty one. */
    restway::response response() const {
        return restway::response(restway_lifecycle_event_response(get()), borrowed);
    }

    /** Why the call has failed or was cancelled. */
    std::optional<error> failure() const {
        const restway_error *raw = restway_lifecycle_event_error(get());
        if (raw == nullptr) {
            return std::nullopt;
        }
        return error(restway_error_retain(raw));
    }
};

/** A call that was in flight when a list was made. The texts are borrowed from the list. */
struct active_call {
    restway::call call;
    call_info info;
};

/** The calls that a client had in flight at one moment, the oldest first. */
class active_calls
    : public handle<
          restway_active_calls, restway_active_calls_retain, restway_active_calls_release> {
public:
    using handle::handle;
    using const_iterator = internal::place<active_calls>;

    std::size_t size() const noexcept {
        return restway_active_calls_count(get());
    }

    /** The call at an index; out of range, an empty handle with an info of zeros. */
    active_call operator[](std::size_t index) const {
        active_call found;
        found.call = restway::call(restway_active_calls_call(get(), index), borrowed);
        // Out of range nothing is filled.
        (void)internal::attempt<void>(
            restway_active_calls_read, get(), index, static_cast<restway_call_info *>(&found.info));
        return found;
    }

    const_iterator begin() const noexcept {
        return const_iterator(this, 0);
    }

    const_iterator end() const noexcept {
        return const_iterator(this, size());
    }
};

namespace internal {

/** `void(const lifecycle_event &)` as a notice of the C library. */
template <typename Function> void on_lifecycle(void *context, const restway_lifecycle_event *told) {
    tell([&] { (*static_cast<Function *>(context))(lifecycle_event(told, borrowed)); });
}

} // namespace internal

RESTWAY_CPP_END

#endif

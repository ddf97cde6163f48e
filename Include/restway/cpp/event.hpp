/** @file restway/cpp/event.hpp
 *  Events: a program with an event loop of its own drains them in place of callbacks.
 */
#ifndef RESTWAY_CPP_EVENT_HPP
#define RESTWAY_CPP_EVENT_HPP

#include "lifecycle.hpp"
#include "outbox.hpp"

RESTWAY_CPP_BEGIN

/** An event of a client (event.h). Each kind has a payload of its own; the functions of the other
 *  payloads return empty handles. */
class event {
public:
    /** Takes an event of restway_client_drain(), with its payload. */
    explicit event(const restway_event &drained) noexcept : raw_(drained) {
    }

    event(event &&other) noexcept : raw_(other.raw_) {
        other.raw_.payload.response = nullptr;
    }

    event &operator=(event &&other) noexcept {
        std::swap(raw_, other.raw_);
        return *this;
    }

    event(const event &) = delete;
    event &operator=(const event &) = delete;

    ~event() {
        restway_event_release(&raw_);
    }

    restway_event_kind kind() const noexcept {
        return static_cast<restway_event_kind>(raw_.kind);
    }

    /** The outcome of the call, of the attempt, or of the item. */
    restway_status status() const noexcept {
        return static_cast<restway_status>(raw_.status);
    }

    /** The number of the restway::token that stands for the callback. */
    std::uint64_t token() const noexcept {
        return raw_.token;
    }

    /** The number of the call (call::id()); 0 if the event is about no call. */
    std::uint64_t call_id() const noexcept {
        return raw_.call_id;
    }

    /** The answer; empty unless the kind is RESTWAY_EVENT_COMPLETED and the call succeeded. */
    restway::response response() const {
        const bool is_there = kind() == RESTWAY_EVENT_COMPLETED && status() == RESTWAY_OK;
        return restway::response(is_there ? raw_.payload.response : nullptr, borrowed);
    }

    /** Why the status is not RESTWAY_OK. */
    std::optional<error> failure() const {
        if (status() == RESTWAY_OK) {
            return std::nullopt;
        }
        if (kind() == RESTWAY_EVENT_OUTBOX_ITEM || kind() == RESTWAY_EVENT_OUTBOX_FLUSHED) {
            return items().failure();
        }
        if (kind() == RESTWAY_EVENT_LIFECYCLE) {
            return lifecycle().failure();
        }
        return error(restway_error_retain(raw_.payload.error), status());
    }

    /** The changes of the store; empty unless the kind is RESTWAY_EVENT_CHANGED. */
    restway::changes changes() const {
        const bool is_there = kind() == RESTWAY_EVENT_CHANGED;
        return restway::changes(is_there ? raw_.payload.changes : nullptr, borrowed);
    }

    /** The changes of a result; empty unless the kind is RESTWAY_EVENT_QUERY_CHANGED. */
    restway::query_changes query_changes() const {
        const bool is_there = kind() == RESTWAY_EVENT_QUERY_CHANGED;
        return restway::query_changes(is_there ? raw_.payload.query_changes : nullptr, borrowed);
    }

    /** The item that RESTWAY_EVENT_OUTBOX_ITEM is about, or the items that were sent before
     *  RESTWAY_EVENT_OUTBOX_FLUSHED; empty for other kinds. */
    outbox_items items() const {
        const bool is_there =
            kind() == RESTWAY_EVENT_OUTBOX_ITEM || kind() == RESTWAY_EVENT_OUTBOX_FLUSHED;
        return outbox_items(is_there ? raw_.payload.items : nullptr, borrowed);
    }

    /** The event in the life of a call; empty unless the kind is RESTWAY_EVENT_LIFECYCLE. */
    lifecycle_event lifecycle() const {
        const bool is_there = kind() == RESTWAY_EVENT_LIFECYCLE;
        return lifecycle_event(is_there ? raw_.payload.lifecycle : nullptr, borrowed);
    }

private:
    restway_event raw_;
};

RESTWAY_CPP_END

#endif

/** @file restway/cpp/log.hpp
 *  The log of the library, and the spans of calls.
 */
#ifndef RESTWAY_CPP_LOG_HPP
#define RESTWAY_CPP_LOG_HPP

#include "callback.hpp"

RESTWAY_CPP_BEGIN

/** Gives each record of the log to `void(const restway_log_record &)`, up to the given levels
 *  (log.h), in place of an earlier function. It runs on a thread of its own. */
template <typename Function> returned<void> set_log(std::string_view levels, Function log) {
    const auto told = [](void *context, const restway_log_record *record) {
        internal::tell([&] { (*static_cast<Function *>(context))(*record); });
    };
    return internal::attach<void>(
        std::move(log), [&](void *context, restway_destroy_fn destroy, auto... out) {
            const internal::c_text text(levels);
            return restway_log_set(text, told, context, destroy, out...);
        });
}

/** Removes the log function, after it has received all records. */
inline returned<void> remove_log() {
    return internal::call<void>(restway_log_set, nullptr, nullptr, nullptr, nullptr);
}

inline returned<void> set_log_levels(std::string_view levels) {
    return internal::call<void>(restway_log_set_levels, internal::c_text(levels));
}

/** Waits until the log function has received all records that were written before. */
inline returned<void> flush_log() {
    return internal::call<void>(restway_log_flush);
}

/** The header `traceparent` of a call whose span begins. It is valid until the function returns. */
class trace_parent {
public:
    explicit trace_parent(void *raw) : raw_(static_cast<char *>(raw)) {
    }

    /** Whether the span begins; at its end there is no text. */
    explicit operator bool() const noexcept {
        return raw_ != nullptr;
    }

    std::string_view text() const noexcept {
        return internal::text_or_empty(raw_);
    }

    /** Replaces the text. A text that is no `traceparent`, for example an empty one, leaves the
     *  call without the header. */
    void set(std::string_view text) noexcept {
        if (raw_ != nullptr) {
            const bool fits = text.size() < RESTWAY_TRACEPARENT_SIZE;
            raw_[fits ? text.copy(raw_, text.size()) : 0] = '\0';
        }
    }

private:
    char *raw_;
};

namespace internal {

/** `void(const restway_span &, trace_parent)` as a span function of the C library. */
template <typename Function>
void on_span(void *context, const restway_span *span, void *raw_parent) {
    tell([&] { (*static_cast<Function *>(context))(*span, trace_parent(raw_parent)); });
}

} // namespace internal

RESTWAY_CPP_END

#endif

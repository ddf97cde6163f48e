/** @file restway/cpp/response.hpp
 *  Responses, and calls: requests in flight.
 */
#ifndef RESTWAY_CPP_RESPONSE_HPP
#define RESTWAY_CPP_RESPONSE_HPP

#include "callback.hpp"
#include "object.hpp"

RESTWAY_CPP_BEGIN

/** The time for which a function waits; 0 waits as long as the call's own limits allow. */
using milliseconds = std::chrono::milliseconds;

/** A value that was left out, because it did not fit. The texts are borrowed from the response. */
struct mapping_issue {
    std::string_view key_path;
    std::string_view reason;
};

/** How an answer relates to the response cache. */
struct cache_note : restway_cache_note {
    cache_note() : restway_cache_note RESTWAY_CACHE_NOTE_INIT {
    }
};

/** The durations of the phases of a call. */
struct timings : restway_timings {
    timings() : restway_timings RESTWAY_TIMINGS_INIT {
    }
};

/** How far a call has come. */
struct progress : restway_progress {
    progress() : restway_progress RESTWAY_PROGRESS_INIT {
    }
};

namespace internal {
/** Fills a struct of the C library that says its own size. */
template <typename Struct, typename Raw, typename Subject>
returned<Struct> filled(
    restway_status (*fill)(Subject *, Raw *, restway_error **), Subject *subject) {
    Struct to;
    const result<void> outcome = attempt<void>(fill, subject, static_cast<Raw *>(&to));
    if (!outcome) {
        return fail<Struct>(outcome.failure());
    }
    return to;
}
} // namespace internal

/** An answer, and the objects that it was mapped to. The texts that its functions return are
 *  borrowed from it. */
class response
    : public handle<restway_response, restway_response_retain, restway_response_release> {
public:
    using handle::handle;

    int status() const noexcept {
        return restway_response_status(get());
    }

    std::string_view url() const noexcept {
        return internal::text_or_empty(restway_response_url(get()));
    }

    /** The header Location as an absolute URL; nothing if it is missing. */
    std::optional<std::string_view> location() const noexcept {
        return internal::text_or_nothing(restway_response_location(get()));
    }

    std::optional<std::string_view> header(std::string_view name) const {
        return internal::text_or_nothing(restway_response_header(get(), internal::c_text(name)));
    }

    /** Every header line, in order. */
    std::vector<std::pair<std::string_view, std::string_view>> headers() const {
        std::vector<std::pair<std::string_view, std::string_view>> lines;
        for (std::size_t index = 0; index < restway_response_header_count(get()); index++) {
            lines.emplace_back(
                restway_response_header_name(get(), index),
                restway_response_header_value(get(), index));
        }
        return lines;
    }

    /** The body without its content coding. */
    std::string_view body() const noexcept {
        std::size_t length = 0;
        const void *content = restway_response_body(get(), &length);
        return std::string_view(static_cast<const char *>(content), length);
    }

    /** The body as JSON text; nothing if it is not valid JSON. */
    std::optional<std::string_view> json() const noexcept {
        std::size_t length = 0;
        const char *content = restway_response_json(get(), &length);
        return content == nullptr ? std::nullopt : std::optional(std::string_view(content, length));
    }

    /** Whether a descriptor applied, even if it found no objects. */
    bool is_mapped() const noexcept {
        return restway_response_is_mapped(get()) != 0;
    }

    /** The objects of all descriptors, in their order. */
    list objects() const {
        return list(restway_response_list(get()), owned);
    }

    /** The first object. RESTWAY_E_NO_OBJECT if the response was mapped to none. */
    returned<object> first() const {
        object found(restway_response_object(get(), 0), borrowed);
        if (!found) {
            return internal::fail<object>(error(RESTWAY_E_NO_OBJECT, "the response has no object"));
        }
        return found;
    }

    /** How many objects each descriptor found. */
    std::vector<std::size_t> result_sizes() const {
        std::vector<std::size_t> sizes;
        for (std::size_t index = 0; index < restway_response_result_count(get()); index++) {
            std::size_t first = 0;
            const auto found =
                internal::attempt<std::size_t>(restway_response_result, get(), index, &first);
            sizes.push_back(found ? *found : 0);
        }
        return sizes;
    }

    /** The values that did not fit; at most the first 100 of them. */
    std::vector<mapping_issue> issues() const {
        std::vector<mapping_issue> found;
        for (std::size_t index = 0; restway_response_issue_key_path(get(), index); index++) {
            found.push_back(
                {restway_response_issue_key_path(get(), index),
                 restway_response_issue_reason(get(), index)});
        }
        return found;
    }

    /** Where the body was saved. */
    std::optional<std::string_view> saved_path() const noexcept {
        return internal::text_or_nothing(restway_response_saved_path(get()));
    }

    returned<restway::timings> timings() const {
        return internal::filled<restway::timings, restway_timings>(
            restway_response_timings, constant());
    }

    returned<cache_note> cache() const {
        return internal::filled<cache_note, restway_cache_note>(restway_response_cache, constant());
    }

private:
    const restway_response *constant() const noexcept {
        return get();
    }
};

inline response error::response() const {
    return restway::response(restway_error_response(get()), borrowed);
}

/** A request in flight. The call goes on when its last handle is gone. */
class call : public handle<restway_call, restway_call_retain, restway_call_release> {
public:
    using handle::handle;

    /** Waits for the end, and returns the response. When @p limit passes, the call is cancelled. */
    returned<response> wait(milliseconds limit = milliseconds(0)) const {
        return internal::call<response>(restway_call_wait, get(), limit.count());
    }

    /** Cancels the call: unless it has completed before, it completes with RESTWAY_E_CANCELLED. */
    void cancel() const noexcept {
        restway_call_cancel(get());
    }

    bool is_complete() const noexcept {
        return restway_call_is_complete(get()) != 0;
    }

    /** The number of the call, as it stands in the log. */
    std::uint64_t id() const noexcept {
        return restway_call_id(get());
    }

    returned<restway::progress> progress() const {
        return internal::filled<restway::progress, restway_progress>(
            restway_call_progress, static_cast<const restway_call *>(get()));
    }
};

namespace internal {

/** Makes the outcome of a call from the arguments of a callback. */
inline result<response> outcome_of(
    restway_status status, restway_response *answer, const restway_error *failure) {
    if (status == RESTWAY_OK) {
        return response(answer, borrowed);
    }
    return error(restway_error_retain(failure), status);
}

/** `void(result<response>)` as a completion of the C library. */
template <typename Function>
void on_done(
    void *context, restway_call *, restway_status status, restway_response *answer,
    const restway_error *failure) {
    tell([&] { (*static_cast<Function *>(context))(outcome_of(status, answer, failure)); });
}

/** `void(const response &)` as a question of the C library. */
template <typename Function>
restway_status on_response(void *context, const restway_response *seen, restway_answer *to) {
    return answer(ask(*static_cast<Function *>(context), response(seen, borrowed)), to);
}

} // namespace internal

RESTWAY_CPP_END

#endif

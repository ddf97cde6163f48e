/** @file restway/cpp/pipeline.hpp
 *  The contexts of the program's functions in a call: modifiers, interceptors, and authorization.
 */
#ifndef RESTWAY_CPP_PIPELINE_HPP
#define RESTWAY_CPP_PIPELINE_HPP

#include "request.hpp"

RESTWAY_CPP_BEGIN

/** The context in which a modifier or an interceptor is called: what it sees of the call, and what
 *  it decides. It is valid until the function returns. */
class pipeline_context {
public:
    explicit pipeline_context(restway_pipeline_context *raw) : raw_(raw) {
    }

    /** The request. A modifier may change it. */
    restway::request request() const {
        return restway::request(restway_pipeline_context_request(raw_), borrowed);
    }

    /** The name of the route of the call. */
    std::optional<std::string_view> route() const noexcept {
        return internal::text_or_nothing(restway_pipeline_context_route(raw_));
    }

    /** The answer; an empty one if there is none. */
    restway::response response() const {
        return restway::response(restway_pipeline_context_response(raw_), borrowed);
    }

    /** Why the call fails. */
    std::optional<error> failure() const {
        const restway_error *raw = restway_pipeline_context_error(raw_);
        if (raw == nullptr) {
            return std::nullopt;
        }
        return error(restway_error_retain(raw));
    }

    /** How often interceptors have had the request sent again. */
    int sends() const noexcept {
        return restway_pipeline_context_sends(raw_);
    }

    /** Answers in place of the exchange, or of the answer that has come. */
    returned<void> set_answer(int status, std::string_view body, std::string_view media_type) {
        return internal::call<void>(
            restway_pipeline_context_set_answer, raw_, status,
            static_cast<const void *>(body.data()), body.size(), internal::c_text(media_type));
    }

    /** Changes the status of the answer. */
    returned<void> set_status(int status) {
        return internal::call<void>(restway_pipeline_context_set_status, raw_, status);
    }

    /** Sets a header of the answer, or removes it. */
    returned<void> set_header(std::string_view name, std::optional<std::string_view> to) {
        return internal::call<void>(
            restway_pipeline_context_set_header, raw_, internal::c_text(name),
            internal::c_text(to));
    }

    /** Replaces the body of the answer. */
    returned<void> set_body(std::string_view body) {
        return internal::call<void>(
            restway_pipeline_context_set_body, raw_, static_cast<const void *>(body.data()),
            body.size());
    }

    /** Has the request sent again, when the interceptor has ended. */
    returned<void> send_again() {
        return internal::call<void>(restway_pipeline_context_send_again, raw_);
    }

private:
    restway_pipeline_context *raw_;
};

/** A credential. Its texts belong to the program; they are copied when the credential is set. */
struct credential : restway_credential {
    credential() : restway_credential RESTWAY_CREDENTIAL_INIT {
    }

    /** A copy of the fields, without their texts. */
    explicit credential(const restway_credential &other) : restway_credential(other) {
    }
};

/** The request that an authorize function signs. It is valid until the function returns. */
class exchange {
public:
    explicit exchange(restway_exchange *raw) : raw_(raw) {
    }

    std::string_view method() const noexcept {
        return internal::text_or_empty(restway_exchange_method(raw_));
    }

    std::string_view url() const noexcept {
        return internal::text_or_empty(restway_exchange_url(raw_));
    }

    std::optional<std::string_view> header(std::string_view name) const {
        return internal::text_or_nothing(restway_exchange_header(raw_, internal::c_text(name)));
    }

    std::string_view body() const noexcept {
        std::size_t length = 0;
        const void *content = restway_exchange_body(raw_, &length);
        return std::string_view(static_cast<const char *>(content), length);
    }

    returned<void> set_header(std::string_view name, std::string_view to) {
        return internal::call<void>(
            restway_exchange_set_header, raw_, internal::c_text(name), internal::c_text(to));
    }

    /** Adds a parameter to the query. */
    returned<void> add_parameter(std::string_view name, std::string_view to) {
        return internal::call<void>(
            restway_exchange_add_parameter, raw_, internal::c_text(name), internal::c_text(to));
    }

private:
    restway_exchange *raw_;
};

/** A refresh in progress: the program ends it with succeed() or fail(), from any thread. If its
 *  last handle is gone before, it has failed for the time being. */
class refresh : public handle<restway_refresh, restway_refresh_retain, restway_refresh_release> {
public:
    using handle::handle;

    returned<void> succeed(const credential &fresh) const {
        return internal::call<void>(
            restway_refresh_succeed, get(), static_cast<const restway_credential *>(&fresh));
    }

    /** @param is_final No later refresh can bring a credential. */
    returned<void> fail(std::string_view reason, bool is_final = false) const {
        return internal::call<void>(
            restway_refresh_fail, get(), internal::c_text(reason), is_final ? 1 : 0, nullptr,
            nullptr);
    }
};

namespace internal {

/** `void(pipeline_context &)` as a modifier or an interceptor of the C library. */
template <typename Function> restway_status on_stage(void *context, restway_pipeline_context *raw) {
    pipeline_context seen(raw);
    const result<void> outcome = ask(*static_cast<Function *>(context), seen);
    if (outcome) {
        return RESTWAY_OK;
    }
    (void)attempt<void>(
        restway_pipeline_context_set_refusal, raw, outcome.failure().what(), nullptr, nullptr);
    return outcome.failure().status();
}

/** `void(exchange &)` as an authorize function of the C library. */
template <typename Function> restway_status on_exchange(void *context, restway_exchange *raw) {
    exchange seen(raw);
    const result<void> outcome = ask(*static_cast<Function *>(context), seen);
    if (outcome) {
        return RESTWAY_OK;
    }
    (void)attempt<void>(
        restway_exchange_set_refusal, raw, outcome.failure().what(), nullptr, nullptr);
    return outcome.failure().status();
}

/** `void(refresh)` as a refresh function of the C library. */
template <typename Function> void on_refresh(void *context, restway_refresh *raw) {
    const refresh begun(raw, owned);
    const result<void> outcome = ask(*static_cast<Function *>(context), refresh(begun));
    if (!outcome) {
        (void)attempt<void>(
            restway_refresh_fail, raw, outcome.failure().what(), 0, nullptr, nullptr);
    }
}

/** `bool(const error &)`: whether an answer means that the credential is no longer valid. */
template <typename Function> int32_t on_should_replay(void *context, const restway_error *failure) {
    int32_t decision = -1;
    tell([&] {
        decision =
            (*static_cast<Function *>(context))(error(restway_error_retain(failure))) ? 1 : 0;
    });
    return decision;
}

/** `void(const credential &)`: stores the tokens of a refresh. */
template <typename Function> void on_persist(void *context, const restway_credential *present) {
    tell([&] { (*static_cast<Function *>(context))(credential(*present)); });
}

} // namespace internal

RESTWAY_CPP_END

#endif

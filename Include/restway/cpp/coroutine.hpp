/** @file restway/cpp/coroutine.hpp
 *  Responses for coroutines of C++20: `co_await client.awaiting().get("enterprises")`.
 */
#ifndef RESTWAY_CPP_COROUTINE_HPP
#define RESTWAY_CPP_COROUTINE_HPP

#include "client.hpp"

#ifdef __cpp_impl_coroutine
#include <coroutine>

RESTWAY_CPP_BEGIN

/** A request that is sent when a coroutine awaits it. The coroutine goes on where the client's
 *  delivery mode says that notices run. */
class [[nodiscard]] awaited_response {
public:
    awaited_response(client of, request what) : client_(std::move(of)), request_(std::move(what)) {
    }

    bool await_ready() const noexcept {
        return false;
    }

    /** Sends the request. If that fails, the coroutine goes on at once. */
    bool await_suspend(std::coroutine_handle<> waiting) {
        if (request_.failure()) {
            outcome_ = *request_.failure();
            return false;
        }
        auto resume = [this, waiting](result<response> outcome) {
            outcome_ = std::move(outcome);
            waiting.resume();
        };
        auto context = std::make_unique<decltype(resume)>(resume);
        const result<void> sent = internal::attempt<void>([&](restway_error **failure) {
            const restway_status status = restway_client_send(
                client_.get(), request_.get(), internal::on_done<decltype(resume)>, context.get(),
                internal::destroy<decltype(resume)>, nullptr, failure);
            return internal::given(status, context);
        });
        // Once the request is sent, the coroutine may have ended, and this awaiter with it.
        if (sent) {
            return true;
        }
        outcome_ = sent.failure();
        return false;
    }

    returned<response> await_resume() {
        return internal::returned_of(std::move(*outcome_));
    }

private:
    client client_;
    request request_;
    std::optional<result<response>> outcome_;
};

/** A client whose verbs a coroutine awaits. */
class awaiting_client : public verbs<awaiting_client> {
public:
    explicit awaiting_client(client of) : client_(std::move(of)) {
    }

    awaited_response perform(const request &what) const {
        return awaited_response(client_, what);
    }

private:
    client client_;
};

inline awaiting_client client::awaiting() const {
    return awaiting_client(*this);
}

RESTWAY_CPP_END

#endif

#endif

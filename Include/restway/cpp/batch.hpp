/** @file restway/cpp/batch.hpp
 *  Batches: several requests that are sent as one.
 */
#ifndef RESTWAY_CPP_BATCH_HPP
#define RESTWAY_CPP_BATCH_HPP

#include "request.hpp"

RESTWAY_CPP_BEGIN

/** Several requests that are sent as one call. */
class batch : public handle<restway_batch, restway_batch_retain, restway_batch_release> {
public:
    using handle::handle;

    /** Adds a request. */
    returned<void> add(const request &what) const {
        if (what.failure()) {
            return internal::fail<void>(*what.failure());
        }
        return internal::call<void>(
            restway_batch_add, get(), what.get(), nullptr, nullptr, nullptr, nullptr);
    }

    /** How many requests it has. */
    std::size_t size() const noexcept {
        return restway_batch_count(get());
    }

    /** Sends the batch. */
    returned<void> send() const {
        return internal::call<void>(restway_batch_send, get(), nullptr, nullptr, nullptr);
    }

    /** Waits until every request has its response or its failure. It fails if the batch as a whole
     *  has failed. */
    returned<void> wait(milliseconds limit = milliseconds(0)) const {
        return internal::call<void>(restway_batch_wait, get(), limit.count());
    }

    /** The outcome of a request, by the order in which the requests were added. */
    returned<response> operator[](std::size_t index) const {
        return internal::call<response>(restway_batch_response, get(), index);
    }

    void cancel() const noexcept {
        restway_batch_cancel(get());
    }
};

RESTWAY_CPP_END

#endif

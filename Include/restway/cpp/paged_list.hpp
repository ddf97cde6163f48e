/** @file restway/cpp/paged_list.hpp
 *  Lists in the store: the objects of all pages of a request.
 */
#ifndef RESTWAY_CPP_PAGED_LIST_HPP
#define RESTWAY_CPP_PAGED_LIST_HPP

#include "pages.hpp"

RESTWAY_CPP_BEGIN

/** A list of the store, which grows by the pages of a request and goes on after a restart. */
class paged_list
    : public handle<restway_paged_list, restway_paged_list_retain, restway_paged_list_release> {
public:
    using handle::handle;

    /** The newest snapshots of the objects, in the order in which their pages came. */
    returned<list> objects() const {
        return internal::call<list>(restway_paged_list_objects, get());
    }

    bool is_complete() const noexcept {
        return restway_paged_list_is_complete(get()) != 0;
    }

    /** The number of objects on all pages, if the API has said it. */
    std::optional<std::int64_t> total() const noexcept {
        const std::int64_t count = restway_paged_list_total(get());
        return count < 0 ? std::nullopt : std::optional<std::int64_t>(count);
    }

    /** Requests the next page and adds its objects; an empty response if the list is complete. */
    returned<response> load(milliseconds limit = milliseconds(0)) const {
        return internal::call<response>(restway_paged_list_load, get(), limit.count());
    }

    /** Requests the next page; `void(result<response>)` gets what came of it. */
    template <typename Function> returned<call> send(Function done) const {
        return internal::attach<call>(
            std::move(done), [&](void *context, restway_destroy_fn destroy, auto... out) {
                return restway_paged_list_send(
                    get(), internal::on_done<Function>, context, destroy, out...);
            });
    }

    /** Lets the next page be the first one again. */
    void restart() const noexcept {
        restway_paged_list_restart(get());
    }

    void cancel() const noexcept {
        restway_paged_list_cancel(get());
    }

    /** Observes the objects of the list, and its growth: `void(const changes &)`. */
    template <typename Function> returned<observer> observe(Function changed) const {
        return internal::attach<observer>(
            std::move(changed), [&](void *context, restway_destroy_fn destroy, auto... out) {
                return restway_paged_list_observe(
                    get(), internal::on_changed<Function>, context, destroy, out...);
            });
    }
};

RESTWAY_CPP_END

#endif

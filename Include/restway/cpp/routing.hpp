/** @file restway/cpp/routing.hpp
 *  Several clients behind one face: each request goes to the client of its route.
 */
#ifndef RESTWAY_CPP_ROUTING_HPP
#define RESTWAY_CPP_ROUTING_HPP

#include "client.hpp"

RESTWAY_CPP_BEGIN

/** Clients by the names of routes, and a default client for all other requests. */
class routing_client
    : public handle<
          restway_routing_client, restway_routing_client_retain, restway_routing_client_release>,
      public verbs<routing_client> {
public:
    using handle::get;
    using handle::handle;
    using verbs<routing_client>::get;

    /** @param otherwise The client of all requests whose route has no client; may be empty. */
    static returned<routing_client> create(const client &otherwise = client()) {
        return internal::call<routing_client>(restway_routing_client_create, otherwise.get());
    }

    /** Sets the client of a route. */
    returned<void> add(std::string_view route, const client &to) const {
        return internal::call<void>(
            restway_routing_client_add, get(), internal::c_text(route), to.get());
    }

    /** The client of a request. */
    returned<client> find(const request &what) const {
        return internal::returned_of(attempt_find(what));
    }

    /** Sends a request with its client and waits for the response. */
    returned<response> perform(const request &what, milliseconds limit = milliseconds(0)) const {
        const result<client> found = attempt_find(what);
        if (!found) {
            return internal::fail<response>(found.failure());
        }
        return found->perform(what, limit);
    }

private:
    result<client> attempt_find(const request &what) const {
        if (what.failure()) {
            return *what.failure();
        }
        return internal::attempt<client>(restway_routing_client_find, get(), what.get());
    }
};

RESTWAY_CPP_END

#endif

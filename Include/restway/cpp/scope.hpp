/** @file restway/cpp/scope.hpp
 *  Scopes: sets of path variables that fill the variables of many requests.
 */
#ifndef RESTWAY_CPP_SCOPE_HPP
#define RESTWAY_CPP_SCOPE_HPP

#include "request.hpp"

RESTWAY_CPP_BEGIN

/** A set of path variables with their values. Its functions can be chained. */
class scope : public handle<restway_scope, restway_scope_retain, restway_scope_release>,
              public internal::steps<scope> {
public:
    using handle::handle;

    /** An empty scope. */
    static scope create() {
        return scope(internal::attempt<scope>(restway_scope_create, nullptr));
    }

    /** A scope that begins with the variables of this one. */
    scope inner() const {
        if (failure()) {
            return scope(result<scope>(*failure()));
        }
        return scope(internal::attempt<scope>(restway_scope_create, get()));
    }

    scope &variable(std::string_view name, const value &to) {
        return step(
            restway_scope_set_variable, get(), internal::c_text(name), internal::c_value(to));
    }

    /** A copy of a request, whose variables without a value the scope fills. */
    restway::request request(const restway::request &what) const {
        const std::optional<error> &earlier = what.failure() ? what.failure() : failure();
        if (earlier) {
            return restway::request(result<restway::request>(*earlier));
        }
        return restway::request(
            internal::attempt<restway::request>(restway_scope_request, get(), what.get()));
    }

private:
    explicit scope(result<scope> made) {
        begin(std::move(made));
    }
};

/** The path variables that an object remembers, as a JSON object of texts. */
inline returned<std::string> remembered_variables(const store &of, const object &one) {
    return internal::written(
        [&](auto... out) { return restway_store_variables(of.get(), one.get(), out...); });
}

RESTWAY_CPP_END

#endif

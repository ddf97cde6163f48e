/** @file restway/cpp/inspect.hpp
 *  Requests as they go out, and the parts of URLs.
 */
#ifndef RESTWAY_CPP_INSPECT_HPP
#define RESTWAY_CPP_INSPECT_HPP

#include "request.hpp"

RESTWAY_CPP_BEGIN

/** A request as it goes out, or has gone out, with its credential. The texts are borrowed from it.
 */
class outgoing
    : public handle<restway_outgoing, restway_outgoing_retain, restway_outgoing_release> {
public:
    using handle::handle;

    std::string_view method() const noexcept {
        return internal::text_or_empty(restway_outgoing_method(get()));
    }

    std::string_view url() const noexcept {
        return internal::text_or_empty(restway_outgoing_url(get()));
    }

    /** The route by which the request was made; nothing for a request to a path. */
    std::optional<std::string_view> route() const noexcept {
        return internal::text_or_nothing(restway_outgoing_route(get()));
    }

    std::optional<std::string_view> header(std::string_view name) const {
        return internal::text_or_nothing(restway_outgoing_header(get(), internal::c_text(name)));
    }

    /** Every header line, in order. */
    std::vector<std::pair<std::string_view, std::string_view>> headers() const {
        std::vector<std::pair<std::string_view, std::string_view>> lines;
        for (std::size_t index = 0; index < restway_outgoing_header_count(get()); index++) {
            lines.emplace_back(
                restway_outgoing_header_name(get(), index),
                restway_outgoing_header_value(get(), index));
        }
        return lines;
    }

    /** The body; nothing for a request without one, and for a body that is read while it is sent.
     */
    std::optional<std::string_view> body() const noexcept {
        std::size_t length = 0;
        const void *content = restway_outgoing_body(get(), &length);
        if (content == nullptr) {
            return std::nullopt;
        }
        return std::string_view(static_cast<const char *>(content), length);
    }

    /** The request as a text for people, without secrets. */
    std::string_view text() const noexcept {
        return internal::text_or_empty(restway_outgoing_text(get()));
    }
};

/** The request that led to a response; an empty one if the library made the response itself. */
inline outgoing request_of(const response &answer) {
    return outgoing(restway_response_request(answer.get()), owned);
}

/** The request of the call that has failed; an empty one if the error is not about a call. */
inline outgoing request_of(const error &failure) {
    return outgoing(restway_error_request(failure.get()), owned);
}

/** The parts of a URL. The texts are borrowed from it. */
class url : public handle<restway_url, restway_url_retain, restway_url_release> {
public:
    using handle::handle;

    /** Splits an absolute http or https URL. */
    static returned<url> split(std::string_view text) {
        return internal::call<url>(restway_url_split, internal::c_text(text));
    }

    std::string_view scheme() const noexcept {
        return internal::text_or_empty(restway_url_scheme(get()));
    }

    /** The host in lower case and in ASCII. */
    std::string_view host() const noexcept {
        return internal::text_or_empty(restway_url_host(get()));
    }

    int port() const noexcept {
        return restway_url_port(get());
    }

    /** The path, percent-encoded. */
    std::string_view path() const noexcept {
        return internal::text_or_empty(restway_url_path(get()));
    }

    /** The decoded fragment. */
    std::optional<std::string_view> fragment() const noexcept {
        return internal::text_or_nothing(restway_url_fragment(get()));
    }

    /** The decoded parameters of the query, in order. */
    std::vector<std::pair<std::string_view, std::string_view>> parameters() const {
        std::vector<std::pair<std::string_view, std::string_view>> pairs;
        for (std::size_t index = 0; index < restway_url_parameter_count(get()); index++) {
            pairs.emplace_back(
                restway_url_parameter_name(get(), index),
                restway_url_parameter_value(get(), index));
        }
        return pairs;
    }

    /** Writes a query like "a=1&b=x%20y". */
    static returned<std::string> query(
        const std::vector<std::pair<std::string, std::string>> &parameters) {
        std::vector<const char *> names;
        std::vector<const char *> values;
        for (const auto &[name, text] : parameters) {
            names.push_back(name.c_str());
            values.push_back(text.c_str());
        }
        return internal::written([&](auto... out) {
            return restway_url_build_query(names.data(), values.data(), names.size(), out...);
        });
    }
};

RESTWAY_CPP_END

#endif

/** @file restway/cpp/parsing.hpp
 *  Parsers and encoders: functions that read the bodies of answers and write the bodies of
 *  requests; and the mapping of bytes that did not come over HTTP.
 */
#ifndef RESTWAY_CPP_PARSING_HPP
#define RESTWAY_CPP_PARSING_HPP

#include "request.hpp"

RESTWAY_CPP_BEGIN

/** The body of a request that an encoder has written: a text or bytes. */
struct encoded {
    value body;
    /** Its media type; empty takes the media type of the request or its route. */
    std::string media_type;
};

/** How bytes are mapped (parsing.h). */
struct map_options : restway_map_options {
    map_options() : restway_map_options RESTWAY_MAP_OPTIONS_INIT {
    }
};

/** The objects and the value to which bytes were mapped. */
struct mapped {
    /** A response with status 0, which has the objects and the mapping issues. */
    restway::response response;
    /** The store that has the objects. */
    restway::store store;
};

/** The name of the parser that has read an answer. The text is borrowed from the answer. */
inline std::string_view parser_of(const response &answer) noexcept {
    return internal::text_or_empty(restway_response_parser(answer.get()));
}

/** The value that the parser of an answer has made of the body. */
inline returned<value> value_of(const response &answer) {
    const result<restway_value> found =
        internal::attempt<restway_value>(restway_response_value, answer.get());
    if (!found) {
        return internal::fail<value>(found.failure());
    }
    return value(*found);
}

namespace internal {

/** `value(std::string_view body, std::string_view media_type)` as a parser of the C library. */
template <typename Function>
restway_status on_parse(
    void *context, const void *body, size_t length, const char *media_type, restway_answer *to) {
    const std::string_view content(static_cast<const char *>(body), length);
    const result<value> made =
        asked<value>(*static_cast<Function *>(context), content, text_or_empty(media_type));
    if (!made) {
        return answer(made.failure(), to);
    }
    return answer(attempt<void>(restway_answer_set_value, to, c_value(*made)), to);
}

/** `encoded(std::string_view json)` as an encoder of the C library. */
template <typename Function>
restway_status on_encode(void *context, const char *json, size_t length, restway_answer *to) {
    const result<encoded> made =
        asked<encoded>(*static_cast<Function *>(context), std::string_view(json, length));
    if (!made) {
        return answer(made.failure(), to);
    }
    result<void> outcome = attempt<void>(restway_answer_set_value, to, c_value(made->body));
    if (outcome && !made->media_type.empty()) {
        outcome = attempt<void>(restway_answer_set_media_type, to, c_text(made->media_type));
    }
    return answer(outcome, to);
}

} // namespace internal

RESTWAY_CPP_END

#endif

/** @file json.hpp
 *  JSON of steps and outcomes: values of Jansson that release themselves.
 */
#ifndef RESTWAY_SCENARIO_JSON_HPP
#define RESTWAY_SCENARIO_JSON_HPP

#include <jansson.h>
#include <restway.hpp>

#include <string>
#include <string_view>

/** A JSON value. Reading it never changes it; set() and append() do. */
class json : public restway::handle<json_t, json_incref, json_decref> {
public:
    using handle::handle;

    static json object() {
        return json(json_object(), restway::owned);
    }

    static json array() {
        return json(json_array(), restway::owned);
    }

    static json null() {
        return json(json_null(), restway::owned);
    }

    static json of(bool truth) {
        return json(json_boolean(truth), restway::owned);
    }

    static json of(std::int64_t number) {
        return json(json_integer(number), restway::owned);
    }

    static json of(double number) {
        return json(json_real(number), restway::owned);
    }

    static json of(std::string_view text) {
        return json(json_stringn(text.data(), text.size()), restway::owned);
    }

    /** A text, or null without one. */
    static json of(const std::optional<std::string_view> &text) {
        return text ? of(*text) : null();
    }

    /** Reads a text; an empty handle if it is not JSON. */
    static json parse(std::string_view text) {
        return json(json_loadb(text.data(), text.size(), JSON_DECODE_ANY, nullptr), restway::owned);
    }

    std::string text() const {
        char *written = json_dumps(get(), JSON_COMPACT | JSON_ENCODE_ANY);
        std::string copy = written == nullptr ? "" : written;
        free(written);
        return copy;
    }

    /** A member; an empty handle if it is missing. */
    json operator[](const char *key) const {
        return json(json_object_get(get(), key), restway::borrowed);
    }

    json operator[](std::size_t index) const {
        return json(json_array_get(get(), index), restway::borrowed);
    }

    /** The number of elements of an array, or of members of an object. */
    std::size_t size() const {
        return json_is_array(get()) ? json_array_size(get()) : json_object_size(get());
    }

    /** A string, or an empty text. */
    std::string string() const {
        const char *content = json_string_value(get());
        return content == nullptr ? "" : content;
    }

    bool is_true() const {
        return json_is_true(get());
    }

    json &set(std::string_view key, const json &to) {
        json_object_set(get(), std::string(key).c_str(), to.get());
        return *this;
    }

    void append(const json &element) {
        json_array_append(get(), element.get());
    }

    /** Calls a function with the name and the value of each member. */
    template <typename Function> void each(const Function &function) const {
        const char *key = nullptr;
        json_t *member = nullptr;
        json_object_foreach(get(), key, member) {
            function(key, json(member, restway::borrowed));
        }
    }
};

#endif

/** @file restway/cpp/value.hpp
 *  Values: what attributes, variables and parameters hold, as types of C++.
 */
#ifndef RESTWAY_CPP_VALUE_HPP
#define RESTWAY_CPP_VALUE_HPP

#include "error.hpp"

#include <charconv>
#include <chrono>
#include <cstdint>
#include <limits>

RESTWAY_CPP_BEGIN

/** A moment, with the precision of the library. */
using date = std::chrono::time_point<std::chrono::system_clock, std::chrono::microseconds>;

/** The bytes of an attribute of the type "bytes". */
using bytes = std::vector<std::uint8_t>;

/** The JSON text of an attribute of the type "json" or "any". */
struct json {
    std::string text;
};

/** An immutable snapshot of one entity instance; object.hpp has what it can do. */
class object;

namespace internal {
using object_handle = handle<restway_object, restway_object_retain, restway_object_release>;

template <typename T> struct is_optional : std::false_type {};
template <typename T> struct is_optional<std::optional<T>> : std::true_type {};

template <typename T> struct is_moment : std::false_type {};
template <typename Duration>
struct is_moment<std::chrono::time_point<std::chrono::system_clock, Duration>> : std::true_type {};

template <typename T>
inline constexpr bool is_whole_number = std::is_integral_v<T> && !std::is_same_v<T, bool>;
} // namespace internal

/** A value that a program passes to the library, or has read from it; it owns what it holds. */
class value {
public:
    /** Null. */
    value(std::nullptr_t = nullptr) {
    }

    value(bool truth) : content_(truth) {
    }

    /** A number of any type of integers. A number above 2^63 - 1 is JSON, as docs/MAPPING.md says:
     *  parameters, variables and attributes of the types "any", "json" and "double" take it. */
    template <typename T, std::enable_if_t<internal::is_whole_number<T>, int> = 0>
    value(T number) : content_(static_cast<std::int64_t>(number)) {
        if constexpr (std::is_unsigned_v<T> && sizeof(T) >= sizeof(std::int64_t)) {
            if (number > static_cast<T>(std::numeric_limits<std::int64_t>::max())) {
                content_ = json{std::to_string(number)};
            }
        }
    }

    value(double number) : content_(number) {
    }

    template <typename Duration>
    value(std::chrono::time_point<std::chrono::system_clock, Duration> moment)
        : content_(std::chrono::floor<std::chrono::microseconds>(moment)) {
    }

    /** A text; null for a null pointer, as restway_value_string() makes it. */
    value(const char *text) {
        if (text != nullptr) {
            content_ = std::string(text);
        }
    }

    value(std::string_view text) : content_(std::string(text)) {
    }

    value(std::string text) : content_(std::move(text)) {
    }

    value(json text) : content_(std::move(text)) {
    }

    value(bytes content) : content_(std::move(content)) {
    }

    value(const object &related);

    /** A list, such as the objects of a relationship or the values of a condition with `in`. */
    value(std::vector<value> list) : content_(std::move(list)) {
    }

    /** Null, or the value. */
    template <typename T> value(const std::optional<T> &maybe) {
        if (maybe) {
            *this = value(*maybe);
        }
    }

    /** Copies a value of the C library. */
    explicit value(const restway_value &raw);

    /** Whether it is null. */
    bool is_null() const noexcept {
        return std::holds_alternative<std::nullptr_t>(content_);
    }

    /** The value as a T; nothing if it is null or of another type. T is bool, std::int64_t, double,
     *  restway::date, std::string, restway::json, restway::bytes or std::vector<value>. */
    template <typename T> std::optional<T> as() const {
        const T *found = std::get_if<T>(&content_);
        return found == nullptr ? std::nullopt : std::optional<T>(*found);
    }

    /** The value for functions of the C library, *Borrowed* from this one. @p places keeps the
     *  values of lists. */
    restway_value raw(std::vector<std::vector<restway_value>> &places) const;

private:
    std::variant<
        std::nullptr_t, bool, std::int64_t, double, date, std::string, json, bytes,
        internal::object_handle, std::vector<value>>
        content_ = nullptr;
};

/** An identity of several parts, in the order in which the document names them, as in
 *  `store.find("Issue", restway::identity("octocat", "hello", 7))`. */
template <typename... Parts> value identity(Parts &&...parts) {
    return value(std::vector<value>{value(std::forward<Parts>(parts))...});
}

/** A name with its value, as in `{"page", 2}`. The name is borrowed. */
using named_value = std::pair<std::string_view, value>;

/** Names with values, as in `{{"page", 2}, {"per_page", 50}}`: up to ten in braces, or any number
 * in a container of named_value.
 *
 *  This is no std::initializer_list, because GCC 12 compiles no such list in an expression with
 *  `co_await`. */
class named_values {
    /** An element in braces; without a name if the braces have fewer elements. */
    struct element {
        element() = default;

        element(std::string_view name, value to) : content(named_value(name, std::move(to))) {
        }

        element(named_value named) : content(std::move(named)) {
        }

        std::optional<named_value> content;
    };

public:
    named_values(
        element a = {}, element b = {}, element c = {}, element d = {}, element e = {},
        element f = {}, element g = {}, element h = {}, element i = {}, element j = {}) {
        for (element *one : {&a, &b, &c, &d, &e, &f, &g, &h, &i, &j}) {
            if (one->content) {
                all_.push_back(std::move(*one->content));
            }
        }
    }

    template <
        typename Container,
        std::enable_if_t<std::is_same_v<typename Container::value_type, named_value>, int> = 0>
    named_values(const Container &values) : all_(values.begin(), values.end()) {
    }

    std::vector<named_value>::const_iterator begin() const noexcept {
        return all_.begin();
    }

    std::vector<named_value>::const_iterator end() const noexcept {
        return all_.end();
    }

private:
    std::vector<named_value> all_;
};

namespace internal {

/** A value as a pointer for a function of the C library, as long as this lives. */
class c_value {
public:
    explicit c_value(const value &from) : raw_(from.raw(places_)) {
    }

    c_value(const c_value &) = delete;
    c_value &operator=(const c_value &) = delete;

    operator const restway_value *() const noexcept {
        return &raw_;
    }

private:
    std::vector<std::vector<restway_value>> places_;
    restway_value raw_;
};

inline bool is_missing(const restway_value &from) noexcept {
    return from.kind == RESTWAY_VALUE_NULL || from.kind == RESTWAY_VALUE_ABSENT;
}

template <typename T> bool read_number(const restway_value &from, T &to) {
    if constexpr (std::is_floating_point_v<T>) {
        if (from.kind == RESTWAY_VALUE_DOUBLE) {
            to = static_cast<T>(from.as.real);
            return true;
        }
        to = static_cast<T>(from.as.integer);
        return from.kind == RESTWAY_VALUE_INT64;
    } else {
        if (from.kind == RESTWAY_VALUE_JSON) {
            // A number above 2^63 - 1.
            const char *end = from.as.text + from.length;
            const auto [last, problem] = std::from_chars(from.as.text, end, to);
            return problem == std::errc() && last == end;
        }
        to = static_cast<T>(from.as.integer);
        return from.kind == RESTWAY_VALUE_INT64 &&
               static_cast<std::int64_t>(to) == from.as.integer &&
               (to < T{}) == (from.as.integer < 0);
    }
}

template <typename T> bool read_text(const restway_value &from, T &to) {
    if constexpr (std::is_same_v<T, bytes>) {
        to.assign(from.as.bytes, from.as.bytes + from.length);
        return from.kind == RESTWAY_VALUE_BYTES;
    } else if constexpr (std::is_same_v<T, json>) {
        to.text.assign(from.as.text, from.length);
        return from.kind == RESTWAY_VALUE_JSON;
    } else {
        to = T(from.as.text, from.length);
        return from.kind == RESTWAY_VALUE_STRING;
    }
}

/** Whether a value of the library has bytes, which as.text points to. */
inline bool has_text(const restway_value &from) noexcept {
    return from.kind == RESTWAY_VALUE_STRING || from.kind == RESTWAY_VALUE_BYTES ||
           from.kind == RESTWAY_VALUE_JSON;
}

/** Reads a value of the library as a T; false if it is none. */
template <typename T> bool read(const restway_value &from, T &to) {
    if constexpr (std::is_same_v<T, value>) {
        to = value(from);
        return true;
    } else if constexpr (is_optional<T>::value) {
        typename T::value_type inside{};
        if (is_missing(from) || !read(from, inside)) {
            to.reset();
            return is_missing(from);
        }
        to = std::move(inside);
        return true;
    } else if constexpr (std::is_same_v<T, bool>) {
        to = from.as.integer != 0;
        return from.kind == RESTWAY_VALUE_BOOL;
    } else if constexpr (std::is_arithmetic_v<T>) {
        return read_number(from, to);
    } else if constexpr (is_moment<T>::value) {
        date moment{std::chrono::microseconds(from.as.integer)};
        to = std::chrono::floor<typename T::duration>(moment);
        return from.kind == RESTWAY_VALUE_DATE;
    } else {
        return has_text(from) && read_text(from, to);
    }
}

/** The name of a kind of values, for messages. */
inline const char *kind_name(std::uint32_t kind) noexcept {
    static constexpr const char *names[] = {"null",      "a bool",   "an int64",   "a double",
                                            "a date",    "a string", "of bytes",   "JSON",
                                            "an object", "a list",   "not set yet"};
    return kind < std::size(names) ? names[kind] : "of an unknown kind";
}

} // namespace internal

inline value::value(const restway_value &raw) {
    switch (raw.kind) {
    case RESTWAY_VALUE_BOOL:
        content_ = raw.as.integer != 0;
        break;
    case RESTWAY_VALUE_INT64:
        content_ = raw.as.integer;
        break;
    case RESTWAY_VALUE_DOUBLE:
        content_ = raw.as.real;
        break;
    case RESTWAY_VALUE_DATE:
        content_ = date(std::chrono::microseconds(raw.as.integer));
        break;
    case RESTWAY_VALUE_STRING:
        content_ = std::string(raw.as.text, raw.length);
        break;
    case RESTWAY_VALUE_JSON:
        content_ = json{std::string(raw.as.text, raw.length)};
        break;
    case RESTWAY_VALUE_BYTES:
        content_ = bytes(raw.as.bytes, raw.as.bytes + raw.length);
        break;
    case RESTWAY_VALUE_OBJECT:
        content_ = internal::object_handle(raw.as.object, borrowed);
        break;
    case RESTWAY_VALUE_LIST: {
        std::vector<value> list;
        for (std::uint32_t index = 0; index < raw.length; index++) {
            list.emplace_back(raw.as.list[index]);
        }
        content_ = std::move(list);
        break;
    }
    default:
        break;
    }
}

inline restway_value value::raw(std::vector<std::vector<restway_value>> &places) const {
    restway_value made = restway_value_null();
    const auto text = [&made](restway_value_kind kind, const auto &content) {
        made.kind = kind;
        made.length = static_cast<std::uint32_t>(content.size());
    };
    if (const auto *truth = std::get_if<bool>(&content_)) {
        return restway_value_bool(*truth);
    } else if (const auto *whole = std::get_if<std::int64_t>(&content_)) {
        return restway_value_int64(*whole);
    } else if (const auto *real = std::get_if<double>(&content_)) {
        return restway_value_double(*real);
    } else if (const auto *moment = std::get_if<date>(&content_)) {
        return restway_value_date(moment->time_since_epoch().count());
    } else if (const auto *string = std::get_if<std::string>(&content_)) {
        text(RESTWAY_VALUE_STRING, *string);
        made.as.text = string->data();
    } else if (const auto *document = std::get_if<json>(&content_)) {
        text(RESTWAY_VALUE_JSON, document->text);
        made.as.text = document->text.data();
    } else if (const auto *content = std::get_if<bytes>(&content_)) {
        text(RESTWAY_VALUE_BYTES, *content);
        made.as.bytes = content->data();
    } else if (const auto *related = std::get_if<internal::object_handle>(&content_)) {
        made.kind = RESTWAY_VALUE_OBJECT;
        made.as.object = related->get();
    } else if (const auto *list = std::get_if<std::vector<value>>(&content_)) {
        std::vector<restway_value> elements;
        for (const value &element : *list) {
            elements.push_back(element.raw(places));
        }
        text(RESTWAY_VALUE_LIST, elements);
        // The elements stay where they are when the vector around them grows.
        places.push_back(std::move(elements));
        made.as.list = places.back().data();
    }
    return made;
}

RESTWAY_CPP_END

#endif

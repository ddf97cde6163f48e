/** @file restway/cpp/object.hpp
 *  Objects, and lists of them for range-based loops.
 */
#ifndef RESTWAY_CPP_OBJECT_HPP
#define RESTWAY_CPP_OBJECT_HPP

#include "value.hpp"

#include <cstddef>
#include <iterator>

RESTWAY_CPP_BEGIN

class object : public internal::object_handle {
public:
    using handle::handle;

    /** The name of the entity. */
    std::string_view entity() const noexcept {
        return internal::text_or_empty(restway_object_entity(get()));
    }

    /** Whether an entity, or an entity that extends it, has brought the object. */
    bool is_a(std::string_view entity) const {
        return restway_object_is_a(get(), internal::c_text(entity)) != 0;
    }

    /** Whether an answer or a draft has brought the object, whatever values it has; false for an
     *  object that only links of other objects have named. Lists, counts and queries leave such
     *  objects out; see query::unloaded(). */
    bool is_loaded() const noexcept {
        return restway_object_is_loaded(get()) != 0;
    }

    /** The number that the store gives to the instance. */
    std::int64_t store_key() const noexcept {
        return restway_object_store_key(get());
    }

    /** Reads an attribute as a T: bool, a number, std::string, std::string_view (borrowed from the
     *  object), a time point of std::chrono::system_clock, restway::json, restway::bytes, or
     *  restway::value for any of them.
     *
     *  An attribute that is null or not set fails with RESTWAY_E_INVALID_ARGUMENT, unless T is
     *  std::optional. A value of another type, and a number that T cannot hold, fail in the
     *  same way. */
    template <typename T> returned<T> get(std::string_view name) const {
        return internal::returned_of(attempt_get<T>(name));
    }

    using internal::object_handle::get;

    /** Whether an attribute is set and not null. */
    returned<bool> has(std::string_view name) const {
        result<restway_value> found =
            internal::attempt<restway_value>(restway_object_get, get(), internal::c_text(name));
        if (!found) {
            return internal::fail<bool>(found.failure());
        }
        return !internal::is_missing(*found);
    }

    /** Whether the API document lists the value of an attribute; also true for null, and for
     *  attributes without listed values. */
    returned<bool> is_known(std::string_view name) const {
        result<std::int32_t> known = internal::attempt<std::int32_t>(
            restway_object_is_known_value, get(), internal::c_text(name));
        if (!known) {
            return internal::fail<bool>(known.failure());
        }
        return *known != 0;
    }

    /** The identity: a number or a text, or null. An identity of several parts is a JSON array. */
    value identity() const {
        result<restway_value> found =
            internal::attempt<restway_value>(restway_object_identity, get());
        return found ? value(*found) : value();
    }

    /** The identity as text, whether it is a number, a text or a JSON array; empty if there is
     *  none. */
    std::string identity_text() const {
        const value found = identity();
        if (const auto parts = found.as<restway::json>()) {
            return parts->text;
        }
        const auto number = found.as<std::int64_t>();
        return number ? std::to_string(*number) : found.as<std::string>().value_or("");
    }

    /** The names of the attributes, in the order of the document. */
    std::vector<std::string_view> attributes() const {
        std::vector<std::string_view> names;
        for (std::size_t index = 0; index < restway_object_attribute_count(get()); index++) {
            names.emplace_back(restway_object_attribute_name(get(), index));
        }
        return names;
    }

    /** The names of the relationships, in the order of the document. Stores read them
     *  (store::related, store::related_one). */
    std::vector<std::string_view> relationships() const {
        std::vector<std::string_view> names;
        for (std::size_t index = 0; index < restway_object_relationship_count(get()); index++) {
            names.emplace_back(restway_object_relationship_name(get(), index));
        }
        return names;
    }

    /** Reads the attributes into a struct, such as `restway-stubs --cpp` writes. Its fields are
     *  optional, and its `visit` gives the name of each with the field. Fails with
     *  RESTWAY_E_UNKNOWN_ENTITY if the struct is for objects of another entity. */
    template <typename Struct> returned<Struct> as() const {
        return internal::returned_of(attempt_as<Struct>());
    }

    /** The attributes as JSON text. */
    returned<std::string> json() const;

    /** Whether both are snapshots of the same instance. */
    bool is_same(const object &other) const noexcept {
        return restway_object_is_same(get(), other.get()) != 0;
    }

    /** Whether both snapshots have the same values. */
    friend bool operator==(const object &a, const object &b) noexcept {
        return restway_object_is_equal(a.get(), b.get()) != 0;
    }

    friend bool operator!=(const object &a, const object &b) noexcept {
        return !(a == b);
    }

private:
    friend class list;

    /** Reads an attribute like get(). */
    template <typename T> result<T> attempt_get(std::string_view name) const {
        result<restway_value> found =
            internal::attempt<restway_value>(restway_object_get, get(), internal::c_text(name));
        if (!found) {
            return found.failure();
        }
        T to{};
        if (!internal::read(*found, to)) {
            return error(RESTWAY_E_INVALID_ARGUMENT, unfit(name, *found));
        }
        return to;
    }

    template <typename Struct> result<Struct> attempt_as() const {
        if (!is_a(Struct::entity)) {
            return error(
                RESTWAY_E_UNKNOWN_ENTITY, "the object is of " + std::string(entity()) +
                                              ", and the struct for objects of " +
                                              std::string(Struct::entity));
        }
        Struct made;
        std::optional<error> failure;
        Struct::visit(made, [&](std::string_view name, auto &field) {
            auto read = attempt_get<std::decay_t<decltype(field)>>(name);
            if (read) {
                field = std::move(*read);
            } else {
                failure = read.failure();
            }
        });
        if (failure) {
            return *failure;
        }
        return made;
    }

    std::string unfit(std::string_view name, const restway_value &found) const {
        std::string text = "the attribute \"";
        text.append(name).append("\" of ").append(entity()).append(" is ");
        text.append(internal::kind_name(found.kind));
        return text.append(
            internal::is_missing(found) ? ": read it as std::optional"
                                        : ", which the type in get<>() cannot hold");
    }
};

inline value::value(const object &related)
    : content_(std::in_place_type<internal::object_handle>, related) {
}

namespace internal {

/** A place in something that has operator[]. */
template <typename Whole> class place {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = decltype(std::declval<const Whole &>()[0]);
    using difference_type = std::ptrdiff_t;
    using pointer = const value_type *;
    using reference = value_type;

    place() = default;

    place(const Whole *whole, std::size_t index) : whole_(whole), index_(index) {
    }

    value_type operator*() const {
        return (*whole_)[index_];
    }

    place &operator++() {
        index_++;
        return *this;
    }

    place operator++(int) {
        return place(whole_, index_++);
    }

    friend bool operator==(const place &a, const place &b) {
        return a.index_ == b.index_;
    }

    friend bool operator!=(const place &a, const place &b) {
        return a.index_ != b.index_;
    }

private:
    const Whole *whole_ = nullptr;
    std::size_t index_ = 0;
};

struct text : handle<restway_text, restway_text_retain, restway_text_release> {
    using handle::handle;

    /** Copies the text, or tells why there is none. */
    static returned<std::string> content(const result<text> &made) {
        if (!made) {
            return fail<std::string>(made.failure());
        }
        std::size_t length = 0;
        const char *content = restway_text_content(made->get(), &length);
        return std::string(content, length);
    }
};

} // namespace internal

inline returned<std::string> object::json() const {
    return internal::text::content(
        internal::attempt<internal::text>(restway_object_json, get(), nullptr, 0, 0u, 0));
}

/** Objects in an order: of a response, of a query, of a relationship. */
class list : public handle<restway_list, restway_list_retain, restway_list_release> {
public:
    using handle::handle;
    using const_iterator = internal::place<list>;

    std::size_t size() const noexcept {
        return restway_list_count(get());
    }

    bool empty() const noexcept {
        return size() == 0;
    }

    /** The object at an index; an empty one out of range. */
    object operator[](std::size_t index) const noexcept {
        return object(restway_list_object(get(), index), borrowed);
    }

    const_iterator begin() const noexcept {
        return const_iterator(this, 0);
    }

    const_iterator end() const noexcept {
        return const_iterator(this, size());
    }

    /** Reads every object into a struct, as object::as() does. */
    template <typename Struct> returned<std::vector<Struct>> as() const {
        std::vector<Struct> read;
        read.reserve(size());
        for (const object one : *this) {
            result<Struct> made = one.attempt_as<Struct>();
            if (!made) {
                return internal::fail<std::vector<Struct>>(made.failure());
            }
            read.push_back(std::move(*made));
        }
        return read;
    }

    /** All objects with their attributes as JSON text. */
    returned<std::string> json() const {
        return internal::text::content(internal::attempt<internal::text>(
            restway_list_json, get(), std::size_t(0), size(), nullptr, 0, 0u, 0));
    }
};

RESTWAY_CPP_END

#endif

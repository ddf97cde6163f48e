/** @file restway/cpp/hook.hpp
 *  Hooks: functions that see the rows of a response before the store does.
 */
#ifndef RESTWAY_CPP_HOOK_HPP
#define RESTWAY_CPP_HOOK_HPP

#include "callback.hpp"
#include "object.hpp"

RESTWAY_CPP_BEGIN

/** The rows that a response was mapped to: the values that will be merged into objects of the
 *  store. They are valid until the hook returns. */
class rows {
public:
    explicit rows(restway_rows *raw) : raw_(raw) {
    }

    std::size_t size() const noexcept {
        return restway_rows_count(raw_);
    }

    /** The entity of a row; empty out of range. */
    std::string_view entity(std::size_t row) const noexcept {
        return internal::text_or_empty(restway_rows_entity(raw_, row));
    }

    /** How many descriptors mapped the response. */
    std::size_t result_count() const noexcept {
        return restway_rows_result_count(raw_);
    }

    /** The descriptor that names this hook. */
    std::size_t own_result() const noexcept {
        return restway_rows_own_result(raw_);
    }

    /** The rows that a descriptor has made. */
    returned<std::vector<std::size_t>> of_result(std::size_t index) const {
        return numbers([&](auto... out) { return restway_rows_result(raw_, index, out...); });
    }

    /** An attribute of a row; null if it is null or the payload does not have it. */
    returned<value> get(std::size_t row, std::string_view name) const {
        const result<restway_value> found =
            internal::attempt<restway_value>(restway_rows_get, raw_, row, internal::c_text(name));
        if (!found) {
            return internal::fail<value>(found.failure());
        }
        return value(*found);
    }

    returned<void> set(std::size_t row, std::string_view name, const value &to) {
        return internal::call<void>(
            restway_rows_set, raw_, row, internal::c_text(name), internal::c_value(to));
    }

    /** The rows that a relationship of a row leads to. */
    returned<std::vector<std::size_t>> related(std::size_t row, std::string_view name) const {
        return numbers([&](auto... out) {
            return restway_rows_related(raw_, row, internal::c_text(name), out...);
        });
    }

    /** Makes a relationship of a row lead to other rows. */
    returned<void> relate(
        std::size_t row, std::string_view name, const std::vector<std::size_t> &targets) {
        return internal::call<void>(
            restway_rows_relate, raw_, row, internal::c_text(name), targets.data(), targets.size());
    }

    /** Makes a relationship of a row lead to objects of the store. */
    returned<void> relate(
        std::size_t row, std::string_view name, const std::vector<object> &targets) {
        std::vector<const restway_object *> raw;
        for (const object &target : targets) {
            raw.push_back(target.get());
        }
        return internal::call<void>(
            restway_rows_relate_objects, raw_, row, internal::c_text(name), raw.data(), raw.size());
    }

private:
    template <typename Read> static returned<std::vector<std::size_t>> numbers(const Read &read) {
        const std::size_t *found = nullptr;
        const result<std::size_t> count = internal::attempt<std::size_t>(
            [&](std::size_t *out, restway_error **failure) { return read(&found, out, failure); });
        if (!count) {
            return internal::fail<std::vector<std::size_t>>(count.failure());
        }
        return std::vector<std::size_t>(found, found + *count);
    }

    restway_rows *raw_;
};

namespace internal {

/** `void(rows &)` as a hook of the C library. */
template <typename Function>
restway_status on_rows(void *context, restway_rows *raw, restway_answer *to) {
    rows seen(raw);
    return answer(ask(*static_cast<Function *>(context), seen), to);
}

} // namespace internal

RESTWAY_CPP_END

#endif

/** @file restway/cpp/conflict.hpp
 *  Conflicts: changes of the program that do not fit what somebody else has changed at the server.
 */
#ifndef RESTWAY_CPP_CONFLICT_HPP
#define RESTWAY_CPP_CONFLICT_HPP

#include "outbox.hpp"

RESTWAY_CPP_BEGIN

/** A conflict as it was when it was found or listed. Its functions that choose can be chained; they
 *  change nothing before outbox::resolve(), or before the resolver has returned. */
class conflict : public handle<restway_conflict, restway_conflict_retain, restway_conflict_release>,
                 public internal::steps<conflict> {
public:
    using handle::handle;

    restway_conflict_kind kind() const noexcept {
        return restway_conflict_kind_of(get());
    }

    /** The number of the parked item of the outbox; 0 for a conflict that is not parked. */
    std::int64_t item_id() const noexcept {
        return restway_conflict_item_id(get());
    }

    /** The names of the attributes and relationships that are in conflict, in the order of the API
     *  document, relationships last; none if one side has deleted the object. They are borrowed. */
    std::vector<std::string_view> names() const {
        std::vector<std::string_view> found;
        for (std::size_t index = 0; index < restway_conflict_count(get()); index++) {
            found.emplace_back(internal::text_or_empty(restway_conflict_name(get(), index)));
        }
        return found;
    }

    /** The object with the values that the change was made on. */
    object base() const {
        return object(restway_conflict_base(get()), borrowed);
    }

    /** The object with the values of the program. */
    object mine() const {
        return object(restway_conflict_mine(get()), borrowed);
    }

    /** The object with the values of the server; empty if the server no longer has it. */
    object theirs() const {
        return object(restway_conflict_theirs(get()), borrowed);
    }

    /** Chooses a side for everything that has no choice of its own. */
    conflict &choose(restway_conflict_side side) {
        return step(restway_conflict_choose, get(), static_cast<const char *>(nullptr), side);
    }

    /** Chooses a side for an attribute or a relationship. */
    conflict &choose(std::string_view name, restway_conflict_side side) {
        return step(restway_conflict_choose, get(), internal::c_text(name), side);
    }

    /** Chooses a value in place of the values of both sides; an object, or a list of objects, for a
     *  relationship. */
    conflict &set(std::string_view name, const value &to) {
        return step(
            restway_conflict_set_value, get(), internal::c_text(name), internal::c_value(to));
    }
};

/** Conflicts, the oldest first. */
class conflicts
    : public handle<restway_conflicts, restway_conflicts_retain, restway_conflicts_release> {
public:
    using handle::handle;
    using const_iterator = internal::place<conflicts>;

    std::size_t size() const noexcept {
        return restway_conflicts_count(get());
    }

    conflict operator[](std::size_t index) const {
        return conflict(restway_conflicts_conflict(get(), index), borrowed);
    }

    const_iterator begin() const noexcept {
        return const_iterator(this, 0);
    }

    const_iterator end() const noexcept {
        return const_iterator(this, size());
    }
};

inline returned<conflicts> outbox::conflicts() const {
    return internal::call<restway::conflicts>(restway_outbox_conflicts, client_.get());
}

inline returned<void> outbox::resolve(const conflict &chosen) const {
    if (chosen.failure()) {
        return internal::fail<void>(*chosen.failure());
    }
    return internal::call<void>(restway_conflict_resolve, client_.get(), chosen.get());
}

inline conflict error::conflict() const {
    return restway::conflict(restway_error_conflict(get()), borrowed);
}

namespace internal {

template <typename Function>
restway_status on_conflict(void *context, restway_conflict *found, restway_answer *to) {
    conflict asked(found, borrowed);
    result<void> outcome = ask(*static_cast<Function *>(context), asked);
    if (outcome && asked.failure()) {
        outcome = *asked.failure();
    }
    return answer(outcome, to);
}

} // namespace internal

RESTWAY_CPP_END

#endif

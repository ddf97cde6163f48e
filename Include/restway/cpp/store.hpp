/** @file restway/cpp/store.hpp
 *  Stores, queries, drafts, transactions, and what observers are told.
 */
#ifndef RESTWAY_CPP_STORE_HPP
#define RESTWAY_CPP_STORE_HPP

#include "callback.hpp"
#include "object.hpp"

RESTWAY_CPP_BEGIN

/** A mutable copy of an object, or a new object. Its functions can be chained. */
class draft : public handle<restway_draft, restway_draft_retain, restway_draft_release>,
              public internal::steps<draft> {
public:
    using handle::handle;

    std::string_view entity() const noexcept {
        return internal::text_or_empty(restway_draft_entity(get()));
    }

    /** Sets an attribute or a relationship; an object, or a list of objects, sets a relationship.
     */
    draft &set(std::string_view name, const value &to) {
        return step(restway_draft_set, get(), internal::c_text(name), internal::c_value(to));
    }

    /** Sets the attributes for which a struct has a value (object::as()); the others stay. */
    template <typename Struct> draft &set(const Struct &values) {
        Struct::visit(values, [this](std::string_view name, const auto &field) {
            if (field) {
                set(name, value(*field));
            }
        });
        return *this;
    }

    /** Makes the object forget the value, as if it had never been set. */
    draft &unset(std::string_view name) {
        return step(restway_draft_unset, get(), internal::c_text(name));
    }

    /** Takes back the changes of one attribute or relationship. */
    draft &revert(std::string_view name) {
        return step(restway_draft_revert, get(), internal::c_text(name));
    }

    /** Adds an object to a relationship to many. */
    draft &add(std::string_view relationship, const object &other) {
        return step(restway_draft_add, get(), internal::c_text(relationship), other.get());
    }

    draft &add(std::string_view relationship, const draft &other) {
        return step(restway_draft_add_draft, get(), internal::c_text(relationship), other.get());
    }

    draft &remove(std::string_view relationship, const object &other) {
        return step(restway_draft_remove, get(), internal::c_text(relationship), other.get());
    }

    draft &remove(std::string_view relationship, const draft &other) {
        return step(restway_draft_remove_draft, get(), internal::c_text(relationship), other.get());
    }

    /** The names of what has changed. They are borrowed from the draft. */
    std::vector<std::string_view> changes() const {
        const auto count =
            internal::attempt<std::size_t>(restway_draft_changes, get(), nullptr, std::size_t(0));
        std::vector<const char *> texts(count ? *count : 0);
        const auto copied = internal::attempt<std::size_t>(
            restway_draft_changes, get(), texts.data(), texts.size());
        const std::size_t known = std::min(texts.size(), copied ? *copied : 0);
        return std::vector<std::string_view>(
            texts.begin(), texts.begin() + static_cast<std::ptrdiff_t>(known));
    }

    /** The draft as an object, with the values that it has now. */
    returned<object> snapshot() const {
        return internal::call<object>(restway_draft_snapshot, get());
    }

    /** Puts the draft into its store without sending it. */
    returned<object> insert() const {
        return internal::call<object>(restway_draft_insert, get());
    }

private:
    friend class store;

    explicit draft(result<draft> made) {
        begin(std::move(made));
    }
};

/** A question to a store. Its functions can be chained. */
class query : public handle<restway_query, restway_query_retain, restway_query_release>,
              public internal::steps<query> {
public:
    using handle::handle;

    /** Adds a condition as text, with a value for each `?` (docs/QUERIES.md). The list for `in ?`
     * is one value, `{restway::value(list)}`: in C++, `{list}` is a copy of the list. */
    query &where(std::string_view condition, const std::vector<value> &values = {}) {
        std::vector<std::vector<restway_value>> places;
        std::vector<restway_value> raw;
        for (const value &one : values) {
            raw.push_back(one.raw(places));
        }
        return step(
            restway_query_where, get(), internal::c_text(condition),
            static_cast<const restway_value *>(raw.data()), raw.size());
    }

    query &order_by(std::string_view attribute, bool descending = false) {
        return step(
            restway_query_add_order, get(), internal::c_text(attribute), descending ? 1 : 0);
    }

    query &limit(std::int64_t count) {
        return step(restway_query_set_limit, get(), count);
    }

    query &offset(std::int64_t count) {
        return step(restway_query_set_offset, get(), count);
    }

    /** Finds the objects that are known by their identity alone (object::is_loaded()), which a
     *  query otherwise leaves out. With std::nullopt it finds all objects, with false only loaded
     *  ones. */
    query &unloaded(std::optional<bool> unloaded = true) {
        return step(restway_query_set_unloaded, get(), !unloaded ? -1 : *unloaded ? 1 : 0);
    }

    /** Finds the objects with a change that the server has refused (store::is_rejected()); with
     *  false the other ones, and with std::nullopt all objects. */
    query &rejected(std::optional<bool> rejected = true) {
        return step(restway_query_set_rejected, get(), !rejected ? -1 : *rejected ? 1 : 0);
    }

    /** Finds the objects with pending edits (store::pending()); with false the other ones, and with
     *  std::nullopt all objects. */
    query &pending(std::optional<bool> pending = true) {
        return step(restway_query_set_pending, get(), !pending ? -1 : *pending ? 1 : 0);
    }

    /** Finds the objects with a parked change (outbox::conflicts()); with false the other ones, and
     *  with std::nullopt all objects. */
    query &conflicted(std::optional<bool> conflicted = true) {
        return step(restway_query_set_conflicted, get(), !conflicted ? -1 : *conflicted ? 1 : 0);
    }

    /** Whether it finds objects that are to be deleted, because a DELETE of them waits for the
     *  server. With std::nullopt it does as the API document says, which hides them by default. */
    query &pending_deletes(std::optional<bool> shown) {
        return step(restway_query_set_pending_deletes, get(), !shown ? -1 : *shown ? 1 : 0);
    }

private:
    friend class store;

    explicit query(result<query> made) {
        begin(std::move(made));
    }
};

/** A change of an object in the store. */
struct change {
    restway_change_kind kind;
    /** The snapshot after the change; before it, if the object was deleted. */
    restway::object object;
    /** The snapshot before the change; empty for a new object. */
    restway::object before;
    /** The reason of the change. */
    restway_change_source source;
    /** Whether other attributes and relationships wait for the server than before: an edit has
     *  begun or ended. No value need differ. store::pending() says which wait now. */
    bool pending_changed;
};

/** The changes that one transaction has made. */
class changes : public handle<restway_changes, restway_changes_retain, restway_changes_release> {
public:
    using handle::handle;
    using const_iterator = internal::place<changes>;

    std::size_t size() const noexcept {
        return restway_changes_count(get());
    }

    change operator[](std::size_t index) const {
        return {
            restway_changes_kind(get(), index),
            object(restway_changes_object(get(), index), borrowed),
            object(restway_changes_before(get(), index), borrowed),
            restway_changes_source(get(), index),
            restway_changes_pending_changed(get(), index) != 0};
    }

    const_iterator begin() const noexcept {
        return const_iterator(this, 0);
    }

    const_iterator end() const noexcept {
        return const_iterator(this, size());
    }
};

/** The pending edits of one object: the attributes and relationships to which stored requests or
 *  optimistic calls give values, and whether a DELETE waits. */
class pending : public handle<restway_pending, restway_pending_retain, restway_pending_release> {
public:
    using handle::handle;

    /** The names of the attributes and relationships that wait, in the order of the API document,
     *  relationships last. They are borrowed. */
    std::vector<std::string_view> names() const {
        std::vector<std::string_view> found;
        for (std::size_t index = 0; index < restway_pending_count(get()); index++) {
            found.emplace_back(internal::text_or_empty(restway_pending_name(get(), index)));
        }
        return found;
    }

    /** The object with the values that wait, as the program sees it. */
    object mine() const {
        return object(restway_pending_mine(get()), borrowed);
    }

    /** The object with the values that the edits were made on. store::confirmed() has newer
     *  values, if the server has sent others since. */
    object base() const {
        return object(restway_pending_base(get()), borrowed);
    }

    /** Whether a DELETE of the object waits. */
    bool deletes() const noexcept {
        return restway_pending_deletes(get()) != 0;
    }

    /** Whether nothing waits. */
    bool empty() const noexcept {
        return restway_pending_count(get()) == 0 && !deletes();
    }
};

/** Changes that are stored together. Without commit() nothing is stored. */
class transaction
    : public handle<restway_transaction, restway_transaction_retain, restway_transaction_release> {
public:
    using handle::handle;

    returned<void> insert(const draft &change) const {
        return internal::call<void>(restway_transaction_insert, get(), change.get());
    }

    returned<void> erase(const object &gone) const {
        return internal::call<void>(restway_transaction_delete, get(), gone.get());
    }

    returned<changes> commit() const {
        return internal::call<changes>(restway_transaction_commit, get());
    }

    void rollback() const noexcept {
        restway_transaction_rollback(get());
    }
};

/** The objects of a client. */
class store : public handle<restway_store, restway_store_retain, restway_store_release> {
public:
    using handle::handle;

    /** The object with an identity; an empty one if the store has none. identity() makes an
     *  identity of several parts. */
    returned<object> find(std::string_view entity, const value &identity) const {
        return object_or_nothing(internal::attempt<object>(
            restway_store_find, get(), internal::c_text(entity), internal::c_value(identity)));
    }

    /** The newest snapshot of an object; an empty one if it was deleted. */
    returned<object> newest(const object &of) const {
        return object_or_nothing(internal::attempt<object>(restway_store_newest, get(), of.get()));
    }

    /** All objects of an entity but those that are known by their identity alone. */
    returned<list> all(std::string_view entity) const {
        return internal::call<list>(restway_store_all, get(), internal::c_text(entity));
    }

    /** How many objects all() finds. */
    returned<std::size_t> count(std::string_view entity) const {
        return internal::call<std::size_t>(restway_store_count, get(), internal::c_text(entity));
    }

    /** The objects that a relationship leads to. */
    returned<list> related(const object &of, std::string_view relationship) const {
        return internal::call<list>(
            restway_store_related, get(), of.get(), internal::c_text(relationship));
    }

    /** The object that a relationship to one leads to; an empty one if it leads to none. */
    returned<object> related_one(const object &of, std::string_view relationship) const {
        return object_or_nothing(internal::attempt<object>(
            restway_store_related_one, get(), of.get(), internal::c_text(relationship)));
    }

    /** Whether no server has named the object yet. */
    returned<bool> is_unsent(const object &one) const {
        return truth(internal::attempt<std::int32_t>(restway_store_is_unsent, get(), one.get()));
    }

    /** Whether the server has refused a change of the object, so that the outbox has a dead letter
     *  about it. */
    returned<bool> is_rejected(const object &one) const {
        return truth(internal::attempt<std::int32_t>(restway_store_is_rejected, get(), one.get()));
    }

    /** The server's view of an object: the values that the server has sent last, without pending
     *  edits; also of an object that a waiting DELETE hides. It is empty for an object that only
     *  the program has made, and for an object that was deleted. */
    returned<object> confirmed(const object &of) const {
        return object_or_nothing(
            internal::attempt<object>(restway_store_confirmed, get(), of.get()));
    }

    /** The pending edits of an object, which wait for the server. */
    returned<restway::pending> pending(const object &of) const {
        return internal::call<restway::pending>(restway_store_pending, get(), of.get());
    }

    /** The version of an object: the text by which the server knows its state, such as an entity
     *  tag with its quotation marks; empty if it is not known. */
    returned<std::string> version(const object &of) const {
        return internal::written(
            [&](auto... buffer) { return restway_store_version(get(), of.get(), buffer...); });
    }

    /** Begins a query of an entity. */
    restway::query query(std::string_view entity) const {
        return restway::query(internal::attempt<restway::query>(
            restway_query_create, get(), internal::c_text(entity)));
    }

    /** The objects that a query finds. */
    returned<list> query(const restway::query &question) const {
        if (question.failure()) {
            return internal::fail<list>(*question.failure());
        }
        return internal::call<list>(restway_store_query, get(), question.get());
    }

    /** How many objects a query finds. */
    returned<std::size_t> count(const restway::query &question) const {
        if (question.failure()) {
            return internal::fail<std::size_t>(*question.failure());
        }
        return internal::call<std::size_t>(restway_store_count_query, get(), question.get());
    }

    /** Begins a new object. */
    restway::draft draft(std::string_view entity) const {
        return restway::draft(internal::attempt<restway::draft>(
            restway_draft_create, get(), internal::c_text(entity)));
    }

    /** Begins to change an object. */
    restway::draft draft(const object &of) const {
        return restway::draft(
            internal::attempt<restway::draft>(restway_draft_copy, get(), of.get()));
    }

    returned<restway::transaction> transaction() const {
        return internal::call<restway::transaction>(restway_transaction_create, get());
    }

    /** Removes an object from the store, without a request. */
    returned<void> erase(const object &gone) const {
        return internal::call<void>(restway_store_delete, get(), gone.get());
    }

    /** Removes every object, and returns how many there were. */
    returned<std::size_t> clear() const {
        return internal::call<std::size_t>(restway_store_clear, get());
    }

private:
    static returned<bool> truth(const result<std::int32_t> &found) {
        if (!found) {
            return internal::fail<bool>(found.failure());
        }
        return *found != 0;
    }

    static returned<object> object_or_nothing(result<object> found) {
        if (!found && found.failure().status() == RESTWAY_E_NO_OBJECT) {
            return object();
        }
        return internal::returned_of(std::move(found));
    }
};

/** Observes changes until remove(), or until the client ends. */
class observer
    : public handle<restway_observer, restway_observer_retain, restway_observer_release> {
public:
    using handle::handle;

    /** Ends the observer: no further notice of it begins. */
    void remove() const noexcept {
        restway_observer_remove(get());
    }
};

/** Observes the result of a query, as an observer does, and has the result with which it began. */
class query_observer : public observer {
public:
    query_observer() = default;

    query_observer(observer observing, list first)
        : observer(std::move(observing)), first_(std::move(first)) {
    }

    /** The result when the observer was made, from which the first difference counts. */
    const list &result() const noexcept {
        return first_;
    }

private:
    list first_;
};

/** An object of an observed query that has another place in the newer result. */
struct query_move {
    /** The place in the older result. */
    std::size_t from;
    /** The place in the newer result. */
    std::size_t to;
};

/** The difference between two results of an observed query. Deletions are places in the older
 *  result, insertions and updates places in the newer one. To turn the older result into the newer
 *  one, remove what is at the deletions and at the old places of the moves, and then insert the
 *  objects of the insertions and of the moves at their new places, the smallest place first. */
class query_changes
    : public handle<
          restway_query_changes, restway_query_changes_retain, restway_query_changes_release> {
public:
    using handle::handle;

    /** The newer result. */
    list result() const {
        return list(restway_query_changes_list(get()), owned);
    }

    std::vector<std::size_t> deletions() const {
        return places(restway_query_changes_deletions);
    }

    std::vector<std::size_t> insertions() const {
        return places(restway_query_changes_insertions);
    }

    std::vector<std::size_t> updates() const {
        return places(restway_query_changes_updates);
    }

    /** The objects that are in both results in another order: as few as possible, in the order of
     *  their new places. */
    std::vector<query_move> moves() const {
        std::vector<std::size_t> from(restway_query_changes_moves(get(), nullptr, nullptr, 0));
        std::vector<std::size_t> to(from.size());
        restway_query_changes_moves(get(), from.data(), to.data(), from.size());
        std::vector<query_move> found;
        for (std::size_t index = 0; index < from.size(); index++) {
            found.push_back({from[index], to[index]});
        }
        return found;
    }

private:
    template <typename Function> std::vector<std::size_t> places(Function function) const {
        std::vector<std::size_t> found(function(get(), nullptr, 0));
        function(get(), found.data(), found.size());
        return found;
    }
};

namespace internal {

/** `void(const changes &)` as a notice of the C library. */
template <typename Function> void on_changed(void *context, const restway_changes *told) {
    tell([&] { (*static_cast<Function *>(context))(changes(told, borrowed)); });
}

/** `void(const query_changes &)` as a notice of the C library. */
template <typename Function>
void on_query_changed(void *context, const restway_query_changes *told) {
    tell([&] { (*static_cast<Function *>(context))(query_changes(told, borrowed)); });
}

} // namespace internal

RESTWAY_CPP_END

#endif

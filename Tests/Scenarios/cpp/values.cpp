#include "values.hpp"

namespace {

bool is_reference(const json &from) {
    return json_is_object(from.get()) && from.size() == 2 && from["entity"] && from["identity"];
}

/** Whether an array is a list of plain values and objects of the store. */
bool is_flat(const json &array) {
    for (std::size_t index = 0; index < array.size(); index++) {
        const json element = array[index];
        const bool is_plain = !json_is_array(element.get()) && !json_is_object(element.get());
        if (!is_plain && !is_reference(element)) {
            return false;
        }
    }
    return true;
}

/** Returns a value as JSON, a date as the number of its microseconds; an empty handle for a value
 *  that has no JSON. */
json json_of(const restway::value &value) {
    if (value.is_null()) {
        return json::null();
    } else if (const auto truth = value.as<bool>()) {
        return json::of(*truth);
    } else if (const auto whole = value.as<std::int64_t>()) {
        return json::of(*whole);
    } else if (const auto real = value.as<double>()) {
        return json::of(*real);
    } else if (const auto moment = value.as<restway::date>()) {
        return json::of(std::int64_t(moment->time_since_epoch().count()));
    } else if (const auto text = value.as<std::string>()) {
        return json::of(std::string_view(*text));
    } else if (const auto document = value.as<restway::json>()) {
        return json::parse(document->text);
    }
    return json();
}

/** Whether anything is known of a relationship. */
bool is_known(const restway::object &object, const std::string &relationship) {
    std::uint32_t kind = RESTWAY_VALUE_ABSENT;
    const std::int64_t *keys = nullptr;
    std::size_t count = 0;
    const restway_status status = restway_object_related_keys(
        object.get(), relationship.c_str(), &kind, &keys, &count, nullptr);
    return status == RESTWAY_OK && kind != RESTWAY_VALUE_ABSENT;
}

/** Returns the identities of related objects. */
json related_as_json(
    const restway::store &store, const restway::object &object, const std::string &relationship) {
    json found = json::array();
    for (const restway::object other : store.related(object, relationship)) {
        found.append(json_of(other.identity()));
    }
    const auto index = restway_object_relationship_index(object.get(), relationship.c_str());
    if (restway_object_relationship_is_many(object.get(), std::size_t(index)) != 0) {
        return found;
    }
    return found.size() == 0 ? json::null() : found[std::size_t(0)];
}

} // namespace

json identity_of(const restway::object &object) {
    return json_of(object.identity());
}

restway::value value_of(const restway::store &store, const json &said) {
    switch (json_typeof(said.get())) {
    case JSON_NULL:
        return nullptr;
    case JSON_TRUE:
        return true;
    case JSON_FALSE:
        return false;
    case JSON_INTEGER:
        return std::int64_t(json_integer_value(said.get()));
    case JSON_REAL:
        return json_real_value(said.get());
    case JSON_STRING:
        return said.string();
    default:
        break;
    }
    if (is_reference(said)) {
        return object_named(store, said);
    }
    if (!json_is_array(said.get()) || !is_flat(said)) {
        return restway::json{said.text()};
    }
    std::vector<restway::value> list;
    for (std::size_t index = 0; index < said.size(); index++) {
        list.push_back(value_of(store, said[index]));
    }
    return list;
}

restway::object object_named(const restway::store &store, const json &reference) {
    const std::string entity = reference["entity"].string();
    restway::object found = store.find(entity, value_of(store, reference["identity"]));
    if (!found) {
        throw restway::error(RESTWAY_E_NO_OBJECT, "the store has no such " + entity);
    }
    return found;
}

json json_of(const restway::store &store, const restway::object &object) {
    json members = json::object();
    for (const std::string_view name : object.attributes()) {
        restway_value raw = restway_value_null();
        const std::string text(name);
        restway_error *failure = nullptr;
        if (restway_object_get(object.get(), text.c_str(), &raw, &failure) != RESTWAY_OK) {
            throw restway::error(failure);
        }
        if (raw.kind != RESTWAY_VALUE_ABSENT) {
            members.set(name, json_of(restway::value(raw)));
        }
    }
    for (const std::string_view name : object.relationships()) {
        const std::string text(name);
        if (is_known(object, text)) {
            members.set(name, related_as_json(store, object, text));
        }
    }
    return json::object().set(object.entity(), members);
}

/** Returns the names of the values that an update has changed. */
static json changed_names(const restway::store &store, const restway::change &change) {
    const std::string entity(change.object.entity());
    const json before = json_of(store, change.before)[entity.c_str()];
    const json after = json_of(store, change.object)[entity.c_str()];
    std::vector<std::string_view> names = change.object.attributes();
    const auto relationships = change.object.relationships();
    names.insert(names.end(), relationships.begin(), relationships.end());
    json changed = json::array();
    for (const std::string_view name : names) {
        const std::string key(name);
        if (before[key.c_str()].text() != after[key.c_str()].text()) {
            changed.append(json::of(name));
        }
    }
    return changed;
}

json or_null(const json &value) {
    return value ? value : json::null();
}

json json_of(const restway::store &store, const restway::conflict &conflict) {
    static const char *const kinds[] = {"", "attributes", "theyDeleted", "iDelete"};
    const restway::object theirs = conflict.theirs();
    const std::string entity(conflict.mine().entity());
    const json shown = theirs ? json_of(store, theirs) : json::null();
    const json mine = json_of(store, conflict.mine())[entity.c_str()];
    const json base = json_of(store, conflict.base())[entity.c_str()];
    json values = json::object();
    for (const std::string_view name : conflict.names()) {
        const std::string key(name);
        const json other = theirs ? shown[entity.c_str()][key.c_str()] : json::null();
        values.set(
            name, json::object()
                      .set("base", or_null(base[key.c_str()]))
                      .set("mine", or_null(mine[key.c_str()]))
                      .set("theirs", or_null(other)));
    }
    return json::object()
        .set("kind", json::of(std::string_view(kinds[conflict.kind()])))
        .set(entity, identity_of(conflict.mine()))
        .set("values", values)
        .set("theirs", shown);
}

json json_of(const restway::store &store, const restway::change &change) {
    static const char *const kinds[] = {"", "inserted", "updated", "deleted"};
    static const char *const sources[] = {"", "local", "server", "takenBack"};
    json told = json::object()
                    .set("kind", json::of(std::string_view(kinds[change.kind])))
                    .set(change.object.entity(), identity_of(change.object))
                    .set("source", json::of(std::string_view(sources[change.source])))
                    .set("pendingChanged", json::of(change.pending_changed));
    if (change.kind == RESTWAY_CHANGE_UPDATED) {
        told.set("changed", changed_names(store, change));
    }
    return told;
}

#include "calls.hpp"

#include "values.hpp"

#include <cctype>

namespace {

/** Makes the draft that `{"entity", "of", "set"}` describes. */
restway::draft draft_of(const restway::store &store, const json &description) {
    const std::string entity = description["entity"].string();
    const json identity = description["of"];
    restway::draft draft;
    if (identity) {
        const json reference =
            json::object().set("entity", description["entity"]).set("identity", identity);
        draft = store.draft(object_named(store, reference));
    } else {
        draft = store.draft(entity);
    }
    description["set"].each(
        [&](const char *name, const json &said) { draft.set(name, value_of(store, said)); });
    return draft;
}

/** Makes the request, which may be about an object or a draft. */
restway::request bare_request(const restway::store &store, const json &step) {
    const std::string method = step["method"].string();
    const bool is_by_name = step["path"] || step["route"];
    restway::request request;
    if (step["path"]) {
        request = restway::request::to(method, step["path"].string());
    } else if (step["route"] && method.empty()) {
        request = restway::request::route(step["route"].string());
    } else if (step["route"]) {
        request = restway::request::route(step["route"].string(), method);
    }
    if (step["object"]) {
        const restway::object object = object_named(store, step["object"]);
        return is_by_name ? request.subject(object) : restway::request::about(method, object);
    }
    if (step["draft"]) {
        const restway::draft draft = draft_of(store, step["draft"]);
        return is_by_name ? request.subject(draft) : restway::request::about(method, draft);
    }
    return request;
}

json headers_of(const restway::response &response) {
    json headers = json::object();
    for (const auto &[name, value] : response.headers()) {
        std::string lower(name);
        for (char &letter : lower) {
            letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
        }
        headers.set(lower, json::of(response.header(name)));
    }
    return headers;
}

} // namespace

restway::request request_of(const restway::store &store, const json &step) {
    restway::request request = bare_request(store, step);
    step["variables"].each(
        [&](const char *name, const json &said) { request.variable(name, value_of(store, said)); });
    step["parameters"].each([&](const char *name, const json &said) {
        request.parameter(name, value_of(store, said));
    });
    step["headers"].each([&](const char *name, const json &said) {
        if (json_is_null(said.get())) {
            request.header(name, std::nullopt);
        } else {
            request.header(name, said.string());
        }
    });
    if (step["text"]) {
        request.body(step["text"].string(), step["mediaType"].string());
    }
    if (step["optimistic"]) {
        request.optimistic(step["optimistic"].is_true());
    }
    if (step["lane"]) {
        request.lane(step["lane"].string());
    }
    return request;
}

json outcome_of_response(const restway::store &store, const restway::response &response) {
    json objects = json::array();
    json issues = json::array();
    json counts = json::array();
    for (const restway::object object : response.objects()) {
        objects.append(json_of(store, object));
    }
    for (const restway::mapping_issue &issue : response.issues()) {
        issues.append(json::of(issue.key_path));
    }
    for (const std::size_t count : response.result_sizes()) {
        counts.append(json::of(std::int64_t(count)));
    }
    const auto content = response.json();
    const auto attempts = restway_response_attempt_count(response.get());
    return json::object()
        .set("status", json::of(std::int64_t(RESTWAY_OK)))
        .set("http", json::of(std::int64_t(response.status())))
        .set("mapped", json::of(response.is_mapped()))
        .set("objects", objects)
        .set("issues", issues)
        .set("counts", counts)
        .set("headers", headers_of(response))
        .set("json", content ? json::parse(*content) : json::null())
        .set("text", json::of(response.body()))
        .set("attempts", json::of(std::int64_t(attempts)));
}

json outcome_of(const restway::store &store, const restway::error &failure) {
    const restway::response response = failure.response();
    json details = json::array();
    for (const restway::problem &problem : failure.problems()) {
        details.append(
            json::object().set("path", json::of(problem.path)).set("code", json::of(problem.code)));
    }
    const restway::conflict conflict = failure.conflict();
    const auto attempts = restway_error_attempt_count(failure.get());
    json outcome = response ? outcome_of_response(store, response) : json::object();
    return outcome.set("status", json::of(std::int64_t(failure.status())))
        .set("details", details)
        .set("field", json::of(failure.field()))
        .set("apiCode", json::of(failure.api_code()))
        .set("apiMessage", json::of(failure.api_message()))
        .set("retryable", json::of(failure.is_retryable()))
        .set("attempts", json::of(std::int64_t(attempts)))
        .set("conflict", conflict ? json_of(store, conflict) : json::null());
}

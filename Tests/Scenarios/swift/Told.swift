import Foundation
import Restway

/// Sends a request, and returns the result of its call.
func outcome(_ client: Client, _ request: Request) async -> JSON {
    do throws(RestwayError) {
        return told(.success(try await client.send(request)))
    } catch {
        return told(.failure(error))
    }
}

/// Returns the result of a call.
func told(_ result: Result<Response, RestwayError>) -> JSON {
    switch result {
    case .success(let response): .object(members(response))
    case .failure(let error): told(error)
    }
}

func told(_ error: RestwayError) -> JSON {
    var told: [String: JSON] = error.response.map(members) ?? [:]
    told["status"] = .string(error.kind.rawValue)
    told["details"] = .array(
        error.details.map { detail in
            ["path": .string(detail.path), "code": text(detail.code)]
        })
    told["field"] = text(error.field)
    told["apiCode"] = text(error.apiCode)
    told["apiMessage"] = text(error.apiMessage)
    told["retryable"] = .bool(error.isRetryable)
    told["attempts"] = JSON(error.attempts.count)
    told["conflict"] = (try? error.conflict.map(conflict)) ?? .null
    return .object(told)
}

private func members(_ response: Response) -> [String: JSON] {
    var headers: [String: JSON] = [:]
    for field in response.headers {
        let name = field.name.lowercased()
        headers[name] = text(response.headers[name])
    }
    return [
        "status": "OK",
        "http": JSON(response.status),
        "mapped": .bool(response.isMapped),
        "objects": .array(
            response.objects.map { object in [object.entity: (try? values(object)) ?? .null] }),
        "issues": .array(response.issues.map { .string($0.path) }),
        "counts": .array(response.results.map { JSON($0.count) }),
        "headers": .object(headers),
        "json": (try? response.json()) ?? .null,
        "text": .string(String(decoding: response.body, as: UTF8.self)),
        "attempts": JSON(response.attempts.count),
    ]
}

private func text(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }

/// Returns the values of an object by their names; a related object is its identity.
func values(_ object: Object) throws -> JSON {
    var values: [String: JSON] = [:]
    for name in object.attributeNames {
        if let value = object.value(name) { values[name] = json(value) }
    }
    for name in object.relationshipNames {
        switch try object.relationship(name) {
        case .unknown: break
        case .one(let other): values[name] = other.map(identity) ?? .null
        case .many(let others): values[name] = .array(others.map(identity))
        }
    }
    return .object(values)
}

/// Returns what an observer is told of one object.
func change(_ change: Change) throws -> JSON {
    var told: [String: JSON] = [
        "kind": .string(change.kind.rawValue), change.object.entity: identity(change.object),
        "source": .string(change.source.rawValue), "pendingChanged": .bool(change.pendingChanged),
    ]
    if let before = change.before, change.kind == .updated {
        let (old, new) = (try values(before), try values(change.object))
        let names = change.object.attributeNames + change.object.relationshipNames
        told["changed"] = .array(names.filter { old[$0] != new[$0] }.map(JSON.string))
    }
    return .object(told)
}

/// Returns a conflict with its three sides.
func conflict(_ conflict: Conflict) throws -> JSON {
    let (base, mine) = (try values(conflict.base), try values(conflict.mine))
    let theirs = try conflict.theirs.map(values)
    var shown: [String: JSON] = [:]
    for name in conflict.names {
        shown[name] = [
            "base": base[name] ?? .null, "mine": mine[name] ?? .null,
            "theirs": theirs?[name] ?? .null,
        ]
    }
    return [
        "kind": .string(conflict.kind.rawValue), conflict.mine.entity: identity(conflict.mine),
        "values": .object(shown),
        "theirs": theirs.map { [conflict.mine.entity: $0] } ?? .null,
    ]
}

func identity(_ object: Object) -> JSON {
    object.identity.map(json) ?? .null
}

private func json(_ identity: Object.Identity) -> JSON {
    switch identity {
    case .integer(let number): .integer(number)
    case .string(let text): .string(text)
    case .parts(let parts): .array(parts.map(json))
    }
}

/// Returns a value as JSON; a date is the number of its microseconds since 1970.
private func json(_ value: Object.Value) -> JSON {
    switch value {
    case .null: .null
    case .bool(let truth): .bool(truth)
    case .integer(let number): .integer(number)
    case .double(let number): .number(number)
    case .date(let date): .integer(Int64((date.timeIntervalSince1970 * 1_000_000).rounded()))
    case .string(let text): .string(text)
    case .bytes(let data): .string(data.base64EncodedString())
    case .json(let json): json
    case .list(let values): .array(values.map(json))
    case .map(let values): .object(values.mapValues(json))
    }
}

import Foundation
import Restway

/// Makes the request that a step describes.
func request(_ step: JSON, _ client: Client) throws -> Request {
    var request = Request(
        step["method"]?.string.map(Restway.Method.init(rawValue:)), try target(step, client))
    if case .object(let values)? = step["variables"] { request.variables = Values(values) }
    if case .array(let parameters)? = step["parameters"] {
        request.parameters = Values(
            parameters.map { ($0["name"]?.string ?? "", $0["value"] ?? .null) })
    }
    if case .object(let headers)? = step["headers"] {
        for (name, value) in headers {
            if let value = value.string {
                request.headers[name] = value
            } else {
                request.headers.omitted.insert(name)
            }
        }
    }
    if let text = step["text"]?.string, let mediaType = step["mediaType"]?.string {
        request.body = .text(text, mediaType: mediaType)
    }
    request.isOptimistic = step["optimistic"]?.bool
    request.lane = step["lane"]?.string
    return request
}

private func target(_ step: JSON, _ client: Client) throws -> Target {
    let named = step["path"]?.string.map(Target.path) ?? step["route"]?.string.map(Target.route)
    if let reference = step["object"] {
        let object = try object(reference, client)
        return named?.about(object) ?? .object(object)
    }
    if let description = step["draft"] {
        let draft = try draft(description, client)
        return named?.about(draft) ?? .draft(draft)
    }
    guard let named else { throw Driver.WrongStep(step) }
    return named
}

/// Finds the object of `{"entity", "identity"}`.
func object(_ reference: JSON, _ client: Client) throws -> Object {
    guard let entity = reference["entity"]?.string,
        let identity = reference["identity"].flatMap(identity),
        let found = try client.store.find(entity, identity)
    else { throw Driver.WrongStep(reference) }
    return found
}

/// Returns an identity, or a list of its parts.
private func identity(_ json: JSON) -> Object.Identity? {
    switch json {
    case .integer(let number): .integer(number)
    case .string(let text): .string(text)
    case .array(let parts): .parts(parts.compactMap(identity))
    default: nil
    }
}

/// Makes the draft that `{"entity", "of", "set"}` describes.
private func draft(_ description: JSON, _ client: Client) throws -> Draft {
    guard let entity = description["entity"], let name = entity.string else {
        throw Driver.WrongStep(description)
    }
    let draft: Draft
    if let identity = description["of"] {
        draft = try client.draft(
            of: object(["entity": entity, "identity": identity], client))
    } else {
        draft = try client.draft(name)
    }
    guard case .object(let values)? = description["set"] else { return draft }
    for (name, value) in values {
        if value == .null {
            try draft.setNull(name)
        } else if value["entity"] != nil {
            try draft.relate(name, to: [try object(value, client)])
        } else {
            try draft.set(name, to: attribute(value))
        }
    }
    return draft
}

/// Makes the choices that the members of a step describe.
func choose(_ step: JSON, _ conflict: Conflict, _ client: Client) throws {
    if let side = step["side"]?.string.flatMap(Conflict.Side.init) { try conflict.choose(side) }
    if case .object(let sides)? = step["sides"] {
        for (name, side) in sides {
            guard let side = side.string.flatMap(Conflict.Side.init) else {
                throw Driver.WrongStep(step)
            }
            try conflict.choose(side, for: name)
        }
    }
    guard case .object(let values)? = step["set"] else { return }
    for (name, value) in values { try conflict.choose(name, value: attribute(value)) }
}

private func attribute(_ value: JSON) -> Object.Value {
    switch value {
    case .null: .null
    case .bool(let truth): .bool(truth)
    case .integer(let number): .integer(number)
    case .number(let number): .double(number)
    case .string(let text): .string(text)
    case .array, .object: .json(value)
    }
}

import RestwayDocument
import RestwayHTTP
import RestwayMapping
package import RestwayObjects
package import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayText

/// Lets stored requests follow an object to which the server has given another identity.
extension Outbox {
    package func rename(
        _ entity: Entity, from old: Identity, to new: Identity, besides key: String?
    ) throws(Failure) {
        guard !journal.isEmpty else { return }
        let request = RenamedRequest(
            entity: entity, old: old, new: new, api: around.api.loaded,
            mappers: around.mappers)
        try journal.checked(
            journal.rename(
                ItemRenaming(
                    former: Lane(of: entity, old), lane: Lane(of: entity, new), answeredKey: key,
                    rewritten: request.rewritten)))
    }
}

/// The path and the body of a stored request in which an object gets another identity.
private struct RenamedRequest: Sendable {
    let entity: Entity
    let old: Identity
    let new: Identity
    let api: LoadedAPI
    let mappers: BodyMappers

    func rewritten(_ entry: OutboxEntry) -> (path: String, body: [UInt8]?)? {
        guard let method = Method(token: entry.method) else { return nil }
        let route = entry.origin.route.flatMap(api.definition.routes.route(key:))
        let path = path(entry, method, route)
        let body = (try? body(entry, method, route)) ?? nil
        return path == nil && body == nil ? nil : (path ?? entry.path, body ?? entry.body)
    }

    private func path(_ entry: OutboxEntry, _ method: Method, _ route: Route?) -> String? {
        guard !URLText.isAbsolute(entry.path) else { return nil }
        let hasSlash = entry.path.utf8.first == UInt8(ascii: "/")
        let path = String(Substring(entry.path.utf8.dropFirst(hasSlash ? 1 : 0)))
        let renamed = api.targets(method, path, route).path(renaming: entity, from: old, to: new)
        return renamed.map { (hasSlash ? "/" : "") + $0 }
    }

    /// Returns the body of a request about an object; `nil` if it does not hold the identity. A
    /// body that the program wrote itself stays as it is.
    private func body(
        _ entry: OutboxEntry, _ method: Method, _ route: Route?
    ) throws(MapperError) -> [UInt8]? {
        guard let body = entry.body, let name = entry.origin.entity,
            let own = api.definition.mapping(named: name),
            let type = Headers(entry.headers)[first: "Content-Type"],
            let mapper = mappers.find(route?.key, type)
        else { return nil }
        let path = entry.path.utf8.drop { $0 == UInt8(ascii: "/") }
        let descriptor = api.requestDescriptor(
            method: method, entity: own.entity, route: route, path: String(Substring(path)))
        let replacement = IdentityReplacement(
            of: entity, from: old, to: new, mappings: api.definition.entityMappings)
        return try replacement.applied(
            to: body, descriptor?.mapping ?? own,
            keyPath: descriptor?.keyPath ?? own.usualKeyPath, mapper)
    }
}

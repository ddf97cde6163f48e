import RestwayCalls
import RestwayDocument
package import RestwayOutcome
package import RestwayRequests
import RestwayRouting
import RestwayText

/// Finds the client of a request by the name of its route.
///
/// - Parameter Member: The program's reference to a client. The last such reference closes its
///   client, so that this type keeps the reference itself instead of the client.
package struct RoutingClient<Member: Sendable>: Sendable {
    private let standard: Member?
    private var members: [String: Member] = [:]

    /// - Parameter standard: The client of all requests whose route has no client.
    package init(standard: Member?) {
        self.standard = standard
    }

    package mutating func add(_ member: Member, forRoute name: String) throws(Failure) {
        guard members[name] == nil else {
            throw Failure(.duplicate, "route \"\(name)\" has a client", field: name)
        }
        members[name] = member
    }

    package func member(for request: RequestSpec) throws(Failure) -> Member {
        let name = request.target.routeName
        if let name, let member = members[name] { return member }
        if let standard { return standard }
        let known = members.keys.sorted()
        let list = known.isEmpty ? "none" : known.joined(separator: ", ")
        let rest = "there is no default client; routes with a client: \(list)"
        guard let name else {
            throw Failure(.unknownRoute, "the request names no route, and \(rest)")
        }
        let hint = NearestName.hint(for: name, in: known)
        throw Failure(
            .unknownRoute, "route \"\(name)\" has no client, and \(rest)\(hint)", field: name)
    }
}

extension RequestSpec.Target {
    /// The name of the route that a program has chosen; `nil` if the library finds the route.
    fileprivate var routeName: String? {
        switch self {
        case .route(let name, _): name
        case .routed(_, _, let route): route
        case .link(_, let origin): origin.routeName
        case .path, .subject: nil
        }
    }
}

/// Routes of a client.
extension Client {
    /// Fails unless the API document of the client has a route with this name.
    package func requireRoute(named name: String) throws(Failure) {
        _ = try calls.api.loaded.definition.routes.existing(name)
    }
}

import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRouting
import RestwayText

/// Finds the URL and the route of a request.
struct DestinationChoice {
    typealias Destination = RequestPreparation.Destination

    let lookup: VariableLookup

    private var api: LoadedAPI { lookup.api }
    private var baseURL: BaseURL { lookup.context.environment.baseURL }

    func destination(of spec: RequestSpec) throws -> Destination {
        switch spec.target {
        case .path(let method, let text):
            return try destination(method, text, nil)
        case .routed(let method, let text, let name):
            let route = try api.definition.routes.existing(name)
            let method = try api.definition.routes.method(method, of: route)
            var destination = try destination(method, text, route)
            destination.givenVariables = lookup.values(of: route)
            return destination
        case .route(let name, let requested):
            let route = try api.definition.routes.existing(name)
            let method = try api.definition.routes.method(requested, of: route)
            return try expand(route, method)
        case .subject(let method):
            guard let subject = lookup.subject else {
                throw Failure(.invalidArgument, "the request is about no object", field: "object")
            }
            let route = try api.route(for: subject.entity, method: method)
            return try expand(route, method)
        case .link(let url, let origin):
            var first = spec
            first.target = origin
            return try destination(of: first).linked(to: url, in: lookup.context.environment)
        }
    }

    /// Returns the destination of a request to a path or a URL.
    ///
    /// - Parameter route: The route that handles the request; `nil` if no route was named.
    private func destination(
        _ method: Method, _ text: String, _ route: Route?
    ) throws -> Destination {
        let isLiteral = Self.isLiteral(text)
        // A literal text has no colon.
        let isTemplate = !isLiteral && !URLText.isAbsolute(text)
        let path = try lookup.expand(path: text, isTemplate: isTemplate, handledBy: route)
        if !isLiteral, !isTemplate { return try absolute(method, text, route) }
        return Destination(
            method: method, url: try baseURL.url(path: path), path: path, route: route)
    }

    private func expand(_ route: Route, _ method: Method) throws -> Destination {
        guard route.isAbsolute else {
            let path = try lookup.expand(route)
            return Destination(
                method: method, url: try baseURL.url(path: path),
                path: path, route: route)
        }
        let text = try lookup.expand(route)
        guard URLText.isAbsolute(text) else {
            return Destination(
                method: method, url: try baseURL.url(path: text),
                path: text, route: route)
        }
        let url = try URLText.normalizedAbsolute(text)
        return Destination(
            method: method, url: url, path: baseURL.relativePath(of: url), route: route)
    }

    /// Whether `text` has no character that is special in a template.
    private static func isLiteral(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            for byte in bytes {
                switch byte {
                case UInt8(ascii: ":"), UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "\\"),
                    0..<0x20, 0x7F:
                    return false
                default: break
                }
            }
            return true
        }
    }

    /// Accepts an absolute URL in place of a path if it leads below the base URL, as a link from
    /// the API does. A URL elsewhere is allowed only for a route.
    private func absolute(
        _ method: Method, _ text: String, _ route: Route?
    ) throws -> Destination {
        let url = try URLText.normalizedAbsolute(text)
        let path = baseURL.relativePath(of: url)
        guard path != nil || route != nil else {
            throw RoutingError.invalidURL(
                URLText.withoutQuery(text),
                reason: "it is not below \(baseURL.text), and only a request that also names a "
                    + "route leads elsewhere (restway_request_set_route; in Python, route=)")
        }
        var destination = Destination(method: method, url: url, path: path, route: route)
        destination.isGivenURL = route != nil
        return destination
    }
}

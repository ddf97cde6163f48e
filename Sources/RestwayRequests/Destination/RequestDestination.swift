import RestwayDocument
import RestwayMapping
package import RestwayObjects
import RestwayOutcome
package import RestwayRouting
import RestwayText

/// Where a request goes: the first of the three steps in which a request is prepared.
package struct RequestDestination: Sendable {
    package var method: Method
    package var url: String
    /// The path; `nil` for a URL that is not below the base URL.
    package var path: String?
    package var route: Route?
    /// Whether the headers and the credential of the environment may go to the URL.
    package var isTrusted: Bool
    /// Whether the URL is used as it was given, and the route only handles it.
    package var isGivenURL = false
    /// The request before the redirects that have led elsewhere, at which the next attempt starts;
    /// `nil` without such redirects. Their targets may be good for one attempt only (RFC 9110,
    /// section 15.4.8).
    package var beforeRedirects: PreparedRequest?
    /// Whether the redirects since `beforeRedirects` allow the answer behind them to be kept.
    package var redirects = FollowedRedirects()
    /// The values of the route's variables, for a path in which they do not stand.
    package var givenVariables: [String: String] = [:]

    /// Makes the destination of a request below the base URL or, without a path, of a request that
    /// gets nothing of the environment.
    package init(method: Method, url: String, path: String?, route: Route?) {
        self.method = method
        self.url = url
        self.path = path
        self.route = route
        isTrusted = path != nil
    }

    package var descriptorChoice: DescriptorChoice { DescriptorChoice(route: route, path: path) }

    /// Returns the variables of the path. The objects of the answer remember those that are not
    /// attributes of the objects.
    ///
    /// - Parameter template: The template of the descriptors, for a request without a route.
    package func variables(_ template: PathTemplate?) -> RouteVariables? {
        guard let template = route?.template ?? template, template.hasPathVariables else {
            return nil
        }
        let values = path.flatMap { template.values(in: $0) } ?? givenVariables
        return values.isEmpty ? nil : RouteVariables(values)
    }

    /// Returns the same destination for the URL that an answer from there has named. The URL may be
    /// at the origin of that request, or at an origin that the environment trusts. So neither a
    /// credential nor a header of the program goes anywhere where it was not sent before.
    fileprivate func linked(
        to url: String, in environment: Environment
    ) throws(RoutingError) -> RequestDestination {
        let target = try Origin(url: url)
        let first = try Origin(url: self.url)
        guard target == first || environment.trusts(target) else {
            throw RoutingError.invalidURL(
                URLText.withoutQuery(url),
                reason: "the answer leads from \(first) to another origin, which is not in "
                    + "trustedOrigins")
        }
        var destination = self
        destination.url = url
        destination.path = environment.baseURL.relativePath(of: url)
        return destination
    }
}

extension RequestPreparation {
    /// The first step: finds the URL, the route and the path, and says whether the URL is trusted.
    /// The parameters of the query are added with the content.
    ///
    /// - Parameter subject: The object or the draft whose attributes fill the path.
    func destination(
        of spec: RequestSpec, about subject: EncodingSubject?
    ) throws -> RequestDestination {
        let lookup = VariableLookup(
            context: context, api: api, identities: identities, own: spec.variables,
            scope: spec.scopeVariables, subject: subject)
        var destination = try DestinationChoice(lookup: lookup).destination(of: spec)
        destination.isTrusted =
            try destination.path != nil || environment.trusts(Origin(url: destination.url))
        return destination
    }
}

/// Finds the URL and the route of a request.
private struct DestinationChoice {
    let lookup: VariableLookup

    private var api: LoadedAPI { lookup.api }
    private var baseURL: BaseURL { lookup.context.environment.baseURL }

    func destination(of spec: RequestSpec) throws -> RequestDestination {
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
    ) throws -> RequestDestination {
        let isLiteral = Self.isLiteral(text)
        // A literal text has no colon.
        let isTemplate = !isLiteral && !URLText.isAbsolute(text)
        let path = try lookup.expand(path: text, isTemplate: isTemplate, handledBy: route)
        if !isLiteral, !isTemplate { return try absolute(method, text, route) }
        return RequestDestination(
            method: method, url: try baseURL.url(path: path), path: path, route: route)
    }

    private func expand(_ route: Route, _ method: Method) throws -> RequestDestination {
        guard route.isAbsolute else {
            let path = try lookup.expand(route)
            return RequestDestination(
                method: method, url: try baseURL.url(path: path),
                path: path, route: route)
        }
        let text = try lookup.expand(route)
        guard URLText.isAbsolute(text) else {
            return RequestDestination(
                method: method, url: try baseURL.url(path: text),
                path: text, route: route)
        }
        let url = try URLText.normalizedAbsolute(text)
        return RequestDestination(
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
    ) throws -> RequestDestination {
        let url = try URLText.normalizedAbsolute(text)
        let path = baseURL.relativePath(of: url)
        guard path != nil || route != nil else {
            throw RoutingError.invalidURL(
                URLText.withoutQuery(text),
                reason: "it is not below \(baseURL.text), and only a request that also names a "
                    + "route leads elsewhere (restway_request_set_route; in Python, route=)")
        }
        var destination = RequestDestination(method: method, url: url, path: path, route: route)
        destination.isGivenURL = route != nil
        return destination
    }
}

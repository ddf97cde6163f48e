/// Decides which candidates with a path template apply to a request. Candidates are descriptors of
/// responses and requests, routes, and the objects that a DELETE removes. This is the only
/// implementation of the rule.
///
/// A request by route takes the candidates that belong to the route, and the candidates that belong
/// to no route and have the template of the route. A request by path takes the candidates that
/// match the path with the most specific template. A candidate without a template always applies.
package struct DescriptorChoice: Sendable {
    /// The route that the caller or the object router chose; nil for a request by path.
    private let route: Route?
    /// The path relative to the base URL; nil for a URL outside it.
    private let path: String?

    package init(route: Route?, path: String?) {
        self.route = route
        self.path = path
    }

    /// The key of the route; nil for a request by path.
    package var routeKey: String? { route?.key }

    /// Whether a candidate with `template` may apply. A candidate with a more specific template may
    /// still replace it.
    ///
    /// - Parameter owner: The key of the route that the candidate belongs to; nil if it belongs to
    ///   no route.
    package func fits(_ template: PathTemplate?, of owner: String?) -> Bool {
        if let route {
            if let owner { return owner == route.key }
            return template?.isEquivalent(to: route.template) ?? true
        }
        guard let template else { return owner == nil }
        return path.map { template.matches($0) } ?? false
    }

    /// The candidates that no more specific candidate replaces. All `candidates` must fit.
    package func mostSpecific<Candidate>(
        _ candidates: [Candidate], _ template: (Candidate) -> PathTemplate?
    ) -> [Candidate] {
        route == nil ? Self.mostSpecific(candidates, template) : candidates
    }

    /// The candidates, except candidates whose template is less specific than another candidate's
    /// template.
    static func mostSpecific<Candidate>(
        _ candidates: [Candidate], _ template: (Candidate) -> PathTemplate?
    ) -> [Candidate] {
        guard candidates.count > 1 else { return candidates }
        // The most specific templates so far, each once.
        var leaders: [PathTemplate] = []
        for case let template? in candidates.lazy.map(template) {
            let relations = leaders.map { template.precedence(over: $0) }
            if relations.contains(.same) || relations.contains(.lessSpecific) { continue }
            leaders = zip(leaders, relations).filter { $1 != .moreSpecific }.map(\.0)
            leaders.append(template)
        }
        return candidates.filter { candidate in
            guard let template = template(candidate) else { return true }
            return leaders.contains { $0.isEquivalent(to: template) }
        }
    }
}

extension DescriptorChoice: Equatable {
    package static func == (left: DescriptorChoice, right: DescriptorChoice) -> Bool {
        left.route === right.route && left.path == right.path
    }
}

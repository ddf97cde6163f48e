package import RestwayMapping
import RestwayObjects
import RestwayRouting

/// The descriptors and defaults of a document, which apply to requests by their route, or by their
/// method and path.
package struct PathRules: Sendable {
    /// The settings of routes by the keys of the routes.
    var routeSettings: [String: RouteSettings] = [:]
    /// The descriptors of routes. They come before the descriptors of `responses`, and results have
    /// this order.
    private var routeResponses: [ResponseDescriptor] = []
    private var responses: [ResponseDescriptor] = []
    /// The essences of all response descriptors. Each may occur only once.
    private var essences: Set<ResponseDescriptor.Essence> = []
    package var requestDefaults: [RequestDefaults] = []
    /// The request descriptors of routes. They come before the descriptors of `requests`.
    private var routeRequests: [RequestDescriptor] = []
    private var requests: [RequestDescriptor] = []
    /// The routes and descriptors whose templates may match the same paths as others without being
    /// more or less specific.
    private var claims: [TemplateClaim] = []

    var responseDescriptors: [ResponseDescriptor] { routeResponses + responses }
    package var requestDescriptors: [RequestDescriptor] { routeRequests + requests }

    /// Adds a response descriptor, or reports that it equals an earlier one.
    package mutating func add(_ descriptor: ResponseDescriptor, at node: DocumentNode) {
        node.problems.step()
        guard essences.insert(descriptor.essence).inserted else {
            node.problems.reportDuplicate(
                node.path, "an equal response descriptor stands before this one")
            return
        }
        if descriptor.routeKey == nil {
            responses.append(descriptor)
        } else {
            routeResponses.append(descriptor)
        }
        if let claim = TemplateClaim(descriptor, node.path) { add(claim, node.problems) }
    }

    package mutating func add(_ descriptor: RequestDescriptor, at node: DocumentNode) {
        if descriptor.routeKey == nil {
            requests.append(descriptor)
        } else {
            routeRequests.append(descriptor)
        }
        if let claim = TemplateClaim(descriptor, node.path) { add(claim, node.problems) }
    }

    package mutating func add(_ claim: TemplateClaim, _ problems: DocumentProblems) {
        problems.step()
        // Of any two other templates, one is always more specific.
        if claim.template.mayBeUndecided { claims.append(claim) }
    }

    /// Replaces the mapping of an entity with a newer one wherever it is used.
    package mutating func replace(_ mapping: EntityMapping) {
        func newer(_ descriptor: ResponseDescriptor) -> ResponseDescriptor {
            descriptor.mapping.entity.index == mapping.entity.index
                ? descriptor.with(mapping) : descriptor
        }
        func newer(_ descriptor: RequestDescriptor) -> RequestDescriptor {
            var descriptor = descriptor
            if descriptor.mapping.entity.index == mapping.entity.index {
                descriptor.mapping = mapping
            }
            return descriptor
        }
        routeResponses = routeResponses.map(newer)
        responses = responses.map(newer)
        routeRequests = routeRequests.map(newer)
        requests = requests.map(newer)
    }

    /// Removes everything that belongs to the route with this key.
    mutating func removeRoute(_ key: String) {
        routeSettings[key] = nil
        routeResponses.removeAll { $0.routeKey == key }
        essences = Set(responseDescriptors.map(\.essence))
        routeRequests.removeAll { $0.routeKey == key }
        claims.removeAll { $0.routeKey == key }
    }

    /// Reports templates that match the same paths although neither is more specific.
    func reportUndecidedTemplates(_ problems: DocumentProblems) {
        let undecided = UndecidedTemplates(claims.map(\.template)) { earlier, later in
            claims[earlier].isRival(of: claims[later])
        }
        problems.step(undecided.comparisonCount)
        for pair in undecided.pairs {
            let (earlier, later) = (claims[pair.earlier], claims[pair.later])
            problems.report(
                later.path,
                "\(later.name) with path \"\(later.template.text)\" and \(earlier.name) with path "
                    + "\"\(earlier.template.text)\" match the same paths, and neither path is more "
                    + "specific")
        }
        if let unchecked = undecided.unchecked {
            problems.report(
                claims[unchecked].path,
                "too many paths mix text and variables in the same segment to compare them all; "
                    + "at most \(UndecidedTemplates.comparisonsPerTemplate) comparisons are made "
                    + "for each path")
        }
    }
}

package import RestwayMapping
import RestwayObjects
import RestwayRouting

/// The descriptors and defaults of a document, which apply to requests by their route, or by their
/// method and path.
package struct PathRules: Sendable {
    /// The settings of routes by the keys of the routes.
    var routeSettings: [String: RouteSettings] = [:]
    /// The settings of requests without a route.
    var usualSettings = RouteSettings.none
    private var responses = OrderedDescriptors<ResponseDescriptor>()
    /// The places of all response descriptors by their essences. Each essence may occur only once.
    private var essences: [ResponseDescriptor.Essence: DocumentPlace] = [:]
    package var requestDefaults: [RequestDefaults] = []
    /// How nested values become fields, unless a route says otherwise.
    package var forms = FormRules()
    private var requests = OrderedDescriptors<RequestDescriptor>()
    /// The routes and descriptors whose templates may match the same paths as other templates
    /// without being more or less specific.
    private var claims: [TemplateClaim] = []

    /// The descriptors of routes, and behind them the descriptors of `responses`. Results have this
    /// order.
    package var responseDescriptors: [ResponseDescriptor] { responses.all }
    /// The request descriptors of routes, and behind them the descriptors of `requests`.
    package var requestDescriptors: [RequestDescriptor] { requests.all }

    /// Makes room for the settings of more routes, with a descriptor of each kind for each, and for
    /// more descriptors. Otherwise all of them would be moved, and hashed again, whenever their
    /// number doubles.
    mutating func reserveCapacity(routes: Int, responses: Int, requests: Int) {
        routeSettings.reserveCapacity(routeSettings.count + routes)
        essences.reserveCapacity(essences.count + routes + responses)
        self.responses.reserveCapacity(routes + responses)
        self.requests.reserveCapacity(routes + requests)
    }

    /// Adds a response descriptor, or reports that it equals an earlier descriptor.
    mutating func add(_ descriptor: ResponseDescriptor, at node: DocumentNode) {
        node.problems.step()
        let essence = descriptor.essence
        if let earlier = essences[essence] {
            node.problems.reportDuplicate(
                node.place,
                "applies to the same answers as \(earlier.text), with the same entity and keyPath: "
                    + "remove one of the two; routes with one path share an entry of \"responses\" "
                    + "that has this path")
            return
        }
        essences[essence] = node.place
        responses.add(descriptor, isOfRoute: descriptor.routeKey != nil)
        add(.response(descriptor), at: node)
    }

    mutating func add(_ descriptor: RequestDescriptor, at node: DocumentNode) {
        requests.add(descriptor, isOfRoute: descriptor.routeKey != nil)
        add(.request(descriptor), at: node)
    }

    /// Remembers a route or a descriptor for the comparison of templates.
    mutating func add(_ owner: TemplateClaim.Owner, at node: DocumentNode) {
        // A descriptor without a template claims no path.
        guard let template = owner.template else { return }
        node.problems.step()
        // If two other templates match the same path, one template is always more specific.
        guard template.mayBeUndecided else { return }
        claims.append(TemplateClaim(owner: owner, template: template, place: node.place))
    }

    /// Replaces the mapping of an entity with a newer one wherever it is used.
    mutating func replace(_ mapping: EntityMapping) {
        let entity = mapping.entity.index
        responses.update { descriptor in
            if descriptor.mapping.entity.index == entity { descriptor = descriptor.with(mapping) }
        }
        requests.update { descriptor in
            if descriptor.mapping.entity.index == entity { descriptor.mapping = mapping }
        }
    }

    /// Removes everything that belongs to the route with this key.
    mutating func removeRoute(_ key: String) {
        routeSettings[key] = nil
        responses.removeAllOfRoutes { $0.routeKey == key }
        let left = Set(responseDescriptors.map(\.essence))
        essences = essences.filter { left.contains($0.key) }
        requests.removeAllOfRoutes { $0.routeKey == key }
        claims.removeAll { $0.owner.routeKey == key }
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
                later.place,
                "\(later.title) and \(earlier.title) match the same paths, and neither path is "
                    + "more specific")
        }
        if let unchecked = undecided.unchecked {
            problems.report(
                claims[unchecked].place,
                "too many paths mix text and variables in the same segment to compare them all; "
                    + "at most \(UndecidedTemplates.comparisonsPerTemplate) comparisons are made "
                    + "for each path")
        }
    }
}

/// Descriptors in the order in which they apply: the descriptors of routes come first.
private struct OrderedDescriptors<Descriptor: Sendable>: Sendable {
    private(set) var all: [Descriptor] = []
    /// The number of descriptors of routes, after which the other descriptors stand.
    private var ofRoutesCount = 0

    mutating func reserveCapacity(_ count: Int) {
        all.reserveCapacity(all.count + count)
    }

    mutating func add(_ descriptor: Descriptor, isOfRoute: Bool) {
        guard isOfRoute else { return all.append(descriptor) }
        all.insert(descriptor, at: ofRoutesCount)
        ofRoutesCount += 1
    }

    mutating func update(_ change: (inout Descriptor) -> Void) {
        for index in all.indices { change(&all[index]) }
    }

    /// Removes descriptors of routes.
    mutating func removeAllOfRoutes(where isUnwanted: (Descriptor) -> Bool) {
        let others = all[ofRoutesCount...]
        let left = all[..<ofRoutesCount].filter { !isUnwanted($0) }
        ofRoutesCount = left.count
        all = left + others
    }
}

/// A route or a descriptor that applies to the paths that match its template.
struct TemplateClaim: Sendable {
    enum Owner: Sendable {
        case route(Route)
        case response(ResponseDescriptor)
        case request(RequestDescriptor)
    }

    let owner: Owner
    let template: PathTemplate
    /// The place in the document.
    let place: DocumentPlace

    /// The owner and the path, for messages.
    var title: String { "\(owner.name) with path \"\(template.text)\"" }

    /// Whether both may apply to one request. Descriptors of two routes are not compared, because
    /// the routes themselves are.
    func isRival(of other: TemplateClaim) -> Bool {
        switch (owner, other.owner) {
        case (.route(let route), .route(let other)):
            return !MethodSet(route.methods).isDisjoint(with: MethodSet(other.methods))
        case (.response(let descriptor), .response(let other)):
            return !descriptor.methodSet.isDisjoint(with: other.methodSet)
                && descriptor.statuses.overlaps(other.statuses)
                && (descriptor.routeKey == nil || other.routeKey == nil)
        case (.request(let descriptor), .request(let other)):
            return !descriptor.methodSet.isDisjoint(with: other.methodSet)
                && descriptor.mapping.entity.index == other.mapping.entity.index
                && (descriptor.routeKey == nil || other.routeKey == nil)
        case (.route, _), (.response, _), (.request, _):
            return false
        }
    }
}

extension TemplateClaim.Owner {
    var template: PathTemplate? {
        switch self {
        case .route(let route): route.template
        case .response(let descriptor): descriptor.template
        case .request(let descriptor): descriptor.template
        }
    }

    /// The key of the route itself, or of the route that the descriptor belongs to.
    var routeKey: String? {
        switch self {
        case .route(let route): route.key
        case .response(let descriptor): descriptor.routeKey
        case .request(let descriptor): descriptor.routeKey
        }
    }

    /// The name that messages use.
    var name: String {
        switch self {
        case .route(let route):
            "route \"\(route.displayName)\""
        case .response(let descriptor):
            descriptor.valueConversion == nil
                ? "the response descriptor for objects of \(descriptor.mapping.entity.name)"
                : "the response descriptor for a value"
        case .request(let descriptor):
            "the request descriptor for objects of \(descriptor.mapping.entity.name)"
        }
    }
}

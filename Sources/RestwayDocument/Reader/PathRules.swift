package import RestwayMapping
import RestwayObjects
import RestwayRouting

/// The descriptors and defaults of a document, which apply to requests by their route, or by their
/// method and path.
package struct PathRules: Sendable {
    /// The settings of routes by the keys of the routes.
    var routeSettings: [String: RouteSettings] = [:]
    private var responses = OrderedDescriptors<ResponseDescriptor>()
    /// The essences of all response descriptors. Each essence may occur only once.
    private var essences: Set<ResponseDescriptor.Essence> = []
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

    /// Makes room for the settings of more routes, with a response descriptor for each, and for
    /// more response descriptors. Otherwise all of them would be hashed again whenever their number
    /// doubles.
    mutating func reserveCapacity(routes: Int, responses: Int) {
        routeSettings.reserveCapacity(routeSettings.count + routes)
        essences.reserveCapacity(essences.count + routes + responses)
    }

    /// Adds a response descriptor, or reports that it equals an earlier descriptor.
    mutating func add(_ descriptor: ResponseDescriptor, at node: DocumentNode) {
        node.problems.step()
        guard essences.insert(descriptor.essence).inserted else {
            node.problems.reportDuplicate(
                node.path, "an equal response descriptor stands before this one")
            return
        }
        responses.add(descriptor, isOfRoute: descriptor.routeKey != nil)
        if let claim = TemplateClaim(descriptor, node.path) { add(claim, node.problems) }
    }

    mutating func add(_ descriptor: RequestDescriptor, at node: DocumentNode) {
        requests.add(descriptor, isOfRoute: descriptor.routeKey != nil)
        if let claim = TemplateClaim(descriptor, node.path) { add(claim, node.problems) }
    }

    mutating func add(_ claim: TemplateClaim, _ problems: DocumentProblems) {
        problems.step()
        // If two other templates match the same path, one template is always more specific.
        if claim.template.mayBeUndecided { claims.append(claim) }
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
        essences = Set(responseDescriptors.map(\.essence))
        requests.removeAllOfRoutes { $0.routeKey == key }
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

/// Descriptors in the order in which they apply: the descriptors of routes come first.
private struct OrderedDescriptors<Descriptor: Sendable>: Sendable {
    private(set) var all: [Descriptor] = []
    /// The number of descriptors of routes, after which the other descriptors stand.
    private var ofRoutesCount = 0

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
    enum Kind: Sendable {
        case route
        case response(StatusRange)
        case request(entityIndex: Int)
    }

    let kind: Kind
    let methods: MethodSet
    let template: PathTemplate
    /// The key of the route itself, or of the route that the descriptor belongs to.
    let routeKey: String?
    /// The place in the document.
    let path: String
    /// The name that messages use.
    let name: String

    /// Whether both may apply to one request. Descriptors of two routes are not compared, because
    /// the routes themselves are.
    func isRival(of other: TemplateClaim) -> Bool {
        guard !methods.isDisjoint(with: other.methods) else { return false }
        switch (kind, other.kind) {
        case (.route, .route):
            return true
        case (.response(let statuses), .response(let others)):
            return statuses.overlaps(others) && (routeKey == nil || other.routeKey == nil)
        case (.request(let entity), .request(let otherEntity)):
            return entity == otherEntity && (routeKey == nil || other.routeKey == nil)
        case (.route, _), (.response, _), (.request, _):
            return false
        }
    }
}

extension TemplateClaim {
    init(_ route: Route, _ path: String) {
        self.init(
            kind: .route, methods: MethodSet(route.methods), template: route.template,
            routeKey: route.key, path: path, name: "route \"\(route.displayName)\"")
    }

    /// A descriptor without a template claims no path.
    init?(_ descriptor: ResponseDescriptor, _ path: String) {
        guard let template = descriptor.template else { return nil }
        self.init(
            kind: .response(descriptor.statuses), methods: descriptor.methodSet,
            template: template, routeKey: descriptor.routeKey, path: path,
            name: "the response descriptor for objects of \(descriptor.mapping.entity.name)")
    }

    init?(_ descriptor: RequestDescriptor, _ path: String) {
        guard let template = descriptor.template else { return nil }
        self.init(
            kind: .request(entityIndex: descriptor.mapping.entity.index),
            methods: descriptor.methodSet, template: template, routeKey: descriptor.routeKey,
            path: path,
            name: "the request descriptor for objects of \(descriptor.mapping.entity.name)")
    }
}

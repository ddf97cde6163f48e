package import RestwayMapping
import RestwayObjects
package import RestwayRouting

/// A route or a descriptor that applies to the paths that match its template.
struct TemplateClaim: Sendable {
    package enum Kind: Sendable {
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

extension DocumentReader {
    package mutating func claim(_ route: Route, _ path: String) {
        claim(
            TemplateClaim(
                kind: .route, methods: MethodSet(route.methods), template: route.template,
                routeKey: route.key, path: path, name: "route \"\(route.displayName)\""))
    }

    package mutating func claim(_ descriptor: ResponseDescriptor, _ path: String) {
        guard let template = descriptor.template else { return }
        claim(
            TemplateClaim(
                kind: .response(descriptor.statuses), methods: descriptor.methodSet,
                template: template, routeKey: descriptor.routeKey, path: path,
                name: "the response descriptor for objects of "
                    + descriptor.mapping.entity.name))
    }

    package mutating func claim(_ descriptor: RequestDescriptor, _ path: String) {
        guard let template = descriptor.template else { return }
        claim(
            TemplateClaim(
                kind: .request(entityIndex: descriptor.mapping.entity.index),
                methods: descriptor.methodSet, template: template, routeKey: descriptor.routeKey,
                path: path,
                name: "the request descriptor for objects of " + descriptor.mapping.entity.name))
    }

    private mutating func claim(_ claim: TemplateClaim) {
        problems.step()
        // Of any two other templates, one is always more specific.
        if claim.template.mayBeUndecided { definition.templateClaims.append(claim) }
    }

    /// Reports templates that match the same paths although neither is more specific.
    func reportUndecidedTemplates() {
        let claims = definition.templateClaims
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

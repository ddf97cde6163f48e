package import RestwayMapping
package import RestwayObjects
package import RestwayRouting
import RestwayText
import RestwayThreads
import Synchronization

/// A definition that no longer changes, and data derived from it once. Calls share it.
package final class LoadedAPI: Sendable {
    private static let lastVersion = Atomic<UInt64>(0)

    /// A number that no other loaded definition of this process has.
    package let version = LoadedAPI.lastVersion.add(1, ordering: .relaxed).newValue
    package let definition: APIDefinition
    /// Whether checking, parsing or mapping a response may call functions of the program.
    package let mayAskWhileMapping: Bool
    /// The indices of the descriptors that belong to a route, by the keys of the routes. A document
    /// may have a thousand routes, and each answer looks for its descriptors.
    private let ownedDescriptors: [String: [Int]]
    /// The indices of the descriptors that belong to no route.
    private let freeDescriptors: [Int]
    private let allDescriptors: [Int]
    /// Whether a route says something about the response cache.
    private let hasCacheRules: Bool
    /// Whether a route is about a relationship.
    private let hasRelationships: Bool
    /// Whether the answers of a route may rename objects.
    private let hasRenames: Bool
    /// The plans by the indices of their descriptors. There is one plan for each kind of response.
    private let plans = Lock<[[Int]: MappingPlan]>([:])

    package init(_ definition: APIDefinition) {
        self.definition = definition
        mayAskWhileMapping = definition.functions.mayRunWhileMapping
        var (owned, free): ([String: [Int]], [Int]) = ([:], [])
        for (index, descriptor) in definition.descriptors.enumerated() {
            if let key = descriptor.routeKey {
                owned[key, default: []].append(index)
            } else {
                free.append(index)
            }
        }
        (ownedDescriptors, freeDescriptors) = (owned, free)
        allDescriptors = Array(definition.descriptors.indices)
        hasRelationships = definition.descriptors.contains { $0.relationship != nil }
        hasCacheRules = definition.rules.routeSettings.values.contains { $0.cache != CacheRules() }
        hasRenames = definition.rules.routeSettings.values.contains { $0.answers.renames }
    }

    /// Returns the plan of all descriptors that apply to an answer with `status`; `nil` if no
    /// descriptor applies.
    ///
    /// - Parameters:
    ///   - event: The name of the event of an event stream; `nil` for a whole body.
    ///   - mediaType: The `Content-Type` of the answer; `nil` if it has none.
    package func plan(
        method: Method, status: Int, _ choice: DescriptorChoice, event: String? = nil,
        mediaType: String?
    ) -> MappingPlan? {
        let descriptors = definition.descriptors
        let fitting = candidates(choice).filter {
            descriptors[$0].fits(method: method, status: status, choice, event: event)
        }
        let indices = mostSpecific(fitting, choice, mediaType)
        guard !indices.isEmpty else { return nil }
        return plans.withLock { plans in
            if let plan = plans[indices] { return plan }
            let plan = MappingPlan(
                indices.map { descriptors[$0] }, entities: definition.entityMappings,
                transforms: definition.functions.transforms, included: definition.included)
            plans[indices] = plan
            return plan
        }
    }

    /// Returns the descriptors for the media type of an answer that no more specific descriptor
    /// replaces.
    private func mostSpecific(
        _ fitting: [Int], _ choice: DescriptorChoice, _ mediaType: String?
    ) -> [Int] {
        let descriptors = definition.descriptors
        guard fitting.contains(where: { !descriptors[$0].mediaTypes.isEmpty }) else {
            return choice.mostSpecific(fitting) { descriptors[$0].template }
        }
        let type = mediaType.map(MediaRange.init)
        let ranks = fitting.map { (index: $0, rank: descriptors[$0].rank(of: type)) }
        let named = ranks.filter { $0.rank != nil }
        let left = choice.mostSpecific(named) { descriptors[$0.index].template }
        let best = left.compactMap(\.rank).max()
        return left.filter { $0.rank == 0 || $0.rank == best }.map(\.index)
    }

    /// Returns the indices of the descriptors that may apply, in the order of the document.
    private func candidates(_ choice: DescriptorChoice) -> [Int] {
        guard let key = choice.routeKey else { return allDescriptors }
        guard let owned = ownedDescriptors[key] else { return freeDescriptors }
        return freeDescriptors.isEmpty ? owned : (owned + freeDescriptors).sorted()
    }

    /// Whether a descriptor may apply to a successful answer.
    package func maps(_ method: Method, _ choice: DescriptorChoice) -> Bool {
        candidates(choice).contains { index in
            let descriptor = definition.descriptors[index]
            return descriptor.statuses.overlaps(.success)
                && descriptor.methodSet.contains(method)
                && choice.fits(descriptor.template, of: descriptor.routeKey)
        }
    }

    /// Returns the descriptors that may apply to the body of a successful answer.
    package func successDescriptors(
        _ method: Method, _ choice: DescriptorChoice
    ) -> [ResponseDescriptor] {
        candidates(choice).map { definition.descriptors[$0] }.filter {
            $0.event == nil && $0.statuses.overlaps(.success) && $0.methodSet.contains(method)
                && choice.fits($0.template, of: $0.routeKey)
        }
    }

    /// Returns the name of the relationship whose links a request reads or changes; `nil` if the
    /// request is about something else.
    package func relationship(_ method: Method, _ choice: DescriptorChoice) -> String? {
        guard hasRelationships else { return nil }
        return choice.mostSpecific(successDescriptors(method, choice), \.template)
            .lazy.compactMap(\.relationship).first
    }

    /// Returns the descriptor that writes objects of `entity`: the route's own descriptor or, if
    /// the route has no descriptor, the first of the most specific descriptors.
    package func requestDescriptor(
        method: Method, entity: Entity, route: Route?, path: String?
    ) -> RequestDescriptor? {
        let choice = DescriptorChoice(route: route, path: path)
        let all = definition.rules.requestDescriptors.filter {
            $0.fits(method: method, entity: entity, choice)
        }
        let best = choice.mostSpecific(all, \.template)
        guard !entity.isBase else { return best.first }
        // The own descriptor of a route comes first, and then the one of the nearest entity.
        let owned = route == nil ? [] : best.filter { $0.routeKey != nil }
        return (owned.isEmpty ? best : owned).reduce(nil) { (nearest: RequestDescriptor?, next) in
            guard let nearest else { return next }
            return next.mapping.entity.depth > nearest.mapping.entity.depth ? next : nearest
        }
    }

    /// Returns the route whose answers may rename the object of a request; `nil` if they may not.
    ///
    /// - Parameter route: The route of the request; `nil` for a request by path, which takes the
    ///   first route that matches the path with the most specific template and says so.
    package func routeOfRenames(_ method: Method, _ path: String?, _ route: Route?) -> Route? {
        guard hasRenames else { return nil }
        if let route { return definition.settings(of: route).answers.renames ? route : nil }
        guard let path else { return nil }
        return definition.routes.routes(method: method, path: path)
            .first { definition.settings(of: $0).answers.renames }
    }

    /// Returns the first route that matches `path` with the most specific template and says
    /// something about the response cache; `nil` if no route does.
    package func routeOfCache(_ method: Method, _ path: String) -> Route? {
        guard hasCacheRules else { return nil }
        return definition.routes.routes(method: method, path: path)
            .first { definition.settings(of: $0).cache != CacheRules() }
    }

    /// Returns the route by which objects of `entity` are sent: a route of the entity or, if it has
    /// none for the method, of the nearest entity that it extends.
    package func route(for entity: Entity, method: Method) throws(RoutingError) -> Route {
        var names = [entity.name]
        var number = entity.family.members[entity.shape.number].base
        while let base = number {
            names.append(entity.family.members[base].name)
            number = entity.family.members[base].base
        }
        var found: RoutingError?
        for name in names {
            do throws(RoutingError) {
                return try definition.routes.route(forEntity: name, method: method)
            } catch {
                guard case .noRouteForObject = error else { throw error }
                found = found ?? error
            }
        }
        throw found ?? .noRouteForObject(entity: entity.name, method: method)
    }
}

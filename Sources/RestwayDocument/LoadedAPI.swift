package import RestwayMapping
package import RestwayObjects
package import RestwayRouting
import RestwayThreads

/// A definition that no longer changes, and data derived from it once. Calls share it.
package final class LoadedAPI: Sendable {
    package let definition: APIDefinition
    /// Whether checking, parsing or mapping a response may call functions of the program.
    package let mayAskWhileMapping: Bool
    /// The plans by the indices of their descriptors. There is one plan for each kind of response.
    private let plans = Lock<[[Int]: MappingPlan]>([:])

    package init(_ definition: APIDefinition) {
        self.definition = definition
        mayAskWhileMapping = definition.functions.mayRunWhileMapping
    }

    /// Returns the plan of all descriptors that apply to an answer with `status`; `nil` if no
    /// descriptor applies.
    ///
    /// - Parameter event: The name of the event of an event stream; `nil` for a whole body.
    package func plan(
        method: Method, status: Int, _ choice: DescriptorChoice, event: String? = nil
    ) -> MappingPlan? {
        let descriptors = definition.descriptors
        let fitting = descriptors.indices.filter {
            descriptors[$0].fits(method: method, status: status, choice, event: event)
        }
        guard !fitting.isEmpty else { return nil }
        let indices = choice.mostSpecific(fitting) { descriptors[$0].template }
        return plans.withLock { plans in
            if let plan = plans[indices] { return plan }
            let plan = MappingPlan(
                indices.map { descriptors[$0] }, entities: definition.entityMappings,
                transforms: definition.functions.transforms)
            plans[indices] = plan
            return plan
        }
    }

    /// Whether a descriptor applies, so that there is something to map.
    package func hasPlan(method: Method, status: Int, _ choice: DescriptorChoice) -> Bool {
        definition.descriptors.contains { $0.fits(method: method, status: status, choice) }
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
        return choice.mostSpecific(all, \.template).first
    }
}

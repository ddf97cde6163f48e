package import RestwayMapping
package import RestwayObjects
package import RestwayRouting
import RestwayThreads

/// A definition that no longer changes, and data derived from it once. Calls share it.
package final class LoadedAPI: Sendable {
    package let definition: APIDefinition
    /// The descriptors, in the order of results.
    package let descriptors: [ResponseDescriptor]
    /// The plans by the indices of their descriptors. There is one for each kind of response.
    private let plans = Lock<[[Int]: MappingPlan]>([:])
    /// The plans with a single descriptor, by the index of that descriptor.
    private let plansOfOne: Lock<[MappingPlan?]>

    package init(_ definition: APIDefinition) {
        self.definition = definition
        descriptors = definition.descriptors
        plansOfOne = Lock(Array(repeating: nil, count: descriptors.count))
    }

    /// Returns the plan of all descriptors that apply to an answer with `status`; `nil` if none
    /// applies.
    package func plan(method: Method, status: Int, _ choice: DescriptorChoice) -> MappingPlan? {
        // Usually a single descriptor applies, and then no list of indices is needed.
        guard let first = next(from: 0, method, status, choice) else { return nil }
        guard var other = next(from: first + 1, method, status, choice) else {
            return plan(only: first)
        }
        var indices = [first, other]
        while let another = next(from: other + 1, method, status, choice) {
            indices.append(another)
            other = another
        }
        return plan(choice.mostSpecific(indices) { descriptors[$0].template })
    }

    /// Whether a descriptor applies, so that there is something to map.
    package func hasPlan(method: Method, status: Int, _ choice: DescriptorChoice) -> Bool {
        next(from: 0, method, status, choice) != nil
    }

    /// Returns the first descriptor from `index` on that applies, unless a more specific one
    /// applies.
    private func next(
        from index: Int, _ method: Method, _ status: Int, _ choice: DescriptorChoice
    ) -> Int? {
        // The pointer avoids a copy of each descriptor.
        descriptors.withUnsafeBufferPointer { descriptors in
            guard let first = descriptors.baseAddress else { return nil }
            for index in index..<descriptors.count {
                let isFit = (first + index).pointee.fits(method: method, status: status, choice)
                if isFit { return index }
            }
            return nil
        }
    }

    private func plan(only index: Int) -> MappingPlan {
        if let plan = plansOfOne.withLock({ $0[index] }) { return plan }
        let plan = plan([index])
        plansOfOne.withLock { $0[index] = plan }
        return plan
    }

    private func plan(_ indices: [Int]) -> MappingPlan {
        plans.withLock { plans in
            if let plan = plans[indices] { return plan }
            let plan = MappingPlan(
                indices.map { descriptors[$0] }, entities: definition.entityMappings,
                transforms: definition.functions.transforms)
            plans[indices] = plan
            return plan
        }
    }

    /// Returns the descriptor that writes objects of `entity`: the route's own one or, if it has
    /// none, the first of the most specific ones.
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

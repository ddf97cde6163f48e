import RestwayMapping
import RestwayObjects
import RestwayRouting
import RestwaySupport

/// A definition that no longer changes, and what is worked out from it once. Calls share it.
final class LoadedAPI: Sendable {
    let definition: APIDefinition
    /// In the order of results.
    let descriptors: [ResponseDescriptor]
    /// By the indices of their descriptors. There are as many as there are kinds of responses.
    private let plans = Lock<[[Int]: MappingPlan]>([:])
    /// Those of one descriptor once more, by its index.
    private let plansOfOne: Lock<[MappingPlan?]>

    init(_ definition: APIDefinition) {
        self.definition = definition
        descriptors = definition.descriptors
        plansOfOne = Lock(Array(repeating: nil, count: descriptors.count))
    }

    /// The plan of all descriptors that apply to an answer with `status`; `nil` when none does.
    func plan(for request: PreparedRequest, status: Int) -> MappingPlan? {
        // Most often it is one alone, and then no list of them has to be made.
        guard let first = next(from: 0, request, status) else { return nil }
        guard var other = next(from: first + 1, request, status) else { return plan(only: first) }
        var indices = [first, other]
        while let another = next(from: other + 1, request, status) {
            indices.append(another)
            other = another
        }
        return plan(indices)
    }

    /// Whether there is one: anything to be mapped.
    func hasPlan(method: Method, path: String?, routeName: String?, status: Int) -> Bool {
        descriptors.withUnsafeBufferPointer { descriptors in
            descriptors.contains {
                $0.matches(method: method, path: path, status: status, routeName: routeName)
            }
        }
    }

    /// The first descriptor from `index` on that applies.
    private func next(from index: Int, _ request: PreparedRequest, _ status: Int) -> Int? {
        // Through a pointer: taken out of the array, or of a buffer, each would be copied.
        descriptors.withUnsafeBufferPointer { descriptors in
            guard let first = descriptors.baseAddress else { return nil }
            for index in index..<descriptors.count {
                let isMatch = (first + index).pointee.matches(
                    method: request.method, path: request.path, status: status,
                    routeName: request.routeName)
                if isMatch { return index }
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
                transforms: definition.transforms)
            plans[indices] = plan
            return plan
        }
    }

    /// The descriptor that writes objects of `entity`: the route's own first.
    func requestDescriptor(
        method: Method, path: String?, entity: Entity, routeName: String?
    ) -> RequestDescriptor? {
        let all = definition.allRequestDescriptors.filter {
            $0.matches(method: method, path: path, entity: entity, routeName: routeName)
        }
        return all.first { routeName != nil && $0.routeName == routeName } ?? all.first
    }
}

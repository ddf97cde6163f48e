package import RestwayObjects

/// The rows of one response, before any store has taken them.
package struct MappingResult: Sendable {
    /// The results of one descriptor.
    package struct Part: Sendable, Equatable {
        /// The index of the descriptor in its plan.
        package let descriptor: Int
        /// The row indices of the elements that yielded an object, in order.
        package var rows: [Int]
    }

    package var changeSet: ChangeSet
    /// The parts, one for each descriptor of the plan, in order of registration.
    package var parts: [Part]
    /// The first 100 issues.
    package var issues: [MappingIssue]
    package var issueCount: Int

    /// Moves the rows out, so that they are not copied.
    package mutating func takeChangeSet() -> ChangeSet {
        var taken = ChangeSet()
        swap(&taken, &changeSet)
        return taken
    }

    /// The objects of the response after `commit`, grouped by descriptor.
    package func objects(
        of commit: Commit
    ) -> (objects: [Snapshot], ranges: [Range<Int>]) {
        if parts.count == 1, parts[0].rows.count == commit.objects.count {
            return (commit.objects, [commit.objects.indices])
        }
        var objects: [Snapshot] = []
        var ranges: [Range<Int>] = []
        for part in parts {
            let start = objects.count
            objects += part.rows.map { commit.objects[$0] }
            ranges.append(start..<objects.count)
        }
        return (objects, ranges)
    }
}

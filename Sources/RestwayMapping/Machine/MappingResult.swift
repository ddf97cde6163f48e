package import RestwayObjects

/// What one response was mapped to; no store has seen it yet.
package struct MappingResult: Sendable {
    /// What one descriptor found.
    package struct Part: Sendable, Equatable {
        /// Index of the descriptor in its plan.
        package let descriptor: Int
        /// For each element that yielded an object, in order, the index of its row.
        package var rows: [Int]
    }

    package var changeSet: ChangeSet
    /// One for each descriptor of the plan, in order of registration.
    package var parts: [Part]
    /// The first 100.
    package var issues: [MappingIssue]
    package var issueCount: Int

    /// The rows, which are not copied then.
    package mutating func takeChangeSet() -> ChangeSet {
        var taken = ChangeSet()
        swap(&taken, &changeSet)
        return taken
    }

    /// The objects of the response after `commit`, and which of them came from which descriptor.
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

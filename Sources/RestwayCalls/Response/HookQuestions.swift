import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome

extension MappingPlan {
    /// Lets the hooks of the descriptors add to the rows, one after the other.
    ///
    /// - Parameter hasEnded: Whether nobody waits for the rows any more.
    func askHooks(
        _ hooks: [String: Hook], _ result: inout MappingResult, unless hasEnded: () -> Bool
    ) throws(Failure) {
        guard hasHooks else { return }
        let rows = MappedRows(result)
        for (index, descriptor) in descriptors.enumerated() {
            guard let name = descriptor.hook, let hook = hooks[name] else { continue }
            guard !hasEnded() else { throw Failure(.cancelled, "cancelled while mapping") }
            rows.begin(result: index)
            do throws(Failure) {
                try hook(rows)
            } catch {
                var failure = error
                failure.domain = .mapping
                failure.isOfProgram = true
                failure.message = "hook \"\(name)\": \(error.message)"
                throw failure
            }
        }
        result.changeSet.rows = rows.finish()
    }
}

import RestwayDocument
import RestwayMapping
import RestwayObjects
import RestwayOutcome
import RestwayRequests
import RestwayRouting
import RestwayStore

/// Answers whose body is kept: they are mapped at most once, and leave the store as it is if it
/// has taken them before.
extension ResponseProcessor {
    /// Returns what decides how the body of an answer is mapped; `nil` if nothing remembers what it
    /// was mapped to, or if the answer also changes the objects that the request has sent.
    func mappingKey(_ answer: Answer) -> CachedMappings.Key? {
        guard answer.mappings != nil, request.submission == nil, request.deletions.isEmpty else {
            return nil
        }
        return CachedMappings.Key(
            version: call.api.version, method: request.method, status: answer.status,
            choice: request.descriptorChoice, mapper: request.dataMapper,
            store: context.store.identity)
    }

    /// Returns what a body was mapped to before; `nil` if it has to be mapped.
    ///
    /// An answer that the server has just validated is as new as the newest values, so it is
    /// committed again if the store may have other values by now.
    func known(_ answer: Answer, _ key: CachedMappings.Key?) -> CachedMappings.Mapped? {
        guard let key, let known = answer.mappings?.mapped(for: key) else { return nil }
        let isCurrent = !answer.isValidated || known.changeCount == context.store.changeCount
        return isCurrent ? known : nil
    }

    /// Returns the objects that the store has now. Nothing is decoded, committed or asked of hooks
    /// and transforms again.
    func recall(
        _ known: CachedMappings.Mapped, _ mapped: inout MappedAnswer
    ) throws(Failure) {
        mapped.isMapped = true
        mapped.parsed = known.parsed
        mapped.beginsWithValue = known.manner.plan.beginsWithValue
        mapped.bodyIsJSON = known.bodyIsJSON
        mapped.issues = known.issues
        mapped.issueCount = known.issueCount
        for (index, keys) in known.keys.enumerated() {
            let entities = known.manner.plan.entities(of: index)
            let objects = try context.store.newest(anyOf: entities, storeKeys: keys)
            let start = mapped.objects.count
            // Most answers have one list, which need not be copied.
            if start == 0 { mapped.objects = objects } else { mapped.objects += objects }
            mapped.results.append(start..<mapped.objects.count)
        }
    }

    /// Whether the store has taken the answer before, so that its values are not newer than those
    /// of the store.
    func hasStored(_ answer: Answer, _ manner: CachedMappings.Manner?) -> Bool {
        guard let mappings = answer.mappings, let manner else { return false }
        return !answer.isValidated && mappings.isCommitted(in: manner)
    }

    /// Remembers what a body was mapped to, after the store has taken it.
    ///
    /// - Parameter hasUnkept: Whether it was also mapped to objects that no store keeps.
    func remember(
        _ mapped: MappedAnswer, _ manner: CachedMappings.Manner?, _ commit: Commit, hasUnkept: Bool
    ) {
        guard let mappings = mapped.answer.mappings, let manner else { return }
        mappings.store(
            CachedMappings.Mapped(
                manner, mapped, changeCount: commit.changeCount, hasUnkept: hasUnkept))
    }
}

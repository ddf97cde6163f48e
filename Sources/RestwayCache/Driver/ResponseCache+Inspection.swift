import RestwayDocument
package import RestwayOutcome
package import RestwayRequests
import RestwayRouting
import RestwayThreads
import RestwayText

// The functions with which a program inspects the cache and removes entries.
extension ResponseCache {
    /// The problems with the storage; empty if the storage works.
    package var problem: String { troubles.text }

    /// Says whether there is an answer to a request, how old it is, and how fresh. Nothing is
    /// counted. It may wait for the file.
    package func peek(_ request: PreparedRequest) -> CacheNote {
        let plan =
            request.sending.caching
            ?? CachePlan(
                rules: CacheRules(), mode: .only, route: nil, discriminator: owner.discriminator,
                holder: nil)
        let question = CacheQuestion(request, plan)
        let now = options.clock.wallMicroseconds()
        let variants = lookUp(question.label, now: now).0
        let asking = question.withCookies(options.cookies).request.with(.only)
        let reuse = Reuse.decide(
            asking, variants?.heads ?? [], now: now, usesHeuristics: definition.usesHeuristics)
        switch reuse {
        case .serve(_, let age, _, _), .notModified(_, let age):
            return CacheNote(
                age.isFresh ? .hit : .stale, ageSeconds: age.age, lifetimeSeconds: age.lifetime,
                isStale: !age.isFresh)
        case .validate, .complete, .send, .nothing: return CacheNote(.missing)
        }
    }

    /// It may wait for the file.
    package var statistics: CacheStatistics {
        var statistics = CacheStatistics()
        statistics.counts = counters.counts
        statistics.counts.failures = troubles.count
        let (evicted, removed) = memory.withLock { memory in
            memory.settleAll()
            statistics.holdings.memoryEntries = Int64(memory.count)
            statistics.holdings.memoryBytes = memory.bytes
            return (memory.evicted, memory.removed)
        }
        if let file {
            let holdings = file.holdings()
            statistics.holdings.entries = holdings?.entries ?? 0
            statistics.holdings.bytes = holdings?.bytes ?? 0
        } else {
            statistics.holdings.entries = statistics.holdings.memoryEntries
            statistics.holdings.bytes = statistics.holdings.memoryBytes
            statistics.counts.evicted = evicted
            statistics.counts.invalidated = removed
        }
        return statistics
    }

    /// Lists entries, the newest answer first. It waits for the file.
    ///
    /// - Parameter limit: The most entries; 0 for no limit.
    package func list(_ filter: CacheFilter, limit: Int) throws(Failure) -> [CacheEntry] {
        let removal = try removal(filter)
        let now = options.clock.wallMicroseconds()
        guard let file, let writer else {
            let answers = memory.withLock { memory in
                memory.settleAll()
                return memory.answers.filter(removal.matches)
            }
            let sorted = answers.sorted { $0.head.responseTime > $1.head.responseTime }
            return sorted.prefix(limit == 0 ? .max : limit).map { entry($0, $0.bytes, now: now) }
        }
        writer.finish()
        guard let entries = file.list(removal, limit: limit) else {
            throw Failure(.io, troubles.text, domain: .cache)
        }
        return entries.map { entry($0.answer, $0.bytes, now: now) }
    }

    /// Removes entries. It waits for the file.
    ///
    /// - Returns: The number of removed entries.
    package func remove(_ filter: CacheFilter) throws(Failure) -> Int64 {
        let removal = try removal(filter)
        guard let writer else {
            return memory.withLock { memory in
                memory.settleAll()
                let before = memory.count
                _ = memory.remove(removal)
                memory.settleAll()
                return Int64(before - memory.count)
            }
        }
        let count = RemovedCount(nil)
        remove(removal, count: count)
        writer.finish()
        guard let removed = count.withLock({ $0 }) else {
            throw Failure(.io, troubles.text, domain: .cache)
        }
        return removed
    }

    package func refused(_ request: PreparedRequest) {
        guard let plan = request.sending.caching else { return }
        remove(Removal(url: CacheQuestion(request, plan).label.url))
    }

    private func entry(_ answer: KeptAnswer, _ bytes: Int64, now: Int64) -> CacheEntry {
        let age = answer.head.age(now: now, usesHeuristics: definition.usesHeuristics)
        return CacheEntry(
            key: String(answer.id, radix: 36), method: answer.label.method,
            url: answer.label.url, route: answer.label.route,
            discriminator: OwnerText.discriminator(of: answer.label.owner),
            status: answer.head.status, ageSeconds: age.age, lifetimeSeconds: age.lifetime,
            isStale: !age.isFresh, bytes: bytes)
    }

    private func removal(_ filter: CacheFilter) throws(Failure) -> Removal {
        var removal = Removal()
        // No entry has the id -1.
        removal.id = filter.key.map { Int64($0, radix: 36) ?? -1 }
        if let url = filter.url {
            guard let absolute = try? URLText.normalizedAbsolute(url) else {
                throw Failure(
                    .invalidURL,
                    "filter.url \"\(URLText.withoutQuery(url))\" is no absolute http or https URL",
                    field: "filter.url")
            }
            removal.url = CacheKey.target(absolute)
        }
        removal.route = filter.route
        removal.owner = filter.discriminator.map {
            $0.isEmpty
                ? OwnerText.undiscriminated : OwnerText.text(discriminator: $0, holder: nil)
        }
        if let seconds = filter.ageSecondsMin, seconds > 0 {
            let (age, isTooMuch) = seconds.multipliedReportingOverflow(by: 1_000_000)
            removal.before = options.clock.wallMicroseconds() - (isTooMuch ? .max / 2 : age)
        }
        return removal
    }
}

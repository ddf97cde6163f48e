import RestwayCalls
import RestwayDocument
import RestwayHTTP
import RestwayOutcome
import RestwayText
import RestwayThreads
import Synchronization

/// An exchange that the cache knows of.
final class ExchangeTicket: CacheTicket {
    private let cache: ResponseCache
    private let question: CacheQuestion
    /// The entries that there were when the cache was asked.
    private let variants: Variants?
    private let version: CacheMemory.Version
    private let forward: Reuse.Forward
    let conditions: [HeaderField]
    /// The index of the entry that is validated or completed.
    private let asked: Int?
    /// That entry with its body.
    private let held: HeldAnswer?
    private let sentAt: Atomic<Int64>
    /// The cookies that the client had for the request; `nil` if they are not known.
    private let cookies: String?

    init(
        _ cache: ResponseCache, _ question: CacheQuestion, _ variants: Variants?,
        _ version: CacheMemory.Version, _ forward: Reuse.Forward, conditions: [HeaderField],
        asked: Int?, held: HeldAnswer?
    ) {
        self.cache = cache
        self.question = question
        cookies =
            question.knowsCookies ? cache.options.cookies?(question.request.url) : nil
        self.variants = variants
        self.version = version
        self.forward = forward
        self.conditions = conditions
        self.asked = asked
        self.held = held
        sentAt = Atomic(cache.options.clock.wallMicroseconds())
    }

    private var request: CacheRequest { question.request }
    private var usesHeuristics: Bool { cache.definition.usesHeuristics }

    /// Requests share an exchange only if they have all header fields in common.
    var flightKey: FlightKey? {
        guard request.isAnswerable, !request.passesBy, question.wantsBytes else { return nil }
        var headers = request.headers
        if let cookies, !cookies.isEmpty {
            headers.fields.append(HeaderField(name: Selecting.cookie, value: cookies))
        }
        // Requests behind redirects wait for requests to the same URL.
        let place = request.isBehindRedirect ? " \(request.url)" : ""
        return FlightKey(
            name: question.label.name + place, method: request.method, mode: request.mode,
            headers: headers, removal: version.removal)
    }

    /// Returns the request with the cookies with which it was sent, if the answer varies. The
    /// cookies are unknown if the client has other cookies now than when the cache was asked.
    private func requestAsSent(for answer: Headers) -> CacheRequest {
        guard question.knowsCookies, answer.joined("Vary") != nil else { return request }
        let areSame = cookies != nil && cache.options.cookies?(request.url) == cookies
        return request.adding(cookies: areSame ? cookies : nil)
    }

    /// Notes when a request that has been answered already was sent.
    func noteSent(at time: Int64) { sentAt.store(time, ordering: .relaxed) }

    func noteSent() {
        sentAt.store(cache.options.clock.wallMicroseconds(), ordering: .relaxed)
    }

    // MARK: Answers

    func answered(_ answer: Answer) -> Answer {
        let now = cache.options.clock.wallMicroseconds()
        let length = answer.saved?.length ?? Int64(answer.body.count)
        let request = requestAsSent(for: answer.headers)
        let head = StoredHead(
            answering: request, status: answer.status,
            httpVersion: Int(answer.httpVersion?.rawValue ?? 11), headers: answer.headers,
            url: answer.url, requestTime: sentAt.load(ordering: .relaxed), responseTime: now,
            bodyLength: length)
        cache.observed(head, question, cause: ObjectIdentifier(self))
        let keeping = Keeping.decide(
            request, head, variants?.heads ?? [], asked: asked, usesHeuristics: usesHeuristics)
        var taken = take(answer, head, keeping, now: now)
        taken.isShareable = head.isShareable(with: request)
        return taken
    }

    private func take(
        _ answer: Answer, _ head: StoredHead, _ keeping: Keeping, now: Int64
    ) -> Answer {
        switch keeping {
        case .keep(let head, let replaced):
            let ids = replaced.compactMap { variants?.answers[$0].id }
            return keep(answer, head, replacing: ids, now: now)
        case .freshen(let index, let newer):
            guard let kept = variants?.answers[index].freshened(newer) else { break }
            store(kept, replacing: [], now: now)
            // A 304 to a condition of the program is the program's.
            guard answer.status == 304, !request.hasOwnCondition, let held = body(index, kept)
            else { break }
            return validated(held, answer, now: now)
        case .combine(let index, let newer, let prefix):
            guard let held, index == asked, answer.saved == nil else { break }
            return combine(answer, newer, held, prefix: prefix, now: now)
        case .invalidate(let index):
            if let id = variants?.answers[index].id {
                cache.remove(Removal(id: id), cause: ObjectIdentifier(self))
            }
        case .pass:
            // The server says that what was validated still holds.
            if answer.status == 304, let held { return validated(held, answer, now: now) }
            // The kept part does not belong to what the server has now.
            if forward == .partial, let asked, let id = variants?.answers[asked].id {
                cache.remove(Removal(id: id), cause: ObjectIdentifier(self))
            }
        }
        return passed(answer, head, .passed, mappings: nil, now: now)
    }

    /// Returns an entry that got a newer head, with its body.
    ///
    /// - Parameter isPart: Whether the bytes are needed, wherever the body of the answer goes.
    private func body(_ index: Int, _ kept: KeptAnswer, isPart: Bool = false) -> HeldAnswer? {
        if index == asked, let held {
            return HeldAnswer(answer: kept, body: held.body, file: held.file)
        }
        return cache.hold(kept, question, mayRead: true, isPart: isPart)
    }

    private func validated(
        _ held: HeldAnswer, _ answer: Answer, now: Int64
    ) -> Answer {
        cache.counters.validations.add(1, ordering: .relaxed)
        var status = CacheStatus(forward: forward)
        status.forwardStatus = answer.status
        let age = held.answer.head.age(now: now, usesHeuristics: usesHeuristics)
        return held.answer(to: question, .validated, age, status)
    }

    /// Returns an answer of the server with what the cache says about it.
    private func passed(
        _ answer: Answer, _ head: StoredHead, _ state: CacheNote.State,
        mappings: CachedMappings?, now: Int64
    ) -> Answer {
        var status = CacheStatus(forward: forward)
        status.isStored = state == .stored
        var passed = answer
        let age = head.age(now: now, usesHeuristics: usesHeuristics)
        if status.isStored { status.secondsToLive = age.lifetime - age.age }
        status.add(to: &passed.headers)
        passed.cache =
            status.isStored
            ? CacheNote(
                state, ageSeconds: age.age, lifetimeSeconds: age.lifetime, isStale: !age.isFresh)
            : CacheNote(state)
        passed.mappings = mappings
        return passed
    }

    // MARK: Keeping

    private func keep(
        _ answer: Answer, _ head: StoredHead, replacing ids: [Int64], now: Int64
    ) -> Answer {
        if let saved = answer.saved {
            let isKept =
                cache.file == nil
                ? keepInMemory(saved, head, replacing: ids, now: now)
                : copy(saved, head, replacing: ids, now: now)
            return passed(answer, head, isKept ? .stored : .passed, mappings: nil, now: now)
        }
        let kept = made(head, answer.body)
        let isKept = isSmallEnough(kept.bytes) && store(kept, replacing: ids, now: now)
        return passed(
            answer, head, isKept ? .stored : .passed, mappings: isKept ? kept.mappings : nil,
            now: now)
    }

    /// Keeps the body of a download in a cache that has no file.
    private func keepInMemory(
        _ saved: SavedBody, _ head: StoredHead, replacing ids: [Int64], now: Int64
    ) -> Bool {
        guard isSmallEnough(saved.length), let descriptor = saved.content?.number else {
            return false
        }
        var bytes = [UInt8](repeating: 0, count: Int(saved.length))
        let count = bytes.withUnsafeMutableBytes { SystemCall.readAll(descriptor, $0) }
        guard count == bytes.count else { return false }
        let kept = made(head, Body(bytes))
        return isSmallEnough(kept.bytes) && store(kept, replacing: ids, now: now)
    }

    private func made(_ head: StoredHead, _ body: Body) -> KeptAnswer {
        let id = cache.newID()
        return KeptAnswer(
            id: id, label: question.label, head: head, body: .bytes(body),
            mappings: cache.file?.mappings(of: id) ?? CachedMappings())
    }

    /// An entry takes at most half of the room.
    private func isSmallEnough(_ bytes: Int64) -> Bool {
        let definition = cache.definition
        return bytes <= (cache.file == nil ? definition.memoryBytesMax : definition.bytesMax) / 2
    }

    @discardableResult
    private func store(_ kept: KeptAnswer, replacing ids: [Int64], now: Int64) -> Bool {
        let cause = ObjectIdentifier(self)
        let isKept = cache.memory.withLock {
            $0.store(
                kept, replacing: ids, since: version, hadVariants: variants != nil, cause: cause,
                now: now)
        }
        guard isKept else { return false }
        cache.counters.stored.add(1, ordering: .relaxed)
        cache.writer?.submit(.store(kept, replacing: ids, since: version.change))
        return true
    }

    /// Copies the body of a download into the folder of the cache. The call waits for that, so that
    /// the next request finds the body.
    private func copy(
        _ saved: SavedBody, _ head: StoredHead, replacing ids: [Int64], now: Int64
    ) -> Bool {
        guard isSmallEnough(saved.length), let descriptor = saved.content?.number,
            let file = cache.file, let bodies = file.bodies
        else { return false }
        let kept = made(head, Body())
        let cause = ObjectIdentifier(self)
        guard cache.memory.withLock({ $0.mayKeep(kept, since: version, cause: cause) }) else {
            return false
        }
        do throws(BodyFileError) {
            let name = BodyFolder.newName(for: kept.id)
            guard let body = try bodies.copy(name, from: descriptor, length: saved.length) else {
                return false
            }
            let copied = kept.with(.file(body))
            let isKept =
                isSmallEnough(copied.bytes) && store(copied, replacing: ids, now: now)
            if !isKept { bodies.remove(body.name) }
            return isKept
        } catch {
            file.troubles.note(CacheTrouble(error))
            file.troubles.writeLog()
            return false
        }
    }

    /// Joins the part that was asked for with the part that is kept.
    private func combine(
        _ answer: Answer, _ head: StoredHead, _ held: HeldAnswer, prefix: Int64,
        now: Int64
    ) -> Answer {
        var bytes: [UInt8] = []
        held.body.withBytes { bytes.append(contentsOf: $0.prefix(Int(prefix))) }
        answer.body.withBytes { bytes.append(contentsOf: $0) }
        let kept = made(head, Body(bytes))
        store(kept, replacing: [held.answer.id], now: now)
        var status = CacheStatus(forward: forward)
        status.forwardStatus = answer.status
        status.isStored = true
        let age = head.age(now: now, usesHeuristics: usesHeuristics)
        // The program may have asked for this very part.
        guard request.headers[first: "Range"] == nil else {
            return passed(answer, head, .stored, mappings: nil, now: now)
        }
        return HeldAnswer(answer: kept, body: Body(bytes), file: nil)
            .answer(to: question, .stored, age, status)
    }

    // MARK: Other ends

    func shared(_ answer: Answer) -> Answer {
        cache.counters.shared.add(1, ordering: .relaxed)
        var status = CacheStatus(forward: forward)
        status.isCollapsed = true
        var headers = answer.headers
        status.add(to: &headers)
        return answer.shared(with: headers)
    }

    func failed(_ failure: Failure) -> Answer? {
        let standIn = failure.reason.traits.standIn
        switch standIn {
        case .offline, .onError: break
        case .byStatus: guard Reuse.isServerFailure(failure.httpStatus) else { return nil }
        case .never: return nil
        }
        let now = cache.options.clock.wallMicroseconds()
        for (index, head) in (variants?.heads ?? []).enumerated()
        where Reuse.mayStandIn(
            head, for: request, isOffline: standIn == .offline, now: now,
            usesHeuristics: usesHeuristics)
        {
            let part = head.part(for: request)
            guard let answer = variants?.answers[index],
                let held = body(index, answer, isPart: part != nil)
            else { continue }
            let age = head.age(now: now, usesHeuristics: usesHeuristics)
            cache.counters.staleHits.add(1, ordering: .relaxed)
            var status = CacheStatus(forward: forward)
            if failure.httpStatus != 0 { status.forwardStatus = failure.httpStatus }
            return held.answer(to: question, .stale, age, status, part: part)
        }
        return nil
    }
}

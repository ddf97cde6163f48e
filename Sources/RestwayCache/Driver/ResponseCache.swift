package import RestwayCalls
package import RestwayDocument
import RestwayHTTP
package import RestwayOutcome
package import RestwayRequests
import RestwaySQLite
package import RestwayThreads
import Synchronization

/// The response cache of a client: answers in memory, in front of a file that other processes may
/// share.
package final class ResponseCache: AnswerCache {
    /// Returns the cookies that the client sends with a request to a URL, as a text that is the
    /// same for the same cookies; `nil` if they are not known.
    package typealias Cookies = @Sendable (String) -> String?

    /// The settings that do not come from the document.
    package struct Options: Sendable {
        package var fileMode = FileMode.ownerOnly
        /// The most bytes of a body in memory.
        package var bodyBytesMax = 64 << 20
        package var clock: any Clock = SystemClock()
        /// `nil` if the transport has cookies of its own.
        package var cookies: Cookies?
        package var pool = WorkerPool.shared

        package init() {}
    }

    let definition: CacheDefinition
    let options: Options
    let memory: Lock<CacheMemory>
    let counters = CacheCounters()
    let troubles = TroubleNotes()
    let file: CacheFile?
    let writer: CacheWriter?
    private let present = Lock(
        EntryOwner(discriminator: nil, holder: .random(in: 0 ... .max)))

    package convenience init(
        _ definition: CacheDefinition, _ options: Options
    ) throws(Failure) {
        try self.init(definition, options, Connection.Options())
    }

    init(
        _ definition: CacheDefinition, _ options: Options, _ connection: Connection.Options
    ) throws(Failure) {
        self.definition = definition
        self.options = options
        memory = Lock(
            CacheMemory(bytesMax: definition.memoryBytesMax, hasFile: definition.path != nil))
        guard let path = definition.path else {
            (file, writer) = (nil, nil)
            return
        }
        var connection = connection
        let room = CacheRoom(bytesMax: definition.bytesMax)
        connection.mode = options.fileMode
        connection.logBytesMax = room.logBytesMax
        connection.mayGiveBackPages = true
        let file = CacheFile(
            CacheFileOptions(
                path: path, room: room, connection: connection, clock: options.clock,
                pool: options.pool), memory, troubles)
        do throws(Migrations.Refusal) {
            let writer = CacheWriter(file, try file.open(), counters)
            (self.file, self.writer) = (file, writer)
            writer.submit(.sweep)
        } catch {
            throw Failure(cacheRefused: error, path: path)
        }
        troubles.writeLog()
    }

    /// Writes what waits, and closes the file. Inside a callback it does not wait.
    package func close() {
        guard let writer else { return }
        // The number of the holder is random, so no later client can use its entries.
        remove(Removal(owner: OwnerText.text(discriminator: nil, holder: owner.holder)))
        if CallbackScope.isActive {
            options.pool.submit { writer.close() }
        } else {
            writer.close()
        }
    }

    // MARK: Owners

    package var owner: EntryOwner { present.withLock { $0 } }
    package var lastRemoval: Int64 { memory.withLock { $0.removals.last } }

    /// Sets the discriminator of the requests that start from now on.
    package func setDiscriminator(_ discriminator: String?) {
        present.withLock { $0.discriminator = discriminator }
    }

    /// The program has set another credential: nobody sees the entries of the one before.
    package func credentialWasReplaced() {
        let before = present.withLock { owner in
            defer { owner.holder = .random(in: 0 ... .max) }
            return owner.holder
        }
        remove(Removal(owner: OwnerText.text(discriminator: nil, holder: before)))
    }

    // MARK: Finding

    package func findInMemory(_ request: PreparedRequest, isOffline: Bool) -> CacheFinding? {
        guard let plan = request.sending.caching else { return .nothing }
        if request.redirection != nil {
            // Another lookup may have to read the file.
            guard file == nil else { return nil }
            return find(request, isOffline: isOffline)
        }
        return findInMemory(CacheQuestion(request, plan, isOffline: isOffline))
    }

    func findInMemory(_ question: CacheQuestion) -> CacheFinding? {
        let now = options.clock.wallMicroseconds()
        // Nothing is given to a request that passes the cache by, so nothing is read.
        if question.request.passesBy {
            let version = memory.withLock { $0.version }
            return finding(question, nil, false, version, now: now, mayRead: false)
        }
        let (found, version) = memory.withLock { ($0.find(question.label, now: now), $0.version) }
        switch found {
        case .unknown: return nil
        case .nothing: return finding(question, nil, false, version, now: now, mayRead: false)
        case .variants(let variants, let isUsed):
            return finding(question, variants, isUsed, version, now: now, mayRead: false)
        }
    }

    package func find(_ request: PreparedRequest, isOffline: Bool) -> CacheFinding {
        guard let plan = request.sending.caching else { return .nothing }
        if request.redirection != nil {
            let own = CacheQuestion(request, plan, isOffline: isOffline, byOwnURL: true)
            if mayAnswer(own) {
                switch find(own) {
                case .answer(let answer): return .answer(answer)
                case .staleAnswer(let answer, let ticket):
                    return .staleAnswer(answer, refresh: ticket)
                case .send, .nothing: break
                }
            }
        }
        return find(CacheQuestion(request, plan, isOffline: isOffline))
    }

    /// Whether an entry answers a question, unless its body is lost.
    private func mayAnswer(_ question: CacheQuestion) -> Bool {
        let now = options.clock.wallMicroseconds()
        let variants = lookUp(question.label, now: now).0
        let asking =
            variants?.varyWithCookies == true ? question.withCookies(options.cookies) : question
        return Reuse.decide(
            asking.request, variants?.heads ?? [], now: now,
            usesHeuristics: definition.usesHeuristics
        ).usesEntry
    }

    func find(_ question: CacheQuestion) -> CacheFinding {
        while true {
            let now = options.clock.wallMicroseconds()
            let (variants, isUsed, version) = lookUp(question.label, now: now)
            // An entry whose body is lost is removed, so this ends.
            if let finding = finding(
                question, variants, isUsed, version, now: now, mayRead: true)
            {
                return finding
            }
        }
    }

    func lookUp(
        _ label: EntryLabel, now: Int64
    ) -> (Variants?, isUsed: Bool, CacheMemory.Version) {
        if let file { return file.find(label, now: now) }
        return memory.withLock { memory in
            guard case .variants(let variants, _) = memory.find(label, now: now) else {
                return (nil, false, memory.version)
            }
            return (variants, false, memory.version)
        }
    }

    /// Returns what the cache says; `nil` if a file has to be read, or was lost.
    private func finding(
        _ question: CacheQuestion, _ variants: Variants?, _ isUsed: Bool,
        _ version: CacheMemory.Version, now: Int64, mayRead: Bool
    ) -> CacheFinding? {
        let question =
            variants?.varyWithCookies == true ? question.withCookies(options.cookies) : question
        let reuse = Reuse.decide(
            question.request, variants?.heads ?? [], now: now,
            usesHeuristics: definition.usesHeuristics)
        let ticket = { (forward, conditions: [HeaderField], index: Int?, held: HeldAnswer?) in
            self.counters.misses.add(1, ordering: .relaxed)
            // A refresh in the background is not what the program wants of other caches.
            let directives =
                question.request.mode == question.plan.mode
                ? question.request.directivesForOthers : []
            return ExchangeTicket(
                self, question, variants, version, forward, conditions: conditions + directives,
                asked: index, held: held)
        }
        switch reuse {
        case .nothing: return .nothing
        case .send(let forward): return .send(ticket(forward, [], nil, nil))
        case .serve(let index, let age, let refreshes, let part):
            guard let answer = variants?.answers[index],
                let held = hold(answer, question, mayRead: mayRead, isPart: part != nil)
            else { return nil }
            note(age, answer, isUsed: isUsed, now: now)
            let served = held.answer(
                to: question, age.isFresh ? .hit : .stale, age, CacheStatus(), part: part)
            guard refreshes else { return .answer(served) }
            let asking = question.validating()
            let next = finding(asking, variants, false, version, now: now, mayRead: mayRead)
            guard case .send(let refresh)? = next else { return .answer(served) }
            return .staleAnswer(served, refresh: refresh)
        case .notModified(let index, let age):
            guard let answer = variants?.answers[index] else { return nil }
            note(age, answer, isUsed: isUsed, now: now)
            let held = HeldAnswer(answer: answer, body: Body(), file: nil)
            return .answer(
                held.answer(to: question, .hit, age, CacheStatus(), isNotModified: true))
        case .validate(let index, let conditions, let forward):
            guard let answer = variants?.answers[index],
                let held = hold(answer, question, mayRead: mayRead)
            else { return nil }
            return .send(ticket(forward, conditions, index, held))
        case .complete(let index, let conditions):
            guard let answer = variants?.answers[index],
                let held = hold(answer, question, mayRead: mayRead, isPart: true)
            else { return nil }
            return .send(ticket(.partial, conditions, index, held))
        }
    }

    /// - Parameter isUsed: Whether the use is to be written to the file.
    private func note(_ age: EntryAge, _ used: KeptAnswer, isUsed: Bool, now: Int64) {
        if age.isFresh {
            counters.hits.add(1, ordering: .relaxed)
        } else {
            counters.staleHits.add(1, ordering: .relaxed)
        }
        guard let file, let writer else { return }
        let (time, excess) = file.uses.withLock { $0.note(used.id, now: now) }
        writer.submit(uses: excess)
        if isUsed { writer.submit(.use(used.id, at: time)) }
    }

    /// Takes hold of the body of an answer, so that nothing can remove it any more; `nil` if it
    /// must be read and may not, or is lost. A lost entry is removed.
    ///
    /// - Parameter isPart: Whether the bytes are needed, wherever the body of the answer goes.
    func hold(
        _ answer: KeptAnswer, _ question: CacheQuestion, mayRead: Bool, isPart: Bool = false
    ) -> HeldAnswer? {
        if question.request.method == "HEAD" {
            return HeldAnswer(answer: answer, body: Body(), file: nil)
        }
        switch answer.body {
        case .bytes(let body): return HeldAnswer(answer: answer, body: body, file: nil)
        case .file(let name):
            guard mayRead else { return nil }
            // The call refuses a body that is too large for memory. The next download may want it.
            let isTooLarge = name.length > Int64(options.bodyBytesMax)
            let asFile = !isPart && (!question.wantsBytes || isTooLarge)
            if let held = read(name, of: answer, asFile: asFile) { return held }
            remove(Removal(id: answer.id))
            return nil
        }
    }

    /// Reads the body of an answer; `nil` if it is lost.
    ///
    /// - Parameter asFile: Whether the open file is wanted, and not the bytes.
    private func read(
        _ name: BodyName, of answer: KeptAnswer, asFile: Bool
    ) -> HeldAnswer? {
        guard let file, let bodies = file.bodies else { return nil }
        do throws(LostBody) {
            if asFile {
                return HeldAnswer(answer: answer, body: Body(), file: try bodies.open(name))
            }
            guard name.length <= Int64(options.bodyBytesMax) else { return nil }
            return keepInMemory(answer, Body(try bodies.bytes(of: name)))
        } catch {
            guard case .damaged = error else { return nil }
            troubles.note(CacheTrouble(damagedEntryOf: file.options.path))
            troubles.writeLog()
            return nil
        }
    }

    private func keepInMemory(_ answer: KeptAnswer, _ body: Body) -> HeldAnswer {
        let filled = answer.with(.bytes(body))
        if filled.memoryBytes <= definition.memoryBytesMax / 4 {
            memory.withLock { $0.replace(filled) }
        }
        return HeldAnswer(answer: filled, body: body, file: nil)
    }

    private let ownIDs = Atomic<Int64>(0)

    /// Returns the id of a new entry.
    func newID() -> Int64 {
        file?.newID() ?? ownIDs.add(1, ordering: .relaxed).newValue
    }

    // MARK: Removing

    package func observed(_ answer: Answer, to request: PreparedRequest) {
        guard let plan = request.sending.caching else { return }
        observed(answer, CacheQuestion(request, plan))
    }

    /// Removes what an answer makes invalid. The answer to a POST may be kept for GET.
    func observed(_ answer: Answer, _ question: CacheQuestion) {
        let now = options.clock.wallMicroseconds()
        let (isOutdated, version) = memory.withLock { memory in
            let isOutdated = memory.removals.removes(
                question.label, id: 0, time: now, since: question.plan.removal)
            return (isOutdated, memory.version)
        }
        // Another kind of request has a ticket if its answer may be kept.
        guard question.request.method == "POST", !question.request.isAnswerable, !isOutdated,
            answer.saved == nil
        else { return observed(answer, question, cause: nil) }
        let ticket = ExchangeTicket(
            self, question, nil, version, .method, conditions: [], asked: nil, held: nil)
        ticket.noteSent(at: now - (answer.timings.exchange ?? 0))
        _ = ticket.answered(answer)
    }

    /// Removes what an answer makes invalid.
    func observed(
        _ answer: Answer, _ question: CacheQuestion, cause: ObjectIdentifier?
    ) {
        let now = options.clock.wallMicroseconds()
        let head = StoredHead(
            answering: question.request, status: answer.status,
            httpVersion: Int(answer.httpVersion?.rawValue ?? 11), headers: answer.headers,
            url: answer.url, requestTime: now, responseTime: now,
            bodyLength: Int64(answer.body.count))
        observed(head, question, cause: cause)
    }

    /// Removes what an answer with this head makes invalid.
    func observed(_ head: StoredHead, _ question: CacheQuestion, cause: ObjectIdentifier?) {
        var urls: [String] = []
        for url in Keeping.invalidated(by: head, to: question.request) {
            // The entries of routes that ignore parameters have keys without them.
            for target in [CacheKey.target(url), CacheKey.target(url, .all)]
            where !urls.contains(target) {
                urls.append(target)
            }
        }
        for url in urls { remove(Removal(url: url), cause: cause) }
        guard (200..<400).contains(head.status) else { return }
        let plan = question.plan
        let owner = plan.discriminator == nil ? OwnerText.undiscriminated : question.label.owner
        for route in plan.rules.invalidatedRoutes {
            remove(Removal(route: route, owner: owner), cause: cause)
        }
    }

    /// Removes entries from memory, and in the background from the file.
    func remove(_ removal: Removal, cause: ObjectIdentifier? = nil, count: RemovedCount? = nil) {
        let number = memory.withLock { $0.remove(removal, cause: cause) }
        writer?.submit(.remove(removal, number: number, count: count))
    }
}

import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayBatch
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// A random schedule: clients of one file, a server that misbehaves by a script, and the model.
final class OutboxSchedule {
    let test: OutboxTestCase
    let seed: UInt64
    let server: OutboxServer
    var model: OutboxFates
    /// The existing objects with their store keys, by the tag of their creation.
    var things: [Int: Int64] = [:]
    /// Items that may have been reported to a client that was being closed.
    var exempt: Set<Int64> = []
    /// The results of the calls, by tag.
    let outcomes = Monitor<[Int: [Call.Outcome]]>([:])
    /// How often an item was reported in a state, by "id state".
    let reports = Monitor<[String: Int]>([:])
    let flushed = Monitor<[StoredRequests]>([])
    private(set) var client: Client!
    private(set) var wire: OutboxWire
    private(set) var steps: [String] = []
    private var random: SeededRandom
    let clock = ManualClock()
    private let document: String
    private var drafts: [Int: Draft] = [:]
    /// The drafts inside the drafts above.
    private(set) var inner: [Int: Draft] = [:]

    init(_ test: OutboxTestCase, seed: UInt64) throws {
        (self.test, self.seed) = (test, seed)
        var random = SeededRandom(seed: seed)
        func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
        let (isStrict, passes, isBatch, stops) = (chance(4), chance(3), chance(2), chance(2))
        model = OutboxFates(isStrict: isStrict, passesDeadHeads: passes)
        server = OutboxServer(seed: seed, stopsAtFailure: isBatch && stops)
        wire = OutboxWire(server)
        var outbox = #", "concurrent": \#(chance(2) ? 1 : 3)"#
        if isStrict { outbox += #", "order": "strict""# }
        if passes { outbox += #", "deadHead": "goOn""# }
        if chance(2) { outbox += #", "singlyAfterFailures": 2"# }
        var rest = #", "auth": {"scheme": "bearer", "token": "t0", "refresh": {"max": 1000}}"#
        if isBatch {
            rest += #", "batch": {"path": "/batch", "limit": 3, "stopsAtFailure": \#(stops)}"#
        }
        document = test.document(
            outbox, rest,
            routes: #", "event": {"method": "POST", "path": "events/:of", "offline": true}"#)
        steps.append("strict \(isStrict), go on \(passes), batch \(isBatch), stops \(stops)")
        self.random = random
        try open()
    }

    func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    func pick<Element>(_ list: [Element]) -> Element? { list.randomElement(using: &random) }

    // MARK: Clients

    private func open() throws {
        wire = OutboxWire(server)
        var options = ClientOptions()
        options.files.outbox = test.path
        options.files.store = test.directory + "/objects.db"
        options.randomSeed = seed
        let client = try Client(
            api: try TestAPI.load(document), options: options, transport: wire, clock: clock)
        let refreshes = Lock(0)
        try client.setAuthFunctions { functions in
            functions.refresh = { ticket in
                let number = refreshes.withLock { count in
                    count += 1
                    return count
                }
                // Sometimes there is no way to get a new credential.
                if number % 4 == 0 {
                    _ = ticket.fail("not now", isFinal: false)
                } else {
                    var credential = Credential()
                    credential.token = Secret("t\(UInt64.random(in: 1 ... .max))")
                    _ = try? ticket.succeed(credential)
                }
            }
        }
        try client.requireOutbox().setObserver(
            OutboxObserver(
                item: .init { [reports] list in
                    for item in list.all {
                        reports.update { $0["\(item.id) \(item.state)", default: 0] += 1 }
                    }
                }, flushed: nil))
        self.client = client
    }

    private func restart() throws {
        let journal = try client.requireOutbox().journal
        client.close()
        // A request that was being stored is on the disk; the notice comes a moment later.
        let limit = SystemClock().now().advanced(milliseconds: 60_000)
        let count = model.requests.count
        XCTAssertNotNil(
            outcomes.wait(until: limit) { $0.count == count ? () : nil }, "\(about): not told")
        collect()
        // The thread that ends the last of its calls may still have the file open.
        while journal.isSender, SystemClock().now() < limit { sched_yield() }
        XCTAssertFalse(journal.isSender, "\(about): the closed client still sends")
        exempt.formUnion(model.left)
        try open()
    }

    func end() {
        client.close()
    }

    // MARK: Steps

    func step() throws {
        collect()
        let name: String
        switch Int.random(in: 0..<30, using: &random) {
        case 0...6: name = try sendEvent()
        case 7...9: name = try sendNewThing()
        case 10...14: name = try changeThing()
        case 15: name = try deleteThing()
        case 16...17:
            let isOnline = !server.isOnline
            server.setOnline(isOnline)
            name = isOnline ? "online" : "offline"
        case 18...20:
            let word = pick([Reachability.unknown, .reachable, .unreachable])!
            try client.setReachability(word)
            name = "the program says \(word)"
        case 21...22:
            try client.requireOutbox().flush(isForced: chance(2))
            name = "flush"
        case 23...24:
            clock.advance(milliseconds: Int64.random(in: 1...400_000, using: &random))
            name = "wait"
        case 25...26:
            wire.release(all: chance(2))
            name = "a slow answer comes"
        case 27:
            _ = try client.send(.get("notes/1"))
            name = "another exchange"
        case 28:
            try restart()
            name = "restart"
        default:
            try settle()
            try decide()
            name = "the program decides"
        }
        steps.append(name)
    }

    private func send(
        _ spec: RequestSpec, _ lane: String, thing: Int? = nil, isDeletion: Bool = false
    ) throws -> String {
        let tag = model.requests.count + 1
        var spec = spec
        spec.headers.append(("X-Tag", "\(tag)"))
        model.requests.append(
            .init(tag: tag, lane: lane, thing: thing, isDeletion: isDeletion))
        _ = try client.send(spec) { [outcomes] _, outcome in
            outcomes.update { $0[tag, default: []].append(outcome) }
        }
        return "\(tag) in \(lane)"
    }

    private func sendEvent() throws -> String {
        let of = pick(["a", "b", "c"])!
        var spec = RequestSpec(target: .route("event", nil))
        if chance(2) {
            spec.target = .path(.post, "events/" + of)
        } else {
            spec.variables["of"] = .value(.string(of))
        }
        spec.given.body = .init(bytes: Array("{}".utf8), mediaType: "application/json")
        if chance(4) { spec.sending.lane = "mine" }
        return try send(spec, spec.sending.lane ?? of)
    }

    private func sendNewThing() throws -> String {
        let tag = model.requests.count + 1
        let draft = Draft(try client.api.entity(named: "Thing"))
        try draft.set(.string("thing \(tag)"), attribute: 1)
        drafts[tag] = draft
        if chance(3) {
            let part = Draft(draft.entity)
            try part.set(.string("part \(tag)"), attribute: 1)
            try draft.set([.draft(part)], relationship: 1)
            inner[tag] = part
        }
        let spec = RequestSpec(target: .subject(.post), subject: .draft(draft, client.store))
        return try send(spec, "thing \(tag)", thing: tag)
    }

    private func thing(_ tag: Int) throws -> Snapshot? {
        let entity = try client.api.entity(named: "Thing")
        return try things[tag].flatMap { try client.store.newest(entity, storeKey: $0) }
    }

    private func changeThing() throws -> String {
        guard let (tag, object) = try anyThing() else { return "no thing" }
        let draft = Draft(copying: object)
        try draft.set(.string("change \(model.requests.count + 1)"), attribute: 1)
        let spec = RequestSpec(target: .subject(.put), subject: .draft(draft, client.store))
        return try send(spec, "thing \(tag)", thing: tag)
    }

    private func deleteThing() throws -> String {
        guard let (tag, object) = try anyThing() else { return "no thing" }
        forget(tag)
        let spec = RequestSpec(target: .subject(.delete), subject: .object(object))
        return try send(spec, "thing \(tag)", thing: tag, isDeletion: true) + ", a deletion"
    }

    /// No more requests are made about an object, nor about the object inside it.
    func forget(_ thing: Int) {
        things[thing] = nil
        things[-abs(thing)] = nil
    }

    private func anyThing() throws -> (Int, Snapshot)? {
        guard let tag = pick(things.keys.sorted()) else { return nil }
        guard let object = try thing(tag) else {
            XCTFail("\(about): thing \(tag) is not in the store")
            return nil
        }
        return (tag, object)
    }

    // MARK: Outcomes

    /// Records the calls that have ended.
    func collect() {
        for (tag, ended) in outcomes.withLock({ $0 }) {
            let index = model.index(tag)
            guard model.requests[index].state == .underWay, let outcome = ended.first else {
                continue
            }
            note(outcome, tag, &model.requests[index])
        }
    }

    private func note(_ outcome: Call.Outcome, _ tag: Int, _ request: inout OutboxFates.Request) {
        switch outcome {
        case .success(let response) where response.status == 0:
            request.state = .withdrawn
            XCTAssertTrue(request.isDeletion, about)
        case .success(let response):
            request.state = .answered
            XCTAssertTrue(server.hasApplied(tag), "\(about): \(tag) was answered, not applied")
            if request.thing == tag {
                things[tag] = response.objects.first?.storeKey
                things[-tag] = inner[tag]?.storeKey
            }
        case .failure(let failure) where failure.reason == .queued:
            (request.state, request.id) = (.stored, failure.outboxID)
            if request.thing == tag {
                things[tag] = drafts[tag]?.storeKey
                things[-tag] = inner[tag]?.storeKey
            }
        case .failure(let failure) where failure.reason == .http:
            request.state = .refused
            XCTAssertEqual(failure.httpStatus, 422, about)
            XCTAssertFalse(server.script(tag).isDelivered, "\(about): \(tag)")
        case .failure(let failure)
        where request.thing ?? 0 < 0
            && [.invalidArgument, .missingVariable, .noObject].contains(failure.reason):
            // The request that should create it was taken back meanwhile, and its object with it.
            request.state = .abandoned
        case .failure(let failure):
            request.state = .abandoned
            XCTAssertEqual(failure.reason, .closed, "\(about): \(tag): \(failure.message)")
        }
    }

    /// The steps so far, for messages.
    var about: String { "seed \(seed): " + steps.joined(separator: "; ") }
}

import Glibc
import RandomRounds
import RestwayObjects
import RestwayRouting
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutbox
@testable import RestwayOutcome
@testable import RestwayRequests

/// Random schedules: requests are stored, delivered, refused, edited and dropped, others change the
/// same objects, and the process ends. After every step the store equals the model.
final class OutboxTakeBackModelTests: OutboxTestCase {
    private var client: Client!
    private var wire = FakeTransport()
    private var model = OutboxTakeBackModel()
    private var random = SeededRandom(seed: 0)
    private var (isFile, passes) = (false, false)
    private var steps: [String] = []
    private var number: Int64 = 0
    /// Objects whose identity the program gave. A request that contains one of these objects as
    /// a whole also creates it, which the model does not know.
    private var named: Set<Int64> = []

    override func tearDown() {
        client = nil
        super.tearDown()
    }

    /// `RESTWAY_SCHEDULE=7` runs only that seed; `RESTWAY_SCHEDULES=400` adds that many random
    /// seeds.
    func testRandomSchedulesShowWhatTheModelSays() throws {
        let first = UInt64.random(in: 1...1_000_000)
        let last = first + (variable("RESTWAY_SCHEDULES") ?? UInt64(rounds(8)))
        let seeds =
            variable("RESTWAY_SCHEDULE").map { [$0] }
            ?? Array(1...UInt64(rounds(24))) + Array(first..<last)
        print("seeds \(seeds.prefix(25)) to \(seeds.last ?? 0)")
        for seed in seeds {
            do {
                try run(seed)
            } catch let failure as Failure {
                XCTFail("\(failure.message): \(about)")
            }
            guard (testRun?.failureCount ?? 0) == 0 else { break }
        }
    }

    private func variable(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }

    private func run(_ seed: UInt64) throws {
        random = SeededRandom(seed: seed)
        (model, named) = (OutboxTakeBackModel(), [])
        (isFile, passes, number) = (seed % 2 == 0, seed % 3 == 0, 100)
        steps = ["seed \(seed), file \(isFile), go on \(passes)"]
        try open()
        for _ in 0..<40 {
            try step()
            try compare()
            guard (testRun?.failureCount ?? 0) == 0 else { return }
        }
        steps.append("drop all")
        model.drop(try items)
        _ = try client.requireOutbox().dropAll()
        try compare()
        client.close()
        removeFiles()
    }

    private var about: String { steps.joined(separator: "; ") }

    private func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private func pick<Element>(_ list: [Element]) -> Element? { list.randomElement(using: &random) }

    private func next() -> Int64 {
        number += 1
        return number
    }

    private var items: Set<Int64> {
        get throws { Set(try client.requireOutbox().list().all.map(\.id)) }
    }

    private var entity: Entity { get throws { try client.api.entity(named: "Thing") } }

    // MARK: Steps

    private func open() throws {
        wire = FakeTransport()
        client = try client(passes ? #", "deadHead": "goOn""# : "", transport: wire) {
            if isFile { $0.files.store = directory + "/objects.db" }
        }
        try client.setReachability(.unreachable)
        guard model.keys.isEmpty else { return }
        for id in 1...3 as ClosedRange<Int64> { try tell(id, "server \(next())") }
    }

    private func step() throws {
        switch Int.random(in: 0..<16, using: &random) {
        case 0...4: try store(.put, try change())
        case 5...6: try store(.post, try creation())
        case 7: try storeNamed()
        case 8: try tell(Int64.random(in: 1...3, using: &random), "server \(next())")
        case 9...11: try drop()
        case 12...13: try flush()
        case 14: try decide()
        default: chance(2) ? try restart() : try deleteUnsent()
        }
    }

    /// The server sends new values of an object that it has.
    private func tell(_ id: Int64, _ name: String) throws {
        var changes = ChangeSet()
        changes.rows = [try Snapshot.make(entity, [.int64(id), .string(name)])]
        let object = try client.store.commit(changes).objects[0]
        model.tell(object.storeKey, [1: .string(name)])
        steps.append("\(id) is \(name)")
    }

    private func anyObject() throws -> Snapshot? {
        guard let key = pick(model.keys.filter { model.isThere($0) }) else { return nil }
        return try client.store.newest(entity, storeKey: key)
    }

    /// Makes a draft of some object, perhaps with the draft of another object inside it.
    private func change() throws -> Draft? {
        guard let object = try anyObject() else { return nil }
        let draft = Draft(copying: object)
        try vary(draft)
        return draft
    }

    private func vary(_ draft: Draft) throws {
        if chance(2) { try draft.set(.string("local \(next())"), attribute: 1) }
        if chance(3) {
            let owner = try anyObject()
            try draft.set(owner.map { [.object($0)] } ?? [], relationship: 0)
        }
        if chance(3), let other = try anyObject(), other.storeKey != draft.storeKey,
            !named.contains(other.storeKey)
        {
            let part = Draft(copying: other)
            if chance(2) { try part.set(.string("along \(next())"), attribute: 1) }
            try draft.set([.draft(part)], relationship: 1)
        }
    }

    private func creation() throws -> Draft {
        let draft = Draft(try entity)
        try draft.set(.string("made \(next())"), attribute: 1)
        try vary(draft)
        if chance(3) {
            let part = Draft(draft.entity)
            try part.set(.string("part \(next())"), attribute: 1)
            try draft.set([.draft(part)], relationship: 1)
        }
        return draft
    }

    /// Makes a new object whose identity the program gives: no later request depends on the request
    /// that creates the object.
    private func storeNamed() throws {
        // Where dead letters are skipped, a request about it may reach the server before the
        // creation.
        guard !passes else { return }
        let draft = Draft(try entity)
        try draft.set(.int64(next()), attribute: 0)
        try draft.set(.string("named \(next())"), attribute: 1)
        try store(.put, draft)
        named.insert(draft.storeKey)
    }

    private func store(_ method: RestwayRouting.Method, _ draft: Draft?) throws {
        guard let draft else { return }
        let capture = draft.capture()
        var spec = RequestSpec(target: .subject(method), subject: .draft(draft, client.store))
        // Only objects that the server has are used: requests of other lanes may be sent first.
        let identity = capture.root.values[0]
        if case .int64(1...3) = identity, chance(4) { spec.sending.lane = "mine" }
        guard let item = queued(spec, method) else { return }
        var what: [String] = []
        for member in capture.members {
            let key = member.currentKey
            guard key != 0 else { continue }
            let isNew = member.storeKey == 0
            let object = try XCTUnwrap(client.store.newest(entity, storeKey: key), about)
            var cells: [Int: Value] = [:]
            for cell in 1...3 where member.changed.contains(cell) {
                cells[cell] = object.value(at: cell)
            }
            if isNew || !cells.isEmpty { model.store(key, item, cells) }
            what.append("\(key) \(cells)")
        }
        steps.append("item \(item) \(method) " + what.joined(separator: ", "))
    }

    /// Returns `nil` for a request that cannot be stored, because it needs an identity that no
    /// request will bring.
    private func queued(_ spec: RequestSpec, _ method: RestwayRouting.Method) -> Int64? {
        let failure = refusal { _ = try client.send(spec).wait(milliseconds: 0) }
        guard let failure, failure.reason != .queued else { return failure?.outboxID }
        let isKnown = [.missingVariable, .mapping, .invalidArgument].contains(failure.reason)
        XCTAssertTrue(isKnown, "\(failure.message): \(about)")
        steps.append("\(method) was refused: \(failure.message)")
        return nil
    }

    private func drop() throws {
        let before = try items
        guard let item = pick(before.sorted()) else { return }
        let count = try client.requireOutbox().drop(item)
        let gone = try before.subtracting(items)
        XCTAssertEqual(count, gone.count, about)
        XCTAssertTrue(gone.contains(item), about)
        model.drop(gone)
        steps.append("drop \(gone.sorted())")
    }

    /// Deletes an object that the server has not received.
    private func deleteUnsent() throws {
        guard let object = try anyObject(), object.identity == nil else { return }
        let before = try items
        XCTAssertTrue(try client.store.delete(object), about)
        model.drop(try before.subtracting(items))
        model.delete(object.storeKey)
        steps.append("delete \(object.storeKey)")
    }

    private func restart() throws {
        // The objects of a store in memory have other keys after a restart.
        guard isFile else { return }
        client.close()
        steps.append("restart")
        try open()
    }

    private func decide() throws {
        let outbox = try client.requireOutbox()
        guard let dead = pick(try outbox.list().all.filter { $0.state == .dead }) else { return }
        let isEdited = chance(2)
        model.retry(dead.id)
        do {
            if isEdited {
                let body = Array(#"{"name":"edited"}"#.utf8)
                try outbox.edit(dead.id, body: body, mediaType: nil)
            } else {
                try outbox.retry(dead.id)
            }
        } catch {
            // It refers to an object that no request creates any more.
            XCTAssertEqual(error.reason, .invalidArgument, about)
            model.refuse(dead.id)
        }
        steps.append("again \(dead.id)")
    }

    // MARK: The server

    private func flush() throws {
        let all = try client.requireOutbox().list().all
        let items = Dictionary(uniqueKeysWithValues: all.map { ($0.idempotencyKey, $0) })
        try flush(client)
        let limit = SystemClock().now().advanced(milliseconds: 60_000)
        while flushed.withLock({ $0.popLast() }) == nil {
            guard SystemClock().now() < limit else { return XCTFail("\(about): never done") }
            if wire.waitingCount == 0 {
                sched_yield()
                continue
            }
            let started = wire.next()
            let item = try XCTUnwrap(key(started.exchange).flatMap { items[$0] }, about)
            answer(started, item)
        }
        // Some become dead letters because the server did not name an object that they wait for.
        for item in try client.requireOutbox().list().all where item.state == .dead {
            model.refuse(item.id)
        }
    }

    private func answer(_ started: FakeTransport.Started, _ item: StoredRequest) {
        if chance(3) {
            steps.append("refuse \(item.id)")
            model.refuse(item.id)
            return started.answer(422)
        }
        steps.append("deliver \(item.id)")
        model.deliver(item.id)
        if item.method == "POST" { return started.answer(201, #"{"id":\#(next())}"#) }
        let id = Int64(started.exchange.url.split(separator: "/").last ?? "") ?? 0
        let object = try? client.store.object(entity, .integer(id))
        guard chance(2), let object else { return started.answer(204) }
        // The answer changes only the name.
        let name = "echo \(next())"
        model.tell(object.storeKey, [1: .string(name)])
        steps.append("\(id) is \(name)")
        started.answer(200, #"{"id":\#(id),"name":"\#(name)"}"#)
    }

    // MARK: Comparing

    private func compare() throws {
        for key in model.keys {
            let object = try client.store.newest(entity, storeKey: key)
            XCTAssertEqual(object != nil, model.isThere(key), "\(key): \(about)")
            guard let object else { continue }
            for cell in 1...3 {
                XCTAssertEqual(
                    object.value(at: cell), model.shown(key, cell), "\(key) \(cell): \(about)")
            }
        }
        let journal = try client.requireOutbox().journal
        let edited = try journal.editedItems()
        let shown = try client.store.edits(ofOutbox: journal.number)
        XCTAssertEqual(
            shown.map { "\($0.id.number) \($0.isSuspended)" },
            edited.map { "\($0.edit) \($0.isDead)" }, about)
    }
}

import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayAuth
@testable import RestwayBatch
@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome
@testable import RestwayPacing
@testable import RestwayStore

/// A client whose store a test changes directly, and the changes that its observers received.
struct ObservedClient {
    let transport = FakeTransport()
    let client: Client
    let company: Entity
    let note: Entity

    init(_ mode: Delivery.Mode = .process) throws {
        var options = ClientOptions()
        options.delivery = mode
        client = try Client(api: try TestAPI.load(), options: options, transport: transport)
        company = try client.api.entity(named: "Company")
        note = try client.api.entity(named: "Note")
    }

    @discardableResult
    func store(_ rows: Snapshot...) throws -> Commit {
        try client.store.commit(ChangeSet(rows: rows))
    }

    func row(_ id: Int64, _ name: String? = nil) -> Snapshot {
        .make(company, [.int64(id), name.map { .string($0) } ?? .absent])
    }

    func note(_ text: String) -> Snapshot { .make(note, [.string(text)]) }

    /// Runs the notices that are due, and returns how many there were.
    func process() throws -> Int { try client.delivery.process(milliseconds: 0) }

    func observe(_ scope: StoreScope, _ log: ChangeLog) throws -> Observer {
        try client.observe(scope, changed: log.add, end: log.end)
    }
}

/// The changes that an observer received.
final class ChangeLog: Sendable {
    private struct State {
        var lists: [ChangeList] = []
        var endCount = 0
        var listCountAtEnd = 0
    }

    private let state = Monitor(State())

    var lists: [ChangeList] { state.withLock { $0.lists } }
    var endCount: Int { state.withLock { $0.endCount } }
    var toldAfterTheEnd: Int { state.withLock { $0.lists.count - $0.listCountAtEnd } }

    @Sendable func add(_ list: ChangeList) {
        state.update { $0.lists.append(list) }
    }

    @Sendable func end() {
        state.update { state in
            state.endCount += 1
            state.listCountAtEnd = state.lists.count
        }
    }

    func waitUntilEnded() {
        _ = state.wait { $0.endCount > 0 ? true : nil }
    }

    func waitForLists(_ count: Int) {
        _ = state.wait { $0.lists.count >= count ? true : nil }
    }

    /// Returns each list as text: "+1 ~2 -3", by identity or otherwise by `#`.
    var texts: [String] {
        lists.map { list in
            list.changes.map { change in
                let sign = [Change.Kind.inserted: "+", .updated: "~", .deleted: "-"][change.kind]!
                return switch change.object.identity {
                case .integer(let id): "\(sign)\(id)"
                default: "\(sign)#"
                }
            }.joined(separator: " ")
        }
    }
}

/// Runs `body` with 0, 1, ... on `count` threads at once, and waits for all of them.
func inThreads(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
    let ended = Monitor(0)
    for number in 0..<count {
        let isStarted = Thread.start("test-\(number)") {
            body(number)
            ended.update { $0 += 1 }
        }
        XCTAssertTrue(isStarted)
    }
    _ = ended.wait { $0 == count ? true : nil }
}

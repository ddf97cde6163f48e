import Glibc
import RestwayObjects
@testable import RestwayOutbox
import XCTest

/// Objects that a request creates in addition to the object that it is about.
final class CompanionTests: JournalTestCase {
    private let local = LocalID.random()
    private let inner = [LocalID.random(), LocalID.random()]
    private let named = Lane(entity: "Person", .integer(8))

    /// Stores a request that creates an object, and two inside it.
    private func post(_ journal: OutboxJournal, _ lane: Lane? = nil) throws -> Int64 {
        var post = entry(lane ?? Lane(local), creates: local)
        for (index, inner) in inner.enumerated() {
            post.companions.append(
                OutboxCompanion(local: inner, entity: "Person", storeKey: Int64(20 + index)))
        }
        return try journal.enqueue(post)
    }

    private func put(_ journal: OutboxJournal, _ local: LocalID) throws -> Int64 {
        try journal.enqueue(entry(Lane(local), path: "people/\(local.text)", body: local.text))
    }

    func testWhatDependsOnThemWaitsAndIsRewritten() throws {
        let journal = try openSender()
        let post = try post(journal)
        let put = try put(journal, inner[0])
        let company = try journal.enqueue(entry(Lane(local), path: "companies/\(local.text)"))
        XCTAssertEqual(try journal.local(entity: "Person", storeKey: 20), inner[0])
        XCTAssertNotNil(try journal.creator(of: inner[1]))
        XCTAssertTrue(try journal.holds(entity: "Person", storeKey: 21) { _ in true })
        XCTAssertEqual(try taken(journal), [post])
        let settled = try journal.settle([
            .named(id: post, local: inner[0], identity: .integer(8), lane: named),
            .remove(id: post, identity: .integer(5), lane: nil),
        ])
        XCTAssertEqual(settled.identities.map(\.number), [1, 2])
        XCTAssertEqual(settled.identities[0].storeKey, 20)
        XCTAssertEqual(settled.identities[0].entity, "Person")
        XCTAssertEqual(settled.buried, [])
        let items = try journal.take(itemsMax: 9, now: 0)
        XCTAssertEqual(items.map(\.id), [put, company])
        XCTAssertEqual(items.map(\.entry.path), ["people/8", "companies/5"])
        XCTAssertEqual(items[0].entry.lane, named)
        XCTAssertEqual(try journal.identity(of: inner[0])?.identity, .integer(8))
        XCTAssertNil(try journal.creator(of: inner[0]))
        XCTAssertNil(try journal.creator(of: inner[1]), "the server did not say it")
        XCTAssertNil(try journal.local(entity: "Person", storeKey: 20))
        XCTAssertFalse(try journal.holds(entity: "Person", storeKey: 21) { _ in true })
    }

    func testWhatDependsOnOneThatIsNotNamedIsDead() throws {
        for creates in [true, false] {
            let journal = try openSender()
            var post = entry("a", creates: creates ? .random() : nil)
            let other = LocalID.random()
            post.companions = [OutboxCompanion(local: other, entity: "Person", storeKey: 1)]
            let id = try journal.enqueue(post)
            let put = try put(journal, other)
            let next = try journal.enqueue(entry("a"))
            XCTAssertEqual(try taken(journal), [id])
            let done: OutboxSettlement =
                creates ? .remove(id: id, identity: .integer(1), lane: nil) : .remove(id: id)
            XCTAssertEqual(try journal.settle([done]).buried, [put])
            let trouble = try journal.item(put)?.entry.progress.trouble
            XCTAssertEqual(trouble?.code, OutboxTrouble.noIdentity)
            XCTAssertEqual(try taken(journal), [next])
            XCTAssertEqual(refusal { try journal.retry(put) }, .unknownLocalID(other))
            XCTAssertEqual(try journal.dropAll().items.count, 2)
            journal.close()
        }
    }

    func testADroppedRequestTakesAlongWhatWaitsForThem() throws {
        let journal = try openSender()
        let post = try post(journal)
        let (first, second) = (try put(journal, inner[0]), try put(journal, inner[1]))
        XCTAssertEqual(Set(try journal.drop(post).items), [post, first, second])
        XCTAssertEqual(try journal.counts().all, 0)
        XCTAssertNil(try journal.creator(of: inner[0]))
        XCTAssertEqual(
            refusal { _ = try put(journal, inner[0]) }, .unknownLocalID(inner[0]))
        XCTAssertEqual(
            try journal.settle([.named(id: post, local: inner[0], identity: .integer(1),
                lane: named), .remove(id: post)]).missing, [post])
        XCTAssertNil(try journal.identity(of: inner[0]), "its request was dropped in flight")
    }

    func testTheDeletionOfOneLeavesTheRequestThatMakesIt() throws {
        let journal = try openSender()
        let post = try post(journal)
        XCTAssertEqual(try journal.withdraw(inner[0]), .mayHaveArrived)
        XCTAssertEqual(try journal.counts().all, 1)
        XCTAssertEqual(
            refusal { _ = try journal.enqueue(entry(creates: inner[0])) },
            .alreadyCreated(inner[0]))
        XCTAssertEqual(try journal.withdraw(local), .dropped(OutboxDropped(items: [post])))
    }

    func testWhatWaitsForThemIsPassedByWithADeadLetter() throws {
        for order in [OutboxRules.Order.lanes, .strict] {
            let journal = try openSender {
                $0.rules.order = order
                $0.rules.deadLetters = .letOthersPass
            }
            let post = try post(journal, Lane(named: "a"))
            let put = try journal.enqueue(entry("b", path: inner[1].text))
            let other = try journal.enqueue(entry("b"))
            XCTAssertEqual(try taken(journal, 1), [post])
            _ = try journal.settle([bury(post)])
            XCTAssertEqual(try taken(journal), [other], "\(order)")
            _ = try journal.settle([.remove(id: other)])
            try journal.retry(post)
            XCTAssertEqual(try taken(journal), [post])
            _ = try journal.settle([
                .named(id: post, local: inner[1], identity: .integer(8), lane: named),
                .remove(id: post, identity: nil, lane: nil),
            ])
            XCTAssertEqual(try taken(journal), [put])
            XCTAssertEqual(try journal.dropAll().items.count, 1)
            journal.close()
            tearDownFile()
        }
    }

    func testThoseInFlightAreInTheLaneOfTheirOwnNames() throws {
        let journal = try openSender()
        let post = try post(journal)
        // The request is about the object, but not by its identity.
        let free = try inner.map { try journal.enqueue(entry(Lane($0), path: "search")) }
        XCTAssertEqual(try taken(journal), [post] + free)
        let lanes = [Int64(1), 2].map { Lane(entity: "Person", .integer($0)) }
        _ = try journal.settle(
            [0, 1].map {
                .named(
                    id: post, local: inner[$0], identity: .integer(Int64($0 + 1)), lane: lanes[$0])
            } + [.remove(id: post, identity: .integer(5), lane: nil)])
        for lane in lanes { _ = try journal.enqueue(entry(lane)) }
        XCTAssertEqual(try taken(journal), [])
        _ = try journal.settle([.remove(id: free[0])])
        let next = try journal.take(itemsMax: 9, now: 0)
        XCTAssertEqual(next.map(\.entry.lane), [lanes[0]])
    }

    private func tearDownFile() {
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
    }
}

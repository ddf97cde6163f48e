import RestwayMapping
import RestwayObjects
import RestwayThreads
import Synchronization
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayDocument
@testable import RestwayOutcome

/// Tests what hooks see and do between reading a response and storing it.
final class HookTests: XCTestCase {
    private static let document = """
        {"restway": 1,
         "transforms": {"json": "watch"},
         "entities": {
           "Parent": {"identity": "id", "attributes": {"id": {"type": "int"}, "name": "name",
                "note": {"type": "string"}, "raw": {"type": "json"}},
             "relationships": {"children": {"entity": "Child", "many": true}}},
           "Child": {"identity": "id",
             "attributes": {"id": {"type": "int"}, "rank": {"type": "int"}},
             "relationships": {"parent": {"entity": "Parent"},
                               "siblings": {"entity": "Child", "many": true}}}},
         "routes": {"parents": {"path": "parents",
            "response": {"entity": "Parent", "keyPath": "list", "hook": "family"}}},
         "responses": [{"path": "parents", "entity": "Child", "keyPath": "orphans"},
                       {"path": "missing", "entity": "Child", "status": 404, "hook": "family"},
                       {"path": "plain", "entity": "Parent"}]}
        """

    private let transport = FakeTransport()

    private func client(
        watch: @escaping CustomTransform.Function = { $0 },
        _ hook: @escaping @Sendable (MappedRows) throws -> Void
    ) throws -> Client {
        let api = try TestAPI.load(Self.document)
        try api.addTransform("watch", CustomTransform(decode: watch, encode: nil))
        try api.addHook("family") { rows throws(Failure) in
            do {
                try hook(rows)
            } catch {
                throw error as? Failure ?? Failure(.internal, "\(error)")
            }
        }
        var options = ClientOptions()
        options.baseURL = "http://api.test"
        return try Client(api: api, options: options, transport: transport, clock: FakeClock())
    }

    private static let families = """
        {"list": [{"id": 1, "children": [{"id": 11}, {"id": 12}]}, {"id": 2, "name": "Two"}],
         "orphans": [{"id": 13}]}
        """

    /// Gives each child its parent, which a nested payload leaves out.
    private static let family: @Sendable (MappedRows) throws -> Void = { rows in
        for parent in rows.results[rows.ownResult] {
            let children = try rows.related(parent, relationship: 0)
            for (place, child) in children.enumerated() {
                try rows.relate(child, relationship: 0, toRows: [parent])
                try rows.set(child, attribute: 1, .int64(Int64(place)))
            }
        }
    }

    func testEachChildGetsItsParent() throws {
        let client = try client(Self.family)
        let call = try client.send(.route("parents"))
        transport.answer(200, Self.families)
        let response = try call.wait(milliseconds: 0)
        XCTAssertEqual(response.objects.map(\.identity), [.integer(1), .integer(2), .integer(13)])
        let entity = try client.api.entity(named: "Child")
        for (id, rank) in [(Int64(11), Int64(0)), (12, 1)] {
            let child = try XCTUnwrap(client.store.object(entity, .integer(id)))
            XCTAssertEqual(child.value(named: "rank"), .int64(rank))
            let parents = try client.store.related(child, relationship: 0)
            XCTAssertEqual(parents.map(\.identity), [.integer(1)])
            XCTAssertTrue(parents[0] === response.objects[0])
        }
        let orphan = try XCTUnwrap(client.store.object(entity, .integer(13)))
        XCTAssertEqual(orphan.relationshipCell(at: 0).kind, .absent)
        client.close()
    }

    func testAHookSeesRowsAsTheyAreMapped() throws {
        let seen = Lock<[String]>([])
        let client = try client { rows in
            var found = ["\(rows.count) rows, result \(rows.ownResult) of \(rows.results)"]
            for row in 0..<rows.count {
                let snapshot = try rows.snapshot(row)
                found.append("\(snapshot.entity.name) \(snapshot.value(named: "id")!)")
            }
            try found.append("\(rows.snapshot(0).value(named: "name")!)")
            try rows.set(0, attribute: 1, .string("set"))
            try found.append("\(rows.snapshot(0).value(named: "name")!)")
            try found.append("\(rows.related(0, relationship: 0))")
            seen.withLock { $0 = found }
        }
        let call = try client.send(.get("parents"))
        transport.answer(200, Self.families)
        XCTAssertEqual(try call.wait(milliseconds: 0).objects[0].string(at: 1), "set")
        XCTAssertEqual(
            seen.withLock { $0 },
            [
                "5 rows, result 0 of [[0, 3], [4]]", "Parent int64(1)", "Child int64(11)",
                "Child int64(12)", "Parent int64(2)", "Child int64(13)", "absent",
                #"string("set")"#, "[1, 2]",
            ])
        client.close()
    }

    func testRowsMayBeLinkedToObjectsOfTheStore() throws {
        let known = Lock<Snapshot?>(nil)
        let client = try client { rows in
            guard let object = known.withLock({ $0 }) else { return }
            for child in rows.results[1] {
                try rows.relate(child, relationship: 0, to: [object])
            }
        }
        let first = try client.send(.route("parents"))
        transport.answer(200, #"{"list": [{"id": 5}]}"#)
        let parent = try first.wait(milliseconds: 0).objects[0]
        known.withLock { $0 = parent }
        let second = try client.send(.route("parents"))
        transport.answer(200, #"{"orphans": [{"id": 13}]}"#)
        let orphan = try second.wait(milliseconds: 0).objects[0]
        XCTAssertTrue(try client.store.related(orphan, relationship: 0)[0] === parent)
        client.close()
    }

    func testWhatDoesNotFitIsRefusedAndChangesNothing() throws {
        let refusals = Lock<[String]>([])
        let client = try client { rows in
            let (parent, child) = (rows.results[0][0], rows.results[1][0])
            let steps: [() throws -> Void] = [
                { _ = try rows.entity(of: 2) },
                { _ = try rows.entity(of: -1) },
                { _ = try rows.result(2) },
                { try rows.set(child, attribute: 1, .string("1")) },
                { try rows.relate(child, relationship: 0, toRows: [parent, parent]) },
                { try rows.relate(child, relationship: 0, toRows: [child]) },
                { try rows.relate(child, relationship: 0, toRows: [9]) },
                { try rows.relate(child, relationship: 0, to: [rows.snapshot(parent)]) },
            ]
            for step in steps {
                do {
                    try step()
                } catch let refusal as MappedRows.Refusal {
                    refusals.withLock { $0.append(refusal.message) }
                }
            }
        }
        let call = try client.send(.route("parents"))
        transport.answer(200, #"{"list": [{"id": 1}], "orphans": [{"id": 13}]}"#)
        let orphan = try call.wait(milliseconds: 0).objects[1]
        XCTAssertEqual(orphan.value(named: "rank"), .absent)
        XCTAssertEqual(orphan.relationshipCell(at: 0).kind, .absent)
        XCTAssertEqual(
            refusals.withLock { $0 },
            [
                "there is no row 2 of 2", "there is no row -1 of 2", "there is no result 2 of 2",
                #""rank" takes an integer"#, #""parent" leads to one object at most"#,
                #""parent" leads to objects of Parent"#, "there is no row 9 of 2",
                #""parent" leads to objects of Parent"#,
            ])
        client.close()
    }

    func testRelationshipsCanBeEmptied() throws {
        let client = try client { rows in
            try rows.relate(0, relationship: 0, toRows: [])
            try rows.relate(1, relationship: 0, toRows: [])
        }
        let call = try client.send(.route("parents"))
        transport.answer(200, #"{"list": [{"id": 1, "children": [{"id": 11}]}]}"#)
        let parent = try call.wait(milliseconds: 0).objects[0]
        XCTAssertEqual(parent.relationshipCell(at: 0).kind, .list)
        XCTAssertEqual(try client.store.related(parent, relationship: 0).count, 0)
        let entity = try client.api.entity(named: "Child")
        let child = try XCTUnwrap(client.store.object(entity, .integer(11)))
        XCTAssertEqual(child.relationshipCell(at: 0).kind, .null)
        client.close()
    }

    func testAHookThatFailsDiscardsTheResponse() throws {
        let client = try client { rows in
            throw Failure(.io, "no room for \(rows.count)")
        }
        let call = try client.send(.route("parents"))
        transport.answer(200, Self.families)
        let failure = failure { _ = try call.wait(milliseconds: 0) }
        XCTAssertEqual(failure?.reason, .io)
        XCTAssertEqual(failure?.domain, .mapping)
        XCTAssertEqual(failure?.httpStatus, 200)
        XCTAssertTrue(
            failure?.message.contains(#"hook "family": no room for 5"#) ?? false,
            failure?.message ?? "")
        XCTAssertEqual(try client.store.count(nil), 0)
        client.close()
    }

    func testTheStatusOfAFailedRequestStandsOverAFailingHook() throws {
        let client = try client { _ in throw Failure(.io, "no") }
        let call = try client.send(.get("missing"))
        transport.answer(404, #"{"id": 1}"#)
        XCTAssertEqual(failure { _ = try call.wait(milliseconds: 0) }?.reason, .http)
        XCTAssertEqual(try client.store.count(nil), 0)
        client.close()
    }

    func testQuestionsAreAskedOnWorkersAndMayNotBlock() throws {
        let caller = pthread_self()
        let wasOnWorker = Lock<[Bool]>([])
        let client = try client(
            watch: { value throws(TransformError) in
                wasOnWorker.withLock { $0.append(pthread_equal(pthread_self(), caller) == 0) }
                return value
            }
        ) { _ in
            wasOnWorker.withLock { $0.append(pthread_equal(pthread_self(), caller) == 0) }
        }
        // A thread that waits without a limit maps the response itself, except where it calls the
        // program.
        let call = try client.send(.route("parents"))
        transport.answer(200, #"{"list": [{"id": 1, "raw": {}}]}"#)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(wasOnWorker.withLock { $0 }, [true, true])
        client.close()
    }

    // MARK: Progress

    func testACallThatIsCancelledWhileMappingLeavesTheStoreAsItWas() throws {
        let call = Lock<Call?>(nil)
        let seen = Lock<[String]>([])
        let client = try client(
            watch: { value throws(TransformError) in
                if case .int64(3) = value, let call = call.withLock({ $0 }) {
                    let progress = call.mappingProgress
                    let total = progress.objectsTotal.map { String($0) } ?? "?"
                    seen.withLock { $0.append("\(progress.objectsDone) of \(total)") }
                    call.cancel()
                }
                return .null
            }
        ) { _ in XCTFail("the hook was asked about a cancelled call") }
        let stored = try client.send(.get("plain"))
        transport.answer(200, #"{"id": 1, "name": "before"}"#)
        let before = try stored.wait(milliseconds: 0).objects[0]

        let cancelled = try client.send(.route("parents"))
        call.withLock { $0 = cancelled }
        let elements = (1...5).map { #"{"id": \#($0), "name": "after", "raw": \#($0)}"# }
        transport.answer(200, #"{"list": [\#(elements.joined(separator: ","))]}"#)
        XCTAssertEqual(failure { _ = try cancelled.wait(milliseconds: 0) }?.reason, .cancelled)
        // The worker may still be busy; the next response is mapped after it or at the same time.
        let next = try client.send(.get("plain"))
        transport.answer(200, #"{"id": 9}"#)
        _ = try next.wait(milliseconds: 0)
        XCTAssertEqual(seen.withLock { $0 }, ["2 of 5"])
        XCTAssertEqual(try client.store.count(nil), 2)
        XCTAssertTrue(
            try client.store.object(before.entity, .integer(1)) === before)
        call.withLock { $0 = nil }
        client.close()
    }

    func testProgressCountsResultsAndEndsComplete() throws {
        let client = try client(Self.family)
        let call = try client.send(.route("parents"))
        XCTAssertEqual(call.mappingProgress.objectsDone, 0)
        XCTAssertEqual(call.mappingProgress.objectsTotal, 0)
        transport.answer(200, #"{"list": [{"id": 1}, null, {"id": 2}], "orphans": {"id": 3}}"#)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(call.mappingProgress.objectsDone, 3)
        XCTAssertEqual(call.mappingProgress.objectsTotal, 3)
        client.close()
    }
}

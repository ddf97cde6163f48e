import Dispatch
import RestwayDocument
import RestwayHTTP
import RestwayObjects
import RestwayThreads
import XCTest

@testable import RestwayCalls
@testable import RestwayClient
@testable import RestwayOutcome
@testable import RestwayRequests

/// Answers whose body is kept, and the store that has taken them. The tests take the place of the
/// cache: they give answers to the stages that map them.
final class CachedMappingsTests: XCTestCase {
    private static let document = """
        {"restway": 1,
         "entities": {
           "Company": {"identity": "id",
             "attributes": {"id": {"type": "int"}, "name": {"type": "string"},
                            "city": {"type": "string"}},
             "relationships": {"staff": {"entity": "Person", "many": true}}},
           "Person": {"identity": "id", "attributes": {"id": {"type": "int"}}},
           "Refusal": {"attributes": {"why": {"type": "string"}}}},
         "routes": {
           "companies": {"path": "companies",
             "response": {"entity": "Company", "keyPath": "list", "hook": "count"}},
           "same": {"path": "companies",
             "response": {"entity": "Company", "keyPath": "list", "status": 200}},
           "owners": {"path": "companies",
             "response": {"entity": "Person", "keyPath": "list"}},
           "save": {"method": "PUT", "path": "companies/:id", "entity": "Company",
             "response": {"entity": "Company"}}},
         "responses": [{"path": "companies", "entity": "Person", "keyPath": "people"},
                       {"path": "companies", "entity": "Refusal", "status": 404}]}
        """

    private static let body = """
        {"list": [{"id": 2, "name": "Two"}, {"id": 1, "name": "One", "staff": [{"id": 7}]},
                  {"id": 2, "name": "Two"}],
         "people": [{"id": 9}]}
        """

    /// A body that is not JSON, so that it cannot be decoded.
    private static let unreadable = "}"

    private let hooks = Lock(0)

    private func client(
        _ change: (inout ClientOptions) -> Void = { _ in }
    ) throws -> Client {
        let api = try TestAPI.load(Self.document)
        let hooks = hooks
        try api.addHook("count") { _ in hooks.withLock { $0 += 1 } }
        var options = ClientOptions()
        options.baseURL = "http://api.test"
        change(&options)
        return try Client(
            api: api, options: options, transport: FakeTransport(), clock: FakeClock())
    }

    private func answer(
        _ body: String, _ mappings: CachedMappings?, status: Int = 200, isValidated: Bool = false
    ) -> Answer {
        var answer = Answer(
            status: status,
            headers: Headers([HeaderField(name: "Content-Type", value: "application/json")]),
            url: "http://api.test/companies", body: Body(Array(body.utf8)))
        answer.mappings = mappings
        answer.cache = isValidated ? CacheNote(.validated) : nil
        answer.readyAt = FakeClock().now()
        answer.failure = status == 200 ? nil : Failure(.http, "\(status)")
        return answer
    }

    /// Takes an answer to a request by a route.
    @discardableResult
    private func take(
        _ client: Client, _ answer: Answer, route: String = "companies"
    ) throws -> Response {
        let call = try client.send(.route(route))
        let request = try XCTUnwrap(call.request)
        let processor = ResponseProcessor(call, request)
        let response = try processor.commit(processor.parse(answer))
        call.cancel()
        return response
    }

    private func commit(_ client: Client, _ values: Value...) throws {
        let company = try client.api.entity(named: "Company")
        let row = Snapshot.make(company, values)
        _ = try client.store.commit(ChangeSet(rows: [row]))
    }

    func testAHitDecodesNothingAndHasTheNewestObjectsInTheirOrder() throws {
        let client = try client()
        let mappings = CachedMappings()
        let first = try take(client, answer(Self.body, mappings))
        let commits = client.store.changeCount
        var hit = try take(client, answer(Self.unreadable, mappings))
        XCTAssertEqual(hit.objects.map(\.storeKey), first.objects.map(\.storeKey))
        XCTAssertTrue(zip(hit.objects, first.objects).allSatisfy { $0 === $1 })
        XCTAssertEqual(hit.results, first.results)
        XCTAssertEqual(hit.results, [0..<3, 3..<4])
        XCTAssertTrue(hit.isMapped)
        XCTAssertTrue(hit.bodyIsJSON)
        XCTAssertEqual(hooks.withLock { $0 }, 1, "a hit asks no hook again")
        XCTAssertEqual(client.store.changeCount, commits)

        try commit(client, .int64(2), .string("New"))
        hit = try take(client, answer(Self.unreadable, mappings))
        let names = hit.objects[hit.results[0]].map { $0.value(named: "name") }
        XCTAssertEqual(names, [.string("New"), .string("One"), .string("New")])
        client.close()
    }

    func testObjectsThatTheStoreNoLongerHasAreLeftOut() throws {
        let client = try client()
        let mappings = CachedMappings()
        let first = try take(client, answer(Self.body, mappings))
        XCTAssertTrue(try client.store.delete(first.objects[1]))
        var hit = try take(client, answer(Self.unreadable, mappings))
        XCTAssertEqual(hit.objects.map(\.identity), [.integer(2), .integer(2), .integer(9)])
        XCTAssertEqual(hit.results, [0..<2, 2..<3])
        _ = try client.store.deleteAll(nil)
        hit = try take(client, answer(Self.unreadable, mappings))
        XCTAssertEqual(hit.results, [0..<0, 0..<0])
        client.close()
    }

    func testIssuesAreThoseOfTheFirstAnswerAndStrictMappingRefusesEachTime() throws {
        let body = #"{"list": [{"id": 1, "name": {}}]}"#
        let lenient = try client()
        let mappings = CachedMappings()
        let first = try take(lenient, answer(body, mappings))
        let hit = try take(lenient, answer(Self.unreadable, mappings))
        XCTAssertEqual(hit.issueCount, 1)
        XCTAssertEqual(hit.issues, first.issues)
        lenient.close()
        let strict = try client { $0.calls.isMappingStrict = true }
        let other = CachedMappings()
        for _ in 0..<2 {
            let failure = failure { try take(strict, answer(body, other)) }
            XCTAssertEqual(failure?.reason, .mapping)
        }
        XCTAssertEqual(try strict.store.count(nil as Entity?), 0)
        strict.close()
    }

    func testAnotherMannerOfMappingReadsTheBodyAgain() throws {
        let client = try client()
        let mappings = CachedMappings()
        try take(client, answer(Self.body, mappings))
        let people = try take(client, answer(Self.body, mappings), route: "owners")
        XCTAssertEqual(people.objects.map(\.identity), [2, 1, 2, 9].map { .integer($0) })
        XCTAssertTrue(people.objects.allSatisfy { $0.entity.name == "Person" })
        // Both are known now.
        for (route, count) in [("companies", 4), ("owners", 4)] {
            let hit = try take(client, answer(Self.unreadable, mappings), route: route)
            XCTAssertEqual(hit.objects.count, count)
        }
        let none = failure { try take(client, answer(Self.unreadable, mappings), route: "same") }
        XCTAssertEqual(none?.reason, .mapping)
        // A status has descriptors of its own.
        let refused = try take(client, answer(#"{"why": "no"}"#, mappings, status: 404))
        XCTAssertEqual(refused.objects.map { $0.value(at: 0) }, [.string("no")])
        let again = try take(client, answer(Self.unreadable, mappings, status: 404))
        XCTAssertTrue(again.objects[0] === refused.objects[0])
        client.close()
    }

    func testFourMannersOfMappingAreKnownAndAFifthForgetsTheOldest() throws {
        let client = try client()
        let mappings = CachedMappings()
        for route in ["companies", "same", "owners"] {
            try take(client, answer(Self.body, mappings), route: route)
        }
        let refusal = #"{"why": "no"}"#
        try take(client, answer(refusal, mappings, status: 404))
        for route in ["companies", "same", "owners"] {
            try take(client, answer(Self.unreadable, mappings), route: route)
        }
        try take(client, answer(refusal, mappings, status: 404), route: "owners")
        let forgotten = failure { try take(client, answer(Self.unreadable, mappings)) }
        XCTAssertEqual(forgotten?.reason, .mapping)
        for route in ["same", "owners"] {
            try take(client, answer(Self.unreadable, mappings), route: route)
        }
        client.close()
    }

    func testAnotherVersionOfTheDocumentReadsTheBodyAgainAndSetsNothingBack() throws {
        let client = try client()
        let mappings = CachedMappings()
        try take(client, answer(Self.body, mappings))
        try commit(client, .int64(1), .string("New"))
        try client.api.add(route: "more", #"{"path": "more"}"#)
        let none = failure { try take(client, answer(Self.unreadable, mappings)) }
        XCTAssertEqual(none?.reason, .mapping)
        let read = try take(client, answer(Self.body, mappings))
        XCTAssertEqual(read.objects[1].value(named: "name"), .string("New"))
        client.close()
    }

    func testTheMappingsOfAnotherClientsStoreAreOfNoUse() throws {
        let (one, other) = (try client(), try client())
        let stores = Lock<[Int64]>([])
        let mappings = CachedMappings { store in stores.withLock { $0.append(store) } }
        try take(one, answer(Self.body, mappings))
        let none = failure { try take(other, answer(Self.unreadable, mappings)) }
        XCTAssertEqual(none?.reason, .mapping)
        try take(other, answer(Self.body, mappings))
        try take(other, answer(Self.unreadable, mappings))
        try take(one, answer(Self.unreadable, mappings))
        XCTAssertEqual(stores.withLock { $0 }, [one.store.identity, other.store.identity])
        for client in [one, other] { client.close() }
    }

    func testTheStoreThatTookAnAnswerInAnEarlierProcessIsNotSetBack() throws {
        let client = try client()
        let called = Lock(0)
        let mappings = CachedMappings(committedTo: client.store.identity) { _ in
            called.withLock { $0 += 1 }
        }
        try commit(client, .int64(1), .string("New"))
        let read = try take(client, answer(Self.body, mappings))
        XCTAssertEqual(
            read.objects.map { $0.value(named: "name") },
            [.string("Two"), .string("New"), .string("Two"), nil])
        let staff = try client.store.related(read.objects[1], relationship: 0)
        XCTAssertEqual(staff.map(\.identity), [.integer(7)], "what was absent is filled in")
        XCTAssertEqual(called.withLock { $0 }, 0)
        let hit = try take(client, answer(Self.unreadable, mappings))
        XCTAssertTrue(zip(hit.objects, read.objects).allSatisfy { $0 === $1 })
        // For any other store, the answer is as new as it is.
        let foreign = CachedMappings(committedTo: client.store.identity &+ 1)
        let other = try take(client, answer(Self.body, foreign))
        XCTAssertEqual(other.objects[1].value(named: "name"), .string("One"))
        client.close()
    }

    func testAnAnswerThatTheServerValidatedIsAsNewAsAnyOther() throws {
        let client = try client()
        let mappings = CachedMappings()
        let first = try take(client, answer(Self.body, mappings))
        let same = try take(client, answer(Self.unreadable, mappings, isValidated: true))
        XCTAssertTrue(same.objects[1] === first.objects[1])
        try commit(client, .int64(1), .string("Local"))
        let newest = try take(client, answer(Self.body, mappings, isValidated: true))
        XCTAssertEqual(newest.objects[1].value(named: "name"), .string("One"))
        let again = try take(client, answer(Self.unreadable, mappings, isValidated: true))
        XCTAssertTrue(again.objects[1] === newest.objects[1])
        let marked = CachedMappings(committedTo: client.store.identity)
        try commit(client, .int64(1), .string("Local"))
        let read = try take(client, answer(Self.body, marked, isValidated: true))
        XCTAssertEqual(read.objects[1].value(named: "name"), .string("One"))
        client.close()
    }

    func testACommitThatChangesNothingLeavesOtherMappingsCurrent() throws {
        let client = try client()
        let (one, other) = (CachedMappings(), CachedMappings())
        try take(client, answer(Self.body, one))
        try take(client, answer(Self.body, other))
        try take(client, answer(Self.unreadable, one, isValidated: true))
        client.close()
    }

    func testAnAnswerAboutAnObjectThatWasSentIsMappedEachTime() throws {
        let client = try client()
        try commit(client, .int64(1), .string("One"))
        let company = try client.api.entity(named: "Company")
        let object = try XCTUnwrap(client.store.object(company, .integer(1)))
        let mappings = CachedMappings()
        for _ in 0..<2 {
            let draft = Draft(copying: object)
            try draft.set(.string("Sent"), attribute: 2)
            let call = try client.send(
                RequestSpec(target: .subject(.put), subject: .draft(draft, client.store)))
            let request = try XCTUnwrap(call.request)
            XCTAssertNotNil(request.submission)
            let processor = ResponseProcessor(call, request)
            let mapped = try processor.parse(answer(#"{"id": 1, "name": "New"}"#, mappings))
            if case .known = mapped.rows { XCTFail("the answer was not mapped") }
            let response = try processor.commit(mapped)
            XCTAssertEqual(response.objects[0].value(named: "name"), .string("New"))
            call.cancel()
        }
        client.close()
    }

    func testManyThreadsUseTheSameMappingsAtOnce() throws {
        let client = try client()
        let mappings = CachedMappings()
        let call = try client.send(.route("same"))
        let request = try XCTUnwrap(call.request)
        let failures = Lock<[String]>([])
        let answer = answer(Self.body, mappings)
        let company = try client.api.entity(named: "Company")
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<50 {
                do {
                    let processor = ResponseProcessor(call, request)
                    let response = try processor.commit(processor.parse(answer))
                    let found = response.objects.map { $0.value(at: 0) }
                    if found != [2, 1, 2, 9].map({ .int64($0) }) {
                        failures.withLock { $0.append("\(found)") }
                    }
                    guard thread == 0 else { continue }
                    let row = Snapshot.make(company, [.int64(2), .string("\(round)")])
                    _ = try client.store.commit(ChangeSet(rows: [row]))
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        XCTAssertEqual(failures.withLock { $0 }, [])
        client.close()
    }

    /// The store and the body survive the process; the mappings do not.
    func testAStoreInAFileIsNotSetBackAfterARestart() throws {
        let path = "/tmp/restway-mappings-\(UInt64.random(in: 0 ... .max)).db"
        defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
        let noted = Lock<Int64?>(nil)
        do {
            let client = try client { $0.files.store = path }
            let mappings = CachedMappings { store in noted.withLock { $0 = store } }
            try take(client, answer(Self.body, mappings))
            try commit(client, .int64(1), .string("New"))
            client.close()
        }
        let client = try client { $0.files.store = path }
        XCTAssertEqual(noted.withLock { $0 }, client.store.identity)
        let mappings = CachedMappings(committedTo: noted.withLock { $0 })
        let read = try take(client, answer(Self.body, mappings))
        XCTAssertEqual(read.objects[1].value(named: "name"), .string("New"))
        let hit = try take(client, answer(Self.unreadable, mappings))
        XCTAssertEqual(hit.objects.map(\.storeKey), read.objects.map(\.storeKey))
        client.close()
    }
}

import Glibc
import RestwayHTTP
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

/// Drafts whose requests were stored, and new drafts inside them.
final class OutboxDraftTests: OutboxTestCase {
    override func document(_ outbox: String, _ rest: String, routes: String) -> String {
        """
        {"restway": 1,
         "environments": {"test": {"baseURL": "http://api.test/v1"}},
         "entities": {
            "Company": {"identity": "id",
              "attributes": {"id": {"type": "int"}, "name": {"type": "string"}},
              "relationships": {"staff": {"entity": "Person", "many": true},
                                "boss": {"entity": "Person"}}},
            "Person": {"identity": "id",
              "attributes": {"id": {"type": "int"}, "name": {"type": "string"}},
              "relationships": {
                "friend": {"entity": "Person", "source": "friend_id", "byIdentity": true},
                "home": {"entity": "Home"}}},
            "Home": {"attributes": {"street": {}}}},
         "outbox": {"path": "unused.db", "baseMilliseconds": 1000\(outbox)},
         "routes": {
            "companies": {"method": "POST", "path": "companies", "entity": "Company",
                          "response": {"entity": "Company"}, "offline": true},
            "company": {"method": ["PUT", "PATCH", "DELETE"], "path": "companies/:id",
                        "entity": "Company", "response": {"entity": "Company"},
                        "request": {"method": "PATCH", "changedOnly": true}, "offline": true},
            "people": {"method": "POST", "path": "people", "entity": "Person",
                       "response": {"entity": "Person"}, "offline": true},
            "person": {"method": ["PUT", "DELETE"], "path": "people/:id", "entity": "Person",
                       "response": {"entity": "Person"}, "offline": true}\(routes)}\(rest)}
        """
    }

    private var client: Client!
    /// The observer belongs to the client and ends with it.
    private var wire = FakeTransport()

    override func tearDown() {
        client = nil
        super.tearDown()
    }

    private func begin(
        _ outbox: String = "", isFile: Bool = true
    ) throws {
        wire = FakeTransport()
        client = try client(outbox, transport: wire) {
            if isFile { $0.files.store = directory + "/objects.db" }
        }
        try client.setReachability(.unreachable)
    }

    private func draft(_ entity: String, _ name: String) throws -> Draft {
        let draft = Draft(try client.api.entity(named: entity))
        try draft.set(.string(name), attribute: 1)
        return draft
    }

    /// Makes a company with two new people.
    private func company() throws -> (company: Draft, ann: Draft, bob: Draft) {
        let company = try draft("Company", "New")
        let (ann, bob) = (try draft("Person", "Ann"), try draft("Person", "Bob"))
        try company.set([.draft(ann), .draft(bob)], relationship: 0)
        return (company, ann, bob)
    }

    private func spec(_ method: RestwayRouting.Method, _ draft: Draft) -> RequestSpec {
        RequestSpec(target: .subject(method), subject: .draft(draft, client.store))
    }

    private func store(_ method: RestwayRouting.Method, _ draft: Draft) throws {
        try queue(client, spec(method, draft))
    }

    private func newest(_ draft: Draft) throws -> Snapshot {
        try XCTUnwrap(client.store.newest(draft.entity, storeKey: draft.storeKey))
    }

    private func person(_ name: String) throws -> Snapshot {
        let all = try client.store.objects(Query(client.api.entity(named: "Person")))
        return try XCTUnwrap(all.first { $0.value(named: "name") == .string(name) })
    }

    private static let answer =
        #"{"id":5,"name":"New","staff":[{"id":8,"name":"Ann"},{"id":9,"name":"Bob"}]}"#

    /// Flushes; returns the requests in order.
    private func deliver(_ answers: (Int, String)...) throws -> [String] {
        try flush(client)
        return answers.map { text(wire.answer($0.0, $0.1)) }
    }

    // MARK: Drafts

    func testADraftThatWasStoredBecomesOneOfWhatCameBackAndKeepsWhatWasSaidSince() throws {
        for isFile in [true, false] {
            try begin(isFile: isFile)
            let draft = try draft("Person", "new")
            try store(.post, draft)
            XCTAssertEqual(draft.changedCells, [1], "the server has not heard of it")
            try draft.set(.string("newer"), attribute: 1)
            let answer = #"{"id":7,"name":"NEW","home":{"street":"there"}}"#
            _ = try deliver((201, answer))
            XCTAssertEqual(words(nextFlushed()), ["1 delivered 201"])
            XCTAssertEqual(draft.changedCells, [1])
            XCTAssertEqual(draft.snapshot().identity, .integer(7))
            draft.revert(cell: nil)
            XCTAssertEqual(draft.snapshot().value(named: "name"), .string("NEW"))
            XCTAssertEqual(draft.changedCells, [])
            // Another draft is made of the object that now exists.
            try draft.set(.string("last"), attribute: 1)
            try client.setReachability(.unreachable)
            try store(.put, draft)
            _ = try deliver((204, ""))
            XCTAssertEqual(words(nextFlushed()), ["2 delivered 204"])
            XCTAssertEqual(draft.changedCells, [])
            XCTAssertEqual(draft.snapshot().value(named: "name"), .string("last"))
            client.close()
            removeFiles()
        }
    }

    func testADeadLetterLeavesItsDraftAsItIsUntilItIsDelivered() throws {
        try begin()
        let (first, second) = (try draft("Person", "a"), try draft("Person", "b"))
        for draft in [first, second] { try store(.post, draft) }
        _ = try deliver((422, "{}"), (422, "{}"))
        XCTAssertEqual(words(nextFlushed()), ["1 dead 422", "2 dead 422"])
        XCTAssertEqual([first, second].map(\.changedCells), [[1], [1]])
        XCTAssertEqual(try client.requireOutbox().drop(1), 1)
        try client.requireOutbox().retry(2)
        _ = try deliver((201, #"{"id":7}"#))
        XCTAssertEqual(words(nextFlushed()), ["2 delivered 201"])
        XCTAssertEqual(first.changedCells, [1])
        XCTAssertEqual(second.changedCells, [])
    }

    func testAStoredRequestKeepsNoDraftAlive() throws {
        try begin()
        weak var gone: Draft?
        try autoreleasing {
            let draft = try draft("Person", "new")
            gone = draft
            try store(.post, draft)
        }
        // The worker that stored it may still hold a reference.
        let limit = SystemClock().now().advanced(milliseconds: 10_000)
        while gone != nil, SystemClock().now() < limit { sched_yield() }
        XCTAssertNil(gone)
        _ = try deliver((201, #"{"id":7}"#))
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 201"])
    }

    /// Checks that the objects that `body` made are freed when this returns.
    @inline(never)
    private func autoreleasing(_ body: () throws -> Void) rethrows { try body() }

    // MARK: New objects inside drafts

    func testNewObjectsInsideAStoredOneBecomeThoseOfTheAnswer() throws {
        for isFile in [true, false] {
            try begin(isFile: isFile)
            let (company, ann, bob) = try company()
            let home = Draft(try client.api.entity(named: "Home"))
            try home.set(.string("here"), attribute: 0)
            try ann.set([.draft(home)], relationship: 1)
            try store(.post, company)
            XCTAssertTrue(try client.requireOutbox().hasPending(newest(ann)))
            try bob.set(.string("Bobby"), attribute: 1)
            try store(.put, bob)
            let friend = try draft("Person", "Cid")
            try friend.set([.draft(ann)], relationship: 0)
            try store(.post, friend)
            XCTAssertEqual(try states(client), ["1 waiting", "2 blocked", "3 blocked"])
            let keys = [company, ann, bob].map(\.storeKey)
            let asked = try deliver(
                (201, Self.answer), (200, #"{"id":9,"name":"Bobby"}"#), (201, #"{"id":10}"#))
            XCTAssertEqual(asked[1], #"PUT people/9 {"id":9,"name":"Bobby"}"#)
            XCTAssertTrue(asked[2].contains(#""friend_id":8"#), asked[2])
            XCTAssertFalse(asked.joined().contains("restway-local"))
            XCTAssertEqual(
                words(nextFlushed()), ["1 delivered 201", "2 delivered 200", "3 delivered 201"])
            XCTAssertEqual([company, ann, bob].map(\.storeKey), keys)
            XCTAssertEqual(
                try [company, ann, bob].map { try newest($0).identity },
                [.integer(5), .integer(8), .integer(9)])
            for draft in [company, ann, bob, friend, home] {
                XCTAssertEqual(draft.changedCells, [])
                XCTAssertFalse(
                    try client.store.isUnsent(draft.entity, storeKey: draft.storeKey))
            }
            XCTAssertEqual(try client.store.count(client.api.entity(named: "Person")), 3)
            XCTAssertFalse(try client.requireOutbox().hasPending(newest(ann)))
            client.close()
            removeFiles()
        }
    }

    func testTheyAreNamedAfterARestartToo() throws {
        for isFile in [true, false] {
            try begin(isFile: isFile)
            let (company, ann, _) = try company()
            try store(.post, company)
            try store(.put, ann)
            client.close()
            try begin(isFile: isFile)
            if isFile {
                // The file knows the object by its key.
                try queue(
                    client,
                    RequestSpec(target: .subject(.put), subject: .object(try person("Bob"))))
            } else {
                try queue(client, spec(.post, draft("Person", "Dan")))
            }
            let asked = try deliver(
                (201, Self.answer), (200, #"{"id":8}"#), (200, #"{"id":9}"#))
            XCTAssertEqual(asked[1].prefix(12), "PUT people/8")
            XCTAssertEqual(asked[2].prefix(12), isFile ? "PUT people/9" : "POST people ")
            XCTAssertEqual(nextFlushed().all.count, 3)
            if isFile { XCTAssertEqual(try person("Bob").identity, .integer(9)) }
            client.close()
            removeFiles()
        }
    }

    func testTheNextRequestThatHoldsThemSaysWhoTheyAre() throws {
        try begin()
        let (company, _, _) = try company()
        try store(.post, company)
        try company.set(.string("Other"), attribute: 1)
        try store(.patch, company)
        let answer = Self.answer
        let asked = try deliver((201, answer), (200, answer))
        XCTAssertEqual(
            asked[1], #"PATCH companies/5 {"name":"Other","#
                + #""staff":[{"id":8,"name":"Ann"},{"id":9,"name":"Bob"}]}"#)
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 201", "2 delivered 200"])
        XCTAssertEqual(try client.store.count(client.api.entity(named: "Person")), 2)
    }

    func testWhatDependsOnOneThatTheAnswerDoesNotNameIsDead() throws {
        for answer in [
            #"{"id":5}"#, #"{"id":5,"staff":[{"id":8}]}"#, "", #"{"id":5,"staff":[]}"#,
        ] {
            try begin()
            let (company, ann, _) = try company()
            try store(.post, company)
            try store(.put, ann)
            let change = ann.changedCells
            _ = try deliver((201, answer))
            XCTAssertEqual(words(nextFlushed()), ["1 delivered 201"])
            let left = try client.requireOutbox().list().all
            XCTAssertEqual(left.map(\.state), [.dead], answer)
            XCTAssertTrue(left[0].lastError?.contains("identity") ?? false)
            // The next request would have to contain the identity.
            try client.setReachability(.unreachable)
            let refused = refusal { _ = try client.send(spec(.put, ann)) }
            XCTAssertEqual(refused?.reason, .missingVariable, answer)
            XCTAssertEqual(wire.waitingCount, 0)
            let isLost = answer.contains("staff")
            XCTAssertEqual(ann.changedCells, isLost ? change : [], answer)
            if isLost { XCTAssertEqual(company.changedCells, [2], "still to be said") }
            // The draft can be sent inside another one.
            let second = try draft("Company", "Second")
            try second.set([.draft(ann)], relationship: 0)
            try store(.post, second)
            client.close()
            removeFiles()
        }
    }

    func testTheDeletionOfOneGoesBehindTheRequestThatMakesIt() throws {
        try begin()
        let (company, ann, bob) = try company()
        try store(.post, company)
        try store(.delete, ann)
        XCTAssertTrue(try client.store.delete(newest(bob)))
        XCTAssertEqual(try states(client), ["1 waiting", "2 blocked"])
        let asked = try deliver((201, Self.answer), (204, ""))
        XCTAssertEqual(asked[1], "DELETE people/8")
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 201", "2 delivered 204"])
        XCTAssertEqual(try person("Bob").identity, .integer(9), "the server has it")
        XCTAssertEqual(try client.store.count(client.api.entity(named: "Person")), 1)
    }

    func testTheDeletionOfTheOuterOneTakesAlongWhatIsAboutThoseInside() throws {
        try begin()
        let (company, ann, _) = try company()
        try store(.post, company)
        try store(.put, ann)
        let answer = try client.send(spec(.delete, company)).wait(milliseconds: 0)
        XCTAssertEqual(answer.status, 0)
        XCTAssertEqual(try states(client), [])
        // No other request creates it any more, so the next one does.
        let second = try draft("Company", "Second")
        try second.set([.draft(ann)], relationship: 1)
        try store(.post, second)
        let body = text(try XCTUnwrap(deliverOne(201, #"{"id":6,"boss":{"id":8}}"#)))
        XCTAssertFalse(body.contains("restway-local"), body)
        XCTAssertEqual(try newest(ann).identity, .integer(8))
    }

    func testThoseInsideAreNamedThoughTheOuterOneHasGone() throws {
        try begin()
        let (company, ann, _) = try company()
        try store(.post, company)
        try store(.put, ann)
        // The change bypasses the outbox, because the request may have been sent already.
        var changes = ChangeSet(origin: .host)
        changes.deletions = [.object(company.entity, storeKey: company.storeKey)]
        _ = try client.store.commit(changes)
        let asked = try deliver((201, Self.answer), (200, #"{"id":8}"#))
        XCTAssertEqual(asked[1].prefix(12), "PUT people/8")
        XCTAssertEqual(words(nextFlushed()), ["1 delivered 201", "2 delivered 200"])
        XCTAssertEqual(try newest(ann).identity, .integer(8))
        XCTAssertEqual(try client.store.count(client.api.entity(named: "Person")), 2)
    }

    private func deliverOne(_ status: Int, _ body: String) throws -> Exchange? {
        try flush(client)
        let exchange = wire.answer(status, body)
        _ = nextFlushed()
        return exchange
    }

    func testARequestThatChangesAnObjectMayHoldNewOnesToo() throws {
        try begin()
        let company = try draft("Company", "Known")
        try store(.post, company)
        XCTAssertNotNil(try deliverOne(201, #"{"id":5}"#))
        try client.setReachability(.unreachable)
        let ann = try draft("Person", "Ann")
        try company.set([.draft(ann)], relationship: 0)
        try store(.put, company)
        try store(.put, ann)
        let asked = try deliver(
            (200, #"{"id":5,"staff":[{"id":8,"name":"Ann"}]}"#), (200, #"{"id":8}"#))
        XCTAssertEqual(asked[1].prefix(12), "PUT people/8")
        XCTAssertEqual(words(nextFlushed()), ["2 delivered 200", "3 delivered 200"])
        XCTAssertEqual(try newest(ann).identity, .integer(8))
        XCTAssertEqual(company.changedCells, [])
    }

    func testWhatWasStoredBesideARequestIsLookedAtBeforeItIsBelieved() throws {
        try begin()
        let (company, _, _) = try company()
        try store(.post, company)
        let context = try XCTUnwrap(client.requireOutbox().journal.item(1)).entry.origin.context
        let text = String(decoding: context, as: UTF8.self)
        let entity = { [client] in try? client?.api.entity(named: $0) }
        func objects(_ text: String) -> StoredObjects {
            StoredObjects(OutboxContext(Array(text.utf8)).sent, entity: entity)
        }
        XCTAssertEqual(objects(text).sent.count, 3)
        XCTAssertEqual(objects(text).companions.count, 2)
        XCTAssertTrue(objects("{}").sent.isEmpty)
        for (old, new) in [
            ("null,1", "null,3"), ("null,1", "null,99999999999"), ("null,1", "{}"),
            (#""staff",2"#, #""staff",-7"#), (#""staff",2"#, #""staff",999999999"#),
            ("staff", "stuff"), ("Person", "Persona"), (#","",1,"#, ","),
        ] {
            let other = text.replacing(old, with: new)
            XCTAssertNotEqual(other, text, old)
            let found = objects(other)
            _ = AnswerMatching(
                found.renewed(nil), [Snapshot.make(company.entity, [])], root: 0)
        }
    }
}

extension String {
    fileprivate func replacing(_ old: String, with new: String) -> String {
        var (result, rest) = ("", self[...])
        while !rest.isEmpty {
            if rest.hasPrefix(old) {
                result += new
                rest = rest.dropFirst(old.count)
            } else {
                result.append(rest.removeFirst())
            }
        }
        return result
    }
}

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

/// Stored requests about objects that several attributes identify together. Two repositories have
/// issues with the same numbers.
final class OutboxPartsTests: OutboxTestCase {
    override func document(_ outbox: String, _ rest: String, routes: String) -> String {
        """
        {"restway": 1,
         "environments": {"test": {"baseURL": "http://api.test/v1"}},
         "entities": {
            "Issue": {"identity": ["owner", "repo", "number"],
              "attributes": {"owner": {"type": "string"}, "repo": {"type": "string"},
                             "number": {"type": "int"}, "title": {"type": "string"}},
              "relationships": {"parts": {"entity": "Issue", "many": true}}},
            "Task": {"identity": ["list", "number"],
              "attributes": {"list": {"type": "string", "from": {"variable": "list"}},
                             "number": {"type": "int"}, "text": {"type": "string"}}},
            "Line": {"identity": ["order", "place"],
              "attributes": {"order": {"type": "int"}, "place": {"type": "int"},
                             "text": {"type": "string"}}}},
         "outbox": {"path": "unused.db", "baseMilliseconds": 1000\(outbox)},
         "routes": {
            "issues": {"method": "POST", "path": "repos/:owner/:repo/issues", "entity": "Issue",
                       "response": {"entity": "Issue"}, "offline": true},
            "issue": {"method": ["GET", "PUT", "PATCH", "DELETE"],
                      "path": "repos/:owner/:repo/issues/:number", "entity": "Issue",
                      "response": {"entity": "Issue"},
                      "request": {"entity": "Issue", "method": "PATCH", "changedOnly": true},
                      "offline": true, "renames": true},
            "tasks": {"method": "POST", "path": "lists/:list/tasks", "entity": "Task",
                      "response": {"entity": "Task"}, "offline": true},
            "task": {"method": "PUT", "path": "lists/:list/tasks/:number", "entity": "Task",
                     "response": {"entity": "Task"}, "offline": true},
            "lines": {"method": "POST", "path": "lines", "entity": "Line",
                      "response": {"entity": "Line"}, "offline": true},
            "line": {"method": "PUT", "path": "lines/:order/:place", "entity": "Line",
                     "response": {"entity": "Line"}, "offline": true}\(routes)}\(rest)}
        """
    }

    private var client: Client!
    private var wire = FakeTransport()

    override func tearDown() {
        client = nil
        super.tearDown()
    }

    private func begin(_ outbox: String = "", isFile: Bool = true) throws {
        wire = FakeTransport()
        client = try client(outbox, transport: wire) {
            if isFile { $0.files.store = directory + "/objects.db" }
        }
        try client.setReachability(.unreachable)
    }

    private func restart() throws {
        client.close()
        try begin()
    }

    private func draft(_ repo: String, _ title: String) throws -> Draft {
        let draft = Draft(try client.api.entity(named: "Issue"))
        for (index, text) in [(0, "octocat"), (1, repo), (3, title)] {
            try draft.set(.string(text), attribute: index)
        }
        return draft
    }

    private func spec(_ method: RestwayRouting.Method, _ draft: Draft) -> RequestSpec {
        RequestSpec(target: .subject(method), subject: .draft(draft, client.store))
    }

    private func store(_ method: RestwayRouting.Method, _ draft: Draft) throws {
        try queue(client, spec(method, draft))
    }

    private func issue(_ repo: String, _ number: Int) throws -> Snapshot? {
        try client.store.object(
            client.api.entity(named: "Issue"), .string("[\"octocat\",\"\(repo)\",\(number)]"))
    }

    private func named(_ title: String) throws -> Snapshot {
        let all = try client.store.objects(Query(client.api.entity(named: "Issue")))
        return try XCTUnwrap(all.first { $0.value(named: "title") == .string(title) })
    }

    private func answer(_ repo: String, _ number: Int, _ title: String) -> String {
        #"{"owner":"octocat","repo":"\#(repo)","number":\#(number),"title":"\#(title)"}"#
    }

    /// Answers all requests as a server with two repositories does; returns them in order.
    private func serve(_ count: Int) -> [String] {
        var sent: [String] = []
        var last: [String: Int] = [:]
        for _ in 0..<count {
            let started = wire.next()
            let text = text(started.exchange)
            sent.append(text)
            let repo = text.contains("/hello/") ? "hello" : "world"
            guard started.exchange.method == "POST" else {
                started.answer(204)
                continue
            }
            last[repo, default: 6] += 1
            let title = text.contains("first") ? "first \(repo)" : "second \(repo)"
            started.answer(201, answer(repo, last[repo]!, title))
        }
        return sent
    }

    func testTheMissingPartIsFilledInPathsAndBodiesOfWaitingRequests() throws {
        for isFile in [true, false] {
            try begin(isFile: isFile)
            let drafts = try ["hello", "world"].map { try draft($0, "first \($0)") }
            for draft in drafts { try store(.post, draft) }
            let keys = drafts.map(\.storeKey)
            for draft in drafts {
                let change = Draft(
                    copying: try XCTUnwrap(
                        client.store.newest(draft.entity, storeKey: draft.storeKey)))
                XCTAssertNil(change.snapshot().identity)
                try change.set(.string("changed"), attribute: 3)
                try store(.put, change)
            }
            XCTAssertEqual(
                try states(client), ["1 waiting", "2 waiting", "3 blocked", "4 blocked"])
            try flush(client)
            let sent = serve(4)
            XCTAssertFalse(sent.joined().contains("restway-local"), "\(sent)")
            XCTAssertEqual(
                Set(sent),
                Set(["hello", "world"].flatMap { repo in
                    [
                        "POST repos/octocat/\(repo)/issues "
                            + #"{"owner":"octocat","repo":"\#(repo)","title":"first \#(repo)"}"#,
                        "PUT repos/octocat/\(repo)/issues/7 " + answer(repo, 7, "changed"),
                    ]
                }))
            XCTAssertEqual(nextFlushed().all.map(\.state), Array(repeating: .delivered, count: 4))
            for (repo, key) in zip(["hello", "world"], keys) {
                let object = try XCTUnwrap(issue(repo, 7))
                XCTAssertEqual(object.storeKey, key)
                XCTAssertEqual(object.value(named: "title"), .string("changed"))
            }
            XCTAssertEqual(drafts.map { $0.snapshot().identity }, [
                .string(#"["octocat","hello",7]"#), .string(#"["octocat","world",7]"#),
            ])
            XCTAssertEqual(try client.store.count(drafts[0].entity), 2)
            client.close()
            removeFiles()
        }
    }

    func testEachIssueHasALaneAlsoWithTheNumberOfAnother() throws {
        try begin()
        for repo in ["hello", "world"] {
            var spec = RequestSpec(target: .route("issue", .patch))
            for (name, value) in [("owner", "octocat"), ("repo", repo), ("number", "7")] {
                spec.variables[name] = .value(.string(value))
            }
            spec.given.body = .init(bytes: Array("{}".utf8), mediaType: "application/json")
            try queue(client, spec)
            try queue(client, spec)
        }
        XCTAssertEqual(
            try client.requireOutbox().list().all.map(\.lane),
            ["hello", "hello", "world", "world"].map {
                #"object:Issue:["octocat","\#($0)",7]"#
            })
    }

    func testARestartBetweenStoringAndSendingChangesNothing() throws {
        try begin()
        for repo in ["hello", "world"] { try store(.post, draft(repo, "first \(repo)")) }
        let keys = try ["hello", "world"].map { try named("first \($0)").storeKey }
        try restart()
        for repo in ["hello", "world"] {
            let change = Draft(copying: try named("first \(repo)"))
            try change.set(.string("changed \(repo)"), attribute: 3)
            try store(.patch, change)
        }
        try restart()
        XCTAssertEqual(try states(client), ["1 waiting", "2 waiting", "3 blocked", "4 blocked"])
        try flush(client)
        let sent = serve(4)
        XCTAssertEqual(
            Set(sent.filter { $0.hasPrefix("PATCH") }),
            Set(["hello", "world"].map {
                "PATCH repos/octocat/\($0)/issues/7 " + #"{"title":"changed \#($0)"}"#
            }))
        _ = nextFlushed()
        XCTAssertEqual(try ["hello", "world"].map { try issue($0, 7)?.storeKey }, keys)
        XCTAssertEqual(try issue("world", 7)?.value(named: "title"), .string("changed world"))
    }

    func testAnotherProcessSendsAndTheStoreOfThisOneGetsTheIdentity() throws {
        try begin()
        try store(.post, draft("hello", "first hello"))
        let object = try named("first hello")
        // The other process has the same files.
        let otherWire = FakeTransport()
        let other = try client(transport: otherWire) {
            $0.files.store = directory + "/objects.db"
        }
        try flush(other)
        let exchange = otherWire.answer(201, answer("hello", 7, "first hello"))
        XCTAssertTrue(exchange.url.hasSuffix("repos/octocat/hello/issues"), exchange.url)
        _ = nextFlushed()
        XCTAssertEqual(try issue("hello", 7)?.storeKey, object.storeKey)
        let change = Draft(copying: object)
        try change.set(.string("changed"), attribute: 3)
        try client.setReachability(.reachable)
        let call = try client.send(spec(.patch, change))
        XCTAssertEqual(
            text(wire.answer(204)), #"PATCH repos/octocat/hello/issues/7 {"title":"changed"}"#)
        _ = try call.wait(milliseconds: 0)
        XCTAssertEqual(try issue("hello", 7)?.value(named: "title"), .string("changed"))
        other.close()
    }

    func testAnIdentityThatTheStoreHasLostIsGivenToItAgain() throws {
        try begin()
        try store(.post, draft("hello", "first hello"))
        let key = try named("first hello").storeKey
        client.close()
        // The answer is in the outbox, and the store has not got it.
        let saved = ["objects.db", "objects.db-wal"].map { ($0, bytes(directory + "/" + $0)) }
        try begin()
        try flush(client)
        wire.answer(201, answer("hello", 7, "first hello"))
        _ = nextFlushed()
        client.close()
        for suffix in ["", "-wal", "-shm"] { unlink("\(directory)/objects.db\(suffix)") }
        for (name, content) in saved where !content.isEmpty {
            let file = fopen("\(directory)/\(name)", "w")
            fwrite(content, 1, content.count, file)
            fclose(file)
        }
        try begin()
        let object = try XCTUnwrap(issue("hello", 7))
        XCTAssertEqual(object.storeKey, key)
        XCTAssertEqual(object.value(named: "title"), .string("first hello"))
    }

    func testNewIssuesInsideAnIssueGetTheirNumbers() throws {
        for isFile in [true, false] {
            try begin(isFile: isFile)
            let (outer, inner) = (try draft("hello", "first"), try draft("hello", "inner"))
            try outer.set([.draft(inner)], relationship: 0)
            try store(.post, outer)
            try inner.set(.string("inner changed"), attribute: 3)
            try store(.patch, inner)
            XCTAssertEqual(try states(client), ["1 waiting", "2 blocked"])
            try flush(client)
            wire.answer(
                201,
                #"{"owner":"octocat","repo":"hello","number":7,"parts":["#
                    + answer("hello", 8, "inner") + "]}")
            XCTAssertEqual(
                text(wire.answer(204)),
                "PATCH repos/octocat/hello/issues/8 "
                    + #"{"owner":"octocat","repo":"hello","title":"inner changed"}"#)
            _ = nextFlushed()
            XCTAssertEqual(try issue("hello", 8)?.storeKey, inner.storeKey)
            XCTAssertEqual(try issue("hello", 7)?.storeKey, outer.storeKey)
            client.close()
            removeFiles()
        }
    }

    func testARequestDoesNotWaitForSeveralParts() throws {
        try begin()
        let line = Draft(try client.api.entity(named: "Line"))
        try line.set(.string("one"), attribute: 2)
        try store(.post, line)
        let change = Draft(
            copying: try XCTUnwrap(client.store.newest(line.entity, storeKey: line.storeKey)))
        try change.set(.string("two"), attribute: 2)
        let failure = refusal { _ = try client.send(spec(.put, change)) }
        XCTAssertEqual(failure?.reason, .missingVariable)
        XCTAssertEqual(
            failure?.message,
            "Line has no order and no place yet, and a request waits only for one part of an "
                + "identity")
        // The request that creates the object needs no other.
        try restart()
        try flush(client)
        wire.answer(201, #"{"order":3,"place":4}"#)
        _ = nextFlushed()
        let sent = try client.store.object(
            client.api.entity(named: "Line"), .string("[3,4]"))
        XCTAssertEqual(sent?.value(named: "text"), .string("one"))
    }

    func testAPartThatOnlyThePathHasStaysWithTheObject() throws {
        for isFile in [true, false] {
            try begin(isFile: isFile)
            let entity = try client.api.entity(named: "Task")
            for list in ["home", "work"] {
                let draft = Draft(entity)
                try draft.set(.string("in \(list)"), attribute: 2)
                var spec = spec(.post, draft)
                spec.variables["list"] = .value(.string(list))
                try queue(client, spec)
                let change = Draft(
                    copying: try XCTUnwrap(
                        client.store.newest(entity, storeKey: draft.storeKey)))
                try change.set(.string("changed \(list)"), attribute: 2)
                try store(.put, change)
            }
            XCTAssertEqual(
                try states(client), ["1 waiting", "2 blocked", "3 waiting", "4 blocked"])
            if isFile { try restart() }
            try flush(client)
            var sent: [String] = []
            for _ in 0..<4 {
                let started = wire.next()
                sent.append(text(started.exchange))
                let isPost = started.exchange.method == "POST"
                started.answer(isPost ? 201 : 204, isPost ? #"{"number":1}"# : "")
            }
            XCTAssertEqual(
                Set(sent),
                [
                    #"POST lists/home/tasks {"text":"in home"}"#,
                    #"POST lists/work/tasks {"text":"in work"}"#,
                    #"PUT lists/home/tasks/1 {"number":1,"text":"changed home"}"#,
                    #"PUT lists/work/tasks/1 {"number":1,"text":"changed work"}"#,
                ])
            _ = nextFlushed()
            for list in ["home", "work"] {
                let task = try client.store.object(
                    client.api.entity(named: "Task"), .string("[\"\(list)\",1]"))
                XCTAssertEqual(task?.value(named: "text"), .string("changed \(list)"))
            }
            client.close()
            removeFiles()
        }
    }

    func testARequestWaitsForAnIssueWhosePartsTheProgramHasGiven() throws {
        try begin()
        let draft = try draft("hello", "first hello")
        try draft.set(.int64(5), attribute: 2)
        try store(.post, draft)
        let change = Draft(copying: try named("first hello"))
        try change.set(.string("changed"), attribute: 3)
        try store(.patch, change)
        // An issue of the other repository does not wait for it.
        let other = try self.draft("world", "first world")
        try other.set(.int64(5), attribute: 2)
        try store(.put, other)
        XCTAssertEqual(try states(client), ["1 waiting", "2 blocked", "3 waiting"])
        try flush(client)
        var sent: [String] = []
        for _ in 0..<3 {
            let started = wire.next()
            sent.append(started.exchange.method)
            let isPost = started.exchange.method == "POST"
            started.answer(isPost ? 201 : 204, isPost ? answer("hello", 5, "first hello") : "")
        }
        XCTAssertLessThan(
            try XCTUnwrap(sent.firstIndex(of: "POST")), try XCTUnwrap(sent.firstIndex(of: "PATCH")))
        _ = nextFlushed()
        XCTAssertEqual(try issue("hello", 5)?.value(named: "title"), .string("changed"))
        XCTAssertEqual(try issue("world", 5)?.value(named: "title"), .string("first world"))
    }

    func testARenameChangesThePartsInRequestsThatWait() throws {
        for isFile in [true, false] {
            try begin(isFile: isFile)
            for repo in ["hello", "world"] {
                let call = try client.send(.get("repos/octocat/\(repo)/issues/7"))
                wire.answer(200, answer(repo, 7, repo))
                _ = try call.wait(milliseconds: 0)
            }
            let key = try issue("hello", 7)?.storeKey
            for repo in ["hello", "world"] {
                let change = Draft(copying: try XCTUnwrap(issue(repo, 7)))
                try change.set(.string("changed"), attribute: 3)
                try store(.put, change)
            }
            // The issue has moved to another repository.
            let call = try client.send(.get("repos/octocat/hello/issues/7"))
            wire.answer(200, answer("hola", 3, "moved"))
            _ = try call.wait(milliseconds: 0)
            XCTAssertNil(try issue("hello", 7))
            XCTAssertEqual(try issue("hola", 3)?.storeKey, key)
            XCTAssertEqual(
                try client.requireOutbox().list().all.map(\.lane),
                [#"object:Issue:["octocat","hola",3]"#, #"object:Issue:["octocat","world",7]"#])
            try flush(client)
            XCTAssertEqual(
                Set(serve(2)),
                [
                    "PUT repos/octocat/hola/issues/3 " + answer("hola", 3, "changed"),
                    "PUT repos/octocat/world/issues/7 " + answer("world", 7, "changed"),
                ])
            _ = nextFlushed()
            client.close()
            removeFiles()
        }
    }

    func testObserversAndADropDistinguishTheRepositories() throws {
        for isFile in [true, false] {
            try begin(isFile: isFile)
            let drafts = try ["hello", "world"].map { try draft($0, "first \($0)") }
            for draft in drafts { try store(.post, draft) }
            let world = try named("first world")
            let log = ChangeLog()
            _ = try client.observe(.object(world), changed: log.add, end: log.end)
            XCTAssertEqual(try client.requireOutbox().drop(1), 1)
            try flush(client)
            _ = serve(1)
            _ = nextFlushed()
            log.waitForLists(1)
            XCTAssertEqual(log.lists.count, 1, "nothing about the other repository")
            XCTAssertEqual(
                log.lists[0].changes.map { $0.after?.identity },
                [.string(#"["octocat","world",7]"#)])
            XCTAssertEqual(try client.store.count(world.entity), 1)
            client.close()
            removeFiles()
        }
    }

    func testADeadLetterMarksTheIssueOfItsRepository() throws {
        try begin()
        for repo in ["hello", "world"] {
            let call = try client.send(.get("repos/octocat/\(repo)/issues/7"))
            wire.answer(200, answer(repo, 7, repo))
            _ = try call.wait(milliseconds: 0)
        }
        let change = Draft(copying: try XCTUnwrap(issue("world", 7)))
        try change.set(.string("refused"), attribute: 3)
        try store(.patch, change)
        try flush(client)
        wire.answer(422, "{}")
        _ = nextFlushed()
        let outbox = try client.requireOutbox()
        XCTAssertTrue(try outbox.isRejected(XCTUnwrap(issue("world", 7))))
        XCTAssertFalse(try outbox.isRejected(XCTUnwrap(issue("hello", 7))))
    }
}
